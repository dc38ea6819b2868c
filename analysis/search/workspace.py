"""The memory of one search, and the search itself run in a thread of its own."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

from analysis.engine.compiling.faults import rules_fail, watched
from analysis.engine.kernels.states import canonical_state
from analysis.errors import OptionError, RulesError, TooLargeError
from analysis.machine.memory import Budget, readable
from analysis.search.kernels import layout
from analysis.search.kernels.layout import INFINITY, BudgetSpentError, RoomSpentError, UnknownStateError
from analysis.search.problem import KnownStates, Order, SearchProblem, TablePolicy, Window

MOST_PLIES = 1 << 19
"""Longer lines of play than this are not searched."""

PLIES_UNKNOWN = 1024
"""Room for so many plies where nobody knows the longest line of play."""

FRAME_BYTES = 2048
"""Room on the thread's stack for each ply; the widest search takes a quarter of it."""

POOL_WORDS, NODE_BYTES = 8, 8 * (8 + 1)
"""A node of a best-first search, and with its place in the list of open nodes."""

SCHEMES = {"new": layout.NEW, "old": layout.OLD, "deep": layout.DEEP, "two-deep": layout.TWO_DEEP}
"""Replacement schemes by name; see `transpositions`."""


class Workspace:
    """The fields, rows, table and pool of a search; see `layout`."""

    def __init__(
        self,
        problem: SearchProblem,
        *,
        order: Order = Order(),
        window: Window = Window(),
        strict: bool = False,
        symmetry: str = "none",
        table: TablePolicy | None = None,
        pool: bool = False,
        solved: KnownStates | None = None,
        guess: int = 0,
        most_nodes: int | None = None,
        visits: int = 0,
        visit_plies: int = MOST_PLIES,
        budget: Budget | None = None,
    ) -> None:
        self.problem, self.window, self.guess = problem, window, guess
        self.expand, self.root = problem.expand, problem.root
        self._fields = np.zeros(layout.FIELDS, dtype=np.int64)
        self._kept: list[np.ndarray] = []
        self._budget = budget or Budget.of_machine()
        self.plies = self._plies()
        self._set(layout.MOST_NODES, INFINITY if most_nodes is None else most_nodes)
        self._set(layout.STRICT, int(strict))
        self._set(layout.ALPHA, window.alpha)
        self._set(layout.BETA, window.beta)
        self._make_rows()
        self._make_order(order, solved)
        self._make_group(symmetry if solved is None else solved.symmetry)
        self._set(layout.KEYED, int(symmetry != "none"))
        if problem.tree is not None:
            self._point(layout.TREE, problem.tree)
        if table is not None:
            self._make_table(table)
        if pool:
            self._make_pool()
        if visits:
            self._visits = self._block(layout.VISITS, visits * layout.VISIT)
            self._set(layout.VISIT_CAPACITY, visits)
            self._set(layout.VISIT_PLIES, visit_plies)

    # What the searches use --------------------------------------------------------------------------------------------

    @property
    def address(self) -> int:
        """Where the fields are."""
        return int(self._fields.ctypes.data)

    @property
    def depth(self) -> int:
        """The greatest depth that makes sense: the one asked for, or the longest line of play."""
        return self.plies

    @property
    def horizon(self) -> int:
        """Leaves where the game was not over, since the depth was last set."""
        return self[layout.HORIZON]

    def set_depth(self, depth: int) -> None:
        """Search to this depth from now on; bounds in the table hold for searches of one depth."""
        self._set(layout.LIMIT, depth)
        self._set(layout.DRAFTED, 1)
        self._set(layout.HORIZON, 0)

    def search_pass(self, kernel: Callable[..., int], alpha: int, beta: int) -> int:
        """One more search from the root with this window."""
        if (alpha, beta) != (self.window.alpha, self.window.beta):
            self._set(layout.INSIDE, 0)
        self._set(layout.ALPHA, alpha)
        self._set(layout.BETA, beta)
        self._fields[layout.PASSES] += 1
        return kernel(self.expand, self.address, self.root, 0, alpha, beta)

    def value_of(self, kernel: Callable[..., int], state: int, ply: int) -> int:
        """What a state at this ply below the root is worth, to the depth that is set."""
        return kernel(self.expand, self.address, state, ply, -INFINITY, INFINITY)

    def bisect(self, prove: Callable[..., int]) -> int:
        """The value, by questions whether it is at least a bound; a null window is one question."""
        low, high = self.problem.payoffs
        if self.window.beta - self.window.alpha == 1:
            low, high = self.window.alpha, self.window.beta
        while low < high or self[layout.PASSES] == 0:
            bound = (low + high + 1) // 2
            self._clear_table()
            self._fields[layout.PASSES] += 1
            if prove(self.expand, self.address, self.root, bound):
                low = bound
            else:
                high = bound - 1
        return low

    def point_to_solved(self, table: np.ndarray, bits: int) -> None:
        """Use this hash table of solved states; see `layout.SOLVED`."""
        self._point(layout.SOLVED, table)
        self._set(layout.SOLVED_BITS, bits)

    def canonical_root(self) -> int:
        """The root as it is called in tables."""
        tables = self._kept_group
        return int(canonical_state(self.root, tables, self[layout.CELLS], self[layout.PLANES]))

    # Running ----------------------------------------------------------------------------------------------------------

    def __getitem__(self, field: int) -> int:
        return int(self._fields[field])

    def run(
        self,
        search: Callable[[Workspace], int],
        tick: Callable[[int], None] | None = None,
        *,
        seconds: float | None = None,
    ) -> tuple[int | None, str]:
        """The value that a search finds and why it stopped early (then None and a reason, else an empty string).

        It runs in a thread with a stack as deep as the longest line of play needs; ``tick`` is called with the number
        of nodes so far, ten times a second. Ctrl-C ends it, and so does the time, if it is limited.
        """
        result: list[Any] = []

        def work() -> None:
            try:
                value, error = watched(search, self)
                result.append((value, "") if error is None else rules_fail(self.problem.name, error))
            except BudgetSpentError:
                result.append((None, "max-nodes"))
            except RoomSpentError:
                result.append((None, "memory"))
            except UnknownStateError:
                name = self.problem.name
                result.append(RulesError(f"{name}: play() led to a position that it had not led to before"))
            except BaseException as error:  # handed to the caller
                result.append(error)

        with _deep_stack(self.plies):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        try:
            while thread.is_alive():
                thread.join(max(0.0, min(0.1, deadline - time.monotonic())))
                if thread.is_alive() and time.monotonic() >= deadline:
                    self._set(layout.MOST_NODES, -1)
                    thread.join()
                    result[0] = (None, "seconds") if result[0] == (None, "max-nodes") else result[0]
                if tick is not None and thread.is_alive():
                    tick(self[layout.NODES])
        finally:
            if thread.is_alive():
                self._set(layout.MOST_NODES, -1)
                thread.join()
        if isinstance(result[0], BaseException):
            raise result[0]
        self.check_rules()
        asked = self.problem.depth
        if self[layout.HORIZON] and not result[0][1] and (asked is None or asked > self.plies):
            return None, f"longer than {self.plies} plies"
        return result[0]

    def watched(self, kernel: Callable[..., int], *arguments: Any) -> int:
        """What a kernel returns that asks the rules. Raises `RulesError` where they fail."""
        result, error = watched(kernel, *arguments)
        if error is not None:
            raise rules_fail(self.problem.name, error)
        return result  # type: ignore[return-value]

    def check_rules(self) -> None:
        """Raise `RulesError` if a position was met that is neither over nor has a move."""
        if self[layout.OUTSIDE]:
            position = self.problem.describe(self[layout.OUTSIDE] - 1)
            low, high = self.problem.payoffs
            raise RulesError(f"position {position} counts less than {low} or more than {high}, the bounds in its rules")
        if self[layout.FAULT]:
            position = self.problem.describe(self[layout.FAULT] - 1)
            raise RulesError(f"position {position} has no legal move, but outcome() says that the game goes on")

    def visits(self) -> np.ndarray:
        """The record of visits, int64[visits, VISIT], in the order of visiting."""
        return self._visits.reshape(-1, layout.VISIT)[: self[layout.VISIT_COUNT]]

    # Parts ------------------------------------------------------------------------------------------------------------

    def _set(self, field: int, value: int) -> None:
        self._fields[field] = value

    def _point(self, field: int, array: np.ndarray) -> np.ndarray:
        self._fields[field] = array.ctypes.data
        self._kept.append(array)
        return array

    def _block(self, field: int, words: int) -> np.ndarray:
        if 8 * words > self._budget.limit:
            raise TooLargeError(
                f"a search of {self.problem.name} needs {readable(8 * words)} of memory and may take "
                f"{readable(self._budget.limit)}; allow it more --memory, or search to a smaller --depth"
            )
        return self._point(field, np.zeros(words, dtype=np.int64))

    def _plies(self) -> int:
        problem = self.problem
        plies = min(x for x in (problem.depth, problem.longest, MOST_PLIES) if x is not None)
        if plies == MOST_PLIES and problem.depth is None and problem.longest is None:
            plies = PLIES_UNKNOWN
        if max(problem.depth or 0, problem.longest or 0) > plies == MOST_PLIES:
            raise TooLargeError(f"{problem.name} has lines of play of more than {MOST_PLIES:,} plies")
        return plies

    def _make_rows(self) -> None:
        most = max(2, self.problem.most)  # a leaf writes two words
        self._block(layout.STACK, layout.ROWS * most * (self.plies + 2))
        self._set(layout.MOST, most)
        self._set(layout.CODES, self.problem.codes)
        self._set(layout.LEAST_PAYOFF, self.problem.payoffs[0])
        self._set(layout.MOST_PAYOFF, self.problem.payoffs[1])
        self._set(layout.LIMIT, self.plies)
        self._set(layout.DRAFTED, int(self.problem.depth is not None))

    def _make_order(self, order: Order, solved: KnownStates | None) -> None:
        self._set(layout.ORDER, order.kind)
        self._set(layout.SEED, order.seed)
        if order.kind == layout.RANKED:
            self._point(layout.RANKS, np.array(order.ranks, dtype=np.int64))
        elif order.kind in (layout.KILLER, layout.BY_HISTORY):
            self._block(layout.KILLERS, 2 * (self.plies + 2))
            self._block(layout.HISTORY, 2 * self.problem.codes)
        elif order.kind in (layout.BEST, layout.WORST, layout.LEAST):
            if solved is None:
                raise OptionError(f"order {order.name} needs the solved game")
            self.point_to_solved(solved.table, solved.bits)
            self._point(layout.SOLVED_ROWS, solved.rows)
            self._set(layout.INSIDE, int(solved.inside))

    def _make_group(self, symmetry: str) -> None:
        group = self.problem.group(symmetry)
        tables = group.tables()
        self._kept_group = self._point(layout.GROUP, tables)
        for field, value in (
            (layout.GROUP_ORDER, group.order),
            (layout.GROUP_CHUNKS, tables.shape[1]),
            (layout.CELLS, group.cells),
            (layout.PLANES, group.planes),
        ):
            self._set(field, value)

    def _make_table(self, policy: TablePolicy) -> None:
        if policy.entries is not None:
            self._table = self._block(layout.TABLE, policy.entries * layout.SLOT)
            self._set(layout.POLICY, SCHEMES[policy.scheme])
            self._set(layout.TABLE_SLOTS, policy.entries)
            return
        bits = min(36, (self._budget.limit // (8 * layout.SLOT)).bit_length() - 1)
        self._table = self._reserve(layout.TABLE, layout.SLOT, 1 << bits, 1 << layout.SMALLEST_BITS)
        self._set(layout.TABLE_SLOTS, len(self._table) // layout.SLOT)
        self._set(layout.TABLE_BITS, layout.SMALLEST_BITS)

    def _make_pool(self) -> None:
        nodes = self._budget.limit // NODE_BYTES
        pool = self._reserve(layout.POOL, POOL_WORDS, nodes, 1024)
        heap = self._reserve(layout.HEAP, 1, len(pool) // POOL_WORDS, 1024)
        self._set(layout.POOL_CAPACITY, len(heap))

    def _reserve(self, field: int, words: int, most: int, least: int) -> np.ndarray:
        """Room for as many times ``words`` as the system promises: it provides what is touched."""
        while most >= least:
            with contextlib.suppress(MemoryError):
                return self._point(field, np.zeros(words * most, dtype=np.int64))
            most //= 2
        raise TooLargeError(f"a search of {self.problem.name} needs {readable(8 * words * least)} of memory")

    def _clear_table(self) -> None:
        if self[layout.TABLE]:
            if self[layout.POLICY] == layout.UNLIMITED:
                self._table[: layout.SLOT << self[layout.TABLE_BITS]] = 0
            else:
                self._table[:] = 0
            self._set(layout.ENTRIES, 0)


@contextlib.contextmanager
def _deep_stack(plies: int) -> Iterator[None]:
    """Threads started here have a stack for so many plies."""
    before = threading.stack_size((16 << 20) + plies * FRAME_BYTES)
    if numba.config.DISABLE_JIT:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + 4 * plies))
    try:
        yield
    finally:
        threading.stack_size(before)
