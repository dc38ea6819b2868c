"""Kernels of backward induction: value and remoteness of a chunk of states from those of their children."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.hash_table import links_type
from analysis.engine.kernels.types import int16s, kernel, uint8s, uint16s, uint32s

SCALE = np.int64(1 << 16)
LEAST = np.int64(-1 << 40)


@kernel(numba.void(links_type, int16s, uint16s, int16s, uint16s))
def label(links, child_values, child_remoteness, values, remoteness):
    """v(s) is the payoff where the game is over, else the mover's best child; the winner hurries, the loser delays,
    and with value 0 the players hurry.

    The mover compares children by one number that orders them by value, then by haste: comparing both in turn was
    2.5 times slower, since the branches cannot be predicted.
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


@kernel(numba.void(uint8s, uint32s, uint8s, uint8s))
def find_nimbers(branching, rows, child_nimbers, nimbers):
    """The least number that no child has: the nimber of an impartial game (Sprague 1935, Grundy 1939)."""
    seen = np.full(256, -1, np.int64)  # the last state that has a child with this nimber
    k = 0
    for i in range(len(branching)):
        for j in range(k, k + np.int64(branching[i])):
            seen[child_nimbers[rows[j]]] = i
        k += np.int64(branching[i])
        least = 0
        while seen[least] == i:
            least += 1
        nimbers[i] = least
