"""A range of games, each solved in a process of its own, several at a time, into one table that goes on after anything.

The file is small: it is written anew, complete or not at all, whenever a game is finished.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.cluster import choosing
from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.machine.crew import Crew, Requirements, slots_of
from analysis.machine.endings import kept
from analysis.machine.files import check_target, locked_file
from analysis.machine.memory import SHARE, available_bytes, bytes_of
from analysis.machine.workers import Progress, Stage, no_progress, processors
from analysis.sweeps.one_game import Running, Task, solve_apart
from analysis.sweeps.patterns import Asked, asked_games
from analysis.sweeps.rows import (
    COLUMNS,
    FAILED,
    LIMITS,
    REFUSED,
    SUFFIXES,
    TRUTH,
    UNSIGNED,
    WHOLE,
    Row,
    as_table,
    column_names,
    parameter_column,
    read_rows,
    write_rows,
)
from analysis.wording import some

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

TICK = 0.5
"""Seconds between two looks at how far it is."""
NAMED = 2
"""Games that are being solved and told by name."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one game may be or take; None: whatever it is."""

    positions: int | None = None
    memory_bytes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in self.columns().items():
            if limit is not None and not limit > 0:
                raise OptionError(f"{name} is {limit}; a limit is above 0")

    def columns(self) -> Row:
        """As a row has them."""
        return {f"limit_{name}": value for name, value in vars(self).items()}

    def larger(self, row: Row) -> bool:
        """Whether these allow more than those which a game of this row did not keep. What was free when its memory was
        not limited is not known: any limit that is given counts as more.
        """
        name = LIMITS[row["status"]]
        now, then = self.columns()[name], row.get(name)
        return now is not None if then is None else now is None or now > then


class Sweep:
    """The table of a sweep, a row for each game; get one from `sweep` or `read_sweep`."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        """By the names of columns. What is not known is None, and parameters that a game does not have are left out."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns, in their order."""
        return column_names(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """The table as a data frame; columns may hold nulls, whatever their types, and numbers beyond 64 bits are
        decimals.
        """
        import pandas as pd

        nullable: dict[Any, Any] = {WHOLE: pd.Int64Dtype(), UNSIGNED: pd.UInt64Dtype(), TRUTH: pd.BooleanDtype()}
        return as_table(self.rows).to_pandas(types_mapper=nullable.get)

    def __repr__(self) -> str:
        solved = sum(row["status"] == "solved" for row in self.rows)
        return f"<Sweep of {some(len(self), 'game')}, {solved:,} solved>"


@checked
def read_sweep(path: str | Path) -> Sweep:
    """The sweep in a Parquet or CSV file. Raises `StoreError` where it holds none."""
    return Sweep(read_rows(Path(path)))


def columns_of(patterns: Sequence[str]) -> list[str]:
    """The columns that the sweep of these patterns has. Raises what `asked_games` raises."""
    return column_names(_parameter_cells(each) for each in asked_games(patterns))


@checked
def sweep(
    patterns: str | Sequence[str],
    *,
    symmetry: str | Sequence[str] = "geometric",
    out: str | Path | None = None,
    max_positions: int | None = None,
    memory: int | str | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    executor: Executor | Client | None = None,
    progress: Progress = no_progress,
) -> Sweep:
    """Solve all games that ``patterns`` such as ``mnk:rows=1..4,cols=1..4,k=3|4`` stand for, into one table with all
    their totals; docs/sweeps.md says what its columns are.

    Each is solved with each kind of ``symmetry`` in a process of its own: by one thread, or more where there are more
    workers than games. A game that has more than ``max_positions``, that needs more than so much ``memory`` (bytes, or
    a text such as ``"4GB"``; by default what is free, divided among those that are solved at a time), that takes longer
    than so many ``seconds``, or that does not exist with these parameters, is a row that says why.

    With ``out``, a file that ends in .parquet or .csv, each row is written as soon as it is there, and rows that are
    there already stay, those of other games too: solved again is what has other rules now, what failed, and what did
    not keep a limit that is larger now. So many ``workers`` (default: as many as processors) work at a time, or an
    ``executor`` of `concurrent.futures` or the workers of a Dask client, each solving one game;
    ``progress(stage, done, total)`` is called now and then.

    Returns the rows of the games asked for, in their order. Raises `SpecError` and `OptionError` for patterns and
    limits of no use, `StoreError` where the file cannot be written or holds something else, and `InUseError` where
    another process is writing it.

    >>> found = sweep("hex:n=1..2")
    >>> [(row["game"], row["n"], row["value"], row["positions"], row["games_total"]) for row in found]
    [('hex:n=1', 1, 1, 2, 1), ('hex:n=2', 2, 1, 32, 24)]
    """
    asked = asked_games(_listed(patterns), _listed(symmetry))
    limits = Limits(max_positions, None if memory is None else bytes_of(memory), seconds)
    if workers is not None and workers < 1:
        raise OptionError(f"{workers} workers cannot work; give at least 1")
    with _table(None if out is None else Path(out), asked) as table:
        missing = [each for each in asked if not _settled(table.rows.get(each.key), each, limits)]
        table.add({each.key: _row(each, limits, {}) for each in missing if each.why is not None})
        missing = [each for each in missing if each.why is None]
        with kept(table.words), choosing.given(executor, progress) as who:
            left = {each.key for each in missing}
            for each, found in _solved(missing, limits, workers, who, _teller(len(asked), left, progress)):
                left.discard(each.key)
                table.add({each.key: _row(each, limits, found)})
        return Sweep([table.rows[each.key] for each in asked])


def _listed(texts: str | Sequence[str]) -> list[str]:
    return list(dict.fromkeys([texts] if isinstance(texts, str) else texts))


def _settled(row: Row | None, asked: Asked, limits: Limits) -> bool:
    """Whether a row that is there will do."""
    if row is None or row.get("rules_hash") != asked.rules_hash or row["status"] == FAILED:
        return False
    return row["status"] not in LIMITS or not limits.larger(row)


def _row(asked: Asked, limits: Limits, found: Row) -> Row:
    """A row with all columns, from what is known of the game beforehand and what was found."""
    known = {
        "game": asked.spec,
        "symmetry": asked.symmetry,
        **_parameter_cells(asked),
        "rules_hash": asked.rules_hash,
        **limits.columns(),
        **({"status": REFUSED, "why": asked.why} if asked.why is not None else {}),
    }
    row = dict.fromkeys(COLUMNS) | known | found
    return {name: row[name] for name in column_names([row])}


def _parameter_cells(asked: Asked) -> Row:
    return {parameter_column(name): value for name, value in asked.parameters.items()}


# The file -------------------------------------------------------------------------------------------------------------


class _Table:
    """The rows that are there, in the file if there is one."""

    def __init__(self, path: Path | None, rows: Sequence[Row], asked: Sequence[Asked]) -> None:
        self.path = path
        self.rows = {(row["game"], row["symmetry"]): row for row in rows}
        self._order = list(dict.fromkeys([*self.rows, *(each.key for each in asked)]))
        """Rows that were there first, then others as they were asked for, whichever is finished first."""

    def add(self, rows: dict[tuple[str, str | None], Row]) -> None:
        """Put in some rows, or put them in place of others."""
        self.rows |= rows
        if rows and self.path is not None:
            write_rows(self.path, [self.rows[key] for key in self._order if key in self.rows])

    def words(self) -> str | None:
        """What a person is told whose sweep ends now."""
        if self.path is None:
            return None
        are = "is" if len(self.rows) == 1 else "are"
        return f"{some(len(self.rows), 'row')} of {self.path} {are} kept; the same command goes on with it"


@contextlib.contextmanager
def _table(path: Path | None, asked: Sequence[Asked]) -> Iterator[_Table]:
    if path is None:
        yield _Table(None, [], asked)
        return
    check_target(path, SUFFIXES, "a sweep")
    with locked_file(path):
        yield _Table(path, read_rows(path) if path.exists() else [], asked)


# The work -------------------------------------------------------------------------------------------------------------

Tell = Callable[[Collection[Asked]], None]
"""Called now and then with the games that are being solved."""


def _teller(asked: int, left: Collection[object], progress: Progress) -> Tell:
    """Tells how many of the games that were ``asked`` for are not ``left`` to solve any more."""

    def tell(running: Collection[Asked]) -> None:
        names = list(dict.fromkeys(each.spec for each in running))
        more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
        on = ", ".join(names[:NAMED]) + more if names else None
        progress(Stage("solving", on=on), asked - len(left), asked)

    return tell


def _solved(
    missing: Sequence[Asked], limits: Limits, workers: int | None, executor: Executor | None, tell: Tell
) -> Iterator[tuple[Asked, Row]]:
    """The games that are missing with what was found of each, in the order in which they are finished."""
    if not missing:
        return
    if executor is not None:
        _prepare(executor, missing)
        todo = [(each, _task(each, limits)) for each in missing]
        yield from _finished(executor, solve_apart, todo, lambda: workers or slots_of(executor), tell)
        return
    threads = workers or processors()
    at_once = min(threads, len(missing))
    share = None if at_once == 1 else int(SHARE * available_bytes() / at_once)
    todo = [(each, _task(each, limits, threads // at_once, share)) for each in missing]
    running = Running()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield from _finished(pool, functools.partial(solve_apart, running=running), todo, lambda: at_once, tell)
        finally:
            running.end_all()  # where it was broken off some are at work


def _task(asked: Asked, limits: Limits, threads: int = 1, share: int | None = None) -> Task:
    memory = share if limits.memory_bytes is None else limits.memory_bytes
    return Task(
        asked.lasting_spec, asked.rules_hash or "", asked.symmetry or "", threads, limits.positions, memory,
        limits.seconds,
    )  # fmt: skip


def _prepare(executor: Executor, missing: Sequence[Asked]) -> None:
    """Have workers of a crew checked, by one of the games; each process looks at the rules of its own."""
    if isinstance(executor, Crew):
        executor.prepare(Requirements(missing[0].lasting_spec, missing[0].rules_hash or ""))


def _finished(
    executor: Executor,
    solve: Callable[[Task], Row],
    todo: Sequence[tuple[Asked, Task]],
    slots: Callable[[], int],
    tell: Tell,
) -> Iterator[tuple[Asked, Row]]:
    """What an executor finds, as soon as it is there; it has no more tasks at a time than it can do."""
    waiting = collections.deque(todo)
    running: dict[Future[Any], Asked] = {}
    try:
        while waiting or running:
            while waiting and len(running) < slots():
                asked, task = waiting.popleft()
                running[executor.submit(solve, task)] = asked
            tell(running.values())
            done, _ = wait(running, TICK, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()
    tell([])
