"""Chess endgames of king and rook or queen (white, first) against king, from every position: the first moves set it up.

Four moves put white's king, black's king and the piece on the board, and say who begins. They are tiers of their own,
and do not count in the remoteness of the positions after them: the plies to mate. Bits 0 to 5, 6 to 11 and 12 to 17 of
a position are the men's squares, from a1 row by row; those above say how many are there (0 to 3), then that white (4)
or black (5) is to move, or that the piece is lost (6).
"""

from dataclasses import dataclass

from analysis import ONGOING, Rules

WHITE, BLACK, LOST = 4, 5, 6
STAGE, MEN = 18, (1 << 18) - 1
PIECE, BEGINS = 64, 124  # codes of moves: kings go to 0 to 63, the piece to 64 to 127; 128 white begins, 129 black
SQUARES = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"]
TURNS = {"white": WHITE, "black": BLACK, "lost": LOST}
WAYS = [[square, 8 * (square % 8) + square // 8] for square in range(64)]  # as it is, and flipped along a diagonal
GOES = tuple(way[flip] ^ mirror for flip in (0, 1) for mirror in (0, 7, 56, 63) for way in WAYS)  # by symmetry


def near(a: int, b: int) -> bool:
    return abs(a // 8 - b // 8) < 2 and abs(a % 8 - b % 8) < 2


def sees(a: int, b: int, one: int, other: int, queen: bool) -> bool:
    """Tell whether a piece on a sees b, where two other men do not stand between."""
    up, right = b // 8 - a // 8, b % 8 - a % 8
    if a == b or not (up == 0 or right == 0 or (queen and abs(up) == abs(right))):
        return False
    step = 8 * ((up > 0) - (up < 0)) + (right > 0) - (right < 0)
    a += step
    while a not in (b, one, other):
        a += step
    return a == b


def legal(state: int, move: int, queen: bool) -> bool:
    king, black, piece, stage = state & 63, state >> 6 & 63, state >> 12 & 63, state >> STAGE
    if move >= 2 * PIECE:  # black is not in check where white begins
        return stage == 3 and (move == BEGINS + BLACK or not sees(piece, black, king, king, queen))
    to = move % PIECE
    if move >= PIECE:
        return to not in (king, black) and (stage == 2 or (stage == WHITE and sees(piece, to, king, black, queen)))
    if stage == BLACK:
        return to != black and near(black, to) and not near(king, to) and not sees(piece, to, king, king, queen)
    if stage == WHITE:
        return to not in (king, piece) and near(king, to) and not near(black, to)
    return stage == 0 or (stage == 1 and not near(king, to))


def play(state: int, move: int) -> int:
    stage, men = state >> STAGE, state & MEN
    if move >= 2 * PIECE:
        return men | (move - BEGINS) << STAGE
    if move >= PIECE:
        return men & ~(63 << 12) | (move - PIECE) << 12 | (BLACK if stage == WHITE else 3) << STAGE
    if stage in (0, WHITE):
        return men & ~63 | move | (BLACK if stage == WHITE else 1) << STAGE
    if stage == BLACK and move == men >> 12:
        return men & 63 | move << 6 | LOST << STAGE
    return men & ~(63 << 6) | move << 6 | (WHITE if stage == BLACK else 2) << STAGE


def image(state: int, at: int) -> int:
    stage = state >> STAGE
    found = stage << STAGE
    for man in range(2 if stage == LOST else min(stage, 3)):
        found |= GOES[at + (state >> 6 * man & 63)] << 6 * man
    return found


def canonical(state: int) -> int:
    least = state
    for at in range(64, 512, 64):
        least = min(least, image(state, at))
    return least


def orbit_size(state: int) -> int:
    same = 0
    for at in range(0, 512, 64):
        same += image(state, at) == state
    return 8 // same


@dataclass(frozen=True)
class Endgame:
    piece: str = "rook"
    rows_from_bottom = True

    def rules(self) -> Rules:
        queen = self.piece == "queen"

        def legal_moves(state: int, out: list[int]) -> int:
            count = 0
            for move in range(BEGINS + BLACK + 1):
                if legal(state, move, queen):
                    out[count] = move
                    count += 1
            return count

        def outcome(state: int) -> int:
            if state >> STAGE == BLACK:
                for to in range(64):
                    if legal(state, to, queen):
                        return ONGOING
                return int(sees(state >> 12 & 63, state >> 6 & 63, state & 63, state & 63, queen))
            return 0 if state >> STAGE == LOST else ONGOING

        def to_move(state: int) -> int:
            return -1 if state >> STAGE == BLACK else 1

        def tier(state: int) -> int:
            return WHITE if state >> STAGE == BLACK else state >> STAGE

        return Rules(
            start=0, max_moves=64, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move, tier=tier,
            loopy=True, largest_code=BEGINS + BLACK, canonical=canonical, orbit_size=orbit_size,
        )  # fmt: skip

    def moves(self) -> list[str]:
        return [*SQUARES, *(f"{self.piece[0].upper()}:{square}" for square in SQUARES), "white", "black"]

    def format_move(self, move: int) -> str:
        return self.moves()[move]

    def parse_move(self, text: str) -> int:
        return self.moves().index(text)

    def format_position(self, state: int) -> str:
        stage = state >> STAGE
        men = [SQUARES[state >> 6 * man & 63] for man in range(2 if stage == LOST else min(stage, 3))]
        return " ".join([*men, *(turn for turn in TURNS if TURNS[turn] == stage)]) or "-"

    def parse_position(self, text: str) -> int:
        words = text.split()
        men = [SQUARES.index(word) for word in words if word in SQUARES]
        stage = TURNS.get(words[-1], len(men))
        state = sum(square << 6 * man for man, square in enumerate(men)) | stage << STAGE
        if self.format_position(state) != text:
            raise ValueError(f"{text!r} is not a position such as 'c3 a1 d8 black'")
        return state

    def grid(self, state: int) -> list[list[str]]:
        words = self.format_position(state).split()
        men = dict(zip(words, ("K", "k", self.piece[0].upper()), strict=False))
        return [[men.get(f"{file}{rank}", " ") for file in "abcdefgh"] for rank in range(8, 0, -1)]
