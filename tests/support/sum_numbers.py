"""The published and computed numbers of heap and scoring games, from tests/golden."""

from __future__ import annotations

import functools
import itertools

from analysis.rules.game import ONGOING, Game
from tests.support.golden import lines

COLUMNS = ["value", "remoteness_plies", "positions", "moves", "terminal", "games"]
PARAMETERS = {
    "nim": ["heaps", "take", "misere"],
    "kayles": ["pins"],
    "grundy": ["heap"],
    "dots_and_boxes": ["rows", "cols"],
    "othello": ["size"],
}
MOST_POSITIONS = 6_500
"""What the brute force here takes on."""


def golden_rows() -> list[tuple[str, str | None, dict[str, int]]]:
    """A specification, a position to start from or None, and the numbers."""
    found = []
    for family, names in PARAMETERS.items():
        for line in lines(f"{family}.txt"):
            if ":" in line:
                continue
            *given, last = line.split(",")[: -len(COLUMNS)]
            position = None if family != "othello" or last == "start" else last
            values = given if family == "othello" else [*given, last]
            spec = f"{family}:" + ",".join(f"{n}={v}" for n, v in zip(names, values, strict=True))
            numbers = map(int, line.split(",")[-len(COLUMNS) :])
            found.append((spec, position, dict(zip(COLUMNS, numbers, strict=True))))
    return found


def golden_lists(family: str) -> dict[str, list[int]]:
    """What follows ``nimbers`` and the like, by what precedes the colon."""
    pairs = (line.split(":") for line in lines(f"{family}.txt") if ":" in line)
    return {name: list(map(int, numbers.split())) for name, numbers in pairs}


ROWS = golden_rows()
SMALL = [row for row in ROWS if row[2]["positions"] <= MOST_POSITIONS]


class BruteForce:
    """A game as its plain rules give it: dicts and recursion."""

    def __init__(self, game: Game, position: str | None = None) -> None:
        self.rules = game.rules()
        self.start = self.rules.start if position is None else game.parse_position(position)
        self.children = {self.start: self._play(self.start)}
        waiting = [self.start]
        while waiting:
            for child in self.children[waiting.pop()]:
                if child not in self.children:
                    self.children[child] = self._play(child)
                    waiting.append(child)
        for name in ("solve", "games"):
            setattr(self, name, functools.cache(getattr(self, name)))

    def _play(self, state: int) -> list[int]:
        moves = self.rules.moves(state)
        assert (self.rules.outcome(state) == ONGOING) == bool(moves)
        assert len(moves) <= self.rules.max_moves
        if self.rules.tier is not None:
            assert all(self.rules.tier(child) > self.rules.tier(state) >= 0 for _, child in moves)
        return [child for _, child in moves]

    def solve(self, state: int) -> tuple[int, int]:
        """Value and remoteness: the side that is ahead hurries, the other delays."""
        if not self.children[state]:
            return self.rules.outcome(state), 0
        solved = [self.solve(child) for child in self.children[state]]
        side = self.rules.to_move(state)
        value = max(v * side for v, _ in solved) * side
        plies = [r for v, r in solved if v == value]
        return value, 1 + (max(plies) if value * side < 0 else min(plies))

    def games(self, state: int) -> int:
        return sum(map(self.games, self.children[state])) if self.children[state] else 1

    def numbers(self) -> dict[str, int]:
        found = (
            *self.solve(self.start),
            len(self.children),
            sum(map(len, self.children.values())),
            sum(not children for children in self.children.values()),
            self.games(self.start),
        )
        return dict(zip(COLUMNS, found, strict=True))


def make_nimber(rules):
    """The mex rule."""

    @functools.cache
    def nimber(state: int) -> int:
        options = {nimber(child) for _, child in rules.moves(state)}
        return next(n for n in itertools.count() if n not in options)

    return nimber
