"""A real scheduler and real worker processes on the loopback."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from distributed import Client

from tests.support import worker_holds
from tests.support.program import PATIENCE, ROOT, until

SCHEDULER = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
WORKER = [
    sys.executable, "-m", "distributed.cli.dask_worker", "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1",
    "--memory-limit", "0", "--no-dashboard", "--preload", str(worker_holds.__file__), "--death-timeout", "60",
]  # fmt: skip

TTL = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5s"}
"""After which the tasks of a silent worker are done by others."""


class Cluster:
    """A scheduler with workers that come and go."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.file, self.holds = folder, folder / "scheduler.json", folder / "holds"
        self.holds.mkdir()
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.log = (folder / "log").open("ab")
        self.scheduler = self._begin(
            [*SCHEDULER, "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(self.file)]
        )
        until(self.file.exists, "a scheduler file")
        until(lambda: self.file.stat().st_size, "a scheduler file")
        self.client = Client(scheduler_file=str(self.file), set_as_default=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.client.close()
        for process in (*self.workers.values(), self.scheduler):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        self.log.close()

    def _begin(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, cwd=self.folder, stdout=self.log, stderr=self.log, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOLDS": str(self.holds), **TTL},
        )  # fmt: skip

    def add(self, name: str, before: Sequence[str] = (), options: Sequence[str] = ()) -> None:
        """One more worker; ``before`` is a command that runs it."""
        self.workers[name] = self._begin(
            [*before, *WORKER, "--name", name, "--scheduler-file", str(self.file), *options]
        )

    def come(self, *names: str) -> None:
        """Exactly these workers are there, those that were missing new ones."""
        for name in [name for name in self.workers if name not in names]:
            self.kill(name)
        for name in names:
            if name not in self.workers:
                self.add(name)
        until(lambda: self.there() == set(names), f"workers {names}")

    def there(self) -> set[str]:
        """The workers that the scheduler knows."""
        return {worker["name"] for worker in self.client.scheduler_info(n_workers=-1)["workers"].values()}

    def kill(self, name: str) -> None:
        """With SIGKILL."""
        process = self.workers.pop(name)
        process.kill()
        process.wait()

    def name_of(self, pid: int) -> str:
        """Of the worker that is this process."""
        return next(name for name, process in self.workers.items() if process.pid == pid)

    def awaken(self, pid: int) -> None:
        """Continue a worker that was stopped for so long that Dask dropped it: it ends once its task is done."""
        os.kill(pid, signal.SIGCONT)
        name = self.name_of(pid)
        until(lambda: self.workers[name].poll() is not None, "the end of a worker")
        del self.workers[name]

    @contextmanager
    def held(self, place: str) -> Iterator[Callable[[], int]]:
        """The next task that comes to a place waits there until the end; the process is told that it is in."""
        for path in self.holds.iterdir():
            path.unlink()
        (self.holds / place).touch()

        def taken() -> int:
            found = until(lambda: [*self.holds.glob(f"{place}.*")], f"a task at {place}")
            return int(found[0].suffix[1:])

        try:
            yield taken
        finally:
            self.go(place)

    def go(self, place: str) -> None:
        """What waits at a place goes on."""
        (self.holds / f"go-{place}").touch()


class Background(threading.Thread):
    """Something that is done meanwhile; `join` it for what it returns, or raises."""

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._function, self._error, self._result = function, None, None
        self.start()

    def run(self) -> None:
        """See `threading.Thread`."""
        try:
            self._result = self._function()
        except BaseException as error:
            self._error = error  # type: ignore[assignment]

    def result(self) -> Any:
        """What it returned."""
        self.join(PATIENCE)
        assert not self.is_alive(), f"not done in {PATIENCE:g} s"
        if self._error is not None:
            raise self._error
        return self._result
