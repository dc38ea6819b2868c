"""Tic-tac-toe as a course has it, with nothing of gametree in it."""


class Board:
    def __init__(self) -> None:
        self.cells = [" "] * 9
        self.turn = "X"

    def available_moves(self) -> list[int]:
        return [cell for cell in range(9) if self.cells[cell] == " "]

    def make_move(self, cell: int) -> None:
        self.cells[cell] = self.turn
        self.turn = "O" if self.turn == "X" else "X"

    def winner(self) -> str | None:
        for line in ([0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]):
            marks = {self.cells[cell] for cell in line}
            if len(marks) == 1 and marks != {" "}:
                return marks.pop()
        return None
