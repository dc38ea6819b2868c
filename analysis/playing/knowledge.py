"""What a perfect player knows, from a stored solution, one made on the spot, or searches to the end."""

from __future__ import annotations

import collections
import contextlib
import time
from typing import TYPE_CHECKING

from ..engine.tiers import ValueRecord
from ..errors import OptionError, TooLargeError
from ..machine.context import no_progress
from ..machine.workers import telling
from ..rules.game import ONGOING, Game, GameLike
from ..rules.positions import Place
from ..solution.position import JudgedMove, Worth, best_first, worth_of
from ..solution.solution import Solution
from ..solving.find import read_start, solving_within, stored_solution
from ..solving.solve import solve
from .terms import NO_LIMITS, Effort

if TYPE_CHECKING:
    from ..search.proving import Proof

PATIENCE_SECONDS = 60.0
"""Processor time to find out about one position."""

FIRST_SECONDS = 2.0
"""Time for the first attempt to solve or search, doubled for each further one; enough for ten million positions."""

REMEMBERED = 1 << 16
"""Proofs kept."""


def find_knowledge(
    game: GameLike,
    position: Place | None = None,
    *,
    patience: float = PATIENCE_SECONDS,
    effort: Effort = NO_LIMITS,
) -> Knowledge:
    """Return knowledge of a GAME_OR_DIR from ``position`` (default: its start) on.

    A stored solution is used, with any symmetry unless the ``effort`` names one. Otherwise the game is solved from the
    position on, or the position is searched to the end, whichever finishes first: they take turns of doubling length.
    Raises `OptionError` where neither finishes within ``patience`` seconds, and what loading a game or solution raises.
    """
    chosen, state = read_start(game, position)
    knowledge = Knowledge(chosen, patience, effort)
    stored = stored_solution(game, effort.symmetry, counts=False)
    if stored is None or not knowledge.use(stored, state, f"reads {stored.directory or 'a solution'}"):
        knowledge.solution_with(state)
    knowledge.tells = False
    return knowledge


class Knowledge:
    """Knows the value of every position of a game; get it from `find_knowledge`.

    An unknown position is solved or searched, with the same patience: by a search first where one was enough before,
    otherwise as `find_knowledge` does.
    """

    def __init__(self, game: Game, patience: float = PATIENCE_SECONDS, effort: Effort = NO_LIMITS) -> None:
        self.game, self.rules, self.patience = game, game.rules(), patience
        self.symmetry = effort.symmetry or "geometric"
        self.tells = True
        """Whether it reports progress."""
        self.source = ""
        """Where it comes from, in words, such as ``reads data/tictactoe``."""
        self.solution: Solution | None = None
        """A solution that holds the first position asked for, if that took one."""
        self._solutions: list[Solution] = []
        self._proofs: dict[int, Proof] = {}

    def worth(self, state: int) -> Worth:
        """Return the value and remoteness of a state. Raises `OptionError` where they cannot be found in time."""
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return Worth(self.game.worth(payoff), 0)
        solution = self.solution_with(state)
        return self._proofs[state].worth if solution is None else _worth(solution, state)

    def moves(self, state: int) -> list[JudgedMove]:
        """Return every legal move, best first for the mover as in `Position.moves`, unknown ones last; none where the
        game is over. Raises `OptionError` like `worth`.
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
        """Return the solution that holds a state, or None if there is a proof. Raises `OptionError` if it takes too
        long.
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
        """Use a solution as a source from now on if it holds the state; return whether it does."""
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
        """Solve or search, whichever finishes first; an attempt that gives up early is not repeated."""
        ways = [self._search, self._solve] if self._proofs else [self._solve, self._search]
        turns, last = collections.deque((way, FIRST_SECONDS) for way in ways), time.process_time() + self.patience
        while turns and time.process_time() < last:
            way, seconds = turns.popleft()
            ends = min(time.process_time() + seconds, last) if turns else last
            if way(state, ends):
                return
            if time.process_time() >= ends:
                turns.append((way, 2 * seconds))
        raise OptionError(
            f"no perfect play in {self.game.spec} from {self.game.format_position(state)}: it was neither solved nor "
            f"searched to the end in {self.patience:g} s; try depth:8"
        )

    def _search(self, state: int, ends: float) -> bool:
        from ..search.proving import prove  # slow to import

        try:
            proof = prove(self.game, state, ends - time.process_time())
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
        began = time.process_time()
        try:
            with solving_within(ends - time.process_time()):
                solution = solve(self.game, position=position, symmetry=self.symmetry, counts=False)
        except TooLargeError:
            return False
        whence = "" if not self.source else f" from {self.game.format_position(state)} on"
        return self.use(solution, state, f"solved here{whence} in {time.process_time() - began:.1f} s")


def _worth(solution: Solution, state: int) -> Worth:
    return worth_of(solution.lookup_as(state, ValueRecord))
