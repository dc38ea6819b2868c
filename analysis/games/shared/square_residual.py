"""What is left to play on an n x n board with n in a row, n from 3 to 5: its live lines.

A line is dead if both sides have marks on it, or if nobody can fill it in the moves that are left to him. A mark counts
while it lies on a live line. What the rest of the game depends on is then which lines are alive, who owns them (who has
marks on them), how many marks each has on cells of its own, which of the cells are marked that lie on several live
lines, and the ply. Cells on one live line alone are interchangeable, and so are all cells on none.

Lines permute as long as the cells do that two of them share: rows and columns freely once both diagonals are dead, rows
and columns together while one diagonal is alive, and else by the 32 (n = 3: 8) automorphisms of all lines; each time
also rows for columns.

A state holds, on a board five cells wide whatever n is::

    bits  0 to 24   the marks that count, cell (i, j) at 5 i + j
         25 to 36   which lines are alive: rows, columns, diagonal, antidiagonal
         37 to 48   which of these are O's
         49 to 53   the ply

A mark that counts is its line's owner's. When the game is over no line is alive, and the two lowest bits say who has
completed one. A move is a cell or, for a cell on no live line, `NOWHERE`; of cells that are interchangeable it is the
first, as often as there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.games.shared.placing import write_cells
from analysis.games.shared.residual_parts import first_of, repeated
from analysis.games.shared.square_forms import WIDTH, fixed_form, free_form, joint_form, mirrored
from analysis.rules.game import ONGOING, Residual, Rules, popcount

SIZES = range(3, WIDTH + 1)
"""Of boards."""
DIAGONAL, ANTIDIAGONAL, LINES = 10, 11, 12
"""Numbers of the diagonals, and of all lines; rows are 0 to 4, columns 5 to 9."""
ALIVE, COLOUR, PLY = 25, 37, 49
"""The first bits of what a state holds."""
MARKS, FLAGS = (1 << ALIVE) - 1, (1 << LINES) - 1
NOWHERE = 25
X_WON, O_WON = 1, 2

Seen = Callable[[int], tuple[int, int]]
Canonical = Callable[[int, int, int, int], int]


def square_residual(n: int, payoff: int) -> Residual:
    """What is left to play on a board of n x n cells with n in a row, n from 3 to 5, where the first player gets this
    ``payoff`` for a line of his own, and gives it for one of the second player's.
    """
    lines, all_cells = _lines(n), n * n
    seen = _seen(lines)
    canonical = _canonical(n, lines, seen)

    def outcome(state: int) -> int:
        if state >> ALIVE & FLAGS:
            return ONGOING
        if state & (X_WON | O_WON):
            return payoff if state & X_WON else -payoff
        return 0 if state >> PLY == all_cells else ONGOING

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> PLY & 1)

    def text(state: int) -> str:
        """Marks row by row, # for a cell that nobody needs, the live lines (rows by number, columns by letter), and the
        ply.
        """
        alive, ply = state >> ALIVE & FLAGS, state >> PLY
        if not alive:
            return f"{'X won' if state & X_WON else 'O won' if state & O_WON else 'level'} {ply}"
        needed, owned = seen(alive)[0], seen(state >> COLOUR & FLAGS)[0]
        cells = [WIDTH * (cell // n) + cell % n for cell in range(all_cells)]
        marks = ["XO"[owned >> cell & 1] if state >> cell & 1 else "#?"[needed >> cell & 1] for cell in cells]
        names = [name for line, name in enumerate("12345abcde\\/") if alive >> line & 1]
        return f"{''.join(marks)} {''.join(names)} {ply}"

    of = _of(n, lines, seen, canonical)
    rules = Rules(
        start=of(0),
        max_moves=all_cells,
        legal_moves=_legal_moves(all_cells, lines, seen),
        play=_play(lines, seen, canonical),
        outcome=outcome,
        to_move=to_move,
        largest_code=NOWHERE,
        max_plies=all_cells,
    )
    return Residual(of, rules, text)


def _lines(n: int) -> np.ndarray:
    """The cells of each line int64[LINES], 0 where there is no such line."""
    rows = [(1 << n) - 1 << WIDTH * i for i in range(n)]
    columns = [sum(1 << WIDTH * i + j for i in range(n)) for j in range(n)]
    diagonals = [sum(1 << 6 * i for i in range(n)), sum(1 << 4 * i + n - 1 for i in range(n))]
    missing = [0] * (WIDTH - n)
    return np.array([*rows, *missing, *columns, *missing, *diagonals], np.int64)


def _seen(lines: np.ndarray) -> Seen:
    """``seen(alive)``: the cells on live lines, and those on several."""

    def seen(alive: int) -> tuple[int, int]:
        once, twice = 0, 0
        for line in range(LINES):
            if alive >> line & 1:
                mask = int(lines[line])
                twice |= once & mask
                once |= mask
        return once, twice

    return seen


# States ---------------------------------------------------------------------------------------------------------------


def _canonical(n: int, lines: np.ndarray, seen: Seen) -> Canonical:
    """``canonical(marks, alive, colour, ply)``: the state with these marks and lines, of which nobody may be able to
    fill some any more.
    """
    unfillable, packed = _unfillable(n, lines), _packed(lines, seen)

    def label(own: int, alive: int, colour: int, line: int) -> int:
        """Whether a line is alive, O's, and how many of its own cells are marked; 0 where it is dead."""
        if not alive >> line & 1:
            return 0
        return 1 << 4 | (colour >> line & 1) << 3 | popcount(own & int(lines[line]))

    def canonical(marks: int, alive: int, colour: int, ply: int) -> int:
        alive ^= unfillable(marks, alive, colour, ply)
        if not alive:
            return ply << PLY
        once, twice = seen(alive)
        cells, own, rows, columns = marks & twice, marks & once & ~twice, 0, 0
        for i in range(n):
            rows |= label(own, alive, colour, i) << WIDTH * i
            columns |= label(own, alive, colour, WIDTH + i) << WIDTH * i
        diagonal, antidiagonal = label(own, alive, colour, DIAGONAL), label(own, alive, colour, ANTIDIAGONAL)
        if diagonal and antidiagonal:
            cells, rows, columns, diagonal, antidiagonal = fixed_form(cells, rows, columns, diagonal, antidiagonal, n)
        elif diagonal or antidiagonal:
            if antidiagonal:
                cells, columns = mirrored(cells, columns, n)
                diagonal, antidiagonal = antidiagonal, 0
            cells, rows, columns = joint_form(cells, rows, columns, n)
        else:
            cells, rows, columns = free_form(cells, rows, columns)
        return packed(cells, rows, columns, diagonal | antidiagonal << WIDTH, ply)

    return canonical


def _unfillable(n: int, lines: np.ndarray) -> Canonical:
    """``unfillable(marks, alive, colour, ply)``: the live lines that nobody can fill in the moves that are left."""

    def unfillable(marks: int, alive: int, colour: int, ply: int) -> int:
        left = n * n - ply
        x_left = left + 1 - (ply & 1) >> 1
        o_left, found = left - x_left, 0
        for line in range(LINES):
            if alive >> line & 1:
                marked = popcount(marks & int(lines[line]))
                most = o_left if colour >> line & 1 else x_left if marked else max(x_left, o_left)
                found |= (n - marked > most) << line
        return found

    return unfillable


def _packed(lines: np.ndarray, seen: Seen) -> Callable[[int, int, int, int, int], int]:
    """``packed(cells, rows, columns, diagonals, ply)``: the state with these labels, the marks of lines on the first of
    their own cells.
    """

    def packed(cells: int, rows: int, columns: int, diagonals: int, ply: int) -> int:
        alive, colour = 0, 0
        for i in range(WIDTH):
            alive |= (rows >> WIDTH * i + 4 & 1) << i | (columns >> WIDTH * i + 4 & 1) << WIDTH + i
            colour |= (rows >> WIDTH * i + 3 & 1) << i | (columns >> WIDTH * i + 3 & 1) << WIDTH + i
        alive |= (diagonals >> 4 & 1) << DIAGONAL | (diagonals >> 9 & 1) << ANTIDIAGONAL
        colour |= (diagonals >> 3 & 1) << DIAGONAL | (diagonals >> 8 & 1) << ANTIDIAGONAL
        once, twice = seen(alive)
        own = once & ~twice
        for i in range(WIDTH):
            cells |= first_of(int(lines[i]) & own, rows >> WIDTH * i & 7)
            cells |= first_of(int(lines[WIDTH + i]) & own, columns >> WIDTH * i & 7)
        cells |= first_of(int(lines[DIAGONAL]) & own, diagonals & 7)
        cells |= first_of(int(lines[ANTIDIAGONAL]) & own, diagonals >> WIDTH & 7)
        return cells | alive << ALIVE | colour << COLOUR | ply << PLY

    return packed


def _of(n: int, lines: np.ndarray, seen: Seen, canonical: Canonical) -> Callable[[int], int]:
    """``of(state)`` of a state with two planes of n x n bits, X's marks below O's."""
    all_cells, board, width = n * n, (1 << n * n) - 1, (1 << n) - 1

    def spread(cells: int) -> int:
        """Cells of a board of n columns on one of five."""
        wide = 0
        for i in range(n):
            wide |= (cells >> n * i & width) << WIDTH * i
        return wide

    def of(state: int) -> int:
        x, o = spread(state & board), spread(state >> all_cells)
        ply, alive, colour = popcount(state), 0, 0
        for line in range(LINES):
            mask = int(lines[line])
            if mask and (x & mask == mask or o & mask == mask):
                return (X_WON if x & mask == mask else O_WON) | ply << PLY
            if mask and not (x & mask and o & mask):
                alive |= 1 << line
                colour |= (o & mask != 0) << line
        return canonical((x | o) & seen(alive)[0], alive, colour, ply)

    return of


# Moves ----------------------------------------------------------------------------------------------------------------


def _legal_moves(all_cells: int, lines: np.ndarray, seen: Seen) -> Callable[[int, Any], int]:
    """``legal_moves(state, out)``."""

    def legal_moves(state: int, out: Any) -> int:
        marks, alive = state & MARKS, state >> ALIVE & FLAGS
        once, twice = seen(alive)
        count = write_cells(twice & ~marks, out)
        for line in range(LINES):
            own = int(lines[line]) & once & ~twice & ~marks
            if alive >> line & 1 and own:
                count = repeated(popcount((own & -own) - 1), popcount(own), 1, out, count)
        return repeated(NOWHERE, all_cells - (state >> PLY) - popcount(once & ~marks), 1, out, count)

    return legal_moves


def _play(lines: np.ndarray, seen: Seen, canonical: Canonical) -> Callable[[int, int], int]:
    """``play(state, move)``."""

    def play(state: int, move: int) -> int:
        marks, alive, colour, ply = state & MARKS, state >> ALIVE & FLAGS, state >> COLOUR & FLAGS, state >> PLY
        if move == NOWHERE:
            return canonical(marks, alive, colour, ply + 1)
        cell, side = 1 << move, ply & 1
        for line in range(LINES):
            mask = int(lines[line])
            if alive >> line & 1 and cell & mask:
                if marks & mask == 0:
                    colour |= side << line
                elif colour >> line & 1 != side:
                    alive ^= 1 << line
                elif (marks | cell) & mask == mask:
                    return (O_WON if side else X_WON) | ply + 1 << PLY
        return canonical((marks | cell) & seen(alive)[0], alive, colour & alive, ply + 1)

    return play
