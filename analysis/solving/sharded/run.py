"""A solve in shards as it lies on the disk: what it is of, how it was planned, and which of its tasks are done.

``DIR/.partial/run.json`` comes first and never changes. A tier is planned before its tasks begin; a task is done once
its record is there, and what it wrote was on the disk before. `Run` is all that a task needs to know.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.engine.engine import Engine, make_engine
from analysis.errors import StoreError
from analysis.games.families import load_game
from analysis.machine.arguments import NATURAL, fits
from analysis.machine.files import (
    as_store_error,
    locked,
    make_directories,
    read_sealed_json,
    sync_directory,
    temporaries_in,
    write_sealed_json,
)
from analysis.machine.version import __version__
from analysis.machine.workers import Workers
from analysis.storage.directory import OWNER, PARTIAL, RUN, SOLUTION, take_away, tier_name
from analysis.storage.store import Tables

FORMAT = 1
FORWARD, BACKWARD = "forward", "backward"
PLAN = "plan"

_FORM = {
    "id": str, "game": str, "rules_hash": str, "symmetry": str, "task_bytes": NATURAL, "within": (str, None),
    "tables": dict.fromkeys(("counts", "moves", "text", "paths"), bool),
}  # fmt: skip
_ID = re.compile("[0-9a-f]{12}")
_OF_TIER = re.compile(r"tier-(\d{4,})(?:-\d{4,})?\.json")


@dataclasses.dataclass(frozen=True)
class Run:
    """What a solve in shards is of, and where it lies."""

    directory: Path
    id: str
    """Drawn when it began: no other run has it."""
    game: str
    rules_hash: str
    symmetry: str
    tables: Tables
    task_bytes: int
    """What one task may hold in memory."""
    within: Path | None = None
    """A folder for what the result does not need; by default the solve's own."""

    @classmethod
    def begin(
        cls, directory: Path, engine: Engine, tables: Tables, task_bytes: int, scratch: Path | None = None
    ) -> Run:
        """A new run in a directory that is held for it; ``scratch`` is a folder elsewhere. Raises `StoreError` where
        these cannot be written.
        """
        game, within = engine.game, None if scratch is None else scratch.absolute()
        drawn = uuid.uuid4().hex[:12]
        run = cls(directory, drawn, game.lasting_spec, game.rules_hash(), engine.group.kind, tables, task_bytes, within)
        try:
            with as_store_error(run.partial):
                for folder in (PLAN, FORWARD, BACKWARD):
                    (run.partial / folder).mkdir(exist_ok=True)
                run.writing.mkdir()
            run.write()
            sync_directory(directory)
            run.make_scratch()
        except StoreError:
            run.discard()
            raise
        return run

    def write(self) -> None:
        """Write it down."""
        described = dataclasses.asdict(self) | {"within": None if self.within is None else str(self.within)}
        del described["directory"]
        write_sealed_json(self.partial / RUN, {"format": FORMAT, "gametree": __version__, **described})
        sync_directory(self.partial)

    def make_scratch(self) -> None:
        """Make the folder for what the result does not need. Raises `StoreError`."""
        with as_store_error(self.scratch):
            make_directories(self.scratch)

    def drop_scratch(self) -> None:
        """Remove it."""
        take_away(self.scratch)
        sync_directory(self.scratch.parent)

    def close(self) -> None:
        """Remove what only tasks need: one that is still at work somewhere can complete no more files from now on."""
        take_away(self.writing)
        self.drop_scratch()

    @classmethod
    def read(cls, directory: Path) -> Run:
        """The run that lies in a directory. Raises `StoreError` where it is damaged or of another version."""
        path = directory / PARTIAL / RUN
        data = _sealed(path)
        if data.pop("format", None) != FORMAT or data.pop("gametree", None) != __version__:
            raise StoreError(f"{path} is of another version of gametree, which can go on with it; --force starts again")
        if not fits(data, _FORM) or not _ID.fullmatch(data["id"]):
            raise StoreError(f"{path} is damaged; --force starts again")
        within = None if data["within"] is None else Path(data["within"])
        return cls(**data | {"directory": directory, "within": within, "tables": Tables(**data["tables"])})

    @property
    def scratch(self) -> Path:
        """Where what the result does not need is kept: nothing else has this name."""
        return (self.partial if self.within is None else self.within) / f"gametree-{self.id}"

    @property
    def partial(self) -> Path:
        """Where all is until the solution is complete."""
        return self.directory / PARTIAL

    @property
    def writing(self) -> Path:
        """Where tasks begin what belongs below `partial`, so that those of an earlier run, or of one that is complete,
        cannot put anything there.
        """
        return self.partial / f"writing-{self.id}"

    @property
    def counts(self) -> bool:
        """Whether histories, games and paths are counted."""
        return self.tables.counts

    def engine(self) -> Engine:
        """The engine for one thread, made once in a process. Raises `StoreError` where the rules are others here."""
        return _engine(self.directory, self.id)

    # Files ------------------------------------------------------------------------------------------------------------

    def scratch_file(self, what: str, tier: int, shard: str, lead: int | None = None) -> Path:
        """A file of a shard: its ``keys``, its ``answers`` or its ``asks`` of a later tier; and their ``histories``."""
        to = "" if lead is None else f"-{lead:04d}"
        return self.scratch / f"tier-{tier:04d}" / f"{what}-{shard}{to}"

    def folder(self, tier: int) -> Path:
        """The folder of a tier's files, made if need be. Raises `StoreError`."""
        path = self.scratch / f"tier-{tier:04d}"
        with as_store_error(path):
            path.mkdir(exist_ok=True)
        return path

    def record_path(self, kind: str, tier: int, number: int | None = None) -> Path:
        """What is recorded of a task, or of the whole tier."""
        name = tier_name(tier) if number is None else f"tier-{tier:04d}-{number:04d}.json"
        return self.partial / kind / name

    def record(self, path: Path, data: dict[str, Any], *written: Path) -> dict[str, Any]:
        """Write a record of what is in these folders, once that is on the disk; return it."""
        for folder in written:
            sync_directory(folder)
        with temporaries_in(self.writing):
            write_sealed_json(path, data)
        sync_directory(path.parent)
        return data

    def read_record(self, path: Path) -> dict[str, Any]:
        """What `record` wrote. Raises `StoreError` where it is damaged."""
        return _sealed(path)

    def discard(self) -> None:
        """Remove all of it."""
        self.close()
        _forget(self.partial)

    def sweep(self) -> None:
        """Remove what processes that were killed were writing."""
        for folder in (self.partial, self.scratch):
            with as_store_error(folder):
                for path in folder.rglob(".*.tmp"):
                    path.unlink(missing_ok=True)

    def found_in(self, scratch: Path | None) -> Run:
        """The run whose files were moved to another folder for ``scratch``, or lie where they were. Raises `StoreError`
        where they are not there.
        """
        self.writing.mkdir(exist_ok=True)
        run = self if scratch is None else dataclasses.replace(self, within=scratch.absolute())
        if run.scratch != self.scratch and run.scratch.is_dir():
            run.write()
            return run
        if not self.scratch.is_dir():
            if len(self.tiers(PLAN)) != len(self.tiers(BACKWARD)):
                raise StoreError(
                    f"the files of the solve that was cut off in {self.directory} are not in {self.scratch}; name the "
                    "folder that holds them by --scratch, or start again with --force"
                )
            self.make_scratch()  # nothing is begun yet, or all is done
        return self

    def so_far(self) -> str:
        """What is done, for people."""
        found, solved = len(self.tiers(FORWARD)), len(self.tiers(BACKWARD))
        return f"{found} tiers are found" + (f", {solved} of them solved" if solved else "")

    def tiers(self, kind: str) -> list[int]:
        """The tiers that have such a record."""
        return sorted(tier for tier, path in self._records(kind) if path.name == tier_name(tier))

    def tasks(self, kind: str) -> list[tuple[int, Path]]:
        """The tiers and the records of single tasks."""
        return sorted((tier, path) for tier, path in self._records(kind) if path.name != tier_name(tier))

    def _records(self, kind: str) -> Iterator[tuple[int, Path]]:
        for path in (self.partial / kind).iterdir():
            if (found := _OF_TIER.fullmatch(path.name)) is not None:
                yield int(found[1]), path


def _sealed(path: Path) -> dict[str, Any]:
    """What was written with a checksum."""
    try:
        data, sealed = read_sealed_json(path)
    except StoreError as error:
        raise StoreError(f"{error}; --force starts again") from None
    if not sealed or not isinstance(data, dict):
        raise StoreError(f"{path} is damaged; --force starts again")
    return data


def is_cut_off(directory: Path) -> bool:
    """Whether a solve in shards was begun in a directory and is not complete."""
    return (directory / PARTIAL / RUN).is_file()


def discard(directory: Path) -> None:
    """Remove what a solve in shards that was cut off has left outside its directory; the next solve empties that."""
    if is_cut_off(directory):
        with locked(directory, directory / PARTIAL / OWNER):
            SOLUTION.refuse_foreign(directory / PARTIAL)
            with contextlib.suppress(StoreError):
                Run.read(directory).drop_scratch()
            _forget(directory / PARTIAL)


def _forget(partial: Path) -> None:
    """Remove ``.partial``, and first what says that it goes on: what is left then is of no use to anybody."""
    with contextlib.suppress(OSError):
        (partial / RUN).unlink(missing_ok=True)
    sync_directory(partial)
    SOLUTION.remove(partial)


@functools.lru_cache(maxsize=4)
def _engine(directory: Path, run_id: str) -> Engine:
    """``run_id`` tells runs apart that lay in one directory, one after the other."""
    run = Run.read(directory)
    game = load_game(run.game)
    if game.rules_hash() != run.rules_hash:
        raise StoreError(f"{directory} is being solved by other rules than {run.game} has here; --force starts again")
    engine = make_engine(game, symmetry=run.symmetry, workers=Workers(1)).classes
    engine.prepare()
    return engine
