"""A match for people: what came of it as A sees it, side by side with what was to be expected."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from analysis.display.tables import number, pairs
from analysis.match.expectation import Expectation, Number
from analysis.match.match import MatchResult
from analysis.match.standings import Estimate, Standing

LONGEST_FRACTION = 16
"""Characters of a fraction that is printed beside its decimals; JSON has them all."""

SIDES = {"X": "first", "O": "second", "both": "both sides"}

Seen = dict[str, Number]
"""What is to be expected, as A sees it, by the names of the lines of the table."""


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    expected = _expected(result)
    parts: list[RenderableType] = [pairs(_facts(result)), "", Text(_title(result)), _table(result, expected)]
    if result.games:
        parts += ["", Text("In brackets: 95 % confidence (shares: Wilson's score; means: normal approximation)")]
    if result.not_computed:
        parts.append(Text(f"Exact expectations were not computed: {result.not_computed}"))
    elif not all(found.exact for found in result.expectations):
        parts.append(Text("Expectations are over all that the levels may choose, in double precision"))
    else:
        parts.append(Text("Expectations are over all that the levels may choose, and exact"))
    return parts


def _facts(result: MatchResult) -> dict[str, str]:
    facts = {"game": result.game, "from": result.position, **result.notes}
    if result.games:
        rate = f"; {result.games / result.seconds:,.0f} a second" if result.seconds > 0 else ""
        order = "changing sides after every game" if result.swap else f"{result.a} always first"
        facts |= {"games": f"{result.games:,}, {order}{rate}", "seed": str(result.seed)}
    return facts


def _title(result: MatchResult) -> str:
    a, b = (
        f"{level} ({player})" if result.a == result.b else level
        for player, level in zip("AB", (result.a, result.b), strict=True)
    )
    return f"{a} against {b}, as {a} sees it"


def _expected(result: MatchResult) -> dict[str, Seen]:
    """What is to be expected where A moves first, where it moves second, and on average; nothing if nobody knows."""
    if not result.expectations:
        return {}
    first, second = _as_first(result.expectations[0]), _as_second(result.expectations[-1])
    return {"X": first, "O": second, "both": {name: (first[name] + second[name]) / 2 for name in first}}


def _as_first(found: Expectation) -> Seen:
    return {
        "wins": found.x_wins,
        "ties": found.tie,
        "losses": found.o_wins,
        "unfinished": found.unfinished,
        "payoff": found.payoff,
        "plies": found.plies,
    }


def _as_second(found: Expectation) -> Seen:
    return _as_first(found) | {"wins": found.o_wins, "losses": found.x_wins, "payoff": -found.payoff}


def _table(result: MatchResult, expected: dict[str, Seen]) -> Table:
    """A column for each side that A played, or that something is to be expected of; two lines for each number."""
    played = {standing.side: standing for standing in result.standings if standing.player == "A" and standing.games}
    sides = [side for side in SIDES if side in played or (side in expected and (side != "both" or not result.games))]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("", *(f"{result.a} {SIDES[side]}" for side in sides)):
        table.add_column(name, no_wrap=True)
    if result.games:
        table.add_row("games", *(number(played[side].games) if side in played else "none" for side in sides))
    for name in _lines(result, expected):
        show = _percent if name in ("wins", "ties", "losses", "unfinished") else _plain(name)
        if result.games:
            table.add_row(_label(name), *(_measured(played.get(side), name) for side in sides))
        if expected:
            label = "  expected" if result.games else _label(name)
            table.add_row(label, *(f"{show(expected[side][name])}{_fraction(expected[side][name])}" for side in sides))
    return table


def _lines(result: MatchResult, expected: dict[str, Seen]) -> list[str]:
    unfinished = any(s.unfinished for s in result.standings) or any(seen["unfinished"] for seen in expected.values())
    return ["wins", "ties", "losses", *(["unfinished"] if unfinished else []), "payoff", "plies"]


def _label(name: str) -> str:
    return f"mean {name}" if name in ("payoff", "plies") else name


def _measured(standing: Standing | None, name: str) -> str:
    if standing is None:
        return ""
    if name in ("payoff", "plies"):
        return _interval(standing.payoff if name == "payoff" else standing.length, _plain(name))
    return f"{getattr(standing, name):,}  {_interval(standing.share(name), _percent)}"


def _interval(found: Estimate | None, show: Callable[[Number], str]) -> str:
    if found is None:
        return "-"
    if found.low is None or found.high is None:
        return show(found.value)
    return f"{show(found.value)} ({show(found.low)} to {show(found.high)})"


def _percent(share: Number) -> str:
    return f"{float(share):.3%}"


def _plain(name: str) -> Callable[[Number], str]:
    sign = "+" if name == "payoff" else ""
    return lambda value: f"{float(value):{sign}.4f}"


def _fraction(value: Number) -> str:
    """A fraction that is short, and no whole number."""
    if not isinstance(value, Fraction) or value.denominator == 1 or len(str(value)) > LONGEST_FRACTION:
        return ""
    return f" = {value}"
