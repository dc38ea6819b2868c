"""Lights out: a press switches a lamp and its neighbours on or off, until all are off. Bit i is set if lamp i is on."""

from dataclasses import dataclass

from analysis import ONGOING, Rules


@dataclass(frozen=True)
class Lights:
    n: int = 3

    def rules(self) -> Rules:
        n, cells = self.n, self.n**2
        places = [divmod(cell, n) for cell in range(cells)]
        presses = tuple(
            sum(1 << cell for cell, (r, c) in enumerate(places) if abs(r - row) + abs(c - col) < 2)
            for row, col in places
        )

        def legal_moves(state: int, out: list[int]) -> int:
            for lamp in range(cells):
                out[lamp] = lamp
            return cells

        def play(state: int, lamp: int) -> int:
            return state ^ presses[lamp]

        def outcome(state: int) -> int:
            return ONGOING if state else 1

        flips = [(r * n + c, c * n + r, r * n + n - 1 - c, c * n + n - 1 - r) for r, c in places]
        half = [list(flip) for flip in zip(*flips, strict=True)]
        return Rules(
            start=(1 << cells) - 1, max_moves=cells, legal_moves=legal_moves, play=play, outcome=outcome, loopy=True,
            cells=cells, planes=1,
            symmetries=tuple(tuple(one) for some in half for one in (some, [cells - 1 - cell for cell in some])),
        )  # fmt: skip

    def grid(self, state: int) -> list[list[str]]:
        return [["*" if state >> row * self.n + col & 1 else " " for col in range(self.n)] for row in range(self.n)]
