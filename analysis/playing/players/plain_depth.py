"""``depth:N`` in plain Python, for who cannot wait: the compiler takes a second to load, and some to compile a game."""

from __future__ import annotations

from analysis.errors import OptionError
from analysis.playing.players.levels import Depth
from analysis.rules.game import Rules

MOST_NODES = 20_000
"""Positions that are looked at for a move, some 10 to 100 microseconds each."""

MOST_PLIES = 100
"""To a greater depth only lines of play that end before are followed."""

INFINITY = 1 << 60


class _TooManyError(Exception):
    """More than `MOST_NODES`, or deeper than `MOST_PLIES`."""


class PlainDepth(Depth):
    """Prefers the same moves as `Depth`, and raises `OptionError` where that takes more than `MOST_NODES` positions."""

    def preferred(self, state: int) -> list[int]:
        """The moves that the search finds best, deeper and deeper: each depth says what to try first at the next."""
        search, children = _Search(self.rules), dict(self.rules.moves(state))
        values = dict.fromkeys(children, 0)
        for depth in range(1, self.depth + 1):
            order = sorted(values, key=values.__getitem__, reverse=True)
            try:
                values = search.values(state, {code: children[code] for code in order}, depth)
            except _TooManyError:
                most = f"{self.level} looks at more than {MOST_NODES:,} positions here"
                raise OptionError(f"{most}; try depth:{max(1, depth - 1)}") from None
            if search.complete:
                break
        return sorted(code for code, value in values.items() if value == max(values.values()))


class _Search:
    """Alpha-beta, fail-soft, as the textbook has it."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.nodes, self.complete = rules, 0, True

    def values(self, state: int, children: dict[int, int], depth: int) -> dict[int, int]:
        """What the moves to some ``children`` are worth to who makes them, by code; of what is not best, a bound."""
        self.complete, side, best = True, self.rules.mover(state), -INFINITY
        if depth > MOST_PLIES:
            raise _TooManyError
        values = {}
        for code, child in children.items():
            alpha, beta = (best - 1, INFINITY) if side > 0 else (-INFINITY, 1 - best)
            values[code] = side * self.value(child, depth - 1, alpha, beta)
            best = max(best, values[code])
        return values

    def value(self, state: int, depth: int, alpha: int, beta: int) -> int:
        """The value of a state to the first player, or a bound outside the window; raises `_TooManyError`."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _TooManyError
        moves = self.rules.moves(state)
        if not moves or depth == 0:
            self.complete &= not moves
            return self.rules.guess(state)
        side, best = self.rules.mover(state), -INFINITY
        for _, child in moves:
            best = max(best, side * self.value(child, depth - 1, alpha, beta))
            if side > 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, -best)
            if alpha >= beta:
                break
        return side * best
