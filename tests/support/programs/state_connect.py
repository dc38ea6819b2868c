"""A state for Monte Carlo tree search: a move makes another state; players are 1 and -1."""

import numpy as np


class Connect:
    x = 1
    o = -1

    def __init__(self, state=None, next_to_move=1, rows=3, cols=4, win=3):
        self.board = np.zeros((rows, cols), dtype=np.int8) if state is None else state
        self.next_to_move = next_to_move
        self.win = win

    @property
    def game_result(self):
        rows, cols = self.board.shape
        for r in range(rows):
            for c in range(cols):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if 0 <= r + (self.win - 1) * dr < rows and 0 <= c + (self.win - 1) * dc < cols:
                        s = sum(int(self.board[r + i * dr, c + i * dc]) for i in range(self.win))
                        if abs(s) == self.win:
                            return s // self.win
        return 0.0 if np.all(self.board != 0) else None

    def is_game_over(self):
        return self.game_result is not None

    def move(self, col):
        board = np.copy(self.board)
        row = max(np.flatnonzero(board[:, col] == 0))
        board[row, col] = self.next_to_move
        return Connect(board, -self.next_to_move, win=self.win)

    def get_legal_actions(self):
        return np.flatnonzero(self.board[0] == 0)
