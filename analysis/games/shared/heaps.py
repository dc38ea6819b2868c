"""Heaps of tokens as text and as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analysis.errors import PositionError

LONGEST_HEAP = 60
"""Tokens of a heap that is drawn."""


def read_heaps(text: str, example: str) -> tuple[list[int], int]:
    """Numbers and the side to move (+1 X, -1 O) from text such as ``3-4-5 X``; spaces, ``/`` and commas will do too."""
    *numbers, mover = re.sub(r"[-/,]", " ", text).upper().split() or [""]
    wrong = next((word for word in numbers if not re.fullmatch(r"[0-9]{1,9}", word)), None)
    if wrong is not None:
        raise PositionError(f"position {text!r}: {wrong!r} is no number; write it like {example}")
    if mover not in ("X", "O"):
        raise PositionError(f"position {text!r} does not end in X or O, the side to move; write it like {example}")
    return [int(number) for number in numbers], 1 if mover == "X" else -1


def write_heaps(sizes: Iterable[int], second_moves: bool) -> str:
    """The inverse of `read_heaps`; ``0`` for no heap at all."""
    return ("-".join(map(str, sizes)) or "0") + (" O" if second_moves else " X")


def draw_heaps(sizes: Sequence[int], names: Sequence[str]) -> str:
    """Heaps as rows of tokens with their sizes; tokens that do not fit a line are left out.

    >>> print(draw_heaps([2, 70], ["a", "b"]))
    a  oo  2
    b      70
    """
    drawn = ["o" * size if size <= LONGEST_HEAP else "" for size in sizes]
    width, name_width = max(map(len, drawn)), max(map(len, names))
    rows = zip(names, drawn, sizes, strict=True)
    return "\n".join(f"{name:<{name_width}}  {tokens:<{width}}  {size}" for name, tokens, size in rows)
