"""Define games of lines: ``k`` equal marks in an unbroken row, column or diagonal of a rectangular board.

The cells of a ``rows`` x ``cols`` board are numbered row by row, and a set of marks is an integer with one bit per
cell.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..errors import PositionError
from .boards import PlacingGame, check_range, check_size, geometric_symmetries, placing_rules
from .game import Evaluation, Rules, popcount

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
MOST_EVALUATED = 16  # limit on the length of a line for `weigh_lines`, so that its values fit an int64


def first_cells(rows: int, cols: int, k: int, dr: int, dc: int) -> int:
    """Return the cells from which a line of ``k`` cells in direction (``dr``, ``dc``) stays on the board, as bits."""
    reach = k - 1
    return sum(
        1 << (r * cols + c)
        for r in range(rows)
        for c in range(cols)
        if r + dr * reach < rows and 0 <= c + dc * reach < cols
    )


@functools.cache
def find_lines(rows: int, cols: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Return the lines of ``k`` cells, each as its cells in ascending order.

    >>> len(find_lines(3, 3, 3)), len(find_lines(4, 4, 4))
    (8, 10)
    """
    lines = set()
    for dr, dc in DIRECTIONS:
        step, first = dr * cols + dc, first_cells(rows, cols, k, dr, dc)
        for cell in range(rows * cols):
            if first >> cell & 1:
                lines.add(tuple(cell + i * step for i in range(k)))
    return tuple(sorted(lines))


def line_test(rows: int, cols: int, k: int) -> Callable[[int], bool]:
    """Make ``has_line(marks)`` of a board, to be compiled.

    >>> has_line = line_test(3, 3, 3)
    >>> has_line(0b001_010_100), has_line(0b001_100_010)
    (True, False)
    """
    return shift_test(cols, k, tuple(first_cells(rows, cols, k, dr, dc) for dr, dc in DIRECTIONS))


def shift_test(width: int, k: int, starts: tuple[int, ...]) -> Callable[[int], bool]:
    """Make ``has_line(marks)``, to be compiled, for rows of ``width`` bits and lines that begin in these cells in each
    of the `DIRECTIONS`: runs of 1, 2, 4 ... and finally ``k`` marks are found by shifting the marks onto themselves.
    """
    if not any(starts):  # no line fits on the board
        return lambda marks: False
    steps = tuple(dr * width + dc for dr, dc in DIRECTIONS)
    lengths = [1]
    while lengths[-1] < k:
        lengths.append(min(2 * lengths[-1], k))
    shifts = tuple(b - a for a, b in itertools.pairwise(lengths)) or (0,)
    doublings = len(shifts)

    def has_line(marks: int) -> bool:
        found = 0
        for direction in range(4):
            runs = marks
            for i in range(doublings):
                runs &= runs >> (shifts[i] * steps[direction])
            found |= runs & starts[direction]
        return found != 0

    return has_line


def complete_lines(marks: int, lines: Iterable[tuple[int, ...]]) -> list[int]:
    """Return the lines that lie in ``marks``, as bits."""
    masks = [sum(1 << cell for cell in line) for line in lines]
    return [mask for mask in masks if marks & mask == mask]


def shared_cells(masks: Iterable[int]) -> int:
    """Return the cells common to all sets, as bits; every cell (-1) if there is no set."""
    return functools.reduce(operator.and_, masks, -1)


def too_late(text: str, side: str, k: int) -> PositionError:
    """Return the error for a position in which a side has moved after the end."""
    return PositionError(f"position {text!r} has moves after the end: {side} already had {k} in a row")


def weigh_lines(masks: tuple[int, ...], k: int) -> tuple[Callable[[int, int], int], int]:
    """Make ``weigh(x, o)`` of both sides' marks as bits, to be compiled, and return it with its greatest value. For
    lines of three it counts 100 for a full line of X, 10 for two marks and a free cell, 1 for one mark and two free
    cells, the negatives for O, and 0 for a line with both; in general 10 ** (j - 1) for j marks. ``k`` is at most
    `MOST_EVALUATED`.

    >>> weigh, greatest = weigh_lines((0b0111, 0b1110), 3)
    >>> weigh(0b0011, 0), weigh(0b0011, 0b1000), greatest
    (11, 10, 200)
    """
    weights = (0, *(10**j for j in range(k)))

    def weigh(x: int, o: int) -> int:
        total = 0
        for mask in masks:
            mine, theirs = popcount(x & mask), popcount(o & mask)
            if theirs == 0:
                total += weights[mine]
            elif mine == 0:
                total -= weights[theirs]
        return total

    return weigh, len(masks) * weights[-1]


@dataclasses.dataclass(frozen=True)
class LineGame(PlacingGame):
    """A family of games of lines; a state has the X marks in its lower plane of bits and the O marks above."""

    most_cells: ClassVar[int] = 31  # two planes of 31 bits fit in the 62 low bits of a non-negative int64
    between: ClassVar[str] = ""
    completing_wins: ClassVar[bool] = True  # whether completing a line wins, unless ``misere`` reverses it

    rows: int = 3
    cols: int = 3
    k: int = 3
    misere: bool = False

    def __post_init__(self) -> None:
        check_size(self.rows, self.cols, self.most_cells)
        check_range(1, k=self.k)  # a line may be longer than the board, so that nobody gets one

    @property
    def in_row(self) -> int:  # type: ignore[override] # here it is a parameter
        """The length of a line."""
        return self.k

    @property
    def payoff(self) -> int:
        """The first player's payoff for completing a line; the second player's is the opposite."""
        return 1 if self.completing_wins != self.misere else -1

    def lines(self) -> tuple[tuple[int, ...], ...]:
        """Return the lines, each as its cells in ascending order."""
        return find_lines(self.rows, self.cols, self.k)

    def plies_left(self, state: int, value: int) -> int | None:
        """Return the number of free cells for a tie, which fills the board."""
        return None if value else sum(not mark.strip() for row in self.grid(state) or () for mark in row)

    def marking(self, outcome: Callable[[int], int], **others: Any) -> Rules:
        """Return `placing_rules` of the board with its lines and their symmetries."""
        lines = self.lines()
        symmetries = geometric_symmetries(self.rows, self.cols, lines)
        return placing_rules(self.cells, outcome, symmetries=symmetries, lines=lines, **others)

    def line_evaluations(
        self, lines: Iterable[tuple[int, ...]], sides: Callable[[int], tuple[int, int]]
    ) -> dict[str, Evaluation]:
        """Return the evaluation ``lines`` that courses give for tic-tac-toe (see `weigh_lines`), or nothing if it does
        not fit. ``lines`` are bits of X's and O's marks, as ``sides(state)``, to be compiled, returns them.
        """
        masks = tuple(sum(1 << bit for bit in line) for line in lines)
        if self.k > MOST_EVALUATED or not masks:
            return {}
        weigh, greatest = weigh_lines(masks, self.k)
        side = self.payoff

        def evaluate(state: int) -> int:
            x, o = sides(state)
            return side * weigh(x, o)

        return {"lines": Evaluation(evaluate, (-greatest, greatest))}

    def refuse_moves_after_end(self, text: str, x: int, o: int, lasts: str) -> None:
        """Raise `PositionError` unless one mark, of ``lasts``, can have completed all lines of X and O."""
        complete = {side: complete_lines(marks, self.lines()) for side, marks in (("X", x), ("O", o))}
        if all(complete.values()):
            raise PositionError(f"position {text!r} has {self.k} in a row for both sides; play stops at the first")
        for side, found in complete.items():
            if found and (side not in lasts or not shared_cells(found) & self.last_cells(x | o)):
                raise too_late(text, side, self.k)

    def last_cells(self, filled: int) -> int:
        """Return the cells where the last mark can have been put, as bits; unfilled cells do not count."""
        return -1
