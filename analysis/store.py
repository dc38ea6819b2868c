"""Write and open solution directories; the layout is described in docs/solution-directory.md.

All files of a solution are written into ``DIR/.partial`` first, each complete or absent, and moved into place together
once the last is on the disk; the manifest is moved last. A directory is a solution if and only if it holds a manifest.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import tables
from analysis.engine import Engine
from analysis.errors import StoreError
from analysis.files import as_store_error, atomic_file, describe, read_json, require_disk, sync_directory, write_json
from analysis.paths import OptimalPaths
from analysis.symmetry import KINDS
from analysis.tiers import NOT_TOGETHER, SolvedTier, Tier
from analysis.totals import TOTALS_KEYS

SCHEMA = 2
MANIFEST = "manifest.json"
PARTIAL = ".partial"
PATHS = "optimal_paths.parquet"
ENTRIES = ("positions", "moves", "tiers", PATHS)


class Writer:
    """Writes a solution directory, tier by tier; as a context manager it leaves nothing behind unless finished."""

    def __init__(self, directory: Path, engine: Engine, *, moves: bool = False, text: bool = False) -> None:
        self.directory, self.partial = directory, directory / PARTIAL
        self._engine, self._moves, self._text = engine, moves, text

    def __enter__(self) -> Writer:
        self._stack = contextlib.ExitStack()
        with as_store_error(self.directory), contextlib.ExitStack() as stack:
            created = [path for path in (self.directory, *self.directory.parents) if not path.exists()]
            _refuse_foreign(self.directory)
            self.directory.mkdir(parents=True, exist_ok=True)
            stack.callback(_remove_empty, created)
            stack.enter_context(_locked(self.directory))
            stack.callback(shutil.rmtree, self.partial, ignore_errors=True)
            shutil.rmtree(self.partial, ignore_errors=True)
            for name in ("positions", "tiers", *(["moves"] if self._moves else [])):
                (self.partial / name).mkdir(parents=True)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def write_tier(self, tier: Tier, below: Mapping[int, SolvedTier]) -> None:
        """Write the files of a tier, then its JSON. ``below`` holds the tiers that its moves lead to."""
        parts = [(number, slice(low, low + tables.PART)) for number, low in enumerate(range(0, len(tier), tables.PART))]
        positions = list(self._engine.workers.map(functools.partial(self._write_positions, tier), parts))
        write_moves = functools.partial(self._write_moves, tier, below)
        moves = list(self._engine.workers.map(write_moves, parts)) if self._moves else []
        data = {
            "tier": tier.number,
            "rows": len(tier),
            "rules_hash": self._engine.game.rules_hash(),
            "positions": positions,
            "moves": moves,
        }
        write_json(self.partial / "tiers" / f"tier-{tier.number:04d}.json", data)

    def _write_positions(self, tier: Tier, part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        table = tier.chunk(rows).table()
        if self._text:
            texts = self._engine.game.format_positions(tier.states[rows])
            table = table.append_column("position", pa.array(texts, type=pa.string()))
        return tables.write_table(self.partial / "positions" / _part_name(tier.number, number), table)

    def _write_moves(self, tier: Tier, below: Mapping[int, SolvedTier], part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        table = move_rows(self._engine, tier.number, tier.states[rows], tier.value[rows], below)
        return tables.write_table(self.partial / "moves" / _part_name(tier.number, number), table)

    def write_paths(self, paths: OptimalPaths) -> dict[str, Any]:
        """Write ``optimal_paths.parquet``; return what the manifest records of it."""
        require_disk_for(paths, self.directory)
        rows = write_paths(self.partial / PATHS, paths, paths.blocks())
        return describe(self.partial / PATHS, rows)

    def finish(self, manifest: dict[str, Any]) -> None:
        """Move everything into place, the manifest last; an earlier solution is taken away just before."""
        for name in ("positions", "moves", "tiers"):
            sync_directory(self.partial / name)
        write_json(self.partial / MANIFEST, {"schema": SCHEMA, **manifest})
        sync_directory(self.partial)
        with as_store_error(self.directory):
            _move_into_place(self.directory)


def recover(directory: Path) -> None:
    """If a solve was cut off after its last file was written, while moving its files into place, go on with that."""
    if (directory / PARTIAL / MANIFEST).is_file():
        with as_store_error(directory), _locked(directory):
            if (directory / PARTIAL / MANIFEST).is_file():
                _move_into_place(directory)
                shutil.rmtree(directory / PARTIAL, ignore_errors=True)


def _move_into_place(directory: Path) -> None:
    """From ``.partial`` into the directory; where it is cut off, doing it again completes it."""
    partial, old = directory / PARTIAL, directory / PARTIAL / "old"
    holds = read_json(partial / MANIFEST)["tables"]
    wanted = {"positions", "tiers", *(["moves"] if holds["moves"] else []), *([PATHS] if holds["paths"] else [])}
    old.mkdir(exist_ok=True)
    (directory / MANIFEST).unlink(missing_ok=True)
    for name in ENTRIES:
        arrives = (partial / name).exists()
        if (arrives or name not in wanted) and (directory / name).exists():
            (directory / name).replace(old / f"{name}-{len(list(old.iterdir()))}")
        if arrives:
            (partial / name).replace(directory / name)
    sync_directory(directory)
    (partial / MANIFEST).replace(directory / MANIFEST)
    sync_directory(directory)


def move_rows(
    engine: Engine, tier: int, states: np.ndarray, values: np.ndarray, below: Mapping[int, SolvedTier]
) -> pa.Table:
    """The moves of some states of a tier; ``below`` holds at least the tiers that they lead to."""
    pieces = []
    for chunk in engine.chunks(len(states)):
        rows, codes, children, tiers = _expand(engine, tier, states[chunk])
        worth = np.empty(len(rows), dtype=np.int16)
        for number in np.unique(tiers).tolist():
            lead = tiers == number
            worth[lead] = _values(below.get(number), children[lead])
        pieces.append(tables.move_table(states[chunk][rows], codes, children, worth == values[chunk][rows]))
    return pa.concat_tables(pieces)


def _expand(engine: Engine, tier: int, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Every move of the states: row of the state, code, child, and the child's tier."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return rows, codes, children, np.full(len(rows), tier + 1)
    expanded = engine.expand_tiers(states).kept()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return rows, expanded.codes, expanded.children, expanded.tiers


def _values(tier: SolvedTier | None, states: np.ndarray) -> np.ndarray:
    """The values of states that are in a tier."""
    places = np.minimum(np.searchsorted(tier.states, states), len(tier) - 1) if tier is not None else 0
    if tier is None or (tier.states[places] != states).any():
        raise StoreError(NOT_TOGETHER)
    return tier.value[places]


def require_disk_for(paths: OptimalPaths, path: Path) -> None:
    """Raise `StoreError` if so many paths cannot fit the disk, at the two bytes that the best compressed ones take."""
    if paths.counted:
        require_disk(path, 2 * paths.count, f"{paths.count:,} optimal paths")


def write_paths(path: Path, paths: OptimalPaths, blocks: Iterator[bytes]) -> int:
    """Blocks of optimal paths as Parquet, ``path``, ``outcome`` and ``plies``, streamed. Returns how many."""
    schema = pa.schema([("path", pa.string()), ("outcome", pa.string()), ("plies", pa.int16())])
    rows = 0
    with atomic_file(path) as file, as_store_error(path), pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for block in blocks:
            texts = block.decode("ascii").split("\n")[:-1]
            plies = [paths.plies(text) for text in texts]
            writer.write_table(pa.table([texts, [paths.outcome] * len(texts), plies], schema=schema))
            rows += len(texts)
    return rows


def is_solution(directory: Path) -> bool:
    """Whether a directory holds a solution: whether it holds a manifest."""
    return (directory / MANIFEST).is_file()


_MANIFEST_KINDS: dict[str, type | tuple[type, ...]] = {
    "gametree": str, "game": str,
    "parameters": dict, "rules_hash": str, "symmetry": dict, "tables": dict, "totals": list,
    **dict.fromkeys(("value", "positions", "canonical", "moves"), int),
    "games": (dict, type(None)), "paths_file": (dict, type(None)),
    **dict.fromkeys(
        ("remoteness_plies", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry"), (int, type(None))
    ),
}  # fmt: skip


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest. Raises `StoreError` where there is none, or one that this version cannot read."""
    if not is_solution(directory):
        raise StoreError(f"{directory} is no solution directory: it has no {MANIFEST}")
    manifest: dict[str, Any] = read_json(directory / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise StoreError(f"{directory / MANIFEST} has a schema this version cannot read; it reads schema {SCHEMA}")
    wrong = [name for name, kind in _MANIFEST_KINDS.items() if not isinstance(manifest.get(name, ...), kind)]
    if not wrong:
        described = set(manifest["symmetry"]) == {"kind", "order"} and manifest["symmetry"]["kind"] in KINDS
        wrong += [] if described else ["symmetry"]
        tables_are = manifest["tables"].values()
        named = set(manifest["tables"]) == {"counts", "moves", "text", "paths"}
        wrong += [] if named and all(isinstance(value, bool) for value in tables_are) else ["tables"]
        rows = all(isinstance(row, dict) and set(row) == TOTALS_KEYS for row in manifest["totals"])
        wrong += [] if rows and manifest["totals"] else ["totals"]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or no longer what was written")
    return manifest


def _part_name(tier: int, number: int) -> str:
    return f"tier-{tier:04d}-part-{number:04d}.parquet"


def _refuse_foreign(directory: Path) -> None:
    """Refuse to write among files that are not ours."""
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory} is a file; --out names a directory")
    if directory.is_dir() and not is_solution(directory):
        with as_store_error(directory):
            foreign = sorted({path.name for path in directory.iterdir()} - {*ENTRIES, PARTIAL})
        if foreign:
            raise StoreError(f"{directory} holds {foreign[0]!r} and no solution; choose an empty or a new directory")


def _remove_empty(directories: list[Path]) -> None:
    """Remove directories, the innermost first, as far as they are empty."""
    for path in directories:
        with contextlib.suppress(OSError):
            path.rmdir()


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the only lock on a directory; the system gives it back however the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two solves of one directory at a time are not noticed there
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StoreError(f"another solve is writing into {directory}; wait for it, or choose another --out") from None
    finally:
        os.close(descriptor)
