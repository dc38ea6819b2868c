"""What of a solve in shards has lost its files, and is made again: records of it are taken back, and then the driver
goes on as if these tasks had never been done. Tasks that are done again write the same bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.machine.files import read_json, sync_directory
from analysis.solving.sharded.block_file import HISTORIES
from analysis.solving.sharded.run import BACKWARD, FORWARD, Run
from analysis.solving.sharded.tier_records import Shard, ShardedTier
from analysis.storage.directory import TIERS, part_path, tier_name
from analysis.wording import some

LOG = logging.getLogger("gametree")


def mend(run: Run) -> None:
    """Take back the records of what has lost files that are still needed, and say so. Raises `StoreError` where a
    record is damaged.
    """
    state = _State(run)
    while state.drops_one():
        pass
    taken = state.drop_records() + state.drop_tasks()
    if taken:
        LOG.info(f"{state.lost} is missing: what hangs on it is made again ({some(taken, 'record')} taken back)")


class _State:
    """Which tiers are found, and which are solved, as far as what they need is there."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tiers = {number: ShardedTier.read(run, number) for number in run.tiers(FORWARD)}
        self.found, self.recorded = {*self.tiers}, {*run.tiers(BACKWARD)}
        unknown = max(self.recorded - self.found, default=-1)
        self.solved = {number for number in self.recorded if number > unknown}
        self.lost: Path | None = None
        """The first file that is missing."""
        self._first_asking: dict[int, int] = {}
        for number in sorted(self.tiers):
            self._first_asking = dict.fromkeys(self.tiers[number].leads, number) | self._first_asking

    def drops_one(self) -> bool:
        """Whether one more tier has to be solved, or found, again: it is no longer counted as such."""
        for number in sorted(self.solved):
            if self._misses(self._of_solved(number)):
                self.solved = {other for other in self.solved if other > number}  # the others had its answers
                return True
        for number in sorted(self.found - self.solved):
            if self._misses(self._files(number, self.tiers[number].shards)):
                self.found.remove(number)
                return True
        return False

    def drop_records(self) -> int:
        """Remove the records of tiers that do not count any more; how many there were."""
        dropped = [self.run.record_path(BACKWARD, number) for number in self.recorded - self.solved]
        return _remove([*dropped, *(self.run.record_path(FORWARD, n) for n in self.tiers.keys() - self.found)])

    def drop_tasks(self) -> int:
        """Remove the records of single tasks whose files are missing; how many there were."""
        lost = []
        for tier, path in self.run.tasks(FORWARD):
            shards = [Shard.from_json(shard) for shard in self.run.read_record(path)["shards"]]
            if tier not in self.found and self._misses(self._files(tier, shards)):
                lost.append(path)
        for tier, path in self.run.tasks(BACKWARD):
            if tier not in self.solved and (tier not in self.found or self._misses(self._of_task(tier, path))):
                lost.append(path)
        return _remove(lost)

    def _misses(self, files: Iterable[Path]) -> bool:
        missing = next((path for path in files if not path.exists()), None)
        self.lost = self.lost or missing
        return missing is not None

    def _of_solved(self, number: int) -> Iterator[Path]:
        """What a solved tier must have: its rows, and answers until the first tier that asks for them is solved."""
        tier = self.tiers[number]
        record = self.run.partial / TIERS / tier_name(number)
        yield record
        if record.exists():
            sums = self.run.read_record(self.run.record_path(BACKWARD, number))["tier_sha256"]
            yield from self._tables(read_json(record, sums))
        if self._first_asking.get(number, number) not in {number, *self.solved}:
            yield from (self.run.scratch_file("answers", number, shard.name) for shard in tier.shards)

    def _of_task(self, tier: int, path: Path) -> Iterator[Path]:
        """What a task of the backward pass has written, whose record lies at a path."""
        shard = self.tiers[tier].shards[int(path.stem.rpartition("-")[2])]
        yield self.run.scratch_file("answers", tier, shard.name)
        yield from self._tables(self.run.read_record(path))

    def _tables(self, record: Mapping[str, Any]) -> Iterator[Path]:
        """Those of a tier; one of another size than was written is removed."""
        for folder in ("positions", "moves"):
            for part in record.get(folder, []):
                path = part_path(self.run.partial / folder, part)
                if path.exists() and path.stat().st_size != part["bytes"]:
                    path.unlink()
                yield path

    def _files(self, tier: int, shards: Sequence[Shard]) -> Iterator[Path]:
        """What is needed of what the forward pass wrote of shards: histories until the tiers they lead to are found."""
        run = self.run
        for shard in shards:
            yield run.scratch_file("keys", tier, shard.name)
            yield from [run.scratch_file(HISTORIES, tier, shard.name)] if run.counts else []
            for lead in shard.asks:
                yield run.scratch_file("asks", tier, shard.name, lead)
                if run.counts and lead not in self.found:
                    yield run.scratch_file(HISTORIES, tier, shard.name, lead)


def _remove(paths: Sequence[Path]) -> int:
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in paths}:
        sync_directory(folder)
    return len(paths)
