"""Map the states of one tier to their rows by a hash table, and look up all children of a chunk of states.

One 8-byte slot holds 32 bits of the state's hash and its row plus one, so a tier of two million states has a table of
32 MB. 32 bits are enough to be exact, not just likely: every state looked up is in the table, so the only danger is a
second state with the same 32 bits earlier on its probe path. `insert` detects that and fails, and the caller takes
another seed. Slots are probed linearly from the one named by the top bits of the hash.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from . import MISSING
from . import types as t
from .states import BATCH
from .types import inlined, kernel, tuple_of

LOW = np.uint64(0xFFFFFFFF)
EMPTY = np.uint64(0)
ONE = np.uint64(1)
HALF = np.uint64(32)


@inlined
def splitmix64(state, seed):
    """Return the finaliser of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
    2014).
    """
    z = np.uint64(state) + np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def settle(entry, h, table, shift, mask):
    """Return the entry of a hash, if the slot that it names holds ``entry``; `EMPTY` if the table does not have it."""
    sign = h & LOW
    slot = np.int64(h >> shift)
    while entry >> HALF != sign and entry != EMPTY:
        slot = (slot + 1) & mask
        entry = table[slot]
    return entry


@kernel(t.int64(t.int64s, t.int64, t.uint64s, t.int64))
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
            first[j] = table[np.int64(hashes[j] >> shift)]  # only brings the slot into the cache
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


class HashTable(NamedTuple):
    """A hash table from the states of a tier to their rows."""

    slots: np.ndarray  # uint64[2**bits]
    seed: int
    bits: int


table_type = tuple_of(HashTable, t.uint64s, t.int64, t.int64)


class Links(NamedTuple):
    """The children of some states: those of state ``i`` are the ``branching[i]`` entries of ``rows`` that follow those
    of the states before it.
    """

    branching: np.ndarray  # uint8[n], moves; 0 where the game is over
    movers: np.ndarray  # int8[n], +1 the first player, -1 the second
    payoffs: np.ndarray  # int16[n], the first player's, where the game is over
    rows: np.ndarray  # uint32[moves], rows of the next tier

    @classmethod
    def of_no_moves(cls, n: int) -> Links:
        """Return links of so many states, to be filled in, without their rows."""
        return cls(np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int16), np.empty(0, np.uint32))

    def compact(self) -> Links:
        """Return the links with their own ``rows``, to be kept."""
        return self._replace(rows=self.rows.copy())


class PackedLinks(NamedTuple):
    """The links of a tier, whose rows take 1.2 bytes each on Connect-Four 5x5."""

    branching: np.ndarray  # uint8[n], as in `Links`
    movers: np.ndarray  # int8[n]
    payoffs: np.ndarray  # int16[n]
    data: list[np.ndarray]  # of each chunk, uint8[bytes], see `varints.write_rows`

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return sum(array.nbytes for array in (*self[:3], *self.data))


links_type = tuple_of(Links, t.uint8s, t.int8s, t.int16s, t.uint32s)


@kernel(t.int64(t.int64s, table_type, t.uint32s))
def find(states, table, rows):
    """Write the row of every state in a table; return 0, or `MISSING` if one is not in it."""
    slots, seed, bits = table
    shift, mask = np.uint64(64 - bits), (np.int64(1) << bits) - 1
    hashes, found = np.empty(BATCH, np.uint64), np.empty(BATCH, np.uint64)
    for begin in range(0, len(states), BATCH):
        n = min(BATCH, len(states) - begin)
        for j in range(n):  # a loop of its own, so that it is vectorised
            hashes[j] = splitmix64(states[begin + j], seed)
        for j in range(n):
            found[j] = slots[np.int64(hashes[j] >> shift)]
        for j in range(n):
            entry = settle(found[j], hashes[j], slots, shift, mask)
            if entry == EMPTY:
                return MISSING
            rows[begin + j] = (entry & LOW) - ONE
    return 0


@kernel(numba.void(t.uint8s, t.int64s, t.uint32s))
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


@kernel(t.int64(t.int64s, t.int64s, t.int64, t.int64s, t.int64))
def absorb(states, slots, bits, new, found):
    """Insert states into a set of ``2**bits`` slots (state plus one, 0 where empty); append those that were not in it
    to the first ``found`` of ``new``, and return how many there are now. The set must have room for all.
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
            first[j] = slots[places[j]]  # only brings the slot into the cache
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
