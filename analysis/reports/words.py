"""Write the words of a report: numbers, names of players and outcomes, and sentences about the whole game."""

from __future__ import annotations

from fractions import Fraction

from ..common.wording import signed, with_count
from ..rules.game import Game
from .facts import Facts
from .style import clean, outcome_of

MINUS, MISSING = "\N{MINUS SIGN}", "\N{EN DASH}"
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Between a number and its unit."""
WHOLE, LONG, SHORT = 40, 12, 8
"""Characters of a player's name in a sentence, in a key and in a cell."""

WINDOW = f"with the window ({MINUS}∞, +∞), that is, without using the bounds of payoffs"
"""The window of the least nodes without a table; a search that uses bounds may visit fewer."""

# Numbers --------------------------------------------------------------------------------------------------------------


def count(number: int | Fraction | None) -> str:
    """Format a count with thousands separators.

    >>> count(255168), count(None) == MISSING, worth(-1) == MINUS + "1", worth(0), worth(2)
    ('255,168', True, True, '0', '+2')
    """
    if number is None:
        return MISSING
    return (str(number) if isinstance(number, Fraction) else f"{number:,}").replace("-", MINUS)


def worth(value: int | Fraction) -> str:
    """Format a value with its sign."""
    return signed(value).replace("-", MINUS)


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
    if part in (0, whole):
        return f"{100 if part else 0}{SPACE}%"
    thousandths = round(1000 * part / whole)
    return {0: "<0.1", 1000: ">99.9"}.get(thousandths, str(thousandths / 10)) + f"{SPACE}%"


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
    if float(f"{number:.2e}") < 10**15:
        return str(EngFormatter(sep="")(float(f"{number:.2e}")))
    digits, exponent = f"{number:.1e}".split("e+")
    times = "" if digits == "1.0" else f"{digits.removesuffix('.0')}·"
    return f"{times}10{exponent.translate(RAISED)}"


def plies_of(number: int) -> str:
    """Count plies in words."""
    return with_count(number, "ply", "plies")


# Players and outcomes -------------------------------------------------------------------------------------------------


def named(game: Game, key: str, most: int = WHOLE) -> str:
    """Return at most ``most`` characters of the name of player ``X`` or ``O``; other keys are returned as they are."""
    return clean(game.players["XO".index(key)], most) if key in ("X", "O") else key


def called(game: Game, key: str, most: int = LONG) -> str:
    """Name an outcome, ``X``, ``O``, ``tie`` or ``draw``, with at most ``most`` characters of the player's name."""
    return named(game, key, most) + " wins" * (key in ("X", "O"))


def is_scored(game: Game) -> bool:
    """Return whether payoffs are margins."""
    least, greatest = game.rules().payoffs
    return least < -1 or greatest > 1


def result(game: Game, value: int, plies: int | None, most: int = SHORT) -> str:
    """Return the value of a position or move with the plies to the end (None in a draw) in words, with at most ``most``
    characters of the player's name.

    >>> import analysis
    >>> game = analysis.load_game("mnk:rows=2,cols=2,k=2")
    >>> [result(game, *pair) for pair in ((1, 3), (-1, 0), (0, 9), (0, 0), (0, None))]
    ['X wins in 3', 'O has won', 'tie in 9', 'tie', 'draw']
    >>> called(game, "X"), called(game, "tie")
    ('X wins', 'tie')
    """
    key, after = outcome_of(value, plies).key, f" in {plies}" if plies else ""
    if key in ("X", "O") and is_scored(game):
        return f"{named(game, key, most)} by {count(abs(value))}{after}"
    return (
        f"{named(game, key, most)} has won" if key in ("X", "O") and not plies else f"{called(game, key, most)}{after}"
    )


def games_by_outcome(facts: Facts) -> str:
    """Say how many complete games there are and who wins them."""
    games = {key: facts.statistics[f"games_{key.lower()}"] for key in ("X", "O", "tie")}
    total = sum(games.values())
    parts = [f"{called(facts.game, key, WHOLE)}: {n:,} ({share(n, total)})" for key, n in games.items() if n]
    return f"Of {with_count(total, 'game')}, {'; '.join(parts)}"


# The whole game -------------------------------------------------------------------------------------------------------


def player(game: Game, letter: str) -> str:
    """Name player X or O for the middle of a sentence."""
    name = game.players["XO".index(letter)]
    return f"the {name} player" if name in ("first", "second") else name


def verdict(facts: Facts) -> str:
    """Say the value in a few words, such as ``X wins``."""
    value, plies = facts.statistics["value"], facts.statistics["remoteness_plies"]
    if plies is None or value == 0:
        return "a draw" if plies is None else "a tie"
    return f"{player(facts.game, 'X' if value > 0 else 'O')} {'wins' if plies else 'has won'}{_margin(facts)}"


def _margin(facts: Facts) -> str:
    return f" by {count(abs(facts.statistics['value']))}" if is_scored(facts.game) else ""


def summary(facts: Facts) -> list[str]:
    """Say the result in a few sentences.

    >>> import analysis
    >>> from analysis.reports.facts import gather
    >>> summary(gather(analysis.solve("tictactoe")))[0]
    'Under optimal play tictactoe is a tie after 9 plies.'
    >>> verdict(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    'X wins'
    """
    stats, spec = facts.statistics, facts.game.spec
    if facts.over:
        ended = verdict(facts) if stats["value"] else "it is a tie"
        return [f"There is nothing to play: {spec} is over at {facts.origin or 'its start'}, and {ended}."]
    reached = f"{with_count(stats['classes'], 'class', 'classes')} of positions with different games left to play"
    if facts.sized:
        reached = with_count(stats["positions"], "position")
        reached += f" ({count(stats['classes'])} up to symmetry)" * (stats["classes"] < stats["positions"])
    optimal = sum(move["optimal"] for move in facts.moves)
    sentences = [
        _value(facts),
        f"First moves that keep that value: {count(optimal)} of {count(len(facts.moves))}.",
        f"Play can reach {reached}.",
        f"{games_by_outcome(facts)}." if stats["games"] else None,
        uncounted(facts),
    ]
    return [sentence for sentence in sentences if sentence]


def _value(facts: Facts) -> str:
    value, plies, game = facts.statistics["value"], facts.statistics["remoteness_plies"], facts.game
    start = f"From {facts.origin} on, under optimal play" if facts.origin else "Under optimal play"
    if plies is None:
        return f"{start} {game.spec} is a draw: neither player can force a win, and play never ends."
    if value == 0:
        return f"{start} {game.spec} is a tie after {plies_of(plies)}."
    letter = "X" if value > 0 else "O"
    order, who = "first" if letter == facts.begins else "second", player(game, letter)
    who = who if who == f"the {order} player" else f"{who}, who moves {order},"
    return f"{start} {who} wins {game.spec}{_margin(facts)} after {plies_of(plies)}."


def value_meaning(facts: Facts) -> str:
    """Say what a value means in this game."""
    first, second = (player(facts.game, letter) for letter in "XO")
    level = "0 a tie or a draw" if facts.solution.loopy else "0 a tie"
    if is_scored(facts.game):
        return f"the margin by which {first} wins, below 0 if {second} wins; {level}"
    return f"+1 {first} wins, {level}, {MINUS}1 {second} wins"


def tier(facts: Facts) -> str:
    """Say what a tier is in this game, if not the ply."""
    return f"a number that {'no move lowers' if facts.solution.loopy else 'rises with every move'}"


def uncounted(facts: Facts) -> str | None:
    """Say why games and paths were not counted; None if they were."""
    if facts.solution.loopy:
        return (
            "Play can return to an earlier position, so infinitely many histories, games and paths are left uncounted."
        )
    if not facts.solution.counted:
        return "Histories, games and paths were left out of this solution (--no-counts)."
    return None


def unsized(facts: Facts) -> str | None:
    """Say why positions were not counted; None if they were."""
    if facts.sized:
        return None
    return (
        "Positions with the same game left to play were treated as one (--symmetry residual), so there are no counts, "
        "values and remotenesses of all positions here."
    )
