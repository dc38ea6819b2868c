"""Search positions of games that are not solved: prove their values, or search to some depth.

All searches are iterative deepening: alpha-beta with null windows (MTD(f), see `depth_first.bounded`) to depth 1, 2,
3 ... on one table, under a limit of processor time. Without an evaluation, unfinished positions count 0. A value above
0 then means that the first player can force at least that much within the depth, since such a line never rests on the
horizon; likewise below 0 for the second player. So a value is proven where neither of its bounds rests on the horizon.
If it is the greatest or least payoff and not 0, the depth at which it first appears is the remoteness: the winner
cannot win sooner, nor the loser delay longer. This holds in loopy games too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from ..common.workers import tell_progress
from ..rules.game import ONGOING, Game
from ..solution.position import JudgedMove, Worth, best_first
from .catalogue import ALGORITHMS, UNBOUNDED, Order, Task
from .kernels import layout
from .problem import game_problem
from .workspace import Workspace

ROOT = -1
"""The number of the position itself; moves are numbered from 0."""

DEEPEST = 1000
"""The depth limit, in plies, of a search limited only by time."""

TABLE_BYTES = 1 << 29
"""The maximum size of a search's table."""


class Proof(NamedTuple):
    """The proven worth of an ongoing position."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Some moves that keep the value are marked optimal; little may be known of the others."""
    nodes: int
    """Nodes searched."""


def search_table(game: Game, *, depth: int = DEEPEST, evaluation: str | None = None) -> Workspace:
    """Return the memory of searches of positions of a game to at most ``depth`` plies, where an ``evaluation`` may
    value leaves. Raises what `game_problem` raises, and `TooLargeError`.
    """
    settings = dataclasses.replace(UNBOUNDED, growing=True, max_memory=TABLE_BYTES)
    symmetry = "none" if evaluation else "geometric"  # an evaluation need not be symmetric
    task = Task(ALGORITHMS["iterative"], Order("history", layout.BY_HISTORY), symmetry=symmetry)
    return Workspace(game_problem(game, depth=depth, evaluation=evaluation), task, settings)


class Deepening:
    """A search of an ongoing ``state`` and its moves, ever deeper, which goes on where it stopped. Searches of
    positions of one game may share a `search_table`.
    """

    def __init__(self, game: Game, state: int, table: Workspace | None = None) -> None:
        from .algorithms.depth_first import bounded  # compiled when it is needed

        self._kernel, self._table = bounded, table or search_table(game)
        self.game, self.state, rules, problem = game, state, game.rules(), self._table.problem
        self.side, self.children = rules.mover(state), rules.moves(state)
        least, greatest = rules.payoffs if problem.evaluation is None else (0, 0)
        self._wins = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
        """The best payoff of each side, if it is a win."""
        self.depth = self.seen = self.estimate = 0
        """Plies to which the moves, and the position itself, were searched so far; its value at that depth."""
        self.values: dict[int, int] = {}
        """Values of the moves at the last depth, by number."""
        self._proven: dict[int, Worth] = {}
        if problem.evaluation is None:
            over = ((i, rules.payoff(child)) for i, (_, child) in enumerate(self.children))
            self._proven = {i: Worth(payoff, 0) for i, payoff in over if payoff != ONGOING}
            self.values = {i: worth.value for i, worth in self._proven.items()}
        self.nodes, self.seconds = 0, 0.0

    @property
    def complete(self) -> bool:
        """Whether the values of all moves are proven."""
        return all(i in self._proven for i in range(len(self.children)))

    @property
    def decided(self) -> bool:
        """Whether the value is proven, and a move that keeps it."""
        return ROOT in self._proven

    def decide(self, seconds: float) -> None:
        """Search until the value is proven or the ``seconds`` of processor time are over. Raises `RulesError`."""
        if not self.decided:
            self._run(self._decide, seconds)

    def value(self, seconds: float | None) -> None:
        """Value all moves, ever deeper, until the depth of the table is reached, all is proven, or the ``seconds`` of
        processor time are over.
        """
        self._run(self._value_moves, seconds)

    def proof(self) -> Proof | None:
        """Return what is proven; None if the value is not."""
        root = self._worth(ROOT)
        if root is None:
            return None
        worths = [self._worth(i) for i in range(len(self.children))]
        optimal = [worth for worth in worths if worth is not None and worth.value == root.value]
        if not root.known_remoteness and None not in worths and all(worth.known_remoteness for worth in optimal):
            plies = [worth.plies for worth in optimal]  # the winner hurries, the loser delays
            root = Worth(root.value, 1 + (min(plies) if self.side * root.value >= 0 else max(plies)))
        judged = [
            JudgedMove(code, worth, worth is not None and worth.value == root.value)
            for (code, _), worth in zip(self.children, worths, strict=True)
        ]
        return Proof(root, best_first(judged, self.side), self.nodes)

    def _worth(self, number: int) -> Worth | None:
        worth = self._proven.get(number)
        if worth is None or worth.known_remoteness:
            return worth
        state = self.state if number == ROOT else self.children[number][1]
        plies = self.game.plies_left(state, worth.value)
        return worth if plies is None else Worth(worth.value, plies)

    # Searching --------------------------------------------------------------------------------------------------------

    def _run(self, work: Callable[[Workspace], int], seconds: float | None) -> None:
        def tick(nodes: int) -> None:
            tell_progress(f"searching, {max(self.seen, self.depth)} plies done", self.nodes + nodes - before, None)

        before = self._table[layout.NODES]
        try:
            self._table.run(work, tick, seconds=seconds)
        finally:
            self.nodes += self._table[layout.NODES] - before
            self.seconds += self._table.seconds

    def _decide(self, table: Workspace) -> int:
        """Search the position ever deeper until its value is proven."""
        while not self.decided and self.seen < DEEPEST:
            table.set_depth(self.seen + 1)
            guess, proven = self._value(self.state, 0, self.estimate)
            if proven and guess == table.problem.payoffs[self.side < 0]:  # nothing is worse, so all moves keep it
                worst = Worth(guess, None, known_remoteness=False)
                self._proven = dict.fromkeys(range(len(self.children)), worst) | self._proven
            if proven and self._find_keeper(guess):
                self._proven[ROOT] = self._dated(guess, self.seen + 1)
            self.seen, self.estimate = self.seen + 1, guess
        return 0

    def _find_keeper(self, value: int) -> bool:
        """Return whether a move is proven to keep the value that the position is proven to have."""
        if any(worth.value == value for worth in self._proven.values()):
            return True
        bound = value if self.side > 0 else value + 1
        for i, (_, child) in enumerate(self.children):
            child_value, proven = self._table.ask(self._kernel, child, 1, bound)
            if proven and (child_value >= bound) == (self.side > 0):
                won = self.side * value > 0
                self._proven[i] = self._dated(value, self.seen) if won else Worth(value, None, known_remoteness=False)
                return True
        return False

    def _value_moves(self, table: Workspace) -> int:
        """Search the moves ever deeper, the best ones first."""
        most = table.problem.depth or 0
        while self.depth < most:
            unsettled = [i for i in range(len(self.children)) if not self._settled(i)]
            if not unsettled:
                break
            table.set_depth(self.depth + 1)
            values = {}
            for i in sorted(unsettled, key=lambda i: -self.side * self.values.get(i, 0)):
                values[i], proven = self._value(self.children[i][1], 1, self.values.get(i, 0))
                if proven:
                    self._proven[i] = self._dated(values[i], self.depth)
            self.values |= values
            self.depth += 1
        return 0

    def _settled(self, number: int) -> bool:
        """Return whether no deeper search can tell more about a move."""
        worth = self._proven.get(number)
        return worth is not None and (worth.known_remoteness or worth.value not in self._wins.values())

    def _dated(self, value: int, plies: int) -> Worth:
        """Return the worth of a position whose value was first proven at this depth."""
        won = value in self._wins.values()
        return Worth(value, plies if won else None, known_remoteness=won)

    def _value(self, state: int, ply: int, value: int) -> tuple[int, bool]:
        """Return the value of a state at the current depth, near a guess of it, and whether it is proven."""
        low, high = self._table.problem.payoffs
        low -= low == high  # so that one value is searched for, too
        value, low_proven, high_proven = min(max(value, low), high), True, True
        while low < high:
            bound = value + 1 if value == low else value
            value, proven = self._table.ask(self._kernel, state, ply, bound)
            if value >= bound:
                low, low_proven = value, proven
            else:
                high, high_proven = value, proven
        return value, low_proven and high_proven
