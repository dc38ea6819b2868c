"""The tables of a report and what is in their columns."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.reports import report_words
from analysis.reports.findings import Findings
from analysis.reports.report_table import Column, ReportTable
from analysis.reports.search_table import pruning_table

SUMMARY = ("key_numbers", "by_ply", "by_tier", "games_by_length", "by_value", "by_remoteness")
NAMES = (*SUMMARY, "branching", "first_moves", "principal_variation", "pruning")
"""The tables that reports may have; each is a file ``tables/<name>.csv``."""


def make_tables(findings: Findings) -> dict[str, ReportTable]:
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
        pruning_table(findings),
    ]
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


def _steps(findings: Findings) -> list[ReportTable]:
    tables = []
    for step in ("ply", "tier"):
        rows = findings.statistics.get(f"by_{step}") or []
        names = rows[0] if rows else {}
        columns = tuple(column for column in _step_columns(findings, step) if column.name in names)
        tables.append(ReportTable(f"by_{step}", f"Counts by {step}", columns, rows))
    return tables


def _step_columns(findings: Findings, step: str) -> Sequence[Column]:
    first, second = findings.game.players
    return (
        Column(step, step),
        Column("positions", "positions"),
        Column("canonical", "classes"),
        Column("terminal_X", f"{first} has won", optional=True),
        Column("terminal_O", f"{second} has won", optional=True),
        Column("terminal_tie", "tied", optional=True),
        Column("value_X", f"{first} wins", optional=True),
        Column("value_tie", "a tie", optional=True),
        Column("value_O", f"{second} wins", optional=True),
        Column("value_draw", "a draw", optional=True),
        Column("moves", "moves"),
        Column("histories", "histories"),
    )


def _lengths(findings: Findings) -> ReportTable:
    first, second = findings.game.players
    columns = (
        Column("plies", "length", "plies"),
        Column("X", f"{first} wins", "games", optional=True),
        Column("O", f"{second} wins", "games", optional=True),
        Column("tie", "ties", "games", optional=True),
    )
    return ReportTable("games_by_length", "Games by length", columns, findings.statistics["games_by_length"] or [])


def _values(findings: Findings) -> ReportTable:
    columns = (
        Column("value", "value", kind="value"),
        Column("positions", "positions worth it"),
        Column("terminal", "terminal positions that pay it"),
        Column("games", "games that end with it"),
    )
    return ReportTable("by_value", "Positions and games by value", columns, findings.statistics["by_value"])


def _remoteness(findings: Findings) -> ReportTable:
    columns = (
        Column("remoteness_plies", "remoteness", "plies"),
        Column("win", "win", "positions", optional=True),
        Column("lose", "lose", "positions", optional=True),
        Column("tie", "tie", "positions", optional=True),
        Column("draw", "draw", "positions", optional=True),
    )
    rows = findings.statistics["by_remoteness"]
    return ReportTable(
        "by_remoteness", "Positions by value and remoteness, as the player to move sees them", columns, rows
    )


def _branching(findings: Findings) -> ReportTable:
    columns = (
        Column(findings.step, findings.step),
        Column("positions", "positions to move in"),
        Column("moves_per_position", "moves per position", kind="mean"),
        Column("moves_per_history", "moves per history", kind="mean"),
    )
    return ReportTable("branching", f"Moves to choose from, by {findings.step}", columns, findings.branching)


def _first_moves(findings: Findings) -> ReportTable:
    first, second = findings.game.players
    rows = []
    for opening in findings.openings:
        move, games = opening.move, opening.games
        counted = dict.fromkeys(("X", "O", "tie", "total")) if games is None else games.to_json()
        rows.append(
            {
                **{name: getattr(move, name) for name in ("name", "move", "position", "value", "remoteness_plies")},
                "plies_to_end": None if move.remoteness_plies is None else move.remoteness_plies + 1,
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
        Column("plies_to_end", "plies to the end", "this move included"),
        Column("nimber", "nimber after it"),
        Column("optimal", "optimal", kind="flag"),
        Column("games_X", f"{first} wins", "games", optional=True),
        Column("games_O", f"{second} wins", "games", optional=True),
        Column("games_tie", "ties", "games", optional=True),
        Column("games_total", "all", "games"),
        Column("optimal_paths", "optimal paths"),
    )
    return ReportTable("first_moves", "First moves, best first", columns, rows)


def _principal(findings: Findings) -> ReportTable:
    rows = [
        {
            "ply": step.ply,
            "mover": None if step.mover is None else report_words.named(findings, step.mover),
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
    return ReportTable("principal_variation", "Principal variation, move by move", columns, rows)
