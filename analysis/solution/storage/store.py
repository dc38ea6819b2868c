"""Write and open the directories of ordinary solutions.

`analysis.solution.storage.directory` keeps directories of any kind complete.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from types import EllipsisType
from typing import Any

import pyarrow as pa

from ...common.arguments import NATURAL, fits
from ...engine import columns
from ...engine.census import TOTALS_FORM
from ...engine.columns import text_column
from ...engine.engine import Engine
from ...engine.tiers import SolvedTier, Tier
from ...errors import StoreError
from ...games.families import BIDDING
from ..lookup import move_rows
from . import parquet
from .directory import (
    MANIFEST,
    PART_FORM,
    SYMMETRY_FORM,
    SolutionDirectory,
    open_manifest,
    part_name,
)


@dataclasses.dataclass(frozen=True)
class Tables:
    """The tables of a solution directory besides positions with their values."""

    counts: bool = True
    moves: bool = False
    text: bool = False
    paths: bool = False

    def described(self) -> str:
        """Return the options that ask for these tables.

        >>> Tables(counts=False, moves=True).described()
        '--no-counts --moves'
        """
        chosen = [f"--{name}" for name in ("moves", "text", "paths") if getattr(self, name)]
        return " ".join([*([] if self.counts else ["--no-counts"]), *chosen]) or "only its counts"

    @property
    def folders(self) -> list[str]:
        """The folders of tables."""
        return ["positions", *(["moves"] if self.moves else [])]


def write_tier(
    place: SolutionDirectory, engine: Engine, tier: Tier, below: Mapping[int, SolvedTier], tables: Tables
) -> None:
    """Write the files of a tier, then its JSON. ``below`` holds the tiers that its moves lead to."""
    rows = [slice(low, low + columns.PART) for low in range(0, len(tier), columns.PART)]

    def write(function: Callable[..., dict[str, Any]], wanted: Any) -> list[dict[str, Any]]:
        """Each part, by one of the functions below."""

        def one(number: int) -> dict[str, Any]:
            return function(place.partial, engine, number, tier.chunk(rows[number]), wanted)

        return list(engine.workers.map(one, range(len(rows))))

    record_tier(
        place,
        engine.game.rules_hash(),
        tier.number,
        positions=write(write_positions, tables.text),
        moves=write(write_moves, below) if tables.moves else [],
    )


def record_tier(
    place: SolutionDirectory,
    rules_hash: str,
    number: int,
    *,
    positions: list[dict[str, Any]],
    moves: list[dict[str, Any]],
) -> None:
    """Write the JSON of a tier whose parts are complete, given the results of `write_positions` and `write_moves`."""
    rows = sum(part["rows"] for part in positions)
    described = {"tier": number, "rows": rows, "rules_hash": rules_hash, "positions": positions, "moves": moves}
    place.write_tier_json(number, described)


def write_positions(partial: Path, engine: Engine, number: int, part: Tier, text: bool) -> dict[str, Any]:
    """Write some rows of a tier as part ``number`` of its positions, optionally with ``text``; return its record."""
    table = part.table()
    if text:
        field = pa.field("position", pa.string(), nullable=False)
        table = table.append_column(field, text_column(engine.game.format_positions(part.states)))
    return parquet.write_table(partial / "positions" / part_name(part.number, number), table)


def write_moves(
    partial: Path, engine: Engine, number: int, part: Tier, below: Mapping[int, SolvedTier]
) -> dict[str, Any]:
    """Write the moves of some rows of a tier as part ``number``; ``below`` holds the tiers they lead to."""
    chunks = engine.chunks(len(part))
    tables = [move_rows(engine, part.number, part.states[each], part.value[each], below) for each in chunks]
    return parquet.write_table(partial / "moves" / part_name(part.number, number), pa.concat_tables(tables))


_FORMS: dict[str, Any] = {
    "gametree": str, "game": str, "start": NATURAL, "loopy": bool, "by_ply": bool, "parameters": dict,
    "rules_hash": str, "symmetry": SYMMETRY_FORM, "tables": dict.fromkeys(("counts", "moves", "text", "paths"), bool),
    "totals": [TOTALS_FORM], "paths_file": (PART_FORM, None),
    "games": (dict.fromkeys(("X", "O", "tie", "total"), int), None),
    **dict.fromkeys(("value", "canonical"), int),
    **dict.fromkeys(("positions", "moves", "remoteness_plies", "histories"), (int, None)),
    **dict.fromkeys(("optimal_paths", "quotient_paths", "games_up_to_symmetry"), (int, None)),
    "promises": ({"tried": int, "of": (int, None)}, EllipsisType),
}  # fmt: skip


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest. Raises `StoreError` if it is missing, damaged or of another kind."""
    manifest = open_manifest(directory)
    if "kind" in manifest:
        what = "of a bidding game" if manifest["kind"] == BIDDING else "which this version cannot read"
        raise StoreError(f"{directory} holds a solution of the kind {manifest['kind']!r}, {what}")
    wrong = [name for name, form in _FORMS.items() if not fits(manifest.get(name, ...), form)]
    if not wrong:
        wrong += [] if manifest["totals"] else ["totals"]
        wrong += [] if manifest["tables"]["counts"] == (manifest["optimal_paths"] is not None) else ["optimal_paths"]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or not as written")
    return manifest
