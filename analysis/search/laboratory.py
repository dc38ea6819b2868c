"""The pruning laboratory: run searches on one problem and compare what they visit."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from analysis.errors import OptionError, TooLargeError
from analysis.machine.memory import readable
from analysis.machine.workers import Progress, no_progress
from analysis.search.catalogue import FROM_SOLUTION, Algorithm, Order, Settings, Task, Window, parse_order
from analysis.search.kernels import layout
from analysis.search.problem import SearchProblem
from analysis.search.solved_graph import SolvedGraph, Unsolved, solve_problem
from analysis.search.visits import Visit, read_visits
from analysis.search.workspace import Workspace

MOST_INDENTED = 50_000_000
"""Bytes of indentation that a trace may have."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One search: what it was asked, and what it did; see docs/pruning.md for every count."""

    algorithm: str
    order: str
    window: str
    table: str
    symmetry: str
    value: float | None
    bound: str | None
    """``exact``, or that the value is a ``lower`` or ``upper`` bound; None where the search was stopped."""
    nodes: int
    leaves: int
    cutoffs: int
    cutoffs_effective: int
    table_hits: int
    table_entries: int
    passes: int
    branching: float | None
    """b for which a uniform tree of that breadth, as deep as the deepest leaf, has so many nodes."""
    relative_to_minimax: float | None
    relative_to_least: float | None
    stopped: str | None
    """Why the search did not finish: ``max-nodes``, ``memory``, or ``longer than N plies``."""
    seconds: float


COUNTED = {
    "nodes": layout.NODES,
    "leaves": layout.LEAVES,
    "cutoffs": layout.CUTOFFS,
    "cutoffs_effective": layout.EFFECTIVE,
    "table_hits": layout.HITS,
    "table_entries": layout.ENTRIES,
    "passes": layout.PASSES,
}
"""Where a workspace counts what a row says."""


class Laboratory:
    """A problem, solved if it is small enough, and the searches that are run on it.

    ``settings`` are what all searches have in common; ``progress`` is called now and then. Its methods raise what the
    rules and the solution of the problem raise: `RulesError`, `SymmetryError` and `OptionError`.
    """

    def __init__(
        self, problem: SearchProblem, settings: Settings = Settings(), *, progress: Progress = no_progress
    ) -> None:
        self.problem, self.settings, self._progress = problem, settings, progress
        self._solved: dict[str, SolvedGraph | Unsolved] = {}
        self._runs: dict[str, Callable[[Workspace], int]] = {}
        if problem.longest is None and self.solved is not None:
            self.problem = dataclasses.replace(problem, longest=self.solved.longest)
        self.horizon = 0
        """Leaves of the last search where the game was not over."""

    @property
    def solved(self) -> SolvedGraph | None:
        """The graph below the root, or None where it cannot be had."""
        found = self._solved_with("geometric")
        return found if isinstance(found, SolvedGraph) else None

    @property
    def unsolved(self) -> str | None:
        """Why the graph cannot be had; None where it can."""
        found = self._solved_with("geometric")
        return None if isinstance(found, SolvedGraph) else str(found)

    def tasks(
        self,
        algorithms: Sequence[Algorithm],
        orders: Sequence[Order] = (Order(),),
        windows: Sequence[Window] = (Window(),),
        symmetries: Sequence[str] = ("none",),
    ) -> list[Task]:
        """Every combination of ``algorithms``, ``orders``, ``windows`` and ``symmetries`` that differs: a search that
        has no window, table or cutoffs keeps its usual setting. Raises `OptionError` for a kind of symmetry that there
        is not.
        """
        kinds = [kind if kind == "none" else self.problem.group(kind).kind for kind in symmetries]
        every = itertools.product(algorithms, orders, windows, dict.fromkeys(kinds))
        return list(dict.fromkeys(Task(*choices).effective() for choices in every))

    def rows(self, tasks: Sequence[Task]) -> Iterator[Row]:
        """Run all ``tasks``, one after the other: the rows, as they are done."""
        for number, task in enumerate(tasks):
            yield self.run(task, f"{task.algorithm.name} ({number + 1} of {len(tasks)})")

    def run(self, task: Task, stage: str = "") -> Row:
        """The search of one ``task``; ``stage`` is what `progress` calls it. Minimax is not begun where the tree is
        known to have more nodes than it may visit, nor a search that has no room.
        """
        tree = self.solved.tree if self.solved is not None and task.algorithm.name == "minimax" else None
        if tree is not None and tree.nodes > self.settings.max_nodes:
            return self._row(task, Counter(nodes=tree.nodes, leaves=tree.leaves), stopped="max-nodes")
        run = self._load(task.algorithm)
        try:
            workspace = self._workspace(task, self.settings)
        except TooLargeError:
            return self._row(task, Counter(), stopped="memory")
        total = None if tree is None else float(tree.nodes)
        began = time.perf_counter()
        value, stopped = workspace.run(run, lambda nodes: self._progress(stage, nodes, total))
        seconds = time.perf_counter() - began
        self.horizon = workspace.horizon
        counts = Counter({name: workspace[field] for name, field in (COUNTED | {"deepest": layout.DEEPEST}).items()})
        counts["passes"] = max(1, counts["passes"])
        counts["nodes"] = min(counts["nodes"], workspace[layout.MOST_NODES])  # the one too many was not visited
        return self._row(task, counts, value, stopped, seconds)

    def visits(self, task: Task, most: int) -> list[Visit]:
        """The visits of a ``task`` that searches depth-first. Raises `OptionError` for another, or for more visits than
        ``most``.
        """
        check_traceable(task.algorithm)
        run = self._load(task.algorithm)
        workspace = self._workspace(task, dataclasses.replace(self.settings, max_nodes=most), visits=most)
        _, stopped = workspace.run(run)
        if stopped:
            reason = f"visits more than {most:,} nodes" if stopped == "max-nodes" else f"stops: {stopped}"
            raise OptionError(f"{task.algorithm.name} {reason}, too much to trace; try --depth")
        record = workspace.visits()
        indented = 3 * int(record[:, layout.VISIT_PLY].sum())
        if indented > MOST_INDENTED:
            raise OptionError(f"a trace of {len(record):,} nodes this deep is {readable(indented)}; try --depth")
        return read_visits(self.problem, record)

    def distribution(self, task: Task, times: int, first_seed: int) -> dict[str, Any]:
        """Nodes and leaves of a ``task`` over ``times`` random orders, seeds from ``first_seed`` on. Raises
        `OptionError` where one of them is stopped.
        """
        rows = []
        for number in range(times):
            order = parse_order(f"random:{first_seed + number}", self.problem)
            rows.append(self.run(dataclasses.replace(task, order=order)))
            self._progress(f"{task.algorithm.name}, random orders", number, times)
            if rows[-1].stopped:
                raise OptionError(f"{task.algorithm.name} did not finish with order {order.name}: {rows[-1].stopped}")
        return {
            "algorithm": task.algorithm.name,
            "orders": f"random:{times}",
            "first_seed": first_seed,
            **{name: getattr(rows[0], name) for name in ("window", "table", "symmetry", "value")},
            **{f"nodes_{name}": number for name, number in _spread([row.nodes for row in rows]).items()},
            **{f"leaves_{name}": number for name, number in _spread([row.leaves for row in rows]).items()},
            "seconds": round(sum(row.seconds for row in rows), 6),
        }

    # Parts ------------------------------------------------------------------------------------------------------------

    def _load(self, algorithm: Algorithm) -> Callable[[Workspace], int]:
        if algorithm.name not in self._runs:
            self._progress(f"compiling {algorithm.name} (the first time only)", 0, None)
            self._runs[algorithm.name] = algorithm.load()
        return self._runs[algorithm.name]

    def _solved_with(self, symmetry: str) -> SolvedGraph | Unsolved:
        if symmetry not in self._solved:
            self._solved[symmetry] = solve_problem(
                self.problem, symmetry=symmetry, settings=self.settings, progress=self._progress
            )
        return self._solved[symmetry]

    def _workspace(self, task: Task, settings: Settings, visits: int = 0) -> Workspace:
        solved = None
        if task.order.kind in FROM_SOLUTION:
            found = self._solved_with("geometric" if task.symmetry == "none" else task.symmetry)
            if isinstance(found, Unsolved):
                raise OptionError(f"order {task.order.name} needs {self.problem.name} solved: {found}")
            solved = found
        return Workspace(self.problem, task, settings, solved=solved, visits=visits)

    def _row(
        self, task: Task, counts: Counter[str], value: int | None = None, stopped: str = "", seconds: float = 0.0
    ) -> Row:
        algorithm, solved = task.algorithm, self.solved
        sizes = (None, None) if solved is None else (solved.tree, solved.least(task.window))
        relative = [None if stopped or size is None else counts["nodes"] / size.nodes for size in sizes]
        has_window = algorithm.windows or algorithm.null_windows
        return Row(
            algorithm=algorithm.name,
            order=task.order.name,
            window=f"null, f={self.settings.guess}" if algorithm.guess else task.window.name,
            table=self.settings.table.name if algorithm.table else "none",
            symmetry=task.symmetry,
            value=None if value is None else self.problem.shown(value),
            bound=None if value is None else task.window.bound(value) if has_window else "exact",
            **{name: counts[name] for name in COUNTED},
            branching=None if stopped else branching_factor(counts["nodes"], counts["deepest"]),
            relative_to_minimax=relative[0],
            relative_to_least=relative[1],
            stopped=stopped or None,
            seconds=round(seconds, 6),
        )


def check_traceable(algorithm: Algorithm) -> None:
    """Raise `OptionError` for a search that does not go depth first."""
    if not algorithm.depth_first:
        raise OptionError(f"{algorithm.name} jumps about in the tree; only depth-first searches can be traced")


def branching_factor(nodes: int, depth: int) -> float | None:
    """The effective branching factor: b with 1 + b + ... + b**depth = nodes (Russell and Norvig, "Artificial
    Intelligence", section 3.6). None without depth.

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


def _spread(numbers: list[int]) -> dict[str, float]:
    """Mean, sample deviation, least, quantiles, greatest."""
    quantiles = np.quantile(numbers, (0.05, 0.25, 0.5, 0.75, 0.95))
    return {
        "mean": statistics.fmean(numbers),
        "deviation": statistics.stdev(numbers) if len(numbers) > 1 else 0.0,
        "least": min(numbers),
        **dict(zip(("q05", "q25", "median", "q75", "q95"), map(float, quantiles), strict=True)),
        "greatest": max(numbers),
    }
