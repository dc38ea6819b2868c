"""The tables of a report, the board at its top, and what it is of: a whole game or one from a position."""

from __future__ import annotations

import csv
import io

import pytest

import analysis
from analysis.errors import OptionError
from analysis.machine.workers import no_progress
from analysis.reports import report as report_module
from analysis.reports import report_tables, report_words, sections
from analysis.reports.figures import gallery
from analysis.reports.findings import gather
from analysis.reports.report import write_report
from analysis.reports.report_tables import alike
from analysis.reports.start_board import start_board
from analysis.search.comparison import SearchRequest, compare
from tests.support.report_games import Endless

OVER = "XXXOO????"
"""A tic-tac-toe position in which X has won."""


@pytest.fixture(scope="module")
def tictactoe():
    return gather(analysis.solve("tictactoe"))


def read(table: report_tables.Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.csv().decode())))


def test_every_number_of_the_statistics_has_a_name_and_a_meaning(tictactoe):
    listed = {"game", "games_by_length", "by_ply", "by_value", "by_remoteness"}
    assert set(report_words.KEYS) == set(tictactoe.statistics) - listed


# Tables ---------------------------------------------------------------------------------------------------------------


def test_tables_have_the_rows_of_the_statistics(tictactoe):
    made, stats = report_tables.make_tables(tictactoe), tictactoe.statistics
    for name in ("by_ply", "games_by_length", "by_value", "by_remoteness"):
        found = [{key: int(cell) for key, cell in row.items()} for row in read(made[name])]
        assert found == stats[name], name
    keys = {row["key"]: int(row["number"]) for row in read(made["key_numbers"])}
    assert keys["positions"] == 5478
    assert (keys["games_X"], keys["games_O"], keys["games_tie"], keys["games_total"]) == (131184, 77904, 46080, 255168)
    assert keys["games_up_to_symmetry"] == stats["games_up_to_symmetry"]
    assert set(made) == set(report_tables.NAMES) - {"by_tier", "pruning"}


def test_what_was_not_counted_is_empty_and_not_shown():
    made = report_tables.make_tables(gather(analysis.solve("dodgem")))
    assert {"games_by_length", "by_ply"} & set(made) == set()
    assert {row["histories"] for row in read(made["by_tier"])} == {""}
    assert "histories" not in [column.name for column in made["by_tier"].shown]
    assert {row["games_total"] for row in read(made["first_moves"])} == {""}
    assert [row["number"] for row in read(made["key_numbers"]) if row["key"] == "games"] == [""]


def test_first_moves_are_those_of_the_solution(tictactoe):
    made = read(report_tables.make_tables(tictactoe)["first_moves"])
    assert sum(int(row["games_total"]) for row in made) == tictactoe.solution.games.total
    assert sum(int(row["optimal_paths"]) for row in made) == tictactoe.statistics["optimal_paths"]
    by_name = {move.name: move for move in tictactoe.solution[tictactoe.solution.start].moves}
    assert [row["name"] for row in made] == list(by_name)
    assert {row["position"] for row in made} == {move.position for move in by_name.values()}


def test_the_principal_variation_is_one_of_the_optimal_paths(tictactoe):
    made = read(report_tables.make_tables(tictactoe)["principal_variation"])
    path = "".join(row["move"] for row in made)
    assert path in set(tictactoe.solution.optimal_paths(shortest=True))
    assert [int(row["remoteness_plies"]) for row in made] == list(range(9, -1, -1))


def test_every_figure_belongs_to_a_section():
    placed = [name for names in sections.FIGURES.values() for name in names]
    assert sorted(placed) == sorted(gallery.FIGURES)


def test_pruning_has_every_search_and_the_least_but_no_seconds(tictactoe):
    comparison = compare("tictactoe", SearchRequest(max_nodes=1_000_000))
    made = read(report_tables.make_tables(gather(tictactoe.solution, comparison))["pruning"])
    nodes = {row["algorithm"]: int(row["nodes"]) for row in made}
    assert nodes == {row.algorithm: row.nodes for row in comparison.rows} | {"least possible": 1452}
    assert nodes["alphabeta"] == 18297
    assert not [name for name in made[0] if "second" in name]


# The board at the top -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_boards_by_cells_and_boards_as_text():
    marks = start_board(gather(analysis.solve("hexapawn")))
    assert [cell.mark for cell in marks.cells] == [*"OOO", *[""] * 3, *"XXX"]
    assert (marks.letters, marks.numbers, marks.named) == (("a", "b", "c"), ("3", "2", "1"), False)
    slanted = start_board(gather(analysis.solve("hex:n=2")))
    assert (slanted.slant, slanted.letters, [cell.name for cell in slanted.cells]) == (True, (), ["0", "1", "2", "3"])
    heaps = start_board(gather(analysis.solve("nim:heaps=1-2")))
    assert (heaps.cells, heaps.text) == ((), "heap 1  o   1\nheap 2  oo  2")
    boxes = start_board(gather(analysis.solve("dots_and_boxes:rows=1,cols=1")))
    assert (boxes.caption, "boxes: level" in boxes.text) == ("boxes: level", False)
    wide = start_board(gather(analysis.solve("mnk:rows=1,cols=21,k=21", position="X" + "XO" * 8 + "OXO?")))
    assert (wide.cells, "|" in wide.text) == ((), True)


# From a position ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_from_a_position(tmp_path):
    report = write_report("tictactoe", tmp_path / "r", position="XOX?O????", symmetry="none")
    page = report.page.read_text(encoding="utf-8")
    assert "<title>tictactoe from XOX?O???? \N{EN DASH}" in page
    assert "<dt>Known of the whole game</dt>" in page
    assert "From XOX?O???? on, under optimal play tictactoe is a tie after 5 plies." in page
    assert "to move at this start: X" in page
    assert "gametree report tictactoe --from &#39;XOX?O????&#39; --symmetry none --out DIR" in page
    with pytest.raises(OptionError, match="--out DIR"):
        write_report("tictactoe", position="XOX?O????")


@pytest.mark.slow
def test_a_position_is_compared_from_there(tmp_path):
    report = write_report("tictactoe", tmp_path / "r", position="XOX?O????", prune=True)
    searched = {
        row["algorithm"]: row for row in csv.DictReader(io.StringIO((tmp_path / "r/tables/pruning.csv").read_text()))
    }
    assert (searched["minimax"]["nodes"], searched["least possible"]["nodes"]) == ("206", "38")
    page = report.page.read_text(encoding="utf-8")
    assert "gametree report tictactoe --from &#39;XOX?O????&#39; --prune --out DIR" in page
    assert "gametree prune tictactoe --from &#39;XOX?O????&#39; --max-nodes 100000000" in page


def test_a_position_is_searched_from_there():
    solution = analysis.solve("tictactoe", position="XOX?O????")
    found = report_module._compare(solution, SearchRequest(algorithms=["minimax"]), no_progress)
    assert (found.rows[0].nodes, found.least["full"].nodes) == (206, 38)
    ended = analysis.solve("tictactoe", position=OVER)
    assert report_module._compare(ended, SearchRequest(), no_progress) is None


def test_optimal_paths_begin_with_optimal_moves():
    """O threatens 1-4-7: only 7 keeps the tie, and every optimal path of the whole game begins with it."""
    found = gather(analysis.solve("tictactoe", position="XOX?O????"))
    assert {o.move.name: o.optimal_paths for o in found.openings} == {"3": 0, "5": 0, "6": 0, "7": 10, "8": 0}
    assert found.statistics["optimal_paths"] == 10


def test_plies_to_the_end_count_the_move_itself():
    for row in read(
        report_tables.make_tables(gather(analysis.solve("tictactoe", position="XOX?O????")))["first_moves"]
    ):
        assert int(row["plies_to_end"]) == int(row["remoteness_plies"]) + 1
    for row in read(report_tables.make_tables(gather(analysis.solve(Endless())))["first_moves"]):
        assert (row["plies_to_end"], row["remoteness_plies"]) == ("", "")


# Searches -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stopped(tictactoe):
    comparison = compare("tictactoe", SearchRequest(["minimax", "alphabeta", "alphabeta_table"], max_nodes=5000))
    return report_tables.make_tables(gather(tictactoe.solution, comparison))["pruning"]


def test_stopped_searches_look_stopped(stopped):
    shown = {
        cells["algorithm"]: cells for cells in ({c.name: text for c, text in stopped.cells(r)} for r in stopped.rows)
    }
    assert shown["minimax"]["nodes"] == "not run"
    assert shown["minimax"]["leaves"] == shown["minimax"]["cutoffs"] == report_words.MISSING
    assert (shown["alphabeta"]["nodes"], shown["alphabeta"]["stopped"]) == ("> 5,000", "max-nodes")
    assert (shown["alphabeta_table"]["nodes"], shown["alphabeta_table"]["stopped"]) == ("4,769", report_words.MISSING)
    assert shown["least possible"]["nodes"] == "1,452"
    assert {row["algorithm"]: row["nodes"] for row in read(stopped)}[
        "minimax"
    ] == "549946"  # as `gametree prune` has it


def test_columns_that_say_nothing_are_left_out_of_the_page(tictactoe):
    made = report_tables.make_tables(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    assert [column.name for column in made["games_by_length"].shown] == ["plies", "X"]
    assert [column.name for column in made["by_remoteness"].shown] == ["remoteness_plies", "win", "lose"]
    assert list(read(made["games_by_length"])[0]) == ["plies", "X", "O", "tie"]
    comparison = compare("tictactoe", SearchRequest(["alphabeta"], orders=["natural", "reverse"]))
    assert alike(comparison) == ("symmetry", "bound", "window")
    assert alike(compare("tictactoe", SearchRequest(["alphabeta"], windows=["full", "value"]))) == (
        "order", "symmetry", "bound",
    )  # fmt: skip
