"""Pong hau k'i: a move takes a stone along a line to the free point; whoever cannot move loses. Play may go on."""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount

#  0   1    bits 0 to 4: stones of X
#  | \/ |   bits 5 to 9: stones of O
#  | /\ |   bit 10: O is to move
#  2   3
LINES = (0b10110, 0b11001, 0b10001, 0b10010, 0b01111)  # of each point, with 4 in the centre


@dataclass(frozen=True)
class PongHauKi:
    def rules(self) -> Rules:
        def free_point(state: int) -> int:
            return 31 & ~(state | state >> 5)

        def mine(state: int) -> int:
            return state >> 5 & 31 if state >> 10 else state & 31

        def movable(state: int) -> int:
            return mine(state) & LINES[popcount(free_point(state) - 1)]

        def legal_moves(state: int, out: list[int]) -> int:
            count = 0
            for point in range(5):
                if movable(state) >> point & 1:
                    out[count] = point
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            change = 1 << move | free_point(state)
            return state ^ (change << 5 if state >> 10 else change) ^ 1 << 10

        def to_move(state: int) -> int:
            return -1 if state >> 10 else 1

        def outcome(state: int) -> int:
            return ONGOING if movable(state) else -to_move(state)

        return Rules(
            start=0b01100_00011,
            max_moves=2,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            loopy=True,
        )
