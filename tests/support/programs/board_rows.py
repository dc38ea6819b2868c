"""A board of rows; a move is a row, a column and a player; the end is a word."""


class Board:
    def __init__(self):
        self.grid = [["-"] * 3 for _ in range(3)]
        self.moves_made = 0

    def get_available_moves(self):
        return [(r, c) for r in range(3) for c in range(3) if self.grid[r][c] == "-"]

    def make_move(self, row, col, player):
        print(f"{player} plays {row}, {col}")
        self.grid[row][col] = player
        self.moves_made += 1

    def is_full(self):
        return all(cell != "-" for row in self.grid for cell in row)

    def check_winner(self):
        g = self.grid
        lines = (
            g
            + [list(col) for col in zip(*g, strict=True)]
            + [[g[i][i] for i in range(3)], [g[i][2 - i] for i in range(3)]]
        )
        for line in lines:
            if line[0] != "-" and line.count(line[0]) == 3:
                return line[0]
        return "Draw" if self.is_full() else None
