"""Positions, moves and ends of somebody's program, asked in one way however it is written."""

from __future__ import annotations

import contextlib
import enum
import inspect
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
from .protocol import FIRST, LAST, LETTERS, MARKS, NOT, Reading, value_of

TIED = ("draw", "tie", "tied", "drawn", "cat", "stalemate", "1/2-1/2", "d", "t")
"""How programs say in words that a game is drawn, in small letters,"""
NOBODY = ("none", "nobody", "no one", "-", " ", "")  # and that nobody has won
RESULTS = {"1-0": 1, "0-1": -1}
TURN = "turn (kept by gametree)"  # the part of a position that says who moves where the program does not
WALK = 100  # moves of a game that shows how players are called, and who passes the turn on


class Situation(NamedTuple):
    """A position of a program."""

    state: Any
    turn: int  # 0 or 1: whose turn it is, where players take turns and the program does not say; 0 in a puzzle
    last: int = -1  # 0 or 1: who has made the last move, where that says who wins; -1 at the start


class Ended(NamedTuple):
    """How a game ended."""

    points: float
    whose: str
    """Who gets them, as text, if anybody says; the other gets as many less. Of a tie, a number that is no player."""


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


class Printed(io.TextIOBase):
    """Keeps what rules print from standard output, and counts it."""

    lines = 0

    def write(self, text: str) -> int:
        """Count the lines of a text."""
        self.lines += text.count("\n")
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
        self.reading, self.files, self.players = reading, files, [*players]
        self.dropped: frozenset[str] = frozenset()
        self.printed = Printed()
        self._copy = copy
        self.paid: dict[Ended, int] = {}  # what the first player gets at each kind of end, once all have been seen
        self.stuck = False
        """Whether there was a position without moves of which the program says that the game goes on,"""
        self.mutates = False  # and whether a move has changed the position that it was given, although it returns one
        self._names = names = {**reading.names}
        self._other = names.get("mover", "").startswith(NOT)
        if self._other:
            names["mover"] = names["mover"].removeprefix(NOT)
        self.turns = "mover" not in names
        self.made_up = self.turns and not self.players  # whether players are called X and O for want of other names
        if self.made_up:
            self.players = ["X", "O"]
        self._asked = {role: role in names and reading.takes_player(role) for role in ("winner", "win", "payoff")}
        self._asks_moves = len(reading.arguments("moves")) == 1
        self.asks_made_up = self.made_up and any(self._asked.values())
        """Whether players that are called X and O here are asked for what they have got."""
        special = names.get("winner") in (LAST, FIRST)
        self.by_last = special or ("win" in names and not self._asked["win"])
        """Whether it is who has made the last move that wins or loses."""
        self._decides = "winner" in names and not special and ("over" not in names)
        self._draws = names.get("draw", "0") != "0"
        self._tests = [role for role in ("over", "draw") if role in names and (role == "over" or self._draws)]
        self._sources = [role for role in ("win", "winner", "payoff") if role in names]
        self._wanted = reading.arguments("play")
        self._switches: bool | None = None if "switch" in names else False

    # The rules --------------------------------------------------------------------------------------------------------

    def start(self) -> Situation:
        """Return the first position, made anew where a function makes it."""
        reading = self.reading
        first = getattr(reading.owner, self._names["start"]) if reading.passes else reading.owner
        first = first() if reading.passes and callable(first) else first
        return Situation(self._copy(first), 0, -1 + reading.puzzle)

    def prepare(self, history: list[Any]) -> None:
        """Find out by a game of first moves who passes the turn on, and how players are called who are ``not:NAME``.
        Raises `RulesError` where players that gametree calls X and O make no difference to moves that are given them.

        ``history`` gets the moves, for errors.
        """
        where, named, seen = self.start(), "mover" in self._names, dict[str, Any]()
        switches, self._switches = self._switches is None and named, False
        nobody = named and self._ask("mover", where) is None
        for ply in range(WALK):
            moves = sorted(self.moves(where), key=freeze)
            if not ply:
                self._refuse_shape(where, moves)
            if not moves or any(self._ask(role, where) for role in self._tests) or not named or len(seen) > 1:
                break
            self._note_mover(where, seen)
            history.append(moves[0])
            where = self.play(where, moves[0])
        before = [*seen.values()]
        if named and len(seen) < 2:
            self._note_mover(where, seen)
        if switches and len(seen) < 2:
            self._switches = True
            where = self.start()
            self._note_mover(self.play(where, min(self.moves(where), key=freeze)), seen)
            before = [*seen.values()]
        if self._other and not self.players:
            if len(seen) < 2:
                name = self._names["mover"]
                raise RulesError(f"{name} is always the same; --map players=A+B names who moves")
            self.players = [*seen.values()][:: 1 if nobody else -1]
        elif named and not self.players:
            self.players = before or [*seen.values()]

    def _note_mover(self, where: Situation, seen: dict[str, Any]) -> None:
        symbol = self._ask("mover", where)
        if symbol is not None:
            seen[freeze(symbol)] = symbol

    def _refuse_shape(self, where: Situation, moves: Sequence[Any]) -> None:
        """Raise `RulesError` where moves, or what the first one leads to, are of no shape that is read."""
        play, asked = f"{self._names['play']}({', '.join(self._wanted)})", self._names["moves"]
        if len(moves) > 2 and {*map(freeze, moves)} <= {"0", "1", "True", "False"}:
            raise RulesError(
                f"{asked} gives {freeze(moves)[:60]}, ones and zeros instead of moves; moves have to be listed"
            )
        if not moves and self.made_up and self._asks_moves:
            raise RulesError(f"{asked}('X') gives no move at the start: --map players=A+B says how players are called")
        if not moves:
            return
        given = self._copy(where.state)
        made = self._ask("play", where._replace(state=given), *self._move_arguments(where, moves[0]))
        if self.reading.passes and isinstance(made, tuple) and not isinstance(where.state, (tuple, list)):
            raise RulesError(f"{play} returns {freeze(made)[:60]}, which is no position as the first one is")
        functional = self.reading.passes or (type(made) is type(given) and made is not given)
        self.mutates = functional and freeze(given) != freeze(where.state)
        if self.made_up and not self.reading.puzzle and len(self._wanted) > 1:
            other = self.play(where._replace(turn=1), moves[0])
            if freeze(self.play(where, moves[0]).state) == freeze(other.state):
                raise RulesError(f"{play} makes the same move for X and for O: --map players=A+B says who is meant")

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
        over = over or ("win" in self._names and self._won(where) is not None)
        over = over or (self._decides and self._names_winner(where))
        moves = () if over else self.moves(where)
        if not over and not moves and self._tests:
            self._refuse_pass(where)
        mover = self._mover(where, ended=not moves)
        return Reply(mover, None if moves else self._end(where, mover), moves)

    def result(self, where: Situation, mover: str) -> float | None:
        """Return what the first player would get if the game were over, although it goes on; None if nobody says, or
        where ends are told by what says who has won.
        """
        if self._decides or self.by_last or "win" in self._names or not self._sources:
            return None
        try:
            return self.payoff(self._end(where, mover))
        except Exception:
            return None

    def _refuse_pass(self, where: Situation) -> None:
        """Raise `RulesError` where the player to move has no move, the other has one, and the game is not over."""
        if self._asks_moves:
            symbol = self._symbol(where)
            other = next((each for each in self.pair() if freeze(each) != freeze(symbol)), None)
            if tuple(self._ask("moves", where, other)):
                raise RulesError(
                    f"{freeze(symbol)} has no move, {freeze(other)} has one, and {self._names['over']} says that the "
                    "game goes on: a pass has to be a move"
                )
        self.stuck = True

    def play(self, where: Situation, move: Any) -> Situation:
        """Return the position after a move; the one before it stays as it is."""
        begin_anew()
        last = self._index_of_mover(where) if self.by_last else -1
        given = self._copy(where.state)
        made = self._ask("play", where._replace(state=given), *self._move_arguments(where, move))
        returned = type(made) is type(given) or (self.reading.passes and made is not None and made is not True)
        child = made if returned else given
        if self._switches:
            getattr(child, self._names["switch"])()
        elif self.reading.easy and "switch" not in self._names:
            setattr(child, self._names["mover"], 3 - getattr(child, self._names["mover"]))
        return Situation(child, 0 if self.reading.puzzle else 1 - where.turn, last)

    def in_order(self, move: Any) -> Any:
        """Return by what moves are put in order, where this can be compared."""
        return move

    def moves(self, where: Situation) -> tuple[Any, ...]:
        """Return the legal moves. Raises `RulesError` for None and other things that hold none."""
        player = [self._symbol(where)] if self._asks_moves else []
        replies, name = self._ask("moves", where, *player), self._names["moves"]
        try:
            return tuple(replies)
        except TypeError:
            function: Any = value_of(self.reading.owner, name)
            code = getattr(inspect.unwrap(getattr(function, "fget", function)), "__code__", None)
            what = f"{place(code.co_filename, code.co_firstlineno, name)}:" if code else name
            missing = " (is a return missing?)" * (replies is None)
            raise RulesError(f"{what} gives {freeze(replies)} instead of moves{missing}") from None

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
        lettered = [name.lower().strip("_") in LETTERS for name in wanted]
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
        if not self._other or len(self.players) < 2:
            return symbol
        return self.players[symbol is not None and self.index(freeze(symbol)) == 0]

    def _index_of_mover(self, where: Situation) -> int:
        return where.turn if self.turns else self.index(freeze(self._symbol(where)))

    def _mover(self, where: Situation, *, ended: bool) -> str:
        if self.turns:
            return freeze(self.players[where.turn])
        try:
            symbol = self._symbol(where)
        except Exception:
            if ended:  # some look for a mover and find none
                return ""
            raise
        text, there = freeze(symbol), [freeze(each) for each in self.players]
        if text in there:
            return text
        if ended and not (len(there) == 1 and any({text, *there} == {*map(freeze, pair)} for pair in MARKS)):
            return ""
        if symbol is None:
            raise RulesError(f"{self._names['mover']} gives None while the game goes on")
        if len(there) == 2:
            raise RulesError(
                f"{text} is to move, beside {there[0]} and {there[1]}: games are for two players "
                "(--map mover=none says that they take turns)"
            )
        self.players.append(symbol)
        return text

    # Ends -------------------------------------------------------------------------------------------------------------

    def _names_winner(self, where: Situation) -> bool:
        """Tell whether what the program says of who has won ends the game."""
        if self._asked["winner"]:
            return self._won(where, "winner") is not None
        return self._read(self._ask("winner", where), self._names["winner"]) is not None

    def _won(self, where: Situation, role: str = "win") -> str | None:
        """Return who has won, as text, by a function that says so of each player or of whoever has just moved."""
        if not self._asked[role]:
            if not self._truth(self._ask(role, where), role):
                return None
            last = where.last if where.last >= 0 else 1 - self._index_of_mover(where)
            return freeze(self.pair()[last])
        winners = [each for each in self.pair() if self._truth(self._ask(role, where, each), role)]
        if len(winners) > 1:
            raise RulesError(f"{self._names[role]} says of both players that they have won")
        return freeze(winners[0]) if winners else None

    def _truth(self, value: Any, role: str) -> bool:
        if isinstance(value, (bool, np.bool_)) or value in (None, 0, 1):
            return bool(value)
        name = self._names[role]
        raise RulesError(
            f"{name} gives {freeze(value)}, which is neither true nor false: --map {role}=none,winner={name} reads it "
            "as who has won"
        )

    def _end(self, where: Situation, mover: str) -> Ended:
        """Return how a game ended."""
        if self.reading.easy and not self._sources:
            return self._by_mover(where, mover)
        ends = {role: self._ended(role, where) for role in self._sources}
        *_, last = ends
        for role, end in ends.items():
            if np.sign(self.payoff(end)) != np.sign(self.payoff(ends[last])):
                raise RulesError(
                    f"{self._names[role]} and {self._names[last]} do not agree on who has won; --map {last}=none "
                    "leaves one out"
                )
        return ends[last]

    def _ended(self, role: str, where: Situation) -> Ended:
        """Return how a game ended by what fills a role."""
        name = self._names[role]
        if role == "payoff":
            return self._paid(where)
        if role == "winner" and name in (LAST, FIRST):
            last = where.last if where.last >= 0 else 1 - self._index_of_mover(where)
            return Ended(1, freeze(self.pair()[last if name == LAST else 1 - last]))
        if role == "win" or self._asked[role]:
            whose = self._won(where, role)
            return NOBODY_WINS if whose is None else Ended(1, whose)
        return self._read(self._ask(role, where), name) or NOBODY_WINS

    def _by_mover(self, where: Situation, mover: str) -> Ended:
        """Return how a game of easyAI ended, as the player to move says."""
        says = {name: getattr(where.state, name) for name in ("lose", "win", "scoring") if hasattr(where.state, name)}
        if not mover:
            raise RulesError("nobody is to move at the end, and its result is asked of the player to move")
        if not {"lose", "win"} & {*says}:
            return Ended(_number(says["scoring"](), "scoring"), mover)
        points = -1 if "lose" in says and says["lose"]() else int("win" in says and bool(says["win"]()))
        return Ended(points, mover if points else "")

    def _paid(self, where: Situation) -> Ended:
        name, pair, asked = self._names["payoff"], self.pair(), self._asked["payoff"]
        paid = [self._ask("payoff", where, each) for each in pair] if asked else self._ask("payoff", where)
        if not isinstance(paid, (list, tuple, np.ndarray)) or len(paid) != 2:
            return self._read(paid, name, number=True) or NOBODY_WINS
        one, other = (_number(each, name) for each in paid)
        if one + other and {one, other} not in ({0.0, 1.0}, {0.5}):
            raise RulesError(
                f"{name} gives {one:g} for {pair[0]!r} and {other:g} for {pair[1]!r}; one player's gain must be the "
                "other's loss"
            )
        points = one - other if one + other else one
        return Ended(points, freeze(pair[0]) if asked and points else "")

    def _read(self, value: Any, name: str, *, number: bool = False) -> Ended | None:
        """Return how a game ended by what a function gives: a player, a draw in words, a ``number``, or a result as in
        chess; None if that names nobody.
        """
        value = value.item() if isinstance(value, np.generic) else value
        text, texts, word = freeze(value), [freeze(each) for each in self.pair()], _word(value)
        if text in texts and (not number or isinstance(value, str)):
            return Ended(1, text)
        if isinstance(word, str) and word in (*TIED, *RESULTS):
            return Ended(RESULTS.get(word, 0), "")
        empty = value is None or value is False or (isinstance(value, (list, tuple, dict)) and not value)
        if empty or (isinstance(word, str) and word in NOBODY):
            return None
        if number and not isinstance(value, (str, bool)):
            return Ended(_number(value, name), "")
        numbers = all(isinstance(each, int) and not isinstance(each, bool) for each in self.pair())
        if numbers and isinstance(value, (int, float)) and not isinstance(value, bool):
            return Ended(0, text) if value else None
        more = ""
        if value is True:
            more = f"; --map winner=none,win={name} says that whoever has just moved has won"
        elif isinstance(value, (int, float)):
            more = f"; --map winner=none,payoff={name} reads numbers, of {self._first()}"
        elif self.made_up:
            more = f"; --map mover={self.reading.proposed('mover')} says who moves, or players=A+B who takes turns"
        raise RulesError(f"{name} gives {value!r}, which is neither {texts[0]} nor {texts[1]} nor a draw{more}")

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

    def _first(self) -> str:
        """Return whose payoffs are that name nobody: those of the usual first of such a pair, X of X and O, else of
        whoever begins.
        """
        texts = tuple(freeze(each) for each in self.pair())
        pairs = [tuple(map(freeze, pair)) for pair in MARKS]
        return texts[1] if texts[::-1] in pairs and texts not in pairs else texts[0]

    def payoff(self, end: Ended) -> float:
        """Return what the first player gets at an end."""
        if not end.points:
            return 0
        return end.points if (end.whose or self._first()) == freeze(self.pair()[0]) else -end.points

    # What goes wrong --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Run the program inside: what it prints is counted, and `input` is refused."""
        with overseen(self.files, self.printed):
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


def _word(value: Any) -> Any:
    """Return a text, or the name of what is enumerated, in small letters; other values as they are."""
    value = value.name if isinstance(value, enum.Enum) else value
    return value.strip().lower() or value[:1] if isinstance(value, str) else value


def _number(value: Any, name: str) -> float:
    number = value.item() if hasattr(value, "item") else value
    number = float(number) if isinstance(number, (Decimal, Fraction)) else number
    if number is None or number is False:
        return 0
    if isinstance(number, bool) or not isinstance(number, (int, float)) or math.isnan(number):
        raise RulesError(f"{name} gives {freeze(value)} at the end of a game, which is neither a player nor a number")
    return number
