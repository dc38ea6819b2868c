"""Tic-tac-toe in a class that searches by itself, and prints what it does."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe:
    def __init__(self):
        self.board = [" "] * 9

    def winner(self, state):
        for a, b, c in LINES:
            if state[a] == state[b] == state[c] != " ":
                return state[a]
        return None

    def minimax(self, state, depth, alpha, beta, maximizing):
        winner = self.winner(state)
        if winner:
            return None, (10 if winner == "X" else -10)
        if " " not in state:
            return None, 0
        print("searching", state)
        choice, best = None, -100 if maximizing else 100
        for move in range(9):
            if state[move] != " ":
                continue
            after = state.copy()
            after[move] = "X" if maximizing else "O"
            _, value = self.minimax(after, depth - 1, alpha, beta, not maximizing)
            if value > best if maximizing else value < best:
                choice, best = move, value
            if maximizing:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                break
        return choice, best


if __name__ == "__main__":
    print(TicTacToe().minimax(list(input()), 9, -100, 100, True))
