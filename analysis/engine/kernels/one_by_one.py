"""Expansion for verification: the author's functions called one by one, with nothing of the solver's in between."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.types import (
    IntegerFunction,
    LegalMoves,
    Play,
    int8s,
    int64,
    int64s,
    kernel,
    uint8s,
)


@kernel(
    int64(IntegerFunction, LegalMoves, Play, IntegerFunction, int64, int64, int64s, int8s, uint8s, int64s, int64s,
          uint8s, int64s)
)  # fmt: skip
def expand_one_by_one(outcome, legal_moves, play, to_move, ongoing, most, states, movers, branching, payoffs,
                      rows, codes, children):  # fmt: skip
    """Write who moves, how many moves there are and the outcome of each state, and every move of all states."""
    buffer = np.zeros(most, np.int64)
    total = 0
    for i in range(len(states)):
        movers[i] = to_move(states[i])
        payoffs[i] = outcome(states[i])
        branching[i] = 0
        if payoffs[i] == ongoing:
            branching[i] = legal_moves(states[i], buffer)
            for j in range(branching[i]):
                rows[total] = i
                codes[total] = buffer[j]
                children[total] = play(states[i], buffer[j])
                total += 1
    return total


@kernel(numba.void(IntegerFunction, int64s, int64s))
def apply_one_by_one(function, states, out):
    """``out[i] = function(states[i])``."""
    for i in range(len(states)):
        out[i] = function(states[i])
