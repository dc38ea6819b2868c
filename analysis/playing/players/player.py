"""What every level of play is, and those that need no more than the rules, a search, or a function of one's own."""

from __future__ import annotations

import abc
import functools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from analysis.errors import OptionError, PositionError
from analysis.rules.game import ONGOING, Game

REMEMBERED = 1 << 18
"""Positions of which a player keeps in mind what it prefers there."""


class Player(abc.ABC):
    """Chooses moves in one game: evenly among those it prefers or, with probability `blunders`, among all.

    A level is a class with `preferred` alone; both what it plays and its exact `distribution` follow from that.
    """

    blunders: Fraction = Fraction(0)
    """How often it moves entirely at random."""
    note: str = ""
    """How it knows what it knows, for people; empty where there is nothing to say."""

    def __init__(self, game: Game, level: str) -> None:
        self.game, self.rules = game, game.rules()
        self.level = level
        """The text that names it, such as ``depth:4``."""
        self._preferred = functools.lru_cache(REMEMBERED)(self.preferred)

    @abc.abstractmethod
    def preferred(self, state: int) -> list[int]:
        """The codes of the moves that it prefers, ascending; at least one where the game goes on."""

    def choose(self, state: int, rng: random.Random) -> int:
        """The code of a move; there must be one."""
        if self.blunders and rng.random() < self.blunders:
            return rng.choice([code for code, _ in self.rules.moves(state)])
        return rng.choice(self._preferred(state))

    def distribution(self, state: int | str) -> dict[int, Fraction]:
        """How likely each legal move is in a state or a position, by code, also of moves that are never chosen."""
        state = self.game.parse_position(state) if isinstance(state, str) else state
        codes = [code for code, _ in self.rules.moves(state)]
        chosen = self._preferred(state)
        evenly = self.blunders / len(codes) if codes else Fraction(0)
        extra = (1 - self.blunders) / len(chosen) if chosen else Fraction(0)
        return {code: evenly + (extra if code in chosen else 0) for code in codes}


class Uniform(Player):
    """Moves at random."""

    def preferred(self, state: int) -> list[int]:
        """All legal moves."""
        return [code for code, _ in self.rules.moves(state)]


class Greedy(Player):
    """Wins at once where it can; otherwise prefers moves after which the opponent cannot; otherwise moves at random.

    To win is to end the game with a payoff above 0, as the winner sees it.
    """

    def preferred(self, state: int) -> list[int]:
        """The moves that win at once; without these the safe ones; without these all."""
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
        """Whether a side's move to this state has not lost the game and lets the opponent not win it at once. Where the
        side moves again it may still see to that.
        """
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return side * payoff >= 0
        if self.rules.mover(state) == side:
            return True
        return not any(self._won(child, -side) for _, child in self.rules.moves(state))


class Depth(Player):
    """Prefers the moves that are best by a search of limited depth, or as deep as the ``seconds`` for a move allow.
    Raises `OptionError` where these are none.
    """

    def __init__(self, game: Game, level: str, depth: int, seconds: float | None = None) -> None:
        super().__init__(game, level)
        if seconds is not None and not seconds > 0:
            raise OptionError(f"{seconds} seconds are no time to search; give more than 0")
        self.depth, self.seconds = depth, seconds
        self.evaluation = self.rules.default_evaluation
        valued = f"by {self.evaluation}" if self.evaluation else "at 0"
        how_deep = f"{depth} {'ply' if depth == 1 else 'plies'}"
        if seconds is not None:
            how_deep += f" or as deep as {seconds:g} s a move allow"
        self.note = f"searches {how_deep}, values open positions {valued}"

    def preferred(self, state: int) -> list[int]:
        """The moves that the search finds best. Raises `OptionError` where the seconds are over before one ply is."""
        from analysis.search.advice import advise  # what it searches with takes a while to load

        advice = advise(
            self.game,
            self.game.format_position(state),
            depth=self.depth,
            seconds=self.seconds,
            evaluation=self.evaluation,
        )
        return sorted(move.move for move in advice.moves if move.optimal)


Function = Callable[[str], Any]
"""``function(position)`` -> a move, as its code or as the game writes it."""


class Agent(Player):
    """Plays what a function says; it is asked anew each time, so it may draw by lot.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> Agent(game, lambda position: position.index("?")).choose(game.parse_position("XO???????"), random.Random())
    2
    """

    def __init__(self, game: Game, function: Function) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        super().__init__(game, name if name.isidentifier() else "agent")
        self.function = function

    def preferred(self, state: int) -> list[int]:
        """What the function says, this time. Raises `PositionError` where it is no legal move."""
        position, legal = self.game.format_position(state), [code for code, _ in self.rules.moves(state)]
        move = self.function(position)
        code = self.game.parse_move(move) if isinstance(move, str) else move
        if code not in legal or isinstance(code, bool):
            raise PositionError(f"{self.level} plays {move!r} in {position}; legal are {' '.join(map(str, legal))}")
        return [int(code)]

    def choose(self, state: int, rng: random.Random) -> int:
        """What the function says, whatever ``rng`` is. Raises `PositionError` where it is no legal move."""
        return self.preferred(state)[0]
