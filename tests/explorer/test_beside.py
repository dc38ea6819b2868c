"""Two solutions beside each other: the same positions, moves worth something else, where a line first differs."""

from __future__ import annotations

import contextlib
import json

import pytest

import analysis
from analysis.explorer.notebook import answer_json
from analysis.explorer.pages.page_file import write_page
from analysis.explorer.served import Site
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page
from tests.support.hostile import write_hostile
from tests.support.program import one_line
from tests.support.serving import serving

MISERE = "mnk:rows=3,cols=3,k=3,misere=true"
PAIRS = (
    ("tictactoe", MISERE),
    ("connect:rows=3,cols=4,k=3", "connect:rows=3,cols=4,k=4"),
    ("mnk:rows=3,cols=3,k=2", "tictactoe"),
    ("morris", "morris"),
    ("dots_and_boxes:rows=1,cols=2", "dots_and_boxes:rows=1,cols=2"),
)

OPEN = "document.querySelector('[data-panel=beside]').open = true"
FILLED = """
const panel = document.querySelector("[data-panel=beside]");
return panel.querySelector("p") && !panel.querySelector("[aria-busy]");
"""


@pytest.fixture(params=["http", "file"])
def both(request, tmp_path):
    """The address of a page with another solution beside it."""

    @contextlib.contextmanager
    def from_server(first, second):
        with serving(first, second) as served:
            yield served.url + f"game/{Site([analysis.solve(first, workers=1)])[0].id}", served.url

    @contextlib.contextmanager
    def from_file(first, second):
        path = tmp_path / "both.html"
        write_page(analysis.solve(first, workers=1), path, beside=analysis.solve(second, workers=1))
        yield path.as_uri(), path.as_uri()

    return from_server if request.param == "http" else from_file


def position_in(solution, text):
    try:
        return solution[text]
    except analysis.GametreeError:
        return None


def differing_moves(here, there):
    """How many moves are worth something else, keep the value in one only, or are there in one only."""
    mine = {move.position: move for move in here.moves}
    other = {move.position: move for move in there.moves}
    return sum(
        text not in mine
        or text not in other
        or (mine[text].value, mine[text].optimal) != (other[text].value, other[text].optimal)
        for text in mine.keys() | other.keys()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_differs(browser, both, first, second):
    here, there = analysis.solve(first, workers=1), analysis.solve(second, workers=1)
    texts = [each.position for each in list(here)[::97]][:40]
    with both(first, second) as (address, url):
        page = Page(browser, address)
        browser.run(OPEN)
        for text in [here.start, *texts]:
            browser.run(
                "const box = document.querySelector('#p'); box.value = arguments[0]; box.form.requestSubmit()", text
            )
            page.becomes(text)
            browser.until(FILLED)
            mine, other = here[text], position_in(there, text)
            said = page.text("[data-panel=beside]")
            if other is None:
                assert "no position there" in said
                continue
            same = mine.value == other.value
            assert ("Their values differ" in said) == (not same)
            rows = browser.run("return document.querySelectorAll('table.beside tbody tr').length")
            assert rows == len({move.position for move in (*mine.moves, *other.moves)})
            assert len(page.texts("tr.differs")) == differing_moves(mine, other)
            assert ("They first differ after 0 moves" in said) == (not same)
        page.clean(url)


@pytest.mark.slow
@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_lines_to_the_first_difference(browser, both, device):
    """Both begin as ties; best play of each is followed to where the other one says something else."""
    here, there = (analysis.solve(spec, workers=1) for spec in ("tictactoe", MISERE))
    assert here.value == there.value
    with both("tictactoe", MISERE) as (address, url):
        page = Page(browser, address + "#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F&line=4-0-2-1", device, dark=True)
        browser.run(OPEN)
        browser.until(FILLED)
        line = ["?????????", "????X????", "O???X????", "O?X?X????", "OOX?X????"]
        place = next(number for number, text in enumerate(line) if here[text].value != there[text].value)
        assert f"first differ after {place} move" in page.text("[data-panel=beside]")
        assert 0 < place < 4
        page.changes(lambda: page.button("Go there"))
        assert page.here == line[place]
        for number, source in enumerate((here, there)):
            page.changes(lambda: page.do("random"))
            browser.run("location.hash = '#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F'")
            page.becomes("?" * 9)
            browser.until(FILLED)
            page.changes(lambda number=number: page.click("[data-panel=beside] button", number))
            expected = "?" * 9
            for move in source.best_line(source[source.start].state):
                if here[expected].value != there[expected].value:
                    break
                expected = move.position
            assert page.here == expected
        page.clean(url)


@pytest.mark.slow
def test_nothing_in_common_and_a_hostile_game(browser, both, tmp_path):
    write_hostile(tmp_path)
    with both("tictactoe", f"{tmp_path / 'hostile.py'}:Hostile") as (address, url):
        page = Page(browser, address)
        browser.run(OPEN)
        browser.until(FILLED)
        assert "no position there" in page.text("[data-panel=beside]")
        assert browser.run("return document.querySelectorAll('main :is(img, b, i, script, iframe)').length") == 0
        page.clean(url)


@pytest.mark.slow
def test_one_solution_alone_has_nothing_beside_it(browser, shown):
    with shown("tictactoe") as served:
        Page(browser, served.url)
        assert browser.run("return document.querySelector('[data-panel=beside]')") is None


@pytest.mark.slow
def test_several_to_choose_from(browser):
    with serving("tictactoe", "nim", MISERE) as served:
        page = Page(browser, served.url + "game/tictactoe")
        browser.run(OPEN)
        browser.until(FILLED)
        assert page.texts("#beside option") == ["nim:heaps=3-4-5,take=any", MISERE]
        browser.run(
            "const box = document.querySelector('#beside'); box.value = box.options[1].value; "
            "box.dispatchEvent(new Event('change'))"
        )
        browser.until("return document.querySelectorAll('table.beside tbody tr').length === 9")
        page.changes(lambda: page.do("best"))
        browser.until("return document.querySelectorAll('table.beside tbody tr').length === 8")
        page.clean(served.url)


def test_a_kernel_tells_of_both():
    site = Site([analysis.solve("tictactoe", workers=1), analysis.solve(MISERE, workers=1)])
    values = []
    for served in site:
        asked = {"number": "1", "id": served.id, "path": "/position", "fields": {"p": "X???O????"}}
        values.append(json.loads(answer_json(site, asked))["answer"]["continuations"])
    assert values[0]["X"] == values[1]["O"]


def test_wrong_input(gametree, tmp_path):
    file = str(tmp_path / "page.html")
    one_line(gametree("explore", "tictactoe", "nim", "kayles", "--out", file), 2, "two beside each other")
    one_line(gametree("explore", "tictactoe", "nim", "--out", file, "--from", "X????????"), 2, "X????????")
    one_line(gametree("explore", "tictactoe", "bidding:game=tictactoe,chips=4", "--out", file), 2, "by turns")
    assert not (tmp_path / "page.html").exists()
    found = gametree("explore", "tictactoe", MISERE, "--out", file, "--from", "X????????")
    assert found.code == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count('class="table"') == 2
