"""Hex on a small board, without the swap rule.

Two players in turn put a stone on an empty cell of an ``n`` x ``n`` rhombus of hexagons, X first. X wins by connecting
the top row with the bottom row, O by connecting the left column with the right one; play stops there. There are no
ties: a full board connects exactly one of the two pairs of edges.

Each row lies half a cell to the right of the one above, so a cell touches its two neighbours in the row, the one above
and the next to its right, the one below and the next to its left: on the 3x3 board cell 4 touches 1, 2, 3, 5, 6 and 7.
A state holds two planes of bits, see `rules.boards`. A move is the number of the cell. Who is to move follows from the
number of stones.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable

from ..errors import PositionError
from ..rules.boards import PlacingGame, check_range, placing_rules, play_for_side
from ..rules.either_side import for_both_sides
from ..rules.game import ONGOING, Rules, popcount

MOST_N = 5  # two planes of 25 bits; two of 36 would not fit


@dataclasses.dataclass(frozen=True)
class Hex(PlacingGame):
    """Hex with ``n`` x ``n`` cells."""

    family = "hex"
    title = "Hex, {n} x {n}"
    goal = "X joins the top to the bottom, O the left side to the right; stones never move."
    look = "hex"
    description = "Hex on n x n cells, no swap: X connects top and bottom, O left and right"
    example = "hex:n=3"
    sizes = "n up to 5; n=3 has 5,514 positions, n=4 9,386,235 (seconds), n=5 far too many"
    known = "X, who moves first, wins on every board (Nash 1952), and there are no ties (Gale 1979)"

    n: int = 3

    def __post_init__(self) -> None:
        check_range(1, MOST_N, n=self.n)

    def rules(self) -> Rules:
        """Return the rules as plain functions; connections are found by flooding from one edge, stone by stone."""
        same = tuple(range(self.cells))
        half_turn = same[::-1]  # other symmetries of the rhombus exchange the players' edges
        symmetries = tuple(dict.fromkeys((same, half_turn)))
        return placing_rules(self.cells, self._outcome(either=False), symmetries=symmetries)

    def _outcome(self, *, either: bool) -> Callable[[int], int]:
        """Make ``outcome``, to be compiled, for alternate play or for moves by either side."""
        cells, board = self.cells, (1 << self.cells) - 1
        top, bottom, left, right = _edges(self.n)
        connects = _connection_test(self.n)

        def outcome(state: int) -> int:
            odd = popcount(state) & 1  # in alternate play only the last mover can have connected its edges
            if (either or odd) and connects(state & board, top, bottom):
                return 1
            return -1 if (either or not odd) and connects(state >> cells, left, right) else ONGOING

        return outcome

    def either_side(self) -> Rules:
        """Return the rules with moves by either side: any number of stones of each, until one is connected."""
        return for_both_sides(self.rules(), self._outcome(either=True), play_for_side(self.cells))

    def expected_either_side(self, samples: int = 200) -> list[float]:
        """Estimate the states of `either_side` by ply from boards filled at random, stone by stone: the reachable share
        times the number of fillings, C(n * n, stones) * 2 ** stones.
        """
        cells, generator = self.cells, random.Random(0)
        alive = [0] * (cells + 1)
        for _ in range(samples):
            for ply in range(1 + self._longest_alive(generator)):
                alive[ply] += 1
        return [math.comb(cells, ply) * 2.0**ply * alive[ply] / samples for ply in range(cells + 1)]

    def _longest_alive(self, generator: random.Random) -> int:
        """Return how many stones of a random sequence make boards that play can reach in some order."""
        top, bottom, left, right = _edges(self.n)
        edges, connects = ((top, bottom), (left, right)), _connection_test(self.n)
        stones = [0, 0]
        lasts = 0  # once a side is connected: stones that can have been the last
        order = generator.sample(range(self.cells), self.cells)
        for ply, cell in enumerate(order):
            side = generator.randrange(2)
            stones[side] |= 1 << cell
            if not connects(stones[side], *edges[side]):
                continue
            before, lasts = lasts or stones[side], 0
            for bit in (1 << c for c in order if before >> c & 1):
                lasts |= 0 if connects(stones[side] & ~bit, *edges[side]) else bit
            if not lasts:
                return ply
        return len(order)

    def refuse_moves_after_end(self, text: str, x: int, o: int, lasts: str) -> None:
        """Raise `PositionError` if a side is connected other than by its own last move."""
        connects, edges = _connection_test(self.n), _edges(self.n)
        for side, stones, ends in (("X", x, edges[:2]), ("O", o, edges[2:])):
            without_one = (stones ^ 1 << cell for cell in range(self.cells) if stones >> cell & 1)
            if connects(stones, *ends) and (side not in lasts or all(connects(rest, *ends) for rest in without_one)):
                raise PositionError(f"position {text!r} has moves after the end: {side} was already connected")


def _edges(n: int) -> tuple[int, int, int, int]:
    """Return the cells of the top row, the bottom row, the left and the right column, as bits."""
    top, left = (1 << n) - 1, sum(1 << (r * n) for r in range(n))
    return top, top << (n * n - n), left, left << (n - 1)


def _connection_test(n: int) -> Callable[[int, int, int], bool]:
    """Make ``connects(stones, edge, other)``, to be compiled: whether stones join two edges, by flooding from one."""
    board = (1 << n * n) - 1
    _, _, left, right = _edges(n)
    not_left, not_right = board - left, board - right

    def connects(stones: int, edge: int, other: int) -> bool:
        reached = stones & edge
        if reached == 0 or stones & other == 0:
            return False
        before = 0
        while reached != before:
            before = reached
            beside = (reached << 1 | reached >> (n - 1)) & not_left | (reached >> 1 | reached << (n - 1)) & not_right
            reached |= (beside | reached << n | reached >> n) & stones
        return reached & other != 0

    return connects
