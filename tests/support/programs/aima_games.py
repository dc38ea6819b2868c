"""Games that are given their states, after a textbook: a tree with values, and tic-tac-toe with a board of squares."""

from collections import namedtuple

GameState = namedtuple("GameState", "to_move, utility, board, moves")


class Game:
    def actions(self, state):
        raise NotImplementedError

    def result(self, state, move):
        raise NotImplementedError

    def utility(self, state, player):
        raise NotImplementedError

    def terminal_test(self, state):
        return not self.actions(state)

    def to_move(self, state):
        return state.to_move

    def play_game(self, *players):
        raise NotImplementedError


class Tree(Game):
    succs = {  # noqa: RUF012
        "A": {"a1": "B", "a2": "C", "a3": "D"},
        "B": {"b1": "B1", "b2": "B2", "b3": "B3"},
        "C": {"c1": "C1", "c2": "C2", "c3": "C3"},
        "D": {"d1": "D1", "d2": "D2", "d3": "D3"},
    }
    utils = {"B1": 3, "B2": 12, "B3": 8, "C1": 2, "C2": 4, "C3": 6, "D1": 14, "D2": 5, "D3": 2}  # noqa: RUF012
    initial = "A"

    def actions(self, state):
        return list(self.succs.get(state, {}).keys())

    def result(self, state, move):
        return self.succs[state][move]

    def utility(self, state, player):
        return self.utils[state] if player == "MAX" else -self.utils[state]

    def terminal_test(self, state):
        return state not in ("A", "B", "C", "D")

    def to_move(self, state):
        return "MIN" if state in "BCD" else "MAX"


class TicTacToe(Game):
    def __init__(self, h=3, v=3, k=3):
        self.h, self.v, self.k = h, v, k
        moves = [(x, y) for x in range(1, h + 1) for y in range(1, v + 1)]
        self.initial = GameState(to_move="X", utility=0, board={}, moves=moves)

    def actions(self, state):
        return state.moves

    def result(self, state, move):
        if move not in state.moves:
            return state
        board = state.board.copy()
        board[move] = state.to_move
        moves = list(state.moves)
        moves.remove(move)
        return GameState(
            to_move=("O" if state.to_move == "X" else "X"),
            utility=self.compute_utility(board, move, state.to_move),
            board=board,
            moves=moves,
        )

    def utility(self, state, player):
        return state.utility if player == "X" else -state.utility

    def terminal_test(self, state):
        return state.utility != 0 or len(state.moves) == 0

    def compute_utility(self, board, move, player):
        if any(self.k_in_row(board, move, player, delta) for delta in ((0, 1), (1, 0), (1, -1), (1, 1))):
            return +1 if player == "X" else -1
        return 0

    def k_in_row(self, board, move, player, delta_x_y):
        delta_x, delta_y = delta_x_y
        x, y = move
        n = 0
        while board.get((x, y)) == player:
            n += 1
            x, y = x + delta_x, y + delta_y
        x, y = move
        while board.get((x, y)) == player:
            n += 1
            x, y = x - delta_x, y - delta_y
        return n - 1 >= self.k
