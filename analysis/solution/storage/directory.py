"""Directories that hold a complete solution of any kind or none.

All files of a solution are first written into ``DIR/.partial``, each complete or absent, and moved into place together
once the last is on disk; the manifest is moved last. A directory is a solution if and only if it holds a manifest.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...common.arguments import INT64, NATURAL
from ...common.endings import cleanup, defer_signals, kept
from ...common.files import (
    AGAIN,
    TEMPORARY,
    as_store_error,
    check_writable,
    locked,
    make_directories,
    read_sealed_json,
    sync_directory,
    write_json,
    write_sealed_json,
)
from ...common.files import MANIFEST as MANIFEST
from ...common.files import PARTIAL as PARTIAL
from ...errors import InputError, StoreError
from ...rules.symmetry import KINDS

REMOVALS = 20
"""How often `remove_tree` tries."""

SCHEMA = 6
"""The version of directories that are written and read."""
RUN = "run.json"
"""Marks ``.partial`` of a solve that can be resumed."""
PATHS = "optimal_paths.parquet"
TIERS = "tiers"
ENTRIES = ("positions", "moves", TIERS, PATHS)
"""Everything a solution of any kind may hold besides its manifest."""

_OURS = re.compile(r"\.?tier-\d{4,}[\w.-]*")
"""The names of files in the folders of a solution, also while they are written."""


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as possible, even if threads of this process are still writing to it."""
    for _ in range(REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.01)


PART_FORM = {
    "file": str, "rows": NATURAL, "first_state": (INT64, None), "last_state": (INT64, None), "bytes": NATURAL,
    "sha256": str, "footer_sha256": str, "column_crc32": [str],
}  # fmt: skip
"""The form of the record of a file."""
SYMMETRY_FORM = {"kind": frozenset(KINDS), "order": (range(1, math.factorial(64)), None)}


class SolutionDirectory:
    """A directory while a solution is written into it; as a context manager it leaves nothing behind unless finished.

    ``folders`` are the folders of tables, from `ENTRIES`; ``tiers`` is always created. Files go below ``partial``. If
    ``lasting``, unfinished work stays and is found again. Entering raises `StoreError` if the directory holds other
    files, or while another solve writes into it.
    """

    def __init__(self, directory: Path, folders: Sequence[str], *, lasting: bool = False) -> None:
        if not set(folders) <= set(ENTRIES):
            raise ValueError(f"a solution holds only {', '.join(ENTRIES)}, not all of {', '.join(folders)}")
        self.directory, self.partial = directory, directory / PARTIAL
        self._folders, self._lasting = (*folders, TIERS), lasting
        self.tier_sums: dict[int, str] = {}
        """The checksums of the records of the tiers."""
        self._complete = False
        """Whether everything is in ``partial``, so that it only has to be moved."""

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(staged(self.directory, PARTIAL, self._refuse, self._goes_on))
            stack.enter_context(kept(self._how_to_go_on))
            with as_store_error(self.directory):
                for name in () if self._goes_on() else self._folders:
                    (self.partial / name).mkdir(parents=True, exist_ok=True)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _refuse(self, directory: Path) -> None:
        """Refuse to write among other files, or over a solve that can be resumed."""
        _refuse_foreign(directory)
        if not self._lasting and (self.partial / RUN).is_file():
            raise StoreError(
                f"{self.partial} holds an unfinished solve of another game; choose another directory, or start over "
                "with --force"
            )

    def _goes_on(self) -> bool:
        """Return whether unfinished work is kept."""
        waiting = self._complete and (self.partial / MANIFEST).is_file()  # to be moved
        return waiting or (self._lasting and (self.partial / RUN).is_file())

    def _how_to_go_on(self) -> str | None:
        """Tell the user of an interrupted solve how to resume, if that is possible."""
        words = f"finished work is kept in {self.partial}; repeat the command to resume"
        return words if self._goes_on() else None

    def write_tier_json(self, number: int, data: dict[str, Any]) -> None:
        """Write the record of a tier, once its files are complete."""
        self.tier_sums[number] = write_json(self.partial / TIERS / tier_name(number), data)

    def finish(self, manifest: dict[str, Any]) -> None:
        """Move everything into place, the manifest last; an earlier solution is moved away just before, and back if the
        system refuses a move.

        The schema is added in front and, to a manifest with a ``kind``, the names of its ``entries``, which tell what
        is already new if the move is interrupted. At the end come the checksums of ``tiers/`` and of the manifest
        itself, so that one checksum covers the directory. Once the manifest is written, an interrupted solve is
        completed by `recover` and no longer resumed.
        """
        with as_store_error(self.directory):
            for name in self._folders:
                for path in filter(lambda path: TEMPORARY.fullmatch(path.name), (self.partial / name).iterdir()):
                    path.unlink(missing_ok=True)  # a process that was killed was writing it
                sync_directory(self.partial / name)
            entries = (
                {"entries": sorted(name for name in ENTRIES if (self.partial / name).exists())}
                if "kind" in manifest
                else {}
            )
            sums = {tier_name(number): self.tier_sums[number] for number in sorted(self.tier_sums)}
            write_sealed_json(self.partial / MANIFEST, {"schema": SCHEMA, **manifest, **entries, TIERS: sums})
            self._complete = True
            sync_directory(self.partial)
            (self.partial / RUN).unlink(missing_ok=True)
            sync_directory(self.partial)
            _move_into_place(self.directory)
            self._complete = False


@contextlib.contextmanager
def staged(
    directory: Path, name: str, check: Callable[[Path], None], goes_on: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Lock a directory for this process, with an empty folder of this ``name`` in it for unfinished files, whatever a
    killed process has left there.

    It is created if need be once ``check`` accepts it (and checked again when locked, since another process may have
    written meanwhile). At the end the folder is removed, and so is the directory if it was created and is empty; if it
    ``goes_on``, it is neither emptied nor removed. Raises `StoreError` for what the system refuses, and what ``check``
    raises.
    """
    partial = directory / name
    with contextlib.ExitStack() as stack:
        check_writable(directory, folder=True)
        with as_store_error(directory):
            created = [path for path in (directory, *directory.parents) if not path.exists()]
            check(directory)
            _refuse_link(partial)
            if partial.exists() and not partial.is_dir():
                raise StoreError(f"{partial} is not a folder of gametree; move it away")
            stack.enter_context(cleanup(lambda: _remove_empty(created)))
            make_directories(directory)
            stack.enter_context(locked(directory))
            check(directory)
            stack.enter_context(cleanup(lambda: None if goes_on() else remove_tree(partial)))
            if not goes_on():
                remove_tree(partial)
            partial.mkdir(exist_ok=True)
        yield


@defer_signals()
def put_in_place(partial: Path, entries: Iterable[str], wanted: Container[str], last: str) -> None:
    """Move these entries of ``partial`` into the directory above, removing earlier ones and those not ``wanted``.

    The entry ``last``, which marks completeness, goes first and comes last; if interrupted, doing it again completes
    it. If the system refuses a move, those before are taken back and `OSError` is raised.
    """
    directory, old = partial.parent, partial / "old"
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        if source.exists():
            source.replace(target)
            moved.append((source, target))

    def take_out(name: str) -> None:
        move(directory / name, old / str(len(list(old.iterdir()))))

    old.mkdir(exist_ok=True)
    try:
        take_out(last)
        for folder in (old, directory):
            sync_directory(folder)
        for name in entries:
            if (partial / name).exists() or name not in wanted:
                take_out(name)
            move(partial / name, directory / name)
        for folder in {(directory / name).parent for name in entries}:
            sync_directory(folder)
        move(partial / last, directory / last)
    except OSError:
        for source, target in reversed(moved):
            target.replace(source)
        raise
    finally:
        sync_directory(directory)


def take_away(folder: Path) -> None:
    """Remove a folder at once: whatever works in it, even on another machine, finds it gone."""
    gone = folder.with_name(f"gone-{folder.name}")
    remove_tree(gone)  # what a removal that was cut off has left: nothing can be moved there
    with contextlib.suppress(OSError):
        folder.replace(gone)
    remove_tree(gone)


def part_path(folder: Path, part: Mapping[str, Any]) -> Path:
    """Return the path of a part of a table, as JSON names it. Raises `StoreError` for anything but a plain name."""
    if not re.fullmatch(r"\w[\w.-]{,200}", part["file"]):
        raise StoreError(f"{folder} is damaged: {part['file'][:200]!r} is not a file name")
    return folder / part["file"]


def part_name(tier: int, number: int) -> str:
    """Return the file name of one part of a tier's table.

    >>> part_name(7, 0)
    'tier-0007-part-0000.parquet'
    """
    return f"tier-{tier:04d}-part-{number:04d}.parquet"


def tier_name(tier: int) -> str:
    """Return the file name of a tier's record.

    >>> tier_name(7)
    'tier-0007.json'
    """
    return f"tier-{tier:04d}.json"


def is_solution(directory: Path) -> bool:
    """Return whether a directory holds a solution of any kind, that is, a manifest."""
    try:
        return (directory / MANIFEST).is_file()
    except OSError:  # an impossible name
        return False


def open_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest of a solution of any kind, with schema, checksum and kind checked.

    Raises `InputError` if it is missing, and `StoreError` if it is damaged or from another version.
    """
    if not is_solution(directory):
        lack = f"it has no {MANIFEST}" if os.path.lexists(directory) else "it does not exist"
        raise InputError(f"{directory} is not a solution directory: {lack}{_unfinished(directory)}")
    path = directory / MANIFEST
    manifest, sealed = read_sealed_json(path)
    schema = manifest.get("schema") if isinstance(manifest, dict) else None
    if schema != SCHEMA:
        raise StoreError(
            f"{path} has schema {schema!r} of another version of gametree, which reads schema {SCHEMA}; {AGAIN}"
        )
    if not sealed:
        raise StoreError(f"{path} is damaged: its checksum does not match; {AGAIN}")
    sums = manifest.get(TIERS)
    whole = isinstance(sums, dict) and all(isinstance(each, str) for each in sums.values())
    if not isinstance(manifest.get("kind", ""), str) or not whole:
        raise StoreError(f"{path} is damaged: its kind or {TIERS} is not as written")
    return manifest  # type: ignore[no-any-return]


def _unfinished(directory: Path) -> str:
    """Describe an unfinished solve in a directory, if any, or how to complete one that was moving its files."""
    partial = directory / PARTIAL
    with contextlib.suppress(OSError, LookupError, TypeError, AttributeError):  # an impossible name, a forged manifest
        if is_whole(partial):
            return f"; {partial} holds a complete one, whose files were moving into place: repeat its solve"
        if partial.is_dir():
            return f"; the solve in {partial} is not finished"
    return ""


def manifest_kind(directory: Path) -> str | None:
    """Return the kind of solution in a directory; None for the ordinary kind. Raises `StoreError`."""
    return open_manifest(directory).get("kind")


def recover(directory: Path) -> bool:
    """Complete a solve that was interrupted while moving its files into place, if its manifest is whole, and remove
    leftovers beside a solution. Returns whether it has completed one.

    If the manifest is not whole, the next solve starts over. Raises `StoreError` if there is no solution and none could
    be written.
    """
    partial = directory / PARTIAL
    if not is_solution(directory):
        check_writable(directory, folder=True)
    _refuse_link(partial)
    if (partial / MANIFEST).is_file():
        with as_store_error(directory), locked(directory), defer_signals():
            if (partial / MANIFEST).is_file() and is_whole(partial):
                _move_into_place(directory)
                remove_tree(partial)
                return True
    elif partial.is_dir() and is_solution(directory):
        with (
            contextlib.suppress(StoreError),
            locked(directory),
        ):  # another process is writing, or writing is not allowed
            if not (partial / RUN).is_file() and not (partial / MANIFEST).is_file():
                remove_tree(partial)
    return False


def is_whole(partial: Path) -> bool:
    """Return whether all files of a solution were written there, with an undamaged manifest."""
    with contextlib.suppress(StoreError, LookupError, TypeError):
        return is_solution(partial) and bool(_entries(open_manifest(partial)))
    return False


def _refuse_link(partial: Path) -> None:
    """Refuse to move files out of a link."""
    if partial.is_symlink():
        raise StoreError(f"{partial} is a link, but files must be moved out of it; remove it")


def _move_into_place(directory: Path) -> None:
    """Move files from ``.partial`` into the directory."""
    put_in_place(directory / PARTIAL, ENTRIES, _entries(open_manifest(directory / PARTIAL)), MANIFEST)


def _entries(manifest: dict[str, Any]) -> set[str]:
    """Return what a directory with this manifest holds; in an ordinary one, its tables tell."""
    if "kind" in manifest:
        return set(manifest["entries"])
    holds = manifest["tables"]
    return {"positions", TIERS, *(["moves"] if holds["moves"] else []), *([PATHS] if holds["paths"] else [])}


def _refuse_foreign(directory: Path) -> None:
    """Refuse to write among other files."""
    if not directory.is_dir():
        return
    with as_store_error(directory):
        foreign = [] if is_solution(directory) else sorted({p.name for p in directory.iterdir()} - {*ENTRIES, PARTIAL})
        if foreign:
            raise StoreError(f"{directory} holds {foreign[0]!r} but no solution; choose an empty or a new directory")
        inside = [path for name in ENTRIES for path in (directory / name).glob("*")]  # removed with the old solution
        foreign = [str(path) for path in sorted(inside) if path.is_dir() or not _OURS.fullmatch(path.name)]
        if foreign:
            raise StoreError(f"{foreign[0]} is not a file of gametree; move it elsewhere, or choose another directory")


def _remove_empty(directories: list[Path]) -> None:
    """Remove empty directories, the innermost first."""
    for path in directories:
        with contextlib.suppress(OSError):
            path.rmdir()
