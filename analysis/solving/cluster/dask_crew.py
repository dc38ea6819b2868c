"""Use the workers of a Dask scheduler for the tasks of a solve, a verification or a match, and find that scheduler: by
its address, in a scheduler file, on this machine, or by a user's function.

Dask only promises that a task is done at some time, perhaps twice; everything else is here. Tasks wait here and not in
the scheduler, which gets as many as can run at once. A slow task is started a second time elsewhere, and the first
answer counts. The task of a lost worker is sent again, and a faulty worker gets no more tasks.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import importlib
import importlib.util
import json
import logging
import re
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from pathlib import Path
from typing import Any

import dask
import distributed
from distributed.scheduler import KilledWorker

from ...errors import ClusterError, OptionError, StoreError
from ...machine.endings import cleanup
from ...machine.files import as_store_error, make_directories, temporary_name
from ...machine.workers import Crew, Requirements, Stage, processors, tell_progress
from ...wording import some
from .probe import answer, versions, work

LOG = logging.getLogger("gametree")

TICK = 0.5
"""Seconds between two checks of scheduler, workers and tasks."""
POLLED = 0.02
"""Seconds between two checks of who has answered."""
PROBED, OTHERS = 60.0, 5.0
"""Seconds within which a worker must answer at first, and once another one has."""
SLOW, LEAST_SLOW, UNKNOWN_SLOW = 5.0, 3.0, 60.0
"""A task is started a second time after this multiple of the median time and at least this many seconds; or after the
third, in seconds, if no task of its kind is done yet.
"""
DURATIONS = 200
"""Times of recent tasks that are kept, of each kind."""
DEATHS, FAILURES = 10, 3
"""How many workers may die on one task, and how often it may fail for lack of disk or memory."""

SECONDS = 10.0
"""Seconds within which the scheduler must answer."""
CLOSING = 5.0
"""Seconds that closing a cluster may take."""
SETTINGS = {
    "distributed.scheduler.allowed-failures": 10,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,  # it would sample workers a hundred times a second
}
LOCAL = "local"
LOGGERS = ("asyncio", "distributed", "tornado")
"""The loggers by which Dask reports lost connections, each with a traceback."""
_FUNCTION = re.compile(r"(?P<where>[\w.]+|.*\.py):(?P<name>[^\W\d]\w*)")


class LostSchedulerError(ClusterError, BrokenExecutor):
    """A scheduler that answered before, and no longer does."""


class Job:
    """A submitted task."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        name = getattr(function, "__name__", type(function).__name__)  # a partial has none
        self.kind = str(getattr(arguments[0], "kind", name)) if arguments else name
        self.longest: float = getattr(arguments[0], "longest_seconds", 0.0) if arguments else 0.0
        """Seconds that it may take regardless of others: tasks of some kinds differ."""
        self.future: Future[Any] = Future()
        self.attempts: dict[distributed.Future[Any], float] = {}
        """What was sent, and when."""
        self.at: dict[distributed.Future[Any], str] = {}
        """The workers of attempts that take too long."""
        self.only: dict[distributed.Future[Any], set[str]] = {}
        """The workers allowed for an attempt, if not all are."""
        self.avoided: set[str] = set()
        """Workers that failed at it."""
        self.failures = self.deaths = 0


class DaskCrew(Crew):
    """An executor that uses the workers of a client's scheduler."""

    def __init__(self, client: distributed.Client) -> None:
        self.client = client
        self.address = address_of(client)
        """The scheduler's address."""
        self._gone: LostSchedulerError | None = None
        """Why there is no scheduler any more."""
        self._lock = threading.RLock()
        self._waiting: collections.deque[Job] = collections.deque()
        self._running: set[Job] = set()
        self._durations: dict[str, collections.deque[float]] = collections.defaultdict(
            lambda: collections.deque(maxlen=DURATIONS)
        )
        self._wrong: dict[str, str] = {}
        """What is wrong with workers that get no tasks."""
        self._named: set[tuple[str, str]] = set()
        """Complaints already reported."""
        self._stuck: dict[distributed.Future[Any], str] = {}
        """Workers that get no tasks until they finish this attempt, which others have done meanwhile, or answer."""
        self._wanted: dict[str, Any] | None = None
        self._marks = contextlib.ExitStack()
        self._closed = threading.Event()
        self._threads: dict[str, int] = client.nthreads()
        """The threads of each worker, by its address."""
        threading.Thread(target=self._watch, daemon=True, name="gametree-crew").start()

    # Workers ----------------------------------------------------------------------------------------------------------

    @property
    def slots(self) -> int:
        """See `Crew`."""
        return max(1, sum(self._threads[worker] for worker in self._usable()))

    @property
    def workers(self) -> int:
        """See `Crew`."""
        return len(self._usable())

    def _usable(self) -> list[str]:
        with self._lock:
            right = [worker for worker in self._threads if worker not in self._wrong]
            stuck = {*self._stuck.values()}
            return [worker for worker in right if worker not in stuck] or right

    def prepare(self, needs: Requirements) -> int:
        """See `Crew`. If there is no worker yet, waits for the first one."""
        self._wanted = self._mark(needs)
        self._wrong.clear()
        self._await_first()
        asked = {
            worker: self.client.submit(
                answer, self._wanted, workers=[worker], allow_other_workers=False, pure=False,
                key=f"probe-{uuid.uuid4().hex}",
            )
            for worker in self._threads
        }  # fmt: skip
        self._await_answers([*asked.values()])
        answers = {worker: self._answered(worker, future) for worker, future in asked.items()}
        found = {worker: said for worker, said in answers.items() if said is not None}
        self._refuse_none(list(asked))
        if not found:
            raise ClusterError(f"none of {len(asked)} workers answered within {PROBED:g} s; are they busy or stopped?")
        if late := sum(said is None and worker not in self._wrong for worker, said in answers.items()):
            LOG.info(f"{late} of {len(asked)} workers do not answer; they get tasks once they do")
        by_host: dict[str, int] = collections.Counter()
        for said in found.values():
            by_host[said["host"]] += said["threads"]
        return min(min(said["memory"], said["free"] // by_host[said["host"]]) for said in found.values())

    def _mark(self, needs: Requirements) -> dict[str, Any]:
        """Return the questions for the workers, and put marks into the folders that they must see."""
        mark, text = temporary_name("mark"), uuid.uuid4().hex
        for folder in needs.folders:
            with as_store_error(folder):
                make_directories(folder)
                self._marks.enter_context(cleanup(functools.partial((folder / mark).unlink, missing_ok=True)))
                (folder / mark).write_text(text)
        wanted = {**needs._asdict(), "folders": [str(folder.absolute()) for folder in needs.folders]}
        return wanted | {"versions": versions(), "mark": mark, "text": text}

    def _await_first(self) -> None:
        """Wait for the first worker, however long: on a cluster it may be queued."""
        if not self._threads:
            LOG.info(f"the scheduler at {self.address} has no workers yet; waiting for the first one")
        began = time.monotonic()
        while not self._threads:
            tell_progress(Stage("waiting for workers"), time.monotonic() - began, None)
            self._refuse_lost()
            time.sleep(TICK)

    def _await_answers(self, asked: Sequence[distributed.Future[Any]]) -> None:
        """Wait until all have answered, or until some have and the others take too long."""
        began, first = time.monotonic(), None
        while (missing := sum(future.status == "pending" for future in asked)) > 0:
            now = time.monotonic()
            if missing < len(asked):
                first = first or now
            if now > began + PROBED or (first and now > first + max(OTHERS, first - began)):
                return
            tell_progress(Stage("asking workers"), len(asked) - missing, len(asked))
            time.sleep(POLLED)
            self._refuse_lost()

    def _answered(self, worker: str, future: distributed.Future[Any]) -> dict[str, Any] | None:
        """Return a usable worker's answer; otherwise leave the worker out, unless it has not answered at all."""
        if future.status == "error":
            error = future.exception()
            wrong = f"cannot be asked: {type(error).__name__}: {error}"
            if isinstance(error, ImportError):
                wrong = f"does not have this version of gametree ({error})"
            self._leave_out(worker, wrong)
            return None
        if future.status != "finished":
            self._await_stuck(future, worker)
            return None
        said: dict[str, Any] = future.result()
        for reply in map(Path, said["replies"]):
            assert self._wanted is not None
            try:
                text = reply.read_text().strip()
            except OSError:
                text = ""
            if said["wrong"] is None and text != self._wanted["text"]:
                said["wrong"] = f"writes files into {reply.parent} that are not seen here"
            reply.unlink(missing_ok=True)
        if said["wrong"] is not None:
            self._leave_out(worker, said["wrong"])
            return None
        return said

    def _leave_out(self, worker: str, wrong: str) -> None:
        with self._lock:
            self._wrong[worker] = wrong
            said = (worker, wrong) in self._named
            self._named.add((worker, wrong))
        if not said:
            LOG.warning(f"worker {worker} {wrong}; it gets no tasks")

    def _refuse_none(self, workers: list[str]) -> None:
        """Raise `ClusterError` if all of these workers are left out."""
        if workers and all(worker in self._wrong for worker in workers):
            first = workers[0]
            others = "" if len(workers) == 1 else f" (and none of the {len(workers) - 1} others can be used either)"
            raise ClusterError(f"worker {first} {self._wrong[first]}{others}")

    # Tasks ------------------------------------------------------------------------------------------------------------

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a function, to be called by its name on a worker, perhaps twice."""
        if self._wanted is None:
            raise RuntimeError("prepare comes first")
        if self._closed.is_set():
            raise self._gone or RuntimeError("the scheduler was left")
        job = Job(functools.partial(function, **named) if named else function, arguments)
        with self._lock:
            self._waiting.append(job)
        self._send_waiting()
        return job.future

    def _send_waiting(self) -> None:
        """Send as many tasks as can run at once, and a few in reserve."""
        with self._lock:
            most = self.slots + self.slots // 4 + 1
            while self._waiting and len(self._running) < most:
                job = self._waiting.popleft()
                if job.future.set_running_or_notify_cancel():
                    self._running.add(job)
                    self._send(job)

    def _send(self, job: Job, avoided: set[str] | frozenset[str] = frozenset()) -> None:
        """Send a task to a usable worker, avoiding some workers if there are others."""
        usable = self._usable()
        chosen = [worker for worker in usable if worker not in job.avoided | avoided] or usable
        everywhere = len(chosen) == len(self._threads) or not chosen
        future = self.client.submit(
            work, self._wanted, job.function, job.arguments, key=f"{job.kind}-{uuid.uuid4().hex}", pure=False,
            workers=None if everywhere else chosen, allow_other_workers=False,
        )  # fmt: skip
        job.attempts[future] = time.monotonic()
        if not everywhere:
            job.only[future] = {*chosen}
        future.add_done_callback(functools.partial(self._ended, job))

    def _ended(self, job: Job, attempt: distributed.Future[Any]) -> None:
        """Handle the end of one attempt at a task."""
        status, outcome = attempt.status, {"error": self._lost()}
        with contextlib.suppress(CancelledError, distributed.CancelledError, OSError):
            if status == "finished":
                outcome = attempt.result()
            elif status == "error":
                outcome = {"error": attempt.exception()}
        with self._lock:
            if job.attempts.pop(attempt, None) is None or job.future.done() or self._closed.is_set():
                return
            self._settle(job, outcome)
        self._send_waiting()

    def _settle(self, job: Job, outcome: dict[str, Any]) -> None:
        """Finish a task, start it again, or let it fail."""
        error = outcome["error"]
        if outcome.get("wrong") is not None:
            self._leave_out(outcome["worker"], outcome["wrong"])
            try:
                self._refuse_none(list(self._threads))
            except ClusterError as none_left:
                self._end(job, none_left)
                return
        elif "worker" in outcome and error is None:
            self._durations[job.kind].append(outcome["seconds"])
            self._end(job, None, outcome["value"])
            return
        elif isinstance(error, KilledWorker):
            job.deaths += 1
            if job.deaths > DEATHS:
                error = StoreError(f"{job.deaths} workers died while doing this task ({job.kind}); out of memory?")
                self._end(job, error)
                return
        elif isinstance(error, (OSError, MemoryError)) and "worker" in outcome and job.failures + 1 < FAILURES:
            job.avoided.add(outcome["worker"])
            job.failures += 1
        elif not job.attempts:
            self._end(job, error)
        if not job.attempts and not job.future.done():
            self._send(job)

    def _end(self, job: Job, error: BaseException | None, value: Any = None) -> None:
        """Set the result of a task, and drop its other attempts."""
        self._running.discard(job)
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)
        for attempt in job.attempts:
            if attempt in job.at:
                self._await_stuck(attempt, job.at[attempt])
            else:
                attempt.release()
        job.attempts = {}

    def _await_stuck(self, future: distributed.Future[Any], worker: str) -> None:
        """Give a worker no tasks until this attempt ends."""
        with self._lock:
            self._stuck[future] = worker

        def unstuck(future: distributed.Future[Any]) -> None:
            with self._lock:
                self._stuck.pop(future, None)
            self._send_waiting()

        future.add_done_callback(unstuck)

    # How things stand -------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Check from time to time which workers there are, whether the scheduler answers, and which tasks are slow."""
        while not self._closed.wait(TICK):
            try:
                threads = self.client.nthreads()
                with self._lock:
                    self._threads = threads
                self._refuse_lost()
                self._send_again()
                self._begin_again()
            except Exception as error:  # whatever it is, nobody is watching any more
                why = "" if isinstance(error, OSError) else f": {error or type(error).__name__}"
                self._gone = self._lost(why)
                self._give_up(self._gone)
                return
            self._send_waiting()

    def _refuse_lost(self) -> None:
        if self.client.status != "running":
            raise self._lost()

    def _lost(self, why: str = "") -> LostSchedulerError:
        return LostSchedulerError(f"the scheduler at {self.address} no longer answers{why}")

    def _send_again(self) -> None:
        """Send the tasks of workers that are gone to others."""
        with self._lock:
            for job in [job for job in self._running if job.only]:
                for attempt in [each for each, only in job.only.items() if not only & self._threads.keys()]:
                    del job.only[attempt]
                    if job.attempts.pop(attempt, None) is not None:
                        attempt.release()
                        self._send(job)

    def _begin_again(self) -> None:
        """Start slow tasks a second time."""
        now = time.monotonic()
        with self._lock:
            slow = [job for job in self._running if len(job.attempts) == 1 and now > self._slow_from(job)]
            alone = len(self._usable()) < 2
        if not slow or alone:
            return
        where = {key: worker for worker, keys in self.client.processing().items() for key in keys}
        with self._lock:
            for job in slow:
                at = {attempt: where[attempt.key] for attempt in job.attempts if attempt.key in where}
                if at and not job.future.done():
                    job.at |= at
                    LOG.debug(f"a task ({job.kind}) is slow at {', '.join(at.values())}; it is begun a second time")
                    self._send(job, avoided={*at.values()})

    def _slow_from(self, job: Job) -> float:
        """Return the time after which a task is slow."""
        known = self._durations[job.kind] or [each for kind in self._durations.values() for each in kind]
        most = max(LEAST_SLOW, SLOW * statistics.median(known)) if known else UNKNOWN_SLOW
        return min(job.attempts.values()) + max(most, job.longest)

    def _give_up(self, error: BaseException) -> None:
        with self._lock:
            jobs = [*self._running, *self._waiting]
            self._waiting.clear()
            self._running.clear()
            self._closed.set()
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and cancel those that are not done; the client stays open."""
        if not self._closed.is_set():
            attempts = [*(attempt for job in self._running for attempt in job.attempts), *self._stuck]
            self._give_up(CancelledError())
            with contextlib.suppress(Exception):  # the scheduler may go at any moment
                if attempts and self.client.status == "running":
                    self.client.cancel(attempts, force=True)
        self._marks.close()

    def __exit__(self, *failure: object) -> None:
        self.shutdown()


def address_of(client: distributed.Client) -> str:
    """Return the address of a client's scheduler."""
    return "an address that is unknown" if client.scheduler is None else str(client.scheduler.address)


# Where they are -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def connected(where: str) -> Iterator[DaskCrew]:
    """Connect to the scheduler that ``where`` names: by its address (``tcp://host:8786``), by a scheduler file
    (``FILE.json``), by ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``, which returns a `distributed.Client`, or by
    ``local``, which starts `processors` workers on this machine. Raises `OptionError` and `ClusterError`.
    """
    _silence()
    with contextlib.ExitStack() as stack:
        client = _client(where, stack)
        _close_at_the_end(client, stack, 2)
        with crew_of(client) as crew:
            yield crew


def _silence() -> None:
    """Silence Dask and the libraries below it at every level: whatever matters is reported in a line of ours."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith(tuple(f"{each}." for each in LOGGERS))]
    for name in (*LOGGERS, *known):  # Dask sets levels of their own for some below
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextlib.contextmanager
def crew_of(client: distributed.Client) -> Iterator[DaskCrew]:
    """Provide the workers of a client's scheduler; unfinished tasks are cancelled at the end."""
    try:
        crew = DaskCrew(client)
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
    """Close a client or a cluster at the end, whether or not its scheduler still answers."""

    def close() -> None:
        with contextlib.suppress(Exception):
            one.close(timeout=seconds)

    stack.enter_context(cleanup(close))


def _client(where: str, stack: contextlib.ExitStack) -> distributed.Client:
    if where == LOCAL:
        return _local(stack)
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
    """Return the address in a scheduler file."""
    if not file.is_file():
        raise OptionError(f"--dask {file}: there is no such file; `dask scheduler --scheduler-file` writes it")
    try:
        address = json.loads(file.read_bytes())["address"]
    except (OSError, ValueError, LookupError, TypeError):
        address = None
    if not isinstance(address, str):
        raise OptionError(f"--dask {file}: this is not a scheduler file; `dask scheduler --scheduler-file` writes one")
    return address


class _OwnClient(distributed.Client):
    """A client that is closed explicitly or not at all: Dask would wait in vain for a scheduler never reached."""

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
        return reached.result(SECONDS + 1)  # Dask waits forever for servers that are no schedulers
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = next((line for line in str(error).splitlines() if line), type(error).__name__)
        raise ClusterError(f"--dask {where}: no scheduler answered within {SECONDS:g} s ({why})") from None


def _local(stack: contextlib.ExitStack) -> distributed.Client:
    """Start a scheduler and workers on this machine, which end with this process."""
    dask.config.set(SETTINGS)
    sys.warnoptions.append("ignore:resource_tracker")  # its process would warn of what Ctrl-C leaves to it
    cluster = distributed.LocalCluster(
        n_workers=processors(), threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        memory_limit=0, silence_logs=logging.CRITICAL, preload=["gametree.solving.cluster.probe"],
    )  # fmt: skip
    _close_at_the_end(cluster, stack)
    return distributed.Client(cluster, timeout=SECONDS, set_as_default=False, name="gametree")


def _made(where: str, module: str, name: str, stack: contextlib.ExitStack) -> distributed.Client:
    """Return the client that a user's function makes; a cluster made for it is closed at the end."""
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
