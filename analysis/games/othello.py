"""Othello (Reversi) on small boards.

X (Black) begins. A disc must be placed so that it and another disc of its colour enclose a straight line of opposing
discs, in any of the eight directions; all enclosed discs change colour. A player without such a move passes; nobody
else may pass; when neither side can move, the payoff is X's discs minus O's, with empty cells counting for neither.
Rules: World Othello Federation.

On the 4x4 board a state holds two planes of 16 bits, X's discs below O's, and the side to move above them (1: O)::

    cells   0  1  2  3       X's bits 0..15, O's bits 16..31, bit 32: side to move
            4  O  X  7
            8  X  O 11       the start: X on 6 and 9, O on 5 and 10
           12 13 14 15

On the 6x6 board two planes would need 72 bits. There three cells in a row share five bits, as a number in base 3
(0 empty, 1 X, 2 O, the left cell lowest): 12 such numbers fill 60 bits, and the side to move is bit 60. Symmetries are
not used on this board, which can be solved only from positions near the end. The 2x2 board, with two planes of 4 bits,
is full at the start.

A move is the number of the cell; passing is the number after the last cell, and one ply. As text it is ``pass``.
Because of passes the ply does not follow from the discs. The tier is twice the number of discs, plus one if the side to
move can place a disc: every disc raises it, and so does a pass, since only a side that cannot move may pass, and only
to one that can.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import PositionError, SpecError
from ..rules.boards import NamedMoves, PieceGame, geometric_symmetries, turn_at, write_cells
from ..rules.game import ONGOING, Evaluation, Rules, popcount

SIZES = (2, 4, 6)
X_OF_THREE = tuple(sum((number // 3**i % 3 == 1) << i for i in range(3)) for number in range(32))
O_OF_THREE = tuple(sum((number // 3**i % 3 == 2) << i for i in range(3)) for number in range(32))
THREE_OF_X = tuple(sum((bits >> i & 1) * 3**i for i in range(3)) for bits in range(8))


@dataclasses.dataclass(frozen=True)
class Othello(PieceGame, NamedMoves):
    """Othello on a board of ``size`` x ``size`` cells."""

    family = "othello"
    title = "Othello, {size} x {size}"
    goal = "Enclose the other's discs to turn them; most discs at the end win, black (X) begins."
    look = "discs"
    notation = "A cell is where the disc goes; pass is a move where there is no other."
    description = "enclose discs to turn them; payoff is the first player's discs minus the second's"
    example = "othello:size=4"
    sizes = "4 x 4 takes a second; 6 x 6 fits, to be solved from positions with up to 13 or so empty cells"
    known = "4 x 4: the second player wins by 8 discs; 6 x 6: by 4 (Feinstein 1993)"

    move_form = "the number of a cell, counted from 0, or pass"

    size: int = 4

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise SpecError(f"size={self.size} is not possible; boards are 2 x 2, 4 x 4 and 6 x 6")

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        n = self.size
        cells = n * n
        side = self.turn_bit
        placements, flips = _board(n)
        x_discs, o_discs, pack = self._codec()
        a, b, c, d = self._centre()

        def margin(state: int) -> int:
            return popcount(x_discs(state)) - popcount(o_discs(state))

        def outcome(state: int) -> int:
            x, o = x_discs(state), o_discs(state)
            return popcount(x) - popcount(o) if placements(x, o) | placements(o, x) == 0 else ONGOING

        def legal_moves(state: int, out: Any) -> int:
            x, o = x_discs(state), o_discs(state)
            free = placements(o, x) if state >> side else placements(x, o)
            if free == 0:
                out[0] = cells
                return 1
            return write_cells(free, out)

        def play(state: int, move: int) -> int:
            if move == cells:
                return state ^ 1 << side
            x, o, disc = x_discs(state), o_discs(state), 1 << move
            if state >> side:
                turned = flips(o, x, disc)
                return pack(x ^ turned, o | turned | disc)
            turned = flips(x, o, disc)
            return pack(x | turned | disc, o ^ turned) | 1 << side

        def tier(state: int) -> int:
            x, o = x_discs(state), o_discs(state)
            free = placements(o, x) if state >> side else placements(x, o)
            return 2 * popcount(x | o) + (free != 0)

        return Rules(
            start=pack(1 << b | 1 << c, 1 << a | 1 << d),
            max_moves=max(1, cells - 4),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=turn_at(side),
            largest_code=cells,
            tier=tier,
            cells=cells if n < 6 else 0,
            symmetries=geometric_symmetries(n, n, ()) if n < 6 else (),
            payoffs=(-cells, cells),
            max_plies=2 * (cells - 4),  # no two passes in a row
            evaluations={"discs": Evaluation(margin, (-cells, cells))},
            heuristic="discs",
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.size, self.size

    @property
    def turn_bit(self) -> int:
        """The number of the bit for the side to move."""
        return 60 if self.size == 6 else 2 * self.size**2

    def cells_of(self, state: int) -> tuple[int, int]:
        """Return X's and O's discs of a state, as bits."""
        x_discs, o_discs, _ = self._codec()
        return x_discs(state), o_discs(state)

    def pack(self, x: int, o: int) -> int:
        """Return the state with these discs of X and O, X to move."""
        return self._codec()[2](x, o)

    def _centre(self) -> tuple[int, int, int, int]:
        upper = (self.size // 2 - 1) * (self.size + 1)
        return upper, upper + 1, upper + self.size, upper + self.size + 1

    def _codec(self) -> tuple[Callable[[int], int], Callable[[int], int], Callable[[int, int], int]]:
        return _threes() if self.size == 6 else _planes(self.size**2)

    def refuse_impossible(self, text: str, x: int, o: int, mover: str) -> None:
        """Raise `PositionError` if a cell in the middle is empty."""
        if not all((x | o) >> cell & 1 for cell in self._centre()):
            raise PositionError(f"position {text!r}: the four cells in the middle hold discs from the start on")

    def caption(self, state: int) -> str:
        """Return the number of discs of each side."""
        return "discs: X {}, O {}".format(*map(popcount, self.cells_of(state)))

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Return each move with the number of its cell, or ``pass``."""
        return [*((cell, str(cell)) for cell in range(self.cells)), (self.cells, "pass"), (self.cells, str(self.cells))]


def _planes(cells: int) -> tuple[Callable[[int], int], Callable[[int], int], Callable[[int, int], int]]:
    """Make functions between a state of two planes and the discs of X and O."""
    plane = (1 << cells) - 1

    def x_discs(state: int) -> int:
        return state & plane

    def o_discs(state: int) -> int:
        return state >> cells & plane

    def pack(x: int, o: int) -> int:
        return x | o << cells

    return x_discs, o_discs, pack


def _threes() -> tuple[Callable[[int], int], Callable[[int], int], Callable[[int, int], int]]:
    """Make functions between a state of twelve numbers in base 3, for 36 cells, and the discs of X and O."""

    def discs_in(of_three: tuple[int, ...]) -> Callable[[int], int]:
        def discs(state: int) -> int:
            bits = 0
            for i in range(12):
                bits |= of_three[state >> 5 * i & 31] << 3 * i
            return bits

        return discs

    def pack(x: int, o: int) -> int:
        state = 0
        for i in range(12):
            state |= THREE_OF_X[x >> 3 * i & 7] + 2 * THREE_OF_X[o >> 3 * i & 7] << 5 * i
        return state

    return discs_in(X_OF_THREE), discs_in(O_OF_THREE), pack


def _board(n: int) -> tuple[Callable[[int, int], int], Callable[[int, int, int], int]]:
    """Make functions that find, by shifting whole boards, where discs can be placed, and which discs turn.

    A line of opposing discs is filled cell by cell from one end. Sideways lines are filled only through the inner
    columns, so that no shift goes round the edge of the board.
    """
    board = (1 << n * n) - 1
    inner = sum(1 << cell for cell in range(n * n) if 0 < cell % n < n - 1)
    steps, inside = (1, n, n - 1, n + 1), (inner, board, inner, inner)

    def placements(own: int, other: int) -> int:
        cells = 0
        for i in range(4):
            step, line = steps[i], other & inside[i]
            up, down = own << step & line, own >> step & line
            for _ in range(n - 3):
                up |= up << step & line
                down |= down >> step & line
            cells |= up << step | down >> step
        return cells & board & ~(own | other)

    def flips(own: int, other: int, disc: int) -> int:
        turned = 0
        for i in range(4):
            step, line = steps[i], other & inside[i]
            up, down = disc << step & line, disc >> step & line
            for _ in range(n - 3):
                up |= up << step & line
                down |= down >> step & line
            if up << step & own:
                turned |= up
            if down >> step & own:
                turned |= down
        return turned

    return placements, flips
