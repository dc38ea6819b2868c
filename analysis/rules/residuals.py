"""Define what is left to play: in games of lines with one or two kinds of marks, with falling stones, and in boxes.

In games with two kinds of marks a line is dead if both players have marks on it, or if nobody can fill it in the moves
left. With one kind of mark a line can be the first to be complete only if no other line lacks just a part of its
missing cells.

With two marks a state holds two planes of bits, X's cells below O's. A cell that no line needs has both bits, which
says that its lines are dead. With one kind of mark it holds the marks; an empty cell on no line that can be the first
counts as marked, and once a line is complete all cells are marked. The ply lies above the planes. The least image under
the symmetries is used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import SymmetryError
from .boards import write_cells
from .game import ONGOING, Permutation, Residual, Rules, popcount
from .symmetry import image_tables

MOST_BITS = 63
MARKS = "?XO#"
"""The texts of a cell in no plane, in X's, in O's and in both."""


def check_bits(name: str, cells: int, planes: int, *, over: bool = False) -> None:
    """Raise `SymmetryError` if the residual states of a board do not fit: ``planes`` bits for each cell, and the ply
    or, with ``over``, a bit that is set at the end.
    """
    extra, use = (1, "where it is over") if over else (cells.bit_length(), "for the ply")
    needed = planes * cells + extra
    if needed > MOST_BITS:
        raise SymmetryError(
            f"what is left to play in {name} takes {needed} bits, {planes} for each of {cells} cells and {extra} {use};"
            f" at most {MOST_BITS} fit a state"
        )


# Parts, to be compiled ------------------------------------------------------------------------------------------------


def image_of(cells: int, symmetries: tuple[Permutation, ...]) -> Callable[[int, int], int]:
    """Make ``image(marks, number)``: cells under the symmetry of this number, eight at a time."""
    tables = image_tables(cells, symmetries)
    chunks = tables.shape[1]

    def image(marks: int, number: int) -> int:
        moved = 0
        for chunk in range(chunks):
            moved |= int(tables[number, chunk, marks >> 8 * chunk & 255])
        return moved

    return image


def first_of(cells: int, number: int) -> int:
    """Return the first ``number`` cells of a set."""
    rest = cells
    for _ in range(number):
        rest &= rest - 1
    return cells ^ rest


def repeated(code: int, times: int, kinds: int, out: Any, count: int) -> int:
    """Write this code, and those after it for other ``kinds`` of a move, each ``times`` times; return the new count."""
    for kind in range(kinds):
        for _ in range(times):
            out[count] = code + kind
            count += 1
    return count


def masks_of(lines: Iterable[Sequence[int]]) -> np.ndarray:
    """Return sets of cells as bits, int64[lines]."""
    return np.array([sum(1 << cell for cell in line) for line in lines], np.int64)


def turn_by_ply(bit: int) -> Callable[[int], int]:
    """Make ``to_move(state)`` for states with the ply from this bit on."""

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> bit & 1)

    return to_move


def _live(cells: int, masks: np.ndarray, k: int, either_mark: bool) -> Callable[[int, int, int, int], bool]:
    """Make ``live(x, o, ply, line)``: whether somebody can still fill a line."""

    def live(x: int, o: int, ply: int, line: int) -> bool:
        mask, left = int(masks[line]), cells - ply
        if x & mask and o & mask:
            return False
        if not either_mark:
            x_left = left + 1 - (ply & 1) >> 1
            left = x_left if x & mask else left - x_left if o & mask else max(x_left, left - x_left)
        return k - popcount((x | o) & mask) <= left

    return live


# Dots and boxes -------------------------------------------------------------------------------------------------------


def box_residual(rules: Rules, boxes: Sequence[Sequence[int]], text: Callable[[int], str]) -> Residual:
    """Return what is left to play in dots and boxes, where edges that belong only to the same box are alike: the two
    outer ones of a corner and, in a single row of boxes, those of every box. The first of such edges are drawn.

    ``boxes`` hold the edges of each box; ``rules`` are those of the game, with the edges as its cells, and ``text``
    writes its states.
    """
    edges, play_one = rules.cells, rules.play
    owners = [[number for number, box in enumerate(boxes) if edge in box] for edge in range(edges)]
    alike = masks_of([other for other in range(edges) if owners[other] == each] for each in owners)
    groups = tuple(dict.fromkeys(mask for mask in alike.tolist() if mask & mask - 1))
    drawn, order, image = (1 << edges) - 1, len(rules.symmetries), image_of(edges, rules.symmetries)

    def of(state: int) -> int:
        least = drawn
        for number in range(order):
            own = image(state & drawn, number)
            for group in groups:
                own = own & ~group | first_of(group, popcount(own & group))
            least = min(least, own)
        return state & ~drawn | least

    def legal_moves(state: int, out: Any) -> int:
        free, found = ~state & drawn, 0
        while free:
            edge = popcount((free & -free) - 1)
            same = free & int(alike[edge])
            found = repeated(edge, popcount(same), 1, out, found)
            free &= ~same
        return found

    def play(state: int, move: int) -> int:
        return of(play_one(state, move))

    own = dataclasses.replace(rules, start=of(rules.start), legal_moves=legal_moves, play=play, symmetries=())
    return Residual(of, own, text)


# One kind of mark -----------------------------------------------------------------------------------------------------


def one_mark_residual(rules: Rules, symmetries: tuple[Permutation, ...], payoff: int) -> Residual:
    """Return what is left to play if both players in turn mark a cell until a line is full; the first player gets this
    ``payoff`` for completing it, and its opposite if the second player does. ``rules`` are those of the game, with its
    lines; ``symmetries`` preserve these.
    """
    cells = rules.cells
    whole, nowhere = (1 << cells) - 1, cells
    masks, order, image = masks_of(rules.lines), len(symmetries), image_of(cells, symmetries)
    count = len(masks)

    def can_be_first(marks: int, lacking: int) -> bool:
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

    def text(state: int) -> str:
        """Write the cells row by row, # for one that is marked or counts as such, and the ply."""
        return f"{''.join('?#'[state >> cell & 1] for cell in range(cells))} {state >> cells}"

    own = Rules(
        start=of(0),
        max_moves=cells,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=turn_by_ply(cells),
        largest_code=nowhere,
        impartial=rules.impartial,
        max_plies=cells,
    )
    return Residual(of, own, text)


# Stones that fall -----------------------------------------------------------------------------------------------------


def stack_residual(
    rows: int, cols: int, k: int, lines: Sequence[Sequence[int]], payoff: int, planes: Callable[[int], tuple[int, int]]
) -> Residual:
    """Return what is left to play on ``rows`` x ``cols`` cells where stones fall down columns, and the first player
    gets this ``payoff`` for a line of ``k`` own stones, and its opposite for the second player's: the heights of the
    columns, and the stones on live lines.

    Column c has the bits from ``rows * c``, the lowest for the bottom cell. If a line has ended the game, the bit above
    the planes is set and the rest is the ply, which says who has won. ``lines`` hold bits, and ``planes(state)``, to be
    compiled, gives X's and O's stones of an ordinary state in this form.
    """
    cells, column = rows * cols, (1 << rows) - 1
    board, over = (1 << cells) - 1, 1 << 2 * cells
    left = _stones_left(rows, cols, k, masks_of(lines))

    def of(state: int) -> int:
        x, o = planes(state)
        return left(x, o)

    def legal_moves(state: int, out: Any) -> int:
        stones, found = (state | state >> cells) & board, 0
        for c in range(cols):
            if stones >> rows * c & column != column:
                out[found] = c
                found += 1
        return found

    def play(state: int, move: int) -> int:
        x, o = state & board, state >> cells
        stones = x | o
        cell = (stones >> rows * move & column) + 1 << rows * move
        return left(x, o | cell) if popcount(stones) & 1 else left(x | cell, o)

    def outcome(state: int) -> int:
        if state & over:
            return payoff * (2 * (state & 1) - 1)
        return 0 if (state | state >> cells) & board == board else ONGOING

    def to_move(state: int) -> int:
        ply = state if state & over else popcount((state | state >> cells) & board)
        return 1 - 2 * (ply & 1)

    def text(state: int) -> str:
        """Write stones row by row from the top, # for one that no line needs."""
        if state & over:
            return f"a line after {state - over}"
        marks = _marks(state, cells)
        return "/".join("".join(marks[c * rows + r] for c in range(cols)) for r in range(rows - 1, -1, -1))

    own = Rules(
        start=0,
        max_moves=cols,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=to_move,
        largest_code=cols - 1,
        max_plies=cells,
    )
    return Residual(of, own, text)


def _stones_left(rows: int, cols: int, k: int, masks: np.ndarray) -> Callable[[int, int], int]:
    """Make ``left(x, o)``: the state with these stones; unimportant ones belong to both."""
    cells, column, count = rows * cols, (1 << rows) - 1, len(masks)
    live, over = _live(cells, masks, k, either_mark=False), 1 << 2 * cells

    def mirrored(stones: int) -> int:
        image = 0
        for c in range(cols):
            image |= (stones >> rows * c & column) << rows * (cols - 1 - c)
        return image

    def left(x: int, o: int) -> int:
        needed, ply = 0, popcount(x | o)
        for line in range(count):
            mask = int(masks[line])
            if (x & mask == mask and not o & mask) or (o & mask == mask and not x & mask):
                return over | ply
            if live(x, o, ply, line):
                needed |= mask
        both = (x | o) & ~needed
        x, o = x | both, o | both
        return min(x | o << cells, mirrored(x) | mirrored(o) << cells)

    return left


def _marks(state: int, cells: int) -> list[str]:
    """Return the cells of a state with two planes as text."""
    return [MARKS[(state >> cell & 1) + 2 * (state >> cell + cells & 1)] for cell in range(cells)]


# Two marks on any board -----------------------------------------------------------------------------------------------


class _Lines(NamedTuple):
    """What the functions of a board share; all functions are to be compiled."""

    cells: int
    masks: np.ndarray  # int64[lines]
    k: int
    either_mark: bool
    live: Callable[[int, int, int, int], bool]
    needed: Callable[[int, int, int], tuple[int, int]]
    """``needed(x, o, ply)``: the cells on live lines, and those of them that are interchangeable in their line."""
    gathered: Callable[[int, int, int, int], int]
    """``gathered(x, o, ply, own)``: both planes, with marks on such cells moved to the first of them."""


def _lines(cells: int, lines: Iterable[Sequence[int]], k: int, either_mark: bool) -> _Lines:
    masks = masks_of(lines)
    count, live = len(masks), _live(cells, masks, k, either_mark)

    def needed(x: int, o: int, ply: int) -> tuple[int, int]:
        once, twice, kept = 0, 0, 0
        for line in range(count):
            if live(x, o, ply, line):
                mask = int(masks[line])
                twice |= once & mask
                once |= mask
        for line in range(count):  # a line with a cell that nobody needs is dead anyway
            mask = int(masks[line])
            if not mask & ~once and not live(x, o, ply, line):
                kept |= mask
        return once, once & ~twice & ~kept

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

    return _Lines(cells, masks, k, either_mark, live, needed, gathered)


def board_residual(rules: Rules, shape: tuple[int, int], k: int, payoff: int, *, either_mark: bool = False) -> Residual:
    """Return what is left to play if two players in turn mark a cell, and the first player gets this ``payoff`` for
    ``k`` equal marks in one of the lines, and its opposite for the second player's.

    Cells on no live line are alike, marked or not; of the cells on a single live line only the number of marks counts,
    and the first ones are marked. If no line leaves its row, or its column, each of these is the lesser of its two
    images, and they are sorted. Once somebody has completed a line all cells are X's.

    ``rules`` are those of the game, with its lines and symmetries, on a board of this ``shape``, rows and columns.
    Marks are X and O in turn; with ``either_mark`` both players may write either (moves are then twice the cell, + 1
    for O), and the marks may be exchanged.
    """
    cells, kinds = rules.cells, 2 if either_mark else 1
    board = _lines(cells, rules.lines, k, either_mark)
    left, whole, ply_bit, planes = _marks_left(board, rules, shape), (1 << cells) - 1, 2 * cells, (1 << 2 * cells) - 1

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

    def text(state: int) -> str:
        """Write marks row by row, # for a cell that nobody needs, and the ply."""
        return f"{''.join(_marks(state, cells))} {state >> ply_bit}"

    own = Rules(
        start=of(0),
        max_moves=kinds * cells,
        legal_moves=_board_moves(board),
        play=play,
        outcome=outcome,
        to_move=turn_by_ply(ply_bit),
        largest_code=kinds * cells,
        max_plies=cells,
    )
    return Residual(of, own, text)


def _board_moves(board: _Lines) -> Callable[[int, Any], int]:
    """Make ``legal_moves``: the moves on live lines, then those on cells that nobody needs, all with one code."""
    cells, masks, count, needed, live = board.cells, board.masks, len(board.masks), board.needed, board.live
    kinds, whole, ply_bit = 2 if board.either_mark else 1, (1 << cells) - 1, 2 * cells

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


def _marks_left(board: _Lines, rules: Rules, shape: tuple[int, int]) -> Callable[[int, int, int], int]:
    """Make ``left(x, o, ply)``: the state with these marks, whether the game is over or not."""
    rows, cols = shape
    if board.k > rows:
        canonical = _by_rows(board, cols)
    elif board.k > cols:
        canonical = _by_columns(board, rules.lines, rows, cols)
    else:
        canonical = _by_images(board, rules.symmetries)
    masks, count, whole, ply_bit = board.masks, len(board.masks), (1 << board.cells) - 1, 2 * board.cells

    def left(x: int, o: int, ply: int) -> int:
        for line in range(count):
            mask = int(masks[line])
            if (x & mask == mask and not o & mask) or (o & mask == mask and not x & mask):
                return whole | ply << ply_bit
        return canonical(x, o, ply)

    return left


def _by_images(board: _Lines, symmetries: tuple[Permutation, ...]) -> Callable[[int, int, int], int]:
    """Make ``canonical(x, o, ply)``: the state with these marks while the game goes on, as the least image."""
    cells, either_mark, needed, gathered = board.cells, board.either_mark, board.needed, board.gathered
    image, order, whole, ply_bit = image_of(cells, symmetries), len(symmetries), (1 << cells) - 1, 2 * cells

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


def _by_rows(board: _Lines, cols: int) -> Callable[[int, int, int], int]:
    """Do the same if each line lies in a row: the lesser image of each row, with rows sorted."""
    cells, either_mark, needed, gathered = board.cells, board.either_mark, board.needed, board.gathered
    image = image_of(cells, (tuple(cell - cell % cols + cols - 1 - cell % cols for cell in range(cells)),))
    whole, ply_bit, rows, row, both = (1 << cells) - 1, 2 * cells, cells // cols, (1 << cols) - 1, (1 << 2 * cols) - 1

    def lane(planes: int, first: int) -> int:
        """Return both marks of the row with this first cell; if they may be exchanged, the lesser way round."""
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


def _by_columns(board: _Lines, lines: Iterable[Sequence[int]], rows: int, cols: int) -> Callable[[int, int, int], int]:
    """Do the same if each line lies in a column, by the rows of the transposed board."""
    cells, whole, ply_bit = board.cells, (1 << board.cells) - 1, 2 * board.cells
    there = tuple(cell % cols * rows + cell // cols for cell in range(cells))
    back = tuple(cell % rows * cols + cell // rows for cell in range(cells))
    turned = _lines(cells, [[there[cell] for cell in line] for line in lines], board.k, board.either_mark)
    by_rows, image = _by_rows(turned, rows), image_of(cells, (there, back))

    def canonical(x: int, o: int, ply: int) -> int:
        state = by_rows(image(x, 0), image(o, 0), ply)
        return image(state & whole, 1) | image(state >> cells & whole, 1) << cells | ply << ply_bit

    return canonical
