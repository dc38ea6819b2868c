"""The words and the numbers of a report: what things are called, what is counted, and how numbers are written."""

from __future__ import annotations

from analysis.pictures.style import clean, outcome_of
from analysis.reports.findings import Findings
from analysis.wording import signed, some

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Between a number and its unit."""
WHOLE, LONG, SHORT = 40, 12, 8
"""Characters of a player's name in a sentence, in a key and in a cell."""

KEYS = {
    "value": ("Value", "the payoff under optimal play as the first player sees it"),
    "remoteness_plies": (
        "Remoteness",
        "plies to the end under optimal play: the winner hurries, the loser delays, and with value 0 both hurry",
    ),
    "positions": (
        "Positions",
        "positions that play can reach from the start, which is one of them; terminal ones included",
    ),
    "canonical": ("Classes", "classes of positions: those that differ by one of the symmetries in use are one"),
    "symmetry_order": (
        "Symmetries",
        "symmetries in use: permutations of the cells that leave the game and its start as they are",
    ),
    "terminal": ("Terminal positions", "positions in which the game is over, by who has won"),
    "moves": ("Moves", "pairs of a position and a legal move in it: edges of the graph of positions"),
    "games": ("Games", "complete games as sequences of moves, by who wins"),
    "histories": (
        "Histories",
        "sequences of moves of any length, the empty one and complete games included: nodes of the game tree",
    ),
    "optimal_paths": (
        "Optimal paths",
        "complete games all of whose positions have the value of the start, so that neither player gives anything away",
    ),
    "games_up_to_symmetry": (
        "Games up to symmetry",
        "orbits of complete games: two games are one if a symmetry turns the whole sequence of one into the other",
    ),
    "quotient_paths": (
        "Quotient paths",
        "paths from the start to a terminal class in the graph whose nodes are classes, with one edge "
        "between two classes however many moves lead across; two games through the same classes are one path",
    ),
}
"""What each key of the statistics is called on the page, in its order, and what it counts, as docs/conventions.md
defines it.
"""

RESIDUAL_CLASSES = "classes of positions: those with the same game left to play are one"
"""What classes are where they are residual."""

OF_SYMMETRY = ("symmetry_order", "games_up_to_symmetry", "quotient_paths")
"""Those that say nothing more where there is no symmetry but the identity."""

NIMBER = "Sprague-Grundy value of the start: the heap of nim that is worth as much; 0 where the player to move loses"
"""What the nimber of an impartial game is; no key of the statistics."""


# Numbers --------------------------------------------------------------------------------------------------------------


def count(number: int | None) -> str:
    """A count with thousands separators.

    >>> count(255168), count(None) == MISSING
    ('255,168', True)
    """
    return MISSING if number is None else f"{number:,}".replace("-", MINUS)


def worth(value: int | None) -> str:
    """A value with its sign.

    >>> worth(-1) == MINUS + "1", worth(0), worth(2)
    (True, '0', '+2')
    """
    return MISSING if value is None else signed(value).replace("-", MINUS)


def mean(number: float | None) -> str:
    """A mean with two decimals.

    >>> mean(4.2146)
    '4.21'
    """
    return MISSING if number is None else f"{number:,.2f}"


def ratio(number: float) -> str:
    """A multiple with three digits.

    >>> ratio(378.75), ratio(12.6012), ratio(0.0332705)
    ('379', '12.6', '0.0333')
    """
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:#.3g}".rstrip(".") if number >= 0.001 else power(number)


def power(number: float) -> str:
    """A number as a power of ten, with three digits.

    >>> power(61234567890123).replace(TIMES, "*").split()
    ['6.12', '*', '10¹³']
    """
    digits, exponent = f"{number:.2e}".split("e")
    return f"{digits}{SPACE}{TIMES}{SPACE}10{str(int(exponent)).translate(RAISED)}"


def share(part: int, whole: int) -> str:
    r"""A part of a whole in per cent.

    >>> share(1, 3), share(1, 100000), share(99999, 100000), share(0, 0)
    ('33.3\u202f%', '<0.1\u202f%', '>99.9\u202f%', '0\u202f%')
    """
    if part in (0, whole):
        return f"{100 if part else 0}{SPACE}%"
    thousandths = round(1000 * part / whole)
    if thousandths in (0, 1000):
        return f"{'>99.9' if thousandths else '<0.1'}{SPACE}%"
    return f"{thousandths / 10:.1f}{SPACE}%"


def short(number: int) -> str:
    """A count in a few characters: as it is, or rounded to three digits.

    >>> short(9722011)
    '9,722,011'
    """
    return count(number) if number < 10**10 else power(number)


def compact(number: int, most: int = 9999) -> str:
    """A count in at most six characters (more from 10^15 on): exact up to ``most`` and always up to 999, else rounded
    to three digits, from 10^15 on to two.

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


# Games ----------------------------------------------------------------------------------------------------------------


def player(findings: Findings, letter: str) -> str:
    """What the player X or O is called in the middle of a sentence."""
    name = findings.named(letter)
    return f"the {name} player" if name in ("first", "second") else name


def tier(findings: Findings) -> str:
    """What a tier is in this game, where it is not the ply."""
    return f"a number that {'no move lowers' if findings.solution.loopy else 'rises with every move'}"


def uncounted(findings: Findings) -> str | None:
    """Why games and paths were not counted; None where they were."""
    if findings.solution.loopy:
        return (
            "Play can return to an earlier position, so that there is no end of games: histories, games and paths are "
            "not counted."
        )
    if not findings.solution.counted:
        return "Histories, games and paths were left out of this solution (--no-counts)."
    return None


def unsized(findings: Findings) -> str | None:
    """Why positions were not counted; None where they were."""
    if findings.sized:
        return None
    return (
        "Positions with the same game left to play were not told apart (--symmetry residual), so that there are no "
        "counts, values and remotenesses of all positions here."
    )


def value_meaning(findings: Findings) -> str:
    """What a value means in this game."""
    first, second = player(findings, "X"), player(findings, "O")
    level = "0 a tie or a draw" if findings.solution.loopy else "0 a tie"
    if findings.scored:
        return f"the margin by which {first} wins, below 0 if {second} wins; {level}"
    return f"+1 {first} wins, {level}, {MINUS}1 {second} wins"


# Outcomes -------------------------------------------------------------------------------------------------------------


def called(findings: Findings, key: str, most: int = LONG) -> str:
    """An outcome: ``X``, ``O``, ``tie`` or ``draw``; the player's name has so many characters at ``most``.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> called(findings, "X"), called(findings, "tie")
    ('X wins', 'tie')
    """
    return f"{clean(findings.named(key), most)} wins" if key in ("X", "O") else key


def briefly(findings: Findings, value: int, plies: int | None) -> str:
    """A value in a word; ``plies`` to the end are None in a draw.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> briefly(gather(analysis.solve("mnk:rows=2,cols=2,k=2")), 1, 2)
    'X'
    """
    key = outcome_of(value, plies).key
    if findings.scored and key != "draw":
        return worth(value)
    return clean(findings.named(key), SHORT) if key in ("X", "O") else key


def result(findings: Findings, value: int, plies: int | None, most: int = SHORT) -> str:
    """What a position, or a move in it, is worth and in how many plies; ``plies`` are None in a draw. The player's name
    has so many characters at ``most``.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> [result(findings, *pair) for pair in ((1, 3), (-1, 0), (0, 9), (0, 0), (0, None))]
    ['X wins in 3', 'O has won', 'tie in 9', 'tie', 'draw']
    """
    key, after = outcome_of(value, plies).key, f" in {plies}" if plies else ""
    if key not in ("X", "O"):
        return f"{key}{after}"
    name = clean(findings.named(key), most)
    if findings.scored:
        return f"{name} by {abs(value):,}{after}"
    return f"{name} wins{after}" if plies else f"{name} has won"


def shares(findings: Findings, numbers: dict[str, int], what: str, where: str = "") -> str:
    """How many of something have each outcome, with their shares.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> shares(findings, {"X": 3, "O": 0, "tie": 0}, "game"), shares(findings, {"X": 1}, "game")
    ('All 3 games: X wins', 'The only game: X wins')
    """
    total = sum(numbers.values())
    present = {key: number for key, number in numbers.items() if number}
    if len(present) == 1:
        (key,) = present
        return f"{f'All {total:,} {what}s' if total > 1 else f'The only {what}'}{where}: {called(findings, key, WHOLE)}"
    parts = (f"{called(findings, key, WHOLE)}: {n:,} ({share(n, total)})" for key, n in present.items())
    return f"Of {some(total, what)}{where}, {'; '.join(parts)}"


def games_by_outcome(findings: Findings) -> str:
    """Complete games and who wins them."""
    games = findings.statistics["games"]
    return shares(findings, {key: games[key] for key in ("X", "O", "tie")}, "game")
