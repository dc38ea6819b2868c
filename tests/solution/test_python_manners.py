"""A solution as Python has collections, positions that are played on, exact numbers in pandas."""

from __future__ import annotations

import itertools

import pytest

import analysis
from analysis.errors import ArgumentError, MissingDataError, OptionError, PositionError
from tests.support.oracle import Oracle
from tests.support.taking import Take

SPECS = (
    "mnk:rows=2,cols=3,k=3",
    "connect:rows=3,cols=3,k=3",
    "nim:heaps=1-2-3",
    "dodgem:n=2",
    "dots_and_boxes:rows=1,cols=2",
)


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


# Collections ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_iteration_is_over_every_position_once(spec):
    solution = analysis.solve(spec)
    positions = list(solution)
    texts = [position.position for position in positions]
    assert len(texts) == len(set(texts)) == len(solution) == solution.position_count
    assert all(text in solution for text in texts[::7])
    by_value = {row["value"]: row["positions"] for row in solution.statistics()["by_value"]}
    drawn = sum(position.remoteness_plies is None for position in positions)
    assert sum(by_value.values()) == len(solution)
    assert sum(position.value == 0 for position in positions) == by_value.get(0, 0) >= drawn


def test_values_while_iterating_are_those_of_the_oracle(solution):
    game = Oracle(3, 3, 3)
    assert all(position.value == game.value(position.position) for position in itertools.islice(solution, 0, None, 5))


def test_positions_by_moves(solution):
    wanted = solution["XOX?O????"]
    for given in ("0124", (0, 1, 2, 4), [0, "b1", 2, "b2"], "a1 b1 c1 b2"):
        assert solution[given] == wanted
        assert given in solution
    assert solution[()].position == solution.start
    assert wanted in solution
    for absent in ("XXX??????", (0, 0), "nonsense", (0, 1.5)):
        assert absent not in solution
        with pytest.raises(PositionError):
            solution[absent]


def test_moves_are_from_the_start_of_the_solution():
    later = analysis.solve("tictactoe", position="X???O????")
    assert later[(1,)].position == "XX??O????"
    assert "?????????" not in later


# Positions ------------------------------------------------------------------------------------------------------------


def test_playing_on(solution):
    position = solution["XOX?O????"]
    assert position.play() is position
    assert position.play(7) == solution["XOX?O??X?"]
    assert position.play(7, "a2", 5) == solution["XOXOOX?X?"]
    for illegal in (0, "a1", 9, "nonsense", 2.5, None):
        with pytest.raises(PositionError) as refused:
            position.play(illegal)
        assert "\n" not in str(refused.value)
    assert not position.play(7, 3, 5, 6, 8).moves


@pytest.mark.parametrize("spec", SPECS)
def test_the_line_keeps_the_value_and_ends_the_game(spec):
    solution = analysis.solve(spec)
    for position in itertools.islice(solution, 0, None, 40):
        line = position.line()
        end = position.play(*(move.move for move in line))
        assert {move.value for move in line} <= {position.value}
        if position.remoteness_plies is None:
            states = [position.play(*(move.move for move in line[:n])).state for n in range(len(line) + 1)]
            assert states[-1] in states[:-1]
        else:
            assert len(line) == position.remoteness_plies
            assert not end.moves
        assert position.line(1) == line[:1]


def test_the_board(solution):
    board = solution["XOX?O????"].board
    assert board == (("X", "O", "X"), (" ", "O", " "), (" ", " ", " "))
    assert str(board).splitlines()[0] == " X | O | X"
    assert analysis.solve("nim:heaps=1-2")["1-2 X"].board is None
    assert str(solution["XOX?O????"]).startswith(str(board))


# Numbers --------------------------------------------------------------------------------------------------------------


def test_sums_in_pandas_are_exact(tmp_path):
    """Counts of 33 digits: sums of decimals, as files hold them, are rounded to 28 of these."""
    solution = analysis.solve("kayles:pins=30", directory=tmp_path / "kayles")
    wanted = 1778663370786818181284307317871496
    for each in (solution, analysis.open_solution(tmp_path / "kayles"), analysis.solve("kayles:pins=30")):
        frame = each.positions()
        assert frame["histories"].sum() == wanted == each.statistics()["histories"] == each.total("histories")
        assert {type(number) for number in frame["histories"]} == {int}
        first = frame[frame["tier"] == 0]
        assert first["games_x"].sum() + first["games_o"].sum() == each.games.total
        for column in ("games_x", "optimal_paths", "orbit_size", "remoteness_plies", "value"):
            assert each.column_sum(column) == sum(map(int, frame[column]))


def test_small_counts_are_int64_and_products_do_not_wrap(solution):
    frame = solution.positions()
    numbers = frame.select_dtypes("number")
    assert set(map(str, numbers.dtypes)) == {"int64"}
    assert (frame["orbit_size"] * frame["histories"] // frame["orbit_size"]).sum() == 549946
    assert solution.total("orbit_size", ply=3) == frame[frame["ply"] == 3]["orbit_size"].sum() == 252


def test_columns_that_are_not_there(solution):
    for column in ("nimber", "position", "terminal", ""):
        with pytest.raises(MissingDataError, match="orbit_size"):
            solution.total(column)
        with pytest.raises(MissingDataError, match="orbit_size"):
            solution.column_sum(column)
    with pytest.raises(PositionError):
        solution.total("histories", ply=10)


def test_sums_that_are_no_totals_are_refused_with_the_ways_to_both(solution):
    for column in ("games_x", "games_o", "games_tie", "optimal_paths", "shortest_paths", "value", "state"):
        with pytest.raises(OptionError, match="column_sum") as refused:
            solution.total(column)
        assert ("solution.games" in str(refused.value)) == column.startswith("games")
    assert solution.column_sum("games_x", ply=0) == solution.games.X == 131184
    assert solution.column_sum("games_x") == solution.positions()["games_x"].sum() == 213845


# Functions of the public door -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "nim:heaps=1-2", "dots_and_boxes:rows=1,cols=2", "hexapawn"])
def test_plot_of_a_position(spec):
    solution = analysis.solve(spec)
    position = solution[()].play(*(move.move for move in solution[()].line(2)))
    figure = analysis.plot(solution, "position", position.position)
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    labels = {label.get_text() for axes in figure.axes for label in axes.get_yticklabels()}
    assert {move.name for move in position.moves} <= texts | labels


def test_plot(solution, tmp_path):
    for figure in ("growth", "values", "lengths", "position"):
        analysis.plot(solution, figure).savefig(tmp_path / f"{figure}.png")
        assert (tmp_path / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
    assert analysis.plot(solution, "position", "041263578").axes
    for arguments in (("histogram",), ("growth", "0124"), ("position", "XXX??????")):
        with pytest.raises((OptionError, PositionError)):
            analysis.plot(solution, *arguments)


@pytest.mark.slow
def test_write_report_of_a_solution(solution, tmp_path):
    report, again = (
        analysis.write_report(solution, tmp_path / "one"),
        analysis.write_report("tictactoe", tmp_path / "two"),
    )
    for path in report.files:
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
    assert len(report.files) == len(again.files)
    with pytest.raises(OptionError):
        analysis.write_report(analysis.solve("tictactoe", position="X????????"))
    with pytest.raises(OptionError):
        analysis.write_report(solution, position="X????????")
    later = analysis.write_report(analysis.solve("tictactoe", position="X????????"), tmp_path / "later")
    assert "X????????" in later.page.read_text()


def test_compare_takes_a_solution(solution):
    rows = analysis.compare(solution, ["minimax", "alphabeta"]).rows
    assert [row.nodes for row in rows] == [549946, 18297]
    later = analysis.solve("tictactoe", position="X????????")
    assert analysis.compare(later, ["minimax"]).rows[0].nodes == 59705


def test_a_plain_dataclass_is_a_game_everywhere():
    game = Take(3)
    assert analysis.find_solution(game).value == analysis.solve(game).value == -1
    assert analysis.compare(game, ["minimax"]).rows[0].nodes == 7
    assert analysis.search.alphabeta(game).value == analysis.search.minimax(Take).value == -1
    judged = analysis.audit.audit(game, ["10"])
    assert (judged.tally.all.moves, judged.tally.all.mistakes) == (2, 0)


# Wrong types ----------------------------------------------------------------------------------------------------------

WRONG = (
    None, 3, -1, 2.5, True, b"x", [], {}, object(), "", "\0", ("a",), ["tictactoe"], analysis.Game, float("nan"),
    10**30,
)  # fmt: skip
SMALL = "mnk:rows=2,cols=2,k=2"

CALLS = {
    "solve": lambda s, w: analysis.solve(w),
    "solve position": lambda s, w: analysis.solve(SMALL, position=w),
    "solve directory": lambda s, w: analysis.solve(SMALL, directory=w),
    "solve symmetry": lambda s, w: analysis.solve(SMALL, symmetry=w),
    "solve tables": lambda s, w: analysis.solve(SMALL, tables=w),
    "solve counts": lambda s, w: analysis.solve(SMALL, counts=w),
    "solve workers": lambda s, w: analysis.solve(SMALL, workers=w),
    "open_solution": lambda s, w: analysis.open_solution(w),
    "find_solution": lambda s, w: analysis.find_solution(w),
    "verify": lambda s, w: analysis.verify(w),
    "verify sample": lambda s, w: analysis.verify("nowhere", sample=w),
    "verify share": lambda s, w: analysis.verify("nowhere", share=w),
    "verify seed": lambda s, w: analysis.verify("nowhere", sample=1, seed=w),
    "load_game": lambda s, w: analysis.load_game(w),
    "list_games": lambda s, w: analysis.list_games(w),
    "check_game": lambda s, w: analysis.check_game(w, games=1),
    "check_game games": lambda s, w: analysis.check_game(SMALL, games=w) if w != 10**30 else None,
    "check_game seed": lambda s, w: analysis.check_game(SMALL, games=1, seed=w),
    "compare": lambda s, w: analysis.compare(w, ["alphabeta"]),
    "compare algorithms": lambda s, w: analysis.compare(SMALL, w),
    "compare orders": lambda s, w: analysis.compare(SMALL, ["alphabeta"], orders=w),
    "compare windows": lambda s, w: analysis.compare(SMALL, ["alphabeta"], windows=w),
    "compare depth": lambda s, w: analysis.compare(SMALL, ["alphabeta"], depth=w),
    "compare evaluation": lambda s, w: analysis.compare(SMALL, ["alphabeta"], evaluation=w),
    "export": lambda s, w: analysis.export(w, "a.csv"),
    "export out": lambda s, w: analysis.export(s, w, "csv") if w is not None else None,
    "export to": lambda s, w: analysis.export(s, "a.csv", w),
    "export depth": lambda s, w: analysis.export(s, "a.csv", depth=w),
    "export max_nodes": lambda s, w: analysis.export(s, "a.csv", max_nodes=w),
    "write_report": lambda s, w: analysis.write_report(w),
    "write_report out": lambda s, w: analysis.write_report(SMALL, w),
    "plot": lambda s, w: analysis.plot(w),
    "plot figure": lambda s, w: analysis.plot(s, w),
    "plot position": lambda s, w: analysis.plot(s, "position", w),
    "[]": lambda s, w: s[w],
    "in": lambda s, w: w in s,
    "at": lambda s, w: s.at(w),
    "holds": lambda s, w: s.holds(w),
    "lookup": lambda s, w: s.lookup(w),
    "optimal_paths": lambda s, w: s.optimal_paths(w),
    "paths[]": lambda s, w: s.optimal_paths()[w],
    "sample": lambda s, w: list(s.optimal_paths().sample(w)) if w != 10**30 else None,
    "positions": lambda s, w: s.positions(w),
    "positions tier": lambda s, w: s.positions(tier=w),
    "total": lambda s, w: s.total(w),
    "column_sum": lambda s, w: s.column_sum(w),
    "moves": lambda s, w: s.moves(w),
    "to_networkx": lambda s, w: s.to_networkx(w),
    "play": lambda s, w: s["0"].play(w),
    "line": lambda s, w: s["0"].line(w),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_get_errors_of_ours(solution, name, tmp_path, monkeypatch):
    """In a line; nothing is written."""
    monkeypatch.chdir(tmp_path)
    said = []
    for wrong in WRONG:
        try:
            CALLS[name](solution, wrong)
        except analysis.GametreeError as error:
            said.append(str(error))
    assert len(said) >= 8
    assert not any("\n" in message for message in said)


def test_a_wrong_type_is_a_type_error_too(solution):
    for call in (lambda: solution[3.5], lambda: analysis.compare("tictactoe", "alphabeta"), lambda: solution.at("0")):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ArgumentError, match=r"solve\(\): .*'out'"):
        analysis.solve("tictactoe", out="x")
    with pytest.raises(ArgumentError, match=r"algorithms is a list of texts or None, not 'alphabeta'"):
        analysis.compare("tictactoe", "alphabeta")
