"""A match for people: what came of it by level and side, and what was to be expected."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich.console import RenderableType
from rich.text import Text

from analysis.display.tables import number, pairs, plain_table
from analysis.match.expectation import Expectation, Number
from analysis.match.match import MatchResult
from analysis.match.standings import Estimate

LONGEST_FRACTION = 24
"""Characters of a fraction that is printed beside its decimals."""

SIDES = {"X": "first", "O": "second", "both": "both"}


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    parts: list[RenderableType] = [pairs(_facts(result)), ""]
    if result.games:
        parts += [
            Text("Results, as each level sees them (95 % intervals: Wilson's score for shares, normal for means)"),
            _standings(result),
            "",
        ]
    if result.not_computed:
        return [*parts, Text(f"Exact expectations were not computed: {result.not_computed}")]
    return [*parts, *_expectations(result.expectations)]


def _facts(result: MatchResult) -> dict[str, str]:
    facts = {"game": result.game, "from": result.position, **result.notes}
    if result.games:
        rate = f"{result.games / result.seconds:,.0f} a second" if result.seconds > 0 else ""
        order = "changing sides after every game" if result.swap else f"{result.a} always first"
        facts |= {"games": f"{result.games:,}, {order}; {rate}", "seed": str(result.seed)}
    return facts


def _standings(result: MatchResult) -> RenderableType:
    shown = [standing for standing in result.standings if standing.games]
    unfinished = any(standing.unfinished for standing in shown)
    extra = ["unfinished"] if unfinished else []
    table = plain_table("algorithm", "winner", "games", "wins", "ties", "losses", *extra, "mean payoff", "mean plies")
    for column, name in zip(table.columns, ("level", "moves"), strict=False):  # those that stand to the left
        column.header = name
    for standing in shown:
        names = ("wins", "ties", "losses", *extra)
        shares = (_share(getattr(standing, name), standing.share(name)) for name in names)
        means = _mean(standing.payoff, signed=True), _mean(standing.length, signed=False)
        level = f"{standing.level} ({standing.player})" if result.a == result.b else standing.level
        table.add_row(level, SIDES[standing.side], number(standing.games), *shares, *means)
    return table


def _share(count: int, found: Estimate | None) -> str:
    if found is None or found.low is None or found.high is None:
        return number(count)
    return f"{count:,}  {found.value:.2%} ({100 * found.low:.2f} to {100 * found.high:.2f})"


def _mean(found: Estimate | None, *, signed: bool) -> str:
    if found is None:
        return "-"
    sign = "+" if signed else ""
    if found.low is None or found.high is None:
        return f"{found.value:{sign}.4f}"
    return f"{found.value:{sign}.4f} ({found.low:{sign}.4f} to {found.high:{sign}.4f})"


def _expectations(expectations: Sequence[Expectation]) -> list[RenderableType]:
    exact = all(found.exact for found in expectations)
    unfinished = ["unfinished"] if any(found.unfinished for found in expectations) else []
    title = "Exact expectations" if exact else "Expectations over all games, in double precision"
    table = plain_table(
        "algorithm", "order", "first wins", "second wins", "ties", *unfinished, "payoff of the first", "plies"
    )
    for column, name in zip(table.columns, ("moves first", "moves second"), strict=False):
        column.header = name
    for found in expectations:
        shares = [found.x_wins, found.o_wins, found.tie, *([found.unfinished] if unfinished else [])]
        table.add_row(found.x, found.o, *map(_percent, shares), _number(found.payoff, "+"), _number(found.plies))
    return [Text(title), table]


def _percent(share: Number) -> str:
    return f"{float(share):.4%}{_fraction(share)}"


def _number(value: Number, sign: str = "") -> str:
    return f"{float(value):{sign}.6g}{_fraction(value)}"


def _fraction(value: Number) -> str:
    """A fraction that is short, and no whole number."""
    if not isinstance(value, Fraction) or value.denominator == 1 or len(str(value)) > LONGEST_FRACTION:
        return ""
    return f" = {value}"
