"""Domineering: one player places upright dominoes, the other horizontal ones.

Two players in turn put a domino on two free adjacent cells of a ``rows`` x ``cols`` board, V always a vertical one and
H a horizontal one; the player who cannot move loses. ``first`` says who begins, V or H; that is the first player,
whose wins count +1.

A state holds one bit per cell, set where a domino lies; bit ``i`` for cell ``i``, cells numbered row by row::

    0 1 2 3        # ? ? ?
    4 5 6 7        # # # ?      0b0000_0111_0001, V to move where V began

A move is the number of the domino's upper or left cell. Who is to move follows from the number of dominoes.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..rules.boards import BoardGame, check_size, choose, geometric_symmetries, write_cells
from ..rules.game import ONGOING, Rules, popcount

MOST_CELLS = 62


@dataclasses.dataclass(frozen=True)
class Domineering(BoardGame):
    """Domineering on ``rows`` x ``cols`` cells."""

    family = "domineering"
    title = "Domineering, {rows} x {cols}"
    goal = "V lays dominoes upright, H across; whoever cannot move loses."
    look = "dominoes"
    notation = "A domino is named by one cell: the upper one if it is vertical, the left one if not."
    description = "V places vertical dominoes, H horizontal ones; the player who cannot move loses"
    example = "domineering"
    sizes = "up to 62 cells; 4 x 4 has 2,443 positions, 5 x 5 455,317, 6 x 5 8,657,378"
    known = "4 x 4 and 8 x 8: the first player wins; 5 x 5: the second player (Breuker et al. 2000)"

    marks = "#"

    rows: int = 4
    cols: int = 4
    first: str = "V"

    def __post_init__(self) -> None:
        check_size(self.rows, self.cols, MOST_CELLS)
        choose(self, "first", ("V", "H"))

    @property
    def players(self) -> tuple[str, str]:  # type: ignore[override] # depends on a parameter
        """The player who begins, and the other."""
        return ("V", "H") if self.first == "V" else ("H", "V")

    def rules(self) -> Rules:
        """Return the rules as plain functions; places for dominoes are found by shifting the free cells."""
        rows, cols = self.rows, self.cols
        cells = rows * cols
        board = (1 << cells) - 1
        not_right = board - sum(1 << (r * cols + cols - 1) for r in range(rows))
        first_lies = int(self.first == "H")

        def lies(state: int) -> int:
            """Return whether the mover's dominoes are horizontal."""
            return popcount(state) >> 1 & 1 ^ first_lies

        def places(state: int) -> int:
            free = ~state & board
            return free & free >> 1 & not_right if lies(state) else free & free >> cols

        def to_move(state: int) -> int:
            return 1 - (popcount(state) & 2)

        def outcome(state: int) -> int:
            return ONGOING if places(state) else (popcount(state) & 2) - 1

        def legal_moves(state: int, out: Any) -> int:
            return write_cells(places(state), out)

        def play(state: int, move: int) -> int:
            return state | 1 << move | 1 << (move + (1 if lies(state) else cols))

        standing, lying = (rows - 1) * cols, rows * (cols - 1)
        # passing columns as lines excludes quarter turns, which exchange upright and horizontal dominoes
        columns = [tuple(range(c, cells, cols)) for c in range(cols)]
        return Rules(
            start=0,
            max_moves=max(1, standing, lying),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=max(0, standing - 1 if cols == 1 else cells - 2),
            cells=cells,
            planes=1,
            symmetries=geometric_symmetries(rows, cols, columns),
            max_plies=cells // 2,
        )

    def parse_position(self, text: str) -> int:
        """Return the state written row by row as ``#`` for a covered cell and ``?`` for a free one (also ``.``, ``_``,
        ``-``), with rows optionally separated by spaces or ``/``. Raises `PositionError` for another shape.
        """
        return self.read(text)[0]

    def cell_of(self, state: int, move: int) -> int:
        """Return the upper or left cell of the domino: the move itself."""
        return move
