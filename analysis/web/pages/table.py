"""The table in a page: all that is known of the positions of a slice, as columns, and their moves.

Positions have rows, and so have their classes, in the order of the map, with the solution's numbers. The table contains
moves, not rules, so it works for games of any kind.

It is gzip of lines of ASCII. The first is the head in JSON. The others are the columns: what answers say in each row,
as JSON and padded to one width; the first line of a column has the first character of all rows. Moves are listed by
code and then by position. ``file_source.js`` reads it.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...common.memory import Budget
from ...common.wording import outcome_key
from ...common.workers import tell_progress
from ...engine.columns import COUNT_COLUMNS, NEVER, to_int
from ...rules.game import Game
from ...solution.lookup import expand
from ..asked import exact, exact_json
from ..positions import head_json
from ..served import Served
from .slices import NOTHING, Slice

LEVEL = 9
"""Of compression."""

POSITION_BYTES, MOVE_BYTES = 600, 16
"""Memory for a position, and for a move, while a table is made."""

_written = json.JSONEncoder(separators=(",", ":")).encode


class Moves(NamedTuple):
    """All moves of a slice, by code and then by position."""

    rows: np.ndarray  # int64[m], the position before
    codes: np.ndarray  # uint16[m]
    after: np.ndarray  # int64[m], the position after


def pack(served: Served, part: Slice) -> bytes:
    """Return the table of a slice. Raises `TooLargeError` if memory does not suffice."""
    game, number = part.solution.game, len(part.states)
    needed = number * (POSITION_BYTES + MOVE_BYTES * part.raw.rules.max_moves // 2)
    Budget.of_machine().require(needed, f"a page of {number:,} positions", "fewer plies (--depth)")
    moves = find_moves(part)
    tell_progress("drawing boards", 0, 2)
    states = part.states.tolist()
    columns = {name: _column(map(getattr(game, name), states)) for name in ("grid", "picture", "caption")}
    columns["position"] = _column(game.format_positions(part.states))
    columns["class"] = _column(part.classes.tolist())
    columns |= {name: _column(things) for name, things in _facts(part).items()}
    head = {
        "solution": head_json(served) | _about(part),
        "moves": _listed(part, moves),
        "tiers": _tiers(part),
        "columns": [[name, len(lines)] for name, lines in columns.items()],
    }
    tell_progress("packing", 1, 2)
    lines = [exact_json(head), *itertools.chain.from_iterable(columns.values())]
    return gzip.compress("\n".join(lines).encode("ascii"), LEVEL, mtime=0)


def _column(things: Iterable[Any]) -> list[str]:
    """Return the lines of a column; each has a character of the JSON of every thing."""
    texts = list(map(_written, things))
    width = max(map(len, texts))
    characters = np.array([text.rjust(width) for text in texts], dtype=bytes).view(np.uint8).reshape(len(texts), width)
    return [line.tobytes().decode("ascii") for line in characters.T]


def _about(part: Slice) -> dict[str, Any]:
    """Describe the part of the game in the page."""
    solution, start = part.solution, part.raw.start
    root = int(part.find(np.array([solution.records.tier(start)]), np.array([start]))[0])
    first = solution.at(start)
    return {
        "start": first.position,
        "root": root,
        "value": first.value,
        "remoteness_plies": first.remoteness_plies,
        "outcome": outcome_key(first.value, first.remoteness_plies),
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


def _worths(part: Slice) -> list[tuple[Any, int | None]]:
    """Return the values and remotenesses of classes, as answers have them."""
    values = exact(list(map(part.solution.game.worth, part.columns["value"].tolist())))
    plies = part.columns["remoteness_plies"].tolist()
    return [(value, None if number == NEVER else number) for value, number in zip(values, plies, strict=True)]


def _tiers(part: Slice) -> list[dict[str, Any]]:
    """Return the tiers with their rows of the map; ``first`` is their first class."""
    worths = _worths(part)
    numbers, firsts, classes = np.unique(part.class_tiers, return_index=True, return_counts=True)
    found = []
    for tier, first, number in np.transpose([numbers, firsts, classes]).tolist():
        runs = itertools.groupby(worths[first : first + number])
        own = [[*worth, len(list(alike))] for worth, alike in runs]
        found.append({"tier": tier, "classes": number, "first": first, "runs": own})
    return found


def _facts(part: Slice) -> dict[str, Iterable[Any]]:
    """Return the columns of classes; ``member`` is the row of a position of each, the canonical one if present."""
    columns = part.columns
    _, member = np.unique(part.classes, return_index=True)
    naming = np.flatnonzero(part.states == columns["state"][part.classes])
    member[part.classes[naming]] = naming
    counts = {name: columns[name] for name in (*COUNT_COLUMNS, "nimber") if name in columns}
    counts |= {name: np.array([*map(to_int, each)], object) for name, each in counts.items() if each.ndim > 1}  # limbs
    if "histories" in counts:
        counts["histories"] = counts["histories"] // columns["orbit_size"]
    facts: dict[str, Iterable[Any]] = {name: exact(column.tolist()) for name, column in counts.items()}
    worths = _worths(part)
    facts["value"], facts["remoteness_plies"] = zip(*worths, strict=True)
    facts["outcome"] = (outcome_key(*each) for each in worths)
    facts["to_move"], facts["terminal"] = columns["to_move"].tolist(), columns["terminal"].tolist()
    facts["member"] = member.tolist()
    return facts


# Moves ----------------------------------------------------------------------------------------------------------------


def find_moves(part: Slice) -> Moves:
    """Return the moves of all expanded positions."""
    found = [(NOTHING, np.empty(0, np.uint8), NOTHING)]
    for tier in np.unique(part.tiers).tolist():
        rows = np.flatnonzero(part.expanded & ~part.over & (part.tiers == tier))
        for piece in part.raw.chunks(len(rows)):
            edges = expand(part.raw, tier, part.states[rows[piece]])
            found.append((rows[piece][edges.rows], edges.codes, part.find(edges.tiers, edges.children)))
    rows, codes, after = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((rows, codes))
    return Moves(rows[order], codes[order], after[order])


def _listed(part: Slice, moves: Moves) -> dict[int, list[Any]]:
    """Return the moves by code: their name, the positions before and after them, each as the difference from the one
    listed before, and their cells if the game finds them in its own way; otherwise the page finds them from the boards.
    """
    game, found = part.solution.game, {}
    for code in np.unique(moves.codes).tolist():
        rows, after = (each[moves.codes == code] for each in (moves.rows, moves.after))
        found[code] = [game.format_move(code), *(np.diff(each, prepend=0).tolist() for each in (rows, after))]
        if type(game).cell_of is not Game.cell_of:
            found[code].append([game.cell_of(state, code) for state in part.states[rows].tolist()])
    return found
