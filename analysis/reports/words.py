"""The words of a report: numbers, names of players and outcomes, and sentences about the whole game."""

from __future__ import annotations

from fractions import Fraction

from ..pictures.style import clean, outcome_of
from ..wording import signed, some
from .findings import Findings

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Between a number and its unit."""
WHOLE, LONG, SHORT = 40, 12, 8
"""Characters of a player's name in a sentence, in a key and in a cell."""

WINDOW = f"with the window ({MINUS}∞, +∞), that is, without using the bounds of payoffs"
"""The window of the least nodes without a table; a search that uses bounds may visit fewer."""

# Numbers --------------------------------------------------------------------------------------------------------------


def count(number: int | None) -> str:
    """Format a count with thousands separators.

    >>> count(255168), count(None) == MISSING, worth(-1) == MINUS + "1", worth(0), worth(2), mean(4.2146)
    ('255,168', True, True, '0', '+2', '4.21')
    """
    if number is None:
        return MISSING
    return (str(number) if isinstance(number, Fraction) else f"{number:,}").replace("-", MINUS)


def worth(value: int | None) -> str:
    """Format a value with its sign."""
    return MISSING if value is None else signed(value).replace("-", MINUS)


def mean(number: float | None) -> str:
    """Format a mean with two decimals."""
    return MISSING if number is None else f"{number:,.2f}"


def ratio(number: float) -> str:
    """Format a ratio with three digits.

    >>> ratio(378.75), ratio(12.6012), ratio(0.0332705)
    ('379', '12.6', '0.0333')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def share(part: int, whole: int) -> str:
    r"""Format a share in per cent.

    >>> share(1, 3), share(1, 100000), share(99999, 100000), share(0, 0)
    ('33.3\u202f%', '<0.1\u202f%', '>99.9\u202f%', '0\u202f%')
    """
    thousandths = round(1000 * part / whole) if whole else 0
    if part in (0, whole):
        shown = "100" if part else "0"
    else:
        shown = {0: "<0.1", 1000: ">99.9"}.get(thousandths, f"{thousandths / 10:.1f}")
    return f"{shown}{SPACE}%"


def compact(number: int, most: int = 9999) -> str:
    """Format a count in at most six characters (more from 10^15 on): exact up to ``most`` and always up to 999, else
    rounded to three digits, from 10^15 on to two.

    >>> [compact(n) for n in (0, 9999, 10000, 255168, 1234567, 999999)]
    ['0', '9,999', '10k', '255k', '1.23M', '1M']
    >>> compact(12_345_678, most=99), compact(987, most=99), compact(3 * 10**20), compact(10**15)
    ('12.3M', '987', '3·10²⁰', '10¹⁵')
    """
    from matplotlib.ticker import EngFormatter

    if number <= max(most, 999):
        return f"{number:,}"
    rounded = float(f"{number:.2e}")
    if rounded < 10**15:
        return str(EngFormatter(sep="")(rounded))
    digits, exponent = f"{number:.1e}".split("e+")
    times = "" if digits == "1.0" else f"{digits.removesuffix('.0')}·"
    return f"{times}10{exponent.translate(RAISED)}"


# Players and outcomes -------------------------------------------------------------------------------------------------


def player(findings: Findings, letter: str) -> str:
    """Name player X or O for the middle of a sentence."""
    name = findings.named(letter)
    return f"the {name} player" if name in ("first", "second") else name


def called(findings: Findings, key: str, most: int = LONG) -> str:
    """Name an outcome, ``X``, ``O``, ``tie`` or ``draw``, with at most ``most`` characters of the player's name."""
    return f"{clean(findings.named(key), most)} wins" if key in ("X", "O") else key


def briefly(findings: Findings, value: int, plies: int | None) -> str:
    """Say a value in a word; ``plies`` to the end are None in a draw."""
    key = outcome_of(value, plies).key
    if findings.scored and key != "draw":
        return worth(value)
    return clean(findings.named(key), SHORT) if key in ("X", "O") else key


def result(findings: Findings, value: int, plies: int | None, most: int = SHORT) -> str:
    """Say the value of a position or move and in how many plies (None in a draw), with at most ``most`` characters of
    the player's name.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> [result(findings, *pair) for pair in ((1, 3), (-1, 0), (0, 9), (0, 0), (0, None))]
    ['X wins in 3', 'O has won', 'tie in 9', 'tie', 'draw']
    >>> called(findings, "X"), called(findings, "tie"), briefly(findings, 1, 2)
    ('X wins', 'tie', 'X')
    >>> shares(findings, {"X": 3, "O": 0, "tie": 0}, "game"), shares(findings, {"X": 1}, "game")
    ('All 3 games: X wins', 'The only game: X wins')
    """
    key, after = outcome_of(value, plies).key, f" in {plies}" if plies else ""
    if key not in ("X", "O"):
        return f"{key}{after}"
    name = clean(findings.named(key), most)
    if findings.scored:
        margin = abs(value) if isinstance(value, Fraction) else f"{abs(value):,}"
        return f"{name} by {margin}{after}"
    return f"{name} wins{after}" if plies else f"{name} has won"


def shares(findings: Findings, numbers: dict[str, int], what: str) -> str:
    """Say how many of something have each outcome, with their shares."""
    total = sum(numbers.values())
    present = {key: number for key, number in numbers.items() if number}
    if len(present) == 1:
        (key,) = present
        return f"{f'All {total:,} {what}s' if total > 1 else f'The only {what}'}: {called(findings, key, WHOLE)}"
    parts = (f"{called(findings, key, WHOLE)}: {n:,} ({share(n, total)})" for key, n in present.items())
    return f"Of {some(total, what)}, {'; '.join(parts)}"


def games_by_outcome(findings: Findings) -> str:
    """Say how many complete games there are and who wins them."""
    games = findings.statistics["games"]
    return shares(findings, {key: games[key] for key in ("X", "O", "tie")}, "game")


# The whole game -------------------------------------------------------------------------------------------------------


def plies_of(number: int) -> str:
    """Count plies in words."""
    return some(number, "ply", "plies")


def verdict(findings: Findings) -> str:
    """Say the value in a few words, such as ``X wins``."""
    value, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    if plies is None or value == 0:
        return "a draw" if plies is None else "a tie"
    won = "has won" if plies == 0 else "wins"
    return f"{player(findings, 'X' if value > 0 else 'O')} {won}{_margin(findings)}"


def _margin(findings: Findings) -> str:
    return f" by {count(abs(findings.statistics['value']))}" if findings.scored else ""


def summary(findings: Findings) -> list[str]:
    """Say the result in a few sentences.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> summary(gather(analysis.solve("tictactoe")))[0]
    'Under optimal play tictactoe is a tie after 9 plies.'
    >>> verdict(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    'X wins'
    """
    stats, spec = findings.statistics, findings.game.spec
    if findings.over:
        ended = verdict(findings) if stats["value"] else "it is a tie"
        where = findings.solution.start if findings.elsewhere else "its start"
        return [f"There is nothing to play: {spec} is over at {where}, and {ended}."]
    if findings.sized:
        reached = some(stats["positions"], "position")
        reached += f" ({count(stats['canonical'])} up to symmetry)" * (stats["canonical"] < stats["positions"])
    else:
        reached = f"{some(stats['canonical'], 'class', 'classes')} of positions with different games left to play"
    games = f"{games_by_outcome(findings)}." if stats["games"] else None
    said = [_value(findings), _first_moves(findings), f"Play can reach {reached}.", games, uncounted(findings)]
    return [sentence for sentence in said if sentence]


def _value(findings: Findings) -> str:
    value, plies, game = findings.statistics["value"], findings.statistics["remoteness_plies"], findings.game.spec
    start = f"From {findings.solution.start} on, under" if findings.elsewhere else "Under"
    if plies is None:
        return f"{start} optimal play {game} is a draw: neither player can force a win, and play never ends."
    if value == 0:
        return f"{start} optimal play {game} is a tie after {plies_of(plies)}."
    letter = "X" if value > 0 else "O"
    order, who = "first" if letter == findings.begins else "second", player(findings, letter)
    who = who if who == f"the {order} player" else f"{who}, who moves {order},"
    return f"{start} optimal play {who} wins {game}{_margin(findings)} after {plies_of(plies)}."


def _first_moves(findings: Findings) -> str:
    """Say how many first moves keep the value."""
    kept = sum(opening.move.optimal for opening in findings.openings)
    return f"First moves that keep that value: {count(kept)} of {count(len(findings.openings))}."


def tiles(findings: Findings) -> list[tuple[str, str]]:
    """Choose the few numbers for the top of the page, with their labels."""
    stats = findings.statistics
    counts = (
        ("ply to the end", "plies to the end", stats["remoteness_plies"] or None),
        ("position", "positions", stats["positions"]),
        ("game", "games", stats["games"] and stats["games"]["total"]),
        ("optimal path", "optimal paths", stats["optimal_paths"]),
        ("nimber", "nimber", findings.nimber),
    )
    known = [(one if n == 1 else more, compact(n, 10**10)) for one, more, n in counts if n is not None]
    return [("from the start" if findings.over else "under optimal play", verdict(findings)), *known]


def value_meaning(findings: Findings) -> str:
    """Say what a value means in this game."""
    first, second = player(findings, "X"), player(findings, "O")
    level = "0 a tie or a draw" if findings.solution.loopy else "0 a tie"
    if findings.scored:
        return f"the margin by which {first} wins, below 0 if {second} wins; {level}"
    return f"+1 {first} wins, {level}, {MINUS}1 {second} wins"


def tier(findings: Findings) -> str:
    """Say what a tier is in this game, if not the ply."""
    return f"a number that {'no move lowers' if findings.solution.loopy else 'rises with every move'}"


def uncounted(findings: Findings) -> str | None:
    """Say why games and paths were not counted; None if they were."""
    if findings.solution.loopy:
        return (
            "Play can return to an earlier position, so infinitely many histories, games and paths are left uncounted."
        )
    if not findings.solution.counted:
        return "Histories, games and paths were left out of this solution (--no-counts)."
    return None


def unsized(findings: Findings) -> str | None:
    """Say why positions were not counted; None if they were."""
    if findings.sized:
        return None
    return (
        "Positions with the same game left to play were treated as one (--symmetry residual), so there are no counts, "
        "values and remotenesses of all positions here."
    )
