"""Read a file, data frame or list as a table of texts and JSON values, with what is wrong with rows that are left out.

Texts stay texts: a reader that guesses numbers would turn the path ``0124`` into 124. Python's csv and json read lines,
since pandas does not say in which line an error is.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.files import reason
from ..common.markup import from_cell
from ..common.wording import whole
from ..errors import GametreeError, InputError, OptionError
from .record_names import is_header, numbered

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
READ = "CSV (.csv, .tsv), JSON (.json), JSON lines (.jsonl, .ndjson), Parquet (.parquet) and lines of games (.txt)"

_UNDECODED = re.compile("[\udc80-\udcff]").search
"""Whether a text has bytes that are not UTF-8."""

NO_TEXT = "it is not UTF-8 text"

Numbered = Iterator[tuple[int, Any]]
"""Values with the numbers of their lines or rows."""


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

    @property
    def errors(self) -> list[RowError]:
        """What is wrong with the rows left out, in their order."""
        return [RowError(f"{self.name}, {self.unit} {number}: {self.faults[number]}") for number in sorted(self.faults)]


def read_table(rows: Any, form: str | None = None) -> RowTable:
    """Read a file, standard input (``-``), a data frame, or an iterable of mappings, backtrackers or lists of moves.

    The suffix tells the format unless ``form`` does; without either, the first signs tell it. Raises `OptionError` for
    an unknown format, `InputError` where the file cannot be read, `RowError` where it is in another format.
    """
    if form is not None and form not in FORMATS:
        raise OptionError(f"unknown input format {form!r}; formats are {', '.join(FORMATS)}")
    if isinstance(rows, (str, Path)):
        return _read_file(str(rows), form or SUFFIXES.get(Path(rows).suffix.lower()))
    if hasattr(rows, "itertuples"):
        columns = _columns(rows.columns, "rows")
        return _table("rows", "row", columns, rows.itertuples(index=False, name=None), range(1, len(rows) + 1))
    if isinstance(rows, (bytes, Mapping)) or not isinstance(rows, Iterable):
        raise RowError(f"rows must be a data frame or a list of mappings or backtrackers, not {type(rows).__name__}")
    return _of_records("rows", "row", enumerate(rows, 1), {}, bare=True)


def _read_file(path: str, form: str | None) -> RowTable:
    name = "standard input" if path == "-" else path
    if path == "-" and sys.stdin is None:
        raise InputError("cannot read standard input: it is closed")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name}: {reason(error)}") from None
    if form is None and (suffix := Path(path).suffix):
        raise RowError(f"{name} has the suffix {suffix}; {READ} are read, others if --input names such a format")
    if form == "parquet" or (form is None and data.startswith(b"PAR1")):
        return _parquet(data, name)
    try:  # UTF-16 has a byte order mark; of UTF-8, lines with other bytes are left out
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16") if utf16 else data.decode("utf-8-sig", "surrogateescape")
    except UnicodeError:
        text = "\0"
    if "\0" in text:
        raise RowError(f"{name} is not text; {READ} are read")
    if form is None:
        header = text.lstrip().partition("\n")[0]
        names = next(csv.reader([header], delimiter=_delimiter(header)), [])
        form = "json" if header[:1] in ("[", "{") else "csv" if is_header(names) else "text"
    if form == "csv":
        return _csv(text, name)
    if form == "text":
        games = ((number, {"path": line}) for number, line in _lines(text) if not _UNDECODED(line))
        return _of_records(name, "line", games, {n: NO_TEXT for n, line in _lines(text) if _UNDECODED(line)})
    return _json(text, name, form)


def _lines(text: str) -> Numbered:
    """Yield the lines that are not blank, stripped, with their numbers."""
    lines = enumerate(io.StringIO(text, newline=None), 1)
    return ((number, line.strip()) for number, line in lines if line.strip())


def _delimiter(header: str) -> str:
    """Return which of comma, semicolon, tab and bar is most frequent in a header."""
    return max(",;\t|", key=header.count)


def _csv(text: str, name: str) -> RowTable:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text.partition("\n")[0]), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row and (len(row) == 1 or any(map(str.strip, row)))]
    except csv.Error as error:
        raise RowError(f"{name}, line {reader.line_num}: invalid CSV: {error}") from None
    header = rows[0][1] if rows else []
    while len(header) > 1 and not header[-1].strip():  # a comma at the end of each line
        header.pop()
    columns = _columns(map(from_cell, header), name)
    n, moves = len(columns), {*numbered(columns)}  # a short row may lack moves
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
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            if text.lstrip()[:1] != "{":
                line = getattr(error, "lineno", 1)
                raise RowError(f"{name}, line {line}: invalid JSON: {' '.join(str(error).split())}") from None
        else:
            return _of_records(name, "row", enumerate(_records_of(document), 1), {}, bare=True)
    records, faults = list[tuple[int, Any]](), dict[int, str]()
    for number, line in _lines(text):
        try:
            records.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            faults[number] = NO_TEXT if _UNDECODED(line) else "it is not JSON; each line must be one object"
    return _of_records(name, "line", records, faults)


def _records_of(document: Any) -> Sequence[Any]:
    """Return the records of a document: a list, the only list in an object, columns (as pandas writes them), or one
    record.
    """
    import pandas as pd

    if not isinstance(document, dict):
        return document if isinstance(document, list) else [document]
    lists = [value for value in document.values() if isinstance(value, list)]
    if len(lists) == 1 and not isinstance(document.get("path"), list):
        return lists[0]
    if document and all(isinstance(value, list | dict) for value in document.values()):
        try:
            return pd.DataFrame(document, dtype=object).to_dict("records")
        except ValueError as error:  # lists of different lengths
            raise RowError(f"the columns of this JSON are no table: {error}") from None
    return [document]


def _parquet(data: bytes, name: str) -> RowTable:
    import pyarrow as pa

    from ..solution.storage.parquet import read_parquet

    try:
        table = read_parquet(io.BytesIO(data), name)
        columns = _columns(table.column_names, name)
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
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
        if not isinstance(record, Mapping) and not bare:
            faults[number] = 'it is not an object; write {"path": "0124"}'
            continue
        given = record if isinstance(record, Mapping) else {"path": record}
        row = {whole(str(key)).strip().lower(): value for key, value in given.items()}
        if len(row) < len(given):
            faults[number] = f"two columns have one name: {', '.join(map(str, given))}"
            continue
        rows.append(row)
        numbers.append(number)
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
    table = RowTable(name, unit, frame.where(frame.notna(), None), faults or {})
    if faults and not columns:
        raise table.errors[0]
    return table


def _columns(names: Iterable[Any], table: str) -> tuple[str, ...]:
    """Return names of columns in lower case. Raises `RowError` for equal ones."""
    columns = tuple(whole(str(name)).strip().lower() for name in names)
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{table} has two columns called {twice!r}")
    return columns
