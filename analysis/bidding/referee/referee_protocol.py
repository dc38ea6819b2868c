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
import random
import re
from typing import NoReturn, Protocol

from analysis.errors import ProtocolError
from analysis.games.bidding import OTHER
from analysis.games.shared.lines import find_lines
from analysis.wording import some

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

    >>> from analysis.bidding.referee.bot import make_strategy
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
