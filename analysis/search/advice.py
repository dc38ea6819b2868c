"""Find the best move of a position by a search of limited depth, without solving the game."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

from analysis.errors import OptionError, TooLargeError
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.rules.game import HasRules
from analysis.rules.positions import Place
from analysis.search.catalogue import ALGORITHMS, UNBOUNDED, TablePolicy, Task
from analysis.search.kernels import layout
from analysis.search.kernels.layout import INFINITY
from analysis.search.problem import SearchProblem, find_game, game_problem
from analysis.search.workspace import Workspace
from analysis.solution.position import Move, Worth, preference

MOVE_COLUMNS = ("move", "position", "value", "optimal", "name")

ROOT = -1
"""The number of the position itself; moves are numbered from 0."""

DEEPEST = 1000
"""The depth limit, in plies, of a search limited only by time."""

TABLE_BYTES = 1 << 29
"""The maximum size of a search's table."""

GROWING_BYTES = 1 << 27
"""The maximum size of a table that grows by doubling."""


@dataclasses.dataclass(frozen=True)
class Advice:
    """The result of a search of limited depth."""

    game: str
    position: str
    to_move: str | None
    depth: int
    """Plies searched: fewer than asked for if time ran out."""
    evaluation: str | None
    value: int
    best_move: int | None
    """The best move, the lowest code of equals; None if the game is over or the depth is 0."""
    nodes: int
    seconds: float
    complete: bool
    """Whether no line was cut off at the depth limit, so that the values are those of the solved game."""
    moves: tuple[Move, ...]
    """Best first for the side to move; equals by code."""
    grid: list[list[str]] | None
    """The board, if the game has one."""
    players: tuple[str, str] = ("X", "O")

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree show --depth N --format json`` prints."""
        found = dataclasses.asdict(self)
        del found["grid"], found["players"]
        return found | {"moves": [{name: move[name] for name in MOVE_COLUMNS} for move in found["moves"]]}


def advise(
    game: str | HasRules,
    position: Place | None = None,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    evaluation: str | None = None,
) -> Advice:
    """Value a position and each of its moves by iterative deepening: alpha-beta with a table to depth 1, 2, 3 ...,
    until ``depth`` plies are reached or the ``seconds`` are over.

    ``position`` is a text (default: the start). At the depth limit, positions are valued by the game's ``evaluation``
    of that name; the default is its heuristic, or 0 if it has none or the name is ``none``. Raises what `game_problem`
    raises, `OptionError` if neither depth nor seconds are given or time runs out before depth 1, and `TooLargeError` if
    memory does.

    >>> advise("tictactoe", "X????????", depth=2, evaluation="lines").best_move
    4
    """
    if depth is None and seconds is None:  # only an evaluation was given
        raise OptionError(f"an evaluation needs a depth to search to: add --depth to --evaluate {evaluation}")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"cannot search for {seconds} seconds; give more than 0")
    game = find_game(game)
    rules = game.rules()
    evaluation = (rules.heuristic if evaluation is None else evaluation) if evaluation != "none" else None
    most = DEEPEST if depth is None else depth
    problem = game_problem(game, position, depth=most, evaluation=evaluation)
    search = Deepening(problem, most)

    def value_root(workspace: Workspace) -> int:
        workspace.set_depth(0)
        search.take(0, {ROOT: workspace.value_of(search.kernel, problem.root, 0)}, complete=workspace.horizon == 0)
        return 0

    began = time.perf_counter()
    whole = search if most > 0 and search.children else value_root
    nodes, stopped = deepen(
        problem, whole, seconds, lambda n: tell_progress(f"searching, {search.depth} plies done", n, None)
    )
    if not search.values:
        if seconds is None:
            raise TooLargeError(f"the search of {problem.name} ran out of {stopped}")
        raise OptionError(f"{seconds} seconds were too short for a search of depth 1; give it more")
    side, best = search.side, max(search.values.values(), key=lambda value: search.side * value)
    moves = [
        Move(code, game.format_position(child), value, None, value == best, name=game.format_move(code))
        for (code, child), value in zip(search.children, search.values.values(), strict=whole is search)
        if whole is search
    ]
    moves.sort(key=lambda move: preference(side, Worth(move.value, None), move.move))
    return Advice(
        game=game.spec,
        position=game.format_position(problem.root),
        to_move=None if not search.children else "X" if side > 0 else "O",
        depth=search.depth if depth is None or not search.complete else depth,
        evaluation=evaluation,
        value=best,
        best_move=moves[0].move if moves else None,
        nodes=nodes,
        seconds=round(time.perf_counter() - began, 6),
        complete=search.complete,
        moves=tuple(moves),
        grid=game.grid(problem.root),
        players=game.players,
    )


class Deepening:
    """Repeated searches of the moves of a problem's root, ever deeper on one table, to ``most`` plies."""

    def __init__(self, problem: SearchProblem, most: int = DEEPEST) -> None:
        from analysis.search.algorithms.depth_first import alphabeta_table  # compiled when it is needed

        self.kernel, self.problem, self.most = alphabeta_table, problem, most
        self.window = (-INFINITY, INFINITY)
        self.side, self.children = problem.side(problem.root), problem.moves(problem.root)
        self.depth = 0
        """Plies searched so far."""
        self.values: dict[int, int] = {}
        """Values of the moves at the last depth, by number."""
        self.complete = False
        """Whether no line was cut off at the last depth."""

    @property
    def done(self) -> bool:
        """Whether to search no deeper."""
        return self.complete

    def wants(self, number: int) -> bool:
        """Return whether a move is still to be searched."""
        return True

    def take(self, depth: int, found: dict[int, int], *, complete: bool) -> None:
        """Record the values found at a depth."""
        self.depth, self.values, self.complete = depth, dict(sorted(found.items())), complete

    def __call__(self, workspace: Workspace) -> int:
        """Continue to search deeper. The return value is unused."""
        order = [i for i in range(len(self.children)) if self.wants(i)]
        for depth in range(self.depth + 1, self.most + 1):
            if self.done:
                break
            workspace.set_depth(depth)
            found = {i: workspace.value_of(self.kernel, self.children[i][1], 1, self.window) for i in order}
            self.take(depth, found, complete=workspace.horizon == 0)
            order = sorted((i for i in order if self.wants(i)), key=lambda i: -self.side * found[i])
        return 0


def deepen(
    problem: SearchProblem, search: Callable[[Workspace], int], seconds: float | None, tick: Callable[[int], None]
) -> tuple[int, str]:
    """Run a search by iterative deepening for at most ``seconds``; return the nodes visited and why it stopped (empty
    if it finished). The search keeps its own results; ``tick`` is called with the nodes.

    It starts with a table that grows, since touching a large one takes a third of a second. When that is full, the
    search restarts with a large table that replaces the shallowest entries.
    """
    began, nodes, stopped = time.monotonic(), 0, ""
    memory = min(TABLE_BYTES, Budget.of_machine().limit)

    def counted(done: int) -> None:
        tick(nodes + done)

    large = TablePolicy(memory // (9 * layout.SLOT), "two-deep")
    for policy, most in ((TablePolicy(), min(memory, GROWING_BYTES)), (large, memory)):
        settings = dataclasses.replace(UNBOUNDED, table=policy, max_memory=most)
        workspace = Workspace(problem, Task(ALGORITHMS["iterative"]), settings)
        left = None if seconds is None else max(0.0, began + seconds - time.monotonic())
        _, stopped = workspace.run(search, counted, seconds=left)
        nodes += workspace[layout.NODES]
        if stopped != "memory":
            break
    return nodes, stopped
