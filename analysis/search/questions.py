"""Find values and remoteness by many yes-or-no questions in parallel: see `Inquiry` and `Countdown`.

Whether a position is worth at least some bound is decided by depth-first proof-number search (see `dfpn`), one per
core, each with its own table for one bound. An answer for a move says something about the position before it, and vice
versa; a search is stopped when another one has answered its question.

Whether a position is won within some number of plies is decided by a search limited to a depth at which it counts 0: no
by iterative deepening, with the fewest nodes, and yes by proof-number search, which reuses the tables that have proven
the value. So they close in from both ends. Where the winner gets the best possible payoff, no move of the loser is
worse than another by value: the remoteness is the least number of plies within which the winner can force the end.
"""

from __future__ import annotations

import abc
import dataclasses
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import wait
from typing import Any, NamedTuple

from analysis.machine.memory import Budget
from analysis.machine.workers import processors, thread_pool
from analysis.rules.game import ONGOING
from analysis.search.advice import ROOT
from analysis.search.catalogue import ALGORITHMS, UNBOUNDED, TablePolicy, Task
from analysis.search.kernels import layout
from analysis.search.problem import SearchProblem
from analysis.search.workspace import PLIES_UNKNOWN, Workspace, deep_stack

MOST_MEMORY = 1 << 32
"""Bytes for all tables together."""

TICK_SECONDS = 0.1

FAR = 1 << 30
"""More plies than any game has."""


@dataclasses.dataclass
class Bounds:
    """The interval in which a value, or a number of plies, lies."""

    low: int
    high: int

    @property
    def known(self) -> bool:
        """Whether the interval is a single number."""
        return self.low == self.high

    def narrow(self, low: int, high: int) -> None:
        """Intersect with another interval."""
        self.low, self.high = max(self.low, low), min(self.high, high)


class ProofQuestion(NamedTuple):
    """A yes-or-no question about a position."""

    number: int
    """The position's number."""
    asked: int
    """The bound or the plies asked about."""
    algorithm: str = "dfpn"
    """The search that answers it."""
    turn: int = 0
    """How often it has been asked before."""


Kind = tuple[Any, ...]
"""Algorithm and bound of a search; searches of the same kind can reuse each other's tables."""


class Questions(abc.ABC):
    """Asks questions about positions of a ``problem``, one on each of the ``workers``, as many as `processors`."""

    tables = 1
    """Tables kept for each worker."""

    def __init__(self, problem: SearchProblem | None) -> None:
        self.problem, self.workers = problem, processors()
        self.nodes = 0
        """Nodes searched for questions that are finished."""
        from analysis.search.algorithms.proof_numbers import dfpn  # compiled when it is needed

        self._prove = dfpn
        self._searches: list[tuple[Kind, Workspace]] = []
        """Least recently used first."""
        self._forgetful: set[Kind] = set()
        self._given_up: set[ProofQuestion] = set()
        """Questions whose searches stopped for reasons other than time."""
        self._busy: dict[int, tuple[ProofQuestion, Workspace | None]] = {}
        self._turn, self._stopped = threading.Condition(), False

    def run(self, seconds: float, tick: Callable[[int], None], enough: Callable[[], bool] = lambda: False) -> bool:
        """Ask until nothing is left, ``enough`` says so, or the ``seconds`` are over; return whether they were.
        ``tick`` is called with the nodes so far. Raises `RulesError`.
        """
        ends, late = time.monotonic() + seconds, seconds <= 0
        if late or enough():
            return late
        self._stopped, self._busy = False, {}
        with thread_pool(self.workers) as pool:
            with deep_stack(self.problem):
                running = [pool.submit(self._work, worker, enough) for worker in range(self.workers)]
            try:
                while not late and wait(running, max(0.0, min(TICK_SECONDS, ends - time.monotonic()))).not_done:
                    late = time.monotonic() >= ends
                    with self._turn:
                        if late or enough():
                            self._stop()
                        searches = [search for _, search in self._busy.values() if search is not None]
                    tick(self.nodes + sum(search[layout.NODES] for search in searches))
            finally:
                with self._turn:
                    self._stop()
        for worker in running:
            worker.result()
        return late

    # What to ask, and how to use the answers; all under a lock --------------------------------------------------------

    @abc.abstractmethod
    def _next(self, worker: int) -> ProofQuestion | None:
        """Return the worker's next question, not one that is already being asked."""

    @abc.abstractmethod
    def _asks(self, question: ProofQuestion) -> bool:
        """Return whether the answer is still unknown."""

    @abc.abstractmethod
    def _kind(self, question: ProofQuestion, worker: int) -> Kind:
        """Return the kind of search that answers it."""

    @abc.abstractmethod
    def _ask(self, search: Workspace, question: ProofQuestion) -> int:
        """Search for the answer."""

    @abc.abstractmethod
    def _take_in(self, question: ProofQuestion, worker: int, answer: int | None, search: Workspace | None) -> None:
        """Record an answer, or that there is none."""

    def _most_nodes(self, question: ProofQuestion) -> int:
        return layout.INFINITY

    # Searches ---------------------------------------------------------------------------------------------------------

    def _work(self, worker: int, enough: Callable[[], bool]) -> None:
        try:
            while (question := self._begin(worker)) is not None:
                search = self._busy[worker][1]
                answer, stopped = self._find(question, search)
                with self._turn:
                    self._end(worker, answer, stopped)
                    if enough():
                        self._stop()
        except BaseException:
            with self._turn:
                self._stop()
            raise

    def _find(self, question: ProofQuestion, search: Workspace | None) -> tuple[int | None, str]:
        """Return the answer, and why the search stopped early."""
        assert search is not None
        return search.finish(lambda workspace: self._ask(workspace, question))

    def _begin(self, worker: int) -> ProofQuestion | None:
        """Return a worker's next question; None when no worker has any left."""
        with self._turn:
            while not self._stopped:
                question = self._next(worker)
                if question is not None:
                    self._busy[worker] = question, self._search(question, worker)
                    return question
                if not self._busy:
                    break
                self._turn.wait()
            self._turn.notify_all()
        return None

    def _end(self, worker: int, answer: int | None, stopped: str) -> None:
        question, search = self._busy.pop(worker)
        if search is not None:
            self.nodes += search[layout.NODES]
        if stopped == "memory":
            kind = self._kind(question, worker)
            self._searches = [each for each in self._searches if each[1] is not search]
            self._forgetful.add(kind)
            if search is not None and search[layout.POLICY] == layout.UNLIMITED:
                stopped = "max-nodes"  # ask again, with a table that forgets
        if answer is None and stopped not in ("", "max-nodes"):
            self._given_up.add(question)
        self._take_in(question, worker, answer, search)
        for other, at_work in self._busy.values():
            if at_work is not None and not self._asks(other):
                at_work.stop()
        self._turn.notify_all()

    def _stop(self) -> None:
        self._stopped = True
        for _, search in self._busy.values():
            if search is not None:
                search.stop()
        self._turn.notify_all()

    def _search(self, question: ProofQuestion, worker: int) -> Workspace | None:
        """Return an idle search of the same kind with its table, or a new one."""
        if self.problem is None:
            return None
        kind = self._kind(question, worker)
        busy = [search for _, search in self._busy.values()]
        idle = [each for each in self._searches if each[1] not in busy]
        chosen = next((each for each in idle if each[0] == kind), None)
        if chosen is None:
            if len(self._searches) >= self.workers * self.tables:
                self._searches.remove(idle[0])
            memory = min(Budget.of_machine().limit // 2, MOST_MEMORY) // (self.workers * self.tables)
            forgetful = TablePolicy(memory // (9 * layout.SLOT), "two-deep")
            table = forgetful if kind in self._forgetful else TablePolicy()
            settings = dataclasses.replace(UNBOUNDED, table=table, max_memory=memory)
            chosen = kind, Workspace(self.problem, Task(ALGORITHMS[kind[0]], symmetry="geometric"), settings)
        else:
            self._searches.remove(chosen)
        self._searches.append(chosen)
        chosen[1].begin(self._most_nodes(question))
        return chosen[1]


class AtRoot(Questions):
    """Asks about an ongoing position and its moves, each named by the number of a move or `ROOT`."""

    problem: SearchProblem

    def __init__(self, problem: SearchProblem) -> None:
        super().__init__(problem)
        self.side = problem.side(problem.root)
        self.states = {ROOT: problem.root} | {i: child for i, (_, child) in enumerate(problem.moves(problem.root))}

    @abc.abstractmethod
    def _wanted(self) -> Iterable[ProofQuestion]:
        """Return the open questions in order of preference."""

    @abc.abstractmethod
    def _bound(self, question: ProofQuestion) -> int:
        """Return the bound to search for."""

    @abc.abstractmethod
    def _answer(self, question: ProofQuestion, answers: dict[int, bool]) -> None:
        """Record whether positions are worth at least the bound; answers for moves come with the root's."""

    def _next(self, worker: int) -> ProofQuestion | None:
        asked = {question for question, _ in self._busy.values()} | self._given_up
        return next((question for question in self._wanted() if question not in asked), None)

    def _kind(self, question: ProofQuestion, worker: int) -> Kind:
        return question.algorithm, self._bound(question)

    def _ask(self, search: Workspace, question: ProofQuestion) -> int:
        return self._prove(search.expand, search.address, self.states[question.number], self._bound(question))

    def _take_in(self, question: ProofQuestion, worker: int, answer: int | None, search: Workspace | None) -> None:
        if answer is None:
            return
        answers = {question.number: bool(answer)}
        if question.number == ROOT and question.algorithm == "dfpn" and search is not None:
            proofs = search.row(0, layout.PROOF).tolist()[: len(self.states) - 1]
            answers |= {i: n == 0 for i, n in enumerate(proofs) if n in (0, layout.NEVER)}
        self._answer(question, answers)


class Inquiry(AtRoot):
    """Bounds the values of a position and its moves in a game that always ends.

    ``payoff`` gives the payoff of a finished state. `bounds` holds the results, by number.
    """

    def __init__(self, problem: SearchProblem, payoff: Callable[[int], int]) -> None:
        super().__init__(problem)
        self.bounds = {number: Bounds(*problem.payoffs) for number in self.states}
        for number, state in self.states.items():
            ended = payoff(state)
            if ended != ONGOING:
                self.bounds[number] = Bounds(ended, ended)
        self._conclude()

    @property
    def decided(self) -> bool:
        """Whether the position's value and a move that keeps it are known."""
        root = self.bounds[ROOT]
        return root.known and any(move.known and move.low == root.low for n, move in self.bounds.items() if n != ROOT)

    def learn(self, number: int, low: int, high: int) -> None:
        """Record bounds that are already known for a move or `ROOT`."""
        self.bounds[number].narrow(low, high)
        self._conclude()

    def hand_over(self, kinds: Iterable[Kind]) -> list[tuple[Kind, Workspace]]:
        """Give up the searches of these kinds, with their tables, to the caller."""
        given = [each for each in self._searches if each[0] in kinds]
        self._searches = [each for each in self._searches if each[0] not in kinds]
        return given

    def _asks(self, question: ProofQuestion) -> bool:
        return self.bounds[question.number].low < question.asked <= self.bounds[question.number].high

    def _bound(self, question: ProofQuestion) -> int:
        return question.asked

    def _wanted(self) -> Iterable[ProofQuestion]:
        """Ask about the position first, then moves that may be as good, then the others."""
        for number in sorted(self.bounds, key=lambda n: (n != ROOT, not self._may_keep(n), n)):
            bounds, first = self.bounds[number], self._first(number)
            parts, span = self.workers + 1, bounds.high - bounds.low
            inside = {bounds.low + 1 + (span - 1) * part // parts for part in range(1, parts)} if span else set()
            inside |= {bound for bound in (first, first + 1) if bounds.low < bound <= bounds.high}
            chosen = sorted(inside, key=lambda bound: abs(bound - first))[: self.workers]
            yield from (ProofQuestion(number, bound) for bound in chosen)

    def _first(self, number: int) -> int:
        """Choose the first bound to ask about: whether a move keeps the value, else the middle."""
        root, bounds = self.bounds[ROOT], self.bounds[number]
        if number != ROOT and root.known and self._may_keep(number):
            return root.low + (self.side < 0)
        return (bounds.low + bounds.high + 1) // 2

    def _may_keep(self, number: int) -> bool:
        root, bounds = self.bounds[ROOT], self.bounds[number]
        return bounds.high >= root.low if self.side > 0 else bounds.low <= root.high

    def _answer(self, question: ProofQuestion, answers: dict[int, bool]) -> None:
        least, greatest = self.problem.payoffs
        for number, is_so in answers.items():
            self.bounds[number].narrow(*((question.asked, greatest) if is_so else (least, question.asked - 1)))
        self._conclude()

    def _conclude(self) -> None:
        """Narrow the position by its moves, and the moves by the position."""
        root, moves = self.bounds[ROOT], [self.bounds[number] for number in self.bounds if number != ROOT]
        best = max if self.side > 0 else min
        root.narrow(best(move.low for move in moves), best(move.high for move in moves))
        least, greatest = self.problem.payoffs
        for move in moves:
            move.narrow(*((least, root.high) if self.side > 0 else (root.low, greatest)))
        may_keep = [number for number in self.bounds if number != ROOT and self._may_keep(number)]
        if len(may_keep) == 1:
            self.bounds[may_keep[0]].narrow(root.low, root.high)


class Countdown(AtRoot):
    """Finds the remoteness of an ``inquiry``'s position and moves, reusing its searches.

    ``values`` maps numbers, most wanted first, to values: each the greatest payoff and above 0, or the least and below
    0. ``searched`` gives the plies within which a number is known not to be won.
    """

    def __init__(self, inquiry: Inquiry, values: Mapping[int, int], searched: Mapping[int, int]) -> None:
        from analysis.search.algorithms.depth_first import alphabeta_table

        most = inquiry.problem.longest or PLIES_UNKNOWN
        super().__init__(dataclasses.replace(inquiry.problem, depth=most))
        self.values, self._most = values, most
        self.plies = {number: Bounds(searched[number] + 1, FAR) for number in values}
        self._deepen = alphabeta_table
        self._deepened: dict[tuple[Workspace, int], int] = {}
        self._searches = inquiry.hand_over([("dfpn", _bound_of(value)) for value in values.values()])
        for (_, bound), search in self._searches:
            search.forget_depths(bound)
            search.problem = self.problem

    def _bound(self, question: ProofQuestion) -> int:
        return _bound_of(self.values[question.number])

    def _asks(self, question: ProofQuestion) -> bool:
        return self.plies[question.number].low <= question.asked < self.plies[question.number].high

    def _wanted(self) -> Iterable[ProofQuestion]:
        for number, plies in self.plies.items():
            mover = self.side if number == ROOT else self.problem.side(self.states[number])
            last = self.values[number] * mover > 0  # the winner mostly makes the last move: then the number is odd
            first = plies.low + (plies.low % 2 != last)
            asked = [ProofQuestion(number, plies.low, "iterative")]
            asked += [ProofQuestion(number, depth) for depth in dict.fromkeys((first, plies.high - 1, first + 2))]
            yield from (each for each in asked if self._asks(each) and each.asked <= self._most)

    def _ask(self, search: Workspace, question: ProofQuestion) -> int:
        if question.algorithm == "dfpn":
            search.set_depth(question.asked)
            return super()._ask(search, question)
        state, bound, reached, value = self.states[question.number], self._bound(question), (search, question.number), 0
        for depth in range(min(self._deepened.get(reached, 0) + 1, question.asked), question.asked + 1):
            search.set_depth(depth)
            value = search.value_of(self._deepen, state, 0, (bound - 1, bound))
            self._deepened[reached] = depth
        return value >= bound

    def _answer(self, question: ProofQuestion, answers: dict[int, bool]) -> None:
        wins = self.values[question.number] > 0
        for number, is_so in answers.items():
            if self.values.get(number) == self.values[question.number]:
                depth = question.asked - (number != question.number)
                self.plies[number].narrow(*((0, depth) if is_so == wins else (depth + 1, FAR)))
        root = self.plies.get(ROOT)
        if root is None or not root.known:
            return
        first = self.side * self.values[ROOT] > 0
        for number, plies in self.plies.items():  # the position bounds the moves that keep its value
            if number != ROOT and self.values[number] == self.values[ROOT]:
                plies.narrow(*((root.high - 1, FAR) if first else (0, root.high - 1)))


def _bound_of(value: int) -> int:
    """Return the bound that decides whether the winner gets a value."""
    return value if value > 0 else value + 1
