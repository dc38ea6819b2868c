"""One game of a sweep, solved in a process of its own: its peak memory is its own, it can be ended when its time is
over, and where it fails it costs one row.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any

from analysis.errors import GametreeError, NoRoomError, TooLargeError
from analysis.machine.endings import cleanup
from analysis.machine.memory import readable, within_memory
from analysis.machine.version import __version__
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.rules.game import Game
from analysis.sweeps.rows import FAILED, REFUSED, SOLVED, Row

WATCHED = 1.0
"""Seconds between two looks at whether the process that waits is still there."""
LATE = 60.0
"""Seconds after the time of a game is over in which its row has to be there, wherever it is solved."""

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from gametree.sweeps.one_game import answer; answer()"
)
"""Of the process: it finds the modules where this one does."""


class Running:
    """Processes that are at work, in several threads."""

    def __init__(self) -> None:
        self._lock, self._over = threading.Lock(), False
        self._processes: set[subprocess.Popen[bytes]] = set()

    def add(self, process: subprocess.Popen[bytes]) -> None:
        """One more; it is ended if nobody wants it any more."""
        with self._lock:
            self._processes.add(process)
            if self._over:
                process.kill()

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """End one."""
        process.kill()
        process.wait()
        with self._lock:
            self._processes.discard(process)

    def end_all(self) -> None:
        """Nobody waits for any of them, nor for one that begins later."""
        with self._lock:
            self._over = True
            for process in self._processes:
                process.kill()


@dataclasses.dataclass(frozen=True)
class Task:
    """A game that is to be solved; plain values, as another machine may do it."""

    game: str
    """The specification by which it is loaded."""
    rules_hash: str
    """Of the rules that it must have there."""
    symmetry: str
    threads: int = 1
    max_positions: int | None = None
    memory: int | None = None
    """Bytes that its process may take in all."""
    seconds: float | None = None
    """From the start of its process on."""

    @property
    def longest_seconds(self) -> float:
        """After which something must be wrong where it is done; see `analysis.cluster.dask_crew`."""
        return math.inf if self.seconds is None else self.seconds + LATE


class TooManyError(TooLargeError):
    """A game with more positions than a sweep wants."""


# Where the process is waited for --------------------------------------------------------------------------------------


def solve_apart(task: Task, running: Running | None = None) -> Row:
    """The row of a task without what the caller knows of it: what was found, or the status and why. Its process is
    among those ``running`` meanwhile.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as answered:
        try:
            process = _begin(task, answered, said)
        except OSError as error:
            return {"status": FAILED, "why": f"no process can be begun: {error.strerror or error}"}
        running = running or Running()
        running.add(process)
        with cleanup(process.kill):
            try:
                code = process.wait(task.seconds)
            except subprocess.TimeoutExpired:
                return {"status": "too_long", "why": f"not solved in {task.seconds:g} s"}
            finally:
                running.end(process)
        return _answered(code, answered, said)


def _begin(task: Task, answered: IO[bytes], said: IO[bytes]) -> subprocess.Popen[bytes]:
    """The process; a signal to the group of this one, such as Ctrl-C, does not reach it."""
    arguments = [json.dumps(sys.path), json.dumps(dataclasses.asdict(task)), str(os.getpid())]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, *arguments],
        stdin=subprocess.DEVNULL, stdout=answered, stderr=said, start_new_session=True,
    )  # fmt: skip


def _answered(code: int, answered: IO[bytes], said: IO[bytes]) -> Row:
    """What a process that has ended wrote, or how it ended."""
    answered.seek(0)
    try:
        row = json.loads(answered.read())
    except ValueError:
        row = None
    if code == 0 and isinstance(row, dict):
        return row
    said.seek(0)
    lines = said.read()[-4000:].decode(errors="replace").strip().splitlines()
    how = f"signal {-code}{' (out of memory?)' * (code == -9)}" if code < 0 else f"exit code {code}"
    return {"status": FAILED, "why": f"its process ended with {how}" + (f": {lines[-1]}" if lines else "")}


# The process ----------------------------------------------------------------------------------------------------------


def answer() -> None:
    """The program of the process: write the row of the task in the arguments as JSON. What a game prints goes to
    standard error.
    """
    _, _, task, parent = sys.argv
    threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        json.dump(solve_here(Task(**json.loads(task))), out)


def _watch(parent: int) -> None:
    """End this process where nobody waits for it any more."""
    while os.getppid() == parent:
        time.sleep(WATCHED)
    os._exit(1)


def solve_here(task: Task) -> Row:
    """The row of a task, solved in this process."""
    try:
        return _solved(task)
    except TooManyError as error:
        status, why = "too_many_positions", str(error)
    except MemoryError as error:  # TooLargeError among them
        status, why = "too_little_memory", _too_little(error)
    except GametreeError as error:
        status, why = REFUSED, str(error)
    except Exception as error:
        status, why = FAILED, f"{type(error).__name__}: {error}"
    return {"status": status, "why": why}


def _too_little(error: MemoryError) -> str:
    """Why memory does not do, without advice that is not for sweeps."""
    if isinstance(error, NoRoomError) and error.what:
        return f"{error.what} needs about {readable(error.needed)} of memory, and {readable(error.limit)} are free"
    return str(error) or "out of memory"


def _solved(task: Task) -> Row:
    """The row of a game that can be solved."""
    from analysis.games.families import load_game
    from analysis.solution.conversions import checksum
    from analysis.solving.solve import solve
    from analysis.sweeps.numbers import balance_of, numbers_of

    game = load_game(task.game)
    if game.rules_hash() != task.rules_hash:
        return {"status": FAILED, "why": f"where it was to be solved, {game.spec} has other rules"}
    with within_memory(task.memory):
        if task.max_positions is not None:
            _check_formula(game, task)
        began = time.perf_counter()
        solution = solve(game, symmetry=task.symmetry, workers=task.threads, progress=_bounded(task.max_positions))
        seconds = time.perf_counter() - began
    known = solution.canonical if solution.position_count is None else solution.position_count
    _check_positions(known, task.max_positions)
    row = {
        "status": SOLVED,
        **numbers_of(solution.statistics()),
        "loopy": solution.loopy,
        "seconds": round(seconds, 3),
        "version": __version__,
        "checksum": checksum(solution),
        "peak_memory_bytes": peak_bytes(),
    }
    with within_memory(task.memory):
        return row | balance_of(solution)


def _check_formula(game: Game, task: Task) -> None:
    """Refuse a game at once of which a formula says that it has too many positions."""
    from analysis.engine.engine import make_engine
    from analysis.planning.sizes import exact_sizes

    with Workers(1) as pool:
        sizes = exact_sizes(make_engine(game, symmetry=task.symmetry, workers=pool))
    if sizes is not None:
        _check_positions(sizes.positions.low, task.max_positions)


def _bounded(most: int | None) -> Progress:
    """What breaks a solve off where more classes are found than there may be positions."""
    if most is None:
        return no_progress

    def told(stage: str, done: float, total: float | None) -> None:
        if stage == "finding positions":
            _check_positions(int(done), most)

    return told


def _check_positions(number: int, most: int | None) -> None:
    if most is not None and number > most:
        raise TooManyError(f"it has more than {most:,} positions")


def peak_bytes() -> int:
    """The most memory that this process has taken so far. (What `resource` says includes, on Linux, what the process
    that began it had taken.)
    """
    try:
        with open("/proc/self/status") as file:  # noqa: PTH123 - no need of a path
            return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    except ImportError:  # Windows
        import psutil

        taken: Any = psutil.Process().memory_info()
        return int(taken.peak_wset)
