"""Check the symmetries that a program gives, permutations of the cells of its board, on every position."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from ...errors import RulesError
from ...rules.game import Permutation
from ..graphs.boards import cells_of
from ..graphs.graph import Graph

FORM = (
    "symmetries are permutations of the cells of a board, such as ((2, 1, 0, 5, 4, 3, 8, 7, 6),): cell i goes to i-th"
)


def classes_of(graph: Graph, given: Any) -> np.ndarray:
    """Return for each position the least rank among its images under the symmetries, int64[n]. Raises `RulesError` if
    they are not permutations of a board's cells, or if some image is not a position or is played in another way.
    """
    try:
        permutations = [tuple(int(cell) for cell in permutation) for permutation in given]
    except (TypeError, ValueError):
        raise RulesError(f"{FORM}; this is {given!r}"[:300]) from None
    images = [image_of(graph, permutation) for permutation in permutations]
    for permutation, image in zip(permutations, images, strict=True):
        if fault := difference(graph, image):
            raise RulesError(f"the symmetry {permutation} does not hold: {fault}")
    classes = np.arange(len(graph.movers))
    while True:  # the least rank travels along each cycle of images
        least = functools.reduce(np.minimum, [classes[image] for image in images], classes)
        if np.array_equal(least, classes):
            return classes
        classes = least


def image_of(graph: Graph, permutation: Permutation) -> np.ndarray:
    """Return the rank of the image of each position, -1 if it is not a position, int64[n]. Raises `RulesError`."""
    cells = len(permutation)
    if sorted(permutation) != list(range(cells)):
        raise RulesError(f"{FORM}; {permutation} is not a permutation")
    split = [key.split("; ") for key in graph.keys]
    columns = list(zip(*split, strict=True)) if len({*map(len, split)}) == 1 else []
    boards = [cells_of(column) if len({*column}) > 1 else None for column in columns]
    counts = sorted({len(board[0][0]) for board in boards if board})
    if cells not in counts:
        numbers = " and ".join(map(str, counts)) or "no"
        raise RulesError(f"{FORM}; {permutation} has {cells} cells, and positions have {numbers}")
    source = np.argsort(permutation).tolist()
    before, after = list[Any](), list[Any]()
    for column, board in zip(columns, boards, strict=True):
        permuted = board is not None and len(board[0][0]) == cells
        contents = [tuple(map(sys.intern, cell_texts)) for cell_texts in board[0]] if board and permuted else column
        before.append(contents)
        after.append([tuple(row[cell] for cell in source) for row in contents] if permuted else contents)
    ranks = {position: rank for rank, position in enumerate(zip(*before, strict=True))}
    return np.array([ranks.get(position, -1) for position in zip(*after, strict=True)], np.int64)


def difference(graph: Graph, image: np.ndarray) -> str:
    """Return how some position differs from its image; the empty text if play is the same everywhere."""
    n = len(image)
    sources = np.repeat(np.arange(n), np.diff(graph.first))
    moves, image_moves = sources * n + graph.children, image[sources] * n + image[graph.children]
    moved = np.isin(np.arange(n), sources[np.isin(image_moves, moves, invert=True)])
    faults = (
        ("has an image that play does not reach", image < 0),
        ("differ, and symmetries leave the start as it is", (np.arange(n) == 0) & (image != 0)),
        ("differ in who moves", graph.movers != graph.movers[image]),
        ("end with other payoffs", graph.payoffs != graph.payoffs[image]),
        ("have moves to other positions", moved),
    )
    for what, differs in faults:
        if np.any(differs):
            rank = int(np.argmax(differs))
            image_text = f" and its image {graph.keys[image[rank]][:120]}" if image[rank] >= 0 else ""
            return f"{graph.keys[rank][:120]}{image_text} {what}"
    return ""
