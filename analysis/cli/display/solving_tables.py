"""The output of ``plan`` and ``check``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...common.memory import readable
from ...common.wording import between, duration_text, rough, with_count
from ...solving.checks.suite import ContractReport, Result
from .parts import Answer, Columns, Details, Hint, Paragraph, Part, answer
from .printing import program_name, titled

if TYPE_CHECKING:
    from pathlib import Path

    from ...solving.planning.plan import GamePlan
    from ...solving.planning.sizes import GameSizes, Interval

SIZES = {"positions": "positions", "classes": "classes", "moves": "moves"}


def plan_answer(plan: GamePlan) -> Answer:
    """Describe what solving a game would take; as CSV its sizes by tier."""
    data = plan.to_json()
    facts = {"game": plan.game} | ({"start": plan.start} if plan.start is not None else {})
    shown = {name: words for name, words in SIZES.items() if data[name] is not None}
    facts |= {words: _interval_text(getattr(plan.sizes, name)) for name, words in shown.items()}
    advice = Paragraph(plan.advice.replace("gametree ", f"{program_name()} "))
    parts: list[Part] = [facts, "", advice, "", _needs(plan, data), "", *_notes(plan)]
    if plan.sizes.tiers:
        parts += [Details(titled("By tier", _tiers(plan.sizes, shown)))]
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


def _tiers(sizes: GameSizes, shown: Mapping[str, str]) -> Columns:
    """Make a table of the sizes ``shown`` by tier."""
    cells = []
    for tier in sizes.tiers:
        intervals = [getattr(tier, name) for name in shown]
        cells.append(
            (str(tier.number), *(between(each.low, each.high, rough) for each in intervals), intervals[-1].how)
        )
    return Columns(("tier", *shown.values(), "how"), cells, words=("how",), optional=("moves", "positions"))


def check_answer(report: ContractReport) -> Answer:
    """List the checks, each counterexample, and the verdict; as CSV a row for each check."""
    table = Columns(
        ("check", "looked at", "result"),
        ((result.check, result.looked_at or None, _result_text(result)) for result in report.results),
    )
    counterexamples: list[Part] = [part for failure in report.failures for part in ("", *_counterexample(failure))]
    return answer(report, [table, *counterexamples, "", Paragraph(_verdict(report))])


def _result_text(result: Result) -> str:
    """Return the result of a check for people: a check that had nothing to look at has not shown anything."""
    return "nothing to check" if result.result == "ok" and not result.looked_at else result.result


def new_answer(path: Path, test: Path) -> Answer:
    """List the files of a new game, and the commands to try with them."""
    program, rules = program_name(), shlex.quote(str(path))
    commands = (f"{program} solve {rules}", f"{program} check {rules}", f"pytest {shlex.quote(str(test))}")
    row = {"game": str(path), "test": str(test)}
    facts = {str(path): "the rules", str(test): "their test"}
    return Answer(row, [row], [facts, Hint("Try next:\n" + "\n".join(f"  {command}" for command in commands))])


def _counterexample(result: Result) -> list[Part]:
    fault = result.fault
    assert fault is not None
    lines: list[Part] = [Paragraph(f"{result.check}: {result.about}")]
    lines += [f"  position  {fault.position}"] if fault.position is not None else []
    lines += [f"  move      {fault.move}"] if fault.move is not None else []
    return [*lines, Paragraph(f"  {fault.message}"), *([fault.excerpt] if fault.excerpt else [])]


def _verdict(report: ContractReport) -> str:
    scope = f"{report.positions:,} positions, in {report.games:,} games played at random (seed {report.seed})"
    if report.passed:
        return f"{report.game} keeps the contract on {scope}."
    return f"{report.game} fails {with_count(len(report.failures), 'check')} on {scope}."
