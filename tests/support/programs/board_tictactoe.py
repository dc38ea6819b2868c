"""A board that is told which letter moves, and keeps who has won."""

import time


class TicTacToe:
    def __init__(self):
        self.board = self.make_board()
        self.current_winner = None

    @staticmethod
    def make_board():
        return [" " for _ in range(9)]

    def print_board(self):
        for row in [self.board[i * 3 : (i + 1) * 3] for i in range(3)]:
            print("| " + " | ".join(row) + " |")

    def make_move(self, square, letter):
        if self.board[square] == " ":
            self.board[square] = letter
            if self.winner(square, letter):
                self.current_winner = letter
            return True
        return False

    def winner(self, square, letter):
        row_ind = square // 3
        col_ind = square % 3
        lines = [self.board[row_ind * 3 : (row_ind + 1) * 3], [self.board[col_ind + i * 3] for i in range(3)]]
        if square % 2 == 0:
            lines += [[self.board[i] for i in (0, 4, 8)], [self.board[i] for i in (2, 4, 6)]]
        return any(all(s == letter for s in line) for line in lines)

    def empty_squares(self):
        return " " in self.board

    def num_empty_squares(self):
        return self.board.count(" ")

    def available_moves(self):
        return [i for i, x in enumerate(self.board) if x == " "]


def play(game, x_player, o_player, print_game=True):
    letter = "X"
    while game.empty_squares():
        square = (x_player if letter == "X" else o_player).get_move(game)
        if game.make_move(square, letter):
            letter = "O" if letter == "X" else "X"
        time.sleep(0.8)
