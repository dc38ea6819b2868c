"""Rows of a file or of a Python object, one by one: CSV, JSON lines, Parquet, and plain text with a backtracker a line.

Whatever the format, text stays text: a reader that guesses numbers would turn the path ``0124`` into 124.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import operator
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from pathlib import Path
from typing import IO, Any, NamedTuple

from analysis.errors import GametreeError, OptionError, StoreError
from analysis.machine.files import reason

FORMATS = ("csv", "jsonl", "parquet", "text")
SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".txt": "text"}

LONGEST_LINE = 1 << 20
"""Bytes of a line; a longer one is no line of such a file."""

PARQUET_ROWS = 1 << 14
"""Rows of a Parquet file that are held at a time."""

SHOWN_COLUMNS = 12
"""Columns that a refusal lists."""


class RowError(GametreeError, ValueError):
    """A file of games or choices that cannot be read, or a row of it that is none; the message says which."""

    exit_code = 2


Row = tuple[int, Sequence[Any]]
"""The number of a row, as people count it, and its values."""


class Rows(NamedTuple):
    """A table that is read once."""

    name: str
    """What messages call it, such as ``games.csv``."""
    unit: str
    """What its numbers count: ``line`` or ``row``."""
    columns: tuple[str, ...]
    select: Callable[[Sequence[str]], Iterator[Row]]
    """``select(columns)`` yields every row: its number, and its values of these columns (two or more), None where there
    is none.
    """
    empty: bool
    """Whether there is no row, so that this can be said before anything is solved."""

    def error(self, number: int, problem: object) -> RowError:
        """An error that says where it is."""
        return RowError(f"{self.name}, {self.unit} {number}: {problem}")


def check_input(form: str | None) -> None:
    """Raise `OptionError` for a format that there is not."""
    if form is not None and form not in FORMATS:
        raise OptionError(f"input format {form!r} is unknown; it is one of {', '.join(FORMATS)}")


@contextlib.contextmanager
def open_rows(path: str | Path, form: str | None = None) -> Iterator[Rows]:
    """The rows of a file, or of standard input if it is called ``-``. The format is known by the suffix, or by how the
    file begins, unless ``form`` names it. Raises `OptionError`, `StoreError` where it cannot be read, `RowError` where
    it is no such file.
    """
    check_input(form)
    form = form or SUFFIXES.get(Path(path).suffix.lower())
    with contextlib.ExitStack() as open_files:
        file, name = _opened(str(path), open_files)
        if form == "parquet":
            yield _parquet(_seekable(file, name, open_files), name)
            return
        lines = _lines(file, name)
        first = next(lines, "")
        yield _TEXTS[form or _guess(first)](itertools.chain([first], lines), name)


@contextlib.contextmanager
def table_of(rows: Any, form: str | None = None) -> Iterator[Rows]:
    """The rows of a file, see `open_rows`, or of a Python object, see `rows_of`."""
    if isinstance(rows, (str, Path)):
        with open_rows(rows, form) as table:
            yield table
    else:
        yield rows_of(rows)


def rows_of(given: Any) -> Rows:
    """The rows of a Python object: a data frame, or an iterable of mappings, of backtrackers, or of sequences of moves.
    Raises `RowError`.
    """
    if hasattr(given, "itertuples"):
        columns = _columns(given.columns, "rows")
        return _mappings((dict(zip(columns, row, strict=True)) for row in given.itertuples(index=False)), "rows", "row")
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise RowError(f"rows are a table, or a list of mappings or of backtrackers, not {type(given).__name__}")
    return _mappings((row if isinstance(row, Mapping) else {"path": row} for row in given), "rows", "row")


def missing(value: Any) -> bool:
    """Whether a table holds nothing there: None, NaN, or what pandas calls NA.

    >>> missing(None), missing(float("nan")), missing(0), missing("")
    (True, True, False, False)
    """
    if value is None or isinstance(value, str):
        return value is None
    return type(value).__name__ == "NAType" or (isinstance(value, Number) and value != value)


def name_of(player: Any) -> str | None:
    """A player's name, None where there is none."""
    return None if missing(player) else str(player).strip() or None


# Opening --------------------------------------------------------------------------------------------------------------


def _opened(path: str, open_files: contextlib.ExitStack) -> tuple[IO[bytes], str]:
    if path == "-":
        if sys.stdin is None:
            raise StoreError("cannot read standard input: it is closed")
        return sys.stdin.buffer, "standard input"
    try:
        return open_files.enter_context(Path(path).open("rb")), path
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot read {path}: {reason(error)}") from None


def _seekable(file: IO[bytes], name: str, open_files: contextlib.ExitStack) -> IO[bytes]:
    if file.seekable():
        return file
    try:
        copy = open_files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the others
        shutil.copyfileobj(file, copy)
        copy.seek(0)
    except OSError as error:
        raise StoreError(f"cannot copy {name} to a temporary file: {reason(error)}") from None
    return copy


def _lines(file: IO[bytes], name: str) -> Iterator[str]:
    """The lines as text, with their ends, without a byte order mark."""
    for number in itertools.count(1):
        try:
            line = file.readline(LONGEST_LINE)
        except OSError as error:
            raise StoreError(f"cannot read {name}: {reason(error)}") from None
        if number == 1 and line.startswith(b"PAR1"):
            raise RowError(f"{name} looks like a Parquet file; add --input parquet")
        if len(line) == LONGEST_LINE:
            raise RowError(f"{name}, line {number} has more than {LONGEST_LINE:,} bytes: no file of games or choices")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise RowError(f"{name}, line {number} is no text in UTF-8; write CSV, JSON lines or Parquet") from None
        if not text:
            return
        yield text


def _guess(first: str) -> str:
    """The format of a file that begins with this line."""
    if first.startswith("{"):
        return "jsonl"
    return "csv" if any(part.strip(' "\n\r') in _KNOWN for part in first.lower().split(",")) else "text"


_KNOWN = ("path", "backtracker", "position")
"""Of these columns every table has one."""


# Formats --------------------------------------------------------------------------------------------------------------


def _csv(lines: Iterator[str], name: str) -> Rows:
    rows = _csv_rows(csv.reader(lines, strict=True), name)
    columns = _columns(next(rows, (0, []))[1], name)
    first = next(rows, None)

    def select(wanted: Sequence[str]) -> Iterator[Row]:
        places = [columns.index(column) if column in columns else len(columns) for column in wanted]
        chosen: Callable[[list[Any]], Any] = operator.itemgetter(*places)
        for number, row in itertools.chain([first] if first else [], rows):
            if len(row) != len(columns):
                raise RowError(f"{name}, line {number}: {len(row)} fields where the header has {len(columns)}")
            row.append(None)  # what an absent column holds
            yield number, chosen(row)

    return Rows(name, "line", columns, select, first is None)


def _csv_rows(reader: Any, name: str) -> Iterator[tuple[int, list[Any]]]:
    """Rows that are not blank, with their line numbers."""
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise RowError(f"{name}, line {reader.line_num}: no CSV: {error}") from None


def _jsonl(lines: Iterator[str], name: str) -> Rows:
    def records() -> Iterator[Any]:
        for number, line in enumerate(lines, 1):
            try:
                yield json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                raise RowError(f"{name}, line {number} is no JSON; each line is one object") from None

    return _mappings(records(), name, "line")


def _mappings(records: Iterator[Any], name: str, unit: str) -> Rows:
    """Rows that name their columns themselves; the first one says which there are. None stands for a blank line."""
    numbered = ((number, record) for number, record in enumerate(records, 1) if record is not None)
    first = next(numbered, None)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}

    def keys(number: int, record: Any) -> dict[str, Any]:
        """Column -> the record's own key; most records have the keys of the one before."""
        if not isinstance(record, Mapping):
            raise RowError(f'{name}, {unit} {number} is no object; write {{"path": "0124"}}')
        own = tuple(record)
        if own not in known:
            known.clear()
            known[own] = dict(zip(_columns(own, f"{name}, {unit} {number}"), own, strict=True))
        return known[own]

    def select(wanted: Sequence[str]) -> Iterator[Row]:
        for number, record in itertools.chain([first] if first else [], numbered):
            own = keys(number, record)
            yield number, [record[own[column]] if column in own else None for column in wanted]

    return Rows(name, unit, tuple(keys(*first)) if first else (), select, first is None)


def _text(lines: Iterator[str], name: str) -> Rows:
    numbered = ((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip())
    first = next(numbered, None)

    def select(wanted: Sequence[str]) -> Iterator[Row]:
        for number, line in itertools.chain([first] if first else [], numbered):
            yield number, [line if column == "path" else None for column in wanted]

    return Rows(name, "line", ("path",), select, first is None)


def _parquet(file: IO[bytes], name: str) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
        names = table.schema_arrow.names
    except (OSError, pa.ArrowException) as error:
        raise RowError(f"{name} is no Parquet file: {reason(error).splitlines()[0]}") from None
    columns = _columns(names, name)

    def select(wanted: Sequence[str]) -> Iterator[Row]:
        there, number = {column: names[columns.index(column)] for column in wanted if column in columns}, 0
        try:
            for batch in table.iter_batches(PARQUET_ROWS, columns=list(there.values())):
                values = {column: batch.column(own).to_pylist() for column, own in there.items()}
                nothing = [None] * len(batch)
                for row in zip(*(values.get(column, nothing) for column in wanted), strict=True):
                    number += 1
                    yield number, row
        except (OSError, pa.ArrowException) as error:
            raise RowError(f"{name} is damaged: {reason(error).splitlines()[0]}") from None

    return Rows(name, "row", columns, select, table.metadata.num_rows == 0)


def _columns(names: Iterable[Any], table: str) -> tuple[str, ...]:
    """Names of columns as they are looked for: in lower case. Raises `RowError` where two are the same."""
    columns = tuple(str(name).strip().lower() for name in names)
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{table} has two columns {twice!r}")
    return columns


_TEXTS: dict[str, Callable[[Iterator[str], str], Rows]] = {"csv": _csv, "jsonl": _jsonl, "text": _text}
