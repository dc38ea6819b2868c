"""The files of a report. One process at a time writes them; a page means that all the others are there."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.errors import OptionError, StoreError
from analysis.machine.files import locked, reason, sync_directory
from analysis.reports import report_tables
from analysis.reports.figures import gallery
from analysis.reports.report_words import printable

PAGE = "index.html"

FOLDERS = ("figures", "tables")

NAMES = frozenset(
    {
        *(f"figures/{name}.{form}" for name in gallery.FIGURES for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in report_tables.NAMES),
        PAGE,
    }
)
"""Every file that a report can have."""

SCRATCH = ".report.tmp"
"""Where files wait until all are complete. One that is left is of a run that was killed, perhaps with half of its files
in place.
"""

_HEAD = re.compile(
    r'\s*<!doctype html>\s*<html lang="en">\s*<head>\s*<meta charset="utf-8">\s*'
    r'<meta name="generator" content="gametree [^"]*">\s*<meta name="gametree-game" content="([^"]*)">'
)


@dataclasses.dataclass(frozen=True)
class Place:
    """A directory that is one process's to write a report to."""

    directory: Path

    def write(self, files: Mapping[str, bytes]) -> list[Path]:
        """Write files with names out of `NAMES`, and remove those of an earlier report that are not among them. All are
        on the disk before the first is put into place; the earlier page goes first and the new one comes last, so that
        a page and its files always belong together. Raises `StoreError`.
        """
        unknown = set(files) - NAMES
        if unknown or PAGE not in files:
            raise ValueError(f"a report has a page and no file {', '.join(sorted(unknown))}")
        with _refusals(self.directory):
            for name, data in files.items():
                _write(self.directory / SCRATCH / name, data)
            for folder in FOLDERS:
                (self.directory / folder).mkdir(exist_ok=True)
            self._put(files)
        return [self.directory / name for name in files]

    def _put(self, files: Mapping[str, bytes]) -> None:
        """Into place, in an order that survives being stopped anywhere."""
        (self.directory / PAGE).unlink(missing_ok=True)
        sync_directory(self.directory)
        for name in sorted(NAMES - {PAGE}):
            if name in files:
                (self.directory / SCRATCH / name).replace(self.directory / name)
            else:
                (self.directory / name).unlink(missing_ok=True)
        for folder in FOLDERS:
            sync_directory(self.directory / folder)
        (self.directory / SCRATCH / PAGE).replace(self.directory / PAGE)
        sync_directory(self.directory)


@contextlib.contextmanager
def claim(directory: Path, spec: str) -> Iterator[Place]:
    """Keep a directory for a report of the game of this specification. Nothing is left of it if no report is written.
    Raises what `check_place` raises.
    """
    scratch = directory / SCRATCH
    with _held(directory, spec):
        try:
            with _refusals(directory):
                shutil.rmtree(scratch, ignore_errors=True)
                scratch.mkdir()
            yield Place(directory)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            if _half_written(directory):
                scratch.mkdir(exist_ok=True)  # still to be told from files of somebody's own


def check_place(directory: Path, spec: str) -> None:
    """Raise `StoreError` for a directory that no report can be written to, and `OptionError` where the report of
    another game is there: what can be told before the work. Nothing is left of it.
    """
    with _held(directory, spec):
        pass


@contextlib.contextmanager
def _held(directory: Path, spec: str) -> Iterator[None]:
    """The directory, made if need be, checked, and this process's alone. Folders that are left empty are removed."""
    check_path(directory)
    created = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        with _refusals(directory):
            directory.mkdir(parents=True, exist_ok=True)
        with locked(directory):
            check_contents(directory, spec)
            yield
    finally:
        for path in (*(directory / folder for folder in FOLDERS), *created):
            with contextlib.suppress(OSError):
                path.rmdir()  # only if it is empty


def _half_written(directory: Path) -> bool:
    """Whether files of a report are there and its page is not."""
    return not (directory / PAGE).exists() and any((directory / name).exists() for name in NAMES)


def check_path(directory: Path) -> None:
    """Raise `StoreError` where there can be no such directory."""
    with _refusals(directory):
        for path in (directory, *directory.parents, *(directory / folder for folder in FOLDERS)):
            if path.is_symlink() and not path.exists():
                raise StoreError(f"cannot write a report to {directory}: {path} is a link to what is not there")
            if path.exists() and not path.is_dir():
                raise StoreError(f"cannot write a report to {directory}: {path} is a file; --out names a directory")
        existing = next(path for path in (directory.absolute(), *directory.absolute().parents) if path.exists())
        if not os.access(existing, os.W_OK):
            raise StoreError(f"cannot write a report to {directory}: {existing} may not be written to")


def check_contents(directory: Path, spec: str) -> None:
    """Raise `StoreError` for a directory with files that a report would replace and that are of none, and `OptionError`
    for one with the report of another game.
    """
    with _refusals(directory):
        taken = sorted(name for name in NAMES if os.path.lexists(directory / name))
        for name in taken:
            if (directory / name).is_dir():
                raise StoreError(f"cannot write a report to {directory}: {directory / name} is a directory")
        if PAGE in taken:
            held = report_of(directory / PAGE)
            if held is None:
                raise StoreError(f"{directory / PAGE} is not the page of a report; choose another --out")
            if held != printable(spec):
                raise OptionError(f"{directory} holds the report of {held}, not of {spec}; choose another --out")
        elif taken and not (directory / SCRATCH).exists():
            raise StoreError(f"{directory} holds {taken[0]!r} and no report; choose another --out")


def report_of(page: Path) -> str | None:
    """The specification of the game whose report this is; None where it is another file."""
    if not page.is_file():
        return None
    with page.open(encoding="utf-8", errors="replace") as file:
        found = _HEAD.match(file.read(1 << 16))
    return None if found is None else html.unescape(found[1])


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _refusals(directory: Path) -> Iterator[None]:
    """Say in a `StoreError` what the system refuses."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"cannot write a report to {directory}: {reason(error)}") from None
