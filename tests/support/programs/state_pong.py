"""Pong hau k'i, which need not end: a frozen state with stones of two colours on five points."""

from dataclasses import dataclass, replace

NEXT = {0: (2, 4, 1), 1: (3, 4, 0), 2: (0, 4), 3: (1, 4), 4: (0, 1, 2, 3)}


@dataclass(frozen=True)
class State:
    points: str = "WWBB."
    to_move: str = "W"

    def legal_moves(self):
        free = self.points.index(".")
        return [p for p in NEXT[free] if self.points[p] == self.to_move]

    def apply_move(self, p):
        free, stones = self.points.index("."), list(self.points)
        stones[free], stones[p] = stones[p], "."
        return replace(self, points="".join(stones), to_move="B" if self.to_move == "W" else "W")

    def is_terminal(self):
        return not self.legal_moves()

    def winner(self):
        return ("B" if self.to_move == "W" else "W") if self.is_terminal() else None
