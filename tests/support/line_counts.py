"""Games and histories on an m,n,k board by closed form, without any search and without the program: sums over the sets
of cells that one side has marked.

A game that X wins with his x-th mark ends in a set of x cells of X that holds a line, the last mark being one of the
cells that all its complete lines have in common, and x - 1 cells of O without a line in the rest. The earlier marks of
either may have been made in any order: (x - 1)! (x - 1)! games for each such last mark. O's sets are counted by
inclusion and exclusion over the lines that X leaves whole, and likewise with the roles exchanged; a tie is a full board
without a line. Histories that go on are pairs of sets without a line.

Sets of X are grouped by their size, the lines they fill and the lines they leave whole, which is all that counts of
them.
"""

import functools
from collections import Counter
from math import comb, factorial
from typing import NamedTuple

import numpy as np

from tests.support.oracle import line_cells

CHUNK = 1 << 20


class LineCounts(NamedTuple):
    """What there is of each length: index i for i moves."""

    x: list[int]
    """Games that the side that moves first completes a line in, first of all."""
    o: list[int]
    tie: list[int]
    histories: list[int]


def line_counts(rows: int, cols: int, k: int) -> LineCounts:
    """All counts of a board. One of 28 cells takes a quarter of a minute."""
    cells = rows * cols
    lines = sorted({sum(1 << cell for cell in line) for line in line_cells(rows, cols, k)})

    @functools.cache
    def unions(whole: int) -> list[tuple[int, int]]:
        """Of the sets of these lines, (-1)^lines summed by how many cells they cover."""
        chosen = [line for i, line in enumerate(lines) if whole >> i & 1]
        by_union = Counter({0: 1})
        for line in chosen:
            step = Counter(by_union)
            for union, sign in by_union.items():
                step[union | line] -= sign
            by_union = Counter({union: sign for union, sign in step.items() if sign})
        sizes: Counter[int] = Counter()
        for union, sign in by_union.items():
            sizes[union.bit_count()] += sign
        return list(sizes.items())

    @functools.cache
    def without_line(whole: int, size: int, marks: int) -> int:
        """Sets of so many cells, apart from one of ``size`` that leaves these lines whole, that hold none of them."""
        left = cells - size
        return sum(sign * comb(left - covered, marks - covered) for covered, sign in unions(whole) if marks >= covered)

    counts = LineCounts(*([0] * (cells + 1) for _ in range(4)))
    for (size, full, whole), sets in grouped(cells, lines).items():
        if full:
            common = functools.reduce(int.__and__, (line for i, line in enumerate(lines) if full >> i & 1)).bit_count()
            for games, others in ((counts.x, size - 1), (counts.o, size)):
                if others <= cells - size:
                    ways = sets * common * factorial(size - 1) * factorial(others) * without_line(whole, size, others)
                    games[size + others] += ways
                    counts.histories[size + others] += ways
            continue
        for others in (size, size - 1):
            if 0 <= others <= cells - size:
                ways = sets * factorial(size) * factorial(others) * without_line(whole, size, others)
                counts.histories[size + others] += ways
                if size + others == cells:
                    counts.tie[cells] += ways
    return counts


def grouped(cells: int, lines: list[int]) -> Counter[tuple[int, int, int]]:
    """How many sets of cells there are by size, the lines that they fill and the lines that they leave whole."""
    found: Counter[tuple[int, int, int]] = Counter()
    bits = len(lines)
    for low in range(0, 1 << cells, CHUNK):
        sets = np.arange(low, min(low + CHUNK, 1 << cells), dtype=np.int64)
        keys = np.bitwise_count(sets).astype(np.int64) << 2 * bits
        for i, line in enumerate(lines):
            own = sets & line
            keys |= (own == line).astype(np.int64) << i | (own == 0).astype(np.int64) << bits + i
        for key, number in zip(*np.unique(keys, return_counts=True), strict=True):
            key, each = int(key), (1 << bits) - 1
            found[key >> 2 * bits, key & each, key >> bits & each] += int(number)
    return found
