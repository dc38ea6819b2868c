"""The driver of a solve in shards: which tasks there are, and when. All it knows is on the disk; killed at any moment,
the next one goes on after the last complete task.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, NamedTuple

import numpy as np

from analysis.engine.census import TierCensus
from analysis.engine.columns import GREATEST, ONE_LIMB
from analysis.engine.engine import Engine
from analysis.engine.passes.forward_by_ply import EXACT, refuse_any_repetition, refuse_too_long
from analysis.engine.passes.forward_by_tier import start_tier
from analysis.errors import CountOverflowError, RulesError, StoreError
from analysis.machine.crew import Crew
from analysis.machine.files import require_disk
from analysis.machine.memory import Budget
from analysis.machine.workers import Stage, no_progress
from analysis.solving.sharded.block_file import HISTORIES, STATES, BlockFile
from analysis.solving.sharded.run import BACKWARD, FORWARD, Run
from analysis.solving.sharded.tasks import Task, perform
from analysis.solving.sharded.tier_records import Shard, ShardedTier, TierPlan
from analysis.storage.directory import TIERS, SolutionDirectory
from analysis.storage.store import record_tier

SMALL = 100_000
"""States of a tier that is dealt with here: to send its task elsewhere takes longer."""

SAMPLE = 16
"""States of a tier that are looked for in the tiers before it."""
PATIENCE = 1.0
"""Seconds after which progress is told though nothing is done."""
FINDING, SOLVING = "finding positions", "solving"

LOOK_BACK = 8
"""How many of these, since rules by which play returns to a position mostly take it back at once."""


class Means(NamedTuple):
    """What there is to work with; no result depends on it."""

    executor: Executor
    at_once: int
    """Tasks that run at the same time."""
    memory: float
    """Bytes for a task that runs alone."""
    here: float
    """Bytes for what is done in this process."""

    def for_tasks_of(self, task_bytes: float) -> Means:
        """The same where tasks hold so many bytes each."""
        return self._replace(at_once=max(1, min(self.at_once, int(self.memory // task_bytes))))

    @property
    def workers(self) -> int | None:
        """Workers of a crew at this moment."""
        return self.executor.workers if isinstance(self.executor, Crew) else None

    def room(self, running: int) -> bool:
        """Whether one more task may be begun beside so many; how many a crew can do changes."""
        return running < (2 * self.executor.slots if isinstance(self.executor, Crew) else self.at_once)


class Driver:
    """One run, and how far it is."""

    def __init__(self, run: Run, engine: Engine, place: SolutionDirectory, means: Means) -> None:
        self.run, self.engine, self.place, self.means = run, engine, place, means
        self.tiers: list[ShardedTier] = []
        """Those whose states are known, ascending."""
        self.totals: list[TierCensus] = []
        """Of those that are solved, the last first."""
        self._first_asking: dict[int, int] = {}
        """The first tier whose moves lead to each."""
        self._classes = 0
        """States that are known."""
        self._rows = 0
        """States that the pass has dealt with."""
        self.root: np.ndarray | None = None
        """The tallies of the start, uint64[fields, limbs], once it is solved."""

    def solve(self) -> None:
        """Find all tiers, then solve them, the last first."""
        waiting = {0 if self.engine.by_ply else start_tier(self.engine)}
        while waiting:
            tier = self._found(min(waiting))
            self._classes = self._rows = self._classes + tier.rows
            self.tiers.append(tier)
            waiting = waiting - {tier.tier} | set(tier.leads)
            self._first_asking = dict.fromkeys(tier.leads, tier.tier) | self._first_asking
        self._check_all()
        limbs = 1 if sum(tier.ended for tier in self.tiers) < ONE_LIMB else 2
        done = 0
        for own in reversed(self.tiers):
            self._rows = done
            self.totals.append(self._solved(own, limbs))
            done += own.rows
            self._drop(own)
        self.run.close()
        self.run.sweep()

    # Forward ----------------------------------------------------------------------------------------------------------

    def _found(self, number: int) -> ShardedTier:
        """The tier with this number, once its states are known."""
        path = ShardedTier.path(self.run, number)
        if not path.exists():
            plan = self._plan(number)
            self._perform(FORWARD, plan, plan.ranges, plan.asks)
            records = [self.run.record_path(FORWARD, number, place) for place in range(plan.ranges)]
            shards = [shard for record in records for shard in self.run.read_record(record)["shards"]]
            self._check(ShardedTier(plan, [Shard.from_json(shard) for shard in shards]))
            self.run.record(path, {"plan": dataclasses.asdict(plan), "shards": shards})
            _remove(records)
        tier = ShardedTier.read(self.run, number)
        for source, name in tier.plan.sources:
            self.run.scratch_file(HISTORIES, source, name, number).unlink(missing_ok=True)
        return tier

    def _plan(self, number: int) -> TierPlan:
        """How the tier is cut, fixed before its first task begins."""
        path = TierPlan.path(self.run, number)
        if not path.exists():
            plan = TierPlan.make(self.run, self.engine, number, self.tiers)
            games = sum(tier.ended for tier in self.tiers)
            if games + plan.histories > GREATEST:
                raise CountOverflowError(
                    f"at tier {number} there are more than {GREATEST:,} histories; solve with --no-counts"
                )
            if self.tiers:
                require_disk(self.run.scratch, self.tiers[-1].bytes, f"the files of tier {number}")
            self.run.folder(number)
            self.run.record(path, dataclasses.asdict(plan), self.run.scratch)
        return TierPlan.read(self.run, number)

    def _check(self, tier: ShardedTier) -> None:
        """Refuse games that are too long, and rules by which play returns."""
        if self.engine.loopy:
            return
        refuse_too_long(self.engine, len(self.tiers))
        if self.engine.by_ply:
            for earlier in self.tiers[-LOOK_BACK:]:
                _refuse_repetition(self.run, self.engine, earlier, tier)

    def _check_all(self) -> None:
        """Refuse a small game by whose rules any state comes back at another ply, while all states are there."""
        last = self.run.record_path(BACKWARD, self.tiers[-1].tier)
        if self.engine.by_ply and self._classes <= EXACT and not last.exists():
            refuse_any_repetition(self.engine, [_states(self.run, tier) for tier in self.tiers])

    # Backward ---------------------------------------------------------------------------------------------------------

    def _solved(self, own: ShardedTier, limbs: int) -> TierCensus:
        """The totals of a tier, once it is solved and its part of the result is written."""
        path = self.run.record_path(BACKWARD, own.tier)
        if not path.exists():
            self._perform(BACKWARD, own.plan, len(own.shards), own.rows, limbs)
            records = [self.run.record_path(BACKWARD, own.tier, place) for place in range(len(own.shards))]
            joined = self._joined(own, [self.run.read_record(record) for record in records])
            self.run.record(path, joined, self.run.partial / TIERS)
            _remove(records)
        solved = self.run.read_record(path)
        self.place.tier_sums[own.tier] = solved["tier_sha256"]
        if solved["root"] is not None:
            self.root = np.array(solved["root"], dtype=np.uint64)
        return TierCensus.from_json(solved["totals"])

    def _joined(self, own: ShardedTier, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What is recorded of the tier, from what is of its shards; its JSON file is written."""
        first, *others = (TierCensus.from_json(record["totals"]) for record in records)
        totals = sum(others, start=first)
        parts = {name: [part for record in records for part in record.get(name, [])] for name in ("positions", "moves")}
        record_tier(self.place, self.run.rules_hash, own.tier, **parts)
        roots = [record["root"] for record in records if record["root"] is not None]
        root = roots[0] if roots and own.tier == self.tiers[0].tier else None
        return {"totals": totals.to_json(), "root": root, "tier_sha256": self.place.tier_sums[own.tier]}

    def _drop(self, own: ShardedTier) -> None:
        """Remove scratch that nothing needs once this tier is solved."""
        for shard in own.shards:
            _remove(self._files(own.tier, shard))
        for lead in own.leads:
            if self._first_asking[lead] == own.tier:
                _remove(self.run.folder(lead).glob("answers-*"))

    def _files(self, tier: int, shard: Shard) -> Iterator[Any]:
        yield self.run.scratch_file("keys", tier, shard.name)
        yield self.run.scratch_file(HISTORIES, tier, shard.name)
        for lead in shard.asks:
            yield self.run.scratch_file("asks", tier, shard.name, lead)

    # Tasks ------------------------------------------------------------------------------------------------------------

    def _perform(self, kind: str, plan: TierPlan, count: int, states: int, limbs: int = 1) -> None:
        """Do those of a tier's tasks that are not done yet."""
        tier = plan.tier
        Budget(int(self.means.memory)).require(plan.task_bytes, f"one task of tier {tier}", "more --memory")
        records = [self.run.record_path(kind, tier, number) for number in range(count)]
        todo = [
            Task(str(self.run.directory.absolute()), self.run.id, kind, tier, n, limbs)
            for n in range(count)
            if not records[n].exists()
        ]
        self._rows += sum(self.run.read_record(record)["rows"] for record in records if record.exists())
        begun = count - len(todo)

        def tell(done: int) -> None:
            verb, total = (FINDING, None) if kind == FORWARD else (SOLVING, self._classes)
            shard = min(count, begun + done + 1)
            self.engine.progress(Stage(verb, tier, shard, count, self.means.workers), self._rows, total)

        tell(0)
        if states < SMALL or self.engine.loopy:
            progress = self.engine.progress if self.engine.loopy else no_progress  # of the shard alone
            for done, task in enumerate(todo, 1):
                self._rows += perform(task, self.means.here, self.engine.workers, progress)
                tell(done)
            return
        done = 0
        for rows in completed(self.means.for_tasks_of(plan.task_bytes), todo):
            self._rows, done = self._rows + rows, done + (rows > 0)
            tell(done)


def completed(means: Means, tasks: Sequence[Task]) -> Iterator[int]:
    """How many states each task was about, as they are done, and 0 every `PATIENCE` seconds. If one fails those that
    run are waited for, since what they find is kept.
    """
    running: set[Future[int]] = set()
    todo = list(reversed(tasks))
    failure: BaseException | None = None
    while running or (todo and failure is None):
        while todo and means.room(len(running)) and failure is None:
            try:
                running.add(means.executor.submit(perform, todo.pop()))
            except RuntimeError as refused:  # it is broken, or was shut down
                failure = BrokenExecutor(refused)
        done, running = wait(running, timeout=PATIENCE, return_when=FIRST_COMPLETED)
        for future in done:
            error = CancelledError("a task was cancelled") if future.cancelled() else future.exception()
            failure = failure or error
            if error is None:
                yield future.result()
        if not done:
            yield 0
    if isinstance(failure, (BrokenExecutor, CancelledError)):
        raise StoreError(f"the executor does no more tasks ({failure}); the same command goes on") from None
    if failure is not None:
        raise failure


def _refuse_repetition(run: Run, engine: Engine, earlier: ShardedTier, tier: ShardedTier) -> None:
    """Refuse rules whose states come back at another ply, as far as some states of the tier show it."""
    shard = tier.shards[len(tier.shards) // 2]
    with BlockFile(run.scratch_file("keys", tier.tier, shard.name)) as file:
        states = file.rows(0, min(len(file), SAMPLE))[STATES]
    for state in states.tolist():
        for other in earlier.shards:
            if not other.first <= state <= other.last:
                continue
            with BlockFile(run.scratch_file("keys", earlier.tier, other.name)) as file:
                again = len(file.between(state, state + 1)[STATES])
            if again:
                position = engine.game.format_position(state)
                raise RulesError(
                    f"position {position} occurs after {earlier.tier} and after {tier.tier} plies; such rules need a "
                    "tier(state) that rises with every move, or loopy=True where play can return to a position"
                )


def _states(run: Run, tier: ShardedTier) -> np.ndarray:
    found = []
    for shard in tier.shards:
        with BlockFile(run.scratch_file("keys", tier.tier, shard.name)) as file:
            found.append(file.rows()[STATES])
    return np.concatenate(found)


def _remove(paths: Any) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
