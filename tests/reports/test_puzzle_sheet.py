"""The sheet of puzzles of a report: hard positions with a single best move, and its solutions."""

from pathlib import Path

import pytest

import analysis
from analysis.errors import MissingDataError
from analysis.reports.puzzle_sheet import PER_PAGE, puzzle_sheet


@pytest.mark.parametrize("spec", ["tictactoe", "dots_and_boxes:rows=2,cols=2", "nim:heaps=1-2-3"])
def test_a_sheet(spec):
    solution = analysis.solve(spec)
    found = list(solution.find("only_move", order="errs", limit=8))
    page = puzzle_sheet(solution, 8).decode()
    assert page.count("<article>") == len(found)
    assert page.count('<section class="page') == -(-len(found) // PER_PAGE[0]) + 1
    answers = page[page.rindex("<section") :]
    assert answers.count("<li>") == len(found)
    assert all(name in answers for each in found for name in each.best_names)
    assert not {"<script", "http-equiv", "<link"} & {*page.split()}
    assert puzzle_sheet(solution, 8).decode() == page


def test_wide_boards_have_fewer_on_a_page():
    solution = analysis.solve("mnk:rows=1,cols=20,k=2", position="XOXOXOXOXOXOXOXO????")
    page = puzzle_sheet(solution, 6).decode()
    assert page.count('<section class="page') == page.count("<article>") + 1 > 2


def test_a_game_without_choices_that_matter():
    with pytest.raises(MissingDataError):
        puzzle_sheet(analysis.solve("nim:heaps=1"), 3)


def test_a_report_with_puzzles(gametree):
    result = gametree("report", "tictactoe", "--puzzles", 2, "--out", "r")
    assert (result.code, "puzzles.html" in result.err) == (0, True)
    assert 'href="puzzles.html"' in Path("r/index.html").read_text(encoding="utf-8")
    assert gametree("report", "tictactoe", "--out", "r").code == 0
    assert not Path("r/puzzles.html").exists()
