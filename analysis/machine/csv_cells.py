"""Cells and lines of CSV: what a game or a file holds is no formula in a spreadsheet, and reads back the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from analysis.wording import whole

SIGNS = "=+-@\t\r"
"""What a spreadsheet takes for the beginning of a formula."""

_FORMULA = re.compile(f"'*[{re.escape(SIGNS)}]").match
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_QUOTED = re.compile('[,"\r\n]').search


def as_cell(text: str) -> str:
    """A text as a cell that no spreadsheet runs: with an apostrophe before what begins like a formula and is no number.

    >>> as_cell("=1+1"), as_cell("-X-O"), as_cell("-1"), as_cell("'=1")
    ("'=1+1", "'-X-O", '-1', "''=1")
    """
    return whole(f"'{text}" if _FORMULA(text) and not _NUMBER(text) else text)


def from_cell(cell: str) -> str:
    """The text that `as_cell` wrote so.

    >>> [from_cell(as_cell(text)) for text in ("=1+1", "'=1", "'a", "-1")]
    ['=1+1', "'=1", "'a", '-1']
    """
    return cell[1:] if cell[:1] == "'" and _FORMULA(cell) else cell


def csv_line(row: Iterable[Any]) -> str:
    r"""A line of CSV with its end: texts by `as_cell`, nothing for None. (`csv.writer` leaves a carriage return bare,
    which readers take for the end of a line.)

    >>> print(csv_line(["@A1", 'a "b" c', -1, None]), end="")
    '@A1,"a ""b"" c",-1,
    """
    return ",".join(_quoted(as_cell(value) if isinstance(value, str) else value) for value in row) + "\n"


def _quoted(value: Any) -> str:
    cell = "" if value is None else str(value)
    return '"' + cell.replace('"', '""') + '"' if _QUOTED(cell) else cell
