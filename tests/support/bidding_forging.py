"""Bidding solutions to be damaged, and that `verify_bidding` refuses them with one line."""

import pyarrow.parquet as pq
import pytest

from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.errors import StoreError, VerificationError

PURE = "bidding:game=mnk:rows=1,cols=3,k=3,chips=2"
MIXED = "bidding:game=notakto:rows=2,cols=3,k=2,chips=3"
LARGER = "bidding:game=mnk:rows=2,cols=3,k=3,chips=2"
EITHER = (VerificationError, StoreError)


def refused(directory, match=None, kinds=VerificationError):
    with pytest.raises(kinds, match=match) as error:
        verify_bidding(directory)
    assert "\n" not in str(error.value)
    return str(error.value)


def rows_of(directory, tier):
    return pq.read_table(directory / "positions" / f"tier-{tier:04d}-part-0000.parquet").to_pylist()


def other(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value[:-1] + ("X" if value[-1] != "X" else "O")
    if isinstance(value, list):
        return [*value[:-1], {**value[-1], "bid": value[-1]["bid"] + 1}]
    if value is None:
        return 1
    return value + (0.5 if isinstance(value, float) else 1)
