"""Read a file, data frame or list as a table of texts and JSON values.

Texts stay texts: a reader that guesses numbers would turn the path ``0124`` into 124.
"""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.files import reason
from ..common.markup import from_cell
from ..common.wording import whole
from ..errors import GametreeError, InputError, OptionError

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


class RowError(GametreeError, ValueError):
    """A file of games or choices, or a row of it, that cannot be read; the message says which."""

    exit_code = 2


@dataclasses.dataclass
class RowTable:
    """A table that was read."""

    name: str
    """Its name in messages, such as ``games.csv``."""
    frame: pd.DataFrame
    """Texts and JSON values, None for nothing: columns in lower case; rows by number, from 1, the header of a CSV file
    and blank lines included.
    """
    faults: dict[int, str] = dataclasses.field(default_factory=dict)
    """What is wrong with rows that are left out, by number."""

    @property
    def errors(self) -> list[RowError]:
        """What is wrong with the rows left out, in their order."""
        return [RowError(f"{self.name}, row {number}: {self.faults[number]}") for number in sorted(self.faults)]


def read_table(rows: Any, form: str | None = None) -> RowTable:
    """Read a file, standard input (``-``), a data frame, or a list of mappings, backtrackers or lists of moves.

    The format of a file is ``form`` or that of its suffix; standard input is text, a path a line, unless ``form`` says
    otherwise. Raises `OptionError` for an unknown format, `InputError` for a file that cannot be opened, `RowError` for
    one in another format.
    """
    if form not in (None, *FORMATS):
        raise OptionError(f"unknown input format {form!r}; formats are {', '.join(FORMATS)}")
    name = str(rows) if isinstance(rows, (str, Path)) else "rows"
    name = "standard input" if name == "-" else name
    suffix = Path(name).suffix.lower()
    form = form or (SUFFIXES.get(suffix) if suffix else "text")
    if form is None:
        raise RowError(f"{name} is of an unknown format; name it by --input, one of {', '.join(FORMATS)}")
    try:
        frame = _parsed(_content(name), form, name) if name != "rows" else _frame(rows)
    except GametreeError:
        raise
    except (ValueError, TypeError, LookupError, RuntimeError, OSError, Warning) as error:
        raise RowError(f"cannot read {name} as a table: {' '.join(str(error).split())}") from None
    columns = [whole(str(column)).strip().lower() for column in frame.columns]
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{name} has two columns called {twice!r}")
    frame = frame.set_axis(columns, axis="columns").astype(object)
    return RowTable(name, frame.where(frame.notna(), None))


def _content(name: str) -> bytes:
    try:
        if name != "standard input":
            return Path(name).read_bytes()
        if sys.stdin is not None:
            return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name}: {reason(error)}") from None
    raise InputError("cannot read standard input: it is closed")


def _frame(rows: Any, numbers: Any = None) -> pd.DataFrame:
    """Return the table of a data frame, of columns, or of a list of records that are mappings or, all of them, paths;
    rows are numbered from 1 unless by ``numbers``.
    """
    import pandas as pd

    if isinstance(rows, (str, bytes)):
        raise TypeError("it is no list")
    if not isinstance(rows, Mapping | pd.DataFrame):
        rows = [*rows]
        rows = rows if all(isinstance(row, Mapping) for row in rows) else {"path": pd.Series(rows, dtype=object)}
    frame = pd.DataFrame(rows, dtype=object)
    return frame.set_axis(range(1, len(frame) + 1) if numbers is None else numbers)


def _parsed(data: bytes, form: str, name: str) -> pd.DataFrame:
    import pandas as pd

    if form == "parquet":
        from ..solution.storage.parquet import read_parquet

        table = read_parquet(io.BytesIO(data), name)
        return _frame(
            pd.DataFrame(
                dict(zip(table.column_names, (c.to_pylist() for c in table.columns), strict=True)), dtype=object
            )
        )
    text = data.decode("utf-8-sig")
    if form == "json":
        return _frame(json.loads(text))
    if form == "csv":
        header = text.partition("\n")[0]
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # of rows longer than the header
            frame = pd.read_csv(
                io.StringIO(text), sep=max(",;\t", key=header.count), dtype=str, keep_default_na=False, index_col=False,
                skip_blank_lines=False,
            )  # fmt: skip
        frame = frame.set_axis(frame.index + 2).map(from_cell).rename(columns=from_cell)
        return frame[(frame != "").any(axis="columns")]
    lines = {number: line.strip() for number, line in enumerate(text.splitlines(), 1) if line.strip()}
    return _frame([json.loads(line) if form == "jsonl" else line for line in lines.values()], [*lines])
