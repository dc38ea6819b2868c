"""One game that is being played: what has been played, who is to move, whether it is over, where it was decided."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.engine.columns import NEVER
from analysis.errors import GametreeError, PositionError
from analysis.rules.counting import said_path
from analysis.rules.game import ONGOING, Game
from analysis.rules.positions import read_position
from analysis.search.finding import JudgedMove
from analysis.solution.position import Worth

REPETITIONS = 3
"""A position that occurs for this time ends the game as a draw: play in a loopy game need not end by itself."""


class PlayedTurn(NamedTuple):
    """One move that was played."""

    state: int
    """Before it."""
    code: int
    child: int
    """After it."""
    side: int
    """Who played it: +1 the first player, -1 the second."""


class Session:
    """A game from a position (default: its start) on, move by move. Rules that fail raise `RulesError`.

    >>> from analysis.games.families import load_game
    >>> session = Session(load_game("tictactoe"))
    >>> for code in (0, 3, 1, 4, 2):
    ...     _ = session.play(code)
    >>> session.over, session.outcome, session.path
    (True, 'X', '03142')
    """

    def __init__(self, game: Game, position: str | None = None) -> None:
        self.game, self.rules = game, game.rules()
        self.start = self.rules.start if position is None else read_position(game, position)
        self.turns: list[PlayedTurn] = []

    # What there is ----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> int:
        """The state the game is in."""
        return self.turns[-1].child if self.turns else self.start

    @property
    def position(self) -> str:
        """The state as text."""
        return self.game.format_position(self.state)

    @property
    def side(self) -> int:
        """Who is to move: +1 the first player, -1 the second."""
        return self.rules.mover(self.state)

    @property
    def moves(self) -> dict[int, int]:
        """The states after each legal move, by code; none where the rules end the game."""
        return dict(self.rules.moves(self.state))

    @property
    def occurrences(self) -> int:
        """How often the position has occurred, this time included."""
        state = self.state
        return (state == self.start) + sum(turn.child == state for turn in self.turns)

    @property
    def repeated(self) -> bool:
        """Whether the game has ended as a draw, because its position occurred again and again."""
        return self.occurrences >= REPETITIONS

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self._outcome != ONGOING or self.repeated

    @property
    def payoff(self) -> int:
        """The first player's payoff; 0 for a draw by repetition and while the game goes on."""
        return 0 if self._outcome == ONGOING else self._outcome

    @property
    def outcome(self) -> str:
        """``X``, ``O``, ``tie``, ``draw`` or ``unfinished``."""
        if not self.over:
            return "unfinished"
        if self.payoff:
            return "X" if self.payoff > 0 else "O"
        return "draw" if self._outcome == ONGOING else "tie"

    @property
    def path(self) -> str:
        """What was played, in backtracker form."""
        return said_path([turn.code for turn in self.turns], self.rules.largest_code)

    @property
    def _outcome(self) -> int:
        return self.rules.payoff(self.state)

    # What happens -----------------------------------------------------------------------------------------------------

    def play(self, code: int) -> PlayedTurn:
        """Play a move. Raises `PositionError` where it is none, or the game is over."""
        moves = {} if self.over else self.moves
        if code not in moves:
            reason = "the game is over" if not moves else f"{self.game.format_move(code)} is not legal here"
            raise PositionError(f"position {self.position!r}: {reason}")
        self.turns.append(PlayedTurn(self.state, code, moves[code], self.side))
        return self.turns[-1]

    def take_back(self, sides: frozenset[int] = frozenset((1, -1))) -> list[PlayedTurn]:
        """Take back the last move by one of these sides and what was played since; the turns taken back, the first of
        them first. None, and nothing happens, where none of these sides has moved.
        """
        last = max((i for i, turn in enumerate(self.turns) if turn.side in sides), default=len(self.turns))
        taken = self.turns[last:]
        del self.turns[last:]
        return taken


Worths = Callable[[int], Worth]
Moves = Callable[[int], list[JudgedMove]]
"""Those of `players.knowledge.Knowledge`."""


class GivenAway(NamedTuple):
    """A move after which the position is worth less to the side that played it."""

    ply: int
    """Counted from 1."""
    turn: PlayedTurn
    before: Worth
    after: Worth
    kept: tuple[int, ...]
    """The codes that would have kept the value, best first."""


def known_since(turns: Sequence[PlayedTurn], worth: Worths) -> int:
    """The number of turns after which every position of a game is known: 0 where the first one is, otherwise found by
    going back from the end as far as ``worth`` does not raise `GametreeError`.
    """

    def is_known(turn: PlayedTurn) -> bool:
        try:
            worth(turn.state)
        except GametreeError:
            return False
        return True

    if not turns or is_known(turns[0]):
        return 0
    return len(turns) - sum(1 for _ in itertools.takewhile(is_known, reversed(turns)))


def given_away(turns: Sequence[PlayedTurn], worth: Worths, moves: Moves, since: int = 0) -> list[GivenAway]:
    """The moves of a game that gave value away, after so many turns, the first one first; that is where the game was
    decided. Where ``worth`` raises `GametreeError` for a position between known ones, the moves to and from it are
    passed over.
    """
    found = []
    for ply, turn in enumerate(turns[since:], start=since + 1):
        try:
            before, after = worth(turn.state), worth(turn.child)
        except GametreeError:
            continue
        if turn.side * after.value < turn.side * before.value:
            kept = tuple(move.code for move in moves(turn.state) if move.optimal)
            found.append(GivenAway(ply, turn, before, after, kept))
    return found


class Wasted(NamedTuple):
    """A move of a game that was drawn by repetition: it kept a win without coming nearer to it."""

    ply: int
    """Counted from 1."""
    turn: PlayedTurn
    worth: Worth
    """Of the position before it."""
    nearer: tuple[int, ...]
    """The codes of the moves that would have come nearer."""


def wasted(turns: Sequence[PlayedTurn], worth: Worths, moves: Moves) -> Wasted | None:
    """Where a win was let go in a game that ended by repetition: the first move, since the win was there for good, that
    came no nearer to it. None where neither side could win at the end.
    """
    end = worth(turns[-1].child).value
    found = None
    for ply, turn in reversed(list(enumerate(turns, start=1))):
        before, after = worth(turn.state), worth(turn.child)
        if end == 0 or before.value != end:
            break
        if turn.side * end > 0 and before.plies <= after.plies < NEVER:
            kept = (move for move in moves(turn.state) if move.optimal)
            nearer = [move.code for move in kept if move.worth is not None and move.worth.plies < before.plies]
            found = Wasted(ply, turn, before, tuple(nearer))
    return found
