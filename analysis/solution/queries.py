"""What is asked of classes: terms such as ``remoteness >= 7``, joined by ``and``, ``or``, ``not`` and parentheses.

A condition is told of many classes at once, by the columns that are known of them. Where some are not known yet, such
as the numbers of moves, it tells which classes match in any case and which may match (Kleene's logic of three values),
so that no more is found out than is needed.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, NoReturn

import numpy as np

from analysis.engine.columns import COUNT_COLUMNS
from analysis.errors import OptionError, PositionError
from analysis.solution.class_fields import FIELDS, MOVE, OF_MOVES, Field, Known, beside
from analysis.wording import listed

DEEPEST = 50
"""Parentheses and ``not`` within each other, at most."""

MOST_CODE = 254
"""The greatest code of a move."""

LONGEST = 2000
"""Characters of a query."""

DIGITS = 40
"""Characters of a number; the greatest count has 38 digits."""

TRUE = np.bool_(True)
FALSE = np.bool_(False)

_SIGNS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<number>[-+]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+|%)?)|(?P<word>[^\W\d]\w*)|(?P<sign>[<>!=]=?)|(?P<bracket>[()])"
)


_MOVE = re.compile(r"\"(?P<twice>[^\"]*)\"|'(?P<once>[^']*)'|(?P<bare>[^\s()\"']+)")
"""A move, in quotation marks where it has a blank."""

ReadMove = Callable[[str], int]
"""The code of a move that a text names; raises `PositionError` where it names none."""


def _read_code(text: str) -> int:
    if text.isdecimal() and len(text) <= DIGITS and int(text) <= MOST_CODE:
        return int(text)
    raise PositionError(f"the code of a move is a number from 0 to {MOST_CODE}")


# What is asked --------------------------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """Of each class, bool[n], or of all of them, bool[]."""

    certain: np.ndarray | np.bool_
    """Whether it matches, whatever else is found out."""
    possible: np.ndarray | np.bool_
    """Whether it may match."""


@dataclasses.dataclass(frozen=True)
class Term:
    """A field compared with a number, or with the code of a word."""

    field: Field
    sign: str
    number: Fraction | int
    coded: bool

    @property
    def columns(self) -> frozenset[str]:
        """What is needed to tell."""
        return frozenset(self.field.columns)

    def bounds(self, known: Known) -> Bounds:
        """What can be told by the columns that are ``known``."""
        if not self.columns <= known.keys():
            return Bounds(FALSE, TRUE)
        of = self.field.codes if self.coded else self.field.numbers
        assert of is not None
        found, number = of(known), self.number
        if self.field is FIELDS[MOVE]:
            word, bit = divmod(int(number), 64)
            found, number = found[:, word] >> np.uint64(bit) & np.uint64(1), 1
        elif found.ndim == 2:
            found, number = beside(found, int(number)), 0
        told = _SIGNS[self.sign](found, float(number) if isinstance(number, Fraction) else number)
        return Bounds(told, told)


@dataclasses.dataclass(frozen=True)
class Not:
    """What does not match."""

    part: Condition

    @property
    def columns(self) -> frozenset[str]:
        """What is needed to tell."""
        return self.part.columns

    def bounds(self, known: Known) -> Bounds:
        """What can be told by the columns that are ``known``."""
        certain, possible = self.part.bounds(known)
        return Bounds(~possible, ~certain)


@dataclasses.dataclass(frozen=True)
class Joined:
    """What matches all of some conditions, or any of them. All of none is everything."""

    parts: Sequence[Condition]
    every: bool

    @property
    def columns(self) -> frozenset[str]:
        """What is needed to tell."""
        return frozenset[str]().union(*(part.columns for part in self.parts))

    def bounds(self, known: Known) -> Bounds:
        """What can be told by the columns that are ``known``."""
        join, told = (operator.and_, TRUE) if self.every else (operator.or_, FALSE)
        found = [part.bounds(known) for part in self.parts]
        return Bounds(*(functools.reduce(join, each, told) for each in zip(*found, strict=True))) if found else _ALL


Condition = Term | Not | Joined
_ALL = Bounds(TRUE, TRUE)


class Query:
    """Which classes are wanted.

    >>> query = Query("not terminal and (value=tie or remoteness >= 7)")
    >>> query.possible({"tier": np.array([3]), "terminal": np.array([True])}, 1).tolist()
    [False]
    """

    def __init__(self, text: str = "", players: tuple[str, str] = ("X", "O"), read_move: ReadMove = _read_code) -> None:
        """By its ``text``, in which ``players`` may be called so, too, and moves as ``read_move`` reads them; without
        text all are wanted. Raises `OptionError`, saying where it is wrong and what would be right.
        """
        reader = _Reader(text, players, read_move)
        self.text = text
        self.condition: Condition = reader.condition() if text.strip() else Joined((), every=True)
        self.columns = self.condition.columns
        """What is needed to tell which classes match."""
        self.fields = frozenset(reader.named)
        """The names of the fields that it is about."""

    @property
    def asks_moves(self) -> bool:
        """Whether it is about moves, which only the rules tell."""
        return not self.columns.isdisjoint(OF_MOVES)

    @property
    def asks_counts(self) -> bool:
        """Whether it is about games, histories or paths."""
        return not self.columns.isdisjoint(COUNT_COLUMNS)

    def possible(self, known: Known, rows: int) -> np.ndarray:
        """bool[rows]: which classes may match, by what is ``known`` of them; with all of `columns`, which do."""
        return np.broadcast_to(self.condition.bounds(known).possible, rows)


# Reading --------------------------------------------------------------------------------------------------------------


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


class _Reader:
    """Reads a query from left to right: ``or`` joins what ``and`` has joined, and ``not`` is for what follows it."""

    def __init__(self, text: str, players: tuple[str, str], read_move: ReadMove) -> None:
        self._text, self._place, self._depth, self._read_move = text, 0, 0, read_move
        self.named: set[str] = set()
        """The fields of the terms so far."""
        self._names = dict(zip((player.lower() for player in players), (1, -1), strict=True))
        if len(text) > LONGEST:
            raise OptionError(f"a query has at most {LONGEST:,} characters, not {len(text):,}")
        self._tokens = self._split()

    def condition(self) -> Condition:
        found = self._joined()
        if self._next.kind:
            self._refuse("here it ends, or goes on with 'and' or 'or'")
        return found

    def _split(self) -> list[_Token]:
        tokens, place = list[_Token](), 0
        while (rest := self._text[place:].lstrip()) != "":
            place = len(self._text) - len(rest)
            moving = [token.text for token in tokens[-2:-1]] == [MOVE] and tokens[-1].kind == "sign"
            found = (_MOVE.match(self._text, place) if moving else None) or _TOKEN.match(self._text, place)
            if found is None or found[0] == "!":
                self._refuse(
                    "that is no part of a query, such as 'value=tie and only_move'", _Token("", rest[0], place)
                )
            kind = "move" if found.re is _MOVE else str(found.lastgroup)
            tokens.append(_Token(kind, str(found[found.lastgroup or 0]), place))
            place = found.end()
        return [*tokens, _Token("", "", len(self._text))]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _takes(self, text: str) -> bool:
        """Whether this comes next; it is then behind us."""
        found = self._next.kind != "" and self._next.text.lower() == text
        self._place += found
        return found

    def _joined(self, every: bool = False) -> Condition:
        part = self._single if every else functools.partial(self._joined, every=True)
        parts = [part()]
        while self._takes("and" if every else "or"):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(tuple(parts), every)

    def _single(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"there are at most {DEEPEST} of ( and not within each other")
        if self._takes("not"):
            found: Condition = Not(self._single())
        elif self._takes("("):
            found = self._joined()
            if not self._takes(")"):
                self._refuse("the ( needs a ), or go on with 'and' or 'or'")
        else:
            found = self._term()
        self._depth -= 1
        return found

    def _term(self) -> Term:
        name = self._next
        if name.kind != "word" or name.text not in FIELDS:
            self._refuse(f"a term begins with {listed(list(FIELDS))}")
        self._place += 1
        self.named.add(name.text)
        field, sign = FIELDS[name.text], self._next
        if sign.kind != "sign":
            if not field.alone:
                self._refuse(f"write = != < <= > or >= after {name.text}, and {field.takes}")
            return Term(field, "=", 1, coded=True)
        self._place += 1
        if name.text == MOVE:
            return self._move(field, sign)
        found, words = self._next, self._words(field)
        if found.kind == "word" and found.text.lower() in words:
            if sign.text not in ("=", "==", "!="):
                self._refuse(f"{found.text} is no number: write = or !=", sign)
            self._place += 1
            word = found.text.lower()
            return Term(field.also.get(word, field), sign.text, words[word], coded=True)
        number = self._number(field) if found.kind == "number" else None
        if number is None:
            self._refuse(
                f"{name.text} is compared with {field.takes}" if not field.alone else f"{name.text} is {field.takes}"
            )
        self._place += 1
        return Term(field, sign.text, number, coded=False)

    def _move(self, field: Field, sign: _Token) -> Term:
        """A term about moves."""
        if sign.text not in ("=", "==", "!="):
            self._refuse("a move is no number: write = or !=", sign)
        if self._next.kind != "move":
            self._refuse(f"{MOVE} is compared with {field.takes}")
        try:
            code = self._read_move(self._next.text)
        except PositionError as error:
            self._refuse(str(error))
        self._place += 1
        return Term(field, sign.text, code, coded=True)

    def _words(self, field: Field) -> dict[str, int]:
        """Words and their codes; X and O are always the first player and the second."""
        named = self._names if "X" in field.words else {}
        also = {word: other.words[word] for word, other in field.also.items()}
        return named | also | {word.lower(): code for word, code in field.words.items()}

    def _number(self, field: Field) -> Fraction | int | None:
        """The number that comes next, None where it is none that the field is compared with."""
        text = self._next.text
        whole = text.lstrip("+-").isdecimal()
        if field.numbers is None or len(text) > DIGITS or (field.whole and not whole):
            return None
        try:
            number = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except (ValueError, ZeroDivisionError):  # 0.5/2 is no fraction, and 1/0 no number
            return None
        if field.whole:
            return int(number)
        return number if 0 <= number <= 1 else None

    def _refuse(self, right: str, at: _Token | None = None) -> NoReturn:
        found = at or self._next
        shown = self._text if len(self._text) <= 60 else f"{self._text[:57]}..."
        where = f"at {found.text[:40]!r}, character {found.place + 1}" if found.text else "at its end"
        raise OptionError(f"query {shown!r}, {where}: {right}")
