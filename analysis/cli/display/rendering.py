"""Render the parts of an answer as text for a terminal, and as Markdown and LaTeX for pages and papers."""

from __future__ import annotations

import itertools
import operator
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len, set_cell_size

from ...common.markup import as_markup, table_lines
from ...common.wording import visible, visible_lines
from .parts import Columns, Details, Frame, Hint, Paragraph, Part, number

WORDS = {
    "position after", "optimal", "board after", "algorithm", "order", "orders", "window", "table", "symmetry", "count",
    "stopped", "board", "outcome", "side", "player", "by", "position", "would have kept it", "check", "result", "",
}  # fmt: skip
"""Names of columns with texts; columns of numbers are aligned right."""


WIDTH = 80
"""The line width if the output is not a terminal."""


def rendered(part: Part, wide: bool = False) -> str:
    """Return a part as text that fits the terminal.

    Text wraps between words; a table leaves out dispensable columns and says so, unless it may be ``wide``. Numbers are
    never cut.
    """
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    return "".join(line.rstrip() + "\n" for line in _lines(part, width, wide))


def _lines(part: Part, width: int, wide: bool) -> list[str]:
    if isinstance(part, Paragraph):
        return _broken(part, width)
    if isinstance(part, str):
        return visible_lines(part).split("\n")
    if isinstance(part, Frame):
        return _framed(part, width, wide)
    if isinstance(part, Columns):
        return _table(part, width, wide)
    if isinstance(part, Details):
        return [line for inner in part.parts if wide for line in _lines(inner, width, wide)]
    return _pairs(part, width)


def _broken(text: str, width: int) -> list[str]:
    text = visible(text.replace("\n", " "))
    indent = text[: len(text) - len(text.lstrip(" "))]
    lines = textwrap.wrap(
        text, max(width, 1), subsequent_indent=indent and indent + "  ", break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


def _pairs(facts: Mapping[str, str], width: int) -> list[str]:
    """Set names next to their facts."""
    name_width = max(map(cell_len, facts)) + 2
    lines = []
    for name, value in facts.items():
        for line in _broken(value, width - name_width):
            lines.append(set_cell_size(name, name_width) + line)
            name = ""
    return lines


def _table(table: Columns, width: int, wide: bool) -> list[str]:
    rows = [table.names, *([cell if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows)]
    rows = [[visible(cell) for cell in row] for row in rows]
    columns = [_column(table, name, cells) for name, *cells in zip(*rows, strict=True)]
    shown = [not (name in table.details and not wide) for name in table.names]

    def total() -> int:
        return sum(cell_len(column[0]) + table.gap for column, is_shown in zip(columns, shown, strict=True) if is_shown)

    for left_out in () if wide else table.optional:
        if total() - table.gap > width:
            shown = [is_shown and name != left_out for name, is_shown in zip(table.names, shown, strict=True)]
    lines = map((" " * table.gap).join, zip(*itertools.compress(columns, shown), strict=True))
    missing = list(dict.fromkeys(itertools.compress(table.names, map(operator.not_, shown))))
    return [*lines, *(_broken(f"With --wide also: {', '.join(missing)}", width) if missing else [])]


def _column(table: Columns, name: str, cells: Sequence[str]) -> list[str]:
    """Pad the cells of a column to one width."""
    width = max(map(cell_len, (name, *cells)))
    padded = ((text, " " * (width - cell_len(text))) for text in (name, *cells))
    aligned_left = is_left(table, name)
    return [text + pad if aligned_left else pad + text for text, pad in padded]


def is_left(table: Columns, name: str) -> bool:
    """Return whether a column holds texts, aligned left."""
    return name in WORDS or (table.words if isinstance(table.words, bool) else name in table.words)


def _framed(frame: Frame, width: int, wide: bool) -> list[str]:
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    lines = [line for part in frame.parts for line in _lines(part, width - 4, wide)]
    width = max(width, 4 + max(map(cell_len, lines)))
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(Panel(Text("\n".join(lines)), title=Text(visible(frame.title)), title_align="left", expand=False))
    return captured.get().splitlines()


def document(form: str, parts: Iterable[Part], wide: bool = False) -> Iterator[str]:
    """Yield the parts as ``markdown`` or ``latex``, separated by empty lines; with details if ``wide``."""
    for count, block in enumerate(_blocks(form, parts, wide)):
        yield from itertools.chain(["\n"] if count else [], block)


def _blocks(form: str, parts: Iterable[Part], wide: bool) -> Iterator[Iterable[str]]:
    for part in parts:
        if isinstance(part, Frame):
            title = as_markup(form, part.title)
            yield [rf"\textbf{{{title}}}" + "\n" if form == "latex" else f"**{title}**\n"]
            yield from _blocks(form, part.parts, wide)
        elif isinstance(part, Details):
            yield from _blocks(form, part.parts if wide else [], wide)
        elif isinstance(part, Columns):
            yield _document_table(form, part, wide)
        elif not isinstance(part, str):
            yield table_lines(form, ["", ""], "lp", ([name.strip(), value] for name, value in part.items()))
        elif part.strip() and not isinstance(part, Hint):
            yield [_picture(form, part) if "\n" in part else _paragraph(form, part)]


def _document_table(form: str, table: Columns, wide: bool) -> Iterator[str]:
    shown = [wide or name not in table.details for name in table.names]
    names = list(itertools.compress(table.names, shown))
    cells = ([cell if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows)
    rows = ([cell.strip() for cell in itertools.compress(row, shown)] for row in cells)
    kinds = "".join("l" if is_left(table, name) else "r" for name in names)
    return table_lines(form, [name.replace("_", " ") for name in names], kinds, rows)


def _picture(form: str, text: str) -> str:
    """Format lines whose characters are aligned, such as a board."""
    lines = visible_lines(text.rstrip()).split("\n")
    if form == "latex":
        inner = "\\\\\n".join(as_markup(form, line).replace(" ", "~") or "~" for line in lines)
        return f"{{\\noindent\\ttfamily\n{inner}\n}}\n"
    return "".join(f"    {line}\n" for line in lines)


def _paragraph(form: str, text: str) -> str:
    """Format a sentence. In Markdown an indented one belongs to a list, and no other begins a list by accident."""
    escaped = as_markup(form, text.strip())
    depth = (len(text) - len(text.lstrip(" "))) // 2
    if form == "latex":
        return "\\quad " * depth + escaped + "\n"
    marked = f"\\{escaped}" if re.match("[-+#=]", escaped) else re.sub(r"^([0-9]+)(?=[.)])", r"\1\\", escaped)
    return f"{'  ' * (depth - 1) + '- ' if depth else ''}{marked}\n"
