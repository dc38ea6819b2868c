"""Read a file, data frame or list as a table of texts and JSON values, with what is wrong with rows that are left out.

Texts stay texts: a reader that guesses numbers would turn the path ``0124`` into 124. Python's csv and json read lines,
since pandas does not say in which line an error is.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import dataclasses
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..common.files import reason
from ..common.markup import from_cell
from ..common.wording import whole
from ..errors import GametreeError, InputError, OptionError
from .record_names import is_header, numbered

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("csv", "json", "jsonl", "parquet", "text")
SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
FORMS = "CSV (.csv, .tsv), JSON (.json), JSON lines (.jsonl, .ndjson), Parquet (.parquet) and lines of games (.txt)"

_UNDECODED = re.compile("[\udc80-\udcff]").search
"""Whether a text has bytes that are not UTF-8."""
NO_TEXT = "it is not UTF-8 text"


class RowError(GametreeError, ValueError):
    """A file of games or choices, or a row of it, that cannot be read; the message says which."""

    exit_code = 2


@dataclasses.dataclass
class RowTable:
    """A table that was read."""

    name: str
    """Its name in messages, such as ``games.csv``."""
    unit: str
    """What its rows are counted in: ``line`` or ``row``."""
    frame: pd.DataFrame
    """Texts and JSON values, None where there are none: columns in lower case, rows by number."""
    faults: dict[int, str]
    """What is wrong with rows that are left out, by number."""

    def error(self, number: int, problem: object) -> RowError:
        """Return an error that says where it is."""
        return RowError(f"{self.name}, {self.unit} {number}: {problem}")

    @property
    def errors(self) -> list[RowError]:
        """What is wrong with the rows left out, in their order."""
        return [self.error(number, self.faults[number]) for number in sorted(self.faults)]


def read_table(rows: Any, form: str | None = None) -> RowTable:
    """Read a file, standard input (``-``), a data frame, or an iterable of mappings, backtrackers or lists of moves.

    The suffix tells the format unless ``form`` does; without either, the first signs tell it. Raises `OptionError` for
    an unknown format, `InputError` where the file cannot be read, `RowError` where it is in another format.
    """
    if form is not None and form not in FORMATS:
        raise OptionError(f"unknown input format {form!r}; formats are {', '.join(FORMATS)}")
    if isinstance(rows, (str, Path)):
        with _opened(str(rows)) as (file, name):
            return _read_file(file, name, form or SUFFIXES.get(Path(rows).suffix.lower()))
    if hasattr(rows, "itertuples"):
        columns = _columns(rows.columns, "rows")
        return _table("rows", "row", columns, rows.itertuples(index=False, name=None), range(1, len(rows) + 1))
    if isinstance(rows, (bytes, Mapping)) or not isinstance(rows, Iterable):
        raise RowError(f"rows must be a data frame or a list of mappings or backtrackers, not {type(rows).__name__}")
    return _of_records("rows", "row", enumerate(rows, 1), {}, bare=True)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[tuple[IO[bytes], str]]:
    if path == "-":
        if sys.stdin is None:
            raise InputError("cannot read standard input: it is closed")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None
    with file:
        yield file, path


def _read_file(file: IO[bytes], name: str, form: str | None) -> RowTable:
    suffix = Path(name).suffix
    if form is None and suffix:
        raise RowError(f"{name} has the suffix {suffix}; {FORMS} are read, others if --input names such a format")
    if form == "parquet" and file.seekable():
        return _parquet(file, name)
    try:
        data = file.read()
    except OSError as error:
        raise InputError(f"cannot read {name}: {reason(error)}") from None
    if form == "parquet" or (form is None and data.startswith(b"PAR1")):
        return _parquet(io.BytesIO(data), name)
    text = _decoded(data, name)
    first = text.lstrip()[:1]
    if re.match(r'\s*\[\w+ "', text):
        raise RowError(f"{name} is PGN, which is not read; {FORMS} are")
    if form is None:
        header = text.lstrip().partition("\n")[0]
        form = "json" if first and first in "[{" else "csv" if is_header(_split(header)) else "text"
    if form == "csv":
        return _csv(text, name)
    if form == "text":
        lines = ((number, {"path": line}) for number, line in _lines(text) if not _UNDECODED(line))
        faults = {number: NO_TEXT for number, line in _lines(text) if _UNDECODED(line)}
        return _of_records(name, "line", lines, faults)
    return _json(text, name, form)


def _decoded(data: bytes, name: str) -> str:
    """Return UTF-8, or UTF-16 with a byte order mark; bytes that are neither become surrogates. Raises `RowError`."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding, "surrogateescape" if encoding == "utf-8-sig" else "strict")
    except UnicodeError:
        text = "\0"
    if "\0" in text:
        raise RowError(f"{name} is not text; {FORMS} are read")
    return text


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, stripped, with their numbers."""
    lines = enumerate(io.StringIO(text, newline=None), 1)
    return ((number, line.strip()) for number, line in lines if line.strip())


# Formats --------------------------------------------------------------------------------------------------------------


def _split(header: str) -> list[str]:
    return next(csv.reader([header], delimiter=_delimiter(header)), [])


def _delimiter(header: str) -> str:
    """Return which of comma, semicolon, tab and bar is most frequent in a header."""
    return max(",;\t|", key=header.count)


def _csv(text: str, name: str) -> RowTable:
    lines = io.StringIO(text, newline="")
    delimiter = _delimiter(lines.readline())
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row and (len(row) == 1 or any(map(str.strip, row)))]
    except csv.Error as error:
        raise RowError(f"{name}, line {reader.line_num}: invalid CSV: {error}") from None
    header = rows[0][1] if rows else []
    while len(header) > 1 and not header[-1].strip():  # a comma at the end of each line
        header.pop()
    columns = _columns(map(from_cell, header), name)
    n, moves = len(columns), {*numbered(columns)}
    kept, numbers, faults = list[list[str]](), list[int](), dict[int, str]()
    for number, row in rows[1:]:
        if any(map(str.strip, row[n:])) or not moves.issuperset(columns[len(row) :]):
            faults[number] = f"{len(row)} fields where the header has {n}"
        elif any(map(_UNDECODED, row)):
            faults[number] = NO_TEXT
        else:
            kept.append([*map(from_cell, row[:n]), *[""] * (n - len(row))])
            numbers.append(number)
    return _table(name, "line", columns, kept, numbers, faults)


def _json(text: str, name: str, form: str) -> RowTable:
    """Read a document or, where it is none, a record a line."""
    if form == "json":
        try:
            return _of_records(name, "row", enumerate(_records_of(json.loads(text)), 1), {}, bare=True)
        except (ValueError, RecursionError) as error:
            if isinstance(error, RowError):
                raise
            if text.lstrip()[:1] == "[" or not text.strip():
                line = getattr(error, "lineno", 1)
                raise RowError(f"{name}, line {line}: invalid JSON: {' '.join(str(error).split())}") from None
    records, faults = list[tuple[int, Any]](), dict[int, str]()
    for number, line in _lines(text):
        try:
            records.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            faults[number] = NO_TEXT if _UNDECODED(line) else "it is not JSON; each line must be one object"
    return _of_records(name, "line", records, faults)


def _records_of(document: Any) -> Sequence[Any]:
    """Return the records of a document: a list, the only list in an object, a data frame's columns, or one object."""
    if not isinstance(document, dict):
        return document if isinstance(document, list) else [document]
    columns = list(document.values())
    if columns and all(isinstance(column, dict) for column in columns):
        return [{name: column.get(key) for name, column in document.items()} for key in columns[0]]
    lists = [column for column in columns if isinstance(column, list)]
    if len(lists) > 1 and len({*map(len, columns)} if len(lists) == len(columns) else ()) == 1:
        return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]
    return lists[0] if len(lists) == 1 and not isinstance(document.get("path"), list) else [document]


def _parquet(file: IO[bytes], name: str) -> RowTable:
    import pyarrow as pa

    from ..solution.storage.parquet import open_parquet, rows_of

    try:
        table = open_parquet(file)
        columns = _columns(table.schema_arrow.names, name)
        rows = [row for values in rows_of(table, name) for row in zip(*values, strict=True)]
    except GametreeError:
        raise
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise RowError(f"{name} is damaged, or not a Parquet file: {reason(error).splitlines()[0]}") from None
    return _table(name, "row", columns, rows, range(1, len(rows) + 1))


def _of_records(
    name: str, unit: str, records: Iterable[tuple[int, Any]], faults: dict[int, str], *, bare: bool = False
) -> RowTable:
    """Return the table of records that name their own columns; with ``bare``, others are paths."""
    rows, numbers = list[Mapping[str, Any]](), list[int]()
    for number, record in records:
        if not isinstance(record, Mapping):
            if not bare:
                faults[number] = 'it is not an object; write {"path": "0124"}'
                continue
            record = {"path": record}
        own = {whole(str(key)).strip().lower(): value for key, value in record.items()}
        if len(own) < len(record):
            faults[number] = f"two columns have one name: {', '.join(map(str, record))}"
            continue
        rows.append(own)
        numbers.append(number)
    if faults and not rows:
        raise RowTable(name, unit, None, faults).errors[0]  # type: ignore[arg-type]
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return _table(name, unit, columns, ([*map(row.get, columns)] for row in rows), numbers, faults)


def _table(
    name: str,
    unit: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    numbers: Sequence[int],
    faults: dict[int, str] | None = None,
) -> RowTable:
    import pandas as pd

    frame = pd.DataFrame([*map(tuple, rows)], index=[*numbers], columns=[*columns], dtype=object)
    return RowTable(name, unit, frame.where(frame.notna(), None), faults or {})


def _columns(names: Iterable[Any], table: str) -> tuple[str, ...]:
    """Return names of columns in lower case. Raises `RowError` for equal ones."""
    columns = tuple(whole(str(name)).strip().lower() for name in names)
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{table} has two columns called {twice!r}")
    return columns
