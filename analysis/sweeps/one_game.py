"""One game of a sweep, solved in a process of its own: its peak memory is its own, it can be ended when its time is
over, and where it fails it costs one row; and the numbers of a solution that stand in a row.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from numbers import Integral, Real
from typing import IO, TYPE_CHECKING, Any

from analysis.errors import GametreeError, NoRoomError, OptionError, TooLargeError
from analysis.machine.context import within
from analysis.machine.endings import cleanup
from analysis.machine.memory import bytes_of, readable
from analysis.machine.version import __version__
from analysis.machine.workers import Workers
from analysis.sweeps.patterns import SweptGame
from analysis.sweeps.rows import FAILED, LIMITS, REFUSED, SOLVED, Row

if TYPE_CHECKING:
    from analysis.solution.position import Move
    from analysis.solution.solution import Solution

WATCHED = 0.5
"""Seconds between two looks at whether the process that waits is still there, and what it waits for still wanted."""
LATE = 60.0
"""Seconds after the time of a game is over in which its row has to be there, wherever it is solved."""

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from gametree.sweeps.one_game import answer; answer()"
)
"""Of the process: it finds the modules where this one does."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one game may be or take; None: whatever it is. Raises `OptionError` for what is no limit."""

    positions: int | None = None
    memory: int | str | None = None
    """Of its process in all: bytes, or a text such as ``"4GB"``; None in a sweep: what is free, divided among the games
    that are solved at a time.
    """
    seconds: float | None = None
    """From the start of its process on."""

    def __post_init__(self) -> None:
        if self.memory is not None:
            object.__setattr__(self, "memory", bytes_of(self.memory))
        for name, limit in vars(self).items():
            kind = Real if name == "seconds" else Integral
            if limit is not None and not (isinstance(limit, kind) and float(limit) > 0):
                raise OptionError(f"limit_{name} is {limit}; a limit is a number above 0")

    def columns(self) -> Row:
        """As a row has them."""
        return dict(zip(LIMITS.values(), vars(self).values(), strict=True))

    def larger(self, row: Row) -> bool:
        """Tell whether these allow more than those which a game of this row did not keep. What was free when its memory
        was not limited is not known: any limit that is given counts as more.
        """
        name = LIMITS[row["status"]]
        now, then = self.columns()[name], row.get(name)
        return now is not None if then is None else now is None or now > then

    @property
    def longest_seconds(self) -> float:
        """After which something must be wrong where a game is solved; see `analysis.solving.cluster.dask_crew`."""
        return math.inf if self.seconds is None else self.seconds + LATE


class TooManyError(TooLargeError):
    """A game with more positions than a sweep wants."""


# Where the process is waited for --------------------------------------------------------------------------------------


def solve_apart(limits: Limits, game: SweptGame, threads: int = 1, over: threading.Event | None = None) -> Row:
    """Solve a game in a process, which is ended where all is ``over`` before. Returns its row without what the caller
    knows of it: what was found, or the status and why.
    """
    task = json.dumps([dataclasses.asdict(limits), dataclasses.asdict(game), threads])
    command = [sys.executable, "-P", "-c", PROGRAM, json.dumps(sys.path), task, str(os.getpid())]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as answered:
        try:  # in a session of its own, which a signal to the group of this process, such as Ctrl-C, does not reach
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=answered, stderr=said, start_new_session=True
            )
        except OSError as error:
            return {"status": FAILED, "why": f"no process can be begun: {error.strerror or error}"}
        ends = math.inf if limits.seconds is None else time.monotonic() + limits.seconds
        with cleanup(process.kill):
            try:
                while process.poll() is None and not (over and over.is_set()):
                    if (left := ends - time.monotonic()) <= 0:
                        return {"status": "too_long", "why": f"not solved in {limits.seconds:g} s"}
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(min(left, WATCHED))
            finally:
                process.kill()
                process.wait()
        return _answered(process.returncode, answered, said)


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
    """Be the program of the process: write the row of the game in the arguments as JSON. What a game prints goes to
    standard error.
    """
    _, _, task, parent = sys.argv

    def watch() -> None:  # end this process where nobody waits for it any more
        while os.getppid() == int(parent):
            time.sleep(WATCHED)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    limits, game, threads = json.loads(task)
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        json.dump(solve_here(Limits(**limits), SweptGame(**game), threads), out)


def solve_here(limits: Limits, asked: SweptGame, threads: int = 1) -> Row:
    """Solve a game in this process. Returns its row as `solve_apart` does."""
    try:
        return _solved(limits, asked, threads)
    except TooManyError as error:
        status, why = "too_many_positions", str(error)
    except MemoryError as error:  # TooLargeError among them; without advice that is not for sweeps
        status, why = "too_little_memory", str(error) or "out of memory"
        if isinstance(error, NoRoomError) and error.what:
            why = f"{error.what} needs about {readable(error.needed)} of memory, and {readable(error.limit)} are free"
    except GametreeError as error:
        status, why = REFUSED, str(error)
    except Exception as error:
        status, why = FAILED, f"{type(error).__name__}: {error}"
    return {"status": status, "why": why}


def _solved(limits: Limits, asked: SweptGame, threads: int) -> Row:
    """The row of a game that can be solved."""
    from analysis.engine.engine import make_engine
    from analysis.games.families import load_game
    from analysis.solution.conversions import checksum
    from analysis.solving.planning.sizes import exact_sizes
    from analysis.solving.solve import solve

    def check(number: int) -> None:
        if limits.positions is not None and number > limits.positions:
            raise TooManyError(f"it has more than {limits.positions:,} positions")

    def told(stage: str, done: float, total: float | None) -> None:
        if stage == "finding positions":  # as many classes are there
            check(int(done))

    game, symmetry = load_game(asked.lasting_spec), asked.symmetry or ""
    if game.rules_hash() != asked.rules_hash:
        return {"status": FAILED, "why": f"where it was to be solved, {game.spec} has other rules"}
    with within(memory=limits.memory):
        if limits.positions is not None:  # a formula may tell at once
            with Workers(1) as pool:
                sizes = exact_sizes(make_engine(game, symmetry=symmetry, workers=pool))
            check(0 if sizes is None else sizes.positions.low)
        began = time.perf_counter()
        with within(workers=threads, progress=told):
            solution = solve(game, symmetry=symmetry)
        seconds = time.perf_counter() - began
    check(solution.canonical if solution.position_count is None else solution.position_count)
    row = {
        "status": SOLVED,
        **numbers_of(solution.statistics()),
        "loopy": solution.loopy,
        "seconds": round(seconds, 3),
        "version": __version__,
        "checksum": checksum(solution),
        "peak_memory_bytes": peak_bytes(),
    }
    with within(memory=limits.memory):
        return row | balance_of(solution)


def peak_bytes() -> int:
    """Measure the most memory that this process has taken so far. (What `resource` says includes, on Linux, what the
    process that began it had taken.)
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


# Numbers --------------------------------------------------------------------------------------------------------------

MOST_CLASSES = 1_000_000
"""Classes up to which random play is worked out: some seconds, and some 100 MB."""


def numbers_of(statistics: dict[str, Any]) -> dict[str, Any]:
    """Select those of a solution's statistics that are columns of a sweep."""
    same = (
        "value", "remoteness_plies", "positions", "canonical", "symmetry_order", "moves", "histories", "optimal_paths",
        "quotient_paths", "games_up_to_symmetry",
    )  # fmt: skip
    games = statistics["games"] or dict.fromkeys(("X", "O", "tie", "total"))
    ended = statistics["terminal"] or dict.fromkeys(("X", "O", "tie"))  # residual classes do not tell
    return {
        **{name: statistics[name] for name in same},
        **{f"terminal_{name.lower()}": number for name, number in ended.items()},
        **{f"games_{name.lower()}": number for name, number in games.items()},
    }


def first_moves(solution: Solution) -> tuple[Move, ...]:
    """List the moves of the start, as far as rules tell."""
    return solution[solution.start].moves if solution.engine.ruled else ()


def balance_of(solution: Solution) -> dict[str, float | None]:
    """Measure how balanced a game is, as doubles: ``games_x_share`` of its games is won by the first player; both at
    random end it with the chances ``random_x``, ``random_o`` and ``random_tie``, None for a game with loops or more
    than `MOST_CLASSES` classes, or where memory does not do; ``blunder_start`` of the first moves lose value, None
    where the game is over at the start. Without rules there are only games.

    >>> import analysis
    >>> balance_of(analysis.solve("hex:n=2"))["blunder_start"]
    0.5
    """
    from analysis.playing.expectation import Graph
    from analysis.playing.simulation import Pairing, SolvedArrays

    games, moves = solution.statistics()["games"], first_moves(solution)
    chances: list[float | None] = [None] * 3
    pairing = Pairing.of("random", "random")
    if pairing is not None and not solution.loopy and solution.engine.ruled and solution.canonical <= MOST_CLASSES:
        with contextlib.suppress(MemoryError):  # TooLargeError among them
            arrays = SolvedArrays.solved(solution, solution.engine.start)
            with Workers(1) as pool:
                graph = Graph.build(arrays, pairing, pool)
            chances = [float(chance) for chance in graph.play(0, solution.canonical).won]
    return {
        "games_x_share": games["X"] / games["total"] if games else None,
        **dict(zip(("random_x", "random_o", "random_tie"), chances, strict=True)),
        "blunder_start": sum(not move.optimal for move in moves) / len(moves) if moves else None,
    }
