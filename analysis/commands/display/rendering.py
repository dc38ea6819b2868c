"""The parts of an answer drawn by Rich, which takes its time to load: only what is printed for people needs it."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from analysis.commands.display.printing import Columns, Frame, Part, number

WORDS = {
    "position after", "optimal", "board after", "algorithm", "order", "orders", "window", "table", "symmetry", "count",
    "stopped", "board", "winner", "side", "player", "by", "position", "would have kept it", "check", "result", "",
}  # fmt: skip
"""The names of columns of texts; those of numbers are to the right."""


def rendered(part: Part) -> str:
    """A part as text: lines are not broken, and tables are as wide as they are, since a number that is cut short is
    wrong; all else fits the terminal.
    """
    width = 1000 if isinstance(part, Columns) else None if sys.stdout.isatty() else 200
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(_drawn(part), soft_wrap=type(part) is str)
    return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())


def _drawn(part: Part) -> RenderableType:
    if isinstance(part, str):
        return Text(part)
    if isinstance(part, Frame):
        return Panel(Group(*map(_drawn, part.parts)), title=part.title, title_align="left", expand=False)
    if isinstance(part, Mapping):
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in part.items():
            table.add_row(name, value)
        return table
    table = Table(box=None, pad_edge=False, padding=(0, part.gap, 0, 0))
    for name in part.names:
        table.add_column(name, justify="left" if part.words or name in WORDS else "right")
    for row in part.rows:
        table.add_row(*(cell if isinstance(cell, str) else number(cell) for cell in row))
    return table
