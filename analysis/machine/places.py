"""Where a file or a directory can be written, told in words before the work that it is to hold."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.errors import OptionError, StoreError

LONGEST_NAME = 255
"""Bytes of a name on nearly all file systems."""


def check_writable(path: Path, *, folder: bool = False) -> None:
    """Raise `StoreError`, which names the path and what is wrong, where no file (no directory if ``folder``, and none
    above it that may be missing) can be written. Links are followed; a file may also be a pipe or a device.
    """
    fault = next(_faults(path, folder), None)
    if fault is not None:
        raise StoreError(f"cannot write {'into ' * folder}{path}: {fault}")


def check_target(path: Path, suffixes: Sequence[str], what: str) -> None:
    """Raise `OptionError` for a file whose name ends in none of these suffixes, in either case, and `StoreError` as
    `check_writable` does.
    """
    if path.suffix.lower() not in suffixes:
        raise OptionError(
            f"cannot write {what} to {path}: its name must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
        )
    check_writable(path)


def _faults(path: Path, folder: bool) -> Iterator[str]:
    """What is wrong, the outermost place first."""
    above = Path()
    for place in (*reversed(path.parents), path):
        mode, fault = _mode(place)
        if fault:
            yield fault
        elif mode is None and place.is_symlink() and (folder or place != path):
            yield f"{place} is a link to {place.readlink()}, which does not exist"
        elif mode is None and place.is_symlink():  # the file it leads to is made
            yield from _faults(place.parent / place.readlink(), folder)
        elif mode is not None and place != path and not stat.S_ISDIR(mode):
            yield f"{place} is a file, not a directory"
        elif mode is None and place != path and not folder:
            yield f"there is no directory {place}"
        above = place if mode is not None and place != path else above
    yield from _faults_of_target(path, above, mode, folder)


def _faults_of_target(path: Path, above: Path, mode: int | None, folder: bool) -> Iterator[str]:
    """What is wrong with a path of this mode, below a directory that is there."""
    if mode is not None and stat.S_ISDIR(mode) and not folder:
        yield "it is a directory"
    if mode is not None and not stat.S_ISDIR(mode) and folder:
        yield f"{path} is a file, not a directory"
    place = path if mode is not None and folder else above
    if (mode is None or folder or stat.S_ISREG(mode)) and not os.access(place, os.W_OK | os.X_OK):
        yield f"no permission to write into {place.absolute()}"


def _mode(place: Path) -> tuple[int | None, str]:
    """The mode of what is at a place, None where nothing is, and why there can be nothing."""
    length = len(os.fsencode(place.name))
    if length > LONGEST_NAME:
        return None, f"the name {place.name[:20]}... is too long: {length} bytes, of {LONGEST_NAME} at most"
    try:
        return place.stat().st_mode, ""
    except ValueError:
        return None, "no file can have such a name"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None, f"{place} is a link in a loop of links"
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        return None, "" if missing else f"{place}: {error.strerror}"
