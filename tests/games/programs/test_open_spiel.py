"""Games of OpenSpiel: the same numbers as elsewhere, its own texts, and refusals of one line."""

import random
import sys

import pyspiel
import pytest

import analysis
from analysis.errors import SpecError, TooLargeError
from analysis.games.programs import open_spiel
from analysis.games.programs.open_spiel import list_open_spiel, tight

KNOWN = {
    "tic_tac_toe": (5_478, 255_168, 0),
    "nim": (752, 212_100_984, -1),
    "dots_and_boxes:utility_margin=true": (5_547, 479_001_600, 2),
}
LARGE = {
    "hex:board_size=3": (5_514, 257_760, 1),
    "clobber(rows=3,columns=4)": (13_343, 290_192, -1),
    "misere(game=tic_tac_toe())": (5_478, 255_168, 0),
    "connect_four(rows=4,columns=4)": (161_029, 47_982_540, 0),
    "mnk(m=4,n=3,k=3)": (111_973, 151_188_768, 1),
    "breakthrough:rows=5,columns=3": (51_608, 21_602_563_548, 1),
}
"""Positions, games and value."""


def numbers(solution):
    return solution.position_count, solution.statistics()["games"], solution.value


@pytest.mark.parametrize(("spec", "known"), KNOWN.items(), ids=KNOWN)
def test_numbers(spec, known):
    assert numbers(analysis.solve(f"open_spiel:{spec}")) == known


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "known"), LARGE.items(), ids=LARGE)
def test_numbers_of_larger_games(spec, known):
    assert numbers(analysis.solve(f"open_spiel:{spec}")) == known


def games_below(state):
    if state.is_terminal():
        return 1
    return sum(games_below(state.child(action)) for action in state.legal_actions())


def value_of(state):
    if state.is_terminal():
        return state.returns()[0]
    choose = max if state.current_player() == 0 else min
    return choose(value_of(state.child(action)) for action in state.legal_actions())


@pytest.mark.parametrize(
    "spec", ["gomoku(size=2,connect=2)", "breakthrough(rows=4,columns=2)", "dots_and_boxes(num_rows=1,num_cols=2)"]
)
def test_games_and_values_are_those_of_the_tree(spec):
    start = pyspiel.load_game(spec).new_initial_state()
    solution = analysis.solve(f"open_spiel:{spec}")
    assert numbers(solution)[1:] == (games_below(start), value_of(start))


def test_boards_that_do_not_tell_all_are_refused_and_not_solved_wrongly(monkeypatch):
    """In Oware, positions must not come again."""
    monkeypatch.setattr(open_spiel, "BY_BOARD", ("oware",))
    with pytest.raises(analysis.GametreeError, match="the position"):
        analysis.solve("open_spiel:oware(num_houses_per_player=3,num_seeds_per_house=1)")


def test_positions_and_moves_have_its_own_texts():
    game = analysis.load_game("open_spiel:tic_tac_toe")
    solution = analysis.solve(game)
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (4, 0, 8):
        state.apply_action(action)
    place = solution[str(state)]
    assert place.position == "o../.x./..x"
    assert place == solution["x(1:1) o(0:0) x(2:2)"] == solution["o../.x./..x"]
    assert [move.name for move in place.moves if move.optimal] == ["o(0:2)", "o(2:0)"]
    assert game.parse_move("x(0,0)") == game.parse_move("x(0:0)") == 0
    assert game.format_move(1) == "o(0:0)"
    nim = analysis.load_game("open_spiel:nim:pile_sizes=1;2")
    assert nim.format_move(nim.parse_move("pile:2, take:1;")) == "pile:2:take:1"


@pytest.mark.parametrize("name", open_spiel.BY_BOARD)
def test_boards_on_one_line_are_never_two_positions(name):
    game, generator, written = pyspiel.load_game(name), random.Random(1), {}
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
            plain = open_spiel.COLOURS.sub("", str(state))
            assert written.setdefault(tight(plain), plain) == plain


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("open_spiel", "open_spiel:connect_four"),
        ("open_spiel:tic_tac_to", "did you mean 'tic_tac_toe'"),
        ("open_spiel:kuhn_poker", "nothing hidden"),
        ("open_spiel:connect_four:cols=3", "columns=7"),
        ("open_spiel:hex:board_size=0", "no moves"),
        ("open_spiel:chess", "boards have to tell all"),
        ("open_spiel:misere(game=oware())", "boards have to tell all"),
        ("open_spiel:hex:limit=many", "not a number"),
    ],
)
def test_refused_specifications(spec, words, capfd):
    with pytest.raises(SpecError) as refused:
        analysis.load_game(spec)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr().err == ""


def test_games_that_are_too_large_are_refused():
    with pytest.raises(TooLargeError, match="limit"):
        analysis.solve("open_spiel:tic_tac_toe:limit=1000")


def test_the_list_has_those_that_can_be_solved(gametree):
    assert {row["name"] for row in list_open_spiel()} == {f"open_spiel:{name}" for name in open_spiel.BY_BOARD}
    listed = gametree("games", "--format", "csv").out
    assert "\nopen_spiel:hex," in listed
    assert "backgammon" not in listed


def test_a_missing_package_is_one_line(monkeypatch, gametree):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    refused = gametree("solve", "open_spiel:hex")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "pip install 'gametree[openspiel]'" in refused.err
    assert gametree("games", "--format", "json").json == analysis.list_games()
