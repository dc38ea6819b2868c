"""Check that the files of a solution directory of any kind are as written: all of them, and no others."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from analysis.errors import GametreeError, StoreError, VerificationError
from analysis.machine.files import as_store_error
from analysis.solution.storage.directory import MANIFEST, PARTIAL, TIERS, part_path, tier_name
from analysis.solution.storage.parquet import record_of
from analysis.solution.storage.stored_tier import read_tier


@contextlib.contextmanager
def not_as_written(directory: Path) -> Iterator[None]:
    """Turn errors from malformed data into `VerificationError`."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, pa.ArrowException) as error:
        if isinstance(error, GametreeError):
            raise
        text = str(error).splitlines()[0] if str(error) else ""
        raise VerificationError(f"{directory}: not as written ({type(error).__name__}: {text})") from error


def read_tier_files(directory: Path, manifest: dict[str, Any], rules_hash: str) -> list[dict[str, Any]]:
    """Return the record of every tier. Raises `VerificationError` for one that is damaged or of another solution."""
    numbers = [row["tier"] for row in manifest["totals"]]
    if list(manifest[TIERS]) != [tier_name(number) for number in numbers]:
        raise VerificationError(f"{directory / MANIFEST}: {TIERS} and totals list different tiers")
    found = []
    for number in numbers:
        path = directory / TIERS / tier_name(number)
        try:
            recorded = read_tier(directory, number, manifest[TIERS][path.name])
        except StoreError as error:
            raise VerificationError(str(error) if path.exists() else f"{path}: missing") from None
        if recorded["rules_hash"] != rules_hash:
            raise VerificationError(f"{path}: does not belong to this solution")
        found.append(recorded)
    return found


def check_files(
    directory: Path,
    tiers: Sequence[dict[str, Any]],
    folders: Sequence[str],
    others: Iterable[dict[str, Any]] = (),
    *,
    sums: bool = True,
) -> int:
    """Check that every file is there with its size, checksum and rows, and no others: the manifest, the recorded files
    of the tiers in these folders, and ``others`` beside the manifest.

    Without ``sums`` files are not read, and only their sizes are checked. Returns the number of files. Raises
    `VerificationError`.
    """
    recorded = [(folder, part) for tier in tiers for folder in folders for part in tier[folder]]
    recorded += [("", part) for part in others]
    known = {directory / MANIFEST}
    known |= {directory / TIERS / tier_name(tier["tier"]) for tier in tiers}
    for folder, part in recorded:
        path = part_path(directory / folder, part)
        known.add(path)
        _check_file(path, part, sums)
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and PARTIAL not in path.parts):
        if path not in known:
            raise VerificationError(f"{path}: belongs to no tier")
    return len(known)


def first_difference(stored: pa.Table, wanted: pa.Table) -> tuple[int, str, Any, Any] | None:
    """Find where a table first differs from the ``wanted`` one: row, column, stored and wanted cell; column ``rows`` if
    their numbers differ. None if all columns of ``wanted`` are equal.

    >>> first_difference(pa.table({"state": [1, 2, 3], "value": [0, 0, 1]}), pa.table({"value": [0, 1, 1]}))
    (1, 'value', 0, 1)
    """
    rows = min(len(stored), len(wanted))
    found = [] if len(stored) == len(wanted) else [(rows, "rows", len(stored), len(wanted))]
    for name in reversed(wanted.column_names):
        columns = stored[name].slice(0, rows), wanted[name].slice(0, rows)
        if not columns[0].equals(columns[1]):
            pairs = enumerate(zip(*(column.to_pylist() for column in columns), strict=True))
            found += [(row, name, *pair) for row, pair in pairs if pair[0] != pair[1]][:1]
    return min(reversed(found), key=lambda each: each[0], default=None)


def _check_file(path: Path, part: dict[str, Any], sums: bool) -> None:
    if not path.is_file():
        raise VerificationError(f"{path}: missing")
    if not sums:
        if path.stat().st_size != part["bytes"]:
            raise VerificationError(f"{path}: damaged, its size does not match")
        return
    with as_store_error(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if (file.tell(), digest) != (part["bytes"], part["sha256"]):
            raise VerificationError(f"{path}: damaged, its size or checksum does not match")
        found = record_of(file, path.name, digest)
    if found["rows"] != part["rows"]:
        raise VerificationError(f"{path}: has {found['rows']} rows instead of {part['rows']}")
    if found != part:
        raise VerificationError(f"{path}: the checksums of its footer or columns do not match")
