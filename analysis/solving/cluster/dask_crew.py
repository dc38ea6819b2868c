"""Have the workers of a Dask scheduler do the tasks of a solve, a verification or a match, and find that scheduler.

Dask's own executor sends the tasks, repeats those that fail, and gives those of lost workers to others. Each task
checks for itself whether its process has what it needs.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import runpy
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import dask
import distributed
from distributed.scheduler import KilledWorker

from ...common.endings import cleanup
from ...common.wording import with_count
from ...common.workers import Crew, Stage, processors, tell_progress
from ...errors import ClusterError, OptionError
from .probe import free_memory

LOG = logging.getLogger("gametree")

RETRIES = 3
"""How often a task that fails is tried again."""
ANSWER, CONNECT, CLOSE = 60.0, 10.0, 3.0
"""Seconds within which all workers must answer, within which the scheduler must, and that closing may take."""
TICK = 0.5
"""Seconds between two looks whether there is a worker yet."""
LOCAL = "local"
LOGGERS = ("asyncio", "distributed", "tornado")
"""The loggers by which Dask reports lost connections, each with a traceback."""

T = TypeVar("T")


class DaskCrew(Crew):
    """The workers of a client's scheduler, by Dask's own executor."""

    def __init__(self, client: distributed.Client) -> None:
        self.client = client
        self._executor = client.get_executor(pure=False, retries=RETRIES)

    def _threads(self) -> list[int]:
        """Return the threads of each worker. Raises `ClusterError` if the scheduler is lost."""
        with contextlib.suppress(OSError):
            if self.client.status == "running":
                return [*self.client.nthreads().values()]
        raise ClusterError(f"the scheduler at {address_of(self.client)} is lost; repeat the command to resume")

    @property
    def slots(self) -> int:
        """See `Crew`."""
        return max(1, sum(self._threads()))

    @property
    def workers(self) -> int:
        """See `Crew`."""
        return len(self._threads())

    def memory(self) -> int:
        """See `Crew`."""
        try:
            replies = [*in_time(lambda: self.client.run(free_memory, on_error="return"), ANSWER).values()]
        except (OSError, TimeoutError) as error:
            replies = [error]
        rows = [reply for reply in replies if not isinstance(reply, Exception)]
        if not rows:
            why = next((str(error) for error in replies), "") or f"none answered within {ANSWER:g} s"
            raise ClusterError(f"the workers cannot be asked: {why}")
        threads: Counter[str] = Counter()
        for host, number, *_ in rows:
            threads[host] += number
        return min(min(own // number, free // threads[host]) for host, number, free, own in rows)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a function, to be called by its name on a worker, perhaps twice."""
        return self._executor.submit(function, *arguments, **named)  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and cancel those that are not done; the client stays open."""
        with contextlib.suppress(Exception):  # the scheduler may go at any moment
            if self.client.status == "running":
                self._executor.shutdown(wait=False)


def address_of(client: distributed.Client) -> str:
    """Return the address of a client's scheduler."""
    return "an address that is unknown" if client.scheduler is None else str(client.scheduler.address)


def in_time(function: Callable[[], T], seconds: float) -> T:
    """Return what a function returns, where Dask might wait forever. Raises `TimeoutError`, and what it raises."""
    reply: Future[T] = Future()

    def run() -> None:
        try:
            reply.set_result(function())
        except Exception as error:
            reply.set_exception(error)

    threading.Thread(target=run, daemon=True, name="gametree-dask").start()
    return reply.result(seconds)


# Where they are -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def connected(where: str) -> Iterator[DaskCrew]:
    """Connect to the scheduler that ``where`` names: by its address (``tcp://host:8786``), by a scheduler file
    (``FILE.json``), by ``FILE.py:FUNCTION``, which returns a `distributed.Client`, or by ``local``, which starts
    `processors` workers on this machine. Raises `OptionError` and `ClusterError`.
    """
    loggers = [
        name for name in logging.root.manager.loggerDict if name.startswith(tuple(f"{each}." for each in LOGGERS))
    ]
    for name in (*LOGGERS, *loggers):  # whatever matters is reported in a line of ours
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with contextlib.ExitStack() as stack:
        client = _client(where, stack)
        _close_at_the_end(client, stack)
        yield stack.enter_context(crew_of(client))


@contextlib.contextmanager
def crew_of(client: distributed.Client) -> Iterator[DaskCrew]:
    """Provide the workers of a client's scheduler; unfinished tasks are cancelled at the end. Raises `ClusterError`,
    also if one worker after another dies in the same task.
    """
    crew = DaskCrew(client)
    if not crew.workers:  # on a cluster the first one may be queued
        LOG.info(f"the scheduler at {address_of(client)} has no workers yet; waiting for the first one")
    while not crew.workers:
        tell_progress(Stage("waiting for workers"), 0, None)
        time.sleep(TICK)
    with cleanup(crew.shutdown):
        link = f"; dashboard: {client.dashboard_link}" if client.dashboard_link else ""
        tasks = f"{with_count(crew.workers, 'worker')}, {with_count(crew.slots, 'task')} at a time"
        LOG.info(f"{tasks}, of the scheduler at {address_of(client)}{link}")
        try:
            yield crew
        except KilledWorker as error:
            raise ClusterError(f"several workers died in one task; out of memory? ({error.task})") from None


def _close_at_the_end(one: Any, stack: contextlib.ExitStack) -> None:
    """Close a client or a cluster at the end, whether or not its scheduler still answers."""

    def close() -> None:
        with contextlib.suppress(Exception):
            one.close(timeout=CLOSE)

    stack.enter_context(cleanup(close))


def _client(where: str, stack: contextlib.ExitStack) -> distributed.Client:
    file, _, function = where.rpartition(":")
    if where == LOCAL:
        return _local(stack)
    if where.endswith(".json"):
        return _reached(where, _address_in(Path(where)))
    if file.endswith(".py"):
        return _made(where, file, function, stack)
    if not re.fullmatch(r"(\w+://)?[^/\s]+:\d+", where):
        raise OptionError(
            f"--dask {where}: no address such as tcp://host:8786, no FILE.json of a scheduler, no FILE.py:FUNCTION, "
            f"and not {LOCAL}"
        )
    return _reached(where, where)


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file."""
    try:
        return str(json.loads(file.read_bytes())["address"])
    except (OSError, ValueError, LookupError, TypeError):
        raise OptionError(f"--dask {file}: no file that `dask scheduler --scheduler-file` has written") from None


class _OwnClient(distributed.Client):
    """A client that is closed explicitly or not at all: Dask would wait in vain for a scheduler never reached."""

    def __del__(self) -> None:
        pass


def _reached(where: str, address: str) -> distributed.Client:
    def reach() -> distributed.Client:
        return _OwnClient(address, timeout=CONNECT, set_as_default=False, name="gametree")

    try:
        return in_time(reach, CONNECT + 1)
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ClusterError(f"--dask {where}: no scheduler answered within {CONNECT:g} s ({why})") from None


def _local(stack: contextlib.ExitStack) -> distributed.Client:
    """Start a scheduler and workers on this machine, which end with this process."""
    dask.config.set({"distributed.worker.profile.enabled": False})  # it would sample workers a hundred times a second
    sys.warnoptions.append("ignore:resource_tracker")  # its process would warn of what Ctrl-C leaves to it
    cluster = distributed.LocalCluster(
        n_workers=processors(), threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        memory_limit=0, silence_logs=logging.CRITICAL, preload=["gametree.solving.cluster.probe"],
    )  # fmt: skip
    _close_at_the_end(cluster, stack)
    return distributed.Client(cluster, timeout=CONNECT, set_as_default=False, name="gametree")


def _made(where: str, file: str, name: str, stack: contextlib.ExitStack) -> distributed.Client:
    """Return the client that a function in a user's file makes; a cluster made for it is closed at the end."""
    try:
        function = runpy.run_path(file)[name]
    except Exception as error:  # whatever that file does
        raise OptionError(f"--dask {where}: {type(error).__name__}: {error}") from error
    try:
        client = function()
    except Exception as error:
        raise ClusterError(f"--dask {where}: {name}() failed: {type(error).__name__}: {error}") from error
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise OptionError(f"--dask {where}: {name}() returns no distributed.Client, but a {type(client).__name__}")
    if client.cluster is not None:
        _close_at_the_end(client.cluster, stack)
    return client
