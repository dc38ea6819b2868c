"""Write and open the directories of ordinary solutions; docs/solution-directory.md describes the tables.

What keeps a directory whole, whatever kind of solution it holds, is in `analysis.storage.directory`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from analysis.engine import columns
from analysis.engine.census import TOTALS_FORM
from analysis.engine.engine import Engine
from analysis.engine.tiers import SolvedTier, Tier
from analysis.errors import StoreError
from analysis.machine.files import as_store_error, atomic_file, require_disk
from analysis.machine.json_forms import NATURAL, fits
from analysis.solution.lookup import move_rows
from analysis.solution.paths import OptimalPaths
from analysis.storage import parquet
from analysis.storage.directory import (
    MANIFEST,
    PART_FORM,
    PATHS,
    SYMMETRY_FORM,
    SolutionDirectory,
    open_manifest,
    part_name,
)
from analysis.storage.row_files import text_column
from analysis.storage.stored_tier import StoredTier

_KINDS = {"bidding": "the solution of a bidding game; paths, prune and audit do not read it (in Python open_bidding)"}


class Writer:
    """Writes a solution directory, tier by tier; as a context manager it leaves nothing behind unless finished."""

    def __init__(self, directory: Path, engine: Engine, *, moves: bool = False, text: bool = False) -> None:
        self._place = SolutionDirectory(directory, ["positions", *(["moves"] if moves else [])])
        self.directory, self.partial = directory, self._place.partial
        self._engine, self._moves, self._text = engine, moves, text

    def __enter__(self) -> Writer:
        self._place.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._place.__exit__(kind, error, trace)

    def write_tier(self, tier: Tier, below: Mapping[int, SolvedTier]) -> None:
        """Write the files of a tier, then its JSON. ``below`` holds the tiers that its moves lead to."""
        parts = [
            (number, slice(low, low + columns.PART)) for number, low in enumerate(range(0, len(tier), columns.PART))
        ]
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
        self._place.write_tier_json(tier.number, data)

    def stored_tier(self, number: int) -> StoredTier:
        """A tier that has been written."""
        return StoredTier.open(self.partial, number, self._place.tier_sums[number])

    def _write_positions(self, tier: Tier, part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        table = tier.chunk(rows).table()
        if self._text:
            texts = self._engine.game.format_positions(tier.states[rows])
            table = table.append_column("position", text_column(texts))
        return parquet.write_table(self.partial / "positions" / part_name(tier.number, number), table)

    def _write_moves(self, tier: Tier, below: Mapping[int, SolvedTier], part: tuple[int, slice]) -> dict[str, Any]:
        number, rows = part
        table = move_rows(self._engine, tier.number, tier.states[rows], tier.value[rows], below)
        return parquet.write_table(self.partial / "moves" / part_name(tier.number, number), table)

    def write_paths(self, paths: OptimalPaths) -> dict[str, Any]:
        """Write ``optimal_paths.parquet``; return what the manifest records of it."""
        require_disk_for(paths, self.directory)
        write_paths(self.partial / PATHS, paths, paths.blocks())
        return parquet.describe(self.partial / PATHS)

    def finish(self, manifest: dict[str, Any]) -> None:
        """Move everything into place, the manifest last; an earlier solution is taken away just before."""
        self._place.finish(manifest)


def require_disk_for(paths: OptimalPaths, path: Path) -> None:
    """Raise `StoreError` if so many paths cannot fit the disk, at the two bytes that the best compressed ones take."""
    if paths.counted:
        require_disk(path, 2 * paths.count, f"{paths.count:,} optimal paths")


def write_paths(path: Path, paths: OptimalPaths, blocks: Iterator[bytes]) -> None:
    """Blocks of optimal paths as Parquet, ``path``, ``outcome`` and ``plies``, streamed."""
    schema = pa.schema([("path", pa.string()), ("outcome", pa.string()), ("plies", pa.int16())])
    with atomic_file(path) as file, as_store_error(path), parquet.parquet_writer(file, schema) as writer:
        for block in blocks:
            texts = block.decode("ascii").split("\n")[:-1]
            plies = [paths.plies(text) for text in texts]
            writer.write_table(pa.table([texts, [paths.outcome] * len(texts), plies], schema=schema))


_FORMS: dict[str, Any] = {
    "gametree": str, "game": str, "start": NATURAL, "loopy": bool, "by_ply": bool, "parameters": dict,
    "rules_hash": str, "symmetry": SYMMETRY_FORM, "tables": dict.fromkeys(("counts", "moves", "text", "paths"), bool),
    "totals": [TOTALS_FORM], "paths_file": (PART_FORM, None),
    "games": (dict.fromkeys(("X", "O", "tie", "total"), int), None),
    **dict.fromkeys(("value", "positions", "canonical", "moves"), int),
    **dict.fromkeys(
        ("remoteness_plies", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry"), (int, None)
    ),
}  # fmt: skip


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest. Raises `StoreError` where there is none, one of another kind, or one that cannot be read."""
    manifest = open_manifest(directory)
    if "kind" in manifest:
        other = f"a solution of the kind {manifest['kind']!r}, which this version cannot read"
        raise StoreError(f"{directory} holds {_KINDS.get(manifest['kind'], other)}")
    wrong = [name for name, form in _FORMS.items() if not fits(manifest.get(name, ...), form)]
    if not wrong:
        wrong += [] if manifest["totals"] else ["totals"]
        wrong += [] if manifest["tables"]["counts"] == (manifest["optimal_paths"] is not None) else ["optimal_paths"]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or no longer what was written")
    return manifest
