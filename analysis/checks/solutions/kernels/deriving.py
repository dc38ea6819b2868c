"""What states are worth by what is stored of the states after them: labels, nimbers, counts, and sums over states.

A label is a value and a remoteness in one number: the value above, the remoteness in the lowest 16 bits. Counts have
one or two 64-bit limbs, the low one first; sums are made in two, and a carry out of the higher one is told.
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.checks.solutions.kernels.expanding import replayed_type
from analysis.engine.kernels import types as t
from analysis.engine.kernels.constants import NEVER
from analysis.engine.kernels.types import inlined, kernel

OPTIMAL, SHORTEST, QUOTIENT, FIELDS = 3, 4, 5, 6
"""Of a tally: games won by X, by O and tied come first."""

PLIES = 0xFFFF
"""The bits of a label that are the remoteness."""

bools = numba.types.Array(numba.types.boolean, 1, "C")


@kernel(numba.void(replayed_type, t.int64s, t.int32s, t.int64s, t.int64s, bools))
def find_labels(expanded, rows, labels, values, remoteness, kept):
    """Fill in value and remoteness of each state, and whether each move keeps the value. ``rows`` says where in
    ``labels`` the child of each move is.
    """
    movers, branching, payoffs, _, _ = expanded
    k = 0
    for i in range(len(branching)):
        begin, k = k, k + np.int64(branching[i])
        if begin == k:
            values[i], remoteness[i] = payoffs[i], 0
            continue
        mover, best = np.int64(movers[i]), np.int64(-1) << 40
        for move in range(begin, k):
            best = max(best, mover * (np.int64(labels[rows[move]]) >> 16))
        fastest, slowest = np.int64(1) << 40, np.int64(-1)
        for move in range(begin, k):
            label = np.int64(labels[rows[move]])
            kept[move] = mover * (label >> 16) == best
            if kept[move]:
                fastest = min(fastest, label & PLIES)
                slowest = max(slowest, label & PLIES)
        values[i] = mover * best
        remoteness[i] = 1 + (slowest if best < 0 else fastest)
        if best == 0 and fastest == NEVER:
            remoteness[i] = NEVER


@kernel(numba.void(t.uint8s, t.int64s, t.uint8s, t.int64s))
def find_nimbers(branching, rows, nimbers, found):
    """The least number that no child has, for each state."""
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
    """Whether the child of a move is not that of an earlier move of the state."""
    earlier = begin
    while children[earlier] != children[move]:
        earlier += 1
    return earlier == move


@inlined
def add_to(low, high, more_low, more_high):
    """The sum of two numbers of two limbs each, and whether it has a carry out of them."""
    low += more_low
    carry = np.uint64(low < more_low)
    total = high + more_high
    sum_high = total + carry
    return low, sum_high, total < high or sum_high < carry


tallies_type = (t.int64s, t.int32s, t.uint64_cube, t.uint64_cube, t.uint64_table)


@kernel(t.int64(replayed_type, t.int64s, t.int64s, bools, *tallies_type))
def compare_tallies(expanded, values, remoteness, kept, rows, labels, tallies, stored, sums):
    """Compare ``stored``, the tallies of some states [n, FIELDS, limbs], with the sums of those of their children; fill
    in the quotient paths there. Returns the row of the first state where a tally differs, its ``sums`` [FIELDS, 2]
    being what they should be, or 2 ** 128 less; else -1.
    """
    _, branching, _, _, children = expanded
    wide = tallies.shape[2] == 2
    counted = np.ones(FIELDS, np.bool_)
    k = 0
    for i in range(len(branching)):
        begin, k = k, k + np.int64(branching[i])
        sums[:] = 0
        right = True
        if begin == k:
            sums[0 if values[i] > 0 else 1 if values[i] < 0 else 2, 0] = 1
            sums[OPTIMAL, 0] = sums[SHORTEST, 0] = sums[QUOTIENT, 0] = 1
        for move in range(begin, k):
            row = rows[move]
            counted[OPTIMAL] = kept[move]
            counted[SHORTEST] = kept[move] and (np.int64(labels[row]) & PLIES) + 1 == remoteness[i]
            counted[QUOTIENT] = is_first(children, begin, move)
            for field in range(FIELDS):
                if counted[field]:
                    more = tallies[row, field, 1] if wide else np.uint64(0)
                    sums[field, 0], sums[field, 1], lost = add_to(
                        sums[field, 0], sums[field, 1], tallies[row, field, 0], more
                    )
                    right &= not lost
        stored[i, QUOTIENT, 0] = sums[QUOTIENT, 0]
        if wide:
            stored[i, QUOTIENT, 1] = sums[QUOTIENT, 1]
        for field in range(FIELDS):
            right &= stored[i, field, 0] == sums[field, 0]
            right &= (stored[i, field, 1] if wide else np.uint64(0)) == sums[field, 1]
        if not right:
            return i
    return -1


@kernel(numba.void(t.uint8s, t.int64s, t.int64))
def mark_rows(marks, rows, mark):
    """Mark some rows."""
    for row in rows:
        marks[row] = mark


@kernel(t.int64(t.uint64s, t.uint64s, t.int64, t.int64, t.int64s, t.int64s, t.uint64_table))
def add_numbers(lows, highs, begin, end, rows, sources, numbers):
    """Add to the rows from ``begin`` to below ``end`` the numbers [n, limbs] that ``sources`` name, one for each of the
    ``rows``; return how often a sum had a carry out of 128 bits.
    """
    wide, times = numbers.shape[1] == 2, 0
    for k in range(len(rows)):
        row, source = rows[k], sources[k]
        if begin <= row < end:
            low = lows[row] + numbers[source, 0]
            if wide or low < numbers[source, 0]:  # else the higher limb need not be read
                more = numbers[source, 1] if wide else np.uint64(0)
                low, high, lost = add_to(lows[row], highs[row], numbers[source, 0], more)
                highs[row] = high
                times += lost
            lows[row] = low
    return times


@kernel(numba.void(t.int64s, t.uint8s, t.int8s, t.int64s, t.int64s, t.int64s, t.int64_table))
def add_census(orbits, branching, movers, values, remoteness, counts, by_remoteness):
    """Add to the counts that the totals hold of some states, see `kernels.census`."""
    for i in range(len(orbits)):
        orbit = orbits[i]
        sign = 1 if values[i] > 0 else -1 if values[i] < 0 else 0
        counts[0] += orbit
        counts[1] += 1
        counts[2] += orbit * branching[i]
        if branching[i] == 0:
            counts[7 + sign] += orbit
        if remoteness[i] == NEVER:
            counts[9] += orbit
        else:
            counts[4 + sign] += orbit
            by_remoteness[remoteness[i], 1 + movers[i] * sign] += orbit
