"""What the games of marks on a rectangular board share: lines of ``k`` cells, and the board as text.

The cells of a ``rows`` x ``cols`` board are numbered row by row, and a set of marks is an integer with one bit per
cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from analysis.errors import PositionError, SpecError
from analysis.rules.game import popcount

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
MOST_EVALUATED = 16
"""The longest line that `weigh_lines` counts: more would not fit an int64."""

EMPTY_MARKS = "?._-"
"""How an empty cell may be typed; the first is how it is written."""


def check_board(rows: int, cols: int, k: int, most_cells: int) -> None:
    """Raise `SpecError` unless a line of ``k`` cells fits the board, and the board a state."""
    check_size(rows, cols, most_cells)
    if k < 1:
        raise SpecError(f"k={k} is too small; k is at least 1")
    if k > max(rows, cols):
        raise SpecError(f"k={k} is longer than a {rows} x {cols} board; at most {max(rows, cols)} fit")


def check_size(rows: int, cols: int, most_cells: int) -> None:
    """Raise `SpecError` unless the board has a cell, and no more than ``most_cells``."""
    for name, size in (("rows", rows), ("cols", cols)):
        if size < 1:
            raise SpecError(f"{name}={size} is too small; {name} is at least 1")
    if rows * cols > most_cells:
        raise SpecError(f"a {rows} x {cols} board has {rows * cols} cells; at most {most_cells} fit a state")


def first_cells(rows: int, cols: int, k: int, dr: int, dc: int) -> int:
    """The cells from which a line of ``k`` cells in direction (``dr``, ``dc``) stays on the board, as bits."""
    reach = k - 1
    return sum(
        1 << (r * cols + c)
        for r in range(rows)
        for c in range(cols)
        if r + dr * reach < rows and 0 <= c + dc * reach < cols
    )


def find_lines(rows: int, cols: int, k: int) -> tuple[tuple[int, ...], ...]:
    """The lines of ``k`` cells, each as its cells in ascending order.

    >>> len(find_lines(3, 3, 3)), len(find_lines(4, 4, 4))
    (8, 10)
    """
    found = set()
    for dr, dc in DIRECTIONS:
        step, first = dr * cols + dc, first_cells(rows, cols, k, dr, dc)
        for cell in range(rows * cols):
            if first >> cell & 1:
                found.add(tuple(cell + i * step for i in range(k)))
    return tuple(sorted(found))


def line_test(rows: int, cols: int, k: int) -> Callable[[int], bool]:
    """``has_line(marks)``, to be compiled with the rules: a line is found by shifting the marks onto themselves
    ``k - 1`` times.

    >>> has_line = line_test(3, 3, 3)
    >>> has_line(0b001_010_100), has_line(0b001_100_010)
    (True, False)
    """
    steps = tuple(dr * cols + dc for dr, dc in DIRECTIONS)
    starts = tuple(first_cells(rows, cols, k, dr, dc) for dr, dc in DIRECTIONS)

    def has_line(marks: int) -> bool:
        for direction in range(4):
            runs = marks & starts[direction]
            for i in range(1, k):
                runs &= marks >> (i * steps[direction])
            if runs:
                return True
        return False

    return has_line


def complete_lines(marks: int, lines: Iterable[tuple[int, ...]]) -> list[int]:
    """The lines that lie in ``marks``, as bits."""
    masks = [sum(1 << cell for cell in line) for line in lines]
    return [mask for mask in masks if marks & mask == mask]


def shared_cells(masks: Iterable[int]) -> int:
    """The cells that all sets have in common, as bits; every cell (-1) if there is no set.

    >>> bin(shared_cells([0b0111, 0b1110]))
    '0b110'
    """
    shared = -1
    for mask in masks:
        shared &= mask
    return shared


# Text -----------------------------------------------------------------------------------------------------------------


def parse_marks(text: str, rows: int, cols: int, marks: str = "XO") -> str:
    """The marks of a board cell by cell, ``?`` where it is empty. Spaces and ``/`` may part the rows. Raises
    `PositionError`.

    >>> parse_marks("xo. / .x. / ...", 3, 3)
    'XO??X????'
    """
    cells = "".join(text.split()).replace("/", "").upper()
    wrong = next((mark for mark in cells if mark not in marks + EMPTY_MARKS), None)
    if wrong is not None:
        raise PositionError(
            f"position {text!r}: {wrong!r} is no mark; write {', '.join(marks)}, and ? for an empty cell"
        )
    if len(cells) != rows * cols:
        raise PositionError(
            f"position {text!r} has {len(cells)} cells; this board has {rows} rows of {cols}, so {rows * cols}"
        )
    return "".join("?" if mark in EMPTY_MARKS else mark for mark in cells)


def cells_with(mark: str, marks: str) -> int:
    """The cells that hold ``mark``, as bits.

    >>> bin(cells_with("X", "XO?X"))
    '0b1001'
    """
    return sum(1 << cell for cell, found in enumerate(marks) if found == mark)


def rows_of(marks: list[str], cols: int) -> list[list[str]]:
    """The marks of a board, cell by cell, as its rows."""
    return [marks[first : first + cols] for first in range(0, len(marks), cols)]


def format_rows(grid: list[list[str]], between: str = "/") -> str:
    """The rows of a board on one line, ``?`` for a blank.

    >>> format_rows([["X", " "], ["O", "X"]])
    'X?/OX'
    """
    return between.join("".join("?" if mark == " " else mark for mark in row) for row in grid)


def weigh_lines(masks: tuple[int, ...], k: int) -> tuple[Callable[[int, int], int], int]:
    """``weigh(x, o)`` of the marks of both sides as bits, to be compiled, and the most it can be: for X, of lines of
    three, 100 for a full line, 10 for two marks and a free cell, 1 for one mark and two free cells, negative for O,
    nothing for a line with both marks; in general 10 ** (j - 1) for j marks. ``k`` is at most `MOST_EVALUATED`.

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
