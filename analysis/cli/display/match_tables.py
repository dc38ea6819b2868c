"""The output of ``gametree match``: for two levels the results and expectations as A sees them, for more what each
scored and lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ...common.wording import with_count
from ...playing.results import MatchResult, PerSide, Standing
from .parts import Answer, Columns, Details, Paragraph, Part, answer, keyed, number

LONGEST_FRACTION = 9
"""The longest fraction printed next to its decimals; JSON has them all."""


class MatchWords(NamedTuple):
    """The terms of a kind of games."""

    sides: Mapping[str, str]
    """``X``, ``O`` and ``both`` as printed after a level."""
    always: str
    """A's side in all games if sides do not change."""
    length: str
    """The unit of the length of a game."""


BY_TURNS = MatchWords({"X": "first", "O": "second", "both": "both sides"}, "first", "plies")
BY_BIDS = MatchWords({"X": "as X", "O": "as O", "both": "both sides"}, "X", "rounds")


def match_answer(result: MatchResult, words: MatchWords) -> Answer:
    """Describe a match; as CSV a row for each of two players and each side, or for each of more levels, best first."""
    parts = _of_two(result, words) if len(result.levels) == 2 else _of_more(result, words)
    return answer(result, parts)


def _of_two(result: MatchResult, words: MatchWords) -> list[Part]:
    expected = result.seen("A")
    played = {standing.side: standing for standing in result.standings if standing.player == "A" and standing.games}
    parts: list[Part] = [_facts(result, words), ""]
    if played or expected:
        parts += [Paragraph(_title(result)), _table(result, played, expected, words), ""]
    parts += _faults(result.forfeits)
    if result.games:
        parts.append(Paragraph("95 %: confidence intervals by the normal approximation"))
    if result.not_computed:
        return [*parts, Paragraph(f"Exact expectations not computed: {result.not_computed}")]
    rounding = "exact" if all(expectation.exact for expectation in result.expectations) else "in double precision"
    return [*parts, Paragraph(f"Expectations cover all choices of the levels, {rounding}")]


def _of_more(result: MatchResult, words: MatchWords) -> list[Part]:
    games = f"{with_count(result.games, 'game')} of each pair, changing sides after every game"
    facts = {"game": result.game, "start": result.start, "games": games, "seed": str(result.seed)}
    note = "Value lost: the value before each move less that after it, by the complete solution"
    if result.not_judged:
        note = f"What the moves lost is not known: {result.not_judged}"
    parts: list[Part] = [facts, "", _scores(result.csv_rows(), words), "", *_faults(result.forfeits), Paragraph(note)]
    return [*parts, Details(["", "Points against each other", _crosstable(result)])]


def _scores(rows: list[dict[str, Any]], words: MatchWords) -> Columns:
    """Make a table of what each level scored and lost."""
    titles = {name: name for name in ("level", "points", "games", "wins", "ties", "losses", "unfinished")}
    titles |= {"mean_plies": f"mean {words.length}", "mistakes": "mistakes", "value_lost": "value lost"}
    shown = [row | {"points": f"{row['points']:g}", "mean_plies": f"{row['mean_plies']:.2f}"} for row in rows]
    return keyed(shown, titles | {"value_lost_a_move": "a move"}, ("games", "mistakes", "losses", "ties"))


def _crosstable(result: MatchResult) -> Columns:
    numbers = range(len(result.levels))
    rows = [
        [str(a + 1), name, *("" if a == b else f"{result.against(a, b).points:g}" for b in numbers)]
        for a, name in enumerate(result.levels)
    ]
    return Columns(["", "level", *(str(number + 1) for number in numbers)], rows)


def _faults(forfeits: Mapping[str, Sequence[str]]) -> list[Part]:
    return [
        Paragraph(f"{level} lost {with_count(len(lines), 'game')} by its own fault, first: {lines[0]}")
        for level, lines in forfeits.items()
    ]


def _facts(result: MatchResult, words: MatchWords) -> dict[str, str]:
    facts = {"game": result.game, "start": result.start, **result.notes}
    if result.games:
        rate = f"; {result.games / result.seconds:,.0f} a second" if result.seconds > 0 else ""
        order = "changing sides after every game" if result.swap else f"{result.levels[0]} always {words.always}"
        facts |= {"games": f"{result.games:,}, {order}{rate}", "seed": str(result.seed)}
    return facts


def _title(result: MatchResult) -> str:
    a, b = result.levels
    a, b = (f"{a} (A)", f"{b} (B)") if a == b else (a, b)
    return f"{a} against {b}, as {a} sees it"


def _table(
    result: MatchResult, played: Mapping[str, Standing], means: Mapping[str, PerSide], words: MatchWords
) -> Columns:
    """Make a table with a column for each side that A played or that has an expectation, and up to three lines for each
    number: measured, its confidence interval, and expected.
    """
    sides = [side for side in words.sides if side in played or (side in means and (side != "both" or not result.games))]
    rows: list[Sequence[str]] = []
    if result.games:
        rows.append(["games", *(number(played[side].games) if side in played else "none" for side in sides)])
    unfinished = any(s.unfinished for s in played.values()) or any(each["unfinished"] for each in means.values())
    for name in ("wins", "ties", "losses", *(["unfinished"] if unfinished else []), "payoff", "plies"):
        label = {"payoff": "mean payoff", "plies": f"mean {words.length}"}.get(name, name)
        titles = (label, "  95 %", "  expected" if result.games else label)
        lines = zip(*(_cells(name, played.get(side), means.get(side)) for side in sides), strict=True)
        rows += [[title, *line] for title, line in zip(titles, lines, strict=True) if any(line)]
    return Columns(["", *(words.sides[side] for side in sides)], rows, words=True, gap=3)


def _cells(name: str, standing: Standing | None, expectation: PerSide | None) -> tuple[str, str, str]:
    """Return a number as measured, its confidence interval, and as expected, with a fraction if it is short."""
    form, measured, interval, expected = {"payoff": "+z.4f", "plies": ".4f"}.get(name, ".3%"), "", "", ""
    if standing is not None:
        means = {"payoff": standing.payoff, "plies": standing.length}
        estimate = means[name] if name in means else standing.share(name)
        measured = "-" if estimate is None else f"{estimate.value:{form}}"
        if name not in means:
            measured = f"{getattr(standing, name):,}  {measured}"
        if estimate is not None and estimate.low is not None:
            interval = f"{estimate.low:{form}} to {estimate.high:{form}}"
    if expectation is not None:
        value = expectation[name]
        expected = f"{float(value):{form}}"
        if isinstance(value, Fraction) and value.denominator > 1 and len(str(value)) <= LONGEST_FRACTION:
            expected += f" = {value}"
    return measured, interval, expected
