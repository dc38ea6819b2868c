"""Write files that are complete or absent, whatever happens; check beforehand whether they can be written."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import itertools
import json
import os
import platform
import re
import shutil
import stat
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from ..errors import GametreeError, InUseError, OptionError, StoreError
from .endings import cleanup
from .memory import readable

AGAIN = "solve it again with --force"
"""What to do about a solution that is damaged or of another version."""

PARTIAL = ".partial"
"""The folder in a solution's directory in which the next one is written."""
MANIFEST, MANIFEST_BEGINS = "manifest.json", b'{\n "schema": '
"""The file that makes a directory a solution, and how it begins."""

TEMPORARY = re.compile(r"\.(.+)\.(\d+)(?:-([0-9a-f]{4})?[0-9a-f]{8})?\.tmp", re.DOTALL)
"""A temporary file of `atomic_file`: the name of its target, its process, and a mark of its machine."""

_thread = threading.local()

SEAL = b',\n "sha256": "'
"""Precedes the checksum at the end of a sealed file."""


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary file next to ``path``; on success flush it to the disk and rename it. What killed processes
    of this machine left of the same file is removed. Links are followed, the mode of an existing file is kept, and
    anything but a regular file (a pipe, a device) is written directly. Raises `StoreError`.
    """
    check_writable(path)
    try:
        target = path.resolve()
        writing = _renamed(target) if target.is_file() or not target.exists() else target.open("wb")
        with writing as file:
            yield file
    except (GametreeError, BrokenPipeError):
        raise
    except OSError as error:
        raise StoreError(f"cannot write {path}: {reason(error)}") from None


@contextlib.contextmanager
def temporary_folder(name: str, parent: Path | None) -> Iterator[Path]:
    """Make a folder for temporary files below ``parent`` (None: the system's place, ``TMPDIR``) that is removed at the
    end; those that killed processes of this machine left there under the same name are removed. Raises `StoreError`.
    """
    import tempfile

    target = (parent or Path(tempfile.gettempdir())) / name
    _remove_stale(target, Path.is_dir)
    folder = target.parent / temporary_name(name)
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise StoreError(f"cannot write in {target.parent}: {reason(error)}") from None
    with cleanup(functools.partial(_unlink, folder)):
        yield folder


@contextlib.contextmanager
def temporaries_in(folder: Path) -> Iterator[None]:
    """Put this thread's temporary files into a folder on the same disk instead of next to their targets; once the
    folder is deleted, none of them can be completed.
    """
    before = getattr(_thread, "folder", None)
    _thread.folder = folder
    try:
        yield
    finally:
        _thread.folder = before


def temporary_name(name: str) -> str:
    """Return a unique name for a temporary file of this process, see `TEMPORARY`. A long name is cut, since no name may
    have more than 255 bytes.
    """
    return f".{_short(name)}.{os.getpid()}-{_machine()}{os.urandom(4).hex()}.tmp"


@functools.cache
def _machine() -> str:
    """Return a mark of this machine: others may write to the same folder, with processes of the same number."""
    return f"{zlib.crc32(platform.node().encode()) & 0xFFFF:04x}"


def _short(name: str) -> str:
    return name if len(os.fsencode(name)) <= 200 else name[:50]


@contextlib.contextmanager
def _renamed(target: Path) -> Iterator[IO[bytes]]:
    if PARTIAL not in target.parts:  # that folder is emptied as a whole
        _remove_stale(target)
    temporary = (getattr(_thread, "folder", None) or target.parent) / temporary_name(target.name)
    with cleanup(functools.partial(_unlink, temporary)):
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)


def _remove_stale(target: Path, kind: Callable[[Path], bool] = Path.is_file) -> None:
    """Remove the temporary files of a target, or folders, whose processes were killed."""
    from psutil import pid_exists  # slow to load

    name = _short(target.name)
    for path in target.parent.glob(f".{glob.escape(name)}.*.tmp"):
        match = TEMPORARY.fullmatch(path.name)
        ours = match is not None and (match[1], match[3]) == (name, _machine())
        if match is not None and ours and kind(path) and not path.is_symlink() and not pid_exists(int(match[2])):
            _unlink(path)


def _unlink(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        path.unlink()


def write_bytes(path: Path, data: Any) -> str:
    """Write ``data`` atomically; return its SHA-256."""
    with atomic_file(path) as file:
        file.write(data)
    return hashlib.sha256(data).hexdigest()


def write_json(path: Path, data: Any) -> str:
    """Write ``data`` atomically as readable JSON; return the file's SHA-256."""
    return write_bytes(path, (json.dumps(data, indent=1) + "\n").encode())


def read_json(path: Path, sha256: str) -> Any:
    """Read what `write_json` wrote. Raises `StoreError` if it cannot be read or has another checksum."""
    data = read_bytes(path)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise StoreError(f"{path} is damaged: its checksum differs from the recorded one; {AGAIN}")
    return _parsed(path, data)


def write_sealed_json(path: Path, data: dict[str, Any]) -> None:
    """Write ``data`` atomically; its last entry, ``sha256``, is the checksum of all bytes before it."""
    body = json.dumps(data, indent=1).encode().removesuffix(b"\n}")
    write_bytes(path, body + SEAL + _seal_of(body))


def read_sealed_json(path: Path) -> tuple[Any, bool]:
    """Read what `write_sealed_json` wrote; return it without the checksum, and whether that is correct. Raises
    `StoreError` if the file cannot be read or is not JSON.
    """
    data = read_bytes(path)
    body, _, seal = data.rpartition(SEAL)
    value = _parsed(path, data)
    if isinstance(value, dict):
        value.pop("sha256", None)
    return value, seal == _seal_of(body)


def _seal_of(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def _parsed(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is damaged: {error}") from None


def read_bytes(path: Path) -> bytes:
    """Return the contents of a file. Raises `StoreError`."""
    with reading(path), open_regular(path) as file:
        return file.read()


@contextlib.contextmanager
def reading(name: object, kind: type[GametreeError] = StoreError) -> Iterator[None]:
    """Turn errors of reading a file into a ``kind`` of error whose message calls the file ``name``."""
    try:
        yield
    except UnicodeDecodeError:
        raise kind(f"{name} is not a text file") from None
    except OSError as error:
        raise kind(f"cannot read {name}: {reason(error)}") from None


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file, but no pipe or device, which might deliver data without end, or none. Raises `OSError`."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("not a regular file")
    return path.open("rb", buffering=0)


def require_disk(path: Path, needed: int, what: str) -> None:
    """Raise `StoreError` if ``needed`` bytes exceed what is free on the disk of ``path``."""
    free = free_bytes(path)
    if needed > free:
        raise StoreError(f"{what} take at least {readable(needed)}, but {readable(free)} are free at {path}")


def free_bytes(path: Path) -> int:
    """Return the free bytes on the disk of ``path``, which need not exist."""
    whole = path.absolute()
    existing = next(folder for folder in (whole, *whole.parents) if folder.exists())
    return shutil.disk_usage(existing).free


def rules_folder() -> Path:
    """Return the folder of the user's compiled rules."""
    from platformdirs import user_cache_path

    return user_cache_path("gametree", appauthor=False) / "rules"


def sync_directory(path: Path) -> None:
    """Flush the names in a directory to the disk, where possible."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_directories(path: Path) -> None:
    """Create a directory and its missing parents, and flush their names to the disk. Raises `OSError`."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_directory(folder.parent)


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the only lock on a directory, which the system releases however the process ends. Raises `InUseError` if
    another process holds it.
    """
    import fcntl  # not on Windows

    with as_store_error(directory):
        descriptor = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUseError(
                f"another process is writing into {directory}; wait for it, or choose another directory"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)


def reason(error: BaseException) -> str:
    """Return the system's description of an error, without number and name."""
    return getattr(error, "strerror", None) or str(error)


@contextlib.contextmanager
def as_store_error(path: Path) -> Iterator[None]:
    """Turn errors of the system or the Parquet library into a `StoreError` that names the file."""
    try:
        yield
    except GametreeError:
        raise
    except Exception as error:
        if not isinstance(error, OSError) and not type(error).__module__.startswith(
            "pyarrow"
        ):  # which is slow to import
            raise
        raise StoreError(f"{path}: {reason(error).splitlines()[0]}") from None


def check_writable(path: Path, *, folder: bool = False) -> None:
    """Raise `StoreError`, naming the path and the fault, if no file (or directory, if ``folder``, whose parents may be
    missing) can be written there. Links are followed; a file may also be a pipe or a device.
    """
    if fault := _fault(path, folder):
        raise StoreError(f"cannot write {'into ' * folder}{path}: {fault}")


def check_target(path: Path, suffixes: Sequence[str], what: str) -> None:
    """Raise `OptionError` for a file with none of these suffixes, in either case, and as `check_writable` does."""
    if path.suffix.lower() not in suffixes:
        raise OptionError(
            f"cannot write {what} to {path}: its name must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
        )
    check_writable(path)


def _fault(path: Path, folder: bool) -> str:
    """Return why nothing can be written at a path; empty if something can be."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    except ValueError:
        return "not a valid name for a file"
    except OSError as error:
        return reason(error)
    broken = next((place for place in (path, *path.parents) if place.is_symlink() and not place.exists()), None)
    if broken is not None and (folder or broken != path):
        return f"{broken} is a link to {broken.readlink()}, which does not exist"
    target = path.resolve()
    above = next(place for place in (target if folder else target.parent, *target.parents) if place.exists())
    if not above.is_dir():
        return f"{above} is a file, not a directory"
    if not folder and mode is not None and stat.S_ISDIR(mode):
        return "it is a directory"
    if not folder and above != target.parent:
        return f"there is no directory {target.parent}"
    for place in itertools.takewhile(lambda each: each.name != PARTIAL, target.parents):
        if _is_solution(place):
            return f"{place} holds a solution, which has to stay as it is"
    if (mode is None or folder or stat.S_ISREG(mode)) and not os.access(above, os.W_OK | os.X_OK):
        return f"no permission to write into {above}"
    return ""


def _is_solution(folder: Path) -> bool:
    """Return whether a folder has a manifest of this program: `gametree verify` refuses other files in it and below."""
    try:
        if not (folder / MANIFEST).is_file():  # a pipe would be waited for
            return False
        with (folder / MANIFEST).open("rb") as file:
            return file.read(len(MANIFEST_BEGINS)) == MANIFEST_BEGINS
    except (OSError, ValueError):
        return False
