"""Kernels of the backward pass: find value and remoteness of states from those of their children, and count exactly.

Counts are integers of one or two 64-bit limbs, the low limb first.
"""

from __future__ import annotations

import numba
import numpy as np

from . import CLASSES, DRAWN, MOVES, NEVER, POSITIONS, TERMINAL, VALUE
from . import types as t
from .hash_table import links_type
from .raw import prefetch
from .types import kernel

SCALE = np.int64(1 << 16)
LEAST = np.int64(-1 << 40)


@kernel(numba.void(links_type, t.int16s, t.uint16s, t.int16s, t.uint16s))
def label(links, child_values, child_remoteness, values, remoteness):
    """Label states: v(s) is the payoff if the game is over, else that of the mover's best child; the winner hurries,
    the loser delays, and with value 0 the players hurry.

    The mover compares children by one number that orders them by value, then by haste: comparing both in turn was 2.5
    times slower, since the branches cannot be predicted.
    """
    branching, movers, payoffs, rows = links
    k = 0
    for i in range(len(branching)):
        if branching[i] == 0:
            values[i] = payoffs[i]
            remoteness[i] = 0
            continue
        mover, after = np.int64(movers[i]), k + np.int64(branching[i])
        best = LEAST
        for j in range(k, after):
            value = mover * np.int64(child_values[rows[j]])
            plies = np.int64(child_remoteness[rows[j]])
            preference = value * SCALE + (plies if value < 0 else SCALE - 1 - plies)
            best = max(best, preference)
        k = after
        value, rest = best // SCALE, best % SCALE
        values[i] = mover * value
        remoteness[i] = 1 + (rest if value < 0 else SCALE - 1 - rest)


@kernel(numba.void(t.uint8s, t.uint32s, t.uint8s, t.uint8s))
def find_nimbers(branching, rows, child_nimbers, nimbers):
    """Find the least number that no child has: the nimber of an impartial game (Sprague 1935, Grundy 1939)."""
    last_with = np.full(256, -1, np.int64)  # the last state that has a child with this nimber
    k = 0
    for i in range(len(branching)):
        for j in range(k, k + np.int64(branching[i])):
            last_with[child_nimbers[rows[j]]] = i
        k += np.int64(branching[i])
        least = 0
        while last_with[least] == i:
            least += 1
        nimbers[i] = least


GAMES_X, GAMES_O, GAMES_TIE, OPTIMAL, SHORTEST, QUOTIENT = range(6)
"""The fields of a tally: games won by X, by O and tied from here on; optimal paths; optimal paths in which the winner
also hurries and the loser delays; and paths of the quotient graph.
"""

FIELDS = 6
AHEAD = 32
"""How many moves ahead children are brought into the cache."""

STAMPS = 1024
"""Remembered children of a state, by the last bits of their rows, which usually show whether one came before."""


def _tally_of(child_tallies, tallies):
    """Return the kernel `tally` for numbers of these types."""

    @kernel(numba.void(t.uint8s, t.int16s, t.uint16s, t.uint32s, t.int16s, t.uint16s, child_tallies, tallies))
    def tally(branching, values, remoteness, rows, child_values, child_remoteness, child_tallies, tallies):
        """Sum the children's tallies into each state's; ``tallies`` [n, FIELDS, limbs] initially holds zeros.

        Which children count is a mask, not a branch, where a number has one limb: no branch here can be predicted.
        """
        wide = tallies.shape[2] == 2
        width, last = FIELDS * tallies.shape[2], len(rows) - 1
        stamps = np.full(STAMPS, -1, np.int64)
        none = np.uint64(0)
        k = 0
        for i in range(len(branching)):
            if branching[i] == 0:
                outcome = GAMES_X if values[i] > 0 else GAMES_O if values[i] < 0 else GAMES_TIE
                tallies[i, outcome, 0] = 1
                for field in range(OPTIMAL, FIELDS):
                    tallies[i, field, 0] = 1
                continue
            games_x = games_o = games_tie = optimal = shortest = quotient = none
            value, plies, after = values[i], np.int64(remoteness[i]) - 1, k + np.int64(branching[i])
            for j in range(k, after):
                row, coming = rows[j], np.int64(rows[min(j + AHEAD, last)])
                prefetch(child_tallies, coming * width)
                prefetch(child_tallies, coming * width + width - 1)
                prefetch(child_values, coming)
                prefetch(child_remoteness, coming)
                first = j
                stamp = np.int64(row) % STAMPS
                if stamps[stamp] == i:
                    first = k
                    while rows[first] != row:
                        first += 1
                stamps[stamp] = i
                best = none - np.uint64(child_values[row] == value)
                quickest = best & (none - np.uint64(np.int64(child_remoteness[row]) == plies))
                new = none - np.uint64(first == j)  # classes have one edge, however many moves lead across
                if wide:
                    for field in range(FIELDS):
                        mask = best if field == OPTIMAL else quickest if field == SHORTEST else ~none
                        mask = new if field == QUOTIENT else mask
                        amount = child_tallies[row, field, 0] & mask
                        low = tallies[i, field, 0] + amount
                        tallies[i, field, 0] = low
                        tallies[i, field, 1] += (child_tallies[row, field, 1] & mask) + np.uint64(low < amount)
                else:
                    games_x += np.uint64(child_tallies[row, GAMES_X, 0])
                    games_o += np.uint64(child_tallies[row, GAMES_O, 0])
                    games_tie += np.uint64(child_tallies[row, GAMES_TIE, 0])
                    optimal += child_tallies[row, OPTIMAL, 0] & best
                    shortest += child_tallies[row, SHORTEST, 0] & quickest
                    quotient += child_tallies[row, QUOTIENT, 0] & new
            if not wide:
                tallies[i, GAMES_X, 0], tallies[i, GAMES_O, 0], tallies[i, GAMES_TIE, 0] = games_x, games_o, games_tie
                tallies[i, OPTIMAL, 0], tallies[i, SHORTEST, 0], tallies[i, QUOTIENT, 0] = optimal, shortest, quotient
            k = after

    return tally


TALLY = {
    (np.uint16, np.uint16): _tally_of(t.uint16_cube, t.uint16_cube),
    (np.uint16, np.uint32): _tally_of(t.uint16_cube, t.uint32_cube),
    (np.uint32, np.uint32): _tally_of(t.uint32_cube, t.uint32_cube),
    (np.uint32, np.uint64): _tally_of(t.uint32_cube, t.uint64_cube),
    (np.uint64, np.uint64): _tally_of(t.uint64_cube, t.uint64_cube),
}
"""`tally` as a kernel, by the types of the children's numbers and of the sums: the children of one state add up to less
than 255 times the greatest number, so one type is never skipped.
"""


OVERFLOW = -1
"""The result if a number needs more limbs."""


@kernel(t.int64(t.uint64_table, t.uint8s, t.uint32s, t.uint64_table))
def spread(histories, branching, rows, child_histories):
    """Add each state's histories [n, limbs] to those of each of its children. Returns 0, or `OVERFLOW` for
    2**127 or more, which is before two limbs are full.
    """
    two = histories.shape[1] == 2
    wide = child_histories.shape[1] == 2
    k = 0
    for i in range(len(branching)):
        low = histories[i, 0]
        high = histories[i, 1] if two else np.uint64(0)
        end = k + np.int64(branching[i])
        for j in range(k, end):
            row = rows[j]
            after = child_histories[row, 0] + low
            child_histories[row, 0] = after
            if wide:
                child_histories[row, 1] += high + np.uint64(after < low)
                if child_histories[row, 1] >> np.uint64(63):
                    return OVERFLOW
        k = end
    return 0


@kernel(t.int64(t.uint64_cube, t.int64s, t.uint32s, t.uint64_cube, t.int64))
def spread_plies(histories, parents, rows, child_histories, longer):
    """Add the histories [n, plies, limbs] of each parent to those of its child, which are ``longer`` by this many
    plies, and may have more limbs. Returns 0 or `OVERFLOW`.
    """
    two, wide = histories.shape[2] == 2, child_histories.shape[2] == 2
    for j in range(len(rows)):
        parent, row = parents[j], rows[j]
        for ply in range(histories.shape[1]):
            low = histories[parent, ply, 0]
            high = histories[parent, ply, 1] if two else np.uint64(0)
            if low == 0 and high == 0:
                continue
            after = child_histories[row, ply + longer, 0] + low
            child_histories[row, ply + longer, 0] = after
            carry = np.uint64(after < low)
            if not wide:
                if carry or high:
                    return OVERFLOW
                continue
            top = child_histories[row, ply + longer, 1]
            child_histories[row, ply + longer, 1] = top + high + carry
            if child_histories[row, ply + longer, 1] < top:
                return OVERFLOW
    return 0


@kernel(t.int64(t.uint64_table, t.uint64_table))
def add_histories(total, amounts):
    """Add ``amounts`` to ``total`` with carry, row by row. Returns 0 or `OVERFLOW`."""
    wide = total.shape[1] == 2
    result = 0
    for i in range(len(total)):
        low = total[i, 0] + amounts[i, 0]
        carry = np.uint64(low < amounts[i, 0])
        total[i, 0] = low
        if wide:
            top = total[i, 1]
            total[i, 1] = top + amounts[i, 1] + carry
            if total[i, 1] < top:
                result = OVERFLOW
        elif carry:
            result = OVERFLOW
    return result


@kernel(numba.void(t.labels_type, t.uint16s, t.int64s, t.int64_table))
def census(labels, orbits, totals, by_remoteness):
    """Add a chunk to ``totals`` [ENTRIES] and to ``by_remoteness`` [remoteness, 3], which counts positions that the
    mover loses, ties and wins, without draws.
    """
    branching, movers, values, remoteness = labels
    for i in range(len(values)):
        orbit = np.int64(orbits[i])
        sign = 1 if values[i] > 0 else -1 if values[i] < 0 else 0
        totals[POSITIONS] += orbit
        totals[CLASSES] += 1
        totals[MOVES] += orbit * branching[i]
        if remoteness[i] == NEVER:
            totals[DRAWN] += orbit
            continue
        totals[VALUE + 1 + sign] += orbit
        if branching[i] == 0:
            totals[TERMINAL + 1 + sign] += orbit
        by_remoteness[remoteness[i], 1 + movers[i] * sign] += orbit
