"""A referee of bidding tic-tac-toe, written from the protocol alone: it keeps the table, asks the players as text, and
checks every answer. Nothing of the library; a player is a function from the text of a turn to the line it answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

Player = Callable[[str], str]
ROWS = ("012", "345", "678")
THREES = [*ROWS, "036", "147", "258", "048", "246"]


class IllegalAnswerError(AssertionError):
    """A player answered what the rules do not allow."""


class Table(NamedTuple):
    """What lies on the table between two rounds, or, while a move is bought and not yet made, after the payment."""

    board: str = "_" * 9
    x: int = 4
    o: int = 4
    holder: str = "X"
    x_bids: tuple[int, ...] = ()
    o_bids: tuple[int, ...] = ()

    @property
    def state(self) -> tuple[str, int, int, str]:
        """All that the rest of the game depends on."""
        return self[:4]

    def purse(self, side: str) -> int:
        return {"X": self.x, "O": self.o}[side]

    def text(self, side: str, phase: str) -> str:
        """The turn as ``side`` is asked it."""
        bids = [" ".join(str(bid) for bid in bids) for bids in (self.x_bids, self.o_bids)]
        return "\n".join([side, phase, *bids, self.board[:3], self.board[3:6], self.board[6:], ""])

    def result(self) -> str | None:
        """``X`` or ``O`` has won, ``tie``, or None while the game goes on."""
        for three in THREES:
            marks = {self.board[int(cell)] for cell in three}
            if marks in ({"X"}, {"O"}):
                return marks.pop()
        return None if "_" in self.board else "tie"

    def pay(self, x_bid: int, o_bid: int) -> tuple[str, Table]:
        """Who wins the round, and the table when he has paid."""
        history = {"x_bids": (*self.x_bids, x_bid), "o_bids": (*self.o_bids, o_bid)}
        if x_bid == o_bid:
            winner, history["holder"] = self.holder, "O" if self.holder == "X" else "X"
        else:
            winner = "X" if x_bid > o_bid else "O"
        price = x_bid if winner == "X" else -o_bid
        return winner, self._replace(x=self.x - price, o=self.o + price, **history)

    def place(self, side: str, cell: int) -> Table:
        return self._replace(board=self.board[:cell] + side + self.board[cell + 1 :])


def ask_bid(player: Player, table: Table, side: str) -> int:
    text = table.text(side, "BID")
    line = player(text)
    if not re.fullmatch(r"[0-9]+", line) or int(line) > table.purse(side):
        raise IllegalAnswerError(f"{side} bids {line!r} of {table.purse(side)} chips, asked {text!r}")
    return int(line)


def ask_cell(player: Player, table: Table, side: str) -> int:
    text = table.text(side, "PLAY")
    line = player(text)
    if not re.fullmatch(r"[0-2] [0-2]", line) or table.board[cell := 3 * int(line[0]) + int(line[2])] != "_":
        raise IllegalAnswerError(f"{side} places at {line!r}, asked {text!r}")
    return cell


def play(x: Player, o: Player, chips: int = 4) -> Iterator[tuple[Table, str, str]]:
    """One game: every turn asked, as (table, side, phase), and at the end (table, result, ``END``)."""
    players, table = {"X": x, "O": o}, Table(x=chips, o=chips)
    while table.result() is None:
        yield table, "X", "BID"
        yield table, "O", "BID"
        winner, table = table.pay(ask_bid(x, table, "X"), ask_bid(o, table, "O"))
        yield table, winner, "PLAY"
        table = table.place(winner, ask_cell(players[winner], table, winner))
    yield table, str(table.result()), "END"


def result_of(x: Player, o: Player, chips: int = 4) -> str:
    """``X``, ``O`` or ``tie``: how one game ends."""
    *_, (_, result, _) = play(x, o, chips)
    return result


def every_game(player: Player, side: str = "X", chips: int = 4) -> set[str]:
    """The results of ``player``, as ``side``, against every opponent: whatever the other side bids and wherever it
    places. The player is asked once in each state (board, purses, holder), with the first history that leads there, so
    the results of one that draws its answers are those of its draws.
    """
    rival = "O" if side == "X" else "X"
    results: set[str] = set()
    seen: set[tuple[str, int, int, str]] = set()
    left = [Table(x=chips, o=chips)]
    while left:
        table = left.pop()
        if table.state in seen:
            continue
        seen.add(table.state)
        result = table.result()
        if result is not None:
            results.add(result)
            continue
        own = ask_bid(player, table, side)
        rounds = [table.pay(*((own, b) if side == "X" else (b, own))) for b in range(table.purse(rival) + 1)]
        different = {(winner, paid.state): paid for winner, paid in rounds}  # all lower bids are one
        for (winner, _), paid in different.items():
            cells = [ask_cell(player, paid, side)] if winner == side else [c for c in range(9) if paid.board[c] == "_"]
            left += [paid.place(winner, cell) for cell in cells]
    return results


def player(strategy: str, **options: object) -> Player:
    """A strategy of the library as a player, asked through the protocol."""
    from analysis.bidding.bot import answer_turn

    return lambda text: answer_turn("bidding-tictactoe", text, strategy, **options)[0]


def turn(
    player: str = "X", phase: str = "BID", x: str = "", o: str = "", board: str = "___ ___ ___", **options: int
) -> object:
    """A turn as the library reads it; ``x`` and ``o`` are the bids so far."""
    from analysis.bidding.bot import parse_turn

    return parse_turn("\n".join([player, phase, x, o, *board.split()]), **options)
