"""The two kinds of games, by turns and by bids: here a command asks which it has, and what is done for that kind.

`turn_games` and `bidding_games` have the same functions; each is loaded only where a command is about such a game.
"""

from __future__ import annotations

import dataclasses
import importlib
from types import ModuleType


def kind_of(name: str) -> ModuleType:
    """What the commands do with the game that a GAME or GAME_OR_DIR names. Raises `StoreError` where a directory's
    manifest cannot be read.
    """
    from analysis.solution.storage.stored_games import is_bidding

    return importlib.import_module("analysis.cli." + ("bidding_games" if is_bidding(name) else "turn_games"))


def check_by_turns(name: str, command: str) -> None:
    """Raise `OptionError` where a GAME or GAME_OR_DIR names a game of bids, of which a ``command`` knows nothing."""
    from analysis.solution.storage.stored_games import refuse_bidding

    refuse_bidding(name, f"{command} is", "`gametree show` shows its states")


@dataclasses.dataclass(frozen=True)
class ShowOptions:
    """How ``show`` finds out about a position, and how far it searches."""

    symmetry: str | None = None
    workers: int | None = None
    depth: int | None = None
    """In plies; of a bidding game in moves."""
    seconds: float | None = None
    evaluation: str | None = None
    """What leaves count."""


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
    workers: int | None = None
