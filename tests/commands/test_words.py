"""Words of command beside moves, and the pictures of every game."""

from __future__ import annotations

import contextlib
import re

import pytest

from analysis.errors import OptionError, PositionError
from analysis.games.families import load_game
from analysis.playing.conversation import FORMS, TypedWords
from analysis.playing.dialogue import Session, help_text
from analysis.rules.notation import Notation
from analysis.rules.picture import WIDEST, board, column_name, picture
from tests.playing.test_notation import BOARDS, OWN, OWN_BOARDS, SPECS, states

# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("tictactoe", set()),
        ("coin_grabber", {"u", "r"}),
        ("connect", {"b"}),
        ("connect:rows=2,cols=21,k=4", {"b", "h", "m", "q", "r", "u"}),
        ("nim", set()),
        ("mnk:rows=1,cols=31,k=5", set()),
    ],
)
def test_words_that_are_moves(spec, moves):
    words = TypedWords(Notation(load_game(spec)).knows)
    assert words.moves == moves
    for meaning, forms in FORMS.items():
        assert words.find(words.shortest(meaning)) == meaning
        for form in forms:
            assert words.find(form) == (None if form in moves else meaning)
            assert words.find(f": {form.upper()}") == words.find(f":{form}") == meaning
    with pytest.raises(OptionError, match="':x' means nothing; there are :r, :u"):
        words.find(":x")


def test_games_of_ones_own(tmp_path):
    """Codes are the numbers to type where no board has cells for them, and moves win over words."""
    path = tmp_path / "own.py"
    path.write_text(OWN)
    notation = Notation(load_game(f"{path}:Count"))
    assert [notation.read(text, 0) for text in "012"] == [0, 1, 2]
    assert notation.say(0, 2) == "2"
    assert TypedWords(notation.knows).moves == set()
    with pytest.raises(PositionError, match="3 is not legal here; legal are 0, 1, 2"):
        notation.read("3", 0)
    with pytest.raises(PositionError, match="'x' is no move; write its number"):
        notation.read("x", 0)
    lettered = Notation(load_game(f"{path}:Lettered"))
    assert [lettered.read(text, 0) for text in "uhq"] == [0, 1, 2]
    words = TypedWords(lettered.knows)
    assert words.moves == {"u", "h", "q"}
    assert (words.find(":q"), words.find("quit"), words.shortest("take back")) == ("quit", "quit", "undo")


@pytest.fixture
def own(tmp_path):
    """A game of `BOARDS` by its name."""
    (tmp_path / "boards.py").write_text(BOARDS)
    return lambda name: load_game(f"{tmp_path}/boards.py:{name}")


@pytest.mark.parametrize("name", OWN_BOARDS)
def test_what_is_said_of_own_games_can_be_typed(own, name):
    """As it is said, wherever it is said; and words with a colon are always words."""
    notation = Notation(own(name))
    words = TypedWords(notation.knows)
    for game, state in states(notation.game.spec):
        legal = [code for code, _ in game.rules().moves(state)]
        said = [notation.say(state, code) for code in legal]
        assert len(set(said)) == len(said)
        assert [words.find(text) for text in said] == [None] * len(said)
        assert [notation.read(text, state) for text in said] == legal
        for cell, number in notation.numbers(state).items():
            assert game.cell_of(state, notation.read(number, state)) == cell
        ways = notation.example(state).removeprefix("such as ").split(" (")[0]
        for text in re.split(", | or ", ways):
            assert notation.read(text, state) == legal[len(legal) // 2]
    for meaning, forms in FORMS.items():
        assert {words.find(f":{form}") for form in forms} == {meaning}


@pytest.mark.parametrize("name", ["Pad", "Chess", "Squares", "Late", "Grows", "Walk"])
def test_a_name_means_its_own_move_or_none(own, name):
    """Also where that move is not legal, and another one leads to the cell of that coordinate or number."""
    notation = Notation(own(name))
    for game, state in states(notation.game.spec, games=4):
        legal = dict(game.rules().moves(state))
        for code in range(game.rules().largest_code + 1):
            text = game.format_move(code)
            for typed in (text, text.upper(), text.lower(), " ".join(text), f"0{text}" if text.isdecimal() else text):
                with contextlib.suppress(PositionError):
                    assert notation.read(typed, state) == code
                    assert code in legal


@pytest.mark.parametrize(
    ("name", "moves", "text", "reason"),
    [
        ("Chess", ["a1"], "a1", "a1 is taken by X"),
        ("Chess", ["a1"], "A 1", "a1 is taken by X"),
        ("Chess", ["a1"], "6", "cell 6 is taken by X"),
        ("Chess", [], "d4", "'d4' is no move"),
        ("Squares", ["a1"], "a1", "a1 is taken by X"),
        ("Pad", ["7"], "7", "7 is taken by X"),
        ("Pad", ["7"], "07", "7 is taken by X"),
        ("Pad", [], "0", "'0' is no move"),
        ("Late", [], "a1", "'a1' is no move; legal are 7, 8, 9"),
        ("Late", ["7"], "a1", "a1 is taken by X"),
        ("LateCodes", [], "9", "there is no cell 9; they are numbered from 0 to 8"),
        ("LateCodes", [], "x", "'x' is no move; write a number from 0 to 8"),
        ("LateCodes", ["0"], "0", "a1 is taken by X"),
        ("Grows", ["7"], "a4", "no move leads to a4"),
        ("Grows", ["7"], "a5", "there is no row 5; rows are 1 to 4"),
        ("Walk", ["u"], "u", "U is not legal here"),
        ("Strict", [], "up", "up could be UP or Up; write which of them"),
        ("Strict", ["UP"], "UP", "UP is not legal here"),
        ("Codes", ["1"], "1", "1 is not legal here"),
        ("Codes", [], "4", "there is no move 4; they are numbered from 0 to 3"),
    ],
)
def test_reasons_in_own_games(own, name, moves, text, reason):
    notation = Notation(own(name))
    state = notation.rules.start
    for move in moves:
        state = notation.rules.play(state, notation.read(move, state))
    with pytest.raises(PositionError) as refused:
        notation.read(text, state)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_board_that_appears_later(own):
    """What is typed and said means the same before and after; the coordinates are those of the board at hand."""
    late, codes, grows = (Notation(own(name)) for name in ("Late", "LateCodes", "Grows"))
    assert [notation.pointing for notation in (late, codes, grows)] == [True] * 3
    assert codes.say(0, 8) == "8"
    assert codes.read("8", 0) == codes.read("8", 1) == codes.read("c3", 1) == 8
    assert codes.say(1, 8) == "c3"
    assert late.read("3", 0) == late.read("3", 1) == late.read("c3", 1) == 8
    assert grows.game.cell_of(0, 8) is None
    assert grows.game.cell_of(1, 8) == grows.read("c3", 1) == 8


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Marks", "from the top down. Cells are numbered row by row from 0."),
        ("Squares", "from the bottom up. Cells are numbered row by row from 0."),
        ("Codes", "A number is a move's code; --numbered shows those that are in cells."),
        ("Chess", "Squares are typed as the game names them, not by the letters and numbers at the edge of the board."),
        ("Pad", "from the top down. Numbers are the game's own names of moves; --numbered shows them."),
    ],
)
def test_help_says_what_numbers_are(own, name, words):
    notation = Notation(own(name))
    text = help_text(notation, TypedWords(notation.knows), Session(notation.game))
    assert words in " ".join(text.split())


def test_a_coordinate_that_is_also_a_mark_and_a_number():
    """With 15 columns o1 is a cell, and the mark O in cell 1; with 24 so is x1."""
    notation = Notation(load_game("wild:rows=1,cols=24,k=3"))
    for text, both in {"o1": "O b1, O o1 or X o1", "X1": "X b1, O x1 or X x1"}.items():
        with pytest.raises(PositionError, match=f"{text} could be {both}; write which of them"):
            notation.read(text, 0)
    assert [notation.read(text, 0) for text in ("O a1", "Oo1", "X o1", "o2", "Xx1")] == [1, 29, 28, 5, 46]
    assert Notation(load_game("wild:rows=2,cols=14,k=3")).read("o1", 0) == 3


def test_a_move_with_a_colon():
    words = TypedWords([":1", ":q"].__contains__)
    assert (words.find(":1"), words.find(":q"), words.find(":quit")) == (None, "quit", "quit")
    with pytest.raises(OptionError, match="':2' means nothing"):
        words.find(":2")


# Pictures -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["tictactoe", "connect", "chomp", "domineering", "hexapawn", "wild", "othello", "morris", "coin_grabber", "dodgem"],
)
def test_numbers_on_the_board_mean_the_move(spec):
    """What `--numbered` shows can be typed, and hides nothing."""
    notation = Notation(load_game(spec))
    for game, state in states(spec, games=2):
        marks = [mark for row in game.grid(state) for mark in row]
        cells = [game.cell_of(state, code) for code, _ in game.rules().moves(state)]
        alone = [cell for cell in cells if cell is not None and (spec == "wild" or cells.count(cell) == 1)]
        free = [cell for cell in alone if spec == "chomp" or not marks[cell].strip()]
        shown = notation.numbers(state)
        assert set(shown) == set(free)
        for cell, number in shown.items():
            code = notation.read(f"X{number}" if spec == "wild" else number, state)
            assert game.cell_of(state, code) == cell


def test_boards():
    game = load_game("hexapawn")
    assert picture(game, game.rules().start) == (
        "   a   b   c\n3  O | O | O\n  ---+---+---\n2    |   |\n  ---+---+---\n1  X | X | X"
    )
    assert board([["10", " "], ["5", "H"]]) == "    a    b\n1  10 |\n  ----+----\n2   5 |  H"
    assert max(map(len, board([["X"] * 31] * 12).splitlines())) <= 79
    assert column_name(27) == "ab"


@pytest.mark.parametrize("spec", SPECS)
def test_pictures_fit_the_screen(spec):
    for game, state in states(spec, games=1):
        drawn = picture(game, state).splitlines()
        assert drawn
        assert max(map(len, drawn)) <= WIDEST == 79


def test_names_of_moves_in_lists():
    names = Notation(load_game("tictactoe"))
    assert names.say_all(0, [3]) == "a2"
    assert names.say_all(0, [0, 1, 2]) == "a1, b1 or c1"
    assert names.example(0) == "such as b2 or 4 (the same move)"
