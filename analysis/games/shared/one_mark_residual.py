"""What is left to play in games of lines with one kind of mark: which cells can still matter.

A line can be the first to be complete only if no other lacks a part of the cells that it lacks. An empty cell on no
such line is as good as marked, for every line; then the marks tell the lines that matter, and the lines the marks. Such
cells are alike; how many of them are empty follows from the ply.

A state holds the marks, of which the least image under the automorphisms of the lines is taken, and the ply above them.
Where a line is complete all cells are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.games.shared.placing import write_cells
from analysis.games.shared.residual_parts import image_of, repeated
from analysis.rules.automorphisms import Permutation
from analysis.rules.game import ONGOING, Residual, Rules, popcount


def one_mark_residual(rules: Rules, symmetries: tuple[Permutation, ...], payoff: int) -> Residual:
    """What is left to play where both players in turn mark a cell, until a line is full; the first player gets this
    ``payoff`` for completing it, and gives it where the second player does. ``rules`` are those of the game, with its
    lines; ``symmetries`` keep these.
    """
    cells = rules.cells
    whole, nowhere = (1 << cells) - 1, cells
    left = _left(cells, np.array([sum(1 << cell for cell in line) for line in rules.lines], np.int64), symmetries)

    def of(state: int) -> int:
        return left(state, popcount(state))

    def legal_moves(state: int, out: Any) -> int:
        free = ~state & whole
        return repeated(nowhere, cells - (state >> cells) - popcount(free), 1, out, write_cells(free, out))

    def play(state: int, move: int) -> int:
        marks, ply = state & whole, (state >> cells) + 1
        return marks | ply << cells if move == nowhere else left(marks | 1 << move, ply)

    def outcome(state: int) -> int:
        return payoff * (2 * (state >> cells & 1) - 1) if state & whole == whole else ONGOING

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> cells & 1)

    def text(state: int) -> str:
        """The cells row by row, # for one that is marked or as good as marked, and the ply."""
        return f"{''.join('?#'[state >> cell & 1] for cell in range(cells))} {state >> cells}"

    own = Rules(
        start=of(0),
        max_moves=cells,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=to_move,
        largest_code=nowhere,
        impartial=rules.impartial,
        max_plies=cells,
    )
    return Residual(of, own, text)


def _left(cells: int, masks: np.ndarray, symmetries: tuple[Permutation, ...]) -> Callable[[int, int], int]:
    """``left(marks, ply)``: the state with these marks, or with such as come to the same."""
    count, order, whole, image = len(masks), len(symmetries), (1 << cells) - 1, image_of(cells, symmetries)

    def can_be_first(marks: int, lacking: int) -> bool:
        """Whether no other line lacks a part of what one lacks."""
        for line in range(count):
            other = int(masks[line]) & ~marks
            if other & ~lacking == 0 and other != lacking:
                return False
        return True

    def left(marks: int, ply: int) -> int:
        needed = 0
        for line in range(count):
            lacking = int(masks[line]) & ~marks
            if lacking & ~needed and can_be_first(marks, lacking):
                needed |= lacking
        least = marks = whole & ~needed
        for number in range(order):
            least = min(least, image(marks, number))
        return least | ply << cells

    return left
