"""Where a perfect player's knowledge comes from: a stored solution, one solved here, or searches to the end."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from analysis.engine.tiers import ValueRecord
from analysis.errors import OptionError, TooLargeError
from analysis.machine.context import no_progress
from analysis.machine.workers import patient, telling
from analysis.playing.terms import NO_LIMITS, Effort
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.positions import read_position
from analysis.solution.position import JudgedMove, Worth, best_first, worth_of
from analysis.solution.solution import Solution
from analysis.solving.find import named_game, stored_solution
from analysis.solving.solve import solve

if TYPE_CHECKING:
    from analysis.search.proving import Proof

PATIENCE_SECONDS = 60.0
"""What finding out about one position may take."""

FIRST_SECONDS = 2.0
"""What the first attempt to solve, or to search, may take; every further one may take twice as long. A solve of ten
million positions is done by then.
"""

REMEMBERED = 1 << 16
"""Proofs that are kept."""


def find_knowledge(
    game: str | HasRules,
    position: str | None = None,
    *,
    patience: float = PATIENCE_SECONDS,
    effort: Effort = NO_LIMITS,
) -> Knowledge:
    """Knowledge of a GAME_OR_DIR from ``position`` (default: its start) on.

    A solution that is stored is used, whatever its symmetries unless the ``effort`` asks for some. Otherwise the game
    is solved from the position on, or the position searched to the end, whichever is done sooner: each has a short
    time, then twice as much, and so on. Raises `OptionError` where neither is done within ``patience`` seconds, and
    what loading a game or its solution raises.
    """
    chosen = named_game(game)
    state = chosen.rules().start if position is None else read_position(chosen, position)
    knowledge = Knowledge(chosen, patience, effort)
    stored = stored_solution(game, effort.symmetry, counts=False)
    if stored is None or not knowledge.use(stored, state, f"reads {stored.directory}"):
        knowledge.solution_with(state)
    knowledge.tells = False
    return knowledge


class Knowledge:
    """Knows what every position of a game is worth; get it from `find_knowledge`.

    Of a position that it does not know it finds out, with the same patience as at first: by a search where one was
    enough before, and otherwise as `find_knowledge` does.
    """

    def __init__(self, game: Game, patience: float = PATIENCE_SECONDS, effort: Effort = NO_LIMITS) -> None:
        self.game, self.rules, self.patience = game, game.rules(), patience
        self.symmetry = effort.symmetry or "geometric"
        self.tells = True
        """Whether it tells how far it is."""
        self.source = ""
        """Where it is from, for people, such as ``reads data/tictactoe``."""
        self.solution: Solution | None = None
        """One that holds the position that was asked for first, if that took a solution."""
        self._solutions: list[Solution] = []
        self._proofs: dict[int, Proof] = {}

    def worth(self, state: int) -> Worth:
        """What a state is worth. Raises `OptionError` where that is not found out in time."""
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return Worth(payoff, 0)
        solution = self.solution_with(state)
        return self._proofs[state].worth if solution is None else _worth(solution, state)

    def moves(self, state: int) -> list[JudgedMove]:
        """Every legal move, best first for the mover as in `Position.moves`, those of which nothing is known last; none
        where the game is over. Raises `OptionError` like `worth`.
        """
        if self.rules.payoff(state) != ONGOING:
            return []
        solution = self.solution_with(state)
        if solution is None:
            return list(self._proofs[state].moves)
        value = solution.lookup_as(state, ValueRecord).value
        after = ((code, _worth(solution, child)) for code, child in self.rules.moves(state))
        judged = [JudgedMove(code, worth, worth.value == value) for code, worth in after]
        return best_first(judged, self.rules.mover(state))

    def solution_with(self, state: int) -> Solution | None:
        """The solution that holds a state, or None where there is a proof: one or the other is there afterwards. Raises
        `OptionError` where that takes too long.
        """
        for _ in range(2):
            for solution in self._solutions:
                if solution.holds(state):
                    return solution
            if state in self._proofs:
                return None
            with contextlib.nullcontext() if self.tells else telling(no_progress):
                self._find_out(state)
        raise AssertionError("neither solution nor proof")

    def use(self, solution: Solution, state: int, source: str) -> bool:
        """Take a solution as a source from now on, if it holds the state."""
        if not solution.holds(state):
            return False
        self._solutions.append(solution)
        self.solution = solution if not self.source else self.solution
        self._tell(source)
        return True

    def _tell(self, source: str) -> None:
        if source not in self.source:
            self.source = f"{self.source}; {source}" if self.source else source

    # Finding out ------------------------------------------------------------------------------------------------------

    def _find_out(self, state: int) -> None:
        """Solve or search, whichever is done sooner. An attempt that gives up before its time is over is the last."""
        ways = [self._search, self._solve] if self._proofs else [self._solve, self._search]
        began, seconds = time.monotonic(), FIRST_SECONDS
        while ways:
            for way in list(ways):
                turn = seconds if len(ways) > 1 else self.patience
                ends = min(time.monotonic() + turn, began + self.patience)
                if way(state, ends):
                    return
                if time.monotonic() < ends:
                    ways.remove(way)
                elif ends == began + self.patience:
                    ways.clear()
                    break
            seconds *= 2
        raise OptionError(
            f"no perfect play in {self.game.spec} from {self.game.format_position(state)}: it was neither solved nor "
            f"searched to the end in {self.patience:g} s; try depth:8"
        )

    def _search(self, state: int, ends: float) -> bool:
        from analysis.search.proving import prove  # what searches takes a while to load

        try:
            proof = prove(self.game, state, ends - time.monotonic())
        except TooLargeError:
            return False
        if proof is None:
            return False
        if len(self._proofs) >= REMEMBERED:
            self._proofs.clear()
        self._proofs[state] = proof
        self._tell("searches each move to the end")
        return True

    def _solve(self, state: int, ends: float) -> bool:
        position = None if state == self.rules.start else self.game.format_position(state)
        began = time.monotonic()
        try:
            with patient(ends - time.monotonic(), _SolveTooLongError()):
                solution = solve(self.game, position=position, symmetry=self.symmetry, counts=False)
        except (_SolveTooLongError, TooLargeError):
            return False
        whence = "" if not self.source else f" from {self.game.format_position(state)} on"
        return self.use(solution, state, f"solved here{whence} in {time.monotonic() - began:.1f} s")


class _SolveTooLongError(Exception):
    """A solve has taken as long as it may."""


def _worth(solution: Solution, state: int) -> Worth:
    return worth_of(solution.lookup_as(state, ValueRecord))
