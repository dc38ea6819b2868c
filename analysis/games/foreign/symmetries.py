"""Symmetries of the boards of programs: permutations of their cells, proved on every position of the game."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.errors import RulesError
from analysis.games.foreign.exploring import RulesGraph
from analysis.games.foreign.freezing import MARK, NAMED
from analysis.rules.game import Permutation

FORM = (
    "symmetries are permutations of the cells of a board, such as ((2, 1, 0, 5, 4, 3, 8, 7, 6),): cell i goes to i-th"
)
ITEM = re.compile(rf"(\([^()]*\)|{MARK.pattern}): ({MARK.pattern})(?:, )?")


@dataclasses.dataclass(frozen=True)
class Boards:
    """What the cells of a board hold, in each position; other parts of positions that have as many cells, too."""

    cells: int
    rows: np.ndarray  # int64[n, boards x cells + 1], a number for each content, and in the last column one for the rest


def classes_of(graph: RulesGraph, given: Any) -> np.ndarray:
    """Return the least rank of the positions that are alike under some symmetries, for each position, int64[n]. Raises
    `RulesError` where these are no permutations of a board's cells, or with a position whose image is none of the game,
    or is played in another way.
    """
    try:
        permutations = [tuple(int(cell) for cell in each) for each in given]
    except (TypeError, ValueError):
        raise RulesError(f"{FORM}; this is {given!r}"[:300]) from None
    classes = np.arange(len(graph.movers))
    for permutation in permutations:
        if sorted(permutation) != list(range(len(permutation))):
            raise RulesError(f"{FORM}; {permutation} is not a permutation")
        boards = next((each for each in boards_of(graph) if each.cells == len(permutation)), None)
        if boards is None:
            there = " and ".join(str(each.cells) for each in boards_of(graph)) or "no"
            raise RulesError(f"{FORM}; {permutation} has {len(permutation)} cells, and positions have {there}")
        image = images(boards, permutation)
        if fault := difference(graph, image):
            raise RulesError(f"the symmetry {permutation} does not hold: {fault}")
        classes = _joined(classes, image)
    return classes


def _joined(classes: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Return the classes once each position is in that of its image."""
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    n = len(classes)
    ends = np.concatenate([classes, image]), np.tile(np.arange(n), 2)
    _, component = connected_components(coo_array((np.ones(2 * n, np.int8), ends), shape=(n, n)), directed=False)
    least = np.full(n, n)
    np.minimum.at(least, component, np.arange(n))
    return least[component]


def images(boards: Boards, permutation: Permutation) -> np.ndarray:
    """Return the rank of the image of each position, -1 where no position is it, int64[n]."""
    rows, cells = boards.rows, boards.cells
    source = np.empty(cells, np.int64)
    source[list(permutation)] = np.arange(cells)
    columns = [first + cell for first in range(0, rows.shape[1] - 1, cells) for cell in source]
    weights = np.random.default_rng(0).integers(1, 2**62, rows.shape[1], dtype=np.int64)  # products wrap around
    hashes = rows @ weights
    turned = rows[:, [*columns, rows.shape[1] - 1]]
    order = np.argsort(hashes, kind="stable")
    at = order[np.minimum(np.searchsorted(hashes[order], turned @ weights), len(order) - 1)]
    return np.where(np.all(rows[at] == turned, axis=1), at, -1)


def difference(graph: RulesGraph, image: np.ndarray) -> str:
    """Return what differs between some position and its image; nothing if they are played alike everywhere."""
    n = len(image)

    def told(wrong: np.ndarray, what: str) -> str:
        rank = int(np.flatnonzero(wrong)[0])
        there = f" and its image {graph.keys[image[rank]][:120]}" if image[rank] >= 0 else ""
        return f"{graph.keys[rank][:120]}{there} {what}"

    if np.any(image < 0):
        return told(image < 0, "has an image that play does not reach")
    if image[0]:
        return told(np.arange(n) == 0, "differ, and symmetries leave the start as it is")
    ways = (("differ in who moves", graph.movers), ("end with other payoffs", graph.payoffs))
    for what, values in ways:
        if np.any(values != values[image]):
            return told(values != values[image], what)
    sources = np.repeat(np.arange(n), np.diff(graph.first))
    mine, its = sources * n + graph.children, image[sources] * n + image[graph.children]
    lost = np.isin(its, mine, invert=True)
    return told(np.isin(np.arange(n), sources[lost]), "have moves to other positions") if np.any(lost) else ""


# Boards ---------------------------------------------------------------------------------------------------------------


def boards_of(graph: RulesGraph) -> list[Boards]:
    """Return the boards that positions have, of each number of cells."""
    columns = list(zip(*(key.split("; ") for key in graph.keys), strict=False))
    if any(key.count("; ") != len(columns) - 1 for key in graph.keys):
        return []
    read = [_cells(column) for column in columns]
    found = []
    for count in sorted({each.shape[1] for each in read if each is not None}):
        like = [each is not None and each.shape[1] == count for each in read]
        chosen = [each for each in read if each is not None and each.shape[1] == count]
        rest = [
            "; ".join(parts)
            for parts in zip(*(c for c, board in zip(columns, like, strict=True) if not board), strict=True)
        ]
        numbers = np.unique(rest, return_inverse=True)[1] if rest else np.zeros(len(graph.keys), np.int64)
        found.append(Boards(count, np.column_stack([*chosen, numbers])))
    return found


def _cells(column: Sequence[str]) -> np.ndarray | None:
    """Return the contents of cells, by numbers that are the same in all positions; None where a part of the positions
    is no board.
    """
    texts = [text.partition("=")[2] if NAMED.match(text) else text for text in column]
    if len(set(texts)) == 1:
        return None
    if texts[0][:1] == "{":
        return _dictionary(texts)
    if all(re.fullmatch(r"'[^'\\]{2,}'", text) for text in texts) and len({*map(len, texts)}) == 1:
        return _numbered([list(text[1:-1]) for text in texts])
    skeleton = MARK.sub("", texts[0])
    cells = [MARK.findall(text) for text in texts]
    if skeleton[:1] not in "[(" or len(cells[0]) < 2 or any(MARK.sub("", text) != skeleton for text in texts):
        return None
    return _numbered(cells)


def _dictionary(texts: Sequence[str]) -> np.ndarray | None:
    """Return the cells of dictionaries, in the order of their keys; a cell without an entry is empty."""
    if any(ITEM.sub("", text) != "{}" for text in texts):
        return None
    items = [dict(ITEM.findall(text)) for text in texts]
    try:
        keys = sorted({key for each in items for key in each}, key=ast.literal_eval)
    except (TypeError, ValueError, SyntaxError):
        return None
    return _numbered([[each.get(key, "") for key in keys] for each in items]) if len(keys) > 1 else None


def _numbered(cells: list[list[str]]) -> np.ndarray:
    numbers = {mark: number for number, mark in enumerate(sorted({mark for each in cells for mark in each}))}
    return np.array([[numbers[mark] for mark in each] for each in cells], np.int64)
