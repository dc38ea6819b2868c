"""What all pages have in common: how templates are filled, the colours, and which characters they hold."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.pictures.style import ROLES

if TYPE_CHECKING:
    import jinja2

TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Controls of the direction of text, which could make a page read otherwise than it is written."""


def environment(templates: Path) -> jinja2.Environment:
    """The templates of a folder; all that is put into them is escaped, and what is missing is an error."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def variables(*, dark: bool = False) -> str:
    """The declarations of all colours, for a style sheet.

    >>> variables().split("; ")[0], variables(dark=True).split("; ")[0]
    ('--ink: #222222', '--ink: #ececec')
    """
    return "; ".join(f"--{role}: {colours[dark]}" for role, colours in ROLES.items())


def printable(text: str) -> str:
    r"""The text with a replacement character for what no page may hold: controls and halves of characters, and marks
    that turn the direction of the text after them.

    >>> printable("a\x00b\ud800c\u202ed\n") == "a\ufffdb\ufffdc\ufffdd\n"
    True
    """
    wrong = {c for c in set(text) if (unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n") or c in TURNING}
    return text.translate(dict.fromkeys(map(ord, wrong), "\N{REPLACEMENT CHARACTER}"))
