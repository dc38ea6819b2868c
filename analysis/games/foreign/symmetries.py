"""Symmetries of the boards of programs: permutations of their cells, proved on every position of the game."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.errors import OptionError, RulesError
from analysis.games.foreign.exploring import NO_PAYOFF, RulesGraph
from analysis.games.foreign.freezing import MARK, NAMED
from analysis.games.foreign.game import ForeignGame
from analysis.machine.workers import tell_progress
from analysis.rules.game import Game, Permutation
from analysis.rules.symmetry import GREATEST_ORDER, automorphisms

FORM = (
    "symmetries are permutations of the cells of a board, such as ((2, 1, 0, 5, 4, 3, 8, 7, 6),): cell i goes to i-th"
)
ITEM = re.compile(rf"(\([^()]*\)|{MARK.pattern}): ({MARK.pattern})(?:, )?")
MOST_LINES, MOST_CELLS, MOST_LOOKS = 2000, 64, 10**8
"""Sets of cells, cells, and positions to look at, beyond which only the symmetries of grids are looked for."""


@dataclasses.dataclass(frozen=True)
class Boards:
    """What the cells of a board hold, in each position; other parts of positions that have as many cells, too."""

    cells: int
    shapes: frozenset[tuple[int, int]]
    """Rows and columns that the board may have."""
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
    for count in sorted({each[0].shape[1] for each in read if each}):
        like = [each is not None and each[0].shape[1] == count for each in read]
        chosen = [each for each in read if each and each[0].shape[1] == count]
        rest = [
            "; ".join(parts)
            for parts in zip(*(c for c, board in zip(columns, like, strict=True) if not board), strict=True)
        ]
        numbers = np.unique(rest, return_inverse=True)[1] if rest else np.zeros(len(graph.keys), np.int64)
        shapes = frozenset(shape for _, shapes in chosen for shape in shapes)
        found.append(Boards(count, shapes, np.column_stack([*(cells for cells, _ in chosen), numbers])))
    return found


def _cells(column: Sequence[str]) -> tuple[np.ndarray, set[tuple[int, int]]] | None:
    """Return the contents of cells, by numbers that are the same in all positions, and the shapes that the board may
    have; None where a part of the positions is no board.
    """
    texts = [text.partition("=")[2] if NAMED.match(text) else text for text in column]
    if len(set(texts)) == 1:
        return None
    if texts[0][:1] == "{":
        return _dictionary(texts)
    if all(re.fullmatch(r"'[^'\\]{2,}'", text) for text in texts) and len({*map(len, texts)}) == 1:
        return _numbered([list(text[1:-1]) for text in texts]), _shapes(len(texts[0]) - 2)
    skeleton = MARK.sub("", texts[0])
    cells = [MARK.findall(text) for text in texts]
    if skeleton[:1] not in "[(" or len(cells[0]) < 2 or any(MARK.sub("", text) != skeleton for text in texts):
        return None
    rows = re.findall(r"[\[(]([^\[\]()]*)[\])]", skeleton[1:-1])
    widths = {row.count(",") + 1 for row in rows}
    nested = len(widths) == 1 and len(rows) * min(widths) == len(cells[0])
    return _numbered(cells), {(len(rows), min(widths))} if nested else _shapes(len(cells[0]))


def _dictionary(texts: Sequence[str]) -> tuple[np.ndarray, set[tuple[int, int]]] | None:
    """Return the cells of dictionaries, in the order of their keys; a cell without an entry is empty."""
    if any(ITEM.sub("", text) != "{}" for text in texts):
        return None
    items = [dict(ITEM.findall(text)) for text in texts]
    try:
        keys = sorted({key for each in items for key in each}, key=ast.literal_eval)
        places: list[Any] = [ast.literal_eval(key) for key in keys]
    except (TypeError, ValueError, SyntaxError):
        return None
    pairs = all(isinstance(place, tuple) and len(place) == 2 for place in places)
    sides = (len({place[0] for place in places}), len({place[1] for place in places})) if pairs else (0, 0)
    shapes = {sides} if sides[0] * sides[1] == len(keys) else set() if pairs else _shapes(len(keys))
    return (_numbered([[each.get(key, "") for key in keys] for each in items]), shapes) if len(keys) > 1 else None


def _numbered(cells: list[list[str]]) -> np.ndarray:
    numbers = {mark: number for number, mark in enumerate(sorted({mark for each in cells for mark in each}))}
    return np.array([[numbers[mark] for mark in each] for each in cells], np.int64)


def _shapes(cells: int) -> set[tuple[int, int]]:
    return {(rows, cells // rows) for rows in range(1, cells + 1) if cells % rows == 0}


class FoundSymmetries(NamedTuple):
    """Symmetries that were found."""

    symmetries: tuple[Permutation, ...]
    """From which all follow."""
    order: int
    """How many there are, with the one that changes nothing."""
    cells: int
    """Of the board; 0 where none was found."""
    positions: int
    """On which they hold."""


# Looking for them -----------------------------------------------------------------------------------------------------


def find_symmetries(game: Game) -> FoundSymmetries:
    """Return symmetries of the largest board that hold in the whole game and from which all that were found follow.
    Raises `OptionError` where the game is none in plain Python.
    """
    if not isinstance(game, ForeignGame):
        raise OptionError(f"--find-symmetries is for games in plain Python; {game.spec} says itself what it has")
    graph = game.graph
    for boards in reversed(boards_of(graph)):
        known, generators = {tuple(range(boards.cells))}, list[Permutation]()
        candidates = [*_candidates(graph, boards)]
        for number, permutation in enumerate(candidates):
            tell_progress("looking for symmetries", number, len(candidates))
            if permutation not in known and not difference(graph, images(boards, permutation)):
                generators.append(permutation)
                known = _closure(generators, boards.cells)
        if generators:
            return FoundSymmetries(tuple(generators), len(known), boards.cells, len(boards.rows))
    return FoundSymmetries((), 1, 0, len(graph.movers))


def _closure(generators: Sequence[Permutation], cells: int) -> set[Permutation]:
    """Return the group of some permutations."""
    found = {tuple(range(cells))}
    waiting = [*found]
    while waiting:
        one = waiting.pop()
        for other in generators:
            both = tuple(other[cell] for cell in one)
            if both not in found:
                found.add(both)
                waiting.append(both)
    return found


def _candidates(graph: RulesGraph, boards: Boards) -> Iterator[Permutation]:
    """Return permutations that may be symmetries: of grids, and those that map sets of cells to such sets."""
    for sides in sorted(boards.shapes, key=lambda shape: (-min(shape), shape)):  # squares first
        grid = np.arange(boards.cells).reshape(sides)
        for turned in (np.rot90(each, turns) for turns in (1, 2, 3, 0) for each in (grid, grid[:, ::-1])):
            if turned.shape == grid.shape:
                yield tuple(turned.ravel().tolist())
    rows = boards.rows[:, :-1].reshape(len(graph.movers), -1, boards.cells)
    lines = _lines(graph, rows)
    if boards.cells <= MOST_CELLS and len(lines) <= MOST_LINES:
        contents = [tuple(rows[0, :, cell].tolist()) for cell in range(boards.cells)]
        colours = [sorted(set(contents)).index(each) for each in contents]
        group = automorphisms(boards.cells, lines, colours)
        if group.order <= GREATEST_ORDER and group.order * len(rows) <= MOST_LOOKS:
            yield from sorted(group.elements())


def _lines(graph: RulesGraph, rows: np.ndarray) -> set[tuple[int, ...]]:
    """Return sets of cells that every symmetry maps to such sets: those that a move changes, and those with equal marks
    where a game is won with the fewest changes.
    """
    sources = np.repeat(np.arange(len(rows)), np.diff(graph.first))
    changed = np.unique(np.any(rows[sources] != rows[graph.children], axis=1), axis=0)
    lines = {tuple(np.flatnonzero(each).tolist()) for each in changed}
    won = np.flatnonzero((graph.payoffs != NO_PAYOFF) & (graph.payoffs != 0))
    differ = np.any(rows[won] != rows[0], axis=1).sum(axis=1)
    for place in rows[won[differ == differ.min(initial=rows.shape[2])]]:
        for board in place:
            lines |= {tuple(np.flatnonzero(board == mark).tolist()) for mark in np.unique(board)}
    return lines - {()}
