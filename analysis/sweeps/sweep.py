"""Solve a range of games, each in its own process, several at once, into one resumable table; compare two such tables,
and plot one.

The file is small: it is rewritten, completely or not at all, whenever a game is finished.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import itertools
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.machine.context import options
from analysis.machine.endings import kept
from analysis.machine.files import check_target, locked_file
from analysis.machine.memory import SHARE, available_bytes
from analysis.machine.workers import Crew, Requirements, Stage, processors, slots_of, tell_progress
from analysis.pictures.style import AMBER, FIRST, HEAT, INK, PURPLE, SECOND, TIE, clean, styled
from analysis.reports.figures.panels import stack
from analysis.reports.words import compact
from analysis.sweeps.one_game import Limits, SweptGame, solve_apart, swept_games
from analysis.sweeps.rows import (
    COLUMNS,
    DETERMINED,
    FAILED,
    LIMITS,
    REFUSED,
    SOLVED,
    SUFFIXES,
    TEXT,
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
from analysis.wording import listed, some

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

TICK = 0.5
"""Seconds between progress updates."""
NAMED = 2
"""The most running games that progress names."""

DECADES = 100.0
"""A column whose greatest number exceeds this multiple of its least has a log scale."""

COLOURS = (FIRST, SECOND, HEAT, PURPLE, AMBER, INK, TIE)
MARKERS = "os^DvP<X>*"
"""Each family has another pair of these."""


class Sweep:
    """The table of a sweep, a row for each game; get one from `sweep` or `read_sweep`."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        """Rows by column name. Unknown values are None; parameters that a game does not have are left out."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns, in order."""
        return column_names(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """Convert to a data frame; columns of any type may hold nulls, and numbers beyond 64 bits are decimals."""
        import pandas as pd

        nullable: dict[Any, Any] = {WHOLE: pd.Int64Dtype(), UNSIGNED: pd.UInt64Dtype(), TRUTH: pd.BooleanDtype()}
        return as_table(self.rows).to_pandas(types_mapper=nullable.get)

    def __repr__(self) -> str:
        solved = sum(row["status"] == SOLVED for row in self.rows)
        return f"<Sweep of {some(len(self), 'game')}, {solved:,} solved>"


def read_sweep(path: str | Path) -> Sweep:
    """Read the sweep in a Parquet or CSV file. Raises `StoreError` if it is not one."""
    return Sweep(read_rows(Path(path)))


def columns_of(patterns: Sequence[str]) -> list[str]:
    """Return the columns of a sweep of these patterns. Raises what `swept_games` raises."""
    return column_names(_parameter_cells(each) for each in swept_games(patterns))


def sweep(
    patterns: str | Sequence[str],
    *,
    symmetry: str | Sequence[str] = "geometric",
    out: str | Path | None = None,
    limits: Limits = Limits(),
) -> Sweep:
    """Solve all games that patterns stand for into one table with all their totals; docs/how-to/sweeps.md describes its
    columns. A game that exceeds the limits, or does not exist, is a row that says why.

    Args:
        patterns: For example ``mnk:rows=1..4,cols=1..4,k=3|4``, see `patterns.swept_games`.
        symmetry: The kind or kinds to solve each game with.
        out: A file ending in .parquet or .csv. Each row is written as soon as it is known, and existing rows stay,
            also those of other games; a game is solved again if its rules have changed, if it failed, or if it
            exceeded a limit that is larger now.
        limits: The limits on each game.

    As many games are solved at once as there are workers, see `analysis.running`, each in its own process with one
    thread, or more if there are more workers than games; or an executor's workers solve them.

    Returns the rows of the games asked for, in order. Raises `SpecError` and `OptionError` for invalid patterns,
    `StoreError` if the file cannot be written or holds something else, and `InUseError` if another process is writing
    it.

    >>> found = sweep("hex:n=1..2")
    >>> [(row["game"], row["n"], row["value"], row["positions"], row["games_total"]) for row in found]
    [('hex:n=1', 1, 1, 2, 1), ('hex:n=2', 2, 1, 32, 24)]
    """
    asked = swept_games(_listed(patterns), _listed(symmetry))
    with _table(None if out is None else Path(out), asked) as table:
        missing = [each for each in asked if not _settled(table.rows.get(each.key), each, limits)]
        table.add({each.key: _row(each, limits, {}) for each in missing if each.why is not None})
        missing = [each for each in missing if each.why is None]
        with kept(table.words):
            left = {each.key for each in missing}

            def tell(running: Collection[SweptGame]) -> None:
                names = list(dict.fromkeys(each.spec for each in running))
                on = ", ".join(names[:NAMED]) + f" and {len(names) - NAMED} more" * (len(names) > NAMED)
                tell_progress(Stage("solving", on=on or None), len(asked) - len(left), len(asked))

            for each, found in _solved(missing, limits, tell):
                left.discard(each.key)
                table.add({each.key: _row(each, limits, found)})
        return Sweep([table.rows[each.key] for each in asked])


def _listed(texts: str | Sequence[str]) -> list[str]:
    return list(dict.fromkeys([texts] if isinstance(texts, str) else texts))


def _settled(row: Row | None, asked: SweptGame, limits: Limits) -> bool:
    """Return whether an existing row will do."""
    if row is None or row.get("rules_hash") != asked.rules_hash or row["status"] == FAILED:
        return False
    return row["status"] not in LIMITS or not limits.larger(row)


def _row(asked: SweptGame, limits: Limits, found: Row) -> Row:
    """Make a row with all columns from what is known of the game and what was found."""
    known = {"game": asked.spec, "symmetry": asked.symmetry, "rules_hash": asked.rules_hash}
    refused = {} if asked.why is None else {"status": REFUSED, "why": asked.why}
    row = dict.fromkeys(COLUMNS) | known | _parameter_cells(asked) | limits.columns() | refused | found
    return {name: row[name] for name in column_names([row])}


def _parameter_cells(asked: SweptGame) -> Row:
    return {parameter_column(name): value for name, value in asked.parameters.items()}


# The file -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Table:
    """The rows by key, also in the file if there is one."""

    path: Path | None
    rows: dict[tuple[str, str | None], Row]
    order: Sequence[tuple[str, str | None]]
    """Existing rows first, then others in the order asked for, whichever is finished first."""

    def add(self, rows: dict[tuple[str, str | None], Row]) -> None:
        """Add or replace rows."""
        self.rows |= rows
        if rows and self.path is not None:
            write_rows(self.path, [self.rows[key] for key in self.order if key in self.rows])

    def words(self) -> str:
        """Tell the user of an interrupted sweep what is kept."""
        if self.path is None:
            return "nothing was kept; add --out FILE to keep what is done"
        are = "is" if len(self.rows) == 1 else "are"
        return f"{some(len(self.rows), 'row')} of {self.path} {are} kept; repeat the command to resume"


@contextlib.contextmanager
def _table(path: Path | None, asked: Sequence[SweptGame]) -> Iterator[_Table]:
    if path is not None:
        check_target(path, SUFFIXES, "a sweep")
    with contextlib.nullcontext() if path is None else locked_file(path):
        there = read_rows(path) if path is not None and path.exists() else []
        rows = {(row["game"], row["symmetry"]): row for row in there}
        yield _Table(path, rows, list(dict.fromkeys([*rows, *(each.key for each in asked)])))


# The work -------------------------------------------------------------------------------------------------------------

Tell = Callable[[Collection[SweptGame]], None]
"""Called regularly with the games being solved."""


def _solved(missing: Sequence[SweptGame], limits: Limits, tell: Tell) -> Iterator[tuple[SweptGame, Row]]:
    """Yield the missing games with their results, as they are finished; no more begin than can be solved at once."""
    if not missing:
        return
    waiting, running, given = collections.deque(missing), dict[Future[Row], SweptGame](), options().executor
    slots: Callable[[], int]
    with contextlib.ExitStack() as ending:
        if given is None:
            threads, over = processors(), threading.Event()
            at_once = min(threads, len(missing))
            if limits.memory is None and (at_once > 1 or options().memory is not None):
                limits = dataclasses.replace(limits, memory=int(SHARE * available_bytes() / at_once))
            pool: Executor = ending.enter_context(ThreadPoolExecutor(at_once))
            ending.callback(over.set)  # if interrupted, some are still running
            solve = functools.partial(solve_apart, limits, threads=threads // at_once, over=over)
            slots = lambda: at_once  # noqa: E731
        else:
            if isinstance(given, Crew):  # one game will do; each process checks its own rules
                given.prepare(Requirements(missing[0].lasting_spec, missing[0].rules_hash or ""))
            pool, solve, slots = given, functools.partial(solve_apart, limits), functools.partial(slots_of, given)
        try:
            while waiting or running:
                while waiting and len(running) < slots():
                    game = waiting.popleft()
                    running[pool.submit(solve, game)] = game
                tell(running.values())
                done, _ = wait(running, TICK, FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        finally:
            for future in running:
                future.cancel()
    tell([])


# Comparisons ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number that has changed."""

    game: str
    symmetry: str | None
    column: str
    then: Any
    now: Any


@dataclasses.dataclass(frozen=True)
class SweepComparison:
    """The result of a comparison."""

    compared: int
    """Games that both sweeps decided: solved, or impossible whatever the limits."""
    undecided: int
    """Games that one of the sweeps left open, for lack of time or memory."""
    differences: tuple[Difference, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Convert the differences to a data frame."""
        import pandas as pd

        columns = [field.name for field in dataclasses.fields(Difference)]
        return pd.DataFrame(map(dataclasses.astuple, self.differences), columns=columns, dtype=object)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree sweep --check FILE --format json`` prints."""
        return dataclasses.asdict(self)


def compare_sweeps(then: Iterable[Row], now: Iterable[Row]) -> SweepComparison:
    """Compare the games, with the same symmetries, that occur in an earlier and a later sweep.

    It compares what the rules determine: whether the game can be solved, its value, remoteness and totals, and the
    checksum; not time, memory, limits, version, or the hash of the rules, which changes with every word in their files.
    Columns that one of them lacks are skipped. Raises `OptionError` if they have no game in common.

    >>> found = sweep("hex:1")
    >>> compare_sweeps([found.rows[0] | {"moves": 2}], found).differences
    (Difference(game='hex:n=1', symmetry='geometric', column='moves', then=2, now=1),)
    """
    earlier = {(row["game"], row["symmetry"]): row for row in then}
    pairs = [(earlier[key], row) for row in now if (key := (row["game"], row["symmetry"])) in earlier]
    if not pairs:
        raise OptionError("nothing to compare: the sweeps have no game with the same symmetry in common")
    decided = [pair for pair in pairs if all(row["status"] in (SOLVED, REFUSED) for row in pair)]
    differences = tuple(
        Difference(row["game"], row["symmetry"], column, old[column], row[column])
        for old, row in decided
        for column in (("status",) if old["status"] != row["status"] else DETERMINED)
        if column in old and column in row and old[column] != row[column]
    )
    return SweepComparison(len(decided), len(pairs) - len(decided), differences)


# Plotting -------------------------------------------------------------------------------------------------------------


@styled
def plot_sweep(rows: Iterable[Row], x: str, y: str) -> Figure:
    """Plot the column ``y`` against the column ``x`` of the ``rows`` of a sweep.

    Each family (with each kind of symmetry, if there are several) has a colour and a marker, and a line if it has one
    value of y for each of several of x. A column that spans more than two decades has a log scale. Games that lack one
    of the two numbers are left out. Raises `OptionError` for an unknown or non-numeric column, and if there is nothing
    to draw.

    >>> from analysis.sweeps import sweep
    >>> figure = plot_sweep(sweep("hex:n=1..3").rows, x="n", y="positions")
    >>> figure.axes[0].get_xscale(), figure.axes[0].get_yscale()
    ('linear', 'log')
    """
    rows = list(rows)
    names = column_names(rows)
    numbers = [name for name in names if _is_numeric(rows, name)]
    for name in (x, y):
        if name not in numbers:
            wrong = f"column {name} does not hold numbers" if name in names else f"there is no column {name!r}"
            raise OptionError(f"{wrong}; choose from {listed(numbers)}")
    several = len({row["symmetry"] for row in rows} - {None}) > 1
    families: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.get(x) is not None and row.get(y) is not None:
            family = row["game"].partition(":")[0] + (f", {row['symmetry']}" if several else "")
            families.setdefault(family, []).append((float(row[x]), float(row[y])))
    if not families:
        raise OptionError(f"nothing to draw: no game has both {x} and {y}")
    figure, (axes,) = stack(4.0, width=6.4)
    looks = zip(itertools.cycle(COLOURS), itertools.cycle(MARKERS), strict=False)
    for (family, points), (colour, marker) in zip(families.items(), looks, strict=False):
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(
            xs, ys, label=clean(family), color=colour, marker=marker, linewidth=1.2, markersize=5, zorder=3,
            linestyle="-" if 1 < len(xs) == len(set(xs)) else "none",
        )  # fmt: skip
    every = list(zip(*itertools.chain(*families.values()), strict=True))
    _scale(axes.xaxis, axes.set_xscale, every[0])
    _scale(axes.yaxis, axes.set_yscale, every[1])
    axes.set_xlabel(clean(x.replace("_", " ")))
    axes.set_ylabel(clean(y.replace("_", " ")))
    if len(families) > 1:
        figure.legend(loc="outside right center", handlelength=2)
    return figure


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return whether a column holds only numbers or nulls."""
    present = [row[name] for row in rows if row.get(name) is not None]
    if not present:
        return COLUMNS.get(name) not in (None, TRUTH, TEXT)
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present)


def _scale(axis: Axis, set_scale: Callable[..., object], numbers: Sequence[float]) -> None:
    """Give an axis a log scale if its numbers are far apart, else whole ticks if the numbers are whole."""
    from matplotlib.ticker import MaxNLocator

    sizes, whole = [abs(number) for number in numbers if number], all(number == int(number) for number in numbers)
    if sizes and max(sizes) > DECADES * min(sizes):
        set_scale("log") if min(numbers) > 0 else set_scale("symlog", linthresh=min(sizes))
    else:
        axis.set_major_locator(MaxNLocator(nbins=7, integer=whole, min_n_ticks=1))
    if whole:
        axis.set_major_formatter(lambda number, _: compact(round(number)))
    axis.grid(visible=True)
