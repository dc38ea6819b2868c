"""Define the columns of the tables and their types, and convert between arrays and columns.

Counts are exact: one or two 64-bit limbs each, the low limb first, so up to 38 digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..common.wording import whole
from . import kernels

PART = 1 << 19
"""Rows of one file: enough to compress well, and few enough that several threads can write a large tier."""

NEVER = int(kernels.NEVER)
"""The remoteness of a position from which play never ends (null in the tables); no other position has it."""

ONE_LIMB = 1 << 64
"""Counts below this fit one limb."""
GREATEST = 10**38 - 1
"""The greatest count that the tables hold: a decimal128(38, 0)."""

DECIMAL = pa.decimal128(38, 0)

TALLIES = ("games_x", "games_o", "games_tie", "optimal_paths", "shortest_paths", "quotient_paths")
"""The counts in a state's tally, in the order of `kernels.counting`; all but the last are columns of the tables."""

BLOCK = 1 << 16
"""Numbers that are summed at once: five times as fast as a whole tier, for whose halves memory must be allocated."""

COUNT_COLUMNS = ("histories", *TALLIES[:5])


def schema_of(columns: Mapping[str, pa.DataType], *nullable: str) -> pa.Schema:
    """Return columns of these types, of which only those named can be null: nulls cost 4 ns a number even if there are
    none.
    """
    return pa.schema([pa.field(name, kind, nullable=name in nullable) for name, kind in columns.items()])


def position_schema(
    counts: pa.DataType | None, *, by_ply: bool, sized: bool, nimbers: bool, text: bool = False
) -> pa.Schema:
    """Return the columns of ``positions/``, with counts of this type or none; orbit sizes are null unless ``sized``."""
    columns = {
        "state": pa.int64(),
        **({"ply": pa.int16()} if by_ply else {"tier": pa.int32()}),
        "to_move": pa.int8(),
        "value": pa.int16(),
        "remoteness_plies": pa.uint16(),
        "terminal": pa.bool_(),
        "orbit_size": pa.uint16(),
        **({"nimber": pa.uint8()} if nimbers else {}),
        **(dict.fromkeys(COUNT_COLUMNS, counts) if counts is not None else {}),
        **({"position": pa.string()} if text else {}),
    }
    draws = () if by_ply else ("remoteness_plies",)
    return schema_of(columns, *draws, *(() if sized else ("orbit_size",)))


def move_schema(kind: type) -> pa.Schema:
    """Return the columns of ``moves/``, with codes of this kind: a row for each legal move of a canonical state, with
    the canonical state after it.
    """
    move = pa.from_numpy_dtype(kind)
    return schema_of({"state": pa.int64(), "move": move, "child": pa.int64(), "optimal": pa.bool_()})


def column(array: np.ndarray, valid: np.ndarray | None = None) -> pa.Array:
    """Return an array as a column that shares its memory, null where not ``valid``. (``pa.array`` would load pandas to
    check for a series, which takes 0.15 s of a start of one second.)
    """
    nulls = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    if array.dtype == bool:
        return pa.Array.from_buffers(
            pa.bool_(), len(array), [nulls, pa.py_buffer(np.packbits(array, bitorder="little"))]
        )
    data = pa.py_buffer(np.ascontiguousarray(array))
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [nulls, data])


def count_column(numbers: np.ndarray) -> pa.Array:
    """Return uint64[n, limbs] as a column: uint64, or decimal128(38, 0) for two limbs."""
    if numbers.shape[1] == 1:
        return column(numbers[:, 0])
    little_endian = np.ascontiguousarray(numbers, dtype="<u8")  # a decimal is a 128-bit two's complement
    return pa.Array.from_buffers(DECIMAL, len(numbers), [None, pa.py_buffer(little_endian)])


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """Convert texts to a column; half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return pa.array(texts, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([text and whole(text) for text in texts], type=pa.string())


def array(numbers: pa.ChunkedArray) -> np.ndarray:
    """Invert `column` for numbers without nulls, sharing the memory of a column in one piece. (This does not load
    pandas either, as ``to_numpy`` would.)
    """
    return _pieces(numbers, numbers.type.to_pandas_dtype(), ())


def count_numbers(numbers: pa.ChunkedArray) -> np.ndarray:
    """Invert `count_column`; the result is uint64[n, limbs]."""
    return _pieces(numbers, "<u8", (2,)) if numbers.type == DECIMAL else array(numbers)[:, None]


def remoteness_numbers(remoteness: pa.ChunkedArray) -> np.ndarray:
    """Return remoteness as uint16[n], `NEVER` for null. (pyarrow's functions would take 30 ms to load.)"""
    plies = array(remoteness)
    return np.where(_bits(remoteness, 0), plies, plies.dtype.type(NEVER)) if remoteness.null_count else plies


def plain(numbers: pa.ChunkedArray) -> np.ndarray:
    """Return a column of the tables of positions as an array from which single numbers are read quickly: uint64[n, 2]
    for decimals, `NEVER` if there is no remoteness.
    """
    if numbers.type == DECIMAL:
        return count_numbers(numbers)
    if numbers.type == pa.bool_():
        return _bits(numbers, 1)
    return remoteness_numbers(numbers)


def _bits(numbers: pa.ChunkedArray, place: int) -> np.ndarray:
    """Return the bits of a buffer of a column, bool[n]: buffer 0 has its nulls, buffer 1 the values of a column of
    bits; all are set if there is no such buffer.
    """
    pieces = []
    for chunk in numbers.chunks:
        data, end = chunk.buffers()[place], chunk.offset + len(chunk)
        bits = (
            np.ones(end, np.uint8) if data is None else np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
        )
        pieces.append(bits[chunk.offset : end].view(np.bool_))
    return np.concatenate([np.empty(0, np.bool_), *pieces])


def _pieces(numbers: pa.ChunkedArray, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    pieces = [
        np.frombuffer(chunk.buffers()[1], dtype=dtype).reshape(-1, *shape)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in numbers.chunks
        if len(chunk)
    ]
    return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty((0, *shape), dtype=dtype), *pieces])


def exact_sum(numbers: np.ndarray) -> int:
    """Return the sum of uint64[n, limbs] as a Python integer.

    >>> exact_sum(np.full((3, 1), 2**64 - 1, dtype=np.uint64)) == 3 * (2**64 - 1)
    True
    """
    total = 0
    for low in range(0, len(numbers), BLOCK):
        for limb in range(numbers.shape[1]):
            part = numbers[low : low + BLOCK, limb]
            if int(part.max()) < ONE_LIMB // BLOCK:
                total += int(part.sum()) << 64 * limb
                continue
            total += int((part & np.uint64(0xFFFFFFFF)).sum()) + (int((part >> np.uint64(32)).sum()) << 32) << 64 * limb
    return total


def to_int(limbs: np.ndarray) -> int:
    """Return one number, uint64[limbs], as a Python integer."""
    return sum(int(limb) << (64 * i) for i, limb in enumerate(limbs))


def widen(numbers: np.ndarray, limbs: int) -> np.ndarray:
    """Return the numbers uint64[..., limbs] with this many limbs; any cut off must be zero."""
    *shape, present = numbers.shape
    if present >= limbs:
        return np.ascontiguousarray(numbers[..., :limbs])
    return np.concatenate([numbers, np.zeros((*shape, limbs - present), dtype=np.uint64)], axis=-1)
