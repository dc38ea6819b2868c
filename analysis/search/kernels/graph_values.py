"""Kernels over the graph of all positions below a root: link and value them, count the smallest proofs."""

from __future__ import annotations

from ...engine.kernels.raw import memory
from ...engine.kernels.types import int8s, int64, int64_table, int64s, kernel, uint8s, uint32s
from . import layout
from .layout import CHILDREN, TREE_LEAVES, TREE_NODES, VALUE
from .steps import Expand, row, solved_row
from .transpositions import least_image, probe

MANY = 1 << 60
"""Counts saturate here; it also marks what cannot be proved."""


@kernel(int64(Expand, int64, int64s, int64, int64s))
def expand_all(expand, lab, states, stop, out):
    """Write the children of all states, duplicates included; return their number."""
    total = 0
    for i in range(len(states)):
        moves = expand(lab, states[i], stop, row(lab, 0, CHILDREN))
        for j in range(abs(moves)):
            out[total] = least_image(expand, lab, memory(row(lab, 0, CHILDREN))[j])
            total += 1
    return total


@kernel(int64(int64, int64s))
def index(lab, states):
    """Enter all states into the hash table; state i has row i."""
    mask = (1 << memory(lab)[layout.SOLVED_BITS]) - 1
    for i in range(len(states)):
        slot = memory(probe(memory(lab)[layout.SOLVED], 2, mask, states[i]))
        slot[0], slot[1] = states[i] + 1, i
    return 0


@kernel(int64(Expand, int64, int64s, uint8s, int64s, uint32s, int8s, int64s))
def link_all(expand, lab, states, stops, first, children, sides, payoffs):
    """Write the rows of each state's children from ``first`` on, its mover (0: a leaf), and the payoffs of leaves."""
    total = 0
    for i in range(len(states)):
        moves = expand(lab, states[i], stops[i], row(lab, 0, CHILDREN))
        first[i] = total
        sides[i] = 0 if moves == 0 else 1 if moves > 0 else -1
        payoffs[i] = memory(row(lab, 0, CHILDREN))[0] if moves == 0 else 0
        for j in range(abs(moves)):
            children[total] = solved_row(expand, lab, memory(row(lab, 0, CHILDREN))[j])
            total += 1
    first[len(states)] = total
    return total


@kernel(int64(int64s, uint32s, int8s, int64s, int64_table))
def value_all(first, children, sides, payoffs, facts):
    """Find the value of each row and the size of its tree by backward induction. Children come after their parents."""
    for i in range(len(sides) - 1, -1, -1):
        facts[i, VALUE] = payoffs[i]
        facts[i, TREE_NODES] = 1
        facts[i, TREE_LEAVES] = 1 if sides[i] == 0 else 0
        for j in range(first[i], first[i + 1]):
            child = children[j]
            value = facts[child, VALUE]
            if j == first[i] or (value > facts[i, VALUE] if sides[i] > 0 else value < facts[i, VALUE]):
                facts[i, VALUE] = value
            facts[i, TREE_NODES] = min(MANY, facts[i, TREE_NODES] + facts[child, TREE_NODES])
            facts[i, TREE_LEAVES] = min(MANY, facts[i, TREE_LEAVES] + facts[child, TREE_LEAVES])
    return facts[0, VALUE]


@kernel(int64(int64s, uint32s, int8s, int64_table, int64, int64))
def prove_all(first, children, sides, facts, low, high):
    """Find the smallest proofs that a value is at least ``low``, at most ``high``, and both; `MANY` if there is
    none.
    """
    for i in range(len(sides) - 1, -1, -1):
        for lower, upper, both, itself in (
            (layout.LOWER_NODES, layout.UPPER_NODES, layout.BOTH_NODES, 1),
            (layout.LOWER_LEAVES, layout.UPPER_LEAVES, layout.BOTH_LEAVES, 0),
        ):
            if sides[i] == 0:
                facts[i, lower] = 1 if facts[i, VALUE] >= low else MANY
                facts[i, upper] = 1 if facts[i, VALUE] <= high else MANY
                facts[i, both] = 1 if facts[i, VALUE] == low == high else MANY
                continue
            # the side to move needs one child for its own bound, and all of them for the other's
            by_any, by_all = (lower, upper) if sides[i] > 0 else (upper, lower)
            least, total, saved = MANY, itself, MANY
            for j in range(first[i], first[i + 1]):
                child = children[j]
                least = min(least, facts[child, by_any])
                total = min(MANY, total + facts[child, by_all])
                if facts[child, both] < MANY:
                    saved = min(saved, facts[child, both] - facts[child, by_all])
            facts[i, by_any] = min(MANY, itself + least)
            facts[i, by_all] = total
            facts[i, both] = MANY if saved == MANY or total == MANY else total + saved
    return 0
