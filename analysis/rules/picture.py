"""Draw boards as text: boxes, with coordinates or bare."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from .game import Game

WIDEST = 79  # columns of a terminal that a board should fit
NARROW = 77  # the same inside a frame, with a border and a blank on either side


def picture(game: Game, state: int, numbers: Mapping[int, str] | None = None) -> str:
    """Draw a position as `board_text` does with coordinates, and its `Game.caption` below."""
    drawn, caption = board_text(game, state, numbers=numbers), game.caption(state)
    if caption in ("", drawn):
        return drawn
    return f"{drawn}\n\n{textwrap.fill(caption, WIDEST, break_on_hyphens=False)}"


def board_text(game: Game, state: int, *, bare: bool = False, numbers: Mapping[int, str] | None = None) -> str:
    """Draw a position as lines of text, in one of two styles.

    With coordinates, for playing: the game's own picture or else its grid as boxes or else its text. Bare, to go with
    the position's text: the grid alone, or nothing without one.

    Args:
        game: The game.
        state: A state of it, or of its `Game.either_side`.
        bare: Whether to omit coordinates; slanting rows are then not shifted.
        numbers: Texts to show in place of the marks of these cells, row by row from 0.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> state = game.parse_position("XO? ??? ???")
    >>> print(board_text(game, state))
        a   b   c
    1   X | O |
       ---+---+---
    2     |   |
       ---+---+---
    3     |   |
    >>> print(board_text(game, state, bare=True))
     X | O |
    ---+---+---
       |   |
    ---+---+---
       |   |
    """
    own = None if bare else game.picture(state)
    grid = None if own else game.grid(state)
    if not grid:
        return own or ("" if bare else game.format_position(state))
    cols = len(grid[0])
    marks = [[(numbers or {}).get(r * cols + c, mark) for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    return bare_board(marks) if bare else board(marks, from_bottom=game.rows_from_bottom, slant=game.rows_slant)


class DrawnBoard(tuple[tuple[str, ...], ...]):
    """The marks of a board, row by row; its text is a drawing.

    >>> board = DrawnBoard([("X", " "), (" ", "O")])
    >>> board[0][0], len(board)
    ('X', 2)
    >>> print(board)
     X |
    ---+---
       | O
    """

    def __str__(self) -> str:
        return bare_board(self)


def bare_board(marks: Sequence[Sequence[str]]) -> str:
    """Draw rows of marks as boxes without coordinates, as course sheets do."""
    width, cols = max(len(mark) for row in marks for mark in row), len(marks[0])
    pad = " " if cols * (width + 3) <= NARROW else ""
    rule = "\n" + "+".join(["-" * (width + 2 * len(pad))] * cols) + "\n"
    return rule.join("|".join(f"{pad}{mark:>{width}}{pad}" for mark in row).rstrip() for row in marks)


def board(marks: list[list[str]], *, from_bottom: bool = False, slant: bool = False) -> str:
    """Draw rows of marks as boxes with coordinates; ``slant`` shifts each row half a box to the right.

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
    """Return the letters of a column, counted from 0.

    >>> column_name(2), column_name(25), column_name(26)
    ('c', 'z', 'aa')
    """
    if column < 26:
        return chr(ord("a") + column)
    return column_name(column // 26 - 1) + column_name(column % 26)


def row_name(row: int, rows: int, from_bottom: bool) -> str:
    """Return the number of a row counted from 0 at the top."""
    return str(rows - row if from_bottom else row + 1)


def regular(grid: Sequence[Sequence[str]] | None) -> bool:
    """Return whether there is a board with rows of equal length."""
    return bool(grid and grid[0] and len({len(row) for row in grid}) == 1)
