"""Read the games and positions that are typed: which kind of game a name is, and how positions are read."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Sequence
from types import ModuleType


def in_all(names: Sequence[str], start: str | None) -> str | None:
    """Return a position as the first of several games writes it. Raises `PositionError` if it is not a position of all
    of them, and `SpecError` for what is no game.
    """
    from ..rules.positions import common_position
    from ..solution.storage.stored_games import is_bidding
    from ..solving.find import named_game

    if start is None or len(names) == 1:
        for name in names:
            if not is_bidding(name):
                named_game(name)
        return start
    return common_position([named_game(name) for name in names], start)


def tables_of(name: str) -> ModuleType:
    """Return the module that formats what is known of the game that a GAME or GAME_OR_DIR names. Raises `StoreError` if
    a directory's manifest cannot be read.
    """
    from ..solution.storage.stored_games import is_bidding

    tables = "bidding_tables" if is_bidding(name) else "solution_tables"
    return importlib.import_module(f".display.{tables}", __package__)


@dataclasses.dataclass(frozen=True)
class ShowOptions:
    """How ``show`` gets the value of a position, how far it searches, and how the answer is printed."""

    symmetry: str | None
    depth: int | None
    """In plies; for a bidding game in moves."""
    seconds: float | None
    evaluation: str | None
    """The evaluation of leaves."""
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
    seed: int | None = None
    seconds: float | None = None
    """For each move of a level that searches."""
    symmetry: str | None = None
    """The symmetry of the solution that is read or made."""
