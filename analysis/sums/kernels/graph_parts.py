"""What a move on a graph leaves: its connected parts, each in its canonical form.

A part is a set of vertices as bits. On a grid its canonical form is the least of its images under rotations and
reflections, moved to the first rows and columns, as far as they fit the board; on other graphs, under automorphisms.
"""

from __future__ import annotations

from analysis.engine.kernels.types import helper, int64, int64_table, int64s, kernel


@helper
def lowest(vertices):
    """The number of the lowest bit of a positive number."""
    number = 0
    for step in (32, 16, 8, 4, 2, 1):
        if vertices & ((1 << step) - 1) == 0:
            vertices >>= step
            number += step
    return number


@helper
def on_grid(part, rows, cols):
    """The canonical form of a part of a grid, each row of which is ``cols`` bits."""
    top, left, bottom, right = rows, cols, 0, 0
    rest = part
    while rest:
        vertex = lowest(rest)
        rest &= rest - 1
        row, col = vertex // cols, vertex % cols
        top, bottom = min(top, row), max(bottom, row)
        left, right = min(left, col), max(right, col)
    high, wide = bottom - top, right - left
    turns = wide < rows and high < cols
    a = b = c = d = e = f = g = h = 0
    rest = part
    while rest:
        vertex = lowest(rest)
        rest &= rest - 1
        row, col = vertex // cols - top, vertex % cols - left
        below, beyond = high - row, wide - col
        a |= 1 << row * cols + col
        b |= 1 << row * cols + beyond
        c |= 1 << below * cols + col
        d |= 1 << below * cols + beyond
        if turns:
            e |= 1 << col * cols + row
            f |= 1 << beyond * cols + row
            g |= 1 << col * cols + below
            h |= 1 << beyond * cols + below
    least = min(min(a, b), min(c, d))
    return min(least, min(min(e, f), min(g, h))) if turns else least


@helper
def under(part, permutations):
    """The least image of a part under permutations of the vertices."""
    least = part
    for i in range(len(permutations)):
        image, rest = 0, part
        while rest:
            image |= 1 << permutations[i, lowest(rest)]
            rest &= rest - 1
        least = min(least, image)
    return least


@kernel(int64(int64, int64s, int64s, int64s, int64_table, int64s, int64s))
def write_options(part, moves, adjacent, grid, permutations, out, ends):
    """Write what is left after each move of a part: ascending canonical parts that a move can be made in, equal ones
    left out in pairs, with ``ends[i]`` where those of the i-th option end. Returns the number of options.

    ``moves`` holds pairs: the vertices that a move needs, and those that it takes away; ``grid`` the rows, the columns
    (0: no grid) and the vertices that a part has at least.
    """
    rows, cols, least = grid[0], grid[1], grid[2]
    options, end = 0, 0
    for i in range(0, len(moves), 2):
        if part & moves[i] != moves[i]:
            continue
        first, left = end, part & ~moves[i + 1]
        while left:
            found = front = left & -left
            size = 0
            while front:
                near = adjacent[lowest(front)] & left & ~found
                found |= near
                front = front & (front - 1) | near
                size += 1
            left &= ~found
            if size < least:
                continue
            new = on_grid(found, rows, cols) if cols else under(found, permutations)
            at = end
            while at > first and out[at - 1] > new:
                at -= 1
            if at > first and out[at - 1] == new:
                for j in range(at - 1, end - 1):
                    out[j] = out[j + 1]
                end -= 1
            else:
                for j in range(end, at, -1):
                    out[j] = out[j - 1]
                out[at] = new
                end += 1
        ends[options] = end
        options += 1
    return options
