"""Exact sizes of games for which there is a formula: bars that are bitten and heaps are partitions and products."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from analysis.engine.engine import Engine
from analysis.games.chomp import Chomp
from analysis.games.nim import Nim
from analysis.planning.sizes import EXACT, GameSizes, Interval, TierSizes

Rows = list[tuple[int, int, int]]
"""Positions, classes and moves of each tier, from 0 on."""


def exact_sizes(engine: Engine) -> GameSizes | None:
    """The sizes of the engine's game from its own start, with the symmetries in use; None where there is no formula."""
    game = engine.game
    if engine.start != engine.rules.start or engine.group.order > 1:
        return None
    rows = None
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


def _chomp(rows: int, cols: int, *, mirrored: bool) -> Rows:
    """Eaten squares are a partition in the bar turned round; from two on either player may be to move."""
    bars = partitions_in_box(rows, cols)
    same = self_conjugate_in_box(rows) if mirrored else bars
    found = []
    for eaten in range(rows * cols):
        movers = 1 if eaten < 2 else 2
        positions = movers * bars[eaten]
        found.append((positions, movers * (bars[eaten] + same[eaten]) // 2, positions * (rows * cols - eaten - 1)))
    return found


def _nim(heaps: list[int], *, sorted_heaps: bool) -> Rows:
    """Either player may be to move, unless no heap has lost more than one token: then the number of tokens says who."""
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
    """The product of polynomials, coefficients from that of degree 0 on."""
    product = [1]
    for factor in factors:
        longer = [0] * (len(product) + len(factor) - 1)
        for (i, a), (j, b) in itertools.product(enumerate(product), enumerate(factor)):
            longer[i + j] += a * b
        product = longer
    return product


def partitions_in_box(parts: int, largest: int) -> list[int]:
    """How many partitions of each number, from 0 on, have so many ``parts`` at most, each at most the ``largest``: the
    coefficients of a Gaussian binomial (Andrews, The Theory of Partitions, 1976, theorem 3.1).

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
    """How many partitions of each number in a square box are their own mirror images: as many as have distinct odd
    parts, the hooks along the diagonal.

    >>> self_conjugate_in_box(2)
    [1, 1, 0, 1, 1]
    """
    return _product([1] + [0] * (part - 1) + [1] for part in range(1, 2 * side, 2))
