"""What a package for games of two players gives its users: they write a class with moves and ends."""


class Human:
    name = "Human"

    def ask_move(self, game):
        return input(f"Player {game.current_player}? ")


class Computer:
    def __init__(self, depth):
        self.name, self.depth, self.history = "Computer", depth, []


class TwoPlayerGame:
    @property
    def opponent_index(self):
        return 2 if self.current_player == 1 else 1

    @property
    def player(self):
        return self.players[self.current_player - 1]

    def switch_player(self):
        self.current_player = self.opponent_index

    def play_move(self, move):
        result = self.make_move(move)
        self.switch_player()
        return result

    def play(self, nmoves=1000):
        while not self.is_over():
            self.play_move(self.player.ask_move(self))
