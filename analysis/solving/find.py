"""Find the solution of a game: open the stored one, or else make one in memory."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ..common.context import RunOptions
from ..common.workers import patient
from ..errors import TooSlowError
from ..games.families import is_specification, is_tree, load_game
from ..rules.game import Game, GameLike
from ..rules.positions import Place, read_position
from ..rules.symmetry import usable_kind
from ..solution.solution import Solution
from ..solution.storage.directory import is_solution
from ..solution.storage.opening import open_directory
from ..solution.storage.store import read_manifest
from ..solution.storage.stored_games import (
    is_from,
    places_of,
    refuse_other_kinds,
)
from .solve import solve

LEAST_POSITIONS = 200_000
"""A game of fewer positions is solved, however long that takes."""


def solving_within(
    seconds: float | None, error: TooSlowError | None = None
) -> contextlib.AbstractContextManager[RunOptions]:
    """Raise `TooSlowError` inside the block once solving has taken so many ``seconds`` of processor time (None: never)
    and has found `LEAST_POSITIONS`, so that small games are solved whatever the load of the machine.
    """
    return patient(seconds, error or TooSlowError(), least=LEAST_POSITIONS)


def named_game(name: GameLike) -> Game:
    """Return the game that a GAME_OR_DIR names, or that of a solution. Raises `OptionError` for the directory of a
    bidding game, and `SpecError` for such a game.
    """
    refuse_other_kinds(name)
    return open_directory(Path(str(name))).game if _is_directory(name) else load_game(name)


def read_start(name: GameLike, position: Place | None) -> tuple[Game, int]:
    """Return the game as `named_game` does, and the state of a ``position`` (default: the start, of a solution its
    own). Raises `PositionError`, too.
    """
    game = named_game(name)
    if position is not None:
        return game, read_position(game, position)
    return game, name.engine.start if isinstance(name, Solution) else game.rules().start


def named_kind(name: GameLike) -> str | None:
    """Return the kind of symmetry of the solution that a GAME_OR_DIR is or names; None if it names a game."""
    if isinstance(name, Solution):
        return name.symmetry
    return open_directory(Path(str(name))).symmetry if _is_directory(name) else None


def find_solution(
    name: GameLike,
    *,
    start: Place | None = None,
    symmetry: str | None = None,
    counts: bool = True,
    holding: bool = False,
) -> Solution:
    """Find the solution that a GAME_OR_DIR names: the directory, or the game's own below ``data/``, if it has the same
    rules and symmetry, and ``counts`` if they are wanted. Otherwise, and with a ``start``, the game is solved in
    memory. A `Solution` is taken as a directory is.

    With ``holding``, any stored solution that holds this position will do, whatever its symmetry and start.
    """
    given = holding or isinstance(name, Solution) or _is_directory(name)
    stored = stored_solution(name, symmetry or (None if given else "geometric"), counts=counts)
    if stored is not None:
        if start is None or (holding and stored.records.holds(read_position(stored.game, start))):
            return stored
        symmetry = symmetry or stored.symmetry
    return solve(named_game(name), start=start, symmetry=symmetry or "geometric", counts=counts)


def find_values(
    name: GameLike,
    position: Place | None = None,
    symmetry: str | None = None,
    *,
    seconds: float | None = None,
) -> Solution:
    """Find a solution of a GAME_OR_DIR to look up a position in (default: its start), perhaps without counts. Raises
    `TooSlowError` if that takes more than ``seconds`` (see `solving_within`).
    """
    spec = name if isinstance(name, str) else named_game(name).spec
    with solving_within(seconds, TooSlowError(f"{spec} takes more than {seconds or 0:g} s to solve")):
        return find_solution(name, start=position, symmetry=symmetry, counts=False, holding=True)


def stored_solution(name: GameLike, symmetry: str | None = None, *, counts: bool = True) -> Solution | None:
    """Return the stored solution that a GAME_OR_DIR names: a `Solution` itself, the directory, or the game's own below
    ``data/`` if it has the same rules, and ``counts`` if they are wanted; each with this ``symmetry``, if it is given.
    Returns None if there is none. Raises `StoreError` for a directory that is no solution, and `OptionError` for a
    bidding game.
    """
    refuse_other_kinds(name)
    if isinstance(name, Solution) or _is_directory(name):
        solution = name if isinstance(name, Solution) else open_directory(Path(str(name)))
        wanted = None if symmetry is None else usable_kind(solution.game.rules(), symmetry)
        return solution if wanted in (None, solution.symmetry) else None
    game = load_game(name)
    symmetry = None if symmetry is None else usable_kind(game.rules(), symmetry)
    for directory in filter(is_solution, places_of(game, symmetry)):
        manifest = read_manifest(directory)
        complete = not counts or manifest["tables"]["counts"] or game.rules().loopy
        if is_from(manifest, game, symmetry) and complete:
            return open_directory(directory, game)
    return None


def _is_directory(name: GameLike) -> bool:
    """Return whether a GAME_OR_DIR is a solution directory, or names no game and is a directory or written like one."""
    name = str(name) if isinstance(name, Path) else name
    if not isinstance(name, str) or not name:
        return False
    if is_solution(Path(name)) or is_specification(name) or is_tree(name):
        return is_solution(Path(name))
    with contextlib.suppress(OSError):  # a name that no file can have
        return "/" in name.strip().partition(":")[0] or Path(name).is_dir()
    return False
