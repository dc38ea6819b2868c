"""Boards in Chromium: every move of every family has its place on its board, says what it is, and is played there."""

import pytest

import analysis
from analysis.games.families import FAMILIES
from analysis.web.pages.page_file import write_page
from tests.support.browser import DESKTOP
from tests.support.explorer_page import Page

pytestmark = pytest.mark.slow

COINS = "H 5 10\n5 1 25\n10 5 C\n"

SPECS = {
    "tictactoe": "tictactoe",
    "mnk": "mnk:rows=2,cols=3,k=2",
    "wild": "wild:rows=2,cols=3,k=3",
    "notakto": "notakto",
    "connect": "connect:rows=3,cols=4,k=3",
    "hex": "hex:n=3",
    "domineering": "domineering:rows=3,cols=3",
    "chomp": "chomp:rows=2,cols=3",
    "nim": "nim:heaps=2-3",
    "kayles": "kayles:pins=6",
    "grundy": "grundy:heap=8",
    "dots_and_boxes": "dots_and_boxes:rows=1,cols=2",
    "othello": "othello:size=4",
    "hexapawn": "hexapawn",
    "dodgem": "dodgem",
    "morris": "morris",
    "coin_grabber": "coin_grabber:board={}",
}

LABELS = "return [...document.querySelectorAll('div.board .label')].map((each) => each.getAttribute('aria-label'))"
RESULTS = {1: "win", -1: "loss"}


def opened(browser, tmp_path, spec, device=DESKTOP, **look):
    solution = analysis.solve(spec, workers=1)
    write_page(solution, tmp_path / "page.html")
    return solution, Page(browser, (tmp_path / "page.html").as_uri(), device, **look)


def said_of(position):
    """What a board has to say of each move with a place: its name and what it is to the mover."""
    side = position.to_move
    for move in position.moves:
        worth = side * move.value
        tied = "draw" if move.remoteness_plies is None else "tie"
        yield f"{move.name}: {RESULTS.get((worth > 0) - (worth < 0), tied)}, "


def test_there_is_a_specification_of_every_family():
    assert SPECS.keys() == FAMILIES.keys()


@pytest.mark.parametrize("family", SPECS)
def test_every_move_is_on_the_board(browser, tmp_path, family):
    (tmp_path / "coins.txt").write_text(COINS)
    solution, page = opened(browser, tmp_path, SPECS[family].format(tmp_path / "coins.txt"))
    for _ in range(3):
        here = solution[page.here]
        if not here.moves:
            break
        labels = [label for text in browser.run(LABELS) for label in text.split("; ")]
        wanted = [start for start in said_of(here) if not start.startswith("pass")]
        assert sorted(labels) == sorted(label for start in wanted for label in labels if label.startswith(start))
        assert len(labels) == len(wanted)
        assert browser.run("return document.querySelectorAll('div.board [tabindex=\"0\"]').length") == 1
        first = page.text("div.board [tabindex='0'] title")
        browser.run("document.querySelector('div.board [tabindex=\"0\"]').focus()")
        pointed = browser.run("return [...document.querySelectorAll('.pointed .name')].map((each) => each.textContent)")
        assert any(first.partition(": ")[0] in names.split() for names in pointed)
        assert browser.run("return document.querySelectorAll('.hints > *').length") > 0
        page.do("best")
        browser.until("return document.querySelector('#here').textContent !== arguments[0]", here.position)
    page.clean("file:")


def test_a_click_anywhere_in_a_column_drops_a_disc(browser, tmp_path):
    _, page = opened(browser, tmp_path, SPECS["connect"])
    assert page.changes(lambda: page.click("svg.board .cell", 1)) == "????/????/?X??"
    assert page.changes(lambda: page.click("svg.board .cell", 9)) == "????/?O??/?X??"


def test_a_man_is_taken_up_and_put_down(browser, tmp_path):
    _, page = opened(browser, tmp_path, "hexapawn")
    page.click("svg.board .cell", 6)
    browser.until("return document.querySelectorAll('div.board .label.other').length === 2")
    assert page.here == "OOO/???/XXX X"
    assert page.changes(lambda: page.click("svg.board .cell", 3)) == "OOO/X??/?XX O"
    assert page.changes(lambda: page.click("svg.board .cell", 3)) == "O?O/O??/?XX X"  # only b3xa2 leads there


def test_tokens_are_taken_from_the_one_that_is_clicked_on(browser, tmp_path):
    _, page = opened(browser, tmp_path, SPECS["nim"])
    assert page.changes(lambda: page.click(".label[data-move='3']")) == "2-1 O"


def test_a_box_is_filled_by_who_closes_it(browser, tmp_path):
    _, page = opened(browser, tmp_path, "dots_and_boxes:rows=1,cols=1")
    for _ in range(4):
        page.changes(lambda: page.do("best"))
    assert browser.run("return document.querySelectorAll('.filled.second').length") == 1


def test_arrows_lead_over_the_board_and_enter_plays(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    _, page = opened(browser, tmp_path, "tictactoe")
    browser.run("document.querySelector('div.board [tabindex=\"0\"]').focus()")
    assert page.changes(lambda: page.keys(Keys.ARROW_RIGHT + Keys.ARROW_DOWN + Keys.ENTER)) == "????X????"
    assert browser.run("return document.activeElement.closest('.label') !== null")


@pytest.mark.parametrize(("spec", "line"), [("tictactoe", "0-1-4-2-8"), ("hex:n=3", "4-0-1-2-7")])
def test_what_has_won_is_marked(browser, tmp_path, spec, line):
    _, page = opened(browser, tmp_path, spec)
    browser.run(f"location.hash = '#{line}'")
    browser.until("return document.querySelector('.won')")
    assert browser.run("return document.querySelector('.won').points.length") == 3
    assert len(page.texts(".ended .show")) == (1 if spec == "tictactoe" else 0)
    page.clean("file:")


def test_an_address_that_means_no_line(browser, tmp_path):
    write_page(analysis.solve("tictactoe", workers=1), tmp_path / "page.html")
    page = Page(browser, (tmp_path / "page.html").as_uri() + "#nonsense")
    assert page.here == "?" * 9
    assert "#nonsense" in page.text(".message")
