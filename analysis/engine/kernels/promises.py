"""Kernels that check the promises of rules: images, merged positions, turns, and moves that are written correctly.

Children are compared as multisets by the sum of keyed 64-bit hashes: two that differ have the same sum with probability
2 ** -64. Each kernel returns 0, or 1 with the row of the first state that breaks a promise in ``at[0]``.
"""

from __future__ import annotations

import numba
import numpy as np

from . import types as t
from .hash_table import splitmix64
from .raw import borrowed, keep_alive
from .states import ROOM, canonical, image
from .types import helper, kernel


@helper
def digest(state, key):
    """Return the keyed hash of a state."""
    return splitmix64(np.uint64(state) ^ key, 0)


@kernel(t.int64(t.Successors, t.ToMove, t.IntegerFunction, t.int64s, t.int64s, t.board_type, t.types.uint64, t.int64s))
def unlike_images(successors, to_move, tier, states, elements, board, key, at):
    """Compare each state with its images: payoff, mover, tier, and the images of its children, each as often. Of the
    group with the tables of ``board`` take one element a state, the ``elements``, or all if there are none; ``at[1]``
    is the one that fails.
    """
    tables, bits = board
    buffers = np.empty((4, 2 * ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, others, theirs = lent[0], lent[1], lent[2], lent[3]
    first, last, failed = 1, tables.shape[0], 0
    for i in range(len(states)):
        n, mover, own = successors(states[i], moves, children), to_move(states[i]), tier(states[i])
        if len(elements) > 0:
            first, last = elements[i], elements[i] + 1
        for g in range(first, last):
            other = image(states[i], tables, g, bits)
            m = successors(other, others, theirs)
            same = n == m and mover == to_move(other) and own == tier(other)
            if same and n < 0:
                same = children[0] == theirs[0]
            elif same:
                total = np.uint64(0)
                for j in range(n):
                    total += digest(image(children[j], tables, g, bits), key) - digest(theirs[j], key)
                same = total == 0
            if not same:
                at[0], at[1], failed = i, g, 1
                break
        if failed:
            break
    return keep_alive(failed, buffers)


@kernel(
    t.int64(
        t.Successors, t.ToMove, t.IntegerFunction, t.Successors, t.ToMove, t.IntegerFunction,
        t.int64s, t.int64s, t.board_type, t.types.uint64, t.int64s,
    )
)  # fmt: skip
def unlike_merged(one, one_moves, one_tier, two, two_moves, two_tier, states, merged, board, key, at):
    """Compare each state of one game with what it is ``merged`` to, in that game or another: payoff, mover, tier, and
    the canonical children, each as often.
    """
    tables, bits = board
    buffers = np.empty((4, 2 * ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, others, theirs = lent[0], lent[1], lent[2], lent[3]
    failed = 0
    for i in range(len(states)):
        n, m = one(states[i], moves, children), two(merged[i], others, theirs)
        same = n == m and one_moves(states[i]) == two_moves(merged[i]) and one_tier(states[i]) == two_tier(merged[i])
        if same and n < 0:
            same = children[0] == theirs[0]
        elif same:
            total = np.uint64(0)
            for j in range(n):
                total += digest(canonical(children[j], tables, bits), key)
                total -= digest(canonical(theirs[j], tables, bits), key)
            same = total == 0
        if not same:
            at[0], failed = i, 1
            break
    return keep_alive(failed, buffers)


@kernel(t.int64(t.Successors, t.ToMove, t.int64s, t.int64, t.int64, t.int64s))
def careless_moves(successors, to_move, states, largest, impartial, at):
    """Ask each state twice, with other numbers in the lists that it writes to: it must answer the same. ``at[1]`` is 1
    if it does not, 2 for a code beyond the ``largest``; for an ``impartial`` game 3 for a move after which the same
    player moves, and 4 if who is to move at the end has not lost; ``at[2]`` is then the code.
    """
    buffers = np.empty((4, 2 * ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, others, theirs = lent[0], lent[1], lent[2], lent[3]
    failed = 0
    for i in range(len(states)):
        moves[:] = 0
        children[:] = 0
        for j in range(len(others)):
            others[j] = j + 77 + i
        theirs[:] = -1
        n, m, mover = successors(states[i], moves, children), successors(states[i], others, theirs), to_move(states[i])
        failed = n != m or mover != to_move(states[i]) or (n < 0 and children[0] != theirs[0])
        if not failed and impartial and n < 0 and children[0] * mover >= 0:
            failed = 4
        for j in range(n):
            if not failed:
                code = moves[j]
                if code != others[j] or children[j] != theirs[j]:
                    failed = 1
                elif code > largest:
                    failed = 2
                elif impartial and to_move(children[j]) != -mover:
                    failed = 3
                at[2] = code
        if failed:
            at[0], at[1] = i, failed
            break
    return keep_alive(np.int64(failed > 0), buffers)


@kernel(t.int64(t.Successors, t.int64s, t.int64, t.types.uint64, t.int64s))
def unlike_turns(successors, states, turn, key, at):
    """Compare each state with the one in which the other player is to move, whose bit ``turn`` differs: both have the
    same children but for that bit, or as far from themselves.
    """
    buffers = np.empty((4, 2 * ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, others, theirs = lent[0], lent[1], lent[2], lent[3]
    failed = 0
    for i in range(len(states)):
        other = states[i] ^ turn
        n, m = max(successors(states[i], moves, children), 0), max(successors(other, others, theirs), 0)
        by_turn, by_ply = np.uint64(0), np.uint64(0)
        for j in range(n):
            by_turn += digest(children[j] & ~turn, key)
            by_ply += digest(children[j] - states[i], key)
        for j in range(m):
            by_turn -= digest(theirs[j] & ~turn, key)
            by_ply -= digest(theirs[j] - other, key)
        if by_turn != 0 and by_ply != 0:
            at[0], failed = i, 1
            break
    return keep_alive(failed, buffers)


@kernel(t.int64(t.Successors, t.LegalMoves, t.int64s, t.int64s))
def unlike_codes(successors, legal_moves, states, at):
    """Compare the codes of each state's moves with those that another ``legal_moves`` writes."""
    buffers = np.empty((3, 2 * ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, others = lent[0], lent[1], lent[2]
    failed = 0
    for i in range(len(states)):
        n = successors(states[i], moves, children)
        if n >= 0:
            failed = legal_moves(states[i], others) != n
            for j in range(n):
                failed |= moves[j] != others[j]
        if failed:
            at[0] = i
            break
    return keep_alive(np.int64(failed), buffers)


@kernel(numba.void(t.int64s, t.types.uint64, t.uint64s))
def digests(states, key, hashes):
    """Write the keyed hash of each state."""
    for i in range(len(states)):
        hashes[i] = digest(states[i], key)
