"""Define what is left to play on an n x n board with n in a row, n from 3 to 5: its live lines.

A line is dead if both sides have marks on it, or if nobody can fill it in the moves left. A mark counts while it lies
on a live line. The rest of the game then depends on which lines are alive, who owns them (has marks on them), how many
marks each line has on cells of its own, which cells on several live lines are marked, and the ply. Cells on a single
live line are interchangeable, and so are all cells on none.

Lines may be permuted as long as the cells that two of them share move along: rows and columns freely once both
diagonals are dead, rows and columns together while one diagonal is alive, and otherwise by the 32 (n = 3: 8)
automorphisms of all lines; each time rows and columns may also be exchanged.

A state holds, on a board five cells wide for any n::

    bits  0 to 24   the marks that count, cell (i, j) at 5 i + j
         25 to 36   which lines are alive: rows, columns, diagonal, antidiagonal
         37 to 48   which of these are O's
         49 to 53   the ply

A mark that counts belongs to its line's owner. When the game is over no line is alive, and the two lowest bits say who
has completed one. A move is a cell or, for any cell on no live line, `NOWHERE`; for interchangeable cells it is the
first, repeated for each.

For the canonical form columns are sorted by an invariant (colours refined twice along the marked cells), and only ties
are tried in every order; then rows are sorted. Colours are hashes: if two collide, a class may have two forms, which
adds a class but changes no count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .boards import write_cells
from .game import ONGOING, Residual, Rules, popcount
from .residuals import first_of, repeated, turn_by_ply

WIDTH = 5
ROW, COLUMN = 0b11111, 0b00001_00001_00001_00001_00001
HASH = 12
"""Bits of the colour of a row or column."""
LOW = (1 << HASH) - 1
SIZES = range(3, WIDTH + 1)
"""Sizes of boards."""
DIAGONAL, ANTIDIAGONAL, LINES = 10, 11, 12
"""Numbers of the diagonals, and the number of lines; rows are 0 to 4, columns 5 to 9."""
ALIVE, COLOUR, PLY = 25, 37, 49
"""First bits of the parts of a state."""
MARKS, FLAGS = (1 << ALIVE) - 1, (1 << LINES) - 1
NOWHERE = 25
X_WON, O_WON = 1, 2

Seen = Callable[[int], tuple[int, int]]
Canonical = Callable[[int, int, int, int], int]


def square_residual(n: int, payoff: int) -> Residual:
    """Return what is left to play on a board of n x n cells with n in a row, n from 3 to 5, if the first player gets
    this ``payoff`` for a line of his own, and its opposite for one of the second player's.
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

    def text(state: int) -> str:
        """Write marks row by row, # for unneeded ones, the live lines (rows 1 on, columns a on), and the ply."""
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
        to_move=turn_by_ply(PLY),
        largest_code=NOWHERE,
        max_plies=all_cells,
    )
    return Residual(of, rules, text)


def _lines(n: int) -> np.ndarray:
    """Return the cells of each line, int64[LINES], 0 where there is no such line."""
    rows = [(1 << n) - 1 << WIDTH * i for i in range(n)]
    columns = [sum(1 << WIDTH * i + j for i in range(n)) for j in range(n)]
    diagonals = [sum(1 << 6 * i for i in range(n)), sum(1 << 4 * i + n - 1 for i in range(n))]
    missing = [0] * (WIDTH - n)
    return np.array([*rows, *missing, *columns, *missing, *diagonals], np.int64)


def _seen(lines: np.ndarray) -> Seen:
    """Make ``seen(alive)``: the cells on live lines, and those on several."""

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
    """Make ``canonical(marks, alive, colour, ply)``: the state with these marks and lines."""
    unfillable, packed = _unfillable(n, lines), _packed(lines, seen)

    def label(own: int, alive: int, colour: int, line: int) -> int:
        """Combine whether a line is alive, whether it is O's, and its own marked cells; 0 if it is dead."""
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
    """Make ``unfillable(marks, alive, colour, ply)``: the live lines that nobody can fill in the moves left."""

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
    """Make ``packed(cells, rows, columns, diagonals, ply)``: the state with these labels, own cells in order."""

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
    """Make ``of(state)`` for a state with two planes of n x n bits, X's marks below O's."""
    all_cells, board, width = n * n, (1 << n * n) - 1, (1 << n) - 1

    def spread(cells: int) -> int:
        """Spread the cells of a board of n columns over one of five."""
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
    """Make ``legal_moves(state, out)``."""

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
    """Make ``play(state, move)``."""

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


# Boards of five lanes of five bits: cells, or the labels of five lines ------------------------------------------------


def swap_columns(cells: int, a: int, b: int) -> int:
    """Exchange two columns."""
    changed = (cells >> a ^ cells >> b) & COLUMN
    return cells ^ (changed << a | changed << b)


def swap_lanes(lanes: int, a: int, b: int) -> int:
    """Exchange two rows of cells, or two labels."""
    changed = (lanes >> WIDTH * a ^ lanes >> WIDTH * b) & ROW
    return lanes ^ (changed << WIDTH * a | changed << WIDTH * b)


def transposed(cells: int) -> int:
    """Exchange rows and columns."""
    image = 0
    for j in range(WIDTH):
        column = cells >> j & COLUMN
        image |= ((column | column >> 4 | column >> 8 | column >> 12 | column >> 16) & ROW) << WIDTH * j
    return image


def _exchanges(first: int, size: int) -> list[int]:
    """Return the neighbours to exchange, each pair by its first place, to go through all orders of ``size`` things from
    place ``first`` once (Steinhaus, Johnson, Trotter).
    """
    if size < 2:
        return []
    others, last, exchanges, step = _exchanges(first, size - 1), size - 1, list[int](), -1
    for other in [*others, None]:
        for _ in range(size - 1):
            exchanges.append(first + min(last, last + step))
            last += step
        if other is not None:
            exchanges.append(other + (last == 0))
        step = -step
    return exchanges


def _orders(ties: int) -> list[int]:
    """Do the same for five things among which only equal neighbours change places: bit ``p`` of ``ties`` is set if
    those in places ``p`` and ``p + 1`` are equal.

    >>> _orders(0b0101), len(_orders(0b1111))
    ([0, 2, 0], 119)
    """
    exchanges, first = list[int](), 0
    for place in range(WIDTH):
        if not ties >> place & 1:
            inner = exchanges
            for exchange in _exchanges(first, place + 1 - first):
                inner = inner[::-1]
                exchanges = [*exchanges, exchange, *inner]
            first = place + 1
    return exchanges


def _table(rows: Sequence[Sequence[int]]) -> np.ndarray:
    table = np.zeros((len(rows), max(map(len, rows))), np.uint8)
    for row, numbers in zip(table, rows, strict=True):
        row[: len(numbers)] = numbers
    return table


_ORDERS = [_orders(ties) for ties in range(1 << WIDTH - 1)]
EXCHANGES = _table(_ORDERS)
ORDERS = tuple(map(len, _ORDERS))


# Canonical forms ------------------------------------------------------------------------------------------------------


def mixed(number: int) -> int:
    """Return `HASH` bits of a number of up to 31."""
    return (number * 0x9E3779B1 >> 20) & LOW


def coloured(cells: int, labels: int) -> int:
    """Return the first colours of rows, `HASH` bits each: from their labels and numbers of marked cells."""
    colours = 0
    for i in range(WIDTH):
        label, marked = labels >> WIDTH * i & ROW, popcount(cells >> WIDTH * i & ROW)
        colours |= mixed(label << 3 | marked) << HASH * i
    return colours


def refined(cells: int, own: int, across: int) -> int:
    """Return new colours of rows, from their own and those of the columns in which they are marked."""
    colours = 0
    for i in range(WIDTH):
        row, total = cells >> WIDTH * i & ROW, (own >> HASH * i & LOW) << HASH + 3
        while row:
            total += mixed(across >> HASH * popcount((row & -row) - 1) & LOW)
            row &= row - 1
        colours |= mixed(total) << HASH * i
    return colours


def both_refined(cells: int, across: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the colours of rows and of columns, refined once from labels; ``across`` are the cells transposed."""
    own, other = coloured(cells, rows), coloured(across, columns)
    return refined(cells, own, other), refined(across, other, own)


def weight(colours: int) -> int:
    """Return a number of five colours that does not depend on their order."""
    total = 0
    for i in range(WIDTH):
        colour = colours >> HASH * i & LOW
        total += colour * colour
    return total


def descending(a: int, b: int, c: int, d: int, e: int) -> tuple[int, int, int, int, int]:
    """Sort five numbers, by a network of nine comparisons (Knuth, TAOCP 3, 5.3.4)."""
    a, b = max(a, b), min(a, b)
    d, e = max(d, e), min(d, e)
    c, e = max(c, e), min(c, e)
    c, d = max(c, d), min(c, d)
    b, e = max(b, e), min(b, e)
    a, d = max(a, d), min(a, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    return a, b, c, d, e


def order_of(a: int, b: int, c: int, d: int, e: int) -> tuple[int, int]:
    """Return the old places of five sorted keys, in lanes of three bits, and as bits which equal the next (not 0)."""
    a, b, c, d, e = descending(a << 3, b << 3 | 1, c << 3 | 2, d << 3 | 3, e << 3 | 4)
    places = a & 7 | (b & 7) << 3 | (c & 7) << 6 | (d & 7) << 9 | (e & 7) << 12
    a, b, c, d, e = a >> 3, b >> 3, c >> 3, d >> 3, e >> 3
    return places, (a == b != 0) | (b == c != 0) << 1 | (c == d != 0) << 2 | (d == e != 0) << 3


def key_of(labels: int, colours: int, i: int) -> int:
    """Return the sort key of a row or column; 0 if it is dead."""
    label = labels >> WIDTH * i & ROW
    return label << HASH | colours >> HASH * i & LOW if label else 0


def sorted_rows(cells: int, rows: int) -> int:
    """Return the rows, each with its label above its cells, sorted: lanes of ten bits."""
    a, b, c, d, e = descending(
        (rows & ROW) << WIDTH | cells & ROW,
        (rows >> 5 & ROW) << WIDTH | cells >> 5 & ROW,
        (rows >> 10 & ROW) << WIDTH | cells >> 10 & ROW,
        (rows >> 15 & ROW) << WIDTH | cells >> 15 & ROW,
        rows >> 20 << WIDTH | cells >> 20,
    )
    return a | b << 10 | c << 20 | d << 30 | e << 40


def arranged_freely(cells: int, rows: int, columns: int, colours: int) -> tuple[int, int]:
    """Order columns, whose ``colours`` are given, to make the sorted rows greatest; return labels and rows."""
    places, ties = order_of(
        key_of(columns, colours, 0), key_of(columns, colours, 1), key_of(columns, colours, 2),
        key_of(columns, colours, 3), key_of(columns, colours, 4),
    )  # fmt: skip
    moved, labels = 0, 0
    for place in range(WIDTH):
        j = places >> 3 * place & 7
        moved |= (cells >> j & COLUMN) << place
        labels |= (columns >> WIDTH * j & ROW) << WIDTH * place
    best = sorted_rows(moved, rows)
    for step in range(ORDERS[ties]):
        exchanged = swap_columns(moved, int(EXCHANGES[ties, step]), int(EXCHANGES[ties, step]) + 1)
        if exchanged != moved:
            moved = exchanged
            best = max(best, sorted_rows(moved, rows))
    return labels, best


def free_form(cells: int, rows: int, columns: int) -> tuple[int, int, int]:
    """Return the canonical form if rows and columns permute freely: cells, and labels of rows and of columns."""
    across = transposed(cells)
    row_colours, column_colours = both_refined(cells, across, rows, columns)
    row_weight, column_weight = weight(row_colours), weight(column_colours)
    labels, best = -1, -1
    if row_weight >= column_weight:
        labels, best = arranged_freely(cells, rows, columns, refined(across, column_colours, row_colours))
    if row_weight <= column_weight:
        other, found = arranged_freely(across, columns, rows, refined(cells, row_colours, column_colours))
        if other > labels or (other == labels and found > best):
            labels, best = other, found
    cells = rows = 0
    for i in range(WIDTH):
        lane = best >> 10 * i & 1023
        cells |= (lane & ROW) << WIDTH * i
        rows |= lane >> WIDTH << WIDTH * i
    return cells, rows, labels


def arranged_jointly(cells: int, rows: int, columns: int, colours: int, n: int) -> tuple[int, int, int]:
    """Order rows and columns together, by labels and then ``colours``, to make the cells greatest."""
    places, ties = order_of(
        joint_key(rows, columns, colours, 0, n), joint_key(rows, columns, colours, 1, n),
        joint_key(rows, columns, colours, 2, n), joint_key(rows, columns, colours, 3, n),
        joint_key(rows, columns, colours, 4, n),
    )  # fmt: skip
    moved, row_labels, column_labels = 0, 0, 0
    for place in range(WIDTH):
        i = places >> 3 * place & 7
        row_labels |= (rows >> WIDTH * i & ROW) << WIDTH * place
        column_labels |= (columns >> WIDTH * i & ROW) << WIDTH * place
        for other in range(WIDTH):
            moved |= (cells >> WIDTH * i + (places >> 3 * other & 7) & 1) << WIDTH * place + other
    best = moved
    for step in range(ORDERS[ties]):
        a = int(EXCHANGES[ties, step])
        moved = swap_lanes(swap_columns(moved, a, a + 1), a, a + 1)
        best = max(best, moved)
    return best, row_labels, column_labels


def joint_key(rows: int, columns: int, colours: int, i: int, n: int) -> int:
    """Return the sort key of a row with its column; 0 if the board has none."""
    if i >= n:
        return 0
    labels = 1 << 2 * WIDTH | (rows >> WIDTH * i & ROW) << WIDTH | columns >> WIDTH * i & ROW
    return labels << HASH | colours >> HASH * i & LOW


def joint_form(cells: int, rows: int, columns: int, n: int) -> tuple[int, int, int]:
    """Return the canonical form if rows and columns permute together, since a diagonal is alive."""
    across = transposed(cells)
    row_colours, column_colours = both_refined(cells, across, rows, columns)
    row_weight, column_weight = weight(row_colours), weight(column_colours)
    best, labels, others = -1, -1, -1
    if row_weight >= column_weight:
        colours = both_coloured(cells, across, row_colours, column_colours)
        best, labels, others = arranged_jointly(cells, rows, columns, colours, n)
    if row_weight <= column_weight:
        colours = both_coloured(across, cells, column_colours, row_colours)
        moved, first, second = arranged_jointly(across, columns, rows, colours, n)
        if (first << 25 | second) > (labels << 25 | others) or (first == labels and second == others and moved > best):
            best, labels, others = moved, first, second
    return best, labels, others


def both_coloured(cells: int, across: int, rows: int, columns: int) -> int:
    """Return colours of rows with their columns, from those of both and the cells in which they meet."""
    colours = 0
    for i in range(WIDTH):
        both = (rows >> HASH * i & LOW) << HASH + 3 | (columns >> HASH * i & LOW) << 3 | (cells >> 6 * i & 1)
        colours |= mixed(both) << HASH * i
    return refined(cells, refined(across, colours, colours), colours)


def fixed_form(
    cells: int, rows: int, columns: int, diagonal: int, antidiagonal: int, n: int
) -> tuple[int, int, int, int, int]:
    """Return the canonical form if both diagonals are alive: the greatest image under the permutations that preserve
    both, or exchange them.

    Places are exchanged with their opposites, two pairs of opposites with each other (n = 4 and 5), both in turn, so
    that rows and columns go through the eight permutations of a square's corners; then columns alone are mirrored, and
    rows become columns.
    """
    best_labels, best_cells = -1, -1
    last = n - 1
    for turn in range(4):
        for step in range(8 if n > 3 else 2):
            key, other = rows << 25 | columns, cells << 10 | diagonal << WIDTH | antidiagonal
            if key > best_labels or (key == best_labels and other > best_cells):
                best_labels, best_cells = key, other
            if step & 1 and n > 3:
                cells = both_swapped(both_swapped(cells, 0, 1), last - 1, last)
                rows = swap_lanes(swap_lanes(rows, 0, 1), last - 1, last)
                columns = swap_lanes(swap_lanes(columns, 0, 1), last - 1, last)
            else:
                cells = both_swapped(cells, 0, last)
                rows, columns = swap_lanes(rows, 0, last), swap_lanes(columns, 0, last)
        if turn & 1:
            cells, rows, columns = transposed(cells), columns, rows
        else:
            cells, columns = mirrored(cells, columns, n)
            diagonal, antidiagonal = antidiagonal, diagonal
    cells = best_cells >> 10
    return cells, best_labels >> 25, best_labels & (1 << 25) - 1, best_cells >> WIDTH & ROW, best_cells & ROW


def both_swapped(cells: int, a: int, b: int) -> int:
    """Exchange two rows and the same two columns."""
    return swap_lanes(swap_columns(cells, a, b), a, b)


def mirrored(cells: int, columns: int, n: int) -> tuple[int, int]:
    """Reverse the columns of cells, and their labels."""
    last = n - 1
    cells, columns = swap_columns(cells, 0, last), swap_lanes(columns, 0, last)
    if n > 3:
        cells, columns = swap_columns(cells, 1, last - 1), swap_lanes(columns, 1, last - 1)
    return cells, columns
