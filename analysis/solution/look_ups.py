"""Look many states up at once, as arrays."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..common.memory import Budget
from ..common.wording import in_words
from ..engine.columns import COUNT_COLUMNS, NEVER, to_int
from ..engine.engine import Engine
from ..engine.tiers import SolvedTier
from ..errors import GametreeError, MissingDataError, UnreadableError
from ..rules.game import Game
from .lookup import known_moves, require_canonical
from .position import Worth

if TYPE_CHECKING:
    import pandas as pd

ALWAYS = ("value", "remoteness_plies", "to_move")
OTHERS = ("terminal", "orbit_size", "nimber", *COUNT_COLUMNS)
"""The columns that are looked up on request."""

STATE_BYTES, COUNT_BYTES = 200, 48
"""Bytes of a state while it is looked up, besides masks, and for each further column."""

LITTLE = 1 << 22
"""Bytes that are there unasked; to ask what memory is free takes as long as looking up a thousand states."""

TYPES = {"value": np.int16, "remoteness_plies": np.uint16, "to_move": np.int8}
"""The types of columns in which nothing is found."""

NO_STATE = (1 << 63) - 1
"""A state that no game has: its positions would leave no room for another one."""


@dataclasses.dataclass(frozen=True)
class LookUp:
    """What a solution holds about n states, in their order, as arrays.

    >>> import analysis
    >>> found = analysis.solve("tictactoe").lookup([0, 1, 3])
    >>> found.known.tolist(), found.value.tolist(), found.remoteness_plies.tolist(), found.to_move.tolist()
    ([True, True, False], [0, 0, 0], [9, 8, 65535], [1, -1, 0])
    >>> found.legal_mask.sum(axis=1).tolist(), found.optimal_mask[1].nonzero()[0].tolist()
    ([9, 8, 0], [4])
    """

    states: np.ndarray
    """int64[n]."""
    known: np.ndarray
    """bool[n], whether play reaches the state."""
    value: np.ndarray
    """int16[n], the first player's payoff under optimal play; 0 if unknown. Other payoffs than integers are objects."""
    remoteness_plies: np.ndarray
    """uint16[n], plies to the end under optimal play; 65535 if play never ends, and if unknown."""
    to_move: np.ndarray
    """int8[n], 1 if the first player moves, -1 if the second; 0 if unknown."""
    tier: np.ndarray
    """int32[n], the tier that holds the state: the ply, if tiers are plies; -1 if unknown."""
    columns: dict[str, np.ndarray]
    """The requested other columns, by name; 0 if unknown. Counts beyond 64 bits are Python integers."""
    _solved: _Solved = dataclasses.field(repr=False)
    _stored_value: np.ndarray = dataclasses.field(repr=False)

    def __len__(self) -> int:
        return len(self.states)

    @property
    def legal_mask(self) -> np.ndarray:
        """bool[n, largest code + 1], the legal moves; none if unknown."""
        return self._masks[0]

    @property
    def optimal_mask(self) -> np.ndarray:
        """bool[n, largest code + 1], the legal moves that keep the value."""
        return self._masks[1]

    @functools.cached_property
    def _masks(self) -> tuple[np.ndarray, np.ndarray]:
        """Find both masks, when first used. Raises `RulesNeededError` without rules, and `TooLargeError`."""
        engine = self._solved.engine
        codes = engine.rules.largest_code + 1
        Budget.of_machine().require(2 * codes * len(self), f"masks of {len(self):,} states and {codes:,} moves")
        legal, optimal = np.zeros((2, len(self), codes), dtype=bool)
        below = self._solved.by_number
        for number in np.unique(self.tier[self.known]).tolist():
            places = np.flatnonzero(self.tier == number)
            for rows, edges, after, _ in known_moves(engine, below, number, self.states[places]):
                parents = places[rows][edges.rows]
                legal[parents, edges.codes] = True
                optimal[parents, edges.codes] = after == self._stored_value[parents]
        return legal, optimal

    def worths(self) -> list[Worth | None]:
        """Return the worth of each state; None if unknown."""
        plies = self.remoteness_plies.astype(object)
        plies[self.remoteness_plies == NEVER] = None
        found = zip(self.known.tolist(), self.value.tolist(), plies.tolist(), strict=True)
        return [Worth(value, remoteness) if known else None for known, value, remoteness in found]

    def to_pandas(self) -> pd.DataFrame:
        """Return the arrays, without the masks, as a data frame."""
        import pandas as pd

        names = ("states", "known", "value", "remoteness_plies", "to_move", "tier")
        return pd.DataFrame({name: getattr(self, name) for name in names} | self.columns)


class _Solved:
    """The tiers of a solution, and which of them may hold a state."""

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine, self.tiers = engine, tiers

    @functools.cached_property
    def by_number(self) -> dict[int, SolvedTier]:
        """The tiers by their numbers."""
        return {tier.number: tier for tier in self.tiers}

    @functools.cached_property
    def _bits(self) -> np.ndarray:
        """The number of bits set in the first state of each tier."""
        return np.array([(tier.first_state or 0).bit_count() for tier in self.tiers])

    def likely(self, states: np.ndarray, canonical: np.ndarray) -> Iterator[tuple[np.ndarray, list[SolvedTier]]]:
        """Yield rows of states with the tiers that may hold them, the likeliest first. If the rules do not say which,
        these are tiers whose first state has about as many bits set.
        """
        if self.engine.by_ply or not self.engine.ruled:
            bits = np.bitwise_count(canonical)
            for count in np.unique(bits).tolist():
                order = np.argsort(np.abs(self._bits - count), kind="stable").tolist()
                yield np.flatnonzero(bits == count), [self.tiers[index] for index in order]
            return
        numbers = _where_possible(self.engine.tiers_of, states)
        for number in self.by_number.keys() & np.unique(numbers).tolist():
            yield np.flatnonzero(numbers == number), [self.by_number[number]]


def look_up(engine: Engine, tiers: Sequence[SolvedTier], states: object, columns: Sequence[str] = ()) -> LookUp:
    """Look up states, canonical or not, with other ``columns``; see `Solution.lookup`."""
    wanted = as_states(states)
    for name in columns:
        if name not in OTHERS:
            raise MissingDataError(f"there is no column {name!r} to look up; choose from {in_words(OTHERS)}")
    size = (STATE_BYTES + COUNT_BYTES * len(columns)) * len(wanted)
    if size > LITTLE:
        Budget.of_machine().require(size, f"looking up {len(wanted):,} states", "fewer at a time")
    solved = _Solved(engine, tiers)
    canonical = _where_possible(engine.canonicals, wanted)
    distinct, firsts, places = np.unique(canonical, return_index=True, return_inverse=True)
    arrays, numbers = _seek(solved, wanted[firsts], distinct, [*ALWAYS, *columns])
    known = numbers[places] >= 0
    if not known.all():
        require_canonical(engine)
    value, remoteness, to_move, *others = (array[places] for array in arrays)
    remoteness[~known] = NEVER
    return LookUp(
        wanted,
        known,
        _worths(engine.game, value),
        remoteness,
        to_move,
        numbers[places],
        dict(zip(columns, map(_as_integers, others), strict=True)),
        solved,
        value,
    )


def _seek(
    solved: _Solved, states: np.ndarray, canonical: np.ndarray, names: Sequence[str]
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return these columns of distinct canonical states, sorted, of which ``states`` are images; and the tiers that
    hold them, int32[n], -1 for none.
    """
    numbers = np.full(len(canonical), -1, np.int32)
    pieces: list[tuple[np.ndarray, list[np.ndarray]]] = []
    for rows, likely in solved.likely(states, canonical):
        remaining = rows[canonical[rows] >= 0]
        for tier in likely:
            if not len(remaining):
                break
            present, arrays = tier.seek(canonical[remaining], names)
            if present.any():
                pieces.append((remaining[present], arrays))
                numbers[remaining[present]] = tier.number
                remaining = remaining[~present]
    arrays = []
    for place, name in enumerate(names):
        columns = [arrays[place] for _, arrays in pieces]
        shape = max((column.shape[1:] for column in columns), default=())
        kind = np.result_type(*columns) if columns else TYPES.get(name, np.int64)
        whole = np.zeros((len(canonical), *shape), kind)
        for rows, column in zip((rows for rows, _ in pieces), columns, strict=True):
            whole[(rows, slice(column.shape[1])) if shape else rows] = column
        arrays.append(whole)
    return arrays, numbers


def _where_possible(function: Callable[[np.ndarray], np.ndarray], states: np.ndarray) -> np.ndarray:
    """Return the results of a function of states; -1 if it fails, as it may at states that play does not reach."""
    whole = np.full(len(states), -1, np.int64)
    natural = np.flatnonzero(states >= 0)
    try:
        whole[natural] = function(states[natural])
    except GametreeError:
        for place in natural.tolist():
            with contextlib.suppress(GametreeError):
                whole[place] = function(states[place : place + 1])[0]
    return whole


def as_states(states: object) -> np.ndarray:
    """Return states that a user gave as int64[n]. Raises `UnreadableError` for anything but integers in a row."""
    array = np.asarray(states)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise UnreadableError(
            "states must be a list or array of integers; encode() makes them of boards, solution[...] reads texts"
        )
    if array.dtype == np.uint64:
        array = np.where(array >> 63, np.uint64(NO_STATE), array)
    return np.ascontiguousarray(array.astype(np.int64))


def _as_integers(numbers: np.ndarray) -> np.ndarray:
    """Return counts of several limbs as integers: uint64 if all fit, else objects."""
    if numbers.ndim == 1:
        return numbers
    if not numbers[:, 1:].any():
        return numbers[:, 0].copy()
    return np.array([to_int(limbs) for limbs in numbers], dtype=object)


def _worths(game: Game, values: np.ndarray) -> np.ndarray:
    """Return the numbers that values of the tables stand for."""
    return values if game.worths is None else np.array([game.worth(value) for value in values.tolist()], dtype=object)
