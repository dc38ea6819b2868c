"""A table: the same rows as CSV, with raw numbers, and on the page, with separators."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable
from typing import Any

from analysis.reports import report_words

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
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([row[column.name] for column in self.columns] for row in self.rows)
        return file.getvalue().encode("utf-8", "replace")

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
