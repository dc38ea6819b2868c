"""Parse queries: terms such as ``remoteness_plies >= 7``, joined by ``and``, ``or``, ``not`` and parentheses.

A query is a Python expression, in which ``=`` may be written for ``==``; it becomes a filter of tables. If a deciding
column is not there yet, such as the numbers of moves, a term is null, and pyarrow's three-valued logic tells which
classes may match, so that nothing is computed in vain.
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
from ..errors import OptionError
from ..games.trees.numbers import exact
from ..rules.game import Game

MOVES, KEEPING, BEST = OF_MOVES = "moves", "keeping", "best_moves"
"""Columns that need the rules: the numbers of moves and of moves that keep the value, and the codes of the latter."""

GAMES = ("games_x", "games_o", "games_tie")

WIDE = pa.decimal256(40, 0)
"""The type of large whole numbers in comparisons and sums; counts have at most 38 digits."""

DRAWN = 2
"""The outcome of a draw; others are the sign of the value."""

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
FIELDS = (
    "to_move", "value", "ply", "tier", "remoteness_plies", MOVES, KEEPING, "errs", "best_move", "orbit_size", *LARGE,
    "nimber", *TRUE,
)  # fmt: skip
"""The columns of tables and other fields. Comparisons with a missing value are false, except ``!=``."""
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

_SIGNS: Mapping[type[ast.cmpop], Callable[..., Any]] = {
    ast.Eq: pc.equal, ast.NotEq: pc.not_equal, ast.Lt: pc.less, ast.LtE: pc.less_equal, ast.Gt: pc.greater,
    ast.GtE: pc.greater_equal,
}  # fmt: skip
_EQUALS = re.compile(r"(?<![<>=!])=(?!=)")
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

        Raises `OptionError`, which names the wrong place.
        """
        self._game, self.text = game, " ".join(text.split())
        self._players = dict(zip((player.lower() for player in game.players), "xo", strict=True))
        self.columns: set[str] = set()
        """The columns needed to evaluate it."""
        self._source = _EQUALS.sub("==", self.text) or "True"
        try:
            tree = ast.parse(self._source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._wrong("this") from None
        try:
            self._holds = self._condition(tree)
        except RecursionError:
            raise self._wrong("this") from None

    def matches(self, rows: pa.Table) -> Any:
        """Return which rows match; if some columns are not there yet, which may match."""
        return pc.fill_null(self._holds(rows), constant(True))

    def _condition(self, node: ast.expr) -> Column:
        """Return the function for a part of the query."""
        match node:
            case ast.BoolOp(op, values):
                join, parts = (
                    pc.and_kleene if isinstance(op, ast.And) else pc.or_kleene,
                    [*map(self._condition, values)],
                )
                return lambda rows: functools.reduce(join, (part(rows) for part in parts))
            case ast.UnaryOp(ast.Not(), operand):
                part = self._condition(operand)
                return lambda rows: pc.invert(part(rows))
            case ast.Constant(True):  # the empty query
                return lambda rows: pa.nulls(len(rows), pa.bool_())
            case ast.Name(name) if name in TRUE:
                return self._term(name, operator.itemgetter(name), ast.Eq, constant(True))
            case ast.Compare(ast.Name(name), [sign], [operand]) if name in FIELDS and name not in TRUE:
                text = (ast.get_source_segment(self._source, operand) or "").strip("\"'")
                try:
                    return self._term(name, *self._operand(name, type(sign), text))
                except (ValueError, ZeroDivisionError, KeyError):  # such as 1/0, and a PositionError
                    pass
        first = next((each.id for each in ast.walk(node) if isinstance(each, ast.Name)), "")
        typed = (ast.get_source_segment(self._source, node) or "").replace("==", "=")
        raise self._wrong(repr(typed), "" if first in FIELDS else did_you_mean(first, FIELDS))

    def _term(self, name: str, left: Column, sign: type[ast.cmpop], right: pa.Scalar) -> Column:
        """Return the function for a comparison of a field."""
        self.columns.update(NEEDED.get(name, (name,)))
        compare, left = _SIGNS[sign], COMPUTED.get(name, left)

        def holds(rows: pa.Table) -> Any:
            try:
                return pc.fill_null(compare(left(rows), right), constant(sign is ast.NotEq))
            except KeyError:  # a column that is not there yet
                return pa.nulls(len(rows), pa.bool_())

        return holds

    def _operand(self, name: str, sign: type[ast.cmpop], text: str) -> tuple[Column, type[ast.cmpop], pa.Scalar]:
        """Return what is compared with a field: the column, the sign, and the number. Raises `ValueError`."""
        word = self._players.get(text.lower(), text.lower())
        words = WORDS.get(name, {})
        if word not in words and name != "best_move":
            return operator.itemgetter(name), sign, self._number(name, text)
        if sign not in (ast.Eq, ast.NotEq):
            raise ValueError
        if word in words:
            left, number = words[word]
            return left, sign, constant(number)
        from ..rules.notation import Notation  # few queries need it

        return _keeps(Notation(self._game).read_anywhere(text)), sign, constant(True)

    def _number(self, name: str, text: str) -> pa.Scalar:
        """Return a number to compare a field with. Raises `ValueError` or `ZeroDivisionError` if it is not a number."""
        number = Fraction(text if _NUMBER.fullmatch(text) else "")
        if name == "value" and self._game.worths is not None:
            return constant(_place(self._game.worths, number))
        if name == "to_move" or not (0 <= number <= 1 if name == "errs" else number.denominator == 1):
            raise ValueError
        if name not in LARGE:
            return constant(float(number))
        data = pa.py_buffer(int(number).to_bytes(32, "little", signed=True))
        return pa.Array.from_buffers(WIDE, 1, [None, data])[0]

    def _wrong(self, part: str, meant: str = "") -> OptionError:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return OptionError(
            f"query {shown!r}: {part[:60]} is not a condition such as value=tie, errs>=1/2, best_move=4 or only_move, "
            f"joined by and, or, not; compare {in_words([*FIELDS])}{meant}"
        )


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
