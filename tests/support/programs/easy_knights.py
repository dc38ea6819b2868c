"""Two knights; a square that one has left is burnt. Where they stand is kept in the players, not in the game."""

from two_players import Computer, Human, TwoPlayerGame

JUMPS = [(1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (-2, 1), (2, -1), (-2, -1)]


def to_string(pos):
    return "ABCDEFGH"[pos[0]] + str(pos[1] + 1)


def to_pair(text):
    return "ABCDEFGH".index(text[0]), int(text[1]) - 1


class Knights(TwoPlayerGame):
    def __init__(self, players, board_size=(4, 4)):
        self.players = players
        self.board_size = board_size
        self.board = [[0] * board_size[1] for _ in range(board_size[0])]
        self.board[0][0] = 1
        self.board[board_size[0] - 1][board_size[1] - 1] = 2
        players[0].pos = (0, 0)
        players[1].pos = (board_size[0] - 1, board_size[1] - 1)
        self.current_player = 1

    def possible_moves(self):
        x, y = self.player.pos
        ends = [(x + dx, y + dy) for dx, dy in JUMPS]
        width, height = self.board_size
        return sorted(
            to_string(e) for e in ends if 0 <= e[0] < width and 0 <= e[1] < height and not self.board[e[0]][e[1]]
        )

    def make_move(self, move):
        x, y = self.player.pos
        self.board[x][y] = 3
        x, y = self.player.pos = to_pair(move)
        self.board[x][y] = self.current_player

    def lose(self):
        return self.possible_moves() == []

    def scoring(self):
        return -100 if self.lose() else 0

    def is_over(self):
        return self.lose()


if __name__ == "__main__":
    Knights([Human(), Computer(9)]).play()
