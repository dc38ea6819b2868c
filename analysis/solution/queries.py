"""Queries about classes: terms such as ``remoteness >= 7``, joined by ``and``, ``or``, ``not`` and parentheses.

A query becomes a function from rows to truth values, null if a deciding column is not there yet, such as the numbers of
moves. Thus pyarrow's three-valued logic tells which classes may match, and nothing is computed in vain.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine.columns import COUNT_COLUMNS, array, column
from analysis.errors import OptionError, PositionError
from analysis.games.trees.numbers import exact
from analysis.rules.game import Game
from analysis.wording import listed, meant

MOVES, KEEPING, BEST = OF_MOVES = "moves", "keeping", "best_moves"
"""Columns that only the rules tell: legal moves, those that keep the value, and the codes of the latter."""

WIDE = pa.decimal256(40, 0)
"""The type of counts, and their operands, in comparisons."""

DRAWN = 2
"""The outcome of a draw; others are the sign of the value."""

DEEPEST = 50
"""The deepest nesting of parentheses and ``not``."""

LONGEST = 2000
"""The longest query, in characters."""

DIGITS = 40
"""The longest number, in characters; the greatest count has 38 digits."""

Column = Callable[[pa.Table], Any]
"""A column of rows, or a function of some; null where a class has none."""

_SIGNS = {
    "=": pc.equal, "==": pc.equal, "!=": pc.not_equal,
    "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<number>[-+]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+|%)?)|(?P<word>[^\W\d]\w*)|(?P<sign>[<>!=]=?)|(?P<bracket>[()])"
)
_MOVE = re.compile(r"\"(?P<twice>[^\"]*)\"|'(?P<once>[^']*)'|(?P<bare>[^\s()\"']+)")
"""A move, in quotation marks if it contains a space."""

# Fields ---------------------------------------------------------------------------------------------------------------


class Field(NamedTuple):
    """A field of a term. Comparisons with a missing value are false, except ``!=``."""

    takes: str
    """Its operands, in words."""
    columns: tuple[str, ...]
    """The columns needed."""
    numbers: Column | None = None
    """The column compared with numbers."""
    words: Mapping[str, tuple[Column, Any]] = {}
    """The column compared with each word, and the value it stands for."""
    whole: bool = True
    """Whether its numbers are whole; otherwise they are probabilities."""

    @property
    def alone(self) -> bool:
        """Whether its name alone is a term."""
        return "true" in self.words


def constant(value: float) -> pa.Scalar:
    """Return a number or a truth value to compare with. (``pa.scalar`` would load pandas.)"""
    return column(np.array([value]))[0]


def side(rows: pa.Table) -> Any:
    """Return +1 where the first player moves, -1 where the second does, null where the game is over."""
    return pc.if_else(rows["terminal"], pa.nulls(1, pa.int8())[0], rows["to_move"])


def outcome(rows: pa.Table) -> Any:
    """Return the outcome under optimal play: the sign of the value, or `DRAWN`."""
    return pc.if_else(pc.is_null(rows["remoteness_plies"]), constant(DRAWN), pc.sign(rows["value"]))


def chance(rows: pa.Table) -> Any:
    """Return the chance to err, float64: the share of moves that do not keep the value. A single division, so that it
    equals the nearest number to the same fraction.
    """
    moves = rows[MOVES].cast(pa.float64())
    some = pc.if_else(pc.equal(moves, constant(0)), pa.nulls(1, pa.float64())[0], moves)
    return pc.divide(pc.subtract(moves, rows[KEEPING]), some)


def games(rows: Mapping[str, Any] | pa.Table) -> Any:
    """Return the complete games from each class on."""
    return functools.reduce(pc.add, (rows[name] for name in GAMES))


def _histories_each(rows: pa.Table) -> Any:
    return pc.divide(rows["histories"], rows["orbit_size"].cast(pa.decimal256(5, 0)))


def _wins(rows: pa.Table) -> Any:
    """Return the outcome for the mover, where the game is over for whoever would move, as statistics count it."""
    return pc.multiply(rows["to_move"], pc.sign(rows["value"]))


def _only_move(rows: pa.Table) -> Any:
    return pc.and_(pc.greater(rows[MOVES], constant(1)), pc.equal(rows[KEEPING], constant(1)))


def _number(name: str, takes: str = "a number") -> Field:
    return Field(takes, (name,), operator.itemgetter(name))


def _truth(of: Column, *columns: str) -> Field:
    return Field("true, false or nothing", columns, words={"true": (of, True), "false": (of, False)})


GAMES = ("games_x", "games_o", "games_tie")
_ENDS = {"x": (outcome, 1), "o": (outcome, -1), "tie": (outcome, 0), "draw": (outcome, DRAWN)}
FIELDS = {
    "to_move": Field("X or O", ("to_move", "terminal"), words={"x": (side, 1), "o": (side, -1)}),
    "value": Field(
        "a number, X, O, tie or draw, or win or loss for the mover",
        ("value", "remoteness_plies", "to_move"), operator.itemgetter("value"),
        _ENDS | {"win": (_wins, 1), "loss": (_wins, -1)},
    ),
    "remoteness": _number("remoteness_plies", "a number of plies"),
    "ply": _number("tier", "a number of plies"),
    "tier": _number("tier"),
    "terminal": _truth(operator.itemgetter("terminal"), "terminal"),
    "moves": _number(MOVES),
    "keeping": _number(KEEPING),
    "only_move": _truth(_only_move, MOVES, KEEPING),
    "errs": Field("a chance from 0 to 1 such as 0.5, 7/8 or 87.5%", (MOVES, KEEPING), chance, whole=False),
    "best_move": Field("a move", (BEST,)),
    "orbit_size": _number("orbit_size"),
    "games": Field("a number", GAMES, games),
    "histories": Field("a number", ("histories", "orbit_size"), _histories_each),
    "optimal_paths": _number("optimal_paths"),
    "nimber": _number("nimber"),
}  # fmt: skip
"""The fields by name."""


# Queries --------------------------------------------------------------------------------------------------------------


class Query:
    """A condition on classes.

    >>> import analysis
    >>> query = Query(analysis.load_game("tictactoe"), "not terminal and (value=tie or remoteness >= 7)")
    >>> query.matches(pa.table({"tier": [3, 3], "terminal": [True, False]})).to_pylist()
    [False, True]
    """

    def __init__(self, game: Game, text: str = "") -> None:
        """Parse ``text``, in which moves and players may have the names of the ``game``; an empty text matches all.

        Raises `OptionError`, saying where it is wrong and what would be right.
        """
        self._game, self._text, self._next, self._end, self._depth = game, text, "", 0, 0
        self._players = dict(zip((player.lower() for player in game.players), "xo", strict=True))
        self.fields: set[str] = set()
        """The names of the fields it uses."""
        if len(text) > LONGEST:
            raise OptionError(f"the query has {len(text):,} characters; the limit is {LONGEST:,}")
        self._advance()
        self._condition = self._any() if self._kind else _unknown
        if self._kind:
            self._refuse("expected 'and', 'or' or the end")
        self.columns = frozenset(name for field in self.fields for name in FIELDS[field].columns)
        """The columns needed to evaluate it."""
        self.asks_moves = not self.columns.isdisjoint(OF_MOVES)
        """Whether it uses moves, which only the rules tell."""
        self.asks_counts = not self.columns.isdisjoint(COUNT_COLUMNS)
        """Whether it uses games, histories or paths."""

    def matches(self, rows: pa.Table) -> Any:
        """Return which rows match as far as their columns tell: if some are not there yet, those that may match."""
        return pc.fill_null(self._condition(rows), constant(True))

    # Parsing: `not` binds more tightly than `and`, and `and` more than `or` -------------------------------------------

    def _advance(self, pattern: re.Pattern[str] = _TOKEN) -> str:
        """Move to the next token, and return the one before it."""
        before = self._next
        rest = self._text[self._end :].lstrip()
        self._place = len(self._text) - len(rest)
        found = pattern.match(rest) or _TOKEN.match(rest)
        if rest and (found is None or found[0] == "!"):
            self._next = rest[0]
            self._refuse("not part of a query, such as 'value=tie and only_move'")
        self._kind, self._next = "", ""
        if found is not None:
            self._kind = "move" if found.re is _MOVE else str(found.lastgroup)
            self._next = str(found[found.lastgroup or 0])
            self._end = self._place + found.end()
        return before

    def _takes(self, text: str) -> bool:
        """Return whether this is the next token, consuming it if so."""
        found = self._kind != "" and self._next.lower() == text
        if found:
            self._advance()
        return found

    def _any(self) -> Column:
        return self._joined("or", pc.or_kleene, lambda: self._joined("and", pc.and_kleene, self._single))

    def _joined(self, word: str, join: Callable[[Any, Any], Any], part: Callable[[], Column]) -> Column:
        parts = [part()]
        while self._takes(word):
            parts.append(part())
        return lambda rows: functools.reduce(join, (each(rows) for each in parts))

    def _single(self) -> Column:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"( and not can be nested at most {DEEPEST} deep")
        if self._takes("not"):
            part = self._single()
            found: Column = lambda rows: pc.invert(part(rows))  # noqa: E731 - like the others
        elif self._takes("("):
            found = self._any()
            if not self._takes(")"):
                self._refuse("expected ')', 'and' or 'or'")
        else:
            found = self._comparison()
        self._depth -= 1
        return found

    def _comparison(self) -> Column:
        if self._kind != "word" or self._next not in FIELDS:
            self._refuse(f"expected {listed(list(FIELDS))}{meant(self._next, FIELDS)}")
        name = self._advance()
        self.fields.add(name)
        field = FIELDS[name]
        if self._kind != "sign":
            if not field.alone:
                self._refuse(f"expected = != < <= > or >= after {name}, and {field.takes}")
            return _term(field.columns, *field.words["true"][:1], "=", True)
        place, sign = self._place, self._advance(_MOVE if name == "best_move" else _TOKEN)
        of, wanted = self._wanted(name, field)
        if of is not field.numbers and sign not in ("=", "==", "!="):
            what = "a move" if name == "best_move" else self._next
            self._place, self._next = place, sign
            self._refuse(f"{what} is not a number; use = or !=")
        self._advance()
        return _term(field.columns, of, sign, wanted)

    def _wanted(self, name: str, field: Field) -> tuple[Column, Any]:
        """Parse what follows a sign: return a column, and what it is compared with."""
        if self._kind == "move":
            from analysis.rules.notation import Notation  # few queries need it

            try:
                return _keeps(Notation(self._game).read_anywhere(self._next)), True
            except PositionError as error:
                self._refuse(str(error))
        word = self._next.lower()
        word = word if word in field.words else self._players.get(word, word)
        if self._kind == "word" and word in field.words:
            return field.words[word]
        if name == "value" and self._kind == "number" and self._game.worths is not None:
            assert field.numbers is not None
            return field.numbers, self._held(self._game.worths)
        number = self._number(field) if self._kind == "number" else None
        if number is None or field.numbers is None:
            self._refuse(f"expected {field.takes} after {name}")
        if {*COUNT_COLUMNS}.isdisjoint(field.columns):
            return field.numbers, float(number)
        data = pa.py_buffer(int(number).to_bytes(32, "little", signed=True))
        return field.numbers, pa.Array.from_buffers(WIDE, 1, [None, data])[0]

    def _held(self, worths: Mapping[int, Any]) -> float:
        """Return where the next number lies among the values that stand for others."""
        try:
            number = Fraction(self._next)
        except (ValueError, ZeroDivisionError):
            self._refuse("expected a number")
        below = max((value for value, worth in worths.items() if exact(worth) <= number), default=None)
        if below is None:
            return min(worths) - 1
        return below if exact(worths[below]) == number else below + 0.5

    def _number(self, field: Field) -> Fraction | None:
        """Parse the next number; None if it is not valid for the field."""
        text = self._next
        if len(text) > DIGITS or (field.whole and not text.lstrip("+-").isdecimal()):
            return None
        try:
            number = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except (ValueError, ZeroDivisionError):  # such as 0.5/2 or 1/0
            return None
        return number if field.whole or 0 <= number <= 1 else None

    def _refuse(self, right: str) -> NoReturn:
        shown = self._text if len(self._text) <= 60 else f"{self._text[:57]}..."
        where = f"at {self._next[:40]!r}, character {self._place + 1}" if self._next else "at its end"
        raise OptionError(f"query {shown!r}, {where}: {right}")


def _unknown(rows: pa.Table) -> Any:
    return pa.nulls(len(rows), pa.bool_())


def _term(columns: tuple[str, ...], of: Column, sign: str, wanted: Any) -> Column:
    """Compare a column with what is wanted."""
    number = wanted if isinstance(wanted, pa.Scalar) else constant(wanted)
    other = constant(sign == "!=")

    def told(rows: pa.Table) -> Any:
        if not {*columns} <= {*rows.column_names}:
            return _unknown(rows)
        return pc.fill_null(_SIGNS[sign](of(rows), number), other)

    return told


def _keeps(code: int) -> Column:
    """Return whether a move keeps the value, as a column."""

    def told(rows: pa.Table) -> Any:
        codes, places = array(pc.list_flatten(rows[BEST])), array(pc.list_parent_indices(rows[BEST]))
        found = np.zeros(len(rows), np.bool_)
        found[places[codes == code]] = True
        return column(found)

    return told
