"""Run searches of one problem; count the nodes they visit, and the least that any search must visit.

A proof that the root's value is at least v is a strategy of the first player: one move at each of his nodes, all moves
at the other's. A proof that it is at most v is one of the second player. Alpha-beta with an infinite window must see
both, and two such strategies share exactly one line of play; so it visits at least the nodes of the smallest such pair,
and with the best order no more (Knuth and Moore 1975, section 5: on a uniform tree of breadth b and depth d these are
b**ceil(d/2) + b**floor(d/2) - 1 leaves). If the value lies outside the window, one of them is enough.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..common.memory import readable
from ..common.workers import tell_progress
from ..engine.engine import make_engine
from ..engine.kernels.states import drop_repeats
from ..engine.promises import refuse_few
from ..errors import OptionError, RulesError, TooLargeError
from .catalogue import FROM_SOLUTION, UNBOUNDED, Algorithm, Order, Settings, Task, Window
from .kernels import graph_values, layout
from .problem import SearchProblem
from .visits import Visit, read_visits
from .workspace import Workspace

STATE_BYTES = 200
"""Bytes per class in the tables, moves included."""

MOST_CLASSES = 5_000_000
"""The most classes of a graph that is solved; the laboratory does without larger ones."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One search, its settings and its counts."""

    algorithm: str
    order: str
    window: str
    table: str
    symmetry: str
    value: float | None
    bound: str | None
    """Whether the value is ``exact`` or a ``lower`` or ``upper`` bound; None if the search was stopped."""
    nodes: int
    """Calls of the search, with the root, leaves and calls that the table answers; for ``pns`` nodes created, for
    ``sss`` and ``dual`` nodes when first taken from their list.
    """
    leaves: int | None
    """Nodes where the game is over or the depth limit is reached; None for a user's search."""
    cutoffs: int | None
    """How often alpha >= beta after a child, even the last; None for a user's search, and for ``sss``, ``dual``,
    ``pns`` and ``dfpn``, which do not cut.
    """
    cutoffs_effective: int | None
    """Cutoffs that skip a child; None for these five."""
    table_hits: int
    """Nodes that the table answers without visiting a child; for ``dfpn`` children whose numbers are known on entering
    their parent.
    """
    table_entries: int
    """Positions in the table at the end, leaves included."""
    passes: int
    """Searches from the root: null windows of ``mtdf``, depths of ``iterative``, questions of ``pns`` and ``dfpn``."""
    branching: float | None
    """The b for which a uniform tree as deep as the deepest leaf has this many nodes (Russell and Norvig)."""
    relative_to_minimax: float | None
    """Nodes, as a multiple of the whole tree's."""
    relative_to_least: float | None
    """Nodes, as a multiple of the least without a table for the window."""
    stopped: str | None
    """Why the search did not finish: ``max-nodes``, ``memory``, or ``longer than N plies``. Minimax does not start if
    the tree is known to exceed the limit; its row has the tree's size.
    """
    seconds: float
    """Without the time to compile or to solve the game."""


COUNTED = {
    "nodes": layout.NODES,
    "leaves": layout.LEAVES,
    "cutoffs": layout.CUTOFFS,
    "cutoffs_effective": layout.EFFECTIVE,
    "table_hits": layout.HITS,
    "table_entries": layout.ENTRIES,
    "passes": layout.PASSES,
}
"""The fields of a workspace that hold a row's counts."""


class Laboratory:
    """A problem, solved if it is small enough, and the searches run on it.

    ``settings`` are common to all searches. Methods raise what the rules and the solution of the problem raise:
    `RulesError`, `SymmetryError` and `OptionError`.
    """

    def __init__(self, problem: SearchProblem, settings: Settings = Settings()) -> None:
        self.problem, self.settings = problem, settings
        self._solved: dict[str, SolvedGraph | UnsolvedError] = {}
        self._symmetry = "geometric" if problem.evaluation is None else "none"  # an evaluation need not be symmetric
        if problem.longest is None and self.solved is not None:
            self.problem = dataclasses.replace(problem, longest=self.solved.longest)
        self.horizon = 0
        """Unfinished leaves of the last search."""

    @property
    def solved(self) -> SolvedGraph | None:
        """The graph below the root, or None if it could not be solved."""
        graph = self._solved_with(self._symmetry)
        return graph if isinstance(graph, SolvedGraph) else None

    @property
    def unsolved(self) -> str | None:
        """Why the graph could not be solved; None if it was."""
        return None if self.solved is not None else str(self._solved_with(self._symmetry))

    def tasks(
        self,
        algorithms: Sequence[Algorithm],
        orders: Sequence[Order] = (Order(),),
        windows: Sequence[Window] = (Window(),),
        symmetries: Sequence[str] = ("none",),
    ) -> list[Task]:
        """Return the combinations of ``algorithms``, ``orders``, ``windows`` and ``symmetries`` that differ in what a
        search uses. Raises `OptionError` for an unknown symmetry.
        """
        kinds = [kind if kind == "none" else self.problem.group(kind).kind for kind in symmetries]
        every = itertools.product(algorithms, orders, windows, dict.fromkeys(kinds))
        return list(dict.fromkeys(Task(*choices).effective() for choices in every))

    def rows(self, tasks: Sequence[Task]) -> Iterator[Row]:
        """Run all ``tasks`` in turn and yield their rows."""
        for number, task in enumerate(tasks):
            yield self.run(task, f"{task.algorithm.name} ({number + 1} of {len(tasks)})")

    def run(self, task: Task, stage: str = "") -> Row:
        """Run one ``task``, reporting progress as ``stage``. Minimax is skipped if its tree is known to exceed the node
        limit, and so is a search without enough memory. Raises `OptionError` for a symmetry that an evaluation lacks.
        """
        tree = self.solved.tree if self.solved is not None and task.algorithm.name == "minimax" else None
        if tree is not None and tree.nodes > self.settings.max_nodes:
            return self._row(task, Counter(nodes=tree.nodes, leaves=tree.leaves), stopped="max-nodes")
        run = task.algorithm.load()
        try:
            workspace = self._workspace(task, self.settings)
        except TooLargeError:
            return self._row(task, Counter(), stopped="memory")
        total = None if tree is None else float(tree.nodes)
        began = time.perf_counter()
        value, stopped = workspace.run(run, lambda nodes: tell_progress(stage, nodes, total))
        seconds = time.perf_counter() - began
        self.horizon = workspace.horizon
        counts = Counter({name: workspace[field] for name, field in (COUNTED | {"deepest": layout.DEEPEST}).items()})
        counts["passes"] = max(1, counts["passes"])
        counts["nodes"] = min(counts["nodes"], workspace[layout.MOST_NODES])  # the one too many was not visited
        row = self._row(task, counts, value, stopped, seconds)
        evaluation, kind = self.problem.evaluation, task.symmetry
        right = self.solved.value if evaluation and kind != "none" and self.solved else None
        if right is not None and row.bound == "exact" and row.value != right:
            raise OptionError(
                f"{row.algorithm} finds {row.value} with --symmetry {kind}, but the value is {right}: the evaluation "
                f"{evaluation!r} is not symmetric; leave out --symmetry"
            )
        return row

    def row_of(self, name: str, calls: int, value: float | None, seconds: float) -> Row:
        """Return the row of a user's search, for which only the calls are known."""
        row = self._row(Task(), Counter(nodes=calls), None, "", seconds)
        bound, unknown = None if value is None else "exact", dict.fromkeys(("leaves", "cutoffs", "cutoffs_effective"))
        return dataclasses.replace(row, algorithm=name, order="own", value=value, bound=bound, **unknown)  # type: ignore[arg-type]

    def visits(self, task: Task, most: int) -> list[Visit]:
        """Return the visits of a depth-first ``task``. Raises `OptionError` for others, or beyond ``most`` visits."""
        check_traceable(task.algorithm)
        run = task.algorithm.load()
        workspace = self._workspace(task, dataclasses.replace(self.settings, max_nodes=most), visits=most)
        _, stopped = workspace.run(run)
        if stopped:
            reason = f"visits more than {most:,} nodes" if stopped == "max-nodes" else f"stops: {stopped}"
            raise OptionError(f"{task.algorithm.name} {reason}; to trace it, try a smaller --depth")
        return read_visits(self.problem, workspace.visits())

    # Parts ------------------------------------------------------------------------------------------------------------

    def _solved_with(self, symmetry: str) -> SolvedGraph | UnsolvedError:
        if symmetry not in self._solved:
            if self.problem.game is not None:
                refuse_few(make_engine(self.problem.game, symmetry=symmetry))
            try:
                self._solved[symmetry] = solve_problem(self.problem, symmetry=symmetry, settings=self.settings)
            except UnsolvedError as error:
                self._solved[symmetry] = error
        return self._solved[symmetry]

    def _workspace(self, task: Task, settings: Settings, visits: int = 0) -> Workspace:
        solved = None
        if task.order.kind in FROM_SOLUTION:
            graph = self._solved_with(self._symmetry if task.symmetry == "none" else task.symmetry)
            if isinstance(graph, UnsolvedError):
                raise OptionError(f"order {task.order.name} needs {self.problem.name} solved: {graph}")
            solved = graph
        return Workspace(self.problem, task, settings, solved=solved, visits=visits)

    def _row(
        self, task: Task, counts: Counter[str], value: int | None = None, stopped: str = "", seconds: float = 0.0
    ) -> Row:
        algorithm, solved = task.algorithm, self.solved
        sizes = (None, None) if solved is None else (solved.tree, solved.least(task.window))
        relative = [None if stopped or size is None else counts["nodes"] / size.nodes for size in sizes]
        has_window = algorithm.windows or algorithm.null_windows
        counted: dict[str, Any] = {name: counts[name] for name in COUNTED}
        if not algorithm.counts_cuts:
            counted |= {"cutoffs": None, "cutoffs_effective": None}
        return Row(
            algorithm=algorithm.name,
            order=task.order.name,
            window="null, f=0" if algorithm.name == "mtdf" else task.window.name,
            table=self.settings.table_name if algorithm.table else "none",
            symmetry=task.symmetry,
            value=None if value is None else self.problem.shown(value),
            bound=None if value is None else task.window.bound(value) if has_window else "exact",
            **counted,
            branching=None if stopped else branching_factor(counts["nodes"], counts["deepest"]),
            relative_to_minimax=relative[0],
            relative_to_least=relative[1],
            stopped=stopped or None,
            seconds=round(seconds, 6),
        )


def check_traceable(algorithm: Algorithm) -> None:
    """Raise `OptionError` for a search that is not depth-first."""
    if not algorithm.depth_first:
        raise OptionError(f"{algorithm.name} cannot be traced: it is not a depth-first search")


def branching_factor(nodes: int, depth: int) -> float | None:
    """Return the effective branching factor: b with 1 + b + ... + b**depth = nodes (Russell and Norvig, "Artificial
    Intelligence", section 3.6). None if the depth is 0.

    >>> round(branching_factor(1 + 3 + 9 + 27, 3), 6)
    3.0
    """
    if depth < 1 or nodes <= depth:
        return None
    low, high = 0.0, float(nodes)
    for _ in range(200):
        middle = (low + high) / 2
        total, power = 1.0, 1.0
        for _ in range(depth):
            power *= middle
            total += power
            if total > nodes:
                break
        low, high = (low, middle) if total > nodes else (middle, high)
    return (low + high) / 2


# The solved graph -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Size:
    """Nodes and leaves of a tree."""

    nodes: int
    leaves: int


class UnsolvedError(Exception):
    """A graph cannot be solved, for the reason given."""


@dataclasses.dataclass
class SolvedGraph:
    """All classes of positions below the root of a problem; row 0 is the root."""

    table: np.ndarray  # int64[2 * slots], see `layout.SOLVED`
    facts: np.ndarray  # int64[classes, KNOWN], see `layout`
    first: np.ndarray  # int64[classes + 1]: where the children of each row begin
    children: np.ndarray  # uint32[moves]: rows
    sides: np.ndarray  # int8[classes]: who moves, 0 at a leaf
    symmetry: str
    """The group whose least images the table holds; a search with a symmetry uses the same one."""
    longest: int
    """Plies of the longest line of play."""
    _proved: Window | None = None
    """The window whose proofs are in ``facts``."""
    _least: dict[Window, Size | None] = dataclasses.field(default_factory=dict)

    @property
    def value(self) -> int:
        """The value of the root."""
        return int(self.facts[0, layout.VALUE])

    @property
    def tree(self) -> Size | None:
        """The size of the whole tree, as minimax visits it; None above 2**60 nodes."""
        return self._size(layout.TREE_NODES, layout.TREE_LEAVES)

    def least(self, window: Window = Window()) -> Size | None:
        """Return the fewest nodes and the fewest leaves (each on its own) that answer a window; None above 2**60."""
        if window not in self._least:
            columns = {
                "exact": (layout.BOTH_NODES, layout.BOTH_LEAVES),
                "lower": (layout.LOWER_NODES, layout.LOWER_LEAVES),
                "upper": (layout.UPPER_NODES, layout.UPPER_LEAVES),
            }
            self._least[window] = self._size(*columns[self.prove(window)])
        return self._least[window]

    def prove(self, window: Window) -> str:
        """Put the smallest proofs for a window into ``facts``, for orders of moves; return their `Window.bound`."""
        bound = window.bound(self.value)
        if self._proved != window:
            self._proved = window
            low, high = {
                "exact": (self.value, self.value),
                "lower": (window.beta, -layout.INFINITY),
                "upper": (layout.INFINITY, window.alpha),
            }[bound]
            graph_values.prove_all(self.first, self.children, self.sides, self.facts, low, high)
        return bound

    def _size(self, nodes: int, leaves: int) -> Size | None:
        size = Size(int(self.facts[0, nodes]), int(self.facts[0, leaves]))
        return None if max(size.nodes, size.leaves) >= graph_values.MANY else size


def solve_problem(
    problem: SearchProblem,
    *,
    symmetry: str = "geometric",
    settings: Settings = UNBOUNDED,
    most: int = MOST_CLASSES,
) -> SolvedGraph:
    """Solve the graph below a root.

    Raises `RulesError` if the rules fail or a payoff exceeds its bounds, `UnsolvedError` if the graph has more than
    ``most`` classes under the ``symmetry``, no end, or does not fit the memory of the ``settings``, and `TooLargeError`
    if not even one row of moves fits.
    """
    workspace = Workspace(problem, Task(symmetry=symmetry), settings)
    tiers = _forward(workspace, most, settings.budget().limit)
    states, plies = np.concatenate(tiers), np.repeat(np.arange(len(tiers)), [len(tier) for tier in tiers])
    rows = len(states) - 1 - np.unique(states[::-1], return_index=True)[1]  # the last occurrence of each state
    if len(rows) < len(states) and problem.depth is not None:
        raise UnsolvedError(
            "a position is reached after different numbers of plies, so its value at this depth is ambiguous"
        )
    rows.sort()
    states, stops = states[rows], (plies[rows] == problem.depth).astype(np.uint8)
    table = np.zeros(2 << max(4, (2 * len(states)).bit_length()), dtype=np.int64)
    workspace.point_to_solved(table)
    graph_values.index(workspace.address, states)
    first, sides = np.empty(len(states) + 1, dtype=np.int64), np.empty(len(states), dtype=np.int8)
    payoffs = np.empty(len(states), dtype=np.int64)
    children = np.empty(sum(len(tier) for tier in tiers) * problem.most, dtype=np.uint32)
    linking = (problem.expand, workspace.address, states, stops, first, children, sides, payoffs)
    total = workspace.watched(graph_values.link_all, *linking)
    children = children[:total].copy()
    least, greatest = problem.payoffs
    wrong = np.flatnonzero((sides == 0) & (stops == 0) & ((payoffs < least) | (payoffs > greatest)))
    if len(wrong):
        position = problem.describe(int(states[wrong[0]]))
        raise RulesError(
            f"position {position} has payoff {payoffs[wrong[0]]}, outside the bounds {least} to {greatest} in its rules"
        )
    facts = np.zeros((len(states), layout.KNOWN), dtype=np.int64)
    graph_values.value_all(first, children, sides, payoffs, facts)
    return SolvedGraph(table, facts, first, children, sides, symmetry, len(tiers) - 1)


def _forward(workspace: Workspace, most: int, memory: int) -> list[np.ndarray]:
    """Return the classes of each ply, sorted. Raises `UnsolvedError` if they are incomplete."""
    problem = workspace.problem
    tiers = [np.array([workspace.root], dtype=np.int64)]  # all symmetries in use leave the root as it is
    total = 1
    while len(tiers[-1]) and total <= most and len(tiers) <= workspace.plies + 1:
        room = len(tiers[-1]) * problem.most
        if 16 * room + STATE_BYTES * total > memory:
            least = readable(16 * room + STATE_BYTES * total)
            raise UnsolvedError(f"solving it takes {least} or more, but may take {readable(memory)}")
        children = np.empty(room, dtype=np.int64)
        stop = int(len(tiers) - 1 == problem.depth)
        n = workspace.watched(graph_values.expand_all, problem.expand, workspace.address, tiers[-1], stop, children)
        images = np.sort(children[:n])
        tiers.append(images[: drop_repeats(images)].copy())
        total += len(tiers[-1])
        workspace.check_rules()
        tell_progress("solving", total, None)
    if not len(tiers[-1]):
        return tiers[:-1]
    if total > most:
        raise UnsolvedError(f"there are more than {most:,} classes of positions")
    longest = problem.longest
    raise UnsolvedError(
        "play may never end" if longest is None else f"play is longer than {longest} plies, its max_plies"
    )
