"""Searches that play to the end: what can be proven of a position without solving the game.

First, for a tenth of the time, deeper and deeper: that finds quick wins, and how quick they are. Then, where play
always ends, `questions` on all cores, which see much further and tell values alone.

A search of limited depth, iterative deepening with a table, counts 0 where the depth is spent. A value above 0 then
says that the first player can force at least so much within that depth, since such a line never rests on a 0 from the
horizon; a value below 0 says the same of the second player. So a value is exact where no line was cut off, and where it
is the greatest or the least payoff there is and not 0. In the latter case the depth at which it first comes up is the
remoteness: the winner cannot hurry more, nor the loser delay more. This holds in loopy games too.
"""

from __future__ import annotations

import time

from analysis.errors import TooLargeError
from analysis.machine.workers import Progress
from analysis.rules.game import ONGOING, Game
from analysis.search.advice import DEEPEST, best_move_first, deepen
from analysis.search.problem import SearchProblem, game_problem
from analysis.search.proofs import JudgedMove, Proof, best_first
from analysis.search.questions import ROOT, Inquiry
from analysis.search.workspace import Workspace
from analysis.solution.position import Worth

DEEPENING_SHARE = 0.1
"""Of the time, before other questions are asked."""


def prove(
    game: Game,
    state: int,
    seconds: float,
    progress: Progress,
    *,
    workers: int | None = None,
    every_move: bool = False,
) -> Proof | None:
    """Search a state in which the game goes on until its value is known; None if it is not after so many ``seconds``,
    or cannot be.

    With ``every_move`` the search goes on for the rest of the time, until it is known what each move is worth; without
    it, for as long as it has taken. So many ``workers`` search at once (default: one a core); ``progress`` is told how
    far it is. Raises `TooLargeError` where memory is short, and `RulesError`.
    """
    loopy, text = game.rules().loopy, game.format_position(state)
    search = _Search(game, game_problem(game, text, depth=DEEPEST))
    inquiry = None if loopy else Inquiry(game_problem(game, text), game.rules().payoff, workers)
    began = time.monotonic()  # compiling takes none of the time
    share = seconds if loopy else DEEPENING_SHARE * seconds
    nodes, _ = deepen(
        search.problem, search, share, lambda n: progress(f"searching to the end, {search.depth} plies done", n, None)
    )
    if inquiry is None or (search.decided and not (every_move and search.unknown)):
        return search.proof(nodes)
    for number, worth in search.shown.items():
        inquiry.learn(number, worth.value, worth.value)
    known_after = None

    def enough() -> bool:
        nonlocal known_after
        took = time.monotonic() - began
        if known_after is None and inquiry.decided:
            known_after = took
        return known_after is not None and took >= 2 * known_after and not every_move

    left = began + seconds - time.monotonic()
    try:
        inquiry.run(left, lambda n: progress("searching to the end", nodes + n, None), enough)
    except TooLargeError:
        if not inquiry.decided:
            raise
    return _proof(search, inquiry, nodes + inquiry.nodes) if inquiry.decided else None


def _proof(search: _Search, inquiry: Inquiry, nodes: int) -> Proof:
    """What both have shown."""
    root, moves = inquiry.bounds[ROOT], []
    for number, (code, _) in enumerate(search.children):
        bounds = inquiry.bounds[number]
        worth = Worth(bounds.low, None, known_remoteness=False) if bounds.known else None
        worth = search.shown.get(number, worth)
        moves.append(JudgedMove(code, worth, worth is not None and worth.value == root.low))
    worth = search.worth() if search.decided else Worth(root.low, None, known_remoteness=False)
    return Proof(worth, best_first(moves, search.side), nodes)


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

    @property
    def unknown(self) -> bool:
        """Whether of some move nothing is known."""
        return len(self.shown) < len(self.children)

    def proof(self, nodes: int) -> Proof | None:
        """What the search has shown."""
        if not self.decided:
            return None
        worth = self.worth()
        shown = ((code, self.shown.get(i)) for i, (code, _) in enumerate(self.children))
        moves = [JudgedMove(code, after, after is not None and after.value == worth.value) for code, after in shown]
        return Proof(worth, best_first(moves, self.side), nodes)

    def worth(self) -> Worth:
        """The root's, once it is decided, by the moves that keep its value."""
        value = self.side * max(self.side * worth.value for worth in self.shown.values())
        optimal = [worth for worth in self.shown.values() if worth.value == value]
        if not all(worth.known_remoteness for worth in optimal):
            return Worth(value, None, known_remoteness=False)
        plies = [worth.remoteness_plies or 0 for worth in optimal]
        return Worth(value, 1 + (min(plies) if self.side * value >= 0 else max(plies)))
