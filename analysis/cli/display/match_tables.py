"""The output of ``gametree match``: for two levels the results and expectations as A sees them, for more what each
scored and lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ...common.wording import with_count
from ...playing.results import MatchResult
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
    a, b = result.levels
    parts: list[Part] = [_facts(result, words), "", Paragraph(f"{a} against {b}, as {a} sees it")]
    if result.games:
        note = "95 %: confidence intervals by Wilson's score"
        return [*parts, _played(result, words), "", *_faults(result.forfeits), Paragraph(note)]
    rounding = "exact" if all(expectation.exact for expectation in result.expectations) else "in double precision"
    return [
        *parts,
        _expected(result, words),
        "",
        Paragraph(f"Expectations cover all choices of the levels, {rounding}"),
    ]


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


def _shown(result: MatchResult, words: MatchWords, unfinished: bool) -> dict[str, tuple[str, str]]:
    """Return what is shown of both sides: title and form of each number."""
    shares = ("wins", "ties", "losses", *(["unfinished"] if unfinished else []))
    return {**{name: (name, ".3%") for name in shares}, "payoff": ("mean payoff", "+z.4f"),
            "plies": (f"mean {words.length}", ".4f")}  # fmt: skip


def _played(result: MatchResult, words: MatchWords) -> Columns:
    """Make a table with a column for each side that A played, and up to two lines for each number: measured, and its
    confidence interval.
    """
    standings = [standing for standing in result.standings if standing.player == "A"]
    rows: list[Sequence[str]] = [["games", *(number(standing.games) for standing in standings)]]
    for name, (title, form) in _shown(result, words, any(each.unfinished for each in standings)).items():
        if form != ".3%":
            means = [each.payoff if name == "payoff" else each.length for each in standings]
            rows.append([title, *("-" if mean is None else f"{mean:{form}}" for mean in means)])
            continue
        shares = [(getattr(each, name), each.share(name) or (0, 0, 0)) for each in standings]
        rows.append([title, *(f"{count:,}  {share[0]:{form}}" for count, share in shares)])
        rows.append(["  95 %", *(f"{share[1]:{form}} to {share[2]:{form}}" for _, share in shares)])
    return Columns(["", *(words.sides[each.side] for each in standings)], rows, words=True, gap=3)


def _expected(result: MatchResult, words: MatchWords) -> Columns:
    """Make a table with a column for each side of A, with fractions if they are short."""
    seen, rows = result.seen("A"), list[Sequence[str]]()
    for name, (title, form) in _shown(result, words, any(each["unfinished"] for each in seen.values())).items():
        values = [each[name] for each in seen.values()]
        short = [isinstance(v, Fraction) and v.denominator > 1 and len(str(v)) <= LONGEST_FRACTION for v in values]
        exact = [f" = {value}" * is_short for value, is_short in zip(values, short, strict=True)]
        rows.append([title, *(f"{float(value):{form}}{text}" for value, text in zip(values, exact, strict=True))])
    return Columns(["", *(words.sides[side] for side in seen)], rows, words=True, gap=3)
