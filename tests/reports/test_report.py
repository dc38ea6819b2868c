"""Tables of a report, the board at its top, what it is of, and what it says in words."""

import csv
import functools
import html
import io
import re

import pytest

import analysis
from analysis.errors import OptionError
from analysis.reports import report as report_module
from analysis.reports import tables, words
from analysis.reports.facts import Facts, gather
from analysis.reports.page import commands, render
from analysis.reports.report import report_files, write_report
from analysis.search.comparison import SearchRequest, compare
from tests.support.program import ROOT
from tests.support.report_games import Endless
from tests.support.report_numbers import Page, check_numbers, nimber

OVER = "XXXOO????"
"""A tic-tac-toe position in which X has won."""


@pytest.fixture(scope="module")
def tictactoe():
    return gather(analysis.solve("tictactoe"))


def read(table: tables.ReportTable) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.csv().decode())))


def test_every_number_of_the_statistics_has_a_name_and_a_meaning(tictactoe):
    listed = {"game", "start", "games_by_length", "by_ply", "by_value", "by_remoteness"}
    named = {row["key"] for row in read(tables.make_tables(tictactoe)["key_numbers"])}
    assert named - {"terminal"} == set(tictactoe.statistics) - listed


def test_tables_have_the_rows_of_the_statistics(tictactoe):
    made, stats = tables.make_tables(tictactoe), tictactoe.statistics
    assert set(made) == set(tables.COLUMNS) - {"by_tier", "pruning"}
    for name in ("by_ply", "games_by_length", "by_value", "by_remoteness"):
        found = [{key: int(cell) for key, cell in row.items()} for row in read(made[name])]
        assert found == stats[name], name
    keys = {row["key"]: int(row["number"]) for row in read(made["key_numbers"])}
    assert keys["positions"] == 5478
    assert (keys["games_x"], keys["games_o"], keys["games_tie"], keys["games"]) == (131184, 77904, 46080, 255168)
    assert keys["games_up_to_symmetry"] == stats["games_up_to_symmetry"]


def test_what_was_not_counted_is_empty_and_not_shown():
    made = tables.make_tables(gather(analysis.solve("dodgem")))
    assert {"games_by_length", "by_ply"} & set(made) == set()
    assert {row["histories"] for row in read(made["by_tier"])} == {""}
    assert "histories" not in made["by_tier"].shown()
    assert {row["games"] for row in read(made["first_moves"])} == {""}
    assert [row["number"] for row in read(made["key_numbers"]) if row["key"] == "games"] == [""]


def test_first_moves_are_those_of_the_solution(tictactoe):
    made = read(tables.make_tables(tictactoe)["first_moves"])
    assert sum(int(row["games"]) for row in made) == tictactoe.solution.games
    assert sum(int(row["optimal_paths"]) for row in made) == tictactoe.statistics["optimal_paths"]
    by_name = {move.name: move for move in tictactoe.solution[tictactoe.solution.start].moves}
    assert [row["name"] for row in made] == list(by_name)
    assert {row["position"] for row in made} == {move.position for move in by_name.values()}


def test_the_principal_variation_is_one_of_the_optimal_paths(tictactoe):
    made = read(tables.make_tables(tictactoe)["principal_variation"])
    path = "".join(row["move"] for row in made)
    assert path in set(tictactoe.solution.optimal_paths(shortest=True))
    assert [int(row["remoteness_plies"]) for row in made] == list(range(9, -1, -1))


def test_pruning_has_every_search_and_the_least_but_no_seconds(tictactoe):
    comparison = compare("tictactoe", SearchRequest(max_nodes=1_000_000))
    made = read(tables.make_tables(gather(tictactoe.solution, comparison))["pruning"])
    nodes = {row["algorithm"]: int(row["nodes"]) for row in made}
    assert nodes == {row.algorithm: row.nodes for row in comparison.rows} | {"least, no table": 1452}
    assert nodes["alphabeta"] == 18297
    assert not [name for name in made[0] if "second" in name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "drawn"),
    [("hexapawn", True), ("hex:n=2", True), ("nim:heaps=1-2", False), ("dots_and_boxes:rows=1,cols=1", True)],
)
def test_boards_drawn_and_boards_as_text(spec, drawn):
    files = report_files(analysis.solve(spec))
    text = files["index.html"].decode()
    assert (
        ("figures/position.svg" in files)
        == drawn
        == ("heap 1  o   1\nheap 2  oo  2" not in text)
        != ('aria-label="The start position"' in text)
    )


@pytest.mark.slow
def test_from_a_position(tmp_path):
    report = write_report("tictactoe", tmp_path / "r", start="XOX?O????", symmetry="none")
    page = report.page.read_text(encoding="utf-8")
    assert "<title>tictactoe from XOX?O???? \N{EN DASH}" in page
    assert "<dt>Known of the whole game</dt>" in page
    assert "From XOX?O???? on, under optimal play tictactoe is a tie after 5 plies." in page
    assert "gametree report tictactoe --from &#39;XOX?O????&#39; --symmetry none --out DIR" in page
    with pytest.raises(OptionError, match="`out` DIR"):
        write_report("tictactoe", start="XOX?O????")


def test_a_position_is_searched_from_there():
    solution = analysis.solve("tictactoe", start="XOX?O????")
    found = report_module.compare_searches(solution)
    assert (found.rows[0].nodes, found.least["full"].nodes) == (206, 38)
    ended = analysis.solve("tictactoe", start=OVER)
    assert report_module.compare_searches(ended) is None


def test_optimal_paths_begin_with_optimal_moves():
    """O threatens 1-4-7: only 7 keeps the tie, and every optimal path of the whole game begins with it."""
    found = gather(analysis.solve("tictactoe", start="XOX?O????"))
    assert {row["name"]: row["optimal_paths"] for row in found.moves} == {"3": 0, "5": 0, "6": 0, "7": 10, "8": 0}
    assert found.statistics["optimal_paths"] == 10


@pytest.fixture(scope="module")
def stopped(tictactoe):
    comparison = compare("tictactoe", SearchRequest(["minimax", "alphabeta", "alphabeta_table"], max_nodes=5000))
    return tables.make_tables(gather(tictactoe.solution, comparison))["pruning"]


def test_stopped_searches_look_stopped(stopped):
    shown = {row["algorithm"]: {name: stopped.text(name, row) for name in stopped.shown()} for row in stopped.rows}
    assert shown["minimax"]["nodes"] == "not run"
    assert shown["minimax"]["leaves"] == shown["minimax"]["cutoffs"] == words.MISSING
    assert (shown["alphabeta"]["nodes"], shown["alphabeta"]["stopped"]) == ("> 5,000", "max-nodes")
    assert (shown["alphabeta_table"]["nodes"], shown["alphabeta_table"]["stopped"]) == ("4,769", words.MISSING)
    assert shown["least, no table"]["nodes"] == "1,452"
    assert {row["algorithm"]: row["nodes"] for row in read(stopped)}[
        "minimax"
    ] == "549946"  # as `gametree prune` has it


def test_columns_that_say_nothing_are_left_out_of_the_page(tictactoe):
    made = tables.make_tables(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    assert made["games_by_length"].shown() == ["plies", "games", "games_x"]
    assert made["by_remoteness"].shown() == ["remoteness_plies", "win", "lose"]
    assert list(read(made["games_by_length"])[0]) == ["plies", "games", "games_x", "games_o", "games_tie"]


HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"
SECTIONS = ["game", "value", "numbers", "growth", "lengths", "openings", "pruning", "protocol"]

DRAWN = ("position", "principal", "lengths", "openings")


@pytest.mark.parametrize("spec", ["tictactoe", pytest.param(HEAPS, marks=pytest.mark.slow)])
def test_all_that_residual_classes_determine(spec):
    left, whole = (analysis.solve(spec, symmetry=kind) for kind in ("residual", "none"))
    files, wanted = report_files(left), tables.make_tables(gather(whole))
    text = files["index.html"].decode()
    page = Page(text)
    check_numbers(page.numbers(), left.statistics(), nimber(left))
    assert [attributes["id"] for tag, attributes in page.elements if tag == "section"] == SECTIONS
    for name in ("first_moves", "games_by_length", "principal_variation"):
        assert files[f"tables/{name}.csv"] == wanted[name].csv()
    assert "explore.html" in files
    assert "--symmetry residual" in text


def test_residual_figures():
    left = analysis.solve("tictactoe", symmetry="residual")
    for figure in DRAWN:
        assert analysis.plot(left, figure).axes
    with pytest.raises(OptionError):
        analysis.plot(left, "growth")


MIDDLE = "XOX?O????"
"""One from which the game goes on for 5 plies."""


@functools.cache
def found(game: str, **options) -> Facts:
    return gather(analysis.solve(game, **options))


def section(facts: Facts, name: str) -> str:
    """The words of a section of the page."""
    page = render(facts, {}, tables.make_tables(facts), {"walk": None, "puzzles": None})
    inside = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)[0]
    return html.unescape(re.sub(r"<[^>]*>", "", inside))


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("tictactoe", {}, "Under optimal play tictactoe is a tie after 9 plies."),
        ("mnk:rows=2,cols=2,k=2", {}, "X, who moves first, wins mnk:rows=2,cols=2,k=2 after 3 plies."),
        ("notakto:rows=2,cols=2,k=2", {}, "the first player wins notakto:rows=2,cols=2,k=2 after 2 plies."),
        ("dots_and_boxes:rows=1,cols=3", {}, "O, who moves second, wins dots_and_boxes:rows=1,cols=3 by 1 after 10"),
        ("dodgem", {}, "X, who moves first, wins dodgem:n=3 after 19 plies."),
        ("chomp:rows=1,cols=1", {}, "chomp:rows=1,cols=1 is over at its start, and the second player has won."),
        ("tictactoe", {"start": "XO???????"}, "From XO??????? on, under optimal play X, who moves first, wins"),
        ("tictactoe", {"start": OVER}, f"nothing to play: tictactoe is over at {OVER}, and X has won."),
        ("tictactoe", {"start": "XOXXOOOXX"}, "is over at XOXXOOOXX, and it is a tie."),
        ("mnk:rows=1,cols=1,k=1", {}, "Play can reach 2 positions. Of 1 game, X wins: 1 (100"),
        ("tictactoe", {"start": "XO???????"}, "First moves that keep that value: 3 of 7."),
    ],
)  # fmt: skip
def test_the_summary_says(game, options, sentence):
    assert sentence in " ".join(words.summary(found(game, **options)))


def test_a_game_without_an_end_is_a_draw():
    endless = gather(analysis.solve(Endless()))
    assert words.verdict(endless) == "a draw"
    assert words.summary(endless)[0] == (
        "Under optimal play endless is a draw: neither player can force a win, and play never ends."
    )
    assert "play never ends." in section(endless, "value")
    assert "These are its first 2 plies." in section(endless, "value")


@functools.cache
def searched(most: int) -> Facts:
    solution = analysis.solve("tictactoe", start=MIDDLE)
    return gather(solution, compare("tictactoe", SearchRequest(max_nodes=most), start=MIDDLE))


def test_commands_that_make_a_report_again():
    start = f"tictactoe --from '{MIDDLE}'"
    again = f"gametree report {start} --out DIR"
    assert commands(searched(1000))["report"] == [again, f"gametree stats {start} --format json"]
    assert commands(found("tictactoe", symmetry="none"))["report"][0] == "gametree report tictactoe --symmetry none"
