"""Check for folders that no other user can write to, since what is loaded from a cache is run. On Windows, where
permissions differ, all folders pass.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
from pathlib import Path

from ...common.wording import visible

OTHERS_WRITE, OTHERS_ENTER = 0o022, 0o011


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
    try:
        place = folder.resolve(strict=True)
        links = [path for path in (folder.absolute(), *folder.absolute().parents) if path.is_symlink()]
        above = [path.lstat() for path in place.parents]
        shared = [status for status in above if status.st_mode & OTHERS_WRITE and not status.st_mode & stat.S_ISVTX]
        own = all(map(_is_own, [place.lstat(), *above, *(link.lstat() for link in links)]))
        return own and not shared and place.is_dir() and not place.lstat().st_mode & OTHERS_WRITE
    except (OSError, RuntimeError):  # RuntimeError: links that lead to themselves
        return False


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


@functools.cache
def say_unkept(why: str = "no folder for it can be written") -> None:
    """Print on standard error, once per process and reason, why every command compiles again."""
    print(f"gametree: compiled code is not kept: {visible(why)}; XDG_CACHE_HOME names a place for it", file=sys.stderr)


def say_shared(folder: Path) -> None:
    """Print once that this folder is not used."""
    say_unkept(f"other users can write into {folder}, or above it")
