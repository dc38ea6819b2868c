"""Chomp: bites out of a bar of chocolate whose corner is poisoned.

The bar has ``rows`` x ``cols`` squares; the one at (0, 0) is poisoned. Two players in turn choose a remaining square
and eat it with everything below and to the right of it. The player who has to eat the poison loses; here the poison is
never a move, and the player with nothing else left loses, so the game has normal play and positions have nimbers.

What is left is a staircase, so a state holds the lengths of its rows, each in as many bits as ``cols`` needs, row 0
lowest, and above them one bit that is set where the second player moves. On a 3x4 bar, P the poison::

    P # # #      length 4, 0b100
    # # ? ?      length 2, 0b010      0b0_000_010_100 where the first player moves
    ? ? ? ?      length 0, 0b000

A move is the number of the square, row x cols + column. The tier is the number of squares eaten: the number of moves
does not follow from a state. On a square bar a state and its transpose count as one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..errors import PositionError, SpecError
from ..rules.boards import check_size, format_rows, parse_marks, rows_of, turn_at
from ..rules.game import ONGOING, Game, Rules, SymmetryCounts

MOST_SQUARES = 255  # the number of move codes
MOST_BITS = 62  # and one for the side to move


@dataclasses.dataclass(frozen=True)
class Chomp(Game):
    """Chomp on ``rows`` x ``cols`` squares."""

    family = "chomp"
    title = "Chomp, {rows} x {cols}"
    goal = "Each bite takes a square with all below and right of it; whoever must eat the poisoned one loses."
    look = "chocolate"
    notation = "A square is eaten with everything at or below it and at or to the right of it."
    description = "bite off all squares below and right of one; the player left with the poison loses"
    example = "chomp:rows=3,cols=5"
    sizes = "up to 255 squares, 15 x 15; r x c has less than 2 (r + c)! / (r! c!) positions"
    known = "the first player wins on every board but 1 x 1, by an argument without a strategy (Gale 1974)"
    players = ("first", "second")

    rows: int = 3
    cols: int = 4

    def __post_init__(self) -> None:
        check_size(self.rows, self.cols, MOST_SQUARES)
        bits = self.rows * self.cols.bit_length()
        if bits > MOST_BITS:
            on_its_side = f"; rows={self.cols},cols={self.rows} is the same game on its side"
            raise SpecError(
                f"{self.rows} rows of up to {self.cols} squares take {bits} bits; at most {MOST_BITS} fit a state"
                + (on_its_side if self.cols * self.rows.bit_length() <= MOST_BITS else "")
            )

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        rows, cols, bits = self.rows, self.cols, self.cols.bit_length()
        row, second, squares = (1 << bits) - 1, 1 << (self.rows * bits), rows * cols

        def outcome(state: int) -> int:
            if state & second - 1 == 1:
                return 1 if state & second else -1
            return ONGOING

        def legal_moves(state: int, out: Any) -> int:
            count = 0
            for r in range(rows):
                for c in range(state >> (r * bits) & row):
                    if r + c > 0:
                        out[count] = r * cols + c
                        count += 1
            return count

        def play(state: int, move: int) -> int:
            first, kept = move // cols, move % cols
            after = state & (1 << (first * bits)) - 1
            for r in range(first, rows):
                after |= min(state >> (r * bits) & row, kept) << (r * bits)
            return after | ~state & second

        def tier(state: int) -> int:
            eaten = squares
            for r in range(rows):
                eaten -= state >> (r * bits) & row
            return eaten

        canonical, orbit_size, _ = _transposition(rows, bits) if rows == cols else (None, None, None)
        return Rules(
            start=sum(cols << (r * bits) for r in range(rows)),
            max_moves=max(1, squares - 1),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=turn_at(rows * bits),
            largest_code=squares - 1,
            tier=tier,
            impartial=True,
            canonical=canonical,
            orbit_size=orbit_size,
            max_plies=squares - 1,
        )

    def own_symmetries(self, start: int) -> SymmetryCounts | None:
        """Return the exchange of rows and columns of a square bar; None for other bars."""
        if self.rows != self.cols:
            return None
        return [(1, _transposition(self.rows, self.cols.bit_length())[2])] if self.rows > 1 else []

    def parse_position(self, text: str) -> int:
        """Return the state written row by row: ``P`` the poison, ``#`` a square that is left, ``?`` an eaten one (also
        ``.``, ``_``, ``-``), with rows optionally separated by spaces or ``/``; then the player to move, ``first`` (the
        default) or ``second``. Raises `PositionError` for what is no bitten bar.
        """
        words = text.split()
        mover = words.pop().lower() if words and words[-1].lower() in self.players else "first"
        marks = parse_marks(" ".join(words), self.rows, self.cols, "P#")
        if marks[0] == "?" or "P" in marks[1:]:
            raise PositionError(f"position {text!r}: the poison, P, must be at the upper left and nowhere else")
        rows = ["".join(row) for row in rows_of(["#", *marks[1:]], self.cols)]
        lengths = [row.count("#") for row in rows]
        if lengths != sorted(lengths, reverse=True) or any("?#" in row for row in rows):
            raise PositionError(
                f"position {text!r} is not a bitten bar: if a square is eaten, so are all below it and to the right"
            )
        state = sum(length << (r * self.cols.bit_length()) for r, length in enumerate(lengths))
        return state | (mover == "second") << (self.rows * self.cols.bit_length())

    def format_position(self, state: int) -> str:
        """Return the bar row by row, and who is to move."""
        mover = self.players[state >> (self.rows * self.cols.bit_length())]
        return f"{format_rows(self.grid(state))} {mover}"

    def cell_of(self, state: int, move: int) -> int:
        """Return the square that is chosen: the move itself."""
        return move

    def grid(self, state: int) -> list[list[str]]:
        """Return the bar as rows of ``P``, ``#`` and blanks."""
        bits = self.cols.bit_length()
        lengths = [state >> (r * bits) & (1 << bits) - 1 for r in range(self.rows)]
        marks = "".join(f"{'#' * length:<{self.cols}}" for length in lengths)
        return rows_of(["P", *marks[1:]], self.cols)


def _transposition(size: int, bits: int) -> tuple[Callable[[int], int], Callable[[int], int], Callable[[int], int]]:
    """Make ``canonical``, ``orbit_size`` and the exchange of rows and columns of a square bar, to be compiled."""
    row, second = (1 << bits) - 1, 1 << (size * bits)
    columns = tuple(sum(1 << (c * bits) for c in range(length)) for length in range(size + 1))

    def transposed(state: int) -> int:
        image = state & second
        for r in range(size):
            image += columns[state >> (r * bits) & row]  # one more square in each of these columns
        return image

    def canonical(state: int) -> int:
        return min(state, transposed(state))

    def orbit_size(state: int) -> int:
        return 1 if transposed(state) == state else 2

    return canonical, orbit_size, transposed
