"""Searches that play to the end: what can be proven of a position without solving the game.

A search of limited depth, iterative deepening with a table, counts 0 where the depth is spent. A value above 0 then
says that the first player can force at least so much within that depth, since such a line never rests on a 0 from the
horizon; a value below 0 says the same of the second player. So a value is exact where no line was cut off, and where it
is the greatest or the least payoff there is and not 0. In the latter case the depth at which it first comes up is the
remoteness: the winner cannot hurry more, nor the loser delay more. This holds in loopy games too.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.machine.workers import Progress
from analysis.rules.game import ONGOING, Game
from analysis.search.advice import DEEPEST, best_move_first, deepen
from analysis.search.problem import SearchProblem, game_problem
from analysis.search.workspace import Workspace
from analysis.solution.position import Worth, preference


class JudgedMove(NamedTuple):
    """A legal move, and what the position after it is worth."""

    code: int
    worth: Worth | None
    """None where a search has shown another move to win, and of this one nothing yet."""
    optimal: bool
    """Whether it is known to keep the value."""


def best_first(moves: list[JudgedMove], side: int) -> list[JudgedMove]:
    """Moves in the order in which the side to move prefers them; see `position.preference`."""
    return sorted(moves, key=lambda move: preference(side, move.worth, move.code))


class Proof(NamedTuple):
    """What a position with moves has been shown to be worth."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Where the mover wins all there is to win, the moves that do so within the remoteness are optimal; of
    others, that may do so as well, only later, nothing is known.
    """


def prove(game: Game, state: int, seconds: float, progress: Progress) -> Proof | None:
    """Search a state in which the game goes on until its value is known; None if it is not after so many seconds, or
    cannot be. Raises `TooLargeError` where memory is short, and `RulesError`.
    """
    search = _Search(game, game_problem(game, game.format_position(state), depth=DEEPEST))
    deepen(
        search.problem, search, seconds, lambda n: progress(f"searching to the end, {search.depth} plies done", n, None)
    )
    return search.proof()


class _Search:
    """Deeper and deeper from one root, until what it is worth is proven."""

    def __init__(self, game: Game, problem: SearchProblem) -> None:
        self.problem, self.kernel = problem, best_move_first()
        self.children, self.side = problem.moves(problem.root), problem.side(problem.root)
        self.depth = 0
        """Plies that have been searched."""
        over = ((i, game.rules().payoff(child)) for i, (_, child) in enumerate(self.children))
        self.shown = {i: Worth(payoff, 0) for i, payoff in over if payoff != ONGOING}
        """What is proven of the children, by row."""
        least, greatest = game.rules().payoffs
        self._most = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
        """The most that a side can get."""

    def __call__(self, workspace: Workspace) -> int:
        order = [i for i in range(len(self.children)) if i not in self.shown]
        for depth in range(self.depth + 1, DEEPEST + 1):
            if self.decided:
                break
            workspace.set_depth(depth)
            window = self.problem.payoffs
            found = {i: workspace.value_of(self.kernel, self.children[i][1], 1, window) for i in order}
            for i, value in found.items():
                if value in self._most.values():
                    self.shown[i] = Worth(value, depth - 1)
                elif workspace.horizon == 0:
                    self.shown[i] = Worth(value, None, known_remoteness=False)
            self.depth = depth
            order = sorted((i for i in order if i not in self.shown), key=lambda i: -self.side * found[i])
        return 0

    @property
    def decided(self) -> bool:
        """Whether it is known what the root is worth."""
        best = self._most[self.side]
        return len(self.shown) == len(self.children) or any(worth.value == best for worth in self.shown.values())

    def proof(self) -> Proof | None:
        """What the search has shown."""
        if not self.decided:
            return None
        value = self.side * max(self.side * worth.value for worth in self.shown.values())
        optimal = [worth for worth in self.shown.values() if worth.value == value]
        shown = ((code, self.shown.get(i)) for i, (code, _) in enumerate(self.children))
        moves = [JudgedMove(code, worth, worth is not None and worth.value == value) for code, worth in shown]
        return Proof(self._worth(value, optimal), best_first(moves, self.side))

    def _worth(self, value: int, optimal: list[Worth]) -> Worth:
        """The root's, by those of the moves that keep its value."""
        if not all(worth.known_remoteness for worth in optimal):
            return Worth(value, None, known_remoteness=False)
        plies = [worth.remoteness_plies or 0 for worth in optimal]
        return Worth(value, 1 + (min(plies) if self.side * value >= 0 else max(plies)))
