"""Parse queries: terms such as ``remoteness_plies >= 7``, joined by ``and``, ``or``, ``not`` and parentheses.

A query becomes a filter of tables. If a deciding column is not there yet, such as the numbers of moves, a term is null,
and pyarrow's three-valued logic tells which classes may match, so that nothing is computed in vain.
"""

from __future__ import annotations

import ast
import functools
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.wording import did_you_mean, in_words
from ..engine.columns import COUNT_COLUMNS, array, column
from ..errors import OptionError, PositionError
from ..games.trees.numbers import exact
from ..rules.game import Game

MOVES, KEEPING, BEST = OF_MOVES = "moves", "keeping", "best_moves"
"""Columns that need the rules: the numbers of moves and of moves that keep the value, and the codes of the latter."""

GAMES = ("games_x", "games_o", "games_tie")

WIDE = pa.decimal256(40, 0)
"""The type of large whole numbers in comparisons and sums; counts have at most 38 digits."""

DRAWN = 2
"""The outcome of a draw; others are the sign of the value."""

DEEPEST = 100
"""The most ``(`` and ``not`` in a query."""

Column = Callable[[pa.Table], Any]
"""A column of rows, or a function of columns; null if a class has none."""


def constant(value: float) -> pa.Scalar:
    """Return a number or a truth value to compare with. (``pa.scalar`` would load pandas.)"""
    return column(np.array([value]))[0]


def side(rows: pa.Table) -> Any:
    """Return +1 if the first player moves, -1 if the second does, 0 if the game is over."""
    return pc.if_else(rows["terminal"], constant(0), rows["to_move"])


def outcome(rows: pa.Table) -> Any:
    """Return the outcome under optimal play: the sign of the value, or `DRAWN`."""
    return pc.if_else(pc.is_null(rows["remoteness_plies"]), constant(DRAWN), pc.sign(rows["value"]))


def for_mover(rows: pa.Table) -> Any:
    """Return the sign of the value for the mover or, if the game is over, for the side that would move."""
    return pc.multiply(rows["to_move"], pc.sign(rows["value"]))


def chance(rows: pa.Table) -> Any:
    """Return the chance to err, float64: the share of moves that do not keep the value. A single division, so that it
    equals the nearest number to the same fraction.
    """
    moves = rows[MOVES].cast(pa.float64())
    return pc.divide(pc.subtract(moves, rows[KEEPING]), pc.if_else(rows["terminal"], pa.nulls(1, moves.type)[0], moves))


def only_move(rows: pa.Table) -> Any:
    """Return whether exactly one of several moves keeps the value."""
    return pc.and_(pc.greater(rows[MOVES], constant(1)), pc.equal(rows[KEEPING], constant(1)))


def games(rows: pa.Table) -> Any:
    """Return the complete games from each class on."""
    return functools.reduce(pc.add, (rows[name].cast(WIDE) for name in GAMES))


LARGE = ("state", *COUNT_COLUMNS, "games")
"""Fields whose numbers are too large for floats."""
TRUE = ("terminal", "only_move")
"""Fields that are terms by themselves."""
FIELDS = {
    "to_move": "X or O",
    "value": "a number, X, O, tie or draw, or win or loss for the mover",
    **dict.fromkeys(("ply", "tier", "remoteness_plies", MOVES, KEEPING), "a whole number"),
    "errs": "a chance from 0 to 1 such as 0.5 or 7/8",
    "best_move": "a move",
    **dict.fromkeys(("orbit_size", *LARGE, "nimber"), "a whole number"),
    **dict.fromkeys(TRUE, ""),
}
"""The fields by name, the columns of tables and others, and what they are compared with. Comparisons with a missing
value are false, except ``!=``.
"""
COMPUTED: Mapping[str, Column] = {"games": games, "errs": chance, "only_move": only_move}
NEEDED = {"games": GAMES, "errs": (MOVES, KEEPING), "only_move": (MOVES, KEEPING), "best_move": (BEST,)}
"""The columns that a field needs if it is not itself a column."""
WORDS: Mapping[str, Mapping[str, tuple[Column, int]]] = {
    "to_move": {"x": (side, 1), "o": (side, -1)},
    "value": {
        "x": (outcome, 1), "o": (outcome, -1), "tie": (outcome, 0), "draw": (outcome, DRAWN), "win": (for_mover, 1),
        "loss": (for_mover, -1),
    },
}  # fmt: skip
"""The column that is compared with a word, and the number for the word."""

_SIGNS = {
    "=": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip
_TERM = re.compile(
    r"""\b(?!(?:and|or|not)\b)(?P<name>\w+)(?:\s*(?P<sign>[<>!]=|[<>=])\s*(?P<operand>"[^"]*"|'[^']*'|[^\s()"']*))?"""
)
_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(?:[./][0-9]{1,40})?")


class Query:
    """A condition on classes.

    >>> import analysis
    >>> query = Query(analysis.load_game("tictactoe"), "not terminal and (value=tie or remoteness_plies >= 7)")
    >>> query.matches(pa.table({"ply": [3, 3], "terminal": [True, False]})).to_pylist()
    [False, True]
    """

    def __init__(self, game: Game, text: str = "") -> None:
        """Parse ``text``, in which moves and players may have the names of the ``game``; an empty text matches all.

        Raises `OptionError`, which names the wrong place and what would be right.
        """
        self._game, self.text = game, " ".join(text.split())
        self._players = dict(zip((player.lower() for player in game.players), "xo", strict=True))
        self._terms: list[Column] = []
        self.columns: set[str] = set()
        """The columns needed to evaluate it."""
        structure = _TERM.sub(self._term, self.text)  # a Python expression of equal length
        if wrong := re.search(r"[^\w\s()]", structure):
            raise self._wrong(wrong.start(), "not part of a query, such as 'value=tie and only_move'")
        if structure.count("(") + structure.count("not") > DEEPEST:
            raise self._wrong(0, f"a query has at most {DEEPEST} ( and not")
        try:
            self._tree = ast.parse(structure or "True", mode="eval").body
        except SyntaxError as error:
            raise self._wrong((error.offset or 0) - 1, "expected terms, joined by 'and' or 'or'") from None
        self.matches(pa.table({}))

    def matches(self, rows: pa.Table) -> Any:
        """Return which rows match; if some columns are not there yet, which may match."""
        return pc.fill_null(self._holds(self._tree, rows), constant(True))

    def _holds(self, node: ast.expr, rows: pa.Table) -> Any:
        match node:
            case ast.BoolOp():
                join = pc.and_kleene if isinstance(node.op, ast.And) else pc.or_kleene
                return functools.reduce(join, (self._holds(part, rows) for part in node.values))
            case ast.UnaryOp():
                return pc.invert(self._holds(node.operand, rows))
            case ast.Name():
                return self._terms[int(node.id[1:])](rows)
            case ast.Constant():  # without terms
                return pa.nulls(len(rows), pa.bool_())
        raise self._wrong(node.col_offset, "expected terms, joined by 'and' or 'or'")

    def _term(self, match: re.Match[str]) -> str:
        """Add a comparison of a field, and return a name of equal length."""
        name, sign = match.group("name", "sign")
        if name not in FIELDS:
            raise self._wrong(match.start(), f"expected {in_words(list(FIELDS))}{did_you_mean(name, FIELDS)}")
        if name in TRUE and sign:
            raise self._wrong(match.start("sign"), f"write {name} or not {name}")
        if name not in TRUE and not sign:
            raise self._wrong(match.end(), f"expected = != < <= > >= after {name}, and {FIELDS[name]}")
        left, right = self._operand(match)
        self.columns.update(NEEDED.get(name, (name,)))

        def holds(rows: pa.Table) -> Any:
            try:
                return pc.fill_null(_SIGNS[sign or "="](left(rows), right), constant(sign == "!="))
            except KeyError:  # a column that is not there yet
                return pa.nulls(len(rows), pa.bool_())

        self._terms.append(holds)
        return f"t{len(self._terms) - 1}".ljust(len(match[0]))

    def _operand(self, match: re.Match[str]) -> tuple[Column, pa.Scalar]:
        """Return the column that an operand, or true, is compared with, and the operand's number."""
        name, text = match["name"], (match["operand"] or "").strip("\"'")
        left = COMPUTED.get(name, operator.itemgetter(name))
        if name in TRUE:
            return left, constant(True)
        words, word = WORDS.get(name, {}), text.lower()
        word = word if word in words else self._players.get(word, word)
        if (word in words or name == "best_move") and match["sign"] not in ("=", "!="):
            raise self._wrong(match.start("sign"), f"use = or != with {text}")
        if word in words:
            left, number = words[word]
            return left, constant(number)
        try:
            if name == "best_move" and text:
                from ..rules.notation import Notation  # few queries need it

                return _keeps(Notation(self._game).read_anywhere(text)), constant(True)
            return left, self._number(name, text)
        except PositionError as error:
            raise self._wrong(match.start("operand"), str(error)) from None
        except (ValueError, ZeroDivisionError):  # such as 1/0
            raise self._wrong(match.start("operand"), f"expected {FIELDS[name]} after {name}") from None

    def _number(self, name: str, text: str) -> pa.Scalar:
        """Return a number to compare a field with. Raises `ValueError` or `ZeroDivisionError` if it is not a number."""
        number = Fraction(text if _NUMBER.fullmatch(text) else "")
        if name == "value" and self._game.worths is not None:
            return constant(_place(self._game.worths, number))
        if name in ("to_move", "best_move") or not (0 <= number <= 1 if name == "errs" else number.denominator == 1):
            raise ValueError
        if name not in LARGE:
            return constant(float(number))
        data = pa.py_buffer(int(number).to_bytes(32, "little", signed=True))
        return pa.Array.from_buffers(WIDE, 1, [None, data])[0]

    def _wrong(self, place: int, right: str) -> OptionError:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        part = re.match(r"[^\s()<>=!]+|\S?", self.text[place:] if place >= 0 else "")
        location = f"at {part[0][:40]!r}, character {place + 1}" if part and part[0] else "at its end"
        return OptionError(f"query {shown!r}, {location}: {right}")


def _place(worths: Mapping[int, Any], number: Fraction) -> float:
    """Return the place of a payoff among the values that stand for payoffs."""
    least = min((value for value, worth in worths.items() if exact(worth) >= number), default=max(worths) + 1)
    return least if least in worths and exact(worths[least]) == number else least - 0.5


def _keeps(code: int) -> Column:
    """Return whether a move keeps the value, as a column."""

    def holds(rows: pa.Table) -> Any:
        codes, places = array(pc.list_flatten(rows[BEST])), array(pc.list_parent_indices(rows[BEST]))
        return column(np.isin(np.arange(len(rows)), places[codes == code]))

    return holds
