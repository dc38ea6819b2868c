"""Answer turns in the referee's protocol of bidding tic-tac-toe: a turn is a text, an answer one line.

A turn has seven lines, the same for both players. One after two rounds::

    X           the player to answer, X or O
    PLAY        BID: name a bid; PLAY: you have won the last bid, place your mark
    2 1         X's bids so far, separated by spaces; an empty line at first
    2 0         O's bids so far
    __X         the board row by row: X, O, and _ where it is empty
    ___
    ___

The answer to ``BID`` is the number of chips, to ``PLAY`` the row and the column of the cell, both counted from 0:
``0 2`` is the upper right corner. Who holds how many chips follows from the bids: both begin with the same number, the
higher bid pays the lower bidder, and of equal bids the holder of the tie advantage wins and pays. X holds it first, and
every tie passes it on. Above, the first round is a tie: X pays 2 chips, places in the corner, and O holds the
advantage; then X wins with 1 chip against 0, has 1 chip left, and is to place again.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from ..common.wording import did_you_mean, with_count
from ..errors import OptionError, ProtocolError
from ..games.bidding import MOST_CHIPS, OTHER, SIDES, SIGN, Bidding
from ..rules.lines import find_lines
from .bidding_rules import BiddingRules, Turn

if TYPE_CHECKING:
    from .bidding_solution import Bid, BiddingPosition, BiddingSolution
    from .exact_values import Value

PROTOCOLS = ("bidding-tictactoe",)
SIDE = 3
LINES = find_lines(SIDE, SIDE, SIDE)
CHIPS = 4
"""Chips of each player at the start, by default."""
DEFAULT = "perfect"
SOURCES = {"minimax": "by the line evaluation at a depth", "perfect": "by the solved game"}
STRATEGIES = ("random", "rules", *SOURCES, "depth:D")
PLAIN_CHIPS = 8
"""Chips of each player up to which plain Python answers a turn faster than the compiler loads."""
TURN_LINES, LONGEST_LINE = 7, 1 << 20
"""Lines of a turn; limit on the bytes of a line."""
SEVEN = "seven lines: the player, BID or PLAY, X's bids, O's bids, three rows of the board"


def answer_turn(
    protocol: str,
    text: str | bytes,
    strategy: str = DEFAULT,
    *,
    depth: int = 2,
    chips: int = CHIPS,
    seed: int | None = None,
) -> tuple[str, str]:
    """Answer a turn: return the line for the referee, and an explanation with the state.

    ``protocol`` is one of `PROTOCOLS`, ``text`` the turn, ``strategy`` one of `STRATEGIES`: ``random`` and ``rules``
    draw uniformly from their choices; ``minimax`` searches ``depth`` moves from the board, as ``depth:N`` does;
    ``perfect`` solves what the turn needs (for more than `PLAIN_CHIPS` chips the whole game, unless its solution is
    under ``data/``). ``chips`` is what each player began with, ``seed`` makes random choices reproducible. Raises
    `ProtocolError` for an invalid turn, and `OptionError` for an unknown protocol or strategy, or a wrong number of
    chips.

    >>> text = "X\\nPLAY\\n0 1 2\\n0 0 0\\nXX_\\n___\\n___"
    >>> line, explanation = answer_turn("bidding-tictactoe", text, "rules")
    >>> line
    '0 2'
    >>> print(explanation)
    X is to place; round 3 is paid
    XX??????? X=1 O=7 advantage=O
    complete a line at 0 2
    >>> answer_turn("bidding-tictactoe", "X\\nPLAY\\n1 1\\n0 2\\n_X_\\n___\\n___")
    Traceback (most recent call last):
    gametree.errors.ProtocolError: line 1: X is to place, but O has won the last bid
    """
    level, _, plies = strategy.partition(":")
    if level == "depth" and plies.isdecimal() and int(plies) > 0:  # the level's name in other commands
        strategy, depth = "minimax", int(plies)
    for subject, name, names in (("protocol", protocol, PROTOCOLS), ("strategy", strategy, STRATEGIES)):
        if name not in names or name == "depth:D":
            raise OptionError(f"unknown {subject} {name!r}{did_you_mean(name, names)}; expected {', '.join(names)}")
    if not 0 <= chips <= MOST_CHIPS:
        raise OptionError(f"chips={chips} is out of range; give 0 to {MOST_CHIPS:,}")
    data = text.encode() if isinstance(text, str) else text
    rng = random.Random() if seed is None else random.Random(b"%d " % seed + data)  # turns differ
    request = parse_turn(text, chips)
    advice = advise(request, strategy, depth)
    chosen, side, rounds = advice.draw(rng), request.turn.side, request.rounds
    line, words = str(chosen), f"{side} is to bid in round {rounds + 1}"
    if request.turn.kind == "placement":
        line, words = format_cell(chosen), f"{side} is to place; round {rounds} is paid"
    return line, "\n".join((words, request.position, advice.words))


def read_turn(stream: IO[bytes]) -> bytes:
    """Read the lines of one turn and no more, since a referee may keep the stream open for the answer. Raises
    `ProtocolError` if nothing can be read.
    """
    try:
        return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))
    except OSError as error:
        raise ProtocolError(f"cannot read standard input: {error.strerror or error}") from None


# The turn -------------------------------------------------------------------------------------------------------------


class RefereeTurn(NamedTuple):
    """A turn of a game after ``rounds`` rounds of bids; the mark that the last one bought may not be placed yet."""

    game: Bidding
    turn: Turn
    rounds: int

    @property
    def board(self) -> str:
        """Nine marks row by row: ``?`` for an empty cell, ``X``, ``O``."""
        return self.game.base.format_position(self.turn.state.board)

    @property
    def position(self) -> str:
        """Board, purses and holder of the advantage on one line, as ``gametree show`` takes them."""
        return self.game.format_state(self.turn.state)


def format_cell(cell: int) -> str:
    """Write a cell, 0 to 8, for the referee: row and column, both counted from 0."""
    return f"{cell // SIDE} {cell % SIDE}"


def parse_turn(text: str | bytes, chips: int = CHIPS) -> RefereeTurn:
    """Read the turn written as ``text``, both players having begun with ``chips``. Lower case, spaces at the ends
    of lines, Windows line ends, and empty lines at the end are allowed. Raises `ProtocolError` for anything else, and
    for a turn that no game can reach.

    >>> parse_turn("O\\nPLAY\\n2 1\\n2 3\\nX__\\n___\\n___\\n").position
    'X???????? X=5 O=3 advantage=O'
    """
    player, phase, x_line, o_line, *rows = _lines(text)
    x_bids, o_bids = ([int(word.lstrip("0")[:18] or "0") for word in line.split()] for line in (x_line, o_line))
    board, placing = "".join(rows).replace("_", "?"), phase == "PLAY"
    if len(x_bids) != len(o_bids):
        _refuse("lines 3 and 4", f"X has {len(x_bids)} bids and O has {len(o_bids)}; both bid in every round")
    game = Bidding(chips=str(chips))
    table, state, winners = BiddingRules(game), game.start, list[str]()
    for pair in zip(x_bids, o_bids, strict=True):
        for line, side, bid, purse in zip((3, 4), SIDES, pair, state[1:3], strict=True):
            if bid > purse:
                _refuse(f"line {line}, round {len(winners) + 1}", f"{side} bids {bid}, but has {purse} of the chips")
        winner, _, state = table.sales(state, *pair)[0]
        winners.append(winner)
    if placing and player != (last := winners.pop() if winners else "nobody"):
        _refuse("line 1", f"{player} is to place, but {last} has won the last bid")
    for side in SIDES:  # their order does not matter, since before the end the board holds no line
        if board.count(side) != winners.count(side):
            _refuse("lines 5 to 7", f"the board has {board.count(side)} {side}, by the bids {winners.count(side)}")
    if "?" not in board or any(board[a] == board[b] == board[c] != "?" for a, b, c in LINES):
        _refuse("lines 5 to 7", "the game is over, so there is no turn")
    state = state._replace(board=game.base.parse_either_side(board))
    free = tuple(cell for cell, mark in enumerate(board) if mark == "?")
    turn = Turn("placement", player, state, free) if placing else table.bidding(state, player)
    return RefereeTurn(game, turn, len(x_bids))


NUMBERS, ROW = (r"[0-9]*(\s+[0-9]+)*", "bids, whole numbers apart by blanks"), ("[XO_]{3}", "three marks X, O and _")
FORMS = ("[XO]", "X or O"), ("BID|PLAY", "BID or PLAY"), NUMBERS, NUMBERS, ROW, ROW, ROW
"""Of each line, a regular expression and words for it."""


def _lines(text: str | bytes) -> list[str]:
    """Return the seven lines, in capitals and stripped."""
    text = text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text
    lines = [line.strip().upper() for line in re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))]  # a byte order mark
    while lines and not lines[-1] and len(lines) != TURN_LINES:
        lines.pop()
    if len(lines) != TURN_LINES:
        raise ProtocolError(f"the turn has {with_count(len(lines), 'line')}; write {SEVEN}; bids may be an empty line")
    for number, (line, (form, words)) in enumerate(zip(lines, FORMS, strict=True), 1):
        if not re.fullmatch(form, line, re.ASCII):
            _refuse(f"line {number}", f"{line[:24]!r} is not {words}")
    return lines


def _refuse(where: str, reason: str) -> NoReturn:
    raise ProtocolError(f"{where}: {reason}")


# Strategies -----------------------------------------------------------------------------------------------------------


class TurnAdvice(NamedTuple):
    """A strategy's choices for a turn."""

    choices: Sequence[int]
    """The bids or cells to draw from."""
    weights: Sequence[float] | None
    """Relative probabilities; None if all are equal."""
    words: str
    """The reason, in words."""

    def draw(self, rng: random.Random) -> int:
        """Return one of the choices."""
        if len(self.choices) == 1:
            return self.choices[0]
        return rng.choice(self.choices) if self.weights is None else rng.choices(self.choices, self.weights)[0]


def advise(request: RefereeTurn, strategy: str, depth: int) -> TurnAdvice:
    """Return the choices of a ``strategy``, searching ``depth`` moves if it is ``minimax``."""
    if strategy == "random":
        return _anything(request.turn)
    if strategy == "rules":
        return _rules_of_thumb(request)
    solution = _solved(request.game) if strategy == "perfect" else _searched(request, depth)
    position, side, source = solution.lookup(*request.turn.state), request.turn.side, SOURCES[strategy]
    if request.turn.kind == "placement":
        placements = position.placements(side)
        cells = ", ".join(f"{format_cell(placement.move)} ({_number(placement.value)})" for placement in placements)
        return TurnAdvice([placements[0].move], None, f"placements best first, with the value to X {source}: {cells}")
    bids = {who: _resisting_bids(position, who) if strategy == "perfect" else position.bids[who] for who in SIDES}
    mixes = "; ".join(f"{who} bids {_mixed(bids[who])}" for who in (side, OTHER[side]))
    words = f"value to X {source}: {_number(position.value)}; {mixes}"
    return TurnAdvice([bid.bid for bid in bids[side]], [float(bid.probability) for bid in bids[side]], words)


def _anything(turn: Turn) -> TurnAdvice:
    if turn.kind == "bid":
        return TurnAdvice(turn.choices, None, f"any bid from 0 to {turn.choices[-1]}, equally likely")
    return TurnAdvice(turn.choices, None, "any free cell, equally likely")


def _rules_of_thumb(request: RefereeTurn) -> TurnAdvice:
    """Apply the first rule that fits. Bids: 1 (or 0 if it has none) if the opponent has no chips; the whole purse if
    one mark of either side would complete a line. Cells: those that complete its own line, else those that block one.
    """
    turn, other = request.turn, OTHER[request.turn.side]
    bidding, purses = turn.kind == "bid", dict(zip(SIDES, turn.state[1:3], strict=True))
    if bidding and purses[other] == 0:
        bid = min(1, purses[turn.side])
        return TurnAdvice([bid], None, f"{other} has no chips: bid {bid}")
    for side, end, mark in ((turn.side, "win", "complete"), (other, "lose", "block")):
        cells = _completing(request.board, side)
        if cells:
            names = " or ".join(map(format_cell, cells))
            if bidding:
                words = f"about to {end}, {side} completes a line at {names}: bid everything"
                return TurnAdvice([purses[turn.side]], None, words)
            return TurnAdvice(cells, None, f"{mark} a line at {names}")
    anything = _anything(turn)
    reason = "nothing urgent" if bidding else "no line to complete or to block"
    return anything._replace(words=f"{reason}: {anything.words}")


def _completing(board: str, side: str) -> list[int]:
    """Return the empty cells where one more mark of ``side`` completes a line."""
    marks = sorted([side] * (SIDE - 1) + ["?"])
    lines = [line for line in LINES if sorted(board[cell] for cell in line) == marks]
    return sorted({cell for line in lines for cell in line if board[cell] == "?"})


def _mixed(bids: Sequence[Bid]) -> str:
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({_number(bid.probability)})" for bid in bids)


def _number(number: Value) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


# Solved states: solvers are imported when needed, the compiler only for many chips ------------------------------------


def _searched(request: RefereeTurn, depth: int) -> BiddingSolution:
    from .plain_bidding import search_bidding

    return search_bidding(request.game, request.position, depth, evaluation="lines")


@functools.lru_cache(maxsize=4)
def _solved(game: Bidding) -> BiddingSolution:
    if game.budgets[0] <= PLAIN_CHIPS:
        from .plain_bidding import search_bidding

        return search_bidding(game, None, None)
    from .bidding_solving import find_solution

    return find_solution(game)


def _resisting_bids(position: BiddingPosition, side: str) -> tuple[Bid, ...]:
    """Return mixed bids as they are; otherwise the bid that guarantees the value with the best mean over all the
    opponent's bids, the least among equals. So it gains most from errors: in a lost game every bid is as good against
    best play, and the least bid would give up.
    """
    drawn = position.bids[side]
    if len(drawn) != 1:
        return drawn
    rows = zip(position.each_bid(side), position.payoffs_of(side), strict=True)
    best = min((-SIGN[side] * sum(row), bid.bid) for bid, row in rows if bid.guarantee == position.value)
    return (drawn[0]._replace(bid=best[1]),)
