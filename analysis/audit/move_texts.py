"""Moves as records have them: numbered moves, lists as text, and cells by row and column."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.audit.headers import NAMES, plain
from analysis.errors import PositionError
from analysis.rules.notation import Notation

_PAIR = r"[(\[]\s*([0-9]{1,4})\s*[,;\s]\s*([0-9]{1,4})\s*[)\]]"
_ONE_PAIR = re.compile(rf"{_PAIR}|([0-9]{{1,4}})\s*[,;]\s*([0-9]{{1,4}})", re.ASCII).fullmatch
_PAIRS = re.compile(rf"(?:{_PAIR}[\s,;>-]*){{2,}}|\(\s*[0-9]{{1,4}}\s*,\s*[0-9]{{1,4}}\s*\)", re.ASCII).fullmatch
_EACH_PAIR = re.compile(_PAIR, re.ASCII).finditer
_NUMBERED = re.compile(r"[01]\.+\s*[^\s0-9]|[01]\.+\s+\S", re.ASCII).match
_NUMBER = re.compile(r"(?<!\S)[0-9]{1,4}\.+(?=\s|[^\s0-9]|$)\s*", re.ASCII)
_RESULT = re.compile(r"\s(1-0|0-1|1/2-1/2|\*)$").search
_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0+)?", re.ASCII).fullmatch


class Cell(NamedTuple):
    """A move by the row and the column of its cell."""

    row: int
    col: int

    def __repr__(self) -> str:
        return f"({self.row}, {self.col})"


def moves_of(path: Any) -> Any:
    """The moves of a path as a list, if it is one or a text that stands for one; otherwise the text as it is, without
    the numbers of its moves.

    >>> moves_of("[4, 0, 1]"), moves_of("1. b2 a1 2. c3"), moves_of("(1,1) (0,0)"), moves_of("0124")
    ([4, 0, 1], 'b2 a1 c3', [(1, 1), (0, 0)], '0124')
    """
    if hasattr(path, "tolist"):  # an array, such as data frames hold
        path = path.tolist()
    if isinstance(path, (list, tuple)):
        return [move_of(move) for move in path]
    if not isinstance(path, str) or path.isalnum():  # a backtracker, in most files
        return path
    text = path.strip()
    if _PAIRS(text):
        return [Cell(int(match[1]), int(match[2])) for match in _EACH_PAIR(text)]
    if text[:1] in ("[", "("):
        found = _listed(text)
        return path if found is None else [move_of(move) for move in found]
    if _NUMBERED(text):
        result = _RESULT(text)
        return _NUMBER.sub("", text[: result.start()] if result else text).strip()
    return path


def result_in(path: Any) -> str | None:
    """The result at the end of numbered moves, None where there is none.

    >>> result_in("1. b2 a1 2. c3 1-0"), result_in("0-1")
    ('1-0', None)
    """
    found = _RESULT(path.strip()) if isinstance(path, str) and not path.isalnum() and _NUMBERED(path.strip()) else None
    return found[1] if found else None


def _listed(text: str) -> Sequence[Any] | None:
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, (list, tuple)) else None


def move_of(move: Any) -> Any:
    """One move: a `Cell` where it is a pair of numbers, or an object that has a row and a column; else as it is.

    >>> move_of([1, 2]), move_of("(1,2)"), move_of({"row": 1, "col": 2}), move_of({"move": "b2"}), move_of("b2")
    ((1, 2), (1, 2), (1, 2), 'b2', 'b2')
    """
    if isinstance(move, str):
        found = _ONE_PAIR(move.strip())
        return Cell(*(int(part) for part in found.groups() if part is not None)) if found else move
    if hasattr(move, "tolist"):
        move = move.tolist()
    if isinstance(move, (list, tuple)) and len(move) == 2 and all(type(part) is int for part in move):
        return Cell(*move)
    if isinstance(move, Mapping):
        named = {plain(str(name)): value for name, value in move.items()}
        row, col, own = (next((named[n] for n in NAMES[role] if n in named), None) for role in ("row", "col", "move"))
        numbers = number_of(row), number_of(col)
        if numbers[0] is not None and numbers[1] is not None:
            return Cell(numbers[0], numbers[1])
        return move if own is None else own
    return move


def number_of(value: Any) -> int | None:
    """A whole number, which may be a text; None for anything else.

    >>> [number_of(value) for value in (4, 4.0, " 4 ", "4.0", "b2", True, None)]
    [4, 4, 4, 4, None, None, None]
    """
    if isinstance(value, str):
        found = _WHOLE(value.strip())
        return int(found[1]) if found else None
    if isinstance(value, bool) or not hasattr(value, "__int__"):
        return None
    try:
        return int(value) if int(value) == value and 0 <= value < 1 << 30 else None
    except (ArithmeticError, TypeError, ValueError):
        return None


def cell_code(notation: Notation, cell: Cell, state: int) -> int:
    """The code of the legal move in a ``state`` that is made in a ``cell``, whose rows count from 0 at the top; where
    stones fall, from the bottom too. Raises `PositionError` where there is none, or several.
    """
    rows, cols = notation.shape(state)
    if not rows or not notation.pointing:
        raise PositionError(f"{cell!r} is a row and a column, and moves of {notation.game.spec} are not made in cells")
    if not (0 <= cell.row < rows and 0 <= cell.col < cols):
        raise PositionError(f"row {cell.row}, column {cell.col}, both counted from 0, are off the board")
    wanted = {cell.row * cols + cell.col}
    if notation.falling:
        wanted.add((rows - 1 - cell.row) * cols + cell.col)
    found = [move for move in notation.legal(state) if move.cell in wanted]
    if len(found) == 1:
        return found[0].code
    where = notation.coordinate(cell.row * cols + cell.col, state)
    if found:
        names = " or ".join(move.own for move in found)
        raise PositionError(f"row {cell.row}, column {cell.col} is {where}, which could be {names}")
    raise PositionError(f"no legal move is made in {where} (row {cell.row}, column {cell.col}, both counted from 0)")
