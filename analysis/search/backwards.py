"""What the positions of played games are worth, as far as a given time tells: the end of a game is the easiest part.

Each position is asked yes-or-no questions, is it worth at least so much?, and each question has few nodes at first.
What stays open waits for its next turn with four times as many, so that a hard position holds up no easy one; in a turn
positions near the end come first. A table that knows what comes after a position answers much of what is asked of the
position itself: each core keeps one for each bound, and works through the same games.

Where a position and the one after a move are known, no more is searched; a move that lost something also has its
alternatives asked whether they would have kept the value. In loopy games, where such searches may not end, `proving`
answers instead, for a fraction of a second at first.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

from analysis.machine.context import within
from analysis.machine.endings import interrupts
from analysis.machine.workers import tell_progress
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import find_group
from analysis.search.kernels import layout
from analysis.search.problem import game_problem
from analysis.search.proving import prove
from analysis.search.questions import Bounds, Kind, ProofQuestion, Questions
from analysis.search.workspace import Workspace

FIRST_NODES, FIRST_SECONDS, GROWTH = 1000, 0.02, 4
"""What a question may take at first, in nodes or, in loopy games, in seconds; and how many times as much at each
further turn.
"""

Waits = tuple[int, int, int, int]
"""A position in the queue: its turn, the plies to the end, a number that makes it unique, and its name."""


class Backwards(Questions):
    """Searches the positions of lines of play: `add` the lines, then `run_lines`.

    Positions are kept by their least image under the symmetries of the game. Raises `RulesError` for rules that do
    not compile.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> states = [game.parse_position(text) for text in ("X???O????", "XX??O????", "XX?OO????")]
    >>> search = Backwards(game)
    >>> search.add(states)
    >>> search.run_lines(10)
    ''
    >>> [search.value(state) for state in states], search.keeping(states[1])
    ([0, 0, 1], (2,))
    """

    tables = 4

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules()
        super().__init__(None if self.rules.loopy else game_problem(game))
        least, greatest = self.rules.payoffs
        self._ends = (min(least, 0), max(greatest, 0)) if self.rules.loopy else (least, greatest)
        self._canonical = self.rules.canonical or find_group(self.rules, "geometric").canonical
        self._bounds: dict[int, Bounds] = {}
        self._states: dict[int, int] = {}
        """A state of each name."""
        self._left: dict[int, int] = {}
        """Of positions on lines, plies to the nearest end of one; known once the search begins."""
        self._after, self._before = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        """The names of positions before and after a move of a line."""
        self._open_bounds: dict[int, set[int]] = {}
        """Of alternatives, which are on no line, the bounds that are asked for."""
        self._near: dict[int, int] = {}
        """Of alternatives, plies to the end of a line from the position that they could follow."""
        self._compared = set[int]()
        """The names of positions whose moves are all asked about."""
        self._queues: list[list[Waits]] = []
        self._numbers = itertools.count()

    # What is known ----------------------------------------------------------------------------------------------------

    def add(self, line: Sequence[int]) -> None:
        """Search these states too, each of which a move of the one before leads to."""
        names = [self._named(state) for state in line]
        for name in names:
            self._left.setdefault(name, 0)
            self._open_bounds.pop(name, None)
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

    def run_lines(self, seconds: float) -> str:
        """Search for so many ``seconds`` at most: an empty string where all is known then, else why it stopped,
        ``seconds`` or ``interrupted`` (by Ctrl-C).
        """
        began = time.monotonic()
        for name in [name for name, bounds in self._bounds.items() if bounds.known]:
            self._spread(name)
        self._measure()
        self._queues = self._dealt()

        def tick(_: int) -> None:
            known = sum(self._bounds[name].known for name in self._left)
            stage = f"searching from the ends backwards, {known:,} of {len(self._left):,} positions known"
            tell_progress(stage, min(time.monotonic() - began, seconds), seconds)

        with interrupts():
            try:
                return "seconds" if self.run(seconds, tick) else ""
            except KeyboardInterrupt:
                return "interrupted"

    # Questions --------------------------------------------------------------------------------------------------------

    def _next(self, worker: int) -> ProofQuestion | None:
        """Of the worker's own positions, or else of those of another."""
        while queue := self._queues[worker] or min(filter(None, self._queues), default=[]):
            turn, _, _, name = heapq.heappop(queue)
            bound = self._open(name)
            if bound is not None:
                return ProofQuestion(name, bound, turn=turn)
        return None

    def _asks(self, question: ProofQuestion) -> bool:
        return True  # for as many nodes as it has been given

    def _kind(self, question: ProofQuestion, worker: int) -> Kind:
        return "dfpn", question.asked, worker

    def _most_nodes(self, question: ProofQuestion) -> int:
        return min(FIRST_NODES * GROWTH**question.turn, layout.INFINITY)

    def _ask(self, search: Workspace, question: ProofQuestion) -> int:
        return self._prove(search.expand, search.address, self._states[question.number], question.asked)

    def _find(self, question: ProofQuestion, search: Workspace | None) -> tuple[int | None, str]:
        """Of a loopy game the value, if a search of some time shows it."""
        if search is not None:
            return super()._find(question, search)

        def tick(*_: object) -> None:
            if self._stopped:
                raise _StoppedError

        try:
            seconds = FIRST_SECONDS * GROWTH**question.turn
            with within(workers=1, progress=tick):
                proof = prove(self.game, self._states[question.number], seconds)
        except _StoppedError:
            proof = None
        return None if proof is None else proof.worth.value, ""

    def _take_in(self, question: ProofQuestion, worker: int, answer: int | None, search: Workspace | None) -> None:
        """Where that is nothing new, the position waits for its next turn."""
        low, high = self._ends
        if answer is not None and search is None:
            low = high = answer
        elif answer is not None:
            low, high = (question.asked, high) if answer else (low, question.asked - 1)
        bounds = self._bounds[question.number]
        news = low > bounds.low or high < bounds.high
        bounds.narrow(low, high)
        if news:
            self._spread(question.number)
        left = self._left[question.number] if question.number in self._left else self._near[question.number]
        waits = question.turn + (not news), left, next(self._numbers), question.number
        heapq.heappush(self._queues[worker], waits)

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
        """The bound to ask for next, if any: whether the position is worth more to its mover than a move of a line made
        sure of, which seldom happens, then what halves what it may be worth.
        """
        bounds = self._bounds[name]
        if bounds.known:
            return None
        if name in self._open_bounds:
            return next((bound for bound in self._open_bounds[name] if bounds.low < bound <= bounds.high), None)
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
        """Which of a position and the one after a move changed by this: a mover gets no less than after any move."""
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
            if name in self._left or value + (side < 0) in self._open_bounds.get(name, ()):
                continue
            self._open_bounds.setdefault(name, set()).add(value + (side < 0))
            self._near[name] = self._left[before]
            if self._queues:
                queue = self._queues[next(self._numbers) % self.workers]
                heapq.heappush(queue, (0, self._left[before], next(self._numbers), name))


class _StoppedError(Exception):
    """A search in a loopy game was told to stop."""
