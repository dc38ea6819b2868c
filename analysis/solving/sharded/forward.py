"""Forward task: one range of a tier's states, merged from what all tiers before ask for, and what these ask for.

A range becomes one shard or several, so that no shard's states or different children are more than planned.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.engine.columns import ONE_LIMB, TWO_LIMBS, exact_sum
from analysis.engine.engine import Engine
from analysis.engine.kernels import counting
from analysis.engine.kernels.hash_table import HashTable
from analysis.engine.passes.children import NO_STATES, build_table, find, link
from analysis.engine.passes.forward_by_ply import refuse_negative, sorted_distinct
from analysis.engine.passes.forward_by_tier import Frontier, check_tiers, complete_tier, sort_out
from analysis.engine.plan import Plan
from analysis.errors import CountOverflowError, StoreError
from analysis.machine.memory import Budget
from analysis.solving.sharded.block_file import HISTORIES, STATES, BlockFile, rows_among, write_blocks
from analysis.solving.sharded.run import FORWARD, Run
from analysis.solving.sharded.tier_records import Asks, Shard, TierPlan


class Piece(NamedTuple):
    """Some states of a range, ascending, and what their moves lead to: by tier the different children."""

    states: np.ndarray  # int64[n]
    histories: np.ndarray | None  # uint64[n, plies, limbs]
    asks: dict[int, np.ndarray]  # int64[m]
    inside: bool
    """Whether moves stay within the tier."""


def forward(run: Run, engine: Engine, tier: int, number: int, memory: float) -> int:
    """Find the shards of range ``number`` of a tier, write their files and record them; a tier of a loopy game may take
    so much ``memory``, in bytes. Returns how many states they have.
    """
    plan = TierPlan.read(run, tier)
    states, histories = _start(run, engine) if not plan.sources else _merged(run, plan, number)
    pieces = _whole_tier(engine, plan, states, memory) if engine.loopy else _pieces(engine, plan, states, histories)
    shards = [_write_piece(run, engine, plan, f"{number:04d}-{place:02d}", piece) for place, piece in enumerate(pieces)]
    rows, found = sum(shard.rows for shard in shards), [dataclasses.asdict(shard) for shard in shards]
    run.record(run.record_path(FORWARD, tier, number), {"rows": rows, "shards": found}, run.folder(tier))
    return rows


def limbs_for(total: int) -> int:
    """Limbs of numbers of which none exceeds a total. Raises `CountOverflowError`."""
    if total >= TWO_LIMBS:
        raise CountOverflowError("there are more histories than 128 bits can count; solve with --no-counts")
    return 1 if total < ONE_LIMB else 2


def _start(run: Run, engine: Engine) -> tuple[np.ndarray, np.ndarray | None]:
    states = np.array([engine.canonical(engine.start)], dtype=np.int64)
    return states, np.ones((1, 1, 1), dtype=np.uint64) if run.counts else None


def _merged(run: Run, plan: TierPlan, number: int) -> tuple[np.ndarray, np.ndarray | None]:
    """The states of a range, and the histories of each, uint64[n, plies, limbs]."""
    low, high = plan.range(number)
    runs, begins = [], []
    for source, shard in plan.sources:
        with BlockFile(run.scratch_file("asks", source, shard, plan.tier)) as file:
            wanted = file.between(low, high)[STATES]
            begins.append(file.row_of(int(wanted[0])) if run.counts and len(wanted) else 0)
        runs.append(wanted)
    states = sorted_distinct(np.concatenate(runs))
    if not run.counts:
        return states, None
    histories = np.zeros((len(states), plan.plies, limbs_for(plan.histories)), dtype=np.uint64)
    for (source, shard), wanted, begin in zip(plan.sources, runs, begins, strict=True):
        if len(wanted):
            _add_histories(run.scratch_file(HISTORIES, source, shard, plan.tier), begin, states, wanted, histories)
    return states, histories


def _add_histories(path: Path, begin: int, states: np.ndarray, wanted: np.ndarray, histories: np.ndarray) -> None:
    """Add what a file says, from row ``begin`` on, of the histories of the ``wanted`` states, which are among all."""
    rows = rows_among(states, wanted, path).astype(np.uint32)
    with BlockFile(path) as file:
        amounts = file.rows(begin, begin + len(wanted))[HISTORIES]
    if counting.spread_plies(amounts, np.arange(len(wanted)), rows, histories, 0) == counting.OVERFLOW:
        raise StoreError(f"{path} does not fit the other files; solve the game again with --force")


def _pieces(engine: Engine, plan: TierPlan, states: np.ndarray, histories: np.ndarray | None) -> Iterator[Piece]:
    """A range in pieces of states that follow each other."""
    most = -(-len(states) // max(1, -(-len(states) // plan.sizes.states)))  # pieces of about equal length
    step = max(1, min(engine.chunk, plan.sizes.asks // (2 * engine.rules.max_moves)))  # so that children do not overrun
    begin = 0
    while begin < len(states):
        frontier, end = Frontier(engine), begin
        while end < min(begin + most, len(states)) and not _is_full(frontier, plan):
            rows = slice(end, min(end + step, begin + most, len(states)))
            _expand(engine, plan.tier, states[rows], frontier)
            end = rows.stop
        asks = frontier.take_all()
        _refuse_negative(engine, states[begin:end], asks)
        yield Piece(states[begin:end], None if histories is None else histories[begin:end], asks, False)
        begin = end


def _is_full(frontier: Frontier, plan: TierPlan) -> bool:
    """Whether no more children had better be added: repeated ones are dropped before this is said."""
    if 2 * frontier.waiting < plan.sizes.asks:
        return False
    frontier.compact()
    return 2 * frontier.waiting >= plan.sizes.asks


def _expand(engine: Engine, tier: int, states: np.ndarray, frontier: Frontier) -> None:
    """Put the children of some states into the frontier."""
    if engine.by_ply:
        children = sorted_distinct(engine.expand(states))
        if len(children):
            frontier.add(tier + 1, children)
        return
    expanded = engine.expand_tiers(states)
    check_tiers(engine, tier, expanded)
    sort_out(tier, expanded, frontier, set())


def _refuse_negative(engine: Engine, states: np.ndarray, asks: dict[int, np.ndarray]) -> None:
    if any(children[0] < 0 for children in asks.values()):
        rows, codes, children = engine.expand_moves(states)
        refuse_negative(engine, states[rows], codes, children)


def _whole_tier(engine: Engine, plan: TierPlan, states: np.ndarray, memory: float) -> Iterator[Piece]:
    """A tier of a loopy game, completed in memory."""
    frontier, met = Frontier(engine), set[int]()
    held = Plan(Budget(int(memory)), in_memory=False, fields=0)
    states = complete_tier(engine, held, plan.tier, states, 0, frontier, met)
    yield Piece(states, None, frontier.take_all(), plan.tier in met)


def _write_piece(run: Run, engine: Engine, plan: TierPlan, name: str, piece: Piece) -> Shard:
    """Write the files of a shard."""
    folder = run.folder(plan.tier)
    write_blocks(run.scratch_file("keys", plan.tier, name), {STATES: piece.states})
    for lead, children in piece.asks.items():
        write_blocks(run.scratch_file("asks", plan.tier, name, lead), {STATES: children})
    sums, ended = dict.fromkeys(piece.asks, 0), 0
    if piece.histories is not None:
        write_blocks(run.scratch_file(HISTORIES, plan.tier, name), {HISTORIES: piece.histories})
        reached, ended = _histories_of_children(engine, plan, piece, piece.histories)
        for lead, numbers in reached.items():
            write_blocks(run.scratch_file(HISTORIES, plan.tier, name, lead), {HISTORIES: numbers})
            sums[lead] = _sum(numbers)
    asks = {lead: Asks(len(children), sums[lead]) for lead, children in sorted(piece.asks.items())}
    size = sum(path.stat().st_size for path in folder.glob(f"*-{name}*"))
    first, last = int(piece.states[0]), int(piece.states[-1])
    return Shard(name, len(piece.states), first, last, asks, piece.inside, ended, size)


def _sum(histories: np.ndarray) -> int:
    """The sum of uint64[n, plies, limbs]."""
    return sum(exact_sum(histories[:, ply]) for ply in range(histories.shape[1]))


def _histories_of_children(
    engine: Engine, plan: TierPlan, piece: Piece, histories: np.ndarray
) -> tuple[dict[int, np.ndarray], int]:
    """By tier the histories of the children uint64[m, plies + 1, limbs], as far as they pass through the piece, and how
    many games end in it. In a game by plies all have one length, and are kept as those of one ply.
    """
    most = plan.histories * engine.rules.max_moves  # no sum below can be greater
    limbs = limbs_for(most if engine.by_ply else min(most, TWO_LIMBS - 1))  # else sums are checked
    plies = 1 if engine.by_ply else plan.plies + 1
    tables = {lead: build_table(children) for lead, children in piece.asks.items()}
    reached = {lead: np.zeros((len(children), plies, limbs), dtype=np.uint64) for lead, children in piece.asks.items()}
    ended = 0
    for rows in engine.chunks(len(piece.states)):
        spread = _spread if engine.by_ply else _spread_plies
        branching = spread(engine, piece.states[rows], histories[rows], tables, reached)
        ended += _sum(histories[rows][branching == 0])
    return reached, ended


Tables = dict[int, HashTable]
Reached = dict[int, np.ndarray]


def _spread(engine: Engine, states: np.ndarray, histories: np.ndarray, tables: Tables, reached: Reached) -> np.ndarray:
    """Add the histories of some states of a game by plies to those of their children; return their branching."""
    (lead, table), *_ = [*tables.items(), (None, NO_STATES)]
    links = link(engine, states, table)
    if lead is not None:
        counting.spread(histories[:, 0], links.branching, links.rows, reached[lead][:, 0])
    return links.branching


def _spread_plies(
    engine: Engine, states: np.ndarray, histories: np.ndarray, tables: Tables, reached: Reached
) -> np.ndarray:
    """The same where tiers are not plies, by length."""
    expanded = engine.expand_tiers(states)
    parents = np.repeat(np.arange(len(states)), expanded.branching)
    for lead, table in tables.items():
        moves = np.flatnonzero(expanded.tiers == lead)
        rows = find(engine, expanded.children[moves], table)
        if counting.spread_plies(histories, parents[moves], rows, reached[lead], 1) == counting.OVERFLOW:
            raise CountOverflowError("there are more histories than 128 bits can count; solve with --no-counts")
    return expanded.branching
