"""Open the solution in a directory."""

from __future__ import annotations

import functools
from pathlib import Path

from ...engine.alike import Tried
from ...engine.census import TierCensus
from ...engine.engine import Engine, make_engine
from ...errors import StoreError
from ...rules.game import Game
from ..solution import Solution, Summary
from .directory import TIERS, tier_name
from .store import read_manifest
from .stored_games import StoredEngine, StoredGame, refuse_other_rules, stored_game
from .stored_tier import StoredTier


def open_directory(directory: Path, game: Game | None = None) -> Solution:
    """Open the solution in a directory; ``game`` is its game if known, wherever the game's file was at the time of
    solving.
    """
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
    paths, quotient, orbits = (manifest[name] for name in ("optimal_paths", "quotient_paths", "games_up_to_symmetry"))
    known, tried = None if isinstance(game, StoredGame) else game, manifest.get("promises")
    reopen = functools.partial(_reopened, directory.absolute(), known, engine.group.kind, manifest["rules_hash"])
    summary = Summary(totals, paths, quotient, orbits, tried and Tried(**tried))
    return Solution(engine, tiers, summary, directory, reopen)


def _reopened(directory: Path, game: Game | None, symmetry: str, rules_hash: str) -> Solution:
    """Open a solution that was open before, perhaps in another process."""
    solution = open_directory(directory, game)
    if (solution.symmetry, solution.game.rules_hash()) != (symmetry, rules_hash):
        raise StoreError(f"{directory} holds another solution than when it was pickled; open it again")
    return solution
