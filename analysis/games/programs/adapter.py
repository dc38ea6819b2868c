"""Positions, moves and ends of somebody's program, asked in one way however it is written."""

from __future__ import annotations

import contextlib
import enum
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...common.time_limit import begin_anew
from ...errors import GametreeError, RulesError
from ...rules.fields import excerpt, in_words, place, raised_at
from ..user import overseen
from .freezing import Attribute, freeze, parts_of
from .protocol import FIRST, LAST, MARKS, NOT, PLAYER, SAYS, Reading

TIED = ("draw", "tie", "tied", "drawn", "cat", "stalemate", "1/2-1/2", "d", "t")
"""How programs say in words that a game is drawn, in small letters,"""
NOBODY = ("none", "nobody", "no one", "-", " ", "", "*")  # and that nobody has won
RESULTS = {"1-0": 1, "0-1": -1}
TURN = "turn (kept by gametree)"  # the part of a position that says who moves where the program does not
WALK = 100  # moves of a game that shows how players are called


class Situation(NamedTuple):
    """A position of a program."""

    state: Any
    turn: int  # 0 or 1: whose turn it is, where players take turns and the program does not say; 0 in a puzzle
    last: int = -1  # 0 or 1: who has made the last move, where that says who wins; -1 at the start


class Ended(NamedTuple):
    """How a game ended."""

    points: float
    whose: str  # who gets them, as text, if anybody says; the other gets as many less


NOBODY_WINS = Ended(0, "")


class Reply(NamedTuple):
    """What the rules say of a position."""

    mover: str  # who moves, as text; nothing where nobody says, at the end of a game
    ended: Ended | None  # None while the game goes on
    moves: tuple[Any, ...]  # as the program has them; none where the game is over


def attribute_of(name: str) -> str:
    """Return the attribute of a position that a part of it belongs to.

    >>> attribute_of("players[0].place"), attribute_of("board")
    ('players', 'board')
    """
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def without(parts: Sequence[Attribute], dropped: frozenset[str]) -> list[Attribute]:
    """Return the parts of a position but for those with these names, and for what objects and lists so called hold."""
    return [part for part in parts if part[0] not in dropped and attribute_of(part[0]) not in dropped]


class _Nowhere(io.TextIOBase):
    """Drops what rules print."""

    def write(self, text: str) -> int:
        return len(text)


class Adapter:
    """A program as positions, moves and ends."""

    def __init__(
        self, reading: Reading, copy: Callable[[Any], Any], files: Sequence[str], players: Sequence[Any] = ()
    ) -> None:
        """Make one.

        Args:
            reading: How the program is read.
            copy: Makes a position that shares nothing with another that could change.
            files: Those of the program, for the lines of its errors.
            players: Who moves, the first one first, as the program calls them; none if it says so itself.
        """
        self.reading, self.files, self._copy = reading, files, copy
        self.dropped: frozenset[str] = frozenset()
        self.paid: dict[Ended, int] = {}  # what the first player gets at each kind of end, once all have been seen
        self.mutates = False  # whether a move has changed the position that it was given, although it returns one
        self._names = names = {**reading.names}
        self._just_moved = names.get("mover", "").startswith(NOT)
        if "mover" in names:
            names["mover"] = names["mover"].removeprefix(NOT)
        self.turns = "mover" not in names
        self.players = [*players] or ["X", "O"][: 2 * self.turns]
        self._per_player = {role for role in SAYS if role in names and reading.takes_player(role)}
        self.asks_made_up = self.turns and not players and bool(self._per_player)
        """Whether players that are called X and O here are asked for what they have got."""
        special = names.get("winner") in (LAST, FIRST)
        self.by_last = special or ("win" in names and "win" not in self._per_player)
        """Whether it is who has made the last move that wins or loses."""
        self._decides = "winner" in names and not special and "over" not in names
        self._tests = [role for role in ("over", "draw") if role in names]
        self._wanted = reading.arguments("play")

    # The rules --------------------------------------------------------------------------------------------------------

    def start(self) -> Situation:
        """Return the first position, made anew where a function makes it."""
        reading = self.reading
        first = getattr(reading.owner, self._names["start"]) if reading.passes else reading.owner
        first = first() if reading.passes and callable(first) else first
        return Situation(self._copy(first), 0, -1 + reading.puzzle)

    def prepare(self, history: list[Any]) -> None:
        """Find out by a game of first moves how players are called. ``history`` gets the moves, for errors."""
        where, seen = self.start(), dict[str, Any]()
        nobody = not self.turns and self._ask("mover", where) is None
        while len(history) < WALK:
            over = any(self._ask(role, where) for role in self._tests)
            moves = [] if over else sorted(self.moves(where), key=freeze)
            if moves and not history:
                given = self._copy(where.state)
                made = self._ask("play", where._replace(state=given), *self._move_arguments(where, moves[0]))
                functional = self.reading.passes or (type(made) is type(given) and made is not given)
                self.mutates = functional and freeze(given) != freeze(where.state)
            if self.turns or self.players:
                return
            symbol = self._ask("mover", where) if moves or self._just_moved or not seen else None
            if symbol is not None:
                seen[freeze(symbol)] = symbol
            if not moves or len(seen) > 1:
                break
            history.append(moves[0])
            where = self.play(where, moves[0])
        if self._just_moved and len(seen) < 2:
            raise RulesError(f"{self._names['mover']} is always the same; --map players=A+B names who moves")
        self.players = [*seen.values()][:: -1 if self._just_moved and not nobody else 1]

    def key(self, where: Situation) -> str:
        """Return a position as text: equal positions have equal ones."""
        return join(self.parts(where))

    def parts(self, where: Situation) -> list[Attribute]:
        """Return a position by its attributes, without those that are dropped."""
        parts = self.all_parts(where)
        return without(parts, self.dropped) if self.dropped else parts

    def all_parts(self, where: Situation) -> list[Attribute]:
        """Return a position by all its attributes."""
        return parts_of(where.state) + ([(TURN, str(where.turn))] if self.turns and not self.reading.puzzle else [])

    def look(self, where: Situation) -> Reply:
        """Return what the rules say of a position, which they may not change. Raises what they raise."""
        begin_anew()
        over = any(self._ask(role, where) for role in self._tests)
        over = over or ("win" in self._names and self._ended("win", where) != NOBODY_WINS)
        over = over or (self._decides and self._named(where) is not None)
        moves = () if over else self.moves(where)
        mover = self._mover(where, ended=not moves)
        return Reply(mover, None if moves else self._end(where), moves)

    def result(self, where: Situation, mover: str) -> float | None:
        """Return what the first player would get if the game were over, although it goes on; None if nobody says, or
        where ends are told by what says who has won.
        """
        if self._decides or self.by_last or "win" in self._names:
            return None
        try:
            return self.payoff(self._end(where))
        except Exception:
            return None

    def play(self, where: Situation, move: Any) -> Situation:
        """Return the position after a move; the one before it stays as it is."""
        begin_anew()
        last = self._index_of_mover(where) if self.by_last else -1
        given = self._copy(where.state)
        made = self._ask("play", where._replace(state=given), *self._move_arguments(where, move))
        returned = type(made) is type(given) or (self.reading.passes and made is not None and made is not True)
        return Situation(made if returned else given, 0 if self.reading.puzzle else 1 - where.turn, last)

    def in_order(self, move: Any) -> Any:
        """Return by what moves are put in order, where this can be compared."""
        return move

    def moves(self, where: Situation) -> tuple[Any, ...]:
        """Return the legal moves. Raises `RulesError` for None and other things that hold none."""
        player = [self._symbol(where)] if len(self.reading.arguments("moves")) == 1 else []
        replies, name = self._ask("moves", where, *player), self._names["moves"]
        try:
            return tuple(replies)
        except TypeError:
            raise RulesError(f"{name} gives {freeze(replies)} instead of moves (is a return missing?)") from None

    def _ask(self, role: str, where: Situation, *more: Any) -> Any:
        passes = self.reading.passes
        value = getattr(self.reading.owner if passes else where.state, self._names[role])
        if not callable(value) or isinstance(value, enum.Enum):
            return value
        return value(where.state, *more) if passes else value(*more)

    def _move_arguments(self, where: Situation, move: Any) -> list[Any]:
        """Return what the function that makes a move is given: the move, in parts if it takes them, and who moves."""
        wanted = self._wanted
        if len(wanted) == 1:
            return [move]
        lettered = [bool(PLAYER.search(name)) for name in wanted]
        several = isinstance(move, (tuple, list, np.ndarray)) and len(wanted) - any(lettered) == len(move) > 1
        parts = list(move) if several else [move]
        if len(wanted) > len(parts) and (any(lettered) or len(wanted) == len(parts) + 1):
            at = lettered.index(True) if any(lettered) else len(parts)
            parts.insert(at, self._symbol(where))
        return parts

    def _symbol(self, where: Situation) -> Any:
        """Return who moves, as the program has it."""
        if self.turns:
            return self.players[where.turn]
        symbol = self._ask("mover", where)
        if not self._just_moved or len(self.players) < 2:
            return symbol
        return self.players[symbol is not None and self.index(freeze(symbol)) == 0]

    def _index_of_mover(self, where: Situation) -> int:
        return where.turn if self.turns else self.index(freeze(self._symbol(where)))

    def _mover(self, where: Situation, *, ended: bool) -> str:
        try:
            symbol = self._symbol(where)
        except Exception:
            if ended:  # some look for a mover and find none
                return ""
            raise
        text = freeze(symbol)
        if self.index(text) >= 0:
            return text
        if ended:
            return ""
        if symbol is None or len(self.players) == 2:
            raise RulesError(
                f"{text} is to move, and games are for two players (--map mover=none says that they take turns)"
            )
        self.players.append(symbol)
        return text

    # Ends -------------------------------------------------------------------------------------------------------------

    def _last(self, where: Situation) -> int:
        return where.last if where.last >= 0 else 1 - self._index_of_mover(where)

    def _named(self, where: Situation) -> Ended | None:
        """Return how a game ended as ``winner`` says; None if it names nobody."""
        if "winner" not in self._per_player:
            return self._read(self._ask("winner", where), self._names["winner"])
        end = self._ended("winner", where)
        return None if end == NOBODY_WINS else end

    def _end(self, where: Situation) -> Ended:
        """Return how a game ended."""
        ends = {role: self._ended(role, where) for role in SAYS if role in self._names}
        signs = {role: np.sign(self.payoff(end)) for role, end in ends.items()}
        if len({*signs.values()}) > 1:
            one, *_, other = (self._names[role] for role in signs)
            raise RulesError(f"{one} and {other} do not agree on who has won; --map {[*signs][-1]}=none drops one")
        return [*ends.values()][-1]

    def _ended(self, role: str, where: Situation) -> Ended:
        """Return how a game ended by what fills a role."""
        name = self._names[role]
        if role == "payoff":
            return self._paid(where)
        if role == "winner" and name in (LAST, FIRST):
            return Ended(1, freeze(self.pair()[self._last(where) ^ (name == FIRST)]))
        if role in self._per_player:
            winners = [each for each in self.pair() if self._truth(self._ask(role, where, each), name)]
            if len(winners) > 1:
                raise RulesError(f"{name} says of both players that they have won")
            return Ended(1, freeze(winners[0])) if winners else NOBODY_WINS
        if role == "win":
            won = self._truth(self._ask(role, where), name)
            return Ended(1, freeze(self.pair()[self._last(where)])) if won else NOBODY_WINS
        return self._named(where) or NOBODY_WINS

    def _truth(self, value: Any, name: str) -> bool:
        if isinstance(value, (bool, np.bool_)) or value in (None, 0, 1):
            return bool(value)
        raise RulesError(f"{name} gives {freeze(value)}, which is neither true nor false; --map winner={name}")

    def _paid(self, where: Situation) -> Ended:
        name, pair, asked = self._names["payoff"], self.pair(), "payoff" in self._per_player
        paid = [self._ask("payoff", where, each) for each in pair] if asked else self._ask("payoff", where)
        if not isinstance(paid, (list, tuple, np.ndarray)) or len(paid) != 2:
            return self._read(paid, name, number=True) or NOBODY_WINS
        one, other = (_number(each, name) for each in paid)
        if one + other and {one, other} not in ({0.0, 1.0}, {0.5}):
            raise RulesError(f"{name} gives {one:g} and {other:g}; one player's gain must be the other's loss")
        points = one - other if one + other else one
        return Ended(points, freeze(pair[0]) if asked and points else "")

    def _read(self, value: Any, name: str, *, number: bool = False) -> Ended | None:
        """Return how a game ended by what a function gives: a player, a draw in words, a ``number``, or a result as in
        chess; None if that names nobody.
        """
        value = value.item() if isinstance(value, np.generic) else value
        if self.index(freeze(value)) >= 0 and (not number or isinstance(value, str)):
            return Ended(1, freeze(value))
        word = value.name if isinstance(value, enum.Enum) else value
        if isinstance(word, str):
            word = word.strip().lower()
            if word in (*TIED, *RESULTS):
                return Ended(RESULTS.get(word, 0), "")
        if value is None or value is False or (isinstance(word, str) and word in NOBODY):
            return None
        if number and not isinstance(value, (str, bool)):
            return Ended(_number(value, name), "")
        one, other = map(freeze, self.pair())
        if freeze(value) in (one, other):
            return Ended(1, freeze(value))
        if isinstance(value, (int, float)) and value is not True and value == 0:
            return None
        raise RulesError(
            f"{name} gives {value!r}, which is neither {one} nor {other} nor a draw; --map players=A+B says how "
            f"players are called, win={name} that whoever has just moved wins, payoff={name} that it is a number"
        )

    def index(self, mover: str) -> int:
        """Return 0 or 1, which of the players somebody is by his text; -1 of nobody."""
        return next((number for number, each in enumerate(self.players) if freeze(each) == mover), -1)

    def pair(self) -> list[Any]:
        """Return both players; the second, where only one was seen to move, as it is called beside the first."""
        if len(self.players) == 1:
            one = freeze(self.players[0])
            for pair in MARKS:
                if one in map(freeze, pair):
                    return [self.players[0], next(each for each in pair if freeze(each) != one)]
        if len(self.players) != 2:
            raise RulesError("only one player was seen to move; --map players=A+B names both")
        return self.players

    def payoff(self, end: Ended) -> float:
        """Return what the first player gets at an end. Payoffs that name nobody are those of the usual first of such a
        pair, X of X and O, else of whoever begins.
        """
        first, second = map(freeze, self.pair())
        usual = [tuple(map(freeze, pair)) for pair in MARKS]
        owner = second if (second, first) in usual and (first, second) not in usual else first
        return end.points if not end.points or (end.whose or owner) == first else -end.points

    # What goes wrong --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Run the program inside: what it prints is dropped, and `input` is refused."""
        with overseen(self.files, _Nowhere()):
            yield

    def failure(self, error: BaseException, history: Sequence[Any]) -> GametreeError:
        """Return an exception of the program as one line, with the moves that led to it."""
        moves = f" after the moves {in_a_row(history)}" if history else " at the start"
        line = raised_at(error, self.files)
        at = f"{place(*line)}: " if line else ""
        what = str(error) if isinstance(error, GametreeError) else in_words(error)
        return RulesError(f"{at}{what},{moves}").showing(excerpt(*line[:2]) if line else "")


def join(parts: Any) -> str:
    """Return the text of a position, by its parts."""
    return "; ".join([f"{name}={text}" if name else text for name, text in parts])


def in_a_row(history: Sequence[Any], most: int = 40) -> str:
    """Return moves in the order in which they were made, as messages have them."""
    shown = " ".join(freeze(move).replace(" ", "") for move in history[:most])
    return f"{shown} ..." if len(history) > most else shown or "(none)"


def _number(value: Any, name: str) -> float:
    number = value.item() if hasattr(value, "item") else value
    number = float(number) if isinstance(number, (Decimal, Fraction)) else number
    if number is None or number is False:
        return 0
    if isinstance(number, bool) or not isinstance(number, (int, float)) or math.isnan(number):
        raise RulesError(f"{name} gives {freeze(value)} at the end of a game, which is neither a player nor a number")
    return number
