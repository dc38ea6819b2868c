"""Write and read files of columns in compressed blocks, of which ranges of rows can be read.

A column ``states`` ascends within each section and is stored as differences. Every block has a checksum, and so does
the index at the end of the file; a file is complete or absent.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import pyarrow as pa

from analysis.errors import StoreError
from analysis.machine.files import as_store_error, atomic_file

BLOCK = 1 << 14
"""The most rows of a block."""
MARK = b"gtblock1"
TRAILER = 8 + 4 + len(MARK)
"""Bytes after the index: its length, its CRC-32, and the mark."""
STATES, HISTORIES = "states", "histories"
DIFFERENCES = tuple(np.dtype(kind) for kind in ("<u1", "<u2", "<u4", "<u8"))

Columns = Mapping[str, np.ndarray]


class SpoiltError(StoreError):
    """A file that is missing or damaged, and can be made again."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} is {what}; solve the game again with --force")
        self.path, self.what = path, what

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.what)


class BlockWriter:
    """Writes a file section by section; used as a context manager, it leaves a complete file or none."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, 0
        self._stack = contextlib.ExitStack()
        self._index: dict[str, Any] = {"columns": {}, "sections": [0], "rows": [0], "first": [], "blocks": []}
        self._at = 0

    def __enter__(self) -> Self:
        self._file: IO[bytes] = self._stack.enter_context(atomic_file(self.path))
        self._stack.push(self._write_index)  # within the atomic file, since the disk may be full
        return self

    def add(self, columns: Columns) -> None:
        """Write a section: columns of equal length, with the same names and types each time."""
        n = len(next(iter(columns.values())))
        known = {name: [array.dtype.str, list(array.shape[1:])] for name, array in columns.items()}
        if self._index["columns"] not in ({}, known):
            raise ValueError(f"{self.path}: a section has other columns than the one before it")
        self._index["columns"] = known
        for low in range(0, n, BLOCK):
            self._write_block({name: array[low : low + BLOCK] for name, array in columns.items()})
        self._index["sections"].append(self.rows)

    def _write_block(self, columns: Columns) -> None:
        pieces = []
        for name, array in columns.items():
            data, kind = _encoded(name, array)
            packed = pa.compress(data, codec=_codec(name), asbytes=True)
            pieces += [len(packed), zlib.crc32(packed), kind]
            self._file.write(packed)
        self.rows += len(next(iter(columns.values())))
        self._index["first"].append(int(columns[STATES][0]) if STATES in columns else 0)
        self._index["blocks"].append([self._at, *pieces])
        self._index["rows"].append(self.rows)
        self._at += sum(pieces[::3])

    def __exit__(self, *failure: Any) -> None:
        self._stack.__exit__(*failure)

    def _write_index(self, kind: type[BaseException] | None, *failure: object) -> None:
        if kind is None:
            index = json.dumps(self._index, separators=(",", ":")).encode()
            self._file.write(index + len(index).to_bytes(8, "little") + zlib.crc32(index).to_bytes(4, "little") + MARK)


def write_blocks(path: Path, columns: Columns) -> None:
    """Write a file of one section."""
    with BlockWriter(path) as file:
        file.add(columns)


class BlockFile:
    """A file written by `BlockWriter`, open inside ``with``. Raises `SpoiltError` if it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with as_store_error(self.path):
            try:
                self._file = self.path.open("rb")
            except FileNotFoundError:
                raise SpoiltError(self.path, "missing") from None
        try:
            self._read_index()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        self._file.close()

    def _read_index(self) -> None:
        with as_store_error(self.path):
            size = self._file.seek(0, 2)
            self._file.seek(max(0, size - TRAILER))
            trailer = self._file.read()
            length = int.from_bytes(trailer[:8], "little")
            marked = trailer[12:] == MARK and length <= size - TRAILER
            self._file.seek(size - TRAILER - length if marked else 0)
            data = self._file.read(length) if marked else b""
        if not marked or zlib.crc32(data) != int.from_bytes(trailer[8:12], "little"):
            raise SpoiltError(self.path, "damaged")
        index = json.loads(data)
        self._columns: dict[str, Any] = index["columns"]
        self._blocks: list[list[int]] = index["blocks"]
        self.starts = np.array(index["rows"], dtype=np.int64)
        """The first row of each block, then the number of rows."""
        self.first = np.array(index["first"], dtype=np.int64)
        """The first state of each block."""
        self.sections: list[int] = index["sections"]
        """The first row of each section, then the end of the last one."""

    def __len__(self) -> int:
        return self.sections[-1]

    def section(self, number: int) -> dict[str, np.ndarray]:
        """Return one section."""
        return self.rows(self.sections[number], self.sections[number + 1])

    def rows(self, begin: int = 0, end: int | None = None) -> dict[str, np.ndarray]:
        """Return the rows from ``begin`` up to, not including, ``end``."""
        end = len(self) if end is None else end
        first, last = (int(np.searchsorted(self.starts, row, "right")) - 1 for row in (begin, max(begin, end - 1)))
        found = list(self._read(range(first, last + 1))) if end > begin else []
        skipped = int(self.starts[first])
        columns = {}
        for name, (kind, shape) in self._columns.items():
            pieces = [block[name] for block in found]
            joined = pieces[0] if len(pieces) == 1 else np.concatenate([np.empty((0, *shape), dtype=kind), *pieces])
            columns[name] = joined[begin - skipped : end - skipped]
        return columns

    def row_of(self, state: int) -> int:
        """Return the row of a state that is in a file of one section."""
        block = int(np.searchsorted(self.first, state, "right")) - 1
        begin, end = int(self.starts[block]), int(self.starts[block + 1])
        return begin + int(np.searchsorted(self.rows(begin, end)[STATES], state))

    def between(self, low: int | None, high: int | None) -> dict[str, np.ndarray]:
        """Return the rows of a file of one section with states from ``low`` up to, but not, ``high``, if given."""
        first = 0 if low is None else max(0, int(np.searchsorted(self.first, low, "right")) - 1)
        after = len(self.first) if high is None else int(np.searchsorted(self.first, high, "left"))
        found = self.rows(int(self.starts[first]), int(self.starts[max(first, after)]))
        if not found:
            return found
        begin = 0 if low is None else int(np.searchsorted(found[STATES], low))
        end = len(found[STATES]) if high is None else int(np.searchsorted(found[STATES], high))
        return {name: array[begin:end] for name, array in found.items()}

    def _read(self, blocks: range) -> Iterator[dict[str, np.ndarray]]:
        """Read consecutive blocks at once."""
        begin = self._blocks[blocks[0]][0]
        with as_store_error(self.path):
            self._file.seek(begin)
            data = memoryview(self._file.read(sum(sum(self._blocks[number][1::3]) for number in blocks)))
        at = 0
        for number in blocks:
            n, found = int(self.starts[number + 1] - self.starts[number]), {}
            pieces = iter(self._blocks[number][1:])
            for (name, (kind, shape)), size, crc, width in zip(
                self._columns.items(), pieces, pieces, pieces, strict=False
            ):
                packed, at = data[at : at + size], at + size
                if zlib.crc32(packed) != crc:
                    raise SpoiltError(self.path, "damaged")
                found[name] = _decoded(name, packed, n, np.dtype(kind), shape, width, int(self.first[number]))
            yield found


def _codec(name: str) -> str:
    """Choose compression: strong for what is kept for long, quick for what is read once."""
    return "zstd" if name in (STATES, HISTORIES) else "lz4"


def _encoded(name: str, array: np.ndarray) -> tuple[bytes, int]:
    """Return the bytes to compress, and the width of differences (0 for other columns)."""
    if name != STATES:
        fields_first = array if array.ndim < 3 else np.moveaxis(array, 0, -1)  # numbers of one kind side by side
        return np.ascontiguousarray(fields_first).tobytes(), 0
    steps = np.diff(array)
    greatest = int(steps.max()) if len(steps) else 0
    kind = next(kind for kind in DIFFERENCES if greatest < 1 << (8 * kind.itemsize))
    return steps.astype(kind).tobytes(), kind.itemsize


def _decoded(
    name: str, packed: Any, n: int, kind: np.dtype[Any], shape: list[int], width: int, first: int
) -> np.ndarray:
    """Invert `_encoded`, after decompressing."""
    size = (n - 1) * width if name == STATES else n * int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    data = pa.decompress(packed, decompressed_size=size, codec=_codec(name))
    if name != STATES:
        if len(shape) < 2:
            return np.frombuffer(data, kind).reshape(n, *shape)
        return np.ascontiguousarray(np.moveaxis(np.frombuffer(data, kind).reshape(*shape, n), -1, 0))
    states = np.empty(n, dtype=kind)
    states[0] = first
    np.cumsum(np.frombuffer(data, DIFFERENCES[width.bit_length() - 1]), dtype=kind, out=states[1:])
    states[1:] += first
    return states
