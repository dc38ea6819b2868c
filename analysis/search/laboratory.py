"""The pruning laboratory: run searches on one position and compare what they visit."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from analysis.errors import OptionError, TooLargeError
from analysis.machine.memory import Budget, readable
from analysis.machine.workers import Progress, no_progress
from analysis.rules.symmetry import check_kind
from analysis.search.catalogue import Algorithm
from analysis.search.kernels import layout
from analysis.search.orders import CUTTING, FROM_SOLUTION, parse_order
from analysis.search.problem import Order, SearchProblem, TablePolicy, Window
from analysis.search.solved_graph import MOST_CLASSES, SolvedGraph, solve_problem
from analysis.search.visits import Visit, read_visits
from analysis.search.workspace import Workspace

MOST_NODES = 1_000_000_000
"""The default of --max-nodes."""

UNSOLVED = f"it has more than {MOST_CLASSES:,} classes of positions, no end, or no room in --memory"

MOST_INDENTED = 50_000_000
"""Bytes of indentation that a trace may have."""

MOST_MEMORY = 2_000_000_000
"""Bytes that a search's table or nodes may take by default."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """What all searches of a comparison have in common."""

    strict: bool = False
    table: TablePolicy = dataclasses.field(default_factory=TablePolicy)
    guess: int = 0
    max_nodes: int = MOST_NODES
    max_memory: int = MOST_MEMORY


@dataclasses.dataclass(frozen=True)
class Row:
    """One search: what it was asked, and what it did; see docs/pruning.md for every count."""

    algorithm: str
    order: str
    window: str
    table: str
    symmetry: str
    value: int | None
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


@dataclasses.dataclass(frozen=True)
class Task:
    """One search to be done."""

    algorithm: Algorithm
    order: Order
    window: Window
    symmetry: str


class Laboratory:
    """A problem, solved if it is small enough, and the searches that are run on it."""

    def __init__(
        self, problem: SearchProblem, settings: Settings = Settings(), *, progress: Progress = no_progress
    ) -> None:
        self.problem, self.settings, self._progress = problem, settings, progress
        self._solved: dict[str, SolvedGraph | None] = {}
        self._runs: dict[str, Any] = {}
        if problem.longest is None and self.solved is not None:
            self.problem = dataclasses.replace(problem, longest=self.solved.longest)
        self.horizon = 0
        """Leaves of the last search where the game was not over."""

    @property
    def solved(self) -> SolvedGraph | None:
        """The graph below the root, or None where it is too large."""
        return self._solved_with("geometric")

    def tasks(
        self,
        algorithms: Sequence[Algorithm],
        orders: Sequence[Order] = (Order(),),
        windows: Sequence[Window] = (Window(),),
        symmetries: Sequence[str] = ("none",),
    ) -> list[Task]:
        """Every combination that differs: a search that has no window, table or cutoffs keeps its usual setting."""
        for kind in symmetries:
            check_kind(kind)
        found: dict[tuple[str, str, str, str], Task] = {}
        for algorithm in algorithms:
            for order in orders:
                for window in windows:
                    for symmetry in symmetries:
                        task = _task(algorithm, order, window, symmetry)
                        found[algorithm.name, task.order.name, task.window.name, task.symmetry] = task
        return list(found.values())

    def compare(self, tasks: Sequence[Task]) -> list[Row]:
        """Run all searches, one after the other."""
        return list(self.rows(tasks))

    def rows(self, tasks: Sequence[Task]) -> Iterator[Row]:
        """The rows, as they are done."""
        for number, task in enumerate(tasks):
            yield self.run(task, f"{task.algorithm.name} ({number + 1} of {len(tasks)})")

    def run(self, task: Task, stage: str = "") -> Row:
        """One search."""
        tree = self.solved.tree if self.solved is not None else None
        if task.algorithm.name == "minimax" and tree is not None and tree.nodes > self.settings.max_nodes:
            return self._row(task, None, "max-nodes", 0.0, {"nodes": tree.nodes, "leaves": tree.leaves})
        run = self._load(task.algorithm)
        try:
            workspace = self._workspace(task)
        except TooLargeError:
            return self._row(task, None, "memory", 0.0, {"nodes": 0})
        total = float(tree.nodes) if task.algorithm.name == "minimax" and tree is not None else None
        began = time.perf_counter()
        value, stopped = workspace.run(run, lambda nodes: self._progress(stage, nodes, total))
        seconds = time.perf_counter() - began
        self.horizon = workspace.horizon
        return self._row(task, value, stopped, seconds, _counts(workspace))

    def visits(self, task: Task, most: int) -> list[Visit]:
        """The visits of a depth-first search. Raises `OptionError` for another, or for more visits than ``most``."""
        if not task.algorithm.depth_first:
            raise OptionError(f"{task.algorithm.name} jumps about in the tree; only depth-first searches can be traced")
        run = self._load(task.algorithm)
        workspace = self._workspace(task, visits=most, most_nodes=most)
        _, stopped = workspace.run(run)
        if stopped:
            reason = f"visits more than {most:,} nodes" if stopped == "max-nodes" else f"stops: {stopped}"
            raise OptionError(f"{task.algorithm.name} {reason}, too much to trace; try --depth")
        record = workspace.visits()
        indented = 3 * int(record[:, layout.VISIT_PLY].sum())
        if indented > MOST_INDENTED:
            raise OptionError(f"a trace of {len(record):,} nodes this deep is {readable(indented)}; try --depth")
        return read_visits(self.problem, record)

    def distribution(
        self, algorithm: Algorithm, window: Window, symmetry: str, times: int, first_seed: int
    ) -> dict[str, Any]:
        """Nodes and leaves over so many random orders, seeds from ``first_seed`` on."""
        rows = []
        for number in range(times):
            task = _task(algorithm, parse_order(f"random:{first_seed + number}", self.problem), window, symmetry)
            row = self.run(task)
            self._progress(f"{algorithm.name}, random orders", number, times)
            if row.stopped:
                raise OptionError(
                    f"{algorithm.name} did not finish with order random:{first_seed + number}: {row.stopped}"
                )
            rows.append(row)
        return {
            "algorithm": algorithm.name,
            "orders": f"random:{times}",
            "first_seed": first_seed,
            "window": rows[0].window,
            "table": rows[0].table,
            "symmetry": rows[0].symmetry,
            "value": rows[0].value,
            **{f"nodes_{name}": number for name, number in _spread([row.nodes for row in rows]).items()},
            **{f"leaves_{name}": number for name, number in _spread([row.leaves for row in rows]).items()},
            "seconds": round(sum(row.seconds for row in rows), 6),
        }

    # Parts ------------------------------------------------------------------------------------------------------------

    def _load(self, algorithm: Algorithm) -> Any:
        if algorithm.name not in self._runs:
            self._progress(f"compiling {algorithm.name} (the first time only)", 0, None)
            self._runs[algorithm.name] = algorithm.load()
        return self._runs[algorithm.name]

    def _solved_with(self, symmetry: str) -> SolvedGraph | None:
        if symmetry not in self._solved:
            self._solved[symmetry] = solve_problem(
                self.problem, symmetry=symmetry, budget=self._budget(), progress=self._progress
            )
        return self._solved[symmetry]

    def _budget(self) -> Budget:
        return Budget(min(self.settings.max_memory, Budget.of_machine().limit))

    def _workspace(self, task: Task, visits: int = 0, most_nodes: int | None = None) -> Workspace:
        solved = None
        if task.order.kind in FROM_SOLUTION:
            solved = self._solved_with("geometric" if task.symmetry == "none" else task.symmetry)
            if solved is None:
                raise OptionError(f"order {task.order.name} needs {self.problem.name} solved, which is not: {UNSOLVED}")
        return Workspace(
            self.problem,
            order=task.order,
            window=task.window,
            strict=self.settings.strict,
            symmetry=task.symmetry,
            table=self.settings.table if task.algorithm.table else None,
            pool=task.algorithm.pool,
            solved=None if solved is None else solved.known_states(task.window),
            guess=self.settings.guess,
            most_nodes=self.settings.max_nodes if most_nodes is None else most_nodes,
            visits=visits,
            budget=self._budget(),
        )

    def _row(self, task: Task, value: int | None, stopped: str, seconds: float, counts: dict[str, int]) -> Row:
        algorithm, deepest = task.algorithm, counts.pop("deepest", 0)
        tree = self.solved.tree if self.solved is not None else None
        least = self.solved.least(task.window) if self.solved is not None else None
        nodes = counts["nodes"]
        window = task.window.name if not algorithm.guess else f"null, f={self.settings.guess}"
        return Row(
            algorithm=algorithm.name,
            order=task.order.name,
            window=window,
            table=self.settings.table.name if algorithm.table else "none",
            symmetry=task.symmetry,
            value=value,
            bound=None if value is None else _bound(algorithm, task.window, value),
            **{name: counts.get(name, 0) for name in _COUNTED if name != "deepest"},
            branching=None if stopped else branching_factor(nodes, deepest),
            relative_to_minimax=None if stopped or tree is None else nodes / tree.nodes,
            relative_to_least=None if stopped or least is None else nodes / least.nodes,
            stopped=stopped or None,
            seconds=round(seconds, 6),
        )


_COUNTED = {
    "nodes": layout.NODES,
    "leaves": layout.LEAVES,
    "cutoffs": layout.CUTOFFS,
    "cutoffs_effective": layout.EFFECTIVE,
    "table_hits": layout.HITS,
    "table_entries": layout.ENTRIES,
    "passes": layout.PASSES,
    "deepest": layout.DEEPEST,
}


def _counts(workspace: Workspace) -> dict[str, int]:
    counts = {name: workspace[field] for name, field in _COUNTED.items()}
    counts["passes"] = max(1, counts["passes"])
    counts["nodes"] = min(counts["nodes"], workspace[layout.MOST_NODES])  # the one too many was not visited
    return counts


def _task(algorithm: Algorithm, order: Order, window: Window, symmetry: str) -> Task:
    null = window.beta - window.alpha == 1
    keeps_window = algorithm.windows or (algorithm.null_windows and null)
    return Task(
        algorithm,
        order if algorithm.cuts or order.kind not in CUTTING else Order(),
        window if keeps_window else Window(),
        symmetry if algorithm.table else "none",
    )


def _bound(algorithm: Algorithm, window: Window, value: int) -> str:
    return window.bound(value) if algorithm.windows or algorithm.null_windows else "exact"


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
