"""What games of pieces that move over a board have in common: whose turn it is, and steps of whole boards at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from analysis.games.shared.cells import BoardGame, parse_board
from analysis.rules.game import popcount


class PieceGame(BoardGame):
    """A family of games of X and O in which the marks on the board do not say who is to move: a state has one more bit,
    `turn_bit`, which is set where O is, and a text ends in X or O.
    """

    @property
    def turn_bit(self) -> int:
        """The number of the bit that says who is to move: the one above the planes."""
        return 2 * self.cells

    def parse_position(self, text: str) -> int:
        """The state written row by row as ``X``, ``O`` and ``?``, and then who is to move. Raises `PositionError` where
        no line of play reaches it, as far as is easy to tell.
        """
        x, o, side = parse_board(text, *self.shape)
        self.refuse_impossible(text, x, o, side)
        return x | o << self.cells | (side < 0) << self.turn_bit

    def refuse_impossible(self, text: str, x: int, o: int, side: int) -> None:
        """Raise `PositionError` where these cells of X and O cannot be with this side (+1 X, -1 O) to move; by default
        they always can.
        """

    def format_position(self, state: int) -> str:
        """The board row by row, and who is to move."""
        return f"{super().format_position(state)} {'XO'[state >> self.turn_bit]}"


def write_steps(movers: tuple[int, ...], ways: int, first: int, out: Any) -> int:
    """Write ``ways * cell + way`` for every cell and way in which its piece can go, ascending; how many there are.
    ``movers`` are the cells whose pieces can go each way, as bits, the ways being counted from ``first`` on.
    """
    pieces = 0
    for mask in movers:
        pieces |= mask
    count = 0
    while pieces:
        piece = pieces & -pieces
        pieces ^= piece
        code = ways * popcount(piece - 1) + first
        for mask in movers:
            if mask & piece:
                out[count] = code
                count += 1
            code += 1
    return count


def steps_made(start: int, still: Iterable[tuple[int, int]]) -> Callable[[int], int]:
    """``tier(state)``, to be compiled: by how much the steps that all pieces still have before them have fallen since
    the start. ``still`` are such numbers of steps, each with the bits of the pieces that have so many before them.
    """
    steps, pieces = zip(*still, strict=True)
    kinds = len(steps)

    def left(state: int) -> int:
        total = 0
        for i in range(kinds):
            total += steps[i] * popcount(state & pieces[i])
        return total

    most = left(start)

    def tier(state: int) -> int:
        return most - left(state)

    return tier
