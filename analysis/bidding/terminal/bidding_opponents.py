"""The opponent in a bidding game, and the solution of the game that is played."""

from __future__ import annotations

import time

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bidding_solving import find_solution
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.bidding.players.solved_bidder import make_player
from analysis.errors import GametreeError, TooLargeError
from analysis.machine.workers import Progress, patient
from analysis.playing.players.levels import parse_level

PATIENCE_SECONDS = 10.0
"""How long to try to solve a game that was not asked to be solved."""

DEFAULT_DEPTH = 2
"""Rounds that the opponent looks ahead where the game is not solved so soon, and no level is given."""


def find_opponent(level: str | None, table: BiddingRules, memory: BiddingMemory) -> BiddingPlayer:
    """The player of a level; by default a perfect one where the game is soon solved, otherwise one that searches."""
    chosen = "perfect" if level is None else level.strip().lower()
    try:
        player = make_player(
            parse_level(chosen), chosen, table, lambda: memory.solve(PATIENCE_SECONDS if level is None else None)
        )
    except TooLargeError:
        if level is not None:
            raise
        searching = f"depth:{DEFAULT_DEPTH}"
        player = make_player(parse_level(searching), searching, table, memory.solve)
        player.note += f"; the game is not solved in {PATIENCE_SECONDS:g} s"
        return player
    if parse_level(chosen).kind in ("perfect", "blunder"):
        player.note = memory.source
    return player


class BiddingMemory:
    """The solution of a game, found when it is first needed, and not tried twice."""

    def __init__(
        self,
        name: str,
        position: str | None,
        progress: Progress,
        *,
        symmetry: str | None = None,
        workers: int | None = None,
    ) -> None:
        self._name, self._position, self._progress = name, position, progress
        self._symmetry, self._workers = symmetry, workers
        self._found: BiddingSolution | None = None
        self._failure: Exception | None = None
        self.source = ""
        """How the solution came about; empty until there is one."""

    def recall(self) -> tuple[BiddingSolution, str]:
        """The solution, unless it takes too long. Raises `TooLargeError`, and what finding it raises."""
        return self.solve(PATIENCE_SECONDS), self.source

    def solve(self, seconds: float | None = None) -> BiddingSolution:
        """The solution. Raises `TooLargeError` where it takes more than these ``seconds``, and what solving raises."""
        if self._failure is not None:
            raise self._failure
        if self._found is None:
            began = time.perf_counter()
            too_slow = TooLargeError(f"{self._name} is not solved in {seconds or 0:g} seconds; solve it first")
            progress = patient(self._progress, seconds, too_slow)
            try:
                self._found = find_solution(
                    self._name, position=self._position, symmetry=self._symmetry, workers=self._workers,
                    progress=progress,
                )  # fmt: skip
            except GametreeError as error:
                self._failure = error
                raise
            took = time.perf_counter() - began
            stored = self._found.directory
            self.source = f"reads {stored}" if stored is not None else f"solved here in {took:.1f} s"
        return self._found
