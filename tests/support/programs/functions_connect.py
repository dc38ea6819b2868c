"""Connect three on three rows of four, with a NumPy board and nobody to move once it is over."""

import numpy as np

ROWS, COLS, K = 3, 4, 3


def initial_state():
    return np.zeros((ROWS, COLS), dtype=int)


def player(board):
    if terminal(board):
        return None
    return 1 if board.sum() == 0 else -1


def actions(board):
    return [col for col in range(COLS) if board[0][col] == 0]


def result(board, action):
    row = max(r for r in range(ROWS) if board[r][action] == 0)
    new = board.copy()
    new[row][action] = player(board)
    return new


def winner(board):
    for r in range(ROWS):
        for c in range(COLS):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                end_r, end_c = r + (K - 1) * dr, c + (K - 1) * dc
                if 0 <= end_r < ROWS and 0 <= end_c < COLS:
                    total = sum(board[r + i * dr][c + i * dc] for i in range(K))
                    if abs(total) == K:
                        return 1 if total > 0 else -1
    return None


def terminal(board):
    return winner(board) is not None or not (board == 0).any()


def utility(board):
    return winner(board) or 0
