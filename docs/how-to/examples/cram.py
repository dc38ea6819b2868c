"""Cram: players in turn put a domino on two free neighbouring squares; whoever cannot loses.

Bit i of a position is set if square i, row by row, is covered; the number of dominoes tells who is to move. The second
player wins on even-by-even boards, the first on even-by-odd ones (M. Gardner, Scientific American, February 1974).
"""

from dataclasses import dataclass

from analysis import ONGOING, Evaluation, Rules, popcount


@dataclass(frozen=True)
class Cram:
    rows: int = 3
    cols: int = 4

    def rules(self) -> Rules:
        cells, cols = self.rows * self.cols, self.cols
        across = [0b11 << i for i in range(cells) if i % cols < cols - 1]
        down = [1 << i | 1 << i + cols for i in range(cells - cols)]
        dominoes = tuple(across + down)

        def legal_moves(state: int, out: list[int]) -> int:
            count = 0
            for move in range(len(dominoes)):
                if state & dominoes[move] == 0:
                    out[count] = move
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            return state | dominoes[move]

        def to_move(state: int) -> int:
            return 1 if popcount(state) % 4 == 0 else -1

        def outcome(state: int) -> int:
            for domino in dominoes:
                if state & domino == 0:
                    return ONGOING
            return -to_move(state)

        def turned(down: int, right: int) -> tuple[int, ...]:
            places = [(r, c) for r in range(self.rows) for c in range(cols)]
            return tuple((self.rows - 1 - r if down else r) * cols + (cols - 1 - c if right else c) for r, c in places)

        def room(state: int) -> int:
            fits = 0
            for domino in dominoes:
                if state & domino == 0:
                    fits += 1
            return to_move(state) * (2 * (fits & 1) - 1) if fits else -to_move(state)

        return Rules(
            start=0,
            max_moves=len(dominoes),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=len(dominoes) - 1,
            cells=cells,
            planes=1,
            symmetries=tuple({turned(down, right) for down in (0, 1) for right in (0, 1)}),
            impartial=True,
            max_plies=cells // 2,
            evaluations={"room": Evaluation(room, (-1, 1))},
        )

    def format_position(self, state: int) -> str:
        rows = [state >> r * self.cols for r in range(self.rows)]
        return "/".join("".join(".#"[row >> c & 1] for c in range(self.cols)) for row in rows)

    def parse_position(self, text: str) -> int:
        marks = text.replace("/", "")
        if len(marks) != self.rows * self.cols or set(marks) - set("#."):
            raise ValueError(f"{text!r} is not a board of {self.rows} rows of {self.cols} squares, # or .")
        return sum(1 << i for i, mark in enumerate(marks) if mark == "#")

    def format_move(self, move: int) -> str:
        down = move - self.rows * (self.cols - 1)
        row, col = divmod(move, self.cols - 1) if down < 0 else divmod(down, self.cols)
        return f"{'abcdefghijklmnopqrstuvwxyz'[col]}{row + 1}{'-' if down < 0 else '|'}"

    def parse_move(self, text: str) -> int:
        for code in range(2 * self.rows * self.cols - self.rows - self.cols):
            if self.format_move(code) == text:
                return code
        raise ValueError(f"{text!r} is not a domino")

    def grid(self, state: int) -> list[str]:
        return self.format_position(state).replace(".", " ").split("/")

    look = "dominoes"
    title = "Cram, {rows} x {cols}"
    goal = "Lay dominoes on free squares; whoever cannot loses."
