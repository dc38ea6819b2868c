"""Do the tasks of a solve in shards.

A forward task merges one range of a tier's states from the children that all earlier tiers ask for, and writes the
children of these; a backward task solves one shard from the answers of later tiers, writes its rows of the tables, and
answers the questions of earlier tiers. Repeating a task does no harm. A range becomes one shard or several, so that no
shard has more states or distinct children than planned.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...common.context import no_progress
from ...common.files import temporaries_in
from ...common.workers import Workers, telling
from ...engine.columns import PART, exact_sum, widen
from ...engine.engine import Engine
from ...engine.kernels import counting
from ...engine.kernels.states import merge_rows
from ...engine.passes.children import SolvedTiers, build_table, find
from ...engine.passes.forward_by_ply import Run, join, refuse_negative, run_of, sorted_distinct
from ...engine.passes.forward_by_tier import Frontier, check_tiers, sort_out
from ...engine.passes.histories import TOO_MANY, limbs_for, summed
from ...engine.passes.induction import solve_loopy_tier, solve_tier, totals_of, unsolved_tier
from ...engine.tiers import Tier
from ...errors import CountOverflowError, StoreError
from ...solution.storage.directory import PARTIAL
from ...solution.storage.store import write_moves, write_positions
from .block_file import HISTORIES, STATES, BlockFile, BlockWriter, write_blocks
from .closing import between, close_range
from .loops import labelled, map_shard, reduce_shard
from .run import (
    ANSWER,
    BACKWARD,
    CLOSING,
    FORWARD,
    MAP,
    REDUCE,
    Asks,
    Shard,
    ShardedRun,
    ShardedTier,
    TierPlan,
    is_cut_off,
)


class ShardTask(NamedTuple):
    """A task, as numbers that can be sent to another process."""

    directory: str
    """The solution's directory."""
    run: str
    """The run that it belongs to."""
    kind: str
    """Such as ``forward``, see `run`."""
    tier: int
    number: int
    """The number of the range or the shard."""
    limbs: int = 1
    """Limbs of counts, known after the forward pass."""


def perform(task: ShardTask, workers: Workers | None = None) -> int:
    """Do a task: write its files, then its record. Threads do not change the result. Returns the number of its
    states.
    """
    if not is_cut_off(directory := Path(task.directory)):
        raise StoreError(f"{platform.node()} does not see {directory / PARTIAL}")
    run = ShardedRun.read(directory)
    if run.id != task.run:
        raise StoreError(f"{task.directory} is being solved by another run; this task is of {task.run}")
    engine = run.engine()
    if workers is not None:
        engine = dataclasses.replace(engine, workers=workers)
    with telling(no_progress):  # which would be about the shard alone
        return TASKS[task.kind](run, engine, task)


def _rows_among(states: np.ndarray, wanted: np.ndarray, path: Path) -> np.ndarray:
    """Return the row in ``states`` of each state that a file asks for, int64[m]; both ascend. Raises `StoreError` if
    one is missing.
    """
    rows = np.empty(len(wanted), dtype=np.int64)
    if merge_rows(states, wanted, rows):
        raise StoreError(f"{path} asks for states that were not found; solve the game again with --force")
    return rows


# Forward --------------------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """Some states of a range, ascending, and the children of their moves, by tier: with histories where tiers are
    plies.
    """

    states: np.ndarray  # int64[n]
    histories: np.ndarray | None  # uint64[n, plies, limbs]
    asks: dict[int, Run]
    inside: bool
    """Whether moves stay within the tier."""


def forward(run: ShardedRun, engine: Engine, task: ShardTask) -> int:
    """Find the shards of one range of a tier, write their files and record them."""
    plan = TierPlan.read(run, task.tier)
    if engine.loopy:
        states, histories = between(run, plan.closed[task.number], None, None), None
    else:
        states, histories = _merged(run, engine, plan, task.number)
    pieces = _pieces(run, engine, plan, states, histories)
    named = ((f"{task.number:04d}-{place:02d}", piece) for place, piece in enumerate(pieces))
    shards = [_write_piece(run, engine, plan, name, piece) for name, piece in named]
    rows, records = sum(shard.rows for shard in shards), [shard._asdict() for shard in shards]
    path = run.record_path(FORWARD, task.tier, task.number)
    run.record(path, {"rows": rows, "shards": records}, run.folder(task.tier))
    return rows


def _merged(run: ShardedRun, engine: Engine, plan: TierPlan, number: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the states of a range, and the histories of each, uint64[n, plies, limbs]."""
    if not plan.sources:
        start = np.array([engine.canonical(engine.start)], dtype=np.int64)
        return start, np.ones((1, 1, 1), dtype=np.uint64) if run.tables.counts else None
    wanted, begins, bounds = [], [], [None, *plan.splitters, None]
    for source, shard in plan.sources:
        with BlockFile(run.scratch_file("asks", source, shard, plan.tier)) as file:
            wanted.append(file.between(bounds[number], bounds[number + 1])[STATES])
            begins.append(file.row_of(int(wanted[-1][0])) if run.tables.counts and len(wanted[-1]) else 0)
    states = join(engine, [Run(states_asked) for states_asked in wanted]).states
    if not run.tables.counts:
        return states, None
    histories = np.zeros((len(states), plan.plies, limbs_for(plan.histories)), dtype=np.uint64)
    for (source, shard), states_asked, begin in zip(plan.sources, wanted, begins, strict=True):
        if len(states_asked):
            path = run.scratch_file(HISTORIES, source, shard, plan.tier)
            rows = _rows_among(states, states_asked, path).astype(np.uint32)
            with BlockFile(path) as file:
                amounts = file.rows(begin, begin + len(states_asked))[HISTORIES]
            if counting.spread_plies(amounts, np.arange(len(states_asked)), rows, histories, 0) == counting.OVERFLOW:
                raise StoreError(f"{path} does not fit the other files; solve the game again with --force")
    return states, histories


def _pieces(
    run: ShardedRun, engine: Engine, plan: TierPlan, states: np.ndarray, histories: np.ndarray | None
) -> Iterator[Piece]:
    """Cut a range into pieces of consecutive states."""
    most = -(-len(states) // max(1, -(-len(states) // plan.sizes.states)))  # pieces of about equal length
    step = max(1, min(engine.chunk, plan.sizes.asks // (2 * engine.rules.max_moves)))  # so that children do not overrun
    begin = 0
    while begin < len(states):
        frontier, end, inside = Frontier(engine), begin, False
        while end < min(begin + most, len(states)) and not _is_full(frontier, plan):
            rows = slice(end, min(end + step, begin + most, len(states)))
            own = _expand(engine, plan, states[rows], None if histories is None else histories[rows], frontier)
            if run.tables.moves and len(own):
                frontier.add(plan.tier, Run(sorted_distinct(own)))
            end, inside = rows.stop, inside or len(own) > 0
        piece, asks = states[begin:end], frontier.take_all()
        if any(len(run.states) and run.states[0] < 0 for run in asks.values()):
            rows_of_moves, codes, children = engine.expand_moves(piece)
            refuse_negative(engine, piece[rows_of_moves], codes, children)
        yield Piece(piece, None if histories is None else histories[begin:end], asks, inside)
        begin = end


def _is_full(frontier: Frontier, plan: TierPlan) -> bool:
    """Return whether the frontier should take no more children, after dropping repeated ones."""
    if 2 * frontier.waiting < plan.sizes.asks:
        return False
    frontier.compact()
    return 2 * frontier.waiting >= plan.sizes.asks


def _expand(
    engine: Engine, plan: TierPlan, states: np.ndarray, histories: np.ndarray | None, frontier: Frontier
) -> np.ndarray:
    """Put the children of some states into the frontier, but for those in their own tier, which are returned."""
    if engine.by_ply:
        most = plan.histories * engine.rules.max_moves  # no sum below can be greater
        own, limbs = (None, 1) if histories is None else (histories[:, 0], limbs_for(most))
        frontier.add(plan.tier + 1, run_of(engine.expand(states), own, limbs))
        return np.empty(0, np.int64)
    expanded = engine.expand_tiers(states)
    check_tiers(engine, plan.tier, expanded)
    return sort_out(plan.tier, expanded, frontier, set())


def _write_piece(run: ShardedRun, engine: Engine, plan: TierPlan, name: str, piece: Piece) -> Shard:
    """Write the files of a shard."""
    folder = run.folder(plan.tier)
    write_blocks(run.scratch_file("keys", plan.tier, name), {STATES: piece.states})
    children = {lead: run_of_lead.states for lead, run_of_lead in piece.asks.items() if len(run_of_lead.states)}
    for lead, states in children.items():
        write_blocks(run.scratch_file("asks", plan.tier, name, lead), {STATES: states})
    sums, ended = dict.fromkeys(children, 0), sum(run_of_lead.ended for run_of_lead in piece.asks.values())
    if piece.histories is not None:
        write_blocks(run.scratch_file(HISTORIES, plan.tier, name), {HISTORIES: piece.histories})
        if engine.by_ply:  # all have one length
            reached = {lead: _of_one_ply(piece.asks[lead]) for lead in children}
        else:
            reached, ended = _histories_of_children(engine, plan, piece.states, children, piece.histories)
        for lead, numbers in reached.items():
            write_blocks(run.scratch_file(HISTORIES, plan.tier, name, lead), {HISTORIES: numbers})
            sums[lead] = _sum(numbers)
    asks = {lead: Asks(len(states), sums[lead]) for lead, states in sorted(children.items())}
    size = sum(path.stat().st_size for path in folder.glob(f"*-{name}*"))
    first, last = int(piece.states[0]), int(piece.states[-1])
    return Shard(name, len(piece.states), first, last, asks, piece.inside, ended, size)


def _of_one_ply(children: Run) -> np.ndarray:
    """Return the histories of children, uint64[m, 1, limbs]."""
    assert children.reached is not None
    return children.reached[:, None]


def _sum(histories: np.ndarray) -> int:
    """Return the sum of uint64[n, plies, limbs]."""
    return sum(exact_sum(histories[:, ply]) for ply in range(histories.shape[1]))


def _histories_of_children(
    engine: Engine, plan: TierPlan, states: np.ndarray, children: dict[int, np.ndarray], histories: np.ndarray
) -> tuple[dict[int, np.ndarray], int]:
    """Return, by tier, the histories of the children that pass through the states, uint64[m, plies + 1, limbs], and how
    many games end in these, where tiers are not plies.
    """
    limbs = limbs_for(plan.histories * engine.rules.max_moves)  # no sum below can be greater
    tables = {lead: build_table(found) for lead, found in children.items()}
    reached = {lead: np.zeros((len(found), plan.plies + 1, limbs), dtype=np.uint64) for lead, found in children.items()}
    ended = 0
    for rows in engine.chunks(len(states)):
        expanded = engine.expand_tiers(states[rows])
        parents = rows.start + np.repeat(np.arange(len(expanded.states)), expanded.branching)
        for lead, table in tables.items():
            moves = np.flatnonzero(expanded.tiers == lead)
            of_moves = find(engine, expanded.children[moves], table)
            if counting.spread_plies(histories, parents[moves], of_moves, reached[lead], 1) == counting.OVERFLOW:
                raise CountOverflowError(TOO_MANY)
        ended += _sum(histories[rows][expanded.branching == 0])
    return reached, ended


# Backward -------------------------------------------------------------------------------------------------------------


def mapped(run: ShardedRun, engine: Engine, task: ShardTask) -> int:
    """Survey a shard of a tier in which play may return, see `loops`."""
    own = ShardedTier.read(run, task.tier)
    return map_shard(run, engine, own, task.number, _later(run, engine, own, own.shards[task.number]).tiers)


def _later(run: ShardedRun, engine: Engine, own: ShardedTier, shard: Shard) -> SolvedTiers:
    """Return what is known of the children of a shard in later tiers."""
    solved = SolvedTiers(engine)
    for lead in shard.asks:
        if lead != own.tier:
            solved.add(_children(run, engine, own, shard, lead))
    return solved


def backward(run: ShardedRun, engine: Engine, task: ShardTask) -> int:
    """Solve one shard of a tier, write its part of the tables, and answer the shards that ask for its states."""
    own = ShardedTier.read(run, task.tier)
    shard = own.shards[task.number]
    solved = _later(run, engine, own, shard)
    if own.inside:
        part = labelled(run, engine, own, task.number)
        totals = totals_of(engine, part)
        if own.tier in shard.asks:
            solved.add(_children(run, engine, own, shard, own.tier))
    elif engine.loopy:
        part = _unsolved(run, engine, own, shard, task.limbs)
        totals = solve_loopy_tier(engine, part, solved, list(shard.asks))
    else:
        part = _unsolved(run, engine, own, shard, task.limbs)
        solved.prepare(shard.asks)
        totals = solve_tier(engine, part, solved, list(shard.asks), None, (0, len(part)))
    before = sum(-(-each.rows // PART) for each in own.shards[: task.number])
    with temporaries_in(run.writing):
        parts = _write_tables(run, engine, part, solved, before)
    if own.tier not in shard.asks:  # else it has answered
        _answer(run, own, shard, part)
    record = {"rows": len(part), "totals": totals.to_json(), **parts, "root": _root(engine, part)}
    folders = [run.partial / name for name in parts]
    run.record(run.record_path(BACKWARD, task.tier, task.number), record, *folders, run.folder(task.tier))
    return len(part)


def _unsolved(run: ShardedRun, engine: Engine, own: ShardedTier, shard: Shard, limbs: int) -> Tier:
    """Return the shard with room for its labels and counts."""
    with BlockFile(run.scratch_file("keys", own.tier, shard.name)) as file:
        states = file.rows()[STATES]
    if not run.tables.counts:
        return unsolved_tier(engine, own.tier, states)
    with BlockFile(run.scratch_file(HISTORIES, own.tier, shard.name)) as file:
        by_plies = widen(file.rows()[HISTORIES], limbs)
    return unsolved_tier(engine, own.tier, states, summed(by_plies), None if engine.by_ply else by_plies)


def _children(run: ShardedRun, engine: Engine, own: ShardedTier, shard: Shard, lead: int) -> Tier:
    """Return the answers of the shards of a later tier about the children there."""
    with BlockFile(run.scratch_file("asks", own.tier, shard.name, lead)) as file:
        states = file.rows()[STATES]
    other = ShardedTier.read(run, lead)
    section = other.asking.index((own.tier, shard.name))
    answers = []
    for each in other.shards:
        with BlockFile(run.scratch_file("answers", lead, each.name)) as file:
            answers.append(file.section(section))
    columns = {name: np.concatenate([answer[name] for answer in answers]) for name in answers[0]}
    if len(columns["value"]) != len(states):
        raise StoreError(f"{run.scratch}: the answers of tier {lead} do not fit; solve the game again with --force")
    unknown = {name: np.empty(0, dtype=np.uint8) for name in ("to_move", "branching", "orbit_size")}
    return Tier(lead, engine.by_ply, states, **columns, **unknown)


def _write_tables(
    run: ShardedRun, engine: Engine, part: Tier, solved: SolvedTiers, before: int
) -> dict[str, list[Any]]:
    """Write the shard's rows of the tables, after ``before`` files of others; return the records of the files."""
    pieces = [part.chunk(slice(low, low + PART)) for low in range(0, len(part), PART)]
    numbered = list(enumerate(pieces, before))
    positions = [write_positions(run.partial, engine, number, piece, run.tables.text) for number, piece in numbered]
    if not run.tables.moves:
        return {"positions": positions}
    moves = [write_moves(run.partial, engine, number, piece, solved.tiers) for number, piece in numbered]
    return {"positions": positions, "moves": moves}


def _answer(run: ShardedRun, own: ShardedTier, shard: Shard, part: Tier) -> None:
    """Write what is known of the states that each of the tier's sources asks for."""
    columns = {"value": part.value, "remoteness": part.remoteness, "nimber": part.nimber, "tallies": part.tallies}
    with BlockWriter(run.scratch_file("answers", own.tier, shard.name)) as writer:
        for source, name in own.asking:
            path = run.scratch_file("asks", source, name, own.tier)
            with BlockFile(path) as file:
                rows = _rows_among(part.states, file.between(shard.first, shard.last + 1)[STATES], path)
            present = {name: column for name, column in columns.items() if column is not None}
            writer.add({name: np.take(column, rows, axis=0) for name, column in present.items()})


def _root(engine: Engine, part: Tier) -> list[list[int]] | None:
    """Return the tallies of the start, uint64[fields, limbs], if it is here and there are any."""
    row = int(np.searchsorted(part.states, engine.canonical(engine.start)))
    if part.tallies is None or row == len(part) or part.states[row] != engine.canonical(engine.start):
        return None
    return part.tallies[row].tolist()  # type: ignore[no-any-return]


def answered(run: ShardedRun, engine: Engine, task: ShardTask) -> int:
    """Answer the shards that ask for the states of a shard of a tier in which play may return: also its own."""
    own = ShardedTier.read(run, task.tier)
    part = labelled(run, engine, own, task.number)
    _answer(run, own, own.shards[task.number], part)
    run.record(run.record_path(ANSWER, task.tier, task.number), {"rows": len(part)}, run.folder(task.tier))
    return len(part)


TASKS: dict[str, Callable[[ShardedRun, Engine, ShardTask], int]] = {
    FORWARD: forward,
    BACKWARD: backward,
    CLOSING: lambda run, engine, task: close_range(run, engine, task.tier, task.number),
    MAP: mapped,
    REDUCE: lambda run, engine, task: reduce_shard(run, engine, ShardedTier.read(run, task.tier), task.number),
    ANSWER: answered,
}
"""The function of each kind of task."""
