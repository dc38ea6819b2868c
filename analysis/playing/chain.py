"""Compute how games end if every step is random: a Markov chain over positions, exactly where it is small."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from ..common.workers import tell_progress
from ..errors import TooLargeError

Number = Fraction | float
"""Exact as a fraction, rounded as a float."""

MOST_EXACT_STEPS = 60_000
"""Limit on the moves, counted once for each ply at which they are made, for exact fractions: half a second."""

MOST_STEPS = 200_000_000
"""The same for doubles."""

NEGLIGIBLE = 1e-18
"""Probability below which play counts as over; the rounding of the others is larger."""


@dataclasses.dataclass
class Ends:
    """How games end, in probabilities: fractions, or floats where rounded."""

    won: list[Number]
    """The probabilities of a win of X, a win of O, a tie."""
    payoff: Number
    """The first player's, expected."""
    plies: Number
    """Expected, unfinished games included."""
    unfinished: Number


@dataclasses.dataclass(frozen=True)
class Chain:
    """Positions by row, the first of which games begin at, and the moves of each, one position after the other."""

    branching: np.ndarray  # int64[n], moves; 0 where the game is over
    payoffs: np.ndarray  # int64[n], the first player's; 0 while the game goes on
    child: np.ndarray  # int64[m], the row after each move
    share: np.ndarray  # [m], the probability of each move, above 0: fractions as objects, or floats

    def ends(self, max_plies: int) -> Ends:
        """Return how games of at most so many plies end, in fractions if the shares are that and it does not take too
        long. Raises `TooLargeError` where doubles take too long as well.
        """
        exact = self._propagated(self.share, max_plies, Fraction(1)) if self.share.dtype == object else None
        ends = exact or self._propagated(self.share.astype(float), max_plies, 1.0)
        if ends is None:
            raise TooLargeError(f"expectations take more than {MOST_STEPS:,} steps; give a smaller --max-plies")
        return ends

    def _propagated(self, share: np.ndarray, max_plies: int, one: Number) -> Ends | None:
        """Hand the probability of each position on to those after it, ply by ply; None if that takes too long."""
        exact, steps, none = isinstance(one, Fraction), 0, one - one
        most, least = (MOST_EXACT_STEPS, 0.0) if exact else (MOST_STEPS, NEGLIGIBLE)
        ends, first = Ends([none] * 3, none, none, none), np.cumsum(self.branching) - self.branching
        mass = np.zeros(len(self.branching), share.dtype)
        mass[0] = one
        for ply in range(max_plies + 1):
            active = np.flatnonzero(mass)
            over, going = active[self.branching[active] == 0], active[self.branching[active] > 0]
            payoffs, ended = self.payoffs[over].astype(share.dtype), mass[over]
            for kind, chosen in enumerate((payoffs > 0, payoffs < 0, payoffs == 0)):
                ends.won[kind] += _sum(ended[chosen.astype(bool)])
            ends.payoff += _sum(ended * payoffs)
            ends.plies += _sum(ended) * ply
            left, counts = none + _sum(mass[going]), self.branching[going]
            steps += int(counts.sum())
            if left <= least:
                break
            if steps > most:
                return None
            if ply == max_plies:
                ends.unfinished, ends.plies = left, ends.plies + left * max_plies
                break
            tell_progress("expectations, ply", ply, max_plies)
            moves = np.arange(counts.sum()) + np.repeat(first[going] - np.cumsum(counts) + counts, counts)
            after = np.zeros_like(mass)
            np.add.at(after, self.child[moves], np.repeat(mass[going], counts) * share[moves])
            mass = after
        return ends


def _sum(shares: np.ndarray) -> Any:
    return shares.sum() if shares.dtype == object else float(shares.sum())


State = TypeVar("State", bound=Hashable)


def explored(root: State, look: Callable[[State], int | list[tuple[State, Any]]], most: int) -> Chain:
    """Return the chain of the states that can follow ``root``. ``look`` gives the payoff where the game is over,
    otherwise the states after it and their probabilities. Raises `TooLargeError` for more than ``most`` moves.
    """
    rows, queue, branching, payoffs = {root: 0}, [root], list[int](), list[int]()
    child, share = list[int](), list[Any]()
    for state in queue:  # grows as it goes
        step = look(state)
        after = [] if isinstance(step, int) else step
        payoffs.append(step if isinstance(step, int) else 0)
        branching.append(len(after))
        for each, chance in after:
            if rows.setdefault(each, len(rows)) == len(queue):
                queue.append(each)
            child.append(rows[each])
            share.append(chance)
        if len(child) > most:
            raise TooLargeError(f"exact expectations need a look at more than {most:,} moves")
    arrays = [np.array(each, np.int64) for each in (branching, payoffs, child)]
    return Chain(arrays[0], arrays[1], arrays[2], np.array(share, object))
