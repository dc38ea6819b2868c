"""Whether the files of a solution directory, of whatever kind, are what was written: all of them, and no other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.errors import GametreeError, StoreError, VerificationError
from analysis.machine.files import as_store_error, describe, read_json
from analysis.storage.directory import MANIFEST, PARTIAL, TIERS


@contextlib.contextmanager
def not_as_written(directory: Path) -> Iterator[None]:
    """Turn what goes wrong with data of a form that was never written into a `VerificationError`."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, pa.ArrowException) as error:
        if isinstance(error, GametreeError):
            raise
        text = str(error).splitlines()[0] if str(error) else ""
        raise VerificationError(f"{directory}: not what was written ({type(error).__name__}: {text})") from error


def read_tier_file(directory: Path, number: int, rules_hash: str) -> dict[str, Any]:
    """What is recorded of a tier. Raises `VerificationError` where it is damaged or of another solution."""
    path = directory / TIERS / f"tier-{number:04d}.json"
    try:
        data: dict[str, Any] = read_json(path)
        consistent = data["tier"] == number and data["rules_hash"] == rules_hash
        consistent &= data["rows"] == sum(part["rows"] for part in data["positions"])
    except (StoreError, KeyError, TypeError) as error:
        raise VerificationError(f"{path}: missing or damaged ({error})") from None
    if not consistent:
        raise VerificationError(f"{path}: does not belong to this solution, or its rows do not add up")
    return data


def check_files(
    directory: Path, tiers: Sequence[dict[str, Any]], folders: Sequence[str], others: Iterable[dict[str, Any]] = ()
) -> int:
    """Check that every file is there with its size, checksum and rows, and no other: the manifest, what is recorded of
    the tiers in these folders, and ``others`` beside the manifest. Returns how many. Raises `VerificationError`.
    """
    recorded = [(folder, part) for tier in tiers for folder in folders for part in tier[folder]]
    recorded += [("", part) for part in others]
    known = {directory / MANIFEST}
    known |= {directory / TIERS / f"tier-{tier['tier']:04d}.json" for tier in tiers}
    for folder, part in recorded:
        path = directory / folder / part["file"]
        known.add(path)
        _check_file(path, part)
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and PARTIAL not in path.parts):
        if path not in known:
            raise VerificationError(f"{path}: belongs to no tier")
    return len(known)


def _check_file(path: Path, part: dict[str, Any]) -> None:
    if not path.is_file():
        raise VerificationError(f"{path}: missing")
    if describe(path, part["rows"]) != part:
        raise VerificationError(f"{path}: damaged, its size or checksum is not the recorded one")
    with as_store_error(path):
        rows = pq.read_metadata(path).num_rows
    if rows != part["rows"]:
        raise VerificationError(f"{path}: has {rows} rows, not the recorded {part['rows']}")
