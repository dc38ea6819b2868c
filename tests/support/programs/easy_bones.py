"""The player who takes the last bone loses. The class is complete by itself, its first player is drawn by nobody."""


class GameOfBones:
    def __init__(self, players=None, pile=10):
        self.players = players
        self.pile = pile
        self.nplayer = 1

    def possible_moves(self):
        return [str(n) for n in (1, 2, 3) if n <= self.pile]

    def make_move(self, move):
        self.pile -= int(move)

    def win(self):
        return self.pile <= 0

    def is_over(self):
        return self.win()

    def scoring(self):
        return 100 if self.win() else 0
