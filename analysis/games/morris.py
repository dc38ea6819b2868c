"""Three men's morris and its relatives: place your men on nine points, then move them, until three are in a row.

In turn, X first, each player places a man on an empty point; when all men are placed, each moves one of theirs. The
player who first has three men in a line wins, at any time; the player who is to move and cannot loses. What differs:

=============== ==== ================================= ======================= ========================================
variant         men  a man moves to                    winning lines           source
=============== ==== ================================= ======================= ========================================
``three``       3    the next point along a line       rows, columns,          Murray, A History of Chess (1913), "three
                                                       diagonals               men's morris"
``tapatan``     3    the same game, as it is called    the same                Culin, Philippine Games (1900)
                     in the Philippines
``achi``        4    the next point along a line       rows, columns,          Ghana; Wikipedia, "Achi (game)"
                                                       diagonals
``nine_holes``  3    any empty point                   rows and columns        Murray, A History of Board-Games (1952)
=============== ==== ================================= ======================= ========================================

The lines drawn on the board are rows, columns and the two diagonals, so a man in a corner can slide to the centre, but
not from the middle of one edge to that of the next. With three men neither player is ever without a move; with four
men, sources that mention it let the blocked player lose.

A state holds two planes of nine bits and who is to move, see `rules.boards`. Moves: the number of the point where a
man is placed, or ``9 + 9 * from + to``. While men are placed the tier is how many there are; then it stays, and the
game is loopy.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import PositionError
from ..rules.boards import NamedMoves, PieceGame, choose, geometric_symmetries, turn_at, write_cells
from ..rules.game import ONGOING, Rules, popcount

ORTHOGONAL = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8))
DIAGONAL = ((0, 4, 8), (2, 4, 6))
BOARD, TURN = 0o777, 1 << 18


@dataclasses.dataclass(frozen=True)
class _Variant:
    men: int
    flying: bool
    lines: tuple[tuple[int, ...], ...]


VARIANTS = {
    "three": _Variant(3, False, ORTHOGONAL + DIAGONAL),
    "tapatan": _Variant(3, False, ORTHOGONAL + DIAGONAL),
    "achi": _Variant(4, False, ORTHOGONAL + DIAGONAL),
    "nine_holes": _Variant(3, True, ORTHOGONAL),
}


@dataclasses.dataclass(frozen=True)
class Morris(PieceGame, NamedMoves):
    """Three men's morris (``three``, ``tapatan``), ``achi`` or ``nine_holes``."""

    family = "morris"
    goal = "Place your men, then move them from point to point; three in a row win."
    look = "points"
    in_row = 3
    notation = "a3 places a man, a3-b3 slides one."
    description = "three men's morris on nine points; variant: three, tapatan, achi, nine_holes (loopy)"
    example = "morris:variant=achi"
    sizes = "nine points; fewer than 6,000 positions"
    known = "three: the first player wins, only by opening in the centre; achi: the first player wins"

    rows_from_bottom = True
    move_form = "b2 to place a man, b2-c3 to move one"
    shape = (3, 3)  # type: ignore[assignment]  # a property in other games

    variant: str = "three"

    def __post_init__(self) -> None:
        choose(self, "variant", VARIANTS)

    @property
    def title(self) -> str:  # type: ignore[override] # depends on a parameter
        """The variant's own name."""
        names = {"three": "Three men's morris", "nine_holes": "Nine holes"}
        return names.get(self.variant, self.variant.capitalize())

    @property
    def joined(self) -> tuple[tuple[int, int], ...]:  # type: ignore[override] # likewise
        """The lines of the board; nine holes have none."""
        lines = () if VARIANTS[self.variant].flying else ORTHOGONAL + DIAGONAL
        return tuple(pair for line in lines for pair in itertools.pairwise(line))

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        variant = VARIANTS[self.variant]
        all_men = 2 * variant.men
        reach = self._reach()

        def legal_moves(state: int, out: Any) -> int:
            empty, count, men = _empty_points(state), 0, _men_of_mover(state)
            if _placed(state) < all_men:
                return write_cells(empty, out)
            while men:
                source = popcount((men & -men) - 1)
                men &= men - 1
                targets = reach[source] & empty
                while targets:
                    out[count] = 9 + 9 * source + popcount((targets & -targets) - 1)
                    targets &= targets - 1
                    count += 1
            return count

        return Rules(
            start=0,
            max_moves=9,
            legal_moves=legal_moves,
            play=_play,
            outcome=self._outcome(),
            to_move=_to_move,
            largest_code=9 + 9 * 8 + 7,
            tier=_placed,
            loopy=True,
            cells=9,
            symmetries=geometric_symmetries(3, 3, variant.lines),
        )

    def _outcome(self) -> Callable[[int], int]:
        variant = VARIANTS[self.variant]
        all_men = 2 * variant.men
        lines = tuple(sum(1 << point for point in line) for line in variant.lines)
        reach = self._reach()

        def outcome(state: int) -> int:
            last = _men_of_mover(state ^ TURN)  # only the last mover can have completed a line
            for line in lines:
                if last & line == line:
                    return -_to_move(state)
            if _placed(state) < all_men:
                return ONGOING
            empty, men = _empty_points(state), _men_of_mover(state)
            for point in range(9):
                if men >> point & 1 and reach[point] & empty:
                    return ONGOING
            return -_to_move(state)

        return outcome

    def _reach(self) -> tuple[int, ...]:
        """Return the points that a man on each point can move to if they are empty, as bits."""
        if VARIANTS[self.variant].flying:
            return tuple(BOARD ^ 1 << point for point in range(9))
        reach = [0] * 9
        for line in ORTHOGONAL + DIAGONAL:
            for a, b in itertools.pairwise(line):
                reach[a] |= 1 << b
                reach[b] |= 1 << a
        return tuple(reach)

    def most_pieces(self) -> int:
        """Return how many men each side has."""
        return VARIANTS[self.variant].men

    def refuse_impossible(self, text: str, x: int, o: int, mover: str) -> None:
        """Raise `PositionError` for numbers of men that cannot occur with this player to move."""
        super().refuse_impossible(text, x, o, mover)
        last = self.last_mover(text, x, o)
        if (x | o).bit_count() < 2 * self.most_pieces() and last == mover:
            raise PositionError(f"position {text!r}: {last} has just placed a man, so it is not to move")

    def caption(self, state: int) -> str:
        """Return the numbers of men still to be placed."""
        remaining = [VARIANTS[self.variant].men - (state >> shift & BOARD).bit_count() for shift in (0, 9)]
        return f"men to place: X {remaining[0]}, O {remaining[1]}" if any(remaining) else ""

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield the point where a man is placed, or the points that it leaves and reaches."""
        names = [self.square(point) for point in range(9)]
        reach = self._reach()
        slides = [(a, b) for a, b in itertools.product(range(9), repeat=2) if reach[a] >> b & 1]
        return [*enumerate(names), *((9 + 9 * a + b, f"{names[a]}-{names[b]}") for a, b in slides)]


_to_move = turn_at(18)


def _placed(state: int) -> int:
    return popcount(state & (TURN - 1))


def _men_of_mover(state: int) -> int:
    return state >> 9 & BOARD if state & TURN else state & BOARD


def _empty_points(state: int) -> int:
    return BOARD ^ (state & BOARD | state >> 9 & BOARD)


def _play(state: int, move: int) -> int:
    change = 1 << move if move < 9 else 1 << (move - 9) // 9 | 1 << (move - 9) % 9
    return state ^ (change << 9 if state & TURN else change) ^ TURN
