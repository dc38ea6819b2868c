"""Euclid's game: a move takes a multiple of the smaller number from the larger; whoever makes one 0 wins.

A pair may be reached after different numbers of moves, so the rules need a tier. The player to move wins if the ratio
is 1 or more than the golden one (A. J. Cole and A. J. T. Davie, Mathematical Gazette 53, 1969).
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules


@dataclass(frozen=True)
class Euclid:
    a: int = 7
    b: int = 5

    def rules(self) -> Rules:
        def pair(state: int) -> tuple[int, int]:
            a, b = state >> 8 & 255, state & 255
            return max(a, b), min(a, b)

        def legal_moves(state: int, out: list[int]) -> int:
            larger, smaller = pair(state)
            for i in range(larger // smaller):
                out[i] = i
            return larger // smaller

        def play(state: int, move: int) -> int:
            larger, smaller = pair(state)
            return larger - (move + 1) * smaller << 8 | smaller | (~state & 1 << 16)

        def to_move(state: int) -> int:
            return -1 if state >> 16 & 1 else 1

        def outcome(state: int) -> int:
            return ONGOING if pair(state)[1] else -to_move(state)

        def tier(state: int) -> int:
            larger, smaller = pair(state)
            return 510 - larger - smaller

        return Rules(
            start=self.a << 8 | self.b,
            max_moves=255,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            tier=tier,
        )
