"""Solves in shards so small that little games have many, and what such a solve leaves."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.solution.storage.store import Tables
from analysis.solving.planning.costs import ShardSizes
from analysis.solving.sharded import block_file, driver, loops, run
from analysis.solving.to_directory import solve_to_directory

SIZES = ShardSizes(merged=600, states=400, asks=500)

SMALL_SHARDS = f"""
from analysis.solving.sharded import driver, run
from analysis.solving.planning.costs import ShardSizes
run.shard_sizes = lambda *arguments, **options: {SIZES!r}
driver.SMALL = 200
"""
"""The same for a program."""

SMALL_RANGES = """
from analysis.solving.sharded import block_file, loops, run
run.LEAST_RANGE, block_file.BLOCK, loops.PERIOD = 100, 16, 0.05
"""
"""Small ranges of tiers in which play returns, for a program; files are cut where blocks begin."""


def use_small_shards(monkeypatch: Any, sizes: ShardSizes = SIZES) -> None:
    """Have shards of some hundred states, and tasks for all but the smallest tiers."""
    monkeypatch.setattr(run, "shard_sizes", lambda *arguments, **options: sizes)
    monkeypatch.setattr(driver, "SMALL", 200)


def use_small_ranges(monkeypatch: Any, least: int = 100, block: int = 16) -> None:
    """Have small ranges of tiers in which play returns, and waves that often note where they are."""
    monkeypatch.setattr(run, "LEAST_RANGE", least)
    monkeypatch.setattr(block_file, "BLOCK", block)
    monkeypatch.setattr(loops, "PERIOD", 0.05)


def solved_by_one(game: str, directory: Path, *, counts: bool = True) -> dict[str, str]:
    """The files of a solve in small shards by one worker that nobody cuts off."""
    with pytest.MonkeyPatch.context() as patch:
        use_small_shards(patch)
        with analysis.running(workers=1, sharded=True):
            solve_to_directory(game, directory, tables=Tables(counts=counts))
    return bytes_of(directory)


def rows_of(directory: Path) -> dict[str, pa.Table]:
    """The tables of a solution, tier by tier."""
    found = {}
    for path in sorted((directory / "tiers").iterdir()):
        tier = json.loads(path.read_text())
        for folder in ("positions", "moves"):
            if tier[folder]:
                parts = [pq.read_table(directory / folder / part["file"]) for part in tier[folder]]
                found[f"{folder} {path.stem}"] = pa.concat_tables(parts).combine_chunks()
    return found


def manifest_numbers(directory: Path) -> dict[str, Any]:
    """The manifest without the checksums, which tell how tables are cut into files."""
    manifest = json.loads((directory / "manifest.json").read_text())
    return {name: value for name, value in manifest.items() if name not in ("tiers", "sha256")}


def bytes_of(directory: Path) -> dict[str, str]:
    """A checksum of every file."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
