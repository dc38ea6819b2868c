"""Find nimbers part by part, and prove no more than is needed.

Whether the nimber of a part is n is asked for n = 0, 1, 2 ...: it is, if none of its options has the nimber n, and
none of the numbers below was right (Lemoine and Viennot, "Nimbers are inevitable", Theoretical Computer Science 462,
2012). The first option that has the nimber n answers no. Options of which it is known already whether they have it are
looked at first, then those of which most numbers are excluded, and the smallest. Of an option with several parts the
nimbers of all but the largest are found first, and then of the largest only whether it is the number that is missing.
So many parts are never given a nimber: of these it is known which numbers it is not.
"""

from __future__ import annotations

import abc
import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from analysis.errors import RulesError
from analysis.machine.memory import Budget
from analysis.machine.workers import Stage, tell_progress
from analysis.rules.game import Parts
from analysis.sums.options import Option, options_of

KEPT_OPTIONS = 1 << 16
"""Parts whose options are kept for the next question."""
OPTIONS_BYTES = 4000
"""Memory for the options of a part while they are kept."""
TOLD = 1 << 10
"""Parts after which progress is told."""
DEEPEST = 1_000_000
"""Calls within calls: two for each move that is looked ahead."""
NIMBER = -1
"""Asks for the nimber."""
LARGEST = (1 << 63) - 1

Found = tuple[np.ndarray, np.ndarray]
"""Parts and what is known of each, see `Nimbers`: int64, or Python's numbers if these do not fit."""


class Nimbers(abc.ABC):
    """What is known of the nimbers of parts, as a *fact* of each: -1 - nimber if that is known, else the numbers that
    are excluded, as bits.
    """

    part_bytes = 300
    """Memory for what is known of a part."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.saving: Callable[[], None] = lambda: None
        """Called now and then, to save what is known."""
        self.stage = ""
        self.budget = Budget.of_machine()

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return how many parts something is known of."""

    @abc.abstractmethod
    def found(self) -> Found:
        """Return the parts and the facts."""

    @abc.abstractmethod
    def fact(self, part: int, wanted: int) -> int:
        """Find whether a part has the nimber ``wanted``, or its nimber if that is `NIMBER`, and return the fact."""

    def prepare(self) -> None:  # noqa: B027 - most have nothing to compile
        """Compile what is needed, so that timings exclude it."""

    def of(self, parts: Iterable[int]) -> int:
        """Return the nimber of some parts together. Raises `RulesError` if play does not end, or the rules fail, and
        `NoRoomError`.
        """
        total = 0
        for part in parts:
            total ^= -1 - self.fact(part, NIMBER)
        return total

    def is_nimber(self, option: Option, number: int) -> bool:
        """Return whether parts have this nimber together. Raises what `of` raises."""
        if not option:
            return number == 0
        *smaller, largest = sorted(option, key=self.parts.size)
        number ^= self.of(smaller)
        return self.fact(largest, number) == -1 - number

    def tell(self, held: int) -> None:
        """Tell progress, and save, while so many bytes are held. Raises `NoRoomError`."""
        self.budget.require(held, "what is known of the parts")
        tell_progress(Stage("solving parts", on=self.stage or None), len(self), None)
        self.saving()


class PlainNimbers(Nimbers):
    """Finds nimbers of any game by its own functions. ``found`` is what an earlier solve has found."""

    def __init__(self, parts: Parts, found: Found | None = None) -> None:
        super().__init__(parts)
        self._facts = {} if found is None else as_facts(found)
        self._size = parts.size
        self._options = functools.lru_cache(KEPT_OPTIONS)(self._ordered)
        self._asked = 0

    def __len__(self) -> int:
        """Return how many parts something is known of."""
        return len(self._facts)

    def found(self) -> Found:
        """Return the parts, ascending, and the facts."""
        parts = sorted(self._facts)
        return numbers(parts), numbers([self._facts[part] for part in parts])

    def fact(self, part: int, wanted: int) -> int:
        """Find whether a part has the nimber ``wanted``, or its nimber if that is `NIMBER`, and return the fact."""
        with _deep_calls():
            self._nimber(part) if wanted == NIMBER else self._is(part, wanted)
            return self._facts[part]

    def _ordered(self, part: int) -> list[Option]:
        """Return the options of a part, those with small parts first."""
        self._asked += 1
        if self._asked % TOLD == 0:
            self.tell(self.part_bytes * len(self) + OPTIONS_BYTES * min(self._asked, KEPT_OPTIONS))
        size = self._size
        found = options_of(self.parts, part)
        return sorted(found, key=lambda option: (sum([size(each) ** 2 for each in option]), option))

    def _nimber(self, part: int) -> int:
        number = 0
        while (fact := self._facts.get(part, 0)) >= 0:
            self._is(part, number)
            number += 1
        return -1 - fact

    def _is(self, part: int, number: int) -> bool:
        """Return whether a part has this nimber."""
        fact = self._facts.get(part, 0)
        if fact < 0:
            return fact == -1 - number
        if fact >> number & 1:
            return False
        unanswered = []
        for option in self._options(part):
            answer = self._already(option, number)
            if answer:
                return self._exclude(part, number)
            if answer is None:
                unanswered.append(option)
        for less in range(number):
            if self._is(part, less):
                return False
        facts = self._facts
        unanswered.sort(key=lambda option: -max([max(0, facts.get(each, 0)).bit_count() for each in option]))
        for option in unanswered:
            if self._option_is(option, number):
                return self._exclude(part, number)
        self._facts[part] = -1 - number
        return True

    def _exclude(self, part: int, number: int) -> bool:
        """Note that a part does not have this nimber, and return False."""
        self._facts[part] = self._facts.get(part, 0) | 1 << number
        return False

    def _already(self, option: Option, number: int) -> bool | None:
        """Return whether parts have this nimber together, as far as that is known already; else None."""
        excluded = None
        for part in option:
            fact = self._facts.get(part, 0)
            if fact < 0:
                number ^= -1 - fact
            elif excluded is None:
                excluded = fact
            else:
                return None
        if excluded is None:
            return number == 0
        return False if excluded >> number & 1 else None

    def _option_is(self, option: Option, number: int) -> bool:
        answer = self._already(option, number)
        if answer is not None:
            return answer
        *smaller, largest = sorted(option, key=self._size)
        for part in smaller:
            number ^= self._nimber(part)
        return self._is(largest, number)


def as_facts(found: Found) -> dict[int, int]:
    """Return the fact of each part."""
    parts, facts = found
    return dict(zip(parts.tolist(), facts.tolist(), strict=True))


def numbers(values: list[int]) -> np.ndarray:
    """Return an array, of int64 if these numbers fit, else of Python's."""
    wide = any(not -LARGEST <= value <= LARGEST for value in values)
    return np.array(values, dtype=object if wide else np.int64)


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
