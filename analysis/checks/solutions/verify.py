"""Check a solution directory: that every file is what was written, and every number what the rules say."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
from collections import Counter
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from analysis.checks.solutions.draws import Choice
from analysis.checks.solutions.elsewhere import Elsewhere, SpreadCheck
from analysis.checks.solutions.path_table import check_paths
from analysis.checks.solutions.rederive import TierCheckResult
from analysis.checks.solutions.sampled import SampleReport, check_sample
from analysis.checks.solutions.state_check import StateCheck
from analysis.errors import StoreError, VerificationError
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.solution import Solution
from analysis.solving.opening import open_solution
from analysis.solving.to_directory import is_named
from analysis.storage.directory import MANIFEST, PATHS
from analysis.storage.integrity import check_files, not_as_written, read_tier_files
from analysis.storage.store import read_manifest
from analysis.storage.stored_games import stored_game
from analysis.wording import some

RANDOM_GAMES = 5
"""That are played beside what is left of their positions."""


@dataclasses.dataclass(frozen=True)
class VerificationReport:
    """What was checked, and found right."""

    game: str
    """The specification."""
    files: int
    states: int
    """Classes of positions."""
    moves: int
    """Moves of one position of each class."""
    counts: bool
    """Whether games, histories and paths were checked too, and not values and remoteness only."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        what = "value, remoteness and count" if self.counts else "value and remoteness"
        classes = some(self.states, "class", "classes")
        return (
            f"{self.game}: all {self.files} files are intact, and every {what} of {classes} "
            f"follows from the rules and {'its' if self.states == 1 else 'their'} {some(self.moves, 'move')}."
        )


def verify(
    directory: str | Path,
    *,
    choice: Choice | None = None,
    memory: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress = no_progress,
) -> VerificationReport | SampleReport:
    """Check every file and every number of a solution directory, or those of the classes of a ``choice``.

    ``directory`` is what `solve_to_directory` wrote, for example ``data/tictactoe``; ``progress`` is called with what
    is being done, how many classes are checked and how many there are. Raises `StoreError` where the directory is no
    solution at all, and `VerificationError`, naming the file or the first state that fails, where it is not what the
    rules say.

    It takes so many ``workers`` (default: all processors; the result is the same with any), and about ``memory`` bytes
    (default: what the machine has) beside the program itself. What does not fit is read several times, and what is
    found out of it is kept in temporary files. With an ``executor`` the rows of large tiers are checked by its tasks,
    which write into a temporary folder beside the directory; the result is the same.

    With a ``choice``, a class is checked against those after it, files by their sizes, and by checksums as far as they
    are read. That does not show that a class is reached, that its histories are right, what is in ``moves/`` and
    ``optimal_paths.parquet``, or, in a loopy game, that remoteness rests on ends of the game.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    game = stored_game(directory, manifest)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{directory / MANIFEST}: made by other rules than {game.spec} has now (rules_hash)")
    with not_as_written(directory):
        tiers = read_tier_files(directory, manifest, game.rules_hash())
        others = [manifest["paths_file"]] if manifest["paths_file"] else []
        files = check_files(directory, tiers, ["positions", "moves"], others, sums=choice is None)
        memory = memory or Budget.of_machine().limit
        if choice is not None:
            with (
                StateCheck(manifest, game, memory, workers) as sampled,
                _others(executor, directory, game) as elsewhere,
            ):
                spread = None if elsewhere is None else functools.partial(elsewhere.sample, tiers, choice)
                draw = check_sample(sampled, directory, tiers, choice, progress, spread)
            counts = manifest["tables"]["counts"]
            return SampleReport(
                game.spec, files, draw.total, draw.size, draw.share, draw.share, draw.sure(), sampled.moves_seen, counts
            )
        with (
            _others(executor, directory, game) as elsewhere,
            _check(directory, manifest, game, memory, workers, elsewhere) as check,
        ):
            done = 0

            def tell(rows: int) -> None:
                nonlocal done
                done += rows
                progress("verifying", done, manifest["canonical"])

            progress("verifying", done, manifest["canonical"])
            for tier in reversed(tiers):
                check.tier(tier, tell)
            solution = open_solution(directory)
            check.whole_game(solution)
            _check_left(solution)
            if manifest["tables"]["paths"]:
                check_paths(directory / PATHS, manifest["paths_file"], solution, check.positions, progress)
    return VerificationReport(game.spec, files, done, check.moves_seen, manifest["tables"]["counts"])


def _others(executor: Executor | None, directory: Path, game: Game) -> AbstractContextManager[Elsewhere | None]:
    """What checks rows elsewhere, if anything does. Raises `StoreError` for a game that no other process can load."""
    if executor is None:
        return contextlib.nullcontext()
    if not is_named(game):
        raise StoreError(f"{game.spec} is neither built-in nor from a file: no other process knows its rules")
    return Elsewhere(executor, directory, game)


def _check(
    directory: Path, manifest: dict[str, Any], game: Game, memory: int, workers: int | None, others: Elsewhere | None
) -> TierCheckResult:
    if others is None:
        return TierCheckResult(directory, manifest, game, memory, workers)
    return SpreadCheck(directory, manifest, game, memory, workers, others)


def _check_left(solution: Solution) -> None:
    """That positions of some random games are looked up where the same is left to play, if classes are residual: with
    the same outcome and mover, and with the same left after its moves.
    """
    engine, numbers = solution.engine, random.Random(0)
    rules, left_rules = engine.rules, engine.classes.rules
    for _ in range(0 if engine.residual is None else RANDOM_GAMES):
        state, moves = engine.start, rules.moves(engine.start)
        while True:
            left = engine.canonical(state)
            text = solution.game.format_position(state)
            if (rules.payoff(state), rules.mover(state)) != (left_rules.payoff(left), left_rules.mover(left)):
                raise VerificationError(f"position {text}: its class has another outcome or player to move")
            here = Counter(engine.canonical(child) for _, child in moves)
            if here != Counter(engine.classes.canonical(child) for _, child in left_rules.moves(left)):
                raise VerificationError(f"position {text}: its moves do not leave what those of its class do")
            if not moves:
                break
            state = numbers.choice(moves)[1]
            moves = rules.moves(state)
