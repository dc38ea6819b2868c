"""A game as a user writes it: one or two are taken from a pile, and who cannot move loses."""

from dataclasses import dataclass

from analysis import ONGOING, Rules


@dataclass(frozen=True)
class Take:
    pile: int = 3
    name: str = "a"

    def rules(self):
        def legal_moves(state, out):
            out[0], out[1] = 0, 1
            return min(state >> 1, 2)

        def to_move(state):
            return 1 - 2 * (state & 1)

        return Rules(
            start=self.pile << 1, max_moves=2, legal_moves=legal_moves, largest_code=1,
            play=lambda state, move: (state - 2 * (move + 1)) ^ 1,
            outcome=lambda state: ONGOING if state >> 1 else -to_move(state), to_move=to_move,
            tier=lambda state: 1000 - state // 2,
        )  # fmt: skip
