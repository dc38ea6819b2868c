"""Nimbers of games on graphs, found as in `analysis.sums.nimbers`, and what a move leaves: connected parts, each in its
canonical form.

A part is a set of vertices as bits. On a grid its canonical form is the least of its images under rotations and
reflections, moved to the first rows and columns, as far as they fit the board; on other graphs, under automorphisms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.engine.kernels.types import helper, inlined, int64, int64_table, int64s, kernel, tuple_of


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


class MoveGraph(NamedTuple):
    """A game on a graph: what moves take away, and which parts are equal."""

    moves: np.ndarray  # int64[2 * moves], the vertices that a move needs, and those that it takes away, in turn
    adjacent: np.ndarray  # int64[vertices], the neighbours of each vertex
    shape: np.ndarray  # int64[3], rows, columns (0: no grid), and the vertices that a part has at least
    permutations: np.ndarray  # int64[any, vertices], automorphisms of another graph


class PartTable(NamedTuple):
    """What is known of parts, each in the first free slot from the one of its hash on."""

    parts: np.ndarray  # int64[2 ** n], 0 where a slot is free
    facts: np.ndarray  # int64[2 ** n], bits of the numbers that are not the nimber; -1 - nimber where it is known
    filled: np.ndarray  # int64[1], slots


class SearchRoom(NamedTuple):
    """Memory for a part and each on the way to it."""

    frames: np.ndarray  # int64[depth, FRAME], see `PART`
    options: np.ndarray  # int64[depth, any], parts
    ends: np.ndarray  # int64[depth, moves], where those of each option end
    order: np.ndarray  # int64[depth, moves], options that are to be looked at, by their weights
    left: np.ndarray  # int64[1], parts whose options may still be found before the search stops


graph_type = tuple_of(MoveGraph, int64s, int64s, int64s, int64_table)
table_type = tuple_of(PartTable, int64s, int64s, int64s)
room_type = tuple_of(SearchRoom, int64_table, int64_table, int64_table, int64_table, int64s)

NIMBER = -1
"""Asks for the nimber."""
STOPPED = 0
"""Answers that there is no room or time left."""
SLOTS = 2
"""Slots of a table for each part at least."""
FRAME = 6
PART, WANTED, OPTIONS, ASKED, UNANSWERED, LOOKED_AT = range(FRAME)
"""Columns of frames: a part, the number that is asked for or `NIMBER`, its options (-1: not found yet), the number that
they are compared with, how many have to be looked at for it, and how many were.
"""


@inlined
def slot_of(part, parts):
    """The slot of a part, or the free one where it belongs."""
    last = len(parts) - 1
    slot = ((part ^ part >> 29) * -7046029254386353131 >> 20) & last
    while parts[slot] != 0 and parts[slot] != part:
        slot = (slot + 1) & last
    return slot


@inlined
def fact_of(part, parts, facts):
    """What is known of a part, 0 if nothing is."""
    slot = slot_of(part, parts)
    return facts[slot] if parts[slot] == part else 0


@inlined
def write_options(part, moves, adjacent, shape, permutations, out, ends):
    """Write what is left after each move of a part: ascending canonical parts that a move can be made in, equal ones
    left out in pairs, with ``ends[i]`` where those of the i-th option end. Returns the number of options.
    """
    rows, cols, least = shape[0], shape[1], shape[2]
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


@helper
def size_of(part):
    """The number of vertices of a part."""
    part -= part >> 1 & 0x5555555555555555
    part = (part & 0x3333333333333333) + (part >> 2 & 0x3333333333333333)
    part = part + (part >> 4) & 0x0F0F0F0F0F0F0F0F
    return part * 0x0101010101010101 >> 56


@inlined
def answer_of(first, end, number, options, parts, facts):
    """Whether the parts from ``first`` to ``end`` have this nimber together, as far as that is known: 1, 0 or -1."""
    unknown, excluded = 0, 0
    for i in range(first, end):
        fact = fact_of(options[i], parts, facts)
        if fact < 0:
            number ^= -1 - fact
        else:
            unknown += 1
            excluded = fact
    if unknown == 0:
        return 1 if number == 0 else 0
    return 0 if unknown == 1 and excluded >> number & 1 else -1


@inlined
def weight_of(first, end, options, parts, facts):
    """What is to be looked at first has the least weight: of which most numbers are excluded, then small parts."""
    most, squares = 0, 0
    for i in range(first, end):
        most = max(most, size_of(max(0, fact_of(options[i], parts, facts))))
        squares += size_of(options[i]) ** 2
    return squares - (most << 16)


@inlined
def note(part, fact, table):
    """Keep what is known of a part."""
    slot = slot_of(part, table.parts)
    if table.parts[slot] == 0:
        table.parts[slot] = part
        table.filled[0] += 1
    table.facts[slot] = fact


@kernel(int64(int64s, int64s, table_type))
def insert(parts, facts, table):
    """Keep what is known of parts, other than 0. Returns how many the table holds."""
    for i in range(len(parts)):
        if parts[i] != 0:
            note(parts[i], facts[i], table)
    return table.filled[0]


@inlined
def compare(asked, number, options, ends, order, parts, facts):
    """Look for an option that is known to have a nimber. Returns -1 if there is one, else writes those that may have
    it, the ones to be looked at first in front, and returns how many they are.
    """
    unanswered = 0
    for i in range(number):
        first, end = ends[i - 1] if i else 0, ends[i]
        answer = answer_of(first, end, asked, options, parts, facts)
        if answer == 1:
            return -1
        if answer == -1:
            weight = weight_of(first, end, options, parts, facts) << 16 | i
            at = unanswered
            while at > 0 and order[at - 1] > weight:
                order[at] = order[at - 1]
                at -= 1
            order[at] = weight
            unanswered += 1
    return unanswered


@inlined
def next_of(first, end, number, options, parts, facts):
    """The part that is to be asked for next, to find whether those of an option have this nimber, and the number that
    is wanted of it: for all but the largest the nimbers are found first.
    """
    largest = first
    for i in range(first + 1, end):
        if size_of(options[i]) >= size_of(options[largest]):
            largest = i
    for i in range(first, end):
        if i != largest:
            fact = fact_of(options[i], parts, facts)
            if fact >= 0:
                return options[i], NIMBER
            number ^= -1 - fact
    return options[largest], number


@inlined
def enter(frame, part, wanted):
    """Begin with a part."""
    frame[PART], frame[WANTED], frame[OPTIONS], frame[ASKED] = part, wanted, -1, -1


@kernel(int64(int64, int64, graph_type, table_type, room_type))
def ask(part, wanted, graph, table, room):
    """Find whether a part has the nimber that is ``wanted``, or its nimber if that is `NIMBER`. Returns what is known
    of it then, as in the table, or `STOPPED`. What was found of other parts is in the table, too.

    The numbers 0, 1, 2 ... are compared with the options, those that are known to be no nimber left out.
    """
    parts, facts, left = table.parts, table.facts, room.left
    moves, adjacent, shape, permutations = graph.moves, graph.adjacent, graph.shape, graph.permutations
    depth = 0
    enter(room.frames[depth], part, wanted)
    while depth >= 0:
        frame, options, ends, order = room.frames[depth], room.options[depth], room.ends[depth], room.order[depth]
        here, goal = frame[PART], frame[WANTED]
        known = fact_of(here, parts, facts)
        if known < 0 or (goal != NIMBER and known >> goal & 1):
            depth -= 1
            continue
        if frame[OPTIONS] < 0:
            if left[0] <= 0 or table.filled[0] * SLOTS >= len(parts):
                return STOPPED
            left[0] -= 1
            frame[OPTIONS] = write_options(here, moves, adjacent, shape, permutations, options, ends)
            if goal > 0 and compare(goal, frame[OPTIONS], options, ends, order, parts, facts) < 0:
                note(here, known | 1 << goal, table)
                continue
        asked = lowest(~known)
        if asked != frame[ASKED]:
            frame[ASKED], frame[LOOKED_AT] = asked, 0
            frame[UNANSWERED] = compare(asked, frame[OPTIONS], options, ends, order, parts, facts)
        if frame[UNANSWERED] < 0:
            note(here, known | 1 << asked, table)
            continue
        if frame[LOOKED_AT] == frame[UNANSWERED]:
            note(here, -1 - asked, table)
            continue
        option = order[frame[LOOKED_AT]] & 0xFFFF
        first, end = ends[option - 1] if option else 0, ends[option]
        answer = answer_of(first, end, asked, options, parts, facts)
        if answer == 0:
            frame[LOOKED_AT] += 1
        elif answer == 1:
            frame[UNANSWERED] = -1
        else:
            new, number = next_of(first, end, asked, options, parts, facts)
            depth += 1
            enter(room.frames[depth], new, number)
    return fact_of(part, parts, facts)
