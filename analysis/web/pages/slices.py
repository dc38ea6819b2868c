"""The positions of a page: all that play reaches from one, or some plies of it, or best play; and what the solution
knows of their classes.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...common.wording import with_count
from ...common.workers import tell_progress
from ...engine.columns import COUNT_COLUMNS, column, plain
from ...engine.engine import Engine, make_engine
from ...engine.tiers import SolvedTier, worths_in
from ...errors import TooLargeError
from ...solution.lookup import expand
from ...solution.ranking import rank_keys
from ...solution.solution import Solution

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


def cut(
    solution: Solution,
    state: int | None = None,
    *,
    depth: int | None = None,
    optimal_only: bool = False,
    most: int = MOST_CLASSES,
    deepest: bool = False,
) -> Slice:
    """Return the part of a solution from a ``state`` on (default: its start), within ``depth`` plies (default: all). If
    ``optimal_only``, positions after moves that give value away are in it, but nothing after them.

    Raises `PositionError` for a state that play does not reach; `TooLargeError` for more than ``most`` classes, or
    positions if the game has its own symmetries, unless the ``deepest`` part within that limit will do; and
    `RulesNeededError` if the rules are not known.
    """
    start = solution.engine.start if state is None else state
    solution.game.rules()
    growing = _Growing(solution, start, optimal_only)
    while growing.layer and growing.depth != depth:
        tell_progress("gathering positions", growing.size, None)
        if not growing.grow(most):
            if not deepest:
                raise TooLargeError(_too_many(growing, most))
            break
    return growing.part()


def _too_many(growing: _Growing, most: int) -> str:
    plies, game = growing.depth, growing.solution.game
    return (
        f"{game.spec} from {game.format_position(growing.raw.start)} has more than "
        f"{with_count(most, 'class', 'classes')} within {with_count(plies + 1, 'ply', 'plies')}, too many for a page; "
        f"--depth {plies} has {growing.size:,}; or begin later with --from POSITION, follow best play with "
        "--optimal-only, or allow more with --classes N"
    )


class _Growing:
    """Positions reached so far, ply by ply."""

    def __init__(self, solution: Solution, start: int, optimal_only: bool) -> None:
        self.solution, self.optimal_only = solution, optimal_only
        self.raw = make_engine(solution.game, symmetry="none", start=start)
        self.stored = {tier.number: tier for tier in solution.tiers}
        self.layer: Numbered = {solution.records.tier(start): np.array([start], dtype=np.int64)}
        """The positions to expand next."""
        self.reached, self.expanded, self.depth = self.layer, Numbered(), 0
        self.sizes = dict.fromkeys(self.layer, 1)
        """The number of classes, or positions, of each tier, which is limited."""

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def grow(self, most: int) -> bool:
        """Add a ply unless there are then more than ``most`` classes, and return whether it was added."""
        led, kept = defaultdict[int, list[np.ndarray]](list), defaultdict[int, list[np.ndarray]](list)
        for number, states in self.layer.items():
            for rows in self.raw.chunks(len(states)):
                edges = expand(self.raw, number, states[rows])
                for tier, into in edges.by_tier():
                    children = edges.children[into]
                    led[tier].append(np.unique(children))
                    if self.optimal_only:
                        before = self._values(number, states[rows])[edges.rows[into]]
                        children = children[self._values(tier, children) == before]
                    kept[tier].append(np.unique(children))
        reached = {**self.reached, **{tier: _joined(self.reached, tier, *new) for tier, new in led.items()}}
        sizes = {**self.sizes, **{tier: self._size(reached[tier]) for tier in led}}
        if sum(sizes.values()) > most:
            return False
        self.expanded |= {tier: _joined(self.expanded, tier, states) for tier, states in self.layer.items()}
        after = {
            tier: np.setdiff1d(np.concatenate(new), self.expanded.get(tier, NOTHING)) for tier, new in kept.items()
        }
        self.layer = {tier: states for tier, states in after.items() if len(states)}
        self.reached, self.sizes, self.depth = reached, sizes, self.depth + 1
        return True

    def _size(self, states: np.ndarray) -> int:
        return len(states if self.solution.engine.reduces else np.unique(self.solution.engine.canonicals(states)))

    def _values(self, number: int, states: np.ndarray) -> np.ndarray:
        canonical, places = np.unique(self.solution.engine.canonicals(states), return_inverse=True)
        return worths_in(self.stored[number], canonical)[0][places]

    def part(self) -> Slice:
        """Return what was reached, with the columns of the solution."""
        found: dict[str, list[np.ndarray]] = defaultdict(list)
        columns, rows = [], 0
        for number, states in sorted(self.reached.items()):
            canonical, places = np.unique(self.solution.engine.canonicals(states), return_inverse=True)
            known = self._known(self.stored[number], canonical)
            order = np.lexsort((canonical, rank_keys(known["value"], known["remoteness_plies"])))
            columns.append({name: own[order] for name, own in known.items()})
            found["tiers"].append(np.full(len(states), number))
            found["states"].append(states)
            found["expanded"].append(np.isin(states, self.expanded.get(number, ())))
            found["classes"].append(rows + np.argsort(order)[places])
            found["class_tiers"].append(np.full(len(canonical), number))
            rows += len(canonical)
        arrays = {name: np.concatenate(pieces) for name, pieces in found.items()}
        joined = {name: np.concatenate([each[name] for each in columns]) for name in columns[0]}
        reached = self.depth if self.layer else None
        return Slice(self.solution, self.raw, reached, self.optimal_only, **arrays, columns=joined)

    def _known(self, tier: SolvedTier, wanted: np.ndarray) -> dict[str, np.ndarray]:
        """Return the columns of canonical states of a tier, which are sorted and distinct."""
        sized = self.solution.engine.sized
        names = ["state", "to_move", "value", "remoteness_plies", "terminal"]
        names += [*["nimber"] * self.raw.rules.impartial, *["orbit_size"] * sized]
        names += [name for name in COUNT_COLUMNS if self.solution.counted and (name != "histories" or sized)]
        pieces = tier.pieces(PIECE, names, wanted)
        table = pa.concat_tables(piece.filter(pc.is_in(piece["state"], column(wanted))) for piece in pieces)
        return {name: plain(table[name]) for name in names}


def _joined(numbered: Numbered, tier: int, *states: np.ndarray) -> np.ndarray:
    """Return the states of a tier and others, sorted and distinct."""
    return np.unique(np.concatenate([numbered.get(tier, NOTHING), *states]))
