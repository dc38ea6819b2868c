"""Matches of all kinds of games for people: what came of one as A sees it, and what was to be expected."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from analysis.commands.display.printing import number, pairs
from analysis.playing.matches.results import MatchResult, Number, PerSide
from analysis.playing.matches.standings import Estimate, Standing

LONGEST_FRACTION = 16
"""Characters of a fraction that is printed beside its decimals; JSON has them all."""


@dataclasses.dataclass(frozen=True)
class ContestWords:
    """What kinds of games call things."""

    sides: Mapping[str, str]
    """``X``, ``O`` and ``both`` as they are printed after a level."""
    always: str
    """Where A is in all games if they do not change sides."""
    length: str
    """What the length of a game is counted in."""


def contest_tables(result: MatchResult, words: ContestWords) -> list[RenderableType]:
    """Everything about a match."""
    seen = result.seen("A")
    played = {standing.side: standing for standing in result.standings if standing.player == "A" and standing.games}
    parts: list[RenderableType] = [pairs(_facts(result, words)), ""]
    if played or seen:
        parts += [Text(_title(result)), _table(result, played, seen, words), ""]
    if result.games:
        parts.append(Text("In brackets: 95 % confidence (shares: Wilson's score; means: normal approximation)"))
    if result.not_computed:
        return [*parts, Text(f"Exact expectations were not computed: {result.not_computed}")]
    exact = all(found.exact for found in result.expectations)
    rounding = "exact" if exact else "in double precision"
    return [*parts, Text(f"Expectations are over all that the levels may choose, {rounding}")]


def _facts(result: MatchResult, words: ContestWords) -> dict[str, str]:
    facts = {"game": result.game, "from": result.position, **result.notes}
    if result.games:
        rate = f"; {result.games / result.seconds:,.0f} a second" if result.seconds > 0 else ""
        order = "changing sides after every game" if result.swap else f"{result.a} always {words.always}"
        facts |= {"games": f"{result.games:,}, {order}{rate}", "seed": str(result.seed)}
    return facts


def _title(result: MatchResult) -> str:
    a, b = (f"{result.a} (A)", f"{result.b} (B)") if result.a == result.b else (result.a, result.b)
    return f"{a} against {b}, as {a} sees it"


def _table(
    result: MatchResult, played: Mapping[str, Standing], seen: Mapping[str, PerSide], words: ContestWords
) -> Table:
    """A column for each side that A played, or that something is to be expected of; two lines for each number."""
    sides = [side for side in words.sides if side in played or (side in seen and (side != "both" or not result.games))]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("", *(f"{result.a} {words.sides[side]}" for side in sides)):
        table.add_column(name, no_wrap=True)
    if result.games:
        table.add_row("games", *(number(played[side].games) if side in played else "none" for side in sides))
    for name in _lines(played, seen):
        label = {"payoff": "mean payoff", "plies": f"mean {words.length}"}.get(name, name)
        if result.games:
            table.add_row(label, *(_measured(played.get(side), name) for side in sides))
        if seen:
            expected = (_expected(seen.get(side), name) for side in sides)
            table.add_row("  expected" if result.games else label, *expected)
    return table


def _lines(played: Mapping[str, Standing], seen: Mapping[str, PerSide]) -> list[str]:
    unfinished = any(s.unfinished for s in played.values()) or any(found["unfinished"] for found in seen.values())
    return ["wins", "ties", "losses", *(["unfinished"] if unfinished else []), "payoff", "plies"]


def _expected(seen: PerSide | None, name: str) -> str:
    return "" if seen is None else f"{_spelled(name)(seen[name])}{_fraction(seen[name])}"


def _measured(standing: Standing | None, name: str) -> str:
    if standing is None:
        return ""
    if name in ("payoff", "plies"):
        return _interval(standing.payoff if name == "payoff" else standing.length, _spelled(name))
    return f"{getattr(standing, name):,}  {_interval(standing.share(name), _spelled(name))}"


def _interval(found: Estimate | None, show: Callable[[Number], str]) -> str:
    if found is None:
        return "-"
    if found.low is None or found.high is None:
        return show(found.value)
    return f"{show(found.value)} ({show(found.low)} to {show(found.high)})"


def _spelled(name: str) -> Callable[[Number], str]:
    form = {"payoff": "+.4f", "plies": ".4f"}.get(name, ".3%")
    return lambda value: f"{float(value):{form}}"


def _fraction(value: Number) -> str:
    """A fraction that is short, and no whole number."""
    if not isinstance(value, Fraction) or value.denominator == 1 or len(str(value)) > LONGEST_FRACTION:
        return ""
    return f" = {value}"
