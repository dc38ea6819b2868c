"""The tables of a report: the same rows as CSV, with raw numbers, and on the page, with separators."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from analysis.reports import words
from analysis.reports.findings import Findings

SUMMARY = ("key_numbers", "by_ply", "by_tier", "games_by_length", "by_value", "by_remoteness")
NAMES = (*SUMMARY, "branching", "first_moves", "principal_variation", "pruning")
"""The tables that reports may have; each is a file ``tables/<name>.csv``."""


WRITERS: dict[str, Callable[[Any], str]] = {
    "count": words.count,
    "value": words.worth,
    "mean": words.mean,
    "ratio": words.ratio,
    "flag": lambda cell: "yes" if cell else "no",
}
"""How the page writes what is in a column of each kind; texts as they are."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column: its name in the CSV file, its heading on the page, and how its numbers are written there."""

    name: str
    heading: str
    unit: str = ""
    kind: str = "count"
    """``count``, ``value``, ``mean``, ``ratio``, ``text`` or ``flag``."""

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers, which stand to the right."""
        return self.kind not in ("text", "flag")

    def text(self, cell: Any) -> str:
        """A cell as the page shows it."""
        if cell is None:
            return words.MISSING
        return WRITERS.get(self.kind, str)(cell)


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of numbers with what is said of them."""

    name: str
    """Of its file, without the suffix."""
    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]

    def csv(self) -> bytes:
        """All columns and rows, UTF-8; a cell without a number is empty."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([row[column.name] for column in self.columns] for row in self.rows)
        return file.getvalue().encode("utf-8", "replace")

    def only(self, title: str, names: Iterable[str]) -> Table:
        """The same table with some of its columns, for the page."""
        by_name = {column.name: column for column in self.columns}
        return Table(self.name, title, tuple(by_name[name] for name in names if name in by_name), self.rows)

    @property
    def shown(self) -> list[Column]:
        """The columns that hold anything at all; those are on the page."""
        return [column for column in self.columns if any(row[column.name] is not None for row in self.rows)]

    def cells(self, row: dict[str, Any]) -> list[tuple[Column, str]]:
        """One row as the page shows it."""
        return [(column, column.text(row[column.name])) for column in self.shown]


def make_tables(findings: Findings) -> dict[str, Table]:
    """All tables of a report that have rows, by name."""
    found = [
        key_numbers(findings),
        *_steps(findings),
        _lengths(findings),
        _values(findings),
        _remoteness(findings),
        _branching(findings),
        _first_moves(findings),
        _principal(findings),
        _pruning(findings),
    ]
    return {table.name: table for table in found if table.rows}


def key_numbers(findings: Findings) -> Table:
    """Every number of the statistics that is no table, one in a row; those with parts have a row for each."""
    rows = []
    for key in words.LABELS:
        number = findings.statistics[key]
        parts = number.items() if isinstance(number, dict) else [(None, number)]
        for part, value in parts:
            name = key if part is None else f"{key}_{part}"
            rows.append({"key": name, "number": value, "meaning": words.MEANINGS[key]})
    columns = (Column("key", "key", kind="text"), Column("number", "number"), Column("meaning", "meaning", kind="text"))
    return Table("key_numbers", "Key numbers", columns, rows)


def _steps(findings: Findings) -> list[Table]:
    tables = []
    for step in ("ply", "tier"):
        rows = findings.statistics.get(f"by_{step}") or []
        names = rows[0] if rows else {}
        columns = tuple(column for column in _step_columns(findings, step) if column.name in names)
        tables.append(Table(f"by_{step}", f"Counts by {step}", columns, rows))
    return tables


def _step_columns(findings: Findings, step: str) -> Sequence[Column]:
    first, second = findings.game.players
    return (
        Column(step, step),
        Column("positions", "positions"),
        Column("canonical", "classes"),
        Column("terminal_X", f"{first} has won"),
        Column("terminal_O", f"{second} has won"),
        Column("terminal_tie", "tied"),
        Column("value_X", f"{first} wins"),
        Column("value_tie", "a tie"),
        Column("value_O", f"{second} wins"),
        Column("value_draw", "a draw"),
        Column("moves", "moves"),
        Column("histories", "histories"),
    )


def _lengths(findings: Findings) -> Table:
    first, second = findings.game.players
    columns = (
        Column("plies", "length", "plies"),
        Column("X", f"{first} wins", "games"),
        Column("O", f"{second} wins", "games"),
        Column("tie", "ties", "games"),
    )
    return Table("games_by_length", "Games by length", columns, findings.statistics["games_by_length"] or [])


def _values(findings: Findings) -> Table:
    columns = (
        Column("value", "value", kind="value"),
        Column("positions", "positions worth it"),
        Column("terminal", "terminal positions that pay it"),
        Column("games", "games that end with it"),
    )
    return Table("by_value", "Positions and games by value", columns, findings.statistics["by_value"])


def _remoteness(findings: Findings) -> Table:
    columns = (
        Column("remoteness_plies", "remoteness", "plies"),
        Column("win", "win", "positions"),
        Column("lose", "lose", "positions"),
        Column("tie", "tie", "positions"),
        Column("draw", "draw", "positions"),
    )
    rows = findings.statistics["by_remoteness"]
    return Table("by_remoteness", "Positions by value and remoteness, as the player to move sees them", columns, rows)


def _branching(findings: Findings) -> Table:
    columns = (
        Column(findings.step, findings.step),
        Column("positions", "positions to move in"),
        Column("moves_per_position", "moves per position", kind="mean"),
        Column("moves_per_history", "moves per history", kind="mean"),
    )
    return Table("branching", f"Moves to choose from, by {findings.step}", columns, findings.branching)


def _first_moves(findings: Findings) -> Table:
    first, second = findings.game.players
    rows = []
    for opening in findings.openings:
        move, games = opening.move, opening.games
        counted = dict.fromkeys(("X", "O", "tie", "total")) if games is None else games.to_json()
        rows.append(
            {
                **{name: getattr(move, name) for name in ("name", "move", "position", "value", "remoteness_plies")},
                **{"nimber": move.nimber, "optimal": move.optimal},
                **{f"games_{name}": number for name, number in counted.items()},
                "optimal_paths": opening.optimal_paths,
            }
        )
    columns = (
        Column("name", "move", kind="text"),
        Column("move", "code", kind="text"),
        Column("position", "position after it", kind="text"),
        Column("value", "value", kind="value"),
        Column("remoteness_plies", "remoteness after it", "plies"),
        Column("nimber", "nimber after it"),
        Column("optimal", "optimal", kind="flag"),
        Column("games_X", f"{first} wins", "games"),
        Column("games_O", f"{second} wins", "games"),
        Column("games_tie", "ties", "games"),
        Column("games_total", "all", "games"),
        Column("optimal_paths", "optimal paths"),
    )
    return Table("first_moves", "First moves, best first", columns, rows)


def _principal(findings: Findings) -> Table:
    rows = [
        {
            "ply": step.ply,
            "mover": None if step.mover is None else words.named(findings, step.mover),
            "name": None if step.move is None else step.move.name,
            "move": None if step.move is None else step.move.move,
            "position": step.position,
            "value": step.value,
            "remoteness_plies": step.remoteness_plies,
        }
        for step in findings.principal
    ]
    columns = (
        Column("ply", "ply"),
        Column("mover", "player", kind="text"),
        Column("name", "move", kind="text"),
        Column("move", "code", kind="text"),
        Column("position", "position after it", kind="text"),
        Column("value", "value", kind="value"),
        Column("remoteness_plies", "remoteness", "plies"),
    )
    return Table("principal_variation", "Principal variation, move by move", columns, rows)


def _pruning(findings: Findings) -> Table:
    columns = (
        *(Column(name, name, kind="text") for name in ("algorithm", "order", "window", "table", "symmetry")),
        Column("value", "value", kind="value"),
        Column("bound", "bound", kind="text"),
        Column("nodes", "nodes"),
        Column("leaves", "leaves"),
        Column("cutoffs", "cutoffs"),
        Column("cutoffs_effective", "effective"),
        Column("table_hits", "table hits"),
        Column("table_entries", "table entries"),
        Column("passes", "passes"),
        Column("branching", "b", kind="mean"),
        Column("relative_to_minimax", "nodes / whole tree", kind="ratio"),
        Column("relative_to_least", "nodes / least", kind="ratio"),
        Column("stopped", "stopped", kind="text"),
    )
    return Table("pruning", "What each search did", columns, _searches(findings, [column.name for column in columns]))


def _searches(findings: Findings, names: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each search, without the seconds, and one for the least possible."""
    if findings.comparison is None:
        return []
    rows = [{name: getattr(row, name) for name in names} for row in findings.comparison.rows]
    least, tree = findings.comparison.least.get("full"), findings.comparison.tree
    if least is not None:
        relative = None if tree is None else least.nodes / tree.nodes
        known = {"algorithm": "least possible", "window": "full", "nodes": least.nodes, "leaves": least.leaves}
        rows.append({**dict.fromkeys(names), **known, "relative_to_minimax": relative, "relative_to_least": 1.0})
    return rows
