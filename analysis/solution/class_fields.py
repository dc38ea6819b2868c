"""What queries of classes can be about, told of many classes at once by the columns that are known of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from analysis.engine.columns import NEVER, widen

Known = Mapping[str, np.ndarray]
"""Arrays of one length by the names of the columns of the tables (as `columns.plain` has them), ``tier``, and
`OF_MOVES`.
"""

MOVES, KEEPING, BEST = OF_MOVES = "moves", "keeping", "best"
"""What only the rules tell: how many legal moves a class has, how many of them keep its value, and which these are, as
the bits of `lookup.CODE_WORDS` words: uint64[n, words].
"""

MOVE = "best_move"
"""The field that is compared with a move."""

GAMES = ("games_x", "games_o", "games_tie")

OUTCOMES = {"X": 1, "O": -1, "tie": 0, "draw": 2}
"""How the game ends under optimal play: who wins, a tie, or never."""

FOR_MOVER = {"win": 1, "loss": -1}
"""Whether the side to move wins or loses."""


class Field(NamedTuple):
    """What a term may be about. Comparisons with what a class does not have are false, but for ``!=``."""

    takes: str
    """What it is compared with, for people."""
    columns: tuple[str, ...]
    """What is needed to tell."""
    numbers: Callable[[Known], np.ndarray] | None = None
    """What is compared with numbers: an array of numbers, NaN where a class has none, or counts uint64[n, 2]."""
    codes: Callable[[Known], np.ndarray] | None = None
    """What is compared with words, by their codes."""
    words: Mapping[str, int] = {}
    whole: bool = True
    """Whether its numbers are whole; others are chances, from 0 to 1."""
    also: Mapping[str, Field] = {}
    """Further words, by what they are compared with."""

    @property
    def alone(self) -> bool:
        """Whether its name alone is a term."""
        return "true" in self.words


def _plain(name: str) -> Callable[[Known], np.ndarray]:
    return lambda known: known[name]


def remoteness_of(known: Known) -> np.ndarray:
    """Remoteness float64[n], NaN where play never ends."""
    plies = known["remoteness_plies"]
    return np.where(plies == NEVER, np.nan, plies)


def outcomes_of(known: Known) -> np.ndarray:
    """The codes of `OUTCOMES`."""
    drawn = known["remoteness_plies"] == NEVER
    return np.where(drawn, OUTCOMES["draw"], np.sign(known["value"]))


def _for_mover(known: Known) -> np.ndarray:
    """The codes of `FOR_MOVER`, others where neither holds."""
    return sides_of(known) * np.sign(known["value"])


def sides_of(known: Known) -> np.ndarray:
    """+1 where the first player moves, -1 where the second does, 0 where the game is over."""
    return np.where(known["terminal"], 0, known["to_move"])


def chances_of(known: Known) -> np.ndarray:
    """The chance to err float64[n]: the share of the moves that do not keep the value, NaN where the game is over. One
    division, so that it is equal to the number that is nearest to the same fraction.
    """
    moves = np.asarray(known[MOVES], np.float64)
    return np.divide(moves - known[KEEPING], moves, out=np.full(moves.shape, np.nan), where=moves > 0)


def _only(known: Known) -> np.ndarray:
    return (known[MOVES] > 1) & (known[KEEPING] == 1)


def games_of(known: Known) -> np.ndarray:
    """Complete games from there on, uint64[n, 2]."""
    return functools.reduce(_added, (two_limbs(known[name]) for name in GAMES))


def _histories_each(known: Known) -> np.ndarray:
    """Histories of one position of each class, uint64[n, 2]: long division by digits of 32 bits."""
    counts, size, low = two_limbs(known["histories"]), known["orbit_size"].astype(np.uint64), np.uint64(0xFFFFFFFF)
    shift, left, digits = np.uint64(32), np.zeros(len(counts), np.uint64), []
    for digit in (counts[:, 1] >> shift, counts[:, 1] & low, counts[:, 0] >> shift, counts[:, 0] & low):
        left = left << shift | digit
        digits.append(left // size)
        left %= size
    return np.stack([digits[2] << shift | digits[3], digits[0] << shift | digits[1]], axis=1)


def two_limbs(counts: np.ndarray) -> np.ndarray:
    """Counts uint64[n, 2], whichever way a table holds them."""
    return widen(counts if counts.ndim == 2 else counts[:, None], 2)


def _added(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    low = a[:, 0] + b[:, 0]
    return np.stack([low, a[:, 1] + b[:, 1] + (low < a[:, 0])], axis=1)


def beside(counts: np.ndarray, number: int) -> np.ndarray:
    """Whether counts uint64[n, 2] are less than a number (-1), equal (0) or greater (1)."""
    if not 0 <= number < 1 << 128:
        return np.full(len(counts), 1 if number < 0 else -1, np.int8)
    low, high = (
        (counts[:, limb] > each) * 1 - (counts[:, limb] < each) * 1 for limb, each in enumerate(_limbs(number))
    )
    return np.where(high == 0, low, high)


def _limbs(number: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(number & (1 << 64) - 1), np.uint64(number >> 64)


_SIDES, _TRUTH = {"X": 1, "O": -1}, {"true": 1, "false": 0}
_MOVER = Field("win or loss", ("value", "to_move", "terminal"), None, _for_mover, FOR_MOVER)

FIELDS = {
    "to_move": Field("X or O", ("to_move", "terminal"), None, sides_of, _SIDES),
    "value": Field(
        "a number, X, O, tie or draw, or for the mover win or loss", ("value", "remoteness_plies"), _plain("value"),
        outcomes_of, OUTCOMES, also=dict.fromkeys(FOR_MOVER, _MOVER),
    ),
    "remoteness": Field("a number of plies", ("remoteness_plies",), remoteness_of),
    "ply": Field("a number of plies", ("tier",), _plain("tier")),
    "tier": Field("a number", ("tier",), _plain("tier")),
    "terminal": Field("true or false, or stands alone", ("terminal",), None, _plain("terminal"), _TRUTH),
    "moves": Field("a number", (MOVES,), _plain(MOVES)),
    "keeping": Field("a number", (KEEPING,), _plain(KEEPING)),
    "only_move": Field("true or false, or stands alone", (MOVES, KEEPING), None, _only, _TRUTH),
    "trap": Field("a chance from 0 to 1 such as 0.5, 7/8 or 87.5%", (MOVES, KEEPING), chances_of, whole=False),
    MOVE: Field("a move", (BEST,), None, _plain(BEST)),
    "orbit_size": Field("a number", ("orbit_size",), _plain("orbit_size")),
    "games": Field("a number", GAMES, games_of),
    "histories": Field("a number", ("histories", "orbit_size"), _histories_each),
    "optimal_paths": Field("a number", ("optimal_paths",), lambda known: two_limbs(known["optimal_paths"])),
    "nimber": Field("a number", ("nimber",), _plain("nimber")),
}  # fmt: skip
"""By their names."""
