"""How many plies a position that is won is from its end, by many yes-or-no questions: is it won within so many?

Each is answered by a search that is limited to a depth at which it counts 0. What is not won so soon iterative
deepening finds out with the fewest nodes; what is, depth-first proof-number search, which goes on with the tables that
have proven the value. So they work at it from both ends.

The winner hurries and the loser delays, so that a position is won within some plies if the winner can force the end of
the game by then whatever the loser does: its remoteness is the least number for which the answer is yes. That holds
where the winner gets all there is to win, since then no move of the loser is worse than another by value.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping

from analysis.search.advice import best_move_first
from analysis.search.kernels import layout
from analysis.search.questions import ROOT, Inquiry, Question, Questions
from analysis.search.workspace import PLIES_UNKNOWN, Workspace

FAR = 1 << 30
"""More plies than any game has."""


@dataclasses.dataclass
class Plies:
    """What is known of how far the end is."""

    low: int
    """The position is not won within so many plies."""
    high: int = FAR
    """It is won within so many."""

    @property
    def known(self) -> bool:
        """Whether nothing is left to ask."""
        return self.low + 1 == self.high

    def narrow(self, low: int, high: int) -> None:
        """Take in what else is known."""
        self.low, self.high = max(self.low, low), min(self.high, high)


class Countdown(Questions):
    """Asks how far the ends are of an ``inquiry``'s position and moves.

    ``values`` has those of which this is wanted, by number in the order in which it is: each the greatest payoff and
    above 0, or the least and below. ``low`` are plies within which a number is known not to be won. The searches of the
    inquiry are taken over with what they have found.
    """

    def __init__(self, inquiry: Inquiry, values: Mapping[int, int], low: Mapping[int, int]) -> None:
        most = inquiry.problem.longest or PLIES_UNKNOWN
        super().__init__(dataclasses.replace(inquiry.problem, depth=most), inquiry.workers)
        self.values, self._most = values, most
        self.plies = {number: Plies(low[number]) for number in values}
        self._deepen, self._deepened = best_move_first(), dict[tuple[Workspace, int], int]()
        for kind in {("dfpn", _bound_of(value)) for value in values.values()}:
            self._searches[kind] = inquiry.hand_over(kind)
            for search in self._searches[kind]:
                search.forget_depths(kind[1])
                search.problem = self.problem

    def remoteness(self, number: int) -> int | None:
        """Plies to the end from the position of a number; None where that is not known."""
        plies = self.plies.get(number)
        return plies.high if plies is not None and plies.known else None

    def _bound(self, question: Question) -> int:
        return _bound_of(self.values[question.number])

    def _asks(self, question: Question) -> bool:
        return self.plies[question.number].low < question.asked < self.plies[question.number].high

    def _wanted(self) -> Iterable[Question]:
        for number, plies in self.plies.items():
            mover = self.side if number == ROOT else self.problem.side(self.states[number])
            last = self.values[number] * mover > 0  # who makes the last move mostly wins: then the number is odd
            first = plies.low + (1 if (plies.low + 1) % 2 == last else 2)
            asked = [Question(number, plies.low + 1, "iterative")]
            asked += [Question(number, depth) for depth in dict.fromkeys((first, plies.high - 1, first + 2))]
            yield from (each for each in asked if self._asks(each) and each.asked <= self._most)

    def _ask(self, search: Workspace, question: Question, ends: float) -> tuple[int | None, str]:
        if question.algorithm == "iterative":
            state, bound, reached = self.states[question.number], self._bound(question), (search, question.number)

            def deepen(workspace: Workspace) -> int:
                value = 0
                for depth in range(min(self._deepened.get(reached, 0) + 1, question.asked), question.asked + 1):
                    workspace.set_depth(depth)
                    value = workspace.value_of(self._deepen, state, 0, (bound - 1, bound))
                    self._deepened[reached] = depth
                return value >= bound

            return search.run(deepen, seconds=ends - time.monotonic())
        search.set_depth(question.asked)
        return super()._ask(search, question, ends)

    def _answer(self, question: Question, answer: bool, proofs: list[int]) -> None:
        if question.algorithm != "dfpn":
            proofs = []
        wins = self.values[question.number] > 0
        won = {question.number: (answer == wins, question.asked)}
        won |= {i: ((n == 0) == wins, question.asked - 1) for i, n in enumerate(proofs) if n in (0, layout.NEVER)}
        for number, (within, depth) in won.items():
            if self.values.get(number) == self.values[question.number]:
                self.plies[number].narrow(*((-1, depth) if within else (depth, FAR)))
        self._conclude()

    def _conclude(self) -> None:
        """What the position says of the moves that keep its value."""
        root = self.plies.get(ROOT)
        if root is None or not root.known:
            return
        first = self.side * self.values[ROOT] > 0
        for number, plies in self.plies.items():
            if number != ROOT and self.values[number] == self.values[ROOT]:
                plies.narrow(*((root.high - 2, FAR) if first else (-1, root.high - 1)))


def _bound_of(value: int) -> int:
    """The bound that tells whether the winner gets a value."""
    return value if value > 0 else value + 1
