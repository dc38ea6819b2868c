"""Compute how games end if every step is random: a Markov chain over positions, in plain Python."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeVar

Number = Fraction | float
"""Exact as a fraction, rounded as a float."""

MOST_EXACT_CLASSES = 5_000
"""Limit on classes for exact fractions, which take a microsecond or two per move and ply."""

MOST_EXACT_STEPS = 60_000
"""Limit on the moves, counted once for each ply at which they are made, for exact fractions."""

NEGLIGIBLE = 1e-18
"""Probability below which play counts as over; the rounding of the others is larger."""


@dataclasses.dataclass
class Ends:
    """How games end, in probabilities: fractions, or floats where rounded."""

    won: list[Fraction | float]
    """The probabilities of a win of X, a win of O, a tie."""
    payoff: Fraction | float
    """The first player's, expected."""
    plies: Fraction | float
    """Expected, unfinished games included."""
    unfinished: Fraction | float


State = TypeVar("State", bound=Hashable)


def played(
    root: State,
    look: Callable[[State], int | list[tuple[State, Number]]],
    max_plies: int,
    most_steps: int,
    one: Number,
) -> Ends | None:
    """Return how games from ``root`` end, in fractions or doubles like ``one``; None if that takes more than
    ``most_steps``. ``look`` gives the payoff where the game is over, otherwise the children and their probabilities.
    """
    mass, steps = {root: one}, 0
    none = one - one
    ends, left = Ends([none] * 3, none, none, none), none
    for ply in range(max_plies + 1):
        after: dict[State, Number] = defaultdict(type(none))
        left = none
        for state, here in mass.items():
            step = look(state)
            if isinstance(step, int):
                ends.won[0 if step > 0 else 1 if step < 0 else 2] += here
                ends.payoff += here * step
                ends.plies += here * ply
                continue
            steps += len(step)
            left += here
            for child, share in step:
                after[child] += here * share
        if steps > most_steps:
            return None
        if left <= (0 if isinstance(one, Fraction) else NEGLIGIBLE):
            left = none
            break
        mass = after
    ends.unfinished = left
    ends.plies += left * max_plies
    return ends
