"""Parquet files: how they are encoded, written, and read so that damage is found and never believed.

Sorted states and exact counts are delta encoded, which pandas, Polars and DuckDB read: it was both the smallest and
nearly the fastest to write (1.4 bytes a state on 4x4 k=4, against 3.2 for plain zstd, which took six times as long).

Every page carries a checksum, which is checked when the page is read. The format has none for what tells of pages and
columns: the heads of pages and the footer. Of the files of a solution the tier's JSON holds those of the footer and of
each column of each row group; a file that stands alone has that of its footer in `SEAL_BYTES` bytes just before it,
where no reader looks, and its rows are counted when they are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.errors import StoreError
from analysis.machine.files import AGAIN, as_store_error, open_regular, write_bytes

ROW_GROUP = 1 << 17
"""Rows that are read to look one state up."""

TRAILER = 8
"""Bytes after the footer: its length in four, least first, and the four that end every Parquet file."""
SEAL_MARK = b"gametree footer sha256:"
SEAL_BYTES = len(SEAL_MARK) + 32


def write_table(path: Path, table: pa.Table) -> dict[str, Any]:
    """Write one file of a solution atomically; return what is recorded of it, as `describe` does."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **parquet_options(table.schema))
    data = sink.getvalue()
    return record_of(pa.BufferReader(data), path.name, write_bytes(path, data))


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """How a table with these columns is encoded."""
    delta = [f.name for f in schema if f.type in (pa.int64(), pa.uint64())]
    return {
        "compression": "zstd",
        "compression_level": 1,
        "row_group_size": ROW_GROUP,
        "use_dictionary": [f.name for f in schema if f.name not in delta],
        "column_encoding": dict.fromkeys(delta, "DELTA_BINARY_PACKED"),
        "write_page_checksum": True,
    }


def describe(path: Path) -> dict[str, Any]:
    """What is recorded of a file of a solution: its name, rows, bytes, SHA-256, that of its footer, and the CRC-32 of
    each column of each row group, in eight hexadecimal digits. Raises `OSError` and what pyarrow raises.
    """
    with path.open("rb") as file:
        return record_of(file, path.name, hashlib.file_digest(file, "sha256").hexdigest())


def record_of(file: Any, name: str, digest: str) -> dict[str, Any]:
    """The same of an open file whose SHA-256 is known."""
    size, metadata = file.seek(0, io.SEEK_END), pq.read_metadata(file)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return {
        "file": name,
        "rows": metadata.num_rows,
        "bytes": size,
        "sha256": digest,
        "footer_sha256": _digest(_footer(file)),
        "column_crc32": ["".join(_crc(file, group.column(i)) for i in range(group.num_columns)) for group in groups],
    }


class PartFile:
    """A file of a solution of which a ``part`` is recorded. Only its footer is read to open it. Raises `StoreError`
    where it is missing or another, and so does reading what is damaged.
    """

    def __init__(self, path: Path, part: dict[str, Any]) -> None:
        self._path, self._sums = path, part["column_crc32"]
        with as_store_error(path), open_regular(path) as file:
            if file.seek(0, io.SEEK_END) != part["bytes"] or _digest(_footer(file)) != part["footer_sha256"]:
                self._refuse()
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
        if len(self._sums) != self._file.metadata.num_row_groups:
            self._refuse()
        self.metadata = self._file.metadata
        """As pyarrow has it."""
        self.names: list[str] = self._file.schema_arrow.names
        """The columns."""

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Some columns, or all."""
        return self._read(range(self.metadata.num_row_groups), columns)

    def read_group(self, group: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Some columns, or all, of one row group."""
        return self._read([group], columns)

    def batches(self, rows: int) -> Iterator[pa.Table]:
        """All columns, at most so many rows at a time."""
        for group in range(self.metadata.num_row_groups):
            self._check(group, None)
            with as_store_error(self._path):
                for batch in self._file.iter_batches(rows, row_groups=[group]):
                    yield pa.Table.from_batches([batch])

    def _read(self, groups: Sequence[int], columns: Sequence[str] | None) -> pa.Table:
        for group in groups:
            self._check(group, columns)
        with as_store_error(self._path):
            return self._file.read_row_groups(list(groups), None if columns is None else list(columns))

    def _check(self, group: int, columns: Sequence[str] | None) -> None:
        """Refuse columns of a row group that are not what was written."""
        sums, described = self._sums[group], self.metadata.row_group(group)
        with as_store_error(self._path), open_regular(self._path) as file:
            for place in range(described.num_columns):
                column = described.column(place)
                name = column.path_in_schema.partition(".")[0]
                if (columns is None or name in columns) and sums[8 * place : 8 * place + 8] != _crc(file, column):
                    self._refuse()

    def _refuse(self) -> None:
        raise StoreError(
            f"{self._path} is damaged, or of another solution: its checksum is not the recorded one; {AGAIN}"
        )


@contextlib.contextmanager
def parquet_writer(file: IO[bytes], schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """What writes tables with these columns to a file that stands alone, and seals its footer in the end."""
    sink = _Sink(file)
    with pq.ParquetWriter(sink, schema, compression="zstd", write_page_checksum=True) as writer:
        yield writer
        sink.held = bytearray()
    held = bytes(sink.held or b"")
    footer = _footer(io.BytesIO(held))
    file.write(held.removesuffix(footer) + SEAL_MARK + hashlib.sha256(footer).digest() + footer)


def open_parquet(file: IO[bytes]) -> pq.ParquetFile:
    """A Parquet file from anywhere. Raises what pyarrow raises, and `OSError` where it is one that we sealed and is no
    longer what it was; damaged pages are found when they are read.
    """
    footer = _footer(file)
    file.seek(-min(file.tell(), len(footer) + SEAL_BYTES), io.SEEK_END)
    seal = file.read(SEAL_BYTES)
    if seal.startswith(SEAL_MARK) and seal.removeprefix(SEAL_MARK) != hashlib.sha256(footer).digest():
        raise OSError("its checksum is not that of what was written")
    file.seek(0)
    return pq.ParquetFile(file, page_checksum_verification=True)


class _Sink:
    """A file that is written to, from some time on into memory first."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._written = file, 0
        self.held: bytearray | None = None

    def write(self, data: Any) -> int:
        size = len(memoryview(data).cast("B"))
        self._written += size
        if self.held is None:
            self._file.write(data)
        else:
            self.held += data
        return size

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        self._file.flush()


def _crc(file: Any, column: pq.ColumnChunkMetaData) -> str:
    """The checksum of a column of a row group, with the heads of its pages."""
    begin = column.data_page_offset
    if column.has_dictionary_page:
        begin = min(begin, column.dictionary_page_offset)
    file.seek(begin)
    return f"{zlib.crc32(file.read(column.total_compressed_size)):08x}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _footer(file: Any) -> bytes:
    """The footer of an open file, with its length and what ends the file; what there is where it has none."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - TRAILER))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - TRAILER - length))
    found: bytes = file.read()
    return found
