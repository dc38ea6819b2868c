"""What ``gametree check`` prints."""

from __future__ import annotations

from analysis.checks.rules.suite import ContractReport, Result
from analysis.commands.display.printing import Answer, Columns, Paragraph, Part
from analysis.wording import some


def check_answer(report: ContractReport) -> Answer:
    """The checks, then each counterexample, then the verdict; as CSV a row for each check."""
    table = Columns(
        ("check", "looked at", "result"),
        ((result.check, result.looked_at or None, result.result) for result in report.results),
    )
    counterexamples: list[Part] = [part for failure in report.failures for part in ("", *_counterexample(failure))]
    rows = [result.to_json() for result in report.results]
    return Answer(report.to_json(), rows, [table, *counterexamples, "", Paragraph(_verdict(report))])


def _counterexample(result: Result) -> list[Part]:
    fault = result.fault
    assert fault is not None
    lines: list[Part] = [Paragraph(f"{result.check}: {result.about}")]
    lines += [f"  position  {fault.position}"] if fault.position is not None else []
    lines += [f"  move      {fault.move}"] if fault.move is not None else []
    return [*lines, Paragraph(f"  {fault.message}"), *([fault.excerpt] if fault.excerpt else [])]


def _verdict(report: ContractReport) -> str:
    looked_at = f"{report.positions:,} positions of {report.games:,} games played at random (seed {report.seed})"
    if report.passed:
        return f"{report.game} keeps the contract on {looked_at}."
    return f"{report.game} breaks {some(len(report.failures), 'check')} on {looked_at}."
