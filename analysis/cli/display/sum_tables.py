"""The output of commands for sums; see `solution_tables` for games by turns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from analysis.cli.display.parts import Answer, Columns, Paragraph, Part
from analysis.cli.display.printing import headed, named, program_name, quote, solve_summary, titled
from analysis.machine.memory import readable
from analysis.wording import between, lasting, rough, some

if TYPE_CHECKING:
    from analysis.sums.sum_plan import SumPlan
    from analysis.sums.sum_solution import SumPosition, SumSolution

SIZES = ("decided", "excluded")
"""The statistics that count parts."""
SHOWN = 60
"""Nimbers of smaller games that are printed in the summary."""
KIND = "series"
"""What these are called there, as in JSON."""


def solve_answer(solution: SumSolution, seconds: float) -> Answer:
    """Summarize a solve that took ``seconds``."""
    stats = solution.statistics()
    data = {name: stats[name] for name in ("game", "nimber", "winner", *SIZES)} | {"start": solution.start}
    steps = [f"show {named(solution)} {quote(solution.start)}"]
    found = Answer(data, [], [_graph(solution) | _facts(stats)], ("game", "nimber", "winner", *SIZES))
    return solve_summary(solution, found, steps, seconds)


def _graph(solution: SumSolution) -> dict[str, str]:
    """Return the size of a graph from a file."""
    graph = solution.game.parts.graph
    if graph is None or graph.grid[1]:
        return {}
    edges = sum(near.bit_count() for near in graph.adjacent) // 2
    return {"graph": f"{some(len(graph.adjacent), 'vertex', 'vertices')}, {some(edges, 'edge')}"}


def _facts(stats: dict[str, Any]) -> dict[str, str]:
    facts = {
        "nimber": f"{stats['nimber']}: {_verdict(stats['nimber'])}",
        "parts": f"{stats['decided']:,} with known nimbers, 0 to {stats['greatest_nimber']}",
    }
    if stats["excluded"]:
        facts["parts"] += f"; {some(stats['excluded'], 'other')} of which only some nimbers are ruled out"
    if stats["series"]:
        last = stats["series"][-SHOWN:]
        numbers = " ".join(str(row["nimber"]) for row in last)
        facts[KIND] = f"nimbers {numbers} for {_size(stats)} = {last[0]['n']} to {last[-1]['n']}"
    return facts


def _size(stats: dict[str, Any]) -> str:
    """Return the parameter by which games of a kind grow; n where a game of one's own does not tell."""
    found = re.search(r"(\w+)=([0-9]+)$", stats["game"])
    told = found is not None and ".py:" not in stats["game"] and int(found[2]) == stats["series"][-1]["n"]
    return found[1] if found and told else "n"


def _verdict(nimber: int) -> str:
    return f"whoever {'begins' if nimber else 'moves second'} wins"


def stats_answer(solution: SumSolution) -> Answer:
    """Return all numbers of a sum; as CSV the nimbers of the games of its kind, or its own if it is one of none."""
    stats = solution.statistics()
    parts: list[Part] = [_graph(solution) | {key: text for key, text in _facts(stats).items() if key != KIND}]
    if stats["series"]:
        parts += titled("Games of this kind", Columns(("n", "nimber"), (row.values() for row in stats["series"])))
    if not stats["series"]:
        return Answer(stats, [{key: stats[key] for key in ("game", "nimber")}], parts, ("game", "nimber"))
    return Answer(stats, stats["series"], parts, ("n", "nimber"))


def position_answer(solution: SumSolution, found: SumPosition) -> Answer:
    """Describe a position; as CSV its moves."""
    data = found.to_json()
    verdict = "the player to move wins" if found.nimber else "the player to move loses"
    parts: list[Part] = [headed(found.position), "", _graph(solution) | {"nimber": f"{found.nimber}: {verdict}"}]
    if not found.parts:
        parts += ["", Paragraph("No part is left but pairs of equal ones, which cancel, and those without a move.")]
    elif len(found.parts) != 1 or found.parts[0][0] != found.position:
        parts += titled("Parts, without pairs of equal ones", Columns(("part", "nimber"), found.parts))
    rows = ((move.position, move.moves, "yes" if move.wins else "") for move in found.moves)
    if found.moves:
        title = "Moves, those that win first; a row for all that leave equal parts"
        parts += titled(title, Columns(("position after", "moves", "wins"), rows))
    return Answer(data, data["moves"], parts, ("position", "moves", "wins"))


def plan_answer(plan: SumPlan) -> Answer:
    """Describe what solving a sum would take; as CSV what was solved."""
    facts = {"game": plan.game, "solved": some(len(plan.solved), "game of the kind", "games of the kind")}
    if plan.parts is not None and plan.seconds is not None and plan.memory_bytes is not None:
        facts |= {
            "parts": between(*plan.parts, rough),
            "time": between(*plan.seconds, lasting),
            "memory": between(*plan.memory_bytes, readable),
        }
    rows = [row for row in plan.solved if row["n"] is not None]
    advice = Paragraph(plan.advice.replace("gametree ", f"{program_name()} "))
    parts: list[Part] = [facts, "", advice]
    if rows:
        table = Columns(tuple(rows[0]), (map(str, row.values()) for row in rows))
        parts += titled("Solved", table)
    return Answer(plan.to_json(), rows, parts, ("n", "nimber", "parts", "seconds"))
