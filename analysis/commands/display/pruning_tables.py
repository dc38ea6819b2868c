"""What ``gametree prune`` and ``gametree show --depth`` print for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from analysis.commands.display.printing import board_text, number, pairs, plain_table, player_name
from analysis.search.advice import Advice
from analysis.search.comparison import Comparison
from analysis.search.growth import Growth, GrowthRow
from analysis.search.laboratory import UNSOLVED, Row
from analysis.search.solved_graph import Size
from analysis.search.visits import trace_lines
from analysis.wording import signed

SETTINGS = ("order", "window", "table", "symmetry")


def tables(found: Comparison | Growth) -> list[RenderableType]:
    """What a comparison, or a table of growth, found."""
    return comparison_tables(found) if isinstance(found, Comparison) else growth_tables(found.rows)


def comparison_tables(found: Comparison) -> list[RenderableType]:
    """All that a comparison found."""
    parts: list[RenderableType] = [pairs(_facts(found)), ""]
    for name, visits in found.traces.items():
        parts += [Text(name), Text("\n".join(trace_lines(visits))), ""]
    if found.rows:
        parts.append(_row_table(found.rows))
    if found.distribution:
        parts.append(_distribution_table(found.distribution))
    return [*parts, "", Text(found.protocol())]


def _facts(found: Comparison) -> dict[str, str]:
    problem = found.problem
    facts = {"searched": f"{problem.name} from {problem.describe(problem.root)}"}
    if found.value is None:
        facts["least possible"] = f"not computed: {UNSOLVED}"
        return facts
    facts["value"] = signed(found.value)
    tree = found.tree
    facts["whole tree"] = "more than 10^18 nodes" if tree is None else _size_text(tree)
    for window, least in found.least.items():
        name = "least possible" if window == "full" else f"  in window {window}"
        facts[name] = "more than 10^18 nodes" if least is None else _size_text(least)
    return facts


def _size_text(size: Size) -> str:
    nodes, leaves = "node" if size.nodes == 1 else "nodes", "leaf" if size.leaves == 1 else "leaves"
    return f"{size.nodes:,} {nodes}, {size.leaves:,} {leaves}"


def _row_table(rows: Sequence[Row]) -> RenderableType:
    differing = [name for name in SETTINGS if name == "table" or len({getattr(row, name) for row in rows}) > 1]
    stopped = any(row.stopped for row in rows)
    table = plain_table(
        "algorithm", *differing, "value", "nodes", "leaves", "cutoffs", "effective", "hits", "entries", "passes",
        "b", "/ minimax", "/ least", "seconds", *(["stopped"] if stopped else []),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.algorithm,
            *(getattr(row, name) for name in differing),
            value_text(row.value, row.bound),
            *(
                number(count)
                for count in (
                    row.nodes, row.leaves, row.cutoffs, row.cutoffs_effective, row.table_hits, row.table_entries,
                    row.passes,
                )
            ),
            "-" if row.branching is None else f"{row.branching:.2f}",
            _ratio(row.relative_to_minimax),
            _ratio(row.relative_to_least),
            f"{row.seconds:.3f}",
            *([row.stopped or ""] if stopped else []),
        )  # fmt: skip
    return table


def value_text(value: int | None, bound: str | None) -> str:
    """A value with its sign, or a bound of it."""
    if value is None:
        return "-"
    return {"exact": "", "lower": ">= ", "upper": "<= "}[bound or "exact"] + signed(value)


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}" if ratio >= 0.001 else f"{ratio:.1e}"


def _distribution_table(rows: Sequence[dict[str, Any]]) -> RenderableType:
    names = ("mean", "deviation", "least", "q05", "q25", "median", "q75", "q95", "greatest")
    table = plain_table("algorithm", "window", "symmetry", "orders", "count", *names)
    for row in rows:
        for what in ("nodes", "leaves"):
            numbers = (f"{row[f'{what}_{name}']:,.0f}" for name in names)
            table.add_row(row["algorithm"], row["window"], row["symmetry"], row["orders"], what, *numbers)
    return table


def growth_tables(rows: Sequence[GrowthRow]) -> list[RenderableType]:
    """Boards and depths against algorithms, as courses print them."""
    stopped = any(row.search.stopped for row in rows)
    table = plain_table(
        "board", "depth", "algorithm", "winner", "nodes", "leaves", "table states", "prunings", "seconds",
        *(["stopped"] if stopped else []),
    )  # fmt: skip
    for row in rows:
        search = row.search
        counts = (search.nodes, search.leaves, search.table_entries, search.cutoffs_effective)
        table.add_row(
            row.board,
            number(row.depth),
            search.algorithm,
            row.winner or "-",
            *(number(count) for count in counts),
            f"{search.seconds:.3f}",
            *([search.stopped or ""] if stopped else []),
        )
    first = rows[0].search
    note = (
        f"Moves in {first.order} order, window {first.window}; table "
        "states: positions stored; prunings: cutoffs that skip a child. Every count is defined as without --boards."
    )
    return [table, "", Text(note)]


def advice_tables(advice: Advice) -> list[RenderableType]:
    """One position, searched to a depth."""
    said = f"by evaluation {advice.evaluation}" if advice.evaluation else "a position at the end of it counts 0"
    if advice.complete:
        said = "to the end of every game"
    facts = {
        "to move": player_name(advice.players, advice.to_move),
        "searched": f"{advice.depth} {'ply' if advice.depth == 1 else 'plies'} deep, {said}; {advice.nodes:,} nodes, "
        f"{advice.seconds:.1f} s",
        "value": f"{signed(advice.value)} for {advice.players[0]}" if advice.evaluation else signed(advice.value),
    }
    if advice.best_move is not None:
        facts["best move"] = advice.moves[0].name
    parts: list[RenderableType] = [Text(advice.position), ""]
    parts += [board_text(advice.grid), ""] if advice.grid else []
    parts.append(pairs(facts))
    if advice.moves:
        table = plain_table("move", "position after", "value", "optimal")
        for move in advice.moves:
            table.add_row(move.name, move.position, signed(move.value), "yes" if move.optimal else "")
        parts += ["", Text("Moves, best first by this search"), table]
    return parts
