"""Queries of requests as values, and answers as JSON."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qsl

from ..common.wording import in_words
from ..errors import OptionError

SECONDS = 5.0
"""Limit on the time of a search."""

TOKEN = "token"
"""The field with the token of a server that asks for one."""

GREATEST = 1 << 62
"""The greatest number that is read."""


class Asked:
    """The fields of a query. Raises `OptionError` for wrong ones."""

    def __init__(self, query: bytes, *known: str) -> None:
        """Read a query with no fields but the ``known`` ones, and a token, which is not for answers."""
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="surrogatepass")
        self._fields = {name: text for name, text in pairs if name != TOKEN}
        if unknown := next((name for name in self._fields if name not in known), None):
            raise OptionError(f"there is no field {unknown!r}; there is {in_words(known)}")

    def text(self, name: str) -> str | None:
        """Return a field as it is."""
        return self._fields.get(name)

    def number(self, name: str, least: int = 0, most: int = GREATEST) -> int | None:
        """Return a whole number."""
        text = self._fields.get(name)
        if text is None:
            return None
        if not re.fullmatch(r"-?[0-9]{1,19}", text, re.ASCII) or not least <= int(text) <= most:
            raise OptionError(f"{name} is a whole number from {least} to {most}, not {text[:40]!r}")
        return int(text)


SAFE = 1 << 53
"""Whole numbers at least this far from zero are written as texts, since JavaScript rounds them."""


def exact(answer: Any) -> Any:
    """Return an answer with large whole numbers as texts.

    >>> exact({"games": [9, 2**53, -(2**70)]})
    {'games': [9, '9007199254740992', '-1180591620717411303424']}
    """
    if isinstance(answer, dict):
        return {key: exact(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [exact(value) for value in answer]
    if isinstance(answer, Fraction):
        return float(answer)
    return str(answer) if isinstance(answer, int) and abs(answer) >= SAFE else answer


def exact_json(answer: Any) -> str:
    """Return an answer as JSON in ASCII, so that half characters do no harm."""
    return json.dumps(exact(answer), allow_nan=False, separators=(",", ":"))
