"""The kinds of games, by turns, by bids, and sums: here a command asks which it has, to show and to play it.

`turn_games`, `bidding_games` and `sum_games` have the same functions; each is loaded only where a command is about such
a game.
"""

from __future__ import annotations

import dataclasses
import importlib
from types import ModuleType


def kind_of(name: str) -> ModuleType:
    """How the commands show and play the game that a GAME or GAME_OR_DIR names. Raises `StoreError` where a directory's
    manifest cannot be read.
    """
    from analysis.games.families import BIDDING, SUM
    from analysis.solution.storage.stored_games import own_kind

    modules = {BIDDING: "bidding_games", SUM: "sum_games", None: "turn_games"}
    return importlib.import_module(f"analysis.cli.{modules[own_kind(name)]}")


@dataclasses.dataclass(frozen=True)
class ShowOptions:
    """How ``show`` finds out about a position, how far it searches, and how that is printed."""

    symmetry: str | None
    depth: int | None
    """In plies; of a bidding game in moves."""
    seconds: float | None
    evaluation: str | None
    """What leaves count."""
    form: str
    wide: bool


@dataclasses.dataclass(frozen=True)
class PlayOptions:
    """Who plays what in ``play``, from where, and how it is shown."""

    you: str | None = None
    """What the person plays: a side, both or none."""
    opponent: str | None = None
    """A level of play."""
    position: str | None = None
    numbered: bool = False
    """Whether free cells have their numbers on the board."""
    seed: int | None = None
    seconds: float | None = None
    """For each move of a level that searches."""
    symmetry: str | None = None
    """Those that a solution is made with, or read."""
