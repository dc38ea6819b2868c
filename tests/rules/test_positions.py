"""Positions in every spelling: as games write them, as moves, and as others hold boards."""

import random

import numpy as np
import pytest

import analysis
from analysis.errors import PositionError
from analysis.games.families import FAMILIES, load_game
from analysis.rules.backtracker import backtracker
from analysis.rules.notation import Notation
from analysis.rules.positions import board_form, play_on, read_either_side, read_position
from tests.support.own_game import own_game

SPECS = [*FAMILIES, "connect:rows=2,cols=13,k=4", "morris:variant=achi", "nim:heaps=3-1-3-1"]


@pytest.mark.parametrize("spec", [*SPECS, "mnk:rows=2,cols=5,k=3", "mnk:rows=2,cols=2,k=2", "wild:rows=2,cols=2"])
def test_every_spelling_is_the_same_position(spec):
    """A position as the game writes it, and its moves as codes, as they are said, and in the game's own notation; also
    as they are said where cells and columns are numbered from 1.
    """
    game, rng = load_game(spec), random.Random(spec)
    rules, notation, numbered = game.rules(), Notation(game), Notation(game, numbered=True)
    for _ in range(2):
        state, codes, said, own = rules.start, [], [], []
        for _ in range(12):
            moves = rules.moves(state)
            if not moves:
                break
            assert read_position(game, game.format_position(state)) == state
            path = backtracker(codes, rules.largest_code)
            for each in (notation, numbered):
                assert [each.read(each.say(state, code), state) for code, _ in moves] == [code for code, _ in moves]
            assert read_position(game, codes) == play_on(game, rules.start, said) == state
            texts = [", ".join(said), " ".join(said), ", ".join(own), " ".join(own)] if len(codes) > 1 else []
            if codes and "grundy" not in spec:  # whose heaps look like codes; one number alone is a code, not a name
                assert {read_position(game, text) for text in (path, *texts)} == {state}
            code, child = rng.choice(moves)
            said.append(notation.say(state, code))
            own.append(game.format_move(code))
            codes.append(code)
            state = child


@pytest.mark.parametrize(
    ("spec", "text", "code"),
    [
        ("tictactoe", "5", 4),
        ("mnk:rows=2,cols=5,k=3", "10", 9),
        ("connect", "7", 6),
        ("wild", "X5", 8),
        ("wild", "o 1", 1),
        ("nim", "4", 4),
    ],
)
def test_cells_and_columns_are_numbered_from_1_as_drawn(spec, text, code):
    game = load_game(spec)
    notation, start = Notation(game, numbered=True), game.rules().start
    assert notation.read(text, start) == code
    assert notation.lowest == (spec != "nim")  # whose moves have names
    if notation.lowest:
        with pytest.raises(PositionError):
            notation.read("0" if spec != "wild" else "X0", start)


@pytest.mark.parametrize(
    ("spec", "text", "position"),
    [
        ("tictactoe", "0124", "XOX?O????"),
        ("tictactoe", "a1 b1 c1 b2", "XOX?O????"),
        ("tictactoe", "a1b1c1b2", "XOX?O????"),
        ("mnk:rows=4,cols=4,k=4", "0-11-5", "X????X?????O????"),
        ("connect:rows=2,cols=3,k=2", "01", "???/XO?"),
        ("wild", "X 4, O 0", "O???X????"),
        ("kayles:pins=5", "4-6", "2-1 X"),  # codes; as the name of a pin 4 is another move
        ("kayles:pins=5", "4", "2-2 O"),
        ("othello", "1 0 11 2 4 13 8 12 16", None),  # 16 passes
        ("hexapawn", "a1-a2", "OOO/X??/?XX O"),
        ("dots_and_boxes:rows=1,cols=2", "b1-c1 a1-b1", "__/.../.. +0 X"),
    ],
)
def test_spellings(spec, text, position):
    game = load_game(spec)
    assert position in (None, game.format_position(read_position(game, text)))


NUMBERS = own_game("Count", play="2 * state + 1 + move", outcome="1 if state >= 7 else ONGOING", largest_code=1)


def test_what_could_be_both_is_what_the_game_writes(tmp_path):
    """Positions that are numbers; moves that begin with 0, as these never do, or are a list."""
    (tmp_path / "count.py").write_text(NUMBERS)
    game = load_game(f"{tmp_path}/count.py:Count")
    assert [read_position(game, text) for text in ("1", "01", "0-1", "0 1", [1])] == [1, 4, 4, 4, 2]


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("tictactoe", "9", "move 1, 9: '9' is not a legal move"),
        ("tictactoe", "100000000", "move 3, 0: '0' is not a legal move"),
        ("tictactoe", "0123456780", "move 8, 7: the game was already over, in XOXOXOX??"),
        ("tictactoe", "a1 hello", "move 2, hello: "),
        ("tictactoe", "zz", "position 'zz': 'z' is not a mark; move 1"),
        ("tictactoe", "X" * 5000, "is too long: 5,000 characters"),
        ("connect", "dddddddd", "move 7, d: 'd' is not"),
        ("mnk:rows=4,cols=4,k=4", "0 17", "move 2, 17: '17' is not"),
    ],
)
def test_reasons(spec, text, reason):
    with pytest.raises(PositionError) as refused:
        read_position(load_game(spec), text)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("spec", SPECS)
def test_refusals_show_forms_that_the_game_reads(spec):
    game = load_game(spec)
    with pytest.raises(PositionError) as refused:
        read_position(game, "no such position")
    text, forms = str(refused.value).split("; positions are written like ")
    assert "no such position" in text
    position, path = forms.split(" or ")[0].split(", ")[:2]
    assert read_position(game, path) == read_position(game, position) or "grundy" in spec


def test_positions_of_either_side():
    """What turns exclude is a board too; moves are made by turns."""
    game = load_game("tictactoe")
    assert read_either_side(game, "XX???????") == read_either_side(game, "x,x,b,b,b,b,b,b,b") == 3
    assert read_either_side(game, "01") == read_either_side(game, "a1 b1") == read_position(game, "XO???????")
    with pytest.raises(PositionError, match="'9' is not a legal move"):
        read_either_side(game, "09")


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
    ("[[0, 0, 1], [0, -1, 0], [0, 0, 0]]", "??X?O????"),
    ("[[' ',' ','X'],[' ','O',' '],[' ',' ',' ']]", "??X?O????"),
    ('[[null, null, "X"], [null, "O", null], [null, null, null]]', "??X?O????"),
    ("  X O    ", "??X?O????"),
    (" | |X\n |O| \n | | ", "??X?O????"),
    (DRAWN, "??X?O????"),
    ("         ", "?????????"),
]


@pytest.mark.parametrize(("text", "position"), SPELLED)
def test_texts(text, position):
    game = load_game("tictactoe")
    assert game.format_position(read_position(game, text)) == position


@pytest.mark.parametrize(
    "board",
    [
        ["X", "O", "X", " ", "O", " ", " ", " ", " "],
        [["X", "O", "X"], [" ", "O", " "], [" ", " ", " "]],
        (("x", "o", "x"), ("", "o", ""), (None, None, None)),
        [1, -1, 1, 0, -1, 0, 0, 0, 0],
        np.array([[1, -1, 1], [0, -1, 0], [0, 0, 0]]),
        np.array([list("XOX"), list(" O "), list("   ")]),
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
        ([[1, 1, 1], [0, -1, 0], [0, 0, 0]], "3 X and 1 O"),
        ([[1, 1], [0, -1]], "rows of 2, 2, not 3 rows of 3"),
        ([[1, 2, -1], [0, 0, 0], [0, 0, 0]], "2 is not a mark"),
        ([[[["X"]]] * 3] * 3, "not a mark"),
        ("x,o,b,b,x,b,b,b", "8 cells"),
        ("1,2,X,4,O,6,7,8,9", "not a legal move"),
        ("array([['', '', 'X'], ['', 'O', ''], ['', '', '']])", "."),
        ((9,), "'9' is not"),
        ([[object()] * 3] * 3, "not a mark"),
        ([[True, False, False]] * 3, "not a mark"),
        (3, "text"),
        ("[" * 3000, "."),
        ("X," * 3000, "too long"),
    ],
)
def test_refusals(board, words):
    with pytest.raises(PositionError, match=words) as refused:
        read_position(load_game("tictactoe"), board)
    assert "\n" not in str(refused.value)


def test_moves_come_before_boards():
    game = load_game("mnk:rows=1,cols=3,k=3")
    assert game.format_position(read_position(game, [1, 0])) == "OX?"
    assert game.format_position(read_position(game, [1, 0, 0])) == "X??"
    assert game.format_position(read_position(game, "1,0,2")) == "OXX"
