"""Folders in which files wait until all are complete, and which of their contents are ours."""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analysis.errors import StoreError

TRIES = 20

TEMPORARY = re.compile(r"\.(.+)\.(\d+)(?:-[0-9a-f]{8})?\.tmp", re.DOTALL)
"""A temporary file of `atomic_file`: its final name, and its process."""


class Staging(NamedTuple):
    """A kind of folder in which files wait."""

    what: str
    name: str
    holds: Callable[[str], bool]
    """Whether a file or folder of this name may be in it."""
    marks: Callable[[Path], bool] = lambda directory: False
    """Whether the directory around it still needs the folder, even if empty."""

    def foreign(self, folder: Path, below: str = "") -> Path | None:
        """Return the first path in such a folder, or ``below`` it, that we never write there, if any."""
        found = (folder / below).rglob("*")
        return next((path for path in sorted(found) if not self._is_ours(path, folder)), None)

    def refuse_foreign(self, folder: Path, below: str = "") -> None:
        """Raise `StoreError` if a folder to be emptied holds foreign files."""
        foreign = self.foreign(folder, below)
        if foreign is not None:
            raise StoreError(
                f"{foreign} is not a file of gametree, which empties {folder / below}; move it elsewhere, or choose "
                "another --out"
            )

    def remove(self, folder: Path) -> None:
        """Remove such a folder, except foreign files."""
        if self.foreign(folder) is None:
            remove_tree(folder)
            return
        for path in sorted(folder.rglob("*"), reverse=True):
            with contextlib.suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()  # if nothing else is in it
                elif self._is_ours(path, folder):
                    path.unlink()

    def _is_ours(self, path: Path, folder: Path) -> bool:
        """Return whether we write such a path in a folder, possibly under a temporary name."""
        temporary = TEMPORARY.fullmatch(path.name)
        name = path.with_name(temporary[1]) if temporary else path
        return not path.is_symlink() and self.holds(name.relative_to(folder).as_posix())


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as possible, even if threads of this process are still writing to it."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.01)
