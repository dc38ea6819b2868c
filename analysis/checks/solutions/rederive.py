"""Derive every number of a solution again from the rules and the stored tiers, by means of its own.

In a loopy game that every position fits its children shows that all are right, since remoteness falls along the lines
that show a win, a loss or a tie: a position with value 0 keeps away from both, and a draw from every tie.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.checks.solutions import manifest_check
from analysis.checks.solutions.digits import exact_total, from_limbs
from analysis.checks.solutions.forward import mark_reached, totals_by_ply
from analysis.checks.solutions.known import Known
from analysis.checks.solutions.ledgers import NEXT, REACHED, UNREACHED, Ledger, LedgerFile
from analysis.checks.solutions.replay import writable
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.state_check import StateCheck
from analysis.checks.solutions.stored_rows import StoredRows, Tables, TierRows, move_tables
from analysis.checks.solutions.tier_totals import Part, TierTotals
from analysis.errors import VerificationError
from analysis.rules.automorphisms import Permutation
from analysis.rules.game import Game
from analysis.rules.symmetry import permute
from analysis.solution.solution import Solution

ONE = np.ones((1, 1), dtype=np.uint64)
"""One history."""


class Checked(NamedTuple):
    """What was found out about some rows that are right."""

    first: int  # the first state, and the last one
    last: int
    moves: int
    totals: Part
    move_rows: dict[str, np.ndarray] | None  # as they should be in ``moves/``, where that is there


class TierCheckResult(StateCheck):
    """Checks tiers from the last to the first, each against those that its moves lead to, within so much memory."""

    def __init__(
        self, directory: Path, manifest: dict[str, Any], game: Game, memory: int, workers: int | None = None
    ) -> None:
        super().__init__(manifest, game, memory, workers)
        self.directory = directory
        self._totals_of = {row["tier"]: row for row in manifest["totals"]}
        self.ledgers: dict[int, Ledger] = {}
        """Of the tiers that were checked and may be led to: all of them, or the next where tiers are plies."""
        self._held: dict[int, Known] = {}
        self.histories_failure: VerificationError | None = None
        self._blamed = -1
        """The tier that it is in."""
        self.totals: list[dict[str, Any]] = []  # the last tier first
        self._all: list[TierRows] = []

    def tier(self, recorded: dict[str, Any], done: Callable[[int], None] = lambda rows: None) -> None:
        """Everything about one tier that does not depend on the tiers before it; ``done`` is told of rows that are
        checked.
        """
        tier = self.open_tier(self.directory, recorded)
        number = tier.number
        if number == self.manifest["totals"][0]["tier"]:
            self.row_of_start(tier)
        earlier = list(self.tiers)
        self._all.append(self.open_tier(self.directory, recorded))
        self.tiers[number] = tier
        self._begin(tier)
        moves = move_tables(self.directory, recorded) if self.manifest["tables"]["moves"] else None
        totals, last = TierTotals(number, self.counted, self.rules.payoffs), -1
        for rows in self._checked(tier):
            if rows.first <= last:
                raise self.disorder(number)
            last = rows.last
            if moves is not None and rows.move_rows is not None:
                self._compare_moves(number, rows.move_rows, moves)
            totals.add(rows.totals)
            self.moves_seen += rows.moves
            done(int(rows.totals.census.counts[1]))
        if moves is not None and len(moves.take(1)):
            raise VerificationError(f"tier {number}: moves/ has more rows than there are moves")
        self.totals.append(totals.as_recorded())
        if self.positions.by_ply:
            for other in earlier:
                self._finish(other)
                del self.tiers[other], self.ledgers[other]
                self._held.pop(other, None)

    def _begin(self, tier: TierRows) -> None:
        """Make room for what is found out about a tier."""
        number = tier.number
        if self.room.holds(sum(map(len, self._held.values())) + len(tier)):
            self._held[number] = self.known(tier.hold(self.workers))
            self.ledgers[number] = self._held[number].ledger
        else:
            self.ledgers[number] = LedgerFile(len(tier), self.limbs)

    def _checked(self, tier: TierRows) -> Iterator[Checked]:
        """What is found out about the rows of a tier, batch by batch; what leads to other rows is noted."""
        size, files = len(tier), self.files_after(tier.number)
        span = self.span_of(tier.number) if files else size
        for low in range(0, size, span):
            targets = yield from self.check_span(tier, low, min(low + span, size), files)
            for other, known in targets.items():
                if known.rows is not None:
                    files[other].absorb(known.rows, known.ledger)

    def files_after(self, number: int) -> dict[int, LedgerFile]:
        """The ledgers in files of the tiers to which a tier leads."""
        return {
            other: ledger
            for other, ledger in self.ledgers.items()
            if isinstance(ledger, LedgerFile) and not (self.positions.by_ply and other == number)
        }

    def span_of(self, number: int, room: Room | None = None) -> int:
        """Rows of a tier whose children may be in memory together, here or where there is another ``room``."""
        positions, _, moves, *_ = self._totals_of[number]["counts"]
        return (room or self.room).span(min(moves / max(1, positions), self.rules.max_moves))

    def check_span(
        self, tier: TierRows, low: int, high: int, files: Mapping[int, LedgerFile]
    ) -> Generator[Checked, None, dict[int, Known]]:
        """What is found out about some rows of a tier, batch by batch, and in the end what is known of those after
        them.
        """
        targets = dict(self._held)
        if files:
            reading = (
                functools.partial(tier.span, begin, min(self.batch, high - begin), ["state"])
                for begin in range(low, high, self.batch)
            )
            targets |= self.gather(reading, files)
        tasks = ((tier, begin, min(self.batch, high - begin), targets) for begin in range(low, high, self.batch))
        yield from self.workers.map(self._check_batch, tasks)
        return targets

    def _check_batch(self, task: tuple[TierRows, int, int, dict[int, Known]]) -> Checked:
        """Check some rows of a tier. Raises `VerificationError` for the first of them that is wrong."""
        tier, begin, size, targets = task
        rows = tier.span(begin, size)
        try:
            derived = self.check(rows, targets)
        except VerificationError as error:
            last = int(tier.span(begin - 1, 1, ["state"]).states[0]) if begin else -1
            raise self.first_failure(rows, targets, last) or error from None
        self._compare_bounds(tier, rows)
        if derived.quotient is not None:
            self._keep_quotient(tier.number, begin, derived.quotient)
        expanded = derived.expanded
        parents = np.repeat(np.arange(len(rows)), expanded.branching)
        for known, places, which in derived.child.found:
            if not self.rules.loopy:  # there it is found out in the end
                known.ledger.mark(places, REACHED)
            if self.counted:
                known.ledger.add_histories(places, parents[which], writable(rows.limbs("histories")))
        wanted = None
        if self.manifest["tables"]["moves"]:
            wanted = {"state": rows.states[parents], "move": expanded.codes}
            wanted |= {"child": expanded.children, "optimal": derived.kept}
        totals = TierTotals(tier.number, self.counted, self.rules.payoffs).of(rows, derived)
        return Checked(int(rows.states[0]), int(rows.states[-1]), len(expanded.children), totals, wanted)

    def _keep_quotient(self, number: int, begin: int, quotient: np.ndarray) -> None:
        """Keep the quotient paths of some rows of a tier, where they are not held."""
        own = self.ledgers[number]
        if isinstance(own, LedgerFile):
            own.set_quotient(begin, quotient)

    def _compare_bounds(self, tier: TierRows, rows: StoredRows) -> None:
        """What files say of the first and the last state of their row groups."""
        groups, end = tier.groups, rows.begin + len(rows)
        first, after = np.searchsorted(groups.begins[:-1], (rows.begin, end))
        fits = (rows.states[groups.begins[first:after] - rows.begin] == groups.firsts[first:after]).all()
        ends = groups.begins[1:] - 1
        first, after = np.searchsorted(ends, (rows.begin, end))
        fits &= (rows.states[ends[first:after] - rows.begin] == groups.lasts[first:after]).all()
        if not fits:
            raise VerificationError(f"tier {tier.number}: what files say of the states in them is wrong")

    def _finish(self, number: int) -> None:
        """Every state of a tier is reached, and its histories are right, now that all moves there are known."""
        ledger, tier = self.ledgers[number], self.tiers[number]
        for wrong in self._finished(tier, ledger):
            if wrong is not None and self._blamed != number:
                self.histories_failure, self._blamed = wrong, number  # they go forward, this goes backward: the first
        if ledger.overflown and self._blamed != number:  # tier is to blame
            self.histories_failure = VerificationError(f"tier {number}: histories exceed 128 bits")
            self._blamed = number

    def _finished(self, tier: TierRows, ledger: Ledger) -> Iterator[VerificationError | None]:
        """What is wrong with the histories of rows of a tier, batch by batch. Raises `VerificationError` for a state
        that is not reached.
        """
        return self.workers.map(
            lambda begin: self.finish_rows(tier, ledger, begin, self.batch), range(0, len(tier), self.batch)
        )

    def finish_rows(self, tier: TierRows, ledger: Ledger, begin: int, size: int) -> VerificationError | None:
        """See `_finished`."""
        rows = tier.span(begin, size, ["state", *(["histories"] if self.counted else [])])
        unreached = np.flatnonzero(ledger.marks(begin, len(rows)) == UNREACHED)
        if len(unreached):
            raise self.wrong(tier.number, rows.states[unreached[0]], "no move leads there")
        return self._wrong_histories(rows, ledger.histories(begin, len(rows))) if self.counted else None

    def _wrong_histories(self, rows: StoredRows, wanted: np.ndarray) -> VerificationError | None:
        """What is wrong with the first state that has not the histories that lead there."""
        stored = rows.limbs("histories")
        differs = (stored != wanted[:, : self.limbs]).any(axis=1) | wanted[:, self.limbs :].any(axis=1)
        if not differs.any():
            return None
        row = int(np.argmax(differs))
        found, right = (exact_total(from_limbs(each[row : row + 1])) for each in (stored, wanted))
        return self.wrong(rows.number, rows.states[row], f"histories is {found}, the rules say {right}")

    def _compare_moves(self, number: int, wanted: dict[str, np.ndarray], moves: Tables) -> None:
        """The rows of ``moves/`` for some states."""
        parents = wanted["state"]
        table = moves.take(len(parents))
        for name, values in wanted.items():
            stored = table[name].to_numpy()
            if len(stored) != len(values) or (stored != values).any():
                row = int(np.argmax(stored != values)) if len(stored) == len(values) else 0
                raise self.wrong(number, parents[row], f"moves/ has another {name} than the rules")

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
        plies = totals_by_ply(self.positions, self.tiers, self.room, self.workers) if by_tier else {}
        for recorded, derived in zip(totals, reversed(self.totals), strict=True):
            manifest_check.compare_tier(recorded, {**derived, "plies": plies.get(derived["tier"])})
        manifest_check.compare(
            self.manifest, manifest_check.description(self.directory, self.manifest, self.game, self.positions)
        )
        wanted = manifest_check.whole(self.manifest, root.span(start, 1))
        if self.counted and self.positions.sized:
            wanted["quotient_paths"] = exact_total(from_limbs(self.ledgers[root.number].quotient(np.array([start]))))
            wanted["games_up_to_symmetry"] = self._game_orbits(solution)
        manifest_check.compare(self.manifest, wanted)

    def _finish_all(self, root: int, start: int) -> None:
        """What could not be checked before all tiers were seen."""
        own = np.array([start])
        self.ledgers[root].mark(own, NEXT if self.rules.loopy else REACHED)
        if self.counted:
            self.ledgers[root].add_histories(own, np.zeros(1, dtype=np.int64), ONE)
        if self.rules.loopy:
            mark_reached(self.positions, self.tiers, self.ledgers, self.batch, self.workers)
        for number in self.tiers:
            self._finish(number)
        if self.histories_failure is not None:
            raise self.histories_failure

    def _refuse_repetition(self) -> None:
        """No state is in two tiers, where it would count twice. Where tiers are not plies the rules say so."""
        firsts = np.sort(np.concatenate([tier.groups.firsts for tier in self._all]))
        groups = max(1, self.room.states() * len(firsts) // sum(map(len, self._all)) // self.workers.threads)
        cuts: list[int | None] = [*firsts[::groups].tolist(), None]

        def repeated(bounds: tuple[Any, ...]) -> int | None:
            states = np.sort(np.concatenate([each for tier in self._all for each in tier.between(*bounds)]))
            again = np.flatnonzero(states[1:] == states[:-1])
            return int(states[again[0]]) if len(again) else None

        for state in self.workers.map(repeated, itertools.pairwise(cuts)):
            if state is not None:
                text = self.game.format_position(state)
                raise VerificationError(f"position {text} is in two tiers; its rules need a tier(state), or loopy=True")

    def _game_orbits(self, solution: Solution) -> int | None:
        """Orbits of whole games, by following one move sequence of each orbit as long as a symmetry other than the
        identity leaves it alone, and counting all continuations from there on.
        """
        if self.positions.reduces:
            return None
        planes = self.positions.group.planes

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
