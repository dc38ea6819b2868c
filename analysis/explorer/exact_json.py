"""JSON in which no number is so large that a reader rounds it, of ASCII characters alone."""

from __future__ import annotations

import json
from typing import Any

SAFE = 1 << 53
"""Whole numbers from here on, either side of zero, are written as texts: JavaScript rounds them."""


def exact(answer: Any) -> Any:
    """An answer in which no number is so large that a reader of JSON rounds it.

    >>> exact({"games": [9, 2**53, -(2**70)]})
    {'games': [9, '9007199254740992', '-1180591620717411303424']}
    """
    if isinstance(answer, dict):
        return {key: exact(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [exact(value) for value in answer]
    return str(answer) if isinstance(answer, int) and abs(answer) >= SAFE else answer


def exact_json(answer: Any) -> str:
    """An answer as JSON: halves of characters are no matter, since they are escaped."""
    return json.dumps(exact(answer), allow_nan=False, separators=(",", ":"))
