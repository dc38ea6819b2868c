"""Which positions a page carries: all that play reaches from one, or only some plies of it, or best play; and what the
solution knows of their classes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from analysis.engine.columns import COUNT_COLUMNS, plain
from analysis.engine.engine import Engine, make_engine
from analysis.engine.tiers import SolvedTier
from analysis.errors import TooLargeError
from analysis.machine.workers import tell_progress
from analysis.rules.symmetry import permute
from analysis.solution.lookup import rows_together
from analysis.solution.ranking import rank_keys
from analysis.solution.solution import Solution
from analysis.wording import listed, some

if TYPE_CHECKING:
    from analysis.engine.kernels.states import ExpandedChunk

MOST_CLASSES = 200_000
"""In one page, unless told otherwise: the file has some megabytes, and opens within a second or two."""

Numbered = dict[int, np.ndarray]
"""Sorted states by the number of their tier."""

PIECE = 1 << 17
"""Rows of a tier that are read at a time."""


@dataclasses.dataclass(frozen=True)
class Slice:
    """The positions of a part of a solution by their tiers and then by their states, and their classes by their tiers
    and then by their places on the map.
    """

    solution: Solution
    raw: Engine
    """Of the game from where the part begins, without symmetries."""
    depth: int | None
    """How many plies it has, None for all of them."""
    optimal_only: bool
    """Whether play goes on only after moves that keep the value."""
    tiers: np.ndarray  # int64[n]
    states: np.ndarray  # int64[n]
    expanded: np.ndarray  # bool[n], whether what moves lead to is in the part
    classes: np.ndarray  # int64[n], the row of each one's class
    class_tiers: np.ndarray  # int64[c]
    columns: dict[str, np.ndarray]
    """Of the classes, as in the tables of positions."""

    def __len__(self) -> int:
        """How many classes are in it."""
        return len(self.class_tiers)

    @property
    def over(self) -> np.ndarray:
        """bool[n], whether the game is over."""
        return self.columns["terminal"][self.classes]

    @property
    def whole(self) -> bool:
        """Whether all that play reaches from its first position is in it."""
        return bool((self.expanded | self.over).all())

    def find(self, tiers: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The rows int64[m] of positions that are in it, by their tiers and states."""
        found = np.empty(len(states), np.int64)
        for number in np.unique(tiers).tolist():
            first, last = np.searchsorted(self.tiers, [number, number + 1])
            own = tiers == number
            found[own] = first + np.searchsorted(self.states[first:last], states[own])
        return found

    def pieces(self) -> Iterator[slice]:
        """Rows of one tier whose moves are expanded together."""
        most = rows_together(self.raw)
        bounds = [*np.flatnonzero(np.diff(self.tiers, prepend=-1)).tolist(), len(self.tiers)]
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
    by_class: bool = True,
) -> Slice:
    """The part of a solution from a ``state`` on (default: its start): so many plies, by default to the end of play.
    Where it is ``optimal_only``, moves that give value away are in it, but not what comes after them.

    Raises `PositionError` for a state that play does not reach, and `TooLargeError` for more than ``most`` classes, or
    positions if not ``by_class`` or if the rules alone know what is symmetric; unless as much of it as is no more will
    do, the ``deepest`` such part. The rules are asked: `RulesNeededError` where they are not known.
    """
    start = solution.engine.start if state is None else state
    solution.game.rules()
    growing = _Growing(solution, start, optimal_only=optimal_only, by_class=by_class)
    while growing.layer and (depth is None or growing.depth < depth):
        before = growing.copy()
        tell_progress("gathering positions", growing.size, None)
        growing.go_on(most)
        if growing.size > most:
            if not deepest:
                raise TooLargeError(_too_many(growing, before.depth, before.size, most))
            growing = before
            break
    return growing.part()


def _too_many(growing: _Growing, plies: int, size: int, most: int) -> str:
    from_there = growing.raw.start != growing.solution.engine.start
    ways = [
        *([] if from_there else ["begin later with --from POSITION"]),
        *([] if growing.optimal_only else ["follow best play with --optimal-only"]),
        "allow more with --classes N",
    ]
    what = f"{growing.solution.game.spec} from {growing.solution.game.format_position(growing.raw.start)}"
    return (
        f"{what} has more than {some(most, 'class', 'classes')} within {some(plies + 1, 'ply', 'plies')}, too many for "
        f"a page; --depth {plies} has {size:,}; or {listed(ways)}"
    )


class _Growing:
    """The positions that have been reached, ply by ply."""

    def __init__(self, solution: Solution, start: int, *, optimal_only: bool, by_class: bool) -> None:
        self.solution, self.optimal_only = solution, optimal_only
        self.by_class = by_class and not solution.engine.reduces
        self.raw = make_engine(solution.game, symmetry="none", start=start)
        number, first = solution.find_tier(start), np.array([start], dtype=np.int64)
        self.layer: Numbered = {number: first}
        """Whose moves come next."""
        self.reached: Numbered = {number: first}
        self.expanded: Numbered = {}
        self.named: Numbered = {number: self._counted_as(first)}
        """What is counted."""
        self.depth = 0
        self.stored = {tier.number: tier for tier in solution.tiers}

    def copy(self) -> _Growing:
        """As it is now: arrays are replaced, never changed."""
        other = object.__new__(_Growing)
        copied = {name: {**getattr(self, name)} for name in ("reached", "expanded", "named")}
        vars(other).update(vars(self) | copied)
        return other

    @property
    def size(self) -> int:
        return sum(map(len, self.named.values()))

    def _counted_as(self, states: np.ndarray) -> np.ndarray:
        return self._canonical(states) if self.by_class else states

    def go_on(self, most: int) -> None:
        """One ply more; of more than ``most`` classes not all need be counted."""
        ahead: dict[int, list[np.ndarray]] = defaultdict(list)
        for number, states in self.layer.items():
            self.expanded[number] = np.union1d(self.expanded.get(number, states[:0]), states)
            for low in range(0, len(states), rows_together(self.raw)):
                own = states[low : low + rows_together(self.raw)]
                chunk = expanded(self.raw, number, own)
                keeps = self._keeps(number, chunk) if self.optimal_only else np.ones(len(chunk.children), np.bool_)
                for tier in np.unique(chunk.tiers).tolist():
                    led = chunk.tiers == tier
                    new = np.setdiff1d(chunk.children[led], self.reached.get(tier, own[:0]))
                    self.reached[tier] = np.union1d(self.reached.get(tier, own[:0]), new)
                    self.named[tier] = np.union1d(self.named.get(tier, own[:0]), self._counted_as(new))
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
        after = np.empty(len(chunk.children), np.int16)
        for tier in np.unique(chunk.tiers).tolist():
            led = chunk.tiers == tier
            after[led] = self._values(tier, chunk.children[led])
        return after == np.repeat(self._values(number, chunk.states), chunk.branching)

    def _values(self, number: int, states: np.ndarray) -> np.ndarray:
        canonical, places = np.unique(self._canonical(states), return_inverse=True)
        return self.stored[number].worths(canonical)[0][places]

    def _canonical(self, states: np.ndarray) -> np.ndarray:
        """The states of the solution's classes, int64[n]."""
        engine = self.solution.engine
        if engine.reduces:
            return np.array([engine.canonical(state) for state in states.tolist()], dtype=np.int64)
        return np.minimum.reduce([permute(states, each, engine.group.planes) for each in engine.group.permutations])

    def part(self) -> Slice:
        """What was reached, and what the solution knows of it."""
        numbers, rows = sorted(self.reached), 0
        found: dict[str, list[np.ndarray]] = defaultdict(list)
        columns: dict[str, list[np.ndarray]] = defaultdict(list)
        for number in numbers:
            states = self.reached[number]
            canonical, places = np.unique(self._canonical(states), return_inverse=True)
            known = self._known(self.stored[number], canonical)
            order = np.lexsort((canonical, rank_keys(known["value"], known["remoteness_plies"])))
            for name, own in known.items():
                columns[name].append(own[order])
            found["tiers"].append(np.full(len(states), number))
            found["states"].append(states)
            found["expanded"].append(np.isin(states, self.expanded.get(number, states[:0])))
            found["classes"].append(rows + np.argsort(order)[places])
            found["class_tiers"].append(np.full(len(canonical), number))
            rows += len(canonical)
        arrays = {name: np.concatenate(pieces) for name, pieces in found.items()}
        joined = {name: np.concatenate(pieces) for name, pieces in columns.items()}
        reached = self.depth if self.layer else None
        return Slice(self.solution, self.raw, reached, self.optimal_only, **arrays, columns=joined)

    def _known(self, tier: SolvedTier, wanted: np.ndarray) -> dict[str, np.ndarray]:
        """The columns of canonical states of a tier, sorted and each once."""
        solution = self.solution
        names = ["state", "to_move", "value", "remoteness_plies", "terminal"]
        names += [*["nimber"] * self.raw.rules.impartial, *["orbit_size"] * solution.engine.sized]
        names += [name for name in COUNT_COLUMNS if solution.counted and (name != "histories" or solution.engine.sized)]
        found: dict[str, list[np.ndarray]] = {name: [] for name in names}
        for table in tier.pieces(PIECE, names, wanted):
            stored = plain(table["state"])
            places = np.searchsorted(stored, wanted[np.isin(wanted, stored)])
            for name in names:
                found[name].append(plain(table[name])[places])
        return {name: np.concatenate(pieces) for name, pieces in found.items()}


def expanded(engine: Engine, number: int, states: np.ndarray) -> ExpandedChunk:
    """The moves of some states of a tier, each with the tier that it leads to."""
    chunk = engine.expand_tiers(states).kept()
    return chunk._replace(tiers=np.full(len(chunk.codes), number + 1)) if engine.by_ply else chunk
