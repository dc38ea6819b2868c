"""The positions of a page: all that play reaches from one, or some plies of it, or best play; and what the solution
knows of their classes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from analysis.engine.columns import COUNT_COLUMNS, plain
from analysis.engine.engine import Engine, make_engine
from analysis.engine.tiers import SolvedTier
from analysis.errors import TooLargeError
from analysis.machine.workers import tell_progress
from analysis.rules.symmetry import permute
from analysis.solution.lookup import Edges, expand, rows_together
from analysis.solution.ranking import rank_keys
from analysis.solution.solution import Solution
from analysis.wording import listed, some

MOST_CLASSES = 200_000
"""Default limit for a page, whose file then has some megabytes and opens within a second or two."""

Numbered = dict[int, np.ndarray]
"""Sorted states by tier."""

NOTHING = np.empty(0, np.int64)

PIECE = 1 << 17
"""Rows of a tier read at a time."""


@dataclasses.dataclass(frozen=True)
class Slice:
    """A part of a solution: positions by tier and state, and their classes by tier and place on the map."""

    solution: Solution
    raw: Engine
    """The engine of the game from the first position of the part, without symmetries."""
    depth: int | None
    """Its plies, None for all."""
    optimal_only: bool
    """Whether what follows moves that give value away is left out."""
    tiers: np.ndarray  # int64[n]
    states: np.ndarray  # int64[n]
    expanded: np.ndarray  # bool[n], whether the positions after moves are in the part
    classes: np.ndarray  # int64[n], the row of the class
    class_tiers: np.ndarray  # int64[c]
    columns: dict[str, np.ndarray]
    """Columns of the classes, as in tables of positions."""

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.class_tiers)

    @property
    def over(self) -> np.ndarray:
        """bool[n], whether the game is over."""
        return self.columns["terminal"][self.classes]

    @property
    def whole(self) -> bool:
        """Whether it contains all that play reaches from its first position."""
        return bool((self.expanded | self.over).all())

    def find(self, tiers: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Return the rows int64[m] of positions of the part, given by tier and state."""
        found = np.empty(len(states), np.int64)
        for number in np.unique(tiers).tolist():
            first, last = np.searchsorted(self.tiers, [number, number + 1])
            own = tiers == number
            found[own] = first + np.searchsorted(self.states[first:last], states[own])
        return found

    def pieces(self) -> Iterator[slice]:
        """Yield rows of one tier to expand together."""
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
    """Return the part of a solution from a ``state`` on (default: its start), within ``depth`` plies (default: all). If
    ``optimal_only``, positions after moves that give value away are in it, but nothing after them.

    Raises `PositionError` for a state that play does not reach; `TooLargeError` for more than ``most`` classes, or
    positions if not ``by_class`` or if the game has its own symmetries, unless the ``deepest`` part within that limit
    will do; and `RulesNeededError` if the rules are not known.
    """
    start = solution.engine.start if state is None else state
    solution.game.rules()
    growing = _Growing(solution, start, optimal_only=optimal_only, by_class=by_class)
    while growing.layer and (depth is None or growing.depth < depth):
        tell_progress("gathering positions", growing.size, None)
        if not growing.grow(most):
            if not deepest:
                raise TooLargeError(_too_many(growing, most))
            break
    return growing.part()


def _too_many(growing: _Growing, most: int) -> str:
    plies = growing.depth
    from_there = growing.raw.start != growing.solution.engine.start
    ways = [
        *([] if from_there else ["begin later with --from POSITION"]),
        *([] if growing.optimal_only else ["follow best play with --optimal-only"]),
        "allow more with --classes N",
    ]
    what = f"{growing.solution.game.spec} from {growing.solution.game.format_position(growing.raw.start)}"
    return (
        f"{what} has more than {some(most, 'class', 'classes')} within {some(plies + 1, 'ply', 'plies')}, too many for "
        f"a page; --depth {plies} has {growing.size:,}; or {listed(ways)}"
    )


class _Growing:
    """Positions reached so far, ply by ply."""

    def __init__(self, solution: Solution, start: int, *, optimal_only: bool, by_class: bool) -> None:
        self.solution, self.optimal_only = solution, optimal_only
        self.by_class = by_class and not solution.engine.reduces
        self.raw = make_engine(solution.game, symmetry="none", start=start)
        number, first = solution.find_tier(start), np.array([start], dtype=np.int64)
        self.layer: Numbered = {number: first}
        """The positions to expand next."""
        self.reached: Numbered = {number: first}
        self.expanded: Numbered = {}
        self.named: Numbered = {number: self._counted_as(first)}
        """The classes, or positions, that the limit counts."""
        self.depth = 0
        self.stored = {tier.number: tier for tier in solution.tiers}

    @property
    def size(self) -> int:
        return sum(map(len, self.named.values()))

    def _counted_as(self, states: np.ndarray) -> np.ndarray:
        return self._canonical(states) if self.by_class else states

    def grow(self, most: int) -> bool:
        """Add a ply unless there are then more than ``most`` classes, and return whether it was added."""
        reached, named = {**self.reached}, {**self.named}
        ahead: dict[int, list[np.ndarray]] = defaultdict(list)
        for number, states in self.layer.items():
            for low in range(0, len(states), rows_together(self.raw)):
                own = states[low : low + rows_together(self.raw)]
                edges = expand(self.raw, number, own)
                keeps = self._keeps(number, own, edges) if self.optimal_only else np.ones(len(edges.rows), np.bool_)
                for tier, led in edges.by_tier():
                    new = np.setdiff1d(edges.children[led], reached.get(tier, NOTHING))
                    reached[tier] = np.union1d(reached.get(tier, NOTHING), new)
                    named[tier] = np.union1d(named.get(tier, NOTHING), self._counted_as(new))
                    ahead[tier].append(np.unique(edges.children[led & keeps]))
                if sum(map(len, named.values())) > most:
                    return False
        for number, states in self.layer.items():
            self.expanded[number] = np.union1d(self.expanded.get(number, NOTHING), states)
        after = {tier: np.setdiff1d(np.concatenate(f), self.expanded.get(tier, NOTHING)) for tier, f in ahead.items()}
        self.layer = {tier: states for tier, states in after.items() if len(states)}
        self.reached, self.named, self.depth = reached, named, self.depth + 1
        return True

    def _keeps(self, number: int, states: np.ndarray, edges: Edges) -> np.ndarray:
        """Return bool[moves]: whether a move keeps the value."""
        after = np.empty(len(edges.children), np.int16)
        for tier, led in edges.by_tier():
            after[led] = self._values(tier, edges.children[led])
        return after == self._values(number, states)[edges.rows]

    def _values(self, number: int, states: np.ndarray) -> np.ndarray:
        canonical, places = np.unique(self._canonical(states), return_inverse=True)
        return self.stored[number].worths(canonical)[0][places]

    def _canonical(self, states: np.ndarray) -> np.ndarray:
        """Return the canonical states, int64[n]."""
        engine = self.solution.engine
        if engine.reduces:
            return np.array([engine.canonical(state) for state in states.tolist()], dtype=np.int64)
        return np.minimum.reduce([permute(states, each, engine.group.planes) for each in engine.group.permutations])

    def part(self) -> Slice:
        """Return what was reached, with the columns of the solution."""
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
        """Return the columns of canonical states of a tier, which are sorted and distinct."""
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
