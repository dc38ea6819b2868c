"""Moves as they are typed and said in every game, words of command beside them, and the pictures of every game."""

import contextlib
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import PositionError
from analysis.games.families import FAMILIES, load_game
from analysis.playing.conversation import WORDS
from analysis.rules.notation import Notation
from analysis.rules.picture import WIDEST, board, column_name, picture
from tests.support.own_game import free_cells, own_game

GAMES = {
    "tictactoe": [],
    "mnk": ["mnk:rows=2,cols=5,k=3"],
    "wild": ["wild:rows=2,cols=3,k=2"],
    "notakto": ["notakto:rows=2,cols=4,k=3"],
    "connect": ["connect:rows=2,cols=3,k=2", "connect:rows=2,cols=13,k=4"],
    "hex": ["hex:n=4"],
    "domineering": ["domineering:rows=2,cols=5,first=H"],
    "chomp": ["chomp:rows=2,cols=9"],
    "nim": ["nim:heaps=3-1-3-1,take=1-3"],
    "kayles": ["kayles:pins=31"],
    "grundy": ["grundy:heap=29"],
    "dots_and_boxes": ["dots_and_boxes:rows=1,cols=2"],
    "othello": ["othello:size=6"],
    "hexapawn": ["hexapawn:rows=4,cols=5"],
    "dodgem": ["dodgem:n=4"],
    "morris": ["morris:variant=achi", "morris:variant=nine_holes"],
    "coin_grabber": ["coin_grabber:first=C"],
}
SPECS = [spec for name, more in GAMES.items() for spec in (name, *more)]
SPECS.append(pytest.param("mnk:rows=1,cols=31,k=5", marks=pytest.mark.slow))  # two letters for a column

OWN = own_game(
    "Count",
    fields="most: int = 12",
    setup="most = self.most",
    max_moves="3",
    legal_moves="out[0], out[1], out[2] = 0, 1, 2\nreturn 3",
    play="min(state // 2 + move + 1, most) * 2 + (1 - state % 2)",
    outcome="ONGOING if state // 2 < most else -to_move(state)",
    to_move="1 - 2 * (state % 2)",
    largest_code="2",
    tier="state // 2",
)
OWN += """
@dataclass(frozen=True)
class Lettered(Count):
    def format_move(self, move):
        return "uhq"[move]

    def parse_move(self, text):
        return "uhq".index(text)
"""


BOARDS = own_game(
    "Marks(Game)",
    more="""
def grid(self, state):
    marks = ["X" if state >> c & 1 else "O" if state >> c + 9 & 1 else " " for c in range(9)]
    return [marks[:3], marks[3:6], marks[6:]]
""",
    max_moves="9",
    legal_moves=free_cells(9, "(state | state >> 9) >> i & 1"),
    play="state | 1 << (move + 9 * (popcount(state) & 1))",
    outcome="0 if popcount(state) == 9 else ONGOING",
    to_move="1 - 2 * (popcount(state) & 1)",
    largest_code="8",
)
"""Nine cells are filled in turn."""
BOARDS += """
@dataclass(frozen=True)
class Pad(Marks):
    def format_move(self, move):
        return "789456123"[move]
    def parse_move(self, text):
        return "789456123".index(text)

@dataclass(frozen=True)
class Chess(Marks):
    def format_move(self, move):
        return "abc"[move % 3] + str(3 - move // 3)
    def parse_move(self, text):
        return "abc".index(text[0]) + 9 - 3 * int(text[1:])

@dataclass(frozen=True)
class Squares(Chess):
    rows_from_bottom = True

"""
BOARDS += own_game(
    "Codes(Game)",
    setup="steps = (-3, 3, -1, 1)",
    more="""
def grid(self, state):
    return [["K" if state % 9 == 3 * row + col else " " for col in range(3)] for row in range(3)]
""",
    start="4",
    max_moves="4",
    legal_moves="""
cell, count = state % 9, 0
for move in range(4):
    there = cell + steps[move]
    if 0 <= there < 9 and (move < 2 or there // 3 == cell // 3):
        out[count] = move
        count += 1
return count
""",
    play="state + 9 + steps[move]",
    outcome="ONGOING if state // 9 < 6 else 1 if state % 9 == 8 else -1",
    to_move="1 - 2 * (state // 9 % 2)",
    largest_code="3",
)
"""A piece walks up, down, left or right for six plies."""
BOARDS += """
from analysis.errors import PositionError

@dataclass(frozen=True)
class Walk(Codes):
    def format_move(self, move):
        return "UDLR"[move]
    def parse_move(self, text):
        if text not in ("U", "D", "L", "R"):
            raise PositionError(f"{text} is no direction")
        return "UDLR".index(text)

@dataclass(frozen=True)
class Strict(Codes):
    def format_move(self, move):
        return ("UP", "Up", "Q", "Give up")[move]
    def parse_move(self, text):
        return ("UP", "Up", "Q", "Give up").index(text)
"""
OWN_BOARDS = ["Marks", "Pad", "Chess", "Squares", "Codes", "Walk", "Strict"]


def states(spec: str, games: int = 2, plies: int = 25):
    """The game, and states of random play."""
    game = load_game(spec)
    rules, rng = game.rules(), random.Random(spec)
    for _ in range(games):
        state = rules.start
        for _ in range(plies):
            moves = rules.moves(state)
            if not moves:
                break
            yield game, state
            state = rng.choice(moves)[1]


def test_every_family_is_here():
    assert set(GAMES) == set(FAMILIES)


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_said_can_be_typed(spec):
    """Names are unique, mean their move in any case, and no word is among them."""
    notation = Notation(load_game(spec))
    for game, state in states(spec):
        legal = [code for code, _ in game.rules().moves(state)]
        said = [notation.say(state, code) for code in legal]
        assert len(set(said)) == len(said)
        for code, name in zip(legal, said, strict=True):
            assert name.lower() not in WORDS
            assert {notation.read(text, state) for text in (name, name.upper(), name.lower(), f"  {name} ")} == {code}


@pytest.mark.parametrize("spec", SPECS)
def test_coordinates_mean_the_cell_they_name(spec):
    """A coordinate is a letter from the left and a number from the top, or from the bottom where squares of the game's
    own count so; it is refused where no move or several have that cell.
    """
    notation = Notation(load_game(spec))
    for game, state in states(spec, games=2):
        grid = game.grid(state)
        codes = [code for code, _ in game.rules().moves(state)]
        by_cell = {}
        for code in codes:
            by_cell.setdefault(game.cell_of(state, code), []).append(code)
        if set(by_cell) == {None}:
            continue
        rows, cols = len(grid), len(grid[0])
        for row in range(rows):
            for col in range(cols):
                line = rows - row if game.rows_from_bottom else row + 1
                name = ("" if col < 26 else "a") + chr(ord("a") + col % 26) + str(line)
                found = by_cell.get(row * cols + col, [])
                if len(found) == 1:
                    assert notation.read(name, state) == found[0]
                    assert notation.read(name.upper(), state) == found[0]
                else:
                    with pytest.raises(PositionError, match=name):
                        notation.read(name, state)
        for wrong in ("zz1", "a0", f"a{rows + 1}", f"{column_name(cols)}1"):
            with pytest.raises(PositionError):
                notation.read(wrong, state)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec != "wild" and "kayles" not in str(spec)])
def test_numbers_are_codes(spec):
    notation = Notation(load_game(spec))
    for game, state in states(spec):
        legal = dict(game.rules().moves(state))
        for number in range(0, 260, 1 + len(legal) // 12):
            if number in legal:
                assert notation.read(str(number), state) == number
            else:
                with pytest.raises(PositionError):
                    notation.read(str(number), state)


def test_kayles_numbers_its_pins_from_1():
    notation = Notation(load_game("kayles"))
    start = notation.rules.start
    assert [notation.read(text, start) for text in ("1", "2", "1+2")] == [0, 2, 1]
    assert (notation.legal_code(4, start), notation.own_numbers) == (4, True)
    with pytest.raises(PositionError):
        notation.read("0", start)


def test_wild_has_a_mark_and_a_cell():
    notation = Notation(load_game("wild"))
    assert [notation.read(text, 0) for text in ("X b2", "Xb2", "xB2", "X4", "x 4", "O4", "o c3")] == [
        8, 8, 8, 8, 8, 9, 17,
    ]  # fmt: skip
    assert notation.say(0, 9) == "O b2"
    assert notation.read_anywhere("O4") == 9
    with pytest.raises(PositionError, match="b2 could be X b2 or O b2; write one of these"):
        notation.read("b2", 0)
    for text in ("99", "X", "X9", "Xd1"):
        with pytest.raises(PositionError, match="is not a legal move; legal moves are X a1, O a1, "):
            notation.read(text, 0)
    with pytest.raises(PositionError, match="'Ob2' is not a legal move"):
        notation.read("Ob2", notation.game.rules().play(0, 8))


@pytest.mark.parametrize(
    ("spec", "position", "text", "legal"),
    [
        ("tictactoe", "????X????", "B2", "a1, b1, c1"),
        ("tictactoe", "?????????", "9" * 5000, "a1, b1"),
        ("tictactoe", "?????????", "", "a1, b1"),
        ("connect", "/".join(["???????"] * 6), "d1", "a6, b6"),
        ("connect:rows=2,cols=3,k=3", "O??/X??", "a", "b2, c2"),
        ("nim", "0-4-5 O", "1:1", "2:1, 2:2"),
    ],
)
def test_reasons(spec, position, text, legal):
    game = load_game(spec)
    with pytest.raises(PositionError) as refused:
        Notation(game).read(text, game.parse_position(position))
    assert f"is not a legal move; legal moves are {legal}" in str(refused.value)
    assert "\n" not in str(refused.value)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=80), st.sampled_from(sorted(GAMES)))
def test_no_text_is_too_strange(text, spec):
    game = load_game(spec)
    notation, state = Notation(game), game.rules().start
    with contextlib.suppress(PositionError):
        assert notation.read(text, state) in dict(game.rules().moves(state))


@pytest.fixture
def own(tmp_path):
    """A game of `BOARDS` by its name."""
    (tmp_path / "boards.py").write_text(BOARDS)
    return lambda name: load_game(f"{tmp_path}/boards.py:{name}")


@pytest.mark.parametrize("name", OWN_BOARDS)
def test_what_is_said_of_own_games_can_be_typed(own, name):
    notation = Notation(own(name))
    for game, state in states(notation.game.spec):
        legal = [code for code, _ in game.rules().moves(state)]
        said = [notation.say(state, code) for code in legal]
        assert len(set(said)) == len(said)
        assert not {text.lower() for text in said} & WORDS.keys()
        assert [notation.read(text, state) for text in said] == legal
        for cell, number in notation.numbers(state).items():
            assert game.cell_of(state, notation.read(number, state)) == cell
        ways = notation.example(state).removeprefix("such as ").split(" (")[0]
        for text in re.split(", | or ", ways):
            assert notation.read(text, state) == legal[len(legal) // 2]


@pytest.mark.parametrize("name", ["Pad", "Chess", "Squares", "Walk"])
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
    ("name", "moves", "text"),
    [
        ("Chess", ["a1"], "a1"), ("Chess", ["a1"], "6"), ("Chess", [], "d4"), ("Pad", ["7"], "7"), ("Pad", [], "0"),
        ("Walk", ["u"], "u"), ("Codes", [], "4"),
        ("Strict", [], "up"),
    ],
)  # fmt: skip
def test_reasons_in_own_games(own, name, moves, text):
    notation = Notation(own(name))
    state = notation.rules.start
    for move in moves:
        state = notation.rules.play(state, notation.read(move, state))
    with pytest.raises(PositionError, match=r"legal|up could be UP or Up; write one of these"):
        notation.read(text, state)


def test_a_coordinate_that_is_also_a_mark_and_a_number():
    """With 15 columns o1 is a cell, and the mark O in cell 1; with 24 so is x1."""
    notation = Notation(load_game("wild:rows=1,cols=24,k=3"))
    for text, both in {"o1": "O b1, X o1 or O o1", "X1": "X b1, X x1 or O x1"}.items():
        with pytest.raises(PositionError, match=f"{text} could be {both}; write one of these"):
            notation.read(text, 0)
    assert [notation.read(text, 0) for text in ("O a1", "Oo1", "X o1", "o2", "Xx1")] == [1, 29, 28, 5, 46]
    assert Notation(load_game("wild:rows=2,cols=14,k=3")).read("o1", 0) == 3


# Pictures -------------------------------------------------------------------------------------------------------------


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
