"""What all pages have in common: how templates are filled, and the colours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.pictures.style import ROLES

if TYPE_CHECKING:
    import jinja2


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
