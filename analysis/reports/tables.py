"""Make the tables of a report: the same rows as CSV with raw numbers, and on the page with separators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..common.markup import csv_line
from . import words
from .facts import Facts, was_run

KEYS = {
    "value": ("Value", "the payoff under optimal play as the first player sees it"),
    "remoteness_plies": (
        "Remoteness",
        "plies to the end under optimal play: the winner hurries, the loser delays; with value 0 both hurry",
    ),
    "positions": (
        "Positions",
        "positions that play can reach from the start, including the start and terminal ones",
    ),
    "classes": ("Classes", "classes of positions: those that a symmetry in use maps to each other form one class"),
    "symmetry_order": (
        "Symmetries",
        "symmetries in use: permutations of cells or heaps that leave the game and its start unchanged",
    ),
    "terminal": ("Terminal positions", "positions in which the game is over, by who has won"),
    "moves": ("Moves", "pairs of a position and a legal move in it: edges of the graph of positions"),
    "games": ("Games", "complete games as sequences of moves, by who wins"),
    "histories": (
        "Histories",
        "sequences of moves of any length, the empty one and complete games included: nodes of the game tree",
    ),
    "optimal_paths": (
        "Optimal paths",
        "complete games in which every position has the value of the start: neither player gives anything away",
    ),
    "games_up_to_symmetry": (
        "Games up to symmetry",
        "orbits of complete games: two games count as one if a symmetry maps the whole sequence of one to the other",
    ),
    "quotient_paths": (
        "Quotient paths",
        "paths from the start to a terminal class in the graph of classes, with a single edge for all moves between "
        "two classes; games through the same classes are one path",
    ),
    "nimber": (
        "Nimber",
        "Sprague-Grundy value of the start: the size of the equivalent nim heap; 0 if the player to move loses",
    ),
}
"""Label and meaning of each number of the whole game, in page order."""

_STEP = "positions classes terminal_x terminal_o terminal_tie value_x value_o value_tie value_draw moves histories"
_SEARCH = (
    "algorithm order window table symmetry value bound nodes stopped leaves cutoffs cutoffs_effective table_hits "
    "table_entries passes branching relative_to_minimax relative_to_least"
)
COLUMNS = {
    "key_numbers": "key number meaning",
    "by_ply": f"ply {_STEP}",
    "by_tier": f"tier {_STEP}",
    "games_by_length": "plies games games_x games_o games_tie",
    "by_value": "value positions terminal games",
    "by_remoteness": "remoteness_plies win lose tie draw",
    "first_moves": "name move position value remoteness_plies plies_to_end nimber optimal games games_x "
    "games_o games_tie optimal_paths",
    "principal_variation": "ply mover name move position value remoteness_plies",
    "pruning": _SEARCH,
}
"""The tables that reports may have, each a file ``tables/<name>.csv``, and the columns that they may have."""

TITLES = {
    "by_remoteness": "Positions by value and remoteness, as the player to move sees them",
    "first_moves": "First moves, best first",
    "principal_variation": "Principal variation, move by move",
    "pruning": "What each search did",
}
"""The titles that are not the names in words."""

_OUTCOME = re.compile(r"(.*_)?(x|o|tie|draw|win|lose)")
"""Columns that the page omits if they hold only 0."""


class ReportTable(NamedTuple):
    """Rows of numbers with a title."""

    title: str
    columns: Sequence[str]
    players: tuple[str, str]
    rows: list[dict[str, Any]]

    def csv(self) -> bytes:
        """Return all columns and rows as CSV in UTF-8; missing numbers are empty."""
        rows = ([row[name] for name in self.columns] for row in self.rows)
        return "".join(map(csv_line, (self.columns, *rows))).encode()

    def head(self, name: str) -> str:
        """Return the heading of a column, with the names of the players."""
        stem, _, end = name.rpartition("_")
        player = dict(zip("xo", self.players, strict=True)).get(end)
        return f"{stem}: {player}" if stem and player is not None else name.replace("_", " ")

    def shown(self, names: Sequence[str] = ()) -> list[str]:
        """Return the columns, among ``names`` (default: all), that hold anything, for the page."""
        empty = {name: (None, 0) if _OUTCOME.fullmatch(name) else (None,) for name in names or self.columns}
        return [name for name in empty if any(row[name] not in empty[name] for row in self.rows)]

    def numeric(self, name: str) -> bool:
        """Return whether the cells of a column are numbers, aligned right."""
        return not any(isinstance(row[name], str | bool) for row in self.rows)

    def text(self, name: str, row: dict[str, Any]) -> str:
        """Format a cell for the page; counts of a search that was stopped or never run say so."""
        cell = row[name]
        if cell is None or isinstance(cell, str):
            return words.MISSING if cell is None else cell
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, float):
            return words.ratio(cell)
        if name == "value":
            return words.worth(cell)
        if not row.get("run", True):
            return "not run" if name == "nodes" else words.MISSING
        return ("> " if name == "nodes" and row["stopped"] else "") + words.count(cell)


def make_tables(facts: Facts) -> dict[str, ReportTable]:
    """Make all tables of a report that have rows, by name."""
    stats = facts.statistics
    rows_of: dict[str, Any] = {
        **{name: stats.get(name) for name in COLUMNS},
        "key_numbers": key_rows(facts),
        "first_moves": facts.moves,
        "principal_variation": facts.line,
        "pruning": _search_rows(facts),
    }
    return {
        name: ReportTable(
            TITLES.get(name, name.replace("_", " ").capitalize()),
            [column for column in columns.split() if column in rows_of[name][0]],
            facts.game.players,
            rows_of[name],
        )
        for name, columns in COLUMNS.items()
        if rows_of[name]
    }


def key_rows(facts: Facts) -> list[dict[str, Any]]:
    """Make a row for each number of `KEYS`, and for each of its parts by who wins, whose ``share`` is in per cent; the
    nimber only if there is one.
    """
    stats, rows = facts.statistics | {"nimber": facts.nimber, "terminal": None}, list[dict[str, Any]]()
    ends = dict(zip(("x", "o", "tie"), (*facts.game.players, "tied"), strict=True))
    for key, (label, meaning) in KEYS.items():
        parts = {end: stats[f"{key}_{end}"] for end in ends if stats.get(f"{key}_{end}") is not None}
        total = sum(parts.values()) if parts else stats[key]
        if key != "nimber" or total is not None:
            rows.append({"key": key, "label": label, "number": total, "share": "", "meaning": meaning})
        for end, number in parts.items():
            row = {"key": f"{key}_{end}", "label": f"{label}: {ends[end]}", "number": number, "meaning": meaning}
            rows.append(row | {"share": words.share(number, total)})
    return rows


def _search_rows(facts: Facts) -> list[dict[str, Any]]:
    """Make a row for each search, without the seconds, which differ from run to run, and one for the least without a
    table.
    """
    comparison, names = facts.comparison, _SEARCH.split()
    if comparison is None:
        return []
    rows = [
        {**{name: getattr(row, name) for name in names}, "run": was_run(comparison, row)} for row in comparison.rows
    ]
    least, tree = comparison.least.get("full"), comparison.tree
    if least is not None:
        relative = None if tree is None else least.nodes / tree.nodes
        counts = {"algorithm": "least, no table", "window": "full", "nodes": least.nodes, "leaves": least.leaves}
        rows.append({**dict.fromkeys(names), **counts, "relative_to_minimax": relative, "relative_to_least": 1.0})
    return rows
