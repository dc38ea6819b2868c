"""Boards in the texts of positions: what their cells hold, and how they are drawn."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Sequence

MARK = re.compile(r"'[^']*'|-?\w+(?:\.\w+)?")  # what stands in a cell
NAMED = re.compile(r"[\w.\[\]]+=")  # how a part of a position begins that has a name
ITEM = re.compile(rf"(\([^()]*\)|{MARK.pattern}): ({MARK.pattern})(?:, )?")  # a cell and its mark in a dictionary
FREE = ("", "None", "' '", "''", "'.'", "'-'", "'_'", "'*'", "'?'", "0")
"""How programs write a free cell, as `repr` has it; nothing where a dictionary has no entry."""
MOST_CELLS = 400  # the most cells of a board that is drawn

Place = tuple[int, int]  # row and column


def cells_of(column: Sequence[str]) -> tuple[list[tuple[str, ...]], list[Place]] | None:
    """Return what the cells of a board hold, in each position, and where they are drawn; None where a part of the
    positions is no board. Cells of dictionaries are in the order of their keys, with nothing in those without an entry.

    >>> cells_of(["board=[['X', None], [None, 'O']]"])
    ([("'X'", 'None', 'None', "'O'")], [(0, 0), (0, 1), (1, 0), (1, 1)])
    """
    texts = [text.partition("=")[2] if NAMED.match(text) else text for text in column]
    if texts[0][:1] == "{":
        return _scattered(texts)
    if all(re.fullmatch(r"'[^'\\]{3,}'", text) for text in texts):
        texts = [repr(list(text[1:-1])) for text in texts]
    skeleton = MARK.sub("", texts[0])
    count = len(MARK.findall(texts[0]))
    if skeleton[:1] not in ("[", "(") or count < 2 or any(MARK.sub("", text) != skeleton for text in texts):
        return None
    rows = re.findall(r"[\[(]((?:, )+)[\])]", skeleton[1:-1])
    nested = rows and re.fullmatch(r"([\[(](, )+[\])](, )?)+", skeleton[1:-1]) and len({*rows}) == 1
    places = [*itertools.product(range(len(rows)), range(len(rows[0]) // 2 + 1))] if nested else []
    places = _in_row(count) if re.fullmatch(r"[\[(](, )+[\])]", skeleton) else places
    return [tuple(MARK.findall(text)) for text in texts], places


def _in_row(count: int) -> list[Place]:
    """Return where the cells of a list are drawn: in a square of at least three rows, else in a row."""
    side = math.isqrt(count)
    width = side if side >= 3 and side * side == count else count
    return [divmod(cell, width) for cell in range(count)]


def _scattered(texts: Sequence[str]) -> tuple[list[tuple[str, ...]], list[Place]] | None:
    """Return the cells of dictionaries."""
    if any(ITEM.sub("", text) != "{}" for text in texts):
        return None
    items = [dict(ITEM.findall(text)) for text in texts]
    try:
        keys = {key: ast.literal_eval(key) for each in items for key in each}
        names = sorted(keys, key=keys.__getitem__)
    except (TypeError, ValueError, SyntaxError):
        return None
    if len(names) < 2:
        return None
    pairs = all(re.fullmatch(r"\(\d+, \d+\)", name) for name in names)
    places = [keys[name] for name in names] if pairs else _in_row(len(names))
    return [tuple(each.get(name, "") for name in names) for each in items], places


def drawn_boards(column: Sequence[str]) -> list[str] | None:
    """Return the boards that a part of the positions is, as rows of marks, ``?`` where a cell is free; None where it is
    none. A board of one row has at most two marks, so that heaps are none.

    >>> drawn_boards(["board=[['X', None], [None, 'O']]", "board=[['X', None], ['X', 'O']]"])
    ['X?/?O', 'X?/XO']
    >>> drawn_boards(["board={(1, 1): 'X'}", "board={(1, 1): 'X', (2, 2): 'O'}"])
    ['X?/??', 'X?/?O']
    >>> drawn_boards(["cells=['X', '.', 'O', '.', 'X']"]), drawn_boards(["heaps=[0, 1, 2, 3]"])
    (['X?O?X'], None)
    """
    cells, places = cells_of(column) or ([], [])
    marks = _marks({mark for each in cells for mark in each})
    if marks is None or not places:
        return None
    low, left = (min(place[axis] for place in places) for axis in (0, 1))
    rows, cols = (max(place[axis] for place in places) + 1 - least for axis, least in ((0, low), (1, left)))
    if rows * cols > MOST_CELLS or (rows == 1 and not len(marks) <= 3 <= cols):
        return None
    boards = []
    for each in cells:
        board = [["?"] * cols for _ in range(rows)]
        for (row, col), mark in zip(places, each, strict=True):
            board[row - low][col - left] = marks[mark]
        boards.append("/".join(map("".join, board)))
    return boards


def _marks(found: set[str]) -> dict[str, str] | None:
    """Return one character for each of the contents of cells; None where there are too many, or numbers that are no
    marks.
    """
    free = next((each for each in FREE if each in found), None)
    marks = {each: each.strip("'")[-1:] or "?" for each in found}
    if {"1", "-1"} <= found or {"True", "False"} <= found:
        marks |= {"1": "X", "-1": "O", "True": "X", "False": "O"}
    marks = {each: "?" if each == free else marks[each] for each in found}
    fine = len(set(marks.values())) == len(marks) and all(m.isprintable() and m not in " /" for m in marks.values())
    many = any(len(each) > 1 and each.isdecimal() for each in found)
    return marks if fine and free is not None and not many else None
