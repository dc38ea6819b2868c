"""Solve a tier in which play may return, in shards: see `analysis.engine.passes.loops`.

The tasks of its shards write the slices of their moves (map), then gather those to their states and write the lists of
parents (reduce). Waves are one task, of the driver: it holds a byte and a few bits of each state, reads the lists that
it needs, and writes the states that each wave decides, and from time to time where it is.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...common.memory import Budget
from ...common.workers import Stage, tell_progress
from ...engine.engine import Engine
from ...engine.kernels import BLOCK, NEVER
from ...engine.kernels import loops as kernels
from ...engine.kernels.loops import KINDS
from ...engine.passes.induction import unsolved_tier
from ...engine.passes.loops import GREATEST_GROUP, Notes, Wave, groups, lists_of, moves_of, sliced, sorted_notes, waves
from ...engine.tiers import Tier
from ...errors import TooLargeError
from .block_file import STATES, BlockFile, BlockWriter, write_blocks
from .run import MAP, REDUCE, WAVES, Shard, ShardedRun, ShardedTier, read_record

PAIR_BYTES = 32
"""Bytes of a move within the tier while it is sorted, whether by its child or by its parent."""
SPAN, GAP = 4 << 20, 1 << 16
"""Bytes of lists that are read at once, and the most that are read without need."""
PERIOD = 240.0
"""Seconds after which it is noted where the waves are."""
STATE_BYTES = 2.5
"""Bytes of a state while waves spread: moves left, five bits, offset."""
WORDS = 1 << 14
"""Words of bits whose states are written at once."""
PASSES: tuple[tuple[int, ...], ...] = ((1, -1), (0,))
"""The winners whose waves spread together."""


def groups_of(engine: Engine, own: ShardedTier, shard: Shard) -> list[slice]:
    """Return the rows of a shard whose moves are sorted together."""
    fit = int(own.plan.task_bytes / 2 / PAIR_BYTES / engine.rules.max_moves)
    return groups(engine, shard.rows, min(GREATEST_GROUP, max(engine.chunk, fit)))


def states_of(run: ShardedRun, tier: int, shard: Shard) -> np.ndarray:
    """Return the states of a shard."""
    with BlockFile(run.scratch_file("keys", tier, shard.name)) as file:
        return file.rows()[STATES]


def map_shard(run: ShardedRun, engine: Engine, own: ShardedTier, number: int, solved: Mapping[int, Tier]) -> int:
    """Write the slices of the moves of a shard, and what is known of its states without these; ``solved`` are the later
    tiers that its moves lead to.
    """
    shard = own.shards[number]
    part = unsolved_tier(engine, own.tier, states_of(run, own.tier, shard))
    firsts, left = np.array([each.first for each in own.shards]), np.empty(len(part), np.uint8)
    with BlockWriter(run.scratch_file("slices", own.tier, shard.name)) as file:
        for rows in groups_of(engine, own, shard):
            for each in sliced(*moves_of(engine, part.chunk(rows), left[rows], solved, list(solved)), firsts):
                file.add({"slices": each})
    surveyed = {"left": left, "to_move": part.to_move, "branching": part.branching}
    write_blocks(run.scratch_file("surveyed", own.tier, shard.name), surveyed)
    sizes, noted_rows = sorted_notes(part)
    write_blocks(run.scratch_file("notes", own.tier, shard.name), {"notes": noted_rows})
    noted = [*sizes.items()]
    run.record(run.record_path(MAP, own.tier, number), {"rows": len(part), "notes": noted}, run.folder(own.tier))
    return len(part)


def reduce_shard(run: ShardedRun, engine: Engine, own: ShardedTier, number: int) -> int:
    """Write the lists of the parents of a shard's states."""
    shard, begins = own.shards[number], own.begins
    states = states_of(run, own.tier, shard)

    sections = [
        (begin + rows.start, each, group * len(own.shards) + number)
        for begin, each in zip(begins, own.shards, strict=False)
        for group, rows in enumerate(groups_of(engine, own, each))
    ]

    def slices() -> Iterator[tuple[int, np.ndarray]]:
        for begin, each, section in sections:
            with BlockFile(run.scratch_file("slices", own.tier, each.name)) as file:
                yield begin, file.section(section)["slices"]

    size = 0
    for _, source, section in sections:
        with BlockFile(run.scratch_file("slices", own.tier, source.name)) as file:
            size += file.sections[section + 1] - file.sections[section]
    most, at = max(1, int(own.plan.task_bytes / 2 / PAIR_BYTES)), 0
    offsets = [np.zeros(1, np.int64)]
    with BlockWriter(run.scratch_file("lists", own.tier, shard.name)) as writer:
        for lists in lists_of(engine, begins[number], len(states), states, size, slices, most):
            writer.add({"lists": lists.data})
            offsets.append(at + lists.offsets[1:])
            at += len(lists.data)
    write_blocks(run.scratch_file("offsets", own.tier, shard.name), {"offsets": np.concatenate(offsets)})
    run.record(run.record_path(REDUCE, own.tier, number), {"rows": len(states)}, run.folder(own.tier))
    return len(states)


# Waves ----------------------------------------------------------------------------------------------------------------


class StoredNotes(Notes):
    """What is known of the states of a tier without the moves within it, by wave: see `Notes`."""

    def __init__(self, run: ShardedRun, own: ShardedTier) -> None:
        self._run, self._own = run, own
        self._places: dict[int, list[tuple[int, int, int]]] = {}
        """By wave and kind: shards, and the rows of their notes."""
        for number in range(len(own.shards)):
            at = 0
            for place, size in read_record(run.record_path(MAP, own.tier, number))["notes"]:
                self._places.setdefault(place, []).append((number, at, at + size))
                at += size
        super().__init__(self._places)

    def rows(self, wave: int, kind: int) -> np.ndarray:
        """See `Notes`."""
        found = [np.empty(0, np.uint32)]
        for number, low, high in self._places.get(KINDS * wave + kind, []):
            with BlockFile(self._run.scratch_file("notes", self._own.tier, self._own.shards[number].name)) as file:
                found.append(file.rows(low, high)["notes"] + np.uint32(self._own.begins[number]))
        return np.concatenate(found)


class Waves:
    """The waves of a tier: what is left of each state, and where they are."""

    def __init__(self, run: ShardedRun, engine: Engine, own: ShardedTier, memory: float) -> None:
        self.run, self.engine, self.own, self.begins = run, engine, own, own.begins
        n = self.begins[-1]
        if n >= 1 << 32:
            raise TooLargeError(
                f"tier {own.tier} has {own.rows:,} states in which play may return, at most 2**32 are solved"
            )
        Budget(int(memory)).require(
            STATE_BYTES * n + 2 * SPAN, f"the waves of a tier of {own.rows:,} states", "more --memory"
        )
        self.left, self.movers = np.zeros(n, np.uint8), np.zeros(n // BLOCK, np.uint64)
        self.offsets, self.decided, self.notes = list[np.ndarray](), 0, StoredNotes(run, own)
        for begin, shard in zip(self.begins, own.shards, strict=False):
            with BlockFile(run.scratch_file("surveyed", own.tier, shard.name)) as file:
                surveyed = file.rows()
            self.left[begin : begin + shard.rows] = surveyed["left"]
            kernels.note_movers(surveyed["to_move"], begin, self.movers)
            with BlockFile(run.scratch_file("offsets", own.tier, shard.name)) as file:
                self.offsets.append(file.rows()["offsets"])

    def spread(self, bits: np.ndarray, winner: int, after: np.ndarray) -> int:
        """Take what follows from the states of a wave."""
        reached = 0
        for begin, shard, offsets in zip(self.begins, self.own.shards, self.offsets, strict=False):
            first = begin // BLOCK
            blocks = np.flatnonzero(bits[first : first + len(offsets) - 1])
            if not len(blocks):
                continue
            with BlockFile(self.run.scratch_file("lists", self.own.tier, shard.name)) as file:
                for low, high in spans(blocks, offsets):
                    data = file.rows(int(offsets[low]), int(offsets[high]))["lists"]
                    reached += kernels.spread(
                        data, offsets[low : high + 1], first + low, bits, winner, self.movers, self.left, after
                    )
        return reached

    def run_all(self) -> None:
        """Run the waves of both passes, from where they were noted to be if they were cut off. What they decide is in
        the files of their records, in order.
        """
        done = records_of_waves(self.run, self.own.tier)
        if done and done[-1]["turn"] == len(PASSES):
            return
        self.number, turn = len(done), done[-1]["turn"] if done else 0
        wave = self._resumed(done[-1]) if done else self._first(0)
        self.decided = sum(rows for record in done for *_, rows in record["sections"])
        with contextlib.ExitStack() as self._files:
            self._begin()
            while turn < len(PASSES):
                for each in waves(
                    self.engine, wave, self.notes, self.left, self.spread, functools.partial(self._note, turn)
                ):
                    self._write(each)
                turn += 1
                wave = self._first(turn % len(PASSES))
            self._end(turn, 0)

    def _first(self, turn: int) -> Wave:
        return Wave(0, {winner: np.zeros_like(self.movers) for winner in PASSES[turn]})

    def _resumed(self, record: dict[str, Any]) -> Wave:
        """Return the wave that comes next, and take over what was left."""
        with BlockFile(self._path("left", self.number - 1, 0)) as file:
            self.left[:] = file.rows()["left"]
        with BlockFile(self._path("left", self.number - 1, 1)) as file:
            bits = {winner: file.section(place)["bits"] for place, winner in enumerate(PASSES[record["turn"]])}
        return Wave(record["wave"], bits)

    def _path(self, what: str, number: int, part: int) -> Path:
        return self.run.scratch_file(what, self.own.tier, f"{number:04d}-{part:02d}")

    def _begin(self) -> None:
        self._file = self._files.enter_context(BlockWriter(self._path("waves", self.number, 0)))
        self._sections: list[tuple[int, int, int]] = []
        self._began = time.monotonic()

    def _end(self, turn: int, wave: int) -> None:
        """Complete a file, and record it with the wave that comes next."""
        self._files.close()
        data = {"rows": 0, "turn": turn, "wave": wave, "sections": self._sections}
        self.run.record(self.run.record_path(WAVES, self.own.tier, self.number), data, self.run.folder(self.own.tier))
        self.number += 1

    def _write(self, wave: Wave) -> None:
        """Write the states that a wave decides."""
        for winner, bits in wave.bits.items():
            for low in range(0, len(bits), WORDS):
                rows = np.empty(BLOCK * WORDS, np.uint32)
                n = kernels.rows_of(bits[low : low + WORDS], rows)
                if n:
                    self._file.add({STATES: rows[:n].astype(np.int64) + low * BLOCK})
                    self._sections.append((wave.number, winner, n))
                    self.decided += n
        tell_progress(
            Stage("spreading values in", self.own.tier, on=f"wave {wave.number}"), self.decided, self.own.rows
        )

    def _note(self, turn: int, wave: Wave) -> None:
        """Note where the waves are, if the last time is long ago."""
        if time.monotonic() - self._began > PERIOD:
            write_blocks(self._path("left", self.number, 0), {"left": self.left})
            with BlockWriter(self._path("left", self.number, 1)) as file:
                for bits in wave.bits.values():
                    file.add({"bits": bits})
            self._end(turn, wave.number)
            self._begin()


def spans(blocks: np.ndarray, offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the first of some blocks, and the one after the last, whose lists are read at once."""
    low = high = int(blocks[0])
    for block in blocks.tolist():
        if offsets[block] - offsets[high] > GAP or offsets[block + 1] - offsets[low] > SPAN:
            if high > low:
                yield low, high
            low = block
        high = block + 1
    yield low, high


def records_of_waves(run: ShardedRun, tier: int) -> list[dict[str, Any]]:
    """Return the records of a tier's waves, in order."""
    return [read_record(path) for number, path in run.records(WAVES) if number == tier]


def labelled(run: ShardedRun, engine: Engine, own: ShardedTier, number: int) -> Tier:
    """Return a shard with the labels that the waves give it."""
    shard, begin = own.shards[number], own.begins[number]
    part = unsolved_tier(engine, own.tier, states_of(run, own.tier, shard))
    with BlockFile(run.scratch_file("surveyed", own.tier, shard.name)) as file:
        surveyed = file.rows()
    part.to_move[:], part.branching[:] = surveyed["to_move"], surveyed["branching"]
    part.value[:], part.remoteness[:] = 0, NEVER
    for place, record in enumerate(records_of_waves(run, own.tier)):
        with BlockFile(run.scratch_file("waves", own.tier, f"{place:04d}-00")) as file:
            for section, (wave, winner, _) in enumerate(record["sections"]):
                rows = file.between(begin, begin + len(part), section)[STATES] - begin
                part.value[rows], part.remoteness[rows] = winner, wave
    return part
