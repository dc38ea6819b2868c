"""Parquet files: how they are encoded, written, and read so that damage is found and never believed.

Sorted states and exact counts are delta encoded, which pandas, Polars and DuckDB read: it was both the smallest and
nearly the fastest to write (1.4 bytes a state on 4x4 k=4, against 3.2 for plain zstd, which took six times as long).

Every page carries a checksum, which is checked when the page is read. The footer, which tells where pages and columns
are, has none in the format. Of the files of a solution the tier's JSON holds it; a file that stands alone has it in
`SEAL_BYTES` bytes just before the footer, where no reader looks.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.errors import StoreError
from analysis.machine.files import AGAIN, as_store_error, write_bytes

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
    footer = _footer(pa.BufferReader(data))
    return _record(path, len(table), data.size, write_bytes(path, data), footer)


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


def describe(path: Path, rows: int) -> dict[str, Any]:
    """What is recorded of a file of a solution: its name, rows, bytes, SHA-256, and that of its footer."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return _record(path, rows, file.tell(), digest, _footer(file))


def open_part(path: Path, part: dict[str, Any]) -> pq.ParquetFile:
    """A file of a solution of which this ``part`` is recorded; nothing but its footer is read. Raises `StoreError`
    where it is missing or another, and so does reading a damaged page of it, within `as_store_error`.
    """
    with as_store_error(path), path.open("rb") as file:
        if file.seek(0, io.SEEK_END) != part["bytes"] or _digest(_footer(file)) != part["footer_sha256"]:
            raise StoreError(f"{path} is damaged, or of another solution, by its checksum; {AGAIN}")
        return pq.ParquetFile(path, page_checksum_verification=True)


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


def _record(path: Path, rows: int, size: int, digest: str, footer: bytes) -> dict[str, Any]:
    return {"file": path.name, "rows": rows, "bytes": size, "sha256": digest, "footer_sha256": _digest(footer)}


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
