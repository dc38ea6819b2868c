"""Write and open solution directories; the layout is described in docs/solution-directory.md.

All files of a solution are written into ``DIR/.partial`` first, each complete or absent, and moved into place together
once the last is on the disk; the manifest is moved last. A directory is a solution if and only if it holds a manifest.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import tables
from analysis.engine import Engine
from analysis.errors import PositionError, StoreError
from analysis.files import atomic_file, read_json, reason, sync_directory, write_json
from analysis.paths import OptimalPaths
from analysis.tiers import COUNT_COLUMNS, SolvedTier, Tier

SCHEMA = 1
MANIFEST = "manifest.json"
PARTIAL = ".partial"
PATHS = "optimal_paths.parquet"
ENTRIES = ("positions", "moves", "tiers", PATHS)


class Writer:
    """Writes a solution directory, tier by tier; as a context manager it leaves nothing behind unless finished."""

    def __init__(self, directory: Path, engine: Engine, *, moves: bool = False, text: bool = False) -> None:
        self.directory, self.partial = directory, directory / PARTIAL
        self._engine, self._moves, self._text = engine, moves, text
        self._below: SolvedTier | None = None

    def __enter__(self) -> Writer:
        _refuse_foreign(self.directory)
        with _as_store_error(self.directory):
            self._created = [path for path in (self.directory, *self.directory.parents) if not path.exists()]
            shutil.rmtree(self.partial, ignore_errors=True)
            for name in ("positions", "tiers", *(["moves"] if self._moves else [])):
                (self.partial / name).mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.partial, ignore_errors=True)
        for path in self._created if kind is not None else ():
            with contextlib.suppress(OSError):
                path.rmdir()

    def write_tier(self, tier: Tier) -> None:
        """Write the files of a tier, then its JSON. Tiers come from the last to the first."""
        parts = [(number, slice(low, low + tables.PART)) for number, low in enumerate(range(0, len(tier), tables.PART))]
        positions = list(self._engine.workers.map(functools.partial(self._write_positions, tier), parts))
        moves = list(self._engine.workers.map(functools.partial(self._write_moves, tier), parts)) if self._moves else []
        sync_directory(self.partial / "positions")
        data = {
            "tier": tier.ply,
            "rows": len(tier),
            "rules_hash": self._engine.game.rules_hash(),
            "positions": positions,
            "moves": moves,
        }
        write_json(self.partial / "tiers" / f"tier-{tier.ply:04d}.json", data)
        self._below = tier

    def _write_positions(self, tier: Tier, part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        texts = self._engine.game.format_positions(tier.states[rows]) if self._text else None
        table = tables.position_table(tier.chunk(rows), texts)
        return tables.write_table(self.partial / "positions" / _part_name(tier.ply, number), table)

    def _write_moves(self, tier: Tier, part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        chunk = tier.chunk(rows)
        table = move_rows(self._engine, chunk.states, chunk.value, self._below)
        return tables.write_table(self.partial / "moves" / _part_name(tier.ply, number), table)

    def write_paths(self, paths: OptimalPaths) -> None:
        """Write ``optimal_paths.parquet``."""
        write_paths(self.partial / PATHS, paths, paths.blocks())

    def finish(self, manifest: dict[str, Any]) -> None:
        """Move everything into place, the manifest last; an earlier solution is taken away just before."""
        with _as_store_error(self.directory):
            write_json(self.partial / MANIFEST, {"schema": SCHEMA, **manifest})
            (self.directory / MANIFEST).unlink(missing_ok=True)
            for name in ENTRIES:
                _remove(self.directory / name)
                if (self.partial / name).exists():
                    (self.partial / name).replace(self.directory / name)
            sync_directory(self.directory)
            (self.partial / MANIFEST).replace(self.directory / MANIFEST)
            sync_directory(self.directory)


def move_rows(engine: Engine, states: np.ndarray, values: np.ndarray, below: SolvedTier | None) -> pa.Table:
    """The moves of some states of a tier; ``below`` is the next tier, None where no state has a move."""
    pieces = []
    for chunk in engine.chunks(len(states)):
        rows, codes, children = engine.expand_moves(states[chunk])
        optimal = np.zeros(len(rows), dtype=bool)
        if below is not None:
            optimal = below.value[np.searchsorted(below.states, children)] == values[chunk][rows]
        pieces.append(tables.move_table(states[chunk][rows], codes, children, optimal))
    return pa.concat_tables(pieces)


def write_paths(path: Path, paths: OptimalPaths, blocks: Iterator[bytes]) -> None:
    """Blocks of optimal paths as Parquet, ``path``, ``outcome`` and ``plies``, streamed."""
    schema = pa.schema([("path", pa.string()), ("outcome", pa.string()), ("plies", pa.int16())])
    with atomic_file(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for block in blocks:
            texts = block.decode("ascii").split("\n")[:-1]
            plies = [paths.plies(text) for text in texts]
            writer.write_table(pa.table([texts, [paths.outcome] * len(texts), plies], schema=schema))


def is_solution(directory: Path) -> bool:
    """Whether a directory holds a solution: whether it holds a manifest."""
    return (directory / MANIFEST).is_file()


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest. Raises `StoreError` where there is none, or one of a schema this version cannot read."""
    if not is_solution(directory):
        raise StoreError(f"{directory} is no solution directory: it has no {MANIFEST}")
    manifest: dict[str, Any] = read_json(directory / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise StoreError(f"{directory / MANIFEST} has a schema this version cannot read; it reads schema {SCHEMA}")
    return manifest


class StoredTier:
    """A tier on the disk. Columns are read whole when first asked for; one state is looked up by its row group."""

    def __init__(self, directory: Path, ply: int, rows: int, parts: list[dict[str, Any]]) -> None:
        self.ply, self._rows = ply, rows
        self._paths = [directory / "positions" / part["file"] for part in parts]
        self._row_group = functools.lru_cache(maxsize=16)(self._read_row_group)

    @classmethod
    def open(cls, directory: Path, ply: int) -> StoredTier:
        """The tier, trusting its JSON file."""
        data = read_json(directory / "tiers" / f"tier-{ply:04d}.json")
        return cls(directory, ply, data["rows"], data["positions"])

    def __len__(self) -> int:
        return self._rows

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Some columns, or all."""
        pieces = []
        for number, file in enumerate(self._files):
            with _as_store_error(self._paths[number]):
                pieces.append(file.read(columns))
        return pa.concat_tables(pieces)

    def read_moves(self, directory: Path) -> pa.Table:
        """The tier's rows of ``moves/``."""
        files = sorted((directory / "moves").glob(f"tier-{self.ply:04d}-part-*.parquet"))
        with _as_store_error(directory / "moves"):
            return pa.concat_tables(pq.ParquetFile(file).read() for file in files)

    @functools.cached_property
    def states(self) -> np.ndarray:
        """Sorted canonical states, int64[n]."""
        return _writable(tables.array(self._column("state")))

    @functools.cached_property
    def value(self) -> np.ndarray:
        """int16[n]."""
        return _writable(tables.array(self._column("value")))

    @functools.cached_property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` where there is none."""
        return _writable(tables.remoteness_numbers(self._column("remoteness_plies")))

    def lookup(self, state: int) -> dict[str, int | None]:
        """The row of one canonical state; counts are None where they were left out."""
        for number, file in enumerate(self._files):
            for group in range(file.num_row_groups):
                bounds = file.metadata.row_group(group).column(0).statistics
                if bounds.min <= state <= bounds.max:
                    return self._lookup_in(self._row_group(number, group), state)
        raise _not_reached(state, self.ply)

    def _lookup_in(self, table: pa.Table, state: int) -> dict[str, int | None]:
        row = int(np.searchsorted(tables.array(table["state"]), state))
        if table["state"][row].as_py() != state:
            raise _not_reached(state, self.ply)
        found = {name: table[name][row].as_py() for name in table.column_names if name != "position"}
        counts = {name: None if found.get(name) is None else int(found[name]) for name in COUNT_COLUMNS}
        return {**found, **counts}

    @functools.cached_property
    def _files(self) -> list[pq.ParquetFile]:
        files = []
        for path in self._paths:
            with _as_store_error(path):
                files.append(pq.ParquetFile(path))
        return files

    def _read_row_group(self, number: int, group: int) -> pa.Table:
        with _as_store_error(self._paths[number]):
            return self._files[number].read_row_group(group)

    def _column(self, name: str) -> pa.ChunkedArray:
        return self.read([name])[name]


def _writable(array: np.ndarray) -> np.ndarray:
    """The array, copied if it lies in a file's buffer: the kernels take none that is read-only."""
    return np.require(array, requirements="W")


def _not_reached(state: int, ply: int) -> PositionError:
    return PositionError(f"state {state} is not reached at ply {ply}")


def _part_name(ply: int, number: int) -> str:
    return f"tier-{ply:04d}-part-{number:04d}.parquet"


def _refuse_foreign(directory: Path) -> None:
    """Refuse to write among files that are not ours."""
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory} is a file; --out names a directory")
    if directory.is_dir() and not is_solution(directory):
        with _as_store_error(directory):
            foreign = sorted({path.name for path in directory.iterdir()} - {*ENTRIES, PARTIAL})
        if foreign:
            raise StoreError(f"{directory} holds {foreign[0]!r} and no solution; choose an empty or a new directory")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: {reason(error).splitlines()[0]}") from None
