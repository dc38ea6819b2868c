"""The files of a report, written by one process at a time. If the page is there, so are all the others."""

from __future__ import annotations

import contextlib
import html
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.errors import OptionError, StoreError
from analysis.machine.endings import cleanup
from analysis.machine.files import as_store_error, check_writable, write_bytes
from analysis.machine.markup import printable
from analysis.reports.figures import gallery
from analysis.reports.tables import NAMES as TABLES
from analysis.solution.storage.directory import Staging, put_in_place, staged

PAGE = "index.html"

WALK = "explore.html"
"""The explorer page that a report links to."""

FOLDERS = ("figures", "tables")

NAMES = frozenset(
    {
        *(f"figures/{name}.{form}" for name in gallery.FIGURES for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in TABLES),
        PAGE,
        WALK,
    }
)
"""Every file that a report can have."""

SCRATCH = ".report.tmp"
"""Where files wait until all are complete; if left over, a run was killed, perhaps halfway."""

_STAGED = re.compile(rf"{'|'.join(FOLDERS)}|old(/\d+)?")

_HEAD = re.compile(
    r'\s*<!doctype html>\s*<html lang="en">\s*<head>\s*<meta charset="utf-8">\s*'
    r'<meta name="generator" content="gametree [^"]*">\s*<meta name="gametree-game" content="([^"]*)">'
)


def put_report(directory: Path, spec: str, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of a report (named as in `NAMES`) of the game of this specification, and remove leftovers of an
    earlier one.

    All are on disk before the first is put into place; the earlier page goes first and the new one comes last, so that
    a page and its files always belong together. Returns their paths; raises what `check_place` raises.
    """
    unknown = set(files) - NAMES
    if unknown or PAGE not in files:
        raise ValueError(f"a report has a page and no file {', '.join(sorted(unknown))}")
    scratch = directory / SCRATCH
    with _held(directory, spec), as_store_error(directory):
        for name, data in files.items():
            for place in (scratch / name, directory / name):
                place.parent.mkdir(exist_ok=True)
            write_bytes(scratch / name, data)
        put_in_place(scratch, sorted(NAMES - {PAGE}), files, PAGE)
    return [directory / name for name in files]


def check_place(directory: Path, spec: str) -> None:
    """Raise `StoreError` for a directory that cannot hold a report, `OptionError` if it holds another game's."""
    with _held(directory, spec):
        pass


@contextlib.contextmanager
def _held(directory: Path, spec: str) -> Iterator[None]:
    """Create, check and lock the directory. Folders left empty are removed."""
    for place in (directory, *(directory / folder for folder in FOLDERS)):
        check_writable(place, folder=True)
    ours = False

    def mark() -> None:
        if ours and is_half(directory):
            (directory / SCRATCH).mkdir(exist_ok=True)  # still marks them as ours

    def remove_empty() -> None:
        for folder in FOLDERS:
            with contextlib.suppress(OSError):
                (directory / folder).rmdir()

    with cleanup(mark), staged(directory, STAGE, lambda place: check_contents(place, spec)), cleanup(remove_empty):
        ours = True
        yield


def is_half(directory: Path) -> bool:
    """Return whether a directory has files of a report but no page: then the folder `SCRATCH` marks them as ours."""
    return not (directory / PAGE).exists() and any((directory / name).exists() for name in NAMES)


STAGE = Staging("cut-off report", SCRATCH, lambda name: _STAGED.fullmatch(name) is not None or name in NAMES, is_half)


def check_contents(directory: Path, spec: str) -> None:
    """Raise `StoreError` if a report would replace other programs' files, `OptionError` if another game's report."""
    taken = sorted(name for name in NAMES if os.path.lexists(directory / name))
    for name in taken:
        if (directory / name).is_dir():
            raise StoreError(f"cannot write a report to {directory}: {directory / name} is a directory")
    if PAGE in taken:
        head = None
        if (directory / PAGE).is_file():
            with (directory / PAGE).open(encoding="utf-8", errors="replace") as file:
                head = _HEAD.match(file.read(1 << 16))
        if head is None:
            raise StoreError(f"{directory / PAGE} is not the page of a report; choose another --out")
        if (held := html.unescape(head[1])) != printable(spec):
            raise OptionError(f"{directory} holds the report of {held}, not of {spec}; choose another --out")
    elif taken and not (directory / SCRATCH).exists():
        raise StoreError(f"{directory} holds {taken[0]!r} but no report; choose another --out")
