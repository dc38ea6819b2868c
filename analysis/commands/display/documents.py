"""The parts of an answer as Markdown and as LaTeX, for pages and papers: nothing is left out for its width."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from analysis.commands.display.printing import Beside, Columns, Details, Frame, Hint, Part, number
from analysis.commands.display.rendering import is_left
from analysis.machine.markup import as_markup, table_lines
from analysis.wording import visible_lines


def document(form: str, parts: Iterable[Part], wide: bool = False) -> Iterator[str]:
    """The parts as ``markdown`` or ``latex``, an empty line between two; details if it may be ``wide``."""
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
        elif isinstance(part, Beside):
            yield from _blocks(form, [part.left, part.right], wide)
        elif isinstance(part, Columns):
            yield _table(form, part, wide)
        elif not isinstance(part, str):
            yield table_lines(form, ["", ""], "lp", ([name.strip(), value] for name, value in part.items()))
        elif part.strip() and not isinstance(part, Hint):
            yield [_picture(form, part) if "\n" in part else _paragraph(form, part)]


def _table(form: str, table: Columns, wide: bool) -> Iterator[str]:
    shown = [wide or name not in table.details for name in table.names]
    names = list(itertools.compress(table.names, shown))
    cells = ([cell if isinstance(cell, str) else number(cell) for cell in row] for row in table.rows)
    rows = ([cell.strip() for cell in itertools.compress(row, shown)] for row in cells)
    kinds = "".join("l" if is_left(table, name) else "r" for name in names)
    return table_lines(form, [name.replace("_", " ") for name in names], kinds, rows)


def _picture(form: str, text: str) -> str:
    """Lines whose signs stand below each other, such as a board."""
    lines = visible_lines(text.rstrip()).split("\n")
    if form == "latex":
        inner = "\\\\\n".join(as_markup(form, line).replace(" ", "~") or "~" for line in lines)
        return f"{{\\noindent\\ttfamily\n{inner}\n}}\n"
    return "".join(f"    {line}\n" for line in lines)


def _paragraph(form: str, text: str) -> str:
    """A sentence. In Markdown one that is indented belongs to a list, and none begins one by its own signs."""
    said = as_markup(form, text.strip())
    depth = (len(text) - len(text.lstrip(" "))) // 2
    if form == "latex":
        return "\\quad " * depth + said + "\n"
    marked = f"\\{said}" if re.match("[-+#=]", said) else re.sub(r"^([0-9]+)(?=[.)])", r"\1\\", said)
    return f"{'  ' * (depth - 1) + '- ' if depth else ''}{marked}\n"
