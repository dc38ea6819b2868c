"""Find the states of a tier in which play may return, in shards: close it under its own moves, round by round.

A task of a round takes one range of the tier. It reads the states known there and those that tasks of the round before
have reached, and expands what is new, and what that leads to within the range, until nothing is or it has as many as
it may have. What it leads to elsewhere in the tier is for the next round, whose ranges follow from what is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...engine.engine import Engine
from ...engine.passes.forward_by_ply import Run, join, sorted_distinct
from ...engine.passes.forward_by_tier import Frontier, StateSet, check_tiers
from .block_file import STATES, BlockFile, write_blocks
from .run import CLOSING, LISTED, ROUNDS, ShardedRun, TierPlan, read_record, splitters

ROUND = 100_000
"""The number of a task is that of its round times this, plus that of its range."""
FIRST, REPEATED = 4, 32
"""Of so many states that earlier tiers, or other ranges, have reached, one may be new."""


@dataclasses.dataclass(frozen=True)
class ClosingRound:
    """The ranges of a round, fixed before its first task begins."""

    splitters: list[int]
    """The least state of each range but the first."""
    known: list[tuple[str, int]]
    """The files of the states known before, each of one range or more of an earlier round, and their rows."""
    reached: list[tuple[str, int]]
    """The files of states that the round before has reached, and their rows."""

    @classmethod
    def read(cls, run: ShardedRun, tier: int, number: int) -> Self:
        """Read the record of a round."""
        data = read_record(run.record_path(ROUNDS, tier, number))
        return cls(data["splitters"], *([(name, rows) for name, rows in data[key]] for key in ("known", "reached")))

    def bounds(self, number: int) -> tuple[int | None, int | None]:
        """Return the bounds of a range."""
        all_bounds = [None, *self.splitters, None]
        return all_bounds[number], all_bounds[number + 1]


def close_range(run: ShardedRun, engine: Engine, tier: int, task: int) -> int:
    """Do the task of a range: write its states and what they reach elsewhere, and record the files. Returns how many
    states are new.
    """
    plan, number = TierPlan.read(run, tier), task // ROUND
    this = ClosingRound.read(run, tier, number)
    low, high = this.bounds(task % ROUND)
    known = np.concatenate([np.empty(0, np.int64), *(between(run, name, low, high) for name, _ in this.known)])
    starts = [engine.canonical(engine.start)] if not (plan.sources or number) else []
    reached = [Run(between(run, name, low, high)) for name, _ in this.reached]
    wanted = join(engine, [*reached, Run(np.array(starts, dtype=np.int64))]).states
    name, folder = f"{number:04d}-{task % ROUND:04d}", run.folder(tier)
    states, beyond = _closure(run, engine, plan, known, missing(wanted, known), (low, high), name)
    files = []
    if len(states):
        path = run.scratch_file("closed", tier, name)
        write_blocks(path, {STATES: states})
        files.append((str(path.relative_to(run.scratch)), len(states)))
    record = {"rows": len(states) - len(known), "known": files, "reached": beyond}
    run.record(run.record_path(CLOSING, tier, task), record, folder)
    return len(states) - len(known)


def most_states(plan: TierPlan) -> int:
    """Return the most states of a range, which is cut into shards once the tier is closed."""
    return LISTED * plan.sizes.states


def between(run: ShardedRun, name: str, low: int | None, high: int | None) -> np.ndarray:
    """Return the states of a file from ``low`` to below ``high``."""
    with BlockFile(run.scratch / name) as file:
        found = file.between(low, high)
    return found[STATES] if found else np.empty(0, np.int64)


def missing(wanted: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return those of some states that are not known; both ascend."""
    if not len(known):
        return wanted
    return wanted[known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] != wanted]


def _closure(
    run: ShardedRun, engine: Engine, plan: TierPlan, known: np.ndarray, new: np.ndarray,
    bounds: tuple[int | None, int | None], name: str,
) -> tuple[np.ndarray, list[tuple[str, int]]]:  # fmt: skip
    """Return the states of a range, with those that ``new`` ones lead to within it, and the files of those that they
    lead to elsewhere in the tier.
    """
    low, high = bounds
    beyond, files, met = Frontier(engine), list[tuple[str, int]](), StateSet(len(known) + len(new))
    met.add(known)
    fresh, found = met.add(new), [known]

    def write_beyond(most: int) -> None:
        """Write what is beyond once that is more, repeated states left out."""
        if beyond.waiting > most:
            beyond.compact()
        if beyond.waiting > most:
            states = beyond.take_all()[plan.tier].states
            path = run.scratch_file("beyond", plan.tier, name, len(files))
            write_blocks(path, {STATES: states})
            files.append((str(path.relative_to(run.scratch)), len(states)))

    while len(fresh):
        inside = list[np.ndarray]()
        for rows in engine.chunks(len(fresh)):
            if sum(map(len, found)) + rows.start >= most_states(plan):  # the rest has to wait for the next round
                beyond.add(plan.tier, Run(sorted_distinct(np.concatenate([fresh[rows.start :], *inside]))))
                fresh, inside = fresh[: rows.start], []
                break
            expanded = engine.expand_tiers(fresh[rows])
            check_tiers(engine, plan.tier, expanded)
            own = expanded.children[expanded.tiers == plan.tier]
            here = (own >= (low or 0)) & (own < high if high is not None else True)
            beyond.add(plan.tier, Run(sorted_distinct(own[~here])))
            inside.append(met.add(own[here]))
            write_beyond(plan.sizes.asks)
        found.append(fresh)
        fresh = np.concatenate([np.empty(0, np.int64), *inside])
    write_beyond(0)
    return sorted_distinct(np.concatenate(found)), files


def next_round(
    run: ShardedRun, plan: TierPlan, before: ClosingRound | None, records: Sequence[dict[str, Any]]
) -> ClosingRound:
    """Return the round after one with these records of tasks, or the first."""
    if before is None:
        reached = []
        for source, name in plan.sources:
            with BlockFile(run.scratch_file("asks", source, name, plan.tier)) as file:
                reached.append((str(file.path.relative_to(run.scratch)), len(file)))
        return ClosingRound(_cuts(run, plan, [], reached), [], reached)
    known = [(name, rows) for record in records for name, rows in record["known"]]
    reached = [(name, rows) for record in records for name, rows in record["reached"]]
    fits = all(rows <= most_states(plan) * 3 // 4 for _, rows in known)
    cuts = before.splitters if fits and len(known) == len(before.splitters) + 1 else _cuts(run, plan, known, reached)
    return ClosingRound(cuts, known, reached)


def _cuts(
    run: ShardedRun, plan: TierPlan, known: Sequence[tuple[str, int]], reached: Sequence[tuple[str, int]]
) -> list[int]:
    """Return where to cut a tier, so that a range has at most half of the states that it may have in the end."""
    expected = sum(rows for _, rows in known) + sum(rows for _, rows in reached) // (REPEATED if known else FIRST)
    ranges = -(-2 * expected // most_states(plan))
    return splitters([run.scratch / name for name, _ in [*known, *reached]], ranges)


def close_tier(
    run: ShardedRun,
    plan: TierPlan,
    perform: Callable[[Sequence[int]], list[Path]],
    remove: Callable[[Iterable[Path]], None],
) -> list[tuple[str, int]]:
    """Close a tier, or go on with that; return the files of its states, ascending, with their rows. ``perform`` does
    the tasks with these numbers and returns their records; ``remove`` removes files.
    """
    rounds = [path for tier, path in run.records(ROUNDS) if tier == plan.tier]
    number = max(0, len(rounds) - 1)
    if not rounds:
        run.record(run.record_path(ROUNDS, plan.tier, 0), dataclasses.asdict(next_round(run, plan, None, [])))
    while True:
        this = ClosingRound.read(run, plan.tier, number)
        records = perform([number * ROUND + place for place in range(len(this.splitters) + 1)])
        after = next_round(run, plan, this, [read_record(record) for record in records])
        run.record(run.record_path(ROUNDS, plan.tier, number + 1), dataclasses.asdict(after))
        remove(records)
        remove(run.scratch / name for name, _ in [*this.known, *(this.reached if number else [])])
        if not after.reached:
            return after.known
        number += 1
