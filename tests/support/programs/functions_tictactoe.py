"""Tic Tac Toe Player."""

import copy

X = "X"
O = "O"  # noqa: E741
EMPTY = None


def initial_state():
    return [[EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, EMPTY]]


def player(board):
    marks = [cell for row in board for cell in row]
    return O if marks.count(X) > marks.count(O) else X


def actions(board):
    return {(i, j) for i in range(3) for j in range(3) if board[i][j] == EMPTY}


def result(board, action):
    if action not in actions(board):
        raise Exception("Invalid move")
    new = copy.deepcopy(board)
    new[action[0]][action[1]] = player(board)
    return new


def winner(board):
    lines = [*board, *zip(*board, strict=True), [board[i][i] for i in range(3)], [board[i][2 - i] for i in range(3)]]
    for line in lines:
        if line[0] is not None and line[0] == line[1] == line[2]:
            return line[0]
    return None


def terminal(board):
    return winner(board) is not None or not actions(board)


def utility(board):
    if winner(board) == X:
        return 1
    return -1 if winner(board) == O else 0


def minimax(board):
    raise NotImplementedError


if __name__ == "__main__":
    print(minimax(initial_state()))
