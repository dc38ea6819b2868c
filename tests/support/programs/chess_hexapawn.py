"""Hexapawn with moves that are objects, what gives them another, and a position that keeps a stack."""


class Move:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __str__(self):
        return f"{'abc'[self.start % 3]}{self.start // 3 + 1}{'abc'[self.end % 3]}{self.end // 3 + 1}"


class MoveList:
    def __init__(self, board):
        self.board = board

    def __iter__(self):
        return self.board.generate()


class Hexapawn:
    def __init__(self):
        self.pieces = {0: "P", 1: "P", 2: "P", 6: "p", 7: "p", 8: "p"}
        self.turn = "white"
        self.stack = []

    @property
    def legal_moves(self):
        return MoveList(self)

    def generate(self):
        own, step = ("P", 3) if self.turn == "white" else ("p", -3)
        for square, piece in list(self.pieces.items()):
            if piece != own:
                continue
            if square + step not in self.pieces and 0 <= square + step < 9:
                yield Move(square, square + step)
            for side in (-1, 1):
                if 0 <= square % 3 + side < 3 and self.pieces.get(square + step + side, own) != own:
                    yield Move(square, square + step + side)

    def push(self, move):
        self.stack.append(dict(self.pieces))
        self.pieces[move.end] = self.pieces.pop(move.start)
        self.turn = "black" if self.turn == "white" else "white"

    def pop(self):
        self.pieces = self.stack.pop()
        self.turn = "black" if self.turn == "white" else "white"

    def _home(self):
        return any(self.pieces.get(s) == "P" for s in (6, 7, 8)) or any(self.pieces.get(s) == "p" for s in (0, 1, 2))

    def is_game_over(self):
        return self._home() or not any(True for _ in self.generate())

    def result(self):
        if not self.is_game_over():
            return "*"
        return "0-1" if self.turn == "white" else "1-0"
