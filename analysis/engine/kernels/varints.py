"""Write numbers in as many bytes as they need, seven bits each, the lowest first; all but the last have the top bit."""

from __future__ import annotations

import numpy as np

from . import types as t
from .types import helper, inlined, kernel

MOST_BYTES = 9
"""The bytes of the greatest int64."""


@helper
def bytes_of(number):
    """Return how many bytes a number takes."""
    n = 1
    while number > 127:
        number >>= 7
        n += 1
    return n


@inlined
def put(number, out, at):
    """Write a number; return where the next goes."""
    while number > 127:
        out[at] = number & 127 | 128
        number >>= 7
        at += 1
    out[at] = number
    return at + 1


@inlined
def get(data, at):
    """Return the number that begins at a place, and where the next begins."""
    number = np.int64(data[at] & 127)
    shift = 7
    while data[at] > 127:
        at += 1
        number |= np.int64(data[at] & 127) << shift
        shift += 7
    return number, at + 1


@kernel(t.int64(t.int64s, t.uint8s))
def write_rises(ascending, out):
    """Write the differences of ascending numbers; return how many bytes."""
    at = 0
    for i in range(1, len(ascending)):
        at = put(ascending[i] - ascending[i - 1], out, at)
    return at


@kernel(t.int64(t.uint8s, t.int64s))
def read_rises(data, ascending):
    """Invert `write_rises`, given the first number; return how many bytes are read."""
    at, last = 0, ascending[0]
    for i in range(1, len(ascending)):
        more, at = get(data, at)
        last += more
        ascending[i] = last
    return at
