"""What a page is made of, before it is rendered: plain data that knows no markup."""

from __future__ import annotations

import dataclasses

from analysis.reports.figures.style import Picture
from analysis.reports.report_table import ReportTable


@dataclasses.dataclass(frozen=True)
class Fact:
    """A term and what is to be said of it."""

    term: str
    text: str
    code: bool = False
    """Whether it is to be read letter by letter, such as a hash."""


@dataclasses.dataclass(frozen=True)
class KeyPart:
    """One of the numbers that a key number is the sum of."""

    key: str
    label: str
    number: str
    share: str


@dataclasses.dataclass(frozen=True)
class KeyNumber:
    """A number that says something of the whole game."""

    key: str
    """As the statistics name it."""
    label: str
    number: str
    meaning: str
    parts: tuple[KeyPart, ...] = ()


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell of a board that is drawn."""

    row: int
    col: int
    mark: str
    name: str
    """The first move that it stands for, or nothing."""


@dataclasses.dataclass(frozen=True)
class PageBoard:
    """A position to look at: cells or, where it is no board or a very wide one, lines of text."""

    text: str
    label: str
    """What cells show, for readers who cannot see them."""
    caption: str
    cells: tuple[Cell, ...] = ()
    rows: int = 0
    cols: int = 0
    slant: bool = False
    letters: tuple[str, ...] = ()
    """The names of the columns, where moves are named by them."""
    numbers: tuple[str, ...] = ()
    """The names of the rows, likewise."""

    @property
    def named(self) -> bool:
        """Whether cells carry the names of moves."""
        return any(cell.name for cell in self.cells)


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the page under a heading of its own."""

    name: str
    title: str
    text: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    keys: tuple[KeyNumber, ...] = ()
    figures: tuple[Picture, ...] = ()
    tables: tuple[tuple[ReportTable, bool], ...] = ()
    """Each with whether it is open from the start."""
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What is said at the end of it."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing under the heading."""
        return not (self.text or self.facts or self.keys or self.figures or self.tables)
