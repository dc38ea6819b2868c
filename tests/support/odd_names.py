"""A game of one's own whose names have every character that a file format treats specially."""

from dataclasses import dataclass

from analysis import ONGOING, Game, Rules

MOVES = ('say "x"\\', "\\N <b> &lt; $", "line\nbreak  twice", "♞ √ü", "")
PLAYERS = ('A & <B> "C"', "Ö\\")


@dataclass(frozen=True)
class OddNames(Game):
    """Two plies: one of five moves, then one of two; state 16 + 2 * first + second is the end."""

    family = "odd<&\"'"
    players = PLAYERS

    def rules(self) -> Rules:
        def legal_moves(state, out):
            n = 5 if state == 0 else 2
            for i in range(n):
                out[i] = i
            return n

        def play(state, move):
            return 1 + move if state == 0 else 16 + 2 * (state - 1) + move

        def outcome(state):
            return ONGOING if state < 16 else (state * 7 // 3) % 3 - 1

        def to_move(state):
            return 1 if state == 0 else -1

        return Rules(0, 5, legal_moves, play, outcome, to_move, largest_code=4)

    def format_position(self, state):
        return f"<{state}> & \"\\'"

    def parse_position(self, text):
        return int(text[1 : text.index(">")])

    def format_move(self, move):
        return MOVES[move]
