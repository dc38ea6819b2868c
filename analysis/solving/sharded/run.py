"""Represent a solve in shards on the disk: its game, its plan, and which of its tasks are done.

``DIR/.partial/run.json`` comes first and never changes. The cut of a tier into ranges is recorded before its first task
begins; a task is done once its record exists, and its files were on the disk before that. `ShardedRun` is all that a
task needs to know. A repeated task writes the same bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import platform
import re
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ...common.files import (
    as_store_error,
    locked,
    make_directories,
    read_json,
    read_sealed_json,
    sync_directory,
    temporaries_in,
    write_sealed_json,
)
from ...common.version import __version__, versions
from ...common.wording import visible
from ...common.workers import Workers
from ...engine.engine import Engine, make_engine
from ...engine.kernels import BLOCK
from ...errors import StoreError
from ...solution.storage.directory import PARTIAL, RUN, TIERS, part_path, remove_tree, take_away, tier_name
from ...solution.storage.store import Tables
from ...solution.storage.stored_games import load_same
from ..planning.costs import ShardSizes, TaskBytes, shard_sizes
from .block_file import BlockFile

PLAN, FORWARD, BACKWARD = "plan", "forward", "backward"
ROUNDS, CLOSING, MAP, REDUCE, WAVES, ANSWER = "rounds", "closing", "map", "reduce", "waves", "answer"
"""Kinds of records of tiers in which play may return, besides."""
LISTS = ("slices", "surveyed", "notes", "lists", "offsets", "waves", "left")
"""The files that `MAP`, `REDUCE` and `WAVES` write."""
KINDS = (PLAN, FORWARD, BACKWARD, ROUNDS, CLOSING, MAP, REDUCE, WAVES, ANSWER)

LISTED = 4
"""The states of a shard of another tier, for each of one of such a tier: the moves to these are sorted at once."""
LEAST_RANGE = 1 << 17
"""The least states of a range of such a tier: files can be cut where a block begins."""

_ID = re.compile("[0-9a-f]{12}")
_OF_TIER = re.compile(r"tier-(\d{4,})(?:-\d{4,})?\.json")


@dataclasses.dataclass(frozen=True)
class ShardedRun:
    """The game of a solve in shards, and its folders."""

    directory: Path
    id: str
    """Drawn at its beginning; no other run has the same."""
    game: str
    rules_hash: str
    symmetry: str
    tables: Tables
    task_bytes: int
    """Bytes that one task may hold in memory."""
    within: Path | None = None
    """The folder for temporary files; by default the solve's own."""
    versions: str = dataclasses.field(default_factory=versions)
    """The versions of its driver, which all tasks must have."""

    @classmethod
    def begin(cls, directory: Path, engine: Engine, tables: Tables, task_bytes: int, scratch: Path | None) -> Self:
        """Begin a new run in a directory that is locked for it; ``scratch`` is a folder elsewhere. Raises `StoreError`
        if they cannot be written.
        """
        game, within = engine.game, None if scratch is None else scratch.absolute()
        drawn = uuid.uuid4().hex[:12]
        run = cls(directory, drawn, game.lasting_spec, game.rules_hash(), engine.group.kind, tables, task_bytes, within)
        try:
            with as_store_error(run.partial):
                for folder in KINDS:
                    (run.partial / folder).mkdir(exist_ok=True)
                run.writing.mkdir()
            run._write()
            sync_directory(directory)
            run._make_scratch()
        except StoreError:
            run.discard()
            raise
        return run

    def _write(self) -> None:
        described = dataclasses.asdict(self) | {"within": None if self.within is None else str(self.within)}
        del described["directory"]
        write_sealed_json(self.partial / RUN, {"gametree": __version__, **described})
        sync_directory(self.partial)

    def _make_scratch(self) -> None:
        with as_store_error(self.scratch):
            make_directories(self.scratch)

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Return the run in a directory. Raises `StoreError` if it is damaged or of another version."""
        path = directory / PARTIAL / RUN
        data = read_record(path)
        if data.pop("gametree", None) != __version__:
            raise StoreError(f"{path} is of another version of gametree, which can resume it; --force starts again")
        if not _ID.fullmatch(data["id"]):
            raise StoreError(f"{path} is damaged; --force starts again")
        within = None if data["within"] is None else Path(data["within"])
        return cls(**data | {"directory": directory, "within": within, "tables": Tables(**data["tables"])})

    @classmethod
    def resumable(cls, directory: Path, engine: Engine, tables: Tables, scratch: Path | None) -> Self:
        """Return the run in a directory if it is of this game with these tables, and nothing that it needs is damaged.
        Its temporary files are in ``scratch``, to which they were moved, or where they were. Raises `StoreError`.
        """
        run = cls.read(directory)
        found = run.game, run.rules_hash, run.symmetry, run.tables
        if found != (engine.game.lasting_spec, engine.game.rules_hash(), engine.group.kind, tables):
            raise StoreError(
                f"{run.partial} holds a solve of {visible(run.game)} that was cut off, with other rules, symmetry or "
                "tables; use another directory or start again with --force"
            )
        for kind in (PLAN, FORWARD):
            for _, path in run.records(kind):
                read_record(path)
        _refuse_lost_tables(run)
        moved = run if scratch is None else dataclasses.replace(run, within=scratch.absolute())
        if moved.scratch != run.scratch and moved.scratch.is_dir():
            return moved
        if not run.scratch.is_dir() and run.tiers(PLAN) != run.tiers(BACKWARD):  # else nothing is begun, or all is done
            raise StoreError(
                f"the files of the solve that was cut off in {run.directory} are not in {run.scratch}; name the "
                "folder that holds them by --scratch, or start again with --force"
            )
        return run

    def resume(self) -> None:
        """Make its folders ready, and remove what killed processes were writing."""
        with as_store_error(self.partial):
            self.writing.mkdir(exist_ok=True)
        dataclasses.replace(self, versions=versions())._write()
        self._make_scratch()
        self.sweep()

    def engine(self) -> Engine:
        """Return the engine for one thread, made once per process. Raises `StoreError` if this process has other rules
        or versions than the driver, or does not see the temporary files.
        """
        return _engine(self.directory, self.id)

    # Removal ----------------------------------------------------------------------------------------------------------

    def drop_scratch(self) -> None:
        """Remove the temporary files."""
        take_away(self.scratch)
        sync_directory(self.scratch.parent)

    def close(self) -> None:
        """Remove what only tasks need: a task still running somewhere can complete no more files."""
        take_away(self.writing)
        self.drop_scratch()

    def discard(self) -> None:
        """Remove everything."""
        self.close()
        _forget(self.partial)

    def sweep(self) -> None:
        """Remove what killed processes were writing."""
        for folder in (self.partial, self.scratch):
            with as_store_error(folder):
                for path in folder.rglob(".*.tmp"):
                    path.unlink(missing_ok=True)

    # Files ------------------------------------------------------------------------------------------------------------

    @property
    def partial(self) -> Path:
        """The folder of everything until the solution is complete."""
        return self.directory / PARTIAL

    @property
    def scratch(self) -> Path:
        """The folder of temporary files, whose name is unique."""
        return (self.partial if self.within is None else self.within) / f"gametree-{self.id}"

    @property
    def writing(self) -> Path:
        """The folder in which tasks begin files for `partial`, so that tasks of an earlier or completed run cannot put
        anything there.
        """
        return self.partial / f"writing-{self.id}"

    def folder(self, tier: int) -> Path:
        """Return the folder of a tier's files, created if necessary. Raises `StoreError`."""
        path = self.scratch / f"tier-{tier:04d}"
        with as_store_error(path):
            path.mkdir(exist_ok=True)
        return path

    def scratch_file(self, what: str, tier: int, shard: str, lead: int | None = None) -> Path:
        """Return the path of a shard's file: ``keys``, ``answers``, ``asks`` of a later tier (``lead``), or
        ``histories`` of either.
        """
        to = "" if lead is None else f"-{lead:04d}"
        return self.scratch / f"tier-{tier:04d}" / f"{what}-{shard}{to}"

    # Records ----------------------------------------------------------------------------------------------------------

    def record_path(self, kind: str, tier: int, number: int | None = None) -> Path:
        """Return the path of the record of a task, or of the whole tier."""
        name = tier_name(tier) if number is None else f"tier-{tier:04d}-{number:04d}.json"
        return self.partial / kind / name

    def record(self, path: Path, data: dict[str, Any], *written: Path) -> None:
        """Write a record of the contents of these folders, once they are on the disk."""
        for folder in written:
            sync_directory(folder)
        with temporaries_in(self.writing):
            write_sealed_json(path, data)
        sync_directory(path.parent)

    def records(self, kind: str) -> list[tuple[int, Path]]:
        """Return the tiers and paths of the records, of whole tiers and of tasks."""
        records = [(_OF_TIER.fullmatch(path.name), path) for path in sorted((self.partial / kind).iterdir())]
        return [(int(named[1]), path) for named, path in records if named is not None]

    def tiers(self, kind: str) -> int:
        """Return how many tiers have such a record."""
        return sum(path.name == tier_name(tier) for tier, path in self.records(kind))


def read_record(path: Path) -> dict[str, Any]:
    """Read what `ShardedRun.record` wrote. Raises `StoreError` if it is damaged."""
    try:
        data, sealed = read_sealed_json(path)
    except StoreError as error:
        raise StoreError(f"{error}; --force starts again") from None
    if not sealed or not isinstance(data, dict):
        raise StoreError(f"{path} is damaged; --force starts again")
    return data


def is_cut_off(directory: Path) -> bool:
    """Return whether a directory holds a solve in shards that was cut off."""
    return (directory / PARTIAL / RUN).is_file()


def discard(directory: Path) -> None:
    """Remove what a cut-off solve in shards has left outside its directory; the next solve empties the directory."""
    if is_cut_off(directory):
        with locked(directory):
            with contextlib.suppress(StoreError):
                ShardedRun.read(directory).drop_scratch()
            _forget(directory / PARTIAL)


def _forget(partial: Path) -> None:
    """Remove ``.partial``, beginning with the mark that it can be resumed, since what remains is of no use."""
    with contextlib.suppress(OSError):
        (partial / RUN).unlink(missing_ok=True)
    sync_directory(partial)
    remove_tree(partial)


@functools.lru_cache(maxsize=4)
def _engine(directory: Path, run_id: str) -> Engine:
    """Return the engine; ``run_id`` distinguishes successive runs in one directory."""
    run = ShardedRun.read(directory)
    if run.versions != versions():
        raise StoreError(f"{platform.node()} has {versions()}, but the solve in {directory} is by {run.versions}")
    if not run.scratch.is_dir():
        raise StoreError(f"{platform.node()} does not see {run.scratch}")
    game = load_same(run.game, run.rules_hash)
    engine = make_engine(game, symmetry=run.symmetry, workers=Workers(1)).classes
    engine.prepare()
    return engine


# Tiers ----------------------------------------------------------------------------------------------------------------


class Asks(NamedTuple):
    """The distinct children of a shard in one tier: their number, and the histories that pass to them."""

    rows: int
    histories: int


class Shard(NamedTuple):
    """Consecutive states of a tier."""

    name: str
    """The number of the task that found it, and its number within that task."""
    rows: int
    first: int
    last: int
    asks: dict[int, Asks]
    """The children of its states, by tier."""
    inside: bool
    """Whether moves stay within the tier."""
    ended: int
    """Games that end in it; 0 if nothing is counted."""
    bytes: int
    """The size of its files."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Invert `_asdict`, after JSON."""
        return cls(**data | {"asks": {int(tier): Asks(*asks) for tier, asks in data["asks"].items()}})


@dataclasses.dataclass(frozen=True)
class TierPlan:
    """The cut of a tier into ranges, fixed before its first task begins, and the sources of its states."""

    tier: int
    plies: int
    """Lengths of histories to distinguish; in a game by plies all have the same."""
    splitters: list[int]
    """The least state of each range but the first."""
    sources: list[tuple[int, str]]
    """The shards that ask for its states, by tier and name; their answers have this order."""
    asks: int
    """States that they ask for, duplicates included."""
    histories: int
    """Histories that reach it; 0 if nothing is counted."""
    sizes: ShardSizes
    task_bytes: int
    """Bytes that one of its tasks may hold: as planned for the run, or what the smallest shards need."""
    closed: list[str]
    """In a game in which play may return, the files of its states once they are all found, a range each."""

    @property
    def ranges(self) -> int:
        """The number of tasks that find its shards."""
        return len(self.closed) or len(self.splitters) + 1

    @classmethod
    def make(cls, run: ShardedRun, engine: Engine, tier: int, before: Sequence[ShardedTier]) -> Self:
        """Plan a tier from the tiers ``before`` it, among them all that lead to it."""
        asking = [(other.tier, shard.name, shard.asks[tier]) for other in before for shard in other.shards
                  if tier in shard.asks]  # fmt: skip
        sources = [(source, name) for source, name, _ in asking]
        asks, histories = sum(each.rows for *_, each in asking), sum(each.histories for *_, each in asking)
        plies, most = 1 if engine.by_ply else len(before) + 1, max(1, asks)
        least = TaskBytes.of(engine, counts=run.tables.counts, plies=plies).least(most)
        task_bytes = max(run.task_bytes, math.ceil(least))
        sizes = shard_sizes(engine, task_bytes, counts=run.tables.counts, plies=plies, most=most)
        if engine.loopy:  # whose ranges are found while it is closed
            sizes = sizes._replace(states=max(sizes.states // LISTED, LEAST_RANGE))
        files = [run.scratch_file("asks", source, name, tier) for source, name in sources]
        cuts = [] if engine.loopy else splitters(files, -(-asks // sizes.merged))
        return cls(tier, plies, cuts, sources, asks, histories, sizes, task_bytes, [])

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Invert `dataclasses.asdict`, after JSON."""
        sources = [(tier, name) for tier, name in data["sources"]]
        return cls(**data | {"sources": sources, "sizes": ShardSizes(*data["sizes"])})

    @classmethod
    def read(cls, run: ShardedRun, tier: int) -> Self:
        """Read the plan of a tier. Raises `StoreError` if it is damaged."""
        return cls.from_json(read_record(run.record_path(PLAN, tier)))


class ShardedTier(NamedTuple):
    """A tier whose states are all known."""

    plan: TierPlan
    shards: list[Shard]

    @classmethod
    def read(cls, run: ShardedRun, tier: int) -> Self:
        """Read the record of a tier. Raises `StoreError` if it is damaged."""
        data = read_record(run.record_path(FORWARD, tier))
        return cls(TierPlan.from_json(data["plan"]), [Shard.from_json(shard) for shard in data["shards"]])

    @property
    def tier(self) -> int:
        """Its number."""
        return self.plan.tier

    @property
    def rows(self) -> int:
        """Its number of states."""
        return sum(shard.rows for shard in self.shards)

    @property
    def leads(self) -> list[int]:
        """The later tiers that its moves lead to, ascending."""
        return sorted({tier for shard in self.shards for tier in shard.asks} - {self.tier})

    @property
    def asking(self) -> list[tuple[int, str]]:
        """The shards that ask for its states, in the order of its answers: also its own, if they do."""
        return self.plan.sources + [(self.tier, shard.name) for shard in self.shards if self.tier in shard.asks]

    @property
    def inside(self) -> bool:
        """Whether moves stay within it."""
        return any(shard.inside for shard in self.shards)

    @property
    def begins(self) -> list[int]:
        """The row at which each shard begins where those of the tier are numbered, with gaps so that it is a multiple
        of `BLOCK`; and where the next would.
        """
        return [0, *itertools.accumulate(-(-shard.rows // BLOCK) * BLOCK for shard in self.shards)]

    @property
    def ended(self) -> int:
        """Games that end in it."""
        return sum(shard.ended for shard in self.shards)


def splitters(paths: Sequence[Path], ranges: int) -> list[int]:
    """Choose states that cut sorted files into ``ranges`` of about equal length, if they have enough blocks."""
    if ranges <= 1:
        return []
    firsts, rows = [], []
    for path in paths:
        with BlockFile(path) as file:
            firsts.append(file.first)
            rows.append(np.diff(file.starts))
    first, weights = np.concatenate(firsts), np.concatenate(rows)
    order = np.argsort(first, kind="stable")
    until = np.cumsum(weights[order])
    places = np.searchsorted(until, np.arange(1, ranges) * (until[-1] / ranges))
    cuts: list[int] = np.unique(first[order][places]).tolist()
    return [state for state in cuts if state > first.min()]


def _refuse_lost_tables(run: ShardedRun) -> None:
    """Raise `StoreError` if a file of the result that a record tells of is missing."""
    for tier, record in run.records(BACKWARD):
        recorded = read_record(record)
        if "tier_sha256" in recorded:  # of the whole tier
            recorded = read_json(run.partial / TIERS / tier_name(tier), recorded["tier_sha256"])
        for folder in ("positions", "moves"):
            for part in recorded.get(folder, []):
                path = part_path(run.partial / folder, part)
                if not path.exists() or path.stat().st_size != part["bytes"]:
                    raise StoreError(f"{path} is missing or damaged; --force starts again")
