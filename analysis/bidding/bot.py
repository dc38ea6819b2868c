"""The referee's protocol of bidding tic-tac-toe: one turn as text, one line of answer.

A turn has seven lines, the same for both players. One after two rounds::

    X           who is asked, X or O
    PLAY        BID: name a bid; PLAY: you have won the last bid, place your mark
    2 1         X's bids so far, apart by spaces; an empty line before the first
    2 0         O's bids so far
    __X         the board row by row: X, O, and _ where it is empty
    ___
    ___

The answer to ``BID`` is the number of chips, to ``PLAY`` the row and the column of the cell, both counted from 0:
``0 2`` is the upper right corner. The turn does not say who holds how many chips: they follow from the bids. Both
players begin with the same number; the higher bid pays the lower bidder; of equal bids the holder of the tie advantage
wins and pays. X holds it first, and every tie passes it to the other side. Above, the first round is a tie: X pays 2
chips, places in the corner, and O holds the advantage; then X wins with 1 chip against 0, has 1 chip left, and is to
place again.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import IO, TYPE_CHECKING, NoReturn, Protocol

from analysis.errors import OptionError, ProtocolError
from analysis.games.bidding import MOST_CHIPS, OTHER, SIDES, SIGN, BiddingState
from analysis.games.shared.lines import find_lines
from analysis.machine.workers import Progress, no_progress
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.bidding.bidding_solution import Bid, BiddingPosition, BiddingSolution, Placement
    from analysis.bidding.exact_values import Value
    from analysis.bidding.plain_bidding import KeptValues

    LookUp = Callable[["RefereeTurn"], "BiddingPosition | Resisting"]
    """The state of a turn: its board, its purses (in a ``PLAY`` turn those after the payment) and its holder."""


SIDE = 3
LINES = find_lines(SIDE, SIDE, SIDE)
CHIPS = 4
"""What each player begins with unless told otherwise."""
TURN_LINES = 7


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

    @property
    def own_chips(self) -> int:
        """The purse of the player who is asked, in chips."""
        return self.chips(self.player)

    def chips(self, side: str) -> int:
        """The purse of ``side``, in chips."""
        return self.x_chips if side == "X" else self.o_chips

    def free(self) -> tuple[int, ...]:
        """The empty cells, 0 to 8 row by row."""
        return tuple(cell for cell, mark in enumerate(self.board) if mark == "?")

    def position(self) -> str:
        """Board, purses and holder on one line, as ``gametree show`` takes them."""
        return f"{self.board} X={self.x_chips} O={self.o_chips} advantage={self.holder}"


class Strategy(Protocol):
    """A player of the protocol."""

    def choose(self, turn: RefereeTurn, rng: random.Random) -> int:
        """The chips to bid in a ``BID`` turn, 0 to the player's purse; the empty cell to mark in a ``PLAY`` turn, 0 to
        8 row by row. Drawn from ``rng`` where it is undecided.
        """

    def explain(self, turn: RefereeTurn) -> str:
        """What was considered, for people, on one line or more."""


def answer(text: str | bytes, strategy: Strategy, rng: random.Random, chips: int = CHIPS) -> tuple[str, str]:
    """What ``strategy`` answers to the turn ``text``: the line for the referee (the bid, or row and column counted from
    0), and for people the state and what was considered. Raises `ProtocolError`.

    >>> from analysis.bidding.bot import make_strategy
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
    chosen = strategy.choose(turn, rng)
    if turn.phase == "BID":
        line, asked = str(chosen), f"{turn.player} is to bid in round {len(turn.x_bids) + 1}"
    else:
        line, asked = format_cell(chosen), f"{turn.player} is to place; round {len(turn.x_bids)} is paid"
    return line, "\n".join((asked, turn.position(), strategy.explain(turn)))


def format_cell(cell: int) -> str:
    """A cell, 0 to 8, as the referee reads it: row and column, both counted from 0.

    >>> format_cell(5)
    '1 2'
    """
    return f"{cell // SIDE} {cell % SIDE}"


# The turn -------------------------------------------------------------------------------------------------------------


def parse_turn(text: str | bytes, chips: int = CHIPS) -> RefereeTurn:
    """The turn written as ``text``, both players having begun with ``chips``. Lower case, spaces at the ends of lines,
    lines ended as Windows does, and empty lines at the end are allowed. Raises `ProtocolError` for anything else.

    >>> turn = parse_turn("O\\nPLAY\\n2 1\\n2 3\\nX__\\n___\\n___\\n")
    >>> turn.position(), turn.own_chips
    ('X???????? X=5 O=3 advantage=O', 3)
    """
    player, phase, x_line, o_line, *rows = _lines(_decode(text))
    player, phase = _one_of(player, 1, "player", ("X", "O")), _one_of(phase, 2, "phase", ("BID", "PLAY"))
    bids = {"X": _bids(x_line, "X", 3), "O": _bids(o_line, "O", 4)}
    board = "".join(_row(row, number) for number, row in enumerate(rows, start=1))
    if len(bids["X"]) != len(bids["O"]):
        counts = " and ".join(f"{side} has {some(len(found), 'bid')}" for side, found in bids.items())
        _refuse("lines 3 and 4", f"{counts}; both bid in every round")
    history = _History(bids["X"], bids["O"], chips)
    if phase == "PLAY":
        _refuse_wrong_winner(player, history)
    _refuse_unexplained(board, phase, history)
    _refuse_finished(board)
    return RefereeTurn(
        player, phase, bids["X"], bids["O"], board, history.purses["X"], history.purses["O"], history.holder
    )


class _History:
    """The rounds so far, paid one by one. Raises `ProtocolError` at a bid over the purse."""

    def __init__(self, x_bids: tuple[int, ...], o_bids: tuple[int, ...], chips: int) -> None:
        self.purses = {"X": chips, "O": chips}
        self.holder = "X"
        self.winners: list[str] = []
        self.last = ""
        for bids in zip(x_bids, o_bids, strict=True):
            self._pay(dict(zip("XO", bids, strict=True)))

    def _pay(self, bids: dict[str, int]) -> None:
        for line, side in ((3, "X"), (4, "O")):
            if bids[side] > self.purses[side]:
                where = f"line {line}, round {len(self.winners) + 1}"
                purse = some(self.purses[side], "chip")
                _refuse(where, f"{side} bids {_shown(str(bids[side]))}, but has {purse} in this round")
        tie = bids["X"] == bids["O"]
        winner = self.holder if tie else max("XO", key=lambda side: bids[side])
        self.last = f"{bids['X']} by X, {bids['O']} by O" + (f", and {self.holder} held the advantage" if tie else "")
        self.purses[winner] -= bids[winner]
        self.purses[OTHER[winner]] += bids[winner]
        self.holder = OTHER[self.holder] if tie else self.holder
        self.winners.append(winner)


# Refusals -------------------------------------------------------------------------------------------------------------


def _refuse(where: str, reason: str) -> NoReturn:
    raise ProtocolError(f"{where}: {reason}")


def _refuse_wrong_winner(player: str, history: _History) -> None:
    if not history.winners:
        _refuse("line 2", "PLAY follows a bid, but lines 3 and 4 hold none; the first turn is BID")
    winner = history.winners[-1]
    if player != winner:
        _refuse("line 1", f"{player} is to place, but {winner} won the last bid ({history.last}); {winner} places")


def _refuse_unexplained(board: str, phase: str, history: _History) -> None:
    """Any order of the marks does, since before the end no part of the board holds a line: only numbers can differ."""
    placed = history.winners if phase == "BID" else history.winners[:-1]
    found, expected = _marks(board), _marks("".join(placed))
    if found != expected:
        rounds = f"by the bids won X has {expected[0]} and O {expected[1]}"
        missing = "" if phase == "BID" else f", not counting the mark that {history.winners[-1]} is about to place"
        _refuse("lines 5 to 7", f"the board has {found[0]} X and {found[1]} O, but {rounds}{missing}")


def _refuse_finished(board: str) -> None:
    for side in "XO":
        if any(all(board[cell] == side for cell in line) for line in LINES):
            _refuse("lines 5 to 7", f"{side} has three in a row, so the game is over and there is no turn")
    if "?" not in board:
        _refuse("lines 5 to 7", "the board is full, so the game is over and there is no turn")


def _marks(board: str) -> tuple[int, int]:
    return board.count("X"), board.count("O")


# Lines ----------------------------------------------------------------------------------------------------------------


def _decode(text: str | bytes) -> str:
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    text = text.removeprefix("\ufeff")  # the mark that some editors put before UTF-8
    wrong = next((c for c in text if c == "\ufffd" or not (c.isprintable() or c.isspace())), None)
    if wrong is not None:
        raise ProtocolError(f"the turn is no text: it holds the character {wrong!r}; write seven lines of plain text")
    if not text.strip():
        raise ProtocolError(f"the turn is empty; write {SEVEN}")
    return text


SEVEN = "seven lines: the player, BID or PLAY, X's bids, O's bids, three rows of the board"


def _lines(text: str) -> list[str]:
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


def _one_of(text: str, line: int, what: str, allowed: tuple[str, str]) -> str:
    if text not in allowed:
        _refuse(f"line {line}", f"the {what} is {_shown(text)}; write {allowed[0]} or {allowed[1]}")
    return text


def _bids(text: str, side: str, line: int) -> tuple[int, ...]:
    return tuple(_bid(word, side, f"line {line}, round {i}") for i, word in enumerate(text.split(), start=1))


def _bid(word: str, side: str, where: str) -> int:
    if re.fullmatch("-[0-9]+", word) and word.strip("-0"):
        _refuse(where, f"{side} bids {_shown(word)}; bids are 0 or more")
    if not re.fullmatch("[0-9]+", word):
        _refuse(where, f"{side} bids {_shown(word)}; bids are whole numbers, apart by spaces")
    return int(word.lstrip("0")[:18] or "0")  # what has more digits is over any purse all the same


def _row(text: str, number: int) -> str:
    where = f"line {number + 4}"
    wrong = next((mark for mark in text if mark not in "XO_"), None)
    if wrong is not None:
        _refuse(where, f"row {number} is {_shown(text)}; its marks are X, O and _ without spaces, {wrong!r} is none")
    if len(text) != SIDE:
        _refuse(where, f"row {number} is {_shown(text)}, {len(text)} marks; a row has {SIDE}")
    return text.replace("_", "?")


def _shown(text: str) -> str:
    """A text on one line, however long it is."""
    return repr(text if len(text) <= 24 else text[:20] + " ...")


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
    from analysis.bidding.plain_bidding import KeptValues, load_bidding

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
