"""Files that are complete or absent, whatever happens in between."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from analysis.errors import StoreError


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary name beside ``path``; on success flush it to the disk and rename it. Raises `StoreError`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {reason(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_bytes(path: Path, data: Any) -> str:
    """Write ``data`` atomically; return its SHA-256."""
    with atomic_file(path) as file:
        file.write(data)
    return hashlib.sha256(data).hexdigest()


def write_json(path: Path, data: Any) -> None:
    """Write ``data`` atomically, readable by people too."""
    write_bytes(path, (json.dumps(data, indent=1) + "\n").encode())


def read_json(path: Path) -> Any:
    """What `write_json` wrote. Raises `StoreError` where it cannot be read or is no JSON."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"cannot read {path}: {reason(error)}") from None
    except ValueError as error:
        raise StoreError(f"{path} is damaged: {error}") from None


def sync_directory(path: Path) -> None:
    """Flush the names in a directory to the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def reason(error: BaseException) -> str:
    """The system's words for what went wrong, without the number and the name."""
    return getattr(error, "strerror", None) or str(error)
