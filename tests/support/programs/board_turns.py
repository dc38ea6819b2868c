"""A board that knows whose turn it is, passes it on by itself, and is asked of each player whether he has won."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Board:
    def __init__(self, size=3):
        self.cells = ["."] * size * size
        self.turn = "x"
        self.last_move = None
        self.history = []

    def empty_cells(self):
        return [i for i, c in enumerate(self.cells) if c == "."]

    def make_move(self, cell):
        self.cells[cell] = self.turn
        self.last_move = cell
        self.history.append(cell)
        self.switch_turn()

    def switch_turn(self):
        self.turn = "o" if self.turn == "x" else "x"

    def check_winner(self, player):
        return any(all(self.cells[i] == player for i in line) for line in LINES)

    def is_game_over(self):
        return not self.empty_cells() or self.check_winner("x") or self.check_winner("o")


game = Board()
