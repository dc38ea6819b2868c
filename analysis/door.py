"""What `import analysis` offers, for games of both kinds: here it is decided which of them does the work.

What does the work is imported when it is needed. Of a bidding game what is returned are the classes of
`analysis.bidding`, whose functions have the same names and say so in their types.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from analysis.errors import OptionError
from analysis.games.families import load_game
from analysis.machine.arguments import checked
from analysis.solution.storage.stored_games import Output, is_bidding, refuse_options
from analysis.solving.cluster.running import running
from analysis.wording import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.checks.solutions.verify import SampleReport, VerificationReport
    from analysis.rules.game import HasRules
    from analysis.solution.solution import Solution
    from analysis.solving.planning.plan import GamePlan


def _for_bids(game: object) -> Any:
    """`analysis.bidding` where a game, or a GAME or GAME_OR_DIR, is one of bids, else None."""
    if not is_bidding(game):
        return None
    from analysis import bidding

    return bidding


@checked
def solve(
    game: str | HasRules | object,
    *,
    position: str | None = None,
    directory: str | Path | Output | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
    workers: int | None = None,
    memory: int | str | None = None,
) -> Solution:
    """Solve a game completely, in memory or into a directory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4`` or ``path/to/file.py:Name``, a `Game`, or an object,
    class or module of a game in plain Python, see docs/your-own-game.md. From
    ``position`` (a text as the game writes it) instead of the game's own start, plies, histories and symmetries are
    those of the game from there; only in memory.

    With a ``directory`` the solution is written there, tier by tier, and opened; one that is there already is opened
    and not solved again. An `Output` instead says which further tables are written, and whether what is there is solved
    again. ``counts=False`` leaves out histories, games and paths. ``symmetry`` is ``geometric`` (rotations and
    reflections), ``full`` (all automorphisms of the winning lines), ``none``, or ``residual`` (positions with the same
    game left to play are one class, in games that have `Game.residual`).

    So many ``workers`` work at once, and it takes at most so much ``memory``, bytes or a text such as ``"4GB"``; where
    these are not given, and for all else that it may take, it is as `running` says. With a ``directory``, what does not
    fit is solved in shards on the disk; cut off, the same call goes on with it. What is not expected to fit, as `plan`
    tells, is refused after some seconds.

    Raises `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, `TooLargeError` where memory will
    not do, and `StoreError` where a directory cannot be written or holds something else.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    """
    from analysis.solution.storage.store import Tables
    from analysis.solving import solve as solving
    from analysis.solving import to_directory

    if directory is not None and position is not None:
        raise OptionError("a directory holds a game from its own start; leave out position or directory")
    game = load_game(game)
    with running(workers=workers, memory=memory):
        if bids := _for_bids(game):
            refuse_options(game.spec, no_counts=not counts)
            return bids.solve(game, position=position, directory=directory, symmetry=symmetry)
        if directory is None:
            return solving.solve(game, position=position, symmetry=symmetry, counts=counts)
        output = directory if isinstance(directory, Output) else Output(directory)
        tables = Tables(counts, **dict.fromkeys(output.tables, True))
        return to_directory.solve_to_directory(
            game, output.directory, symmetry=symmetry, tables=tables, force=output.force
        )


@checked
def plan(
    game: str | HasRules,
    *,
    position: str | None = None,
    symmetry: str = "geometric",
    seconds: float = 20.0,
    memory: int | str | None = None,
    directory: str | Path | None = None,
    formulas: bool = True,
) -> GamePlan:
    """What solving a game would take, told in about so many ``seconds``, whatever the game: its size by tier, memory in
    memory and on the disk, disk while it is solved and after, and time, with counts and without, each as an interval.

    The other arguments are those of `solve` with which it would be done, within the same `running`: ``directory`` says
    whose disk is meant. Without ``formulas`` what a formula says is counted or estimated like the rest. It compares
    what may be needed with what is free (``fits``) and says what to do (``advice``).

    Raises `SpecError`, `PositionError`, `OptionError` (for a bidding game, too), `SymmetryError` and `RulesError`, and
    none for a game that is too large.

    >>> found = plan("tictactoe", seconds=5)
    >>> found.sizes.positions, found.fits(found.counted)
    (Interval(low=5478, high=5478, how='measured'), {'memory': True, 'disk': True})
    """
    game = load_game(game)
    if is_bidding(game):
        does = f"`gametree solve {game.spec}` refuses it at once where it does not fit"
        raise OptionError(f"{game.spec} is a bidding game, and plan is for games by turns; {does}")
    from analysis.solving.planning.plan import make_plan

    with running(memory=memory):
        return make_plan(
            game, position=position, symmetry=symmetry, seconds=seconds, directory=directory, formulas=formulas
        )


@checked
def open_solution(directory: str | Path, game: str | HasRules | None = None) -> Solution:
    """The solution in a ``directory``; tables are read when they are needed.

    A solution is data: nothing is run because a directory says so. That of a user game has its rules where ``game``
    names their file, ``path/to/file.py:Name``, which is run, or where this program has loaded it before. Without them
    there are statistics, tables, and look-ups by canonical states; what needs rules raises `RulesNeededError`.

    Raises `StoreError` where the directory holds no solution, one that is damaged, or one that was made by other rules
    than the game has now.
    """
    if bids := _for_bids(directory):
        return bids.open_solution(directory, game)
    from analysis.solving.find import opened

    return opened(Path(directory), None if game is None else load_game(game))


@checked
def find_solution(
    name: str | HasRules,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    counts: bool = True,
    holding: bool = False,
    workers: int | None = None,
) -> Solution:
    """Find the stored solution of a game, or make one in memory.

    Args:
        name: A game, or the directory of a solution.
        position: Where the solution begins (default: at the start of the game): it is then made in memory.
        symmetry: The kind of symmetries (default: ``geometric``; of a directory whatever it has).
        counts: Whether games and paths must be counted.
        holding: Whether a stored solution will do that holds the position, of any kind unless ``symmetry`` is given.
        workers: How many work at once (default: as `running` says).

    Stored solutions of other rules are not used. Raises what `solve` and `open_solution` raise.
    """
    with running(workers=workers):
        if bids := _for_bids(name):
            return bids.find_solution(name, position=position, symmetry=symmetry)
        from analysis.solving import find

        return find.find_solution(name, position=position, symmetry=symmetry, counts=counts, holding=holding)


@overload
def verify(
    directory: str | Path, *, tiers: range | str | None = None, key: str | None = None, workers: int | None = None
) -> VerificationReport: ...


@overload
def verify(
    directory: str | Path, *, sample: int, seed: int | None = None, workers: int | None = None
) -> SampleReport: ...


@overload
def verify(
    directory: str | Path, *, share: float, seed: int | None = None, workers: int | None = None
) -> SampleReport: ...


@checked
def verify(
    directory: str | Path,
    *,
    sample: int | None = None,
    share: float | None = None,
    seed: int | None = None,
    tiers: range | str | None = None,
    key: str | None = None,
    workers: int | None = None,
) -> VerificationReport | SampleReport:
    """Check every file and every number in the ``directory`` of a solution against the rules and each other. Returns
    what was checked.

    With a ``sample`` of so many classes, or a ``share`` of all (above 0, at most 1), those are drawn at random, others
    for another ``seed`` (default: 0), and checked against the classes after them; of files that are not read, the
    sizes are. It takes time in proportion to the sample. With ``tiers``, such as ``range(5, 10)`` or ``"5..9"``, these
    are checked, by themselves. docs/solution-directory.md says what either does not show. So many ``workers`` (None:
    as many as `running` says) do it. A ``key``, up to 32 hexadecimal digits, repeats the draw of weights of a run that
    printed it.

    Raises `StoreError` where the directory holds no solution at all, `VerificationError`, naming the file or the first
    state that fails, where it is not what the rules say, and `OptionError` for a sample that cannot be drawn, for tiers
    that are not there, for a key that is none, and for anything but ``workers`` where it is of a bidding game.
    """
    if bids := _for_bids(directory):
        given = {"sample": sample, "share": share, "seed": seed, "tiers": tiers, "key": key}
        refuse_options(str(directory), **{name: value is not None for name, value in given.items()})
        return bids.verify(directory)
    from analysis.checks.solutions import verify as checking

    choice = checking.Choice(sample, share, seed)
    tiers = checking.read_tiers(tiers) if isinstance(tiers, str) else tiers
    number = None if key is None else checking.read_key(key)
    with running(workers=workers):
        return checking.verify(directory, choice=choice, tiers=tiers, key=number)


@checked
def plot(solution: Solution, figure: str = "growth", position: str | Sequence[int | str] | None = None) -> Figure:
    """One figure of a report as a `matplotlib.figure.Figure`, to be shown or saved.

    Args:
        solution: A solution of an ordinary game.
        figure: ``growth``, ``lengths``, ``values``, ``scores``, ``remoteness``, ``branching``, ``openings`` or
            ``principal``, of the whole game; or ``position``, of one position: its board with what each move is worth.
        position: Of that figure, as ``solution[position]`` takes it (default: the start).

    Raises `OptionError` where there is no such figure, or nothing to show in it for this game, and `PositionError` for
    a position that play does not reach.
    """
    from analysis.reports.figures.gallery import FIGURES, draw_position
    from analysis.reports.findings import gather

    known = [*(name for name in FIGURES if name != "pruning"), "position"]
    if figure not in known:
        raise OptionError(f"there is no figure {figure!r}; it is {listed(known)}")
    if figure == "position":
        drawn = draw_position(gather(solution, state=None if position is None else solution[position].state))
    elif position is not None:
        raise OptionError(f"the figure {figure!r} is of the whole game; leave out position, or draw 'position'")
    else:
        picture = FIGURES[figure](gather(solution))
        drawn = None if picture is None or isinstance(picture, str) else picture.figure
    if drawn is None:
        raise OptionError(f"the figure {figure!r} of {solution.game.spec} has nothing to show")
    return drawn
