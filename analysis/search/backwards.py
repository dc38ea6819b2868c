"""What the positions of played games are worth, as far as a given time tells: the end of a game is the easiest part.

Each position is asked yes-or-no questions, is it worth at least so much?, as in `questions`, and each question has few
nodes at first. What stays open waits for its next turn with four times as many, so that a hard position holds up no
easy one; in a turn positions near the end come first. A table that knows what comes after a position answers much of
what is asked of the position itself: each core keeps one for each bound, and works through the same games.

Where a position and the one after a move are known, no more is searched; a move that lost something also has its
alternatives asked whether they would have kept the value. In loopy games, where such searches may not end, `proving`
answers instead, for a fraction of a second at first.
"""

from __future__ import annotations

import dataclasses
import heapq
import importlib
import itertools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from analysis.machine.endings import interrupts
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress, processors
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import find_group
from analysis.search.catalogue import ALGORITHMS, UNBOUNDED, TablePolicy, Task
from analysis.search.kernels import layout
from analysis.search.kernels.layout import BudgetSpentError, RoomSpentError
from analysis.search.problem import SearchProblem, game_problem
from analysis.search.proving import prove
from analysis.search.questions import MOST_MEMORY, TICK_SECONDS, Bounds
from analysis.search.workspace import Workspace

FIRST_NODES, FIRST_SECONDS, GROWTH = 1000, 0.02, 4
"""What a question may take at first, in nodes or, in loopy games, in seconds; and how many times as much at each
further turn.
"""

MOST_TABLES = 4
"""Bounds that each worker keeps a table for: the last ones that were asked for."""

Waits = tuple[int, int, int, int]
"""A position in the queue: its turn, the plies to the end, a number that makes it unique, and its name."""


class Backwards:
    """Searches the positions of lines of play: `add` the lines, then `run`.

    Positions are kept by their least image under the symmetries of the game. ``workers`` search at once (default: one
    a core). Raises `RulesError` for rules that do not compile.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> states = [game.parse_position(text) for text in ("X???O????", "XX??O????", "XX?OO????")]
    >>> search = Backwards(game, workers=1)
    >>> search.add(states)
    >>> search.run(10)
    ''
    >>> [search.value(state) for state in states], search.keeping(states[1])
    ([0, 0, 1], (2,))
    """

    def __init__(self, game: Game, workers: int | None = None) -> None:
        rules = game.rules()
        self.game, self.rules, self.workers = game, rules, workers or processors()
        self.nodes = 0
        """Nodes that were searched so far; in loopy games they are not counted."""
        least, greatest = rules.payoffs
        self._ends = (min(least, 0), max(greatest, 0)) if rules.loopy else (least, greatest)
        self._canonical = rules.canonical or find_group(rules, "geometric").canonical
        self._bounds: dict[int, Bounds] = {}
        self._states: dict[int, int] = {}
        """A state of each name."""
        self._left: dict[int, int] = {}
        """Of positions on lines, plies to the nearest end of one; known once the search begins."""
        self._after, self._before = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        """The names of positions before and after a move of a line."""
        self._wanted: dict[int, set[int]] = {}
        """Of alternatives, which are on no line, the bounds that are asked for."""
        self._compared = set[int]()
        """The names of positions whose moves are all asked about."""
        self._problem = None if rules.loopy else game_problem(game)
        self._queues: list[list[Waits]] = []
        self._lock, self._stopped, self._numbers = threading.Lock(), False, itertools.count()

    # What is known ----------------------------------------------------------------------------------------------------

    def add(self, line: Sequence[int]) -> None:
        """Search these states too, each of which a move of the one before leads to."""
        names = [self._named(state) for state in line]
        for name in names:
            self._left.setdefault(name, 0)
            self._wanted.pop(name, None)
        for before, after in itertools.pairwise(names):
            self._after[before].add(after)
            self._before[after].add(before)

    def value(self, state: int) -> int | None:
        """What a state is worth; None where that is not known."""
        bounds = self._bounds.get(self._canonical(state))
        return bounds.low if bounds is not None and bounds.known else None

    def keeping(self, state: int) -> tuple[int, ...] | None:
        """The codes of the moves that keep the value of a state, ascending; None where that is not known of all."""
        value, side = self.value(state), self.rules.mover(state)
        if value is None:
            return None
        found = []
        for code, child in self.rules.moves(state):
            bounds = self._bounds.get(self._canonical(child))
            if bounds is None or not (bounds.known or self._worse(bounds, side, value)):
                return None
            if bounds.low == bounds.high == value:
                found.append(code)
        return tuple(found)

    @property
    def known(self) -> int:
        """How many of the positions on the lines are known."""
        return sum(self._bounds[name].known for name in self._left)

    def __len__(self) -> int:
        return len(self._left)

    # The search -------------------------------------------------------------------------------------------------------

    def run(self, seconds: float, progress: Progress = no_progress) -> str:
        """Search for so many ``seconds`` at most: an empty string where all is known then, else why it stopped,
        ``seconds`` or ``interrupted`` (by Ctrl-C). ``progress`` is told the seconds and how many positions are known.
        """
        began = time.monotonic()
        for name in [name for name, bounds in self._bounds.items() if bounds.known]:
            self._spread(name)
        self._measure()
        self._queues, self._stopped = self._dealt(), False
        searchers = [_Searcher(self, number) for number in range(self.workers)]
        stopped, running = "", list[Future[None]]()
        with interrupts(), ThreadPoolExecutor(self.workers) as pool:
            try:
                running += [pool.submit(searcher.run) for searcher in searchers]
                while wait(running, TICK_SECONDS).not_done and not stopped:
                    stopped = "seconds" if time.monotonic() - began >= seconds else ""
                    stage = f"searching from the ends backwards, {self.known:,} of {len(self):,} positions known"
                    progress(stage, min(time.monotonic() - began, seconds), seconds)
            except KeyboardInterrupt:
                stopped = "interrupted"
            finally:
                self._stopped = True
                for searcher in searchers:
                    searcher.stop()
        self.nodes += sum(searcher.nodes for searcher in searchers)
        for future in running:
            future.result()
        return stopped

    def take(self, worker: int) -> tuple[Waits, int] | None:
        """A position and the bound to ask for next: of the worker's own, or else of those of another; None where there
        is nothing to ask, or the time is over.
        """
        with self._lock:
            while not self._stopped:
                queue = self._queues[worker] or min(filter(None, self._queues), default=[])
                if not queue:
                    return None
                waits = heapq.heappop(queue)
                bound = self._open(waits[-1])
                if bound is not None:
                    return waits, bound
        return None

    def learn(self, worker: int, waits: Waits, low: int, high: int) -> None:
        """Take in between what the value of a position lies; where that is nothing new, it waits for its next turn."""
        turn, left, _, name = waits
        with self._lock:
            bounds = self._bounds[name]
            news = low > bounds.low or high < bounds.high
            bounds.narrow(low, high)
            if news:
                self._spread(name)
            heapq.heappush(self._queues[worker], (turn + (not news), left, next(self._numbers), name))

    def state(self, waits: Waits) -> int:
        """The state that is asked about."""
        return self._states[waits[-1]]

    @property
    def ends(self) -> tuple[int, int]:
        """Between what all values lie."""
        return self._ends

    @property
    def problem(self) -> SearchProblem | None:
        """The game to be searched; None where it is loopy."""
        return self._problem

    @property
    def stopped(self) -> bool:
        """Whether the time is over."""
        return self._stopped

    # What follows -----------------------------------------------------------------------------------------------------

    def _named(self, state: int) -> int:
        name = self._canonical(state)
        if name not in self._bounds:
            payoff = self.rules.payoff(state)
            self._states[name] = state
            self._bounds[name] = Bounds(*(self._ends if payoff == ONGOING else (payoff, payoff)))
        return name

    def _measure(self) -> None:
        """Find out how far from the ends of lines positions are."""
        nearest = [name for name in self._left if not self._after[name]]
        self._left = dict.fromkeys(self._left, len(self._left)) | dict.fromkeys(nearest, 0)  # the former go in circles
        for name in nearest:
            new = [before for before in self._before[name] if self._left[before] == len(self._left)]
            self._left |= dict.fromkeys(new, self._left[name] + 1)
            nearest += new

    def _side(self, name: int) -> int:
        return self.rules.mover(self._states[name])

    @staticmethod
    def _worse(bounds: Bounds, side: int, value: int) -> bool:
        """Whether a position is worse for a side than this value."""
        return bounds.high < value if side > 0 else bounds.low > value

    def _dealt(self) -> list[list[Waits]]:
        """The queues of all workers; what is on one line is for one of them."""
        owners: dict[int, int] = {}
        queues: list[list[Waits]] = [[] for _ in range(self.workers)]
        lines = itertools.cycle(range(self.workers))
        for name in sorted(self._left, key=self._left.__getitem__):  # ends come before what leads to them
            after = next((owners[child] for child in self._after[name] if child in owners), None)
            owners[name] = next(lines) if after is None else after
            if not self._bounds[name].known:
                queues[owners[name]].append((0, self._left[name], next(self._numbers), name))
        return queues

    def _open(self, name: int) -> int | None:
        """The bound that is to be asked for next; None where nothing is.

        That is first whether the position is worth more to its mover than the move of the line made sure of, which
        seldom happens, then what halves what it may be worth.
        """
        bounds = self._bounds[name]
        if bounds.known:
            return None
        if name in self._wanted:
            return next((bound for bound in self._wanted[name] if bounds.low < bound <= bounds.high), None)
        after = [self._bounds[child] for child in self._after[name]]
        if any(child.low == bounds.low for child in after) and self._side(name) > 0:
            return bounds.low + 1
        if any(child.high == bounds.high for child in after) and self._side(name) < 0:
            return bounds.high
        return (bounds.low + bounds.high + 1) // 2

    def _spread(self, name: int) -> None:
        """What is known of a position says something of those before and after it."""
        waiting = [name]
        for name in waiting:
            for before in self._before[name]:
                waiting += self._compare(before, name)
            for after in self._after[name]:
                waiting += self._compare(name, after)

    def _compare(self, before: int, after: int) -> Iterable[int]:
        """Take in what a position and the one after a move say of each other: a mover gets no less than after any of
        its moves. Returns which of them changed.
        """
        first, second = self._bounds[before], self._bounds[after]
        known = dataclasses.astuple(first), dataclasses.astuple(second)
        least, greatest = self._ends
        if self._side(before) > 0:
            first.narrow(second.low, greatest)
            second.narrow(least, first.high)
        else:
            first.narrow(least, second.high)
            second.narrow(first.low, greatest)
        if first.known and before not in self._compared and self._worse(second, self._side(before), first.low):
            self._compared.add(before)
            self._ask_others(before)
        changed = zip((before, after), known, (first, second), strict=True)
        return [name for name, earlier, now in changed if dataclasses.astuple(now) != earlier]

    def _ask_others(self, before: int) -> None:
        """Find out which moves would have kept the value of a position."""
        side, value = self._side(before), self._bounds[before].low
        least, greatest = self._ends
        for _, child in self.rules.moves(self._states[before]):
            name = self._named(child)
            self._bounds[name].narrow(*((least, value) if side > 0 else (value, greatest)))
            if name in self._left or value + (side < 0) in self._wanted.get(name, ()):
                continue
            self._wanted.setdefault(name, set()).add(value + (side < 0))
            if self._queues:
                queue = self._queues[next(self._numbers) % self.workers]
                heapq.heappush(queue, (0, self._left[before], next(self._numbers), name))


class _Searcher:
    """Asks one question after the other, with tables of its own."""

    def __init__(self, search: Backwards, number: int) -> None:
        self._all, self._number = search, number
        self._spaces: dict[int, Workspace] = {}
        """Searches by the bound that they ask for, the last one last."""
        self._forgetful: set[int] = set()
        self._memory = min(Budget.of_machine().limit // 2, MOST_MEMORY) // (search.workers * MOST_TABLES)
        self.nodes = 0

    def run(self) -> None:
        """Ask until there is nothing more to ask, or the search is stopped. Raises `RulesError`."""
        if self._all.problem is None:
            self._ask_all(self._prove)
            return
        kernel = importlib.import_module("analysis.search.algorithms.dfpn").prove  # compiled when it is needed
        carrier = self._space(self._all.problem, self._all.ends[1])

        def ask_all(_: Workspace) -> int:
            self._ask_all(lambda state, bound, turn: self._ask(kernel, state, bound, turn))
            return 0

        carrier.run(ask_all)  # in a thread that is deep enough

    def stop(self) -> None:
        """End the search that is at work."""
        for space in list(self._spaces.values()):
            space.stop()

    def _ask_all(self, ask: Callable[[int, int, int], tuple[int, int]]) -> None:
        while (taken := self._all.take(self._number)) is not None:
            waits, bound = taken
            self._all.learn(self._number, waits, *ask(self._all.state(waits), bound, waits[0]))

    def _prove(self, state: int, _: int, turn: int) -> tuple[int, int]:
        """Between what the value of a state of a loopy game lies, after a search of some time."""

        def tick(*_: object) -> None:
            if self._all.stopped:
                raise _StoppedError

        try:
            proof = prove(self._all.game, state, FIRST_SECONDS * GROWTH**turn, tick, workers=1)
        except _StoppedError:
            proof = None
        return self._all.ends if proof is None else (proof.worth.value, proof.worth.value)

    def _ask(self, kernel: Callable[..., int], state: int, bound: int, turn: int) -> tuple[int, int]:
        """Between what the value of a state lies, after a search of some nodes whether it is at least so much."""
        problem, (least, greatest) = self._all.problem, self._all.ends
        assert problem is not None
        space = self._space(problem, bound)
        space.begin(min(FIRST_NODES * GROWTH**turn, layout.INFINITY))
        if self._all.stopped:  # asked before the next line, it would not have met the end of the time
            return least, greatest
        try:
            answer = bool(space.watched(kernel, space.expand, space.address, state, bound))
        except BudgetSpentError:
            return least, greatest
        except RoomSpentError:  # ask again, with a table that forgets
            self._forgetful.add(bound)
            del self._spaces[bound]
            return least, greatest
        finally:
            self.nodes += space[layout.NODES]
            space.check_rules()
        if space.horizon:  # longer lines of play than there is room for
            return least, greatest
        return (bound, greatest) if answer else (least, bound - 1)

    def _space(self, problem: SearchProblem, bound: int) -> Workspace:
        """The search for a bound, whose table has what it found before."""
        space = self._spaces.pop(bound, None)
        if space is None:
            if len(self._spaces) >= MOST_TABLES:
                del self._spaces[next(iter(self._spaces))]
            forgetful = TablePolicy(self._memory // (9 * layout.SLOT), "two-deep")
            table = forgetful if bound in self._forgetful else TablePolicy()
            settings = dataclasses.replace(UNBOUNDED, table=table, max_memory=self._memory)
            space = Workspace(problem, Task(ALGORITHMS["dfpn"], symmetry="geometric"), settings)
        self._spaces[bound] = space
        return space


class _StoppedError(Exception):
    """A search in a loopy game was told to stop."""
