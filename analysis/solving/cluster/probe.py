"""Check a worker before it gets tasks, and do tasks there.

All of this runs on workers. It takes and returns plain values, since another version may be installed there.
"""

from __future__ import annotations

import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import GametreeError, StoreError
from ...machine.files import free_bytes, reason, temporary_name
from ...machine.memory import Budget, readable, taken_bytes

WRITTEN = 1 << 20
"""Bytes written into each folder to see whether there is room."""

_trusted: set[str] = set()
"""Names of marks for which nothing was wrong on this worker."""


def dask_setup(worker: Any) -> None:
    """Prepare a worker that this program has started; Dask calls this. Ctrl-C in their shared terminal is for the
    program.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def versions() -> dict[str, str]:
    """Return the versions that the bytes of a result depend on, by name."""
    import numba
    import numpy
    import pyarrow

    from ...machine.version import __version__

    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "gametree": __version__,
        "NumPy": numpy.__version__,
        "Numba": numba.__version__,
        "pyarrow": pyarrow.__version__,
    }


def answer(wanted: dict[str, Any]) -> dict[str, Any]:
    """Answer for this worker: the first thing ``wrong`` (None: nothing), its ``host`` and ``threads``, the bytes
    ``free`` on the host and for each thread (``memory``), and the ``replies`` that it wrote for the driver to read.
    """
    from distributed import get_worker

    worker = get_worker()
    threads = max(1, worker.state.nthreads)
    limit = worker.memory_manager.memory_limit
    free = Budget.of_machine().limit
    memory = min(free, limit - taken_bytes()) if limit else free
    replies: list[str] = []
    wrong = next(_complaints(wanted, max(0, memory // threads), replies), None)
    if wrong is None:
        _trusted.add(wanted["mark"])
    return {
        "wrong": wrong,
        "host": platform.node(),
        "threads": threads,
        "free": free,
        "memory": max(0, memory // threads),
        "replies": replies,
    }


def work(wanted: dict[str, Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Do a task unless something is ``wrong`` with this worker; return its ``value`` or ``error``, and ``seconds``."""
    from distributed import get_worker

    outcome: dict[str, Any] = {"worker": get_worker().address, "wrong": None, "value": None, "error": None}
    began = time.monotonic()
    if wanted["mark"] not in _trusted:
        outcome["wrong"] = _own_fault(wanted)
    if outcome["wrong"] is None:
        try:
            outcome["value"] = function(*arguments)
        except (OSError, MemoryError) as error:  # StoreError and TooLargeError among them
            outcome["error"] = error if isinstance(error, GametreeError) else StoreError(reason(error))
            outcome["wrong"] = _own_fault(wanted)
    return outcome | {"seconds": time.monotonic() - began}


def _own_fault(wanted: dict[str, Any]) -> str | None:
    """Return what is wrong here, checked again."""
    _trusted.discard(wanted["mark"])
    found = answer(wanted)
    for path in found["replies"]:
        Path(path).unlink(missing_ok=True)
    return found["wrong"]  # type: ignore[no-any-return]


def _complaints(wanted: dict[str, Any], memory: int, replies: list[str]) -> Iterator[str]:
    """Yield what is missing here, as continuations of a sentence that begins with the worker."""
    for name, version in versions().items():
        if version != wanted["versions"].get(name):
            yield f"has {name} {version}, but here it is {wanted['versions'].get(name)}"
    yield from _other_rules(wanted["game"], wanted["rules_hash"])
    for folder in map(Path, wanted["folders"]):
        yield from _not_shared(folder, wanted, replies)
    if memory < wanted["task_bytes"]:
        yield f"has {readable(memory)} of memory for a task, but {readable(wanted['task_bytes'])} are needed"


def _other_rules(game: str, rules_hash: str) -> Iterator[str]:
    from ...games.families import load_game

    try:
        if load_game(game).rules_hash() != rules_hash:
            yield f"has other rules of {game} than this machine"
    except GametreeError as error:
        yield f"cannot load the game: {error}"


def _not_shared(folder: Path, wanted: dict[str, Any], replies: list[str]) -> Iterator[str]:
    """Return what is wrong with a folder without the driver's mark, or that cannot be written."""
    try:
        mark = (folder / wanted["mark"]).read_text()
    except OSError:
        mark = ""
    if mark != wanted["text"]:
        yield f"does not see {folder}, or sees another folder there"
        return
    reply = folder / temporary_name(f"reply-{os.urandom(4).hex()}")
    try:
        with reply.open("wb") as file:
            file.write(wanted["text"].encode().ljust(WRITTEN))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        reply.unlink(missing_ok=True)
        yield f"cannot write into {folder}: {reason(error)}, {readable(free_bytes(folder))} are free"
        return
    replies.append(str(reply))
