"""What a manifest says of the game, the whole and its tiers, against what was found out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.checks.solutions.digits import exact_total, from_limbs
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.engine.columns import NEVER
from analysis.errors import VerificationError
from analysis.rules.game import Game
from analysis.rules.residual import KIND
from analysis.storage.directory import MANIFEST, PATHS

COUNTS = ("games", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null where nothing was counted."""
NOT_TOLD = ("positions", "moves", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null where classes do not tell how many positions there are."""


def description(directory: Path, manifest: dict[str, Any], game: Game, positions: Positions) -> dict[str, Any]:
    """What the manifest should say of the game, the group and the tables."""
    tables = {name: manifest["tables"][name] for name in ("counts", "text")}
    tables |= {"paths": (directory / PATHS).is_file(), "moves": (directory / "moves").is_dir()}
    symmetry = {"kind": manifest["symmetry"]["kind"], "order": positions.order}
    start = int(positions.least(np.array([positions.rules.start]))[0])
    form = {"start": start, "loopy": positions.rules.loopy, "by_ply": positions.by_ply}
    return form | {"parameters": game.parameters(), "symmetry": symmetry, "tables": tables}


def whole(manifest: dict[str, Any], root: StoredRows) -> dict[str, Any]:
    """What the manifest should say of the whole game, by the totals of its tiers and the row of the start."""
    totals, counted = manifest["totals"], manifest["tables"]["counts"]
    remoteness = int(root.remoteness[0])
    wanted: dict[str, Any] = {
        "value": int(root.value[0]),
        "remoteness_plies": None if remoteness == NEVER else remoteness,
        "positions": sum(tier["counts"][0] for tier in totals),
        "canonical": sum(tier["counts"][1] for tier in totals),
        "moves": sum(tier["counts"][2] for tier in totals),
    }
    if manifest["symmetry"]["kind"] == KIND:
        wanted |= dict.fromkeys(NOT_TOLD)
    if not counted:
        return wanted | dict.fromkeys(COUNTS)
    games = {name: exact_total(from_limbs(root.limbs(f"games_{name.lower()}"))) for name in ("X", "O", "tie")}
    wanted["games"] = {**games, "total": sum(games.values())}
    wanted["histories"] = sum(tier["histories"] for tier in totals)
    wanted["optimal_paths"] = exact_total(from_limbs(root.limbs("optimal_paths")))
    return wanted


def compare_sums(manifest: dict[str, Any], rows: Sequence[int]) -> None:
    """Raise `VerificationError` where the totals of a tier with so many ``rows`` do not fit together, or those of the
    whole do not fit the games from the start.
    """
    ended = [0, 0, 0]
    for tier, classes in zip(manifest["totals"], rows, strict=True):
        positions, found, _, o, tie, x, *_, drawn = tier["counts"]
        fits = found == classes and positions == o + tie + x + drawn
        fits &= sum(map(sum, tier["by_remoteness"])) == positions - drawn
        fits &= tier["values"] is None or sum(row["positions"] for row in tier["values"]) == positions
        if manifest["tables"]["counts"]:
            ended = [one + other for one, other in zip(ended, tier["ended"], strict=True)]
            plies = tier["plies"] or [tier]
            fits &= sum(row["histories"] for row in plies) == tier["histories"]
            fits &= [sum(each) for each in zip(*(row["ended"] for row in plies), strict=True)] == tier["ended"]
        if not fits:
            raise VerificationError(f"{MANIFEST}: the totals of tier {tier['tier']} do not add up")
    if manifest["tables"]["counts"]:
        games = dict(zip(("O", "tie", "X"), ended, strict=True))
        compare(manifest, {"games": {name: games[name] for name in ("X", "O", "tie")} | {"total": sum(ended)}})


def compare(manifest: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise `VerificationError` for the first entry that is not as ``wanted``."""
    for name, value in wanted.items():
        if manifest[name] != value:
            raise VerificationError(f"{MANIFEST}: {name} is {manifest[name]}, not {value}")


def compare_tier(recorded: dict[str, Any], wanted: dict[str, Any]) -> None:
    """The same for what the manifest says of a tier."""
    for name, value in wanted.items():
        if recorded[name] != value:
            raise VerificationError(f"{MANIFEST}: {name} of tier {recorded['tier']} is {recorded[name]}, not {value}")
