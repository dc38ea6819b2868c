"""The boards that moves of either side reach: the author's functions in plain Python, images bit by bit, no hashing."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from analysis.bidding.board_tiers import BoardTier, Placements
from analysis.engine.engine import uses_own_canonical
from analysis.errors import RulesError
from analysis.machine.workers import Progress
from analysis.rules.game import ONGOING, Rules
from analysis.rules.symmetry import find_group, permute, usable_kind

OfBoards = Callable[[np.ndarray], np.ndarray]


def _each(function: Any, boards: np.ndarray) -> np.ndarray:
    return np.array([function(board) for board in boards.tolist()], dtype=np.int64)


def symmetries(rules: Rules, kind: str) -> tuple[int | None, OfBoards, OfBoards]:
    """How many symmetries there are, None where the rules make boards canonical themselves; then two functions: what
    boards are canonically, and how many boards are alike.
    """
    kind = usable_kind(rules, kind)
    group = find_group(rules, kind)
    if uses_own_canonical(rules, kind, rules.start):
        return None, functools.partial(_each, rules.canonical), functools.partial(_each, rules.orbit_size)

    def images(boards: np.ndarray) -> Iterable[np.ndarray]:
        return (permute(boards, permutation, group.planes) for permutation in group.permutations)

    def orbit_sizes(boards: np.ndarray) -> np.ndarray:
        return group.order // sum((image == boards).astype(np.int64) for image in images(boards))

    return group.order, lambda boards: functools.reduce(np.minimum, images(boards)), orbit_sizes


def play_boards(rules: Rules, canonical: OfBoards, orbit_sizes: OfBoards, progress: Progress) -> list[BoardTier]:
    """All boards that are reached, tier by tier, with the placements of each side."""
    states, tiers = canonical(np.array([rules.start], dtype=np.int64)), list[BoardTier]()
    payoffs = _each(rules.outcome, states)
    while len(states):
        progress("playing", len(tiers), len(tiers) + 1)
        playing = np.flatnonzero(payoffs == ONGOING)
        tried = ((place, *move) for place, board in enumerate(states[playing].tolist()) for move in rules.moves(board))
        boards, codes, after = np.fromiter(itertools.chain.from_iterable(tried), np.int64).reshape(-1, 3).T
        children, rows = np.unique(canonical(after), return_inverse=True)
        worth = _each(rules.outcome, children)
        order = np.lexsort((codes, worth[rows] == ONGOING, boards))  # of a board's moves those that end the game first
        sides = [order[codes[order] % 2 == side] for side in range(2)]
        offsets = [np.searchsorted(boards[mine], np.arange(len(playing) + 1)) for mine in sides]
        if not all(np.diff(each).all() for each in offsets):
            raise RulesError(f"tier {len(tiers)}: on a board where the game goes on one side has no move")
        pairs, moves = zip(offsets, sides, strict=True), (codes // 2).astype(np.uint8)
        x, o = (Placements(each, rows[mine], moves[mine]) for each, mine in pairs)
        payoffs[playing] = 0
        tiers.append(BoardTier(len(tiers), states, orbit_sizes(states), payoffs, playing, x, o))
        states, payoffs = children, worth
    return tiers
