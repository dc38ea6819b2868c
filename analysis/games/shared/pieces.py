"""Text of boards on which pieces move: marks row by row and who is to move, and squares such as ``b2``.

Cells are numbered row by row from the top left. Squares are named as in chess: columns are letters from the left, rows
numbers from the bottom.
"""

from __future__ import annotations

import re

from analysis.errors import PositionError


def parse_board(text: str, rows: int, cols: int) -> tuple[int, int, int]:
    """X's cells and O's cells as bits, and the side to move (+1 X, -1 O) of a text such as ``OOO/???/XXX X``: marks row
    by row (``?``, ``.``, ``_`` or ``-`` is empty), spaces and ``/`` as you like, and last who is to move.

    >>> parse_board("oo / .. / xx  x", 3, 2)
    (48, 3, 1)
    """
    marks = "".join(text.split()).replace("/", "").upper()
    wrong = next((mark for mark in marks if mark not in "XO?._-"), None)
    if wrong is not None:
        raise PositionError(f"position {text!r}: {wrong!r} is no mark; write X, O, and ? for an empty cell")
    cells = rows * cols
    if len(marks) != cells + 1 or marks[-1] not in "XO":
        raise PositionError(
            f"position {text!r}: write {rows} rows of {cols} marks and then X or O, who is to move; "
            f"that is {cells} + 1, not {len(marks)} ending in {marks[-1:]!r}"
        )
    x = sum(1 << cell for cell, mark in enumerate(marks[:-1]) if mark == "X")
    o = sum(1 << cell for cell, mark in enumerate(marks[:-1]) if mark == "O")
    return x, o, 1 if marks[-1] == "X" else -1


def board_rows(x: int, o: int, rows: int, cols: int) -> list[list[str]]:
    """The marks of a board as rows of ``X``, ``O`` and blanks."""
    marks = ["X" if x >> cell & 1 else "O" if o >> cell & 1 else " " for cell in range(rows * cols)]
    return [marks[r * cols : (r + 1) * cols] for r in range(rows)]


def format_board(grid: list[list[str]], side: int) -> str:
    """The text of a board and the side to move, as `parse_board` reads it."""
    return "/".join("".join(row) for row in grid).replace(" ", "?") + (" X" if side > 0 else " O")


def square_name(cell: int, rows: int, cols: int) -> str:
    """A cell as a square.

    >>> square_name(0, 3, 3), square_name(7, 3, 3)
    ('a3', 'b1')
    """
    return chr(ord("a") + cell % cols) + str(rows - cell // cols)


def parse_square(text: str, rows: int, cols: int) -> int:
    """The cell of a square, or -1 where it is no square of the board.

    >>> parse_square("B1", 3, 3), parse_square("d1", 3, 3)
    (7, -1)
    """
    match = re.fullmatch(r"([a-z])([0-9]{1,2})", text.strip().lower())
    if match is None:
        return -1
    col, row = ord(match[1]) - ord("a"), rows - int(match[2])
    return row * cols + col if col < cols and 0 <= row < rows else -1
