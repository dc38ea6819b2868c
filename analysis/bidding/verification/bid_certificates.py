"""Certificates of bids without chance: what a bid gets against every answer, for all states of some boards at once.

All comparisons are of ranks in one ascending table of exact values. Of the answers to a bid the higher ones cost the
opponent more, so the worst of them is looked up in a running minimum; the lower ones all lead to the same.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.bidding.exact_values import Value, mean
from analysis.bidding.verification.purses import Purses
from analysis.games.bidding import OTHER, SIDES, SIGN

NONE = -1
"""No bid."""


@dataclasses.dataclass(frozen=True)
class Entries:
    """What there is to bid for on some boards: the ranks of what each side places for, once the advantage and the chips
    are as the column says, and of the values stored.
    """

    purses: Purses
    ties: str
    table: list[Value]
    best: dict[str, np.ndarray]  # of X and O, int64[boards, holders * purses]
    value: np.ndarray  # int64[boards, holders * purses]

    def tied(self, states: np.ndarray, bids: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        """The ranks of the two outcomes that equal bids lead to in these states (by number), equal where the rules
        or the holder decide; of the mean of both otherwise.
        """
        count, columns = len(self.purses), self.value.shape[1]
        purse = states % count
        first = states % columns < count  # X holds the advantage
        own, other = states - purse, states - purse + np.where(first, count, -count)
        at_x, at_o = (self.purses.after(side, purse, bids) for side in SIDES)
        x, o = (self.best[side].ravel() for side in SIDES)
        if self.ties == "coin":
            return x[own + at_x], o[own + at_o]
        taken = np.where(first, x[other + at_x], o[other + at_o])  # the holder wins and passes the advantage
        if self.ties == "chooses":
            left = np.where(first, o[own + at_o], x[own + at_x])
            taken = np.where(first, np.maximum(taken, left), np.minimum(taken, left))
        return taken, taken

    def as_good(self, side: str, tied: tuple[np.ndarray, np.ndarray], value: np.ndarray) -> np.ndarray:
        """Whether a side is content with the outcomes of a tie."""
        if self.ties != "coin":
            return SIGN[side] * tied[0] >= SIGN[side] * value
        triples, index = np.unique(np.stack([*tied, value]), axis=1, return_inverse=True)
        found = []
        for a, b, v in triples.T.tolist():
            half, wanted = mean(self.table[a], self.table[b]), self.table[v]
            keys = (half, isinstance(half, float)), (wanted, isinstance(wanted, float))
            found.append(keys[0] >= keys[1] if side == "X" else keys[0] <= keys[1])
        return np.array(found, dtype=bool)[index.ravel()]


class Bidder:
    """One side, and what its bids get it in all states of some boards."""

    def __init__(self, side: str, entries: Entries) -> None:
        self.side, self._entries, self._purses = side, entries, entries.purses
        self._opponent, self._sign = OTHER[side], SIGN[side]
        self._own, self._theirs = self._purses.chips(side), self._purses.chips(self._opponent)
        self._value = self._sign * entries.value.ravel()
        self._wins = self._sign * entries.best[side].ravel()
        loses = (self._sign * entries.best[self._opponent]).reshape(len(entries.value), -1, len(self._purses))
        self._worst = self._purses.of_dearer(self._opponent, loses, 2, np.minimum).ravel()

    def legal(self, states: np.ndarray, bids: np.ndarray) -> np.ndarray:
        """Whether these bids may be made."""
        chips = self._own[states % len(self._purses)]
        return (bids >= np.minimum(self._purses.least, chips)) & (bids <= chips)

    def keeps(self, states: np.ndarray, bid: int) -> np.ndarray:
        """Whether a legal bid gets the side the value of the state, whatever the opponent bids."""
        purse = states % len(self._purses)
        board, theirs, value = states - purse, self._theirs[purse], self._value[states]
        least = np.minimum(self._purses.least, theirs)
        won = np.where(bid > least, self._wins[board + self._purses.after(self.side, purse, bid)] >= value, True)
        dearer = np.maximum(bid + 1, least)
        there = won & (dearer <= theirs)
        after = self._purses.after(self._opponent, purse[there], dearer[there])
        won[there] = self._worst[board[there] + after] >= value[there]
        tie = np.flatnonzero(won & (least <= bid) & (bid <= theirs))
        tied = self._entries.tied(states[tie], bid)
        won[tie] = self._entries.as_good(self.side, tied, self._sign * value[tie])
        return won

    def least_that_keeps(self, states: np.ndarray, bids: np.ndarray) -> np.ndarray:
        """For each state the least bid up to the one given that keeps the value, or `NONE`."""
        found = np.full(len(states), NONE, dtype=np.int64)
        left = np.arange(len(states))
        for bid in range(int(bids.max(initial=NONE)) + 1):
            left = left[(found[left] == NONE) & (bids[left] >= bid)]
            tried = left[self.legal(states[left], np.full(len(left), bid))]
            found[tried[self.keeps(states[tried], bid)]] = bid
        return found
