"""The position as it is drawn in a terminal: boxes with letters across the top and numbers down the side."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from analysis.rules.game import Game

WIDEST = 79
"""Columns of a terminal that a board should fit."""


def picture(game: Game, state: int, numbers: Mapping[int, str] | None = None) -> str:
    """A position with what is said below it; ``numbers`` are shown instead of the marks of these cells.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> print(picture(game, game.parse_position("XO? ??? ???")))
        a   b   c
    1   X | O |
       ---+---+---
    2     |   |
       ---+---+---
    3     |   |
    """
    drawn, caption = game.picture(state) or _drawn(game, state, numbers or {}), game.caption(state)
    if caption in ("", drawn):
        return drawn
    return f"{drawn}\n\n{textwrap.fill(caption, WIDEST, break_on_hyphens=False)}"


def _drawn(game: Game, state: int, numbers: Mapping[int, str]) -> str:
    grid = game.grid(state)
    if grid is None:
        return game.format_position(state)
    cols = len(grid[0])
    marks = [[numbers.get(r * cols + c, mark) for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    return board(marks, from_bottom=game.rows_from_bottom, slant=game.rows_slant)


def board(marks: list[list[str]], *, from_bottom: bool = False, slant: bool = False) -> str:
    """Rows of marks as boxes with their coordinates; ``slant`` moves each row half a box to the right.

    >>> print(board([["X", " "], [" ", "O"]], from_bottom=True))
        a   b
    2   X |
       ---+---
    1     | O
    >>> print(board([["X", " "], [" ", "O"]], slant=True))
        a   b
    1   X |
         ---+---
      2     | O
    """
    rows, cols = len(marks), len(marks[0])
    letters, numbers = [column_name(c) for c in range(cols)], [row_name(r, rows, from_bottom) for r in range(rows)]
    width = max(len(mark) for row in marks for mark in row)
    side = max(map(len, numbers)) + 1
    pad = " " if side + cols * (width + 3) <= WIDEST else ""
    box = width + 2 * len(pad)
    names = [letters] if len(letters[-1]) <= box else [[name[:-1] for name in letters], [name[-1] for name in letters]]
    step = (box + 1) // 2 if slant else 0
    rule = "+".join(["-" * box] * cols)
    lines = [" " * side + " ".join(f"{pad}{letter:>{width}}{pad}" for letter in line) for line in names]
    for r, row in enumerate(marks):
        if r:
            lines.append(" " * (side + r * step) + rule)
        boxes = "|".join(f"{pad}{mark:>{width}}{pad}" for mark in row)
        lines.append(" " * (r * step) + f"{numbers[r]:<{side}}{boxes}")
    return "\n".join(line.rstrip() for line in lines)


def column_name(column: int) -> str:
    """The letters of a column, counted from 0.

    >>> column_name(2), column_name(25), column_name(26)
    ('c', 'z', 'aa')
    """
    if column < 26:
        return chr(ord("a") + column)
    return column_name(column // 26 - 1) + column_name(column % 26)


def row_name(row: int, rows: int, from_bottom: bool) -> str:
    """The number of a row that is counted from 0 and from the top."""
    return str(rows - row if from_bottom else row + 1)
