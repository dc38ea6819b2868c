"""Solve a game into a directory: in memory if it fits, else in shards on the disk."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path
from typing import Any

import numpy as np

from ..common.context import options
from ..common.files import check_writable
from ..common.memory import Budget, left_in_words, readable
from ..common.version import __version__
from ..common.workers import Workers
from ..engine.census import TierCensus
from ..engine.engine import Engine, make_engine, without_threads
from ..errors import NoRoomError, StoreError, TooLargeError
from ..games.families import load_game
from ..rules.game import Game, GameLike
from ..rules.symmetry import usable_kind
from ..solution.counts import endless
from ..solution.solution import Solution, Summary
from ..solution.storage.directory import (
    SolutionDirectory,
    is_solution,
    manifest_kind,
    recover,
)
from ..solution.storage.opening import open_directory
from ..solution.storage.path_files import write_paths_table
from ..solution.storage.store import Tables, read_manifest, write_tier
from ..solution.storage.stored_games import place_of, refuse_other, refuse_unnamed
from ..solution.storage.stored_tier import StoredTier
from .resources import SizeGuard
from .sharded.run import ShardedRun, discard, is_cut_off
from .solve import compiled_passes, proven, solve_if_small, start_tallies, summarize

LOG = logging.getLogger("gametree")

GAMES = {"X": "games_x", "O": "games_o", "tie": "games_tie", "total": "games"}
"""The names of counts of games in the manifest, and elsewhere."""


def solve_to_directory(
    game: GameLike,
    directory: str | Path | None = None,
    *,
    symmetry: str = "geometric",
    tables: Tables = Tables(),
    force: bool = False,
) -> Solution:
    """Solve a game into a solution directory (default: `place_of` the game) and open it.

    In memory this holds little more than the tables of two tiers at a time. A game that does not fit is solved in
    shards, and an interrupted solve in shards is resumed, also with ``force``, which clears any other unfinished one. A
    solution that ``was_there`` already is solved again only with ``force``, and stays as it is if that fails. Raises
    `StoreError` besides what `solve` raises; files are complete or absent.
    """
    game, scratch = load_game(game), options().scratch
    symmetry = usable_kind(game.rules(), symmetry)
    directory = place_of(game, symmetry) if directory is None else Path(directory)
    if game.rules().loopy:
        if tables.paths:
            raise endless(game)
        tables = dataclasses.replace(tables, counts=False)
    refuse_unnamed(game)
    if scratch is not None:
        check_writable(scratch, folder=True)
    completed = recover(directory)
    unlike = _why_not_reusable(directory, game, symmetry, tables, exactly=force) if is_solution(directory) else None
    if is_solution(directory) and unlike is None and (completed or not force):
        solution = open_directory(directory, game)
        solution.was_there, solution.resumed = not completed, completed
        return solution
    if unlike is not None and not (force or is_cut_off(directory)):
        raise unlike
    with Workers() as pool:
        engine = make_engine(game, symmetry=symmetry, workers=pool)
        obstacle = _obstacle(engine.classes, directory, tables) if is_cut_off(directory) else None
        resumed = is_cut_off(directory) and obstacle is None
        if unlike is not None and obstacle is not None and not force:
            raise unlike
        if force and obstacle is not None:
            LOG.info(f"starting again: {obstacle}")
            discard(directory)
        _solve(engine, directory, tables)
    solution = open_directory(directory, game)
    solution.resumed = resumed
    return solution


def _why_not_reusable(
    directory: Path, game: Game, symmetry: str, tables: Tables, *, exactly: bool
) -> StoreError | None:
    """Return why the solution in a directory is not the one that is asked for, which has these tables, ``exactly`` or
    at least.
    """
    try:
        if manifest_kind(directory) is not None:
            raise StoreError(f"{directory} holds another game; choose another directory, or use --force")
        manifest = read_manifest(directory)
        refuse_other(directory, manifest, game, symmetry, dataclasses.asdict(tables))
        if exactly and manifest["tables"] != dataclasses.asdict(tables):
            raise StoreError(f"{directory} was solved with {Tables(**manifest['tables']).described()}")
    except StoreError as error:
        return error
    return None


def _obstacle(engine: Engine, directory: Path, tables: Tables) -> StoreError | None:
    """Return why the solve in shards that was cut off in a directory cannot be resumed as this one."""
    try:
        ShardedRun.resumable(directory, engine, tables, options().scratch)
    except StoreError as error:
        return error
    return None


def _solve(engine: Engine, directory: Path, tables: Tables) -> None:
    """Solve in the way that fits, or resume what was cut off."""
    why, guard = "", SizeGuard(engine.classes, tables, Budget.of_machine(), False)
    if not (is_cut_off(directory) or options().sharded or options().executor):
        try:
            _solve_in_memory(engine, directory, tables, guard)
        except NoRoomError as error:
            needed = readable(error.needed)
            why = f"{error.what} needs about {needed} of memory, but {left_in_words(error.limit)}: "
        else:
            return
    from .sharded.driver import solve_in_shards  # which loads the kernels

    with SolutionDirectory(directory, tables.folders, lasting=True) as place:
        totals, root = solve_in_shards(place, engine.classes, tables, why, guard.sizes)
        _finish(place, engine, tables, totals, root)


def _solve_in_memory(engine: Engine, directory: Path, tables: Tables, guard: SizeGuard) -> None:
    small = solve_if_small(engine.classes, tables.counts)
    with SolutionDirectory(directory, tables.folders) as place:
        totals: list[TierCensus] = []
        for tier, of_tier, held in small or compiled_passes(engine.classes, tables.counts, guard):
            write_tier(place, engine.classes, tier, held, tables)
            totals.append(of_tier)
        totals.reverse()
        _finish(place, engine, tables, totals, start_tallies(tier))


def _finish(
    place: SolutionDirectory, engine: Engine, tables: Tables, totals: list[TierCensus], root: np.ndarray | None
) -> None:
    """Write what follows the last tier, and move everything into place; ``root`` holds the tallies of the start. Raises
    `TooLargeError` for a table of paths that is too large, once all else is in place if no solution was there before.
    """
    summary = summarize(engine, totals, root)
    stored = [StoredTier.open(place.partial, row.tier, place.tier_sums[row.tier]) for row in totals]
    summary = dataclasses.replace(summary, promises=proven(engine, stored, summary))
    solution = Solution(without_threads(engine), stored, summary, place.directory)
    described, refused, paths_file = manifest(solution, summary, tables), None, None
    if tables.paths:
        try:
            paths_file = write_paths_table(place, solution.optimal_paths())
        except TooLargeError as error:
            refused, tables = error, dataclasses.replace(tables, paths=False)
    replaces = is_solution(place.directory)
    if refused is None or not replaces:
        place.finish({**described, "tables": dataclasses.asdict(tables), "paths_file": paths_file})
    if refused is not None:
        has = "stays as it was" if replaces else "has the solution without them"
        raise TooLargeError(f"{refused}: {place.directory} {has}; --anyway --force writes them")


def manifest(solution: Solution, summary: Summary, tables: Tables) -> dict[str, Any]:
    """Return the manifest, which has no times: the same input gives the same bytes."""
    game, stats = solution.game, solution.statistics()
    return {
        "gametree": __version__,
        "game": game.lasting_spec,
        "parameters": game.parameters(),
        "rules_hash": game.rules_hash(),
        "start": solution.engine.canonical(solution.engine.start),
        "loopy": solution.loopy,
        "by_ply": solution.by_ply,
        "symmetry": {"kind": solution.symmetry, "order": stats["symmetry_order"]},
        "tables": dataclasses.asdict(tables),
        "value": game.value_for(stats["value"]),
        "remoteness_plies": stats["remoteness_plies"],
        "positions": stats["positions"],
        "canonical": stats["classes"],
        "moves": stats["moves"],
        "games": None if stats["games"] is None else {name: stats[key] for name, key in GAMES.items()},
        **({} if game.worths is None else {"worths": [[value, str(worth)] for value, worth in game.worths.items()]}),
        "histories": stats["histories"],
        "optimal_paths": summary.optimal_paths,
        "quotient_paths": summary.quotient_paths,
        "games_up_to_symmetry": summary.games_up_to_symmetry,
        **({} if summary.promises is None else {"promises": dataclasses.asdict(summary.promises)}),
        "totals": [totals.to_json() for totals in summary.totals],
    }
