"""Quixo: take a cube that is blank or yours from the edge, and push it in at another end of its row or column as yours.

Whoever has a whole line of own cubes wins, also if the other side has just completed it, perhaps along with one of its
own. Bit i of a position is set if X has cube i, row by row, bit n * n + i if O has it, and the bit above these if O is
to move. Blank cubes never return; all else does. On 4 x 4, X wins in 21 plies.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount


@dataclass(frozen=True)
class Quixo:
    n: int = 4

    def pushes(self) -> list[tuple[int, int]]:
        """Return the cells from which a cube is taken, and where it goes in, by code."""
        n, places = self.n, [divmod(cell, self.n) for cell in range(self.n**2)]
        edge = [(row, col) for row, col in places if row in (0, n - 1) or col in (0, n - 1)]
        ends = {place: sorted({(place[0], 0), (place[0], n - 1), (0, place[1]), (n - 1, place[1])}) for place in edge}
        return [(row * n + col, r * n + c) for row, col in edge for r, c in ends[row, col] if (r, c) != (row, col)]

    def rules(self) -> Rules:
        n, cells = self.n, self.n**2
        board, turn = (1 << cells) - 1, 1 << 2 * cells
        rows = [range(row * n, row * n + n) for row in range(n)]
        lines = [*rows, *zip(*rows, strict=True), range(0, cells, n + 1), range(n - 1, cells - 1, n - 1)]
        full = tuple(sum(1 << cell for cell in line) for line in lines)
        pushes = self.pushes()
        steps = [(1 if a // n == b // n else n) * (1 if a > b else -1) for a, b in pushes]
        taken, entered = tuple(1 << a for a, _ in pushes), tuple(1 << b for _, b in pushes)
        moved = tuple(sum(1 << c for c in range(b, a, d)) for (a, b), d in zip(pushes, steps, strict=True))
        up, down = tuple(max(d, 0) for d in steps), tuple(max(-d, 0) for d in steps)

        def to_move(state: int) -> int:
            return -1 if state & turn else 1

        def legal_moves(state: int, out: list[int]) -> int:
            theirs = state & board if state & turn else state >> cells & board
            count = 0
            for move in range(len(taken)):
                if not theirs & taken[move]:
                    out[count] = move
                    count += 1
            return count

        def pushed(marks: int, move: int) -> int:
            return marks & ~(moved[move] | taken[move]) | (marks & moved[move]) << up[move] >> down[move]

        def play(state: int, move: int) -> int:
            x, o = pushed(state & board, move), pushed(state >> cells & board, move)
            if state & turn:
                return x | (o | entered[move]) << cells
            return x | entered[move] | o << cells | turn

        def outcome(state: int) -> int:
            x = o = 0
            for line in full:
                x |= state & line == line
                o |= state >> cells & line == line
            if x and o:
                return to_move(state)
            return x - o if x or o else ONGOING

        def tier(state: int) -> int:
            return popcount(state & ~turn)

        places = [divmod(cell, n) for cell in range(cells)]
        flips = [(r * n + c, c * n + r, r * n + n - 1 - c, c * n + n - 1 - r) for r, c in places]
        half = [list(flip) for flip in zip(*flips, strict=True)]
        return Rules(
            start=0, max_moves=len(pushes), legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move,
            tier=tier, loopy=True, cells=cells, planes=2,
            symmetries=tuple(tuple(one) for some in half for one in (some, [cells - 1 - cell for cell in some])),
        )  # fmt: skip

    def format_position(self, state: int) -> str:
        cells = self.n**2
        marks = ["X" if state >> i & 1 else "O" if state >> cells + i & 1 else "?" for i in range(cells)]
        rows = ["".join(marks[i : i + self.n]) for i in range(0, cells, self.n)]
        return "/".join(rows) + (" O" if state >> 2 * cells else " X")

    def parse_position(self, text: str) -> int:
        cells, marks, side = self.n**2, text[:-2].replace("/", ""), text[-2:]
        if len(marks) != cells or set(marks) - set("XO?") or side not in (" X", " O"):
            raise ValueError(f"{text!r} is not a board of {self.n} rows of X, O and ?, and the side to move")
        x, o = (sum(1 << i for i, mark in enumerate(marks) if mark == own) for own in "XO")
        return x | o << cells | (side == " O") << 2 * cells
