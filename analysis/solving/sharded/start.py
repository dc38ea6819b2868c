"""Begin a solve in shards, or go on with one that was cut off."""

from __future__ import annotations

import contextlib
import logging
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.engine.census import TierCensus
from analysis.engine.engine import Engine
from analysis.engine.foresight import refuse_uncountable
from analysis.errors import ClusterError, GametreeError, NoRoomError, StoreError, TooLargeError
from analysis.machine.crew import Crew, Requirements
from analysis.machine.files import as_store_error
from analysis.machine.memory import SHARE, Budget, readable, whole_bytes
from analysis.planning.shard_sizes import ENOUGH, TaskBytes, shard_sizes
from analysis.planning.sizes import GameSizes
from analysis.solving.outlook import check_shards
from analysis.solving.resources import Resources
from analysis.solving.sharded.block_file import SpoiltError
from analysis.solving.sharded.driver import Driver, Means
from analysis.solving.sharded.mending import mend
from analysis.solving.sharded.run import Run, is_cut_off
from analysis.storage.directory import SolutionDirectory
from analysis.storage.store import Tables
from analysis.wording import visible

LOG = logging.getLogger("gametree")

TASKS = 4
"""Tasks for which there is memory at the same time, if it does for shards that are not too small."""
MOST_BYTES = 512 << 20
"""Of one task: larger ones are hardly quicker, and more is done again when they are cut off."""
MOST_SHARE = 0.9
"""Of the free memory for one task: what is free differs from one moment to the next."""
PROCESS_BYTES = 300 << 20
"""What a process takes before its first task, in round figures."""


class Shards(NamedTuple):
    """What is left of a solve in shards but its tables."""

    totals: list[TierCensus]
    """Of all tiers, ascending."""
    root: np.ndarray | None
    """The tallies of the start uint64[fields, limbs], if there are any."""


def solve_in_shards(
    place: SolutionDirectory,
    engine: Engine,
    tables: Tables,
    resources: Resources,
    why: str,
    sizes: GameSizes | None = None,
) -> Shards:
    """Write the tables of all tiers, and go on where a solve of the same game was cut off; ``why`` this is not done in
    memory is told before, and ``sizes`` are those of the game if they are known. Raises `StoreError` where a solve of
    another game was cut off there, and `TooLargeError` where neither memory nor disk do.
    """
    engine.prepare()
    if is_cut_off(place.directory):
        run = _cut_off(place, engine, tables)
        run = _go_on(run, resources, _task_memory(place, engine, resources, run.task_bytes))
    else:
        run = _begin(place, engine, tables, resources, why, sizes)
    memory = _task_memory(place, engine, resources, run.task_bytes)  # once more: what lay about was swept away
    with _means(run, engine, resources, memory) as means:
        try:
            with as_store_error(place.partial):
                driver = _solved(run, engine, place, means)
        except (StoreError, NoRoomError, ClusterError):  # it can go on when there is more room
            raise
        except GametreeError:
            run.discard()
            raise
    return Shards(driver.totals[::-1], driver.root)


def _solved(run: Run, engine: Engine, place: SolutionDirectory, means: Means) -> Driver:
    """The driver, once all is solved. What turns out to be spoilt is made again, but not twice."""
    spoilt: set[Path] = set()
    while True:
        mend(run)
        driver = Driver(run, engine, place, means)
        try:
            driver.solve()
        except SpoiltError as error:
            if error.path in spoilt:
                raise
            spoilt.add(error.path)
            error.path.unlink(missing_ok=True)
            LOG.info(f"{error.path} is {error.what}, and is made again")
        else:
            return driver


def _begin(
    place: SolutionDirectory,
    engine: Engine,
    tables: Tables,
    resources: Resources,
    why: str,
    sizes: GameSizes | None,
) -> Run:
    """A new run."""
    if tables.counts:
        refuse_uncountable(engine)
    places = place.directory, resources.scratch or place.directory
    limit = _task_memory(place, engine, resources)
    takes = check_shards(engine, tables, places, limit, why, sizes, resources.anyway)
    limit = _task_memory(place, engine, resources)  # the check itself has taken some
    least = math.ceil(TaskBytes.of(engine, counts=tables.counts, plies=1).least())
    whole = sys.maxsize if isinstance(resources.executor, Crew) and resources.memory is None else whole_bytes()
    planned = planned_bytes(whole, least)
    task_bytes = planned
    while task_bytes > max(least, limit * MOST_SHARE):
        task_bytes = max(task_bytes // 2, least)
    shard_sizes(engine, min(task_bytes, limit), counts=tables.counts, plies=1)
    memory = f"{readable(limit)} of memory for them beside the program itself"
    memory += f", {readable(task_bytes)} for one" + f" ({readable(planned)} are not free)" * (task_bytes < planned)
    LOG.info(f"{why}solving in shards on the disk, with {memory}{takes}")
    return Run.begin(place.directory, engine, tables, task_bytes, resources.scratch)


def planned_bytes(whole: int, least: int) -> int:
    """What one task may hold where a process may take so many bytes as a ``whole`` and the smallest task ``least``: a
    power of two if it can be, and nothing that changes from one moment to the next, so that the same game is cut into
    the same shards again.

    >>> [planned_bytes(size, 30 << 20) >> 20 for size in (10**9, 2 * 10**9, 10**10)]
    [128, 256, 512]
    """
    room = max(0.0, whole - PROCESS_BYTES) * SHARE
    task = int(min(MOST_BYTES, max(room / TASKS, min(room * MOST_SHARE, ENOUGH * least))))
    return max(least, 1 << task.bit_length() >> 1)


def _cut_off(place: SolutionDirectory, engine: Engine, tables: Tables) -> Run:
    """The run that was cut off, if it is of the same game."""
    run = Run.read(place.directory)
    for what, found, wanted in (
        ("", run.game, engine.game.lasting_spec),
        (" with other rules than it has now", run.rules_hash, engine.game.rules_hash()),
        (f" with --symmetry {run.symmetry}", run.symmetry, engine.group.kind),
        (f" with {run.tables.described()}", run.tables, tables),
    ):
        if found != wanted:
            raise StoreError(
                f"{place.partial} holds a solve of {visible(run.game)}{what} that was cut off; choose another --out, "
                "or start again with --force"
            )
    return run


def _go_on(run: Run, resources: Resources, memory: int) -> Run:
    """The run that was cut off, where its files are now; a task may take so many bytes of memory."""
    if run.task_bytes > memory:
        raise TooLargeError(
            f"the solve that was cut off in {run.directory} was planned with {readable(run.task_bytes)} for a task, "
            f"and {readable(memory)} are free; give more --memory, or start again with --force"
        )
    run = run.found_in(resources.scratch)
    run.sweep()
    LOG.info(f"going on with what was cut off in {run.partial}: {run.so_far()}")
    return run


def _task_memory(place: SolutionDirectory, engine: Engine, resources: Resources, task_bytes: int = 0) -> int:
    """Bytes that a task may take, at a crew's workers no more than was given; those that have less than ``task_bytes``
    for one are left out.
    """
    if not isinstance(resources.executor, Crew):
        return Budget.of_machine().limit
    folders = (place.partial, *(() if resources.scratch is None else (resources.scratch,)))
    needs = Requirements(engine.game.lasting_spec, engine.game.rules_hash(), folders, task_bytes)
    found = resources.executor.prepare(needs)
    return found if resources.memory is None else min(found, resources.memory)


@contextlib.contextmanager
def _means(run: Run, engine: Engine, resources: Resources, memory: int) -> Iterator[Means]:
    """Who does the tasks."""
    here, executor = Budget.of_machine().limit, resources.executor
    if executor is not None:
        process = 0 if isinstance(executor, ThreadPoolExecutor) else PROCESS_BYTES
        at_once = resources.workers or max(1, here // (run.task_bytes + process))
        yield Means(executor, at_once, memory, here)
        return
    at_once = max(1, min(engine.workers.threads, here // run.task_bytes))
    with ThreadPoolExecutor(at_once) as executor:
        yield Means(executor, at_once, memory, here)
