"""Drive a solve in shards: begin, or resume what was cut off; find all tiers, then solve them, the last first.

Everything the driver knows is on the disk, so if it is killed at any moment, the next one continues after the last
complete task.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...common.context import options
from ...common.files import as_store_error, require_disk
from ...common.memory import SHARE, Budget, readable, whole_bytes
from ...common.workers import Crew, Stage, tell_progress, thread_pool
from ...engine.census import TierCensus
from ...engine.columns import GREATEST, ONE_LIMB
from ...engine.engine import Engine
from ...engine.passes.forward_by_ply import EXACT, refuse_any_repetition, repetition
from ...engine.passes.forward_by_tier import start_tier
from ...engine.plan import refuse_long_games, refuse_more_positions, refuse_too_long, refuse_uncountable
from ...engine.promises import refuse_few
from ...errors import (
    ClusterError,
    CountOverflowError,
    GametreeError,
    NoRoomError,
    StoreError,
    TooLargeError,
)
from ...solution.storage.directory import TIERS, SolutionDirectory
from ...solution.storage.store import Tables, record_tier
from ..planning.costs import ENOUGH, TaskBytes, shard_sizes
from ..planning.sizes import GameSizes
from ..resources import check_shards
from .block_file import HISTORIES, STATES, BlockFile
from .closing import close_tier
from .loops import Waves
from .run import (
    ANSWER,
    BACKWARD,
    CLOSING,
    FORWARD,
    LISTS,
    MAP,
    PLAN,
    REDUCE,
    ROUNDS,
    WAVES,
    Shard,
    ShardedRun,
    ShardedTier,
    TierPlan,
    is_cut_off,
    read_record,
)
from .tasks import ShardTask, perform

LOG = logging.getLogger("gametree")

TASKS = 4
"""Tasks for which there is memory at the same time, if shards do not become too small."""
MOST_BYTES = 512 << 20
"""The most bytes of one task: larger ones are hardly faster, and lose more work when cut off."""
MOST_SHARE = 0.9
"""The greatest share of the free memory for one task, since that changes from one moment to the next."""
PROCESS_BYTES = 300 << 20
"""The approximate bytes of a process before its first task."""
VERBS = {
    CLOSING: "finding positions", FORWARD: "finding positions", MAP: "expanding", REDUCE: "listing the parents in",
    ANSWER: "answering", BACKWARD: "solving",
}  # fmt: skip
"""What each kind of task does."""
SMALL = 100_000
"""A tier of fewer states is handled in this process: sending its task elsewhere takes longer."""
PATIENCE = 1.0
"""Seconds after which progress is reported although no task has finished."""
SAMPLE, LOOK_BACK = 16, 8
"""States of a tier that are looked for, and preceding tiers that they are looked for in: rules by which play returns to
a position mostly take a move back at once.
"""


class Capacity(NamedTuple):
    """The resources of a solve; no result depends on them."""

    executor: Executor
    at_once: int
    """Tasks that run at the same time."""
    memory: float
    """Bytes for a task that runs alone."""
    here: float
    """Bytes for work in this process."""

    @property
    def workers(self) -> int | None:
        """The present number of a crew's workers."""
        return self.executor.workers if isinstance(self.executor, Crew) else None

    def room(self, running: int) -> bool:
        """Return whether another task may start beside those ``running``; a crew's capacity changes."""
        return running < (2 * self.executor.slots if isinstance(self.executor, Crew) else self.at_once)


def solve_in_shards(
    place: SolutionDirectory, engine: Engine, tables: Tables, why: str, sizes: GameSizes | None = None
) -> tuple[list[TierCensus], np.ndarray | None]:
    """Write the tables of all tiers, resuming if a solve of the same game was cut off.

    ``why`` it is not solved in memory is reported first; ``sizes`` are those of the game if known. Returns the totals
    of all tiers, ascending, and the tallies of the start, uint64[fields, limbs], if there are any. Raises `StoreError`
    if a solve of another game was cut off there, and `TooLargeError` if memory or disk is too small.
    """
    engine.prepare()
    refuse_few(engine)
    goes_on = is_cut_off(place.directory)
    run = _gone_on(place, engine, tables) if goes_on else _begun(place, engine, tables, why, sizes)
    memory = _task_memory()  # again, since leftovers have been swept away
    with _capacity(run, engine, memory) as capacity:
        try:
            with as_store_error(place.partial):
                return Driver(run, engine, place, capacity).solve()
        except (StoreError, NoRoomError, ClusterError):  # it can be resumed when there is more room
            raise
        except GametreeError:
            run.discard()
            raise


# Beginning ------------------------------------------------------------------------------------------------------------


def _begun(place: SolutionDirectory, engine: Engine, tables: Tables, why: str, sizes: GameSizes | None) -> ShardedRun:
    """Begin a new run."""
    refuse_long_games(engine)
    if tables.counts:
        refuse_uncountable(engine)
    given = options()
    places = place.directory, given.scratch or place.directory
    limit = _task_memory()
    check_shards(engine, tables, places, limit, why, sizes)
    limit = _task_memory()  # the check itself has taken some of it
    least = math.ceil(TaskBytes.of(engine, counts=tables.counts, plies=1).least())
    whole = sys.maxsize if isinstance(given.executor, Crew) and given.memory is None else whole_bytes()
    task_bytes = planned_bytes(whole, least)
    while task_bytes > max(least, limit * MOST_SHARE):
        task_bytes = max(task_bytes // 2, least)
    shard_sizes(engine, min(task_bytes, limit), counts=tables.counts, plies=1)
    LOG.info(f"{why}solving in shards on the disk. Each task takes {readable(task_bytes)} of memory")
    return ShardedRun.begin(place.directory, engine, tables, task_bytes, given.scratch)


def planned_bytes(whole: int, least: int) -> int:
    """Return the bytes that one task may hold, if a process may hold ``whole`` and the smallest task needs ``least``: a
    power of two if possible, independent of momentary conditions, so that the same game is always cut into the same
    shards.

    >>> [planned_bytes(size, 30 << 20) >> 20 for size in (10**9, 2 * 10**9, 10**10)]
    [128, 256, 512]
    """
    room = max(0.0, whole - PROCESS_BYTES) * SHARE
    task = int(min(MOST_BYTES, max(room / TASKS, min(room * MOST_SHARE, ENOUGH * least))))
    return max(least, 1 << task.bit_length() >> 1)


def _gone_on(place: SolutionDirectory, engine: Engine, tables: Tables) -> ShardedRun:
    """Return the run that was cut off, if it is of the same game, with its present folders."""
    run = ShardedRun.resumable(place.directory, engine, tables, options().scratch)
    memory = _task_memory()
    if run.task_bytes > memory:
        raise TooLargeError(
            f"the solve that was cut off in {run.directory} was planned with {readable(run.task_bytes)} for a task, "
            f"and {readable(memory)} are free; give more --memory, or choose another directory"
        )
    run.resume()
    forward, solved = run.tiers(FORWARD), run.tiers(BACKWARD)
    done = f"{forward} tiers are found" + (f", {solved} of them solved" if solved else "")
    LOG.info(f"going on with what was cut off in {run.partial}: {done}")
    return run


def _task_memory() -> int:
    """Return the bytes that a task may take; for a crew, at most those given."""
    given = options()
    if not isinstance(given.executor, Crew):
        return Budget.of_machine().limit
    return min(given.executor.memory(), sys.maxsize if given.memory is None else given.memory)


@contextlib.contextmanager
def _capacity(run: ShardedRun, engine: Engine, memory: int) -> Iterator[Capacity]:
    """Provide the executor of the tasks, and its limits."""
    here, executor = Budget.of_machine().limit, options().executor
    if executor is not None:
        process = 0 if isinstance(executor, ThreadPoolExecutor) else PROCESS_BYTES
        at_once = options().workers or max(1, here // (run.task_bytes + process))
        yield Capacity(executor, at_once, memory, here)
        return
    at_once = max(1, min(engine.workers.threads, here // run.task_bytes))
    with thread_pool(at_once) as executor:
        yield Capacity(executor, at_once, memory, here)


# Solving --------------------------------------------------------------------------------------------------------------


class Driver:
    """One run and its progress."""

    def __init__(self, run: ShardedRun, engine: Engine, place: SolutionDirectory, capacity: Capacity) -> None:
        self.run, self.engine, self.place, self.capacity = run, engine, place, capacity
        self.tiers: list[ShardedTier] = []
        """The tiers whose states are known, ascending."""
        self.rows = 0
        """States that the present pass has finished."""

    @property
    def classes(self) -> int:
        """States that are known."""
        return sum(tier.rows for tier in self.tiers)

    def solve(self) -> tuple[list[TierCensus], np.ndarray | None]:
        """Find all tiers, then solve them, the last first; see `solve_in_shards`."""
        waiting = {0 if self.engine.by_ply else start_tier(self.engine)}
        while waiting:
            tier = self._find(min(waiting))
            waiting = waiting - {tier.tier} | set(tier.leads)
            refuse_more_positions(self.engine, self.classes)
        self._refuse_any_repetition()
        self.rows = 0
        records = [self._solve(tier) for tier in reversed(self.tiers)]
        self.run.close()
        self.run.sweep()
        root = records[-1]["root"]
        totals = [TierCensus.from_json(record["totals"]) for record in reversed(records)]
        return totals, None if root is None else np.array(root, dtype=np.uint64)

    # Forward ----------------------------------------------------------------------------------------------------------

    def _find(self, number: int) -> ShardedTier:
        """Find the states of the tier of this number, and return it."""
        path = self.run.record_path(FORWARD, number)
        if not path.exists():
            plan = self._plan(number)
            if self.engine.loopy:
                plan = self._closed(plan)
            records = self._perform(FORWARD, plan, range(plan.ranges), plan.asks)
            shards = [shard for record in records for shard in read_record(record)["shards"]]
            self._check(ShardedTier(plan, [Shard.from_json(shard) for shard in shards]))
            self.run.record(path, {"plan": dataclasses.asdict(plan), "shards": shards})
            _remove(records)
            _remove(path for kind in (ROUNDS, CLOSING) for tier, path in self.run.records(kind) if tier == number)
            _remove(self.run.scratch / name for name in plan.closed)
        tier = ShardedTier.read(self.run, number)
        _remove(self.run.scratch_file(HISTORIES, source, name, number) for source, name in tier.plan.sources)
        self.tiers.append(tier)
        self.rows = self.classes
        return tier

    def _closed(self, plan: TierPlan) -> TierPlan:
        """Find all states of a tier in which play may return; return its plan with their files."""
        if plan.closed and all((self.run.scratch / name).exists() for name in plan.closed):
            return plan
        known = close_tier(self.run, plan, functools.partial(self._perform, CLOSING, plan, states=plan.asks), _remove)
        plan = dataclasses.replace(plan, closed=[name for name, _ in known])
        self.rows = self.classes
        self.run.record(self.run.record_path(PLAN, plan.tier), dataclasses.asdict(plan))
        return plan

    def _plan(self, number: int) -> TierPlan:
        """Return how the tier is cut, fixed before its first task begins."""
        path = self.run.record_path(PLAN, number)
        if not path.exists():
            plan = TierPlan.make(self.run, self.engine, number, self.tiers)
            if sum(tier.ended for tier in self.tiers) + plan.histories > GREATEST:
                raise CountOverflowError(
                    f"at tier {number} there are more than {GREATEST:,} histories; solve with --no-counts"
                )
            if self.tiers:
                needed = sum(shard.bytes for shard in self.tiers[-1].shards)
                require_disk(self.run.scratch, needed, f"the files of tier {number}")
            self.run.folder(number)
            self.run.record(path, dataclasses.asdict(plan), self.run.scratch)
        return TierPlan.read(self.run, number)

    def _check(self, tier: ShardedTier) -> None:
        """Refuse games that are too long, and rules by which play returns to a position, as far as a sample shows."""
        if self.engine.loopy:
            return
        refuse_too_long(self.engine, len(self.tiers))
        if not self.engine.by_ply:
            return
        with self._keys(tier.tier, tier.shards[len(tier.shards) // 2]) as file:
            states = file.rows(0, min(len(file), SAMPLE))[STATES]
        for earlier in self.tiers[-LOOK_BACK:]:
            for shard in earlier.shards:
                within = states[(shard.first <= states) & (states <= shard.last)]
                if not len(within):
                    continue
                with self._keys(earlier.tier, shard) as file:
                    again = file.among(within)
                if len(again):
                    raise repetition(self.engine, again[0], [earlier.tier, tier.tier])

    def _refuse_any_repetition(self) -> None:
        """Refuse a small game in which any state recurs at another ply, while all states are present."""
        last = self.run.record_path(BACKWARD, self.tiers[-1].tier)
        if self.engine.by_ply and self.classes <= EXACT and not last.exists():
            states = [[self._states(tier.tier, shard) for shard in tier.shards] for tier in self.tiers]
            refuse_any_repetition(self.engine, [np.concatenate(shards) for shards in states])

    def _states(self, tier: int, shard: Shard) -> np.ndarray:
        with self._keys(tier, shard) as file:
            return file.rows()[STATES]

    def _keys(self, tier: int, shard: Shard) -> BlockFile:
        return BlockFile(self.run.scratch_file("keys", tier, shard.name))

    # Backward ---------------------------------------------------------------------------------------------------------

    def _solve(self, own: ShardedTier) -> dict[str, Any]:
        """Solve a tier, and return its record; its part of the result is written, and its temporary files are gone."""
        path, done = self.run.record_path(BACKWARD, own.tier), self.rows + own.rows
        if not path.exists():
            limbs = 1 if sum(tier.ended for tier in self.tiers) < ONE_LIMB else 2
            if own.inside:
                self._spread(own)
            tasks = self._perform(BACKWARD, own.plan, range(len(own.shards)), own.rows, limbs)
            self.run.record(path, self._joined(own, [read_record(task) for task in tasks]), self.run.partial / TIERS)
            _remove(tasks)
        record = read_record(path)
        self.place.tier_sums[own.tier] = record["tier_sha256"]
        self._drop(own)
        self.rows = done
        return record

    def _spread(self, own: ShardedTier) -> None:
        """Find the values of a tier in which play may return."""
        done, shards = self.rows, range(len(own.shards))
        for kind in (MAP, REDUCE):
            self._perform(kind, own.plan, shards, own.rows)
            self.rows = done
        _remove(self.run.folder(own.tier).glob("slices-*"))
        Waves(self.run, self.engine, own, self.capacity.here).run_all()
        _remove(self.run.folder(own.tier).glob("lists-*"))
        if own.tier in own.shards[0].asks:
            self._perform(ANSWER, own.plan, shards, own.rows)
            self.rows = done

    def _joined(self, own: ShardedTier, shards: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Record a tier in the result, and return the record of the solve, from those of its ``shards``."""
        parts = {name: [part for shard in shards for part in shard.get(name, [])] for name in ("positions", "moves")}
        record_tier(self.place, self.run.rules_hash, own.tier, **parts)
        first, *others = (TierCensus.from_json(shard["totals"]) for shard in shards)
        root = next((shard["root"] for shard in shards if shard["root"] is not None), None)
        return {
            "totals": sum(others, start=first).to_json(),
            "root": root if own.tier == self.tiers[0].tier else None,
            "tier_sha256": self.place.tier_sums[own.tier],
        }

    def _drop(self, own: ShardedTier) -> None:
        """Remove the files of a solved tier, and the answers that nobody before it asks for."""
        _remove(
            path for kind in (MAP, REDUCE, WAVES, ANSWER) for tier, path in self.run.records(kind) if tier == own.tier
        )
        _remove(path for what in LISTS for path in self.run.folder(own.tier).glob(f"{what}-*"))
        for shard in own.shards:
            _remove(self.run.scratch_file(what, own.tier, shard.name) for what in ("keys", HISTORIES))
            _remove(self.run.scratch_file("asks", own.tier, shard.name, lead) for lead in shard.asks)
        for later in self.tiers:
            if later.plan.sources and later.plan.sources[0][0] == own.tier:  # the first tier that asks
                _remove(self.run.folder(later.tier).glob("answers-*"))

    # Tasks ------------------------------------------------------------------------------------------------------------

    def _perform(self, kind: str, plan: TierPlan, numbers: Sequence[int], states: int, limbs: int = 1) -> list[Path]:
        """Do the unfinished tasks of a tier with these numbers; return the paths of the records of all."""
        tier, capacity = plan.tier, self.capacity
        Budget(int(capacity.memory)).require(plan.task_bytes, f"one task of tier {tier}", "more --memory")
        count, records = len(numbers), [self.run.record_path(kind, tier, number) for number in numbers]
        here = str(self.run.directory.absolute())
        todo = [
            ShardTask(here, self.run.id, kind, tier, number, limbs)
            for number, record in zip(numbers, records, strict=True)
            if not record.exists()
        ]
        self.rows += sum(read_record(record)["rows"] for record in records if record.exists())

        verb, total = VERBS[kind], None if kind in (CLOSING, FORWARD) else self.classes

        def tell(done: int) -> None:
            shard = min(count, count - len(todo) + done + 1)
            tell_progress(Stage(verb, tier, shard, count, capacity.workers), self.rows, total)

        tell(done := 0)
        if states < SMALL and kind != CLOSING:
            results: Iterable[int] = (perform(task, self.engine.workers) for task in todo)
        else:
            at_once = max(1, min(capacity.at_once, int(capacity.memory // plan.task_bytes)))
            results = completed(capacity._replace(at_once=at_once), todo)
        for rows in results:
            self.rows, done = self.rows + rows, done + (rows > 0)
            tell(done)
        return records


def completed(capacity: Capacity, tasks: Sequence[ShardTask]) -> Iterator[int]:
    """Yield the number of states of each finished task, and 0 every `PATIENCE` seconds. If one fails, waits for those
    that are running, since their results are kept.
    """
    running: set[Future[int]] = set()
    todo = list(reversed(tasks))
    failure: BaseException | None = None
    while running or (todo and failure is None):
        while todo and capacity.room(len(running)) and failure is None:
            try:
                running.add(capacity.executor.submit(perform, todo.pop()))
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
        raise StoreError(f"the executor takes no more tasks ({failure}); repeat the command to resume") from None
    if failure is not None:
        raise failure


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
