"""Solve a sum, in memory or into a directory, or find its solution."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import OptionError
from analysis.games.families import SUM
from analysis.games.sums import SumGame
from analysis.machine.context import options
from analysis.rules.game import HasRules
from analysis.solution.storage.directory import is_solution, manifest_kind, open_manifest, recover
from analysis.solution.storage.stored_games import (
    Output,
    is_named,
    place_of,
    places_of,
    refuse_options,
    refuse_other_rules,
    refuse_unnamed,
)
from analysis.solving.cluster.running import running
from analysis.solving.sharded.run import discard
from analysis.sums.graph_nimbers import nimbers_of
from analysis.sums.nimbers import Clock, Nimbers
from analysis.sums.options import parts_of
from analysis.sums.sum_plan import refuse_too_large
from analysis.sums.sum_solution import SumSolution, load_sum
from analysis.sums.sum_store import SumWriter, open_solution, read_sum_manifest

SAVED = 30.0
"""Seconds after which what is known is saved."""


def solve(
    game: str | HasRules,
    *,
    position: str | None = None,
    directory: str | Path | Output | None = None,
    symmetry: str = "geometric",
    memory: int | str | None = None,
) -> SumSolution:
    """Find the nimber of a sum such as ``sum:cram:rows=3,cols=13``, and those of the smaller games of its kind.

    ``directory`` and ``memory`` are as for `analysis.solve`; what an interrupted solve of the same game has found is
    used. Parts are the same under all symmetries that the game knows. Raises `SpecError`, `RulesError`,
    `NoRoomError`, `StoreError`, and `OptionError` for what sums do not have: a position, a symmetry, tables, shards.

    >>> solve("sum:kayles:pins=10").series[-3:]
    [(8, 1), (9, 4), (10, 2)]
    """
    summed = load_sum(game)
    refuse_options(summed.spec, symmetry=symmetry != "geometric")
    if position is not None:
        raise OptionError(f"a sum is solved from its start; `gametree show {summed.spec} POSITION` has other positions")
    with running(memory=memory):
        if directory is None:
            return solved(summed, nimbers_of(summed.parts))
        return _solve_into(directory if isinstance(directory, Output) else Output(directory), summed)


def solved(game: SumGame, nimbers: Nimbers) -> SumSolution:
    """Return the solution of a sum, found with what is known already."""
    parts, series, known = game.parts, [], []
    for number, position in parts.series:
        nimbers.stage = f"of {number}"
        series.append((number, nimbers.of(parts_of(parts, position))))
        known.append((number, len(nimbers)))
        refuse_too_large(game.spec, nimbers, known, parts.series[-1][0])
    nimbers.stage = ""
    return SumSolution(game, nimbers, series, nimbers.of(parts_of(parts, parts.start)))


def _solve_into(output: Output, game: SumGame) -> SumSolution:
    said, tables = options(), output.tables
    refuse_options(game, **{name: name in tables for name in ("moves", "text", "paths")})
    refuse_options(game, sharded=said.sharded, anyway=said.anyway, scratch=said.scratch is not None)
    refuse_options(game, dask=said.executor is not None)
    refuse_unnamed(game)
    directory = place_of(game) if output.directory is None else Path(output.directory)
    recover(directory)
    if is_solution(directory) and not output.force:
        manifest = read_sum_manifest(directory) if manifest_kind(directory) == SUM else open_manifest(directory)
        refuse_other_rules(directory, manifest, game)
        solution = open_solution(directory, game)
        solution.was_there = True
        return solution
    if output.force:
        discard(directory)
    with SumWriter(directory, game) as writer:
        nimbers, due = nimbers_of(game.parts, writer.saved()), Clock(SAVED)
        nimbers.saving = lambda: writer.save(nimbers) if due() else None
        writer.write_solution(solved(game, nimbers))
    return open_solution(directory, game)


def find_solution(name: str | HasRules, *, position: str | None = None, symmetry: str | None = None) -> SumSolution:
    """Find the solution that ``name``, a specification or a directory, stands for, or solve it in memory. Raises what
    `solve` and `open_solution` raise.
    """
    if position is not None or symmetry is not None:
        return solve(name, position=position, symmetry=symmetry or "geometric")
    if isinstance(name, str) and name and is_solution(Path(name)):
        return open_solution(Path(name))
    game = load_sum(name)
    for directory in filter(is_solution, places_of(game, "geometric") if is_named(game) else ()):
        if manifest_kind(directory) == SUM and read_sum_manifest(directory)["rules_hash"] == game.rules_hash():
            return open_solution(directory, game)
    return solve(game)
