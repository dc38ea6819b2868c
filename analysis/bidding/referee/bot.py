"""Players of the referee's protocols: one turn in, one line out."""

from __future__ import annotations

import difflib
import functools
import random
from typing import IO, TYPE_CHECKING

from analysis.bidding.referee.referee_protocol import CHIPS, TURN_LINES, RefereeTurn, answer
from analysis.bidding.referee.strategies import DEFAULT, make_strategy
from analysis.errors import OptionError, ProtocolError
from analysis.games.bidding import MOST_CHIPS
from analysis.machine.workers import Progress, no_progress

if TYPE_CHECKING:
    from analysis.bidding.bidding_position import BiddingPosition
    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.bidding.referee.resisting import Resisting
    from analysis.bidding.referee.strategies import LookUp

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

    ``protocol`` is one of `PROTOCOLS`, ``text`` the turn, ``strategy`` a name that `strategies.make_strategy` knows:
    ``perfect`` takes the solution under ``data/`` if it is there, and solves the game otherwise; ``minimax`` searches
    ``depth`` moves from the board. ``chips`` is what each player began with, ``seed`` makes the strategies that draw by
    lot reproducible, ``progress`` is told how far a solve is. Raises `ProtocolError` for a turn that is none, and
    `OptionError` for another protocol, strategy or number of chips.

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
    data = text.encode() if isinstance(text, str) else text
    lots = random.Random() if seed is None else random.Random(b"%d " % seed + data)  # other lots in every turn
    return answer(text, player, lots, chips)


def read_turn(stream: IO[bytes]) -> bytes:
    """The lines of one turn. What follows is not read: a referee may keep the stream open for the answer. Raises
    `ProtocolError` where nothing can be read.
    """
    try:
        return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))
    except OSError as error:
        raise ProtocolError(f"cannot read standard input: {error.strerror or error}") from None


def _look_up(strategy: str, depth: int, chips: int, progress: Progress) -> LookUp:
    """How the state of a turn is found. What solves is loaded then: other strategies do without the compiler."""
    spec = f"bidding:game=tictactoe,chips={chips}"

    def searched(turn: RefereeTurn) -> BiddingPosition:
        from analysis.bidding.bidding_solving import search_bidding

        return search_bidding(spec, turn.board, depth, evaluation=EVALUATION, progress=progress)[turn.position()]

    def solved(turn: RefereeTurn) -> Resisting:
        from analysis.bidding.referee.resisting import Resisting

        solution = _solution(spec, progress)
        return Resisting(solution, solution[turn.position()])

    return searched if strategy == "minimax" else solved


@functools.lru_cache(maxsize=4)
def _solution(spec: str, progress: Progress) -> BiddingSolution:
    from analysis.bidding.bidding_solving import find_bidding

    return find_bidding(spec, progress=progress)
