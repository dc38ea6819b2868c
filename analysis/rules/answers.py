"""What the methods of a game may return, `Game.rules` aside: texts, states, codes, boards and cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def wrong_answer(name: str, found: Any, grid: Sequence[Sequence[str]] | None = None) -> str:
    """What a codec, or a method that draws, should have returned, or nothing. ``grid`` is the board that ``cell_of`` is
    about.

    >>> wrong_answer("grid", [["X", "O"], [" "]])
    'the rows of a board are all as long as the first'
    >>> wrong_answer("cell_of", 2, [["X", "O"]])
    'it has to return None or a cell of the board, from 0 to 1'
    """
    whole = isinstance(found, int) and not isinstance(found, bool)
    if name in ("parse_position", "parse_either_side") and not (whole and 0 <= found < 1 << 63):
        return "it has to return a state, a whole number from 0 to 2**63 - 1"
    if name == "parse_move" and not (whole and 0 <= found <= 254):
        return "it has to return the code of a move, from 0 to 254"
    if name in ("format_position", "format_move", "caption") and not isinstance(found, str):
        return "it has to return a text"
    if name == "picture" and not (found is None or isinstance(found, str)):
        return "it has to return a text or None"
    if name == "cell_of" and found is not None:
        cells = sum(map(len, grid or ()))
        if not cells:
            return "it has to return None, since there is no board"
        if not (whole and 0 <= found < cells):
            return f"it has to return None or a cell of the board, from 0 to {cells - 1}"
    return _wrong_grid(found) if name == "grid" and found is not None else ""


def _wrong_grid(grid: Any) -> str:
    """What is wrong with the rows of marks of a board, or nothing."""
    if not isinstance(grid, list | tuple) or not all(isinstance(row, list | tuple | str) for row in grid):
        return "it has to return None or a list of rows, each a list of marks"
    if not grid or not grid[0]:
        return "a board has at least one row and one column; without a board it has to return None"
    if any(len(row) != len(grid[0]) for row in grid):
        return "the rows of a board are all as long as the first"
    if any(not isinstance(mark, str) or len(mark.splitlines()) > 1 or "\n" in mark for row in grid for mark in row):
        return "each mark of a board is a short text"
    return ""
