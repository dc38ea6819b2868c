"""The positions that can arise against a policy, as arrays, and what a best response gets there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..common.memory import Budget
from ..common.workers import tell_progress
from ..engine.engine import make_engine
from ..errors import OptionError, TooLargeError
from .judge import Judge

Payoff = int | Fraction | float
"""A payoff; a fraction where it is an average over a level's random choices, a float over those of a function."""

TOGETHER = 1 << 16
"""The most states that a policy is asked for at once."""

MOST_CHANCES = 1 << 23
"""The most probabilities that it gives at once."""

STATE_BYTES, MOVE_BYTES, FRACTION_BYTES = 120, 40, 150
"""Memory for a state and for a move, and for each of either with a fraction, before a line is found."""

LEAST, GREATEST, AVERAGE = range(3)
"""What a state is worth, of the states that the moves left lead to."""


class Choices(NamedTuple):
    """What a policy plays in n states."""

    chances: np.ndarray
    """[n, largest code + 1], floats or fractions: the probability of each move; 1 where the policy does not say."""
    silent: np.ndarray
    """bool[n], whether the policy does not say."""


Choose = Callable[[np.ndarray, np.ndarray], Choices]
"""A policy over states, int64[n], with their legal moves, bool[n, largest code + 1]."""


class _Part(NamedTuple):
    """States examined together, and the moves left there."""

    states: np.ndarray
    own: np.ndarray
    """bool[n], where the policy's side moves."""
    silent: np.ndarray
    plies: np.ndarray
    payoffs: np.ndarray
    """[n], of the first player; 0 while the game goes on."""
    branching: np.ndarray
    """int32[n], moves left; 0 where the game is over."""
    codes: np.ndarray
    """uint8[m] or uint16[m]."""
    children: np.ndarray
    """int64[m], states."""
    chances: np.ndarray | None
    """[m], 1 for moves that are not random; None if no move is random."""


class ResponseGraph:
    """The positions that can arise if ``side`` (+1 or -1) plays as ``choose`` says; where it is silent, any of the
    moves that it may play. Everything but these gaps is up to the opponent.

    Positions have numbers, in order of discovery: first the `known` ones, which the policy's own moves lead to, ply by
    ply, then those behind gaps. Payoffs are of the policy's side; endless play has 0. Raises `TooLargeError` for more
    than ``most`` positions (None: any number), or more than memory holds, and `OptionError` where a loopy game meets
    random choices.
    """

    def __init__(self, judge: Judge, side: int, choose: Choose, most: int | None, one: int | Fraction) -> None:
        self.judge, self.rules, self.side, self.one = judge, judge.rules, side, one
        self._choose, self._most, self._budget = choose, most, Budget.of_machine()
        self.engine = make_engine(judge.game, symmetry="none", start=judge.start)
        self._codes = self.rules.largest_code + 1
        self._parts, self._seen, self._moves = list[_Part](), np.empty(0, np.int64), 0
        self._explore(np.array([judge.start]), np.zeros(1, np.int32), beyond=False)
        self.known = len(self._seen)
        """How many positions are known."""
        gaps = [self._after(part, part.silent) for part in self._parts]
        self._explore(*self._new(gaps), beyond=True)
        self._put_together()

    # Exploring --------------------------------------------------------------------------------------------------------

    def _explore(self, layer: np.ndarray, plies: np.ndarray, *, beyond: bool) -> None:
        """Examine new states and all that come after them; moves at gaps lead on only ``beyond`` these."""
        together = min(TOGETHER, MOST_CHANCES // self._codes)
        while len(layer):
            n = len(self._seen) + len(layer)
            if self._most is not None and n > self._most:
                raise TooLargeError(f"a best response to the policy can reach more than {self._most:,} positions")
            self._seen = np.insert(self._seen, np.searchsorted(self._seen, layer), layer)
            found = []
            for low in range(0, len(layer), together):
                tell_progress("positions that a best response can reach", n - len(layer) + low, None)
                part = self._examined(layer[low : low + together], plies[low : low + together])
                self._parts.append(part)
                self._moves += len(part.codes)
                self._require(n)
                found.append(self._after(part, ~part.silent | beyond))
            layer, plies = self._new(found)

    def _require(self, states: int) -> None:
        """Raise `TooLargeError` if so many states and their moves do not fit in memory."""
        fraction = 0 if isinstance(self.one, int) else FRACTION_BYTES
        needed = states * (STATE_BYTES + fraction) + self._moves * (MOVE_BYTES + fraction)
        what = f"a best response to the policy, which reaches {states:,} positions or more,"
        self._budget.require(needed, what, "a policy with fewer gaps")

    def _examined(self, states: np.ndarray, plies: np.ndarray) -> _Part:
        """Find the moves of states, and those of them that the policy leaves."""
        engine, n = self.engine, len(states)
        rows, codes, children = engine.moves_of(states)
        branching, silent = np.bincount(rows, minlength=n), np.zeros(n, bool)
        over = np.flatnonzero(branching == 0)
        payoffs = np.zeros(n, np.int64 if self.judge.game.worths is None else object)
        payoffs[over] = [self.judge.game.worth(payoff) for payoff in engine.payoffs_of(states[over]).tolist()]
        own = (engine.movers_of(states) == self.side) & (branching > 0)
        chances = None
        if own.any():
            legal = np.zeros((n, self._codes), bool)
            legal[rows, codes] = True
            given, silent[own] = self._choose(states[own], legal[own])
            left = legal
            left[own] &= given != 0
            random = np.flatnonzero(own)[~silent[own] & (left[own].sum(axis=1) > 1)]
            if len(random) and self.rules.loopy:
                raise OptionError(
                    f"the policy chooses at random in {self.judge.game.format_position(int(states[random[0]]))}, and "
                    "play can return to a position: best responses to chance are found only where play always ends"
                )
            kept = left[rows, codes]
            rows, codes, children = rows[kept], codes[kept], children[kept]
            if len(random):
                drawn = np.zeros(n, bool)
                drawn[random] = True
                drawn = drawn[rows]
                chances = np.ones(len(rows), given.dtype)
                chances[drawn] = given[(np.cumsum(own) - 1)[rows[drawn]], codes[drawn]]
            branching = np.bincount(rows, minlength=n)
        return _Part(states, own, silent, plies, payoffs, branching.astype(np.int32), codes, children, chances)

    def _after(self, part: _Part, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct states after some rows of a part, bool[n], with the plies of shortest lines to them."""
        led = np.repeat(rows, part.branching)
        return _nearest(part.children[led], np.repeat(part.plies + np.int32(1), part.branching)[led])

    def _new(self, found: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        """Return those of some states that are not seen yet."""
        states, plies = _nearest(*map(np.concatenate, zip(*found, strict=True)))
        places = np.minimum(np.searchsorted(self._seen, states), len(self._seen) - 1)
        new = self._seen[places] != states
        return states[new], plies[new]

    def _put_together(self) -> None:
        """Join the parts."""
        parts, self._parts = self._parts, []

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        self.states, self.own, self.silent = joined("states"), joined("own"), joined("silent")
        self.plies, self.branching, self.codes = joined("plies"), joined("branching"), joined("codes")
        self.payoffs, self.first = self.side * joined("payoffs"), np.cumsum(self.branching) - self.branching
        order = np.argsort(self.states)
        after = [order[np.searchsorted(self._seen, part.children)].astype(np.int32) for part in parts]
        self.child = np.concatenate(after)
        """int32[m], the number of the position after each move."""
        self.random = any(part.chances is not None for part in parts)
        ones = [np.ones(len(part.codes), np.int8) if part.chances is None else part.chances for part in parts]
        self.chances = np.concatenate(ones) if self.random else np.broadcast_to(np.int8(1), len(self.codes))
        drawn = ~self.silent & self.own & (self.branching > 1)
        self._kind = np.where(drawn, AVERAGE, LEAST).astype(np.int8)
        self._type = np.result_type(self.payoffs, self.chances) if self.random else self.payoffs.dtype

    @functools.cached_property
    def _turns(self) -> list[np.ndarray]:
        """The positions where play goes on, those of each tier together, first tiers first."""
        going = np.flatnonzero(self.branching)
        tiers = (self.plies if self.engine.by_ply else self.engine.tiers_of(self.states))[going]
        order = np.argsort(tiers, kind="stable")
        return np.split(going[order], np.flatnonzero(np.diff(tiers[order])) + 1)

    def _edges(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the moves of some positions where play goes on, and where those of each begin."""
        counts = self.branching[rows].astype(np.int64)
        begins = np.cumsum(counts) - counts
        return np.arange(counts.sum()) + np.repeat(self.first[rows] - begins, counts), begins

    # Worths -----------------------------------------------------------------------------------------------------------

    @property
    def gaps(self) -> np.ndarray:
        """The known positions where the policy is silent."""
        return np.flatnonzero(self.silent[: self.known])

    def worth(self, *, helpful: bool) -> np.ndarray:
        """Return the expected payoff of every position, if the opponent does its worst and the policy, where silent,
        its best (``helpful``) or its worst.

        The last tiers come first. In loopy games each is looked at again until no payoff changes: from 0 to what one
        side can force, and never again.
        """
        worth = self.payoffs.astype(self._type)
        kinds = np.where(self.silent, GREATEST, self._kind) if helpful else self._kind
        for rows in reversed(self._turns):
            while self._renew(worth, kinds, rows) and self.rules.loopy:
                pass
        return worth

    def _renew(self, worth: np.ndarray, kinds: np.ndarray, rows: np.ndarray) -> bool:
        """Derive what positions are worth from those after them; return whether that changes anything."""
        before = worth[rows]
        for kind, over in ((LEAST, np.minimum), (GREATEST, np.maximum), (AVERAGE, np.add)):
            chosen = rows[kinds[rows] == kind]
            if len(chosen):
                edges, begins = self._edges(chosen)
                after = worth[self.child[edges]]
                worth[chosen] = over.reduceat(after * self.chances[edges] if kind == AVERAGE else after, begins)
        if self._type.kind == "f":  # sums of rounded products
            worth[rows] = np.clip(worth[rows], self.payoffs.min(), self.payoffs.max())
        return not np.array_equal(before, worth[rows])

    def best_replies(self, worth: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the number of the move, the first among equals, that is worst for the policy in each of some positions
        where play goes on.
        """
        edges, begins = self._edges(rows)
        after = worth[self.child[edges]]
        least = np.repeat(np.minimum.reduceat(after, begins), self.branching[rows])
        places = np.where(after == least, np.arange(len(edges)), len(edges))
        return edges[np.minimum.reduceat(places, begins)]

    def reach(self, worth: np.ndarray) -> np.ndarray:
        """Return the probability of coming to each position in play against a best response that ends at gaps."""
        reach = np.zeros(len(self.states), self._type)
        reach[0] = 1
        for rows in self._turns:
            here = rows[(reach[rows] != 0) & ~self.silent[rows]]
            own, other = here[self.own[here]], here[~self.own[here]]
            edges = self._edges(own)[0] if len(own) else np.empty(0, np.int64)
            before = np.repeat(own, self.branching[own])
            np.add.at(reach, self.child[edges], reach[before] * self.chances[edges])
            if len(other):
                np.add.at(reach, self.child[self.best_replies(worth, other)], reach[other])
        return reach

    def losses(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return of each known position the probability that the policy loses value there, and the value that it loses
        on average; 0 at gaps. ``values`` are those of all positions for the first player.
        """
        mistakes, lost = np.zeros((2, self.known), self._type)
        chosen = self.own[: self.known] & ~self.silent[: self.known]
        for low in range(0, self.known, TOGETHER):
            rows = low + np.flatnonzero(chosen[low : low + TOGETHER])
            if len(rows):
                edges, begins = self._edges(rows)
                before = np.repeat(values[rows], self.branching[rows])
                drops = self.side * (before - values[self.child[edges]])
                mistakes[rows] = np.add.reduceat(self.chances[edges] * (drops > 0), begins)
                lost[rows] = np.add.reduceat(self.chances[edges] * drops, begins)
        return mistakes, lost

    # Lines ------------------------------------------------------------------------------------------------------------

    def way(self, begin: int, end: int) -> list[int]:
        """Return the numbers of the moves of a shortest line, of a move or more, between known positions."""
        from scipy.sparse.csgraph import breadth_first_order  # type: ignore[import-untyped]

        order, before = breadth_first_order(self._links, begin)
        if begin == end:
            back = np.isin(order, self._links.T.tocsr()[[end]].indices)
            line = [end, int(order[back][0])]
        else:
            line = [end, int(before[end])]
        while line[-1] != begin:
            line.append(int(before[line[-1]]))
        moves = list[int]()
        for state, after in zip(line[:0:-1], line[-2::-1], strict=True):
            edges = range(self.first[state], self.first[state] + self.branching[state])
            moves.append(next(edge for edge in edges if self.child[edge] == after))
        return moves

    @functools.cached_property
    def _links(self) -> Any:
        """The moves between known positions, but for those at gaps, as a sparse matrix."""
        from scipy.sparse import csr_array  # type: ignore[import-untyped]

        branching = np.where(self.silent, 0, self.branching)[: self.known]
        led = np.repeat(~self.silent, self.branching)[: self.branching[: self.known].sum()]
        child = self.child[: len(led)][led]
        ends = np.concatenate([[0], np.cumsum(branching)]).astype(np.int32)
        return csr_array((np.ones(len(child), np.int8), child, ends), shape=(self.known, self.known))

    def first_on_a_loop(self) -> int | None:
        """Return the nearest known position that can recur."""
        from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

        _, part = connected_components(self._links, connection="strong")
        loops = (np.bincount(part)[part] > 1) | (self._links.diagonal() > 0)
        return int(loops.argmax()) if loops.any() else None


def _nearest(states: np.ndarray, plies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct states, sorted, each with the least of its plies."""
    order = np.lexsort((plies, states))
    states, plies = states[order], plies[order]
    first = np.ones(len(states), bool)
    first[1:] = states[1:] != states[:-1]
    return states[first], plies[first]
