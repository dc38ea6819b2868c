"""Whether a name means a bidding game: told without loading what solves one."""

from __future__ import annotations

from pathlib import Path

from analysis.directory import is_solution, manifest_kind

KIND = "bidding"
"""The ``kind`` in manifests, and what specifications begin with."""


def is_bidding(name: str) -> bool:
    """Whether a GAME or GAME_OR_DIR names a bidding game, or the directory of one. Raises `StoreError` where a
    directory's manifest cannot be read.
    """
    if name and is_solution(Path(name)):
        return manifest_kind(Path(name)) == KIND
    return name.strip().partition(":")[0] == KIND
