"""Kernels of retrograde analysis: label a tier whose moves may stay within it, backward from what is decided.

``left`` counts the moves of each state that are not yet known to be won by the opponent; 0 is decided. If a child is
won by a player, each of its parents either is that player's turn, and won by that player too, or has one move less
left; at 0 that player has won it as well. So states are decided in the order of their remoteness, in waves. What
remains has value 0; a second pass of waves, from the level ends, finds the ties among it.

The moves within a tier are stored as the lists of the parents of each child, in bytes (numbers of seven bits each, all
but the last marked by the highest bit). They are made by sorting: the moves of a range of parents by child, cut into
*slices* by the range of the child; then the slices of a range of children, whose states give each child its row.
"""

from __future__ import annotations

import numba
import numpy as np

from . import BLOCK, MISSING, NEVER
from . import types as t
from .raw import prefetch
from .types import inlined, kernel
from .varints import bytes_of, get, put

GREATEST = 65534
"""The greatest remoteness that the tables hold."""
SPARE = 1024
"""Parents that are collected before any of them is looked at, so that misses of the cache overlap."""
AHEAD = 16
"""Parents that are looked at meanwhile."""
X_WINS, O_WINS, X_LOSES, O_LOSES, LEVEL = 1, 2, 3, 4, 5
"""What is known of a state without the moves within its tier, at some wave: that a player wins it, that the last of the
moves of X or O to later tiers that the opponent wins is won, or that it is level unless it is won.
"""
KINDS = 5


@kernel(
    t.int64(
        t.IntegerFunction, t.int64, t.labels_type, t.int16s, t.uint8s, t.int64s, t.int16s, t.uint16s, t.uint8s,
        t.int64s, t.uint16s,
    )
)  # fmt: skip
def survey(outcome, begin, labels, payoffs, inside, children, values, remoteness, left, to, parents):
    """Survey a chunk of states, numbered from ``begin``: write child and parent of each move that stays in the tier,
    unless some move wins at once, so that no other matters; how many moves are ``left``; and into the values and the
    remoteness of ``labels`` what else is known, such as `X_WINS`, and its wave. ``inside`` and the arrays of children
    have an entry for each move; ``values`` and ``remoteness`` matter in later tiers. Returns how many pairs there are.
    """
    branching, movers, kinds, waves = labels
    k = total = 0
    for i in range(len(branching)):
        n = np.int64(branching[i])
        mover = np.int64(movers[i])
        first, fastest, slowest, tied, lost = total, np.int64(NEVER), np.int64(0), np.int64(NEVER), 0
        for j in range(k, k + n):
            if inside[j]:
                if outcome(children[j]) == mover:
                    fastest = 0
                    break
                to[total] = children[j]
                parents[total] = begin + i
                total += 1
                continue
            plies = np.int64(remoteness[j])
            if values[j] == 0:
                tied = min(tied, plies)
            elif values[j] == mover:
                fastest = min(fastest, plies)
            else:
                slowest = max(slowest, plies)
                lost += 1
        k += n
        left[i], kinds[i], waves[i] = n - lost, 0, 0
        if n == 0:
            left[i] = 1
            kinds[i] = X_WINS if payoffs[i] > 0 else O_WINS if payoffs[i] < 0 else LEVEL
        elif fastest != NEVER:
            left[i] = n
            kinds[i] = X_WINS if mover > 0 else O_WINS
            waves[i] = fastest + 1
            if fastest == 0:
                total = first
        elif tied != NEVER:
            kinds[i] = LEVEL
            waves[i] = tied + 1
        elif lost > 0:  # it may be lost, but not before the slowest of these
            left[i] += 1
            kinds[i] = X_LOSES if mover > 0 else O_LOSES
            waves[i] = slowest + 1
    return total


@kernel(numba.void(t.int64s, t.uint16s, t.int64, t.int64))
def pack(to, parents, least, bits):
    """Put each pair of child and parent into one number, the parent in the lowest ``bits``."""
    for i in range(len(to)):
        to[i] = (to[i] - least) << bits | np.int64(parents[i])


@kernel(t.int64(t.int64s, t.int64s, t.uint16s, t.int64, t.int64, t.uint8s))
def unpack(pairs, to, parents, least, bits, left):
    """Invert `pack` for sorted pairs, which may be in the array of the children. One that repeats another is left out,
    and taken from what its parent has ``left``. Returns how many remain.
    """
    kept, before, mask = 0, np.int64(-1), (np.int64(1) << bits) - 1
    for i in range(len(pairs)):
        pair = pairs[i]
        if pair == before:
            left[pair & mask] -= 1
            continue
        to[kept] = (pair >> bits) + least
        parents[kept] = pair & mask
        before = pair
        kept += 1
    return kept


@kernel(t.int64(t.int64s, t.uint16s, t.uint8s))
def drop_repeated(to, parents, left):
    """Leave out repeated ones of sorted pairs of child and parent, as `unpack` does."""
    kept = 0
    for i in range(len(to)):
        if kept > 0 and to[i] == to[kept - 1] and parents[i] == parents[kept - 1]:
            left[parents[i]] -= 1
            continue
        to[kept], parents[kept] = to[i], parents[i]
        kept += 1
    return kept


@inlined
def _last_from(states, row, state):
    """Return the last row from this one on with a state that is not greater, by steps that double."""
    n, step = len(states), 1
    while row + step < n and states[row + step] <= state:
        row += step
        step <<= 1
    while step > 0:
        if row + step < n and states[row + step] <= state:
            row += step
        step >>= 1
    return row


@kernel(t.int64(t.int64s, t.int64s, t.uint16s, t.int64))
def find_rows(children, states, parents, begin):
    """Replace sorted children by their rows among the ``states`` of their tier, or if there are ``parents``, which are
    numbered from ``begin``, by ``row << 32 | parent``. Returns 0 or `MISSING`.
    """
    row, before = 0, np.int64(-1)
    for i in range(len(children)):
        child = children[i]
        if child != before:
            row = _last_from(states, row, child)
            if states[row] != child:
                return MISSING
            before = child
        children[i] = row << 32 | (begin + np.int64(parents[i])) if len(parents) else row
    return 0


@kernel(numba.void(t.int16s, t.uint16s, t.int64s, t.uint32s, t.uint32s, t.int16s, t.uint16s))
def note_worths(values, remoteness, rows, ranks, places, found, plies):
    """Write value and remoteness of some children, those in ``rows[ranks]`` of a solved tier, to their ``places``."""
    for i in range(len(ranks)):
        row = rows[ranks[i]]
        found[places[i]] = values[row]
        plies[places[i]] = remoteness[row]


@kernel(numba.void(t.int64s, t.uint16s, t.int64s, t.uint8s, t.int64s))
def write_slices(to, parents, firsts, out, ends):
    """Write the sorted pairs of children and parents, a slice for each range of children, whose least ones are
    ``firsts``, up to ``ends[r]``. A pair is the difference of its child to the one before in the slice, and two bytes
    for its parent.
    """
    at = r = 0
    before = firsts[0]
    for i in range(len(to)):
        while r + 1 < len(firsts) and to[i] >= firsts[r + 1]:
            ends[r] = at
            r += 1
            before = firsts[r]
        at = put(to[i] - before, out, at)
        out[at] = parents[i] & 255
        out[at + 1] = parents[i] >> 8
        at += 2
        before = to[i]
    ends[r:] = at


@kernel(t.int64(t.uint8s, t.int64s, t.int64, t.int64, t.int64, t.int64s, t.int64))
def read_slice(data, states, low, high, begin, pairs, total):
    """Append to the first ``total`` of ``pairs`` those of a slice whose children are in rows ``low`` to below ``high``
    of its range, as ``row << 32 | parent``, unless they are empty; parents are numbered from ``begin``. Children are
    given by state, with the ``states`` of the range, or if these are empty, by row. Returns how many there are now, or
    `MISSING`.
    """
    at, row = 0, 0
    child = states[0] if len(states) else np.int64(0)
    while at < len(data):
        more, at = get(data, at)
        child += more
        parent = np.int64(data[at]) | np.int64(data[at + 1]) << 8
        at += 2
        if len(states) == 0:
            row = child
        elif more:  # else it is the child before
            row = _last_from(states, row, child)
            if states[row] != child:
                return MISSING
        if low <= row < high:
            if len(pairs):
                pairs[total] = row << 32 | (begin + parent)
            total += 1
    return total


@kernel(t.int64(t.int64s, t.int64, t.int64, t.uint8s, t.int64s))
def write_lists(pairs, low, high, out, offsets):
    """Write the lists of the parents of rows ``low`` to below ``high``, from sorted pairs: its bytes, and in these the
    differences of its parents. ``offsets[b]`` is where block ``b`` begins. Returns the bytes written.
    """
    at = i = 0
    for row in range(low, high):
        if (row - low) % BLOCK == 0:
            offsets[(row - low) // BLOCK] = at
        end, size, last = i, 0, np.int64(0)
        while end < len(pairs) and pairs[end] >> 32 == row:
            parent = pairs[end] & 0xFFFFFFFF
            size += bytes_of(parent - last)
            last = parent
            end += 1
        at = put(size, out, at)
        last = np.int64(0)
        while i < end:
            parent = pairs[i] & 0xFFFFFFFF
            at = put(parent - last, out, at)
            last = parent
            i += 1
    offsets[(high - low + BLOCK - 1) // BLOCK] = at
    return at


@inlined
def _reach(parents, n, winner, movers, left, after):
    """Take what follows for the first ``n`` parents from a child won by X (1) or O (-1), or level (0)."""
    reached = 0
    for i in range(min(AHEAD, n)):
        prefetch(left, np.int64(parents[i]))
    for i in range(n):
        if i + AHEAD < n:
            prefetch(left, np.int64(parents[i + AHEAD]))
        p = np.int64(parents[i])
        if left[p] == 0:
            continue
        x_moves = movers[p >> 6] >> np.uint64(p & 63) & np.uint64(1)
        if winner == 0 or (winner > 0) == (x_moves == np.uint64(1)):
            left[p] = 0
        else:
            left[p] -= 1
        if left[p] == 0:
            after[p >> 6] |= np.uint64(1) << np.uint64(p & 63)
            reached += 1
    return reached


@kernel(t.int64(t.uint8s, t.int64s, t.int64, t.uint64s, t.int64, t.uint64s, t.uint8s, t.uint64s))
def spread(data, offsets, first, now, winner, movers, left, after):
    """Take what follows from the states of some blocks whose bits in ``now`` are set, see `_reach`; the lists of block
    ``first + b`` begin at ``data[offsets[b] - offsets[0]]``. Returns how many parents are decided, and sets their bits
    in ``after``.
    """
    parents = np.empty(SPARE, np.uint32)
    kept = reached = 0
    for b in range(len(offsets) - 1):
        word = now[first + b]
        if word == 0:
            continue
        at = offsets[b] - offsets[0]
        while word != 0:
            size, at = get(data, at)
            end = at + size
            if word & np.uint64(1):
                parent = np.int64(0)
                while at < end:
                    more, at = get(data, at)
                    parent += more
                    parents[kept] = parent
                    kept += 1
                    if kept == SPARE:
                        reached += _reach(parents, kept, winner, movers, left, after)
                        kept = 0
            at = end
            word >>= np.uint64(1)
    return reached + _reach(parents, kept, winner, movers, left, after)


@kernel(t.int64(t.uint32s, t.int64, t.uint8s, t.uint64s))
def decide(rows, loses, left, after):
    """Decide these rows, or if ``loses``, take one from what they have ``left``, unless they are decided; set the bits
    of those decided in ``after``. Returns how many are.
    """
    decided = 0
    for row in rows:
        s = np.int64(row)
        if left[s] == 0:
            continue
        left[s] = left[s] - 1 if loses else 0
        if left[s] == 0:
            after[s >> 6] |= np.uint64(1) << np.uint64(s & 63)
            decided += 1
    return decided


@kernel(numba.void(t.int16s, t.uint16s, t.int64s, t.uint32s))
def sort_notes(kinds, waves, begins, rows):
    """Sort the states of which something is known by wave and kind; those of kind ``k`` at wave ``w`` begin at
    ``begins[KINDS * w + k - 1]``, which are 0 before, with room for two more.
    """
    for i in range(len(kinds)):
        if kinds[i]:
            begins[KINDS * np.int64(waves[i]) + kinds[i] + 1] += 1
    for k in range(1, len(begins)):
        begins[k] += begins[k - 1]
    for i in range(len(kinds)):
        if kinds[i]:
            place = KINDS * np.int64(waves[i]) + kinds[i]
            rows[begins[place]] = i
            begins[place] += 1


@kernel(t.int64(t.uint64s, t.int64, t.int64, t.int16s, t.uint16s))
def label(bits, winner, wave, values, remoteness):
    """Label the states whose bits are set; return how many there are."""
    n = 0
    for b in range(len(bits)):
        word, k = bits[b], b << 6
        while word != 0:
            if word & np.uint64(1):
                values[k] = winner
                remoteness[k] = wave
                n += 1
            word >>= np.uint64(1)
            k += 1
    return n


@kernel(numba.void(t.int8s, t.int64, t.uint64s))
def note_movers(movers, begin, bits):
    """Set the bit of each state in which X is to move; the first is number ``begin``, a multiple of 64."""
    for i in range(len(movers)):
        if movers[i] > 0:
            bits[(begin + i) >> 6] |= np.uint64(1) << np.uint64(i & 63)


@kernel(t.int64(t.uint64s, t.uint32s))
def rows_of(bits, rows):
    """Write the numbers of the bits that are set; return how many there are."""
    n = 0
    for b in range(len(bits)):
        word = bits[b]
        k = b << 6
        while word != 0:
            if word & np.uint64(1):
                rows[n] = k
                n += 1
            word >>= np.uint64(1)
            k += 1
    return n
