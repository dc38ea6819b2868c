"""Derive every number of a stored tier again from the rules and the stored tiers after it, by means of its own.

The solver expands with one fused function, finds children by hashing, and counts with carries in compiled loops. Here
the author's functions are called one by one, symmetric images are made bit by bit, children are found by binary
search, and values and counts come from NumPy reductions over 32-bit digits.

In a loopy game that every position fits its children shows that all are right, since remoteness falls along the lines
that show a win, a loss or a tie: a position with value 0 keeps away from both, and a draw from every tie.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.derived import (
    Children,
    Derived,
    Positions,
    StoredColumns,
    carried,
    census,
    exact_total,
    totals_by_ply,
)
from analysis.engine.columns import DECIMAL, NEVER, position_schema
from analysis.engine.kernels.states import ReplayedMoves
from analysis.errors import VerificationError
from analysis.rules.automorphisms import Permutation
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import permute
from analysis.solution.solution import Solution
from analysis.storage.directory import MANIFEST, PATHS
from analysis.storage.row_files import text_column
from analysis.storage.stored_tier import StoredTier

BATCH = 1 << 16
"""States expanded at a time."""


class TierCheckResult:
    """Checks tiers from the last to the first, each against those that its moves lead to."""

    def __init__(self, directory: Path, manifest: dict[str, Any], game: Game) -> None:
        self.directory, self.manifest, self.game = directory, manifest, game
        self.positions = Positions(game, manifest["symmetry"]["kind"])
        self.rules = self.positions.rules
        self.counted: bool = manifest["tables"]["counts"]
        count_types = (pa.uint64(), DECIMAL) if self.counted else (None,)
        self.schemas = [
            position_schema(
                kind,
                by_ply=self.positions.by_ply,
                nimbers=self.rules.impartial,
                text=manifest["tables"]["text"],
            )
            for kind in count_types
        ]
        """What ``positions/`` may look like: counts are of one type in all tiers."""
        self.moves_seen = 0
        self.text = False
        self.later: dict[int, StoredColumns] = {}
        """Tiers that were checked and may be led to: all of them, or the next where tiers are plies."""
        self.histories_failure: VerificationError | None = None
        self.totals: list[dict[str, Any]] = []  # the last tier first
        self._states: list[np.ndarray] = []

    def tier(self, stored: StoredTier) -> None:
        """Everything about one tier that does not depend on the tiers before it."""
        table = stored.table()
        self.schemas = [schema for schema in self.schemas if schema.equals(table.schema)]
        if not self.schemas:
            raise VerificationError(f"tier {stored.number}: positions/ has other columns or types than gametree writes")
        if any(table[name].null_count for name in table.column_names if name != "remoteness_plies"):
            raise VerificationError(f"tier {stored.number}: positions/ has nulls where gametree writes none")
        columns = StoredColumns(stored, table, self.counted)
        self._check_states(columns)
        self._states.append(columns.states)
        derived = Derived.zeros(len(columns.states), self.counted, 2)
        self.later[columns.number] = columns
        for low in range(0, len(columns.states), BATCH):
            self._derive(columns, derived, slice(low, min(low + BATCH, len(columns.states))))
        self._compare(columns, derived)
        if derived.moves_compared != columns.move_rows(self.directory):
            raise VerificationError(f"tier {columns.number}: moves/ has more rows than there are moves")
        self.totals.append(self._derive_totals(columns, derived))
        columns.quotient = derived.quotient
        if self.positions.by_ply:
            self._finish([tier for tier in self.later.values() if tier is not columns])
            self.later = {columns.number: columns}

    def _finish(self, tiers: Sequence[StoredColumns]) -> None:
        """Every state of these tiers is reached, and their histories are right, now that all moves there are known."""
        for columns in tiers:
            unreached = np.flatnonzero(~columns.reached)
            if len(unreached):
                raise self._wrong(columns, columns.states[unreached[0]], "no move leads there")
            if self.counted:
                try:
                    self._same(columns, "histories", carried(columns.histories))
                except VerificationError as error:  # they go forward, this goes backward: the first tier is to blame
                    self.histories_failure = error

    def _check_states(self, columns: StoredColumns) -> None:
        states, number = columns.states, columns.number
        if number == self.manifest["totals"][0]["tier"] and self.rules.start not in states:
            raise VerificationError(f"tier {number}, the first, is without the start position")
        if len(states) == 0 or (np.diff(states) <= 0).any():
            raise VerificationError(f"tier {number}: states are not in ascending order, each once")
        self._same(columns, "state", self.positions.least(states))
        self._same(columns, "orbit_size", self.positions.orbit_sizes(states))
        name = "ply" if self.positions.by_ply else "tier"
        self._same(columns, name, np.full(len(states), number))
        self._same(columns, name, self.positions.tiers(states, number))
        self.text = "position" in columns.table.column_names
        if self.text:
            self._same(columns, "position", np.array(text_column(self.game.format_positions(states)).to_pylist()))

    def _derive(self, columns: StoredColumns, derived: Derived, rows: slice) -> None:
        """Fill in what the rules and the children say of some states."""
        states = columns.states[rows]
        expanded = self.positions.expand(states)
        derived.mover[rows], derived.branching[rows] = expanded.movers, expanded.branching
        over = expanded.branching == 0
        if (over & (expanded.payoffs == ONGOING)).any():
            raise VerificationError(f"tier {columns.number}: a position without a move is not over")
        derived.value[rows] = np.where(over, expanded.payoffs, 0)
        derived.terminal_counts(rows, over)
        self.moves_seen += len(expanded.children)
        going_on = np.flatnonzero(~over)
        if len(going_on) == 0:
            return
        least = self.positions.least(expanded.children)
        child = self._find_children(columns, rows, expanded, least)
        starts = np.concatenate(([0], np.cumsum(expanded.branching[going_on], dtype=np.int64)[:-1]))
        derived.from_children(rows.start + going_on, starts, expanded.rows + rows.start, child)
        self._compare_moves(columns, rows, expanded, least, child, derived)

    def _find_children(
        self, columns: StoredColumns, rows: slice, expanded: ReplayedMoves, least: np.ndarray
    ) -> Children:
        """Find every child in the tier where it belongs, and leave there that it is reached, and by what histories."""
        child = Children.zeros(len(least), self.counted, 1)
        tiers = self.positions.tiers(least, columns.number + 1)
        first_number = 0
        for number in np.unique(tiers).tolist():
            places = np.flatnonzero(tiers == number)
            tier = self.later.get(number)
            found, lost = tier.find(least[places]) if tier is not None else (places, np.ones(len(places), dtype=bool))
            if tier is None or lost.any():
                wrong = places[np.argmax(lost)]
                text = self.game.format_position(int(least[wrong]))
                parent = columns.states[rows][expanded.rows[wrong]]
                raise self._wrong(columns, parent, f"the position {text} after it is not stored")
            tier.reached[found] = True
            if self.counted:
                parents = columns.counts["histories"][rows][expanded.rows[places]]
                np.add.at(tier.histories, found, parents)
            child.fill(places, tier, found, first_number)
            first_number += len(tier.states)
        return child

    def _compare(self, columns: StoredColumns, derived: Derived) -> None:
        wanted = {"to_move": derived.mover, "terminal": derived.branching == 0, "value": derived.value}
        wanted |= {"remoteness_plies": derived.remoteness, "nimber": derived.nimber, **derived.counts}
        for name, numbers in wanted.items():
            if name != "nimber" or self.rules.impartial:
                self._same(columns, name, numbers)

    def _compare_moves(
        self,
        columns: StoredColumns,
        rows: slice,
        expanded: ReplayedMoves,
        least: np.ndarray,
        child: Children,
        derived: Derived,
    ) -> None:
        """The rows of ``moves/`` for these states."""
        if not self.manifest["tables"]["moves"]:
            return
        table = columns.moves().slice(derived.moves_compared, len(least))
        derived.moves_compared += len(least)
        optimal = child.value == derived.value[rows][expanded.rows]
        parents = columns.states[rows][expanded.rows]
        wanted = {"state": parents, "move": expanded.codes, "child": least, "optimal": optimal}
        for name, values in wanted.items():
            stored = table[name].to_numpy()
            if len(stored) != len(values) or (stored != values).any():
                row = int(np.argmax(stored != values)) if len(stored) == len(values) else 0
                raise self._wrong(columns, parents[row], f"moves/ has another {name} than the rules")

    def _derive_totals(self, columns: StoredColumns, derived: Derived) -> dict[str, Any]:
        """The totals of the tier, as the manifest should have them; those by ply are derived at the end."""
        orbit, over = columns["orbit_size"].astype(np.int64), derived.branching == 0
        ends = derived.remoteness != NEVER
        sign = np.sign(derived.value)
        table = np.zeros((1 + int(derived.remoteness[ends].max(initial=-1)), 3), dtype=np.int64)
        np.add.at(table, (derived.remoteness[ends], (1 + derived.mover * sign)[ends]), orbit[ends])

        def histories(rows: np.ndarray | slice) -> int | None:
            return exact_total(columns.counts["histories"][rows]) if self.counted else None

        values = None
        if self.rules.payoffs[0] < -1 or self.rules.payoffs[1] > 1:
            values = [
                {
                    "value": value,
                    "positions": int(orbit[derived.value == value].sum()),
                    "terminal": int(orbit[over & (derived.value == value)].sum()),
                    "games": histories(over & (derived.value == value)),
                }
                for value in np.unique(derived.value).tolist()
            ]
        return {
            "tier": columns.number,
            "counts": census(orbit, derived.branching, derived.value, derived.remoteness),
            "by_remoteness": table.tolist(),
            "histories": histories(slice(None)),
            "ended": [histories(over & (sign == s)) for s in (-1, 0, 1)] if self.counted else None,
            "values": values,
        }

    def whole_game(self, solution: Solution) -> None:
        """The totals of the tiers and of the whole game in the manifest, once all tiers are checked: a state that is
        missing was then named already.
        """
        totals = self.manifest["totals"]
        root = self.later[totals[0]["tier"]]
        start = int(root.find(self.positions.least(np.array([self.rules.start])))[0][0])
        self._finish_all(root, start)
        states = np.sort(np.concatenate(self._states))
        again = np.flatnonzero(np.diff(states) == 0)
        if len(again):  # it would count twice
            text = self.game.format_position(int(states[again[0]]))
            raise VerificationError(f"position {text} is in two tiers; its rules need a tier(state), or loopy=True")
        by_tier = self.counted and not self.positions.by_ply
        plies = totals_by_ply(self.positions, self.later) if by_tier else {}
        for recorded, derived in zip(totals, reversed(self.totals), strict=True):
            for name, value in {**derived, "plies": plies.get(derived["tier"])}.items():
                if recorded[name] != value:
                    tier = derived["tier"]
                    raise VerificationError(f"{MANIFEST}: {name} of tier {tier} is {recorded[name]}, not {value}")
        self._check_description()
        remoteness = int(root.remoteness[start])
        wanted: dict[str, Any] = {
            "value": int(root.value[start]),
            "remoteness_plies": None if remoteness == NEVER else remoteness,
            "positions": sum(row["counts"][0] for row in totals),
            "canonical": sum(row["counts"][1] for row in totals),
            "moves": sum(row["counts"][2] for row in totals),
        }
        if self.counted:
            games = {name: exact_total(root.counts[f"games_{name.lower()}"]) for name in ("X", "O", "tie")}
            wanted["games"] = {**games, "total": sum(games.values())}
            wanted["histories"] = sum(row["histories"] for row in totals)
            wanted["optimal_paths"] = exact_total(root.counts["optimal_paths"])
            wanted["quotient_paths"] = exact_total(root.quotient)
            wanted["games_up_to_symmetry"] = self._game_orbits(solution)
        counts = ("games", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
        self._compare_manifest({**dict.fromkeys(counts), **wanted})

    def _finish_all(self, root: StoredColumns, start: int) -> None:
        """What could not be checked before all tiers were seen."""
        root.reached[start] = True
        if self.counted:
            root.histories[start, 0] += np.uint64(1)
        if self.rules.loopy:
            self.positions.mark_reached(self.later)
        self._finish(list(self.later.values()))
        if self.histories_failure is not None:
            raise self.histories_failure

    def _check_description(self) -> None:
        """What the manifest says of the game, the group and the tables."""
        tables = {"counts": self.counted, "text": self.text, "paths": (self.directory / PATHS).is_file()}
        tables["moves"] = (self.directory / "moves").is_dir()
        symmetry = {"kind": self.manifest["symmetry"]["kind"], "order": self.positions.order}
        start = int(self.positions.least(np.array([self.rules.start]))[0])
        form = {"start": start, "loopy": self.rules.loopy, "by_ply": self.positions.by_ply}
        self._compare_manifest(form | {"parameters": self.game.parameters(), "symmetry": symmetry, "tables": tables})

    def _compare_manifest(self, wanted: dict[str, Any]) -> None:
        for name, value in wanted.items():
            if self.manifest[name] != value:
                raise VerificationError(f"{MANIFEST}: {name} is {self.manifest[name]}, not {value}")

    def _game_orbits(self, solution: Solution) -> int | None:
        """Orbits of whole games, by following one move sequence of each orbit as long as a symmetry other than the
        identity leaves it alone, and counting all continuations from there on.
        """
        if self.positions.reduces:
            return None
        planes = self.rules.planes

        @functools.cache
        def orbits(state: int, fixing: tuple[Permutation, ...]) -> int:
            children = [child for _, child in self.rules.moves(state)]
            if len(fixing) == 1 or not children:
                return sum(solution.lookup(state).continuations or ())
            images = [[permute(child, p, planes) for p in fixing] for child in children]
            representatives = dict(zip(map(min, images), children, strict=True))
            total = 0
            for child in representatives.values():
                kept = tuple(p for p in fixing if permute(child, p, planes) == child)
                total += orbits(child, kept)
            return total

        return orbits(self.rules.start, self.positions.group.permutations)

    def _same(self, columns: StoredColumns, name: str, derived: np.ndarray) -> None:
        """Refuse a column that differs from what was derived, naming the first state that does."""
        stored = columns[name]
        differs = np.asarray(stored != derived)
        if differs.ndim == 2:
            differs = np.asarray(differs.any(axis=1))
        if differs.any():
            row = int(np.argmax(differs))
            found, wanted = (exact_total(a[row : row + 1]) if np.ndim(a) == 2 else a[row] for a in (stored, derived))
            raise self._wrong(columns, columns.states[row], f"{name} is {found}, the rules say {wanted}")

    def _wrong(self, columns: StoredColumns, state: int, what: str) -> VerificationError:
        position = self.game.format_position(int(state))
        return VerificationError(f"tier {columns.number}, position {position}: {what}")
