"""Searches that play to the end: what can be proven of a position without solving the game.

First, for a tenth of the time, deeper and deeper: that finds quick wins, and how quick they are. Then, where play
always ends, `questions` on all cores, which see much further and tell values alone. Last
`distances`, how far the end is.

A search of limited depth, iterative deepening with a table, counts 0 where the depth is spent. A value above 0 then
says that the first player can force at least so much within that depth, since such a line never rests on a 0 from the
horizon; a value below 0 says the same of the second player. So a value is exact where no line was cut off, and where it
is the greatest or the least payoff there is and not 0. In the latter case the depth at which it first comes up is the
remoteness: the winner cannot hurry more, nor the loser delay more. This holds in loopy games too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from analysis.errors import TooLargeError
from analysis.machine.workers import Progress
from analysis.rules.game import ONGOING, Game
from analysis.search.advice import DEEPEST, best_move_first, deepen
from analysis.search.distances import Countdown
from analysis.search.problem import SearchProblem, game_problem
from analysis.search.proofs import JudgedMove, Proof, best_first
from analysis.search.questions import ROOT, Inquiry, Questions
from analysis.search.workspace import Workspace
from analysis.solution.position import Worth

DEEPENING_SHARE = 0.1
"""Of the time, before other questions are asked."""

MOVES_SHARE = 0.25
"""Of what is left of it once the value is known, before it is asked how far the ends are: for the values of moves."""


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

    With ``every_move`` the search goes on for the rest of the time, until it is known what each move is worth and how
    far the ends are; without it, for as long as it has taken. So many ``workers`` search at once (default: one a core);
    ``progress`` is told how far it is. Raises `TooLargeError` where memory is short, and `RulesError`.
    """
    prover = Prover(game, state, progress, workers=workers)
    prover.run(time.monotonic() + seconds, every_move=every_move)  # compiling takes none of the time
    return prover.proof()


class Prover:
    """Searches of a state in which the game goes on, which may be gone on with; see `prove`."""

    def __init__(self, game: Game, state: int, progress: Progress, *, workers: int | None = None) -> None:
        text = game.format_position(state)
        self._game, self._progress, self._nodes = game, progress, 0
        self._search = _Search(game, game_problem(game, text, depth=DEEPEST))
        problem = None if game.rules().loopy else game_problem(game, text)
        self._inquiry = None if problem is None else Inquiry(problem, game.rules().payoff, workers)
        self._plies: dict[int, int] = {}
        """How far the ends are of what is known to be won, by number."""

    @property
    def decided(self) -> bool:
        """Whether the value is known."""
        return self._search.decided or (self._inquiry is not None and self._inquiry.decided)

    def run(self, ends: float, *, rest: float | None = None, every_move: bool = False) -> None:
        """Search until all that is wanted is known, or until ``time.monotonic()`` says that it ``ends``, where the
        value is known by then with the ``rest``.
        """
        began = time.monotonic()
        if not self.decided:
            self._deepen(ends if self._inquiry is None else began + DEEPENING_SHARE * (ends - began))
        if self._inquiry is None or (self._search.decided and not (every_move and self._search.unknown)):
            return
        for number, worth in self._search.shown.items():
            self._inquiry.learn(number, worth.value, worth.value)
        known_after = None

        def enough() -> bool:
            nonlocal known_after
            took = time.monotonic() - began
            if known_after is None and self.decided:
                known_after = took
            return known_after is not None and (every_move or took >= 2 * known_after)

        try:
            self._ask(self._inquiry, ends, enough)
            if every_move and self.decided:
                self._tell_all(rest or ends)
        except TooLargeError:
            if not self.decided:
                raise

    def _tell_all(self, ends: float) -> None:
        """What the moves are worth and how far the ends are: first the moves, for a part of the time that is left."""
        assert self._inquiry is not None
        now = time.monotonic()
        until = now + MOVES_SHARE * (ends - now)
        while True:
            self._ask(self._inquiry, until if self._far() else ends)
            values, until = self._far(), ends
            low = {number: self._search.depth - (number != ROOT) for number in values}
            countdown = Countdown(self._inquiry, values, low)
            self._ask(countdown, ends)
            found = {number: countdown.remoteness(number) for number in values}
            self._plies |= {number: plies for number, plies in found.items() if plies is not None}
            if None in found.values() or not found:
                return

    def _deepen(self, ends: float) -> None:
        """Deeper and deeper; see `_Search`."""
        before = self._nodes

        def tick(nodes: int) -> None:
            self._progress(f"searching to the end, {self._search.depth} plies done", before + nodes, None)

        nodes, _ = deepen(self._search.problem, self._search, ends - time.monotonic(), tick)
        self._nodes += nodes

    def _ask(self, questions: Questions, ends: float, enough: Callable[[], bool] = lambda: False) -> None:
        before = self._nodes - questions.nodes
        stage = "searching how far the end is" if isinstance(questions, Countdown) else "searching to the end"
        try:
            questions.run(ends - time.monotonic(), lambda n: self._progress(stage, before + n, None), enough)
        finally:
            self._nodes = before + questions.nodes

    def _far(self) -> dict[int, int]:
        """The values of those positions of which it can be found out how far the end is, the most wanted first: where
        all is won that there is to win.
        """
        known = {number: self._worth(number) for number in (ROOT, *range(len(self._search.children)))}
        found = {n: worth.value for n, worth in known.items() if worth is not None and not worth.known_remoteness}
        extreme = {n: value for n, value in found.items() if value and value in self._search.most.values()}
        root = known[ROOT]
        return dict(sorted(extreme.items(), key=lambda item: (item[0] != ROOT, root is None or item[1] != root.value)))

    def _worth(self, number: int) -> Worth | None:
        """What is known of the position of a number."""
        shown, inquiry = self._search.shown.get(number), self._inquiry
        if number == ROOT and self._search.decided:
            shown = self._search.worth()
        if shown is None and inquiry is not None and inquiry.bounds[number].known:
            shown = Worth(inquiry.bounds[number].low, None, known_remoteness=False)
        if shown is None or shown.known_remoteness or inquiry is None:
            return shown
        plies = self._plies.get(number)
        plies = self._game.plies_left(inquiry.states[number], shown.value) if plies is None else plies
        return shown if plies is None else Worth(shown.value, plies)

    def proof(self) -> Proof | None:
        """What the searches have shown; None where the value is not known."""
        root = self._worth(ROOT)
        if root is None or not self.decided:
            return None
        judged = []
        for number, (code, _) in enumerate(self._search.children):
            worth = self._worth(number)
            judged.append(JudgedMove(code, worth, worth is not None and worth.value == root.value))
        return Proof(self._from_moves(root, judged), best_first(judged, self._search.side), self._nodes)

    def _from_moves(self, root: Worth, judged: list[JudgedMove]) -> Worth:
        """What the position is worth, with the remoteness that follows where those of all moves are known."""
        worths = [move.worth for move in judged]
        optimal = [worth for worth in worths if worth is not None and worth.value == root.value]
        if root.known_remoteness or None in worths or not all(worth.known_remoteness for worth in optimal):
            return root
        return after_moves(root.value, self._search.side, optimal)


def after_moves(value: int, side: int, optimal: list[Worth]) -> Worth:
    """What a position is worth where the moves that keep its ``value`` lead to these positions: the winner hurries, the
    loser delays, at value 0 the ``side`` to move hurries.
    """
    if not all(worth.known_remoteness for worth in optimal):
        return Worth(value, None, known_remoteness=False)
    plies = [worth.remoteness_plies or 0 for worth in optimal]
    return Worth(value, 1 + (min(plies) if side * value >= 0 else max(plies)))


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
        self.most = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
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
                if value in self.most.values():
                    self.shown[i] = Worth(value, depth - 1)
                elif workspace.horizon == 0:
                    self.shown[i] = Worth(value, None, known_remoteness=False)
            self.depth = depth
            order = sorted((i for i in order if i not in self.shown), key=lambda i: -self.side * found[i])
        return 0

    @property
    def decided(self) -> bool:
        """Whether it is known what the root is worth."""
        best = self.most[self.side]
        return len(self.shown) == len(self.children) or any(worth.value == best for worth in self.shown.values())

    @property
    def unknown(self) -> bool:
        """Whether of some move nothing is known."""
        return len(self.shown) < len(self.children)

    def worth(self) -> Worth:
        """The root's, once it is decided, by the moves that keep its value."""
        value = self.side * max(self.side * worth.value for worth in self.shown.values())
        return after_moves(value, self.side, [worth for worth in self.shown.values() if worth.value == value])
