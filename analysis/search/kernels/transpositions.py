"""The transposition table: keys of states, and bounds of their values in slots of four words.

An unlimited table uses open addressing with linear probing and doubles in place when three fifths full; memory is
reserved for its largest size, and the system provides what is touched. A table limited to N slots follows the scheme
``deep`` of Breuker, Uiterwijk and van den Herik ("Replacement schemes for transposition tables", ICCA Journal 17(4),
1994); one that grows is their ``two-deep`` at every size. Without a horizon, fewer plies from the root count as deeper.
"""

from __future__ import annotations

import numpy as np

from ...engine.kernels.hash_table import splitmix64
from ...engine.kernels.raw import cube_at, memory
from ...engine.kernels.states import canonical
from ...engine.kernels.types import helper
from . import layout
from .layout import SLOT, SLOT_HIGH, SLOT_KEY, SLOT_LOW, SLOT_NOTES

LOW_BITS = (1 << layout.NOTES_PLY) - 1
ONE = np.uint64(1)


@helper
def least_image(expand, lab, state):
    """Return the canonical state of a state: its least image under the group in use, or what the rules say."""
    if memory(lab)[layout.GROUP_ORDER] == 1:
        return state
    if memory(lab)[layout.GROUP_ORDER] == 0:
        return expand(lab, state, layout.REDUCE, 0)
    tables = cube_at(memory(lab)[layout.GROUP], memory(lab)[layout.GROUP_ORDER], memory(lab)[layout.GROUP_CHUNKS], 256)
    return canonical(state, tables, memory(lab)[layout.GROUP_BITS])


@helper
def key(expand, lab, state):
    """Return the key of a state in the transposition table."""
    return least_image(expand, lab, state) if memory(lab)[layout.KEYED] else state


@helper
def scatter(state, seed):
    """Return a pseudorandom number from 0 to 2**63 - 1, fixed for a state and seed."""
    return np.int64(splitmix64(state, seed) >> ONE)


@helper
def probe(table, words, mask, state):
    """Return the address of the slot that holds a state (plus one, in its first word), or else of the free slot where
    it belongs.

    ``table`` is the address of a hash table with linear probing, ``mask + 1`` slots of ``words`` words.
    """
    slot = scatter(state, 0) & mask
    while memory(table + 8 * words * slot)[0] != state + 1:
        if memory(table + 8 * words * slot)[0] == 0:
            break
        slot = (slot + 1) & mask
    return table + 8 * words * slot


@helper
def slot_of(lab, name):
    """Return the address of the slot for a state's hash in a limited table, or of the first of two in a growing one."""
    place = scatter(name, 0) >> 32
    if memory(lab)[layout.POLICY] == layout.GROWING:
        return memory(lab)[layout.TABLE] + 16 * SLOT * (place & ((1 << memory(lab)[layout.TABLE_BITS]) // 2 - 1))
    return memory(lab)[layout.TABLE] + 8 * SLOT * ((place * memory(lab)[layout.TABLE_SLOTS]) >> 31)


@helper
def find(lab, name):
    """Return the address of the slot that holds a state, or 0."""
    if memory(lab)[layout.POLICY] == layout.UNLIMITED:
        slot = probe(memory(lab)[layout.TABLE], SLOT, (1 << memory(lab)[layout.TABLE_BITS]) - 1, name)
        return slot if memory(slot)[SLOT_KEY] != 0 else 0
    slot = slot_of(lab, name)
    if memory(slot)[SLOT_KEY] == name + 1:
        return slot
    if memory(lab)[layout.POLICY] == layout.GROWING and memory(slot)[SLOT + SLOT_KEY] == name + 1:
        return slot + 8 * SLOT
    return 0


@helper
def draft(lab, ply):
    """Return the plies left to the horizon, if there is one: a bound holds only for searches of the same depth."""
    return (memory(lab)[layout.LIMIT] - ply) * memory(lab)[layout.DRAFTED]


@helper
def draft_in(slot):
    """Return the plies that were left to the horizon when a slot was written."""
    return (memory(slot)[SLOT_NOTES] >> layout.NOTES_DRAFT) & LOW_BITS


@helper
def usable(lab, slot, ply):
    """Return whether a slot exists and its bounds hold at this ply."""
    return slot != 0 and draft_in(slot) == draft(lab, ply)


@helper
def answer(lab, slot, ply, bound):
    """Return whether a slot shows at this ply that a value is at least ``bound`` (1), below it (-1), or neither (0); a
    bound of the value; and 1 if that rests on the horizon.

    A bound that does not rest on the horizon holds at greater depths too. If unfinished positions count 0, what cannot
    be forced within some plies cannot be forced within fewer.
    """
    if slot == 0 or memory(slot)[SLOT_LOW] < bound <= memory(slot)[SLOT_HIGH]:
        return 0, 0, 0
    least, deeper = memory(slot)[SLOT_LOW] >= bound, draft_in(slot) - draft(lab, ply)
    rests = (memory(slot)[SLOT_NOTES] & (layout.SHORT_LOW if least else layout.SHORT_HIGH)) != 0
    if (deeper < 0 and rests) or (deeper > 0 and (memory(lab)[layout.DEEPENING] != 2 or least == (bound > 0))):
        return 0, 0, 0
    value = memory(slot)[SLOT_LOW] if least else memory(slot)[SLOT_HIGH]
    if deeper > 0:
        value = min(value, 0) if least else max(value, 0)
    return 1 if least else -1, value, 1 if rests else 0


@helper
def lasting(lab, slot, ply):
    """Return the bounds in a slot that hold at this ply, and their marks."""
    low, high, marks = -layout.INFINITY, layout.INFINITY, 0
    if slot != 0 and draft_in(slot) <= draft(lab, ply):
        marks = memory(slot)[SLOT_NOTES] & (layout.SHORT_LOW | layout.SHORT_HIGH)
        if draft_in(slot) == draft(lab, ply) or not marks & layout.SHORT_LOW:
            low = memory(slot)[SLOT_LOW]
        if draft_in(slot) == draft(lab, ply) or not marks & layout.SHORT_HIGH:
            high = memory(slot)[SLOT_HIGH]
        if draft_in(slot) < draft(lab, ply):
            marks = 0
    return low, high, marks


@helper
def best_move(slot):
    """Return the best move stored in a slot, or -1."""
    return (memory(slot)[SLOT_NOTES] & LOW_BITS) - 1 if slot != 0 else -1


@helper
def _write(lab, slot, name, low, high, notes):
    memory(lab)[layout.ENTRIES] += memory(slot)[SLOT_KEY] == 0
    memory(slot)[SLOT_KEY] = name + 1
    memory(slot)[SLOT_LOW] = low
    memory(slot)[SLOT_HIGH] = high
    memory(slot)[SLOT_NOTES] = notes


@helper
def _as_deep(lab, slot, ply):
    """Return whether a search at this ply reaches at least as deep as the one stored in a slot."""
    if memory(lab)[layout.DRAFTED]:
        return draft(lab, ply) >= draft_in(slot)
    return ply <= (memory(slot)[SLOT_NOTES] >> layout.NOTES_PLY) & LOW_BITS


@helper
def remember(lab, name, ply, low, high, move, marks):
    """Store the bounds of a state, its best move or -1, and ``marks`` of what they rest on, such as `layout.SHORT_LOW`.
    Raises `RoomSpentError` if the table may not grow.
    """
    notes = draft(lab, ply) << layout.NOTES_DRAFT | ply << layout.NOTES_PLY | (move + 1) | marks
    slot = find(lab, name)
    if slot != 0:
        _write(lab, slot, name, low, high, notes)
        return
    policy = memory(lab)[layout.POLICY]
    if policy == layout.UNLIMITED:
        if memory(lab)[layout.ENTRIES] * 5 >= 3 << memory(lab)[layout.TABLE_BITS]:
            _double(lab)
        mask = (1 << memory(lab)[layout.TABLE_BITS]) - 1
        _write(lab, probe(memory(lab)[layout.TABLE], SLOT, mask, name), name, low, high, notes)
        return
    if policy == layout.GROWING and memory(lab)[layout.ENTRIES] * 2 >= 1 << memory(lab)[layout.TABLE_BITS]:
        _split(lab)
    slot = slot_of(lab, name)
    empty, as_deep = memory(slot)[SLOT_KEY] == 0, _as_deep(lab, slot, ply)
    if policy == layout.GROWING and not empty:
        if as_deep:  # the old entry moves to the other place
            old = memory(slot)
            _write(lab, slot + 8 * SLOT, old[SLOT_KEY] - 1, old[SLOT_LOW], old[SLOT_HIGH], old[SLOT_NOTES])
        else:
            slot += 8 * SLOT
    elif not empty and not as_deep:
        return
    _write(lab, slot, name, low, high, notes)


@helper
def _double(lab):
    """Double the slots in place.

    Starting after an empty slot, each entry in turn is taken out and put where it now belongs: its old number or that
    plus the old size. No entry moves further from there than it was, so it never lands behind one that is still to
    move.
    """
    table, size = memory(lab)[layout.TABLE], 1 << memory(lab)[layout.TABLE_BITS]
    if 2 * size > memory(lab)[layout.TABLE_SLOTS]:
        raise layout.RoomSpentError
    memory(lab)[layout.TABLE_BITS] += 1
    empty = 0
    while memory(table + 8 * SLOT * empty)[SLOT_KEY] != 0:
        empty += 1
    for step in range(1, size):
        source = memory(table + 8 * SLOT * ((empty + step) & (size - 1)))
        name = source[SLOT_KEY] - 1
        if name < 0:
            continue
        low, high, notes = source[SLOT_LOW], source[SLOT_HIGH], source[SLOT_NOTES]
        source[SLOT_KEY] = 0
        target = memory(probe(table, SLOT, 2 * size - 1, name))
        target[SLOT_KEY], target[SLOT_LOW], target[SLOT_HIGH], target[SLOT_NOTES] = name + 1, low, high, notes


@helper
def _split(lab):
    """Double the slots of a growing table in place, if there is room: entries stay or move to the new half."""
    table, size = memory(lab)[layout.TABLE], 1 << memory(lab)[layout.TABLE_BITS]
    if 2 * size > memory(lab)[layout.TABLE_SLOTS]:
        return
    memory(lab)[layout.TABLE_BITS] += 1
    for place in range(size):
        source = memory(table + 8 * SLOT * place)
        if source[SLOT_KEY] != 0 and (scatter(source[SLOT_KEY] - 1, 0) >> 32) & (size // 2):
            target = memory(table + 8 * SLOT * (size + place))
            for word in range(SLOT):
                target[word], source[word] = source[word], 0
