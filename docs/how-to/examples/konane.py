"""Konane, Hawaiian checkers: jump over neighbours of the other colour in a straight line; whoever cannot move loses.

The board is full at first, in a chequered pattern. X takes one of its own stones from the middle or a corner, O one
beside the gap; from then on a stone jumps over one, or several with a gap behind each, which are taken off. Bit i of a
position is set if there is a stone on cell i, row by row, X's where row and column add up to an even number; the bit
above tells that O is to move. Tiers are the stones that are gone.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount


@dataclass(frozen=True)
class Konane:
    rows: int = 4
    cols: int = 4

    def jumps(self) -> list[list[int]]:
        """Return the cells of each jump: from where, over what, to where, and so on."""
        ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        longest = max(self.rows, self.cols)
        lines = [
            [(cell // self.cols + i * down, cell % self.cols + i * right) for i in range(length)]
            for cell in range(self.rows * self.cols) for down, right in ways for length in range(3, longest + 1, 2)
        ]  # fmt: skip
        inside = [line for line in lines if 0 <= line[-1][0] < self.rows and 0 <= line[-1][1] < self.cols]
        return [[row * self.cols + col for row, col in line] for line in inside]

    def symmetries(self) -> list[tuple[int, ...]]:
        """Return where each cell goes when the board is flipped, or turned if it is square; colours stay."""
        places = [(r, c) for r in range(self.rows) for c in range(self.cols)]
        turns = [places, [(c, r) for r, c in places]][: 1 + (self.rows == self.cols)]
        flips = [[(abs(down - r), abs(right - c)) for r, c in turn] for turn in turns
                 for down in (0, self.rows - 1) for right in (0, self.cols - 1)]  # fmt: skip
        kept = [flip for flip in flips if sum(flip[0]) % 2 == 0]
        return sorted({tuple(places.index(place) for place in flip) for flip in kept})

    def opening(self) -> tuple[int, int]:
        """Return the cells of X, and those of them in the middle and the corners, as bits."""
        rows, cols = self.rows, self.cols
        own = [(r, c) for r in range(rows) for c in range(cols) if (r + c) % 2 == 0]
        middle = [(r, c) for r in ((rows - 1) // 2, rows // 2) for c in ((cols - 1) // 2, cols // 2)]
        corners = [(r, c) for r in (0, rows - 1) for c in (0, cols - 1)]
        first = {*middle, *corners} & {*own}
        return sum(1 << r * cols + c for r, c in own), sum(1 << r * cols + c for r, c in first)

    def rules(self) -> Rules:
        cols, cells = self.cols, self.rows * self.cols
        board, turn = (1 << cells) - 1, 1 << cells
        places = [divmod(cell, cols) for cell in range(cells)]
        x, first = self.opening()
        beside = tuple(
            sum(1 << cell for cell, (r, c) in enumerate(places) if abs(r - row) + abs(c - col) == 1)
            for row, col in places
        )
        jumps = self.jumps()
        stones = tuple(1 << jump[0] | sum(1 << cell for cell in jump[1::2]) for jump in jumps)
        gaps = tuple(sum(1 << cell for cell in jump[2::2]) for jump in jumps)
        start, end = tuple(1 << jump[0] for jump in jumps), tuple(1 << jump[-1] for jump in jumps)

        def legal(state: int, move: int) -> bool:
            gone = board & ~state
            if move >= cells:
                jump = move - cells
                own = x if state < turn else board ^ x
                return (
                    own & start[jump] != 0 and state & stones[jump] == stones[jump] and gone & gaps[jump] == gaps[jump]
                )
            return gone & beside[move] != 0 if popcount(gone) == 1 else gone == 0 and first >> move & 1 != 0

        def legal_moves(state: int, out: list[int]) -> int:
            count = 0
            for move in range(cells if popcount(state & board) < cells - 1 else 0, cells + len(stones)):
                if legal(state, move):
                    out[count] = move
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            if move < cells:
                return state ^ 1 << move ^ turn
            return state ^ stones[move - cells] ^ end[move - cells] ^ turn

        def to_move(state: int) -> int:
            return 1 if state < turn else -1

        def outcome(state: int) -> int:
            for move in range(cells + len(stones)):
                if legal(state, move):
                    return ONGOING
            return -to_move(state)

        def tier(state: int) -> int:
            return cells - popcount(state & board)

        return Rules(
            start=board, max_moves=max(cells, len(jumps)), legal_moves=legal_moves, play=play, outcome=outcome,
            to_move=to_move, tier=tier, cells=cells, planes=1, symmetries=tuple(self.symmetries()),
        )  # fmt: skip

    def grid(self, state: int) -> list[list[str]]:
        places = [[(r, c) for c in range(self.cols)] for r in range(self.rows)]
        return [["XO"[(r + c) % 2] if state >> r * self.cols + c & 1 else " " for r, c in row] for row in places]
