"""A hash table from the states of one tier to their rows, and the look-up of all children of a chunk of states.

One 8-byte slot holds 32 bits of the state's hash and its row plus one, so a tier of two million states has a table of
32 MB. 32 bits are enough to be exact, not just likely: every state looked up is in the table, so the only danger is a
second state with the same 32 bits earlier on its probe path, and `insert` notices that (it then fails, and the caller
takes another seed). Slots are probed linearly from the one that the top bits of the hash name.
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.borrow import borrowed
from analysis.engine.kernels.states import as_payoff, canonical
from analysis.engine.kernels.types import (
    Successors,
    ToMove,
    int8s,
    int16s,
    int64,
    int64_cube,
    int64s,
    kernel,
    uint8s,
    uint32s,
    uint64s,
)

LOW = np.uint64(0xFFFFFFFF)
EMPTY = np.uint64(0)
ONE = np.uint64(1)
HALF = np.uint64(32)
MISSING = -1
"""A kernel's answer where a state that is looked up is in no slot."""

BATCH = 256
"""States whose children are looked up together: their first slots load independently, so cache misses overlap."""


@numba.njit(inline="always")
def splitmix64(state, seed):
    """The finaliser of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014)."""
    z = np.uint64(state) + np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@numba.njit(inline="always")
def settle(entry, h, table, shift, mask):
    """The entry of a hash, where the slot that it names holds ``entry``; `EMPTY` where the table does not have it."""
    sign = h & LOW
    slot = np.int64(h >> shift)
    while entry >> HALF != sign and entry != EMPTY:
        slot = (slot + 1) & mask
        entry = table[slot]
    return entry


@kernel(int64(int64s, int64, uint64s, int64))
def insert(states, seed, table, bits):
    """Insert the states into a table of ``2**bits`` slots, 0 where empty.

    Returns 0, or 1 if two states on one probe path share 32 bits of their hash.
    """
    mask = (np.int64(1) << bits) - 1
    shift = np.uint64(64 - bits)
    hashes = np.empty(BATCH, np.uint64)
    first = np.empty(BATCH, np.uint64)
    for begin in range(0, len(states), BATCH):
        n = min(BATCH, len(states) - begin)
        for j in range(n):
            hashes[j] = splitmix64(states[begin + j], seed)
        for j in range(n):
            first[j] = table[np.int64(hashes[j] >> shift)]  # only to have the slot in the cache
        for j in range(n):
            slot = np.int64(hashes[j] >> shift)
            sign = hashes[j] & LOW
            entry = first[j] if first[j] != EMPTY else table[slot]
            while entry != EMPTY:
                if entry >> HALF == sign:
                    return 1
                slot = (slot + 1) & mask
                entry = table[slot]
            table[slot] = sign << HALF | np.uint64(begin + j + 1)
    return 0


@kernel(
    int64(
        Successors, ToMove, int64s, int64, int64_cube, int64, int64, int64, uint64s, int64,
        uint8s, int8s, int16s, uint32s,
    )
)  # fmt: skip
def link(successors, to_move, states, most, tables, cells, planes, seed, table, bits,
         branching, movers, payoffs, rows):  # fmt: skip
    """Expand a chunk of states and find the row of every child in the next tier's table.

    Fills, per state, ``branching`` (number of moves, 0 where the game is over), ``movers`` (+1 or -1) and ``payoffs``
    (where it is over), and in ``rows`` the children of all states in order. Returns how many children there are, or
    `MISSING` if one is not in the table.
    """
    own_moves, own_children = np.empty(most, np.int64), np.empty(most, np.int64)
    moves, children = borrowed(own_moves), borrowed(own_children)
    hashes = np.empty(BATCH * most, np.uint64)
    found = np.empty(BATCH * most, np.uint64)
    shift = np.uint64(64 - bits)
    mask = (np.int64(1) << bits) - 1
    total = 0
    for begin in range(0, len(states), BATCH):
        pending = 0
        for i in range(begin, min(begin + BATCH, len(states))):
            n = successors(states[i], moves, children)
            movers[i] = to_move(states[i])
            branching[i] = max(n, 0)
            payoffs[i] = as_payoff(children[0]) if n < 0 else 0
            for j in range(n):
                hashes[pending] = canonical(children[j], tables, cells, planes)
                pending += 1
        for j in range(pending):  # a loop of its own, so that it is vectorised
            hashes[j] = splitmix64(np.int64(hashes[j]), seed)
        for j in range(pending):
            found[j] = table[np.int64(hashes[j] >> shift)]
        for j in range(pending):
            entry = settle(found[j], hashes[j], table, shift, mask)
            if entry == EMPTY:
                return MISSING
            rows[total] = (entry & LOW) - ONE
            total += 1
    return total + 0 * (len(own_moves) + len(own_children))  # keeps what was borrowed alive until here


@kernel(int64(int64s, int64, uint64s, int64, uint32s))
def find(states, seed, table, bits, rows):
    """Write the row of every state in a table; return 0, or `MISSING` if one is not in it."""
    mask = (np.int64(1) << bits) - 1
    shift = np.uint64(64 - bits)
    hashes = np.empty(BATCH, np.uint64)
    found = np.empty(BATCH, np.uint64)
    for begin in range(0, len(states), BATCH):
        n = min(BATCH, len(states) - begin)
        for j in range(n):
            hashes[j] = splitmix64(states[begin + j], seed)
        for j in range(n):
            found[j] = table[np.int64(hashes[j] >> shift)]
        for j in range(n):
            entry = settle(found[j], hashes[j], table, shift, mask)
            if entry == EMPTY:
                return MISSING
            rows[begin + j] = (entry & LOW) - ONE
    return 0


@kernel(numba.void(uint8s, int64s, uint32s))
def number_children(branching, children, rows):
    """Give each child of each state the number of the first move of that state that leads to it."""
    k = 0
    for i in range(len(branching)):
        after = k + np.int64(branching[i])
        for j in range(k, after):
            first = k
            while children[first] != children[j]:
                first += 1
            rows[j] = first
        k = after


@kernel(int64(int64s, int64s, int64, int64s, int64))
def absorb(states, slots, bits, new, found):
    """Insert states into a set of ``2**bits`` slots (state plus one, 0 where empty); write those that were not in it
    into ``new`` after the first ``found`` of them, and return how many there are now. The set must have room for all.
    """
    mask = (np.int64(1) << bits) - 1
    shift = np.uint64(64 - bits)
    places = np.empty(BATCH, np.int64)
    first = np.empty(BATCH, np.int64)
    for begin in range(0, len(states), BATCH):
        n = min(BATCH, len(states) - begin)
        for j in range(n):
            places[j] = np.int64(splitmix64(states[begin + j], 0) >> shift)
        for j in range(n):
            first[j] = slots[places[j]]  # only to have the slot in the cache
        for j in range(n):
            key = states[begin + j] + 1
            slot = places[j]
            entry = slots[slot]
            while entry != 0 and entry != key:
                slot = (slot + 1) & mask
                entry = slots[slot]
            if entry == 0:
                slots[slot] = key
                new[found] = states[begin + j]
                found += 1
    return found
