"""The positions that a position can come from, found from its bits alone: rules say what follows, not what came before.

A move changes some bits of a state. Random games show which changes there are: the bits that are set and those that are
cleared. What came before a state is looked for among the states in which such a change was not made yet, and kept where
the rules have a move from there to the state, and play gets there.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from analysis.machine.time_limit import OvertimeError, TimeLimit
from analysis.rules.game import ONGOING, Rules

GAMES, PLIES = 200, 1000
"""Random games that are played to see changes, and the plies of each, at most."""
MOST_CHANGES = 20_000
"""The most frequent changes that are tried."""
PATIENCE = 100
"""Positions on the way back to a known one that are looked at before a position counts as not reached."""
TRUST = 300
"""Positions after which it is told whether what looks like a position always is one that play gets to."""
UNREACHED = 0.01
"""The share of them that play does not get to, up to which the others are taken to be reached."""
CHECKED = 0.02
"""The share that is checked nevertheless."""
GIVEN_UP = 0.01
"""The share of checks without an answer up to which they are relied on."""
KEPT = 400_000
"""Positions of which is remembered what was found."""


class Change(NamedTuple):
    """What a move does to the bits of a state."""

    set: int
    cleared: int
    code: int

    @classmethod
    def of(cls, state: int, code: int, child: int) -> Change:
        """The change that a move makes."""
        return cls(child & ~state, state & ~child, code)


def seen_changes(rules: Rules, start: int, generator: random.Random, seconds: float) -> Counter[Change]:
    """How often each change is among the moves of all positions of some random games."""
    found: Counter[Change] = Counter()
    ends = time.monotonic() + seconds
    for _ in range(GAMES):
        state = start
        for _ in range(PLIES):
            moves = rules.moves(state)
            if not moves or time.monotonic() > ends:
                break
            found.update(Change.of(state, *move) for move in moves)
            state = generator.choice(moves)[1]
    return found


class Predecessors:
    """Finds what comes before a position, by the changes that were seen.

    ``known(state, depth)`` says whether play reaches a state of the tiers that were counted, and is None for a state
    of a later one; ``depth`` is the ply of the state in a game by plies, else its tier. A ``limit`` of time is for the
    rules, at each state.
    """

    def __init__(
        self,
        rules: Rules,
        changes: Counter[Change],
        known: Callable[[int, int], bool | None],
        generator: random.Random,
        limit: TimeLimit,
    ) -> None:
        self.rules, self._known, self._generator, self._limit = rules, known, generator, limit
        self.coverage = 1 - sum(count == 1 for count in changes.values()) / max(1, sum(changes.values()))
        """The share of moves that make one of the changes that were seen (Good and Turing's estimate, from those that
        were seen once).
        """
        self._changes = dict.fromkeys(change for change, _ in changes.most_common(MOST_CHANGES))
        self._arrays = self._made_arrays()
        self._reached: dict[int, bool] = {}
        self._counts: dict[int, int] = {}
        self._trusts = False
        self.endless = False
        """Whether the rules did not return from what is no position."""
        self.asked = self.unreached = self.given_up = 0
        """Positions of which was asked whether play gets there; it does not, or so it seems; patience was at an end."""

    @property
    def reliable(self) -> bool:
        """Whether nearly all checks found an answer."""
        return not self.endless and self.given_up <= GIVEN_UP * max(self.asked, TRUST)

    @property
    def changes(self) -> int:
        """How many changes are tried."""
        return len(self._changes)

    def learn(self, state: int, moves: list[tuple[int, int]]) -> None:
        """Try what the moves of a state change, too, from now on."""
        if len(self._changes) < MOST_CHANGES:
            before = len(self._changes)
            self._changes.update(dict.fromkeys(Change.of(state, *move) for move in moves))
            if len(self._changes) > before:
                self._arrays = self._made_arrays()

    def count(self, child: int, depth: int, *, checked: bool) -> int:
        """From how many positions a move leads to a position: from those that play reaches or, not ``checked``, from
        all that the rules take for positions.
        """
        if child not in self._counts:
            if len(self._counts) > KEPT:
                self._counts.clear()
            before = dict(self._candidates(child, depth))
            self._counts[child] = sum(self._is_reached(*each) for each in before.items()) if checked else len(before)
        return self._counts[child]

    def forget(self) -> None:
        """Count anew: in another way, checked or not."""
        self._counts.clear()

    def _made_arrays(self) -> tuple[np.ndarray, ...]:
        return tuple(np.array([change[part] for change in self._changes], dtype=np.int64) for part in range(3))

    def _candidates(self, child: int, depth: int) -> Iterator[tuple[int, int]]:
        """The states that have a move to a child, and their depths, in any order, whether or not play gets there."""
        made, cleared, codes = self._arrays
        fits = ((made & ~child) | (cleared & child)) == 0
        found = list(zip((made[fits] ^ cleared[fits] ^ child).tolist(), codes[fits].tolist(), strict=True))
        self._generator.shuffle(found)
        for parent, code in found:
            before = self._depth_if_before(parent, code, child, depth)
            if before is not None:
                yield parent, before

    def _depth_before(self, parent: int, depth: int) -> int | None:
        """The depth of a state before one of this depth; None where it can be none."""
        if self.rules.tier is None:
            return depth - 1
        tier = int(self.rules.tier(parent))
        return tier if 0 <= tier < depth else None

    def _depth_if_before(self, parent: int, code: int, child: int, depth: int) -> int | None:
        """The depth of some bits if they are a position from which a move leads to a child; the rules may fail in any
        way at what is none, or never return.
        """
        rules = self.rules
        if parent < 0 or self.endless:
            return None
        self._limit.start()
        try:
            before = self._depth_before(parent, depth)
            if before is None or rules.outcome(parent) != ONGOING:
                return None
            codes = [0] * (rules.max_moves + 1)
            leads = code in codes[: rules.legal_moves(parent, codes)] and rules.play(parent, code) == child
            return before if leads else None
        except Exception:  # the rules may fail in any way at what is no position, and then it is none
            return None
        except OvertimeError:
            self.endless = True
            return None
        finally:
            self._limit.stop()

    def _is_reached(self, state: int, depth: int) -> bool:
        """Whether play gets to a state; taken for granted in a game where it nearly always did."""
        if self._trusts and self._generator.random() > CHECKED:
            return True
        self.asked += 1
        found = self._search_back(state, depth)
        self.unreached += not found
        self._trusts = self.asked >= TRUST and self.unreached <= UNREACHED * self.asked
        return found

    def _search_back(self, state: int, depth: int) -> bool:
        """Whether some way back from a state ends at one that is known to be reached, searched depth first."""
        left = PATIENCE
        trail = [(state, iter([(state, depth)]))]
        while trail:
            node, alternatives = trail[-1]
            step = next(alternatives, None)
            if step is None:
                trail.pop()
                self._remember(node, False)
                continue
            place, at = step
            answer = self._reached.get(place)
            if answer is None:
                answer = self._known(place, at)
            if answer:
                for passed, _ in trail:
                    self._remember(passed, True)
                return True
            left -= 1
            if left < 0:
                self.given_up += 1
                self._remember(state, False)
                return False
            if answer is None:
                trail.append((place, self._candidates(place, at)))
        return False

    def _remember(self, state: int, answer: bool) -> None:
        if len(self._reached) > KEPT:
            self._reached.clear()
        self._reached[state] = answer
