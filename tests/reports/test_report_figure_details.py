"""Figures of reports: names of lines, axes, tints, sentences, and what is said where there is nothing to draw."""

from __future__ import annotations

import itertools
import re

import pytest

import analysis
from analysis.pictures.boards import changed, least_cell
from analysis.pictures.style import TINT, styled
from analysis.reports.figures import gallery, panels
from analysis.reports.findings import gather
from analysis.search.comparison import SearchRequest, compare
from tests.support.figure_cases import Drawn, find

ONE_GAME = "nim:heaps=60,take=1"

_found: dict[str, Drawn] = {}


@pytest.fixture
def pictures():
    def draw(name: str) -> Drawn:
        if name not in _found:
            _found[name] = Drawn(gather(find(name)))
        return _found[name]

    return draw


# Axes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "log"), [([1, 9], False), ([12, 13], False), ([3, 30], True), ([11, 130], True), ([1, 10**30], True)]
)
def test_an_axis_has_two_ticks_or_more_and_is_linear_where_numbers_are_alike(numbers, log):
    _, (axes,) = panels.stack(2.0)
    styled(panels.number_axis)(axes, [*numbers, 0, None], "games")
    low, high = axes.get_ylim()
    assert axes.get_yscale() == ("log" if log else "linear")
    assert len([tick for tick in axes.get_yticks() if low <= tick <= high]) >= 2
    assert low <= min(numbers)
    assert high >= max(numbers)
    assert axes.get_title("left") == ("games (log scale)" if log else "games")


@pytest.mark.slow
def test_nothing_is_drawn_where_all_numbers_are_the_same_and_a_sentence_says_so(pictures):
    game = pictures(ONE_GAME)
    said = gallery.instead(game.findings)
    assert set(said) == {"growth", "lengths", "values", "remoteness", "branching"}
    assert all(game[name] is None for name in said)
    assert said["growth"] == "There is 1 position, and 1 move where play goes on, at each ply."
    assert said["lengths"] == "The only game: O wins, after 60 plies."
    assert said["values"] == "All 61 positions at all plies: O wins."
    assert said["branching"] == "The mean is 1.00 at each ply in which anybody can move."
    assert gallery.instead(pictures("tictactoe").findings) == {}


def test_as_many_games_of_each_length_have_no_panel(pictures):
    picture = pictures("hex:n=2")["lengths"]
    assert len(picture.figure.axes) == 1
    assert picture.caption.startswith("There are 12 games of each length")
    assert "12 games after each" in picture.alternative


# Boards ---------------------------------------------------------------------------------------------------------------


def tinted(picture) -> int:
    """Cells in the colour of a player."""
    cells = [axes.collections[0].get_facecolors() for axes in picture.figure.axes if axes.collections]
    return sum(colour[3] == TINT for colours in cells for colour in colours)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hex:n=2", "The cell of the last move is tinted."),
        ("take.py:Take", "The cells of the last move are tinted."),
        pytest.param("kayles:pins=5", None, marks=pytest.mark.slow),
        ("dots_and_boxes:rows=1,cols=2", "The last line is thicker, in the colour of its player."),
    ],
)
def test_the_caption_says_what_is_tinted(name, said, pictures):
    picture = pictures(name)["principal"]
    assert bool(tinted(picture)) == (said is not None and "tinted" in said)
    assert picture.caption.endswith(said or "to the end.")


def test_emptied_cells_are_tinted_where_no_mark_moves_about(pictures):
    game = pictures("take.py:Take")
    states = [step.state for step in game.findings.principal]
    grids = [game.findings.game.grid(state) for state in states]
    assert tinted(game["principal"]) == sum(len(changed(*pair)) for pair in itertools.pairwise(grids)) == 6


def test_cells_are_wide_enough_for_their_marks():
    assert least_cell([[["X", " "]]]) == pytest.approx(10 / 72 / 0.66)
    assert least_cell([[["X"]], [["10*"]]]) == pytest.approx(10 / 72 / (1.5 / 3.5))


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mnk:rows=1,cols=1,k=1", ONE_GAME, "hex:n=2"])
def test_one_of_a_thing_is_singular(name, pictures):
    game = pictures(name)
    drawn = [picture for picture in map(game.__getitem__, gallery.FIGURES) if picture is not None]
    sentences = [text for picture in drawn for text in (picture.caption, picture.alternative)]
    for text in [*sentences, *gallery.instead(game.findings).values()]:
        assert not re.search(r"(?<![\d,.])1 (plies|games|positions|classes|moves|paths|searches|boards)\b", text), text
        assert "per cent" not in text
        assert text[0].isupper() or text[0].isdigit()


@pytest.mark.parametrize(("most", "marks"), [(300, {"with >", "without >"}), (10**6, set())])
@pytest.mark.slow
def test_hollow_points_are_explained_where_there_are_any(most, marks):
    game = "mnk:rows=2,cols=3,k=3"
    picture = gallery.FIGURES["pruning"](gather(analysis.solve(game), compare(game, SearchRequest(max_nodes=most))))
    assert {mark for mark in ("with >", "without >") if f"point {mark} is" in picture.caption} == marks


def test_searches_that_visit_as_many_nodes_are_no_figure():
    game = "mnk:rows=1,cols=1,k=1"
    findings = gather(analysis.solve(game), compare(game, SearchRequest(algorithms=["minimax", "alphabeta"])))
    assert gallery.FIGURES["pruning"](findings) is None
    assert gallery.instead(findings)["pruning"] == "Every search visits 2 nodes."
