"""Players of the referee's protocols: one turn in, one line out."""

from __future__ import annotations

import difflib
import functools
import random
from collections.abc import Callable
from typing import IO

from analysis.bidding.position import BiddingPosition
from analysis.bidding.referee.protocol import CHIPS, TURN_LINES, Turn, answer
from analysis.bidding.referee.strategies import DEFAULT, make_strategy
from analysis.bidding.solution import BiddingSolution
from analysis.bidding.solving import find_bidding, search_bidding
from analysis.errors import OptionError
from analysis.games.bidding import MOST_CHIPS
from analysis.workers import Progress, no_progress

PROTOCOLS = ("bidding-tictactoe",)
DEPTH = 2
EVALUATION = "lines"
LONGEST_LINE = 1 << 20
"""Bytes; what is longer is no turn."""


def answer_turn(
    protocol: str,
    text: str | bytes,
    strategy: str = DEFAULT,
    *,
    depth: int = DEPTH,
    chips: int = CHIPS,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> tuple[str, str]:
    """What a strategy answers to a turn: the line for the referee, and an explanation for people.

    ``perfect`` takes the solution under ``data/`` if it is there, and solves the game otherwise; ``minimax`` searches
    ``depth`` moves from the board. ``seed`` makes the strategies that draw by lot reproducible. Raises `ProtocolError`
    for a turn that is none, and `OptionError`.

    >>> answer_turn("bidding-tictactoe", "X\\nPLAY\\n1 1\\n0 2\\n_X_\\n___\\n___", "rules", seed=1)
    Traceback (most recent call last):
    analysis.errors.ProtocolError: line 1: X is to place, but O won the last bid (1 by X, 2 by O); O places
    """
    if protocol not in PROTOCOLS:
        close = difflib.get_close_matches(protocol, PROTOCOLS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there is {', '.join(PROTOCOLS)}"
        raise OptionError(f"no bot plays {protocol!r}; {hint}")
    if not 0 <= chips <= MOST_CHIPS:
        raise OptionError(f"chips={chips} is no number of chips; it is from 0 to {MOST_CHIPS:,}")
    player = make_strategy(strategy, _look_up(strategy, depth, chips, progress))
    return answer(text, player, random.Random(seed), chips)


def read_turn(stream: IO[bytes]) -> bytes:
    """The lines of one turn, without waiting for the end of the stream: a referee may keep it open for the answer."""
    return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))


def _look_up(strategy: str, depth: int, chips: int, progress: Progress) -> Callable[[Turn], BiddingPosition]:
    """How the state of a turn is found."""
    spec = f"bidding:game=tictactoe,chips={chips}"

    def find(turn: Turn) -> BiddingPosition:
        if strategy == "minimax":
            return search_bidding(spec, turn.board, depth, evaluation=EVALUATION, progress=progress)[turn.position()]
        return _solution(spec, progress)[turn.position()]

    return find


@functools.lru_cache(maxsize=4)
def _solution(spec: str, progress: Progress) -> BiddingSolution:
    return find_bidding(spec, progress=progress)
