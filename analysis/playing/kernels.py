"""Play whole games between two levels.

A level prefers the moves of greatest score (`greedy_scores`, `known_scores`) and chooses uniformly among them or, with
the probability of its blunders, among all moves.

Random numbers are `splitmix64` of the seed, the number of the game and the ply, so a game does not depend on the thread
that plays it or on the games before it. One of n moves is drawn with 32 bits, so probabilities differ by at most n in
2**32.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from ..engine.kernels import MISSING
from ..engine.kernels.hash_table import HALF, splitmix64
from ..engine.kernels.raw import borrowed
from ..engine.kernels.states import BAD_MOVER, ROOM, as_payoff, canonical, fault_in
from ..engine.kernels.types import (
    Successors,
    ToMove,
    int16s,
    int32s,
    int64,
    int64_cube,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint16s,
    uint64s,
)
from ..engine.kernels.walk import lookup

RANDOM, GREEDY, PERFECT, SHORTEST = 0, 1, 2, 3
"""Kinds of levels; those from `PERFECT` on know values."""

BLUNDERS = 1 << 40
"""Added to the ply for the random number that decides on a blunder; no game is so long."""

CERTAIN = 1 << 53
"""The probability of a blunder is a 53-bit number; this one means always."""

X_WON, O_WON, TIED, UNFINISHED = 0, 1, 2, 3
"""Kinds of ends."""

FOUND_MISSING = -5
"""Returned where a child is in no tier; below the faults of `kernels.states`."""

ABOVE_REMOTENESS = 1 << 17
"""Weight of a value against a remoteness, which is at most 65,535."""


class KnownRows(NamedTuple):
    """The symmetries, the hash table, and the values of its rows."""

    tables: np.ndarray  # see `Group.tables`
    permuted: int
    """Bits of a state that the symmetries move."""
    slots: np.ndarray  # uint64[2**bits]
    bits: int
    seed: int
    """Of the hash."""
    values: np.ndarray  # int16[classes]
    remoteness: np.ndarray  # uint16[classes]
    loopy: int


class KernelTerms(NamedTuple):
    """How games are played."""

    start: int
    reduces: int
    """Whether the rules make states canonical."""
    most: int
    """Limit on the moves of a state."""
    max_plies: int
    seed: int
    swap: int
    """Whether B moves first in games of odd number; otherwise A always does."""
    kinds: np.ndarray  # int64[2], of the levels A and B
    blunders: np.ndarray  # int64[2], their chances of a random move, as `CERTAIN`


class PlayedGames(NamedTuple):
    """Results of games, filled by a kernel."""

    payoffs: np.ndarray  # int16[n], the first player's; 0 where a game is not finished
    plies: np.ndarray  # int32[n]
    ends: np.ndarray  # uint8[n], such as `X_WON`
    paths: np.ndarray  # uint8[n, at least max_plies], the move codes, or without columns


def _tuple_of(fields, *types):
    return numba.types.NamedTuple(types, fields)


known_type = _tuple_of(KnownRows, int64_cube, int64, uint64s, int64, int64, int16s, uint16s, int64)
terms_type = _tuple_of(KernelTerms, int64, int64, int64, int64, int64, int64, int64s, int64s)
games_type = _tuple_of(PlayedGames, int16s, int32s, uint8s, uint8_table)


@numba.njit(inline="always")
def greedy_scores(successors, to_move, most, mover, n, children, moves, seen, beyond, scores):
    """Score the moves for a level that looks one move ahead: 2 wins at once, 0 loses at once or lets the opponent win
    with the next move, 1 is any other.
    """
    wins = False
    for j in range(n):
        scores[j] = 1
        if successors(children[j], moves, seen) < 0:
            payoff = mover * seen[0]
            scores[j] = 2 if payoff > 0 else 1 if payoff == 0 else 0
            wins = wins or payoff > 0
    if not wins:
        for j in range(n):
            replies = successors(children[j], moves, seen)
            if replies > 0 and to_move(children[j]) != mover:
                for i in range(min(replies, most)):
                    if successors(seen[i], moves, beyond) < 0 and mover * beyond[0] < 0:
                        scores[j] = 0
                        break


@numba.njit(inline="always")
def find_rows(n, children, tables, permuted, slots, bits, seed, rows):
    """Write the rows of the children; return 0, or `FOUND_MISSING` if one is not in the table."""
    answer = 0
    for j in range(n):
        row = lookup(canonical(children[j], tables, permuted), slots, bits, seed)
        rows[j] = row
        answer = FOUND_MISSING if row == MISSING else answer
    return answer


@numba.njit(inline="always")
def known_scores(kind, loopy, mover, n, rows, values, remoteness, scores):
    """Score the moves for a level that knows their values, by the rows of the children; all alike for one that moves at
    random.

    In a loopy game a winner may never win unless every move lowers the remoteness; all moves that do lower it by the
    same, since a won position's remoteness is one more than the least among its winning moves.
    """
    for j in range(n):
        scores[j] = 0
        if kind >= PERFECT:
            worth, plies = mover * np.int64(values[rows[j]]), np.int64(remoteness[rows[j]])
            scores[j] = worth * ABOVE_REMOTENESS
            if kind == SHORTEST or (loopy and worth > 0):
                scores[j] += plies if worth < 0 else -plies


@numba.njit(inline="always")
def greatest(n, scores, chosen):
    """Write the numbers of the moves of greatest score into ``chosen``; return their count."""
    best, equals = scores[0], 0
    for j in range(n):
        if scores[j] > best:
            best, equals = scores[j], 0
        if scores[j] == best:
            chosen[equals] = j
            equals += 1
    return equals


@numba.njit(inline="always")
def draw(number, n):
    """Return a number below ``n`` from a random one of 64 bits."""
    return np.int64((number >> HALF) * np.uint64(n) >> HALF)


@kernel(int64(Successors, Successors, ToMove, terms_type, known_type, int64, games_type, int64s))
def play_games(successors, reduced, to_move, terms, known, first, games, trouble):
    """Play the `PlayedGames`, numbered from ``first``; return 0, or a fault of `kernels.states` or `FOUND_MISSING` with
    the state in ``trouble[0]``.

    ``reduced`` gives the children in the order of ``successors``, made canonical if the rules do so.
    """
    own_moves, own_children, own_codes = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    own_seen, own_beyond, own_scores = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    own_least, rows = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    moves, children, codes = borrowed(own_moves), borrowed(own_children), borrowed(own_codes)
    seen, beyond, least, scores = borrowed(own_seen), borrowed(own_beyond), borrowed(own_least), own_scores
    start, reduces, most, max_plies, seed, swap, kinds, blunders = terms
    tables, permuted, slots, bits, table_seed, values, remoteness, loopy = known
    payoffs, plies, ends, paths = games
    game_seed = np.int64(splitmix64(seed, 0) >> np.uint64(1))
    fault = 0
    for g in range(len(payoffs)):
        number = first + g
        key = np.int64(splitmix64(number, game_seed) >> np.uint64(1))
        second = 1 if swap and number & 1 else 0  # the level that moves first
        state, ply, end, payoff = start, 0, UNFINISHED, 0
        while True:
            n = successors(state, codes, children)
            if n < 0:
                payoff = as_payoff(children[0])
                end = X_WON if payoff > 0 else O_WON if payoff < 0 else TIED
                break
            mover = to_move(state)
            fault = BAD_MOVER if mover != 1 and mover != -1 else fault_in(n, codes)
            if fault < 0 or ply == max_plies:
                break
            level = second if mover > 0 else 1 - second
            kind = kinds[level]
            drawn = splitmix64(ply, key)
            if blunders[level] > 0 and np.int64(splitmix64(ply + BLUNDERS, key) >> np.uint64(11)) < blunders[level]:
                kind = RANDOM
            chosen = draw(drawn, n)
            if kind != RANDOM:
                if kind >= PERFECT:
                    if reduces:
                        reduced(state, moves, least)
                    canon = least if reduces else children
                    fault = find_rows(n, canon, tables, permuted, slots, bits, table_seed, rows)
                    if fault < 0:
                        break
                if kind == GREEDY:
                    greedy_scores(successors, to_move, most, mover, n, children, moves, seen, beyond, scores)
                else:
                    known_scores(kind, loopy, mover, n, rows, values, remoteness, scores)
                chosen = moves[draw(drawn, greatest(n, scores, moves))]
            if paths.shape[1] > 0:
                paths[g, ply] = codes[chosen]
            state = children[chosen]
            ply += 1
        if fault < 0:
            trouble[0] = state
            break
        payoffs[g], plies[g], ends[g] = payoff, ply, end
    used = len(own_moves) + len(own_children) + len(own_codes) + len(own_least)
    return fault + 0 * (used + len(own_seen) + len(own_beyond))  # keeps what was borrowed alive
