"""Which classes a page carries: all that play reaches from a position, or only some plies of it, or best play."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.engine.columns import plain
from analysis.engine.engine import Engine, make_engine
from analysis.engine.tiers import SolvedTier
from analysis.errors import TooLargeError
from analysis.machine.workers import tell_progress
from analysis.rules.symmetry import permute
from analysis.solution.lookup import rows_together
from analysis.solution.solution import Solution
from analysis.wording import listed, some

if TYPE_CHECKING:
    from analysis.engine.kernels.states import ExpandedChunk

MOST_CLASSES = 200_000
"""In one page, unless told otherwise: the file has a megabyte or two, and opens within a second."""

Numbered = dict[int, np.ndarray]
"""Sorted states by the number of their tier."""


@dataclasses.dataclass(frozen=True)
class Slice:
    """The classes of a part of a solution, in the order of their tiers and then of their states."""

    solution: Solution
    engine: Engine
    """Of the game from where the part begins, with the symmetries that leave that position alone."""
    raw: Engine
    """The same without symmetries."""
    depth: int | None
    """How many plies it has, None for all of them."""
    optimal_only: bool
    """Whether play goes on only after moves that keep the value."""
    tiers: np.ndarray  # int64[n]
    states: np.ndarray  # int64[n], canonical by `engine`
    expanded: np.ndarray  # bool[n], whether what moves lead to is in the part
    value: np.ndarray  # int16[n], the first player's payoff under optimal play
    remoteness: np.ndarray  # uint16[n], plies to the end, or NEVER
    to_move: np.ndarray  # int8[n], +1 the first player, -1 the second
    over: np.ndarray  # bool[n]
    nimber: np.ndarray | None  # uint8[n]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def whole(self) -> bool:
        """Whether all that play reaches from its first position is in it."""
        return bool((self.expanded | self.over).all())

    def find(self, tiers: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The rows int64[m] of classes that are in it, by their tiers and canonical states."""
        found = np.empty(len(states), np.int64)
        for number in np.unique(tiers).tolist():
            first, last = np.searchsorted(self.tiers, [number, number + 1])
            own = tiers == number
            found[own] = first + np.searchsorted(self.states[first:last], states[own])
        return found

    def pieces(self) -> Iterator[slice]:
        """Rows of one tier whose moves are expanded together."""
        most = rows_together(self.engine)
        bounds = [*np.flatnonzero(np.diff(self.tiers, prepend=-1)).tolist(), len(self)]
        for first, last in itertools.pairwise(bounds):
            for low in range(first, last, most):
                yield slice(low, min(low + most, last))


def cut(
    solution: Solution,
    state: int | None = None,
    *,
    depth: int | None = None,
    optimal_only: bool = False,
    most: int = MOST_CLASSES,
    deepest: bool = False,
) -> Slice:
    """The part of a solution from a ``state`` on (default: its start): so many plies, by default to the end of play.
    Where it is ``optimal_only``, moves that give value away are in it, but not what comes after them.

    Raises `PositionError` for a state that play does not reach, and `TooLargeError` for more than ``most`` classes,
    unless as much of it as is no more will do, the ``deepest`` such part. The rules are asked: `RulesNeededError` where
    they are not known.
    """
    game, start = solution.game, solution.engine.start if state is None else state
    game.rules()
    number = solution.find_tier(start)
    engine = make_engine(game, symmetry=solution.symmetry, start=start)
    raw = make_engine(game, symmetry="none", start=start)
    engine = raw if engine.reduces else engine
    growing = _Growing(solution, engine, number, optimal_only=optimal_only)
    while growing.layer and (depth is None or growing.depth < depth):
        before = growing.copy()
        tell_progress("gathering classes", growing.size, None)
        growing.go_on(most)
        if growing.size > most:
            if not deepest:
                raise TooLargeError(_too_many(growing, before.depth, before.size, most))
            growing = before
            break
    reached = growing.depth if growing.layer else None
    return _known(growing, raw, reached, optimal_only)


def _too_many(growing: _Growing, plies: int, size: int, most: int) -> str:
    from_there = growing.engine.start != growing.solution.engine.start
    ways = [
        *([] if from_there else ["begin later with --from POSITION"]),
        *([] if growing.optimal_only else ["follow best play with --optimal-only"]),
        "allow more with --classes N",
    ]
    what = f"{growing.solution.game.spec} from {growing.solution.game.format_position(growing.engine.start)}"
    return (
        f"{what} has more than {some(most, 'class', 'classes')} within {some(plies + 1, 'ply', 'plies')}, too many for "
        f"a page; --depth {plies} has {size:,}; or {listed(ways)}"
    )


class _Growing:
    """The classes that have been reached, ply by ply."""

    def __init__(self, solution: Solution, engine: Engine, number: int, *, optimal_only: bool) -> None:
        self.solution, self.engine, self.optimal_only = solution, engine, optimal_only
        first = np.array([engine.canonical(engine.start)], dtype=np.int64)
        self.layer: Numbered = {number: first}
        """Whose moves come next."""
        self.reached: Numbered = {number: first}
        self.expanded: Numbered = {}
        self.depth = 0
        self.stored = {tier.number: tier for tier in solution.tiers}

    def copy(self) -> _Growing:
        """As it is now: arrays are replaced, never changed."""
        other = object.__new__(_Growing)
        vars(other).update(vars(self) | {"reached": {**self.reached}, "expanded": {**self.expanded}})
        return other

    @property
    def size(self) -> int:
        return sum(map(len, self.reached.values()))

    def go_on(self, most: int) -> None:
        """One ply more; of more than ``most`` classes not all need be counted."""
        ahead: dict[int, list[np.ndarray]] = defaultdict(list)
        for number, states in self.layer.items():
            self.expanded[number] = np.union1d(self.expanded.get(number, states[:0]), states)
            for low in range(0, len(states), rows_together(self.engine)):
                own = states[low : low + rows_together(self.engine)]
                chunk = expanded(self.engine, number, own)
                keeps = self._keeps(number, chunk) if self.optimal_only else np.ones(len(chunk.children), np.bool_)
                for tier in np.unique(chunk.tiers).tolist():
                    led = chunk.tiers == tier
                    self.reached[tier] = np.union1d(self.reached.get(tier, own[:0]), chunk.children[led])
                    ahead[tier].append(np.unique(chunk.children[led & keeps]))
                if self.size > most:
                    return
        self.layer = {}
        for number, found in ahead.items():
            new = np.setdiff1d(np.concatenate(found), self.expanded.get(number, found[0][:0]))
            if len(new):
                self.layer[number] = new
        self.depth += 1

    def _keeps(self, number: int, chunk: ExpandedChunk) -> np.ndarray:
        """bool[moves], whether the value after a move is that before it."""
        before = self.worths(number, chunk.states)[0]
        after = np.empty(len(chunk.children), np.int16)
        for tier in np.unique(chunk.tiers).tolist():
            led = chunk.tiers == tier
            states, places = np.unique(chunk.children[led], return_inverse=True)
            after[led] = self.worths(tier, states)[0][places]
        return after == np.repeat(before, chunk.branching)

    def worths(self, number: int, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values int16[n] and remotenesses uint16[n] of states of a tier, canonical by `engine`."""
        canonical, places = np.unique(self.stored_states(states), return_inverse=True)
        values, remoteness = self.stored[number].worths(canonical)
        return values[places], remoteness[places]

    def stored_states(self, states: np.ndarray) -> np.ndarray:
        """The states of the solution's own classes."""
        group = self.solution.engine.group
        if self.solution.engine.reduces:
            return np.array([self.solution.engine.canonical(state) for state in states.tolist()], dtype=np.int64)
        if group.permutations == self.engine.group.permutations:
            return states
        return np.minimum.reduce([permute(states, each, group.planes) for each in group.permutations])


def expanded(engine: Engine, number: int, states: np.ndarray) -> ExpandedChunk:
    """The moves of some states of a tier, each with the tier that it leads to."""
    chunk = engine.expand_tiers(states).kept()
    return chunk._replace(tiers=np.full(len(chunk.codes), number + 1)) if engine.by_ply else chunk


def _known(growing: _Growing, raw: Engine, depth: int | None, optimal_only: bool) -> Slice:
    """What is known of the classes that were reached."""
    engine, numbers = growing.engine, sorted(growing.reached)
    columns: dict[str, list[Any]] = defaultdict(list)
    for number in numbers:
        states = growing.reached[number]
        chunk = expanded(engine, number, states)
        value, remoteness = growing.worths(number, states)
        columns["tiers"].append(np.full(len(states), number))
        columns["states"].append(states)
        columns["expanded"].append(np.isin(states, growing.expanded.get(number, states[:0])))
        columns["value"].append(value)
        columns["remoteness"].append(remoteness)
        columns["to_move"].append(chunk.movers)
        columns["over"].append(chunk.branching == 0)
        if engine.rules.impartial:
            columns["nimber"].append(_nimbers(growing.stored[number], growing.stored_states(states)))
    arrays: dict[str, Any] = {name: np.concatenate(found) for name, found in columns.items()}
    return Slice(growing.solution, engine, raw, depth, optimal_only, **{"nimber": None, **arrays})


def _nimbers(tier: SolvedTier, states: np.ndarray) -> np.ndarray:
    """The nimbers uint8[n] of canonical states of a tier."""
    wanted, places = np.unique(states, return_inverse=True)
    found = np.zeros(len(wanted), np.uint8)
    for table in tier.pieces(1 << 17, ["state", "nimber"], wanted):
        stored = plain(table["state"])
        here = np.isin(wanted, stored)
        found[here] = plain(table["nimber"])[np.searchsorted(stored, wanted[here])]
    return found[places]
