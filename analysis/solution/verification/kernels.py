"""Loops of verification, which share nothing with those of the solver.

States are expanded by calling the author's functions one by one, symmetric images are assembled from the bytes of whole
states, children are found in sorted states by their leading bits, and labels and counts come from plain loops.

A label combines a value (high bits) and a remoteness (lowest 16 bits). Counts have one or two 64-bit limbs, the low one
first; sums have two, and an overflow is reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from ...engine.kernels import NEVER
from ...engine.kernels import types as t
from ...engine.kernels.hash_table import splitmix64
from ...engine.kernels.raw import borrowed, keep_alive, prefetch
from ...engine.kernels.types import helper, inlined, kernel, tuple_of

OPTIMAL, SHORTEST, QUOTIENT, FIELDS = 3, 4, 5, 6
"""The fields of a tally, after games won by X, won by O and tied."""

PLIES = 0xFFFF
"""The bits of a label that hold the remoteness."""

TOGETHER = 128
"""States looked up together, so that waits for memory overlap."""
NEAR = 8
"""States in a cache line: all are compared, since a branch that is predicted wrong takes longer."""
at = np.uint64
"""Casts an index to unsigned, so that Numba omits the check for negative ones."""

bools = numba.types.Array(numba.types.boolean, 1, "C")


class ReplayedMoves(NamedTuple):
    """The moves of some states, grouped by state: their codes, and the canonical states after them."""

    movers: np.ndarray  # int8[n]
    branching: np.ndarray  # uint8[n]
    payoffs: np.ndarray  # int64[n], `ongoing` while the game goes on
    codes: np.ndarray  # uint16[moves]
    children: np.ndarray  # int64[moves]


replayed_type = tuple_of(ReplayedMoves, t.int8s, t.uint8s, t.int64s, t.uint16s, t.int64s)


@helper
def moved(state, images, g, low):
    """Return the image of a state under element ``g``: images of its bytes within ``low``; the bits above stay."""
    image = state & ~low
    marks = state & low
    for place in range(images.shape[1]):
        image |= images[g, place, (marks >> (8 * place)) & 255]
    return image


@helper
def least_image(state, images, low):
    """Return the least of all images of a state."""
    least = state
    for g in range(1, images.shape[0]):
        least = min(least, moved(state, images, g, low))
    return least


@kernel(
    t.int64(
        t.IntegerFunction, t.LegalMoves, t.Play, t.IntegerFunction, t.int64, t.int64, t.int64, t.int64s,
        t.int64_cube, t.int64, t.int64, replayed_type,
    )
)  # fmt: skip
def expand_one_by_one(
    outcome, legal_moves, play, to_move, ongoing, most, most_code, states, images, low, repeating, found
):
    """Write every move of some states; return their number, or ``-1 - row`` for the first state with invalid moves."""
    movers, branching, payoffs, codes, children = found
    buffer = np.zeros(most, np.int64)
    moves = borrowed(buffer)
    total = 0
    for i in range(len(states)):
        movers[i] = to_move(states[i])
        payoffs[i] = outcome(states[i])
        branching[i] = 0
        if payoffs[i] == ongoing:
            n = legal_moves(states[i], moves)
            if n <= 0 or n > most or moves[0] < 0 or moves[n - 1] > most_code:
                return -1 - i
            branching[i] = n
            for j in range(n):
                if j > 0 and moves[j] <= moves[j - 1] and not repeating:
                    return -1 - i
                codes[total] = moves[j]
                children[total] = least_image(play(states[i], moves[j]), images, low)
                total += 1
    return keep_alive(total, buffer)


@kernel(numba.void(t.int64s, t.int64_cube, t.int64, t.int64s, t.int64s))
def least_and_orbits(states, images, low, least, orbits):
    """Find the least image of each state, and the size of its orbit."""
    order = images.shape[0]
    for i in range(len(states)):
        state = states[i]
        smallest, fixing = state, 1
        for g in range(1, order):
            image = moved(state, images, g, low)
            smallest = min(smallest, image)
            fixing += image == state
        least[i] = smallest
        orbits[i] = order // fixing


@kernel(numba.void(t.int64s, t.int64, t.uint32s))
def fill_begins(states, shift, begins):
    """Write where each slot begins: the row of the first state whose shifted distance from the first is its number."""
    slot = 0
    for row in range(len(states)):
        own = np.int64(np.uint64(states[row] - states[0]) >> np.uint64(shift))
        while slot <= own:
            begins[slot] = row
            slot += 1
    begins[slot:] = len(states)


@kernel(t.int64(t.int64s, t.int32s, t.uint32s, t.int64, t.int64s, t.int64s, t.int32s))
def find_rows(states, labels, begins, shift, wanted, rows, found):
    """Find the row of each state, -1 if absent, and its label; return how many are absent."""
    n, missing = len(states), 0
    first, last, near = states[0], states[n - 1], min(NEAR, n)
    lows, sizes = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    for begin in range(0, len(wanted), TOGETHER):
        end = min(begin + TOGETHER, len(wanted))
        for k in range(begin, end):
            low = size = np.int64(0)
            if first <= wanted[k] <= last:
                slot = np.int64(np.uint64(wanted[k] - first) >> np.uint64(shift))
                low = np.int64(begins[at(slot)])
                size = np.int64(begins[at(slot + 1)]) - low
                prefetch(states, low)
                prefetch(states, low + NEAR)
                prefetch(labels, low + NEAR // 2)
            lows[k - begin], sizes[k - begin] = low, size
        for k in range(begin, end):
            state, low, size = wanted[k], lows[k - begin], sizes[k - begin]
            while size > near:
                half = size >> 1
                low = low + half if states[at(low + half)] <= state else low
                size -= half
            low = min(low, n - near)
            less = 0
            for other in range(near):
                less += states[at(low + other)] < state
            low = min(low + less, n - 1)
            absent = states[at(low)] != state
            rows[k], found[k] = -1 if absent else low, labels[at(low)]
            missing += absent
    return missing


@kernel(t.int64(replayed_type, t.int32s, t.int16s, t.uint16s, t.int64s, t.int64s, bools))
def find_labels(expanded, labels, stored_values, stored_remoteness, values, remoteness, kept):
    """Find value and remoteness of each state from the labels after its moves, and whether each move keeps the value.
    Return how many states are stored with others.
    """
    movers, branching, payoffs, _, _ = expanded
    k, wrong = 0, 0
    for i in range(len(branching)):
        begin, k = k, k + np.int64(branching[i])
        mover, best = np.int64(movers[i]), np.int64(-1) << 40
        for move in range(begin, k):  # the best value, and with it the least remoteness, or the greatest in a loss
            value, plies = mover * (np.int64(labels[move]) >> 16), np.int64(labels[move]) & PLIES
            best = max(best, value << 16 | (plies if value < 0 else PLIES - plies))
        value, plies = best >> 16, best & PLIES
        for move in range(begin, k):
            kept[move] = mover * (np.int64(labels[move]) >> 16) == value
        plies = plies if value < 0 else PLIES - plies
        values[i], remoteness[i] = mover * value, min(plies + 1, NEVER) if value == 0 else plies + 1
        if begin == k:
            values[i], remoteness[i] = payoffs[i], 0
        wrong += values[i] != stored_values[i] or remoteness[i] != stored_remoteness[i]
    return wrong


@kernel(numba.void(t.uint8s, t.int64s, t.uint8s, t.int64s))
def find_nimbers(branching, rows, nimbers, found):
    """Find the least number that no child has, for each state."""
    k = 0
    for i in range(len(branching)):
        begin, k = k, k + np.int64(branching[i])
        candidate, taken = -1, True
        while taken:
            candidate += 1
            taken = False
            for move in range(begin, k):
                taken |= nimbers[rows[move]] == candidate
        found[i] = candidate


@inlined
def is_first(children, begin, move):
    """Return whether no earlier move of the state leads to the same child."""
    earlier = begin
    while children[earlier] != children[move]:
        earlier += 1
    return earlier == move


@kernel(t.int64(replayed_type, t.int64s, t.int64s, bools, t.int32s, t.int64s, t.uint64_cube, t.uint64_cube))
def sum_tallies(expanded, values, remoteness, kept, labels, rows, tallies, sums):
    """Add up the tallies of each state's children, at ``rows`` of uint64[k, FIELDS, limbs], into ``sums``, uint64[n,
    FIELDS, 2], zeros at first. Return the row of a state whose sum exceeds 128 bits, or -1.
    """
    _, branching, _, _, children = expanded
    limbs, lost, k = tallies.shape[2], -1, 0
    counted = np.ones(FIELDS, np.bool_)
    for i in range(len(branching)):
        begin, k = k, k + np.int64(branching[i])
        if begin == k:
            sums[i, 0 if values[i] > 0 else 1 if values[i] < 0 else 2, 0] = 1
            sums[i, OPTIMAL, 0] = sums[i, SHORTEST, 0] = sums[i, QUOTIENT, 0] = 1
        for move in range(begin, k):
            row = rows[move]
            counted[OPTIMAL] = kept[move]
            counted[SHORTEST] = kept[move] and (np.int64(labels[move]) & PLIES) + 1 == remoteness[i]
            counted[QUOTIENT] = is_first(children, begin, move)
            for field in range(FIELDS):
                if counted[field]:
                    low, high = sums[i, field, 0], sums[i, field, 1]
                    sums[i, field, 0] = low + tallies[row, field, 0]
                    more = np.uint64(sums[i, field, 0] < low)
                    more += tallies[row, field, 1] if limbs == 2 else np.uint64(0)
                    sums[i, field, 1] = high + more
                    if sums[i, field, 1] < high:
                        lost = i
    return lost


@kernel(numba.void(t.uint8s, t.int64s, t.int64s, t.int64, numba.uint64, numba.uint64, t.uint64s))
def weigh_children(branching, children, tiers, target, key, factor, weights):
    """Add up the weights of each state's children in the tier ``target``.

    A weight has 56 bits, pseudorandom unless one knows the ``key`` and the odd ``factor``.
    """
    k = 0
    for i in range(len(branching)):
        weights[i] = 0
        for _ in range(branching[i]):
            if tiers[k] == target:
                weights[i] += splitmix64((np.uint64(children[k]) ^ key) * factor, 0) >> np.uint64(8)
            k += 1


@kernel(numba.void(t.uint64_table, t.uint64s, t.uint64s))
def add_weighted(numbers, weights, digits):
    """Add numbers, uint64[n, limbs], times weights to ``digits``, uint64[6], to the base 2 ** 32."""
    low = np.uint64(0xFFFFFFFF)
    for i in range(len(weights)):
        for place in range(2 * numbers.shape[1]):
            digit = numbers[i, place >> 1] >> np.uint64(32 * (place & 1)) & low
            one, other = digit * (weights[i] & low), digit * (weights[i] >> np.uint64(32))
            digits[place] += one & low
            digits[place + 1] += (one >> np.uint64(32)) + (other & low)
            digits[place + 2] += other >> np.uint64(32)


@kernel(numba.void(t.uint8s, t.int64s))
def set_bits(bits, rows):
    """Set the bits of some rows."""
    for row in rows:
        bits[row >> 3] |= np.uint8(1 << (row & 7))
