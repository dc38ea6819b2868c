"""Whether stored rows are what the rules and the rows of the states after them say, for full and sampled checks.

The solver expands with one fused function, finds children by hashing, and counts with carries in compiled loops. Here
the author's functions are called one by one, symmetric images are made bit by bit, children are found by binary
search, and values and counts come from NumPy reductions over 32-bit digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.derived import TALLIES, Children, Derived
from analysis.checks.solutions.digits import exact_total
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.stored_rows import PartFiles, StoredRows, TierRows
from analysis.engine.columns import DECIMAL, position_schema
from analysis.engine.kernels.states import ReplayedMoves
from analysis.errors import VerificationError
from analysis.rules.game import ONGOING, Game
from analysis.storage.row_files import text_column


class StateCheck:
    """Checks rows of the tiers of a solution, the last tier first."""

    def __init__(self, manifest: dict[str, Any], game: Game) -> None:
        self.manifest, self.game = manifest, game
        self.positions = Positions(game, manifest["symmetry"]["kind"])
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
        self.files = PartFiles()
        self.tiers: dict[int, TierRows] = {}
        """Those that moves of the tier at hand may lead to."""
        self.moves_seen = 0

    def check_form(self, rows: StoredRows) -> None:
        """Columns, types and nulls."""
        tier, table = rows.number, rows.table
        self.schemas = [schema for schema in self.schemas if schema.equals(table.schema)]
        if not self.schemas:
            raise VerificationError(f"tier {tier}: positions/ has other columns or types than gametree writes")
        if any(table[name].null_count for name in table.column_names if name != "remoteness_plies"):
            raise VerificationError(f"tier {tier}: positions/ has nulls where gametree writes none")

    def row_of_start(self, tier: TierRows) -> int:
        """The row of the start in the first tier."""
        start = self.positions.least(np.array([self.rules.start], dtype=np.int64))
        for _, stored in tier.holding(start, ["state"]):
            rows, lost = stored.find(start)
            if lost.any():
                raise VerificationError(f"tier {tier.number}, the first, is without the start position")
        return stored.begin + int(rows[0])

    def check_states(self, rows: StoredRows, last: int = -1) -> None:
        """That states ascend, from the ``last`` before them on, are canonical, and are described as the rules do."""
        states, number = rows.states, rows.number
        if len(states) == 0 or states[0] <= last or (np.diff(states) <= 0).any():
            raise VerificationError(f"tier {number}: states are not in ascending order, each once")
        self.same(rows, "state", self.positions.least(states))
        self.same(rows, "orbit_size", self.positions.orbit_sizes(states))
        name = "ply" if self.positions.by_ply else "tier"
        self.same(rows, name, np.full(len(states), number))
        self.same(rows, name, self.positions.tiers(states, number))
        if self.manifest["tables"]["text"]:
            self.same(rows, "position", np.array(text_column(self.game.format_positions(states)).to_pylist()))

    def expand(self, rows: StoredRows) -> ReplayedMoves:
        """Every move of the rows."""
        expanded = self.positions.expand(rows.states)
        if ((expanded.branching == 0) & (expanded.payoffs == ONGOING)).any():
            raise VerificationError(f"tier {rows.number}: a position without a move is not over")
        self.moves_seen += len(expanded.children)
        return expanded

    def find_children(self, rows: StoredRows, expanded: ReplayedMoves) -> Children:
        """What is stored of every child, in the tier where it belongs."""
        least = expanded.children
        child = Children.unknown(len(least), self.limbs(rows))
        columns = ["state", "value", "remoteness_plies", *(["nimber"] if self.rules.impartial else []), *child.counts]
        numbers = self.positions.tiers(least, rows.number + 1)
        first_number = 0
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number)
            tier = self.tiers.get(number)
            if tier is None:
                raise self._not_stored(rows, expanded, int(places[0]))
            for some, stored in tier.holding(least[places], columns):
                own = places[some]
                found, lost = stored.find(least[own])
                if lost.any():
                    raise self._not_stored(rows, expanded, int(own[lost].min()))
                child.fill(own, stored, found, first_number)
                self.found(own, stored, found)
            first_number += len(tier)
        return child

    def found(self, moves: np.ndarray, stored: StoredRows, rows: np.ndarray) -> None:
        """Some of the moves lead to these among some stored rows."""

    def compare(self, rows: StoredRows, derived: Derived) -> None:
        """That what is stored is what was derived."""
        wanted = {"to_move": derived.mover, "terminal": derived.over, "value": derived.value}
        wanted |= {"remoteness_plies": derived.remoteness, "nimber": derived.nimber, **derived.counts}
        for name, numbers in wanted.items():
            if name != "nimber" or self.rules.impartial:
                self.same(rows, name, numbers)

    def same(self, rows: StoredRows, name: str, derived: np.ndarray) -> None:
        """Refuse a column that differs from what was derived, naming the first state that does."""
        stored = rows[name]
        differs = np.asarray(stored != derived)
        if differs.ndim == 2:
            differs = np.asarray(differs.any(axis=1))
        if differs.any():
            row = int(np.argmax(differs))
            found, wanted = (exact_total(a[row : row + 1]) if np.ndim(a) == 2 else a[row] for a in (stored, derived))
            raise self.wrong(rows.number, rows.states[row], f"{name} is {found}, the rules say {wanted}")

    def wrong(self, tier: int, state: int, what: str) -> VerificationError:
        """What is wrong with a state."""
        return VerificationError(f"tier {tier}, position {self.game.format_position(int(state))}: {what}")

    def _not_stored(self, rows: StoredRows, expanded: ReplayedMoves, move: int) -> VerificationError:
        text = self.game.format_position(int(expanded.children[move]))
        return self.wrong(rows.number, rows.states[expanded.rows[move]], f"the position {text} after it is not stored")

    def limbs(self, rows: StoredRows) -> int:
        """Of a count, 0 where there are none."""
        return rows.limbs(TALLIES[0]).shape[1] if self.counted else 0
