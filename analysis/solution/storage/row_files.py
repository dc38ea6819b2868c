"""Rows of Arrow tables as CSV, JSON lines or Parquet, streamed into files that are complete or absent."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pyarrow as pa

from analysis.machine.files import as_store_error, atomic_file
from analysis.machine.markup import SIGNS, as_cell, csv_line
from analysis.solution.storage.parquet import parquet_writer
from analysis.wording import visible_lines, whole

ROWS = 1 << 16
"""Rows of a group of a Parquet file, at least, but for the last one."""

Write = Callable[[pa.Table], None]
"""Adds the rows of a table to a file."""

_SUSPECTED = f"\\A['{re.escape(SIGNS)}]"
"""How texts begin that `as_cell` may change."""

_PLAIN = bytes(set(range(0x20, 0x7F)) - set(b'"\\'))
"""What JSON writes as it is, whatever else it escapes: printable ASCII but for quotation marks and backslashes."""


@contextlib.contextmanager
def opened(out: Path | None) -> Iterator[IO[bytes]]:
    """A file that is complete or absent, or standard output without one; a terminal shows control characters written
    out. Raises `StoreError`.
    """
    if out is None:
        yield cast("IO[bytes]", _Screen()) if sys.stdout.isatty() else sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_file(out) as file:
        yield file


class _Screen(io.RawIOBase):
    """Standard output where it is a terminal; what is written ends between two characters."""

    def write(self, data: Any) -> int:
        """Show UTF-8."""
        sys.stdout.buffer.write(visible_lines(bytes(data).decode(errors="replace")).encode())
        return len(data)

    def flush(self) -> None:
        """Show it now."""
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def row_file(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """What writes tables with the columns of ``schema`` to a file, complete or absent, whose suffix (.csv, .jsonl or
    .parquet, in either case) says the format. Raises `StoreError`.
    """
    form = path.suffix.lower().removeprefix(".")
    with atomic_file(path) as file, as_store_error(path), row_writer(file, schema, form) as write:
        yield write


@contextlib.contextmanager
def row_writer(file: IO[bytes], schema: pa.Schema, form: str, *, quoted: bool = False) -> Iterator[Write]:
    """What writes tables with the columns of ``schema`` to a file that is open: as ``csv`` with a header (every text in
    quotation marks if ``quoted``), as ``jsonl`` or as ``parquet``.
    """
    if form == "parquet":
        with _parquet(file, schema) as write:
            yield write
    elif form == "jsonl":
        yield lambda table: _write_lines(file, table)
    else:
        file.write(csv_line(schema.names).encode())
        yield lambda table: _write_csv(file, _without_formulas(table), quoted)


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """Texts as a column; half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return pa.array(texts, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([text and whole(text) for text in texts], type=pa.string())


def json_column(column: pa.Array, encode: Callable[[str], str] = json.dumps) -> pa.Array:
    """Each value of a column of texts, numbers or truth values as JSON, null where it is null; ``encode`` is for texts
    that need more than quotation marks around them.

    >>> json_column(pa.array(["a", None, '"'])).to_pylist(), json_column(pa.array([True])).to_pylist()
    (['"a"', None, '"\\\\""'], ['true'])
    """
    import pyarrow.compute as pc  # loads longer than the first optimal paths take to print

    if not pa.types.is_string(column.type):
        return pc.cast(column, pa.string())
    if not bytes(joined(column)).translate(None, _PLAIN):
        return pc.binary_join_element_wise('"', column, '"', "")
    different = column.dictionary_encode()
    return pa.array([*map(encode, different.dictionary.to_pylist())], pa.string()).take(different.indices)


def json_objects(columns: Mapping[str, pa.Array], comma: str = ", ", colon: str = ": ", end: str = "}") -> pa.Array:
    """A JSON object for each row of columns that hold JSON, such as those of `json_column`; a null is written as such.
    ``comma`` and ``colon`` are what stands between members, and between a name and its value.
    """
    import pyarrow.compute as pc

    pieces: list[Any] = []
    for number, (name, column) in enumerate(columns.items()):
        pieces += [f"{comma if number else '{'}{json.dumps(name)}{colon}", column]
    return pc.binary_join_element_wise(*pieces, end, "", null_handling="replace", null_replacement="null")


def joined(texts: pa.Array) -> memoryview:
    """The texts of a column after one another, in UTF-8, without being copied."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset :] if len(texts) else [0]
    return memoryview(data or b"")[int(ends[0]) : int(ends[len(texts)])]


def _write_lines(file: IO[bytes], table: pa.Table) -> None:
    for batch in table.combine_chunks().to_batches():
        columns = {name: json_column(batch.column(name)) for name in batch.schema.names}
        file.write(joined(json_objects(columns, end="}\n")))


def _without_formulas(table: pa.Table) -> pa.Table:
    """The table with texts as `as_cell` has them."""
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) and pc.any(pc.match_substring_regex(table.column(place), _SUSPECTED)).as_py():
            different = table.column(place).combine_chunks().dictionary_encode()
            texts = pa.array([text and as_cell(text) for text in different.dictionary.to_pylist()], pa.string())
            table = table.set_column(place, field, texts.take(different.indices))
    return table


def _write_csv(file: IO[bytes], table: pa.Table, quoted: bool) -> None:
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    style = "needed" if quoted else "none"
    try:
        csv.write_csv(table, sink, csv.WriteOptions(include_header=False, quoting_style=style))
    except pa.ArrowInvalid:  # some text has a comma, a quotation mark or an end of a line in it
        if quoted:
            raise
        _write_csv(file, table, quoted=True)
        return
    file.write(sink.getvalue())


@contextlib.contextmanager
def _parquet(file: IO[bytes], schema: pa.Schema) -> Iterator[Write]:
    waiting: list[pa.Table] = []

    def write(table: pa.Table, least: int = ROWS) -> None:
        waiting.append(table)
        if sum(map(len, waiting)) >= least:
            writer.write_table(pa.concat_tables(waiting))
            waiting.clear()

    with parquet_writer(file, schema) as writer:
        yield write
        write(schema.empty_table(), least=1)
