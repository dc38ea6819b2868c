"""Solve a game, or open its solution: forward pass, counts, backward pass, and the directory they go to."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.engine.census import SolvedTierStep, TierCensus
from analysis.engine.columns import TALLIES, to_int
from analysis.engine.engine import Engine, make_engine, resting
from analysis.engine.foresight import refuse_uncountable
from analysis.engine.plan import Plan
from analysis.engine.tiers import Tier
from analysis.errors import SpecError, StoreError
from analysis.games.families import is_user_game, load_game
from analysis.machine.memory import Budget
from analysis.machine.version import __version__
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.rules.game import Game
from analysis.rules.positions import read_position
from analysis.rules.symmetry import usable_kind
from analysis.solution import counts as counts_of
from analysis.solution.paths import OptimalPaths
from analysis.solution.solution import Solution, Summary, endless
from analysis.storage.directory import TIERS, is_solution, manifest_kind, recover, tier_name
from analysis.storage.store import Writer, read_manifest
from analysis.storage.stored_games import is_from, place_of, places_of, refuse_other, refuse_other_rules, stored_game
from analysis.storage.stored_tier import StoredTier
from analysis.storage.without_rules import StoredEngine, StoredGame


@dataclasses.dataclass(frozen=True)
class Tables:
    """What a solution directory holds beside positions with their values."""

    counts: bool = True
    moves: bool = False
    text: bool = False
    paths: bool = False


def solve(
    game: str | Game,
    *,
    position: str | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """Solve a game completely, in memory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4`` or a `Game`; ``position`` a position to start from
    instead of the game's own start (plies, histories and symmetries are then those of the game from there);
    ``symmetry`` one of ``geometric``, ``full`` and ``none``; ``threads`` defaults to all processors. Raises
    `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, and `TooLargeError` where memory
    will not do.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    """
    game = load_game(game)
    start = None if position is None else read_position(game, position)
    with Workers(threads) as workers:
        engine = make_engine(game, symmetry=symmetry, start=start, workers=workers, progress=progress)
        steps = _solve_if_small(engine, counts) or list(_compiled_passes(engine, counts, in_memory=True))
        steps.reverse()
        tiers = [step.tier for step in steps]
        return Solution(resting(engine), tiers, _summary(engine, [step.totals for step in steps], tiers[0]))


def solve_to_directory(
    game: str | Game,
    directory: str | Path | None = None,
    *,
    symmetry: str = "geometric",
    tables: Tables = Tables(),
    force: bool = False,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> tuple[Solution, bool]:
    """Solve a game into a solution directory (default: `place_of` it), holding little more than two tiers' tables in
    memory at a time. Returns the solution, opened, and whether it was there already: then it is not solved again
    unless ``force``. Raises `StoreError` besides what `solve` raises; files are complete or absent.
    """
    game = load_game(game)
    symmetry = usable_kind(game.rules(), symmetry)
    directory = place_of(game, symmetry) if directory is None else Path(directory)
    if game.rules().loopy:
        if tables.paths:
            raise endless(game)
        tables = dataclasses.replace(tables, counts=False)
    _refuse_unnamed(game)
    recover(directory)
    if is_solution(directory) and not force:
        if manifest_kind(directory) is not None:
            raise StoreError(f"{directory} holds the solution of another game; choose another --out, or use --force")
        refuse_other(directory, read_manifest(directory), game, symmetry, dataclasses.asdict(tables))
        return _open(directory, game), True
    with Workers(threads) as workers:
        engine = make_engine(game, symmetry=symmetry, workers=workers, progress=progress)
        small = _solve_if_small(engine, tables.counts)
        with Writer(directory, engine, moves=tables.moves, text=tables.text) as writer:
            totals: list[TierCensus] = []
            for tier, of_tier, held in small or _compiled_passes(engine, tables.counts, in_memory=False):
                writer.write_tier(tier, held)
                totals.append(of_tier)
            totals.reverse()
            summary = _summary(engine, totals, tier)
            stored = [writer.stored_tier(row.tier) for row in totals]
            solution = Solution(resting(engine), stored, summary, directory)
            paths_file = writer.write_paths(solution.optimal_paths()) if tables.paths else None
            writer.finish({**_manifest(solution, summary, tables), "paths_file": paths_file})
    return _open(directory, game), False


def open_solution(directory: str | Path, game: str | Game | None = None) -> Solution:
    """The solution in a directory, and of which ``game`` it is, where that is known; see `analysis.open_solution`."""
    return _open(Path(directory), None if game is None else load_game(game))


def _open(directory: Path, game: Game | None) -> Solution:
    """The solution in a directory, of the ``game`` where that is known, wherever its file was when it was solved."""
    manifest = read_manifest(directory)
    game = game or stored_game(directory, manifest)
    refuse_other_rules(directory, manifest, game)
    if isinstance(game, StoredGame):
        engine: Engine = StoredEngine(game, manifest)
    else:
        engine = make_engine(game, symmetry=manifest["symmetry"]["kind"])
    try:
        totals = tuple(TierCensus.from_json(row) for row in manifest["totals"])
        tiers = [StoredTier.open(directory, row.tier, manifest[TIERS][tier_name(row.tier)]) for row in totals]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise StoreError(f"{directory} is damaged: its totals or tiers/ are not what was written ({error})") from None
    counts = (manifest[name] for name in ("optimal_paths", "quotient_paths", "games_up_to_symmetry"))
    return Solution(engine, tiers, Summary(totals, *counts), directory)


def named_game(name: str | Game) -> Game:
    """The game that a GAME_OR_DIR names, whether it is solved or not."""
    return open_solution(str(name)).game if _is_directory(name) else load_game(name)


def find_solution(
    name: str,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    counts: bool = True,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """The solution that a GAME_OR_DIR names: the directory, or the game's own under ``data/`` if it is there with
    ``counts`` (if they are wanted), from the same rules and with the same symmetries; otherwise, and from a
    ``position``, the game is solved in memory.
    """
    stored = stored_solution(name, symmetry or (None if _is_directory(name) else "geometric"), counts=counts)
    if stored is not None and position is None:
        return stored
    kind = symmetry or (stored.symmetry if stored is not None else "geometric")
    return solve(named_game(name), position=position, symmetry=kind, counts=counts, threads=threads, progress=progress)


def find_values(
    game: str | Game,
    position: str | None = None,
    *,
    symmetry: str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """A solution of a GAME_OR_DIR that holds a position (default: its start), perhaps without counts: the one that is
    stored, whatever its symmetries unless one ``symmetry`` is asked for, or else one made in memory from the position
    on.
    """
    stored = stored_solution(game, symmetry, counts=False)
    if stored is not None and (position is None or stored.holds(read_position(stored.game, position))):
        return stored
    named, kind = named_game(game), symmetry or "geometric"
    return solve(named, position=position, symmetry=kind, counts=False, threads=threads, progress=progress)


def find_paths(
    name: str,
    *,
    position: str | None = None,
    shortest: bool = False,
    counts: bool = True,
    symmetry: str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> OptimalPaths:
    """The optimal paths of a GAME_OR_DIR from ``position`` (default: its start). A game that is not stored, with this
    ``symmetry`` if one is wanted, is solved from there on only, with ``counts`` if they are wanted.
    """
    stored = stored_solution(name, symmetry)
    if stored is not None:
        return stored.optimal_paths(position, shortest=shortest)
    game = named_game(name)
    if game.rules().loopy and not shortest:
        raise endless(game, drawn=False)
    solution = solve(
        game, position=position, symmetry=symmetry or "geometric", counts=counts, threads=threads, progress=progress
    )
    return solution.optimal_paths(shortest=shortest)


def stored_solution(name: str | Game, symmetry: str | None = None, *, counts: bool = True) -> Solution | None:
    """The stored solution that a GAME_OR_DIR names: the directory, or the game's own under ``data/`` if that is from
    the same rules and with ``counts`` (if they are wanted), either with this ``symmetry`` (likewise). None for a game
    that is not stored so. Raises `StoreError` where a directory is named that is no solution.
    """
    if _is_directory(name):
        solution = open_solution(str(name))
        wanted = None if symmetry is None else usable_kind(solution.game.rules(), symmetry)
        return solution if wanted in (None, solution.symmetry) else None
    game = load_game(name)
    symmetry = None if symmetry is None else usable_kind(game.rules(), symmetry)
    for directory in filter(is_solution, places_of(game, symmetry)):
        manifest = read_manifest(directory)
        complete = not counts or manifest["tables"]["counts"] or game.rules().loopy
        if is_from(manifest, game, symmetry) and complete:
            return _open(directory, game)
    return None


def _is_directory(name: str | Game) -> bool:
    """Whether a GAME_OR_DIR is a solution directory, or what is written like one and is no game."""
    if not isinstance(name, str) or not name:
        return False
    return is_solution(Path(name)) or ("/" in name.partition(":")[0] and not is_user_game(name))


def _solve_if_small(engine: Engine, counts: bool) -> list[SolvedTierStep] | None:
    """The steps of `_compiled_passes` of a built-in game that is small, found without the compiler if that is not
    loaded yet. None for any other game, once its rules are compiled: that is done before there is anything to tidy up.
    """
    if "numba" not in sys.modules and not engine.game.origin:
        from analysis.engine.plain import MOST_CLASSES, solve_plainly

        expected = engine.game.expected_positions()
        if expected is None or sum(expected) <= MOST_CLASSES * engine.group.order:
            steps = solve_plainly(engine, counts=counts and not engine.loopy)
            if steps is not None:
                return steps
    engine.prepare()
    return None


def _compiled_passes(engine: Engine, counts: bool, in_memory: bool) -> Iterator[SolvedTierStep]:
    """All tiers forward, histories, then solved tiers with their totals, the last first; see docs/engine.md."""
    from analysis.engine.passes.forward_by_ply import forward_by_ply
    from analysis.engine.passes.forward_by_tier import forward_by_tier
    from analysis.engine.passes.histories import count_histories, count_tiered_histories
    from analysis.engine.passes.induction import solve_tiers

    counts = counts and not engine.loopy
    if counts:
        refuse_uncountable(engine)
    plan = Plan(Budget.of_machine(), in_memory, len(TALLIES) if counts else 0, engine.workers.threads)
    reached = forward_by_ply(engine, plan) if engine.by_ply else forward_by_tier(engine, plan)
    histories = None
    if counts and engine.by_ply:
        histories = count_histories(engine, reached.states, plan)
    elif counts:
        histories = count_tiered_histories(engine, reached, plan)
    return solve_tiers(engine, reached, histories, plan)


def _summary(engine: Engine, totals: list[TierCensus], root: Tier) -> Summary:
    games = counts_of.games(totals)
    if games is None or root.tallies is None:
        return Summary(tuple(totals), None, None, None)
    tally = {name: to_int(root.tallies[0, i]) for i, name in enumerate(TALLIES)}
    return Summary(
        tuple(totals),
        tally["optimal_paths"],
        tally["quotient_paths"],
        counts_of.games_up_to_symmetry(engine, games["total"]),
    )


def _manifest(solution: Solution, summary: Summary, tables: Tables) -> dict[str, Any]:
    """Everything but the time it took: the same input gives the same bytes."""
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
        **{name: stats[name] for name in ("value", "remoteness_plies", "positions", "canonical", "moves", "games")},
        "histories": stats["histories"],
        "optimal_paths": summary.optimal_paths,
        "quotient_paths": summary.quotient_paths,
        "games_up_to_symmetry": summary.games_up_to_symmetry,
        "totals": [totals.to_json() for totals in summary.totals],
    }


def _refuse_unnamed(game: Game) -> None:
    """Refuse to store the solution of a game that its specification does not make again."""
    try:
        named = load_game(game.spec) == game
    except SpecError:
        named = False
    if not named:
        raise StoreError(
            f"{game.spec} is neither built-in nor from a file: its solution could not be opened again; use `solve`"
        )
