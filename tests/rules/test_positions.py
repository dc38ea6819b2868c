"""Positions in every spelling: as the game writes them, and as the moves so far."""

from __future__ import annotations

import random

import pytest

from analysis.errors import PositionError
from analysis.games.families import FAMILIES, load_game
from analysis.rules.notation import Notation
from analysis.rules.positions import how_read, read_either_side, read_position
from analysis.solution.paths import path_text

SPECS = [*FAMILIES, "connect:rows=2,cols=13,k=4", "morris:variant=achi", "nim:heaps=3-1-3-1"]


@pytest.mark.parametrize("spec", SPECS)
def test_every_spelling_is_the_same_position(spec):
    """A position as the game writes it, and its moves as codes, as they are said, and in the game's own notation."""
    game, rng = load_game(spec), random.Random(spec)
    rules, notation = game.rules(), Notation(game)
    for _ in range(2):
        state, codes, said, own = rules.start, [], [], []
        for _ in range(12):
            moves = rules.moves(state)
            if not moves:
                break
            assert read_position(game, game.format_position(state)) == state
            backtracker = path_text(codes, rules.largest_code > 9)
            assert read_position(game, f"moves:{backtracker}") == state
            if len(codes) > 1:  # one number alone is a code, and several may be names
                assert read_position(game, f"Moves: {', '.join(said)}") == state
                assert read_position(game, "moves:" + " ".join(said)) == state
                assert read_position(game, "moves:" + ", ".join(own)) == state
            if codes and spec.partition(":")[0] not in ("grundy", "nim", "kayles"):  # whose heaps look so
                assert read_position(game, backtracker) == state
            code, child = rng.choice(moves)
            said.append(notation.say(state, code))
            own.append(game.format_move(code))
            codes.append(code)
            state = child


@pytest.mark.parametrize(
    ("spec", "text", "position"),
    [
        ("tictactoe", "0124", "XOX?O????"),
        ("tictactoe", "0-1-2-4", "XOX?O????"),
        ("tictactoe", "a1 b1 c1 b2", "XOX?O????"),
        ("tictactoe", " A1,b1 , c1,B2", "XOX?O????"),
        ("tictactoe", "a1b1c1b2", "XOX?O????"),
        ("tictactoe", "moves:", "?????????"),
        ("tictactoe", "MOVES: 0 b1 2 4", "XOX?O????"),
        ("mnk:rows=4,cols=4,k=4", "0-11-5", "X????X?????O????"),
        ("connect:rows=2,cols=3,k=2", "ab", "???/XO?"),
        ("connect:rows=2,cols=3,k=2", "01", "???/XO?"),
        ("wild", "X 4, O 0", "O???X????"),
        ("kayles:pins=5", "moves:4-6", "2-1 X"),  # codes; as the name of a pin 4 is another move
        ("kayles:pins=5", "moves:4", "2-2 O"),
        ("othello", "moves:1 0 11 2 4 13 8 12 16", None),  # 16 passes
        ("kayles:pins=5", "moves: 4,", "2-2 O"),
        ("hexapawn", "a1-a2", "OOO/X??/?XX O"),
        ("dots_and_boxes:rows=1,cols=2", "b1-c1 a1-b1", "__/.../.. +0 X"),
        ("notakto", "01", "XX???????"),
    ],
)
def test_spellings(spec, text, position):
    game = load_game(spec)
    assert position in (None, game.format_position(read_position(game, text)))


NUMBERS = """from dataclasses import dataclass
from analysis import ONGOING, Rules
@dataclass(frozen=True)
class Count:
    def rules(self):
        def legal_moves(state, out):
            out[0], out[1] = 0, 1
            return 2
        def play(state, move):
            return 2 * state + 1 + move
        def outcome(state):
            return 1 if state >= 7 else ONGOING
        def to_move(state):
            return 1
        return Rules(0, 2, legal_moves, play, outcome, to_move, largest_code=1)
"""


def test_what_could_be_both_is_what_the_game_writes(tmp_path):
    """Positions that are numbers; moves begin with 0, as these never do, or are told apart by their prefix."""
    (tmp_path / "count.py").write_text(NUMBERS)
    game = load_game(f"{tmp_path}/count.py:Count")
    texts = ("1", "01", "moves:01", "0-1", "0 1", "moves:1")
    assert [read_position(game, text) for text in texts] == [1, 4, 4, 4, 4, 2]
    assert how_read(game, "1") == "position 1; moves:1 would be moves"


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("tictactoe", "9", "move 1 of '9': there is no cell 9; they are numbered from 0 to 8"),
        ("tictactoe", "00", "move 2 of '00': a1 is taken by X"),
        ("tictactoe", "0123456780", "move 8 of '0123456780': the game is over before it, in XOXOXOX??"),
        ("tictactoe", "a1 b9", "move 2 of 'a1 b9': there is no row 9; rows are 1 to 3"),
        ("tictactoe", "XX", "position 'XX' has 2 cells"),
        ("tictactoe", "X?O??????X", "position 'X?O??????X' has 10 cells"),
        ("tictactoe", "moves:X????????", "move 1 of 'X????????'"),
        ("tictactoe", "", "position '' has 0 cells"),
        ("tictactoe", "X" * 5000, "a position of 5,000 characters"),
        ("connect", "dddddddd", "move 7 of 'dddddddd': column d is full"),
        ("othello:size=6", "????/", "position '????/': write 6 rows of 6 marks"),
        ("nim", "3-4-5", "does not end in X or O"),  # a position that lacks the side to move, and no backtracker
        ("nim", "0-0-0", "does not end in X or O"),
        ("kayles:pins=5", "3-1", "does not end in X or O"),
        ("mnk:rows=4,cols=4,k=4", "0 17", "move 2 of '0 17': there is no cell 17"),
        ("mnk:rows=4,cols=4,k=4", "a1,17", "there is no cell 17"),
        ("coin_grabber", "0 10 5 25 / 5", "position '0 10 5 25 / 5'"),
        ("hexapawn", "a1-a3", "move 1 of 'a1-a3': "),
    ],
)
def test_reasons(spec, text, reason):
    with pytest.raises(PositionError) as refused:
        read_position(load_game(spec), text)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_positions_of_either_side():
    """What turns exclude is a board too; moves are made by turns."""
    game = load_game("tictactoe")
    assert read_either_side(game, "XX???????") == 3
    assert read_either_side(game, "01") == read_either_side(game, "a1 b1") == read_position(game, "XO???????")
    with pytest.raises(PositionError, match="there is no cell 9"):
        read_either_side(game, "09")
