"""What a position and its moves are worth, by many yes-or-no questions at once: is it worth at least so much?

Each is answered by depth-first proof-number search (see `algorithms.dfpn`), one on each core, each with a table of its
own for one bound. An answer for a move says something of the position before it, and the other way round, so that many
questions need not be asked; a search whose question is answered by another one is stopped.
"""

from __future__ import annotations

import abc
import dataclasses
import importlib
import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

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


class Question(NamedTuple):
    """A yes-or-no question."""

    number: int
    """Of the position that it is about."""
    asked: int
    """What it is asked about it."""
    algorithm: str = "dfpn"
    """What searches for the answer."""


Kind = tuple[str, int]
"""Of a search: the algorithm, and the bound that it asks for. Those of one kind can go on with each other's tables."""


class Questions(abc.ABC):
    """Asks of a position in which the game goes on, and of its moves, of a game that always ends.

    A question is about the position of a number, a move or the `ROOT`, and has a second number. ``problem`` is the
    position to be searched to the end, ``workers`` how many searches run at once.
    """

    def __init__(self, problem: SearchProblem, workers: int) -> None:
        self.problem, self.side, self.workers = problem, problem.side(problem.root), workers
        self.states = {ROOT: problem.root} | {i: child for i, (_, child) in enumerate(problem.moves(problem.root))}
        self.nodes = 0
        self._prove = importlib.import_module("analysis.search.algorithms.dfpn").prove  # compiled when it is needed
        self._searches: dict[Kind, list[Workspace]] = {}
        self._given_up: set[Question] = set()
        self._forgetful: set[Kind] = set()

    def run(self, seconds: float, progress: Callable[[int], None], enough: Callable[[], bool] = lambda: False) -> None:
        """Ask until all is known, there is ``enough``, or the time is over. ``progress`` is told the nodes so far."""
        ends = time.monotonic() + seconds
        running: dict[Future[tuple[int | None, str]], tuple[Question, Workspace]] = {}
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while not enough() and time.monotonic() < ends:
                    for question in itertools.islice(self._open(running.values()), self.workers - len(running)):
                        search = self._search(self._kind(question), [busy for _, busy in running.values()])
                        running[pool.submit(self._ask, search, question, ends)] = question, search
                    if not running:
                        return
                    done, _ = wait(running, max(0.0, min(TICK_SECONDS, ends - time.monotonic())), FIRST_COMPLETED)
                    for future in done:
                        question, search = running.pop(future)
                        self.nodes += search.begin()
                        self._take_in(question, *future.result(), search)
                    for question, search in running.values():
                        if not self._asks(question):
                            search.stop()
                    progress(self.nodes + sum(search[layout.NODES] for _, search in running.values()))
            finally:
                for _, search in running.values():
                    search.stop()

    def hand_over(self, kind: Kind) -> list[Workspace]:
        """The searches of a kind that have been made, with what is in their tables; they are used here no more."""
        return self._searches.pop(kind, [])

    # What is asked ----------------------------------------------------------------------------------------------------

    @abc.abstractmethod
    def _asks(self, question: Question) -> bool:
        """Whether its answer is not known."""

    @abc.abstractmethod
    def _wanted(self) -> Iterable[Question]:
        """What is to be asked, in this order."""

    @abc.abstractmethod
    def _bound(self, question: Question) -> int:
        """The bound that is searched for."""

    @abc.abstractmethod
    def _answer(self, question: Question, answer: bool, proofs: list[int]) -> None:
        """Take in an answer. One of the position comes with the proof numbers of its moves."""

    def _kind(self, question: Question) -> Kind:
        return question.algorithm, self._bound(question)

    def _open(self, running: Iterable[tuple[Question, Workspace]]) -> list[Question]:
        """What is to be asked next."""
        asked = {question for question, _ in running} | self._given_up
        return [question for question in self._wanted() if question not in asked]

    def _ask(self, search: Workspace, question: Question, ends: float) -> tuple[int | None, str]:
        """1 or 0, or None and why the search stopped."""
        state, bound = self.states[question.number], self._bound(question)
        return search.run(lambda w: self._prove(w.expand, w.address, state, bound), seconds=ends - time.monotonic())

    def _take_in(self, question: Question, answer: int | None, stopped: str, search: Workspace) -> None:
        """Take in an answer, or that there is none."""
        if stopped == "memory":
            self._searches[self._kind(question)].remove(search)
            self._forgetful.add(self._kind(question))
            if search[layout.POLICY] == layout.UNLIMITED:  # ask again, with a table that forgets
                return
        if answer is not None:
            proofs = search.row(0, layout.PROOF).tolist()[: len(self.states) - 1]
            self._answer(question, bool(answer), proofs if question.number == ROOT else [])
        elif stopped not in ("seconds", "max-nodes"):  # which may be asked again with more time
            self._given_up.add(question)

    # Searches ---------------------------------------------------------------------------------------------------------

    def _search(self, kind: Kind, busy: list[Workspace]) -> Workspace:
        """A search of this kind that is not at work; its table has what it found before."""
        kept = self._searches.setdefault(kind, [])
        idle = [search for search in kept if search not in busy]
        if idle:
            idle[0].begin()
            return idle[0]
        for searches in self._searches.values():  # others make room
            searches[:] = [search for search in searches if search in busy]
        kept.append(Workspace(self.problem, Task(ALGORITHMS[kind[0]], symmetry="geometric"), self._settings(kind)))
        return kept[-1]

    def _settings(self, kind: Kind) -> Settings:
        """A table that grows, which a short search does not wait for, or else one that forgets what is least deep."""
        memory = min(Budget.of_machine().limit // 2, MOST_MEMORY) // self.workers
        forgetful = TablePolicy(memory // (9 * layout.SLOT), "two-deep")
        table = forgetful if kind in self._forgetful else TablePolicy()
        return dataclasses.replace(UNBOUNDED, table=table, max_memory=memory)


class Inquiry(Questions):
    """Asks whether the position and its moves are worth at least so much; `bounds` has what is known, by number.

    ``workers`` is by default one a core.
    """

    def __init__(self, problem: SearchProblem, payoff: Callable[[int], int], workers: int | None = None) -> None:
        super().__init__(problem, workers or processors())
        self.bounds = {number: Bounds(*problem.payoffs) for number in self.states}
        for number, state in self.states.items():
            ended = payoff(state)
            if ended != ONGOING:
                self.bounds[number] = Bounds(ended, ended)
        self._conclude()

    @property
    def decided(self) -> bool:
        """Whether the value of the position is known, and a move that keeps it."""
        root, moves = self.bounds[ROOT], [self.bounds[number] for number in self.bounds if number != ROOT]
        return root.known and any(move.known and move.low == root.low for move in moves)

    @property
    def complete(self) -> bool:
        """Whether the value of every move is known."""
        return all(bounds.known for bounds in self.bounds.values())

    def learn(self, number: int, low: int, high: int) -> None:
        """Take in what is known already of a move, or of the `ROOT`."""
        self.bounds[number].narrow(low, high)
        self._conclude()

    def _asks(self, question: Question) -> bool:
        """Whether it is not known if that value is at least so much."""
        return self.bounds[question.number].low < question.asked <= self.bounds[question.number].high

    def _bound(self, question: Question) -> int:
        return question.asked

    def _wanted(self) -> Iterable[Question]:
        """Of the position first, then of the moves that may be as good, then of the others."""
        for number in sorted(self.bounds, key=lambda n: (n != ROOT, not self._may_keep(n), n)):
            bounds, first = self.bounds[number], self._first(number)
            parts, span = self.workers + 1, bounds.high - bounds.low
            inside = {bounds.low + 1 + (span - 1) * part // parts for part in range(1, parts)} if span else set()
            inside |= {bound for bound in (first, first + 1) if bounds.low < bound <= bounds.high}
            chosen = sorted(inside, key=lambda bound: abs(bound - first))[: self.workers]
            yield from (Question(number, bound) for bound in chosen)

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

    def _answer(self, question: Question, answer: bool, proofs: list[int]) -> None:
        answers = {question.number: answer} | {i: n == 0 for i, n in enumerate(proofs) if n in (0, layout.NEVER)}
        least, greatest = self.problem.payoffs
        for about, is_so in answers.items():
            self.bounds[about].narrow(*((question.asked, greatest) if is_so else (least, question.asked - 1)))
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
