"""The columns of the tables, their types, and the way from arrays to columns and back.

Counts are exact: one or two 64-bit limbs each, the low limb first, so up to 38 digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from analysis.engine import kernels

PART = 1 << 19
"""Rows of one file: enough to compress well, few enough that several threads write a large tier."""

NEVER = int(kernels.NEVER)
"""Remoteness of a position from which play never ends (null in the tables); no other position is that remote."""

ONE_LIMB = 1 << 64
"""Counts below this fit one limb."""
TWO_LIMBS = 1 << 128
"""Counts below this fit two."""
GREATEST = 10**38 - 1
"""The greatest count that the tables hold: a decimal128(38, 0)."""

DECIMAL = pa.decimal128(38, 0)

TALLIES = ("games_x", "games_o", "games_tie", "optimal_paths", "shortest_paths", "quotient_paths")
"""What a state's tally counts, in the order of `kernels.counting`; all but the last are columns of the tables."""

COUNT_COLUMNS = ("histories", *TALLIES[:5])


def position_schema(counts: pa.DataType | None, *, by_ply: bool, nimbers: bool, text: bool) -> pa.Schema:
    """The columns of ``positions/``, with counts of this type or none."""
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
    return pa.schema(list(columns.items()))


MOVE_SCHEMA = pa.schema([("state", pa.int64()), ("move", pa.uint8()), ("child", pa.int64()), ("optimal", pa.bool_())])
"""The rows of ``moves/``: one per legal move of a canonical state, with the canonical state after it."""


def column(array: np.ndarray, valid: np.ndarray | None = None) -> pa.Array:
    """An array as a column that shares its memory, null where not ``valid``. (``pa.array`` would load pandas to see
    whether it was given a series: 0.15 s of a start of one second.)
    """
    nulls = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    if array.dtype == bool:
        return pa.Array.from_buffers(
            pa.bool_(), len(array), [nulls, pa.py_buffer(np.packbits(array, bitorder="little"))]
        )
    data = pa.py_buffer(np.ascontiguousarray(array))
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [nulls, data])


def count_column(numbers: np.ndarray) -> pa.Array:
    """uint64[n, limbs] as a column: uint64, or decimal128(38, 0) where there are two limbs."""
    if numbers.shape[1] == 1:
        return column(numbers[:, 0])
    little_endian = np.ascontiguousarray(numbers, dtype="<u8")  # a decimal is a 128-bit two's complement
    return pa.Array.from_buffers(DECIMAL, len(numbers), [None, pa.py_buffer(little_endian)])


def array(numbers: pa.ChunkedArray) -> np.ndarray:
    """The inverse of `column` for numbers without nulls; it shares the memory of a column in one piece. (Nor does this
    load pandas, as ``to_numpy`` would.)
    """
    return _pieces(numbers, numbers.type.to_pandas_dtype(), ())


def count_numbers(numbers: pa.ChunkedArray) -> np.ndarray:
    """The inverse of `count_column`, uint64[n, limbs]."""
    return _pieces(numbers, "<u8", (2,)) if numbers.type == DECIMAL else array(numbers)[:, None]


def remoteness_numbers(remoteness: pa.ChunkedArray) -> np.ndarray:
    """Remoteness as uint16[n], `NEVER` for null. (Without pyarrow's functions, which take 30 ms to load.)"""
    found = array(remoteness)
    return np.where(_bits(remoteness, 0), found, found.dtype.type(NEVER)) if remoteness.null_count else found


def plain(numbers: pa.ChunkedArray) -> np.ndarray:
    """A column of the tables of positions as an array of which a single number is soon taken: uint64[n, 2] where it is
    of decimals, `NEVER` where there is no remoteness.
    """
    if numbers.type == DECIMAL:
        return count_numbers(numbers)
    if numbers.type == pa.bool_():
        return _bits(numbers, 1)
    return remoteness_numbers(numbers)


def _bits(numbers: pa.ChunkedArray, place: int) -> np.ndarray:
    """bool[n]: the bits of a buffer of a column, which is the one of its nulls (0) or, of a column of bits, of these
    (1); all set where there is none.
    """
    pieces = []
    for chunk in numbers.chunks:
        held, end = chunk.buffers()[place], chunk.offset + len(chunk)
        bits = (
            np.ones(end, np.uint8) if held is None else np.unpackbits(np.frombuffer(held, np.uint8), bitorder="little")
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
    """The sum of uint64[n, limbs] as a Python integer.

    >>> exact_sum(np.full((3, 1), 2**64 - 1, dtype=np.uint64)) == 3 * (2**64 - 1)
    True
    """
    total = 0
    for limb in range(numbers.shape[1]):
        halves = (numbers[:, limb] & np.uint64(0xFFFFFFFF), numbers[:, limb] >> np.uint64(32))
        total += (int(halves[0].sum()) + (int(halves[1].sum()) << 32)) << (64 * limb)
    return total


def to_int(limbs: np.ndarray) -> int:
    """One number uint64[limbs] as a Python integer."""
    return sum(int(limb) << (64 * i) for i, limb in enumerate(limbs))


def widen(numbers: np.ndarray, limbs: int) -> np.ndarray:
    """The numbers uint64[..., limbs] with this many limbs; the ones cut off must be zero."""
    *shape, own = numbers.shape
    if own >= limbs:
        return np.ascontiguousarray(numbers[..., :limbs])
    return np.concatenate([numbers, np.zeros((*shape, limbs - own), dtype=np.uint64)], axis=-1)
