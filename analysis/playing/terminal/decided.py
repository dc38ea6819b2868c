"""Where a game was decided: the moves that gave value away, and what would have kept it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.engine.columns import NEVER
from analysis.errors import GametreeError
from analysis.playing.players.judged import JudgedMove
from analysis.playing.terminal.session import PlayedTurn
from analysis.solution.position import Worth


class GivenAway(NamedTuple):
    """A move after which the position is worth less to the side that played it."""

    ply: int
    """Counted from 1."""
    turn: PlayedTurn
    before: Worth
    after: Worth
    kept: tuple[int, ...]
    """The codes that would have kept the value, best first."""


def known_since(turns: Sequence[PlayedTurn], worth: Callable[[int], Worth]) -> int:
    """The number of turns after which every position of a game is known: 0 where the first one is, otherwise found by
    going back from the end as far as ``worth`` does not raise `GametreeError`.
    """
    if not turns or _is_known(turns[0].state, worth):
        return 0
    since = len(turns)
    while _is_known(turns[since - 1].state, worth):
        since -= 1
    return since


def _is_known(state: int, worth: Callable[[int], Worth]) -> bool:
    try:
        worth(state)
    except GametreeError:
        return False
    return True


Worths = Callable[[int], Worth]
Moves = Callable[[int], list[JudgedMove]]
"""Those of `players.knowledge.Knowledge`."""


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
