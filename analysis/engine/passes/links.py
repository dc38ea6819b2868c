"""From a tier to the next: the row of every child, found again whenever a pass needs it, or kept if there is room."""

from __future__ import annotations

import itertools

import numpy as np

from analysis.engine.engine import Engine
from analysis.engine.kernels import hash_table as kernels
from analysis.engine.kernels.hash_table import HashTable, Links
from analysis.engine.kernels.states import drop_repeats
from analysis.engine.plan import table_bits
from analysis.errors import RulesError, TooLargeError

SUSPICIOUS = 8
"""Seeds that fail before it is asked whether a state is there twice: one in 10,000 tables needs a second seed."""

LARGEST_TIER = (1 << 32) - 2
"""Rows are 32-bit numbers, 0 being an empty slot."""


def build_table(states: np.ndarray) -> HashTable:
    """The table of a tier, or of several. Raises `TooLargeError` for more than `LARGEST_TIER` states, and `RulesError`
    where a state is there twice.
    """
    if len(states) > LARGEST_TIER:
        raise TooLargeError(f"a tier of {len(states):,} states is more than the {LARGEST_TIER:,} that a table can hold")
    bits = table_bits(len(states))
    slots = np.zeros(1 << bits, dtype=np.uint64)
    for seed in itertools.count():
        if kernels.insert(states, seed, slots, bits) == 0:
            return HashTable(slots, seed, bits)
        if seed == SUSPICIOUS and drop_repeats(np.sort(states)) < len(states):
            raise RulesError("a state occurs at two plies: its rules need a tier(state), or loopy=True")
        slots[:] = 0
    raise AssertionError("unreachable")


def link(engine: Engine, states: np.ndarray, table: HashTable) -> Links:
    """Expand a chunk of states and look all children up in the next tier's table. ``rows`` is the calling thread's
    scratch, good until its next call.
    """
    n, most = len(states), engine.rules.max_moves
    rows = engine.workers.scratch("rows", n * most, np.uint32)
    links = Links(np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int16), rows)
    to_move = engine.compiled.to_move
    total = engine.call(states, kernels.link, engine.successors, to_move, states, most, engine.board, table, links)
    if total == kernels.MISSING:
        raise _not_found(engine)
    return links._replace(rows=rows[:total])


def find(engine: Engine, states: np.ndarray, table: HashTable) -> np.ndarray:
    """The rows of states in the table of their tier, uint32[n]."""
    rows = np.empty(len(states), dtype=np.uint32)
    if kernels.find(states, table, rows) == kernels.MISSING:
        raise _not_found(engine)
    return rows


def _not_found(engine: Engine) -> RulesError:
    return RulesError(
        f"{engine.game.spec}: a position after a move was not found again; its symmetries are no group, or play() or "
        "canonical() do not always give the same; `gametree check` looks for an example"
    )
