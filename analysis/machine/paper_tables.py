"""Tables for papers and pages: as Markdown, and as LaTeX that needs no package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from analysis.machine.tex import as_tex
from analysis.wording import visible

FORMS = ("markdown", "latex")

_WIDTHS = {"l": "l", "r": "r", "p": r"p{0.7\linewidth}"}
"""Columns of LaTeX: texts, numbers, and texts that are broken into lines."""


def as_markup(form: str, text: str) -> str:
    """A text as ``markdown`` or ``latex`` shows it, without any markup of its own."""
    return as_tex(text) if form == "latex" else as_markdown(text)


def as_markdown(text: str) -> str:
    r"""A text as Markdown shows it, on one line and also in a cell of a table.

    >>> print(as_markdown("dots_and_boxes | <b>"))
    dots\_and\_boxes \| &lt;b&gt;
    """
    escaped = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", visible(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def table_lines(form: str, heads: Sequence[str], kinds: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""The lines of a table as ``markdown`` or ``latex``, made one by one.

    Args:
        form: One of `FORMS`.
        heads: The names of the columns; empty texts for a table without a head.
        kinds: A letter for each column: ``l`` for texts, ``r`` for numbers, ``p`` for texts longer than a line.
        rows: The cells as plain text.

    >>> print("".join(table_lines("latex", ["game", "value"], "lr", [["dots_and_boxes", "-1"]])), end="")
    \begin{tabular}{lr}
    \hline
    game & value \\
    \hline
    dots\_and\_boxes & -1 \\
    \hline
    \end{tabular}
    """
    begin, between, end = ("", " & ", r" \\") if form == "latex" else ("| ", " | ", " |")

    def line(cells: Iterable[str]) -> str:
        return f"{begin}{between.join(cells)}{end}\n"

    written = (line(as_markup(form, cell) for cell in row) for row in rows)
    if form != "latex":
        yield line(as_markdown(head) for head in heads)
        yield line("---:" if kind == "r" else "---" for kind in kinds)
        yield from written
        return
    yield rf"\begin{{tabular}}{{{''.join(map(_WIDTHS.__getitem__, kinds))}}}" + "\n\\hline\n"
    if any(heads):
        yield line(map(as_tex, heads)) + "\\hline\n"
    yield from written
    yield "\\hline\n\\end{tabular}\n"
