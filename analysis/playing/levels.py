"""Levels of play: parse their texts, and play by them."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import OptionError, PositionError
from ..rules.game import ONGOING, Game, GameLike
from ..rules.notation import Notation
from ..rules.positions import Place
from .player import Player, is_bot

if TYPE_CHECKING:
    from ..search.finding import Knowledge

LEVELS = "random, greedy, depth:N, perfect, perfect:shortest, blunder:P"
"""The levels, for messages."""

GREATEST_DEPTH = 1000
"""Limit on the plies of ``depth:N``."""

_LEVEL = re.compile(
    r"(random|greedy|perfect|perfect:shortest)|depth:([0-9]{1,4})|blunder:([0-9]{0,9}[./]?[0-9]{1,9})", re.ASCII
)


class Level(NamedTuple):
    """A parsed level."""

    kind: str
    """``random``, ``greedy``, ``depth``, ``perfect``, ``blunder`` or ``bot``."""
    depth: int = 0
    """Plies that ``depth:N`` searches."""
    chance: Fraction = Fraction(0)
    """How often ``blunder:P`` moves at random."""
    shortest: bool = False
    """Whether it is ``perfect:shortest``."""

    @property
    def knows(self) -> bool:
        """Whether it plays by the values of positions."""
        return self.kind in ("perfect", "blunder")

    @property
    def thinks(self) -> bool:
        """Whether it must be asked position by position."""
        return self.kind in ("depth", "bot")


def parse_level(text: str, *, bots: bool = False) -> Level:
    """Return the level that a text names, which may be a program if ``bots`` are taken. Raises `OptionError` for an
    unknown one and a program that is not there.

    >>> parse_level("depth:4").depth, parse_level("blunder:1/10").chance
    (4, Fraction(1, 10))
    """
    if is_bot(text) and bots:
        from .bots import find_function  # slow to import

        find_function(text)
        return Level("bot")
    name, depth, chance = match.groups() if (match := _LEVEL.fullmatch(text.strip().lower())) else ("", "", "")
    if name:
        return Level(name.partition(":")[0], shortest=":" in name)
    if depth and 1 <= int(depth) <= GREATEST_DEPTH:
        return Level("depth", depth=int(depth))
    with contextlib.suppress(ValueError, ZeroDivisionError):
        if chance and Fraction(chance) <= 1:
            return Level("blunder", chance=Fraction(chance))
    names = f"{LEVELS}{', FILE.py:BOT' * bots}, N from 1 to {GREATEST_DEPTH}, P such as 0.1 or 1/10"
    raise OptionError(f"level {text[:40]!r} is none of {names}")


def is_level(text: str) -> bool:
    """Return whether a text names a level or a bot, rather than a file.

    >>> is_level("depth:4"), is_level("mine.py:choose"), is_level("games.csv")
    (True, True, False)
    """
    return is_bot(text) or _LEVEL.fullmatch(text.strip().lower()) is not None


def level_name(text: str) -> str:
    """Return a level's text in lower case, a bot's as it is."""
    return text.strip() if is_bot(text) else text.strip().lower()


def check_seconds(seconds: float | None, *, thinks: bool) -> None:
    """Raise `OptionError` for seconds a move that are not positive, or where no level ``thinks``."""
    if seconds is not None and not thinks:
        raise OptionError("--seconds limits depth:N and bots, but no level is one; leave it out")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot search in {seconds:g} seconds; give more than 0")


def find_player(
    level: str,
    game: GameLike,
    *,
    start: Place | None = None,
    knowledge: Knowledge | None = None,
    seconds: float | None = None,
) -> Player:
    """Return the player of a level in a game (GAME_OR_DIR).

    ``seconds`` is what ``depth:N`` or a bot may take for a move. A perfect player, or one that
    blunders now and then, plays by ``knowledge``, or by what `knowledge.find_knowledge` finds from ``start``
    (default: that of the game) on. Raises `OptionError` for a level that there is not, and what finding a game and
    its knowledge raises.
    """
    from ..solving.find import named_game

    wanted, name = parse_level(level, bots=True), level_name(level)
    chosen = named_game(game)
    if wanted.kind == "random":
        return Uniform(chosen, name)
    if wanted.kind == "greedy":
        return Greedy(chosen, name)
    if wanted.kind == "depth":
        return Depth(chosen, name, wanted.depth, seconds)
    if wanted.kind == "bot":
        from .bots import Bot

        return Bot(chosen, name, seconds)
    from ..search.finding import find_knowledge  # slow to import

    known = knowledge or find_knowledge(game, start)
    return Perfect(chosen, name, known, shortest=wanted.shortest, blunders=wanted.chance)


class Uniform(Player):
    """Moves at random."""

    def preferred(self, state: int) -> list[int]:
        """Return all legal moves."""
        return [code for code, _ in self.rules.moves(state)]


class Greedy(Player):
    """Wins at once where it can; otherwise prefers moves after which the opponent cannot; otherwise moves at random.

    A win is an end with a payoff above 0 for the winner.
    """

    def preferred(self, state: int) -> list[int]:
        """Return the moves that win at once, else the safe ones, else all."""
        side, moves = self.rules.mover(state), self.rules.moves(state)
        wins = [code for code, child in moves if self._won(child, side)]
        if wins:
            return wins
        safe = [code for code, child in moves if self._safe(child, side)]
        return safe or [code for code, _ in moves]

    def _won(self, state: int, side: int) -> bool:
        payoff = self.rules.payoff(state)
        return payoff != ONGOING and side * payoff > 0

    def _safe(self, state: int, side: int) -> bool:
        """Return whether a side's move to this state neither loses nor lets the opponent win at once."""
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return side * payoff >= 0
        if self.rules.mover(state) == side:
            return True
        return not any(self._won(child, -side) for _, child in self.rules.moves(state))


class Depth(Player):
    """Prefers the best moves of a search of limited depth, or as deep as the ``seconds`` of processor time for a move
    allow. Raises `OptionError` unless these are positive.
    """

    def __init__(self, game: Game, level: str, depth: int, seconds: float | None = None) -> None:
        super().__init__(game, level)
        if seconds is not None and not seconds > 0:
            raise OptionError(f"cannot search in {seconds} seconds; give more than 0")
        self.depth, self.seconds = depth, seconds
        self.evaluation = self.rules.default_evaluation
        valued = f"by {self.evaluation}" if self.evaluation else "at 0"
        limited = "" if seconds is None else f" or as deep as {seconds:g} s a move allow"
        self.note = f"searches {depth} {'ply' if depth == 1 else 'plies'}{limited}, values open positions {valued}"

    def preferred(self, state: int) -> list[int]:
        """Return the best moves. Raises `OptionError` if the seconds do not suffice for one ply."""
        from ..search.finding import advise  # slow to import

        advice = advise(
            self.game,
            self.game.format_position(state),
            depth=self.depth,
            seconds=self.seconds,
            evaluation=self.evaluation,
        )
        return sorted(move.move for move in advice.moves if move.optimal)


Function = Callable[[str], Any]
"""``function(position)`` -> a move, as its code or in the game's notation."""


class Agent(Player):
    """Plays what a function says; it is called anew each time, so it may be random.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> Agent(game, lambda position: position.index("?")).choose(game.parse_position("XO???????"), random.Random())
    2
    """

    def __init__(self, game: Game, function: Function) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        super().__init__(game, name if name.isidentifier() else "agent")
        self.function, self.notation = function, Notation(game)

    def preferred(self, state: int) -> list[int]:
        """Return what the function says, this time. Raises `PositionError` for an illegal move."""
        position, legal = self.game.format_position(state), [code for code, _ in self.rules.moves(state)]
        move = self.function(position)
        code = self.notation.read(move, state) if isinstance(move, str) else move
        if code not in legal or isinstance(code, bool):
            moves = " ".join(map(str, legal))
            raise PositionError(f"{self.level} plays {move!r} in {position}; legal moves are {moves}")
        return [int(code)]

    def choose(self, state: int, rng: random.Random, played: Sequence[int] = ()) -> int:
        """Return what the function says, whatever ``rng`` is. Raises `PositionError` for an illegal move."""
        return self.preferred(state)[0]


class Perfect(Player):
    """Plays by the values of moves, so it never gets less than the value of the position it starts from.

    With ``shortest`` it also wins and ties as fast, and loses as slowly, as it can. In a loopy game it always wins as
    fast as it can, since a move that only keeps a won game may be repeated for ever. With the probability ``blunders``
    it plays any legal move instead, all equally likely.
    """

    def __init__(
        self, game: Game, level: str, knowledge: Knowledge, *, shortest: bool = False, blunders: Fraction = Fraction(0)
    ) -> None:
        super().__init__(game, level)
        self.knowledge, self.shortest, self.blunders = knowledge, shortest, blunders
        self.note = knowledge.source
        if shortest and knowledge.solution is None:
            self.note += ", which does not tell quick ties and margins from slow ones"

    def preferred(self, state: int) -> list[int]:
        """Return the optimal moves, or the quickest of them."""
        side = self.rules.mover(state)
        optimal = [move for move in self.knowledge.moves(state) if move.optimal]
        best = optimal[0].worth if optimal else None
        if best is not None and (self.shortest or (self.rules.loopy and side * best.value > 0)):
            optimal = [move for move in optimal if move.worth is not None and move.worth.plies == best.plies]
        return sorted(move.code for move in optimal)
