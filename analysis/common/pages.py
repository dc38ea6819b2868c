"""What all pages share: colours with one meaning each, and templates.

Hues are those of Okabe and Ito ("Color Universal Design", 2008), which colour-blind people can tell apart.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

ROLES = {
    "ink": ("#222222", "#ececec"),
    "muted": ("#5c5c5c", "#a9aeb6"),
    "rule": ("#d9d9d9", "#3b4048"),
    "paper": ("#ffffff", "#14171c"),
    "first": ("#0072b2", "#56b4e9"),
    "second": ("#d55e00", "#f08a3c"),
    "second-text": ("#b34f00", "#f59a55"),
    "loss": ("#ad1f68", "#f27db6"),
    "tie": ("#8c8c8c", "#979797"),
    "heat": ("#009e73", "#2fbf95"),
    "purple": ("#cc79a7", "#dd93bd"),
    "amber": ("#a66f00", "#e69f00"),
}
"""Colours by role, on a light and on a dark page. Files are drawn with the light ones."""


@functools.cache
def environment(templates: Path) -> jinja2.Environment:
    """Return the templates of a folder; inserted values are escaped, and a missing one is an error."""
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
    """Return declarations of all colours for a style sheet.

    >>> variables().split("; ")[0], variables(dark=True).split("; ")[0]
    ('--ink: #222222', '--ink: #ececec')
    """
    return "; ".join(f"--{role}: {colours[dark]}" for role, colours in ROLES.items())
