"""What bids, pure or mixed, get a side whatever is bid against them: where both sides get the same, it is the value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from analysis.bidding.board_tiers import Placements
from analysis.bidding.exact_values import Value, ascending, mean, ranks_in, stored_as, stored_value
from analysis.bidding.matrix_games import MatrixSolution, solve_matrix
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import OTHER, SIDES, SIGN

BETTER = {"X": np.maximum, "O": np.minimum}
CLOSE, SLIPS = 2e-9, 1e-14
"""What rounded mixes may miss: a part of the range of payments, and for each bid one of the largest (sums round)."""
Best = Mapping[str, np.ndarray]
"""What X and O place for with the chips and the advantage of a column: ranks of values, unsigned [columns, boards]."""
Coin = Callable[[Any, Any], Any]
"""What a coin makes of the ranks of X's winning the bid and of O's."""


def best_placements(side: Placements, below: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """For each board the greatest of what is ``below`` [boards of the next tier, columns] after a placement, the least
    with ``sign`` -1, and the first move that leads to it.
    """
    first = side.offsets[:-1]
    places = np.arange(len(side.rows)) - np.repeat(first, np.diff(side.offsets))  # fewer than 256 of a board
    best = np.maximum.reduceat((sign * below[side.rows] << 8) + (255 - places.astype(np.int32))[:, None], first, axis=0)
    return sign * (best >> 8), side.moves[first[:, None] + 255 - (best & 255)]


class Bids:
    """The bids in all columns of a ``layout`` with up to ``most`` chips."""

    def __init__(self, layout: StateLayout, ties: str, most: int) -> None:
        self._ties, self._splits = ties, layout.purses
        self._pays = {"X": -layout.x_pays, "O": layout.o_pays}  # columns further for each chip
        self._chips = {"X": np.tile(layout.x_chips, layout.copies), "O": np.tile(layout.o_chips, layout.copies)}
        self._least = {side: np.minimum(layout.least, chips) for side, chips in self._chips.items()}
        self._within = self._chips["X"] + self._chips["O"] <= most
        self._all = range(int(max(chips.max() for chips in self._chips.values())), -1, -1)

    def _legal(self, bid: int) -> dict[str, np.ndarray]:
        """The columns where each side may make a bid, and where both may."""
        fine = {side: self._within & (self._least[side] <= bid) & (bid <= self._chips[side]) for side in SIDES}
        return {name: np.flatnonzero(may) for name, may in {**fine, "XO": fine["X"] & fine["O"]}.items()}

    def _tied(self, best: Best, at: np.ndarray, bid: int, coin: Coin) -> np.ndarray:
        """What equal bids lead to in ascending columns."""
        x, o = at + bid * self._pays["X"], at + bid * self._pays["O"]
        if self._ties == "coin":
            return coin(best["X"][x], best["O"][o])
        first = np.searchsorted(at, self._splits)  # in these X holds the advantage; who wins by it passes it on
        x_takes, o_takes = best["X"][x[:first] + self._splits], best["O"][o[first:] - self._splits]
        if self._ties == "chooses":
            x_takes = np.maximum(x_takes, best["O"][o[:first]])
            o_takes = np.minimum(o_takes, best["X"][x[first:]])
        return np.concatenate([x_takes, o_takes])

    def pure(self, side: str, best: Best, coin: Coin = np.minimum, least: np.ndarray | None = None) -> np.ndarray:
        """The best that a side is sure of by one bid, whatever is bid against it; ``least`` gets the least such bid."""
        other, better, worse = OTHER[side], BETTER[side], BETTER[OTHER[side]]
        sure = np.full_like(best[side], 0 if side == "X" else np.iinfo(best[side].dtype).max)
        dearer = ~sure  # the worst of what dearer bids of the other side do
        for bid in self._all:
            legal = self._legal(bid)
            mine, theirs, both = legal[side], legal[other], legal["XO"]
            found, cheaper = dearer.take(mine, axis=0), bid > self._least[other][mine, None]
            won = worse(found, best[side].take(mine + bid * self._pays[side], axis=0))
            found = won if cheaper.all() else np.where(cheaper, won, found)
            equal = np.searchsorted(mine, both)
            found[equal] = worse(found[equal], self._tied(best, both, bid, coin))
            sure[mine] = most = better(sure.take(mine, axis=0), found)
            if least is not None:
                least[mine] = np.where(most == found, bid, least[mine])
            dearer[theirs] = worse(dearer[theirs], best[other].take(theirs + bid * self._pays[other], axis=0))
        return sure

    def ties(self, best: Best, coin: Coin) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """By bid, the columns where both may make it, and what that leads to there."""
        return {bid: (at := self._legal(bid)["XO"], self._tied(best, at, bid, coin)) for bid in self._all}

    def matrix(
        self, board: int, column: int, best: Best, ties: Mapping[int, tuple[np.ndarray, np.ndarray]]
    ) -> tuple[list[list[int]], list[range]]:
        """What each pair of bids leads to in one state, a row for each of X's; and the bids of both."""
        legal = [range(int(self._least[side][column]), int(self._chips[side][column]) + 1) for side in SIDES]
        x, o = (
            {bid: int(best[side][column + bid * self._pays[side], board]) for bid in own}
            for side, own in zip(SIDES, legal, strict=True)
        )
        both = (bid for bid in x if bid in o)
        equal = {bid: int(ties[bid][1][np.searchsorted(ties[bid][0], column), board]) for bid in both}
        return [[x[i] if i > j else o[j] if i < j else equal[i] for j in o] for i in x], legal

    def ranked(self, table: list[Value], best: Best) -> tuple[list[Value], Best, Coin]:
        """Ranks in an ascending table as few bytes as they need; where coins are tossed in one that has all means."""
        coin: Coin = np.minimum
        size = len(table)
        if self._ties == "coin":
            ties = ((self._legal(bid)["XO"], bid) for bid in self._all)
            found = [np.unique(self._tied(best, *tie, lambda x, o: x.astype(np.int64) * size + o)) for tie in ties]
            pairs = np.unique(np.concatenate(found))
            means = [mean(table[pair // size], table[pair % size]) for pair in pairs.tolist()]
            longer = ascending([*table, *means])
            new, ranks = ranks_in(longer, table), ranks_in(longer, means)
            table, best = longer, {side: new[of_side] for side, of_side in best.items()}
            old = np.searchsorted(new, np.arange(len(longer)))
            coin = lambda x, o: ranks[np.searchsorted(pairs, old[x] * size + old[o])]  # noqa: E731
        kind = np.min_scalar_type(len(table))
        return table, {side: np.ascontiguousarray(of_side, dtype=kind) for side, of_side in best.items()}, coin


def certified(matrix: Sequence[Sequence[Value]], bids: Sequence[range], row: Mapping[str, Any]) -> MatrixSolution:
    """What a ``row`` of the tables says of a state without a saddle point: the mix of each side's ``bids`` gets it the
    value in the ``matrix``, and numbers are rounded only where they have to be. Raises `ValueError`.
    """
    value, mixes = stored_value(*(row[name] for name in ("value", "value_numerator", "value_denominator"))), []
    payments, entries = np.array(matrix, dtype=object), np.array(matrix, dtype=float)
    slack = CLOSE * np.ptp(entries) + SLIPS * sum(entries.shape) * abs(entries).max()
    for side, legal, of_side in zip(SIDES, bids, (payments, payments.T), strict=True):
        name = f"{side.lower()}_mix"
        drawn = {part["bid"]: stored_value(*list(part.values())[1:]) for part in row[name]}
        mix = [drawn.pop(bid, Fraction(0)) for bid in legal]
        total: Any = sum(mix)
        chosen = [place for place, p in enumerate(mix) if p]
        slip = SLIPS * len(chosen) if isinstance(total, float) else 0
        if drawn or min(mix) < 0 or not abs(total - 1) <= slip:
            raise ValueError(f"{name} has no probabilities of legal bids that add up to 1")
        expected = (np.array(mix, dtype=object)[chosen] @ of_side[chosen]).tolist()
        gets = min(expected) if side == "X" else max(expected)
        missing = SIGN[side] * (value - gets)
        if not missing <= (slack if isinstance(missing, float) else 0):
            raise ValueError(f"{name} gets {gets} where it is answered best, and not {value}")
        mixes.append(mix)
    _check_rounding(matrix, value, mixes)
    return MatrixSolution(value, tuple(mixes[0]), tuple(mixes[1]), saddle=False)


def _check_rounding(matrix: Sequence[Sequence[Value]], value: Value, mixes: Sequence[list[Value]]) -> None:
    """What follows from rounded values is rounded. Else numbers are only if the tables cannot hold them: the solution
    of the matrix then proves the value instead of the rounded probabilities.
    """
    rounded = [isinstance(number, float) for number in (value, *(p for mix in mixes for p in mix if p))]
    exact = not any(isinstance(entry, float) for line in matrix for entry in line)
    if exact and any(rounded):
        found = solve_matrix(matrix)
        exact = found.exact
        if exact and (isinstance(value, float) or value != found.value):
            raise ValueError(f"value is {value}, the rules say exactly {found.value}")
        for name, mix, parts in zip(("x_mix", "o_mix"), mixes, (found.rows, found.columns), strict=True):
            held, same_bids = [*map(stored_as, parts)], [*map(bool, mix)] == [*map(bool, parts)]
            if exact and same_bids and any(isinstance(p, float) for p in mix) and repr(mix) != repr(held):
                raise ValueError(f"{name} has rounded probabilities, the rules say {held}")
    if not exact and not all(rounded):
        raise ValueError("value, x_mix or o_mix has an exact number where the rules tell only rounded ones")
