"""Derive every number of a solution again from the rules and the stored tiers, by means of its own.

In a loopy game that every position fits its children shows that all are right, since remoteness falls along the lines
that show a win, a loss or a tie: a position with value 0 keeps away from both, and a draw from every tie.
"""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np

from analysis.checks.solutions import manifest_check
from analysis.checks.solutions.derived import Children, Derived
from analysis.checks.solutions.digits import WIDTH, exact_total
from analysis.checks.solutions.forward import ONE, mark_reached, totals_by_ply
from analysis.checks.solutions.ledgers import NEXT, REACHED, UNREACHED, Ledger, LedgerFile
from analysis.checks.solutions.replay import BATCH
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.state_check import StateCheck
from analysis.checks.solutions.stored_rows import StoredRows, Tables, TierRows, move_tables
from analysis.checks.solutions.tier_totals import TierTotals
from analysis.engine.kernels.states import ReplayedMoves
from analysis.errors import VerificationError
from analysis.rules.automorphisms import Permutation
from analysis.rules.game import Game
from analysis.rules.symmetry import permute
from analysis.solution.solution import Solution


class TierCheckResult(StateCheck):
    """Checks tiers from the last to the first, each against those that its moves lead to, within so much memory."""

    def __init__(self, directory: Path, manifest: dict[str, Any], game: Game, memory: int) -> None:
        super().__init__(manifest, game)
        self.directory, self._room = directory, Room(memory, self.schemas[-1])
        self._totals_of = {row["tier"]: row for row in manifest["totals"]}
        self.ledgers: dict[int, Ledger] = {}
        """Of the tiers that were checked and may be led to: all of them, or the next where tiers are plies."""
        self.histories_failure: VerificationError | None = None
        self._blamed = -1
        """The tier that it is in."""
        self.totals: list[dict[str, Any]] = []  # the last tier first
        self._all: list[TierRows] = []

    def tier(self, recorded: dict[str, Any]) -> None:
        """Everything about one tier that does not depend on the tiers before it."""
        tier = TierRows(self.directory, recorded, self.files)
        held = [len(other) for other in self.tiers.values() if other.held]
        if self._room.holds(sum(held) + len(tier)):
            tier.hold()
        if tier.number == self.manifest["totals"][0]["tier"]:
            self.row_of_start(tier)
        earlier = list(self.tiers)
        self._all.append(TierRows(self.directory, recorded, self.files))
        self.tiers[tier.number] = tier
        moves = move_tables(self.directory, recorded) if self.manifest["tables"]["moves"] else None
        totals, last = TierTotals(tier.number, self.counted, self.rules.payoffs), -1
        firsts, begins = tier.bounds()
        for rows in tier.pieces(self._rows_at_a_time(tier.number)):
            self.check_form(rows)
            self.check_states(rows, last)
            last = int(rows.states[-1])
            groups = slice(*np.searchsorted(begins, (rows.begin, rows.begin + len(rows))))
            if (rows.states[begins[groups] - rows.begin] != firsts[groups]).any():
                raise VerificationError(f"tier {tier.number}: what files say of the states in them is wrong")
            if tier.number not in self.ledgers:
                self.ledgers[tier.number] = self._ledger(tier, rows)
            totals.add(rows, self._derive(rows, moves))
        if moves is not None and len(moves.take(1)):
            raise VerificationError(f"tier {tier.number}: moves/ has more rows than there are moves")
        self.totals.append(totals.as_recorded())
        if self.positions.by_ply:
            for number in earlier:
                self._finish(number)
                del self.tiers[number], self.ledgers[number]

    def _ledger(self, tier: TierRows, rows: StoredRows) -> Ledger:
        limbs = self.limbs(rows)
        return Ledger(len(tier), self.counted) if tier.held else LedgerFile(len(tier), limbs)

    def _rows_at_a_time(self, number: int) -> int:
        """Rows of a tier that are checked together: more where the tiers after it are read once for all of them."""
        positions, _, moves, *_ = self._totals_of[number]["counts"]
        rows = self._room.rows(max(1, min(moves / max(1, positions), self.rules.max_moves)))
        return min(rows, BATCH) if all(tier.held for tier in self.tiers.values()) else rows

    def _derive(self, rows: StoredRows, moves: Tables | None) -> Derived:
        """What the rules and the children say of some rows, which has to be what is stored."""
        expanded = self.expand(rows)
        child = self.find_children(rows, expanded)
        derived = Derived(expanded, child)
        if moves is not None:
            self._compare_moves(rows, expanded, derived, moves)
        self.compare(rows, derived)
        if self.counted:
            self.ledgers[rows.number].set_quotient(rows.begin, derived.quotient_paths(self._quotient))
        return derived

    def find_children(self, rows: StoredRows, expanded: ReplayedMoves) -> Children:
        """What is stored of every child; what leads there is noted."""
        if self.counted:
            self._quotient = np.empty((len(expanded.children), WIDTH), dtype=np.uint64)
            self._histories = rows["histories"][expanded.rows]
        return super().find_children(rows, expanded)

    def found(self, moves: np.ndarray, stored: StoredRows, rows: np.ndarray) -> None:
        """Some moves lead to these among some stored rows."""
        ledger, span = self.ledgers[stored.number], (stored.begin, len(stored))
        if not self.rules.loopy:  # there it is found out in the end
            ledger.mark(*span, rows, REACHED)
        if self.counted:
            ledger.add_histories(*span, rows, self._histories[moves])
            self._quotient[moves] = ledger.quotient(*span)[rows]

    def _finish(self, number: int) -> None:
        """Every state of a tier is reached, and its histories are right, now that all moves there are known."""
        ledger = self.ledgers[number]
        for rows in self.tiers[number].pieces(
            min(BATCH, self._room.rows(1)), ["state", *(["histories"] if self.counted else [])]
        ):
            unreached = np.flatnonzero(ledger.marks(rows.begin, len(rows)) == UNREACHED)
            if len(unreached):
                raise self.wrong(number, rows.states[unreached[0]], "no move leads there")
            if self.counted and self._blamed != number:
                try:
                    self.same(rows, "histories", ledger.histories(rows.begin, len(rows)))
                except VerificationError as error:  # they go forward, this goes backward: the first tier is to blame
                    self.histories_failure, self._blamed = error, number

    def _compare_moves(self, rows: StoredRows, expanded: ReplayedMoves, derived: Derived, moves: Tables) -> None:
        """The rows of ``moves/`` for these states."""
        parents = rows.states[expanded.rows]
        wanted = {"state": parents, "move": expanded.codes, "child": expanded.children, "optimal": derived.kept}
        table = moves.take(len(parents))
        for name, values in wanted.items():
            stored = table[name].to_numpy()
            if len(stored) != len(values) or (stored != values).any():
                row = int(np.argmax(stored != values)) if len(stored) == len(values) else 0
                raise self.wrong(rows.number, parents[row], f"moves/ has another {name} than the rules")

    def whole_game(self, solution: Solution) -> None:
        """The totals of the tiers and of the whole game in the manifest, once all tiers are checked: a state that is
        missing was then named already.
        """
        totals = self.manifest["totals"]
        root = self.tiers[totals[0]["tier"]]
        start = self.row_of_start(root)
        self._finish_all(root.number, start)
        if self.positions.by_ply:
            self._refuse_repetition()
        by_tier = self.counted and not self.positions.by_ply
        plies = totals_by_ply(self.positions, self.tiers, self._room) if by_tier else {}
        for recorded, derived in zip(totals, reversed(self.totals), strict=True):
            manifest_check.compare_tier(recorded, {**derived, "plies": plies.get(derived["tier"])})
        manifest_check.compare(
            self.manifest, manifest_check.description(self.directory, self.manifest, self.game, self.positions)
        )
        wanted = manifest_check.whole(self.manifest, root.at(np.array([start])))
        if self.counted:
            wanted["quotient_paths"] = exact_total(self.ledgers[root.number].quotient(start, 1))
            wanted["games_up_to_symmetry"] = self._game_orbits(solution)
        manifest_check.compare(self.manifest, wanted)

    def _finish_all(self, root: int, start: int) -> None:
        """What could not be checked before all tiers were seen."""
        self.ledgers[root].mark(start, 1, np.array([0]), REACHED)
        if self.counted:
            self.ledgers[root].add_histories(start, 1, np.array([0]), ONE)
        if self.rules.loopy:
            self.ledgers[root].mark(start, 1, np.array([0]), NEXT)
            mark_reached(self.positions, self.tiers, self.ledgers, self._rows_at_a_time)
        for number in self.tiers:
            self._finish(number)
        if self.histories_failure is not None:
            raise self.histories_failure

    def _refuse_repetition(self) -> None:
        """No state is in two tiers, where it would count twice. Where tiers are not plies the rules say so."""
        firsts = np.sort(np.concatenate([tier.bounds()[0] for tier in self._all]))
        groups = max(1, self._room.states() * len(firsts) // sum(map(len, self._all)))
        cuts: list[int | None] = [*firsts[::groups].tolist(), None]
        for low, high in itertools.pairwise(cuts):
            assert low is not None
            states = np.sort(np.concatenate([each for tier in self._all for each in tier.between(low, high)]))
            again = np.flatnonzero(np.diff(states) == 0)
            if len(again):
                text = self.game.format_position(int(states[again[0]]))
                raise VerificationError(f"position {text} is in two tiers; its rules need a tier(state), or loopy=True")

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
