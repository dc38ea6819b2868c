"""The output of ``gametree prune`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...common.wording import signed, with_count
from ...search.comparison import SETTINGS, Comparison
from ...search.laboratory import Row, Size
from ...search.visits import trace_lines
from .parts import Answer, Columns, Hint, Paragraph, Part

SPARED = ("cutoffs", "passes", "entries", "hits", "b", "seconds", "leaves", "effective", "/ minimax", "table", "value")
"""Columns that a table of searches can do without, most dispensable first."""

EXPLAIN = Hint("--explain defines every count.")


def prune_answer(result: Comparison | list[dict[str, Any]], *, explain: bool = False) -> Answer:
    """Return the results of a comparison, or a table of growth, with an explanation of its numbers if requested."""
    if isinstance(result, Comparison):
        data, rows, parts, explanation = result.to_json(), result.csv_rows(), _comparison(result), result.protocol()
    else:
        data, rows, parts = {"rows": result}, result, _growth(result)
        explanation = (
            f"Moves in {result[0]['order']} order, window {result[0]['window']}; entries: positions stored; "
            "effective: cutoffs that skip a child. All counts are defined as for one game."
        )
    return Answer(data, rows, [*parts, "", Paragraph(explanation) if explain else EXPLAIN])


def _comparison(comparison: Comparison) -> list[Part]:
    parts: list[Part] = [_facts(comparison), ""]
    for name, visits in comparison.traces.items():
        parts += [name, "\n".join(trace_lines(visits)), ""]
    if comparison.rows:
        parts.append(_searches_table(comparison.rows))
    if comparison.own is not None:
        calls = ", ".join(f"{name} {count:,}" for name, count in comparison.own.calls.items())
        facts = {"own search": comparison.own.signature, "begins at": comparison.own.start, "calls": calls}
        parts += ["", facts | {"returns": comparison.own.verdict(comparison.value)}]
    return parts


def _facts(comparison: Comparison) -> dict[str, str]:
    problem = comparison.problem
    facts = {"searched": f"{problem.name} from {problem.describe(problem.root)}"}
    if comparison.value is None:
        facts["least, no table"] = f"unknown: {comparison.unsolved}"
        return facts
    facts["value"] = signed(comparison.value)
    tree = comparison.tree
    facts["whole tree"] = "more than 10^18 nodes" if tree is None else _size_text(tree)
    for window, least in comparison.least.items():
        name = "least, no table" if window == "full" else f"  in window {window}"
        facts[name] = "more than 10^18 nodes" if least is None else _size_text(least)
    return facts


def _size_text(size: Size) -> str:
    return f"{with_count(size.nodes, 'node')}, {with_count(size.leaves, 'leaf', 'leaves')}"


def _searches_table(rows: Sequence[Row]) -> Columns:
    """Make a table with a line for each search; settings that are the same in all of them are details."""
    stopped = any(row.stopped for row in rows)
    head = (
        "algorithm", *SETTINGS, "value", "nodes", "leaves", "cutoffs", "effective", "hits", "entries", "passes", "b",
        "/ minimax", "/ least", "seconds", *["stopped"] * stopped,
    )  # fmt: skip
    cells = [
        [
            row.algorithm, *(getattr(row, name) for name in SETTINGS), value_text(row.value, row.bound),
            row.nodes, row.leaves, row.cutoffs, row.cutoffs_effective, row.table_hits, row.table_entries, row.passes,
            "-" if row.branching is None else f"{row.branching:.2f}", _ratio(row.relative_to_minimax),
            _ratio(row.relative_to_least), f"{row.seconds:.3f}", *[row.stopped or ""] * stopped,
        ]
        for row in rows
    ]  # fmt: skip
    same = [name for name, column in zip(head, zip(*cells, strict=True), strict=True) if len({*column}) == 1]
    details = [name for name in same if name in (*SETTINGS, "value", *SPARED[:4])]
    return Columns(head, cells, optional=SPARED, details=details)


def value_text(value: float | None, bound: str | None) -> str:
    """Format a value with its sign, or a bound of it."""
    if value is None:
        return "-"
    return {"exact": "", "lower": ">= ", "upper": "<= "}[bound or "exact"] + signed(value)


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}" if ratio >= 0.001 else f"{ratio:.1e}"


def _growth(rows: Sequence[dict[str, Any]]) -> list[Part]:
    """Make a table of games and depths against algorithms, as courses print them."""
    head = ["game", "depth", "algorithm", "outcome", "nodes", "leaves", "entries", "effective", "seconds"]
    keys = [{"entries": "table_entries", "effective": "cutoffs_effective"}.get(name, name) for name in head]
    cells = [[row[key] for key in keys] for row in rows]
    for cell, row in zip(cells, rows, strict=True):
        cell[3], cell[-1] = row["outcome"] or "-", f"{row['seconds']:.3f}"
    if any(row["stopped"] for row in rows):
        head.append("stopped")
        cells = [[*cell, row["stopped"] or ""] for cell, row in zip(cells, rows, strict=True)]
    details = ["depth"] if all(row["depth"] is None for row in rows) else []
    return [Columns(head, cells, ("game",), optional=("seconds", "leaves", "entries", "outcome"), details=details)]
