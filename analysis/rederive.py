"""Derive every number of a stored tier again from the rules and the stored tier after it, by means of its own.

The solver expands with one fused function, finds children by hashing, and counts with carries in compiled loops. Here
the author's functions are called one by one, symmetric images are made bit by bit, children are found by binary
search, and values and counts come from NumPy reductions over 32-bit digits.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis import digits
from analysis.automorphisms import Permutation
from analysis.compiling import compile_functions
from analysis.derived import Columns, Derived, Expanded
from analysis.errors import VerificationError
from analysis.kernels.plain import expand_one_by_one
from analysis.rules import ONGOING, Game, Rules
from analysis.solution import Solution
from analysis.store import MANIFEST, PATHS
from analysis.stored import StoredTier
from analysis.symmetry import Group, find_group, permute
from analysis.tables import DECIMAL, position_schema

BATCH = 1 << 16
"""States expanded at a time."""


class Check:
    """Checks tiers from the last to the first, each against the one after it."""

    def __init__(self, directory: Path, manifest: dict[str, Any], game: Game) -> None:
        self.directory, self.manifest, self.game = directory, manifest, game
        self.rules: Rules = game.rules()
        self.functions = compile_functions(self.rules)
        self.group: Group = find_group(self.rules, manifest["symmetry"]["kind"])
        self.counted: bool = manifest["tables"]["counts"]
        count_types = (pa.uint64(), DECIMAL) if self.counted else (None,)
        self.schemas = [position_schema(kind, text=manifest["tables"]["text"]) for kind in count_types]
        """What ``positions/`` may look like: counts are of one type in all tiers."""
        self.moves_seen = 0
        self.text = False
        self.below: Columns | None = None
        self.histories_failure: VerificationError | None = None
        self.totals: list[dict[str, Any]] = []  # the last tier first

    def tier(self, stored: StoredTier) -> None:
        """Everything about one tier."""
        table = stored.table()
        self.schemas = [schema for schema in self.schemas if schema.equals(table.schema)]
        if not self.schemas:
            raise VerificationError(f"tier {stored.ply}: positions/ has other columns or types than gametree writes")
        if any(table[name].null_count for name in table.column_names if name != "remoteness_plies"):
            raise VerificationError(f"tier {stored.ply}: positions/ has nulls where gametree writes none")
        columns = Columns(stored, table, self.counted)
        self._check_states(columns)
        derived = Derived.begin(columns, self.below, self.counted)
        batches = [slice(low, min(low + BATCH, len(columns.states))) for low in range(0, len(columns.states), BATCH)]
        for rows in batches:
            self._derive(columns, derived, rows)
        self._compare(columns, derived)
        self._check_all_reached(derived)
        if derived.moves_compared != columns.move_rows(self.directory):
            raise VerificationError(f"tier {columns.ply}: moves/ has more rows than there are moves")
        self.totals.append(self._derive_totals(columns, derived))
        if self.below is not None and self.counted:
            self._check_histories(self.below, digits.carried(derived.histories_below))
        columns.quotient = derived.quotient
        self.below = columns

    def _check_all_reached(self, derived: Derived) -> None:
        """No state of the next tier is a stranger."""
        strangers = np.flatnonzero(~derived.reached_below)
        if self.below is not None and len(strangers):
            text = self.game.format_position(int(self.below.states[strangers[0]]))
            raise VerificationError(f"tier {self.below.ply}, position {text}: no move leads there")

    def _check_histories(self, columns: Columns, derived: np.ndarray) -> None:
        """Histories go forward while the check goes backward, so of several tiers that differ the first is to blame."""
        try:
            self._same(columns, "histories", columns.counts["histories"], derived)
        except VerificationError as error:
            self.histories_failure = error

    def _check_states(self, columns: Columns) -> None:
        states, ply = columns.states, columns.ply
        if ply == 0 and states.tolist() != [self.rules.start]:
            raise VerificationError("tier 0 is not the start position alone")
        if len(states) == 0 or (np.diff(states) <= 0).any():
            raise VerificationError(f"tier {ply}: states are not in ascending order, each once")
        least, fixing = states, np.zeros(len(states), dtype=np.int64)
        for permutation in self.group.permutations:
            image = self._image(states, permutation)
            least, fixing = np.minimum(least, image), fixing + (image == states)
        self._same(columns, "state", states, least)
        self._same(columns, "orbit_size", columns["orbit_size"], self.group.order // fixing)
        self._same(columns, "ply", columns["ply"], np.full(len(states), ply))
        self.text = "position" in columns.table.column_names
        if self.text:
            texts = np.array(self.game.format_positions(states))
            self._same(columns, "position", np.array(columns.table["position"].to_pylist()), texts)

    def _derive(self, columns: Columns, derived: Derived, rows: slice) -> None:
        """Fill in what the rules and the next tier say of some states."""
        states = columns.states[rows]
        expanded = self._expand(states)
        derived.mover[rows], derived.branching[rows] = expanded.movers, expanded.branching
        over = expanded.branching == 0
        if (over & (expanded.payoffs == ONGOING)).any():
            raise VerificationError(f"tier {columns.ply}: a position without a move is not over")
        derived.value[rows] = np.where(over, expanded.payoffs, 0)
        derived.terminal_counts(rows, over)
        self.moves_seen += len(expanded.children)
        going_on = np.flatnonzero(~over)
        if len(going_on) == 0:
            return
        child = self._find_children(columns, states, expanded)
        derived.reached_below[child] = True
        starts = np.concatenate(([0], np.cumsum(expanded.branching[going_on], dtype=np.int64)[:-1]))
        derived.from_children(rows.start + going_on, starts, expanded.rows + rows.start, child, self.below)
        self._compare_moves(columns, rows, expanded, child, derived)

    def _expand(self, states: np.ndarray) -> Expanded:
        n, most = len(states), len(states) * self.rules.max_moves
        movers, branching, payoffs = np.empty(n, np.int8), np.empty(n, np.uint8), np.empty(n, np.int64)
        rows, codes, children = np.empty(most, np.int64), np.empty(most, np.uint8), np.empty(most, np.int64)
        total = expand_one_by_one(
            *self.functions, ONGOING, self.rules.max_moves, states, movers, branching, payoffs, rows, codes, children
        )
        return Expanded(movers, branching, payoffs, rows[:total], codes[:total], children[:total])

    def _find_children(self, columns: Columns, states: np.ndarray, expanded: Expanded) -> np.ndarray:
        """The rows of all children in the next tier."""
        least = np.minimum.reduce([self._image(expanded.children, p) for p in self.group.permutations])
        stored = self.below.states if self.below is not None else np.empty(0, dtype=np.int64)
        child = np.minimum(np.searchsorted(stored, least), len(stored) - 1)
        lost = np.flatnonzero(stored[child] != least) if len(stored) else np.arange(len(least))
        if len(lost):
            parent = self.game.format_position(int(states[expanded.rows[lost[0]]]))
            text = self.game.format_position(int(least[lost[0]]))
            raise VerificationError(
                f"tier {columns.ply}, position {parent}: the position {text} after it is not stored"
            )
        return child

    def _compare(self, columns: Columns, derived: Derived) -> None:
        self._same(columns, "to_move", columns["to_move"], derived.mover)
        self._same(columns, "terminal", columns["terminal"], derived.branching == 0)
        self._same(columns, "value", columns["value"], derived.value)
        self._same(columns, "remoteness_plies", columns.remoteness, derived.remoteness)
        for name, numbers in derived.counts.items():
            self._same(columns, name, columns.counts[name], numbers)

    def _compare_moves(
        self, columns: Columns, rows: slice, expanded: Expanded, child: np.ndarray, derived: Derived
    ) -> None:
        """The rows of ``moves/`` for these states."""
        if not self.manifest["tables"]["moves"]:
            return
        table = columns.moves(self.directory).slice(derived.moves_compared, len(child))
        derived.moves_compared += len(child)
        assert self.below is not None
        optimal = self.below["value"][child] == derived.value[rows][expanded.rows]
        parents = columns.states[rows][expanded.rows]
        wanted = {"state": parents, "move": expanded.codes, "child": self.below.states[child], "optimal": optimal}
        for name, values in wanted.items():
            stored = table[name].to_numpy()
            if len(stored) != len(values) or (stored != values).any():
                row = int(np.argmax(stored != values)) if len(stored) == len(values) else 0
                text = self.game.format_position(int(parents[row]))
                raise VerificationError(
                    f"tier {columns.ply}, position {text}: moves/ has another {name} than the rules"
                )

    def _derive_totals(self, columns: Columns, derived: Derived) -> dict[str, Any]:
        """The totals of the tier, as the manifest should have them."""
        orbit, sign = columns["orbit_size"].astype(np.int64), np.sign(derived.value)
        over = derived.branching == 0
        counts = [int(orbit.sum()), len(orbit), int((orbit * derived.branching).sum())]
        counts += [int(orbit[sign == s].sum()) for s in (-1, 0, 1)]
        counts += [int(orbit[over & (sign == s)].sum()) for s in (-1, 0, 1)]
        table = np.zeros((len(self.manifest["totals"]), 3), dtype=np.int64)
        np.add.at(table, (derived.remoteness.astype(np.int64), 1 + derived.mover * sign), orbit)
        wanted: dict[str, Any] = {"ply": columns.ply, "counts": counts, "by_remoteness": table.tolist()}
        if self.counted:
            reached = columns.counts["histories"]
            wanted["histories"] = digits.total(reached)
            wanted["ended"] = [digits.total(reached[over & (sign == s)]) for s in (-1, 0, 1)]
        return wanted

    def whole_game(self, solution: Solution) -> None:
        """The totals of the tiers and of the whole game in the manifest, once all tiers are checked: a state that is
        missing was then named already.
        """
        root, totals = self.below, self.manifest["totals"]
        for recorded, derived in zip(totals, reversed(self.totals), strict=True):
            for name, value in derived.items():
                if recorded[name] != value:
                    tier = derived["ply"]
                    raise VerificationError(f"{MANIFEST}: {name} of tier {tier} is {recorded[name]}, not {value}")
        assert root is not None
        self._check_description()
        if self.counted:
            self._check_histories(root, digits.from_limbs(np.ones((1, 1), dtype=np.uint64)))
        if self.histories_failure is not None:
            raise self.histories_failure
        wanted: dict[str, Any] = {
            "value": int(root["value"][0]),
            "remoteness_plies": int(root.remoteness[0]),
            "positions": sum(row["counts"][0] for row in totals),
            "canonical": sum(row["counts"][1] for row in totals),
            "moves": sum(row["counts"][2] for row in totals),
        }
        if self.counted:
            games = {name: digits.total(root.counts[f"games_{name.lower()}"]) for name in ("X", "O", "tie")}
            wanted["games"] = {**games, "total": sum(games.values())}
            wanted["histories"] = sum(row["histories"] for row in totals)
            wanted["optimal_paths"] = digits.total(root.counts["optimal_paths"])
            wanted["quotient_paths"] = digits.total(root.quotient)
            wanted["games_up_to_symmetry"] = self._game_orbits(solution)
        else:
            counts = ("games", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
            wanted |= dict.fromkeys(counts)
        self._compare_manifest(wanted)

    def _check_description(self) -> None:
        """What the manifest says of the game, the group and the tables."""
        tables = {"counts": self.counted, "text": self.text, "paths": (self.directory / PATHS).is_file()}
        tables["moves"] = (self.directory / "moves").is_dir()
        symmetry = {"kind": self.group.kind, "order": self.group.order}
        self._compare_manifest({"parameters": self.game.parameters(), "symmetry": symmetry, "tables": tables})

    def _compare_manifest(self, wanted: dict[str, Any]) -> None:
        for name, value in wanted.items():
            if self.manifest[name] != value:
                raise VerificationError(f"{MANIFEST}: {name} is {self.manifest[name]}, not {value}")

    def _game_orbits(self, solution: Solution) -> int:
        """Orbits of whole games, by following one move sequence of each orbit as long as a symmetry other than the
        identity leaves it alone, and counting all continuations from there on.
        """

        @functools.cache
        def orbits(state: int, fixing: tuple[Permutation, ...]) -> int:
            children = [child for _, child in self.rules.moves(state)]
            if len(fixing) == 1 or not children:
                return sum(solution.lookup(state).continuations or ())
            images = [[permute(child, p, self.rules.planes) for p in fixing] for child in children]
            representatives = dict(zip(map(min, images), children, strict=True))
            total = 0
            for child in representatives.values():
                kept = tuple(p for p in fixing if permute(child, p, self.rules.planes) == child)
                total += orbits(child, kept)
            return total

        return orbits(self.rules.start, self.group.permutations)

    def _image(self, states: np.ndarray, permutation: Permutation) -> np.ndarray:
        return permute(states, permutation, self.rules.planes)

    def _same(self, columns: Columns, name: str, stored: Any, derived: Any) -> None:
        """Refuse a column that differs from what was derived, naming the first state that does."""
        differs = np.asarray(stored) != np.asarray(derived)
        if differs.ndim == 2:
            differs = differs.any(axis=1)
        if differs.any():
            row = int(np.argmax(differs))
            text = self.game.format_position(int(columns.states[row]))
            found, wanted = (digits.total(a[row : row + 1]) if np.ndim(a) == 2 else a[row] for a in (stored, derived))
            raise VerificationError(f"tier {columns.ply}, position {text}: {name} is {found}, the rules say {wanted}")
