"""The table in a page: all that is known of the positions of a slice, as columns.

Positions have rows, and so have their classes, in the order of the map, with the solution's numbers. Texts and boards
are JSON. The table contains moves, not rules, so it works for games of any kind.

The bytes are gzip of the length of the head (uint32), the head as JSON, and the arrays that it lists, each as planes of
bytes: the least significant byte of all rows, or the first character, then the next. Moves are sorted by code and then
by position; only ``codes`` is sorted by position. ``table.js`` reads it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from analysis.engine.columns import NEVER
from analysis.engine.engine import make_engine
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.rules.game import Game
from analysis.solution.lookup import expand
from analysis.web.pages.slices import Slice
from analysis.web.positions import head_json
from analysis.web.served import Served

OVER, FIRST = 1, 2
"""Bits of ``flags``: the game is over, and the first player is to move."""

LEVEL = 9
"""Of compression."""

POSITION_BYTES, MOVE_BYTES = 600, 16
"""Memory for a position, and for a move, while a table is made."""

NONE = -1
"""No cell, or no remoteness."""


class Moves(NamedTuple):
    """All moves of a slice, by code and then by position."""

    rows: np.ndarray  # int64[m], the position before
    codes: np.ndarray  # uint8[m]
    after: np.ndarray  # int64[m], the position after


def pack(served: Served, part: Slice) -> bytes:
    """Return the table of a slice. Raises `TooLargeError` if memory does not suffice."""
    game, number = part.solution.game, len(part.states)
    needed = number * (POSITION_BYTES + MOVE_BYTES * part.raw.rules.max_moves // 2)
    Budget.of_machine().require(needed, f"a page of {number:,} positions", "fewer plies (--depth)")
    moves = find_moves(part)
    tell_progress("drawing boards", 0, 2)
    states = part.states.tolist()
    looks: dict[str, Iterable[Any]] = {
        name: map(getattr(game, name), states) for name in ("grid", "picture", "caption")
    }
    arrays = {name: _as_json(found) for name, found in looks.items()}
    arrays["position"] = _as_json(game.format_positions(part.states))
    arrays |= _names(part) | _cells(part, moves) | _arrays(part, moves)
    own = make_engine(game, symmetry=part.solution.symmetry, start=part.raw.start).group
    (numbers, rows), (_, classes) = (np.unique(each, return_counts=True) for each in (part.tiers, part.class_tiers))
    head = {
        "solution": head_json(served) | _about(part),
        "names": {code: game.format_move(code) for code in np.unique(moves.codes).tolist()},
        "tiers": np.transpose([numbers, rows, classes]).tolist(),
        "symmetries": [list(each) for each in own.permutations] if _images_known(part) else None,
        "cells": own.cells,
        "planes": own.planes,
        **({} if game.worths is None else {"worths": {value: float(each) for value, each in game.worths.items()}}),
    }
    tell_progress("packing", 1, 2)
    return _packed(head, arrays)


def _as_json(things: Iterable[Any]) -> np.ndarray:
    """Return the JSON texts of things, in ASCII."""
    return np.array([json.dumps(thing, separators=(",", ":")) for thing in things], dtype=bytes)


def _about(part: Slice) -> dict[str, Any]:
    """Describe the part of the game in the page."""
    solution, start = part.solution, part.raw.start
    root = int(part.find(np.array([solution.find_tier(start)]), np.array([start]))[0])
    held, remoteness = (int(part.columns[name][part.classes[root]]) for name in ("value", "remoteness_plies"))
    return {
        "start": solution.game.format_position(start),
        "root": root,
        "value": float(solution.game.worth(held)) if solution.game.worths else held,
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


def _names(part: Slice) -> dict[str, np.ndarray]:
    """Return the positions that name classes, unless they are the first ones of each class in the table."""
    _, first = np.unique(part.classes, return_index=True)
    if np.array_equal(part.states[first], part.columns["state"]):
        return {}
    return {"class_names": _as_json(part.solution.classes.game.format_positions(part.columns["state"]))}


# Moves ----------------------------------------------------------------------------------------------------------------


def find_moves(part: Slice) -> Moves:
    """Return the moves of all expanded positions."""
    found = []
    for piece in part.pieces():
        own = piece.start + np.flatnonzero(part.expanded[piece] & ~part.over[piece])
        edges = expand(part.raw, int(part.tiers[piece.start]), part.states[own])
        found.append((own[edges.rows], edges.codes, part.find(edges.tiers, edges.children)))
    rows, codes, after = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((rows, codes))
    return Moves(rows[order], codes[order], after[order])


def _cells(part: Slice, moves: Moves) -> dict[str, np.ndarray]:
    """Return the cells int16[m] of moves, -1 for none, if a game finds them in its own way; otherwise the page finds
    them from the boards.
    """
    game = part.solution.game
    if type(game).cell_of is Game.cell_of:
        return {}
    called = map(game.cell_of, part.states[moves.rows].tolist(), moves.codes.tolist())
    return {"cells": np.array([NONE if cell is None else cell for cell in called], dtype=np.int16)}


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


def _packed(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    listed, pieces = [], list[bytes]()
    for name, array in arrays.items():
        little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
        planes = little.view(np.uint8).reshape(len(array), array.itemsize).T
        if array.dtype == np.uint64:  # the upper bytes of counts and states are mostly 0
            planes = planes[: int(np.flatnonzero(planes.any(axis=1)).max(initial=0)) + 1]
        listed.append([name, array.dtype.name, len(array), len(planes)])
        pieces.append(planes.tobytes())
    text = json.dumps(head | {"arrays": listed}, separators=(",", ":")).encode("ascii")
    return gzip.compress(b"".join([len(text).to_bytes(4, "little"), text, *pieces]), LEVEL, mtime=0)
