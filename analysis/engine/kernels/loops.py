"""Kernels of retrograde analysis: label a tier whose moves may stay within it, backward from what is decided.

Every state is undecided at first. If a child is lost for its opponent the mover wins; if all children are won by the
opponent the mover loses: ``left`` counts those that are not yet. States are decided in the order of their remoteness,
so the first winning child found is the fastest and the last losing one the slowest. A state whose remoteness is known
before its turn (from children in later tiers) waits in a bucket: a linked list for each remoteness.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from . import NEVER
from . import types as t
from .types import kernel, tuple_of

UNDECIDED = np.int16(2)
"""The value of a state that is not yet decided; what remains at the end is a tie or a draw."""
GREATEST = 65534
"""The greatest remoteness that the tables hold."""
TOO_FAR = -1
"""The result if some remoteness exceeds `GREATEST`."""
END = -1
"""The end of a linked list."""


class Survey(NamedTuple):
    """What later tiers decide of each state: children not yet known to be won by the opponent, children in its own
    tier, and plies of the fastest win, the slowest loss and the fastest tie.
    """

    left: np.ndarray  # uint8[n]
    inner: np.ndarray  # uint8[n]
    fastest: np.ndarray  # uint16[n]
    slowest: np.ndarray  # uint16[n]
    ties: np.ndarray  # uint16[n]


class Parents(NamedTuple):
    """The states whose moves lead to state ``i``: ``rows[first[i]:first[i + 1]]``."""

    first: np.ndarray  # int64[n + 1]
    rows: np.ndarray  # uint32[moves]


class DecidingOrder(NamedTuple):
    """The order in which states are decided: those decided, and those waiting, by remoteness."""

    queue: np.ndarray  # uint32[n]
    chain: np.ndarray  # int64[n], the state after each in its bucket
    heads: np.ndarray  # int64[plies], the first state of each bucket


survey_type = tuple_of(Survey, t.uint8s, t.uint8s, t.uint16s, t.uint16s, t.uint16s)
parents_type = tuple_of(Parents, t.int64s, t.uint32s)
order_type = tuple_of(DecidingOrder, t.uint32s, t.int64s, t.int64s)


@kernel(t.int64(t.labels_type, t.int16s, t.uint8s, t.int16s, t.uint16s, survey_type))
def survey(labels, payoffs, inside, child_values, child_remoteness, found):
    """Fill in what the children in later tiers decide of a chunk of states; return the greatest remoteness seen.
    ``inside`` (whether the child is in its parent's tier) and the ``child_`` arrays have an entry for each move.
    """
    branching, movers, values, remoteness = labels
    left, inner, fastest, slowest, ties = found
    k = 0
    greatest = 0
    for i in range(len(branching)):
        left[i] = branching[i]
        inner[i] = 0
        fastest[i] = ties[i] = NEVER
        slowest[i] = 0
        if branching[i] == 0:
            values[i] = payoffs[i]
            remoteness[i] = 0
            continue
        values[i] = UNDECIDED
        remoteness[i] = NEVER
        for j in range(k, k + np.int64(branching[i])):
            if inside[j]:
                inner[i] += 1
                continue
            plies = child_remoteness[j]
            if plies != NEVER:
                greatest = max(greatest, np.int64(plies))
            if child_values[j] == 0:
                ties[i] = min(ties[i], plies)
            elif child_values[j] == movers[i]:
                fastest[i] = min(fastest[i], plies)
            else:
                slowest[i] = max(slowest[i], plies)
                left[i] -= 1
        k += np.int64(branching[i])
    return greatest


@kernel(numba.void(t.uint32s, t.int64s))
def count_parents(rows, first):
    """Add, for each edge, one to the entry after its child's: sums of these are where parents begin."""
    for j in range(len(rows)):
        first[np.int64(rows[j]) + 1] += 1


@kernel(numba.void(t.int64, t.uint8s, t.uint32s, t.int64s, t.uint32s))
def note_parents(begin, inner, rows, cursor, parents):
    """Write the parents of a chunk's children, states ``begin`` on, at each child's cursor."""
    k = 0
    for i in range(len(inner)):
        for j in range(k, k + np.int64(inner[i])):
            row = rows[j]
            parents[cursor[row]] = begin + i
            cursor[row] += 1
        k += np.int64(inner[i])


@numba.njit
def _put(s, bucket, heads, chain):
    """Let a state wait for its turn."""
    chain[s] = heads[bucket]
    heads[bucket] = s
    return 1


@numba.njit
def _put_decided(labels, found, heads, chain):
    """Put every state that is won or lost by itself or by its children in later tiers into a bucket; return how many
    are.
    """
    branching, _, values, _ = labels
    left, _, fastest, slowest, _ = found
    waiting = 0
    for s in range(len(branching)):
        if branching[s] == 0:
            if values[s] != 0:
                waiting += _put(s, 0, heads, chain)
        elif fastest[s] != NEVER:
            waiting += _put(s, np.int64(fastest[s]) + 1, heads, chain)
        elif left[s] == 0:
            waiting += _put(s, np.int64(slowest[s]) + 1, heads, chain)
    return waiting


@numba.njit
def _put_level(labels, ties, heads, chain):
    """Give undecided states the value 0, and put the ends, and whatever leads to one in a later tier, into buckets."""
    branching, _, values, _ = labels
    waiting = 0
    for s in range(len(branching)):
        if values[s] == UNDECIDED:
            values[s] = 0
        if values[s] == 0 and branching[s] == 0:
            waiting += _put(s, 0, heads, chain)
        elif values[s] == 0 and ties[s] != NEVER:
            waiting += _put(s, np.int64(ties[s]) + 1, heads, chain)
    return waiting


@numba.njit
def _take(plies, end, labels, left, order):
    """Label the waiting states whose turn it is, unless already labelled; return the end of the queue, and how many
    were waiting.
    """
    branching, movers, values, remoteness = labels
    queue, chain, heads = order
    taken = 0
    s = heads[plies] if plies < len(heads) else END
    while s != END:
        taken += 1
        if branching[s] == 0 or remoteness[s] == NEVER:
            if values[s] == UNDECIDED:
                values[s] = -movers[s] if left[s] == 0 else movers[s]
            remoteness[s] = plies
            queue[end] = s
            end += 1
        s = chain[s]
    return end, taken


@numba.njit
def _label_parents(begin, end, plies, labels, found, parents, order):
    """Label what follows from the states decided last; return the end of the queue, and how many are waiting now.
    Nothing is labelled beyond `GREATEST`, which would be taken for `NEVER` and labelled again; the end is then one too
    many.
    """
    _, movers, values, remoteness = labels
    left, _, _, slowest, _ = found
    first, rows = parents
    queue, chain, heads = order
    waiting = 0
    for i in range(begin, end):
        child = np.int64(queue[i])
        for e in range(first[child], first[child + 1]):
            s = np.int64(rows[e])
            if values[s] != UNDECIDED:
                if values[s] != 0 or remoteness[s] != NEVER:
                    continue
            elif movers[s] == values[child]:
                values[s] = movers[s]
            else:
                left[s] -= 1
                slowest[s] = max(slowest[s], np.uint16(plies))
                if left[s] > 0:
                    continue
                if slowest[s] > plies:  # a child in a later tier holds out longer
                    waiting += _put(s, np.int64(slowest[s]) + 1, heads, chain)
                    continue
                values[s] = -movers[s]
            if plies >= GREATEST:
                return end + 1, waiting
            remoteness[s] = plies + 1
            queue[end] = s
            end += 1
    return end, waiting


@kernel(t.int64(t.int64, t.labels_type, survey_type, parents_type, order_type))
def decide(level, labels, found, parents, order):
    """Decide every won and lost state. If ``level``, do the second step instead: give every other state the value 0,
    and the ties among them (both players hurry to a level end) their remoteness, so that the others are draws. Returns
    how many states were decided, or `TOO_FAR`.
    """
    _, chain, heads = order
    heads[:] = END
    waiting = _put_level(labels, found.ties, heads, chain) if level else _put_decided(labels, found, heads, chain)
    begin = end = plies = 0
    while waiting > 0 or begin < end:
        end, taken = _take(plies, end, labels, found.left, order)
        decided = end
        end, put = _label_parents(begin, decided, plies, labels, found, parents, order)
        waiting += put - taken
        if end > decided and plies >= GREATEST:
            return TOO_FAR
        begin = decided
        plies += 1
    return end if plies <= GREATEST + 1 else TOO_FAR
