"""Cells as they are typed: coordinates such as ``b2`` and numbers, on boards of so many rows and columns."""

from __future__ import annotations

import re

from analysis.errors import PositionError
from analysis.rules.picture import column_name, row_name

COORDINATE = re.compile(r"([a-z]{1,2})\s*([0-9]{1,3})", re.ASCII)
NUMBER = re.compile(r"[0-9]+", re.ASCII)

Shape = tuple[int, int]
"""Rows and columns; 0 and 0 where there is no board."""


def read_cell(text: str, shape: Shape, from_bottom: bool) -> int | None:
    """The cell of a coordinate, row by row from 0; None where the text is none. Raises `PositionError` where it is off
    the board.

    >>> read_cell("B 1", (3, 2), False), read_cell("b1", (3, 2), True), read_cell("left", (3, 2), True)
    (1, 5, None)
    """
    found = COORDINATE.fullmatch(text.lower())
    if found is None:
        return None
    columns = [column_name(column) for column in range(shape[1])]
    rows = [row_name(row, shape[0], from_bottom) for row in range(shape[0])]
    row_typed = found[2].lstrip("0")
    for name, names, what in ((found[1], columns, "column"), (row_typed, rows, "row")):
        if name not in names:
            raise PositionError(f"there is no {what} {name or 0}; {_range(what, names)}")
    return rows.index(row_typed) * shape[1] + columns.index(found[1])


def is_cell_name(text: str, shape: Shape) -> bool:
    """Whether a text is the coordinate or the number from 1 of a cell.

    >>> is_cell_name("b3", (3, 2)), is_cell_name("c3", (3, 2)), is_cell_name("6", (3, 2)), is_cell_name("0", (3, 2))
    (True, False, True, False)
    """
    rows, cols = shape
    if NUMBER.fullmatch(text):
        return 1 <= int(text) <= rows * cols
    found = COORDINATE.fullmatch(text.lower())
    return found is not None and found[1] in map(column_name, range(cols)) and 1 <= int(found[2]) <= rows


def plain(text: str) -> str:
    """A coordinate or a number as it is said, any other text in small letters.

    >>> plain("B 02"), plain("07"), plain("Up")
    ('b2', '7', 'up')
    """
    found = COORDINATE.fullmatch(text.lower())
    if found:
        return found[1] + str(int(found[2]))
    return str(int(text)) if text.isdecimal() else text.lower()


def _range(what: str, names: list[str]) -> str:
    """Which columns or rows there are.

    >>> _range("row", ["3", "2", "1"]), _range("column", ["a"])
    ('rows are 1 to 3', 'the only column is a')
    """
    if len(names) == 1:
        return f"the only {what} is {names[0]}"
    first, *_, last = sorted(names, key=lambda name: (len(name), name))
    return f"{what}s are {first} to {last}"
