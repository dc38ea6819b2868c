"""Certificates of mixed bids, state by state, in fractions as far as the tables hold them.

A mixed bid is optimal if, whatever single bid the opponent answers with, its owner expects at least the value (at most,
for O): both sides' together prove the value. Where the tables hold a value or a probability rounded only, that is
checked up to `CLOSE` of the range of the payments, and the matrix is solved anew to see whether more could be held.
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

from analysis.bidding.exact_values import Value, is_small
from analysis.bidding.matrix_games import MatrixSolution, solve_matrix
from analysis.bidding.verification.stored_rows import stored_number
from analysis.games.bidding import SIGN

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
