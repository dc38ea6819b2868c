"""Where the workers are: an address, a scheduler file, a cluster on this machine, or a function of the user's."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import dask
import distributed

from analysis.cluster.dask_crew import DaskCrew, address_of
from analysis.errors import ClusterError, OptionError
from analysis.machine.endings import cleanup
from analysis.machine.workers import Progress, no_progress, processors
from analysis.wording import some

LOG = logging.getLogger("gametree")

SECONDS = 10.0
"""In which the scheduler has to answer."""
CLOSING = 5.0
"""Seconds that a cluster's end may take."""
SETTINGS = {
    "distributed.scheduler.allowed-failures": 10,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,  # it would look a hundred times a second where workers are
}
LOCAL = "local"
LOGGERS = ("asyncio", "distributed", "tornado")
"""By which Dask tells of connections that are lost, each with a traceback."""
_FUNCTION = re.compile(r"(?P<where>[\w.]+|.*\.py):(?P<name>[^\W\d]\w*)")


@contextlib.contextmanager
def connected(where: str, workers: int | None = None, progress: Progress = no_progress) -> Iterator[DaskCrew]:
    """The workers of the scheduler that ``where`` names: its address (``tcp://host:8786``), a scheduler file
    (``FILE.json``), ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``, which returns a `distributed.Client`, or ``local``: so
    many ``workers`` (default: as many as processors) on this machine. Raises `OptionError` and `ClusterError`.
    """
    _silence()
    with contextlib.ExitStack() as stack:
        client = _client(where, workers, stack)
        _close_at_the_end(client, stack, 2)
        with crew_of(client, progress) as crew:
            yield crew


def _silence() -> None:
    """Dask logs nothing any more, nor what it runs on, at any level: what matters is said by a line of ours."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith(tuple(f"{each}." for each in LOGGERS))]
    for name in (*LOGGERS, *known):  # Dask gives some of those below a level of their own
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextlib.contextmanager
def crew_of(client: distributed.Client, progress: Progress = no_progress) -> Iterator[DaskCrew]:
    """The workers of a client's scheduler; tasks that are not done at the end are cancelled."""
    try:
        crew = DaskCrew(client, progress)
    except (OSError, RuntimeError) as error:
        raise ClusterError(f"the scheduler at {address_of(client)} does not answer: {error}") from None
    with cleanup(crew.shutdown):
        link = client.dashboard_link
        LOG.info(
            f"{some(crew.workers, 'worker')}, {some(crew.slots, 'task')} at a time, of the scheduler at "
            f"{address_of(client)}" + (f"; dashboard: {link}" if link else "")
        )
        yield crew


def _close_at_the_end(one: Any, stack: contextlib.ExitStack, seconds: float = CLOSING) -> None:
    """Close a client or a cluster when all is done, whether or not its scheduler is still there to be told."""

    def close() -> None:
        with contextlib.suppress(Exception):
            one.close(timeout=seconds)

    stack.enter_context(cleanup(close))


def _client(where: str, workers: int | None, stack: contextlib.ExitStack) -> distributed.Client:
    if where == LOCAL:
        return _local(workers or processors(), stack)
    if where.endswith(".json"):
        return _reached(where, _address_in(Path(where)))
    if (named := _FUNCTION.fullmatch(where)) is not None:
        return _made(where, named["where"], named["name"], stack)
    if not re.fullmatch(r"(\w+://)?[^/\s]+:\d+", where):
        raise OptionError(
            f"--dask {where}: no address such as tcp://host:8786, no FILE.json of a scheduler, no MODULE:FUNCTION, "
            f"and not {LOCAL}"
        )
    return _reached(where, where)


def _address_in(file: Path) -> str:
    """The address that a scheduler file holds."""
    if not file.is_file():
        raise OptionError(f"--dask {file}: there is no such file; `dask scheduler --scheduler-file` writes it")
    try:
        address = json.loads(file.read_bytes())["address"]
    except (OSError, ValueError, LookupError, TypeError):
        address = None
    if not isinstance(address, str):
        raise OptionError(f"--dask {file}: this is no scheduler file; `dask scheduler --scheduler-file` writes one")
    return address


class _OwnClient(distributed.Client):
    """A client that is closed in the end or not at all: Dask waits in vain for a scheduler that never was there."""

    def __del__(self) -> None:
        pass


def _reached(where: str, address: str) -> distributed.Client:
    reached: Future[distributed.Client] = Future()

    def reach() -> None:
        try:
            reached.set_result(_OwnClient(address, timeout=SECONDS, set_as_default=False, name="gametree"))
        except Exception as error:
            reached.set_exception(error)

    threading.Thread(target=reach, daemon=True, name="gametree-reach").start()
    try:
        return reached.result(SECONDS + 1)  # of servers that are no schedulers Dask waits for more without an end
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = next((line for line in str(error).splitlines() if line), type(error).__name__)
        raise ClusterError(f"--dask {where}: no scheduler answers within {SECONDS:g} s ({why})") from None


def _local(workers: int, stack: contextlib.ExitStack) -> distributed.Client:
    """A scheduler and workers on this machine, which end with this process."""
    dask.config.set(SETTINGS)
    sys.warnoptions.append("ignore:resource_tracker")  # whose process would tell of what Ctrl-C leaves to it
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0,
        silence_logs=logging.CRITICAL, preload=["analysis.cluster.probe"],
    )  # fmt: skip
    _close_at_the_end(cluster, stack)
    return distributed.Client(cluster, timeout=SECONDS, set_as_default=False, name="gametree")


def _made(where: str, module: str, name: str, stack: contextlib.ExitStack) -> distributed.Client:
    """What a function of the user's returns; the cluster that it has made for that ends with the work."""
    try:
        loaded = _module(module)
    except Exception as error:  # whatever that file does
        raise OptionError(f"--dask {where}: {type(error).__name__}: {error}") from error
    function = getattr(loaded, name, None)
    if not callable(function):
        raise OptionError(f"--dask {where}: {module} has no function {name}")
    try:
        client = function()
    except Exception as error:
        raise ClusterError(f"--dask {where}: {name}() failed: {type(error).__name__}: {error}") from error
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise OptionError(f"--dask {where}: {name}() returns no distributed.Client, but a {type(client).__name__}")
    if client.cluster is not None:
        _close_at_the_end(client.cluster, stack)
    return client


def _module(name: str) -> Any:
    if not name.endswith(".py"):
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(name)
    path = Path(name)
    if not path.is_file():
        raise ImportError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"gametree_cluster_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
