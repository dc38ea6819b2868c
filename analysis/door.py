"""What `import analysis` offers for games of every kind: ordinary ones and bidding games, told apart here.

A game says by its specification what it is, a directory by the kind in its manifest. What solves a kind is imported
when it is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.cluster import choosing
from analysis.errors import OptionError
from analysis.games.bidding import Bidding
from analysis.machine.arguments import checked
from analysis.machine.memory import bytes_of, within_memory
from analysis.machine.workers import Progress, no_progress
from analysis.storage.stored_games import is_bidding
from analysis.wording import listed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client
    from matplotlib.figure import Figure

    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.bidding.verification.bidding_verify import BiddingReport
    from analysis.checks.solutions.sampled import SampleReport
    from analysis.checks.solutions.verify import VerificationReport
    from analysis.planning.plan import GamePlan
    from analysis.rules.game import Game
    from analysis.search.comparison import Comparison
    from analysis.solution.solution import Solution


@checked
def solve(
    game: str | Game,
    *,
    position: str | None = None,
    directory: str | Path | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
    tables: Collection[str] = (),
    force: bool = False,
    workers: int | None = None,
    memory: int | str | None = None,
    scratch: str | Path | None = None,
    sharded: bool = False,
    executor: Executor | Client | None = None,
    progress: Progress = no_progress,
) -> Solution | BiddingSolution:
    """Solve a game completely, in memory or into a directory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4``, ``path/to/file.py:Name`` or
    ``bidding:game=tictactoe,chips=4``, or a `Game`. From ``position`` (a text as the game writes it) instead of the
    game's own start, plies, histories and symmetries are those of the game from there; only in memory.

    With a ``directory`` the solution is written there, tier by tier, and opened; one that is there already is opened
    and not solved again unless ``force``. Further ``tables`` are ``moves`` (all moves), ``text`` (positions as texts)
    and ``paths`` (all optimal paths). ``counts=False`` leaves out histories, games and paths. ``symmetry`` is
    ``geometric`` (rotations and reflections), ``full`` (all automorphisms of the winning lines), ``none``, or
    ``residual`` (positions with the same game left to play are one class, in games that have `Game.residual`);
    ``workers`` defaults to all processors; ``progress(stage, done, total)`` is called now and then.

    It takes at most so much ``memory``, bytes or a text such as ``"4GB"`` (None: what is free). With a ``directory``,
    what does not fit is solved in shards on the disk, or ``sharded`` whatever fits; their files lie with the solution
    or in a folder ``scratch``, and their tasks are done by an ``executor`` of `concurrent.futures`, by default threads,
    or by the workers of a Dask client; docs/cluster.md says what these need. Cut off, the same call goes on with it.

    Raises `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, `TooLargeError` where memory will
    not do, and `StoreError` where a directory cannot be written or holds something else.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    >>> solve("bidding:game=tictactoe,chips=4").root.value
    Fraction(1, 1)
    """
    from analysis.solving import solve as solving
    from analysis.solving import to_directory
    from analysis.solving.resources import Resources
    from analysis.storage.store import Tables

    unknown = sorted({*tables} - {"moves", "text", "paths"})
    if unknown:
        raise OptionError(f"there is no table {unknown[0]!r}; tables are moves, text and paths")
    if directory is None and (tables or force):
        raise OptionError("tables and force are for a solution that is written; give a directory")
    if directory is None and (sharded or scratch is not None or executor is not None):
        raise OptionError("sharded, scratch and executor are for a solution that is written; give a directory")
    given = None if memory is None else bytes_of(memory)
    if directory is not None and position is not None:
        raise OptionError("a directory holds a game from its own start; leave out position or directory")
    if not (isinstance(game, Bidding) or (isinstance(game, str) and is_bidding(game))):
        if directory is None:
            with within_memory(given):
                return solving.solve(
                    game, position=position, symmetry=symmetry, counts=counts, workers=workers, progress=progress
                )
        wanted = Tables(counts, **dict.fromkeys(tables, True))
        with choosing.given(executor, progress) as who:
            resources = Resources(workers, given, None if scratch is None else Path(scratch), sharded, who)
            return to_directory.solve_to_directory(
                game, directory, symmetry=symmetry, tables=wanted, force=force, resources=resources, progress=progress
            )[0]
    from analysis.bidding import bidding_solving

    if {*tables} - {"text"} or not counts:
        raise OptionError("a bidding game has no tables of moves and paths and no counts of games; leave them out")
    if sharded or scratch is not None or executor is not None:
        raise OptionError("a bidding game is solved in memory; leave out sharded, scratch and executor")
    with within_memory(given):
        if directory is None:
            return bidding_solving.solve_bidding(
                game, position=position, symmetry=symmetry, workers=workers, progress=progress
            )
        return bidding_solving.bidding_to_directory(
            game, directory, symmetry=symmetry, text="text" in tables, force=force, workers=workers, progress=progress
        )[0]


@checked
def plan(
    game: str | Game,
    *,
    position: str | None = None,
    symmetry: str = "geometric",
    seconds: float = 20.0,
    workers: int | None = None,
    memory: int | str | None = None,
    directory: str | Path | None = None,
    scratch: str | Path | None = None,
    formulas: bool = True,
    progress: Progress = no_progress,
) -> GamePlan:
    """What solving a game would take, told in about so many ``seconds``, whatever the game: its size by tier, memory in
    memory and on the disk, disk while it is solved and after, and time, with counts and without, each as an interval.

    The other arguments are those of `solve` with which it would be done: ``directory`` and ``scratch`` say whose disks
    are meant. Without ``formulas`` what a formula says is counted or estimated like the rest. It compares what may be
    needed with what is free (``fits``) and says what to do (``advice``).

    Raises `SpecError`, `PositionError`, `OptionError`, `SymmetryError` and `RulesError`, and none for a game that is
    too large.

    >>> found = plan("tictactoe", seconds=5)
    >>> found.sizes.positions, found.fits(found.counted)
    (Interval(low=5478, high=5478, how='measured'), {'memory': True, 'disk': True})
    """
    if isinstance(game, Bidding) or (isinstance(game, str) and is_bidding(game)):
        raise OptionError("plan is for games by turns; a bidding game that does not fit is refused at once by solve")
    from analysis.planning.options import PlanOptions
    from analysis.planning.plan import make_plan

    options = PlanOptions(symmetry, seconds, workers, memory, directory, scratch, formulas)
    return make_plan(game, position, options, progress)


@checked
def open_solution(directory: str | Path, game: str | Game | None = None) -> Solution | BiddingSolution:
    """The solution in a ``directory``, of whatever kind; tables are read when they are needed.

    A solution is data: nothing is run because a directory says so. That of a user game has its rules where ``game``
    names their file, ``path/to/file.py:Name``, which is run, or where this program has loaded it before. Without them
    there are statistics, tables, and look-ups by canonical states; what needs rules raises `RulesNeededError`.

    Raises `StoreError` where the directory holds no solution, one that is damaged, or one that was made by other rules
    than the game has now.
    """
    if is_bidding(str(directory)):
        from analysis.bidding.bidding_store import open_bidding
        from analysis.games.families import load_game

        return open_bidding(Path(directory), None if game is None else load_game(game))
    from analysis.solving import opening

    return opening.open_solution(directory, game)


@checked
def find_solution(
    name: str,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    counts: bool = True,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Solution | BiddingSolution:
    """The solution that ``name``, a game's specification or the directory of a solution, means: the directory, or what
    is stored under ``data/`` from the same rules, with this ``symmetry`` (None: whatever it is) and with ``counts`` (if
    they are wanted). Otherwise, and from a ``position``, the game is solved in memory by so many ``workers`` (None: all
    processors), and ``progress`` is told how far it is. Raises what `solve` and `open_solution` raise.
    """
    if is_bidding(name):
        from analysis.bidding.bidding_solving import find_bidding

        return find_bidding(name, position=position, symmetry=symmetry, workers=workers, progress=progress)
    from analysis.solving import find

    return find.find_solution(
        name, position=position, symmetry=symmetry, counts=counts, workers=workers, progress=progress
    )


@checked
def verify(
    directory: str | Path,
    *,
    sample: int | None = None,
    share: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
    executor: Executor | Client | None = None,
    progress: Progress = no_progress,
) -> VerificationReport | SampleReport | BiddingReport:
    """Check every file and every number in the ``directory`` of a solution of any kind, by other means than the
    solver's; ``progress(stage, done, total)`` is called now and then. Returns what was checked.

    With a ``sample`` of so many classes, or a ``share`` of all (above 0, at most 1), those are drawn at random, others
    for another ``seed`` (default: 0), and checked against the classes after them; of files that are not read, the
    sizes are. It takes time in proportion to the sample. docs/solution-directory.md says what it does not show. So
    many ``workers`` (None: all processors) do it, or of large tiers the tasks of an ``executor`` of
    `concurrent.futures` or the workers of a Dask client, on which the result does not depend. Bidding games are checked
    whole, in one thread.

    Raises `StoreError` where the directory holds no solution at all, `VerificationError`, naming the file or the first
    state that fails, where it is not what the rules say, and `OptionError` for a sample that cannot be drawn.
    """
    from analysis.checks.solutions.draws import choice_of

    choice = choice_of(sample, share, seed)
    if is_bidding(str(directory)):
        if choice is not None:
            raise OptionError("bidding games are not checked by samples; leave out sample and share")
        if executor is not None:
            raise OptionError("bidding games are checked in one thread; leave out executor")
        from analysis.bidding.verification.bidding_verify import verify_bidding

        return verify_bidding(directory, progress=progress)
    from analysis.checks.solutions import verify as checking

    with choosing.given(executor, progress) as who:
        return checking.verify(directory, choice=choice, workers=workers, executor=who, progress=progress)


@checked
def compare(
    game: str | Game | Solution,
    algorithms: Sequence[str] | None = None,
    *,
    orders: Sequence[str] = ("natural",),
    windows: Sequence[str] = ("full",),
    symmetries: Sequence[str] = ("none",),
    position: str | None = None,
    depth: int | None = None,
    evaluation: str | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Compare how many nodes searches of a game visit, beside the least that any of them could.

    ``game`` is a game, a solution of one, or an explicit tree (a file, or a `networkx.DiGraph`); ``algorithms`` are
    names such as ``alphabeta`` (None: the usual ones), each run with every one of the ``orders`` of moves, ``windows``
    and ``symmetries`` of its table. It begins at ``position`` (default: the start) and ends ``depth`` plies below
    it (default: at the end), where a position counts 0 or what ``evaluation`` says; ``progress(stage, done, total)`` is
    called now and then. docs/pruning.md says what is counted. Raises what `analysis.search.comparison.compare` raises.

    >>> [(row.algorithm, row.nodes) for row in compare("tictactoe", ["minimax", "alphabeta"]).rows]
    [('minimax', 549946), ('alphabeta', 18297)]
    """
    from analysis.search import comparison
    from analysis.solution.solution import Solution

    if isinstance(game, Solution):
        position = game.start if position is None else position
        game = game.game
    request = comparison.SearchRequest(algorithms, orders, windows, symmetries)
    return comparison.compare(game, request, position=position, depth=depth, evaluation=evaluation, progress=progress)


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
        drawn = None if picture is None else picture.figure
    if drawn is None:
        raise OptionError(f"the figure {figure!r} of {solution.game.spec} has nothing to show")
    return drawn
