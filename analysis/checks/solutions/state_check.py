"""Whether stored rows are what the rules and the rows of the states after them say, for full and sampled checks.

The solver expands with one fused function, finds children by hashing, and compares and counts in kernels of its own.
Here the author's functions are called one by one, children are found by the leading bits of sorted states, and labels
and counts come from other loops, see `kernels`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.ascending import different
from analysis.checks.solutions.derived import Children, Derived
from analysis.checks.solutions.digits import exact_total, from_limbs
from analysis.checks.solutions.kernels.deriving import FIELDS, QUOTIENT, compare_tallies
from analysis.checks.solutions.kernels.expanding import ReplayedMoves
from analysis.checks.solutions.known import TALLIES, Known, tally_column
from analysis.checks.solutions.ledgers import LedgerFile
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.stored_rows import PartFiles, StoredRows, TierRows
from analysis.engine.columns import DECIMAL, position_schema
from analysis.errors import VerificationError
from analysis.machine.workers import Workers, processors
from analysis.rules.game import ONGOING, Game
from analysis.rules.residual import solved_game
from analysis.storage.row_files import text_column

Targets = Mapping[int, Known]
"""By number, tiers that moves lead to, or what is needed of them."""


class StateCheck:
    """Checks rows of the tiers of a solution, the last tier first."""

    def __init__(self, manifest: dict[str, Any], game: Game, memory: int, workers: int | None = None) -> None:
        symmetry = manifest["symmetry"]["kind"]
        self.manifest, self.game = manifest, solved_game(game, symmetry)
        self.positions = Positions(self.game, symmetry)
        self.rules = self.positions.rules
        self.counted: bool = manifest["tables"]["counts"]
        count_types = (pa.uint64(), DECIMAL) if self.counted else (None,)
        self.schemas = [
            position_schema(
                kind, by_ply=self.positions.by_ply, nimbers=self.rules.impartial, text=manifest["tables"]["text"]
            )
            for kind in count_types
        ]
        """What ``positions/`` may look like: counts are of one type in all tiers."""
        self.room, most = Room(memory, self.schemas[-1]), self.rules.max_moves
        self.workers = Workers(min(processors() if workers is None else workers, self.room.threads(most)))
        self.batch = self.room.batch(most)
        """Rows that are checked together."""
        self.files = PartFiles()
        self.tiers: dict[int, TierRows] = {}
        """Those that moves of the tier at hand may lead to."""
        self.moves_seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.workers.__exit__(*failure)

    def open_tier(self, directory: Path, recorded: dict[str, Any]) -> TierRows:
        """A tier, whose files have the columns that they should have."""
        tier = TierRows(directory, recorded, self.files)
        for found in tier.schemas():
            self.schemas = [schema for schema in self.schemas if schema.equals(found)]
            if not self.schemas:
                raise VerificationError(
                    f"tier {tier.number}: positions/ has other columns or types than gametree writes"
                )
        return tier

    @functools.cached_property
    def limbs(self) -> int:
        """Of a count, 0 where there are none; known once a tier is open."""
        return 0 if not self.counted else 2 if self.schemas[0].field(TALLIES[0]).type == DECIMAL else 1

    def known(self, stored: StoredRows, rows: np.ndarray | None = None) -> Known:
        """What is known of all rows of a tier, or of some."""
        return Known(stored, limbs=self.limbs, impartial=self.rules.impartial, rows=rows, threads=self.workers.threads)

    def row_of_start(self, tier: TierRows) -> int:
        """The row of the start in the first tier."""
        start = self.positions.least(np.array([self.rules.start], dtype=np.int64))
        found = tier.holding(start, ["state"], self.workers)
        if found is None:
            raise VerificationError(f"tier {tier.number}, the first, is without the start position")
        return int(found[1][0])

    def gather(
        self, parents: Iterable[Callable[[], StoredRows]], ledgers: Mapping[int, LedgerFile]
    ) -> dict[int, Known]:
        """What is stored of the states after some rows, as far as their tiers are not held. Quotient paths come from
        the ``ledgers``, where there are any.
        """

        def children(read: Callable[[], StoredRows]) -> dict[int, np.ndarray]:
            rows = read()
            found = different(self.positions.expand(rows.states).children)
            return dict(self._by_tier(found, rows.number))

        pieces: dict[int, list[np.ndarray]] = {}
        for found in self.workers.map(children, parents):
            for number, states in found.items():
                if number in self.tiers and not self.tiers[number].held:
                    pieces.setdefault(number, []).append(states)
        columns = ["state", "value", "remoteness_plies"]
        columns += [*(["nimber"] if self.rules.impartial else []), *(TALLIES if self.counted else [])]
        targets = {}
        for number in sorted(pieces):
            wanted = different(np.concatenate(pieces.pop(number)))
            stored = self.tiers[number].holding(wanted, columns, self.workers)
            if stored is not None:
                targets[number] = known = self.known(*stored)
                if number in ledgers and known.tallies is not None:
                    known.tallies[:, QUOTIENT] = ledgers[number].quotient(stored[1])
        return targets

    def _by_tier(self, states: np.ndarray, before: int) -> Iterable[tuple[int, np.ndarray]]:
        """Canonical states after those of a tier, by their tier."""
        if self.positions.by_ply:
            return [(before + 1, states)]
        numbers = self.positions.tiers(states, before + 1)
        return [(number, states[numbers == number]) for number in np.unique(numbers).tolist()]

    def check(self, rows: StoredRows, targets: Targets, last: int | None = None) -> Derived:
        """All that can be said of rows by the rules and the rows that their moves lead to; ``last`` is the state before
        them. Raises `VerificationError` for one of the rows that are wrong.
        """
        self._check_states(rows, last)
        expanded = self.positions.expand(rows.states)
        if ((expanded.branching == 0) & (expanded.payoffs == ONGOING)).any():
            raise VerificationError(f"tier {rows.number}: a position without a move is not over")
        derived = Derived(expanded, self._find_children(rows, expanded, targets))
        wanted = {"to_move": expanded.movers, "terminal": derived.over, "value": derived.value}
        wanted["remoteness_plies"] = derived.remoteness
        if self.rules.impartial:
            wanted["nimber"] = derived.nimbers()
        for name, numbers in wanted.items():
            self.same(rows, name, numbers)
        if self.counted:
            self._compare_tallies(rows, derived, targets.get(rows.number))
        return derived

    def first_failure(self, rows: StoredRows, targets: Targets, last: int) -> VerificationError | None:
        """What is wrong with the first of some rows that is wrong, however many are looked at together."""
        try:
            self.check(rows, targets, last)
        except VerificationError as error:
            half = len(rows) // 2
            if not half:
                return error
            before, after = rows.slice(0, half), rows.slice(half, len(rows) - half)
            found = self.first_failure(before, targets, last)
            return found or self.first_failure(after, targets, int(before.states[-1])) or error
        return None

    def _check_states(self, rows: StoredRows, last: int | None) -> None:
        """That there are no nulls, and that states ascend, are canonical, and are described as the rules do."""
        states, number, table = rows.states, rows.number, rows.table
        nulls = {"remoteness_plies": None} | ({} if self.positions.sized else {"orbit_size": len(rows)})
        if any(nulls.get(name, 0) not in (None, table[name].null_count) for name in table.column_names):
            raise VerificationError(f"tier {number}: positions/ has nulls where gametree writes none")
        if (last is not None and states[0] <= last) or (states[1:] <= states[:-1]).any():
            raise self.disorder(number)
        least, orbits = self.positions.least_and_orbits(states)
        self.same(rows, "state", least)
        self.same(rows, "orbit_size", orbits)
        name = "ply" if self.positions.by_ply else "tier"
        self.same(rows, name, number)
        if not self.positions.by_ply:
            self.same(rows, name, self.positions.tiers(states, number))
        if self.manifest["tables"]["text"]:
            self.same(rows, "position", np.array(text_column(self.game.format_positions(states)).to_pylist()))

    def _find_children(self, rows: StoredRows, expanded: ReplayedMoves, targets: Targets) -> Children:
        """What is stored of every child, in the tier where it belongs."""
        if self.positions.by_ply and rows.number + 1 in targets:  # most games
            known = targets[rows.number + 1]
            found, whole = known.find(expanded.children)
            if not whole:
                raise self._not_stored(rows, expanded, int(np.argmin(found)))
            return Children(found, known.labels, known.nimbers, known.tallies, [(known, found, slice(None))])
        moves = len(expanded.children)
        child = Children(
            np.arange(moves), np.empty(moves, dtype=np.int32),
            np.empty(moves, dtype=np.uint8) if self.rules.impartial else None,
            np.empty((moves, FIELDS, self.limbs), dtype=np.uint64) if self.counted else None, [],
        )  # fmt: skip
        numbers = self.positions.tiers(expanded.children, rows.number + 1)
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number)
            if number not in targets:
                raise self._not_stored(rows, expanded, int(places[0]))
            known = targets[number]
            found, whole = known.find(expanded.children[places])
            if not whole:
                raise self._not_stored(rows, expanded, int(places[np.argmin(found)]))
            child.labels[places] = known.labels[found]
            if child.nimbers is not None and known.nimbers is not None:
                child.nimbers[places] = known.nimbers[found]
            if child.tallies is not None and known.tallies is not None:
                child.tallies[places] = known.tallies[found]
            child.found.append((known, found, places))
        return child

    def _compare_tallies(self, rows: StoredRows, derived: Derived, own: Known | None) -> None:
        """That counts are the sums of those of the children. Quotient paths are filled in: where the tier is held among
        what is known of it, and in any case into ``derived``.
        """
        held = own is not None and own.rows is None and own.tallies is not None
        assert not held or own is not None
        stored = own.tallies[rows.begin : rows.begin + len(rows)] if held else tally_column(rows)  # type: ignore[union-attr,index]
        child, sums = derived.child, np.empty((FIELDS, 2), dtype=np.uint64)
        row = compare_tallies(
            derived.expanded, derived.value, derived.remoteness, derived.kept, child.rows, child.labels, child.tallies,
            stored, sums,
        )  # fmt: skip
        derived.quotient = stored[:, QUOTIENT]
        if row < 0:
            return
        for field, name in enumerate(TALLIES):
            found, wanted = (exact_total(from_limbs(each[None])) for each in (stored[row, field], sums[field]))
            if found != wanted:
                raise self.wrong(rows.number, rows.states[row], f"{name} is {found}, the rules say {wanted}")
        raise self.wrong(rows.number, rows.states[row], f"a count exceeds {64 * self.limbs} bits")

    def same(self, rows: StoredRows, name: str, derived: np.ndarray | int) -> None:
        """Refuse a column that differs from what was derived, naming the first state that does."""
        stored = rows[name]
        differs = np.asarray(stored != derived)
        if differs.any():
            row = int(np.argmax(differs))
            wanted = derived if np.ndim(derived) == 0 else np.asarray(derived)[row]
            raise self.wrong(rows.number, rows.states[row], f"{name} is {stored[row]}, the rules say {wanted}")

    def disorder(self, tier: int) -> VerificationError:
        """What is wrong where states do not ascend."""
        return VerificationError(f"tier {tier}: states are not in ascending order, each once")

    def wrong(self, tier: int, state: int, what: str) -> VerificationError:
        """What is wrong with a state."""
        return VerificationError(f"tier {tier}, position {self.game.format_position(int(state))}: {what}")

    def _not_stored(self, rows: StoredRows, expanded: ReplayedMoves, move: int) -> VerificationError:
        text = self.game.format_position(int(expanded.children[move]))
        parent = int(np.searchsorted(np.cumsum(expanded.branching, dtype=np.int64), move, side="right"))
        return self.wrong(rows.number, rows.states[parent], f"the position {text} after it is not stored")
