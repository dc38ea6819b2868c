"""Check for folders that no other user can write to, since what is loaded from a cache is run. On Windows, where
permissions differ, all folders pass.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from ...common.wording import visible

OTHERS_WRITE, OTHERS_ENTER = 0o022, 0o011
MOST_LINKS = 40
"""The most links that a path may lead through."""


def make_private(folder: Path) -> None:
    """Make a folder, and missing ones above it, for this user only. Raises `OSError`."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)


def is_private(folder: Path) -> bool:
    """Return whether a folder, all above it, and the links on the way belong to this user or root, and nobody else can
    write there; folders above it may be like ``/tmp``, in which nobody can change the files of others.
    """
    if not hasattr(os, "getuid"):
        return True
    root, *names = folder.absolute().parts
    path, links = Path(root), 0
    while True:
        try:
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode) and _is_own(status):
                links += 1
                if links > MOST_LINKS:
                    return False
                root, *names_of_link = path.parent.joinpath(path.readlink()).parts
                path, names = Path(root), names_of_link + names
                continue
        except OSError:
            return False
        shared = status.st_mode & OTHERS_WRITE and not (names and status.st_mode & stat.S_ISVTX)
        if shared or not stat.S_ISDIR(status.st_mode) or not _is_own(status):
            return False
        if not names:
            return True
        path = path / names.pop(0)


def is_private_file(path: Path) -> bool:
    """Return whether a file in a folder that `is_private` belongs to this user or root, is not a link, and cannot be
    written by anybody else.
    """
    if not hasattr(os, "getuid"):
        return True
    status = path.lstat()
    shared = status.st_mode & OTHERS_WRITE and path.parent.stat().st_mode & OTHERS_ENTER
    return stat.S_ISREG(status.st_mode) and _is_own(status) and not shared


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.getuid())


_reported: set[str] = set()


def say_shared(folder: Path) -> None:
    """Print once that this folder is not used."""
    say_unkept(f"other users can write into {folder}, or above it")


def say_unkept(why: str = "no folder for it can be written") -> None:
    """Print on standard error, once per process, why every command compiles again."""
    if not _reported:
        _reported.add(why)
        print(
            f"gametree: compiled code is not kept: {visible(why)}; XDG_CACHE_HOME names a place for it",
            file=sys.stderr,
        )
