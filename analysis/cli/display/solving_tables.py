"""The output of ``plan`` and ``check``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...common.memory import readable
from ...common.wording import between, duration_text, rough, with_count
from ...rules.game import LOOKS, Game
from ...rules.picture import picture
from ...solving.checks.suite import ContractReport, Result
from .parts import Answer, Columns, Details, Hint, Paragraph, Part, answer
from .printing import program_name, titled

if TYPE_CHECKING:
    from pathlib import Path

    from ...solving.planning.plan import GamePlan
    from ...solving.planning.sizes import GameSizes, Interval

SIZES = {"positions": "positions", "classes": "classes", "moves": "moves"}
ROWS = 16
"""Rows of the table by tier without ``--wide``: neighbouring tiers are grouped."""
HOW = ("measured", "extrapolated", "bounded")
"""The most reliable first."""


def plan_answer(plan: GamePlan) -> Answer:
    """Describe what solving a game would take; as CSV its sizes by tier."""
    data = plan.to_json()
    facts = {"game": plan.game} | ({"start": plan.start} if plan.start is not None else {})
    shown = {name: words for name, words in SIZES.items() if data[name] is not None}
    facts |= {words: _interval_text(getattr(plan.sizes, name)) for name, words in shown.items()}
    advice = Paragraph(plan.advice.replace("gametree ", f"{program_name()} "))
    parts: list[Part] = [facts, "", advice, "", _needs(plan, data), "", *_notes(plan)]
    if plan.sizes.tiers:
        parts += titled("By tier", _tiers(plan.sizes, shown, ROWS))
        if len(plan.sizes.tiers) > ROWS:
            parts += [Details(titled("Each tier", _tiers(plan.sizes, shown, len(plan.sizes.tiers))))]
    return answer(plan, parts)


def _interval_text(interval: Interval) -> str:
    """Format the interval of a number, and how it was determined."""
    return f"{between(interval.low, interval.high, rough)} ({interval.how})"


def _needs(plan: GamePlan, data: dict[str, Any]) -> Columns:
    """Make a table of what it takes, with and without counts if these differ."""
    shards = data["out_of_core"]
    rows: list[tuple[str, dict[str, Any], Callable[[float], str]]] = [
        ("memory, all tiers held", data["memory_bytes"], readable),
        ("memory, into a directory", data["into_directory"]["memory_bytes"], readable),
        ("time, in memory", data["seconds"], duration_text),
        ("disk, the solution", data["directory_bytes"], readable),
        ("in shards: memory", shards["memory_bytes"], readable),
        ("in shards: disk", shards["disk_bytes"], readable),
        ("in shards: time", shards["seconds"], duration_text),
        ("on a cluster: worker-hours", shards["worker_seconds"], lambda seconds: rough(seconds / 3600)),
    ]
    cells = [(name, _span(of, say), _span(of["without_counts"], say)) for name, of, say in rows]
    counted, uncounted = plan.counted and plan.verdicts(plan.counted), plan.verdicts(plan.uncounted)
    for way, words in (("memory", "in memory"), ("disk", "in shards")):
        cells.append((f"fits {words}", counted[way] if counted else "-", uncounted[way]))
    if plan.loopy:
        return Columns(("", "takes"), [row[::2] for row in cells], words=True)
    names = ("", "with all counts", "without counts")
    return Columns(names, cells, words=True, optional=names[2:])


def _span(found: dict[str, Any], say: Callable[[float], str]) -> str:
    return "-" if found["low"] is None else between(found["low"], found["high"], say)


def _notes(plan: GamePlan) -> list[Part]:
    """Return notes on the table."""
    notes = [
        f"With {plan.workers} workers; {readable(plan.free_memory)} of memory (besides the program itself) and "
        f"{readable(plan.free_disk)} of disk are free."
    ]
    if plan.why_uncounted:
        notes.append(f"Counts are not possible: {plan.why_uncounted}.")
    if plan.loopy:
        notes.append("Nothing is counted, since play can return to a position.")
    return [*map(Paragraph, notes)]


def _tiers(sizes: GameSizes, shown: Mapping[str, str], rows: int) -> Columns:
    """Make a table of the sizes ``shown`` by tier, grouping neighbouring tiers into at most ``rows`` rows."""
    tiers, bounds = sizes.tiers, [getattr(sizes, name).high for name in shown]
    step = -(-len(tiers) // rows)
    cells = []
    for begin in range(0, len(tiers), step):
        group = tiers[begin : begin + step]
        first, last = group[0].number, group[-1].number
        found = [[getattr(tier, name) for tier in group] for name in shown]
        ends = ((sum(each.low for each in of), sum(each.high for each in of)) for of in found)
        sums = [between(low, min(high, most), rough) for (low, high), most in zip(ends, bounds, strict=True)]
        how = max((tier.classes.how for tier in group), key=HOW.index)
        cells.append((f"{first}" if first == last else f"{first}-{last}", *sums, how))
    return Columns(("tier", *shown.values(), "how"), cells, words=("how",), optional=("moves", "positions"))


def check_answer(report: ContractReport, game: Game, *, compared: bool = False) -> Answer:
    """List the checks, each counterexample, the verdict, a picture of a board, and how to make the game faster unless
    it was ``compared`` with another form; as CSV a row for each check.
    """
    table = Columns(
        ("check", "looked at", "result"),
        ((result.check, result.looked_at or None, _result_text(result)) for result in report.results),
    )
    counterexamples: list[Part] = [part for failure in report.failures for part in ("", *_counterexample(failure))]
    parts = [table, *counterexamples, "", Paragraph(_verdict(report))]
    more = [*_board(game), *_symmetries(game), *([] if compared else _faster(game))] if report.passed else []
    return answer(report, [*parts, *more])


def _result_text(result: Result) -> str:
    """Return the result of a check for people: a check that had nothing to look at has not shown anything."""
    return "nothing to check" if result.result == "ok" and not result.looked_at else result.result


def _symmetries(game: Game) -> list[Part]:
    """Say how the symmetries of a plain Python game were checked."""
    if not hasattr(game, "graph") or game.rules().canonical is None:
        return []
    text = "Its symmetries hold on all positions; they are what own canonical() and own orbit_size() check."
    return ["", Paragraph(text)]


def _faster(game: Game) -> list[Part]:
    """Say how to make a game in plain Python fast."""
    if not hasattr(game, "graph") or not game.origin:
        return []
    program, file = program_name(), shlex.quote(game.spec)
    text = (
        "Rules over whole numbers, which are compiled, are a hundred times as fast: "
        f"`{program} new NAME --like tictactoe --fast` writes some to change, and `{program} check {file} --like "
        "NAME.py` compares both, position by position."
    )
    return ["", Paragraph(text)]


def new_answer(path: Path, test: Path) -> Answer:
    """List the files of a new game, and the commands to try with them."""
    program, rules = program_name(), shlex.quote(str(path))
    commands = (f"{program} solve {rules}", f"{program} check {rules}", f"pytest {shlex.quote(str(test))}")
    row = {"game": str(path), "test": str(test)}
    facts = {str(path): "the rules", str(test): "their test"}
    return Answer(row, [row], [facts, Hint("Try next:\n" + "\n".join(f"  {command}" for command in commands))])


def _board(game: Game) -> list[Part]:
    """Show a position two moves after the start, and say how pages draw it."""
    state = game.rules().start
    for _ in range(2):
        state = next((child for _, child in game.rules().moves(state)), state)
    if game.grid(state) is None and game.look != "heaps":
        hint = "A list of rows, each a list of cells, gives a program one; rules over whole numbers have a method grid."
        note = "It has no board (grid): pages show its positions as text, and its moves as a list. "
        return ["", Paragraph(note + hint)]
    return ["", picture(game, state), "", Paragraph(f"look = {game.look!r}, for pages: {LOOKS[game.look]}.")]


def _counterexample(result: Result) -> list[Part]:
    fault = result.fault
    assert fault is not None
    lines: list[Part] = [Paragraph(f"{result.check}: {result.about}")]
    lines += [f"  position  {fault.position}"] if fault.position is not None else []
    lines += [f"  move      {fault.move}"] if fault.move is not None else []
    return [*lines, Paragraph(f"  {fault.message}"), *([fault.excerpt] if fault.excerpt else [])]


def _verdict(report: ContractReport) -> str:
    total = "" if report.of is None else f" of {report.of:,}"
    scope = f"{report.positions:,}{total} positions, in {report.games:,} games played at random (seed {report.seed})"
    if report.passed:
        return f"{report.game} keeps the contract on {scope}."
    return f"{report.game} fails {with_count(len(report.failures), 'check')} on {scope}."
