"""The sheet of puzzles of a report: hard positions with a single best move, and its solutions."""

import re
from pathlib import Path

import pytest

import analysis
from analysis.errors import MissingDataError
from analysis.reports.puzzle_sheet import puzzle_sheet


@pytest.mark.parametrize("spec", ["tictactoe", "dots_and_boxes:rows=2,cols=2", "nim:heaps=1-2-3"])
def test_a_sheet(spec):
    solution = analysis.solve(spec)
    found = list(solution.find("only_move", order="errs", limit=8))
    page = puzzle_sheet(solution, 8).decode()
    assert page.count("<article>") == len(found)
    answers = page[page.rindex("<section") :]
    assert answers.count("<li>") == len(found)
    assert all(name in answers for each in found for name in each.best_names)
    assert not {"<script", "http-equiv", "<link"} & {*page.split()}
    assert puzzle_sheet(solution, 8).decode() == page


def test_wide_boards_are_not_shrunk():
    solution = analysis.solve("mnk:rows=1,cols=20,k=2", start="XOXOXOXOXOXOXOXO????")
    page = puzzle_sheet(solution, 6).decode()
    width = float(re.search(r"minmax\(min\(100%, ([\d.]+)in", page)[1])
    assert width > 4
    assert f"max-width: {width:.2f}in" in page


def test_a_game_without_choices_that_matter():
    with pytest.raises(MissingDataError):
        puzzle_sheet(analysis.solve("nim:heaps=1"), 3)


def test_a_report_with_puzzles(gametree):
    result = gametree("report", "tictactoe", "--puzzles", 2, "--out", "r")
    assert (result.code, "puzzles.html" in result.err) == (0, True)
    assert 'href="puzzles.html"' in Path("r/index.html").read_text(encoding="utf-8")
    assert gametree("report", "tictactoe", "--out", "r").code == 0
    assert not Path("r/puzzles.html").exists()
