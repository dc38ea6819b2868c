"""Certify a solution: tier by tier, each number follows from the rules and from other stored numbers.

*From the children.* The moves of a row come from the author's functions, called one by one, and each child is found
among the stored states of its tier. Value, remoteness, nimber, games and paths must follow from the stored ones of the
children. The last tier has no moves, so all rows are right, one tier after the other. In a loopy game remoteness falls
along the lines that prove a win, a loss or a tie: a position of value 0 keeps away from both, and a draw from every
tie.

*From the parents.* The histories of a state are the sum of those of its parents. Each state gets a weight of 56 bits,
drawn once the files are fixed. In each tier the sum of histories times weights must be the same, exactly, over its rows
and over all moves into it: numbers that differ anywhere pass with probability 2 ** -56. Right histories that are
positive prove that a state is reached; without counts, each child that is found sets a bit. In a loopy game the moves
are followed from the start, see `whole`.

*From the rows* come the totals, see `whole`.
"""

from __future__ import annotations

import functools
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa

from ...common.files import as_store_error, require_disk
from ...common.workers import Workers, processors
from ...engine.census import TierCensus, tier_totals
from ...engine.columns import COUNT_COLUMNS, DECIMAL, NEVER, position_schema, text_column, to_int, widen
from ...engine.tiers import Tier
from ...errors import VerificationError
from ...rules.game import ONGOING, Game
from ...rules.symmetry import solved_game
from ..storage.directory import MANIFEST
from ..storage.stored_tier import StoredTier
from .kernels import (
    FIELDS,
    QUOTIENT,
    ReplayedMoves,
    add_weighted,
    find_labels,
    find_nimbers,
    set_bits,
    sum_tallies,
    weigh_children,
)
from .replay import BATCH, Positions, writable
from .rows import HeldRows, MoveTable, StoredRows, TierRows, distinct

TALLIES = COUNT_COLUMNS[1:]
"""Counts that follow from the children."""

UNSORTED = "states are not in ascending order, each once"

NUMBER, TEXT = 16, 100
"""Bytes of a number and of a text in a row, which are copied while read."""

Below = Mapping[int, HeldRows]
"""What is known of the tiers that moves lead to, by number."""
Leads = list[tuple[int, HeldRows, np.ndarray]]
"""Tiers that moves lead to, what is known of each, and rows there, int64[moves]."""


class FoundRows(NamedTuple):
    """Facts about some rows found right."""

    rows: StoredRows
    branching: int
    """The total number of moves."""
    totals: TierCensus
    form: Counter[int]
    """Histories times weights, by tier: the sum over these rows less that over their moves."""
    quotient: np.ndarray | None
    """Paths to the end in the graph of classes, uint64[n, limbs], if counted."""
    moves: tuple[np.ndarray, ...] | None
    """The columns of ``moves/``, if there are any."""


class Certificate:
    """Checks tiers of a solution, each after those that its moves lead to."""

    def __init__(
        self,
        directory: Path,
        manifest: dict[str, Any],
        game: Game,
        tiers: Sequence[dict[str, Any]],
        key: int,
        memory: int,
    ) -> None:
        """Use a ``key`` of 128 bits for the weights, and about ``memory`` bytes; ``tiers`` are their records."""
        symmetry = manifest["symmetry"]["kind"]
        self.directory, self.manifest, self.memory = directory, manifest, memory
        self.game = solved_game(game, symmetry)
        self.positions = Positions(self.game, symmetry)
        self.rules, self.by_ply = self.positions.rules, self.positions.by_ply
        self.counted: bool = manifest["tables"]["counts"]
        self.schema = self._schema(tiers[0])
        self.tiers = {row["tier"]: TierRows(directory, row, self.schema) for row in tiers}
        self._check_numbers()
        self.limbs = 1 + (self.schema.field(TALLIES[0]).type == DECIMAL) if self.counted else 0
        self._room = functools.partial(HeldRows, self.limbs, self.rules.impartial)
        self._key = np.uint64(key & (1 << 64) - 1), np.uint64(key >> 64 | 1)
        tallies = 8 * FIELDS * self.limbs
        self._row_bytes = 21 + tallies  # of `HeldRows`
        a_row = 2 * sum(TEXT if field.type == pa.string() else NUMBER for field in self.schema) + 4 * tallies
        a_row += self.rules.max_moves * (48 + tallies * (not self.by_ply))
        self.batch = max(1, min(BATCH, int(memory / 20 / a_row)))
        """Rows checked together by one thread: four such batches may use a fifth of the memory."""
        threads = max(1, int(memory / 5 / (self.batch * a_row)))
        self.workers = Workers(min(processors(), threads))
        self.known: dict[int, HeldRows] = {}
        """Checked tiers, as far as they fit two fifths of the memory."""
        sizes = [*map(len, self.tiers.values())]
        self._holds_ends = self.by_ply and 8 * sum(sizes) <= memory / 10
        """Whether the ends of the game fit a tenth of the memory: then `TierRows.ends` holds them."""
        fits_twice = self.by_ply and 2 * self._row_bytes * max(sizes) <= 0.4 * memory
        self._two_rooms = [self._room(max(sizes)) for _ in range(2)] if fits_twice else []
        """Used for every second tier, if the largest fits twice: the system takes long to clear new memory."""
        self._quotient: dict[int, np.ndarray] = {}
        """Quotient paths of the other tiers, in temporary files."""
        self.reached: dict[int, np.ndarray] = {}
        """Without counts, a bit for each row of a tier."""
        self._marking = threading.Lock()
        self.form: Counter[int] = Counter()
        """See `FoundRows`, over all rows checked."""
        self.totals: dict[int, TierCensus] = {}
        self.moves_seen = 0

    def _check_numbers(self) -> None:
        """Refuse tiers not numbered as the rules do, and counts in a loopy game."""
        numbers, first = list(self.tiers), self.positions.tiers(np.array([self.rules.start]), 0)[0]
        if numbers != sorted(numbers) or numbers[0] != first or (self.by_ply and numbers[-1] != len(numbers) - 1):
            which = "0, 1, 2, ..." if self.by_ply else f"ascending from {first}"
            raise VerificationError(f"{MANIFEST}: the tiers must be {which}, but are {', '.join(map(str, numbers))}")
        if self.counted and self.rules.loopy:
            raise VerificationError(f"{MANIFEST}: tables lists counts, which a loopy game cannot have")

    def _schema(self, first: dict[str, Any]) -> pa.Schema:
        """Return the columns that all files of ``positions/`` must have: where two types of counts are possible, the
        ``first`` tier tells.
        """
        text, sized = self.manifest["tables"]["text"], self.positions.sized
        form = {"by_ply": self.by_ply, "sized": sized, "nimbers": self.rules.impartial, "text": text}
        allowed = [position_schema(kind, **form) for kind in ((pa.uint64(), DECIMAL) if self.counted else (None,))]
        found = [part.file.schema for part in StoredTier(self.directory, first).parts[:1]]
        return next((schema for schema in allowed if schema in found), allowed[0])

    # A tier ----------------------------------------------------------------------------------------------------------

    def check_tier(self, number: int, done: Callable[[int], None]) -> None:
        """Check all of a tier except what follows from its parents; ``done`` is called with the rows checked."""
        tier, own = self.tiers[number], self._begin(number)
        kind, has_moves = self.rules.code_kind, self.manifest["tables"]["moves"]
        moves = MoveTable(self.directory, tier.recorded, kind) if has_moves else None
        for found in self.check_rows(number, tier.batches(self.batch)):
            rows = found.rows
            if self._holds_ends:
                tier.ends.append(rows.states.compress(rows["terminal"]))
            if own is not None:
                own.fill(rows.begin, rows)
            if found.quotient is not None:
                kept = self._quotient[number] if own is None else own.tallies[:, QUOTIENT]
                kept[rows.begin : rows.begin + len(rows)] = found.quotient
            if moves is not None and found.moves is not None:
                moves.compare(found.moves, self.game)
            self.form.update(found.form)
            self.totals[number] = self.totals[number] + found.totals if number in self.totals else found.totals
            self.moves_seen += found.branching
            done(len(rows))
        if moves is not None:
            moves.end()
        if own is not None:
            self.known[number] = own
            _ = own.index  # made here, not by several threads at once

    def _begin(self, number: int) -> HeldRows | None:
        """Make room for a tier's results; return where its rows are kept, if they fit."""
        rows = len(self.tiers[number])
        if self.by_ply:  # only the next tier is needed
            for kept in (self.known, self._quotient, self.reached):
                kept.pop(number + 2, None)  # type: ignore[attr-defined]
        if not self.counted:
            self.reached[number] = np.zeros(-(-rows // 8), np.uint8)
        sizes = [rows, *(len(known.states) for known in self.known.values())]
        if self._row_bytes * sum(sizes) <= 0.4 * self.memory and rows < 1 << 32:
            known = self._two_rooms[number % 2].first(rows) if self._two_rooms else self._room(rows)
            if self.rules.loopy:  # its moves may lead to itself
                for some in self.tiers[number].batches(self.batch):
                    if some.falls.any():  # only sorted states can be indexed
                        raise self.wrong(number, int(some.states[np.argmax(some.falls)]), UNSORTED)
                    known.fill(some.begin, some)
                self.known[number] = known
            return known
        if self.counted:
            self._quotient[number] = temporary((rows, self.limbs))
        return None

    def check_rows(self, number: int, batches: Iterator[StoredRows], *, notes: bool = True) -> Iterator[FoundRows]:
        """Yield results for rows of a tier, in order. Raises `VerificationError` for the first that is wrong."""
        for together, below in self.spans(number, batches):
            yield from self.workers.map(functools.partial(self.check, below=below, notes=notes), together)

    def spans(self, number: int, batches: Iterator[StoredRows]) -> Iterator[tuple[Iterable[StoredRows], Below]]:
        """Yield rows of a tier whose children fit memory together, with what is known of the children's tiers."""
        later = {number + 1} if self.by_ply else {each for each in self.tiers if each > number - self.rules.loopy}
        later &= self.tiers.keys()
        if later <= self.known.keys():
            yield batches, self.known
            return
        totals = next(row["counts"] for row in self.manifest["totals"] if row["tier"] == number)
        branching = min(max(1.0, totals[2] / max(1, totals[0])), self.rules.max_moves)
        most = max(1, int(self.memory / 5 / (branching * (64 + 24 * FIELDS * self.limbs))))
        while (first := next(batches, None)) is not None:
            together = [first]
            while sum(map(len, together)) < most and (rows := next(batches, None)) is not None:
                together.append(rows)
            yield together, self._gathered(together, later)

    def _gathered(self, parents: Iterable[StoredRows], later: Collection[int]) -> dict[int, HeldRows]:
        """Read what is stored of the children of some rows in those ``later`` tiers that are not held."""
        pieces: dict[int, list[np.ndarray]] = {number: [] for number in later - self.known.keys()}

        def children(rows: StoredRows) -> list[tuple[int, np.ndarray]]:
            states = distinct(self.positions.expand(rows.states).children)
            numbers = self.positions.tiers(states, rows.number + 1)
            return [(number, states[numbers == number]) for number in np.unique(numbers).tolist()]

        for found in self.workers.map(children, parents):
            for number, states in found:
                if number in pieces:
                    pieces[number].append(states)
        below, columns = dict(self.known), ["state", "value", "remoteness_plies"]
        columns += [*(["nimber"] if self.rules.impartial else []), *(TALLIES if self.counted else [])]
        for number in sorted(number for number, own in pieces.items() if own):
            table, rows = self.tiers[number].holding(distinct(np.concatenate(pieces[number])), columns, self.workers)
            below[number] = known = self._room(len(rows), rows)
            known.fill(0, StoredRows(number, 0, table))
            if number in self._quotient:
                known.tallies[:, QUOTIENT] = self._quotient[number][rows]
            _ = len(rows) and known.index
        return below

    # Some rows -------------------------------------------------------------------------------------------------------

    def check(self, rows: StoredRows, below: Below, *, notes: bool = True) -> FoundRows:
        """Check some rows against the rules and the tiers ``below``; with ``notes``, also note what they say of those
        tiers.

        Raises `VerificationError` for the first row that is wrong.
        """
        n, require = len(rows), functools.partial(self._require, rows, below)
        self._check_states(rows, require)
        expanded = self.positions.expand(rows.states)
        over = np.asarray(expanded.branching == 0)
        require("", over & (expanded.payoffs == ONGOING), False, "there is no move, but the game is not over")
        tiers = self.positions.tiers(expanded.children, rows.number + 1)
        leads, labels, child, places = self._children(rows, below, expanded, tiers)
        value, remoteness, nimber = np.empty((3, n), np.int64)
        stored, kept = (rows["value"], rows["remoteness_plies"]), np.empty(len(labels), bool)
        derived = {"to_move": expanded.movers, "terminal": over}
        if find_labels(expanded, labels, *stored, value, remoteness, kept):
            derived |= {"value": value, "remoteness_plies": remoteness}
        if self.rules.impartial:
            find_nimbers(expanded.branching, places, child.nimbers, nimber)
            derived["nimber"] = nimber
        for name, wanted in derived.items():
            require(name, rows[name], wanted)
        form = self._noted(rows, expanded, tiers, leads) if notes else Counter[int]()
        quotient = None
        if self.counted:
            sums = np.zeros((n, FIELDS, 2), np.uint64)
            row = sum_tallies(expanded, value, remoteness, kept, labels, places, child.tallies, sums)
            if row >= 0:
                self._refuse(rows, below, row, "a count exceeds 128 bits")
            for field, name in enumerate(TALLIES):
                require(name, widen(rows[name], 2), sums[:, field])
            histories = rows["histories"]
            require("", histories.any(axis=1), True, "histories is 0: no move leads there")
            few = (histories[:, 0] < rows["orbit_size"]) & ~histories[:, 1:].any(axis=1)
            require("", few, False, "its orbit has more positions than there are move sequences to them")
            require("", sums[:, QUOTIENT, self.limbs :].any(axis=1), False, "its quotient paths exceed 64 bits")
            quotient = sums[:, QUOTIENT, : self.limbs]
            form[rows.number] += self.weigh(rows["histories"], rows.number, rows.states) if notes else 0
        tier = Tier(
            rows.number, self.by_ply, rows.states, expanded.movers, rows["value"], rows["remoteness_plies"],
            expanded.branching, rows["orbit_size"] if self.positions.sized else None,
            histories=rows["histories"] if self.counted else None,
        )  # fmt: skip
        parents = np.repeat(rows.states, expanded.branching) if self.manifest["tables"]["moves"] else None
        moves = None if parents is None else (parents, expanded.codes, expanded.children, kept)
        return FoundRows(rows, len(kept), tier_totals(tier, self.rules.payoffs), form, quotient, moves)

    def _check_states(self, rows: StoredRows, require: Callable[..., None]) -> None:
        """Check that states ascend, are canonical, and are described as the rules do."""
        states, number = rows.states, rows.number
        require("", rows.falls, False, UNSORTED)
        nulls = {"orbit_size": 0 if self.positions.sized else len(rows)}
        nulls["remoteness_plies"] = int(np.count_nonzero(rows["remoteness_plies"] == NEVER))
        for name, wanted in nulls.items():
            if rows.table[name].null_count != wanted:
                where = "has nulls in the wrong places"
                raise VerificationError(f"tier {number}: {name} in positions/ {where}")
        least, orbits = self.positions.least_and_orbits(states)
        require("state", states, least)
        require("orbit_size", rows["orbit_size"], orbits)
        name = "ply" if self.by_ply else "tier"
        require(name, rows[name], number)
        require(name, rows[name], self.positions.tiers(states, number))
        if self.manifest["tables"]["text"]:
            texts = text_column(self.game.format_positions(states))
            require("position", rows["position"], np.array(texts.to_pylist(), object))

    def _children(
        self, rows: StoredRows, below: Below, expanded: ReplayedMoves, tiers: np.ndarray
    ) -> tuple[Leads, np.ndarray, HeldRows, np.ndarray]:
        """Return the tiers that moves lead to, the labels of all children, what else is known, and places in it."""
        leads, labels = Leads(), np.empty(len(tiers), np.int32)
        numbers = [rows.number + 1] if self.by_ply else np.unique(tiers).tolist()
        alone = len(numbers) == 1
        nothing, child = self._room(0), self._room(0 if alone else len(tiers))
        for number in numbers:
            which = slice(None) if alone else np.flatnonzero(tiers == number)
            known = below.get(number, nothing)
            places, labels[which], missing = known.find(expanded.children[which])
            if missing:
                move = int(np.arange(len(tiers))[which][np.argmin(places)])
                row = int(np.searchsorted(np.cumsum(expanded.branching, dtype=np.int64), move, side="right"))
                text = self.game.format_position(int(expanded.children[move]))
                self._refuse(rows, below, row, f"the position {text} after one of its moves is not stored")
            leads.append((number, known, places))
            if alone:
                return leads, labels, known, places
            child.take(which, known, places)
        return leads, labels, child, np.arange(len(tiers))

    def _noted(self, rows: StoredRows, expanded: ReplayedMoves, tiers: np.ndarray, leads: Leads) -> Counter[int]:
        """Note what rows say of those that their moves lead to."""
        form = Counter[int]()
        for number, known, places in leads:
            if self.counted:
                form[number] -= self.weigh(rows["histories"], number, expanded.children, expanded.branching, tiers)
            elif number in self.reached and not self.rules.loopy:  # a loopy game is searched at the end
                with self._marking:
                    set_bits(self.reached[number], places if known.numbers is None else known.numbers[places])
        return form

    def note(self, rows: StoredRows, below: Below, wanted: Collection[int]) -> Counter[int]:
        """Do the same for ``wanted`` tiers, from unchecked rows: only their states and histories are read."""
        expanded = self.positions.expand(rows.states)
        tiers, leads = self.positions.tiers(expanded.children, rows.number + 1), Leads()
        for number in below.keys() & wanted:
            places = below[number].find(expanded.children[tiers == number])[0]
            leads.append((number, below[number], places[places >= 0]))
        return self._noted(rows, expanded, tiers, leads)

    def weigh(
        self,
        histories: np.ndarray,
        number: int,
        states: np.ndarray,
        branching: np.ndarray | None = None,
        tiers: np.ndarray | None = None,
    ) -> int:
        """Return the sum of histories times the weights of ``states`` in a tier: one state for each of the histories,
        or as many as ``branching`` says, of which only those in the tier count.
        """
        branching = np.ones(len(histories), np.uint8) if branching is None else branching
        tiers = np.broadcast_to(number, len(states)) if tiers is None else tiers
        weights, digits = np.empty(len(histories), np.uint64), np.zeros(6, np.uint64)
        weigh_children(branching, states, writable(tiers), number, *self._key, weights)
        add_weighted(histories, weights, digits)
        return sum(int(digit) << 32 * place for place, digit in enumerate(digits))

    def _require(self, rows: StoredRows, below: Below, name: str, stored: Any, wanted: Any, what: str = "") -> None:
        """Refuse a column that differs from ``wanted``, naming the first state where it does."""
        differs = np.asarray(stored != wanted)
        differs = differs if differs.ndim == 1 else differs[:, 0] | differs[:, 1]
        if differs.any():
            row = int(np.argmax(differs))
            each = (array if np.ndim(array) == 0 else array[row] for array in (stored, wanted))
            found, right = (to_int(number) if np.ndim(number) else number for number in each)
            self._refuse(rows, below, row, what or f"{name} is {found}, but the rules give {right}")

    def _refuse(self, rows: StoredRows, below: Below, row: int, what: str) -> NoReturn:
        """Raise `VerificationError` for a row, or for an earlier one that is also wrong."""
        if row:
            self.check(rows.before(row), below, notes=False)
        raise self.wrong(rows.number, int(rows.states[row]), what)

    def wrong(self, number: int, state: int, what: str) -> VerificationError:
        """Return the error for a state of a tier."""
        return VerificationError(f"tier {number}, position {self.game.format_position(state)}: {what}")

    # What follows from the parents -----------------------------------------------------------------------------------

    def rows_of(self, number: int, states: np.ndarray) -> np.ndarray:
        """Return the rows of some states of a tier: ascending, distinct and all stored."""
        if number in self.known:
            return self.known[number].find(states)[0]
        return self.tiers[number].holding(states, ["state"], self.workers)[1]

    def find_start(self) -> tuple[int, StoredRows]:
        """Return the row of the start in the first tier, and its contents."""
        tier = self.tiers[min(self.tiers)]
        least = self.positions.least(np.array([self.rules.start], np.int64))
        table, rows = tier.holding(least, self.schema.names, self.workers)
        if not len(rows):
            raise VerificationError(f"tier {tier.number}, the first, lacks the start position")
        return int(rows[0]), StoredRows(tier.number, int(rows[0]), table)

    def note_start(self) -> None:
        """Note the start's one history that no move leads to."""
        row, start = self.find_start()
        if self.counted:
            self.form[start.number] -= self.weigh(np.ones((1, 1), np.uint64), start.number, start.states)
        else:
            set_bits(self.reached[start.number], np.array([row]))

    def refuse_unreached(self, numbers: Iterable[int]) -> None:
        """Raise `VerificationError` for unreached rows or wrong histories in tiers whose parents are all checked."""
        for number in numbers:
            if self.form[number]:
                raise VerificationError(f"tier {number}: histories are not the sums of those one move before")
            if number in self.reached:
                flags = np.unpackbits(self.reached[number], bitorder="little")[: len(self.tiers[number])]
                if not flags.all():
                    state = self.tiers[number].state_at(int(np.argmin(flags)))
                    raise self.wrong(number, state, "no move leads there")

    def quotient_paths(self, row: int) -> int:
        """Return the paths in the graph of classes from a row of the first tier, if counted."""
        number = min(self.tiers)
        kept = self.known[number].tallies[:, QUOTIENT] if number in self.known else self._quotient[number]
        return to_int(kept[row])


def temporary(shape: tuple[int, int]) -> np.ndarray:
    """Return zeros, uint64, backed by a temporary file in the system's place (``TMPDIR``) that vanishes with them."""
    place, size = Path(tempfile.gettempdir()), 8 * shape[0] * shape[1]
    require_disk(place, size, "temporary files for a tier")
    with as_store_error(place), tempfile.TemporaryFile() as file:
        if hasattr(os, "posix_fallocate"):  # else a full disk ends the program when a page is written
            os.posix_fallocate(file.fileno(), 0, size)
        return np.memmap(file, np.uint64, "r+" if hasattr(os, "posix_fallocate") else "w+", shape=shape)
