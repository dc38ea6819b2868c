"""Columns of few different things, packed: equal ones are kept once, whatever the things in them are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

PAD = 0x110000
"""After the end of a text in `letters`: no character has this number."""

Column = list[Any]
"""``[thing]`` where all rows are the same, else the number of a plane and then the things that its codes stand for."""


class Planes:
    """The codes 0, 1, 2 ... of columns in which things are numbered as they first come: columns that tell the same rows
    apart are the same plane.

    >>> planes = Planes()
    >>> planes.add(np.array([7, 7, 9]), str), planes.add(np.array([4, 4, 1]), str), planes.add(np.array([5, 5, 5]), str)
    ([0, '7', '9'], [0, '4', '1'], ['5'])
    >>> [plane.tolist() for plane in planes.codes]
    [[0, 0, 1]]
    """

    def __init__(self) -> None:
        self.codes: list[np.ndarray] = []
        """Unsigned integers of the least size that will do."""
        self._numbers: dict[bytes, int] = {}

    def add(self, column: np.ndarray, name: Callable[[int], Any]) -> Column:
        """Keep a column of whole numbers, each of which stands for what ``name`` says."""
        found, first, places = np.unique(column, return_index=True, return_inverse=True)
        order = np.argsort(first)
        things = [name(int(number)) for number in found[order]]
        if len(things) == 1:
            return things
        rank = np.empty(len(order), np.min_scalar_type(len(order) - 1))
        rank[order] = np.arange(len(order))
        codes = rank[places]
        number = self._numbers.setdefault(codes.tobytes(), len(self.codes))
        if number == len(self.codes):
            self.codes.append(codes)
        return [number, *things]


def letters(texts: Sequence[str | None]) -> np.ndarray:
    """The characters of texts, one text a row, uint32[n, longest + 1]: first whether there is one, 1 or 0, then its
    characters and `PAD` after the last.

    >>> letters(["ab", None, "c"]).tolist() == [[1, 97, 98], [0, PAD, PAD], [1, 99, PAD]]
    True
    """
    given = [text or "" for text in texts]
    lengths = np.array([len(text) for text in given])
    found = np.full((len(given), int(lengths.max(initial=0)) + 1), PAD, np.uint32)
    flat = np.frombuffer("".join(given).encode("utf-32-le", "surrogatepass"), np.uint32)
    found[:, 1:][np.arange(found.shape[1] - 1) < lengths[:, None]] = flat
    found[:, 0] = [text is not None for text in texts]
    return found


def text_columns(planes: Planes, texts: Sequence[str | None]) -> list[Column]:
    """Texts as columns: their things, put together, are the text; None among them means that there is none."""
    found = letters(texts)
    there = planes.add(found[:, 0], lambda given: "" if given else None)
    return [there, *(planes.add(column, lambda point: "" if point == PAD else chr(point)) for column in found.T[1:])]
