"""Count the positions of m,n,k games by ply, also up to symmetry, without listing them:
``python benchmarks/line_positions.py mnk:5,5,5`` takes 5 seconds, and one of 28 cells a minute and a half and 1 GB.

A board is a position if both players have their marks, the one who did not move last has no complete line, and the
other has none or only lines with a cell in common, which can have been the last move. The marks of the last mover and
those of the other are two disjoint sets of cells, so that positions are pairs of such sets, and the sets without a line
below each set of cells are counted all at once, by adding up over subsets cell after cell (the zeta transform of
Yates). The cells are split in two, so that this is done for one half of them in little memory, once for each subset of
the other half.

Up to symmetry there are as many positions as symmetries leave alone on average (Burnside's lemma). What a symmetry
leaves alone is marked in whole orbits of cells, which take the place of the cells.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence

import common  # noqa: F401 - so that it runs from a checkout that is not installed
import numpy as np

from analysis.common.workers import Workers
from analysis.games.families import load_game
from analysis.games.mnk import Mnk
from analysis.rules.game import Permutation
from analysis.rules.symmetry import find_group

BELOW = 16
"""Orbits of cells of which the sets are added up together; half a megabyte of counts stays in a processor's cache."""


@dataclasses.dataclass(frozen=True)
class PlyCount:
    """The positions after some plies."""

    positions: int
    classes: int
    """Classes of positions up to symmetry."""
    won: int
    """Positions in which the last move has completed a line."""
    won_classes: int
    """Classes of these."""


def count_positions(game: Mnk, symmetry: str = "geometric") -> list[PlyCount]:
    """Count the positions by ply, and their classes up to ``symmetry`` (``geometric``, ``full`` or ``none``)."""
    group = find_group(game.rules(), symmetry)
    lines = [sum(1 << cell for cell in line) for line in game.lines()]
    with Workers() as workers:
        fixed = [_Fixed(game.cells, lines, permutation).count(workers) for permutation in group.permutations]
    whole, total = fixed[0], np.sum([found.astype(object) for found in fixed], axis=0)
    return [
        PlyCount(
            int(whole[:, ply].sum()),
            sum(total[:, ply]) // group.order,
            int(whole[1, ply]),
            total[1, ply] // group.order,
        )
        for ply in range(game.cells + 1)
    ]


class _Fixed:
    """The positions that a permutation of the cells leaves alone."""

    def __init__(self, cells: int, lines: Sequence[int], permutation: Permutation) -> None:
        orbits = _orbits(permutation)
        self.cells, self.lines, self.bits = cells, np.array(lines, dtype=np.int64), min(BELOW, len(orbits))
        self.above = _unions(orbits[self.bits :])  # int64[2^orbits], the cells of each set of orbits
        self.above_sizes = np.bitwise_count(self.above).astype(int)
        below = _unions(orbits[: self.bits])
        sizes = np.bitwise_count(below).astype(int)
        self.by_size = np.argsort(sizes, kind="stable")
        self.below = below[self.by_size]
        self.first = np.searchsorted(sizes[self.by_size], np.arange(cells + 2))  # where the sets of each size begin

    def count(self, workers: Workers) -> np.ndarray:
        """Return the positions in which the game goes on, or is tied, and those that are won, int64[2, plies + 1]."""
        tops = range(len(self.above))
        self.kinds = np.array([*workers.map(self._kinds, tops)])  # uint8[above, 2, below], see `_kinds`
        found = np.zeros((2, self.cells + 1), dtype=np.int64)
        for part in workers.map(self._pairs, tops):
            found += part
        return found

    def _kinds(self, top: int) -> np.ndarray:
        """Return which sets with this upper part hold no line, and which hold lines that share a cell,
        uint8[2, below].
        """
        sets = self.below | self.above[top]
        shared = np.full(len(sets), -1, dtype=np.int64)
        for line in self.lines:
            shared &= np.where(sets & line == line, line, -1)
        return np.stack([shared == -1, (shared != -1) & (shared != 0)]).astype(np.uint8)

    def _pairs(self, top: int) -> np.ndarray:
        """Return the positions whose marks of the player who did not move last have this upper part, by kind of the
        last mover's marks and by ply, int64[2, plies + 1].
        """
        found = np.zeros((2, self.cells + 1), dtype=np.int64)
        greatest, own = int(self.above_sizes.max()), int(self.above_sizes[top])
        movers = np.zeros((greatest + 1, 2, len(self.below)))  # by size of the upper part: upper parts that may stand
        for other in range(len(self.above)):  # beside this one
            if not self.above[other] & self.above[top]:
                movers[self.above_sizes[other]] += self.kinds[other]
        for marks in range(own, self.cells // 2 + 1):
            free = self._free_sets(top, marks - own)
            for last in (marks, marks + 1) if 2 * marks < self.cells else (marks,):
                for size in range(max(0, last - greatest), last + 1):
                    chosen = self._of_size(size)
                    found[:, marks + last] += (movers[last - size][:, chosen] @ free[chosen]).astype(np.int64)
        return found

    def _free_sets(self, top: int, size: int) -> np.ndarray:
        """Return how many sets without a line with this upper part, and a lower part of so many cells, leave each
        lower part free, float64[below]: whole numbers, far below 2^53.
        """
        sets, chosen = np.zeros(len(self.below), dtype=np.uint32), self._of_size(size)
        sets[self.by_size[chosen]] = self.kinds[top, 0, chosen]
        return _summed_over_subsets(sets, self.bits)[len(sets) - 1 - self.by_size].astype(float)

    def _of_size(self, size: int) -> slice:
        """Return where the lower parts of so many cells are."""
        return slice(self.first[size], self.first[size + 1])


def _summed_over_subsets(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Return for each set, an index of so many bits, the sum of the numbers of its subsets."""
    for some in (bits // 2, bits - bits // 2):  # the upper bits in long rows, then the others, which change places
        for bit in range(some):
            halves = numbers.reshape(1 << bit, 2, -1)
            halves[:, 1] += halves[:, 0]
        numbers = numbers.reshape(1 << some, -1).T.ravel()
    return numbers


def _orbits(permutation: Permutation) -> list[int]:
    """Return the cells that a permutation moves into each other, as bits."""
    found, left = [], set(range(len(permutation)))
    while left:
        cell, orbit = min(left), 0
        while cell in left:
            left.remove(cell)
            orbit |= 1 << cell
            cell = permutation[cell]
        found.append(orbit)
    return found


def _unions(orbits: Sequence[int]) -> np.ndarray:
    """Return the cells of each set of orbits, int64[2^orbits]."""
    found = np.zeros(1, dtype=np.int64)
    for orbit in orbits:
        found = np.concatenate([found, found | orbit])
    return found


def main(spec: str) -> None:
    """Print the counts by ply, and in all."""
    game = load_game(spec)
    assert isinstance(game, Mnk)
    rows = []
    for ply, count in enumerate(count_positions(game)):
        moves = (count.positions - count.won) * (game.cells - ply)
        rows.append((count.positions, count.classes, count.won, count.won_classes, moves))
    print("ply: positions, classes, won by the last move, classes of these, moves")
    for name, numbers in (*enumerate(rows), ("all", map(sum, zip(*rows, strict=True)))):
        print(f"{name}: {', '.join(f'{number:,}' for number in numbers)}")


if __name__ == "__main__":
    main(sys.argv[1])
