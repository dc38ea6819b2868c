"""What a cluster costs beside a process pool, and how many workers one scheduler can keep at work.

``python benchmarks/cluster.py`` solves a game of 4 million positions; another is given by ``--game``, with ``--memory``
for each worker. ``python benchmarks/cluster.py --saturate`` sends tasks that only sleep.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import psutil
from common import ROOT, Settings, Target, machine, median
from rich.console import Console

COST = Target(1.25, " x a process pool", inclusive=True)
LITTLE = "connect:rows=4,cols=5,k=4"
MEMORY = 400_000_000
NUMBERS = (1, 2, 4)
SLEEPS = (0.1, 0.3, 1.0, 3.0)
SECONDS = 15.0
"""That each length of tasks is tried for, about."""
WORKERS, THREADS = 4, 250

COUNTED = """
import tornado.iostream as iostream
moved = [0, 0]
def counted(place, real, bytes_of):
    def run(self, buffer):
        found = real(self, buffer)
        moved[place] += bytes_of(found, buffer)
        return found
    return run
stream = iostream.IOStream
stream.read_from_fd = counted(0, stream.read_from_fd, lambda found, buffer: found or 0)
stream.write_to_fd = counted(1, stream.write_to_fd, lambda found, buffer: found or 0)
def dask_setup(scheduler):
    scheduler.moved = moved
"""
"""Preloaded into the scheduler: counts the bytes of its connections."""


class Dask:
    """A scheduler and workers, each a process of its own, on the loopback."""

    def __init__(self, folder: Path, workers: int, threads: int = 1) -> None:
        from distributed import Client

        (folder / "counted.py").write_text(COUNTED)
        file = folder / "scheduler.json"
        host = ["--host", "127.0.0.1"]
        preload = ["--preload", str(folder / "counted.py")]
        self.scheduler = self._begin("scheduler", *host, "--port", "0", *preload, "--scheduler-file", str(file))
        while not file.exists() or not file.stat().st_size:
            time.sleep(0.1)
        more = ["--no-nanny", "--nthreads", str(threads), "--memory-limit", "0", "--no-dashboard"]
        self.workers = [
            self._begin("worker", *host, *more, "--scheduler-file", str(file), "--local-directory", str(folder))
            for _ in range(workers)
        ]
        self.client = Client(scheduler_file=str(file), set_as_default=False)
        self.client.wait_for_workers(workers)

    @staticmethod
    def _begin(what: str, *options: str) -> psutil.Popen:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
        quiet = {"PYTHONPATH": str(ROOT), "DASK_LOGGING__DISTRIBUTED": "error"}
        quiet["DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"] = "False"  # as docs/how-to/cluster.md says
        return psutil.Popen(
            command, env={**os.environ, **quiet}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
        )

    def moved(self) -> int:
        """Bytes that went through the scheduler so far, in and out."""
        return sum(self.client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.moved))

    def close(self) -> None:
        """End all."""
        self.client.close()
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


class Counting:
    """An executor, or a crew, whose tasks are counted."""

    def __init__(self, executor: Executor) -> None:
        self.tasks = 0
        submit = executor.submit

        def counted(*arguments: Any, **named: Any) -> Future[Any]:
            self.tasks += 1
            return submit(*arguments, **named)

        executor.submit = counted  # type: ignore[method-assign]


def cluster(settings: Settings, game: str = LITTLE, counts: bool = True, memory: int = MEMORY) -> None:
    """Print what a solve costs by each."""
    kinds = [f"{who} {number}" for number in NUMBERS for who in ("processes", "dask")]
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    for _ in range(1 if settings.quick else min(3, settings.repeat)):
        for kind in kinds:
            command = [sys.executable, __file__, "--one", kind, "--game", game, "--memory", str(memory)]
            command += [] if counts else ["--no-counts"]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
            found[kind].append(json.loads(said.splitlines()[-1]))
    rows = []
    for kind in kinds:
        who, number = kind.split()
        pools = found[f"processes {number}"]
        ratio = median([own["cpu"] / pool["cpu"] for own, pool in zip(found[kind], pools, strict=True)])
        one = found[kind][-1]
        judged = COST.judge(ratio) if who == "dask" else ("", "")
        share = f"{100 * one['scheduler'] / one['cpu']:.1f} %" if who == "dask" else ""
        rows.append(
            (
                kind, f"{one['cpu']:.1f}", f"{ratio:.2f}", f"{one['wall']:.1f}", share, f"{one['moved'] / 1e6:.1f}",
                one["tasks"], f"{one['tasks'] / one['wall']:.1f}", *judged,
            )
        )  # fmt: skip
    settings.table(
        f"{game}, {'all counts' if counts else 'values and remoteness'}, {memory / 1e6:.0f} MB",
        ("", "s of processor", "x pool", "s", "scheduler's share", "MB through it", "tasks", "tasks/s", "target", ""),
        rows,
    )


def _one(kind: str, game: str, counts: bool, memory: int) -> dict[str, float]:
    """One solve, by so many processes or Dask's workers, once all is loaded and compiled."""
    import analysis
    from analysis.common.memory import SHARE, taken_bytes

    who, number = kind.split()
    with tempfile.TemporaryDirectory() as folder, _executor(who, int(number), Path(folder)) as (executor, dask):
        analysis.running(executor=executor)(analysis.solve)(
            LITTLE, directory=f"{folder}/warm", counts=counts, memory=memory
        )
        counting, moved = Counting(executor), dask.moved() if dask else 0
        before, scheduler = _processor(), _of(dask.scheduler) if dask else 0.0
        given = memory if dask else int(memory / SHARE) + taken_bytes()  # for the same plan
        began = time.perf_counter()
        workers = None if dask else int(number)
        analysis.running(executor=executor)(analysis.solve)(
            game, directory=f"{folder}/s", counts=counts, memory=given, workers=workers
        )
        return {
            "cpu": _processor() - before, "wall": time.perf_counter() - began, "tasks": counting.tasks,
            "scheduler": _of(dask.scheduler) - scheduler if dask else 0, "moved": dask.moved() - moved if dask else 0,
        }  # fmt: skip


@contextlib.contextmanager
def _executor(who: str, number: int, folder: Path) -> Iterator[tuple[Executor, Dask | None]]:
    if who == "processes":
        with ProcessPoolExecutor(number, multiprocessing.get_context("spawn")) as pool:
            yield pool, None
        return
    from analysis.solving.cluster.dask_crew import crew_of

    dask = Dask(folder, number)
    with contextlib.closing(dask), crew_of(dask.client) as crew:
        yield crew, dask


def _processor() -> float:
    """Seconds of processor time of this process and all below it."""
    me = psutil.Process()
    return _of(me) + sum(_of(child) for child in me.children(recursive=True))


def _of(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def saturate(settings: Settings) -> None:
    """Print how many tasks a second come through one scheduler with a thousand slots."""
    from analysis.solving.cluster.dask_crew import crew_of

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        dask = Dask(Path(folder), WORKERS, THREADS)
        with contextlib.closing(dask), crew_of(dask.client) as crew:
            slots = crew.slots
            wait([crew.submit(time.sleep, 0.1) for _ in range(slots)])
            for length in SLEEPS:
                tasks = max(2 * slots, min(int(slots * SECONDS / length), 3 * slots))
                before, driver, moved = _of(dask.scheduler), time.process_time(), dask.moved()
                began = time.perf_counter()
                wait([crew.submit(time.sleep, length) for _ in range(tasks)])
                seconds = time.perf_counter() - began
                ideal = length * -(-tasks // slots)
                rows.append(
                    (
                        f"{length:g} s", tasks, f"{seconds:.1f}", f"{tasks / seconds:.0f}",
                        f"{100 * ideal / seconds:.0f} %",
                        f"{100 * (_of(dask.scheduler) - before) / seconds:.0f} %",
                        f"{100 * (time.process_time() - driver) / seconds:.0f} %",
                        f"{(dask.moved() - moved) / tasks / 1e3:.1f}",
                    )
                )  # fmt: skip
    settings.table(
        f"Tasks that only sleep, {slots:,} at a time in {WORKERS} workers",
        ("each", "tasks", "s", "tasks/s", "of the ideal", "scheduler busy", "driver busy", "kB a task"),
        rows,
    )


def main() -> None:
    """Measure from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default=LITTLE)
    parser.add_argument("--no-counts", action="store_true")
    parser.add_argument("--memory", type=int, default=MEMORY, metavar="BYTES")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--saturate", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(_one(arguments.one, arguments.game, not arguments.no_counts, arguments.memory)))
        return
    settings = Settings(arguments.repeat, 2, arguments.repeat == 1, Console(width=140))
    settings.print(machine())
    if arguments.saturate:
        saturate(settings)
    else:
        cluster(settings, arguments.game, not arguments.no_counts, arguments.memory)


if __name__ == "__main__":
    main()
