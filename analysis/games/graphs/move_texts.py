"""Write the moves of a graph without blanks and commas, which separate moves."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any


def joined(text: str) -> str:
    """Return the text of a move with its blanks and commas replaced."""
    return re.sub(r"\s+", "_", re.sub(r"\s*,\s*", ":", text.strip(" ;")))


def as_typed(text: str) -> str:
    """Return the text of a move that the user may have typed as Python writes it.

    >>> as_typed("(0, 1)"), as_typed("('a1', 'b2')"), as_typed("0,1"), as_typed("'left'"), as_typed("far left")
    ('0:1', 'a1:b2', '0:1', 'left', 'far_left')
    """
    try:
        move = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return joined(text)
    return joined(as_text(move, repr) if isinstance(move, (tuple, list, str)) else text)


def as_text(move: object, write: Callable[[Any], str]) -> str:
    """Return the text of a move; ``write`` gives that of objects without ``__str__``."""
    if move is None:
        return "pass"
    if isinstance(move, (tuple, list)):
        return ":".join(as_text(part, write) for part in move)
    plain: Any = object
    printable = isinstance(move, str) or type(move).__str__ is not plain.__str__
    return str(move).strip() if printable else write(move)
