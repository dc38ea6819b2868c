"""Searches that play to the end: what can be proven of a position without solving the game.

First, for a tenth of the time, deeper and deeper: that finds quick wins, and how quick they are. Then, where play
always ends, `questions` on all cores, which see much further: what moves are worth, and last how far the ends are.

A search of limited depth, iterative deepening with a table, counts 0 where the depth is spent. A value above 0 then
says that the first player can force at least so much within that depth, since such a line never rests on a 0 from the
horizon; a value below 0 says the same of the second player. So a value is exact where no line was cut off, and where it
is the greatest or the least payoff there is and not 0. In the latter case the depth at which it first comes up is the
remoteness: the winner cannot hurry more, nor the loser delay more. This holds in loopy games too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from analysis.errors import TooLargeError
from analysis.machine.workers import tell_progress
from analysis.rules.game import ONGOING, Game
from analysis.search.advice import DEEPEST, ROOT, Deepening, deepen
from analysis.search.problem import game_problem
from analysis.search.questions import Countdown, Inquiry, Questions
from analysis.solution.position import JudgedMove, Worth, best_first

DEEPENING_SHARE = 0.1
"""Of the time, before other questions are asked."""

MOVES_SHARE = 0.25
"""Of what is left of it once the value is known, before it is asked how far the ends are: for the values of moves."""


class Proof(NamedTuple):
    """What a position with moves has been shown to be worth."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Some moves that keep the value are optimal; where others win all there is to win, or the time was
    over, nothing may be known of a move.
    """
    nodes: int
    """Nodes that were searched."""


def prove(game: Game, state: int, seconds: float, *, every_move: bool = False) -> Proof | None:
    """Search a state in which the game goes on until its value is known; None if it is not after so many ``seconds``.

    Then the search goes on for as long as it has taken or, with ``every_move``, for the rest of the time, until it is
    known what each move is worth and how far the ends are. Raises `TooLargeError` where memory is short, and
    `RulesError`.
    """
    prover = Prover(game, state)
    prover.run(time.monotonic() + seconds, every_move=every_move)  # compiling takes none of the time
    return prover.proof()


class Prover:
    """Searches of a state in which the game goes on, which may be gone on with; see `prove`."""

    def __init__(self, game: Game, state: int) -> None:
        text = game.format_position(state)
        self._game, self._nodes = game, 0
        self._search = _ToTheEnd(game, text)
        problem = None if game.rules().loopy else game_problem(game, text)
        self._inquiry = None if problem is None else Inquiry(problem, game.rules().payoff)
        self._plies: dict[int, int] = {}
        """How far the ends are of what is known to be won, by number."""

    @property
    def decided(self) -> bool:
        """Whether the value is known."""
        return self._search.done or (self._inquiry is not None and self._inquiry.decided)

    def run(self, ends: float, *, rest: float | None = None, every_move: bool = False) -> None:
        """Search until all that is wanted is known, or until ``time.monotonic()`` says that it ``ends``, where the
        value is known by then with the ``rest``.
        """
        began = time.monotonic()
        if not self.decided:
            share, before = 1.0 if self._inquiry is None else DEEPENING_SHARE, self._nodes

            def tick(nodes: int) -> None:
                tell_progress(f"searching to the end, {self._search.depth} plies done", before + nodes, None)

            self._nodes += deepen(self._search.problem, self._search, share * (ends - began), tick)[0]
        if self._inquiry is None or (
            self._search.done and not (every_move and len(self._search.shown) < len(self._search.children))
        ):
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
            searched = {number: self._search.depth - (number != ROOT) for number in values}
            countdown = Countdown(self._inquiry, values, searched)
            self._ask(countdown, ends)
            self._plies |= {number: plies.low for number, plies in countdown.plies.items() if plies.known}
            if not values or not all(plies.known for plies in countdown.plies.values()):
                return

    def _ask(self, questions: Questions, ends: float, enough: Callable[[], bool] = lambda: False) -> None:
        before = self._nodes - questions.nodes
        stage = "searching how far the end is" if isinstance(questions, Countdown) else "searching to the end"
        try:
            questions.run(ends - time.monotonic(), lambda n: tell_progress(stage, before + n, None), enough)
        finally:
            self._nodes = before + questions.nodes

    def _far(self) -> dict[int, int]:
        """The values of positions where all is won that there is to win, but not known how soon: the root first."""
        known = {number: self._worth(number) for number in (ROOT, *range(len(self._search.children)))}
        found = {n: worth.value for n, worth in known.items() if worth is not None and not worth.known_remoteness}
        extreme = {n: value for n, value in found.items() if value and value in self._search.most_of.values()}
        root = known[ROOT]
        return dict(sorted(extreme.items(), key=lambda item: (item[0] != ROOT, root is None or item[1] != root.value)))

    def _worth(self, number: int) -> Worth | None:
        """What is known of the position of a number."""
        shown, inquiry = self._search.shown.get(number), self._inquiry
        if number == ROOT and self._search.done:
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
        worths = [self._worth(number) for number in range(len(self._search.children))]
        optimal = [worth for worth in worths if worth is not None and worth.value == root.value]
        if (
            not root.known_remoteness and None not in worths
        ):  # then it follows from those of the moves, if they have one
            root = _after_moves(root.value, self._search.side, optimal)
        judged = [
            JudgedMove(code, worth, worth is not None and worth.value == root.value)
            for (code, _), worth in zip(self._search.children, worths, strict=True)
        ]
        return Proof(root, best_first(judged, self._search.side), self._nodes)


def _after_moves(value: int, side: int, optimal: list[Worth]) -> Worth:
    """What a position is worth by the moves that keep its value: the winner hurries, the loser delays."""
    if not all(worth.known_remoteness for worth in optimal):
        return Worth(value, None, known_remoteness=False)
    plies = [worth.remoteness_plies or 0 for worth in optimal]
    return Worth(value, 1 + (min(plies) if side * value >= 0 else max(plies)))


class _ToTheEnd(Deepening):
    """Deeper and deeper from one root, until what it is worth is proven."""

    def __init__(self, game: Game, position: str) -> None:
        super().__init__(game_problem(game, position, depth=DEEPEST))
        self.window = self.problem.payoffs
        over = ((i, game.rules().payoff(child)) for i, (_, child) in enumerate(self.children))
        self.shown = {i: Worth(payoff, 0) for i, payoff in over if payoff != ONGOING}
        """What is proven of the moves, by number."""
        least, greatest = game.rules().payoffs
        self.most_of = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
        """The most that a side can get."""

    def wants(self, number: int) -> bool:
        """See `Deepening`."""
        return number not in self.shown

    def take(self, depth: int, found: dict[int, int], *, complete: bool) -> None:
        """See `Deepening`."""
        for i, value in found.items():
            if value in self.most_of.values():
                self.shown[i] = Worth(value, depth - 1)
            elif complete:
                self.shown[i] = Worth(value, None, known_remoteness=False)
        self.depth = depth

    @property
    def done(self) -> bool:
        """Whether it is known what the root is worth."""
        best = self.most_of[self.side]
        return len(self.shown) == len(self.children) or any(worth.value == best for worth in self.shown.values())

    def worth(self) -> Worth:
        """The root's, once that is known, by the moves that keep its value."""
        value = self.side * max(self.side * worth.value for worth in self.shown.values())
        return _after_moves(value, self.side, [worth for worth in self.shown.values() if worth.value == value])
