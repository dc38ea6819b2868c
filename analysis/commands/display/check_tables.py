"""What ``gametree check`` prints for people."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from analysis.checks.rules.suite import ContractReport, Result

COLUMNS = ("check", "about", "looked_at", "result", "position", "move", "message")


def check_tables(report: ContractReport) -> list[RenderableType]:
    """The checks, then each counterexample, then the verdict."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in (("check", "left"), ("looked at", "right"), ("result", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for result in report.results:
        table.add_row(result.check, f"{result.looked_at:,}" if result.looked_at else "-", result.result)
    parts: list[RenderableType] = [table]
    for failure in report.failures:
        parts += ["", Text(_counterexample(failure))]
    return [*parts, "", Text(_verdict(report))]


def _counterexample(result: Result) -> str:
    fault = result.fault
    assert fault is not None
    lines = [f"{result.check}: {result.about}"]
    if fault.position is not None:
        lines.append(f"  position  {fault.position}")
    if fault.move is not None:
        lines.append(f"  move      {fault.move}")
    lines.append(f"  {fault.message}")
    return "\n".join([*lines, *([fault.excerpt] if fault.excerpt else [])])


def _verdict(report: ContractReport) -> str:
    looked_at = f"{report.positions:,} positions of {report.games:,} games played at random (seed {report.seed})"
    if report.passed:
        return f"{report.game} keeps the contract on {looked_at}."
    failed = len(report.failures)
    return f"{report.game} breaks {failed} {'check' if failed == 1 else 'checks'} on {looked_at}."


def check_rows(report: ContractReport) -> list[dict[str, Any]]:
    """One row for each check, for spreadsheets."""
    return [result.to_json() for result in report.results]
