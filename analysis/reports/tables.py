"""Make the tables of a report: the same rows as CSV with raw numbers, and on the page with separators."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..common.markup import csv_line
from . import words
from .facts import Facts, branching_rows, was_run

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

ENDS = ("x", "o", "tie")
"""The endings of the keys of counts by outcome."""

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
    "branching": "ply tier positions moves_per_position moves_per_history",
    "first_moves": "name move position value remoteness_plies plies_to_end nimber optimal games games_x "
    "games_o games_tie optimal_paths",
    "principal_variation": "ply mover name move position value remoteness_plies",
    "pruning": _SEARCH,
}
"""The tables that reports may have, each a file ``tables/<name>.csv``, and the columns that they may have."""

_OUTCOME = re.compile(r"(.*_)?(x|o|tie|draw|win|lose)")
"""Columns that the page omits if they hold only 0."""


class ReportTable(NamedTuple):
    """Rows of numbers with a title."""

    name: str
    title: str
    columns: Sequence[str]
    heads: dict[str, str]
    """The headings on the page that differ from the names of the columns."""
    rows: list[dict[str, Any]]

    def csv(self) -> bytes:
        """Return all columns and rows as CSV in UTF-8; missing numbers are empty."""
        rows = ([row[name] for name in self.columns] for row in self.rows)
        return "".join(map(csv_line, (self.columns, *rows))).encode()

    def head(self, name: str) -> str:
        """Return the heading of a column."""
        return self.heads.get(name, name.replace("_", " "))

    def shown(self, names: Sequence[str] = (), without: Collection[str] = ()) -> list[str]:
        """Return the columns, among ``names`` (default: all) and not ``without``, that hold anything, for the page."""

        def holds(name: str) -> bool:
            empty = (None, 0) if _OUTCOME.fullmatch(name) else (None,)
            return name not in without and any(row[name] not in empty for row in self.rows)

        return [*filter(holds, names or self.columns)]

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
            return words.ratio(cell) if name.startswith("relative") else f"{cell:,.2f}"
        if name == "value":
            return words.worth(cell)
        if not row.get("run", True):
            return "not run" if name == "nodes" else words.MISSING
        return ("> " if name == "nodes" and row["stopped"] else "") + words.count(cell)


def make_tables(facts: Facts) -> dict[str, ReportTable]:
    """Make all tables of a report that have rows, by name."""
    stats, step = facts.statistics, facts.step
    first, second = facts.game.players
    heads = {"remoteness_plies": "remoteness (plies)", "value_draw": "a draw"}
    heads |= {f"terminal_{key}": text for key, text in zip(ENDS, _ended(facts), strict=True)}
    heads |= {"value_x": f"{first} wins", "value_o": f"{second} wins", "value_tie": "a tie"}
    games = {"games_x": f"{first} wins (games)", "games_o": f"{second} wins (games)", "games_tie": "ties (games)"}
    games |= {"games": "all (games)"}
    moves = heads | games | {
        "name": "move", "move": "code", "mover": "player", "position": "position after it",
        "plies_to_end": "plies to the end (this move included)",
    }  # fmt: skip
    after = {"remoteness_plies": "remoteness after it (plies)", "nimber": "nimber after it"}
    by_value = {"positions": "positions worth it", "terminal": "terminal positions that pay it"}
    searches = {"cutoffs_effective": "effective cutoffs", "branching": "effective branching factor"}
    searches |= {"relative_to_minimax": "nodes / whole tree", "relative_to_least": "nodes / least"}
    remoteness = "Positions by value and remoteness, as the player to move sees them"
    values = "Positions and games by value" if facts.sized else "Games by value"
    contents = {
        "key_numbers": ("Key numbers", heads, _key_rows(facts)),
        "by_ply": ("Counts and values by ply", heads, stats["by_ply"]),
        "by_tier": ("Counts and values by tier", heads, stats.get("by_tier")),
        "games_by_length": ("Games by length", games | {"plies": "length (plies)"}, stats["games_by_length"]),
        "by_value": (values, by_value | {"games": "games that end with it"}, stats["by_value"]),
        "by_remoteness": (remoteness, heads, stats["by_remoteness"]),
        "branching": (
            f"Moves to choose from, by {step}", {"positions": "positions to move in"}, branching_rows(stats),
        ),
        "first_moves": ("First moves, best first", moves | after, facts.moves),
        "principal_variation": ("Principal variation, move by move", moves, facts.line),
        "pruning": ("What each search did", searches, _search_rows(facts)),
    }  # fmt: skip
    return {
        name: ReportTable(name, title, [column for column in COLUMNS[name].split() if column in rows[0]], heads, rows)
        for name, (title, heads, rows) in contents.items()
        if rows
    }


def _ended(facts: Facts) -> tuple[str, str, str]:
    first, second = facts.game.players
    return f"{first} has won", f"{second} has won", "tied"


def key_numbers(facts: Facts) -> dict[str, Any]:
    """Return each number of `KEYS`, or its parts by outcome; the nimber only if there is one."""
    stats, numbers = facts.statistics | {"nimber": facts.nimber, "terminal": None}, dict[str, Any]()
    for key in KEYS:
        parts = {name: stats[name] for end in ENDS if stats.get(name := f"{key}_{end}") is not None}
        if key != "nimber" or stats[key] is not None:
            numbers[key] = parts or stats[key]
    return numbers


def _key_rows(facts: Facts) -> list[dict[str, Any]]:
    """Make a row for each number, and for each of its parts."""
    rows = []
    for key, number in key_numbers(facts).items():
        parts = number if isinstance(number, dict) else {key: number}
        parts = {key: facts.statistics[key]} | parts if key == "games" else parts
        rows += [{"key": name, "number": value, "meaning": KEYS[key][1]} for name, value in parts.items()]
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
