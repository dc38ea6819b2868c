"""Numbers that count from 1: whatever is printed so is read so, in every family."""

from __future__ import annotations

import random

import pytest

import analysis
from analysis.audit import audit
from analysis.errors import OptionError, PositionError
from analysis.games.families import FAMILIES, load_game
from analysis.rules.counting import counting_from, said_path
from analysis.rules.notation import Notation, move_name
from analysis.rules.positions import how_read, read_position

SPECS = [
    *FAMILIES,
    "mnk:rows=2,cols=5,k=3",
    "mnk:rows=2,cols=2,k=2",
    "connect:rows=2,cols=10,k=4",
    "wild:rows=2,cols=2",
]
SPECS = [spec for spec in SPECS if spec != "kayles"]  # whose moves are called by numbers


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_printed_is_read(spec):
    """Backtrackers, the moves as they are said, and their names, from a random game of each family."""
    game, rng = load_game(spec), random.Random(spec)
    rules, notation = game.rules(), Notation(game)
    state, codes, said, own = rules.start, [], [], []
    for _ in range(12):
        moves = rules.moves(state)
        if not moves:
            break
        with counting_from(1):
            assert [notation.read(move_name(game, code), state) for code, _ in moves] == [code for code, _ in moves]
            assert [notation.read(notation.say(state, code), state) for code, _ in moves] == [code for code, _ in moves]
            path = said_path(codes, rules.largest_code)
            assert read_position(game, f"moves:{path}") == state
            if len(codes) > 1:
                assert read_position(game, f"moves:{' '.join(own)}") == state
                assert read_position(game, f"moves:{', '.join(said)}") == state
        assert read_position(game, f"from1:{path}") == state
        zero = said_path(codes, rules.largest_code)
        with counting_from(1):
            assert read_position(game, f"from0:{zero}") == read_position(game, f"moves:from0:{zero}") == state
        code, child = rng.choice(moves)
        with counting_from(1):
            said.append(notation.say(state, code))
            own.append(move_name(game, code))
        codes.append(code)
        state = child


@pytest.mark.parametrize(
    ("spec", "text", "position"),
    [
        ("connect", "from1:4453", "???????/???????/???????/???????/???O???/??OXX??"),
        ("connect", "from1: 4 4 5 3", "???????/???????/???????/???????/???O???/??OXX??"),
        ("connect", "FROM1:d, d,5,c", "???????/???????/???????/???????/???O???/??OXX??"),
        ("tictactoe", "from1:9", "????????X"),
        ("tictactoe", "from1:", "?????????"),
        ("wild", "from1:X5, o 1", "O???X????"),
        ("wild", "from1:10", "????O????"),
        ("mnk:rows=2,cols=5,k=3", "from1:1-10", "X????????O"),
        ("mnk:rows=2,cols=5,k=3", "09", "X????????O"),
    ],
)
def test_spellings(spec, text, position):
    game = load_game(spec)
    assert game.format_position(read_position(game, text)) == position


@pytest.mark.parametrize(
    ("spec", "text", "words"),
    [
        ("tictactoe", "from1:0", "no cell 0; they are numbered from 1 to 9"),
        ("connect", "from1:8", "no column 8; they are numbered from 1 to 7"),
        ("tictactoe", "from2:1", "write from0: or from1:"),
        ("kayles", "from1:3", "own names"),
        ("wild", "from1:X0", "write O or X"),
        ("tictactoe", "159", "from1:159"),
    ],
)
def test_refusals(spec, text, words):
    with pytest.raises(PositionError, match=words.replace(":", ".")) as refused:
        read_position(load_game(spec), text)
    assert "\n" not in str(refused.value)


def test_numbers_that_are_names_are_not_counted():
    with pytest.raises(OptionError, match="own names"):
        Notation(load_game("kayles")).refuse_counting()
    with counting_from(1):
        assert move_name(load_game("nim"), 0) == load_game("nim").format_move(0)


def test_a_solution_says_what_it_reads():
    solution = analysis.solve("tictactoe")
    with counting_from(1):
        paths = solution.optimal_paths("152")
        assert (paths[0], next(iter(paths)), paths.codes(paths[0])) == ("374689", "374689", [2, 6, 3, 5, 7, 8])
        every = b"".join(solution.optimal_paths().blocks()).split()
        assert all(move.name == str(move.move + 1) for move in solution["125"].moves)
    assert every == [bytes(code + 1 for code in path.encode()) for path in solution.optimal_paths()]
    assert solution[0, 1, 4].position == solution["from1:125"].position == "XO??X????"


@pytest.mark.parametrize("rows", [["1523748"], [[1, 5, 2, 3, 7, 4, 8]], ["from0:0412637"], ["1 5 2 3 7 4 8"]])
def test_records_are_counted_too(rows):
    with counting_from(1):
        found = audit("tictactoe", rows)
        mistakes = found.mistakes()
    wanted = audit("tictactoe", ["0412637"]).mistakes()
    assert [row["code"] - 1 for row in mistakes] == [row["code"] for row in wanted]
    assert [[code - 1 for code in row["best_moves"]] for row in mistakes] == [row["best_moves"] for row in wanted]
    assert audit("tictactoe", ["from1:1523748"]).mistakes() == wanted


def test_choices_are_counted_too():
    with counting_from(1):
        found = audit("tictactoe", [{"position": "1", "move": "2"}, {"position": "X????????", "code": 2}])
    assert found.tally.all.mistakes == 2


@pytest.mark.parametrize(
    ("spec", "text", "words"),
    [
        ("connect", "4453", ("columns 4 4 5 3", "from 0", "from1:4453")),
        ("tictactoe", "0 4", ("cells 0 4", "from1:0 4")),
        ("tictactoe", "001020000", ("board", "??X?O????", "moves:001020000")),
        ("connect:rows=3,cols=3,k=4", "001122012", ("columns 0 0 1", "from 0")),
        ("mnk:rows=1,cols=2,k=2", "10", ("cells 1 0", "board:10", "X?")),
        ("kayles", "3", ("move 3",)),
    ],
)
def test_plain_digits_are_explained(spec, text, words):
    said = how_read(load_game(spec), text)
    assert said is not None
    assert all(word in said for word in words), said


@pytest.mark.parametrize("text", ["a1 b1", "XO???????", "x,o,b,b,b,b,b,b,b", "12345XO89", "board:001020000"])
def test_what_is_plain_is_not_explained(text):
    assert how_read(load_game("tictactoe"), text) is None
