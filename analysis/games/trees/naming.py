"""What is called like a tree: files by their suffixes, and trees written out."""

from __future__ import annotations

import contextlib
from pathlib import Path

SUFFIXES = (".graphml", ".json", ".txt", ".tree")
"""How files of trees are called that are missed if they are not there."""


def is_written_out(text: str) -> bool:
    """Return whether a text is itself a tree, not a path with brackets in it."""
    if not (
        text.lstrip().startswith(("{", "[")) or ("(" in text and not text.partition(":")[0].strip().endswith(".py"))
    ):
        return False
    with contextlib.suppress(OSError, ValueError):
        return not Path(text).exists()
    return True
