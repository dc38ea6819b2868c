"""What positions look like: their texts and boards, under every symmetry, as columns of a table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from analysis.explorer.embedded.planes import Column, Planes, text_columns
from analysis.rules.game import Game

NONE = -1
"""In `Boards`: no cell there, and no board."""


class Boards:
    """Boards as arrays: all marks by number, -1 after the last one."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self._numbers: dict[str, int] = {}

    def read(self, game: Game, states: Sequence[int]) -> np.ndarray:
        """The boards of some states, int32[n, 1 + cells]: how many columns, then the marks row by row."""
        flat, number = [], self._number
        for state in states:
            grid = game.grid(state) or ()
            flat.append([len(grid[0]) if grid else NONE, *(number(mark) for row in grid for mark in row)])
        return np.array(list(itertools.zip_longest(*flat, fillvalue=NONE)), dtype=np.int32).T

    def _number(self, mark: str) -> int:
        if mark not in self._numbers:
            self._numbers[mark] = len(self.marks)
            self.marks.append(mark)
        return self._numbers[mark]

    def columns(self, planes: Planes, boards: np.ndarray) -> list[Column]:
        """Columns of a table: the first says how many columns the board has, the others are marks; None is none."""
        width = planes.add(boards[:, 0], lambda cols: None if cols == NONE else cols)
        return [width, *(planes.add(column, self._mark) for column in boards.T[1:])]

    def _mark(self, number: int) -> str | None:
        return None if number == NONE else self.marks[number]

    @property
    def blank(self) -> np.ndarray:
        """bool[marks + 1], whether a mark is blank; the last is `NONE`."""
        return np.array([*(not mark.strip() for mark in self.marks), True])


def texts_of(game: Game, planes: Planes, states: np.ndarray) -> dict[str, list[Column]]:
    """The texts of states as columns, by what they are: ``position``, ``picture`` and ``caption``."""
    given = states.tolist()
    return {
        "position": text_columns(planes, game.format_positions(states)),
        "picture": text_columns(planes, [game.picture(state) for state in given]),
        "caption": text_columns(planes, [game.caption(state) for state in given]),
    }


def cells_between(blank: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The cells int16[m] that moves are made in, by `Game.cell_of` as it is unless a game overrides it, from the boards
    before and after them as `Boards.read` has them; -1 where it is no single cell.
    """
    found = np.full(len(before), NONE, np.int16)
    for rows in _rows(len(before) if before.shape[1] > 1 else 0):
        old, new = before[rows, 1:], after[rows, 1:]
        one_shape = (before[rows, 0] == after[rows, 0]) & ((old == NONE) == (new == NONE)).all(axis=1)
        filled = blank[old] & ~blank[new]
        changed = (old != new) & ~blank[new]
        own = found[rows]
        for cells in (changed, filled):
            single = one_shape & (cells.sum(axis=1) == 1)
            own[single] = cells[single].argmax(axis=1)
    return found


def _rows(number: int) -> Iterator[slice]:
    return (slice(low, low + (1 << 15)) for low in range(0, number, 1 << 15))
