"""Represent the size of a game, as far as it is known before solving, and compute it if there is a formula: bars that
are bitten are partitions, and heaps are products.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...engine.engine import Engine
from ...games.chomp import Chomp
from ...games.nim import Nim
from ...wording import OPEN

EXACT, MEASURED, EXTRAPOLATED = "exact", "measured", "extrapolated"
"""How a number was found: by a formula, by counting, or from random games."""
GREATEST = OPEN
"""The greatest number of states."""
GUESSED = GREATEST - 1
"""The greatest guess, which only says that nothing else is a bound."""


class Interval(NamedTuple):
    """An interval that contains a number."""

    low: int
    high: int
    how: str
    """`EXACT`, `MEASURED` or `EXTRAPOLATED`."""

    @property
    def open(self) -> bool:
        """Whether the high end is unknown."""
        return self.high >= GREATEST

    @property
    def boundless(self) -> bool:
        """Whether the high end is unknown, or the greatest guess."""
        return self.high >= GUESSED

    def up_to(self, bound: int) -> Interval:
        """Return the part of it up to a bound, from 0 on if it lay above the bound by a guess."""
        if self.how == MEASURED or self.high <= bound:
            return self
        return Interval(self.low if self.low <= bound else 0, bound, self.how)

    def within(self, least: int, most: int = GREATEST) -> Interval:
        """Return the part of it from ``least``, which was counted, to ``most``; just ``least`` if there is none."""
        return Interval(max(least, min(self.low, most)), max(least, min(self.high, most)), self.how)

    def holds(self, number: int) -> bool:
        """Return whether a number lies in it."""
        return self.low <= number <= self.high


@dataclasses.dataclass(frozen=True)
class TierSizes:
    """The size of one tier."""

    number: int
    positions: Interval
    canonical: Interval
    """Classes of positions."""
    moves: Interval
    """Moves of all positions."""


@dataclasses.dataclass(frozen=True)
class Speed:
    """How fast tiers were found on this machine, by the passes of a solve."""

    classes: int
    """Classes that were expanded."""
    seconds: float
    """Processor seconds."""


@dataclasses.dataclass(frozen=True)
class GameSizes:
    """The size of a whole game; ``tiers`` are ascending, if they are known one by one."""

    positions: Interval
    canonical: Interval
    moves: Interval
    tiers: tuple[TierSizes, ...]
    speed: Speed | None = None
    """None if next to nothing was expanded."""

    def at_least(self, classes: int) -> GameSizes:
        """Return these sizes, given that this many classes were found since."""
        return dataclasses.replace(
            self, positions=self.positions.within(classes), canonical=self.canonical.within(classes)
        )

    def no_more_than(self, whole: GameSizes) -> GameSizes:
        """Return these sizes, bounded by those of the ``whole`` game whose positions these are classes of."""
        of_tier = {tier.number: tier for tier in whole.tiers}
        tiers = (
            TierSizes(tier.number, *bounded(tier, of_tier[tier.number])) if tier.number in of_tier else tier
            for tier in self.tiers
        )
        return GameSizes(*bounded(self, whole), tuple(tiers), self.speed)


def bounded(sizes: GameSizes | TierSizes, whole: GameSizes | TierSizes) -> tuple[Interval, Interval, Interval]:
    """Return the three parts of these sizes, bounded by those of the ``whole``."""
    most = whole.positions.high
    return sizes.positions.up_to(most), sizes.canonical.up_to(most), sizes.moves.up_to(whole.moves.high)


# Formulas -------------------------------------------------------------------------------------------------------------


def exact_sizes(engine: Engine) -> GameSizes | None:
    """Return the sizes of the engine's game from its own start, with the symmetries in use; None if there is no
    formula.
    """
    game = engine.game
    if engine.start != engine.rules.start:
        return None
    rows: list[tuple[int, int, int]] | None = None
    if engine.group.order > 1:
        return None
    if isinstance(game, Chomp):
        rows = _chomp(game.rows, game.cols, mirrored=engine.reduces)
    elif isinstance(game, Nim) and game.take == "any":
        rows = _nim([int(size) for size in game.heaps.split("-")], sorted_heaps=engine.reduces)
    if rows is None:
        return None
    tiers = [TierSizes(number, *map(_exactly, row)) for number, row in enumerate(rows)]
    positions, canonical, moves = (_exactly(sum(row[part] for row in rows)) for part in range(3))
    return GameSizes(positions, canonical, moves, tuple(tiers))


def _exactly(number: int) -> Interval:
    return Interval(number, number, EXACT)


def _chomp(rows: int, cols: int, *, mirrored: bool) -> list[tuple[int, int, int]]:
    """Return the positions, classes and moves of each tier, from 0 on. The eaten squares form a partition in the bar
    turned round; from two on either player may be to move.
    """
    bars = partitions_in_box(rows, cols)
    same = self_conjugate_in_box(rows) if mirrored else bars
    found = []
    for eaten in range(rows * cols):
        movers = 1 if eaten < 2 else 2
        positions = movers * bars[eaten]
        found.append((positions, movers * (bars[eaten] + same[eaten]) // 2, positions * (rows * cols - eaten - 1)))
    return found


def _nim(heaps: list[int], *, sorted_heaps: bool) -> list[tuple[int, int, int]]:
    """Return the same for nim. Either player may be to move, unless no heap has lost more than one token: then the
    number of tokens decides.
    """
    tokens = sum(heaps)
    taken, once = (_product([1] * (most + 1) for most in mosts) for mosts in (heaps, [1] * len(heaps)))
    taken_sorted, once_sorted = taken, once
    if sorted_heaps:
        equal = Counter(heaps).items()
        taken_sorted = _product(partitions_in_box(number, size) for size, number in equal)
        once_sorted = _product([1] * (number + 1) for _, number in equal)
    found = []
    for number, (both, classes) in enumerate(zip(taken, taken_sorted, strict=True)):
        positions = 2 * both - (once[number] if number < len(once) else 0)
        found.append(
            (
                positions,
                2 * classes - (once_sorted[number] if number < len(once_sorted) else 0),
                positions * (tokens - number),
            )
        )
    return found


def _product(factors: Iterable[list[int]]) -> list[int]:
    """Return the product of polynomials, as coefficients from degree 0 on."""
    exact = (np.array(factor, dtype=object) for factor in factors)  # Python's integers, however long
    return functools.reduce(np.convolve, exact, np.array([1], dtype=object)).tolist()  # type: ignore[no-any-return]


def partitions_in_box(parts: int, largest: int) -> list[int]:
    """Return how many partitions of each number, from 0 on, have at most this many ``parts``, each at most the
    ``largest``: the coefficients of a Gaussian binomial (Andrews, The Theory of Partitions, 1976, theorem 3.1).

    >>> partitions_in_box(2, 3)
    [1, 1, 2, 2, 2, 1, 1]
    """
    found = [1] + [0] * (parts * largest)
    for i in range(1, parts + 1):
        for degree in range(len(found) - 1, largest + i - 1, -1):  # times 1 - q^(largest + i)
            found[degree] -= found[degree - largest - i]
        for degree in range(i, len(found)):  # over 1 - q^i
            found[degree] += found[degree - i]
    return found


def self_conjugate_in_box(side: int) -> list[int]:
    """Return how many partitions of each number in a square box are their own mirror images: as many as have distinct
    odd parts, the hooks along the diagonal.

    >>> self_conjugate_in_box(2)
    [1, 1, 0, 1, 1]
    """
    return _product([1] + [0] * (part - 1) + [1] for part in range(1, 2 * side, 2))
