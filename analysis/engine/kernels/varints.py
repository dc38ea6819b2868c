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


@kernel(t.int64(t.uint8s, t.uint32s, t.uint8s))
def write_rows(branching, rows, out):
    """Write the rows of the children of some states, each as its difference from that of the same child, by number, of
    the last state that has one; return how many bytes. States ascend, so their children mostly follow each other.
    """
    last = np.zeros(256, np.int64)
    at = k = 0
    for i in range(len(branching)):
        for j in range(np.int64(branching[i])):
            more = np.int64(rows[k]) - last[j]
            at = put(more << 1 ^ more >> 63, out, at)
            last[j] += more
            k += 1
    return at


@kernel(t.int64(t.uint8s, t.uint8s, t.uint32s))
def read_rows(branching, data, rows):
    """Invert `write_rows`; return how many bytes are read."""
    last = np.zeros(256, np.int64)
    at = k = 0
    for i in range(len(branching)):
        for j in range(np.int64(branching[i])):
            more, at = get(data, at)
            last[j] += more >> 1 ^ -(more & 1)
            rows[k] = last[j]
            k += 1
    return at


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
