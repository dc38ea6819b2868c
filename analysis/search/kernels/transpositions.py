"""The transposition table: states and bounds of their values, in slots of four words.

Unlimited, it is open addressing with linear probing, doubled in place when it is three fifths full; memory is reserved
for its largest size, and the system provides what is touched. Limited to N slots, it keeps what a replacement scheme
of Breuker, Uiterwijk and van den Herik ("Replacement schemes for transposition tables", ICCA Journal 17(4), 1994)
would: ``new``, ``old``, ``deep`` or ``two-deep``. Without a horizon, fewer plies from the root count as deeper.
"""

from __future__ import annotations

import numba

from analysis.engine.kernels.raw import inlined, memory
from analysis.search.kernels.keys import scatter
from analysis.search.kernels.layout import (
    DEEP,
    DRAFTED,
    ENTRIES,
    HITS,
    LIMIT,
    NEW,
    NOTES_DRAFT,
    NOTES_PLY,
    NOTES_SHORT,
    POLICY,
    SLOT,
    SLOT_HIGH,
    SLOT_KEY,
    SLOT_LOW,
    SLOT_NOTES,
    TABLE,
    TABLE_BITS,
    TABLE_SLOTS,
    TWO_DEEP,
    UNLIMITED,
    RoomSpentError,
)

LOW_BITS = (1 << NOTES_PLY) - 1


@inlined
def slot_at(lab, i):
    """The address of slot ``i``."""
    return memory(lab)[TABLE] + 8 * SLOT * i


@inlined
def first_slot(lab, name):
    """The slot where the probing for a state begins in an unlimited table, or its only one in a limited one."""
    if memory(lab)[POLICY] == UNLIMITED:
        return scatter(name, 0) & ((1 << memory(lab)[TABLE_BITS]) - 1)
    if memory(lab)[POLICY] == TWO_DEEP:
        return 2 * (((scatter(name, 0) >> 32) * (memory(lab)[TABLE_SLOTS] // 2)) >> 31)
    return ((scatter(name, 0) >> 32) * memory(lab)[TABLE_SLOTS]) >> 31


@numba.njit
def find(lab, name):
    """The address of the slot that holds a state, or 0."""
    i = first_slot(lab, name)
    if memory(lab)[POLICY] == UNLIMITED:
        mask = (1 << memory(lab)[TABLE_BITS]) - 1
        while memory(slot_at(lab, i))[SLOT_KEY] != name + 1:
            if memory(slot_at(lab, i))[SLOT_KEY] == 0:
                return 0
            i = (i + 1) & mask
        return slot_at(lab, i)
    if memory(slot_at(lab, i))[SLOT_KEY] == name + 1:
        return slot_at(lab, i)
    if memory(lab)[POLICY] == TWO_DEEP and memory(slot_at(lab, i + 1))[SLOT_KEY] == name + 1:
        return slot_at(lab, i + 1)
    return 0


@inlined
def draft(lab, ply):
    """Plies left to the horizon, where there is one: a bound holds for searches of the same depth only."""
    return (memory(lab)[LIMIT] - ply) * memory(lab)[DRAFTED]


@inlined
def usable(lab, slot, ply):
    """Whether there is a slot, and its bounds hold at this ply."""
    return slot != 0 and (memory(slot)[SLOT_NOTES] >> NOTES_DRAFT) & LOW_BITS == draft(lab, ply)


@inlined
def hit(lab):
    """Count a node that the table has answered."""
    memory(lab)[HITS] += 1


@inlined
def mark_short(lab, name):
    """Note that a position was searched to leaves that are not the ends of games."""
    slot = find(lab, name)
    if slot != 0:
        memory(slot)[SLOT_NOTES] |= NOTES_SHORT


@inlined
def short(slot):
    """1 if that is noted, else 0."""
    return (memory(slot)[SLOT_NOTES] & NOTES_SHORT) != 0


@inlined
def best_move(slot):
    """The best move that a slot remembers, or -1."""
    return (memory(slot)[SLOT_NOTES] & LOW_BITS) - 1 if slot != 0 else -1


@inlined
def _write(lab, slot, name, low, high, notes):
    memory(lab)[ENTRIES] += memory(slot)[SLOT_KEY] == 0
    memory(slot)[SLOT_KEY] = name + 1
    memory(slot)[SLOT_LOW] = low
    memory(slot)[SLOT_HIGH] = high
    memory(slot)[SLOT_NOTES] = notes


@inlined
def _as_deep(lab, slot, ply):
    """Whether a search at this ply reaches at least as deep below it as the one that a slot remembers did."""
    if memory(lab)[DRAFTED]:
        return draft(lab, ply) >= (memory(slot)[SLOT_NOTES] >> NOTES_DRAFT) & LOW_BITS
    return ply <= (memory(slot)[SLOT_NOTES] >> NOTES_PLY) & LOW_BITS


@numba.njit
def remember(lab, name, ply, low, high, move):
    """Store the bounds of a state, and its best move or -1. Raises `RoomSpentError` where the table may not grow."""
    notes = draft(lab, ply) << NOTES_DRAFT | ply << NOTES_PLY | (move + 1)
    slot = find(lab, name)
    if slot != 0:
        _write(lab, slot, name, low, high, notes)
        return
    policy = memory(lab)[POLICY]
    i = first_slot(lab, name)
    slot = slot_at(lab, i)
    if policy == UNLIMITED:
        if memory(lab)[ENTRIES] * 5 >= 3 << memory(lab)[TABLE_BITS]:
            _double(lab)
            i = first_slot(lab, name)
        mask = (1 << memory(lab)[TABLE_BITS]) - 1
        while memory(slot_at(lab, i))[SLOT_KEY] != 0:
            i = (i + 1) & mask
        _write(lab, slot_at(lab, i), name, low, high, notes)
    elif policy == TWO_DEEP:
        other = slot_at(lab, i + 1)
        if memory(slot)[SLOT_KEY] == 0:
            _write(lab, slot, name, low, high, notes)
        elif _as_deep(lab, slot, ply):
            _write(
                lab, other, memory(slot)[SLOT_KEY] - 1, memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH],
                memory(slot)[SLOT_NOTES],
            )  # fmt: skip
            _write(lab, slot, name, low, high, notes)
        else:
            _write(lab, other, name, low, high, notes)
    elif memory(slot)[SLOT_KEY] == 0 or policy == NEW or (policy == DEEP and _as_deep(lab, slot, ply)):
        _write(lab, slot, name, low, high, notes)


@numba.njit
def _double(lab):
    """Twice as many slots, in place.

    Beginning after an empty slot, each entry in turn is taken out and put where it now belongs: its old number or that
    plus the old size. No entry gets further from there than it was, so it never lands behind one that is still to move.
    """
    size = 1 << memory(lab)[TABLE_BITS]
    if 2 * size > memory(lab)[TABLE_SLOTS]:
        raise RoomSpentError
    memory(lab)[TABLE_BITS] += 1
    mask = 2 * size - 1
    empty = 0
    while memory(slot_at(lab, empty))[SLOT_KEY] != 0:
        empty += 1
    for step in range(1, size):
        source = memory(slot_at(lab, (empty + step) & (size - 1)))
        name = source[SLOT_KEY] - 1
        if name < 0:
            continue
        low, high, notes = source[SLOT_LOW], source[SLOT_HIGH], source[SLOT_NOTES]
        source[SLOT_KEY] = 0
        i = scatter(name, 0) & mask
        while memory(slot_at(lab, i))[SLOT_KEY] != 0:
            i = (i + 1) & mask
        target = memory(slot_at(lab, i))
        target[SLOT_KEY], target[SLOT_LOW], target[SLOT_HIGH], target[SLOT_NOTES] = name + 1, low, high, notes
