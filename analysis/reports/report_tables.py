"""The tables of a report and what is in their columns."""

from __future__ import annotations

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
        *_counted(findings),
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
        ReportTable("by_value", "Positions and games by value", by_value, stats["by_value"]),
        ReportTable("by_remoteness", title, remoteness, stats["by_remoteness"]),
        ReportTable("branching", f"Moves to choose from, by {step}", means, findings.branching),
    ]


def _outcomes(findings: Findings, prefix: str, wins: str, tie: str, unit: str = "") -> list[Column]:
    """Columns of who wins; ``prefix`` is that of their names."""
    headings = {letter: f"{report_words.named(findings, letter)} {wins}" for letter in ("X", "O")}
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
        Column("name", "move", kind="text"),
        Column("move", "code", kind="text"),
        Column("position", "position after it", kind="text"),
        Column("value", "value", kind="value"),
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
