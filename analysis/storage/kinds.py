"""Whether a name means a bidding game: told without loading what solves one."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import OptionError
from analysis.storage.directory import is_solution, manifest_kind

KIND = "bidding"
"""The ``kind`` in manifests, and what specifications begin with."""


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
