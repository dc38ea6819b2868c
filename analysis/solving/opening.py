"""Open the solution in a directory."""

from __future__ import annotations

import functools
from pathlib import Path

from analysis.engine.census import TierCensus
from analysis.engine.engine import Engine, make_engine
from analysis.errors import StoreError
from analysis.games.families import load_game
from analysis.rules.game import Game, HasRules
from analysis.solution.solution import Solution, Summary
from analysis.storage.directory import TIERS, tier_name
from analysis.storage.store import read_manifest
from analysis.storage.stored_games import refuse_other_rules, stored_game
from analysis.storage.stored_tier import StoredTier
from analysis.storage.without_rules import StoredEngine, StoredGame


def open_solution(directory: str | Path, game: str | HasRules | None = None) -> Solution:
    """The solution in a directory, and of which ``game`` it is, where that is known; see `analysis.open_solution`."""
    return opened(Path(directory), None if game is None else load_game(game))


def opened(directory: Path, game: Game | None) -> Solution:
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
    known = None if isinstance(game, StoredGame) else game
    reopen = functools.partial(_reopened, directory.absolute(), known, engine.group.kind, manifest["rules_hash"])
    return Solution(engine, tiers, Summary(totals, *counts), directory, reopen)


def _reopened(directory: Path, game: Game | None, symmetry: str, rules_hash: str) -> Solution:
    """The solution in a directory where it was open before, perhaps in another process."""
    solution = opened(directory, game)
    if (solution.symmetry, solution.game.rules_hash()) != (symmetry, rules_hash):
        raise StoreError(f"{directory} holds another solution than when it was pickled; open it again")
    return solution
