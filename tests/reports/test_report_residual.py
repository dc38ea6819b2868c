"""The report of a solution by residual classes: all that follows from what is left to play, and no more."""

from __future__ import annotations

import pytest

import analysis
from analysis.errors import OptionError
from analysis.reports.findings import gather
from analysis.reports.report import report_files
from analysis.reports.report_tables import make_tables
from tests.support.program import ROOT
from tests.support.report_numbers import Page, check_numbers, nimber

HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"
SECTIONS = ["game", "value", "numbers", "growth", "lengths", "values", "branching", "openings", "protocol"]

FIGURES = ("principal", "lengths", "openings")


@pytest.mark.parametrize("spec", ["tictactoe", pytest.param(HEAPS, marks=pytest.mark.slow)])
def test_all_that_is_determined(spec):
    left, whole = (analysis.solve(spec, symmetry=kind) for kind in ("residual", "none"))
    files, wanted = report_files(left), make_tables(gather(whole))
    html = files["index.html"].decode()
    page = Page(html)
    check_numbers(page.numbers(), left.statistics(), nimber(left))
    assert [attributes["id"] for tag, attributes in page.elements if tag == "section"] == SECTIONS
    for name in ("first_moves", "games_by_length", "principal_variation"):
        assert files[f"tables/{name}.csv"] == wanted[name].csv()
    assert "explore.html" in files
    assert "--symmetry residual" in html


@pytest.mark.slow
def test_figures_are_those_of_all_positions():
    left, whole = (report_files(analysis.solve("tictactoe", symmetry=kind)) for kind in ("residual", "none"))
    figures = {name for name in left if name.startswith("figures/")}
    assert figures == {f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "png")}
    assert {name: left[name] for name in figures} == {name: whole[name] for name in figures}


@pytest.mark.parametrize("options", [{}, {"counts": False}, {"position": "XOX?O????"}], ids=str)
def test_branching(options):
    """A move sequence goes on in as many ways, whatever is merged; of positions nothing is known."""
    left, whole = (gather(analysis.solve("tictactoe", symmetry=kind, **options)) for kind in ("residual", "none"))
    counted = options.get("counts", True)
    assert [(row["ply"], row["moves_per_history"]) for row in left.branching] == [
        (row["ply"], row["moves_per_history"]) for row in whole.branching if counted
    ]
    assert {row["moves_per_position"] for row in left.branching} == ({None} if counted else set())


def test_figures():
    left = analysis.solve("tictactoe", symmetry="residual")
    for figure in (*FIGURES, "position"):
        assert analysis.plot(left, figure).axes
    for figure in ("growth", "values", "scores", "remoteness", "branching"):
        with pytest.raises(OptionError):
            analysis.plot(left, figure)
