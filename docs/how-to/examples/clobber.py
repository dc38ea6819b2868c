"""Clobber: a stone moves onto a neighbour of the other colour, which is taken off; whoever cannot move loses.

Albert, Grossman and Nowakowski's game of 2001. Bit i of a position is set if X has a stone on cell i, row by row, the
bits above tell where O has. At the start the board is full, in a chequered pattern; every move takes one stone.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount


@dataclass(frozen=True)
class Clobber:
    rows: int = 3
    cols: int = 4

    def steps(self) -> list[tuple[int, int]]:
        """Return from where to where stones move, by code."""
        places = [(r, c) for r in range(self.rows) for c in range(self.cols)]
        pairs = [(a, b) for a in places for b in places if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
        return [(places.index(a), places.index(b)) for a, b in pairs]

    def symmetries(self) -> list[tuple[int, ...]]:
        """Return where each cell goes when the board is flipped, or turned if it is square; colours stay."""
        places = [(r, c) for r in range(self.rows) for c in range(self.cols)]
        turns = [places, [(c, r) for r, c in places]][: 1 + (self.rows == self.cols)]
        flips = [[(abs(down - r), abs(right - c)) for r, c in turn] for turn in turns
                 for down in (0, self.rows - 1) for right in (0, self.cols - 1)]  # fmt: skip
        kept = [flip for flip in flips if sum(flip[0]) % 2 == 0]
        return sorted({tuple(places.index(place) for place in flip) for flip in kept})

    def rules(self) -> Rules:
        cells = self.rows * self.cols
        board = (1 << cells) - 1
        steps = self.steps()
        origin, target = tuple(1 << a for a, _ in steps), tuple(1 << b for _, b in steps)
        black = sum(1 << i for i in range(cells) if (i // self.cols + i % self.cols) % 2 == 0)

        def to_move(state: int) -> int:
            return -1 if (cells - popcount(state)) % 2 else 1

        def own(state: int) -> int:
            return state & board if to_move(state) > 0 else state >> cells

        def other(state: int) -> int:
            return state >> cells if to_move(state) > 0 else state & board

        def legal_moves(state: int, out: list[int]) -> int:
            count, mine, theirs = 0, own(state), other(state)
            for move in range(len(origin)):
                if mine & origin[move] and theirs & target[move]:
                    out[count] = move
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            mine, theirs = own(state) ^ origin[move] ^ target[move], other(state) ^ target[move]
            return mine | theirs << cells if to_move(state) > 0 else theirs | mine << cells

        def outcome(state: int) -> int:
            mine, theirs = own(state), other(state)
            for move in range(len(origin)):
                if mine & origin[move] and theirs & target[move]:
                    return ONGOING
            return -to_move(state)

        return Rules(
            start=black | (board ^ black) << cells, max_moves=max(1, len(steps) // 2), legal_moves=legal_moves,
            play=play, outcome=outcome, to_move=to_move, cells=cells, planes=2, symmetries=tuple(self.symmetries()),
        )  # fmt: skip

    def grid(self, state: int) -> list[list[str]]:
        cells = self.rows * self.cols
        marks = ["X" if state >> i & 1 else "O" if state >> cells + i & 1 else " " for i in range(cells)]
        return [marks[i : i + self.cols] for i in range(0, cells, self.cols)]
