"""Queries of requests as values, and answers as JSON."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qsl

from analysis.errors import OptionError
from analysis.solution.queries import Query
from analysis.solution.solution import Solution
from analysis.wording import listed

SECONDS = 5.0
"""Limit on the time of a search."""

TOKEN = "token"
"""The field with the token of a server that asks for one."""

MOST_FIELDS = 50
"""Limit on the fields of a query."""

GREATEST = 1 << 62
"""The greatest number that is read."""

_RANGE = re.compile(r"(?P<least>[0-9]{1,9})?(?P<dots>\.\.)?(?P<most>[0-9]{1,9})?", re.ASCII)
_OUTCOMES = ("X", "O", "tie", "draw")


class Asked:
    """The fields of a query. All methods raise `OptionError`."""

    def __init__(self, query: bytes, *known: str) -> None:
        """Read a query with no fields but the ``known`` ones, each at most once, and a token, which is not for
        answers.
        """
        try:
            pairs = parse_qsl(
                query.decode("latin-1"), keep_blank_values=True, errors="surrogatepass", max_num_fields=MOST_FIELDS
            )
        except ValueError:
            raise OptionError("the query is not UTF-8 text, or has too many fields") from None
        self._fields: dict[str, str] = {}
        for name, text in pairs:
            if name == TOKEN:
                continue
            if name not in known:
                raise OptionError(f"there is no field {name!r}; there is {listed(known)}")
            if name in self._fields:
                raise OptionError(f"{name} is given twice")
            self._fields[name] = text

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

    def number_or(self, default: int, name: str, most: int) -> int:
        """Return a whole number from 0, or the ``default``."""
        found = self.number(name, most=most)
        return default if found is None else found

    def flag(self, name: str) -> bool:
        """Return whether something is wanted: ``true``, ``1`` or nothing after the name."""
        text = self._fields.get(name, "false")
        if text not in ("true", "false", "1", "0", ""):
            raise OptionError(f"{name} is true or false, not {text[:40]!r}")
        return text in ("true", "1", "")

    def span(self, name: str) -> range | None:
        """Return a range of numbers, written as ``7``, ``5..9``, ``7..`` or ``..4``."""
        text = self._fields.get(name)
        if text is None:
            return None
        found = _RANGE.fullmatch(text)
        if found is None or not (found["least"] or found["most"]) or (found["most"] and not found["dots"]):
            raise OptionError(f"{name} is a number or a range such as 5..9, 7.. or ..4, not {text[:40]!r}")
        least = int(found["least"] or 0)
        most = int(found["most"]) if found["most"] else GREATEST if found["dots"] else least
        return range(least, most + 1)

    def query(self, solution: Solution) -> Query:
        """Return which classes are wanted, as a query of `queries`."""
        side, value = self.text("to_move"), self.text("value")
        if side not in (None, "X", "O"):
            raise OptionError(f"to_move is {listed(['X', 'O'])}, not {str(side)[:40]!r}")
        if value not in _OUTCOMES:
            self.number("value", least=-32768, most=32767)
        terms = [f"{name}={text}" for name, text in (("to_move", side), ("value", value)) if text is not None]
        if self.text("ply") is not None and not solution.by_ply:
            raise OptionError("the positions of this game are kept by tier, not by ply; ask for tier=")
        tier = "tier" if self.text("ply") is None else "ply"
        for name in ("remoteness", tier):
            if (span := self.span(name)) is not None:
                terms += [f"{name} >= {span.start}", f"{name} < {span.stop}"]
        return Query(solution.game, " and ".join([*terms, *["only_move"] * self.flag("only_move")]))


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
