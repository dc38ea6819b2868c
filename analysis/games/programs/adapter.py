"""Positions, moves and ends of somebody's program, asked in one way whatever its interface."""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import inspect
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...errors import GametreeError, RulesError
from ...machine.time_limit import begin_anew
from ...rules.fields import excerpt, in_words, place, raised_at
from ..user import overseen
from .freezing import Attribute, freeze, parts_of
from .interfaces import LETTERS, MARKS, Target, maximiser, parameters_of

DRAWS = ("draw", "tie", "tied", "d", "t", "cat", "stalemate", "1/2-1/2", "none", "nobody", "no one", "-", " ", "")
"""How programs say that nobody has won, in small letters."""
RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
TURN = "turn (kept by gametree)"
"""The part of a position that says who moves where the program is told."""


class Situation(NamedTuple):
    """A position of a program."""

    state: Any
    turn: int
    """0 or 1: whose turn it is, where players take turns and the program does not say."""


class Ended(NamedTuple):
    """How a game ended."""

    points: float
    whose: str
    """Who gets them, as text, if anybody says; the other gets as many less. Of a tie, a number that is no player."""


class Reply(NamedTuple):
    """What the rules say of a position."""

    mover: str
    """Who moves, as text; nothing where nobody says, at the end of a game."""
    ended: Ended | None
    """None while the game goes on."""
    moves: tuple[Any, ...]
    """As the program has them; none where the game is over."""


def without(parts: Sequence[Attribute], dropped: frozenset[str] | set[str]) -> list[Attribute]:
    """Return the parts of a position but for those with these names, and for what objects and lists so called hold."""
    return [part for part in parts if part[0] not in dropped and attribute_of(part[0]) not in dropped]


def attribute_of(name: str) -> str:
    """Return the attribute of a position that a part of it belongs to.

    >>> attribute_of("players[0].place"), attribute_of("board")
    ('players', 'board')
    """
    return re.split(r"[.\[]", name, maxsplit=1)[0]


class Printed(io.TextIOBase):
    """Keeps what rules print from standard output, and counts it."""

    def __init__(self) -> None:
        self.lines = 0

    def write(self, text: str) -> int:
        """Count the lines of a text."""
        self.lines += text.count("\n")
        return len(text)


@dataclasses.dataclass
class Adapter:
    """A program as positions, moves and ends."""

    target: Target
    copy: Callable[[Any], Any]
    """Makes a position that shares nothing with another that could change."""
    files: Sequence[str]
    """Those of the program, for the lines of its errors."""
    players: list[Any] = dataclasses.field(default_factory=list)
    """Who moves, as the program has them, in the order in which they were seen."""
    dropped: frozenset[str] = frozenset()
    """Parts of positions that make no difference."""
    printed: Printed = dataclasses.field(default_factory=Printed)

    def __post_init__(self) -> None:
        self._names = self.target.names
        self._turns = "mover" not in self._names
        if self._turns and not self.players:
            self.players = list(MARKS[0])
        self._arguments: dict[str, list[str]] = {}
        self._passing: bool | None = None

    # The rules --------------------------------------------------------------------------------------------------------

    def start(self) -> Situation:
        """Return the first position, made anew where a function makes it."""
        target = self.target
        if not target.passes:
            return Situation(self.copy(target.owner), 0)
        first = getattr(target.owner, self._names["start"])
        return Situation(self.copy(first() if callable(first) else first), 0)

    def key(self, place: Situation) -> str:
        """Return a position as text: equal positions have equal ones."""
        return join(self.parts(place))

    def parts(self, place: Situation) -> list[Attribute]:
        """Return a position by its attributes, without those that are dropped."""
        begin_anew()
        return without(self.all_parts(place), self.dropped)

    def all_parts(self, place: Situation) -> list[Attribute]:
        """Return a position by all its attributes."""
        return parts_of(place.state) + ([(TURN, str(place.turn))] if self._turns else [])

    def look(self, where: Situation) -> Reply:
        """Return what the rules say of a position, which they may not change. Raises what they raise."""
        over = bool(self._ask("over", where)) if "over" in self._names else None
        winner = self._winner(where) if over is None and "winner" in self._names else None
        winner = winner if self._decides(winner) else None
        moves: tuple[Any, ...] = ()
        if not over and winner is None:
            moves = self._moves(where)
            if over is False and not moves:
                name = self._names["over"]
                raise RulesError(f"{name} says that the game goes on, and {self._names['moves']} gives no move")
        mover = self._mover(where, ended=not moves)
        return Reply(mover, None if moves else self._end(where, mover, winner), moves)

    def play(self, where: Situation, move: Any) -> Situation:
        """Return the position after a move; the one before it stays as it is."""
        new = Situation(self.copy(where.state), where.turn)
        made = self._ask("play", new, *self._move_arguments(new, move))
        returned = type(made) is type(where.state) or (self.target.passes and made is not None and made is not True)
        child = made if returned else new.state
        switch = self._names.get("switch")
        if switch and not self.target.passes and not self._passes_turn(switch):
            getattr(child, switch)()
        elif self.target.interface == "easyAI" and not switch:
            setattr(child, self._names["mover"], 3 - getattr(child, self._names["mover"]))
        return Situation(child, 1 - where.turn)

    def in_order(self, move: Any) -> Any:
        """Return by what moves are put in order, where this can be compared."""
        return move

    def _moves(self, where: Situation) -> tuple[Any, ...]:
        """Return the legal moves. Raises `RulesError` for None and other things that hold none."""
        found, owner, name = self._ask("moves", where), self.target.owner, self._names["moves"]
        try:
            moves = iter(found)
        except TypeError:
            function: Any = getattr(owner if self.target.passes else type(owner), name, None)
            code = getattr(inspect.unwrap(getattr(function, "fget", function)), "__code__", None)
            what = f"{place(code.co_filename, code.co_firstlineno, name)}:" if code else name
            missing = " (is a return missing?)" * (found is None)
            raise RulesError(f"{what} gives {freeze(found)} instead of moves{missing}") from None
        return tuple(moves)

    def _passes_turn(self, switch: str) -> bool:
        """Tell whether the function that makes a move also passes the turn on, by the one that does so or by itself."""
        if self._passing is None:
            code = getattr(getattr(type(self.target.owner), self._names["play"], None), "__code__", None)
            stored = {each.argval for each in dis.get_instructions(code) if each.opname == "STORE_ATTR"} if code else ()
            self._passing = switch in getattr(code, "co_names", ()) or self._names.get("mover") in stored
        return self._passing

    def _ask(self, role: str, where: Situation, *more: Any) -> Any:
        begin_anew()
        owner = self.target.owner if self.target.passes else where.state
        found = getattr(owner, self._names[role])
        if not callable(found):
            return found
        if role == "moves" and len(self._wanted(role)) == 1:  # those of the player who moves
            more = (self._symbol(where),)
        return found(where.state, *more) if self.target.passes else found(*more)

    def _wanted(self, role: str) -> list[str]:
        """Return the arguments of the function of a role, but for the position."""
        if role not in self._arguments:
            found = getattr(self.target.owner, self._names[role])
            self._arguments[role] = parameters_of(found)[self.target.passes :]
        return self._arguments[role]

    def _move_arguments(self, where: Situation, move: Any) -> list[Any]:
        """Return what the function that makes a move is given: the move, in parts if it takes them, and who moves."""
        wanted = self._wanted("play")
        lettered = [name.lower().strip("_") in LETTERS for name in wanted]
        several = isinstance(move, (tuple, list, np.ndarray)) and len(wanted) - any(lettered) == len(move) > 1
        parts = list(move) if several else [move]
        if len(wanted) > len(parts) and (any(lettered) or len(wanted) == len(parts) + 1):
            at = lettered.index(True) if any(lettered) else len(parts)
            parts.insert(at, self._symbol(where))
        return parts

    def _symbol(self, where: Situation) -> Any:
        """Return who moves, as the program has it."""
        return self.players[where.turn] if self._turns else self._ask("mover", where)

    def _mover(self, where: Situation, *, ended: bool) -> str:
        if self._turns:
            return freeze(self.players[where.turn])
        try:
            symbol = self._ask("mover", where)
        except Exception:
            if ended:  # some look for a mover and find none
                return ""
            raise
        if symbol is None or (ended and symbol == ""):
            if ended:
                return ""
            raise RulesError(f"{self._names['mover']} gives {symbol!r} while the game goes on")
        text = freeze(symbol)
        known = [freeze(each) for each in self.players]
        if text not in known and not (ended and len(known) == 2):
            if len(known) == 2:
                raise RulesError(
                    f"{text} is to move, beside {known[0]} and {known[1]}: games are for two players "
                    "(--map mover=none says that they take turns)"
                )
            self.players.append(symbol)
        return text if text in map(freeze, self.players) else ""

    # Ends -------------------------------------------------------------------------------------------------------------

    def _winner(self, where: Situation) -> Any:
        """Return what the program says of who has won."""
        if len(self._wanted("winner")) == 1:  # asked of each player
            return next((each for each in self.players if self._ask("winner", where, each)), None)
        return self._ask("winner", where)

    def _decides(self, winner: Any) -> bool:
        """Tell whether what is said of who has won ends the game, where nothing else says whether it is over."""
        if isinstance(winner, str):
            return winner in self.players or winner.lower() in DRAWS[:8]
        return winner is not False and (bool(winner) or (winner is not None and winner in self.players))

    def _end(self, where: Situation, mover: str, winner: Any) -> Ended:
        """Return how a game ended."""
        names = self._names
        if (
            "lose" in names
            or "win" in names
            or ("scoring" in names and "payoff" not in names and "winner" not in names)
        ):
            return self._by_mover(where, mover)
        told = self._paid(where) if "payoff" in names else None
        if "winner" in names:
            found = self._read(self._winner(where) if winner is None else winner, names["winner"])
            if told is None:
                return found
            one, other = (self.payoff(each) for each in (found, told))
            if (one > 0) != (other > 0) or (one < 0) != (other < 0):
                raise RulesError(f"{names['winner']} and {names['payoff']} do not agree on who has won")
        if told is None:
            raise RulesError("nothing tells who has won; name what does with --map winner=NAME or payoff=NAME")
        return told

    def _by_mover(self, where: Situation, mover: str) -> Ended:
        """Return how a game ended, told by whoever is to move."""
        if not mover:
            raise RulesError("nobody is to move at the end, and its result is told by the player to move")
        for role, points in (("lose", -1), ("win", 1)):
            if role in self._names and self._ask(role, where):
                return Ended(points, mover)
        if "lose" not in self._names and "win" not in self._names:
            return Ended(_number(self._ask("scoring", where), "scoring"), mover)
        return Ended(0, "")

    def _paid(self, where: Situation) -> Ended:
        name, wanted = self._names["payoff"], self._wanted("payoff")
        pair, asked = self.pair(), len(wanted) == 1  # of each player
        told = [self._ask("payoff", where, each) for each in pair] if asked else self._ask("payoff", where)
        if not isinstance(told, (list, tuple, np.ndarray)) or len(told) != 2:
            return self._read(told, name)
        one, other = (_number(each, name) for each in told)
        if one + other not in (0, 1):
            raise RulesError(
                f"{name} gives {one:g} for {pair[0]!r} and {other:g} for {pair[1]!r}; one player's gain must be the "
                "other's loss"
            )
        return Ended(one - other if one + other else one, freeze(pair[0]) if asked else "")

    def _read(self, told: Any, name: str) -> Ended:
        """Return how a game ended by what a function says: a player, a number, a result as in chess, or nobody."""
        if told is None or told is False or (isinstance(told, str) and told.strip().lower() in DRAWS):
            return Ended(0, "")
        if isinstance(told, str) and told in RESULTS:
            return Ended(RESULTS[told], "")
        text, winner = freeze(told), name == self._names.get("winner")
        texts = [freeze(each) for each in self.pair()]
        if text in texts and (winner or isinstance(told, str)):
            return Ended(1, text)
        if isinstance(told, str) or told is True:
            raise RulesError(f"{name} gives {told!r}, which is neither a player ({' or '.join(texts)}) nor a draw")
        numbers = all(isinstance(each, int) for each in self.pair())
        points = _number(told, name)
        if winner and not numbers and points not in (-1, 0, 1):
            raise RulesError(f"{name} gives {points:g}, which is neither {' nor '.join(texts)}")
        return Ended(0, "" if points in (0, -1) else text) if winner and numbers else Ended(points, "")

    def index(self, mover: str) -> int:
        """Return 0 or 1, which of the players somebody is by his text; -1 of nobody."""
        return next((number for number, each in enumerate(self.players) if freeze(each) == mover), -1)

    def pair(self) -> list[Any]:
        """Return both players; the second, where only one was seen to move, as it is called beside the first."""
        if len(self.players) == 1:
            texts = freeze(self.players[0])
            for pair in (*MARKS, (True, False)):
                if texts in map(freeze, pair):
                    return [self.players[0], next(each for each in pair if freeze(each) != texts)]
        if len(self.players) != 2:
            raise RulesError("only one player was seen to move; --map players=A+B names both")
        return self.players

    def payoff(self, end: Ended) -> float:
        """Return what the first player gets at an end."""
        if not end.points:
            return 0
        texts = tuple(freeze(each) for each in self.pair())
        return end.points if (end.whose == texts[0] if end.whose else maximiser(texts) == texts[0]) else -end.points

    # What goes wrong --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Run the program inside: what it prints is counted, and `input` is refused."""
        with overseen(self.files, self.printed):
            yield

    def failure(self, error: BaseException, history: Sequence[Any]) -> GametreeError:
        """Return an exception of the program as one line, with the moves that led to it."""
        moves = f" after the moves {said_moves(history)}" if history else " at the start"
        found = raised_at(error, self.files)
        at = f"{place(*found)}: " if found else ""
        what = str(error) if isinstance(error, GametreeError) else in_words(error)
        return RulesError(f"{at}{what},{moves}").showing(excerpt(*found[:2]) if found else "")


def join(parts: Any) -> str:
    """Return the text of a position, by its parts."""
    return "; ".join([f"{name}={text}" if name else text for name, text in parts])


def said_moves(history: Sequence[Any], most: int = 40) -> str:
    """Return moves in the order in which they were made, as messages have them."""
    shown = " ".join(freeze(move).replace(" ", "") for move in history[:most])
    return f"{shown} ..." if len(history) > most else shown or "(none)"


def _number(value: Any, name: str) -> float:
    number = value.item() if hasattr(value, "item") else value
    number = float(number) if isinstance(number, (Decimal, Fraction)) else number
    if isinstance(number, bool) or not isinstance(number, (int, float)) or math.isnan(number):
        raise RulesError(f"{name} gives {freeze(value)} at the end of a game, which is neither a player nor a number")
    return number
