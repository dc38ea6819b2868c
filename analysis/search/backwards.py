"""Value the positions of played games as far as the time allows, from the ends backwards: endings are easiest.

Each position is asked whether it is worth at least some bound, at first with few nodes. Unanswered questions wait for a
next turn with four times as many, so that a hard position does not hold up easy ones; within a turn, positions near the
end come first. A table filled from the positions that follow answers much about the position itself, so each core keeps
one per bound and works through the same games.

Nothing more is searched where a position and its successor are known; after a losing move, the alternatives are also
tested for keeping the value. In loopy games, where such searches may not end, `proving` answers instead, at first for a
fraction of a second.
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
"""The first budget of a question, in nodes or (loopy games) seconds, and its growth at each further turn."""

Waits = tuple[int, int, int, int]
"""A queued position: its turn, plies to the end, a unique number, and its name."""


class Backwards(Questions):
    """Searches the positions of lines of play: `add` the lines, then `run_lines`.

    Positions are named by their least image under the game's symmetries. Raises `RulesError` for rules that do not
    compile.

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
        """One state per name."""
        self._left: dict[int, int] = {}
        """Plies from positions on lines to the nearest end of a line; set when the search begins."""
        self._after, self._before = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        """Names before and after each move of a line."""
        self._open_bounds: dict[int, set[int]] = {}
        """Open bounds of alternatives, which are on no line."""
        self._near: dict[int, int] = {}
        """Plies to the end of a line from the position before an alternative."""
        self._compared = set[int]()
        """Names of positions whose moves have all been asked about."""
        self._queues: list[list[Waits]] = []
        self._numbers = itertools.count()

    # What is known ----------------------------------------------------------------------------------------------------

    def add(self, line: Sequence[int]) -> None:
        """Add a line of states, each one move after the one before."""
        names = [self._named(state) for state in line]
        for name in names:
            self._left.setdefault(name, 0)
            self._open_bounds.pop(name, None)
        for before, after in itertools.pairwise(names):
            self._after[before].add(after)
            self._before[after].add(before)

    def value(self, state: int) -> int | None:
        """Return the value of a state; None if unknown."""
        bounds = self._bounds.get(self._canonical(state))
        return bounds.low if bounds is not None and bounds.known else None

    def keeping(self, state: int) -> tuple[int, ...] | None:
        """Return the codes of the moves that keep a state's value, ascending; None unless all are known."""
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
        """Search for at most ``seconds``; return ``seconds`` or ``interrupted`` if it stopped early, else ``""``."""
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
        """Take one of the worker's own positions, or else another's."""
        while queue := self._queues[worker] or min(filter(None, self._queues), default=[]):
            turn, _, _, name = heapq.heappop(queue)
            bound = self._open(name)
            if bound is not None:
                return ProofQuestion(name, bound, turn=turn)
        return None

    def _asks(self, question: ProofQuestion) -> bool:
        return True  # within its budget of nodes

    def _kind(self, question: ProofQuestion, worker: int) -> Kind:
        return "dfpn", question.asked, worker

    def _most_nodes(self, question: ProofQuestion) -> int:
        return min(FIRST_NODES * GROWTH**question.turn, layout.INFINITY)

    def _ask(self, search: Workspace, question: ProofQuestion) -> int:
        return self._prove(search.expand, search.address, self._states[question.number], question.asked)

    def _find(self, question: ProofQuestion, search: Workspace | None) -> tuple[int | None, str]:
        """In a loopy game, return the value if a timed search proves it."""
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
        """Record an answer; if it says nothing new, the position waits for its next turn."""
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
        """Find the distance of positions from the ends of their lines."""
        nearest = [name for name in self._left if not self._after[name]]
        self._left = dict.fromkeys(self._left, len(self._left)) | dict.fromkeys(nearest, 0)  # the rest go in circles
        for name in nearest:
            new = [before for before in self._before[name] if self._left[before] == len(self._left)]
            self._left |= dict.fromkeys(new, self._left[name] + 1)
            nearest += new

    def _side(self, name: int) -> int:
        return self.rules.mover(self._states[name])

    @staticmethod
    def _worse(bounds: Bounds, side: int, value: int) -> bool:
        return bounds.high < value if side > 0 else bounds.low > value

    def _dealt(self) -> list[list[Waits]]:
        """Return the workers' queues; positions on one line belong to the same worker."""
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
        """Return the next bound to ask about, if any.

        First whether the position is worth more to its mover than a move of a line guarantees, which is rare; then the
        middle.
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
        """Propagate what is known of a position to those before and after it."""
        waiting = [name]
        for name in waiting:
            for before in self._before[name]:
                waiting += self._compare(before, name)
            for after in self._after[name]:
                waiting += self._compare(name, after)

    def _compare(self, before: int, after: int) -> Iterable[int]:
        """Narrow two consecutive positions by each other (a mover gets at least any move's value); return what
        changed.
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
        """Ask which moves would have kept a position's value."""
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
    """Tells a search in a loopy game to stop."""
