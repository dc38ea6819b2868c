"""Look states up in the solved tiers of a game: many as arrays, or one as a record."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..common.arguments import NATURAL
from ..common.memory import Budget
from ..common.wording import in_words
from ..engine.columns import COUNT_COLUMNS, NEVER, to_int
from ..engine.engine import Engine
from ..engine.tiers import FACTS, NOT_TOGETHER, VALUES, Record, SolvedTier
from ..errors import GametreeError, MissingDataError, PositionError, StoreError, UnreadableError
from ..rules.game import Game
from .lookup import known_moves
from .position import Worth, preference, worth_of

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
    _solved: StateRecords = dataclasses.field(repr=False)
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


class Located(NamedTuple):
    """A state's record and the number of its tier."""

    tier: int
    record: Record


class Child(NamedTuple):
    """A legal move, the state after it in the rules' form, and its record."""

    move: int
    state: int
    tier: int
    record: Record


class WithMoves(NamedTuple):
    """A state with its record and its moves."""

    state: int
    tier: int
    """The number of the tier that holds it: the ply, if tiers are plies."""
    record: Record
    children: Sequence[Child] | None
    """Best first for the mover; None without rules."""


class StateRecords:
    """The solved tiers, ascending, in which states are looked up, canonical or not. If tiers are not plies, a state
    determines its tier.
    """

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine, self.tiers = engine, tiers

    @functools.cached_property
    def by_number(self) -> dict[int, SolvedTier]:
        """The tiers by their numbers."""
        return {tier.number: tier for tier in self.tiers}

    # One --------------------------------------------------------------------------------------------------------------

    def of(self, state: int, names: Sequence[str] = FACTS) -> Record:
        """Return the record of a state, reading no other columns than these. Raises `PositionError` if play does not
        reach it.
        """
        return self.find(state, names).record

    def tier(self, state: int) -> int:
        """Return the number of the tier that holds a state. Raises `PositionError`."""
        return self.find(state, VALUES).tier

    def holds(self, state: int) -> bool:
        """Return whether play reaches a state."""
        return state in NATURAL and self._locate([state], VALUES)[0] is not None

    def find(self, state: int, names: Sequence[str] = FACTS) -> Located:
        """Return the record of a state, and where it is. Raises `PositionError`."""
        located = self._locate([state], names)[0] if state in NATURAL else None
        if located is None:
            start = self.engine.game.format_position(self.engine.start)
            raise PositionError(f"{self._named(state, start)} is not reached from {start}")
        return located

    def with_moves(self, state: int, names: Sequence[str] = VALUES) -> WithMoves:
        """Return a state with its record, and its legal moves with records of the states after them, of these columns.
        Raises `PositionError` if play does not reach it.
        """
        tier, record = self.find(state)
        if not self.engine.ruled:
            return WithMoves(state, tier, record, () if record.terminal else None)
        children = self.children(state, tier, names)
        children.sort(key=lambda child: preference(record.to_move, worth_of(child.record), child.move))
        return WithMoves(state, tier, record, children)

    def children(self, state: int, tier: int, names: Sequence[str]) -> list[Child]:
        """Return the moves of a state of a tier with the records after them, by code. Raises `StoreError`."""
        moves = self.engine.rules.moves(state)
        after = self._locate([child for _, child in moves], names, tier)
        if None in after:
            raise StoreError(NOT_TOGETHER)
        return [Child(*move, *located) for move, located in zip(moves, after, strict=True) if located]

    def _locate(self, states: Sequence[int], names: Sequence[str], parent: int | None = None) -> list[Located | None]:
        """Look up states, which moves from the tier ``parent`` lead to, if it is given; None for those that no tier
        holds.
        """
        wanted = np.array(states, np.int64)
        places, arrays, numbers = self._seek(wanted, names, parent)
        columns = [_plain_numbers(name, array) for name, array in arrays.items()]
        records: list[Located | None] = []
        for number, *fields in zip(numbers.tolist(), *columns, strict=True):
            facts = dict(zip(arrays, fields, strict=True))
            if number >= 0:
                facts["value"] = self.engine.game.worth(facts["value"])
                if not self.engine.sized:
                    facts.pop("orbit_size", None)  # a file of nulls holds no number
            records.append(Located(number, Record(**facts)) if number >= 0 else None)
        if None in records:
            require_canonical(self.engine)
        return [records[place] for place in places.tolist()]

    def _named(self, state: int, start: str) -> str:
        """Return an unreachable state in words; a number beyond the board may have no text as a position."""
        with contextlib.suppress(ArithmeticError, LookupError, TypeError, ValueError):
            text = self.engine.game.format_position(state)
            if state in NATURAL and text != start:
                return f"position {text}"
        return f"state {state}"

    # Many -------------------------------------------------------------------------------------------------------------

    def look_up(self, states: object, columns: Sequence[str] = ()) -> LookUp:
        """Look up states with other ``columns``; see `Solution.lookup`."""
        wanted = as_states(states)
        for name in columns:
            if name not in OTHERS:
                raise MissingDataError(f"there is no column {name!r} to look up; choose from {in_words(OTHERS)}")
        size = (STATE_BYTES + COUNT_BYTES * len(columns)) * len(wanted)
        if size > LITTLE:
            Budget.of_machine().require(size, f"looking up {len(wanted):,} states", "fewer at a time")
        places, arrays, numbers = self._seek(wanted, [*ALWAYS, *columns])
        if missing := next((name for name in columns if name not in arrays), None):
            raise MissingDataError(f"the solution has no column {missing!r}")
        known = numbers[places] >= 0
        if not known.all():
            require_canonical(self.engine)
        value, remoteness, to_move, *others = (arrays[name][places] for name in (*ALWAYS, *columns))
        remoteness[~known] = NEVER
        more = dict(zip(columns, map(_as_integers, others), strict=True))
        worths = _worths(self.engine.game, value)
        return LookUp(wanted, known, worths, remoteness, to_move, numbers[places], more, self, value)

    def _seek(
        self, states: np.ndarray, names: Sequence[str], parent: int | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
        """Return the place of each state among distinct classes, the columns of these, as far as they are stored, and
        the tiers that hold them, int32[n], -1 for none.
        """
        all_canonical = _where_possible(self.engine.canonicals, states)
        canonical, firsts, classes = np.unique(all_canonical, return_index=True, return_inverse=True)
        numbers = np.full(len(canonical), -1, np.int32)
        pieces: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []
        for rows, likely in self._likely(states[firsts], canonical, parent):
            remaining = rows[canonical[rows] >= 0]
            for tier in likely:
                if not len(remaining):
                    break
                present, arrays = tier.seek(canonical[remaining], names)
                if present.any():
                    pieces.append((remaining[present], arrays))
                    numbers[remaining[present]] = tier.number
                    remaining = remaining[~present]
        if len(pieces) == 1 and len(pieces[0][0]) == len(canonical):
            return classes, pieces[0][1], numbers
        whole = {}
        for name in names:
            columns = [arrays[name] for _, arrays in pieces if name in arrays]
            if len(columns) < len(pieces):
                continue
            shape = max((column.shape[1:] for column in columns), default=())
            kind = np.result_type(*columns) if columns else TYPES.get(name, np.int64)
            whole[name] = np.zeros((len(canonical), *shape), kind)
            for (rows, _), column in zip(pieces, columns, strict=True):
                whole[name][(rows, slice(column.shape[1])) if shape else rows] = column
        return classes, whole, numbers

    def _likely(
        self, states: np.ndarray, canonical: np.ndarray, parent: int | None
    ) -> Iterator[tuple[np.ndarray, Sequence[SolvedTier]]]:
        """Yield rows of states with the tiers that may hold them, the likeliest first. If the rules do not say which,
        these are tiers whose first state has about as many bits set.
        """
        if self.engine.by_ply and parent is not None:
            yield np.arange(len(states)), [tier] if (tier := self.by_number.get(parent + 1)) else ()
        elif self.engine.by_ply or not self.engine.ruled:
            bits = np.bitwise_count(canonical)
            for count in np.flatnonzero(np.bincount(bits)).tolist():
                order = np.argsort(np.abs(self._bits - count), kind="stable").tolist()
                yield np.flatnonzero(bits == count), [self.tiers[index] for index in order]
        else:
            numbers = _where_possible(self.engine.tiers_of, states)
            for number in self.by_number.keys() & np.unique(numbers).tolist():
                yield np.flatnonzero(numbers == number), [self.by_number[number]]

    @functools.cached_property
    def _bits(self) -> np.ndarray:
        """The number of bits set in the first state of each tier."""
        return np.array([(tier.first_state or 0).bit_count() for tier in self.tiers])


def require_canonical(engine: Engine) -> None:
    """Raise `RulesNeededError` if only the rules can tell whether a state that is not found is the image of one."""
    if not engine.ruled and (engine.reduces or engine.group.order > 1):
        engine.game.rules()


def _plain_numbers(name: str, array: np.ndarray) -> list[Any]:
    """Return a column in the form of `columns.plain` as Python's numbers, None where there is no remoteness."""
    if array.ndim > 1:
        return list(map(to_int, array))
    numbers: list[Any] = array.tolist()
    return [None if number == NEVER else number for number in numbers] if name == "remoteness_plies" else numbers


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
