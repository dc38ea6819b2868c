"""Canonical forms of a square board under the permutations of its lines that keep what its diagonals need.

A board is five cells wide, cell (i, j) at bit 5 i + j, whatever part of it is used; the labels of five rows or columns
lie in lanes of five bits. Columns are sorted by an invariant (colours refined twice along the marked cells), and only
those are tried in every order that it leaves equal; then rows are sorted. Colours are hashes: where two collide a class
may have two forms, which costs a class and no count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.rules.game import popcount

WIDTH = 5
ROW, COLUMN = 0b11111, 0b00001_00001_00001_00001_00001
HASH = 12
"""Bits of the colour of a row or column."""
LOW = (1 << HASH) - 1


# Boards of five lanes of five bits: cells, or the labels of five lines ------------------------------------------------


def swap_columns(cells: int, a: int, b: int) -> int:
    """Two columns exchanged.

    >>> bin(swap_columns(0b00001_00011, 0, 2))
    '0b10000110'
    """
    changed = (cells >> a ^ cells >> b) & COLUMN
    return cells ^ (changed << a | changed << b)


def swap_lanes(lanes: int, a: int, b: int) -> int:
    """Two rows of cells, or two labels, exchanged.

    >>> bin(swap_lanes(0b00001_00011, 0, 1))
    '0b1100001'
    """
    changed = (lanes >> WIDTH * a ^ lanes >> WIDTH * b) & ROW
    return lanes ^ (changed << WIDTH * a | changed << WIDTH * b)


def transposed(cells: int) -> int:
    """Rows for columns.

    >>> bin(transposed(0b00001_01100))
    '0b1000010000000010'
    """
    image = 0
    for j in range(WIDTH):
        column = cells >> j & COLUMN
        image |= ((column | column >> 4 | column >> 8 | column >> 12 | column >> 16) & ROW) << WIDTH * j
    return image


def _exchanges(first: int, size: int) -> list[int]:
    """Neighbours to exchange, each pair by its first place, so that all orders of so many things from the place
    ``first`` on are met once (Steinhaus, Johnson, Trotter).
    """
    if size < 2:
        return []
    others, last, found, step = _exchanges(first, size - 1), size - 1, list[int](), -1
    for other in [*others, None]:
        for _ in range(size - 1):
            found.append(first + min(last, last + step))
            last += step
        if other is not None:
            found.append(other + (last == 0))
        step = -step
    return found


def _orders(ties: int) -> list[int]:
    """The same for five things, of which only those that are equal to their neighbours change places: bit ``p`` of
    ``ties`` is set where those in the places ``p`` and ``p + 1`` are equal.

    >>> _orders(0b0101), len(_orders(0b1111))
    ([0, 2, 0], 119)
    """
    found, first = list[int](), 0
    for place in range(WIDTH):
        if not ties >> place & 1:
            inner = found
            for exchange in _exchanges(first, place + 1 - first):
                inner = inner[::-1]
                found = [*found, exchange, *inner]
            first = place + 1
    return found


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
    """`HASH` bits of a number of up to 31."""
    return (number * 0x9E3779B1 >> 20) & LOW


def coloured(cells: int, labels: int) -> int:
    """The first colours of rows, `HASH` bits each: by their labels and how many cells are marked."""
    colours = 0
    for i in range(WIDTH):
        label, marked = labels >> WIDTH * i & ROW, popcount(cells >> WIDTH * i & ROW)
        colours |= mixed(label << 3 | marked) << HASH * i
    return colours


def refined(cells: int, own: int, across: int) -> int:
    """Colours of rows, from those they had and those of the columns in which they are marked."""
    colours = 0
    for i in range(WIDTH):
        row, total = cells >> WIDTH * i & ROW, (own >> HASH * i & LOW) << HASH + 3
        while row:
            total += mixed(across >> HASH * popcount((row & -row) - 1) & LOW)
            row &= row - 1
        colours |= mixed(total) << HASH * i
    return colours


def weight(colours: int) -> int:
    """A number of five colours that does not depend on their order."""
    total = 0
    for i in range(WIDTH):
        colour = colours >> HASH * i & LOW
        total += colour * colour
    return total


def descending(a: int, b: int, c: int, d: int, e: int) -> tuple[int, int, int, int, int]:
    """Five numbers sorted, by a network of nine comparisons (Knuth, TAOCP 3, 5.3.4)."""
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
    """Where five keys lie that are sorted, in lanes of three bits, and which are equal to the next, as bits; keys of 0
    do not count as equal.
    """
    a, b, c, d, e = descending(a << 3, b << 3 | 1, c << 3 | 2, d << 3 | 3, e << 3 | 4)
    places = a & 7 | (b & 7) << 3 | (c & 7) << 6 | (d & 7) << 9 | (e & 7) << 12
    a, b, c, d, e = a >> 3, b >> 3, c >> 3, d >> 3, e >> 3
    return places, (a == b != 0) | (b == c != 0) << 1 | (c == d != 0) << 2 | (d == e != 0) << 3


def key_of(labels: int, colours: int, i: int) -> int:
    """What a row or column is sorted by; 0 where it is dead."""
    label = labels >> WIDTH * i & ROW
    return label << HASH | colours >> HASH * i & LOW if label else 0


def sorted_rows(cells: int, rows: int) -> int:
    """The rows, each with its label above its cells, sorted: lanes of ten bits."""
    a, b, c, d, e = descending(
        (rows & ROW) << WIDTH | cells & ROW,
        (rows >> 5 & ROW) << WIDTH | cells >> 5 & ROW,
        (rows >> 10 & ROW) << WIDTH | cells >> 10 & ROW,
        (rows >> 15 & ROW) << WIDTH | cells >> 15 & ROW,
        rows >> 20 << WIDTH | cells >> 20,
    )
    return a | b << 10 | c << 20 | d << 30 | e << 40


def arranged_freely(cells: int, rows: int, columns: int, colours: int) -> tuple[int, int]:
    """Columns, whose ``colours`` are given, in the order that makes the sorted rows greatest: their labels, and the
    rows.
    """
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
    """The canonical form where rows and columns permute freely: cells, and labels of rows and of columns."""
    across = transposed(cells)
    row_colours, column_colours = coloured(cells, rows), coloured(across, columns)
    row_colours, column_colours = (
        refined(cells, row_colours, column_colours),
        refined(across, column_colours, row_colours),
    )
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
    """Rows and columns in one order, by the labels of both and then by ``colours``, that makes the cells greatest:
    cells and labels.
    """
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
    """What a row with its column is sorted by; 0 where the board has none."""
    if i >= n:
        return 0
    labels = 1 << 2 * WIDTH | (rows >> WIDTH * i & ROW) << WIDTH | columns >> WIDTH * i & ROW
    return labels << HASH | colours >> HASH * i & LOW


def joint_form(cells: int, rows: int, columns: int, n: int) -> tuple[int, int, int]:
    """The canonical form where rows and columns permute together, the diagonal being alive."""
    across = transposed(cells)
    row_colours, column_colours = coloured(cells, rows), coloured(across, columns)
    row_colours, column_colours = (
        refined(cells, row_colours, column_colours),
        refined(across, column_colours, row_colours),
    )
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
    """Colours of rows with their columns, from those of both and the cells in which they meet, the diagonal's too."""
    colours = 0
    for i in range(WIDTH):
        both = (rows >> HASH * i & LOW) << HASH + 3 | (columns >> HASH * i & LOW) << 3 | (cells >> 6 * i & 1)
        colours |= mixed(both) << HASH * i
    return refined(cells, refined(across, colours, colours), colours)


def fixed_form(
    cells: int, rows: int, columns: int, diagonal: int, antidiagonal: int, n: int
) -> tuple[int, int, int, int, int]:
    """The canonical form where both diagonals are alive: the greatest of the images under the permutations that keep
    both, or exchange them.

    Places are exchanged with their opposites, two pairs of opposites with each other (n = 4 and 5), both in turn, since
    rows and columns then come through the eight permutations of a square's corners; then columns alone are mirrored,
    and rows become columns.
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
    """Two rows and the same two columns exchanged."""
    return swap_lanes(swap_columns(cells, a, b), a, b)


def mirrored(cells: int, columns: int, n: int) -> tuple[int, int]:
    """The columns of cells, and their labels, from right to left."""
    last = n - 1
    cells, columns = swap_columns(cells, 0, last), swap_lanes(columns, 0, last)
    if n > 3:
        cells, columns = swap_columns(cells, 1, last - 1), swap_lanes(columns, 1, last - 1)
    return cells, columns
