"""Figures of reports: names of lines, axes, tints, sentences, and what is said where there is nothing to draw."""

from __future__ import annotations

import itertools
import re

import pytest
from analysis.reports.figures.drawn_board import changed, least_cell
from analysis.reports.figures.outcomes import briefly, called, result, shares
from analysis.reports.figures.palette import BY_KEY, FIRST, MUTED, SECOND

import analysis
from analysis.reports.figures import colour_keys, frame, gallery, line_labels
from analysis.reports.figures.principal_boards import TINT
from analysis.reports.findings import gather
from analysis.search.comparison import SearchRequest, compare
from tests.support.figure_cases import Drawn, boxes, find, texts

ONE_GAME = "nim:heaps=60,take=1"

_found: dict[str, Drawn] = {}


@pytest.fixture
def pictures():
    def draw(name: str) -> Drawn:
        if name not in _found:
            _found[name] = Drawn(gather(find(name)))
        return _found[name]

    return draw


# Names of lines and keys ----------------------------------------------------------------------------------------------


def leaders(picture):
    """The lines from data to names: start and end in parts of the panel, and their look."""
    annotations = [text for text in picture.figure.axes[0].texts if getattr(text, "arrow_patch", None) is not None]
    return [(text.xy, text.get_position(), text.arrow_patch) for text in annotations]


def test_leaders_are_grey_and_dotted_and_do_not_cross(pictures):
    found = leaders(pictures("tictactoe")["growth"])
    assert len(found) == 4
    for start, end, patch in found:
        assert matplotlib_colour(patch.get_edgecolor()) == MUTED
        assert patch.get_linestyle() not in ("-", "solid")
        assert start[0] <= 1 < end[0]
    by_start, by_end = (sorted(found, key=lambda each: each[side][1]) for side in (0, 1))
    assert [each[0][1] for each in by_start] == [each[0][1] for each in by_end]
    names = {text: low for text, _, low, _, _ in boxes(pictures("tictactoe")["growth"].figure)}
    assert names["positions"] > names["terminal"]  # they end in one point; positions come from above


def matplotlib_colour(colour) -> str:
    from matplotlib.colors import to_hex

    return to_hex(colour)


def line(axes, name: str, steps, numbers):
    from analysis.reports.figures.series import draw_series

    lines = [
        line_labels.Series(name, numbers, FIRST, "o"),
        line_labels.Series("other", [9.0] * len(steps), SECOND, "s"),
    ]
    draw_series(axes, steps, lines)


@pytest.mark.parametrize(("last", "beside"), [(4, True), (9, False), (10, False)])
def test_a_line_that_ends_early_has_its_name_there(last, beside):
    figure, (axes,) = frame.stack([2.0], 0.5, 1.0, 0, 0.5)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    line(axes, "early", range(11), [2.0 if step <= last else None for step in range(11)])
    (place,) = [box for box in boxes(figure) if box[0] == "early"]
    assert (place[1] < 0.5 + line_labels.size_of(axes)[0]) == beside
    assert len([text for text in axes.texts if getattr(text, "arrow_patch", None)]) == 2 - beside


def test_the_end_of_a_line_that_lies_on_another_is_named_in_the_margin():
    figure, (axes,) = frame.stack([2.0], 0.5, 1.0, 0, 0.5)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    line(axes, "early", range(11), [9.0 if step <= 4 else None for step in range(11)])
    (place,) = [box for box in boxes(figure) if box[0] == "early"]
    assert place[1] > 0.5 + line_labels.size_of(axes)[0]


def test_keys_break_into_rows_and_cut_what_is_wider_than_a_row():
    entries = [(BY_KEY[key], name) for key, name in (("X", "W" * 12), ("tie", "tie"), ("O", "M" * 60))]
    rows = colour_keys.arrange(entries, 2.5)
    assert [len(row) for row in rows] == [2, 1]
    assert rows[1][0][2].endswith("M…")
    (_, _, _), (begins, _, _) = rows[0]
    assert begins > 0.22 + frame.width_of("W" * 12)
    assert all(x + 0.22 + frame.width_of(name) <= 2.5 for row in rows for x, _, name in row)
    assert [len(row) for row in colour_keys.arrange(entries[:2], 9.0)] == [2]


# Axes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "log"), [([1, 9], False), ([12, 13], False), ([3, 30], True), ([11, 130], True), ([1, 10**30], True)]
)
def test_an_axis_has_two_ticks_or_more_and_is_linear_where_numbers_are_alike(numbers, log):
    _, (axes,) = frame.stack([2.0], 0.5, 1.0, 0, 0.5)
    frame.number_axis(axes, [*numbers, 0, None], "games")
    low, high = axes.get_ylim()
    assert axes.get_yscale() == ("log" if log else "linear")
    assert len([tick for tick in axes.get_yticks() if low <= tick <= high]) >= 2
    assert low < min(numbers)
    assert high > max(numbers)
    assert [text.get_text() for text in axes.texts] == ["games (log scale)" if log else "games"]


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
    return sum(patch.get_alpha() == TINT for patch in picture.figure.axes[0].patches)


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


def test_figures_say_plies_to_the_end_with_the_move_included(pictures):
    game = pictures("hex:n=2")
    best = game.findings.openings[0].move
    assert f"in {best.remoteness_plies + 1}" in texts(game["openings"])
    assert "value, plies to end" in texts(game["openings"])
    assert "the plies to the end, this move included" in game["openings"].caption


def test_a_line_that_is_drawn_has_no_end(pictures):
    assert pictures("morris:variant=nine_holes")["principal"].alternative.endswith(
        "It is a draw, so that it has no end."
    )


@pytest.mark.parametrize("name", ["mnk:rows=1,cols=1,k=1", ONE_GAME, "hex:n=2"])
def test_one_of_a_thing_is_singular(name, pictures):
    game = pictures(name)
    drawn = [picture for picture in map(game.__getitem__, gallery.FIGURES) if picture is not None]
    sentences = [text for picture in drawn for text in (picture.caption, picture.alternative)]
    for text in [*sentences, *gallery.instead(game.findings).values()]:
        assert not re.search(r"(?<![\d,.])1 (plies|games|positions|classes|moves|paths|searches|boards)\b", text), text
        assert "per cent" not in text
        assert text[0].isupper() or text[0].isdigit()


def test_outcomes_have_one_name(pictures):
    findings = pictures("dots_and_boxes:rows=1,cols=2").findings
    assert [called(findings, key) for key in ("X", "tie", "draw", "O")] == ["X wins", "tie", "draw", "O wins"]
    assert result(findings, 2, 3) == "X by 2 in 3"
    assert result(findings, -2, 0) == "O by 2"
    assert [briefly(findings, value, 1) for value in (2, 0)] == ["+2", "0"]
    assert briefly(findings, 0, None) == "draw"
    assert shares(findings, {"X": 1, "O": 3, "tie": 0}, "game").startswith("Of 4 games, X wins: 1 (25.0")


@pytest.mark.parametrize(("most", "marks"), [(300, {"with >", "without >"}), (10**6, set())])
def test_hollow_points_are_explained_where_there_are_any(most, marks):
    game = "mnk:rows=2,cols=3,k=3"
    picture = gallery.pruning.draw(gather(analysis.solve(game), compare(game, SearchRequest(max_nodes=most))))
    assert {mark for mark in ("with >", "without >") if f"point {mark} is" in picture.caption} == marks


def test_searches_that_visit_as_many_nodes_are_no_figure():
    game = "mnk:rows=1,cols=1,k=1"
    findings = gather(analysis.solve(game), compare(game, SearchRequest(algorithms=["minimax", "alphabeta"])))
    assert gallery.pruning.draw(findings) is None
    assert gallery.instead(findings)["pruning"] == "Every search visits 2 nodes."
