"""What levels of play choose, and what best responses to them win: by recursion, and nothing of the library."""

import functools
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

from tests.support.oracle import Oracle


def preferred(oracle: Oracle, level: str, s: str) -> list[int]:
    """The cells that a level likes best."""
    cells, me = oracle.moves(s), 1 if oracle.to_move(s) == "X" else -1
    if level == "random":
        return cells
    after = {cell: oracle.play(s, cell) for cell in cells}
    if level == "greedy":
        wins = [cell for cell in cells if oracle.outcome(after[cell]) == me]
        safe = [
            cell
            for cell in cells
            if oracle.outcome(after[cell]) in (0, me)
            or (
                oracle.outcome(after[cell]) is None
                and all(oracle.outcome(reply) != -me for reply in oracle.children(after[cell]))
            )
        ]
        return wins or safe or cells
    keep = [cell for cell in cells if oracle.value(after[cell]) == oracle.value(s)]
    if level == "perfect:shortest":
        best = max if oracle.value(s) == -me else min
        plies = best(oracle.remoteness(after[cell]) for cell in keep)
        return [cell for cell in keep if oracle.remoteness(after[cell]) == plies]
    return keep


def distribution(oracle: Oracle, level: str, s: str) -> dict[int, Fraction]:
    """How likely each cell is."""
    cells, likes = oracle.moves(s), preferred(oracle, level, s)
    blunders = Fraction(level.partition(":")[2]) if level.startswith("blunder") else Fraction(0)
    chance = dict.fromkeys(cells, blunders / len(cells))
    for cell in likes:
        chance[cell] += (1 - blunders) / len(likes)
    return {cell: p for cell, p in chance.items() if p}


def against(
    children: Callable[[Any], Mapping[int, Any]],
    payoff: Callable[[Any], int],
    plays: Callable[[Any], Mapping[int, Fraction] | None],
    sign: int,
) -> Callable[[Hashable], Fraction]:
    """The first player's expected payoff from a state on, where ``sign`` draws lots and the other side does its best:
    ``plays(s)`` are the chances where it is the former's turn, else None; ``children(s)`` are empty at an end.
    """

    @functools.cache
    def of(s: Any) -> Fraction:
        after = children(s)
        if not after:
            return Fraction(payoff(s))
        chances = plays(s)
        if chances is not None:
            return sum((p * of(after[code]) for code, p in chances.items()), Fraction(0))
        return (min if sign > 0 else max)(map(of, after.values()))

    return of
