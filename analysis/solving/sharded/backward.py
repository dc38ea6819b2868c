"""Backward task: one shard, solved by the answers of later tiers, written, and answering what earlier tiers ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.engine.census import tier_totals
from analysis.engine.columns import PART, widen
from analysis.engine.engine import Engine
from analysis.engine.passes.children import SolvedTiers
from analysis.engine.passes.histories import summed
from analysis.engine.passes.induction import solve_loopy_tier, solve_tier, unsolved_tier
from analysis.engine.plan import Plan
from analysis.engine.tiers import Tier
from analysis.errors import StoreError
from analysis.machine.files import temporaries_in
from analysis.machine.memory import Budget
from analysis.solving.sharded.block_file import HISTORIES, STATES, BlockFile, BlockWriter, rows_among
from analysis.solving.sharded.run import BACKWARD, Run
from analysis.solving.sharded.tier_records import Shard, ShardedTier
from analysis.storage.store import write_moves, write_positions

Columns = dict[str, np.ndarray]


def backward(run: Run, engine: Engine, tier: int, number: int, limbs: int, memory: float) -> int:
    """Solve shard ``number`` of a tier, write its part of the tables, and answer the shards that ask for its states;
    counts have so many ``limbs``, and a tier of a loopy game may take so much ``memory``, in bytes.
    Returns how many states it has.
    """
    own = ShardedTier.read(run, tier)
    shard = own.shards[number]
    part = _unsolved(run, engine, own, shard, limbs)
    solved = SolvedTiers(engine)
    for lead in shard.asks:
        solved.add(_children(run, engine, own, shard, lead))
    leads = [*([tier] if shard.inside else []), *shard.asks]
    if engine.loopy:
        plan = Plan(Budget(int(memory)), in_memory=False, fields=0)
        census = solve_loopy_tier(engine, part, solved, leads, plan, solved.held_bytes(plan.solved()))
        solved.add(part)
    else:
        solved.prepare(leads)
        census = solve_tier(engine, part, solved, leads, None, (0, len(part)))
    totals = tier_totals(part, engine.rules.payoffs, census)
    with temporaries_in(run.writing):
        parts = _write(run, engine, part, solved, sum(-(-each.rows // PART) for each in own.shards[:number]))
    _answer(run, own, shard, part)
    record = {"rows": len(part), "totals": totals.to_json(), **parts, "root": _root(engine, part)}
    folders = [run.partial / name for name in parts]
    run.record(run.record_path(BACKWARD, tier, number), record, *folders, run.folder(tier))
    return len(part)


def _unsolved(run: Run, engine: Engine, own: ShardedTier, shard: Shard, limbs: int) -> Tier:
    """The shard with room for what will be found."""
    with BlockFile(run.scratch_file("keys", own.tier, shard.name)) as file:
        states = file.rows()[STATES]
    if not run.counts:
        return unsolved_tier(engine, own.tier, states)
    with BlockFile(run.scratch_file(HISTORIES, own.tier, shard.name)) as file:
        by_plies = widen(file.rows()[HISTORIES], limbs)
    return unsolved_tier(engine, own.tier, states, summed(by_plies), None if engine.by_ply else by_plies)


def _children(run: Run, engine: Engine, own: ShardedTier, shard: Shard, lead: int) -> Tier:
    """What the shards of a later tier have answered of the children there."""
    with BlockFile(run.scratch_file("asks", own.tier, shard.name, lead)) as file:
        states = file.rows()[STATES]
    other = ShardedTier.read(run, lead)
    section = other.plan.sources.index((own.tier, shard.name))
    answers = []
    for each in other.shards:
        with BlockFile(run.scratch_file("answers", lead, each.name)) as file:
            answers.append(file.section(section))
    found = {name: np.concatenate([answer[name] for answer in answers]) for name in answers[0]}
    if len(found["value"]) != len(states):
        raise StoreError(f"{run.scratch}: the answers of tier {lead} do not fit; solve the game again with --force")
    unknown = {name: np.empty(0, dtype=np.uint8) for name in ("to_move", "branching", "orbit_size")}
    return Tier(lead, engine.by_ply, states, **found, **unknown)


def _write(run: Run, engine: Engine, part: Tier, solved: SolvedTiers, first: int) -> dict[str, list[Any]]:
    """Write the shard's rows of the tables; return what is recorded of the files, of which ``first`` come before."""
    pieces = [part.chunk(slice(low, low + PART)) for low in range(0, len(part), PART)]
    numbered = list(enumerate(pieces, first))
    positions = [write_positions(run.partial, engine, number, piece, run.tables.text) for number, piece in numbered]
    if not run.tables.moves:
        return {"positions": positions}
    return {
        "positions": positions,
        "moves": [write_moves(run.partial, engine, number, piece, solved.tiers) for number, piece in numbered],
    }


def _answer(run: Run, own: ShardedTier, shard: Shard, part: Tier) -> None:
    """Write what is known of the states that each of the tier's sources asks for."""
    known = {"value": part.value, "remoteness": part.remoteness, "nimber": part.nimber, "tallies": part.tallies}
    with BlockWriter(run.scratch_file("answers", own.tier, shard.name)) as writer:
        for source, name in own.plan.sources:
            path = run.scratch_file("asks", source, name, own.tier)
            with BlockFile(path) as file:
                rows = rows_among(part.states, file.between(shard.first, shard.last + 1)[STATES], path)
            writer.add({name: column[rows] for name, column in known.items() if column is not None})


def _root(engine: Engine, part: Tier) -> list[list[int]] | None:
    """The tallies of the start, uint64[fields, limbs], where it is here and there are any."""
    row = int(np.searchsorted(part.states, engine.canonical(engine.start)))
    if part.tallies is None or row == len(part) or part.states[row] != engine.canonical(engine.start):
        return None
    return part.tallies[row].tolist()  # type: ignore[no-any-return]
