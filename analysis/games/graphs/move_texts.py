"""How moves of a graph are written: without blanks and commas, which part moves."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any


def joined(text: str) -> str:
    """Return the text of a move without the blanks and commas in it."""
    return re.sub(r"\s+", "_", re.sub(r"\s*,\s*", ":", text.strip(" ;")))


def as_typed(text: str) -> str:
    """Return the text of a move that may be written as Python writes it.

    >>> as_typed("(0, 1)"), as_typed("('a1', 'b2')"), as_typed("0,1"), as_typed("'left'"), as_typed("far left")
    ('0:1', 'a1:b2', '0:1', 'left', 'far_left')
    """
    try:
        move = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return joined(text)
    return joined(as_text(move, repr) if isinstance(move, (tuple, list, str)) else text)


def as_text(move: object, write: Callable[[Any], str]) -> str:
    """Return a move as a text; ``write`` writes objects that have no text of their own."""
    if move is None:
        return "pass"
    if isinstance(move, (tuple, list)):
        return ":".join(as_text(each, write) for each in move)
    plain: Any = object
    own = isinstance(move, str) or type(move).__str__ is not plain.__str__
    return str(move).strip() if own else write(move)
