"""The parts of an answer as lines of text; Rich, which takes its time to load, draws the frames."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping

from rich.cells import cell_len, set_cell_size

from analysis.commands.display.printing import Columns, Frame, Paragraph, Part, number

WORDS = {
    "position after", "optimal", "board after", "algorithm", "order", "orders", "window", "table", "symmetry", "count",
    "stopped", "board", "winner", "side", "player", "by", "position", "would have kept it", "check", "result", "",
}  # fmt: skip
"""The names of columns of texts; those of numbers are to the right."""


def rendered(part: Part) -> str:
    """A part as text: lines are not broken, and tables are as wide as they are, since a number that is cut short is
    wrong; all else fits the terminal.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 200
    return "".join(line.rstrip() + "\n" for line in _lines(part, width))


def _lines(part: Part, width: int) -> list[str]:
    if isinstance(part, Paragraph):
        return _broken(part, width)
    if isinstance(part, str):
        return part.splitlines() or [""]
    if isinstance(part, Frame):
        return _framed(part, width)
    if isinstance(part, Columns):
        return _table(part)
    return _pairs(part, width)


def _broken(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]


def _pairs(facts: Mapping[str, str], width: int) -> list[str]:
    """Names and, beside them, what they are."""
    left = max(map(cell_len, facts)) + 2
    lines = []
    for name, value in facts.items():
        for line in _broken(value, width - left):
            lines.append(set_cell_size(name, left) + line)
            name = ""
    return lines


def _table(table: Columns) -> list[str]:
    rows = [table.names, *([cell if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows)]
    columns = []
    for name, *cells in zip(*rows, strict=True):
        width = max(map(cell_len, (name, *cells)))
        padded = ((text, " " * (width - cell_len(text))) for text in (name, *cells))
        columns.append([text + pad if table.words or name in WORDS else pad + text for text, pad in padded])
    return list(map((" " * table.gap).join, zip(*columns, strict=True)))


def _framed(frame: Frame, width: int) -> list[str]:
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    inside = Text("\n".join(line for part in frame.parts for line in _lines(part, width - 4)))
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(Panel(inside, title=frame.title, title_align="left", expand=False))
    return captured.get().splitlines()
