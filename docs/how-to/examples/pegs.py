"""Peg solitaire: a peg jumps over a neighbour, which is taken off, into a free hole, until one peg is left.

Holes are numbered row by row, from 0; bit i of a position is set if there is a peg in hole i. ``board=english`` has 33
holes, of which number 16 is the centre; on the triangle of 15 holes, neighbours are in rows of three directions.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules, popcount

TRIANGLE = [(r, c) for r in range(5) for c in range(r + 1)]
ENGLISH = [(r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4]


@dataclass(frozen=True)
class Pegs:
    board: str = "triangle"
    hole: int = 0  # the free one at the start
    last: int = -1  # where the last peg has to be; -1: anywhere

    def rules(self) -> Rules:
        english, last = self.board == "english", self.last
        holes = ENGLISH if english else TRIANGLE
        steps = [(0, 1), (1, 0), (0, -1), (-1, 0), *[(1, 1), (-1, -1)] * (not english)]
        lines = [[(r + i * dr, c + i * dc) for i in range(3)] for r, c in holes for dr, dc in steps]
        jumps = [[holes.index(place) for place in line] for line in lines if {*line} <= {*holes}]
        pegs = tuple(1 << a | 1 << b for a, b, _ in jumps)  # before a jump
        free = tuple(1 << c for _, _, c in jumps)

        def legal_moves(state: int, out: list[int]) -> int:
            count = 0
            for move in range(len(pegs)):
                if state & pegs[move] == pegs[move] and not state & free[move]:
                    out[count] = move
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            return state ^ pegs[move] ^ free[move]

        def outcome(state: int) -> int:
            for move in range(len(pegs)):
                if state & pegs[move] == pegs[move] and not state & free[move]:
                    return ONGOING
            return 1 if popcount(state) == 1 and (last < 0 or state == 1 << last) else -1

        turn = [(c, 6 - r) if english else (4 - c, r - c) for r, c in holes]
        flip = [(r, 6 - c) if english else (r, r - c) for r, c in holes]
        group = [[*range(len(holes))]]
        for cells in group:  # which grows
            images = [[cells[holes.index(place)] for place in way] for way in (turn, flip)]
            group += [image for image in images if image not in group]
        return Rules(
            start=(1 << len(holes)) - 1 ^ 1 << self.hole, max_moves=len(pegs), legal_moves=legal_moves, play=play,
            outcome=outcome, cells=len(holes), planes=1,
            symmetries=tuple(tuple(cells) for cells in group if last < 0 or cells[last] == last),
        )  # fmt: skip

    def grid(self, state: int) -> list[list[str]]:
        holes, size = (ENGLISH, 7) if self.board == "english" else (TRIANGLE, 5)
        marks = {place: "*" if state >> hole & 1 else "." for hole, place in enumerate(holes)}
        return [[marks.get((row, col), " ") for col in range(size)] for row in range(size)]
