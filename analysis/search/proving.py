"""Prove the value of a position by searching to the end, without solving the game.

The first tenth of the time goes to iterative deepening, which finds quick wins and their remoteness. Then, where play
always ends, `questions` on all cores see much further: they settle the value, then the moves, then the remoteness.

Iterative deepening with a table counts 0 at the depth limit. A value above 0 then means that the first player can force
at least that much within the depth, since such a line never rests on a 0 from the horizon; likewise below 0 for the
second player. So a value is exact where no line was cut off, and where it is the greatest or least payoff and not 0. In
the latter case the depth at which it first appears is the remoteness: the winner cannot win sooner, nor the loser delay
longer. This holds in loopy games too.
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
"""The share of the time for iterative deepening, before any questions."""

MOVES_SHARE = 0.25
"""The share of the remaining time for the values of the moves, once the value is known and before remoteness."""


class Proof(NamedTuple):
    """The proven worth of an ongoing position."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Some moves that keep the value are optimal; little may be known of the others."""
    nodes: int
    """Nodes searched."""


def prove(game: Game, state: int, seconds: float, *, every_move: bool = False) -> Proof | None:
    """Search an ongoing state until its value is known; return None if it is not known after ``seconds``.

    The search then continues for as long again or, with ``every_move``, for the rest of the time, until the values of
    all moves and the remoteness are known. Raises `TooLargeError` where memory is short, and `RulesError`.
    """
    prover = Prover(game, state)
    prover.run(time.monotonic() + seconds, every_move=every_move)  # compiling takes none of the time
    return prover.proof()


class Prover:
    """A resumable search of an ongoing state; see `prove`."""

    def __init__(self, game: Game, state: int) -> None:
        text = game.format_position(state)
        self._game, self._nodes = game, 0
        self._search = _ToTheEnd(game, text)
        problem = None if game.rules().loopy else game_problem(game, text)
        self._inquiry = None if problem is None else Inquiry(problem, game.rules().payoff)
        self._plies: dict[int, int] = {}
        """Remoteness of the positions known to be won, by number."""

    @property
    def decided(self) -> bool:
        """Whether the value is known."""
        return self._search.done or (self._inquiry is not None and self._inquiry.decided)

    def run(self, ends: float, *, rest: float | None = None, every_move: bool = False) -> None:
        """Search until all is known or ``time.monotonic()`` reaches ``ends`` (``rest``, once the value is known)."""
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
                self._finish_moves(rest or ends)
        except TooLargeError:
            if not self.decided:
                raise

    def _finish_moves(self, ends: float) -> None:
        """Find the values of the moves, for a share of the remaining time, then the remoteness."""
        assert self._inquiry is not None
        now = time.monotonic()
        until = now + MOVES_SHARE * (ends - now)
        while True:
            self._ask(self._inquiry, until if self._undated() else ends)
            values, until = self._undated(), ends
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

    def _undated(self) -> dict[int, int]:
        """Map won positions (by number, the root first) of unknown remoteness to their values."""
        known = {number: self._worth(number) for number in (ROOT, *range(len(self._search.children)))}
        found = {n: worth.value for n, worth in known.items() if worth is not None and not worth.known_remoteness}
        extreme = {n: value for n, value in found.items() if value and value in self._search.most_of.values()}
        root = known[ROOT]
        return dict(sorted(extreme.items(), key=lambda item: (item[0] != ROOT, root is None or item[1] != root.value)))

    def _worth(self, number: int) -> Worth | None:
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
        """Return what the searches have shown; None if the value is unknown."""
        root = self._worth(ROOT)
        if root is None or not self.decided:
            return None
        worths = [self._worth(number) for number in range(len(self._search.children))]
        optimal = [worth for worth in worths if worth is not None and worth.value == root.value]
        if not root.known_remoteness and None not in worths:  # it follows from those of the moves, if they are known
            root = _after_moves(root.value, self._search.side, optimal)
        judged = [
            JudgedMove(code, worth, worth is not None and worth.value == root.value)
            for (code, _), worth in zip(self._search.children, worths, strict=True)
        ]
        return Proof(root, best_first(judged, self._search.side), self._nodes)


def _after_moves(value: int, side: int, optimal: list[Worth]) -> Worth:
    """Combine the moves that keep a value: the winner hurries, the loser delays."""
    if not all(worth.known_remoteness for worth in optimal):
        return Worth(value, None, known_remoteness=False)
    plies = [worth.remoteness_plies or 0 for worth in optimal]
    return Worth(value, 1 + (min(plies) if side * value >= 0 else max(plies)))


class _ToTheEnd(Deepening):
    """Iterative deepening from one root until its value is proven."""

    def __init__(self, game: Game, position: str) -> None:
        super().__init__(game_problem(game, position, depth=DEEPEST))
        self.window = self.problem.payoffs
        over = ((i, game.rules().payoff(child)) for i, (_, child) in enumerate(self.children))
        self.shown = {i: Worth(payoff, 0) for i, payoff in over if payoff != ONGOING}
        """Proven worths of the moves, by number."""
        least, greatest = game.rules().payoffs
        self.most_of = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
        """The best payoff of each side, if it is a win."""

    def wants(self, number: int) -> bool:
        return number not in self.shown

    def take(self, depth: int, found: dict[int, int], *, complete: bool) -> None:
        for i, value in found.items():
            if value in self.most_of.values():
                self.shown[i] = Worth(value, depth - 1)
            elif complete:
                self.shown[i] = Worth(value, None, known_remoteness=False)
        self.depth = depth

    @property
    def done(self) -> bool:
        best = self.most_of[self.side]
        return len(self.shown) == len(self.children) or any(worth.value == best for worth in self.shown.values())

    def worth(self) -> Worth:
        """Return the root's worth, once known."""
        value = self.side * max(self.side * worth.value for worth in self.shown.values())
        return _after_moves(value, self.side, [worth for worth in self.shown.values() if worth.value == value])
