"""Expansion for verification: the author's functions called one by one, with nothing of the solver's in between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.engine.kernels import types as t
from analysis.engine.kernels.types import kernel, tuple_of


class ReplayedMoves(NamedTuple):
    """The moves of some states: for each the row of its state, its code, and the state after it."""

    movers: np.ndarray  # int8[n]
    branching: np.ndarray  # uint8[n]
    payoffs: np.ndarray  # int64[n], `ongoing` while the game goes on
    rows: np.ndarray  # int64[moves]
    codes: np.ndarray  # uint8[moves]
    children: np.ndarray  # int64[moves]


moves_type = tuple_of(ReplayedMoves, t.int8s, t.uint8s, t.int64s, t.int64s, t.uint8s, t.int64s)


@kernel(t.int64(t.IntegerFunction, t.LegalMoves, t.Play, t.IntegerFunction, t.int64, t.int64, t.int64s, moves_type))
def expand_one_by_one(outcome, legal_moves, play, to_move, ongoing, most, states, found):
    """Fill in every move of some states; return how many there are."""
    movers, branching, payoffs, rows, codes, children = found
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
