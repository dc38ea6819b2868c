"""The table that a page carries: a slice of a solution in one piece of bytes.

A class has one row, and a position of it is that row with the number of a symmetry. What it looks like, what its moves
are called and which cells they are made in are columns of their own for each symmetry; as symmetric columns tell the
same rows apart, they take no room (`Planes`). Moves are in it, not rules, so that games of any kind work. Games and
paths are not: the page counts them from the moves.

The bytes are gzip of: the length of the head (uint32), the head as JSON, and the arrays that it lists, each as planes
of its bytes, the least first. Classes are in the order of the slice, moves in the order of their codes and then of
their classes; only ``codes`` is class by class. ``table.js`` reads it.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.engine.columns import NEVER
from analysis.errors import RulesError
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.rules.game import Game, Permutation
from analysis.rules.symmetry import permute
from analysis.web.pages.slices import Slice, expanded
from analysis.web.positions import head_json
from analysis.web.served import Served

OVER, EXPANDED, FIRST = 1, 2, 4
"""Bits of ``flags``: the game is over; what its moves lead to is in the table; the first player is to move."""

LEVEL = 9
"""Of gzip."""

IMAGE_BYTES, MOVE_BYTES = 250, 16
"""Bytes of a position, and of a move of it, while the table is made."""

NONE = -1
"""In `Boards`: no cell there, and no board."""

PAD = 0x110000
"""After the end of a text in `letters`: no character has this number."""

Column = list[Any]
"""``[thing]`` where all rows are the same, else the number of a plane and then the things that its codes stand for."""


class Moves(NamedTuple):
    """All moves in a slice, in the order of their codes and then of their classes."""

    rows: np.ndarray  # int64[m], of the class before
    codes: np.ndarray  # uint8[m]
    children: np.ndarray  # int64[m], the states after, as the rules have them
    after: np.ndarray  # int64[m], the rows of their classes
    symmetry: np.ndarray  # int64[m], the number of the one that makes the state after of the canonical one


class Images(NamedTuple):
    """The classes of a slice seen through one symmetry."""

    states: np.ndarray  # int64[n]
    boards: np.ndarray  # int32[n, 1 + cells], see `Boards.read`
    codes: np.ndarray  # uint8[m], of the same moves
    cells: np.ndarray  # int16[m], where they are made, -1 where that is no single cell


def pack(served: Served, part: Slice) -> bytes:
    """The table of a slice of what is ``served``. Raises `TooLargeError` where memory does not do, and `RulesError`
    where the symmetries of the rules do not take moves to moves.
    """
    group, game = part.engine.group, part.solution.game
    needed = len(part) * group.order * (IMAGE_BYTES + MOVE_BYTES * part.engine.rules.max_moves // 2)
    Budget.of_machine().require(needed, f"a page of {len(part):,} classes", "fewer plies (--depth)")
    boards, of_classes, of_moves = Boards(), Planes(), Planes()
    moves = _moves(part)
    images = _images(part, moves, boards)
    symmetries = [
        {
            "permutation": permutation,
            "codes": _of_code(moves.codes, image.codes, of_moves),
            "cells": _of_code(moves.codes, image.cells, of_moves),
            "grid": boards.columns(of_classes, image.boards),
            "position": text_columns(of_classes, game.format_positions(image.states)),
            "picture": text_columns(of_classes, list(map(game.picture, image.states.tolist()))),
            "caption": text_columns(of_classes, list(map(game.caption, image.states.tolist()))),
        }
        for image, permutation in zip(images, group.permutations, strict=True)
    ]
    canonical = _own_classes(part)
    used = np.unique(np.concatenate([image.codes for image in images]))
    head = {
        "solution": head_json(served) | _about(part),
        "names": {code: game.format_move(code) for code in used.tolist()},
        "tiers": [[number, int((part.tiers == number).sum())] for number in np.unique(part.tiers).tolist()],
        "cells": group.cells,
        "planes": group.planes,
        "symmetries": symmetries,
        "classes": None
        if canonical is None
        else text_columns(of_classes, part.solution.classes.game.format_positions(canonical)),
    }
    arrays = _class_arrays(part, canonical) | _move_arrays(part, moves)
    arrays |= {f"class {number}": codes for number, codes in enumerate(of_classes.codes)}
    arrays |= {f"move {number}": codes for number, codes in enumerate(of_moves.codes)}
    tell_progress("packing", group.order, group.order)
    return _packed(head, arrays)


def _about(part: Slice) -> dict[str, Any]:
    """What the page says of the part that it carries."""
    solution, engine = part.solution, part.engine
    known = engine.ruled and solution.engine.rules.canonical is None
    root = int(np.flatnonzero((part.states == engine.start) & (part.tiers == solution.find_tier(engine.start)))[0])
    return {
        "start": solution.game.format_position(engine.start),
        "root": root,
        "value": int(part.value[root]),
        "remoteness_plies": None if part.remoteness[root] == NEVER else int(part.remoteness[root]),
        "counted": part.whole and not solution.loopy,
        "tier_name": "ply" if solution.by_ply else "tier",
        "images_known": known,
        "payoffs": list(engine.rules.payoffs),
        "part": {
            "classes": len(part),
            "whole": part.whole,
            "depth": part.depth,
            "optimal_only": part.optimal_only,
            "from_start": engine.start == solution.engine.start,
        },
    }


# Moves ----------------------------------------------------------------------------------------------------------------


def _expanded(part: Slice, states: np.ndarray) -> list[np.ndarray]:
    """The moves of all classes whose moves are in the table, class by class, in some of their images: the rows
    int64[m], the codes uint8[m], and the children int64[m] as the rules have them with their tiers int64[m].
    """
    found = []
    for piece in part.pieces():
        own = np.flatnonzero(part.expanded[piece] & ~part.over[piece])
        chunk = expanded(part.raw, int(part.tiers[piece.start]), states[piece][own])
        found.append((piece.start + np.repeat(own, chunk.branching), chunk.codes, chunk.children, chunk.tiers))
    return list(map(np.concatenate, zip(*found, strict=True)))


def _moves(part: Slice) -> Moves:
    group = part.engine.group
    rows, codes, children, tiers = _expanded(part, part.states)
    images = [permute(children, each, group.planes) for each in group.permutations]
    inverses = [tuple(np.argsort(permutation).tolist()) for permutation in group.permutations]
    backward = np.array([group.numbers[inverse] for inverse in inverses])
    moves = Moves(rows, codes, children, part.find(tiers, np.min(images, axis=0)), backward[np.argmin(images, axis=0)])
    order = np.lexsort((rows, codes))
    return Moves(*(column[order] for column in moves))


def _image_codes(part: Slice, moves: Moves, permutation: Permutation, states: np.ndarray) -> np.ndarray:
    """The codes uint8[m] that the moves have where classes are seen as these ``states``: of a move there that leads to
    the image of the state after it. Raises `RulesError` where there is none.
    """
    rows, codes, children, _ = _expanded(part, states)
    images = permute(moves.children, permutation, part.engine.group.planes)
    wanted, found = np.lexsort((images, moves.rows)), np.lexsort((children, rows))
    pairs = ((moves.rows, rows), (images, children))
    if not all(np.array_equal(mine[wanted], other[found]) for mine, other in pairs):
        raise RulesError(
            f"a symmetry of {part.solution.game.spec} does not take moves to moves; `gametree check` says where"
        )
    image_codes = np.empty_like(moves.codes)
    image_codes[wanted] = codes[found]
    return image_codes


def _of_code(codes: np.ndarray, found: np.ndarray, planes: Planes) -> dict[str, Any]:
    """What is known of each move: by its code alone where that tells, else as a column."""
    by_code = np.full(256, NONE)
    by_code[codes] = found
    if (by_code[codes] == found).all():
        return {"by_code": by_code[: int(codes.max(initial=0)) + 1].tolist()}
    return {"column": planes.add(found, int)}


# Images ---------------------------------------------------------------------------------------------------------------


def _images(part: Slice, moves: Moves, boards: Boards) -> list[Images]:
    group, game = part.engine.group, part.solution.game
    states = [permute(part.states, each, group.planes) for each in group.permutations]
    drawn = []
    for number, own in enumerate(states):
        tell_progress("drawing boards", number, group.order)
        drawn.append(boards.read(game, own.tolist()))
    widest = max(each.shape[1] for each in drawn)
    drawn = [np.pad(each, ((0, 0), (0, widest - each.shape[1])), constant_values=NONE) for each in drawn]
    images = []
    for number, (own, permutation) in enumerate(zip(states, group.permutations, strict=True)):
        tell_progress("seeing moves through symmetries", number, group.order)
        codes = _image_codes(part, moves, permutation, own)
        if type(game).cell_of is Game.cell_of:
            cells = _cells(part, moves, number, drawn, boards.blank)
        else:
            called = map(game.cell_of, own[moves.rows].tolist(), codes.tolist())
            cells = np.array([NONE if cell is None else cell for cell in called], dtype=np.int16)
        images.append(Images(own, drawn[number], codes, cells))
    return images


def _cells(part: Slice, moves: Moves, number: int, drawn: list[np.ndarray], blank: np.ndarray) -> np.ndarray:
    """The cells int16[m] that moves are made in where classes are seen through the symmetry of this ``number``."""
    found = np.empty(len(moves.codes), np.int16)
    group = part.engine.group
    mine = group.permutations[number]
    for symmetry in np.unique(moves.symmetry).tolist():
        own = moves.symmetry == symmetry
        both = group.numbers[tuple(mine[cell] for cell in group.permutations[symmetry])]
        before, after = drawn[number][moves.rows[own]], drawn[both][moves.after[own]]
        found[own] = cells_between(blank, before, after)
    return found


# Arrays ---------------------------------------------------------------------------------------------------------------


def _own_classes(part: Slice) -> np.ndarray | None:
    """The canonical states int64[n], where the rules make states canonical and a row is a position."""
    if not part.solution.engine.reduces:
        return None
    return np.array([part.solution.engine.canonical(state) for state in part.states.tolist()], dtype=np.int64)


def _class_arrays(part: Slice, canonical: np.ndarray | None) -> dict[str, np.ndarray]:
    flags = OVER * part.over + EXPANDED * part.expanded + FIRST * (part.to_move > 0)
    arrays = {
        "states": np.diff(part.states, prepend=0),
        "value": part.value,
        "remoteness": np.where(part.remoteness == NEVER, np.int32(-1), part.remoteness),
        "flags": flags.astype(np.uint8),
    }
    if part.nimber is not None:
        arrays["nimber"] = part.nimber
    if canonical is None:
        arrays["orbit_size"] = part.engine.orbit_sizes(part.states)
    else:
        arrays["class_states"] = np.diff(canonical, prepend=0)
        own = part.solution.engine
        arrays["orbit_size"] = own.orbit_sizes(canonical) if own.sized else np.zeros(len(part), np.uint16)  # not known
    return arrays


def _move_arrays(part: Slice, moves: Moves) -> dict[str, np.ndarray]:
    by_class = np.lexsort((moves.codes, moves.rows))
    arrays = {
        "branching": np.bincount(moves.rows, minlength=len(part)).astype(np.uint8),
        "codes": moves.codes[by_class],
        "after": np.diff(moves.after, prepend=0).astype(np.int32),
    }
    if part.engine.group.order > 1:
        arrays["symmetry"] = moves.symmetry.astype(np.uint16)
    return arrays


def _packed(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    listed = [[name, array.dtype.name, len(array)] for name, array in arrays.items()]
    text = json.dumps(head | {"arrays": listed}, separators=(",", ":")).encode("ascii")
    pieces = [len(text).to_bytes(4, "little"), text]
    for array in arrays.values():
        little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
        pieces.append(little.view(np.uint8).reshape(len(array), -1).T.tobytes() if len(array) else b"")
    return gzip.compress(b"".join(pieces), LEVEL, mtime=0)


# What positions look like ---------------------------------------------------------------------------------------------


class Boards:
    """Boards as arrays: all marks by number, -1 after the last one."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self._numbers: dict[str, int] = {}

    def read(self, game: Game, states: Sequence[int]) -> np.ndarray:
        """The boards of some states, int32[n, 1 + cells]: how many columns, then the marks row by row."""
        flat, number = [], self._number
        for state in states:
            grid = game.grid(state) or ()
            flat.append([len(grid[0]) if grid else NONE, *(number(mark) for row in grid for mark in row)])
        return np.array(list(itertools.zip_longest(*flat, fillvalue=NONE)), dtype=np.int32).T

    def _number(self, mark: str) -> int:
        if mark not in self._numbers:
            self._numbers[mark] = len(self.marks)
            self.marks.append(mark)
        return self._numbers[mark]

    def columns(self, planes: Planes, boards: np.ndarray) -> list[Column]:
        """Columns of a table: the first says how many columns the board has, the others are marks; None is none."""
        width = planes.add(boards[:, 0], lambda cols: None if cols == NONE else cols)
        return [width, *(planes.add(column, self._mark) for column in boards.T[1:])]

    def _mark(self, number: int) -> str | None:
        return None if number == NONE else self.marks[number]

    @property
    def blank(self) -> np.ndarray:
        """bool[marks + 1], whether a mark is blank; the last is `NONE`."""
        return np.array([*(not mark.strip() for mark in self.marks), True])


def cells_between(blank: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The cells int16[m] that moves are made in, by `Game.cell_of` as it is unless a game overrides it, from the boards
    before and after them as `Boards.read` has them; -1 where it is no single cell.
    """
    found = np.full(len(before), NONE, np.int16)
    for low in range(0, len(before) if before.shape[1] > 1 else 0, 1 << 15):
        rows = slice(low, low + (1 << 15))
        old, new = before[rows, 1:], after[rows, 1:]
        one_shape = (before[rows, 0] == after[rows, 0]) & ((old == NONE) == (new == NONE)).all(axis=1)
        filled = blank[old] & ~blank[new]
        changed = (old != new) & ~blank[new]
        own = found[rows]
        for cells in (changed, filled):
            single = one_shape & (cells.sum(axis=1) == 1)
            own[single] = cells[single].argmax(axis=1)
    return found


# Columns of few different things --------------------------------------------------------------------------------------


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
