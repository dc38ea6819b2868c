"""Remove what work interrupted by kill -9 or a power loss has left, or complete it if all was written.

There are two kinds: temporary files of `atomic_file`, named after their process, and folders in which files wait until
all are complete. Files of a living process are left alone, and so is a folder that holds anything else.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from analysis.errors import InputError, InUseError, StoreError
from analysis.machine.files import as_store_error, locked, reading
from analysis.solution.storage.directory import RUN, SOLUTION, TEMPORARY, Staging, is_whole, recover

DEPTH = 3
"""How many levels of folders below the given one are searched."""

CLOCKS = 60
"""The possible difference, in seconds, between the clocks of files and of processes."""

TEMPORARY_FILE = "temporary file"
GOES_ON = "resumable solve"
REMOVE, COMPLETE, KEEP = "remove", "complete", "keep"


class Leftover(NamedTuple):
    """A file or folder left over."""

    what: str
    path: Path
    bytes: int
    modified: float
    """When it was last written to, in seconds since 1970."""
    action: str
    """`REMOVE`; `COMPLETE` if only moves into place are missing; `KEEP` if in use, or resumable."""


class Cleaned(NamedTuple):
    """The leftovers found, and what the system refused."""

    leftovers: list[Leftover]
    problems: list[str]

    @property
    def freed(self) -> int:
        """Bytes of removed files."""
        return sum(each.bytes for each in self.leftovers if each.action == REMOVE)


def clean(places: Sequence[tuple[Path, int]], stages: Sequence[Staging], *, dry_run: bool = False) -> Cleaned:
    """Remove or complete leftovers in these directories and their subfolders to a depth; ``dry_run`` only reports.
    Raises `InputError` for a place that is not a readable directory.
    """
    found = Cleaned([], [])
    for place, depth in places:
        with reading(place, InputError):
            os.scandir(place).close()
        for directory in _folders(place, depth, found.problems):
            here = [*_in_folder(directory, stages, dry_run, found.problems)]
            found.leftovers.extend(here)
            if directory != place and not dry_run and any(each.what != TEMPORARY_FILE for each in here):
                with contextlib.suppress(OSError):
                    directory.rmdir()  # it was made for its contents
    return found


def _folders(place: Path, depth: int, problems: list[str]) -> Iterator[Path]:
    """Yield folders below a directory to a depth, then itself; links are not followed."""
    try:
        with as_store_error(place), os.scandir(place) as entries:
            below = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))
    except StoreError as error:
        problems.append(str(error))
        return
    for name in below:
        if depth and not name.startswith("."):
            yield from _folders(place / name, depth - 1, problems)
    yield place


def _in_folder(directory: Path, stages: Sequence[Staging], dry_run: bool, problems: list[str]) -> Iterator[Leftover]:
    """Deal with leftovers directly in a directory."""
    tasks: list[tuple[Staging | None, Path]] = [(stage, directory / stage.name) for stage in stages]
    tasks += [(None, path) for path in sorted(directory.iterdir()) if TEMPORARY.fullmatch(path.name)]
    for stage, path in tasks:
        try:
            with as_store_error(path):
                found = _temporary(path, dry_run) if stage is None else _staged(path, stage, dry_run)
        except StoreError as error:
            problems.append(str(error))
        else:
            if found is not None:
                yield found


def _temporary(path: Path, dry_run: bool) -> Leftover | None:
    if path.is_symlink() or not path.is_file():
        return None
    found = _leftover(TEMPORARY_FILE, path, [path], KEEP if _in_use(path) else REMOVE)
    if found.action == REMOVE and not dry_run:
        path.unlink(missing_ok=True)
    return found


def _staged(folder: Path, stage: Staging, dry_run: bool) -> Leftover | None:
    if folder.is_symlink() or not folder.is_dir():
        return None
    try:
        with locked(folder.parent):
            files = [path for path in folder.rglob("*") if path.is_file()]
            if stage.foreign(folder) is not None:
                return None
            if any(map(_in_use, files)):
                return _leftover(stage.what, folder, files, KEEP)
            if stage is SOLUTION and is_whole(folder):
                found = _leftover("solution not in place", folder, files, COMPLETE)
            elif stage is SOLUTION and (folder / RUN).is_file():
                return _leftover(GOES_ON, folder, files, KEEP)
            else:
                marks = stage.marks(folder.parent)  # if so, the folder itself is still needed
                if not marks or files:
                    found = _leftover(stage.what, folder, files, REMOVE)
                    for path in () if dry_run else folder.iterdir() if marks else (folder,):
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                    return found
                return None
    except InUseError:
        return _leftover(stage.what, folder, folder.rglob("*"), KEEP)
    if not dry_run:
        recover(folder.parent)
    return found


def _leftover(what: str, path: Path, files: Iterable[Path], action: str) -> Leftover:
    size, newest = 0, path.lstat().st_mtime
    for file in files:
        with contextlib.suppress(FileNotFoundError):  # a running process has just moved it
            status = file.lstat()
            size += status.st_size if file.is_file() else 0
            newest = max(newest, status.st_mtime)
    return Leftover(what, path, size, newest, action)


def _in_use(path: Path) -> bool:
    """Return whether a file is temporary and its process lives; a younger process has only reused its number."""
    import psutil  # slow to load

    temporary = TEMPORARY.fullmatch(path.name)
    if temporary is None:
        return False
    try:
        process = psutil.Process(int(temporary[2]))
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= path.lstat().st_mtime + CLOCKS
    except (psutil.NoSuchProcess, FileNotFoundError, OverflowError):
        return False
    except psutil.AccessDenied:  # another user's
        return True
