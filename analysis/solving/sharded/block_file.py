"""Write and read files of columns in compressed blocks, of which ranges of rows can be read.

A column ``states`` ascends within each section and is stored as differences, each in as few bytes as it needs; of other
columns, each field is stored by itself, its numbers in as few bytes as the greatest in the block. Every block has a
checksum, and so does the index at the end of the file; a file is complete or absent.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import pyarrow as pa

from ...common.files import as_store_error, atomic_file
from ...errors import StoreError

BLOCK = 1 << 15
"""The most rows of a block."""
MARK = b"gtblock3"
TRAILER = 8 + 4 + len(MARK)
"""Bytes after the index: its length, its CRC-32, and the mark."""
STATES, HISTORIES = "states", "histories"
CONSTANT = 0
"""The width of numbers that are all the same, of which one is stored."""

CODECS = {STATES: "lz4_raw", HISTORIES: "zstd"}
"""How columns are compressed as well that are kept for long, while others are read once."""

Columns = Mapping[str, np.ndarray]


def spoilt(path: Path, what: str) -> StoreError:
    """Return the error for a file that is missing or damaged."""
    return StoreError(f"{path} is {what}; solve the game again with --force")


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
        types = {name: [array.dtype.str, list(array.shape[1:])] for name, array in columns.items()}
        if self._index["columns"] not in ({}, types):
            raise ValueError(f"{self.path}: a section has other columns than the one before it")
        self._index["columns"] = types
        for low in range(0, n, BLOCK):
            self._write_block({name: array[low : low + BLOCK] for name, array in columns.items()})
        self._index["sections"].append(self.rows)

    def _write_block(self, columns: Columns) -> None:
        pieces = []
        for name, array in columns.items():
            fields = [array] if name == STATES else np.ascontiguousarray(array.reshape(len(array), -1).T)
            for numbers in fields:
                packed, width = _rises(numbers) if name == STATES else _narrowed(numbers)
                if name in CODECS:
                    packed = pa.compress(packed, codec=CODECS[name], asbytes=True)
                pieces += [len(packed), zlib.crc32(packed), width]
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
    """A file written by `BlockWriter`, open inside ``with``. Raises `StoreError` if it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with as_store_error(self.path):
            try:
                self._file = self.path.open("rb")
            except FileNotFoundError:
                raise spoilt(self.path, "missing") from None
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
            raise spoilt(self.path, "damaged")
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
        blocks = range(first, last + 1 if end > begin else first)
        rows = self.starts[blocks.start], self.starts[blocks.stop]
        columns = {name: np.empty((rows[1] - rows[0], *shape), kind) for name, (kind, shape) in self._columns.items()}
        if blocks:
            self._read(blocks, columns)
        return {name: column[begin - rows[0] : end - rows[0]] for name, column in columns.items()}

    def row_of(self, state: int) -> int:
        """Return the row of a state that is in a file of one section."""
        block = int(np.searchsorted(self.first, state, "right")) - 1
        begin, end = int(self.starts[block]), int(self.starts[block + 1])
        return begin + int(np.searchsorted(self.rows(begin, end)[STATES], state))

    def among(self, states: np.ndarray) -> np.ndarray:
        """Return those of some states that are in a file of one section; none precedes its first."""
        blocks = np.unique(np.searchsorted(self.first, states, "right") - 1).tolist()
        rows = (self.rows(int(self.starts[block]), int(self.starts[block + 1]))[STATES] for block in blocks)
        stored = np.concatenate([*rows])
        return states[stored[np.minimum(np.searchsorted(stored, states), len(stored) - 1)] == states]

    def between(self, low: int | None, high: int | None, section: int = 0) -> dict[str, np.ndarray]:
        """Return the rows of a section with states from ``low`` up to, but not, ``high``, if given."""
        high = None if high is None or high >= 1 << 63 else high  # which NumPy would compare as a float
        begin, end = (int(np.searchsorted(self.starts, self.sections[place])) for place in (section, section + 1))
        firsts = self.first[begin:end]
        first = begin if low is None else begin + max(0, int(np.searchsorted(firsts, low, "right")) - 1)
        after = end if high is None else begin + int(np.searchsorted(firsts, high, "left"))
        found = self.rows(int(self.starts[first]), int(self.starts[max(first, after)]))
        if not found:
            return found
        begin = 0 if low is None else int(np.searchsorted(found[STATES], low))
        end = len(found[STATES]) if high is None else int(np.searchsorted(found[STATES], high))
        return {name: array[begin:end] for name, array in found.items()}

    def _read(self, blocks: range, columns: Columns) -> None:
        """Read consecutive blocks at once into columns that they fill."""
        from ...engine.kernels import varints  # not where a solution is only looked for

        begin = self._blocks[blocks[0]][0]
        with as_store_error(self.path):
            self._file.seek(begin)
            data = memoryview(self._file.read(sum(sum(self._blocks[number][1::3]) for number in blocks)))
        at, low = 0, 0
        for number in blocks:
            n, pieces = int(self.starts[number + 1] - self.starts[number]), iter(self._blocks[number][1:])
            for name, column in columns.items():
                block = column[low : low + n]
                for out in (block,) if name == STATES else block.reshape(n, -1).T:
                    size, crc, width = next(pieces), next(pieces), next(pieces)
                    packed, at = data[at : at + size], at + size
                    if zlib.crc32(packed) != crc:
                        raise spoilt(self.path, "damaged")
                    size = width if name == STATES else (width or out.itemsize) * (1 if width == CONSTANT else n)
                    if name in CODECS:
                        packed = pa.decompress(packed, decompressed_size=size, codec=CODECS[name])
                    if name == STATES:
                        out[0] = self.first[number]
                        varints.read_rises(np.frombuffer(packed, np.uint8), out)
                    else:
                        out[:] = np.frombuffer(packed, f"<{out.dtype.kind}{width or out.itemsize}")
            low += n


def _rises(states: np.ndarray) -> tuple[memoryview, int]:
    """Return the differences of ascending states as bytes, and how many these are."""
    from ...engine.kernels import varints  # not where a solution is only looked for

    out = np.empty(varints.MOST_BYTES * len(states), np.uint8)
    size = varints.write_rises(states, out)
    return out[:size].data, size


def _narrowed(numbers: np.ndarray) -> tuple[bytes, int]:
    """Return numbers in as few bytes as the greatest of them needs, and how many these are; or one if all are the
    same.
    """
    if not len(numbers):
        return b"", numbers.itemsize
    least, greatest = numbers.min(), numbers.max()
    if least == greatest:
        return numbers[:1].tobytes(), CONSTANT
    kinds = (np.dtype(f"<{numbers.dtype.kind}{width}") for width in (1, 2, 4, 8))
    kind = next(kind for kind in kinds if np.iinfo(kind).min <= least and greatest <= np.iinfo(kind).max)
    return numbers.astype(kind).tobytes(), kind.itemsize
