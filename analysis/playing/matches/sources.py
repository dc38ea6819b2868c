"""Where a match starts, and the solution that it is judged by."""

from __future__ import annotations

import time

from analysis.errors import MissingDataError, OptionError, PositionError
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import ONGOING, Game
from analysis.solution.solution import Solution
from analysis.solving import find_values, named_game
from analysis.storage.stored_games import is_bidding


def game_of(game: str | Game) -> Game:
    """The game that a GAME_OR_DIR names. Raises `OptionError` for a bidding game."""
    if isinstance(game, str) and is_bidding(game):
        raise OptionError(
            f"in {game} levels also bid: in Python, use analysis.bidding.contests.bidding_match.play_match"
        )
    return named_game(game)


def root_of(game: str | Game, position: str | None) -> int:
    """The state of a position (default: the start). Raises `PositionError` where no move can be made in it."""
    found = game_of(game)
    rules = found.rules()
    state = rules.start if position is None else found.parse_position(position)
    if rules.outcome(state) != ONGOING:
        raise PositionError(f"the game is over at {found.format_position(state)}; start from where it goes on")
    return state


def solution_from(
    game: str | Game,
    state: int,
    *,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """A solution that holds a state, see `find_values`. Raises `MissingDataError` where it takes more than so many
    ``seconds`` to make one, and what solving raises.
    """
    began, found = time.monotonic(), game_of(game)

    def impatient(stage: str, done: float, total: float | None) -> None:
        if seconds is not None and time.monotonic() - began > seconds:
            raise MissingDataError(f"{found.spec} is not solved, and takes more than {seconds:g} s to solve")
        progress(stage, done, total)

    position = None if state == found.rules().start else found.format_position(state)
    return find_values(game, position, threads=threads, progress=impatient)
