"""Write texts of games and files safely in CSV, XML, TeX and Markdown: shown literally, never interpreted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .wording import visible, visible_lines, whole

SIGNS = "=+-@"
"""Characters that a spreadsheet takes for the start of a formula, once control characters are escaped."""

_FORMULA = re.compile(f"'*[{re.escape(SIGNS)}]").match
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_QUOTED = re.compile('[,"\n]').search


def as_cell(text: str) -> str:
    r"""Return a text as a cell that no spreadsheet runs and no terminal obeys: an apostrophe precedes what looks like a
    formula but not a number, and control characters other than line ends are escaped.

    >>> as_cell("=1+1"), as_cell("-X-O"), as_cell("-1"), as_cell("'=1")
    ("'=1+1", "'-X-O", '-1', "''=1")
    >>> print(as_cell("\x1b[31mred"))
    \x1b[31mred
    """
    text = visible_lines(whole(text))
    return f"'{text}" if _FORMULA(text) and not _NUMBER(text) else text


def from_cell(cell: str) -> str:
    """Return the text that `as_cell` encoded, except for escaped control characters.

    >>> [from_cell(as_cell(text)) for text in ("=1+1", "'=1", "'a", "-1")]
    ['=1+1', "'=1", "'a", '-1']
    """
    return cell[1:] if cell[:1] == "'" and _FORMULA(cell) else cell


def csv_line(row: Iterable[Any]) -> str:
    """Return a line of CSV with its end: texts by `as_cell`, None as an empty cell, lists with spaces between.

    >>> print(csv_line(["@A1", 'a "b" c', -1, None, True, [1, 2]]), end="")
    '@A1,"a ""b"" c",-1,,true,1 2
    """
    return ",".join(map(_quoted, row)) + "\n"


def _quoted(value: Any) -> str:
    value = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    cell = as_cell(value) if isinstance(value, str) else "" if value is None else str(value)
    cell = cell.lower() if isinstance(value, bool) else cell
    return '"' + cell.replace('"', '""') + '"' if _QUOTED(cell) else cell


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after the end of a row it would start the optional space
    "*": "{*}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
}
"""Braces are escaped in pairs, since BibTeX counts them whether escaped or not."""


def as_tex(text: str) -> str:
    r"""Return a text for LaTeX and BibTeX, on one line.

    >>> print(as_tex("dots_and_boxes: 50% of {a}"))
    dots\_and\_boxes: 50\% of {\textbraceleft}a{\textbraceright}
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in visible(text)).replace("--", "-{}-").replace("--", "-{}-")


FORMS = ("markdown", "latex")

_WIDTHS = {"l": "l", "r": "r", "p": r"p{0.7\linewidth}"}
"""Columns in LaTeX: texts, numbers, and texts broken into lines."""


def as_markup(form: str, text: str) -> str:
    """Return a text as literal ``markdown`` or ``latex``."""
    return as_tex(text) if form == "latex" else as_markdown(text)


def as_markdown(text: str) -> str:
    r"""Return a text as literal Markdown on one line, also for a cell of a table.

    >>> print(as_markdown("dots_and_boxes | <b>"))
    dots\_and\_boxes \| &lt;b&gt;
    """
    escaped = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", visible(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def table_lines(form: str, heads: Sequence[str], kinds: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""Yield the lines of a table as ``markdown`` or ``latex``, made one by one.

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

    lines = (line(as_markup(form, cell) for cell in row) for row in rows)
    if form != "latex":
        yield line(as_markdown(head) for head in heads)
        yield line("---:" if kind == "r" else "---" for kind in kinds)
        yield from lines
        return
    yield rf"\begin{{tabular}}{{{''.join(map(_WIDTHS.__getitem__, kinds))}}}" + "\n\\hline\n"
    if any(heads):
        yield line(map(as_tex, heads)) + "\\hline\n"
    yield from lines
    yield "\\hline\n\\end{tabular}\n"


_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    r"""Return the text with U+FFFD for each control character and change of direction, which names in user games may
    contain and XML and pages may not (https://www.w3.org/TR/xml/#charsets).

    >>> printable("a\x00b\ud800c\u202ed\x9b\r\n") == "a\ufffdb\ufffdc\ufffdd\ufffd\ufffd\n"
    True
    """
    return _UNPRINTABLE.sub("\ufffd", text)
