"""Rows of a file or of a Python object, one by one: CSV, JSON lines, Parquet, and plain text with a backtracker a line.

Whatever the format, text stays text: a reader that guesses numbers would turn the path ``0124`` into 124. Lines are
read by Python's own csv and json: those of pyarrow tell neither the line of an error nor a path that is a text here and
a list there, and take a quotation mark that is never closed.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Number
from pathlib import Path
from typing import IO, Any, NamedTuple

from analysis.errors import GametreeError, OptionError, StoreError
from analysis.machine.csv_cells import from_cell
from analysis.machine.files import reason
from analysis.wording import whole

FORMATS = ("csv", "jsonl", "parquet", "text")
SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".txt": "text"}

NO_TEXT = "is no text in UTF-8; write CSV, JSON lines or Parquet"
_UNDECODED = re.compile("[\udc80-\udcff]").search
"""Whether a text has bytes that are none."""

LONGEST_LINE = 1 << 20
"""Bytes of a line; a longer one is no line of such a file."""

PARQUET_ROWS = 1 << 14
"""Rows of a Parquet file that are held at a time."""

SHOWN_COLUMNS = 12
"""Columns that a refusal lists."""


class RowError(GametreeError, ValueError):
    """A file of games or choices that cannot be read, or a row of it that is none; the message says which."""

    exit_code = 2


Row = tuple[int, Mapping[str, Any] | RowError]
"""The number of a row, as people count it, and its values by column, or what is wrong with it."""


Refuse = Callable[[RowError], None]
"""Is handed what is wrong with a row; where it returns, the next row follows."""


def stop(error: RowError) -> None:
    """Refuse a row by raising what is wrong with it."""
    raise error


class Rows(NamedTuple):
    """A table that is read once."""

    name: str
    """What messages call it, such as ``games.csv``."""
    unit: str
    """What its numbers count: ``line`` or ``row``."""
    columns: tuple[str, ...]
    rows: Iterator[Row]
    empty: bool
    """Whether there is no row, so that this can be said before anything is solved."""
    others: tuple[str, ...] = ()
    """Of the columns those that are kept as they are."""

    @classmethod
    def of(cls, name: str, unit: str, rows: Iterator[Row], columns: tuple[str, ...] | None = None) -> Rows:
        """The table of these rows; without ``columns``, those of the first row."""
        first: list[Row] = []
        for row in rows:  # the first that is none may have no columns
            first.append(row)
            if not isinstance(row[1], RowError) or columns is not None:
                break
        if columns is None:
            known = first[-1][1] if first else ()
            if isinstance(known, RowError):
                raise first[0][1]  # type: ignore[misc]
            columns = tuple(known)
        return cls(name, unit, columns, itertools.chain(first, rows), not first)

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
        rows = (dict(zip(columns, row, strict=True)) for row in given.itertuples(index=False))
        return Rows.of("rows", "row", enumerate(rows, 1))
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise RowError(f"rows are a table, or a list of mappings or of backtrackers, not {type(given).__name__}")
    found = (row if isinstance(row, Mapping) else {"path": row} for row in given)
    return Rows.of("rows", "row", _mappings(enumerate(found, 1), "rows, row"))


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
    if not isinstance(player, str):
        player = "" if missing(player) else str(player)
    return player.strip() or None


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
        text = line.decode("utf-8-sig" if number == 1 else "utf-8", errors="surrogateescape")
        if not text:
            return
        yield text


def _guess(first: str) -> str:
    """The format of a file that begins with this line."""
    if first.startswith("{"):
        return "jsonl"
    return "csv" if any(_known(first.split(sign)) for sign in ",;\t") else "text"


_KNOWN = ("path", "backtracker", "position")
"""Of these columns every table has one."""


# Formats --------------------------------------------------------------------------------------------------------------


def _csv(lines: Iterator[str], name: str) -> Rows:
    first = next(lines, "")
    rows = _csv_rows(itertools.chain([first], lines), name, _delimiter(first))
    header = next(rows, (0, []))[1]
    if any(map(_UNDECODED, header)):
        raise RowError(f"{name}, line 1 {NO_TEXT}")
    columns = _columns(map(from_cell, header), name)

    def mappings() -> Iterator[Row]:
        for number, row in rows:
            if len(row) != len(columns):
                said = f"{len(row)} fields where the header has {len(columns)}"
                yield number, RowError(f"{name}, line {number}: {said}")
            elif any(map(_UNDECODED, row)):
                yield number, RowError(f"{name}, line {number} {NO_TEXT}")
            else:
                yield number, dict(zip(columns, map(from_cell, row), strict=True))

    return Rows.of(name, "line", mappings(), columns)


def _delimiter(header: str) -> str:
    """What is between the columns of a table that begins with this line: a comma, a semicolon or a tab."""
    return next((sign for sign in ",;\t" if _known(header.split(sign))), ",")


def _known(columns: list[str]) -> bool:
    """Whether there is a column that every table has."""
    return any(column.strip(' "\n\r').lower() in _KNOWN for column in columns)


def _csv_rows(lines: Iterator[str], name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with their line numbers."""
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        said = "a line ends inside it" if "new-line" in str(error) else error
        raise RowError(f"{name}, line {reader.line_num}: no CSV: {said}") from None


def _jsonl(lines: Iterator[str], name: str) -> Rows:
    def records() -> Iterator[tuple[int, Any]]:
        for number, line in _numbered(lines):
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                what = NO_TEXT if _UNDECODED(line) else "is no JSON; each line is one object"
                yield number, RowError(f"{name}, line {number} {what}")

    return Rows.of(name, "line", _mappings(records(), f"{name}, line"))


def _text(lines: Iterator[str], name: str) -> Rows:
    def row(number: int, line: str) -> Row:
        return number, RowError(f"{name}, line {number} {NO_TEXT}") if _UNDECODED(line) else {"path": line}

    return Rows.of(name, "line", (row(number, line) for number, line in _numbered(lines)), ("path",))


def _numbered(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without the blanks around them."""
    return ((number, line) for number, line in enumerate(map(str.strip, lines), 1) if line)


def _mappings(records: Iterable[tuple[int, Any]], place: str) -> Iterator[Row]:
    """Rows that name their columns themselves, in any letters; ``place`` is what messages write before their number."""
    known: dict[tuple[Any, ...], tuple[str, ...]] = {}
    for number, record in records:
        if isinstance(record, RowError):
            yield number, record
        elif not isinstance(record, Mapping):
            yield number, RowError(f'{place} {number} is no object; write {{"path": "0124"}}')
        else:
            own = tuple(record)
            try:
                if own not in known:  # most records have the keys of the one before
                    known = {own: _columns(own, f"{place} {number}")}
            except RowError as error:
                yield number, error
            else:
                yield number, dict(zip(known[own], record.values(), strict=True))


def _parquet(file: IO[bytes], name: str) -> Rows:
    import pyarrow as pa

    from analysis.storage.parquet import open_parquet

    try:
        table = open_parquet(file)
        names = table.schema_arrow.names
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise RowError(f"{name} is damaged, or no Parquet file: {reason(error).splitlines()[0]}") from None
    columns = _columns(names, name)

    def rows() -> Iterator[Mapping[str, Any]]:
        try:
            left = table.metadata.num_rows
            for batch in table.iter_batches(PARQUET_ROWS):
                left -= len(batch)
                values = (column.to_pylist() for column in batch.columns)
                yield from (dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True))
            if left:
                raise OSError(f"{left} rows less than it should have")
        except (OSError, pa.ArrowException) as error:
            raise RowError(f"{name} is damaged: {reason(error).splitlines()[0]}") from None

    return Rows(name, "row", columns, enumerate(rows(), 1), table.metadata.num_rows == 0)


def _columns(names: Iterable[Any], table: str) -> tuple[str, ...]:
    """Names of columns as they are looked for: in lower case. Raises `RowError` where two are the same."""
    columns = tuple(whole(str(name)).strip().lower() for name in names)
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{table} has two columns {twice!r}")
    return columns


_TEXTS: dict[str, Callable[[Iterator[str], str], Rows]] = {"csv": _csv, "jsonl": _jsonl, "text": _text}
