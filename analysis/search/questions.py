"""What a position and its moves are worth, by many yes-or-no questions at once: is it worth at least so much?

Each is answered by depth-first proof-number search (see `algorithms.dfpn`), one on each core, each with a table of its
own for one bound. An answer for a move says something of the position before it, and the other way round, so that many
questions need not be asked; a search whose question is answered by another one is stopped.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from analysis.machine.memory import Budget
from analysis.machine.workers import processors
from analysis.rules.game import ONGOING
from analysis.search.catalogue import ALGORITHMS, UNBOUNDED, Settings, TablePolicy, Task
from analysis.search.kernels import layout
from analysis.search.problem import SearchProblem
from analysis.search.workspace import Workspace

MOST_MEMORY = 1 << 32
"""Bytes that all tables may take."""

TICK_SECONDS = 0.1

ROOT = -1
"""The number of the position itself; its moves count from 0."""


@dataclasses.dataclass
class Bounds:
    """Between what the value of a position lies."""

    low: int
    high: int

    @property
    def known(self) -> bool:
        """Whether nothing is left to ask."""
        return self.low == self.high

    def narrow(self, low: int, high: int) -> None:
        """Take in what else is known."""
        self.low, self.high = max(self.low, low), min(self.high, high)


class Inquiry:
    """Asks of a position in which the game goes on, and of its moves, of a game that always ends.

    ``problem`` is the position to be searched to the end, ``workers`` how many searches run at once (default: one a
    core). `bounds` has what is known, by the number of the move, or `ROOT`.
    """

    def __init__(self, problem: SearchProblem, payoff: Callable[[int], int], workers: int | None = None) -> None:
        self.problem, self.side = problem, problem.side(problem.root)
        self.workers = workers or processors()
        self.states = {ROOT: problem.root} | {i: child for i, (_, child) in enumerate(problem.moves(problem.root))}
        self.bounds = {number: Bounds(*problem.payoffs) for number in self.states}
        for number, state in self.states.items():
            ended = payoff(state)
            if ended != ONGOING:
                self.bounds[number] = Bounds(ended, ended)
        self._prove = importlib.import_module("analysis.search.algorithms.dfpn").prove  # compiled when it is needed
        self._searches: dict[int, list[Workspace]] = {}
        self._given_up: set[tuple[int, int]] = set()
        self._forgetful: set[int] = set()
        self.nodes = 0
        self._conclude()

    @property
    def decided(self) -> bool:
        """Whether the value of the position is known, and a move that keeps it."""
        root, moves = self.bounds[ROOT], [self.bounds[number] for number in self.bounds if number != ROOT]
        return root.known and any(move.known and move.low == root.low for move in moves)

    def learn(self, number: int, low: int, high: int) -> None:
        """Take in what is known already of a move, or of the `ROOT`."""
        self.bounds[number].narrow(low, high)
        self._conclude()

    def run(self, seconds: float, progress: Callable[[int], None], enough: Callable[[], bool] = lambda: False) -> None:
        """Ask until all is known, there is ``enough``, or the time is over. ``progress`` is told the nodes so far."""
        ends = time.monotonic() + seconds
        running: dict[Future[tuple[int | None, str]], tuple[int, int, Workspace]] = {}
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while not enough() and time.monotonic() < ends:
                    for number, bound in itertools.islice(self._open(running.values()), self.workers - len(running)):
                        search = self._search(bound, [busy for *_, busy in running.values()])
                        running[pool.submit(self._ask, search, number, bound, ends)] = number, bound, search
                    if not running:
                        return
                    done, _ = wait(running, TICK_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        number, bound, search = running.pop(future)
                        self.nodes += search.begin()
                        self._answer(number, bound, *future.result(), search)
                    for number, bound, search in running.values():
                        if not self._asks(number, bound):
                            search.stop()
                    progress(self.nodes + sum(search[layout.NODES] for *_, search in running.values()))
            finally:
                for *_, search in running.values():
                    search.stop()

    # Questions --------------------------------------------------------------------------------------------------------

    def _asks(self, number: int, bound: int) -> bool:
        """Whether it is not known if that value is at least so much."""
        return self.bounds[number].low < bound <= self.bounds[number].high

    def _open(self, running: Iterable[tuple[int, int, Workspace]]) -> list[tuple[int, int]]:
        """What is to be asked next: of the position, then of the moves that may be as good, then of the others."""
        asked = {(number, bound) for number, bound, _ in running} | self._given_up
        found = []
        for number in sorted(self.bounds, key=lambda n: (n != ROOT, not self._may_keep(n), n)):
            bounds, first = self.bounds[number], self._first(number)
            parts, span = self.workers + 1, bounds.high - bounds.low
            inside = {bounds.low + 1 + (span - 1) * part // parts for part in range(1, parts)} if span else set()
            inside |= {bound for bound in (first, first + 1) if bounds.low < bound <= bounds.high}
            chosen = sorted(inside, key=lambda bound: abs(bound - first))[: self.workers]
            found += [(number, bound) for bound in chosen if (number, bound) not in asked]
        return found

    def _first(self, number: int) -> int:
        """Which bound to ask for first: of a move whether it keeps the value, else what halves what it may be."""
        root, bounds = self.bounds[ROOT], self.bounds[number]
        if number != ROOT and root.known and self._may_keep(number):
            return root.low + (self.side < 0)
        return (bounds.low + bounds.high + 1) // 2

    def _may_keep(self, number: int) -> bool:
        """Whether a move may be worth as much as the position."""
        root, bounds = self.bounds[ROOT], self.bounds[number]
        return bounds.high >= root.low if self.side > 0 else bounds.low <= root.high

    def _ask(self, search: Workspace, number: int, bound: int, ends: float) -> tuple[int | None, str]:
        """1 or 0, or None and why the search stopped."""
        state = self.states[number]
        return search.run(lambda w: self._prove(w.expand, w.address, state, bound), seconds=ends - time.monotonic())

    def _answer(self, number: int, bound: int, answer: int | None, stopped: str, search: Workspace) -> None:
        """Take in an answer. One of the position comes with those of some moves, in the first row of its search."""
        if stopped == "memory":
            self._searches[bound].remove(search)
            self._forgetful.add(bound)
            if search[layout.POLICY] == layout.UNLIMITED:  # ask again, with a table that forgets
                return
        if answer is None:
            self._given_up.add((number, bound))
            return
        answers = {number: bool(answer)}
        if number == ROOT:
            proofs = search.row(0, layout.PROOF).tolist()
            answers |= {i: proofs[i] == 0 for i in range(len(self.states) - 1) if proofs[i] in (0, layout.NEVER)}
        least, greatest = self.problem.payoffs
        for about, is_so in answers.items():
            self.bounds[about].narrow(*((bound, greatest) if is_so else (least, bound - 1)))
        self._conclude()

    def _conclude(self) -> None:
        """What the moves say of the position, and it of them."""
        root, moves = self.bounds[ROOT], [self.bounds[number] for number in self.bounds if number != ROOT]
        best = max if self.side > 0 else min
        root.narrow(best(move.low for move in moves), best(move.high for move in moves))
        least, greatest = self.problem.payoffs
        for move in moves:
            move.narrow(*((least, root.high) if self.side > 0 else (root.low, greatest)))
        may_keep = [number for number in self.bounds if number != ROOT and self._may_keep(number)]
        if len(may_keep) == 1:
            self.bounds[may_keep[0]].narrow(root.low, root.high)

    # Searches ---------------------------------------------------------------------------------------------------------

    def _search(self, bound: int, busy: list[Workspace]) -> Workspace:
        """A search for this bound that is not at work; its table has what it found before."""
        kept = self._searches.setdefault(bound, [])
        idle = [search for search in kept if search not in busy]
        if idle:
            idle[0].begin()
            return idle[0]
        for searches in self._searches.values():  # what has found out about another bound makes room
            searches[:] = [search for search in searches if search in busy]
        kept.append(Workspace(self.problem, Task(ALGORITHMS["dfpn"], symmetry="geometric"), self._settings(bound)))
        return kept[-1]

    def _settings(self, bound: int) -> Settings:
        """A table that grows, which a short search does not wait for, or else one that forgets what is least deep."""
        memory = min(Budget.of_machine().limit // 2, MOST_MEMORY) // self.workers
        forgetful = TablePolicy(memory // (9 * layout.SLOT), "two-deep")
        table = forgetful if bound in self._forgetful else TablePolicy()
        return dataclasses.replace(UNBOUNDED, table=table, max_memory=memory)
