"""The sliding puzzle: move a tile into the gap until all are in order, with the gap last.

Bits 4 * i to 4 * i + 3 of a position are the tile in cell i, 0 the gap; at the start tiles 1 to 3 are one place ahead.
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules


@dataclass(frozen=True)
class Slide:
    rows: int = 3
    cols: int = 3

    def rules(self) -> Rules:
        cols, cells = self.cols, self.rows * self.cols
        goal = self.parse_position("".join(f"{tile % cells:x}" for tile in range(1, cells + 1)))

        def legal_moves(state: int, out: list[int]) -> int:
            count = gap = 0
            while state >> 4 * gap & 15:
                gap += 1
            for cell in range(cells):
                if abs(cell // cols - gap // cols) + abs(cell % cols - gap % cols) == 1:
                    out[count] = cell
                    count += 1
            return count

        def play(state: int, cell: int) -> int:
            gap, tile = 0, state >> 4 * cell & 15
            while state >> 4 * gap & 15:
                gap += 1
            return state ^ tile << 4 * cell ^ tile << 4 * gap

        def outcome(state: int) -> int:
            return 1 if state == goal else ONGOING

        start = goal ^ 0x321 ^ 0x132 if cells > 3 else goal
        return Rules(start, max_moves=4, legal_moves=legal_moves, play=play, outcome=outcome, loopy=True)

    def format_position(self, state: int) -> str:
        tiles = [f"{state >> 4 * cell & 15:x}" for cell in range(self.rows * self.cols)]
        return "/".join("".join(tiles[row : row + self.cols]) for row in range(0, len(tiles), self.cols))

    def parse_position(self, text: str) -> int:
        return sum(int(tile, 16) << 4 * cell for cell, tile in enumerate(text.replace("/", "")))

    def grid(self, state: int) -> list[list[str]]:
        return [list(row.replace("0", " ")) for row in self.format_position(state).split("/")]
