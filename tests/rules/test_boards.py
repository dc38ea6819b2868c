"""Boards as others write and hold them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import analysis
from analysis.errors import PositionError
from analysis.games.families import FAMILIES, load_game
from analysis.rules.positions import board_form, read_either_side, read_position

WITH_BOARDS = [
    "tictactoe", "mnk:rows=3,cols=4,k=3", "wild", "notakto", "connect:rows=4,cols=4", "hex", "domineering", "othello",
    "hexapawn", "dodgem", "morris",
]  # fmt: skip
DRAWN = """
   |   | X
---+---+---
   | O |
---+---+---
   |   |
"""

SPELLED = [
    ("x,x,o,b,x,o,b,o,b", "XXO?XO?O?"),
    ("??x?o????", "??X?O????"),
    ("001020000", "??X?O????"),
    ("0 0 1 0 -1 0 0 0 0", "??X?O????"),
    ("[0,0,1,0,2,0,0,0,0]", "??X?O????"),
    ("[[0, 0, 1], [0, -1, 0], [0, 0, 0]]", "??X?O????"),
    ("[[0. 0. 1.]\n [0. -1. 0.]\n [0. 0. 0.]]", "??X?O????"),
    ("array([['', '', 'X'],\n       ['', 'O', ''],\n       ['', '', '']], dtype='<U1')", "??X?O????"),
    ("[[' ',' ','X'],[' ','O',' '],[' ',' ',' ']]", "??X?O????"),
    ('["  X", " O ", "   "]', "??X?O????"),
    ("(None, None, 'X', None, 'O', None, None, None, None)", "??X?O????"),
    ("  X O    ", "??X?O????"),
    ("  X/ O /   ", "??X?O????"),
    (" | |X\n |O| \n | | ", "??X?O????"),
    ("| | |X|\n| |O| |\n| | | |", "??X?O????"),
    (" | |X\n-----\n |O| \n-----\n | | ", "??X?O????"),
    (" | |X\n=+=+=\n |O| \n=+=+=\n | | ", "??X?O????"),
    ("_|_|X;_|O|_;_|_|_", "??X?O????"),
    (DRAWN, "??X?O????"),
    (",,X\n,O,\n,,", "??X?O????"),
    ("**X*O****", "??X?O????"),
    ("--X-O----", "??X?O????"),
    ("12X4O6789", "??X?O????"),
    ('[[null, null, "X"], [null, "O", null], [null, null, null]]', "??X?O????"),
    ("01X3O5678", "??X?O????"),
    ("1 | 2 | X\n4 | O | 6\n7 | 8 | 9", "??X?O????"),
    ("1,2,X,4,O,6,7,8,9", "??X?O????"),
    ("123456789", "?????????"),
    ("         ", "?????????"),
    ("000000000", "?????????"),
]


@pytest.mark.parametrize(("text", "position"), SPELLED)
def test_texts(text, position):
    game = load_game("tictactoe")
    assert game.format_position(read_position(game, text)) == position
    assert game.format_position(read_position(game, f"board:{text}")) == position


@pytest.mark.parametrize(
    "board",
    [
        ["X", "O", "X", " ", "O", " ", " ", " ", " "],
        [["X", "O", "X"], [" ", "O", " "], [" ", " ", " "]],
        (("x", "o", "x"), ("", "o", ""), (None, None, None)),
        ["XOX", " O ", "   "],
        [["X", "O", "X"], [0, "O", 0], [0, 0, 0]],
        [[1, 2, 1], [0, 2, 0], [0, 0, 0]],
        [1, -1, 1, 0, -1, 0, 0, 0, 0],
        np.array([[1, -1, 1], [0, -1, 0], [0, 0, 0]]),
        np.array([1, 2, 1, 0, 2, 0, 0, 0, 0]),
        np.array([[1.0, -1, 1], [0, -1, 0], [0, 0, 0]]),
        np.array([list("XOX"), list(" O "), list("   ")]),
        [np.array([1, 2, 1]), np.array([0, 2, 0]), np.array([0, 0, 0])],
        "XOX O    ",
    ],
)
def test_boards_as_they_are_held(board):
    solution = analysis.solve("tictactoe")
    assert solution[board].position == "XOX?O????"
    assert board in solution
    assert solution.game.format_position(read_position(solution.game, board)) == "XOX?O????"


@pytest.mark.parametrize("spec", WITH_BOARDS)
def test_every_family_with_marks(spec):
    """Positions of random games, as a list, with bars and with commas; who is to move last, where a board lacks it."""
    game, rng = load_game(spec), random.Random(spec)
    rules = game.rules()
    boards = board_form(game)
    assert boards is not None
    state = rules.start
    for _ in range(10):
        side = game.format_position(state).rpartition(" ")[2] if boards.sides else ""
        grid = game.grid(state)
        for text in ("\n".join("|".join(row) for row in grid), ",".join(mark for row in grid for mark in row).lower()):
            assert read_position(game, f"{text} {side}" if side else text) == state
        if not side:
            assert read_position(game, grid) == read_position(game, np.array(grid)) == state
        moves = rules.moves(state)
        if not moves:
            break
        state = rng.choice(moves)[1]


def test_games_without_such_boards():
    assert {name for name in FAMILIES if board_form(load_game(name)) is None} == {
        "nim", "kayles", "grundy", "dots_and_boxes", "coin_grabber",
    }  # fmt: skip
    with pytest.raises(PositionError, match="no boards"):
        read_position(load_game("nim"), [["X"]])


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("x,x,x,b,o,b,b,b,b", "3 X and 1 O"),
        ("111020000", "3 X and 1 O"),
        ([[1, 1, 1], [0, 2, 0], [0, 0, 0]], "3 X and 1 O"),
        ("[[1, 1], [0, 2]]", "3 rows"),
        ([[1, 1], [0, 2]], "3 rows"),
        ([[1, 2, -1], [0, 0, 0], [0, 0, 0]], "3 rows"),
        ([[object()] * 3] * 3, "no mark"),
        ([[float("nan")] * 3] * 3, "no mark"),
        ([[True, False, False]] * 3, "no mark"),
        (3, "text"),
        (b"XO", "text"),
        ({"X": 1}, "text"),
        ("board:0124", "cells|mark"),
        ("X 2 O 4 5 6 7 8 8", "."),
        ("[" * 3000, "."),
        ("X," * 3000, "none"),
    ],
)
def test_refusals(board, words):
    with pytest.raises(PositionError, match=words) as refused:
        read_position(load_game("tictactoe"), board)
    assert "\n" not in str(refused.value)


def test_two_boards_are_never_one():
    with pytest.raises(PositionError, match="two boards"):
        read_position(load_game("mnk:rows=1,cols=2,k=2"), "board:12")


def test_moves_come_before_boards():
    game = load_game("connect:rows=3,cols=3,k=4")
    assert game.format_position(read_position(game, "001122012")) != game.format_position(
        read_position(game, "board:000012012")
    )
    assert read_position(game, "000012012") == read_position(game, "board:000012012")


def test_either_side_reads_boards_too():
    game = load_game("tictactoe")
    assert game.format_position(read_either_side(game, "x,x,b,b,b,b,b,b,b")) == "XX???????"


USER = '''from dataclasses import dataclass
from analysis import ONGOING, Game, Rules


@dataclass(frozen=True)
class Row(Game):
    """Red and yellow in turn take one of three places; whoever has the last one wins."""

    family = "row"
    players = ("R", "Y")

    def rules(self):
        def legal_moves(state, out):
            count = 0
            for cell in range(3):
                if not state >> 2 * cell & 3:
                    out[count] = cell
                    count += 1
            return count

        def taken(state):
            count = 0
            for cell in range(3):
                count += (state >> 2 * cell & 3) > 0
            return count

        def play(state, move):
            return state | (1 + taken(state) % 2) << 2 * move

        def outcome(state):
            return 1 if taken(state) == 3 else ONGOING

        def to_move(state):
            return 1 - 2 * (taken(state) % 2)

        return Rules(0, 3, legal_moves, play, outcome, to_move, largest_code=2)

    def grid(self, state):
        return [[" RY"[state >> 2 * cell & 3] for cell in range(3)]]

    def format_position(self, state):
        return "".join(".ry"[state >> 2 * cell & 3] for cell in range(3))

    def parse_position(self, text):
        from analysis.errors import PositionError

        marks = text.strip()
        if len(marks) != 3 or not {*marks} <= {*".ry"}:
            raise PositionError(f"{text!r} is no row")
        return sum(".ry".index(mark) << 2 * cell for cell, mark in enumerate(marks))
'''


def test_games_of_ones_own(tmp_path):
    (tmp_path / "row.py").write_text(USER)
    game = load_game(f"{tmp_path / 'row.py'}:Row")
    assert game.format_position(read_position(game, "from1:1")) == "r.."
    for board in ("R|Y| ", "board:1,2,0", [["R", "Y", ""]], np.array([1, -1, 0]), "ry3", "r Y _"):
        assert game.format_position(read_position(game, board)) == "ry."


@pytest.mark.parametrize(("board", "cells"), [("x,o,b,b,x,b,b,b", 8), ("[[1,0,0],[0,-1,0]]", 6), ([[1, 0, 0], [0]], 4)])
def test_a_board_of_another_size(board, cells):
    with pytest.raises(PositionError, match=f"{cells} cells"):
        analysis.solve("tictactoe")[board]
