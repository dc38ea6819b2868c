"""Decide, for each function of `import analysis` that takes games of both kinds, which room does the work.

Rooms are imported when they are needed. For a bidding game, the functions return the classes of `analysis.bidding`,
whose functions have the same names and state these types.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .common.context import exploring_within
from .errors import OptionError
from .games.families import load_game
from .solution.storage.stored_games import Output, is_bidding, refuse_options
from .solving.cluster.running import running

if TYPE_CHECKING:
    from .rules.game import GameLike
    from .rules.positions import Place
    from .solution.solution import Solution
    from .solution.verification.verify import VerificationReport
    from .solving.planning.plan import GamePlan


def _own_room(game: object) -> Any:
    """Return `analysis.bidding` for a bidding game, or a GAME or GAME_OR_DIR that is one, else None."""
    if not is_bidding(game):
        return None
    from . import bidding

    return bidding


def solve(
    game: GameLike,
    *,
    start: Place | None = None,
    directory: str | Path | Output | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
    workers: int | None = None,
    memory: int | str | None = None,
) -> Solution:
    """Solve a game completely, in memory or into a directory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4`` or ``path/to/file.py:Name``, a `Game`, or an object,
    class or module of a game in plain Python. With a ``start`` (a text as the game
    writes it) the game is solved from there, only in memory; plies, histories and symmetries are then those of the
    game from there.

    With a ``directory`` the solution is written there, tier by tier, and opened; if it is there already, it is only
    opened. An `Output` instead also says which further tables to write, and whether to solve again. ``counts=False``
    leaves out histories, games and paths. ``symmetry`` is ``geometric`` (rotations and reflections), ``full`` (all
    automorphisms of the winning lines), ``none``, or ``residual`` (positions with the same game left to play are one
    class, in games that have `Game.residual`).

    ``workers`` is the number of threads, ``memory`` the limit in bytes or as a text such as ``"4GB"``; their defaults,
    and all other limits, are those of `running`. With a ``directory``, a game that does not fit in memory is solved in
    shards on the disk; if that is interrupted, the same call resumes it, while one that fits begins anew. A game that
    is not expected to fit, by the estimate of `plan`, is refused after some seconds.

    Solutions of bidding games have another class: see `analysis.bidding.solve`.

    Raises `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, `TooLargeError` if memory is too
    small, and `StoreError` for a directory that cannot be written or holds something else.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    """
    from .solution.storage.store import Tables
    from .solving import solve as solving
    from .solving import to_directory

    if directory is not None and start is not None:
        raise OptionError("a directory holds a game from its own start; leave out one of them")
    game = load_game(game)
    with running(workers=workers, memory=memory):
        if room := _own_room(game):
            refuse_options(game.spec, no_counts=not counts)
            return room.solve(game, start=start, directory=directory, symmetry=symmetry)
        if directory is None:
            return solving.solve(game, start=start, symmetry=symmetry, counts=counts)
        output = directory if isinstance(directory, Output) else Output(directory)
        tables = Tables(counts, **dict.fromkeys(output.tables, True))
        return to_directory.solve_to_directory(
            game, output.directory, symmetry=symmetry, tables=tables, force=output.force
        )


def plan(
    game: GameLike,
    *,
    start: Place | None = None,
    symmetry: str = "geometric",
    seconds: float = 20.0,
    memory: int | str | None = None,
    directory: str | Path | None = None,
) -> GamePlan:
    """Predict what solving a game would take, in about ``seconds`` whatever the game: its size by tier, memory in
    memory and on the disk, disk space during and after the solve, and time, with and without counts, each as an
    interval.

    The other arguments are those that `solve` would be called with, within the same `running`; ``directory`` says which
    disk is meant. The plan compares its needs with what is free (``fits``) and says what to do (``advice``).

    Raises `SpecError`, `PositionError`, `OptionError` (also for a bidding game), `SymmetryError` and `RulesError`, but
    no error for a game that is too large.

    >>> found = plan("tictactoe", seconds=5)
    >>> found.sizes.positions, found.fits(found.counted)
    (Interval(low=5478, high=5478, how='measured'), {'memory': True, 'disk': True})
    """
    game = load_game(game)
    if is_bidding(game):
        does = f"`gametree solve {game.spec}` refuses it at once if it does not fit"
        raise OptionError(f"{game.spec} is a bidding game, and plan is for games by turns; {does}")
    from .solving.planning.plan import make_plan

    with running(memory=memory), exploring_within(seconds):
        return make_plan(game, start=start, symmetry=symmetry, seconds=seconds, directory=directory)


def open_solution(directory: str | Path, game: GameLike | None = None) -> Solution:
    """Open the solution in a ``directory``; its tables are read when they are needed.

    A solution is data: opening it runs no code that the directory names. The rules of a user's game are found if
    ``game`` names their file, ``path/to/file.py:Name``, which is then run, or if this program has already loaded it and
    it is unchanged. Without rules there are statistics, tables, and look-ups by canonical states; anything else raises
    `RulesNeededError`.

    Raises `StoreError` if the directory holds no solution, a damaged one, or one made by other rules than the game has
    now.
    """
    if room := _own_room(directory):
        return room.open_solution(directory, game)
    from .solution.storage.opening import open_directory

    return open_directory(Path(directory), None if game is None else load_game(game))


def find_solution(
    name: GameLike,
    *,
    start: Place | None = None,
    symmetry: str | None = None,
    counts: bool = True,
    holding: bool = False,
    workers: int | None = None,
) -> Solution:
    """Find the stored solution of a game, or make one in memory.

    Args:
        name: A game, or the directory of a solution.
        start: Where the solution begins (default: at the start of the game): it is then made in memory.
        symmetry: The kind of symmetries (default: ``geometric``; of a directory whatever it has).
        counts: Whether games and paths must be counted.
        holding: Whether a stored solution will do that holds this position, of any kind unless ``symmetry`` is given.
        workers: How many work at once (default: as `running` says).

    Stored solutions of other rules are not used. Raises what `solve` and `open_solution` raise.
    """
    with running(workers=workers):
        if room := _own_room(name):
            return room.find_solution(name, start=start, symmetry=symmetry)
        from .solving import find

        return find.find_solution(name, start=start, symmetry=symmetry, counts=counts, holding=holding)


def verify(
    directory: str | Path,
    *,
    game: GameLike | None = None,
    share: float | None = None,
    seed: int | None = None,
    tiers: range | int | str | None = None,
    key: str | None = None,
    workers: int | None = None,
) -> VerificationReport:
    """Check every file and every number in the ``directory`` of a solution against the rules and each other, and return
    what was checked. ``game`` is what it solves, as for `open_solution`.

    With a ``share`` (above 0, at most 1), each class is drawn with this probability by ``seed`` (default: 0), and is
    checked against their successors; files that are not read are checked by size. The time is proportional to the
    share. With ``tiers``, one or consecutive ones such as ``range(5, 10)`` or ``"5..9"``, only these are checked.
    ``workers`` is the number of threads (None:
    as `running` says). A ``key``, up to 32 hexadecimal digits, repeats the random weights of an earlier run that
    printed it.

    Raises `StoreError` if the directory holds no solution at all; `RulesNeededError` for a user's game that is
    neither given nor loaded before; `VerificationError`, naming the file or the first wrong state, if it contradicts
    the rules; and `OptionError` for an impossible share, tiers that do not exist, an invalid key, and, for a bidding
    game, anything but ``workers``.
    """
    if room := _own_room(directory):
        given = {"share": share, "seed": seed, "tiers": tiers, "key": key}
        refuse_options(str(directory), **{name: value is not None for name, value in given.items()})
        return room.verify(directory, game)
    from .solution.verification import verify as checking

    if seed is not None and share is None:
        raise OptionError("a seed needs a share; give both, or leave it out")
    draw = None if share is None else checking.Draw(share, seed or 0)
    among = None if tiers is None else checking.read_tiers(tiers)
    number = None if key is None else checking.read_key(key)
    game = None if game is None else load_game(game)
    with running(workers=workers):
        return checking.verify(directory, game, draw=draw, tiers=among, key=number)
