"""Rank the classes of each tier, best for the first player first, as runs of equal worth."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from ..engine.columns import NEVER, array, remoteness_numbers
from ..engine.tiers import NOT_TOGETHER, SolvedTier
from ..errors import MissingDataError, OptionError, StoreError
from .searching import PIECE
from .solution import Solution


class EqualClasses(NamedTuple):
    """A run of classes of equal worth in the row of a tier."""

    value: int
    remoteness_plies: int | None
    classes: int


class Ranking:
    """The place of each class of a solution in the row of its tier, numbered from 0.

    Classes are ordered by value, greatest first. Positive values are ordered by remoteness, and so is value 0, draws
    last; negative ones by descending remoteness, so that the fastest wins of the second player end the row. Ties are
    ordered by state. Follow `steps` while there is time, then read `tiers`; results stay, and later steps go on from
    there. For every piece of 16,384 classes it keeps the first state and two bytes for each run of its tier, so that
    finding a class means reading a single piece.

    >>> import analysis
    >>> ranking = Ranking(analysis.solve("tictactoe"))
    >>> for _ in ranking.steps():
    ...     pass
    >>> ranking.complete, [tuple(run) for run in ranking.tiers[6].runs]
    (True, [(1, 1, 130), (1, 3, 9), (0, 3, 27), (-1, 2, 17), (-1, 0, 21)])
    """

    def __init__(self, solution: Solution) -> None:
        self.tiers: list[RankedTier] = []
        """The tiers counted so far, ascending."""
        self.classes_seen = 0
        """The number of classes counted so far."""
        self._solution = solution
        self._counting = self._count_tiers()
        self._numbers = [tier.number for tier in solution.tiers]

    @property
    def complete(self) -> bool:
        """Whether all tiers are counted."""
        return len(self.tiers) == len(self._solution.tiers)

    def steps(self) -> Iterator[None]:
        """Continue, a short while at a time, until done. Raises `StoreError`."""
        if inspect.getgeneratorstate(self._counting) == inspect.GEN_CLOSED:  # after an error, or when done
            self._counting = self._count_tiers()
        for _ in self._counting:
            yield

    def has(self, number: int | None) -> bool:
        """Return whether a tier (None: every tier) is counted. Raises `OptionError` for an unknown tier."""
        if number is not None and number not in self._numbers:
            first, last = self._numbers[0], self._numbers[-1]
            raise OptionError(f"there is no tier {number}; the {len(self._numbers):,} tiers go from {first} to {last}")
        return self.complete if number is None else self._numbers.index(number) < len(self.tiers)

    def tier(self, number: int) -> RankedTier:
        """Return a tier by its number. Raises `OptionError` if unknown, `MissingDataError` if not yet counted."""
        if not self.has(number):
            raise MissingDataError(f"tier {number} is still being counted; ask again until the map is complete")
        return self.tiers[self._numbers.index(number)]

    def _count_tiers(self) -> Generator[None, None, None]:
        """Count all tiers that are not counted yet."""
        for tier in self._solution.tiers[len(self.tiers) :]:
            self.classes_seen = sum(map(len, self.tiers))
            pieces = []
            for states, keys in _pieces(tier):
                pieces.append((int(states[0]), *np.unique(keys, return_counts=True)))
                self.classes_seen += len(states)
                yield
            self.tiers.append(RankedTier(tier, pieces))


class RankedTier:
    """The row of one tier."""

    def __init__(self, tier: SolvedTier, pieces: list[tuple[int, np.ndarray, np.ndarray]]) -> None:
        """Combine ``pieces``: the first state of each, its keys, ascending, and their numbers of classes."""
        self.number, self._tier = tier.number, tier
        self._firsts = np.array([first for first, _, _ in pieces], np.int64)
        self._keys = np.unique(np.concatenate([keys for _, keys, _ in pieces]))
        self._counts = np.zeros((len(pieces), len(self._keys)), np.uint16)
        for piece, (_, keys, counts) in enumerate(pieces):
            self._counts[piece, np.searchsorted(self._keys, keys)] = counts
        self.ends = np.cumsum(self._counts.sum(axis=0, dtype=np.int64))
        """The place after each run, int64[runs]."""

    def __len__(self) -> int:
        return len(self._tier)

    @property
    def runs(self) -> list[EqualClasses]:
        """All runs, in order."""
        counts = np.diff(self.ends, prepend=0).tolist()
        runs = []
        for key, count in zip(self._keys.tolist(), counts, strict=True):  # the inverse of `rank_keys`
            value, distance = -(key // (NEVER + 1)), key % (NEVER + 1)
            remoteness = NEVER - distance if value < 0 else distance
            runs.append(EqualClasses(value, None if remoteness == NEVER else remoteness, count))
        return runs

    def state_at(self, place: int) -> int:
        """Return the canonical state at a place. Raises `OptionError` for a place out of range."""
        if not 0 <= place < len(self):
            raise OptionError(f"there is no place {place} in tier {self.number}; give 0 to {len(self) - 1}")
        run = int(np.searchsorted(self.ends, place, side="right"))
        of_run = np.cumsum(self._counts[:, run], dtype=np.int64)
        offset = place - int(self.ends[run] - of_run[-1])
        piece = int(np.searchsorted(of_run, offset, side="right"))
        states, keys = self._piece(piece)
        offset -= int(of_run[piece]) - int(self._counts[piece, run])
        return int(states[np.flatnonzero(keys == self._keys[run])[offset]])

    def place_of(self, state: int) -> int:
        """Return the place of a canonical state that the tier holds."""
        piece = int(np.searchsorted(self._firsts, state, side="right")) - 1
        states, keys = self._piece(piece)
        row = int(np.searchsorted(states, state))
        run = int(np.searchsorted(self._keys, keys[row]))
        before = self._counts[:piece, run].sum(dtype=np.int64) + np.count_nonzero(keys[:row] == keys[row])
        return int(self.ends[run] - self._counts[:, run].sum(dtype=np.int64) + before)

    def _piece(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the states of a piece and their keys. Raises `StoreError`."""
        first = self._firsts[number : number + 1]
        for states, keys in _pieces(self._tier, first):
            if states[0] == first[0]:
                return states, keys
        raise StoreError(NOT_TOGETHER)


def _pieces(tier: SolvedTier, among: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield states int64[n] and keys int64[n] of a tier in pieces; the least key ranks first."""
    for table in tier.pieces(PIECE, ("state", "value", "remoteness_plies"), among):
        yield array(table["state"]), rank_keys(array(table["value"]), remoteness_numbers(table["remoteness_plies"]))


def rank_keys(value: np.ndarray, remoteness: np.ndarray) -> np.ndarray:
    """Return numbers int64[n] for the worths of classes, the least for those that come first."""
    value, remoteness = value.astype(np.int64), remoteness.astype(np.int64)
    keys: np.ndarray = -value * (NEVER + 1) + np.where(value < 0, NEVER - remoteness, remoteness)
    return keys
