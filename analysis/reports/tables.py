"""The tables of a report: the same rows as CSV with raw numbers, and on the page with separators."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..machine.markup import csv_line
from . import words
from .findings import Findings, was_run

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
    "canonical": ("Classes", "classes of positions: those that a symmetry in use maps to each other form one class"),
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

WRITERS: dict[str, Callable[[Any], str]] = {
    "count": words.count,
    "value": words.worth,
    "mean": words.mean,
    "ratio": words.ratio,
    "visited": words.count,
    "seen": words.count,
    "flag": lambda cell: "yes" if cell else "no",
}
"""How the page writes cells of each kind; texts stay as they are."""


class Column(NamedTuple):
    """A column: its name in the CSV file, its heading on the page, and how its numbers are written there."""

    name: str
    heading: str
    unit: str = ""
    kind: str = "count"
    """``count``, ``value``, ``mean``, ``ratio``, ``text``, ``flag`` or, for cut-off searches, ``visited``, ``seen``."""
    optional: bool = False
    """Whether the page omits it if it holds only 0."""

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers, aligned right."""
        return self.kind not in ("text", "flag")

    def text(self, row: dict[str, Any]) -> str:
        """Format its cell of a row for the page."""
        cell = row[self.name]
        if not row.get("run", True) and self.kind in ("visited", "seen"):
            return "not run" if self.kind == "visited" else words.MISSING
        if cell is None:
            return words.MISSING
        said = WRITERS.get(self.kind, str)(cell)
        return f"> {said}" if self.kind == "visited" and row["stopped"] else said


@dataclasses.dataclass(frozen=True)
class ReportTable:
    """Rows of numbers with a title and columns."""

    name: str
    """The name of its file, without the suffix."""
    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    opened: bool = False
    """Whether the page shows it open at first."""

    def csv(self) -> bytes:
        """Return all columns and rows as CSV in UTF-8; missing numbers are empty."""
        names = [column.name for column in self.columns]
        return "".join(map(csv_line, (names, *([row[name] for name in names] for row in self.rows)))).encode()

    def only(self, names: Sequence[str], **changes: Any) -> ReportTable:
        """Select some columns for the page; all if no name is given."""
        by_name = {column.name: column for column in self.columns}
        columns = tuple(by_name[name] for name in (names or by_name) if name in by_name)
        return dataclasses.replace(self, columns=columns, **changes)

    @property
    def shown(self) -> list[Column]:
        """The columns on the page: those that hold anything."""
        return [c for c in self.columns if any(row[c.name] not in (None, *[0] * c.optional) for row in self.rows)]


SUMMARY = ("key_numbers", "by_ply", "by_tier", "games_by_length", "by_value", "by_remoteness")
NAMES = (*SUMMARY, "branching", "first_moves", "principal_variation", "pruning")
"""The tables that reports may have, each a file ``tables/<name>.csv``."""


def make_tables(findings: Findings) -> dict[str, ReportTable]:
    """Make all tables of a report that have rows, by name."""
    stats, step, remote = findings.statistics, findings.step, Column("remoteness_plies", "remoteness", "plies")
    by_value = (
        Column("value", "value", kind="value"),
        Column("positions", "positions worth it"),
        Column("terminal", "terminal positions that pay it"),
        Column("games", "games that end with it"),
    )
    means = (
        Column(step, step),
        Column("positions", "positions to move in"),
        Column("moves_per_position", "moves per position", kind="mean"),
        Column("moves_per_history", "moves per history", kind="mean"),
    )
    kinds = [Column(kind, kind, "positions", optional=True) for kind in ("win", "lose", "tie", "draw")]
    remoteness = "Positions by value and remoteness, as the player to move sees them"
    lengths = (Column("plies", "length", "plies"), *_outcomes(findings, "", "wins", "ties", "games"))
    values = "Positions and games by value" if findings.sized else "Games by value"
    line = (Column("ply", "ply"), Column("mover", "player", kind="text"), *_MOVE, remote)
    found = [
        _key_numbers(findings),
        *(_steps(findings, each) for each in ("ply", "tier")),
        ReportTable("games_by_length", "Games by length", lengths, stats["games_by_length"] or []),
        ReportTable("by_value", values, by_value, stats["by_value"]),
        ReportTable("by_remoteness", remoteness, (remote, *kinds), stats["by_remoteness"] or []),
        ReportTable("branching", f"Moves to choose from, by {step}", means, findings.branching),
        _first_moves(findings),
        ReportTable("principal_variation", "Principal variation, move by move", line, _line_rows(findings)),
        ReportTable("pruning", "What each search did", SEARCHES, _search_rows(findings)),
    ]
    return {table.name: table for table in found if table.rows}


def key_numbers(findings: Findings) -> dict[str, Any]:
    """Return each number of `KEYS`; the nimber only if there is one."""
    numbers = {key: findings.statistics[key] for key in KEYS if key != "nimber"}
    return numbers if findings.nimber is None else numbers | {"nimber": findings.nimber}


def _key_numbers(findings: Findings) -> ReportTable:
    """Make a row for each number, or for each of its parts."""
    rows = []
    for key, number in key_numbers(findings).items():
        parts = {f"{key}_{part}": n for part, n in number.items()} if isinstance(number, dict) else {key: number}
        rows += [{"key": name, "number": value, "meaning": KEYS[key][1]} for name, value in parts.items()]
    columns = (Column("key", "key", kind="text"), Column("number", "number"), Column("meaning", "meaning", kind="text"))
    return ReportTable("key_numbers", "Key numbers", columns, rows)


def _outcomes(findings: Findings, prefix: str, wins: str, tie: str, unit: str = "") -> list[Column]:
    """Make columns for the outcomes; ``prefix`` is that of their names."""
    headings = {letter: f"{findings.named(letter)} {wins}" for letter in ("X", "O")}
    return [Column(f"{prefix}{key}", said, unit, optional=True) for key, said in {**headings, "tie": tie}.items()]


def _steps(findings: Findings, step: str) -> ReportTable:
    """Make the table of counts by ply or by tier."""
    rows = findings.statistics.get(f"by_{step}") or []
    x_wins, o_wins, tie = _outcomes(findings, "value_", "wins", "a tie")
    columns = (
        *(Column(step, step), Column("positions", "positions"), Column("canonical", "classes")),
        *_outcomes(findings, "terminal_", "has won", "tied"),
        *(x_wins, tie, o_wins, Column("value_draw", "a draw", optional=True)),
        *(Column("moves", "moves"), Column("histories", "histories")),
    )
    known = tuple(column for column in columns if rows and column.name in rows[0])
    return ReportTable(f"by_{step}", f"Counts by {step}", known, rows)


_MOVE = (
    Column("name", "move", kind="text"),
    Column("move", "code", kind="text"),
    Column("position", "position after it", kind="text"),
    Column("value", "value", kind="value"),
)
"""Columns of a table of moves."""


def _first_moves(findings: Findings) -> ReportTable:
    rows = []
    for opening in findings.openings:
        counted = dict.fromkeys(("X", "O", "tie", "total")) if opening.games is None else opening.games.to_json()
        games = {f"games_{name}": number for name, number in counted.items()}
        rows.append({**vars(opening), **vars(opening.move), **games, "plies_to_end": opening.plies_to_end})
    columns = (
        *_MOVE,
        Column("remoteness_plies", "remoteness after it", "plies"),
        Column("plies_to_end", "plies to the end", "this move included"),
        Column("nimber", "nimber after it"),
        Column("optimal", "optimal", kind="flag"),
        *_outcomes(findings, "games_", "wins", "ties", "games"),
        Column("games_total", "all", "games"),
        Column("optimal_paths", "optimal paths"),
    )
    return ReportTable("first_moves", "First moves, best first", columns, rows)


def _line_rows(findings: Findings) -> list[dict[str, Any]]:
    return [
        vars(step)
        | {key: None if step.move is None else getattr(step.move, key) for key in ("name", "move")}
        | {"mover": None if step.mover is None else findings.named(step.mover)}
        for step in findings.principal
    ]


SEARCHES = (
    *(Column(name, name, kind="text") for name in ("algorithm", "order", "window", "table", "symmetry")),
    Column("value", "value", kind="value"),
    Column("bound", "bound", kind="text"),
    Column("nodes", "nodes", kind="visited"),
    Column("stopped", "stopped", kind="text"),
    *(Column(name, name, kind="seen") for name in ("leaves", "cutoffs")),
    Column("cutoffs_effective", "effective cutoffs", kind="seen"),
    *(Column(name, name.replace("_", " "), kind="seen") for name in ("table_hits", "table_entries", "passes")),
    Column("branching", "effective branching factor", kind="mean"),
    Column("relative_to_minimax", "nodes / whole tree", kind="ratio"),
    Column("relative_to_least", "nodes / least", kind="ratio"),
)
"""Columns of a search, without the seconds, which differ from run to run."""


def _search_rows(findings: Findings) -> list[dict[str, Any]]:
    """Make a row for each search, and one for the least without a table."""
    comparison, names = findings.comparison, [column.name for column in SEARCHES]
    if comparison is None:
        return []
    rows = [
        {**{name: getattr(row, name) for name in names}, "run": was_run(comparison, row)} for row in comparison.rows
    ]
    least, tree = comparison.least.get("full"), comparison.tree
    if least is not None:
        relative = None if tree is None else least.nodes / tree.nodes
        known = {"algorithm": "least, no table", "window": "full", "nodes": least.nodes, "leaves": least.leaves}
        rows.append({**dict.fromkeys(names), **known, "relative_to_minimax": relative, "relative_to_least": 1.0})
    return rows
