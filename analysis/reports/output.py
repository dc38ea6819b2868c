"""The files of a report: all of them are put into place together, the page last; other files are left alone."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

from analysis.errors import StoreError
from analysis.files import as_store_error, reason, sync_directory
from analysis.reports import tables
from analysis.reports.figures import gallery

PAGE = "index.html"

FOLDERS = ("figures", "tables")

NAMES = frozenset(
    {
        *(f"figures/{name}.{form}" for name in gallery.NAMES for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in tables.NAMES),
        PAGE,
    }
)
"""Every file that a report can have."""


def check_directory(directory: Path) -> None:
    """Raise `StoreError` where no report can be written: what can be told before the work."""
    places = (directory, *directory.parents, *(directory / folder for folder in FOLDERS))
    with as_store_error(directory):
        for path in places:
            if path.exists() and not path.is_dir():
                raise StoreError(f"cannot write a report to {directory}: {path} is a file; --out names a directory")
        for name in sorted(NAMES):
            if (directory / name).is_dir():
                raise StoreError(f"cannot write a report to {directory}: {directory / name} is a directory")
        existing = next(path for path in (directory.absolute(), *directory.absolute().parents) if path.exists())
        if not os.access(existing, os.W_OK):
            raise StoreError(f"cannot write a report to {directory}: {existing} may not be written to")


def write_files(directory: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files with names out of `NAMES`, and remove those of an earlier report that are not among them. All are
    on the disk before the first is put into place. Raises `StoreError`.
    """
    unknown = set(files) - NAMES
    if unknown or PAGE not in files:
        raise ValueError(f"a report has a page and no file {', '.join(sorted(unknown))}")
    check_directory(directory)
    try:
        with _scratch(directory) as scratch:
            for name, data in files.items():
                _write(scratch / name, data)
            for folder in FOLDERS:
                (directory / folder).mkdir(exist_ok=True)
            for name in sorted(NAMES - set(files)):
                (directory / name).unlink(missing_ok=True)
            for name in sorted(files, key=lambda name: (name == PAGE, name)):
                (scratch / name).replace(directory / name)
            for folder in (*FOLDERS, "."):
                sync_directory(directory / folder)
    except OSError as error:
        raise StoreError(f"cannot write a report to {directory}: {reason(error)}") from None
    return [directory / name for name in files]


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _scratch(directory: Path) -> Iterator[Path]:
    """A directory inside, for files that are not complete yet. Nothing is left of it, nor of one of a process that is
    gone, nor of directories that were made for a report that then could not be written.
    """
    created = [path for path in (directory, *directory.parents) if not path.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    for left in directory.glob(".report.*.tmp"):
        number = left.name.split(".")[2]
        if number.isdecimal() and not psutil.pid_exists(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    scratch = directory / f".report.{os.getpid()}.tmp"
    try:
        scratch.mkdir(exist_ok=True)
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for path in (*(directory / folder for folder in FOLDERS), *created):
            with contextlib.suppress(OSError):
                path.rmdir()  # only if it is empty
