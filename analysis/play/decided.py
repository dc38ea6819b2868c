"""Where a game was decided: the moves that gave value away, and what would have kept it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.errors import GametreeError
from analysis.play.session import Turn
from analysis.players.judged import JudgedMove, Worth


class GivenAway(NamedTuple):
    """A move after which the position is worth less to whoever played it."""

    ply: int
    """Counted from 1."""
    turn: Turn
    before: Worth
    after: Worth
    kept: tuple[int, ...]
    """The codes that would have kept the value, best first."""


def known_since(turns: Sequence[Turn], worth: Callable[[int], Worth]) -> int:
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


def given_away(
    turns: Sequence[Turn], worth: Callable[[int], Worth], moves: Callable[[int], list[JudgedMove]], since: int = 0
) -> list[GivenAway]:
    """The moves of a game that gave value away, after so many turns, the first one first; that is where the game was
    decided. ``worth`` and ``moves`` are those of `players.knowledge.Knowledge`, which may raise `OptionError`.
    """
    found = []
    for ply, turn in enumerate(turns[since:], start=since + 1):
        before, after = worth(turn.state), worth(turn.child)
        if turn.side * after.value < turn.side * before.value:
            kept = tuple(move.code for move in moves(turn.state) if move.optimal)
            found.append(GivenAway(ply, turn, before, after, kept))
    return found
