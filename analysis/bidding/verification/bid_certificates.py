"""Certificates of bids: what a bid, or a mixed one, gets against every answer.

Of bids without chance, for all states of some boards at once: all comparisons are of ranks in one ascending table of
exact values. Of the answers to a bid the higher ones cost the opponent more, so the worst of them is looked up in a
running minimum; the lower ones all lead to the same.

Of mixed bids, state by state, in fractions as far as the tables hold them: a mixed bid is optimal if, whatever single
bid the opponent answers with, its owner expects at least the value (at most, for O): both sides' together prove the
value. Where the tables hold a value or a probability rounded only, that is checked up to `CLOSE` of the range of the
payments, and the matrix is solved anew to see whether more could be held.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from analysis.bidding.exact_values import Value, is_small, mean
from analysis.bidding.matrix_games import MatrixSolution, solve_matrix
from analysis.bidding.verification.played_boards import Purses
from analysis.bidding.verification.stored_rows import stored_number
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


CLOSE = 2e-9
"""How far a rounded strategy may miss its value, as a part of the range of the payments: solve_matrix promises half."""
SLIPS = 1e-14
"""How far the rounding of sums may carry it, as a part of the largest payment, for each bid."""


Mix = list[tuple[int, Value]]
"""Bids with their probabilities."""


class RefusedError(Exception):
    """What is wrong with mixed bids."""


@dataclasses.dataclass(frozen=True)
class MatrixOfBids:
    """What bids lead to in one state: where X's is higher, where O's is, and where they are equal."""

    x_wins: Mapping[int, Value]
    o_wins: Mapping[int, Value]
    ties: Mapping[int, Value]

    @functools.cached_property
    def entries(self) -> list[Value]:
        """All payments that can occur."""
        x_least, o_least = min(self.x_wins), min(self.o_wins)
        x_wins = [value for bid, value in self.x_wins.items() if bid > o_least]
        return [*x_wins, *(value for bid, value in self.o_wins.items() if bid > x_least), *self.ties.values()]

    @property
    def slack(self) -> float:
        """What rounded numbers may miss."""
        entries = [float(entry) for entry in self.entries]
        return CLOSE * (max(entries) - min(entries)) + SLIPS * len(entries) * max(map(abs, entries))

    def pure(self, side: str) -> Value:
        """What a side is sure of with the best of its bids without chance."""
        wins, loses = self._as_seen(side)
        worst: Callable[..., Value]
        best: Callable[..., Value]
        worst, best = (min, max) if side == "X" else (max, min)
        answers = list(loses)
        dearer = [*itertools.accumulate(reversed([*loses.values()]), worst)][::-1]
        sure = []
        for bid, won in wins.items():
            place = bisect.bisect_right(answers, bid)
            outcomes = [*dearer[place : place + 1], *([won] if bid > answers[0] else [])]
            sure.append(worst([*outcomes, self.ties[bid]] if bid in self.ties else outcomes))
        return best(sure)

    def has_saddle(self) -> bool:
        """Whether bids without chance would do."""
        low, high = self.pure("X"), self.pure("O")
        return low == high and isinstance(low, float) == isinstance(high, float)

    def _as_seen(self, side: str) -> tuple[Mapping[int, Value], Mapping[int, Value]]:
        return (self.x_wins, self.o_wins) if side == "X" else (self.o_wins, self.x_wins)

    def solution(self) -> MatrixSolution:
        """The matrix game, solved anew."""
        row = [
            [self.x_wins[i] if i > j else self.o_wins[j] if i < j else self.ties[i] for j in self.o_wins]
            for i in self.x_wins
        ]
        return _solved(tuple(map(tuple, row)))

    def expected(self, side: str, mix: Sequence[tuple[int, Value]]) -> list[Value]:
        """What X expects where a side draws its bid so, for each bid of the opponent."""
        wins, loses = self._as_seen(side)
        bids = [bid for bid, _ in mix]
        above = [*itertools.accumulate(reversed([p * wins[bid] for bid, p in mix]), initial=Fraction(0))][::-1]
        below = [*itertools.accumulate((p for _, p in mix), initial=Fraction(0))]
        expected = []
        for answer, lost in loses.items():
            place = bisect.bisect_left(bids, answer)
            equal = place < len(bids) and bids[place] == answer
            tied = mix[place][1] * self.ties[answer] if equal else Fraction(0)
            expected.append(above[place + equal] + tied + below[place] * lost)
        return expected


def check_mixes(matrix: MatrixOfBids, value: Value, stored: Mapping[str, list[dict[str, Any]]]) -> None:
    """Check the mixed bids of one state. Raises `RefusedError`."""
    mixes = {side: _drawn(side, stored[side], matrix.x_wins if side == "X" else matrix.o_wins) for side in stored}
    if matrix.has_saddle():
        raise RefusedError("x_mix and o_mix are there, and bids without chance would do")
    if any(isinstance(entry, float) for entry in matrix.entries):
        _check_all_rounded(value, mixes)
    for side, mix in mixes.items():
        _check_worth(matrix, value, side, mix)
    if not any(isinstance(entry, float) for entry in matrix.entries):
        _check_rounding(matrix, value, mixes)


def _drawn(side: str, stored: list[dict[str, Any]], legal: Mapping[int, Value]) -> Mix:
    """The bids of a side and their probabilities."""
    name, mix = f"{side.lower()}_mix", []
    for part in stored:
        try:
            probability = stored_number(part["probability"], part["numerator"], part["denominator"])
        except (TypeError, ValueError) as error:
            raise RefusedError(f"{name}: the probability of {part['bid']} {error}") from None
        if part["bid"] not in legal or not 0 < probability <= 1:
            raise RefusedError(f"{name}: {part['bid']} with probability {probability} is no bid that can be drawn")
        mix.append((part["bid"], probability))
    bids, sum_ = [bid for bid, _ in mix], _sum(p for _, p in mix)
    if bids != sorted(set(bids)):
        raise RefusedError(f"{name}: bids are not in ascending order, each once")
    slip = SLIPS * len(mix) if isinstance(sum_, float) else 0
    if not 1 - slip <= sum_ <= 1 + slip:
        raise RefusedError(f"{name}: probabilities add up to {sum_}")
    return mix


def _sum(numbers: Iterable[Value]) -> Value:
    return [*itertools.accumulate(numbers, initial=Fraction(0))][-1]


def _check_worth(matrix: MatrixOfBids, value: Value, side: str, mix: Mix) -> None:
    """No answer to the mixed bid does better than the value."""
    sign, expected = SIGN[side], matrix.expected(side, mix)
    worst = min(sign * found for found in expected) - sign * value
    if worst < (-matrix.slack if isinstance(worst, float) else 0):
        gets = (min if side == "X" else max)(expected)
        raise RefusedError(f"{side.lower()}_mix gets {gets} where it is answered best, and not {value}")


def _check_all_rounded(value: Value, mixes: Mapping[str, Mix]) -> None:
    """What follows from rounded numbers is rounded."""
    if not isinstance(value, float):
        raise RefusedError(f"value is exactly {value}, and follows from rounded ones")
    for side, mix in mixes.items():
        for bid, p in mix:
            if not isinstance(p, float):
                raise RefusedError(
                    f"{side.lower()}_mix: the probability of {bid} is exact, and follows from rounded values"
                )


def _check_rounding(matrix: MatrixOfBids, value: Value, mixes: Mapping[str, Mix]) -> None:
    """Where payments are exact, numbers are rounded only if the tables cannot hold them. A value is then proved by the
    solution of the matrix instead of the rounded probabilities.
    """
    if not isinstance(value, float) and not any(isinstance(p, float) for mix in mixes.values() for _, p in mix):
        return
    found = matrix.solution()
    if isinstance(value, float):
        if found.exact or any(not isinstance(p, float) for mix in mixes.values() for _, p in mix):
            raise RefusedError(f"value is {value}, rounded, and the rules say exactly what it is")
        return
    if isinstance(found.value, float) or found.value != value:
        raise RefusedError(f"value is exactly {value}, the rules say {found.value}")
    for side, mix in mixes.items():
        wanted = _held(matrix, found, side)
        if [bid for bid, _ in mix] == list(wanted) and any(isinstance(p, float) for _, p in mix):
            _check_held(side, mix, wanted)


def _held(matrix: MatrixOfBids, found: MatrixSolution, side: str) -> dict[int, Fraction]:
    """The bids of a solution that is exact."""
    bids, parts = (matrix.x_wins, found.rows) if side == "X" else (matrix.o_wins, found.columns)
    return {bid: Fraction(p) for bid, p in zip(bids, parts, strict=True) if p}


def _check_held(side: str, mix: Mix, wanted: Mapping[int, Fraction]) -> None:
    for bid, probability in mix:
        held = isinstance(probability, float)
        if held == is_small(wanted[bid]) or not math.isclose(probability, wanted[bid], rel_tol=1e-15):
            raise RefusedError(f"{side.lower()}_mix: the probability of {bid} is exactly {wanted[bid]}")


@functools.lru_cache(maxsize=1 << 10)
def _solved(rows: tuple[tuple[Value, ...], ...]) -> MatrixSolution:
    return solve_matrix(rows)
