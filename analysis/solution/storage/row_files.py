"""Stream rows of Arrow tables as CSV, JSON lines or Parquet into files that are complete or absent."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from ...common.files import as_store_error, atomic_file
from ...common.markup import SIGNS, as_cell, csv_line
from .parquet import parquet_writer

ROWS = 1 << 16
"""The least rows of a group of a Parquet file, except the last."""

Write = Callable[[pa.Table], None]
"""Adds the rows of a table to a file."""

_SUSPECTED = f"\\A['{re.escape(SIGNS)}]|[^ -~]"
"""What is in texts that `as_cell` may change."""

_PLAIN = bytes(set(range(0x20, 0x7F)) - set(b'"\\'))
"""What JSON never escapes: printable ASCII except quotation marks and backslashes."""


@contextlib.contextmanager
def opened(out: Path | None) -> Iterator[IO[bytes]]:
    """Yield a file that is complete or absent, or standard output."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_file(out) as file:
        yield file


@contextlib.contextmanager
def row_file(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Yield a writer of tables to a file in the format of its suffix (.csv, .jsonl, .parquet). Raises `StoreError`."""
    form = path.suffix.lower().removeprefix(".")
    with atomic_file(path) as file, as_store_error(path), row_writer(file, schema, form) as write:
        yield write


@contextlib.contextmanager
def row_writer(file: IO[bytes], schema: pa.Schema, form: str, *, quoted: bool = False) -> Iterator[Write]:
    """Yield a writer of tables to an open file: ``csv`` (all texts ``quoted`` or not), ``jsonl`` or ``parquet``."""
    if form == "parquet":
        with _parquet(file, schema) as write:
            yield write
    elif form == "jsonl":
        yield lambda table: _write_lines(file, table)
    else:
        file.write(csv_line(schema.names).encode())
        yield lambda table: _write_csv(file, _as_cells(table), quoted)


def json_column(column: pa.Array) -> pa.Array:
    """Convert a column of texts, numbers or booleans to JSON, null to null.

    >>> json_column(pa.array(["a", None, '"'])).to_pylist(), json_column(pa.array([True])).to_pylist()
    (['"a"', None, '"\\\\""'], ['true'])
    """
    import pyarrow.compute as pc  # takes longer to load than the first optimal paths to print

    if not pa.types.is_string(column.type):
        return pc.cast(column, pa.string())
    if not bytes(joined(column)).translate(None, _PLAIN):
        return pc.binary_join_element_wise('"', column, '"', "")
    different = column.dictionary_encode()
    return pa.array([*map(json.dumps, different.dictionary.to_pylist())], pa.string()).take(different.indices)


def json_objects(columns: Mapping[str, pa.Array], comma: str = ", ", colon: str = ": ", end: str = "}") -> pa.Array:
    """Return a JSON object for each row of columns that hold JSON, such as those of `json_column`.

    ``comma`` and ``colon`` separate members, and names from values.
    """
    import pyarrow.compute as pc

    pieces: list[Any] = []
    for number, (name, column) in enumerate(columns.items()):
        pieces += [f"{comma if number else '{'}{json.dumps(name)}{colon}", column]
    return pc.binary_join_element_wise(*pieces, end, "", null_handling="replace", null_replacement="null")


def joined(texts: pa.Array) -> memoryview:
    """Return the texts of a column, concatenated in UTF-8, without copying."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset :] if len(texts) else [0]
    return memoryview(data or b"")[int(ends[0]) : int(ends[len(texts)])]


def _write_lines(file: IO[bytes], table: pa.Table) -> None:
    for batch in table.combine_chunks().to_batches():
        columns = {name: json_column(batch.column(name)) for name in batch.schema.names}
        file.write(joined(json_objects(columns, end="}\n")))


def _as_cells(table: pa.Table) -> pa.Table:
    """Return the table with texts escaped by `as_cell`."""
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
    except pa.ArrowInvalid:  # a text contains a comma, a quotation mark or a line end
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
