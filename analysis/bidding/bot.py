"""The referee's protocol of bidding tic-tac-toe: one turn as text, one line of answer, and the players that give it.

A turn has seven lines, the same for both players. One after two rounds::

    X           who is asked, X or O
    PLAY        BID: name a bid; PLAY: you have won the last bid, place your mark
    2 1         X's bids so far, apart by spaces; an empty line before the first
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
import difflib
import functools
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from analysis.errors import OptionError, ProtocolError
from analysis.games.bidding import MOST_CHIPS, OTHER, SIDES, SIGN, BiddingState
from analysis.games.shared.lines import find_lines
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.bidding.bidding_solution import Bid, BiddingPosition, BiddingSolution, Placement
    from analysis.bidding.exact_values import Value
    from analysis.bidding.plain_bidding import KeptValues

    LookUp = Callable[["RefereeTurn"], "BiddingPosition | Resisting"]
    """The state of a turn: its board, its purses (in a ``PLAY`` turn those after the payment) and its holder."""

PROTOCOLS = ("bidding-tictactoe",)
SIDE = 3
LINES = find_lines(SIDE, SIDE, SIDE)
CHIPS = 4
"""What each player begins with unless told otherwise."""
DEFAULT = "perfect"
PLAIN_CHIPS = 8
"""Of each player, up to which a turn takes less time in plain Python than it takes to load the compiler."""
TURN_LINES, LONGEST_LINE = 7, 1 << 20
"""Lines of a turn; bytes of a line, beyond which it is no turn."""
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
    """Answer a turn: the line for the referee, and an explanation for people.

    ``protocol`` is one of `PROTOCOLS`, ``text`` the turn, ``strategy`` a name that `make_strategy` knows or
    ``depth:N``: ``perfect`` solves what the turn needs, of more than `PLAIN_CHIPS` chips the whole game unless its
    solution is under ``data/``; ``minimax`` searches ``depth`` moves from the board. ``chips`` is what each player
    began with, ``seed`` makes the strategies that draw by lot reproducible.
    Raises `ProtocolError` for a turn that is none, and `OptionError` for another protocol, strategy or number of chips.

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
    spec, plain = f"bidding:game=tictactoe,chips={chips}", chips <= PLAIN_CHIPS

    def look_up(turn: RefereeTurn) -> BiddingPosition | Resisting:
        if strategy == "minimax":
            return _searched(spec, turn, depth, plain)
        solution = _solved(spec, plain)[0]
        return Resisting(solution, solution[turn.position()])

    data = text.encode() if isinstance(text, str) else text
    lots = random.Random() if seed is None else random.Random(b"%d " % seed + data)  # other lots in every turn
    answered = answer(text, make_strategy(strategy, look_up), lots, chips)
    if strategy == DEFAULT and (kept := _solved(spec, plain)[1]) is not None:
        kept.write()
    return answered


def read_turn(stream: IO[bytes]) -> bytes:
    """Read the lines of one turn and no more: a referee may keep the stream open for the answer. Raises
    `ProtocolError` where nothing can be read.
    """
    try:
        return b"".join(stream.readline(LONGEST_LINE) for _ in range(TURN_LINES))
    except OSError as error:
        raise ProtocolError(f"cannot read standard input: {error.strerror or error}") from None


def answer(text: str | bytes, strategy: Strategy, rng: random.Random, chips: int = CHIPS) -> tuple[str, str]:
    """Answer the turn ``text`` as a ``strategy`` does, drawing from ``rng`` where it is undecided: the line for the
    referee, and for people the state and what was considered. Raises `ProtocolError`.

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
    """One turn: what it says, and the purses that follow.

    In a ``PLAY`` turn the last bid has been paid, so purses and holder are those after it; the mark it bought is not
    yet on the board.
    """

    player: str
    """``X`` or ``O``: who is asked."""
    phase: str
    """``BID`` or ``PLAY``."""
    x_bids: tuple[int, ...]
    o_bids: tuple[int, ...]
    board: str
    """Nine marks row by row: ``?`` where it is empty, ``X``, ``O``."""
    x_chips: int
    o_chips: int
    holder: str
    """``X`` or ``O``: who wins the next tie."""

    @property
    def opponent(self) -> str:
        """The other player."""
        return OTHER[self.player]

    def chips(self, side: str) -> int:
        """The purse of ``side``, in chips."""
        return self.x_chips if side == "X" else self.o_chips

    def free(self) -> tuple[int, ...]:
        """The empty cells, 0 to 8 row by row."""
        return tuple(cell for cell, mark in enumerate(self.board) if mark == "?")

    def position(self) -> str:
        """Board, purses and holder on one line, as ``gametree show`` takes them."""
        return f"{self.board} X={self.x_chips} O={self.o_chips} advantage={self.holder}"


def format_cell(cell: int) -> str:
    """Write a cell, 0 to 8, as the referee reads it: row and column, both counted from 0."""
    return f"{cell // SIDE} {cell % SIDE}"


def parse_turn(text: str | bytes, chips: int = CHIPS) -> RefereeTurn:
    """Read the turn written as ``text``, both players having begun with ``chips``. Lower case, spaces at the ends of
    lines, lines ended as Windows does, and empty lines at the end are allowed. Raises `ProtocolError` for all else.

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
    """Refuse a board with other numbers of marks than were ``placed``: their order does not matter, since before the
    end no part of a board holds a line. Refuse a finished one.
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
    """The seven lines, in capitals and without spaces at their ends."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    text = text.removeprefix("\ufeff")  # the mark that some editors put before UTF-8
    wrong = next((c for c in text if c == "\ufffd" or not (c.isprintable() or c.isspace())), None)
    if wrong is not None:
        raise ProtocolError(f"the turn is no text: it holds the character {wrong!r}; write seven lines of plain text")
    if not text.strip():
        raise ProtocolError(f"the turn is empty; write {SEVEN}")
    lines = [line.strip().upper() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if not lines[-1]:  # the end of the last line begins no further one
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
            _refuse(where, f"{side} bids {_shown(word)}; bids are whole numbers, apart by spaces")
    # what has more than 18 digits is over any purse all the same
    return tuple(int(word.lstrip("0")[:18] or "0") for word in text.split())


def _row(text: str, number: int) -> str:
    where = f"line {number + 4}"
    wrong = next((mark for mark in text if mark not in "XO_"), None)
    if wrong is not None:
        _refuse(where, f"row {number} is {_shown(text)}; its marks are X, O and _ without spaces, {wrong!r} is none")
    if len(text) != SIDE:
        _refuse(where, f"row {number} is {_shown(text)}, {len(text)} marks; a row has {SIDE}")
    return text.replace("_", "?")


def _refuse(where: str, reason: str) -> NoReturn:
    raise ProtocolError(f"{where}: {reason}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:20] + " ...")


# Strategies -----------------------------------------------------------------------------------------------------------


class TurnAdvice(NamedTuple):
    """What a strategy makes of a turn."""

    choices: Sequence[int]
    """The bids or cells to draw from."""
    weights: Sequence[float] | None
    """How often each is drawn; None if all alike."""
    words: str
    """Why these, for people."""

    def draw(self, rng: random.Random) -> int:
        """One of the choices."""
        if len(self.choices) == 1:
            return self.choices[0]
        return rng.choice(self.choices) if self.weights is None else rng.choices(self.choices, self.weights)[0]


Strategy = Callable[[RefereeTurn], TurnAdvice]


def make_strategy(name: str = DEFAULT, look_up: LookUp | None = None) -> Strategy:
    """Find the player of this name: ``random`` and ``rules`` draw evenly from what they leave to choose from,
    ``minimax`` and ``perfect`` play from solved states, which ``look_up`` gives at a turn, not before. Raises
    `OptionError` if there is none of the name, or if ``look_up`` is missing.

    >>> make_strategy("rulse")
    Traceback (most recent call last):
    analysis.errors.OptionError: strategy 'rulse' is unknown; did you mean 'rules'? There are random, rules, minimax, \
perfect, depth:D
    """
    drawing = {"random": _anything, "rules": _rules_of_thumb}
    sources = {"minimax": "by the line evaluation at a depth", "perfect": "by the solved game"}
    if name in drawing:
        return drawing[name]
    if name not in sources:
        raise OptionError(f"strategy {name!r} is unknown; {_hint(name, [*drawing, *sources, 'depth:D'])}")
    if look_up is None:
        raise OptionError(f"strategy {name!r} plays from solved states; give look_up, which finds the state of a turn")
    return lambda turn: _by_solution(turn, look_up(turn), sources[name])


def _anything(turn: RefereeTurn) -> TurnAdvice:
    if turn.phase == "BID":
        purse = turn.chips(turn.player)
        return TurnAdvice(range(purse + 1), None, f"any bid from 0 to {purse}, all alike")
    return TurnAdvice(turn.free(), None, "any free cell, all alike")


def _rules_of_thumb(turn: RefereeTurn) -> TurnAdvice:
    """The first rule that applies. Bids: 1 (or 0 of an empty purse) if the opponent has no chips; the whole purse if
    one mark of either side would complete a line. Cells: one that completes an own line; one that blocks a line.
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
    """The empty cells where one mark of ``side`` completes a line."""
    wanted = sorted([side] * (SIDE - 1) + ["?"])
    lines = [line for line in LINES if sorted(board[cell] for cell in line) == wanted]
    return sorted({cell for line in lines for cell in line if board[cell] == "?"})


def _by_solution(turn: RefereeTurn, state: BiddingPosition | Resisting, source: str) -> TurnAdvice:
    """The solution's bids, each as often as it says, or the first of the best placements; values are seen by X."""
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
    close = difflib.get_close_matches(name, known, n=1)
    all_of_them = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
    if not close:
        return all_of_them
    return f"did you mean {close[0]!r}?" + (f" T{all_of_them[1:]}" if len(known) > 1 else "")


# Solved states: what solves is loaded when it is asked, the compiler only for many chips ------------------------------


def _searched(spec: str, turn: RefereeTurn, depth: int, plain: bool) -> BiddingPosition:
    if plain:
        from analysis.bidding.plain_bidding import solve_lazily

        return solve_lazily(spec, turn.position(), depth, evaluation="lines")[turn.position()]
    from analysis.bidding.bidding_solving import search_bidding

    return search_bidding(spec, turn.board, depth, evaluation="lines")[turn.position()]


@functools.lru_cache(maxsize=4)
def _solved(spec: str, plain: bool) -> tuple[BiddingSolution, KeptValues | None]:
    """The solution and, of one found in plain Python, what is kept of it for the next turn."""
    if plain:
        from analysis.bidding.plain_bidding import KeptValues, load_bidding, solve_lazily

        kept = KeptValues(load_bidding(spec))
        return solve_lazily(spec, kept=kept), kept
    from analysis.bidding.bidding_solving import find_solution

    return find_solution(spec), None


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

    @property
    def bids(self) -> dict[str, tuple[Bid, ...]]:
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
