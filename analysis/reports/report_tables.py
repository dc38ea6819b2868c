"""The tables of a report: the same rows as CSV, with raw numbers, and on the page, with separators."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.machine.markup import csv_line
from analysis.reports import report_words
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison
    from analysis.search.laboratory import Row


WRITERS: dict[str, Callable[[Any], str]] = {
    "count": report_words.count,
    "value": report_words.worth,
    "mean": report_words.mean,
    "ratio": report_words.ratio,
    "visited": report_words.count,
    "seen": report_words.count,
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
    """``count``, ``value``, ``mean``, ``ratio``, ``text`` or ``flag``; of searches, which may not have been run or not
    to their end, ``visited`` and ``seen``.
    """
    optional: bool = False
    """Whether the page leaves it out where it holds nothing but 0."""

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers, which stand to the right."""
        return self.kind not in ("text", "flag")

    def text(self, row: dict[str, Any]) -> str:
        """Its cell of a row as the page shows it."""
        cell = row[self.name]
        if not row.get("run", True) and self.kind in ("visited", "seen"):
            return "not run" if self.kind == "visited" else report_words.MISSING
        if cell is None:
            return report_words.MISSING
        said = WRITERS.get(self.kind, str)(cell)
        return f"> {said}" if self.kind == "visited" and row["stopped"] else said


@dataclasses.dataclass(frozen=True)
class ReportTable:
    """Rows of numbers with what is said of them."""

    name: str
    """Of its file, without the suffix."""
    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]

    def csv(self) -> bytes:
        """All columns and rows, UTF-8; a cell without a number is empty."""
        names = [column.name for column in self.columns]
        return "".join(map(csv_line, (names, *([row[name] for name in names] for row in self.rows)))).encode()

    def only(self, title: str, names: Iterable[str]) -> ReportTable:
        """This table with some of its columns and a title of its own, for the page."""
        by_name = {column.name: column for column in self.columns}
        return ReportTable(self.name, title, tuple(by_name[name] for name in names if name in by_name), self.rows)

    @property
    def shown(self) -> list[Column]:
        """The columns that hold anything at all; those are on the page."""
        nothing = {True: (None, 0), False: (None,)}
        return [
            column
            for column in self.columns
            if any(row[column.name] not in nothing[column.optional] for row in self.rows)
        ]

    def cells(self, row: dict[str, Any]) -> list[tuple[Column, str]]:
        """One row as the page shows it."""
        return [(column, column.text(row)) for column in self.shown]


SUMMARY = ("key_numbers", "by_ply", "by_tier", "games_by_length", "by_value", "by_remoteness")
NAMES = (*SUMMARY, "branching", "first_moves", "principal_variation", "pruning")
"""The tables that reports may have; each is a file ``tables/<name>.csv``."""


def make_tables(findings: Findings) -> dict[str, ReportTable]:
    """All tables of a report that have rows, by name."""
    made = (_first_moves(findings), _principal(findings), pruning_table(findings))
    found = [key_numbers(findings), *_counted(findings), *made]
    return {table.name: table for table in found if table.rows}


def key_numbers(findings: Findings) -> ReportTable:
    """Every number of the statistics that is no table, one in a row; those with parts have a row for each."""
    rows = []
    for key, (_, meaning) in report_words.KEYS.items():
        number = findings.statistics[key]
        parts = number.items() if isinstance(number, dict) else [(None, number)]
        for part, value in parts:
            name = key if part is None else f"{key}_{part}"
            rows.append({"key": name, "number": value, "meaning": meaning})
    if findings.nimber is not None:
        rows.append({"key": "nimber", "number": findings.nimber, "meaning": report_words.NIMBER})
    columns = (Column("key", "key", kind="text"), Column("number", "number"), Column("meaning", "meaning", kind="text"))
    return ReportTable("key_numbers", "Key numbers", columns, rows)


def _counted(findings: Findings) -> list[ReportTable]:
    """The tables whose rows are those of the statistics."""
    stats, step = findings.statistics, findings.step
    kinds = [Column(kind, kind, "positions", optional=True) for kind in ("win", "lose", "tie", "draw")]
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
    title = "Positions by value and remoteness, as the player to move sees them"
    remoteness = (Column("remoteness_plies", "remoteness", "plies"), *kinds)
    lengths = (Column("plies", "length", "plies"), *_outcomes(findings, "", "wins", "ties", "games"))
    return [
        *(_steps(findings, step) for step in ("ply", "tier")),
        ReportTable("games_by_length", "Games by length", lengths, stats["games_by_length"] or []),
        ReportTable(
            "by_value",
            "Positions and games by value" if findings.sized else "Games by value",
            by_value,
            stats["by_value"],
        ),
        ReportTable("by_remoteness", title, remoteness, stats["by_remoteness"] or []),
        ReportTable("branching", f"Moves to choose from, by {step}", means, findings.branching),
    ]


def _outcomes(findings: Findings, prefix: str, wins: str, tie: str, unit: str = "") -> list[Column]:
    """Columns of who wins; ``prefix`` is that of their names."""
    headings = {letter: f"{findings.named(letter)} {wins}" for letter in ("X", "O")}
    return [Column(f"{prefix}{key}", said, unit, optional=True) for key, said in {**headings, "tie": tie}.items()]


def _steps(findings: Findings, step: str) -> ReportTable:
    """Counts by ply or by tier."""
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
    *(Column(name, said, kind="text") for name, said in (("name", "move"), ("move", "code"))),
    Column("position", "position after it", kind="text"),
    Column("value", "value", kind="value"),
)
"""Columns of a table of moves."""


def _first_moves(findings: Findings) -> ReportTable:
    rows = []
    for opening in findings.openings:
        move, games = opening.move, opening.games
        counted = dict.fromkeys(("X", "O", "tie", "total")) if games is None else games.to_json()
        rows.append(
            {
                **{name: getattr(move, name) for name in ("name", "move", "position", "value", "remoteness_plies")},
                **{"plies_to_end": opening.plies_to_end, "nimber": move.nimber, "optimal": move.optimal},
                **{f"games_{name}": number for name, number in counted.items()},
                "optimal_paths": opening.optimal_paths,
            }
        )
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


def _principal(findings: Findings) -> ReportTable:
    rows = [
        {
            "ply": step.ply,
            "mover": None if step.mover is None else findings.named(step.mover),
            **{key: None if step.move is None else getattr(step.move, key) for key in ("name", "move")},
            **{key: getattr(step, key) for key in ("position", "value", "remoteness_plies")},
        }
        for step in findings.principal
    ]
    player, remoteness = Column("mover", "player", kind="text"), Column("remoteness_plies", "remoteness", "plies")
    columns = (Column("ply", "ply"), player, *_MOVE, remoteness)
    return ReportTable("principal_variation", "Principal variation, move by move", columns, rows)


COLUMNS = (
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

SHOWN = (
    "algorithm", "nodes", "stopped", "relative_to_minimax", "relative_to_least", "leaves", "cutoffs",
    "cutoffs_effective", "table_hits", "table_entries", "passes", "branching", "value", "bound", "window", "order",
    "symmetry",
)  # fmt: skip
"""The columns of the page, in its order; which searches have a table is told by what they find in it."""


def pruning_table(findings: Findings) -> ReportTable:
    """A row for each search, without the seconds, and one for the least possible."""
    names = [column.name for column in COLUMNS]
    rows = [] if findings.comparison is None else _rows(findings.comparison, names)
    return ReportTable("pruning", "What each search did", COLUMNS, rows)


def _rows(comparison: Comparison, names: Sequence[str]) -> list[dict[str, Any]]:
    rows = [
        {**{name: getattr(row, name) for name in names}, "run": was_run(comparison, row)} for row in comparison.rows
    ]
    least, tree = comparison.least.get("full"), comparison.tree
    if least is not None:
        relative = None if tree is None else least.nodes / tree.nodes
        known = {"algorithm": "least possible", "window": "full", "nodes": least.nodes, "leaves": least.leaves}
        rows.append({**dict.fromkeys(names), **known, "relative_to_minimax": relative, "relative_to_least": 1.0})
    return rows


def was_run(comparison: Comparison, row: Row) -> bool:
    """Whether a search began at all. The laboratory leaves out minimax where it knows the tree to be too large, giving
    the size of that, and searches for which there is no memory.
    """
    return not row.stopped or 0 < row.nodes <= comparison.request.max_nodes


def alike(comparison: Comparison) -> tuple[str, ...]:
    """Columns that say what the protocol says already."""
    settings = {key: {getattr(row, key) for row in comparison.rows} - {None} for key in ("order", "symmetry", "bound")}
    one_window = len(set(comparison.request.windows)) == 1
    return (*(key for key, found in settings.items() if len(found) <= 1), *(["window"] * one_window))
