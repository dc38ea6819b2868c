"""What play leads to, for the check: boards with the placements on them, and splits of the chips.

The author's functions are called in plain Python, symmetric images are made bit by bit, and boards are told apart by
sorting where the solver hashes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from analysis.engine.engine import uses_own_canonical
from analysis.errors import RulesError
from analysis.games.bidding import Bidding
from analysis.machine.workers import Progress
from analysis.rules.game import ONGOING, Rules
from analysis.rules.symmetry import find_group, permute, usable_kind

BATCH = 1 << 16
"""Boards made canonical at a time: their children take some 100 MB."""


class Images:
    """The symmetries of a game's boards, for arrays of boards."""

    def __init__(self, rules: Rules, kind: str) -> None:
        kind = usable_kind(rules, kind)
        self.rules, self._group = rules, find_group(rules, kind)
        self._own = uses_own_canonical(rules, kind, rules.start)

    @property
    def order(self) -> int | None:
        """How many there are; None where the rules have a canonical() of their own."""
        return None if self._own else self._group.order

    def least(self, boards: np.ndarray) -> np.ndarray:
        """The canonical boards."""
        if self._own:
            assert self.rules.canonical is not None
            return _apply(self.rules.canonical, boards)
        return np.minimum.reduce([permute(boards, p, self._group.planes) for p in self._group.permutations])

    def orbit_sizes(self, boards: np.ndarray) -> np.ndarray:
        """How many boards are alike."""
        if self._own:
            assert self.rules.orbit_size is not None
            return _apply(self.rules.orbit_size, boards)
        images = [permute(boards, p, self._group.planes) == boards for p in self._group.permutations]
        return self._group.order // np.add.reduce(np.array(images, dtype=np.int64))


def _apply(function: Callable[[int], int], boards: np.ndarray) -> np.ndarray:
    return np.array([function(board) for board in boards.tolist()], dtype=np.int64)


@dataclasses.dataclass
class PlayedTier:
    """The canonical boards with so many stones, ascending, and what the moves of either side lead to."""

    number: int
    states: np.ndarray  # int64[n]
    orbits: np.ndarray  # int64[n]
    payoffs: np.ndarray  # int64[n], 0 where the game goes on
    over: np.ndarray  # bool[n]
    boards: np.ndarray  # int64[moves], the board in play that each move is made on, by number among these
    codes: np.ndarray  # int64[moves], ascending for each board
    children: np.ndarray  # int64[moves], rows of the next tier
    ends: np.ndarray  # bool[moves], whether the game is then over

    def placements(self, side: str) -> PlayedPlacements:
        """The moves of one side: for each board in play those that end the game first, then by code."""
        mine = np.flatnonzero(self.codes % 2 == "XO".index(side))
        mine = mine[np.lexsort((self.codes[mine], ~self.ends[mine], self.boards[mine]))]
        counts = np.bincount(self.boards[mine], minlength=int((~self.over).sum()))
        if (counts == 0).any():
            raise RulesError(f"tier {self.number}: a board where the game goes on has no move for {side}")
        return PlayedPlacements(np.concatenate(([0], np.cumsum(counts))), self.children[mine], self.codes[mine] // 2)


@dataclasses.dataclass(frozen=True)
class PlayedPlacements:
    """Where one side can place: entries ``starts[b]`` to ``starts[b + 1]`` on board ``b`` of those in play."""

    starts: np.ndarray  # int64[boards in play + 1]
    children: np.ndarray  # int64[placements], rows of the next tier
    moves: np.ndarray  # int64[placements], codes of the game itself

    def of(self, boards: slice) -> PlayedPlacements:
        """Those on some boards."""
        starts = self.starts[boards.start : boards.stop + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        return PlayedPlacements(starts - starts[0], self.children[entries], self.moves[entries])

    def best(self, boards: slice, below: np.ndarray, ufunc: np.ufunc) -> tuple[np.ndarray, np.ndarray]:
        """For some boards, what the best placement is worth in each column of ``below`` [boards of the next tier,
        columns], and which it is: the first of the best.
        """
        some = self.of(boards)
        values, starts = below[some.children], some.starts[:-1]
        best = ufunc.reduceat(values, starts, axis=0)
        places = np.arange(len(values), dtype=np.int32)[:, None]
        attained = values == np.repeat(best, np.diff(some.starts), axis=0)
        first = np.minimum.reduceat(np.where(attained, places, len(values)), starts, axis=0)
        return best, some.moves[first]


def play_boards(rules: Rules, images: Images, progress: Progress) -> list[PlayedTier]:
    """All boards that moves of either side reach from the start, tier by tier."""
    states = images.least(np.array([rules.start], dtype=np.int64))
    tiers: list[PlayedTier] = []
    while len(states):
        progress("playing", len(tiers), len(tiers) + 1)
        tier, children = _play(rules, len(tiers), states, images)
        if tiers:
            tiers[-1].ends = tier.over[tiers[-1].children]
        tiers.append(tier)
        states, tier.children = np.unique(children, return_inverse=True)
    return tiers


def _play(rules: Rules, number: int, states: np.ndarray, images: Images) -> tuple[PlayedTier, np.ndarray]:
    """A tier, and the canonical boards after all its moves."""
    payoffs = np.array([rules.outcome(state) for state in states.tolist()], dtype=np.int64)
    over = payoffs != ONGOING
    boards, codes, children = [], [], []
    playing = states[~over]
    for low in range(0, len(playing), BATCH):
        moves = [rules.moves(state) for state in playing[low : low + BATCH].tolist()]
        boards.append(low + np.repeat(np.arange(len(moves)), [len(found) for found in moves]))
        codes.append(np.array([code for found in moves for code, _ in found], dtype=np.int64))
        children.append(images.least(np.array([after for found in moves for _, after in found], dtype=np.int64)))
    orbits, payoffs = images.orbit_sizes(states), np.where(over, payoffs, 0)
    found = (np.concatenate([np.empty(0, np.int64), *parts]) for parts in (boards, codes, children))
    of_move, code, after = found
    nothing = np.zeros(len(code), dtype=np.int64)
    return PlayedTier(number, states, orbits, payoffs, over, of_move, code, nothing, nothing == 1), after


@dataclasses.dataclass(frozen=True)
class Purses:
    """The splits: all of one total, X's chips ascending, if the loser is paid; if the bank is, all up to ``x_most`` and
    ``o_most``, those with equal chips of X side by side.
    """

    x: np.ndarray  # int64[splits]
    o: np.ndarray  # int64[splits]
    x_most: int
    o_most: int
    bank: bool
    least: int

    @classmethod
    def of(cls, game: Bidding, x_most: int, o_most: int) -> Purses:
        """The splits that play can lead to from ``x_most`` and ``o_most`` chips, and more of the kind."""
        bank, total = game.pays == "bank", x_most + o_most
        if bank:
            splits = [(x, o) for x in range(x_most + 1) for o in range(o_most + 1)]
        else:
            splits = [(x, total - x) for x in range(total + 1)]
        x, o = np.array(splits, dtype=np.int64).T
        return cls(x, o, x_most, o_most, bank, game.least)

    def __len__(self) -> int:
        return len(self.x)

    def chips(self, side: str) -> np.ndarray:
        """How many a side has."""
        return self.x if side == "X" else self.o

    def after(self, side: str, purses: np.ndarray, bids: np.ndarray | int) -> np.ndarray:
        """The splits, by number, after a side has paid a bid."""
        if self.bank:
            return purses - bids * (self.o_most + 1) if side == "X" else purses - bids
        return purses - bids if side == "X" else purses + bids

    def of_dearer(self, side: str, values: np.ndarray, axis: int, ufunc: np.ufunc) -> np.ndarray:
        """For each split the ``ufunc`` of ``values`` over it and all those that a side can pay its way to."""
        shape = values.shape
        if self.bank:
            values = values.reshape(*shape[:axis], self.x_most + 1, self.o_most + 1, *shape[axis + 1 :])
            return ufunc.accumulate(values, axis=axis if side == "X" else axis + 1).reshape(shape)
        if side == "X":
            return ufunc.accumulate(values, axis=axis)
        return np.flip(ufunc.accumulate(np.flip(values, axis), axis=axis), axis)
