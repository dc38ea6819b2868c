"""Tic-tac-toe in the manner of a library for chess: moves are pushed and popped, and results are as in tournaments."""

X, O = True, False  # noqa: E741


class Board:
    def __init__(self):
        self.squares = [None] * 9
        self.turn = X
        self.move_stack = []
        self.fullmove_number = 1

    @property
    def legal_moves(self):
        return (square for square in range(9) if self.squares[square] is None)

    def push(self, move):
        self.squares[move] = self.turn
        self.move_stack.append(move)
        self.fullmove_number += self.turn is O
        self.turn = not self.turn

    def pop(self):
        move = self.move_stack.pop()
        self.squares[move] = None
        self.turn = not self.turn
        return move

    def _line(self, color):
        s = self.squares
        rows = [s[0:3], s[3:6], s[6:9], s[0::3], s[1::3], s[2::3], s[0::4], s[2:7:2]]
        return any(all(mark is color for mark in row) for row in rows)

    def is_game_over(self):
        return self._line(X) or self._line(O) or None not in self.squares

    def result(self):
        if self._line(X):
            return "1-0"
        if self._line(O):
            return "0-1"
        return "1/2-1/2" if self.is_game_over() else "*"
