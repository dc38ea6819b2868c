"""Find nimbers part by part, and prove no more than is needed.

Whether the nimber of a part is n is asked for n = 0, 1, 2 ...: it is, if none of its options has the nimber n, and
none of the numbers below was right (Lemoine and Viennot, "Nimbers are inevitable", Theoretical Computer Science 462,
2012). The first option that has the nimber n answers no. Options of which it is known already whether they have it are
looked at first, then those of which most numbers are excluded, and the smallest. Of an option with several parts the
nimbers of all but the largest are found first, and then of the largest only whether it is the number that is missing.
So many parts are never given a nimber: of these it is known which numbers it is not.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterable, Iterator

from analysis.errors import RulesError
from analysis.machine.memory import Budget
from analysis.machine.workers import Stage, tell_progress
from analysis.rules.game import Parts
from analysis.sums.options import Option, options_of

KEPT_OPTIONS = 1 << 16
"""Parts whose options are kept for the next question."""
PART_BYTES, OPTIONS_BYTES = 300, 4000
"""Memory for what is known of a part, and for its options while they are kept."""
TOLD = 1 << 10
"""Parts after which progress is told."""
DEEPEST = 1_000_000
"""Calls within calls: two for each move that is looked ahead."""


class Nimbers:
    """What is known of the nimbers of parts: ``known`` nimbers, and of other parts the numbers that are ``excluded``,
    each as one bit. Either may be given from an earlier solve.
    """

    def __init__(
        self, parts: Parts, known: dict[int, int] | None = None, excluded: dict[int, int] | None = None
    ) -> None:
        self.parts = parts
        self.known, self.excluded = known or {}, excluded or {}
        self.saving: Callable[[], None] = lambda: None
        """Called now and then, to save what is known."""
        self.stage = ""
        self._size = parts.size
        self._options = options_of(parts)
        self.options = functools.lru_cache(KEPT_OPTIONS)(self._ordered)
        self._asked, self._budget = 0, Budget.of_machine()

    def __len__(self) -> int:
        """Return how many parts something is known of."""
        return len(self.known) + len(self.excluded)

    def of(self, parts: Iterable[int]) -> int:
        """Return the nimber of some parts together. Raises `RulesError` if play does not end, or the rules fail, and
        `NoRoomError`.
        """
        with _deep_calls():
            total = 0
            for part in parts:
                total ^= self._nimber(part)
            return total

    def is_nimber(self, option: Option, number: int) -> bool:
        """Return whether parts have this nimber together. Raises what `of` raises."""
        with _deep_calls():
            return self._option_is(option, number)

    def _ordered(self, part: int) -> list[Option]:
        """Return the options of a part, those with small parts first."""
        self._asked += 1
        if self._asked % TOLD == 0:
            held = PART_BYTES * len(self) + OPTIONS_BYTES * min(self._asked, KEPT_OPTIONS)
            self._budget.require(held, "what is known of the parts")
            tell_progress(Stage("solving parts", on=self.stage or None), len(self), None)
            self.saving()
        size = self._size
        return sorted(self._options(part), key=lambda option: (sum([size(each) ** 2 for each in option]), option))

    def _nimber(self, part: int) -> int:
        number = 0
        while (found := self.known.get(part)) is None:
            self._is(part, number)
            number += 1
        return found

    def _is(self, part: int, number: int) -> bool:
        """Return whether a part has this nimber."""
        found = self.known.get(part)
        if found is not None:
            return found == number
        if self.excluded.get(part, 0) >> number & 1:
            return False
        unanswered = []
        for option in self.options(part):
            answer = self._already(option, number)
            if answer:
                return self._exclude(part, number)
            if answer is None:
                unanswered.append(option)
        for less in range(number):
            if self._is(part, less):
                return False
        excluded = self.excluded
        unanswered.sort(key=lambda option: -max([excluded.get(each, 0).bit_count() for each in option]))
        for option in unanswered:
            if self._option_is(option, number):
                return self._exclude(part, number)
        self.known[part] = number
        self.excluded.pop(part, None)
        return True

    def _exclude(self, part: int, number: int) -> bool:
        """Note that a part does not have this nimber, and return False."""
        self.excluded[part] = self.excluded.get(part, 0) | 1 << number
        return False

    def _already(self, option: Option, number: int) -> bool | None:
        """Return whether parts have this nimber together, as far as that is known already; else None."""
        unknown = None
        for part in option:
            nimber = self.known.get(part)
            if nimber is not None:
                number ^= nimber
            elif unknown is None:
                unknown = part
            else:
                return None
        if unknown is None:
            return number == 0
        return False if self.excluded.get(unknown, 0) >> number & 1 else None

    def _option_is(self, option: Option, number: int) -> bool:
        answer = self._already(option, number)
        if answer is not None:
            return answer
        *smaller, largest = sorted(option, key=self._size)
        for part in smaller:
            number ^= self._nimber(part)
        return self._is(largest, number)


@contextlib.contextmanager
def _deep_calls() -> Iterator[None]:
    """Allow calls within calls, as many as there are moves. Raises `RulesError` beyond `DEEPEST`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    except RecursionError:
        raise RulesError("moves in a part do not come to an end: no part may come again") from None
    finally:
        sys.setrecursionlimit(before)


class Clock:
    """Tells when so many seconds have passed since it last did."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._next = seconds, time.monotonic() + seconds

    def __call__(self) -> bool:
        """Return whether it is time."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True
