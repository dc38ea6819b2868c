"""Players of the referee's protocols: one turn in, one line out; and the strategies by name.

``random`` and ``rules`` draw evenly from what their function of the turn leaves to choose from. ``minimax`` and
``perfect`` bid what a solved state bids, drawing where that is mixed, and place best; only these need the solver.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import IO, TYPE_CHECKING

from analysis.bidding.referee.referee_protocol import (
    CHIPS,
    LINES,
    TURN_LINES,
    RefereeTurn,
    Strategy,
    answer,
    format_cell,
)
from analysis.errors import OptionError, ProtocolError
from analysis.games.bidding import MOST_CHIPS, SIDES, SIGN, BiddingState
from analysis.machine.workers import Progress, no_progress

if TYPE_CHECKING:
    from analysis.bidding.bidding_position import Bid, BiddingPosition, Placement
    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.bidding.exact_values import Value
    from analysis.bidding.kept_values import KeptValues

    LookUp = Callable[[RefereeTurn], "BiddingPosition | Resisting"]
    """The state of a turn: its board, its purses (in a ``PLAY`` turn those after the payment) and its holder."""

PROTOCOLS = ("bidding-tictactoe",)
DEPTH = 2
EVALUATION = "lines"
DEFAULT = "perfect"
PLAIN_CHIPS = 8
"""Of each player, up to which a turn takes less time in plain Python than it takes to load the compiler."""
LONGEST_LINE = 1 << 20
"""Bytes; what is longer is no turn."""

Choices = tuple[Sequence[int], str]
"""The bids or cells to draw from, and why these."""


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

    ``protocol`` is one of `PROTOCOLS`, ``text`` the turn, ``strategy`` a name that `make_strategy` knows:
    ``perfect`` solves what the turn needs, of more than `PLAIN_CHIPS` chips the whole game unless its solution is under
    ``data/``; ``minimax`` searches ``depth`` moves from the board. ``chips`` is what each player began with, ``seed``
    makes the strategies that draw by lot reproducible, ``progress`` is told how far a solve is. Raises `ProtocolError`
    for a turn that is none, and `OptionError` for another protocol, strategy or number of chips.

    >>> answer_turn("bidding-tictactoe", "X\\nPLAY\\n1 1\\n0 2\\n_X_\\n___\\n___", "rules", seed=1)
    Traceback (most recent call last):
    analysis.errors.ProtocolError: line 1: X is to place, but O won the last bid (1 by X, 2 by O); O places
    """
    if protocol not in PROTOCOLS:
        raise OptionError(f"no bot plays {protocol!r}; {_hint(protocol, PROTOCOLS)}")
    if not 0 <= chips <= MOST_CHIPS:
        raise OptionError(f"chips={chips} is no number of chips; it is from 0 to {MOST_CHIPS:,}")
    level, _, plies = strategy.partition(":")
    if level == "depth" and plies.isdecimal() and int(plies) > 0:  # as levels are called elsewhere
        strategy, depth = "minimax", int(plies)
    player = make_strategy(strategy, _look_up(strategy, depth, chips, progress))
    data = text.encode() if isinstance(text, str) else text
    lots = random.Random() if seed is None else random.Random(b"%d " % seed + data)  # other lots in every turn
    answered = answer(text, player, lots, chips)
    if strategy == DEFAULT and chips <= PLAIN_CHIPS:
        _kept(_spec(chips)).write()
    return answered


def read_turn(stream: IO[bytes]) -> bytes:
    """The lines of one turn. What follows is not read: a referee may keep the stream open for the answer. Raises
    `ProtocolError` where nothing can be read.
    """
    try:
        return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))
    except OSError as error:
        raise ProtocolError(f"cannot read standard input: {error.strerror or error}") from None


def _look_up(strategy: str, depth: int, chips: int, progress: Progress) -> LookUp:
    """How the state of a turn is found. What solves is loaded then, and the compiler only for many chips."""
    spec, plain = _spec(chips), chips <= PLAIN_CHIPS

    def searched(turn: RefereeTurn) -> BiddingPosition:
        if plain:
            from analysis.bidding.plain_bidding import solve_lazily

            return solve_lazily(spec, turn.position(), depth, evaluation=EVALUATION)[turn.position()]
        from analysis.bidding.bidding_solving import search_bidding

        return search_bidding(spec, turn.board, depth, evaluation=EVALUATION, progress=progress)[turn.position()]

    def solved(turn: RefereeTurn) -> Resisting:
        solution = _solution(spec, plain, progress)
        return Resisting(solution, solution[turn.position()])

    return searched if strategy == "minimax" else solved


def _spec(chips: int) -> str:
    return f"bidding:game=tictactoe,chips={chips}"


@functools.lru_cache(maxsize=4)
def _kept(spec: str) -> KeptValues:
    from analysis.bidding.kept_values import KeptValues
    from analysis.bidding.plain_bidding import load_bidding

    return KeptValues(load_bidding(spec))


@functools.lru_cache(maxsize=4)
def _solution(spec: str, plain: bool, progress: Progress) -> BiddingSolution:
    if plain:
        from analysis.bidding.plain_bidding import solve_lazily

        return solve_lazily(spec, kept=_kept(spec))
    from analysis.bidding.bidding_solving import find_solution

    return find_solution(spec, progress=progress)


# Solved states that resist --------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Resisting:
    """A state of a solution as a player wants it: of choices that are equally good against best play, the one that
    gains most by errors. Where a game is lost every bid is as good as another against best play, and the least of them
    would give up; an opponent who bids at random errs.
    """

    solution: BiddingSolution
    position: BiddingPosition

    @property
    def value(self) -> Value:
        """Seen by X."""
        return self.position.value

    @functools.cached_property
    def bids(self) -> Mapping[str, tuple[Bid, ...]]:
        """The mixed bids as they are; else of the bids that get the side the value the one with the best mean over all
        bids of the opponent, the least of several.
        """
        return {side: self._bids(side) for side in SIDES}

    def _bids(self, side: str) -> tuple[Bid, ...]:
        drawn = self.position.bids.get(side, ())
        if len(drawn) != 1:
            return drawn
        each = zip(self.position.each_bid(side), self.position.payoffs_of(side), strict=True)
        best = min((-SIGN[side] * sum(row), bid.bid) for bid, row in each if bid.guarantee == self.value)
        return (drawn[0]._replace(bid=best[1]),)

    def placements(self, side: str) -> list[Placement]:
        """Best first: by value, then by the mean over all pairs of bids in the state that follows."""
        found = self.position.placements(side)
        best = [placement for placement in found if placement.value == found[0].value]
        return sorted(best, key=lambda placement: -SIGN[side] * self._mean(placement)) + found[len(best) :]

    def _mean(self, placement: Placement) -> Value:
        board = self.solution.game.base.parse_either_side(placement.position)
        return _mean_payoff(self.solution, self.position.state._replace(board=board))


@functools.lru_cache(maxsize=1 << 14)
def _mean_payoff(solution: BiddingSolution, state: BiddingState) -> Value:
    """Over all pairs of bids, or the payoff where the game is over."""
    found = solution.lookup(*state)
    entries = [value for row in found.matrix for value in row]
    return sum(entries, Fraction(0)) / len(entries) if entries else found.value


# Strategies -----------------------------------------------------------------------------------------------------------


class DrawnEvenly:
    """Any of the ``choices`` in a turn, all alike."""

    def __init__(self, choices: Callable[[RefereeTurn], Choices]) -> None:
        self._choices = choices

    def choose(self, turn: RefereeTurn, rng: random.Random) -> int:
        """One of them, drawn from ``rng``."""
        return rng.choice(self._choices(turn)[0])

    def explain(self, turn: RefereeTurn) -> str:
        """Why these."""
        return self._choices(turn)[1]


class SolvedStrategy:
    """Plays from solved states. ``look_up`` is called once a turn, when it is asked; ``source`` says where the values
    come from, for people.
    """

    def __init__(self, look_up: LookUp, source: str) -> None:
        self._look_up = functools.lru_cache(maxsize=1)(look_up)  # the answer and its explanation share it
        self._source = source

    def choose(self, turn: RefereeTurn, rng: random.Random) -> int:
        """One of the solution's bids, each as often as it says, or the first of the best placements."""
        state = self._look_up(turn)
        if turn.phase == "PLAY":
            return state.placements(turn.player)[0].move
        bids = state.bids[turn.player]
        if len(bids) == 1:
            return bids[0].bid
        return rng.choices([bid.bid for bid in bids], [float(bid.probability) for bid in bids])[0]

    def explain(self, turn: RefereeTurn) -> str:
        """The value and both sides' bids, or every placement with its value; values are seen by X."""
        state = self._look_up(turn)
        if turn.phase == "PLAY":
            cells = ", ".join(f"{format_cell(p.move)} ({_number(p.value)})" for p in state.placements(turn.player))
            return f"placements best first, with the value to X {self._source}: {cells}"
        bids = "; ".join(f"{side} bids {_mixed(state.bids[side])}" for side in (turn.player, turn.opponent))
        return f"value to X {self._source}: {_number(state.value)}; {bids}"


def _mixed(bids: Sequence[Bid]) -> str:
    """Bids as people read them; the only one without its probability, 1."""
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({_number(bid.probability)})" for bid in bids)


def _number(number: Value) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


# What is drawn from ---------------------------------------------------------------------------------------------------


def anything(turn: RefereeTurn) -> Choices:
    """Any bid that the purse allows, any free cell."""
    if turn.phase == "BID":
        return range(turn.own_chips + 1), f"any bid from 0 to {turn.own_chips}, all alike"
    return turn.free(), "any free cell, all alike"


def rules_of_thumb(turn: RefereeTurn) -> Choices:
    """The first rule that applies. Bids: 1 (or 0 of an empty purse) if the opponent has no chips; the whole purse if
    one mark of either side would complete a line. Cells: one that completes an own line; one that blocks a line.
    """
    bidding = turn.phase == "BID"
    if bidding and turn.chips(turn.opponent) == 0:
        bid = min(1, turn.own_chips)
        return [bid], f"{turn.opponent} has no chips: bid {bid}"
    for side, end, mark in ((turn.player, "win", "complete"), (turn.opponent, "lose", "block")):
        cells = completing(turn.board, side)
        if cells:
            named = " or ".join(map(format_cell, cells))
            if bidding:
                return [turn.own_chips], f"about to {end}, {side} completes a line at {named}: bid everything"
            return cells, f"{mark} a line at {named}"
    choices, words = anything(turn)
    return choices, f"{'nothing urgent' if bidding else 'no line to complete or to block'}: {words}"


def completing(board: str, side: str) -> tuple[int, ...]:
    """The empty cells where one mark of ``side`` completes a line.

    >>> completing("XX?OO????", "X"), completing("XX?OO????", "O")
    ((2,), (5,))
    """
    found = set()
    for line in LINES:
        marks = [board[cell] for cell in line]
        if marks.count(side) == len(line) - 1 and "?" in marks:
            found.add(line[marks.index("?")])
    return tuple(sorted(found))


# By name --------------------------------------------------------------------------------------------------------------

DRAWING = {"random": anything, "rules": rules_of_thumb}
SOLVED = {"minimax": "by the line evaluation at a depth", "perfect": "by the solved game"}
"""Where the values of those come from that play from solved states."""


def make_strategy(name: str = DEFAULT, look_up: LookUp | None = None) -> Strategy:
    """The player of this name, ``random``, ``rules``, ``minimax`` or ``perfect``; ``look_up`` gives the last two the
    state of a turn. It is called at a turn, not before, so it may solve when it is first asked. Raises `OptionError` if
    there is none of the name, or if ``look_up`` is missing.

    >>> make_strategy("rulse")
    Traceback (most recent call last):
    analysis.errors.OptionError: strategy 'rulse' is unknown; did you mean 'rules'? There are random, rules, minimax, \
perfect, depth:D
    """
    if name in DRAWING:
        return DrawnEvenly(DRAWING[name])
    if name not in SOLVED:
        raise OptionError(f"strategy {name!r} is unknown; {_hint(name, [*DRAWING, *SOLVED, 'depth:D'])}")
    if look_up is None:
        raise OptionError(f"strategy {name!r} plays from solved states; give look_up, which finds the state of a turn")
    return SolvedStrategy(look_up, SOLVED[name])


def _hint(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    all_of_them = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
    if not close:
        return all_of_them
    return f"did you mean {close[0]!r}?" + (f" T{all_of_them[1:]}" if len(known) > 1 else "")
