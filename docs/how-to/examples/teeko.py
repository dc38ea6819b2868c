"""Teeko: each side puts four pieces on the board in turn, then moves one a step; four in a line or a square win.

John Scarne's game of 1937. A line has any of eight directions; a square is of neighbours, or, with ``advanced``, of any
size along rows and columns. Bit i of a position is set if X has a piece on cell i, row by row, the bits above tell
where O has, the highest if O is to move. Tiers are the pieces on the board; once there are eight, play returns.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount

PIECES = 4


@dataclass(frozen=True)
class Teeko:
    rows: int = 5
    cols: int = 5
    advanced: bool = False

    def __post_init__(self) -> None:
        if min(self.rows, self.cols) < 4:
            raise ValueError("on a board of less than 4 x 4 a side may have no move, of which the rules say nothing")

    def neighbours(self, cell: int) -> list[int]:
        row, col = divmod(cell, self.cols)
        near = [(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2) if (r, c) != (row, col)]
        return [r * self.cols + c for r, c in near if 0 <= r < self.rows and 0 <= c < self.cols]

    def goals(self) -> set[int]:
        """Return the cells of each line and square, as bits."""
        lines = [[(i * down, i * right) for i in range(4)] for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))]
        sizes = range(1, min(self.rows, self.cols) if self.advanced else 2)
        squares = [[(0, 0), (0, size), (size, 0), (size, size)] for size in sizes]
        places = [divmod(cell, self.cols) for cell in range(self.rows * self.cols)]
        shapes = [[(r + a, c + b) for a, b in shape] for shape in lines + squares for r, c in places]
        inside = [shape for shape in shapes if all(0 <= r < self.rows and 0 <= c < self.cols for r, c in shape)]
        return {sum(1 << r * self.cols + c for r, c in shape) for shape in inside}

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Return where each cell goes when the board is flipped, and turned if it is square."""
        board = [list(range(row * self.cols, (row + 1) * self.cols)) for row in range(self.rows)]
        found = set()
        for turned in [board, [list(row) for row in zip(*board, strict=True)]][: 1 + (self.rows == self.cols)]:
            for upside in (turned, turned[::-1]):
                for rows in (upside, [row[::-1] for row in upside]):
                    found.add(tuple(cell for row in rows for cell in row))
        return tuple(found)

    def rules(self) -> Rules:
        cells = self.rows * self.cols
        board, turn = (1 << cells) - 1, 1 << 2 * cells
        goals = tuple(sorted(self.goals()))
        slides = tuple((a, b) for a in range(cells) for b in self.neighbours(a))
        origin, target = tuple(1 << a for a, _ in slides), tuple(1 << b for _, b in slides)

        def to_move(state: int) -> int:
            return -1 if state & turn else 1

        def legal_moves(state: int, out: list[int]) -> int:
            taken = (state | state >> cells) & board
            own = state >> cells & board if state & turn else state & board
            count = 0
            if popcount(own) < PIECES:
                for cell in range(cells):
                    if not taken >> cell & 1:
                        out[count] = cell
                        count += 1
                return count
            for move in range(len(origin)):
                if own & origin[move] and not taken & target[move]:
                    out[count] = move
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            own = state >> cells & board if state & turn else state & board
            change = 1 << move if popcount(own) < PIECES else origin[move] | target[move]
            return state ^ (change << cells if state & turn else change) ^ turn

        def outcome(state: int) -> int:
            just = state & board if state & turn else state >> cells & board
            for goal in goals:
                if just & goal == goal:
                    return -to_move(state)
            return ONGOING

        def tier(state: int) -> int:
            return popcount(state & ~turn)

        return Rules(
            start=0, max_moves=max(cells, 8 * PIECES), legal_moves=legal_moves, play=play, outcome=outcome,
            to_move=to_move, tier=tier, loopy=True, cells=cells, planes=2, largest_code=len(slides) - 1,
            symmetries=self.symmetries(),
        )  # fmt: skip

    def format_position(self, state: int) -> str:
        cells = self.rows * self.cols
        marks = ["X" if state >> i & 1 else "O" if state >> cells + i & 1 else "?" for i in range(cells)]
        rows = ["".join(marks[i : i + self.cols]) for i in range(0, cells, self.cols)]
        return "/".join(rows) + (" O" if state >> 2 * cells else " X")

    def parse_position(self, text: str) -> int:
        cells, marks, side = self.rows * self.cols, text[:-2].replace("/", ""), text[-2:]
        if len(marks) != cells or set(marks) - set("XO?") or side not in (" X", " O"):
            raise ValueError(f"{text!r} is not a board of {self.rows} rows of X, O and ?, and the side to move")
        x, o = (sum(1 << i for i, mark in enumerate(marks) if mark == own) for own in "XO")
        return x | o << cells | (side == " O") << 2 * cells
