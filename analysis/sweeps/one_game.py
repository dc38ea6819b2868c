"""The games of a sweep: find those that a pattern stands for, such as ``mnk:rows=1..4,cols=1..4,k=3|4``; solve one in
its own process, and extract the numbers for its row.

The process has its own peak memory, can be stopped when its time is over, and costs only one row if it fails.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import IO, TYPE_CHECKING, Any

from analysis.errors import GametreeError, NoRoomError, OptionError, SpecError, TooLargeError
from analysis.games.families import BIDDING, OPEN_SPIEL, SUM, family_of, load_game, parse_parameters, summand_family
from analysis.games.sums import SumGame
from analysis.machine.context import Progress, within
from analysis.machine.endings import cleanup
from analysis.machine.memory import bytes_of, readable
from analysis.machine.version import __version__
from analysis.machine.workers import Workers
from analysis.playing.chain import MOST_EXACT_CLASSES, MOST_EXACT_STEPS, Ends, played
from analysis.rules.game import ONGOING, spell
from analysis.rules.symmetry import check_kind, usable_kind
from analysis.sweeps.rows import FAILED, LIMITS, REFUSED, SOLVED, Row

if TYPE_CHECKING:
    from analysis.solution.position import Move
    from analysis.solution.solution import Solution

MOST = 100_000
"""The most games of one pattern."""

_RANGE = re.compile(r"([+-]?[0-9]{1,18})\.\.([+-]?[0-9]{1,18})").fullmatch


@dataclasses.dataclass(frozen=True)
class SweptGame:
    """A game of a sweep, or values of parameters that make none; only plain values, as another machine may solve it."""

    spec: str
    """The specification with all parameters, as in `Game.spec`."""
    symmetry: str | None
    """The kind to solve it with; None if there is no game."""
    parameters: dict[str, Any]
    rules_hash: str | None
    lasting_spec: str
    """The specification by which another process finds a user game's file."""
    why: str | None = None
    """Why the values make no game."""
    nimbers: bool = True
    """Whether its positions have nimbers."""

    @property
    def key(self) -> tuple[str, str | None]:
        """The key of its row."""
        return self.spec, self.symmetry


def swept_games(patterns: Sequence[str], symmetries: Sequence[str] = ("geometric",)) -> list[SweptGame]:
    """List the games that ``patterns`` stand for, each once, with each of the ``symmetries`` that makes a difference.

    In a pattern, a parameter (by name or position) has a list of values (``3|4``), an inclusive range of whole numbers
    (``1..4``), or both (``1..3|7``); it stands for all combinations, the last parameter changing fastest. Raises
    `SpecError` for an unknown game or an invalid value, and `OptionError` for bidding games, for more than `MOST`
    combinations, and for an unknown symmetry.

    >>> [game.spec for game in swept_games(["hex:1..2", "nim:heaps=1-2|3"])]
    ['hex:n=1', 'hex:n=2', 'nim:heaps=1-2,take=any', 'nim:heaps=3,take=any']
    """
    for kind in symmetries:
        check_kind(kind)
    found = {game.key: game for pattern in patterns for game in _games(pattern, symmetries)}
    return list(found.values())


def _games(pattern: str, symmetries: Sequence[str]) -> Iterator[SweptGame]:
    refused = {BIDDING: "bidding games", OPEN_SPIEL: "games of OpenSpiel"}
    name, _, summand = pattern.strip().partition(":")
    if kind := refused.get(name):
        raise OptionError(f"{pattern}: a sweep cannot hold {kind}; solve it with `gametree solve`")
    family, text = summand_family(summand.removeprefix("game=")) if name == SUM else family_of(pattern)
    choices = [_choices(item) for item in text.split(",")]
    number = math.prod(sum(len(values) for _, values in ranges) for ranges in choices)
    if number > MOST:
        raise OptionError(f"{pattern} stands for {number:,} games; the limit is {MOST:,}")
    written = ([f"{name}{value}" for name, values in ranges for value in values] for ranges in choices)
    for items in itertools.product(*written):
        values = parse_parameters(family, list(items))
        try:
            game = family(**values)
            game = load_game(f"{SUM}:{game.lasting_spec}") if name == SUM else game
            kinds = dict.fromkeys("none" if name == SUM else usable_kind(game.rules(), kind) for kind in symmetries)
        except GametreeError as error:
            given = {field.name: values.get(field.name, field.default) for field in family.parameter_fields()}
            said = {name: spell(value) for name, value in given.items()}
            shown = ",".join(f"{name}={text}" for name, text in said.items() if text not in ("false", ""))
            spec = f"{SUM}:" * (name == SUM) + f"{family.origin or family.family}:{shown}"
            yield SweptGame(spec, None, given, None, spec, str(error))
            continue
        nimbers = name == SUM or game.rules().impartial
        for kind in kinds:
            parameters, rules_hash = game.parameters(), game.rules_hash()
            yield SweptGame(game.spec, kind, parameters, rules_hash, game.lasting_spec, nimbers=nimbers)


def _choices(item: str) -> list[tuple[str, Sequence[object]]]:
    """Return the choices of one item of a pattern in order: a name and its values, as a range if they are many."""
    name, equals, values = item.partition("=")
    if not equals:
        name, values = "", item
    found: list[tuple[str, Sequence[object]]] = []
    for value in map(str.strip, values.split("|")):
        ends = _RANGE(value)
        if not value and "|" in item:
            raise SpecError(f"{item!r} has nothing on one side of |; write it as 3|4")
        if ends is None:
            found.append((name + equals, [value]))
            continue
        low, high = int(ends[1]), int(ends[2])
        if low > high:
            raise SpecError(f"the range {value} in {item!r} is empty; write the lesser end first, {high}..{low}")
        found.append((name + equals, range(low, high + 1)))
    return found


WATCHED = 0.5
"""Seconds between checks that the waiting process exists, and that its result is still wanted."""
LATE = 60.0
"""Seconds after a game's time limit by which its row must be there, wherever it is solved."""

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from gametree.sweeps.one_game import answer; answer()"
)
"""The program of the process, which finds modules where this one does."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits on one game; None for no limit. Raises `OptionError` for an invalid one."""

    positions: int | None = None
    memory: int | str | None = None
    """Its process's memory: bytes, or a text such as ``"4GB"``; None in a sweep: an equal share of what is free."""
    seconds: float | None = None
    """Counted from the start of its process."""

    def __post_init__(self) -> None:
        if self.memory is not None:
            object.__setattr__(self, "memory", bytes_of(self.memory))
        for name, limit in vars(self).items():
            kind = Real if name == "seconds" else Integral
            if limit is not None and not (isinstance(limit, kind) and float(limit) > 0):
                raise OptionError(f"limit_{name} is {limit!r}; give a number above 0")

    def columns(self) -> Row:
        """Return the limits as columns of a row."""
        return dict(zip(LIMITS.values(), vars(self).values(), strict=True))

    def larger(self, row: Row) -> bool:
        """Return whether these exceed the limit that this game hit; any memory limit exceeds an unset (unknown) one."""
        name = LIMITS[row["status"]]
        now, then = self.columns()[name], row.get(name)
        return now is not None if then is None else now is None or now > then

    @property
    def longest_seconds(self) -> float:
        """The time after which something must be wrong; see `analysis.solving.cluster.dask_crew`."""
        return math.inf if self.seconds is None else self.seconds + LATE


class TooManyError(TooLargeError):
    """The game has more positions than the limit."""


# Waiting for the process ----------------------------------------------------------------------------------------------


def solve_apart(limits: Limits, game: SweptGame, threads: int = 1, over: threading.Event | None = None) -> Row:
    """Solve a game in a process, killed once all is ``over``. Returns the rest of its row, or status and reason."""
    task = json.dumps([dataclasses.asdict(limits), dataclasses.asdict(game), threads])
    command = [sys.executable, "-P", "-c", PROGRAM, json.dumps(sys.path), task, str(os.getpid())]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as answered:
        try:  # in its own session, out of reach of signals to this process's group, such as Ctrl-C
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=answered, stderr=said, start_new_session=True
            )
        except OSError as error:
            return {"status": FAILED, "why": f"cannot start a process: {error.strerror or error}"}
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
    """Return what a finished process wrote, or how it ended."""
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
    """Run in the process: write the row of the game as JSON, with what the game prints on standard error."""
    _, _, task, parent = sys.argv

    def watch() -> None:  # exit once nobody waits for this process
        while os.getppid() == int(parent):
            time.sleep(WATCHED)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    limits, game, threads = json.loads(task)
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        json.dump(solve_here(Limits(**limits), SweptGame(**game), threads), out)


def solve_here(limits: Limits, asked: SweptGame, threads: int = 1) -> Row:
    """Solve a game in this process and return its row as `solve_apart` does."""
    try:
        return _solved(limits, asked, threads)
    except TooManyError as error:
        status, why = "too_many_positions", str(error)
    except MemoryError as error:  # including TooLargeError, without advice that does not suit sweeps
        status, why = "too_little_memory", str(error) or "out of memory"
        if isinstance(error, NoRoomError) and error.what:
            why = (
                f"{error.what} needs about {readable(error.needed)} of memory, but only {readable(error.limit)} is free"
            )
    except GametreeError as error:
        status, why = REFUSED, str(error)
    except Exception as error:
        status, why = FAILED, f"{type(error).__name__}: {error}"
    return {"status": status, "why": why}


def _solved(limits: Limits, asked: SweptGame, threads: int) -> Row:
    """Return the row of a game that can be solved."""
    from analysis.engine.engine import make_engine
    from analysis.engine.tiers import ValueRecord
    from analysis.solution.conversions import checksum
    from analysis.solving.planning.sizes import exact_sizes
    from analysis.solving.solve import solve

    def check(number: int) -> None:
        if limits.positions is not None and number > limits.positions:
            raise TooManyError(f"it has more than {limits.positions:,} positions")

    def told(stage: str, done: float, total: float | None) -> None:
        if stage == "finding positions" or stage.startswith("solving parts"):  # done counts classes, or parts
            check(int(done))

    game, symmetry = load_game(asked.lasting_spec), asked.symmetry or ""
    if game.rules_hash() != asked.rules_hash:
        return {"status": FAILED, "why": f"the worker has different rules for {game.spec}"}
    if isinstance(game, SumGame):
        return _summed(game, limits, told)
    with within(memory=limits.memory):
        if limits.positions is not None:  # a formula may decide at once
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
        "nimber": solution.lookup_as(solution.engine.start, ValueRecord).nimber,
        "loopy": solution.loopy,
        "seconds": round(seconds, 3),
        "version": __version__,
        "checksum": checksum(solution),
        "peak_memory_bytes": peak_bytes(),
    }
    with within(memory=limits.memory):
        return row | balance_of(solution)


def _summed(game: SumGame, limits: Limits, told: Progress) -> Row:
    """Return the row of a sum, of which only the nimber is known, and thereby who wins."""
    from analysis.sums.sum_solving import solve

    began = time.perf_counter()
    with within(memory=limits.memory, progress=told):
        nimber = solve(game).nimber
    seconds = round(time.perf_counter() - began, 3)
    row = {"status": SOLVED, "value": 1 if nimber else -1, "nimber": nimber, "loopy": False, "seconds": seconds}
    return row | {"version": __version__, "peak_memory_bytes": peak_bytes()}


def peak_bytes() -> int:
    """Return the peak memory of this process. (On Linux, `resource` includes the parent's.)"""
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
"""The most classes for which random play is evaluated: some seconds, and some 100 MB."""


def numbers_of(statistics: dict[str, Any]) -> dict[str, Any]:
    """Select the statistics of a solution that are columns of a sweep."""
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
    """Return the moves of the start, if there are rules."""
    return solution[solution.start].moves if solution.engine.ruled else ()


def balance_of(solution: Solution) -> dict[str, float | None]:
    """Measure how balanced a game is: ``games_x_share`` is the share of games won by the first player; ``random_x``,
    ``random_o`` and ``random_tie`` the probabilities of outcomes under random play, None for loopy games, for more than
    `MOST_CLASSES` classes, or if memory is short; ``blunder_start`` the share of first moves that lose value, None if
    the game is over at the start. Without rules only the first is known.

    >>> import analysis
    >>> balance_of(analysis.solve("hex:n=2"))["blunder_start"]
    0.5
    """
    games, moves = solution.statistics()["games"], first_moves(solution)
    chances: list[float | None] = [None] * 3
    if not solution.loopy and solution.engine.ruled and solution.canonical <= MOST_CLASSES:
        with contextlib.suppress(MemoryError):  # including TooLargeError
            chances = [float(chance) for chance in _random_play(solution).won]
    return {
        "games_x_share": games["X"] / games["total"] if games else None,
        **dict(zip(("random_x", "random_o", "random_tie"), chances, strict=True)),
        "blunder_start": sum(not move.optimal for move in moves) / len(moves) if moves else None,
    }


def _random_play(solution: Solution) -> Ends:
    """Return how games end if all moves are equally likely: exactly where that is quick, without the compiler."""
    rules, start = solution.engine.rules, solution.engine.start

    def look(state: int) -> int | list[tuple[int, Fraction]]:
        after = [] if rules.payoff(state) != ONGOING else rules.moves(state)
        return [(child, Fraction(1, len(after))) for _, child in after] or int(rules.payoff(state))

    ends = None
    if solution.canonical <= MOST_EXACT_CLASSES:
        ends = played(start, look, solution.canonical, MOST_EXACT_STEPS, Fraction(1))
    if ends is not None:
        return ends
    from analysis.playing.expectation import Graph  # slow to import
    from analysis.playing.simulation import Pairing, SolvedArrays

    pairing = Pairing.of("random", "random")
    assert pairing is not None
    with Workers(1) as pool:
        return Graph.build(SolvedArrays.solved(solution, start), pairing, pool).play(0, solution.canonical)
