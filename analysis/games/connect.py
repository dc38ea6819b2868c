"""Connect-k: connect four and its relatives, on boards with columns that stones fall into.

Two players in turn drop a stone into a column that is not full, X first; it comes to rest on the stones below it. The
player who first has ``k`` stones in an unbroken row, column or diagonal wins (``misere``: loses), and a full board
without one is a tie. A move is the number of the column, from 0.

A state gives each column ``rows + 1`` bits, the lowest for the bottom cell. The topmost bit that is set in a column is
a sentinel just above its highest stone; below it, 1 is a stone of X and 0 one of O (the encoding of J. Tromp,
https://tromp.github.io/c4/c4.html). On the board of 6 rows and 7 columns::

    sentinels of full columns   6 13 20 27 34 41 48
    row 0, the top              5 12 19 26 33 40 47
                                4 11 18 25 32 39 46
                                3 10 17 24 31 38 45
                                2  9 16 23 30 37 44
                                1  8 15 22 29 36 43
    row 5, the bottom           0  7 14 21 28 35 42

so a column with an X at the bottom, an O on it and nothing more is ``0b0000101``, and an empty one ``0b0000001``. Who
is to move follows from the number of stones.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import PositionError, SpecError
from ..rules.boards import check_size, rows_of
from ..rules.either_side import for_both_sides
from ..rules.game import ONGOING, Residual, Rules, popcount
from ..rules.lines import LineGame, complete_lines, shift_test, too_late
from ..rules.residuals import check_bits, stack_residual

MOST_BITS = 63
ANYWHERE = (-1, -1, -1, -1)  # the bit between columns is never a stone, so no line runs across it


@dataclasses.dataclass(frozen=True)
class Connect(LineGame):
    """Connect-k on ``rows`` x ``cols`` cells with gravity."""

    family = "connect"
    title = "Connect {k}, {rows} x {cols}"
    goal = "Stones fall to the bottom of a column; whoever first has {k} in a row {wins}."
    look = "columns"
    description = "connect four: stones fall down columns, k in a row wins; misere: k in a row loses"
    example = "connect:rows=4,cols=5"
    sizes = (
        "cols x (rows + 1) up to 63; 4 x 5 has 3,945,711 positions, 5 x 5 69,763,700 (seconds), 6 x 7 4.5e12 (too many)"
    )
    known = (
        "6 x 7: X wins with the 41st stone (Allis 1988; Tromp); 4 x 4, 4 x 5, 5 x 5: tie; 4 x 6: O wins (Tromp 2007)"
    )
    typed_moves = "columns"

    most_cells = MOST_BITS
    between = "/"

    rows: int = 6
    cols: int = 7
    k: int = 4

    def __post_init__(self) -> None:
        check_size(self.rows, self.cols, MOST_BITS)
        if self.cols * (self.rows + 1) > MOST_BITS:
            raise SpecError(
                f"a {self.rows} x {self.cols} board takes {self.cols * (self.rows + 1)} bits, cols x (rows + 1); "
                f"at most {MOST_BITS} fit a state"
            )
        super().__post_init__()

    @property
    def _height(self) -> int:
        """Number of bits of a column."""
        return self.rows + 1

    def _row(self, height: int) -> int:
        """Return one bit in each column, at this height."""
        return sum(1 << (column * self._height + height) for column in range(self.cols))

    def rules(self) -> Rules:
        """Return the rules as plain functions. Sentinels are found for all columns at once."""
        cols, rows, height = self.cols, self.rows, self._height
        board, fill = self._row(rows) - self._row(0), _fill(self.rows, self.cols)

        def to_move(state: int) -> int:
            return 1 - 2 * (popcount(fill(state) >> 1 & board) & 1)

        def legal_moves(state: int, out: Any) -> int:
            count = 0
            for c in range(cols):
                out[count] = c
                count += 1 - (state >> (c * height + rows) & 1)
            return count

        def sides(state: int) -> tuple[int, int]:
            stones = fill(state) >> 1 & board
            return state & stones, stones ^ state & stones

        lines = (tuple(map(self._bit, line)) for line in self.lines())
        same = tuple(range(cols * height))
        mirror = tuple((cols - 1 - bit // height) * height + bit % height for bit in same)
        return Rules(
            start=self._row(0),
            max_moves=cols,
            legal_moves=legal_moves,
            play=self._play(either=False),
            outcome=self._outcome(either=False),
            to_move=to_move,
            largest_code=cols - 1,
            cells=cols * height,
            planes=1,
            symmetries=tuple(dict.fromkeys((same, mirror))),
            max_plies=rows * cols,
            evaluations=self.line_evaluations(lines, sides),
        )

    def _outcome(self, *, either: bool) -> Callable[[int], int]:
        """Make ``outcome``, to be compiled, for alternate play or for moves by either side."""
        top = self._row(self.rows)
        board = top - self._row(0)
        payoff = self.payoff
        fill, has_line = _fill(self.rows, self.cols), shift_test(self._height, self.k, ANYWHERE)

        def outcome(state: int) -> int:
            stones = fill(state) >> 1 & board
            odd = popcount(stones) & 1
            if either:
                if has_line(stones & state):
                    return payoff
                if has_line(stones ^ stones & state):
                    return -payoff
            elif has_line((state ^ (odd - 1)) & stones):  # only the side that has just moved can have completed a line
                return payoff * (2 * odd - 1)
            return 0 if state & top == top else ONGOING

        return outcome

    def _play(self, *, either: bool) -> Callable[[int, int], int]:
        """Make ``play``, to be compiled, for moves that are columns, or twice columns plus the side."""
        height, column = self._height, (1 << self._height) - 1
        board, fill = self._row(self.rows) - self._row(0), _fill(self.rows, self.cols)

        def play(state: int, move: int) -> int:
            filled = fill(state)
            stones = filled >> 1 & board
            chosen, side = (move >> 1, move & 1) if either else (move, popcount(stones) & 1)
            sentinel = (filled ^ stones) & column << (chosen * height)
            return state + (sentinel << (1 - side))  # X: the bit stays, and the next is set; O: carry

        return play

    def _bit(self, cell: int) -> int:
        """Return the bit of a cell, counted row by row from the top."""
        row, column = divmod(cell, self.cols)
        return column * self._height + self.rows - 1 - row

    def expected_positions(self, samples: int = 100) -> list[float]:
        """Estimate the positions by ply from random fillings: the ways to stack the stones, times the ways to colour
        them, times the share of a sample in which no side won before the last stone. On the boards from 2 x 7 to 6 x 7
        whose positions are published, the sum is within 7 % of them; on 5 x 3, too narrow for a line across, it is 28 %
        too high.
        """
        return self._expected(samples, either=False)

    def _expected(self, samples: int, *, either: bool) -> list[float]:
        """Estimate the positions by ply, for alternate play or for moves by either side."""
        generator = random.Random(0)
        stacks = [[1] + [0] * (self.cells)]  # [columns][stones]: ways to stack
        for _ in range(self.cols):
            stacks.append([sum(stacks[-1][max(0, n - self.rows) : n + 1]) for n in range(len(stacks[-1]))])
        has_line = shift_test(self._height, self.k, ANYWHERE)
        expected = []
        for ply in range(self.cells + 1):
            alive = 0
            for _ in range(samples):
                cells, tops = self._stacking(generator, stacks, ply)
                marked = (
                    [c for c in cells if generator.randrange(2)] if either else generator.sample(cells, (ply + 1) // 2)
                )
                last = sum(1 << cell for cell in marked)
                others = sum(1 << cell for cell in cells) & ~last
                alive += _alive(last, others, tops, has_line) or (either and _alive(others, last, tops, has_line))
            colourings = 2**ply if either else math.comb(ply, ply // 2)
            expected.append(alive / samples * stacks[self.cols][ply] * colourings)
        return expected

    def _stacking(self, generator: random.Random, stacks: list[list[int]], ply: int) -> tuple[list[int], int]:
        """Return random cells of ``ply`` stones, and the top stones of columns as bits."""
        cells: list[int] = []
        tops, missing = 0, ply
        for column in range(self.cols):
            stackings = stacks[self.cols - column - 1]
            heights = range(max(0, missing - self.rows * (self.cols - column - 1)), min(self.rows, missing) + 1)
            height = generator.choices(heights, [stackings[missing - height] for height in heights])[0]
            cells += [column * self._height + level for level in range(height)]
            tops |= 1 << (cells[-1]) if height else 0
            missing -= height
        return cells, tops

    def residual(self) -> Residual:
        """Return what is left to play: heights and stones on live lines. Raises `SymmetryError` above 31 cells."""
        check_bits(self.spec, self.cells, planes=2, over=True)
        rows, cols, height, fill = self.rows, self.cols, self._height, _fill(self.rows, self.cols)
        board, column = self._row(rows) - self._row(0), (1 << rows) - 1

        def planes(state: int) -> tuple[int, int]:
            stones, x, o = fill(state) >> 1 & board, 0, 0
            for c in range(cols):
                x |= ((state & stones) >> height * c & column) << rows * c
                o |= ((stones & ~state) >> height * c & column) << rows * c
            return x, o

        lines = [[rows * (cell % cols) + rows - 1 - cell // cols for cell in line] for line in self.lines()]
        return stack_residual(rows, cols, self.k, lines, self.payoff, planes)

    # Either side may move ---------------------------------------------------------------------------------------------

    def either_side(self) -> Rules:
        """Return the rules with moves by either side: any number of stones of each, until one has a line."""
        return for_both_sides(self.rules(), self._outcome(either=True), self._play(either=True))

    def expected_either_side(self, samples: int = 100) -> list[float]:
        """Estimate the states of `either_side` by ply like `expected_positions`, with stones of any colours."""
        return self._expected(samples, either=True)

    # Text -------------------------------------------------------------------------------------------------------------

    def read(self, text: str) -> tuple[int, int]:
        """Return X's and O's stones in the text of a board, as bits. Raises `PositionError` for floating stones."""
        x, o = super().read(text)
        for cell in range(self.cells - self.cols):
            if (x | o) >> cell & 1 and not (x | o) >> (cell + self.cols) & 1:
                row, c = divmod(cell, self.cols)
                raise PositionError(
                    f"position {text!r}: the {'XO'[o >> cell & 1]} of row {row}, column {c} rests on nothing"
                )
        return x, o

    def pack(self, x: int, o: int) -> int:
        """Return the state with these stones of X and O."""
        columns = [sum(1 << cell for cell in range(c, self.cells, self.cols)) for c in range(self.cols)]
        sentinels = (c * self._height + ((x | o) & column).bit_count() for c, column in enumerate(columns))
        stones = (self._bit(cell) for cell in range(self.cells) if x >> cell & 1)
        return sum(1 << bit for bit in (*sentinels, *stones))

    def refuse_moves_after_end(self, text: str, x: int, o: int, lasts: str) -> None:
        """Raise `PositionError` unless one stone on top, of ``lasts``, can have completed all lines."""
        for side, stones in (("X", x), ("O", o)):
            if side not in lasts and complete_lines(stones, self.lines()):
                raise too_late(text, side, self.k)
        super().refuse_moves_after_end(text, x, o, lasts)

    def last_cells(self, filled: int) -> int:
        """Return the cells with nothing above them, as bits."""
        return ~(filled << self.cols)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return all boards at once, cell by cell."""
        width = self.rows * (self.cols + 1) - 1
        text = np.full((len(states), width), ord("?"), dtype=np.uint8)
        text[:, self.cols :: self.cols + 1] = ord("/")
        for c, level in itertools.product(range(self.cols), range(self.rows)):
            stones = states >> (c * self._height) & (1 << self._height) - 1
            marks = np.where(stones >> level & 1, ord("X"), ord("O"))
            cell = (self.rows - 1 - level) * (self.cols + 1) + c
            text[:, cell] = np.where(stones >> level > 1, marks, ord("?"))  # the sentinel is above it
        return text.view(f"S{width}").ravel().astype(str).tolist()

    def grid(self, state: int) -> list[list[str]]:
        """Return the board as rows from the top, of ``X``, ``O`` and blanks."""
        marks = [" "] * (self.cells)
        for c in range(self.cols):
            stones = state >> (c * self._height) & (1 << self._height) - 1
            for level in range(stones.bit_length() - 1):
                marks[(self.rows - 1 - level) * self.cols + c] = "X" if stones >> level & 1 else "O"
        return rows_of(marks, self.cols)


def _fill(rows: int, cols: int) -> Callable[[int], int]:
    """Make ``fill(state)``, to be compiled: each column's sentinel and all bits below it.

    The highest bit is smeared downwards by 1, 2, 4 ... bits; the masks keep it out of the next column's top.
    """
    height = rows + 1
    shifts = tuple(1 << i for i in range(max(1, rows.bit_length())))
    masks = tuple(sum(1 << bit for bit in range(height * cols) if bit % height + shift < height) for shift in shifts)
    smears = len(shifts)

    def fill(state: int) -> int:
        for i in range(smears):
            state |= state >> shifts[i] & masks[i]
        return state

    return fill


def _alive(last: int, other: int, tops: int, has_line: Callable[[int], bool]) -> bool:
    """Return whether play can reach a board: the other has no line, and the last mover none without some top stone."""
    if has_line(other):
        return False
    candidates = (1 << c for c in range(tops.bit_length()) if tops & last & 1 << c)
    return not has_line(last) or any(not has_line(last & ~stone) for stone in candidates)
