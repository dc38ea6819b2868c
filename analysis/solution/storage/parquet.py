"""Parquet files: how they are encoded, written, and read so that damage is always detected.

Sorted states are delta encoded: this was the smallest and nearly the fastest to write (1.4 bytes a state on 4x4 k=4,
against 3.2 for plain zstd, which took six times as long). Of remoteness and exact counts, the first bytes of all
numbers stand together, then the second ones (see `SPLIT`). pandas, Polars and DuckDB can read both.

Every page has a checksum, verified when the page is read. The format has none for the headers of pages and for the
footer. For files of a solution the tier's JSON holds checksums of the footer and of each column of each row group; a
standalone file has that of its footer in `SEAL_BYTES` bytes just before it, where no reader looks, and its rows are
counted when read.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...common.files import AGAIN, as_store_error, open_regular, write_bytes
from ...common.memory import Budget
from ...common.workers import processors
from ...engine.columns import COUNT_COLUMNS, DECIMAL
from ...errors import StoreError

ROW_GROUP = 1 << 14
"""Rows read to look one state up: eight times as many make files 5 % smaller, and take eight times as long."""

LARGEST_GROUP = 1 << 20
"""The most rows in a row group of our own files: pyarrow divides what it is given."""
SMALL = 1 << 28
"""Bytes that are read without checking the free memory."""
MOST_ROWS = 1 << 28
"""The most rows read from a foreign file: a few bytes can stand for any number of equal rows."""

PLAIN = ("ply", "tier", "to_move", "terminal", "orbit_size")
"""Columns whose numbers are mostly the same: zstd alone takes half the time of a dictionary."""
SPLIT = ("remoteness_plies", *COUNT_COLUMNS)
"""Columns whose bytes are split unless they are decimals, which DuckDB 2.0 and Polars 2.1 would not read. This takes a
third of the time of a dictionary and two thirds of that of differences, and a fifth less space than these.
"""

TRAILER = 8
"""Bytes after the footer: its length in four, least first, and the four that end every Parquet file."""
SEAL_MARK = b"gametree footer sha256:"
SEAL_BYTES = len(SEAL_MARK) + 32


def write_table(path: Path, table: pa.Table) -> dict[str, Any]:
    """Write one file of a solution atomically; return its record, as `describe` does."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **parquet_options(table.schema))
    data = sink.getvalue()
    return record_of(pa.BufferReader(data), path.name, write_bytes(path, data))


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """Return the encoding options for a table with these columns."""
    split = [f.name for f in schema if f.name in SPLIT and f.type != DECIMAL]
    delta = [f.name for f in schema if f.type == pa.int64()]
    return {
        "compression": "zstd",
        "compression_level": 1,
        "row_group_size": ROW_GROUP,
        "use_dictionary": [name for name in schema.names if name not in {*PLAIN, *split, *delta}],
        "column_encoding": dict.fromkeys(delta, "DELTA_BINARY_PACKED") | dict.fromkeys(split, "BYTE_STREAM_SPLIT"),
        "write_page_checksum": True,
        "write_statistics": ["state"],  # useless for the others
        "store_schema": False,  # Parquet has all our types
    }


def describe(path: Path) -> dict[str, Any]:
    """Return the record of a file of a solution: name, rows, first and last state (None without states), bytes,
    SHA-256, footer's SHA-256, and the CRC-32 of each column of each row group, in eight hexadecimal digits. Raises
    `OSError` and pyarrow's errors.
    """
    with path.open("rb") as file:
        return record_of(file, path.name, hashlib.file_digest(file, "sha256").hexdigest())


def record_of(file: Any, name: str, digest: str) -> dict[str, Any]:
    """Do the same for an open file whose SHA-256 is known."""
    size, metadata = file.seek(0, io.SEEK_END), pq.read_metadata(file)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    firsts, lasts = state_bounds(metadata)
    return {
        "file": name,
        "rows": metadata.num_rows,
        "first_state": int(firsts[0]) if len(firsts) else None,
        "last_state": int(lasts[-1]) if len(lasts) else None,
        "bytes": size,
        "sha256": digest,
        "footer_sha256": _digest(_footer(file)),
        "column_crc32": ["".join(_crc(file, group.column(i)) for i in range(group.num_columns)) for group in groups],
    }


def state_bounds(metadata: pq.FileMetaData) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last state of each row group of a sorted table, int64[groups] each, from the footer's
    statistics; empty arrays for a table without rows or states.
    """
    groups = range(metadata.num_row_groups if metadata.num_rows else 0)
    places = [place for place in range(metadata.num_columns) if metadata.schema.column(place).path == "state"]
    found = [metadata.row_group(group).column(place).statistics for group in groups for place in places]
    return np.array([each.min for each in found], np.int64), np.array([each.max for each in found], np.int64)


class PartFile:
    """A file of a solution with its record ``part``. Opening reads only its footer; threads take turns reading.

    Raises `StoreError` if it is missing or differs, and so does reading what is damaged.
    """

    def __init__(self, path: Path, part: dict[str, Any]) -> None:
        self._path, self._sums, self._lock = path, part["column_crc32"], threading.Lock()
        with as_store_error(path):
            open_regular(path).close()
            self._source = pa.OSFile(str(path))
            if self._source.size() != part["bytes"] or _digest(_footer(self._source)) != part["footer_sha256"]:
                self._refuse()
            self._file = pq.ParquetFile(  # buffering takes a third of the time of a small row group
                self._source, page_checksum_verification=True, pre_buffer=False
            )
        self.metadata = self._file.metadata
        """Pyarrow's metadata."""
        if (self.metadata.num_row_groups, self.metadata.num_rows) != (len(self._sums), part["rows"]):
            self._refuse()
        groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
        if most := max((group.num_rows for group in groups if group.num_rows > LARGEST_GROUP), default=0):
            raise StoreError(f"{path}: a row group has {most:,} rows, but gametree writes at most {LARGEST_GROUP:,}")
        self.schema: pa.Schema = self._file.schema_arrow
        """The columns."""

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Read some columns, or all."""
        return self.read_groups(range(self.metadata.num_row_groups), columns)

    def read_group(self, group: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read some columns, or all, of one row group."""
        return self.read_groups([group], columns)

    def batches(
        self, rows: int, columns: Sequence[str] | None = None, groups: Iterable[int] | None = None
    ) -> Iterator[pa.Table]:
        """Read some columns of some row groups (None: all), at most ``rows`` rows at a time."""
        for group in range(self.metadata.num_row_groups) if groups is None else groups:
            table = self.read_group(group, columns)
            for low in range(0, len(table), rows):
                yield table.slice(low, rows)

    def read_groups(self, groups: Sequence[int], columns: Sequence[str] | None = None) -> pa.Table:
        """Read some columns, or all, of some row groups."""
        chosen = None if columns is None else list(columns)
        with self._lock, as_store_error(self._path):
            needed = sum(_bytes_of(self.metadata.row_group(group), chosen) for group in groups)
            if needed > SMALL:
                Budget.of_machine().require(needed, f"reading {self._path}", "a smaller game")
            for group in groups:
                self._check(group, chosen)
            return self._file.read_row_groups(list(groups), chosen, use_threads=min(len(groups), processors()) > 1)

    def _check(self, group: int, columns: Sequence[str] | None) -> None:
        """Refuse damaged columns of a row group."""
        sums, described = self._sums[group], self.metadata.row_group(group)
        for place in range(described.num_columns):
            column = described.column(place)
            name = column.path_in_schema.partition(".")[0]
            if (columns is None or name in columns) and sums[8 * place : 8 * place + 8] != _crc(self._source, column):
                self._refuse()

    def _refuse(self) -> None:
        raise StoreError(f"{self._path} is damaged, or of another solution: its checksum does not match; {AGAIN}")


@contextlib.contextmanager
def parquet_writer(file: IO[bytes], schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Yield a writer of tables to a standalone file, whose footer is sealed at the end."""
    sink = _Sink(file)
    with pq.ParquetWriter(sink, schema, compression="zstd", write_page_checksum=True) as writer:
        yield writer
        sink.target = held = io.BytesIO()
    footer = _footer(held)
    file.write(held.getvalue().removesuffix(footer) + SEAL_MARK + hashlib.sha256(footer).digest() + footer)


def read_parquet(file: IO[bytes], name: str) -> pa.Table:
    """Read a Parquet file from anywhere. One with more than `MOST_ROWS` rows, or that by its footer does not fit memory
    is refused first. Raises pyarrow's errors, `StoreError`, `NoRoomError`, and `OSError` for a sealed one that has
    changed.
    """
    footer = _footer(file)
    file.seek(-min(file.tell(), len(footer) + SEAL_BYTES), io.SEEK_END)
    seal = file.read(SEAL_BYTES)
    if seal.startswith(SEAL_MARK) and seal.removeprefix(SEAL_MARK) != hashlib.sha256(footer).digest():
        raise OSError("its checksum does not match")
    file.seek(0)
    stored = pq.ParquetFile(file, page_checksum_verification=True)
    if stored.metadata.num_rows > MOST_ROWS:
        raise StoreError(f"{name} has {stored.metadata.num_rows:,} rows; the limit is {MOST_ROWS:,}")
    needed = sum(_bytes_of(stored.metadata.row_group(number), None) for number in range(stored.num_row_groups))
    if needed > SMALL:
        Budget.of_machine().require(needed, f"reading {name}", "a smaller file")
    return stored.read()


def _bytes_of(group: pq.RowGroupMetaData, names: Sequence[str] | None) -> int:
    """Return the bytes of columns of a row group in memory: 8 for each value, or as many as in the file."""
    columns = [group.column(place) for place in range(group.num_columns)]
    chosen = [each for each in columns if names is None or each.path_in_schema.partition(".")[0] in names]
    return sum(max(8 * column.num_values, column.total_uncompressed_size) for column in chosen)


class _Sink:
    """A file for pyarrow whose target can change."""

    closed = False

    def __init__(self, target: IO[bytes]) -> None:
        self.target, self._written = target, 0

    def write(self, data: Any) -> int:
        size = self.target.write(data)
        self._written += size
        return size

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        self.target.flush()


def _crc(file: Any, column: pq.ColumnChunkMetaData) -> str:
    """Return the checksum of a column of a row group, including its page headers."""
    begin = column.data_page_offset
    if column.has_dictionary_page:
        begin = min(begin, column.dictionary_page_offset)
    file.seek(begin)
    return f"{zlib.crc32(file.read(column.total_compressed_size)):08x}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _footer(file: Any) -> bytes:
    """Return the footer of an open file, with its length and magic number; without a footer, what is there."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - TRAILER))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - TRAILER - length))
    found: bytes = file.read()
    return found
