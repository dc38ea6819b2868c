"""Recognise boards in the texts of positions: what their cells hold, and how they are drawn."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Sequence

MARK = re.compile(r"'[^']*'|-?\w+(?:\.\w+)?")  # the content of a cell
NAMED = re.compile(r"[\w.\[\]]+=")  # the beginning of a part with a name
ITEM = re.compile(rf"(\([^()]*\)|{MARK.pattern}): ({MARK.pattern})(?:, )?")  # a cell and its mark in a dictionary
FREE = ("", "None", "' '", "''", "'.'", "'-'", "'_'", "'*'", "'?'", "0")
"""How programs write a free cell, as `repr` has it; the empty text stands for a missing entry of a dictionary."""
MOST_CELLS = 400  # the most cells of a board that is drawn

Place = tuple[int, int]  # row and column


def cells_of(column: Sequence[str]) -> tuple[list[tuple[str, ...]], list[Place]] | None:
    """Return the contents of the cells of a board in each position, and the places of the cells; None if this part of
    the positions is not a board. Cells of dictionaries are in the order of their keys, empty without an entry.

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
    """Return the places of the cells of a list: in a square of at least three rows, else in a row."""
    side = math.isqrt(count)
    width = side if side >= 3 and side * side == count else count
    return [divmod(cell, width) for cell in range(count)]


def _scattered(texts: Sequence[str]) -> tuple[list[tuple[str, ...]], list[Place]] | None:
    """Return the same as `cells_of` for dictionaries."""
    if any(ITEM.sub("", text) != "{}" for text in texts):
        return None
    items = [dict(ITEM.findall(text)) for text in texts]
    try:
        keys = {key: ast.literal_eval(key) for item in items for key in item}
        names = sorted(keys, key=keys.__getitem__)
    except (TypeError, ValueError, SyntaxError):
        return None
    if len(names) < 2:
        return None
    pairs = all(re.fullmatch(r"\(\d+, \d+\)", name) for name in names)
    places = [keys[name] for name in names] if pairs else _in_row(len(names))
    return [tuple(cells.get(name, "") for name in names) for cells in items], places


def drawn_boards(column: Sequence[str]) -> list[str] | None:
    """Return a part of the positions drawn as boards, rows of marks with ``?`` for a free cell; None if it is not a
    board. A board of one row has at most two marks, since more are probably heaps.

    >>> drawn_boards(["board=[['X', None], [None, 'O']]", "board=[['X', None], ['X', 'O']]"])
    ['X?/?O', 'X?/XO']
    >>> drawn_boards(["board={(1, 1): 'X'}", "board={(1, 1): 'X', (2, 2): 'O'}"])
    ['X?/??', 'X?/?O']
    >>> drawn_boards(["cells=['X', '.', 'O', '.', 'X']"]), drawn_boards(["heaps=[0, 1, 2, 3]"])
    (['X?O?X'], None)
    """
    cells, places = cells_of(column) or ([], [])
    marks = _marks({mark for contents in cells for mark in contents})
    if marks is None or not places:
        return None
    low, left = (min(place[axis] for place in places) for axis in (0, 1))
    rows, cols = (max(place[axis] for place in places) + 1 - least for axis, least in ((0, low), (1, left)))
    if rows * cols > MOST_CELLS or (rows == 1 and not len(marks) <= 3 <= cols):
        return None
    boards = []
    for contents in cells:
        board = [["?"] * cols for _ in range(rows)]
        for (row, col), mark in zip(places, contents, strict=True):
            board[row - low][col - left] = marks[mark]
        boards.append("/".join(map("".join, board)))
    return boards


def _marks(contents: set[str]) -> dict[str, str] | None:
    """Return one character for each content of cells; None if characters do not tell them apart, or they are mere
    numbers.
    """
    free = next((text for text in FREE if text in contents), None)
    marks = {text: text.strip("'")[-1:] or "?" for text in contents}
    if {"1", "-1"} <= contents or {"True", "False"} <= contents:
        marks |= {"1": "X", "-1": "O", "True": "X", "False": "O"}
    marks = {text: "?" if text == free else marks[text] for text in contents}
    fine = len(set(marks.values())) == len(marks) and all(m.isprintable() and m not in " /" for m in marks.values())
    many = any(len(text) > 1 and text.isdecimal() for text in contents)
    return marks if fine and free is not None and not many else None
