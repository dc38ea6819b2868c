"""A race of two tokens that may go back: a counter of moves never ends, and makes no difference."""


class Race:
    def __init__(self):
        self.places = {"w": 0, "b": 0}
        self.turn = "w"
        self.halfmove_clock = 0

    @property
    def legal_moves(self):
        return [step for step in ("back", "on", "jump") if 0 <= self.places[self.turn] + self.length(step) <= 4]

    @staticmethod
    def length(step):
        return {"back": -1, "on": 1, "jump": 3}[step]

    def push(self, step):
        self.places[self.turn] += self.length(step)
        self.halfmove_clock += 1
        self.turn = "b" if self.turn == "w" else "w"

    def is_game_over(self):
        return 4 in self.places.values()

    def result(self):
        return "1-0" if self.places["w"] == 4 else "0-1" if self.places["b"] == 4 else "*"
