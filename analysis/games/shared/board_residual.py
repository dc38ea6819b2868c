"""What is left to play in games of lines on any board: cells keep their places, those that nobody needs are alike.

A line is dead if it has both marks, or if nobody can fill it in the moves that are left to him. Cells on no live line
are alike, marked or not; how many of them are empty follows from the ply. Of the cells that lie on one live line alone
it counts how many are marked.

A state holds two planes of bits, the cells of X below those of O, and the ply above them. A cell on no live line has
both bits, which says that its lines are dead; the marks of a line on cells of its own lie on the first of these. Of the
images under the symmetries of the board the least is taken. Where no line leaves its row, or its column, each of these
is the lesser of its two images, and they are sorted. Where somebody has completed a line all cells are X's; the ply
says who.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from analysis.games.shared.residual_parts import first_of, image_of, repeated
from analysis.rules.automorphisms import Line, Permutation
from analysis.rules.game import ONGOING, Residual, Rules, popcount


class _Board(NamedTuple):
    """What the functions of a board have in common. Each is to be compiled."""

    cells: int
    masks: np.ndarray  # int64[lines]
    kinds: int
    """Marks that a player may choose from."""
    live: Callable[[int, int, int, int], bool]
    """``live(x, o, ply, line)``: whether somebody can still fill a line."""
    needed: Callable[[int, int, int], tuple[int, int]]
    """``needed(x, o, ply)``: the cells on live lines, and those of them that are alike for their line."""
    k: int
    """Cells of a line."""

    @property
    def whole(self) -> int:
        """All cells as bits."""
        return (1 << self.cells) - 1

    @property
    def ply_bit(self) -> int:
        """The first bit of the ply."""
        return 2 * self.cells


def _board(cells: int, lines: Iterable[Line], k: int, either_mark: bool) -> _Board:
    masks = np.array([sum(1 << cell for cell in line) for line in lines], np.int64)
    live = _live(cells, masks, k, either_mark)
    return _Board(cells, masks, 2 if either_mark else 1, live, _needed(masks, live), k)


def board_residual(rules: Rules, shape: tuple[int, int], k: int, payoff: int, *, either_mark: bool = False) -> Residual:
    """What is left to play where two players in turn mark a cell, and the first player gets this ``payoff`` for ``k``
    equal marks in one of the lines, or gives it for the second player's.

    ``rules`` are those of the game, with its lines and symmetries, on a board of this ``shape``, rows and columns. By
    turns marks are X and O; with ``either_mark`` both may write either (moves are then twice the cell, + 1 for O), and
    the marks may be exchanged.
    """
    cells, kinds = rules.cells, 2 if either_mark else 1
    board = _board(cells, rules.lines, k, either_mark)
    left = _left(board, _canonical(board, rules, shape))
    whole, ply_bit, planes = board.whole, board.ply_bit, (1 << board.ply_bit) - 1

    def of(state: int) -> int:
        return left(state & whole, state >> cells, popcount(state))

    def play(state: int, move: int) -> int:
        x, o, ply = state & whole, state >> cells & whole, state >> ply_bit
        if move == kinds * cells:
            return left(x, o, ply + 1)
        cell = 1 << move // kinds
        if (move if kinds == 2 else ply) & 1:
            return left(x, o | cell, ply + 1)
        return left(x | cell, o, ply + 1)

    def outcome(state: int) -> int:
        ply = state >> ply_bit
        if state & planes == whole:
            return payoff * (2 * (ply & 1) - 1)
        return 0 if ply == cells else ONGOING

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> ply_bit & 1)

    def text(state: int) -> str:
        """Marks row by row, # for a cell that nobody needs, and the ply."""
        marks = ["?XO#"[(state >> cell & 1) + 2 * (state >> cell + cells & 1)] for cell in range(cells)]
        return f"{''.join(marks)} {state >> ply_bit}"

    own = Rules(
        start=of(0),
        max_moves=kinds * cells,
        legal_moves=_legal_moves(board),
        play=play,
        outcome=outcome,
        to_move=to_move,
        largest_code=kinds * cells,
        max_plies=cells,
    )
    return Residual(of, own, text)


# Lines ----------------------------------------------------------------------------------------------------------------


def _live(cells: int, masks: np.ndarray, k: int, either_mark: bool) -> Callable[[int, int, int, int], bool]:
    def live(x: int, o: int, ply: int, line: int) -> bool:
        mask, left = int(masks[line]), cells - ply
        if x & mask and o & mask:
            return False
        if not either_mark:
            x_left = left + 1 - (ply & 1) >> 1
            left = x_left if x & mask else left - x_left if o & mask else max(x_left, left - x_left)
        return k - popcount((x | o) & mask) <= left

    return live


def _needed(
    masks: np.ndarray, live: Callable[[int, int, int, int], bool]
) -> Callable[[int, int, int], tuple[int, int]]:
    """Cells are alike for their line if they lie on no other, but such as have a cell that nobody needs: these are dead
    whatever is on the rest.
    """
    count = len(masks)

    def needed(x: int, o: int, ply: int) -> tuple[int, int]:
        once, twice, kept = 0, 0, 0
        for line in range(count):
            if live(x, o, ply, line):
                mask = int(masks[line])
                twice |= once & mask
                once |= mask
        for line in range(count):
            mask = int(masks[line])
            if not mask & ~once and not live(x, o, ply, line):
                kept |= mask
        return once, once & ~twice & ~kept

    return needed


# States ---------------------------------------------------------------------------------------------------------------


def _left(board: _Board, canonical: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
    """``left(x, o, ply)``: the state with these marks, whether the game is over or not. Of a line with cells that
    nobody needs these have both marks.
    """
    masks, count, whole, ply_bit = board.masks, len(board.masks), board.whole, board.ply_bit

    def left(x: int, o: int, ply: int) -> int:
        for line in range(count):
            mask = int(masks[line])
            if (x & mask == mask and not o & mask) or (o & mask == mask and not x & mask):
                return whole | ply << ply_bit
        return canonical(x, o, ply)

    return left


def _canonical(board: _Board, rules: Rules, shape: tuple[int, int]) -> Callable[[int, int, int], int]:
    """``canonical(x, o, ply)``: the state with these marks where the game goes on."""
    rows, cols = shape
    if board.k > rows:
        return _by_rows(board, cols)
    return _by_columns(board, rules.lines, rows, cols) if board.k > cols else _by_images(board, rules.symmetries)


def _by_images(board: _Board, symmetries: tuple[Permutation, ...]) -> Callable[[int, int, int], int]:
    """The same by the least of the images."""
    gathered, image, needed = _gathered(board), image_of(board.cells, symmetries), board.needed
    cells, whole, ply_bit, either_mark = board.cells, board.whole, board.ply_bit, board.kinds == 2
    order = len(symmetries)

    def canonical(x: int, o: int, ply: int) -> int:
        once, own = needed(x, o, ply)
        x, o = x | whole & ~once, o | whole & ~once
        least = gathered(x, o, ply, own)
        for number in range(order):
            planes = gathered(image(x, number), image(o, number), ply, image(own, number))
            if either_mark:
                planes = min(planes, planes >> cells | (planes & whole) << cells)
            least = min(least, planes)
        return least | ply << ply_bit

    return canonical


def _by_rows(board: _Board, cols: int) -> Callable[[int, int, int], int]:
    """The same where each line lies in a row of so many cells: the lesser image of each row, and rows in order."""
    mirror = tuple(cell - cell % cols + cols - 1 - cell % cols for cell in range(board.cells))
    gathered, image, needed = _gathered(board), image_of(board.cells, (mirror,)), board.needed
    cells, whole, ply_bit, either_mark = board.cells, board.whole, board.ply_bit, board.kinds == 2
    rows, row, both = cells // cols, (1 << cols) - 1, (1 << 2 * cols) - 1

    def lane(planes: int, first: int) -> int:
        """Both marks of the row with this first cell; where they may be exchanged, the lesser way round."""
        own = planes >> first & row | (planes >> cells + first & row) << cols
        return min(own, own >> cols | (own & row) << cols) if either_mark else own

    def canonical(x: int, o: int, ply: int) -> int:
        once, own = needed(x, o, ply)
        x, o = x | whole & ~once, o | whole & ~once
        planes = gathered(x, o, ply, own)
        mirrored = gathered(image(x, 0), image(o, 0), ply, image(own, 0))
        lanes, state = 0, ply << ply_bit
        for r in range(rows):
            lanes |= min(lane(planes, cols * r), lane(mirrored, cols * r)) << 2 * cols * r
        for last in range(rows - 1, 0, -1):
            for r in range(last):
                low, high = lanes >> 2 * cols * r & both, lanes >> 2 * cols * (r + 1) & both
                if low > high:
                    lanes ^= (low ^ high) << 2 * cols * r | (low ^ high) << 2 * cols * (r + 1)
        for r in range(rows):
            least = lanes >> 2 * cols * r
            state |= (least & row) << cols * r | (least >> cols & row) << cells + cols * r
        return state

    return canonical


def _by_columns(board: _Board, lines: Iterable[Line], rows: int, cols: int) -> Callable[[int, int, int], int]:
    """The same where each line lies in a column: by the rows of the board turned round, and back."""
    cells, whole, ply_bit = board.cells, board.whole, board.ply_bit
    there = tuple(cell % cols * rows + cell // cols for cell in range(cells))
    back = tuple(cell % rows * cols + cell // rows for cell in range(cells))
    turned = _board(cells, [[there[cell] for cell in line] for line in lines], board.k, board.kinds == 2)
    by_rows, image = _by_rows(turned, rows), image_of(cells, (there, back))

    def canonical(x: int, o: int, ply: int) -> int:
        state = by_rows(image(x, 0), image(o, 0), ply)
        return image(state & whole, 1) | image(state >> cells & whole, 1) << cells | ply << ply_bit

    return canonical


def _gathered(board: _Board) -> Callable[[int, int, int, int], int]:
    """``gathered(x, o, ply, own)``: both planes, the marks of lines on cells of their own being moved to the first."""
    cells, masks, count, live = board.cells, board.masks, len(board.masks), board.live

    def gathered(x: int, o: int, ply: int, own: int) -> int:
        marked = (x | o) & own
        if marked:
            for line in range(count):
                alike = int(masks[line]) & own
                if alike & marked and live(x, o, ply, line):
                    first = first_of(alike, popcount(alike & marked))
                    if x & alike:
                        x = x & ~alike | first
                    else:
                        o = o & ~alike | first
        return x | o << cells

    return gathered


# Moves ----------------------------------------------------------------------------------------------------------------


def _legal_moves(board: _Board) -> Callable[[int, Any], int]:
    """``legal_moves(state, out)``: after the moves on live lines those on cells that nobody needs, all by one code."""
    cells, masks, kinds, whole, ply_bit = board.cells, board.masks, board.kinds, board.whole, board.ply_bit
    count, needed, live = len(board.masks), board.needed, board.live

    def legal_moves(state: int, out: Any) -> int:
        x, o, ply = state & whole, state >> cells & whole, state >> ply_bit
        once, own = needed(x, o, ply)
        free, found = once & ~(x | o), 0
        for cell in range(cells):
            if free & ~own & 1 << cell:
                found = repeated(kinds * cell, 1, kinds, out, found)
        for line in range(count):
            alike = free & own & int(masks[line])
            if alike and live(x, o, ply, line):
                found = repeated(kinds * popcount((alike & -alike) - 1), popcount(alike), kinds, out, found)
        return repeated(kinds * cells, kinds * (cells - ply - popcount(free)), 1, out, found)

    return legal_moves
