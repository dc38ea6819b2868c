"""Which game a name or a directory means, and whether the solution stored there is the one that is wanted.

All of it is told by specifications and manifests, without loading what solves a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.errors import OptionError, SpecError, StoreError
from analysis.games.families import load_game
from analysis.rules.game import Game
from analysis.storage.directory import is_solution, manifest_kind

DATA = Path("data")
"""Where solutions go unless told otherwise."""
KIND = "bidding"
"""The ``kind`` in manifests, and what specifications begin with."""


def place_of(game: Game, symmetry: str = "geometric") -> Path:
    """Where the solution of a game goes unless told otherwise; its name carries a symmetry that is not the default."""
    return DATA / (game.slug if symmetry == "geometric" else f"{game.slug}-{symmetry}")


def places_of(game: Game, symmetry: str | None) -> list[Path]:
    """Where a solution may be, with this symmetry or with any: also where earlier versions wrote it."""
    kinds = ("geometric", "full", "none") if symmetry is None else (symmetry, "geometric")
    return [place_of(game, kind) for kind in dict.fromkeys(kinds)]


def refuse_bidding(name: str) -> None:
    """Raise `OptionError` for a bidding game: its moves are pairs of bids and placements, so it has neither the graph
    nor the counts that reports and exports are of.
    """
    if is_bidding(name):
        raise OptionError(
            f"{name} is a game of bids, and reports and exports are of games by turns; `gametree stats {name}` has its "
            f"numbers, docs/bidding.md what they mean, and `gametree solve {name} --text` writes its states as Parquet "
            "tables"
        )


def is_bidding(name: str) -> bool:
    """Whether a GAME or GAME_OR_DIR names a bidding game, or the directory of one. Raises `StoreError` where a
    directory's manifest cannot be read.
    """
    if name and is_solution(Path(name)):
        return manifest_kind(Path(name)) == KIND
    return name.strip().partition(":")[0] == KIND


def stored_game(directory: Path, manifest: Mapping[str, Any]) -> Game:
    """The game that the ``manifest`` of a ``directory`` names. Raises `StoreError` where it cannot be loaded."""
    try:
        return load_game(manifest["game"])
    except SpecError as error:
        raise StoreError(f"{directory} holds the solution of a game that cannot be loaded: {error}").showing(
            error.excerpt
        ) from None


def is_from(manifest: Mapping[str, Any], game: Game, symmetry: str | None) -> bool:
    """Whether a solution is of these rules and of this kind of ``symmetry``, if one is wanted. The hash of the rules
    covers the specification, but not where a file lies.
    """
    return manifest["rules_hash"] == game.rules_hash() and symmetry in (None, manifest["symmetry"].get("kind"))


def refuse_other_rules(directory: Path, manifest: Mapping[str, Any], game: Game) -> None:
    """Raise `StoreError` where a solution was made by other rules than the ``game`` has now."""
    if manifest["rules_hash"] != game.rules_hash():
        raise StoreError(f"{directory} was solved by other rules than {game.spec} has now; solve it again with --force")


def refuse_other(
    directory: Path, manifest: Mapping[str, Any], game: Game, symmetry: str, tables: Mapping[str, bool]
) -> None:
    """Refuse to pass off the solution that is there for that of ``game`` with this ``symmetry`` and the ``tables`` that
    are asked for. Raises `StoreError`.
    """
    found = manifest.get("game")
    if manifest.get("rules_hash") != game.rules_hash() and found != game.spec:
        raise StoreError(f"{directory} holds the solution of {found}; choose another --out, or replace it with --force")
    refuse_other_rules(directory, manifest, game)
    kind = manifest["symmetry"].get("kind")
    if kind != symmetry:
        raise StoreError(f"{directory} was solved with --symmetry {kind}; solve it again with --force")
    for name, asked in tables.items():
        if asked and not manifest["tables"].get(name):
            without = "with --no-counts" if name == "counts" else f"without --{name}"
            raise StoreError(f"{directory} was solved {without}; solve it again with --force")
