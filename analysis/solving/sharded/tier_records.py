"""What is recorded of a tier: how it is cut into ranges, fixed before its first task begins, and then its shards."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from analysis.engine.engine import Engine
from analysis.planning.shard_sizes import ShardSizes, TaskBytes, shard_sizes, splitters
from analysis.solving.sharded.block_file import BlockFile
from analysis.solving.sharded.run import FORWARD, PLAN, Run


@dataclasses.dataclass(frozen=True)
class TierPlan:
    """The ranges of a tier, and where its states are found."""

    tier: int
    plies: int
    """Lengths of histories that are told apart; in a game by plies all have one."""
    splitters: list[int]
    """The least state of each range but the first."""
    sources: list[tuple[int, str]]
    """The shards that ask for states of it, by tier and name: their answers have this order."""
    asks: int
    """States they ask for, the same ones included."""
    histories: int
    """Histories that reach it; 0 where nothing is counted."""
    sizes: ShardSizes
    task_bytes: int
    """What one of its tasks may hold in memory: as planned for the run, or what the least shards need."""

    @classmethod
    def make(cls, run: Run, engine: Engine, tier: int, before: Sequence[ShardedTier]) -> Self:
        """The plan of a tier, from the tiers ``before`` it, all that lead to it among them."""
        asking = [(other, shard) for other in before for shard in other.shards if tier in shard.asks]
        sources = [(other.plan.tier, shard.name) for other, shard in asking]
        asks = sum(shard.asks[tier].rows for _, shard in asking)
        histories = sum(shard.asks[tier].histories for _, shard in asking)
        plies = 1 if engine.by_ply else len(before) + 1
        least = TaskBytes.of(engine, counts=run.counts, plies=plies).least(max(1, asks))
        task_bytes = max(run.task_bytes, math.ceil(least))
        sizes = shard_sizes(engine, task_bytes, counts=run.counts, plies=plies, most=max(1, asks))
        ranges = 1 if engine.loopy else -(-asks // sizes.merged)
        cuts: list[int] = []
        if ranges > 1:
            firsts, weights = [], []
            for source, name in sources:
                with BlockFile(run.scratch_file("asks", source, name, tier)) as file:
                    firsts.append(file.first)
                    weights.append(np.diff(file.starts))
            cuts = splitters(np.concatenate(firsts), np.concatenate(weights), ranges)
        return cls(tier, plies, cuts, sources, asks, histories, sizes, task_bytes)

    @staticmethod
    def path(run: Run, tier: int) -> Path:
        """Where the plan of a tier lies."""
        return run.record_path(PLAN, tier)

    @classmethod
    def read(cls, run: Run, tier: int) -> Self:
        """The plan of a tier. Raises `StoreError` where it is damaged."""
        return cls.from_json(run.read_record(cls.path(run, tier)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """From what `dataclasses.asdict` made of it."""
        sources = [(tier, name) for tier, name in data["sources"]]
        return cls(**data | {"sources": sources, "sizes": ShardSizes(**data["sizes"])})

    @property
    def ranges(self) -> int:
        """How many there are."""
        return len(self.splitters) + 1

    def range(self, number: int) -> tuple[int | None, int | None]:
        """The least state of a range, and the least of the next one, where there are bounds."""
        bounds = [None, *self.splitters, None]
        return bounds[number], bounds[number + 1]


@dataclasses.dataclass(frozen=True)
class Asks:
    """The children of a shard in one tier: how many different ones, and the histories that pass to them."""

    rows: int
    histories: int


@dataclasses.dataclass(frozen=True)
class Shard:
    """Some states of a tier that follow each other."""

    name: str
    """The task that found it, and which of that task's it is."""
    rows: int
    first: int
    last: int
    asks: dict[int, Asks]
    """By tier what its moves lead to."""
    inside: bool
    """Whether moves stay within the tier."""
    ended: int
    """Games that end in it; 0 where nothing is counted."""
    bytes: int
    """Of its files."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """From what `dataclasses.asdict` made of it."""
        return cls(**data | {"asks": {int(tier): Asks(**asks) for tier, asks in data["asks"].items()}})


@dataclasses.dataclass(frozen=True)
class ShardedTier:
    """A tier whose states are all known."""

    plan: TierPlan
    shards: list[Shard]

    @staticmethod
    def path(run: Run, tier: int) -> Path:
        """Where what is recorded of a tier lies."""
        return run.record_path(FORWARD, tier)

    @classmethod
    def read(cls, run: Run, tier: int) -> Self:
        """What is recorded of a tier. Raises `StoreError` where it is damaged."""
        data = run.read_record(cls.path(run, tier))
        return cls(TierPlan.from_json(data["plan"]), [Shard.from_json(shard) for shard in data["shards"]])

    @property
    def tier(self) -> int:
        """Its number."""
        return self.plan.tier

    @property
    def rows(self) -> int:
        """States of it."""
        return sum(shard.rows for shard in self.shards)

    @property
    def leads(self) -> list[int]:
        """The later tiers that its moves lead to, ascending."""
        return sorted({tier for shard in self.shards for tier in shard.asks})

    @property
    def ended(self) -> int:
        """Games that end in it."""
        return sum(shard.ended for shard in self.shards)

    @property
    def bytes(self) -> int:
        """Of its files."""
        return sum(shard.bytes for shard in self.shards)
