"""What a state is called in tables: itself, or its canonical image where symmetry is used."""

from __future__ import annotations

import numpy as np

from analysis.engine.kernels.hash_table import splitmix64
from analysis.engine.kernels.raw import cube_at, inlined, memory
from analysis.engine.kernels.states import canonical
from analysis.search.kernels.layout import CELLS, GROUP, GROUP_CHUNKS, GROUP_ORDER, KEYED, PLANES

ONE = np.uint64(1)


@inlined
def least_image(lab, state):
    """The least image of a state under the group in use."""
    if memory(lab)[GROUP_ORDER] == 1:
        return state
    tables = cube_at(memory(lab)[GROUP], memory(lab)[GROUP_ORDER], memory(lab)[GROUP_CHUNKS], 256)
    return canonical(state, tables, memory(lab)[CELLS], memory(lab)[PLANES])


@inlined
def key(lab, state):
    """What the transposition table calls a state."""
    return least_image(lab, state) if memory(lab)[KEYED] else state


@inlined
def scatter(state, seed):
    """A number that looks random, 0 to 2**63 - 1, the same for the same state and seed."""
    return np.int64(splitmix64(state, seed) >> ONE)


@inlined
def probe(table, words, mask, state):
    """The address of the slot that holds a state, in its first word plus one, or else of the free one where it belongs:
    ``table`` is the address of ``mask + 1`` slots of so many words, a hash table with linear probing.
    """
    slot = scatter(state, 0) & mask
    while memory(table + 8 * words * slot)[0] != state + 1:
        if memory(table + 8 * words * slot)[0] == 0:
            break
        slot = (slot + 1) & mask
    return table + 8 * words * slot
