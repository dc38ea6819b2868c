"""Kernels over states: expand them, find canonical images, orbit sizes and rows, and remove duplicates."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from . import MISSING
from . import types as t
from .raw import borrowed, keep_alive
from .types import helper, inlined, kernel, tuple_of

NO_MOVE, BAD_CODE, BAD_MOVER = -2, -3, -4
"""A kernel's results if a state has neither an end nor valid moves, if a move has an invalid code, and if neither
player is to move; its row is then in ``out[0]``.
"""

TOGETHER = 4
"""Chunks of eight bits whose images are looked up at once; their number is a multiple of this."""

BATCH = 256
"""States that are expanded before their children are made canonical."""

ROOM = 256
"""Entries that ``legal_moves`` may write without harm, whatever the rules say of their number."""


NO_PAYOFF = 32767
"""What a payoff that does not fit an int16 becomes: the one int16 that is no payoff."""


@helper
def as_payoff(number):
    """Return a payoff as the tables hold it."""
    return number if -32768 <= number < NO_PAYOFF else NO_PAYOFF


@helper
def image(state, tables, g, bits):
    """Return the image of the lowest ``bits`` of a state under element ``g`` of the group with these tables (see
    `Group.tables`).
    """
    result = (state >> bits) << bits
    for chunk in range(tables.shape[1]):
        result |= tables[g, chunk, (state >> (8 * chunk)) & 255]
    return result


@helper
def canonical(state, tables, bits):
    """Return the least image of a state under the group."""
    least = state
    for g in range(1, tables.shape[0]):
        least = min(least, image(state, tables, g, bits))
    return least


@inlined
def move_all(states, tables, g, bits, moved):
    """Write the `image` of each state under element ``g``. Loops that do one thing to each state overlap: 2.4 ns a
    state of Connect-Four, instead of 6.3 one after the other.
    """
    for j in range(len(states)):
        moved[j] = (states[j] >> bits) << bits
    for chunk in range(0, tables.shape[1], TOGETHER):
        down = 8 * chunk
        for j in range(len(states)):
            state = states[j] >> down
            moved[j] |= (
                tables[g, chunk, state & 255]
                | tables[g, chunk + 1, (state >> 8) & 255]
                | tables[g, chunk + 2, (state >> 16) & 255]
                | tables[g, chunk + 3, (state >> 24) & 255]
            )


@inlined
def make_canonical(states, tables, bits, least, moved):
    """Replace each state by its least image; ``least`` and ``moved`` have room for as many."""
    if tables.shape[0] > 1:
        for j in range(len(states)):
            least[j] = states[j]
    for g in range(1, tables.shape[0]):
        move_all(states, tables, g, bits, moved)
        for j in range(len(states)):
            least[j] = min(least[j], moved[j])
    if tables.shape[0] > 1:
        for j in range(len(states)):
            states[j] = least[j]


@helper
def fault_in(n, moves, most_code):
    """Return what is wrong with ``n`` ascending moves, or 0."""
    if n == 0:
        return NO_MOVE
    return BAD_CODE if moves[0] < 0 or moves[n - 1] > most_code else 0


class ChunkMoves(NamedTuple):
    """The moves of a chunk of states: the children of state ``i`` are the ``branching[i]`` entries of ``children`` that
    follow those of the states before it.
    """

    branching: np.ndarray  # uint8[n], moves; 0 where the game is over
    movers: np.ndarray  # int8[n], +1 the first player, -1 the second
    payoffs: np.ndarray  # int16[n], the first player's, where the game is over
    children: np.ndarray  # int64[moves], canonical


moves_type = tuple_of(ChunkMoves, t.uint8s, t.int8s, t.int16s, t.int64s)


@kernel(t.int64(t.Successors, t.ToMove, t.int64s, t.int64, t.int64, t.board_type, moves_type))
def expand(successors, to_move, states, most, most_code, board, found):
    """Fill in the moves of all states, repeated children included; return how many, or a fault such as `NO_MOVE`."""
    tables, bits = board
    branching, movers, payoffs, out = found
    buffers = np.empty((2, ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children = lent[0], lent[1]
    least, moved = np.empty(BATCH * most, np.int64), np.empty(BATCH * most, np.int64)
    total = 0
    for begin in range(0, len(states), BATCH):
        first = total
        for i in range(begin, min(begin + BATCH, len(states))):
            n = successors(states[i], moves, children)
            if n >= 0:
                fault = fault_in(n, moves, most_code)
                if fault < 0:
                    out[0] = i
                    return fault
            movers[i] = to_move(states[i])
            branching[i] = max(n, 0)
            payoffs[i] = as_payoff(children[0]) if n < 0 else 0
            for j in range(n):
                out[total] = children[j]
                total += 1
        make_canonical(out[first:total], tables, bits, least, moved)
    return keep_alive(total, buffers)


@kernel(t.int64(t.Successors, t.int64s, t.int64_cube, t.int64, t.int64s, t.uint16s, t.int64s))
def expand_moves(successors, states, tables, bits, rows, codes, out):
    """Write the parent's row, the code and the canonical child of every move of states without fault; return how
    many.
    """
    buffers = np.empty((2, ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children = lent[0], lent[1]
    total = 0
    for i in range(len(states)):
        n = successors(states[i], moves, children)
        for j in range(n):
            rows[total] = i
            codes[total] = moves[j]
            out[total] = canonical(children[j], tables, bits)
            total += 1
    return keep_alive(total, buffers)


class ExpandedChunk(NamedTuple):
    """A chunk of states and all their moves, in order."""

    states: np.ndarray  # int64[n]
    branching: np.ndarray  # uint8[n], moves; 0 where the game is over
    movers: np.ndarray  # int8[n], +1 the first player, -1 the second
    payoffs: np.ndarray  # int16[n], the first player's, where the game is over
    codes: np.ndarray  # uint16[moves]
    tiers: np.ndarray  # int64[moves], of the child
    children: np.ndarray  # int64[moves], canonical

    def copied(self) -> ExpandedChunk:
        """Return the chunk with its own arrays instead of the thread's scratch."""
        return self._replace(codes=self.codes.copy(), tiers=self.tiers.copy(), children=self.children.copy())


chunk_type = tuple_of(ExpandedChunk, t.int64s, t.uint8s, t.int8s, t.int16s, t.uint16s, t.int64s, t.int64s)


@kernel(t.int64(t.Successors, t.ToMove, t.int64, t.int64, t.board_type, chunk_type))
def expand_tiers(tiered, to_move, most, most_code, board, chunk):
    """Fill in what follows from the chunk's states; return how many moves they have, or a fault."""
    tables, bits = board
    states, branching, movers, payoffs, codes, tiers, out = chunk
    buffers = np.empty((2, ROOM + most), np.int64)
    lent = borrowed(buffers)
    moves, children = lent[0], lent[1]
    least, moved = np.empty(BATCH * most, np.int64), np.empty(BATCH * most, np.int64)
    total = 0
    for begin in range(0, len(states), BATCH):
        first = total
        for i in range(begin, min(begin + BATCH, len(states))):
            n = tiered(states[i], moves, children)
            if n >= 0:
                fault = fault_in(n, moves, most_code)
                if fault < 0:
                    out[0] = i
                    return fault
            movers[i] = to_move(states[i])
            branching[i] = max(n, 0)
            payoffs[i] = as_payoff(children[0]) if n < 0 else 0
            for j in range(n):
                codes[total] = moves[j]
                tiers[total] = moves[most + j]
                out[total] = children[j]
                total += 1
        make_canonical(out[first:total], tables, bits, least, moved)
    return keep_alive(total, buffers)


@kernel(numba.void(t.IntegerFunction, t.int64s, t.int64s))
def apply(function, states, out):
    """Write ``out[i] = function(states[i])``."""
    for i in range(len(states)):
        out[i] = function(states[i])


@kernel(t.int64(t.int64s, t.int64, t.int64s, t.int64s, t.uint32s))
def of_tier(tiers, number, children, found, places):
    """Write the children in the tier with this number, and if there is room, where they are; return how many."""
    n = 0
    for i in range(len(tiers)):
        found[n] = children[i]
        if len(places):
            places[n] = i
        n += tiers[i] == number
    return n


@kernel(t.int64(t.int64s))
def drop_repeats(values):
    """Move the distinct values of a sorted array to its front; return how many there are."""
    if len(values) == 0:
        return 0
    kept = 1
    for i in range(1, len(values)):
        if values[i] != values[i - 1]:
            values[kept] = values[i]
            kept += 1
    return kept


@kernel(numba.void(t.int64s, t.int64, t.int64))
def note_places(keys, least, bits):
    """Put each key's place in an array into its last ``bits``, under what it exceeds the ``least`` key by."""
    for i in range(len(keys)):
        keys[i] = (keys[i] - least) << bits | i


@kernel(t.int64(t.int64s, t.int64, t.int64, t.uint32s, t.int64s))
def take_places(keys, least, bits, ranks, distinct):
    """Invert `note_places` for sorted keys: write the distinct ones, perhaps to the front of the same array, and the
    rank among these of the key at each place. Returns how many there are.
    """
    kept, last, mask = 0, np.int64(-1), (np.int64(1) << bits) - 1
    for i in range(len(keys)):
        key, place = keys[i] >> bits, keys[i] & mask
        if key != last:
            distinct[kept] = key + least
            kept += 1
            last = key
        ranks[place] = kept - 1
    return kept


@kernel(numba.void(t.uint32s, t.uint32s, t.uint32s))
def renumber(ranks, numbers, rows):
    """Write the number of each rank."""
    for j in range(len(ranks)):
        rows[j] = numbers[ranks[j]]


@kernel(numba.void(t.int64s, t.int64_cube, t.int64, t.uint16s))
def orbit_sizes(states, tables, bits, out):
    """Find the orbit size of each state: the order of the group over the number of elements that fix the state."""
    order = tables.shape[0]
    moved, fixing = np.empty(BATCH, np.int64), np.empty(BATCH, np.uint16)
    for begin in range(0, len(states), BATCH):
        some = states[begin : begin + BATCH]
        fixing[:] = 1
        for g in range(1, order):
            move_all(some, tables, g, bits, moved)
            for j in range(len(some)):
                fixing[j] += moved[j] == some[j]
        for j in range(len(some)):
            out[begin + j] = order // fixing[j]


@kernel(t.int64(t.int64s, t.int64s, t.int64s))
def merge_rows(states, wanted, rows):
    """Write the row in ``states`` of each of the ``wanted``; both ascend. Returns 0 or `MISSING`."""
    i = 0
    for j in range(len(wanted)):
        while i < len(states) and states[i] < wanted[j]:
            i += 1
        if i == len(states) or states[i] != wanted[j]:
            return MISSING
        rows[j] = i
    return 0
