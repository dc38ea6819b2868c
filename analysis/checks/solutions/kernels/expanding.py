"""Moves of states by the author's functions, asked one by one, and the least images of states."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from analysis.engine.kernels import types as t
from analysis.engine.kernels.raw import borrowed, keep_alive
from analysis.engine.kernels.types import helper, kernel, tuple_of


class ReplayedMoves(NamedTuple):
    """The moves of some states, those of each state together: their codes, and the canonical states after them."""

    movers: np.ndarray  # int8[n]
    branching: np.ndarray  # uint8[n]
    payoffs: np.ndarray  # int64[n], `ongoing` while the game goes on
    codes: np.ndarray  # uint8[moves]
    children: np.ndarray  # int64[moves]


replayed_type = tuple_of(ReplayedMoves, t.int8s, t.uint8s, t.int64s, t.uint8s, t.int64s)


@helper
def moved(state, images, g, low):
    """The image of a state under element ``g``: that of each of its bytes that hold ``low`` bits, and the bits above
    them, which stay.
    """
    image = state & ~low
    marks = state & low
    for place in range(images.shape[1]):
        image |= images[g, place, (marks >> (8 * place)) & 255]
    return image


@helper
def least_image(state, images, low):
    """The least of all images of a state."""
    least = state
    for g in range(1, images.shape[0]):
        least = min(least, moved(state, images, g, low))
    return least


@kernel(
    t.int64(
        t.IntegerFunction, t.LegalMoves, t.Play, t.IntegerFunction, t.int64, t.int64, t.int64s,
        t.int64_cube, t.int64, t.int64, replayed_type,
    )
)  # fmt: skip
def expand_one_by_one(outcome, legal_moves, play, to_move, ongoing, most, states, images, low, repeating, found):
    """Fill in every move of some states; return how many there are, or ``-1 - row`` for the first state whose moves are
    not as they have to be.
    """
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
            if n <= 0 or n > most or moves[0] < 0 or moves[n - 1] > 254:
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
    """The least image of each state, and how many different ones it has."""
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
