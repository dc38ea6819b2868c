"""What residual states of several families have in common: their bits, images of cells, and equal moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.errors import SymmetryError
from analysis.rules.automorphisms import Permutation

MOST_BITS = 63


def check_bits(name: str, cells: int, planes: int) -> None:
    """Raise `SymmetryError` where the residual states of a board do not fit."""
    needed = planes * cells + cells.bit_length()
    if needed > MOST_BITS:
        raise SymmetryError(
            f"what is left to play in {name} takes {needed} bits, {planes} for each of {cells} cells and "
            f"{cells.bit_length()} for the ply; at most {MOST_BITS} fit a state"
        )


def image_of(cells: int, symmetries: tuple[Permutation, ...]) -> Callable[[int, int], int]:
    """``image(marks, number)``: some cells through the symmetry of this number, eight at a time."""
    chunks = -(-cells // 8)
    tables = np.zeros((len(symmetries), chunks, 256), np.int64)
    for table, permutation in zip(tables, symmetries, strict=True):
        for cell, target in enumerate(permutation):
            table[cell // 8] |= (np.arange(256) >> cell % 8 & 1) << target

    def image(marks: int, number: int) -> int:
        found = 0
        for chunk in range(chunks):
            found |= int(tables[number, chunk, marks >> 8 * chunk & 255])
        return found

    return image


def first_of(cells: int, number: int) -> int:
    """The first so many of some cells.

    >>> bin(first_of(0b11010, 2))
    '0b1010'
    """
    rest = cells
    for _ in range(number):
        rest &= rest - 1
    return cells ^ rest


def repeated(code: int, times: int, kinds: int, out: Any, found: int) -> int:
    """Write this code, and those after it for other ``kinds`` of a move, each so many times; how many there are."""
    for kind in range(kinds):
        for _ in range(times):
            out[found] = code + kind
            found += 1
    return found
