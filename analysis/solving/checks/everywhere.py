"""Prove for every position what the rules of a game promise, whatever its size: ``gametree check GAME --all``.

The game is solved into a temporary directory, out of core if need be. Symmetries are tried on every class found; where
canonical() or residual() merges positions, all of them are found without it.
"""

from __future__ import annotations

from pathlib import Path

from ...common.context import options
from ...common.files import temporary_folder
from ...common.workers import Workers
from ...engine.engine import make_engine
from ...engine.promises import Promises, prove, states_of
from ...engine.sample import Fault, Found, Sample
from ...errors import RulesError, SymmetryError
from ...rules.game import Game
from ...rules.symmetry import RESIDUAL
from ...solution.solution import Solution
from ...solution.storage.store import Tables
from ..to_directory import solve_to_directory


def promises(sample: Sample) -> Found:
    """what the rules promise holds in every position."""
    residual = [RESIDUAL] * (type(sample.game).residual is not Game.residual)
    for kind in ("geometric", *["full"] * bool(sample.rules.lines), *residual):
        try:
            _prove(sample.game, kind)
        except RulesError as error:
            yield Fault(str(error), excerpt=error.excerpt)
            return
        except SymmetryError:  # not a group, or too large: a solve refuses it with a reason
            continue
        yield None


def _prove(game: Game, kind: str) -> None:
    """Prove what one kind of symmetry rests on. Raises `RulesError`."""
    with temporary_folder("gametree-check", options().scratch) as place, Workers() as workers:
        engine = make_engine(game, symmetry=kind, workers=workers)
        classes = _solved(game, place / "classes", kind)
        prove(engine, classes.tiers, classes.position_count or 0, every=True)
        if engine.reduces:
            whole = _solved(game, place / "positions", "none")
            Promises(engine).refuse_positions(states for tier in whole.tiers for states in states_of(tier))


def _solved(game: Game, directory: Path, kind: str) -> Solution:
    return solve_to_directory(game, directory, symmetry=kind, tables=Tables(counts=False))
