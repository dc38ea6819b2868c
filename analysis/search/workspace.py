"""The memory of one search, and a thread with a deep stack to run it."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from ..common.memory import readable
from ..engine.compiling.faults import failure, rules_fail, watched, wrong_moves
from ..errors import OptionError, RulesError, TooLargeError
from ..rules.keeping import kept_rules
from .catalogue import FROM_SOLUTION, UNBOUNDED, Settings, Task
from .kernels import layout
from .kernels.layout import INFINITY, BudgetSpentError, RoomSpentError, UnknownStateError
from .problem import SearchProblem

if TYPE_CHECKING:
    from .laboratory import SolvedGraph

MOST_PLIES = 1 << 19
"""The longest line of play that is searched."""

PLIES_UNKNOWN = 1024
"""Plies to make room for if the longest line of play is unknown."""

FRAME_BYTES = 2048
"""Stack of the search thread per ply; the widest search uses a quarter of it."""

_STARTING = threading.Lock()
"""Held while a search starts, since the stack size is a setting of the whole process."""

POOL_WORDS, NODE_BYTES = 8, 8 * (8 + 1)  # a node of a best-first search, and with its place in the list of open nodes


class Workspace:
    """The fields, rows, table and pool of a search (see `layout`), for the ``task`` and ``settings`` given.

    ``solved`` is the solved graph, for orders of moves that need it. The record holds ``visits`` visits, of nodes at
    most ``visit_plies`` from the root. Raises `TooLargeError` if a search needs more memory than the settings allow,
    and `OptionError` for an order that needs the solved game if there is none.
    """

    def __init__(
        self,
        problem: SearchProblem,
        task: Task = Task(),
        settings: Settings = UNBOUNDED,
        *,
        solved: SolvedGraph | None = None,
        visits: int = 0,
        visit_plies: int = MOST_PLIES,
    ) -> None:
        self.problem, self.window = problem, task.window
        self.expand, self.root = problem.expand, problem.root
        self._fields = np.zeros(layout.FIELDS, dtype=np.int64)
        self._arrays: list[np.ndarray] = []
        self._limit, self._most_nodes = settings.budget().limit, settings.max_nodes
        self.seconds = 0.0
        """Processor time of the last run."""
        self.plies = _plies(problem)
        """The maximum depth: the one asked for, or the longest line of play."""
        most = max(2, problem.most)  # a leaf writes two words
        self._set(layout.MOST_NODES, settings.max_nodes, settings.strict, self.plies, problem.depth is not None, 0)
        self._set(layout.ALPHA, *self.window.ends, 0, *problem.payoffs)
        self._stack = self._block(layout.STACK, layout.ROWS * most * (self.plies + 2))
        self._set(layout.MOST, most)
        self._make_order(task, solved)
        kind = task.symmetry if solved is None else solved.symmetry
        group = problem.group(kind)
        tables = self._point(layout.GROUP, group.tables)
        self._set(layout.GROUP_ORDER, 0 if problem.reduces(kind) else group.order, tables.shape[1], group.bits)
        self._set(layout.KEYED, task.symmetry != "none")
        if problem.tree is not None:
            self._point(layout.TREE, problem.tree)
        if task.algorithm.table:
            self._make_table(settings)
        if task.algorithm.pool:
            pool = self._reserve(layout.POOL, POOL_WORDS, self._limit // NODE_BYTES, 1024)
            heap = self._reserve(layout.HEAP, 1, len(pool) // POOL_WORDS, 1024)
            self._set(layout.POOL_CAPACITY, len(heap))
        if visits:
            self._visits = self._block(layout.VISITS, visits * layout.VISIT)
            self._set(layout.VISIT_COUNT, 0, visits, visit_plies)

    # What the searches use --------------------------------------------------------------------------------------------

    def __getitem__(self, field: int) -> int:
        return int(self._fields[field])

    @property
    def address(self) -> int:
        """The address of the fields."""
        return int(self._fields.ctypes.data)

    @property
    def horizon(self) -> int:
        """Unfinished leaves since the depth was last set."""
        return self[layout.HORIZON]

    def set_depth(self, depth: int) -> None:
        """Search to this depth from now on, the best moves of the last one first; table bounds hold for one depth.

        Raises `RulesError` if play is longer than the rules' max_plies, and `TooLargeError` if there is no more room.
        """
        if depth > self.plies:
            kind, bound = (RulesError, ", its max_plies") if self.plies == self.problem.longest else (TooLargeError, "")
            raise kind(f"{self.problem.name}: play is longer than {self.plies:,} plies{bound}")
        self._set(layout.LIMIT, depth, 1, 1 if self.problem.evaluation else 2)
        self._set(layout.HORIZON, 0)

    def ask(self, kernel: Callable[..., int], state: int, ply: int, bound: int) -> tuple[int, bool]:
        """Return the bound of a state by `depth_first.bounded`, and whether it holds at any greater depth."""
        self._set(layout.HORIZON, 0)
        return self.value_of(kernel, state, ply, (bound,)), self.horizon == 0

    def search_pass(self, kernel: Callable[..., int], ends: tuple[int, int] | None = None) -> int:
        """Search once more from the root, in the task's window or between ``ends``."""
        if ends not in (None, self.window.ends):
            self._set(layout.INSIDE, 0)
        alpha, beta = ends or self.window.ends
        self._set(layout.ALPHA, alpha, beta)
        self._fields[layout.PASSES] += 1
        return self.value_of(kernel, self.root, 0, (alpha, beta))

    def value_of(
        self, kernel: Callable[..., int], state: int, ply: int, ends: tuple[int, ...] = (-INFINITY, INFINITY)
    ) -> int:
        """Return the value of a state at this ply to the current depth, or a bound; ``ends`` is empty without a
        window.
        """
        return kernel(self.expand, self.address, state, ply, *ends)

    def bisect(self, prove: Callable[..., int]) -> int:
        """Find the value by asking whether it is at least a bound; a null window is one question."""
        low, high = self.window.ends if self.window.null else self.problem.payoffs
        while low < high or self[layout.PASSES] == 0:
            bound = (low + high + 1) // 2
            if self[layout.TABLE]:
                used = layout.SLOT << self[layout.TABLE_BITS] if self[layout.TABLE_BITS] else len(self._table)
                self._table[:used] = 0
                self._set(layout.ENTRIES, 0)
            self._fields[layout.PASSES] += 1
            if prove(self.expand, self.address, self.root, bound):
                low = bound
            else:
                high = bound - 1
        return low

    def point_to_solved(self, table: np.ndarray) -> None:
        """Use this hash table of solved states; see `layout.SOLVED`."""
        self._point(layout.SOLVED, table)
        self._set(layout.SOLVED_BITS, (len(table) // 2).bit_length() - 1)

    def visits(self) -> np.ndarray:
        """Return the record of visits, int64[visits, VISIT], in order."""
        return self._visits.reshape(-1, layout.VISIT)[: self[layout.VISIT_COUNT]]

    # Running ----------------------------------------------------------------------------------------------------------

    def run(
        self,
        search: Callable[[Workspace], int],
        tick: Callable[[int], None] | None = None,
        *,
        seconds: float | None = None,
    ) -> tuple[int | None, str]:
        """Run a search; return its value and an empty string, or None and the reason why it stopped early.

        It runs in a thread whose stack suits the longest line of play; ``tick`` is called with the nodes so far, ten
        times a second. Ctrl-C stops it, and so does the end of the ``seconds`` of processor time. Raises `RulesError`
        if the rules fail, reach an unfinished position without moves, or give payoffs outside their own bounds.
        """
        late, remaining, self.seconds = False, math.inf if seconds is None else seconds, 0.0
        self._set(layout.MOST_NODES, self._most_nodes)
        with ThreadPoolExecutor(1) as thread:
            with deep_stack(self.problem):
                clock = thread.submit(lambda: time.pthread_getcpuclockid(threading.get_ident())).result()
            result = thread.submit(self.finish, search)
            try:
                while wait([result], max(0.001, min(0.1, remaining))).not_done:
                    remaining = math.inf if seconds is None else seconds - time.clock_gettime(clock)
                    if remaining <= 0:
                        late = True
                        break
                    if tick is not None:
                        tick(self[layout.NODES])
            finally:
                if not result.done():
                    self._set(layout.MOST_NODES, -1)
                    wait([result])
                self.seconds = time.clock_gettime(clock)
        value, stopped = result.result()
        return value, "seconds" if late and stopped == "max-nodes" else stopped

    def finish(self, search: Callable[[Workspace], int]) -> tuple[int | None, str]:
        """Run a search as `run` does, in the calling thread, which needs a `deep_stack`."""
        value, stopped = None, ""
        try:
            value = self.watched(search, self)
        except BudgetSpentError:
            stopped = "max-nodes"
        except RoomSpentError:
            stopped = "memory"
        except UnknownStateError:
            text = f"{self.problem.name}: its play() or its symmetries are wrong, see `gametree check`"
            raise RulesError(text) from None
        self.check_rules()
        depth = self.problem.depth
        if self.horizon and not stopped and (depth is None or depth > self.plies):
            return None, f"longer than {self.plies} plies"
        return value, stopped

    def watched(self, kernel: Callable[..., int], *arguments: Any) -> int:
        """Call a kernel that uses the rules. Raises `RulesError` if they fail."""
        result, error = watched(kernel, *arguments)
        if error is not None:
            raise self._fault(error) if self[layout.FAULT] else rules_fail(self.problem.name, error)
        return result  # type: ignore[return-value]

    def check_rules(self) -> None:
        """Raise `RulesError` if the rules failed at a position, or a payoff was out of bounds."""
        if self[layout.OUTSIDE]:
            position = self.problem.describe(self[layout.OUTSIDE] - 1)
            low, high = self.problem.payoffs
            value = "a payoff" if self.problem.evaluation is None else f"a value of {self.problem.evaluation!r}"
            raise RulesError(f"position {position} has {value} outside the bounds {low} to {high} in its rules")
        if self[layout.FAULT]:
            raise self._fault()

    def _fault(self, error: BaseException | None = None) -> RulesError:
        """Describe what is wrong with the rules at the position where they failed."""
        game, state = self.problem.game, self[layout.FAULT] - 1
        assert game is not None  # trees have neither rules nor such positions
        rules = kept_rules(game)
        return wrong_moves(game, rules, state) if error is None else failure(game, rules, [state], error)

    # Parts ------------------------------------------------------------------------------------------------------------

    def _set(self, first: int, *values: int) -> None:
        """Set consecutive fields from ``first`` on."""
        self._fields[first : first + len(values)] = values

    def _point(self, field: int, array: np.ndarray) -> np.ndarray:
        self._fields[field] = array.ctypes.data
        self._arrays.append(array)
        return array

    def _block(self, field: int, words: int) -> np.ndarray:
        if 8 * words > self._limit:
            raise TooLargeError(
                f"a search of {self.problem.name} needs {readable(8 * words)} of memory, but may use "
                f"{readable(self._limit)}; reduce --depth"
            )
        return self._point(field, np.zeros(words, dtype=np.int64))

    def _reserve(self, field: int, words: int, most: int, least: int) -> np.ndarray:
        """Reserve ``words`` times ``most``, halved until the system grants it; it provides only what is touched."""
        while most >= least:
            with contextlib.suppress(MemoryError):
                return self._point(field, np.zeros(words * most, dtype=np.int64))
            most //= 2
        raise TooLargeError(f"a search of {self.problem.name} needs {readable(8 * words * least)} of memory")

    def _make_order(self, task: Task, solved: SolvedGraph | None) -> None:
        order, codes = task.order, self.problem.codes
        self._set(layout.ORDER, order.kind)
        self._set(layout.SEED, order.seed)
        self._set(layout.CODES, codes)
        if order.kind == layout.RANKED:
            self._point(layout.RANKS, np.array(order.ranks, dtype=np.int64))
        elif order.kind in (layout.KILLER, layout.BY_HISTORY):
            self._block(layout.KILLERS, 2 * (self.plies + 2))
            self._block(layout.HISTORY, 2 * codes)
        elif order.kind in FROM_SOLUTION:
            if solved is None:
                raise OptionError(f"order {order.name} needs the solved game")
            self._set(layout.INSIDE, solved.prove(task.window) == "exact")
            self.point_to_solved(solved.table)
            self._point(layout.SOLVED_ROWS, solved.facts)

    def _make_table(self, settings: Settings) -> None:
        if settings.table_entries is not None:
            self._table = self._block(layout.TABLE, settings.table_entries * layout.SLOT)
            self._set(layout.TABLE_SLOTS, settings.table_entries)
            self._set(layout.POLICY, layout.DEEP)
            return
        self._set(layout.POLICY, layout.GROWING if settings.growing else layout.UNLIMITED)
        bits = min(36, (self._limit // (8 * layout.SLOT)).bit_length() - 1)
        self._table = self._reserve(layout.TABLE, layout.SLOT, 1 << bits, 1 << layout.SMALLEST_BITS)
        self._set(layout.TABLE_BITS, layout.SMALLEST_BITS, len(self._table) // layout.SLOT)


def _plies(problem: SearchProblem) -> int:
    """Return the plies to make room for."""
    limits = [plies for plies in (problem.depth, problem.longest) if plies is not None]
    if max(limits, default=0) > MOST_PLIES == min([*limits, MOST_PLIES]):
        raise TooLargeError(f"{problem.name} has lines of play longer than {MOST_PLIES:,} plies")
    return min(limits, default=PLIES_UNKNOWN)


@contextlib.contextmanager
def deep_stack(problem: SearchProblem | None) -> Iterator[None]:
    """Give threads started here a stack for the longest line of play of a problem, if any. Raises `TooLargeError`."""
    plies = 0 if problem is None else _plies(problem)
    with _STARTING:
        before = threading.stack_size((16 << 20) + plies * FRAME_BYTES)
        if numba.config.DISABLE_JIT:
            sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + 4 * plies))
        try:
            yield
        finally:
            threading.stack_size(before)
