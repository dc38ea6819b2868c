"""The referee's protocol of bidding tic-tac-toe: a turn as text, an answer of one line, and the bots that give it.

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

import dataclasses
import functools
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from ..common.wording import meant, some
from ..errors import OptionError, ProtocolError
from ..games.bidding import MOST_CHIPS, OTHER, SIDES, SIGN, BiddingState
from ..rules.lines import find_lines

if TYPE_CHECKING:
    from .bidding_solution import Bid, BiddingPosition, BiddingSolution, Placement
    from .exact_values import Value
    from .plain_bidding import KeptValues

    LookUp = Callable[["RefereeTurn"], "BiddingPosition | Resisting"]
    """Finds the state of a turn: its board, purses (in a ``PLAY`` turn those after the payment) and holder."""

PROTOCOLS = ("bidding-tictactoe",)
SIDE = 3
LINES = find_lines(SIDE, SIDE, SIDE)
CHIPS = 4
"""Chips of each player at the start, by default."""
DEFAULT = "perfect"
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
    """Answer a turn: return the line for the referee, and an explanation.

    ``protocol`` is one of `PROTOCOLS`, ``text`` the turn, ``strategy`` a name that `make_strategy` knows or
    ``depth:N``: ``perfect`` solves what the turn needs (for more than `PLAIN_CHIPS` chips the whole game, unless its
    solution is under ``data/``); ``minimax`` searches ``depth`` moves from the board. ``chips`` is what each player
    began with, ``seed`` makes random strategies reproducible. Raises `ProtocolError` for an invalid turn, and
    `OptionError` for an unknown protocol or strategy, or a wrong number of chips.

    >>> answer_turn("bidding-tictactoe", "X\\nPLAY\\n1 1\\n0 2\\n_X_\\n___\\n___", "rules", seed=1)
    Traceback (most recent call last):
    gametree.errors.ProtocolError: line 1: X is to place, but O won the last bid (1 by X, 2 by O); O places
    """
    if protocol not in PROTOCOLS:
        raise OptionError(f"unknown protocol {protocol!r}{_hint(protocol, PROTOCOLS)}")
    if not 0 <= chips <= MOST_CHIPS:
        raise OptionError(f"chips={chips} is out of range; give 0 to {MOST_CHIPS:,}")
    level, _, plies = strategy.partition(":")
    if level == "depth" and plies.isdecimal() and int(plies) > 0:  # the name of the level elsewhere
        strategy, depth = "minimax", int(plies)
    spec, plain = f"bidding:game=tictactoe,chips={chips}", chips <= PLAIN_CHIPS

    def look_up(turn: RefereeTurn) -> BiddingPosition | Resisting:
        if strategy == "minimax":
            return _searched(spec, turn, depth)
        solution = _solved(spec, plain)[0]
        return Resisting(solution, solution[turn.position()])

    data = text.encode() if isinstance(text, str) else text
    rng = random.Random() if seed is None else random.Random(b"%d " % seed + data)  # turns differ
    answered = answer(text, make_strategy(strategy, look_up), rng, chips)
    if strategy == DEFAULT and (kept := _solved(spec, plain)[1]) is not None:
        kept.write()
    return answered


def read_turn(stream: IO[bytes]) -> bytes:
    """Read the lines of one turn and no more, since a referee may keep the stream open for the answer. Raises
    `ProtocolError` if nothing can be read.
    """
    try:
        return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))
    except OSError as error:
        raise ProtocolError(f"cannot read standard input: {error.strerror or error}") from None


def answer(text: str | bytes, strategy: Strategy, rng: random.Random, chips: int = CHIPS) -> tuple[str, str]:
    """Answer the turn ``text`` by a ``strategy``, choosing with ``rng`` among equals: return the line for the
    referee, and an explanation with the state. Raises `ProtocolError`.

    >>> text = "X\\nPLAY\\n0 1 2\\n0 0 0\\nXX_\\n___\\n___"
    >>> line, explanation = answer(text, make_strategy("rules"), random.Random(1))
    >>> line
    '0 2'
    >>> print(explanation)
    X is to place; round 3 is paid
    XX??????? X=1 O=7 advantage=O
    complete a line at 0 2
    """
    turn = parse_turn(text, chips)
    advice = strategy(turn)
    chosen, rounds = advice.draw(rng), len(turn.x_bids)
    if turn.phase == "BID":
        line, asked = str(chosen), f"{turn.player} is to bid in round {rounds + 1}"
    else:
        line, asked = format_cell(chosen), f"{turn.player} is to place; round {rounds} is paid"
    return line, "\n".join((asked, turn.position(), advice.words))


# The turn -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class RefereeTurn:
    """A turn, and the purses that follow from its bids.

    In a ``PLAY`` turn the last bid has been paid, so purses and holder are those after it; the mark it bought is not
    yet on the board.
    """

    player: str
    """``X`` or ``O``: the player to answer."""
    phase: str
    """``BID`` or ``PLAY``."""
    x_bids: tuple[int, ...]
    o_bids: tuple[int, ...]
    board: str
    """Nine marks row by row: ``?`` for an empty cell, ``X``, ``O``."""
    x_chips: int
    o_chips: int
    holder: str
    """``X`` or ``O``: who wins the next tie."""

    @property
    def opponent(self) -> str:
        """The other player."""
        return OTHER[self.player]

    def chips(self, side: str) -> int:
        """Return the chips of ``side``."""
        return self.x_chips if side == "X" else self.o_chips

    def free(self) -> tuple[int, ...]:
        """Return the empty cells, 0 to 8 row by row."""
        return tuple(cell for cell, mark in enumerate(self.board) if mark == "?")

    def position(self) -> str:
        """Return board, purses and holder on one line, as ``gametree show`` takes them."""
        return f"{self.board} X={self.x_chips} O={self.o_chips} advantage={self.holder}"


def format_cell(cell: int) -> str:
    """Write a cell, 0 to 8, for the referee: row and column, both counted from 0."""
    return f"{cell // SIDE} {cell % SIDE}"


def parse_turn(text: str | bytes, chips: int = CHIPS) -> RefereeTurn:
    """Read the turn written as ``text``, both players having begun with ``chips``. Lower case, spaces at the ends
    of lines, Windows line ends, and empty lines at the end are allowed. Raises `ProtocolError` for anything else.

    >>> turn = parse_turn("O\\nPLAY\\n2 1\\n2 3\\nX__\\n___\\n___\\n")
    >>> turn.position(), turn.chips("O")
    ('X???????? X=5 O=3 advantage=O', 3)
    """
    player, phase, x_line, o_line, *rows = _lines(text)
    for line, what, found, allowed in ((1, "player", player, ("X", "O")), (2, "phase", phase, ("BID", "PLAY"))):
        if found not in allowed:
            _refuse(f"line {line}", f"the {what} is {_shown(found)}; write {allowed[0]} or {allowed[1]}")
    x_bids, o_bids = _bids(x_line, "X", 3), _bids(o_line, "O", 4)
    board = "".join(_row(row, number) for number, row in enumerate(rows, start=1))
    if len(x_bids) != len(o_bids):
        counts = f"X has {some(len(x_bids), 'bid')} and O has {some(len(o_bids), 'bid')}"
        _refuse("lines 3 and 4", f"{counts}; both bid in every round")
    purses, holder, last, winners = {"X": chips, "O": chips}, "X", "", list[str]()
    for x_bid, o_bid in zip(x_bids, o_bids, strict=True):
        for line, side, bid in ((3, "X", x_bid), (4, "O", o_bid)):
            if bid > purses[side]:
                where, purse = f"line {line}, round {len(winners) + 1}", some(purses[side], "chip")
                _refuse(where, f"{side} bids {_shown(str(bid))}, but has {purse} in this round")
        winners.append(holder if x_bid == o_bid else "X" if x_bid > o_bid else "O")
        last = f"{x_bid} by X, {o_bid} by O"
        if x_bid == o_bid:
            last, holder = f"{last}, and {holder} held the advantage", OTHER[holder]
        purses[winners[-1]] -= max(x_bid, o_bid)
        purses[OTHER[winners[-1]]] += max(x_bid, o_bid)
    if phase == "PLAY":
        if not winners:
            _refuse("line 2", "PLAY follows a bid, but lines 3 and 4 hold none; the first turn is BID")
        if player != (winner := winners[-1]):
            _refuse("line 1", f"{player} is to place, but {winner} won the last bid ({last}); {winner} places")
    _check_board(board, winners if phase == "BID" else winners[:-1], player if phase == "PLAY" else None)
    return RefereeTurn(player, phase, x_bids, o_bids, board, purses["X"], purses["O"], holder)


def _check_board(board: str, placed: list[str], placing: str | None) -> None:
    """Refuse a board with other numbers of marks than were ``placed`` (their order does not matter, since before the
    end the board holds no line), and a finished one.
    """
    found, expected = (board.count("X"), board.count("O")), (placed.count("X"), placed.count("O"))
    if found != expected:
        rounds = f"by the bids won X has {expected[0]} and O {expected[1]}"
        missing = "" if placing is None else f", not counting the mark that {placing} is about to place"
        _refuse("lines 5 to 7", f"the board has {found[0]} X and {found[1]} O, but {rounds}{missing}")
    for side in SIDES:
        if any(all(board[cell] == side for cell in line) for line in LINES):
            _refuse("lines 5 to 7", f"{side} has three in a row, so the game is over and there is no turn")
    if "?" not in board:
        _refuse("lines 5 to 7", "the board is full, so the game is over and there is no turn")


def _lines(text: str | bytes) -> list[str]:
    """Return the seven lines, in capitals and stripped."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    text = text.removeprefix("\ufeff")  # a byte order mark from some editors
    wrong = next((c for c in text if c == "\ufffd" or not (c.isprintable() or c.isspace())), None)
    if wrong is not None:
        raise ProtocolError(f"the turn is not text: it contains the character {wrong!r}; write {SEVEN}")
    if not text.strip():
        raise ProtocolError(f"the turn is empty; write {SEVEN}")
    lines = [line.strip().upper() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if not lines[-1]:  # the last line ends with a line break
        lines.pop()
    while len(lines) > TURN_LINES and not lines[-1]:
        lines.pop()
    if len(lines) > TURN_LINES:
        _refuse("line 8", f"{_shown(lines[TURN_LINES])} is too much; a turn has {SEVEN}")
    if len(lines) < TURN_LINES:
        raise ProtocolError(f"the turn ends after line {len(lines)}; it has {SEVEN}; bids may be an empty line")
    return lines


def _bids(text: str, side: str, line: int) -> tuple[int, ...]:
    for number, word in enumerate(text.split(), start=1):
        where = f"line {line}, round {number}"
        if re.fullmatch("-[0-9]+", word) and word.strip("-0"):
            _refuse(where, f"{side} bids {_shown(word)}; bids are 0 or more")
        if not re.fullmatch("[0-9]+", word):
            _refuse(where, f"{side} bids {_shown(word)}; bids are whole numbers, separated by spaces")
    # numbers of more than 18 digits exceed any purse anyway
    return tuple(int(word.lstrip("0")[:18] or "0") for word in text.split())


def _row(text: str, number: int) -> str:
    where = f"line {number + 4}"
    wrong = next((mark for mark in text if mark not in "XO_"), None)
    if wrong is not None:
        _refuse(where, f"row {number} is {_shown(text)}; marks are X, O and _ without spaces, not {wrong!r}")
    if len(text) != SIDE:
        _refuse(where, f"row {number} is {_shown(text)}, {len(text)} marks; a row has {SIDE}")
    return text.replace("_", "?")


def _refuse(where: str, reason: str) -> NoReturn:
    raise ProtocolError(f"{where}: {reason}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:20] + " ...")


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


Strategy = Callable[[RefereeTurn], TurnAdvice]


def make_strategy(name: str = DEFAULT, look_up: LookUp | None = None) -> Strategy:
    """Return the strategy of this name: ``random`` and ``rules`` draw uniformly from their choices, ``minimax`` and
    ``perfect`` play from solved states, which ``look_up`` finds for a turn when needed. Raises `OptionError` for an
    unknown name, or if ``look_up`` is missing.

    >>> make_strategy("rulse")
    Traceback (most recent call last):
    gametree.errors.OptionError: unknown strategy 'rulse' (did you mean 'rules'?); expected random, rules, minimax, \
perfect, depth:D
    """
    drawing = {"random": _anything, "rules": _rules_of_thumb}
    sources = {"minimax": "by the line evaluation at a depth", "perfect": "by the solved game"}
    if name in drawing:
        return drawing[name]
    if name not in sources:
        raise OptionError(f"unknown strategy {name!r}{_hint(name, [*drawing, *sources, 'depth:D'])}")
    if look_up is None:
        raise OptionError(f"strategy {name!r} plays from solved states; give look_up, which finds the state of a turn")
    return lambda turn: _by_solution(turn, look_up(turn), sources[name])


def _anything(turn: RefereeTurn) -> TurnAdvice:
    if turn.phase == "BID":
        purse = turn.chips(turn.player)
        return TurnAdvice(range(purse + 1), None, f"any bid from 0 to {purse}, equally likely")
    return TurnAdvice(turn.free(), None, "any free cell, equally likely")


def _rules_of_thumb(turn: RefereeTurn) -> TurnAdvice:
    """Apply the first rule that fits. Bids: 1 (or 0 if it has none) if the opponent has no chips; the whole purse if
    one mark of either side would complete a line. Cells: one that completes a line of its own; one that blocks a line.
    """
    bidding, purse = turn.phase == "BID", turn.chips(turn.player)
    if bidding and turn.chips(turn.opponent) == 0:
        return TurnAdvice([min(1, purse)], None, f"{turn.opponent} has no chips: bid {min(1, purse)}")
    for side, end, mark in ((turn.player, "win", "complete"), (turn.opponent, "lose", "block")):
        cells = _completing(turn.board, side)
        if cells:
            named = " or ".join(map(format_cell, cells))
            if bidding:
                words = f"about to {end}, {side} completes a line at {named}: bid everything"
                return TurnAdvice([purse], None, words)
            return TurnAdvice(cells, None, f"{mark} a line at {named}")
    found = _anything(turn)
    reason = "nothing urgent" if bidding else "no line to complete or to block"
    return found._replace(words=f"{reason}: {found.words}")


def _completing(board: str, side: str) -> list[int]:
    """Return the empty cells where one more mark of ``side`` completes a line."""
    wanted = sorted([side] * (SIDE - 1) + ["?"])
    lines = [line for line in LINES if sorted(board[cell] for cell in line) == wanted]
    return sorted({cell for line in lines for cell in line if board[cell] == "?"})


def _by_solution(turn: RefereeTurn, state: BiddingPosition | Resisting, source: str) -> TurnAdvice:
    """Return the solution's mix of bids, or the first of the best placements; values are X's."""
    if turn.phase == "PLAY":
        found = state.placements(turn.player)
        cells = ", ".join(f"{format_cell(p.move)} ({_number(p.value)})" for p in found)
        return TurnAdvice([found[0].move], None, f"placements best first, with the value to X {source}: {cells}")
    drawn = state.bids[turn.player]
    bids = "; ".join(f"{side} bids {_mixed(state.bids[side])}" for side in (turn.player, turn.opponent))
    words = f"value to X {source}: {_number(state.value)}; {bids}"
    return TurnAdvice([bid.bid for bid in drawn], [float(bid.probability) for bid in drawn], words)


def _mixed(bids: Sequence[Bid]) -> str:
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({_number(bid.probability)})" for bid in bids)


def _number(number: Value) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


def _hint(name: str, known: Sequence[str]) -> str:
    return f"{meant(name, known)}; expected {', '.join(known)}"


# Solved states: solvers are imported when needed, the compiler only for many chips ------------------------------------


def _searched(spec: str, turn: RefereeTurn, depth: int) -> BiddingPosition:
    from .plain_bidding import search_bidding

    return search_bidding(spec, turn.position(), depth, evaluation="lines")[turn.position()]


@functools.lru_cache(maxsize=4)
def _solved(spec: str, plain: bool) -> tuple[BiddingSolution, KeptValues | None]:
    """Return the solution and, if found in plain Python, the values kept for the next turn."""
    if plain:
        from .plain_bidding import KeptValues, load_bidding, solve_lazily

        kept = KeptValues(load_bidding(spec))
        return solve_lazily(spec, kept=kept), kept
    from .bidding_solving import find_solution

    return find_solution(spec), None


@dataclasses.dataclass(frozen=True)
class Resisting:
    """A state of a solution for a player who hopes for errors: among choices equally good against best play it prefers
    the one that gains most by them. In a lost game every bid is as good against best play, and the least gives up.
    """

    solution: BiddingSolution
    position: BiddingPosition

    @property
    def value(self) -> Value:
        """X's value."""
        return self.position.value

    @property
    def bids(self) -> dict[str, tuple[Bid, ...]]:
        """The mixed bids as they are; otherwise the bid that guarantees the value with the best mean over all the
        opponent's bids, the least among equals.
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
        """Return the placements, best first: by value, then by the mean over all pairs of bids in the next state."""
        found = self.position.placements(side)
        best = [placement for placement in found if placement.value == found[0].value]
        board, state = self.solution.game.base.parse_either_side, self.position.state

        def worth(placement: Placement) -> Value:
            return -SIGN[side] * _mean_payoff(self.solution, state._replace(board=board(placement.position)))

        return sorted(best, key=worth) + found[len(best) :]


@functools.lru_cache(maxsize=1 << 14)
def _mean_payoff(solution: BiddingSolution, state: BiddingState) -> Value:
    """Return the mean over all pairs of bids, or the payoff of a finished game."""
    found = solution.lookup(*state)
    entries = [value for row in found.matrix for value in row]
    return sum(entries, Fraction(0)) / len(entries) if entries else found.value
