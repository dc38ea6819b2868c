"""The table of what each search of the pruning laboratory did, and the commands that print it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.reports import report_words
from analysis.reports.findings import Findings
from analysis.reports.report_table import Column, ReportTable

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison
    from analysis.search.laboratory import Row

COLUMNS = (
    *(Column(name, name, kind="text") for name in ("algorithm", "order", "window", "table", "symmetry")),
    Column("value", "value", kind="value"),
    Column("bound", "bound", kind="text"),
    Column("nodes", "nodes", kind="visited"),
    Column("stopped", "stopped", kind="text"),
    Column("leaves", "leaves", kind="seen"),
    Column("cutoffs", "cutoffs", kind="seen"),
    Column("cutoffs_effective", "effective cutoffs", kind="seen"),
    Column("table_hits", "table hits", kind="seen"),
    Column("table_entries", "table entries", kind="seen"),
    Column("passes", "passes", kind="seen"),
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
    names = [name for name in ("order", "symmetry", "bound") if len(_settings(comparison, name)) <= 1]
    return (*names, *(["window"] if len(set(comparison.request.windows)) == 1 else []))


def _settings(comparison: Comparison, name: str) -> set[str]:
    return {getattr(row, name) for row in comparison.rows} - {None}


def prune_command(findings: Findings, comparison: Comparison) -> str:
    """What prints the table."""
    start = f" --from {shlex.quote(findings.solution.start)}" if report_words.elsewhere(findings) else ""
    return f"gametree prune {shlex.quote(findings.game.spec)}{start} --max-nodes {comparison.request.max_nodes}"
