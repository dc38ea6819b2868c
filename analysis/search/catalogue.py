"""The choices of a search: its algorithm, order of moves and window by name, its table, and its limits."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import math
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.memory import Budget
from ..common.wording import did_you_mean, in_words
from ..common.workers import tell_progress
from ..errors import OptionError
from ..games.trees.numbers import NUMBER, parse_number
from .kernels import layout
from .kernels.layout import GREATEST_PAYOFF, INFINITY
from .problem import SearchProblem

if TYPE_CHECKING:
    from .workspace import Workspace

MOST_NODES = 1_000_000_000
"""The default for the maximum nodes of a search."""

MOST_MEMORY = 2_000_000_000
"""The memory of a search's table or nodes, in bytes."""

KINDS = {
    "killer": layout.KILLER,
    "history": layout.BY_HISTORY,
    "best": layout.BEST,
    "worst": layout.WORST,
    "least": layout.LEAST,
}

ORDERS = ("natural", "reverse", "centre-first", *KINDS, "random:SEED", "permutation:CODES")
NAMES = in_words(ORDERS)

CUTTING = (layout.KILLER, layout.BY_HISTORY)
"""Orders that learn from cutoffs, so only searches that cut can use them."""

FROM_SOLUTION = (layout.BEST, layout.WORST, layout.LEAST)
"""Orders that need the solved game."""


@dataclasses.dataclass(frozen=True)
class Window:
    """The open interval in which the root's value is wanted exactly; beyond its ends, bounds will do."""

    alpha: int = -INFINITY
    beta: int = INFINITY
    name: str = "full"

    @property
    def ends(self) -> tuple[int, int]:
        """``alpha`` and ``beta``."""
        return self.alpha, self.beta

    @property
    def null(self) -> bool:
        """Whether no value lies inside, so that only a bound is asked for."""
        return self.beta - self.alpha == 1

    def bound(self, value: int) -> str:
        """Return what a fail-soft search finds of the root's value: ``exact``, or a ``lower`` or ``upper`` bound."""
        return "upper" if value <= self.alpha else "lower" if value >= self.beta else "exact"


@dataclasses.dataclass(frozen=True)
class Order:
    """An order of moves: its kind (see `layout`) and parameters."""

    name: str = "natural"
    kind: int = layout.NATURAL
    ranks: tuple[int, ...] = ()
    """A rank for each move code, the least first."""
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings common to all searches of a comparison."""

    strict: bool = False
    """Cut only where alpha > beta, instead of alpha >= beta."""
    table_entries: int | None = None
    """Positions that a table keeps, where one searched as deep replaces another; None for all."""
    growing: bool = False
    """Whether a table doubles while there is memory and then forgets, instead of stopping the search."""
    max_nodes: int = MOST_NODES
    """Nodes that a search may visit; it stops before one more."""
    max_memory: int = MOST_MEMORY
    """Bytes for the table or the nodes of a search, and for solving the game for its orders."""

    @property
    def table_name(self) -> str:
        """The table in a column of rows."""
        return "unlimited" if self.table_entries is None else f"{self.table_entries} deep"

    def budget(self) -> Budget:
        """Return the memory a search may use, at most the machine's."""
        return Budget(min(self.max_memory, Budget.of_machine().limit))


UNBOUNDED = Settings(max_nodes=INFINITY, max_memory=INFINITY)
"""No limit on nodes, and the memory of the machine."""


def parse_window(text: str, problem: SearchProblem) -> Window:
    """Parse the name of a window for a problem.

    ``full`` holds every value; ``value`` lies between the least and the greatest payoff of a leaf; ``null:B`` holds no
    value (with whole numbers it is B - 1 to B), so only asks whether the value is at least B. Raises `OptionError` for
    any other name, and for ``value`` where all payoffs are equal.
    """
    name, _, parameter = text.strip().partition(":")
    if name == "full" and not parameter:
        return Window()
    if name == "value" and not parameter:
        least, greatest = problem.payoffs
        if least == greatest:
            raise OptionError(f"window value is empty: every payoff of {problem.name} is {problem.shown(least)}")
        return Window(least, greatest, "value")
    if name == "null" and re.fullmatch(NUMBER, parameter):
        bound: Any = parse_number(parameter)
        if math.isfinite(bound):
            beta = max(-GREATEST_PAYOFF, min(problem.place(bound), GREATEST_PAYOFF + 1))  # no leaf lies beyond
            return Window(beta - 1, beta, f"null:{bound}")
    raise OptionError(f"unknown window {text!r}; write full, value or null:B, with B the bound to ask for")


def parse_order(text: str, problem: SearchProblem) -> Order:
    """Parse the name of an order of moves for a problem.

    ``natural`` is by ascending code; ``reverse`` descending; ``centre-first`` by the distance of the cell from the
    centre of the board; ``permutation:402681357`` (or ``4-0-2-...``) by place in the list; ``random:7`` shuffles the
    moves of each position, the same way for one seed. ``killer`` tries the last two moves that cut at the ply first
    (Akl and Newborn 1977), ``history`` those that cut most, each cutoff counting 2**d with d plies to the end
    (Schaeffer 1989). ``best`` and ``worst`` sort by value, ``least`` so that the fewest nodes are visited; ties stay in
    natural order. Raises `OptionError` for any other name, for ``centre-first`` if moves are not cells of a board, and
    for a permutation that does not list every code once.
    """
    name, _, parameter = text.strip().partition(":")
    if name == "natural" and not parameter:
        return Order()
    if name == "reverse" and not parameter:
        return Order("reverse", layout.RANKED, tuple(range(problem.codes))[::-1])
    if name in ("centre-first", "center-first") and not parameter:
        return Order("centre-first", layout.RANKED, _distances(problem))
    if name == "permutation":
        return Order(text.strip(), layout.RANKED, _ranks(parameter, problem))
    if name == "random" and re.fullmatch("[0-9]{1,18}", parameter):
        return Order(text.strip(), layout.RANDOM, seed=int(parameter))
    if name in KINDS and not parameter:
        return Order(name, KINDS[name])
    names = [order.partition(":")[0] for order in ORDERS]
    raise OptionError(f"unknown order {text!r}{did_you_mean(name, names)}; choose from {NAMES}")


def _distances(problem: SearchProblem) -> tuple[int, ...]:
    """Return twice the distance from the centre, squared, for each cell."""
    grid = None if problem.game is None else problem.game.grid(problem.root)
    if not grid or len(grid) * len(grid[0]) != problem.codes:
        raise OptionError(f"order centre-first needs a board whose cells are the moves, unlike {problem.name}")
    rows, cols = len(grid), len(grid[0])
    return tuple((2 * r - rows + 1) ** 2 + (2 * c - cols + 1) ** 2 for r in range(rows) for c in range(cols))


def _ranks(text: str, problem: SearchProblem) -> tuple[int, ...]:
    parts = re.split("[-,]", text) if re.search("[-,]", text) else list(text)
    numbers = [int(part) for part in parts if re.fullmatch("[0-9]+", part)]
    if len(numbers) != len(parts) or sorted(numbers) != list(range(problem.codes)):
        codes = "codes" if problem.tree is None else "places of children (not their names or values)"
        raise OptionError(
            f"permutation {text!r} must list each of the {codes} 0 to {problem.codes - 1} once, as in "
            f"permutation:{'-'.join(map(str, range(problem.codes - 1, -1, -1)))}"
        )
    return tuple(np.argsort(numbers).tolist())


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """A search and the options it uses; its row shows the others at their defaults."""

    name: str
    file: str
    """Its module in `algorithms`."""
    kernel: str = ""
    """The kernel it calls, unless it is one."""
    windows: bool = False
    """Whether it takes a window."""
    null_windows: bool = False
    """Whether it can be asked for a bound only."""
    table: bool = False
    pool: bool = False
    """Whether it keeps nodes of the tree in memory."""
    cuts: bool = False
    """Whether it cuts where alpha >= beta, so that it can learn from cutoffs."""
    depth_first: bool = True
    usual: bool = True
    """Whether it is in the default set: it needs neither a depth nor a budget."""

    @property
    def counts_cuts(self) -> bool:
        """Whether its cutoffs are counted: minimax has 0, other kinds of search have none to count."""
        return self.file == "depth_first"

    @functools.cache  # noqa: B019 - there are as many as searches
    def load(self) -> Callable[[Workspace], int]:
        """Return the search function, with its ``kernel`` compiled.

        A search that proves bounds is run by bisection; one that has a kernel is run as it is; and a kernel is run once
        from the root, with the window if it takes one.
        """
        tell_progress(f"compiling {self.name} (the first time only)", 0, None)
        module = importlib.import_module(f".algorithms.{self.file}", __package__)
        search = getattr(module, self.name)
        _ = getattr(getattr(module, self.kernel or self.name), "compiled", None)
        if self.null_windows and not self.windows:
            return lambda workspace: workspace.bisect(search)
        if self.kernel:
            return search  # type: ignore[no-any-return]
        if self.windows:
            return lambda workspace: workspace.search_pass(search)
        return lambda workspace: workspace.value_of(search, workspace.root, 0, ())


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("minimax", "depth_first"),
        Algorithm("minimax_memo", "depth_first", table=True),
        Algorithm("alphabeta", "depth_first", windows=True, null_windows=True, cuts=True),
        Algorithm("alphabeta_failhard", "depth_first", windows=True, null_windows=True, cuts=True),
        Algorithm("alphabeta_table", "depth_first", windows=True, null_windows=True, table=True, cuts=True),
        Algorithm("negascout", "depth_first", windows=True, null_windows=True, cuts=True),
        Algorithm("mtdf", "depth_first", "alphabeta_table", table=True, cuts=True),
        Algorithm("sss", "best_first", "best_first", pool=True, depth_first=False),
        Algorithm("dual", "best_first", "best_first", pool=True, depth_first=False),
        Algorithm(
            "iterative", "depth_first", "alphabeta_table",
            windows=True, null_windows=True, table=True, cuts=True, usual=False,
        ),
        Algorithm("pns", "proof_numbers", null_windows=True, pool=True, depth_first=False, usual=False),
        Algorithm("dfpn", "proof_numbers", "dfpn_search", null_windows=True, table=True, usual=False),
    )
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Task:
    """One search to run: by default minimax, with the usual settings."""

    algorithm: Algorithm = ALGORITHMS["minimax"]
    order: Order = dataclasses.field(default_factory=Order)
    window: Window = dataclasses.field(default_factory=Window)
    symmetry: str = "none"
    """Classes of positions that the table is keyed by: ``none``, ``geometric`` or ``full``."""

    def effective(self) -> Task:
        """Return the task with the settings that its algorithm ignores at their defaults."""
        algorithm = self.algorithm
        keeps_window = algorithm.windows or (algorithm.null_windows and self.window.null)
        return Task(
            algorithm,
            self.order if algorithm.cuts or self.order.kind not in CUTTING else Order(),
            self.window if keeps_window else Window(),
            self.symmetry if algorithm.table else "none",
        )

    @property
    def title(self) -> str:
        """The name in traces and pictures."""
        symmetry = f", symmetry {self.symmetry}" if self.symmetry != "none" else ""
        return f"{self.algorithm.name}, order {self.order.name}, window {self.window.name}{symmetry}"


def find_algorithms(names: Iterable[str] | None) -> list[Algorithm]:
    """Return the algorithms of these names: by default the usual ones, ``all`` for all. Raises `OptionError`."""
    if names is None:
        return [algorithm for algorithm in ALGORITHMS.values() if algorithm.usual]
    chosen = [choice for name in names for choice in (ALGORITHMS if name == "all" else [name])]
    if unknown := next((name for name in chosen if name not in ALGORITHMS), None):
        choices = f"choose from {', '.join(ALGORITHMS)}, or all"
        raise OptionError(f"unknown algorithm {unknown!r}{did_you_mean(unknown, ALGORITHMS)}; {choices}")
    if not chosen:
        raise OptionError(f"name an algorithm: {', '.join(ALGORITHMS)}, or all")
    return [ALGORITHMS[name] for name in dict.fromkeys(chosen)]
