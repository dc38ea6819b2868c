"""The table that a page carries: what there is to know of the positions of a slice, as columns.

A position has a row, and so has its class, in the order of the map; what is known of a class is as the solution has it,
counts included. What positions look like is a column for each character and each cell; those that tell the same rows
apart take no room (`Planes`). Moves are in it, not rules, so that games of any kind work.

The bytes are gzip of: the length of the head (uint32), the head as JSON, and the arrays that it lists, each as planes
of its bytes, the least first. Moves are in the order of their codes and then of their positions; only ``codes`` is
position by position. ``table.js`` reads it.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.engine.columns import NEVER
from analysis.engine.engine import make_engine
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.playing.traps import line_lengths
from analysis.rules.game import Game
from analysis.web.pages.slices import Slice, expanded
from analysis.web.positions import head_json
from analysis.web.served import Served

OVER, FIRST = 1, 2
"""Bits of ``flags``: the game is over; the first player is to move."""

LEVEL = 9
"""Of gzip."""

POSITION_BYTES, MOVE_BYTES = 250, 16
"""Bytes of a position, and of a move of it, while the table is made."""

NONE = -1
"""In `Marks`: nothing there. Of lengths: there is no end."""

Column = list[Any]
"""``[thing]`` where all rows are the same, else the number of a plane and then the things that its codes stand for."""


class Moves(NamedTuple):
    """All moves in a slice, in the order of their codes and then of their positions."""

    rows: np.ndarray  # int64[m], of the position before
    codes: np.ndarray  # uint8[m]
    after: np.ndarray  # int64[m], the rows of the positions after


def pack(served: Served, part: Slice) -> bytes:
    """The table of a slice of what is ``served``. Raises `TooLargeError` where memory does not do."""
    game, number = part.solution.game, len(part.states)
    needed = number * (POSITION_BYTES + MOVE_BYTES * part.raw.rules.max_moves // 2)
    Budget.of_machine().require(needed, f"a page of {number:,} positions", "fewer plies (--depth)")
    of_positions, of_classes, of_moves = Planes(), Planes(), Planes()
    moves = find_moves(part)
    states = part.states.tolist()
    tell_progress("drawing boards", 0, 3)
    marks, drawn = read_boards(game, states)
    tell_progress("describing positions", 1, 3)
    texts: dict[str, list[Any]] = {name: list(map(getattr(game, name), states)) for name in ("picture", "caption")}
    cells = find_cells(part, moves, drawn, marks.blank)
    own = make_engine(game, symmetry=part.solution.symmetry, start=part.raw.start).group
    (numbers, rows), (_, classes) = (np.unique(each, return_counts=True) for each in (part.tiers, part.class_tiers))
    head = {
        "solution": head_json(served) | _about(part),
        "names": {code: game.format_move(code) for code in np.unique(moves.codes).tolist()},
        "tiers": np.transpose([numbers, rows, classes]).tolist(),
        "symmetries": [list(each) for each in own.permutations] if _images_known(part) else None,
        "cells": own.cells,
        "planes": own.planes,
        "grid": marks.columns(of_positions, drawn, int),
        "position": text_columns(of_positions, game.format_positions(part.states)),
        **{name: text_columns(of_positions, found) for name, found in texts.items()},
        "move_cells": _of_code(moves.codes, cells, of_moves),
        "classes": _named(part, of_classes),
    }
    arrays = _arrays(part, moves) | _lines(part, moves)
    for name, planes in (("position", of_positions), ("class", of_classes), ("move", of_moves)):
        arrays |= {f"{name} {place}": codes for place, codes in enumerate(planes.codes)}
    tell_progress("packing", 2, 3)
    return _packed(head, arrays)


def _about(part: Slice) -> dict[str, Any]:
    """What the page says of the part that it carries."""
    solution, start = part.solution, part.raw.start
    root = int(part.find(np.array([solution.find_tier(start)]), np.array([start]))[0])
    value, remoteness = (int(part.columns[name][part.classes[root]]) for name in ("value", "remoteness_plies"))
    return {
        "start": solution.game.format_position(start),
        "root": root,
        "value": value,
        "remoteness_plies": None if remoteness == NEVER else remoteness,
        "tier_name": "ply" if solution.by_ply else "tier",
        "payoffs": list(part.raw.payoffs),
        "part": {
            "classes": len(part),
            "whole": part.whole,
            "depth": part.depth,
            "optimal_only": part.optimal_only,
            "from_start": start == solution.engine.start,
        },
    }


def _images_known(part: Slice) -> bool:
    return part.solution.engine.ruled and part.solution.engine.rules.canonical is None


def _named(part: Slice, planes: Planes) -> list[Column] | None:
    """The positions that classes are named by; None where these are the first of each class that are in the table."""
    _, first = np.unique(part.classes, return_index=True)
    if np.array_equal(part.states[first], part.columns["state"]):
        return None
    return text_columns(planes, part.solution.classes.game.format_positions(part.columns["state"]))


# Moves ----------------------------------------------------------------------------------------------------------------


def find_moves(part: Slice) -> Moves:
    """The moves of all positions whose moves are in the table."""
    found = []
    for piece in part.pieces():
        own = piece.start + np.flatnonzero(part.expanded[piece] & ~part.over[piece])
        chunk = expanded(part.raw, int(part.tiers[piece.start]), part.states[own])
        found.append((np.repeat(own, chunk.branching), chunk.codes, part.find(chunk.tiers, chunk.children)))
    rows, codes, after = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((rows, codes))
    return Moves(rows[order], codes[order], after[order])


def find_cells(part: Slice, moves: Moves, drawn: np.ndarray, blank: np.ndarray) -> np.ndarray:
    """The cells int16[m] that moves are made in, -1 where that is no single one, from boards of `read_boards`."""
    game = part.solution.game
    if type(game).cell_of is Game.cell_of:
        return cells_between(blank, drawn[moves.rows], drawn[moves.after])
    called = map(game.cell_of, part.states[moves.rows].tolist(), moves.codes.tolist())
    return np.array([NONE if cell is None else cell for cell in called], dtype=np.int16)


def _of_code(codes: np.ndarray, found: np.ndarray, planes: Planes) -> dict[str, Any]:
    """What is known of each move: by its code alone where that tells, else as a column."""
    by_code = np.full(256, NONE)
    by_code[codes] = found
    if (by_code[codes] == found).all():
        return {"by_code": by_code[: int(codes.max(initial=0)) + 1].tolist()}
    return {"column": planes.add(found, int)}


# Arrays ---------------------------------------------------------------------------------------------------------------


def _arrays(part: Slice, moves: Moves) -> dict[str, np.ndarray]:
    known = dict(part.columns)
    flags = OVER * known.pop("terminal") + FIRST * (known.pop("to_move") > 0)
    remoteness = known.pop("remoteness_plies")
    each = {"histories": known.pop("histories") // known["orbit_size"]} if "histories" in known else {}
    by_position = np.lexsort((moves.codes, moves.rows))
    return {
        "states": part.states.astype(np.uint64),
        "classes": part.classes.astype(np.uint32),
        "branching": np.bincount(moves.rows, minlength=len(part.states)).astype(np.uint8),
        "codes": moves.codes[by_position],
        "after": np.diff(moves.after, prepend=0).astype(np.int32),
        "class_states": known.pop("state").astype(np.uint64),
        "flags": flags.astype(np.uint8),
        "remoteness": np.where(remoteness == NEVER, np.int32(NONE), remoteness),
        **known,
        **each,
    }


def _lines(part: Slice, moves: Moves) -> dict[str, np.ndarray]:
    """By side and class: how many only moves the longest line of such has, int16[c], and how many plies it takes to the
    last of them, at least; see `traps`.
    """
    classes, value = len(part), part.columns["value"]
    first = np.unique(part.classes, return_index=True)[1]  # a position of each
    own = first[part.classes[moves.rows]] == moves.rows
    before, after = part.classes[moves.rows[own]], part.classes[moves.after[own]]
    keeps = value[before] == value[after]
    number, kept = (np.bincount(each, minlength=classes) for each in (before, before[keeps]))
    before, after = before[keeps], after[keeps]
    leads: list[list[int]] = [[] for _ in range(classes)]
    for one, other in zip(before.tolist(), after.tolist(), strict=True):
        leads[one].append(other)
    found = {}
    for side, name in ((1, "X"), (-1, "O")):
        mine = part.columns["to_move"] == side
        counts = mine & (number > 1) & (kept == 1)
        length = _lengths(counts, mine & (kept > 1), leads)
        way = np.where(length == 0, 0, classes)
        on = length[after] == length[before] - counts[before]
        while (way[before[on]] > way[after[on]] + 1).any():
            np.minimum.at(way, before[on], way[after[on]] + 1)
        for what, told in (("only", length), ("way", way)):
            found[f"{what} {name}"] = np.where(np.isinf(length), NONE, told).astype(np.int16)
    return found


def _lengths(counts: np.ndarray, ends: np.ndarray, leads: list[list[int]]) -> np.ndarray:
    """How many only moves the longest line from each class has, float64[c]; lines end in some, and go on in others."""
    lengths = dict[int, float]()

    def node(row: int) -> tuple[bool, list[int]]:
        return bool(counts[row]), [] if ends[row] else leads[row]

    for root in range(len(leads)):
        deque(line_lengths(root, node, lengths), 0)
    return np.array([lengths[row] for row in range(len(leads))])


def _packed(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    listed, pieces = [], list[bytes]()
    for name, array in arrays.items():
        little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
        width = array.itemsize * math.prod(array.shape[1:])
        planes = little.view(np.uint8).reshape(len(array), width).T
        if array.dtype == np.uint64:  # of counts and states the upper bytes are mostly 0
            planes = planes[: int(np.flatnonzero(planes.any(axis=1)).max(initial=0)) + 1]
        listed.append([name, array.dtype.name, len(array), len(planes)])
        pieces.append(planes.tobytes())
    text = json.dumps(head | {"arrays": listed}, separators=(",", ":")).encode("ascii")
    return gzip.compress(b"".join([len(text).to_bytes(4, "little"), text, *pieces]), LEVEL, mtime=0)


# What positions look like ---------------------------------------------------------------------------------------------


class Marks:
    """The cells of boards, or the characters of texts, by number.

    >>> marks = Marks()
    >>> marks.read([(0, "aba"), (NONE, ""), (0, "c")]).tolist()
    [[0, 0, 1, 0], [-1, -1, -1, -1], [0, 2, -1, -1]]
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def read(self, rows: Iterable[tuple[int, Iterable[str]]]) -> np.ndarray:
        """Rows with a number of their own before their marks, int32[n, 1 + longest], and `NONE` after the last."""
        known = self._numbers
        flat = [[first, *(known.setdefault(mark, len(known)) for mark in marks)] for first, marks in rows]
        return np.array(list(itertools.zip_longest(*flat, fillvalue=NONE)), dtype=np.int32).T

    def columns(self, planes: Planes, rows: np.ndarray, first: Callable[[int], Any]) -> list[Column]:
        """Columns of a table: ``first`` says what the numbers before the marks stand for; where none is it is None."""
        things: dict[int, str | None] = {number: mark for mark, number in self._numbers.items()} | {NONE: None}
        own = planes.add(rows[:, 0], lambda number: None if number == NONE else first(number))
        return [own, *(planes.add(column, things.get) for column in rows.T[1:])]

    @property
    def blank(self) -> np.ndarray:
        """bool[marks + 1], whether a mark is blank; the last is `NONE`."""
        return np.array([*(not mark.strip() for mark in self._numbers), True])


def read_boards(game: Game, states: Sequence[int]) -> tuple[Marks, np.ndarray]:
    """The boards of some states, each with the number of its columns, or `NONE` where it has none."""
    marks, grids = Marks(), (game.grid(state) or () for state in states)
    return marks, marks.read((len(grid[0]) if grid else NONE, itertools.chain(*grid)) for grid in grids)


def text_columns(planes: Planes, texts: Iterable[str | None]) -> list[Column]:
    """Texts as columns: their things, put together, are the text; None first among them means that there is none."""
    marks = Marks()
    return marks.columns(planes, marks.read((NONE if text is None else 0, text or "") for text in texts), lambda _: "")


def cells_between(blank: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The cells int16[m] that moves are made in, by `Game.cell_of` as it is unless a game overrides it, from the boards
    before and after them as `read_boards` has them; -1 where it is no single cell.
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
