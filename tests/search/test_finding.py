"""What searches to the end prove of a position, and what is found of one or of many, beside the solved game."""

import itertools
import json
import random

import pytest

import analysis
from analysis.errors import OptionError, PositionError
from analysis.rules.game import ONGOING
from analysis.search import find_positions, finding, proving
from analysis.search.finding import find_position, search_position
from tests.support.class_graph import every_position
from tests.support.program import PATIENCE

FAST = ("tictactoe", "dots_and_boxes:rows=1,cols=2", "mnk:3,4,3", "hexapawn")
VALUED = (*FAST[:2], "connect:rows=4,cols=4", "othello")
"""Games whose positions have no distances that searches tell: ties, and values between the least and the greatest."""

FAR = (
    *FAST[2:], "wild:rows=2,cols=3,k=2", "domineering", "nim:heaps=3-2-2,misere=true", "connect:rows=4,cols=5,k=3",
    "mnk:3,4,3,misere=true", "hex:3", "chomp:rows=3,cols=4",
)  # fmt: skip


def open_states(solution, many: int) -> list[int]:
    rng, rules, found = random.Random(solution.game.spec), solution.game.rules(), [solution.game.rules().start]
    while len(found) < many:
        state, left = rules.start, rng.randrange(1, 8)
        for _ in range(left):
            moves = rules.moves(state)
            state = rng.choice(moves)[1] if moves else state
        found += [state] if rules.payoff(state) == ONGOING else []
    return found


@pytest.mark.parametrize(
    "spec", [spec if spec in FAST else pytest.param(spec, marks=pytest.mark.slow) for spec in (*VALUED, *FAR)]
)
def test_proofs_are_what_solving_finds(spec):
    """Values and distances of a position and of every move."""
    solution = analysis.solve(spec)
    for state in open_states(solution, 6):
        found, wanted = search_position(solution.game, state, 60), solution.at(state)
        assert (found.exact, found.value) == (True, wanted.value)
        assert {move.move: (move.value, move.optimal) for move in found.moves} == {
            move.move: (move.value, move.optimal) for move in wanted.moves
        }
        if spec in FAR:
            assert found.remoteness_plies == wanted.remoteness_plies
            assert [(move.move, move.remoteness_plies) for move in found.moves] == [
                (move.move, move.remoteness_plies) for move in wanted.moves
            ]


@pytest.mark.parametrize(
    ("spec", "memory"),
    [pytest.param("mnk:2,5,3", 1 << 16, marks=pytest.mark.slow), ("mnk:2,5,3", 1 << 20), ("mnk:3,4,3", 1 << 20)],
)
def test_tables_that_are_too_small_forget(monkeypatch, spec, memory):
    """All is proven in the end, by tables that hold a hundredth of the positions; distances too."""
    monkeypatch.setattr(proving, "TABLE_BYTES", memory)
    solution = analysis.solve(spec)
    start = solution.game.rules().start
    found = search_position(solution.game, start, 60)
    assert {move.move: move.value for move in found.moves} == {
        move.move: move.value for move in solution.at(start).moves
    }
    if solution.value:
        assert found.remoteness_plies == solution.remoteness_plies


# What there is to find ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "path"),
    [("connect", "14412435504063241164665511256052"), pytest.param("othello:size=6", 26, marks=pytest.mark.slow)],
)
def test_a_late_position_of_a_game_that_is_too_large(spec, path):
    """Full Connect-Four with 32 stones, and Othello 6x6 with six free cells: every move is searched to the end."""
    if isinstance(path, int):
        game, rng = analysis.load_game(spec), random.Random(1)
        state = game.rules().start
        for _ in range(path):
            state = rng.choice(game.rules().moves(state))[1]
        path = game.format_position(state)
    found, wanted = find_position(spec, path), analysis.solve(spec, start=path)
    assert (found.exact, found.solved, found.value) == (True, None, wanted.value)
    moves = {move.move: (move.value, move.optimal) for move in wanted[path].moves}
    assert {move.move: (move.value, move.optimal) for move in found.moves} == moves
    assert found.to_json()["histories"] is None


@pytest.mark.slow
def test_a_game_that_is_known_to_fit_is_solved():
    found = find_position("connect:rows=4,cols=5", "01", seconds=PATIENCE)
    assert found.exact
    assert found.solved is not None


def test_an_early_position_is_not_proven():
    data = find_position("connect", seconds=0.3).to_json()
    assert (data["exact"], data["value"], data["remoteness_plies"]) == (False, 0, None)
    assert {(move["value"], move["optimal"]) for move in data["moves"]} == {(None, None)}


def test_stored_solutions_come_first(gametree, tmp_path):
    gametree("solve", "tictactoe", "--symmetry", "none")
    found = gametree("show", "tictactoe", "--format", "json").json
    assert found["source"] == "the solution in data/tictactoe-none"
    assert (found["position"], found["value"], found["exact"]) == ("?????????", 0, True)
    again = gametree("show", "tictactoe", "--symmetry", "full", "--format", "json").json
    assert again["source"] == "the game, solved here"
    assert gametree("show", "data/tictactoe-none", "0124", "--format", "json").json["value"] == 0


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_no_time_at_all_is_refused(seconds):
    for find, what in ((find_position, None), (find_positions, [])):
        with pytest.raises(OptionError):
            find("connect", what, seconds=seconds)
    assert list(find_positions("tictactoe", [])) == []


def test_a_typo_is_told_before_anything_is_solved(monkeypatch):
    monkeypatch.setattr(finding, "solve", None)
    with pytest.raises(PositionError, match="write 6 rows of 6 marks"):
        find_position("othello:size=6", "????/")
    with pytest.raises(PositionError, match="'d' is not a legal move"):
        find_position("connect", "ddddddd")


# How far the ends are -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "connect:rows=3,cols=4,k=3", "wild:rows=2,cols=3,k=3", "dots_and_boxes"])
def test_games_say_how_long_they_last(spec):
    solution = analysis.solve(spec)
    told = 0
    for position in every_position(solution):
        plies = solution.game.plies_left(position.state, position.value)
        told += plies is not None
        assert plies in (None, position.remoteness_plies)
    assert told


# Many positions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "nim:heaps=3-2", "hexapawn", "tictactoe --symmetry residual"])
@pytest.mark.parametrize("stored", [True, False])
def test_rows_are_what_the_solution_says(spec, stored, monkeypatch, gametree):
    monkeypatch.setattr(finding, "TOGETHER", 100)
    spec, _, symmetry = spec.partition(" --symmetry ")
    if stored:
        gametree("solve", spec, "--symmetry", symmetry or "geometric")
    texts = [position.position for position in itertools.islice(every_position(analysis.solve(spec)), 500)]
    solution = analysis.solve(spec, symmetry=symmetry or "geometric")
    found = list(find_positions(spec, iter(texts), symmetry=symmetry or None))
    assert [row.given for row in found] == texts
    for row in found:
        known = solution[row.given]
        assert (row.position, row.to_move, row.value, row.remoteness_plies) == (
            known.position, known.to_move, known.value, known.remoteness_plies,
        )  # fmt: skip
        assert list(row.best_moves) == [move.move for move in known.moves if move.optimal]
        assert list(row.best_names) == [move.name for move in known.moves if move.optimal]
        assert row.exact
        assert ("data/" in row.source) == stored


def test_what_is_no_position_keeps_its_place():
    found = list(find_positions("tictactoe", ["0", "00", "", PositionError("broken"), 7, "01"]))
    assert [row.error is None for row in found] == [True, False, False, False, False, True]
    assert [row.given for row in found] == ["0", "00", "", "", "", "01"]
    assert found[3].error == "broken"


def test_a_game_that_is_too_large_is_searched():
    late = "14412435504063241164665511256052"
    value = find_position("connect", late).value
    found = list(find_positions("connect", [late, "0" * 7, late, "3"], seconds=4))
    assert found[0] == found[2]
    assert (found[0].exact, found[0].value) == (True, value)
    assert found[1].error
    assert found[3].exact is False


# The command ----------------------------------------------------------------------------------------------------------


def test_a_file_in_each_format(gametree, tmp_path):
    (tmp_path / "some.txt").write_text("XOX?O????\n\n  0 4 \n")
    found = gametree("show", "tictactoe", "some.txt", "--format", "json")
    rows = json.loads(found.out)
    assert [(row["line"], row["value"], row["remoteness_plies"], row["best_moves"]) for row in rows] == [
        (1, 0, 5, [7]),
        (3, 0, 7, [1, 2, 3, 5, 6, 7, 8]),
    ]
    told = gametree("show", "tictactoe", "some.txt", "--format", "csv").rows
    assert [(row["line"], row["position"], row["best_moves"], row["exact"]) for row in told] == [
        ("1", "XOX?O????", "7", "true"),
        ("3", "X???O????", "1 2 3 5 6 7 8", "true"),
    ]
    table = gametree("show", "tictactoe", "some.txt").out
    assert "XOX?O????" in table
    assert max(map(len, table.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("some.csv", "player,position\nA,01\nB,zz\nC\n"),
        ("some.jsonl", '{"position": "01"}\n{"position": "zz"}\n{"x": 1}\n'),
    ],
)
def test_rows_that_are_none_are_told_by_line(gametree, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = gametree("show", "tictactoe", name, "--format", "json")
    assert found.code == 1
    rows = json.loads(found.out)
    assert [row["error"] is None for row in rows] == [True, False, False]
    lines = found.err.splitlines()
    assert len(lines) == 3
    assert all(f"{name}, row {row['line']}" in line for row, line in zip(rows[1:], lines, strict=False))


def test_files_that_hold_no_positions(gametree, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "some.txt").write_text("0\n")
    refused = [
        gametree("show", "tictactoe", "empty.txt"),
        gametree("show", "tictactoe", "other.csv"),
        gametree("show", "tictactoe", "some.txt", "--depth", "2"),
        gametree("show", "bidding", "some.txt"),
    ]
    assert [(each.code, each.out) for each in refused] == [(2, "")] * 4
    assert all(len(each.err.splitlines()) == 1 for each in refused)
