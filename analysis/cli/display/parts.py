"""What an answer is made of: data, rows, and the parts that people read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...common.results import Printable

Cell = str | int | None
"""A text, a count, or None if unknown."""


class Columns(NamedTuple):
    """A table without lines."""

    names: Sequence[str]
    rows: Iterable[Iterable[Cell]]
    words: bool | Collection[str] = False
    """Whether all columns are aligned left, or the names of those that are, besides those known to hold texts."""
    gap: int = 2
    """Spaces between columns."""
    optional: Sequence[str] = ()
    """Columns left out, in this order, while the table is wider than a line."""
    details: Sequence[str] = ()
    """Columns shown only with ``--wide``."""


class Frame(NamedTuple):
    """Parts in a frame with a title."""

    title: str
    parts: Sequence[Part]


class Paragraph(str):
    """Text that wraps at the width of the terminal, with the indentation of its first line."""


class Hint(str):
    """Lines about what to do next, for terminals only."""


class Details(NamedTuple):
    """Parts shown only with ``--wide``."""

    parts: Sequence[Part]


Part = str | Mapping[str, str] | Columns | Frame | Details
"""Output for people: lines of text, names with facts, a table, a frame around parts, two blocks, or details."""


class Answer(NamedTuple):
    """What a command found, in each format."""

    data: Any
    """As JSON."""
    rows: Sequence[Mapping[str, Any]]
    """As CSV."""
    table: Iterable[Part]
    """For people, pages and papers."""
    columns: Sequence[str] | None = None
    """The columns of the CSV, if it may have no rows."""


def answer(result: Printable, table: Iterable[Part]) -> Answer:
    """Return a result in each format."""
    return Answer(result.to_json(), result.csv_rows(), table, result.columns)


def number(value: int | None) -> str:
    """Format a count for people, or a dash for None."""
    return "-" if value is None else f"{value:,}"


SPARSE = ("unknown", "unfinished", "resigned", "games_unfinished")
"""Columns that are shown only if a number in them is not 0."""


def keyed(rows: Iterable[Mapping[str, Any]], titles: Mapping[str, str], optional: Sequence[str]) -> Columns:
    """Make a table of the columns of ``rows`` that ``titles`` names, without those that are unknown in all rows; the
    ``optional`` ones are left out first if it is too wide.
    """
    rows = [*rows]
    keys = [key for key in titles if any(row.get(key) not in ((None, 0) if key in SPARSE else (None,)) for row in rows)]
    cells = [[f"{row[key]:.4f}" if isinstance(row[key], float) else row[key] for key in keys] for row in rows]
    first = next(iter(titles.values()))
    words = {first} - {"ply", "times"}
    return Columns([titles[key] for key in keys], cells, words, optional=[name for name in optional if name != first])
