"""The page that a person walks through, in Chromium: everything on it is clicked or typed, for games of every kind."""

from urllib.parse import quote

import pytest

import analysis
from analysis.web.pages.page_file import write_page
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page
from tests.support.hostile import write_hostile
from tests.support.solved_kinds import USER

pytestmark = pytest.mark.slow

GAMES = (
    "tictactoe",
    "nim:heaps=2-2-3",
    "morris",
    "dots_and_boxes:rows=1,cols=2",
    "othello:size=4",
    "hex:n=3",
    "connect:rows=3,cols=4,k=3",
)
"""Marks, nimbers without a board, loops, scores and extra turns, passes, slanted rows, falling stones."""


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_everything_on_the_page(browser, shown, spec, device):
    with shown(spec) as served:
        page = Page(browser, served.url, device, dark=device is PHONE)
        solution = analysis.solve(spec, workers=1)
        start = solution[solution.start]
        assert page.here == start.position
        classes = {solution.engine.canonical(solution[move.position].state) for move in start.moves}
        assert len(page.texts(".move")) == len(classes)
        page.click("#merge")
        assert sorted(page.texts(".move .name")) == sorted(move.name for move in start.moves)

        best = page.changes(lambda: page.do("best"))
        first = next(move for move in start.moves if solution[best].state == solution[move.position].state)
        assert first.value == start.value
        assert page.changes(lambda: page.do("undo")) == start.position
        assert page.changes(lambda: page.do("redo")) == best
        assert page.changes(lambda: page.do("restart")) == start.position

        page.do("line")
        browser.until("return document.querySelectorAll('.strip li').length > 2")
        line = page.texts(".strip button")[1:]
        assert len(line) >= 1
        if not solution.loopy:
            assert len(line) == solution.remoteness_plies
        page.changes(lambda: page.click(".strip button", len(line)))
        assert page.text(".mistake") is None
        assert page.changes(lambda: page.click(".strip button", 0)) == start.position

        if solution.counted:
            text = " ".join(page.texts(".why details"))
            totals = [solution.records.of(solution[move.position].state).games for move in start.moves]
            assert all(f"{total:,} games" in text for total in totals)
            page.click("[data-tab=lines]")
            browser.until("return document.querySelectorAll('.branches .path').length")
            count = solution.records.of(start.state).optimal_paths
            assert f" {count:,} " in page.text("[data-panel=lines] p")
            best = [move.name for move in start.moves if move.optimal]
            assert sorted(" ".join(page.texts(".branches .path")).split()) == sorted(best)
            page.click(".branches summary")
            browser.until("return document.querySelectorAll('.branches .branches .path').length")
            page.changes(lambda: page.click(".branches .branches .path"))
            assert len(page.texts(".strip button")) == 3
            assert page.text(".mistake") is None
            page.click("[data-tab=moves]")
        page.clean(served.url)

        page.do("random")
        browser.until("return location.hash.startsWith('#p=') || location.hash === '#start'")
        anywhere = solution[page.here]
        spoken = page.text(".spoken")
        assert ("to move" in spoken) == bool(anywhere.moves)
        page.clean(served.url)


def test_a_line_is_an_address(browser, shown):
    with shown("tictactoe") as served:
        page = Page(browser, served.url)
        for cell in (4, 0, 8):
            page.changes(lambda cell=cell: page.click("svg.board .cell", cell))
        assert page.here == "O???X???X"
        address = browser.driver.current_url
        assert page.hash == "#4-0-8"
        browser.driver.back()
        page.becomes("O???X????")
        browser.driver.back()
        page.becomes("????X????")
        browser.driver.forward()
        page.becomes("O???X????")
        other = Page(browser, address)
        assert other.here == "O???X???X"
        assert other.texts(".strip button") == ["start", "4", "0", "8"]
        long = f"#p={quote('?' * 9, safe='')}&line="
        for right in (f"{long}4-0-8", f"{long}4-0-8-1&at=3", "#4-0-8-1&at=3", f"{long}4 a1 8"):
            assert Page(browser, served.here + right).here == "O???X???X"
        for wrong in ("#p=zz", "#4-4", f"{long}4-4", f"{long}4-99", "#p=%ff&line=x", "#p=zz&at=NaN"):
            wrong_page = Page(browser, served.here + wrong)
            assert wrong_page.here == ("????X????" if "4" in wrong else "?" * 9)
            assert wrong_page.text("main .error") != ""
        skipped = Page(browser, address)
        browser.run("document.querySelector('.skip').click()")
        browser.until("return location.hash === '#main'")
        browser.driver.back()
        browser.until("return location.hash !== '#main'")
        assert skipped.here == "O???X???X"
        assert browser.console() == []


def test_the_box_says_what_is_wrong(browser, shown):
    with shown("tictactoe") as served:
        page = Page(browser, served.url)
        box = browser.driver.find_element("id", "p")
        box.clear()
        box.send_keys("XXX\n")
        browser.until("return document.querySelector('#said').textContent.includes('XXX')")
        assert box.get_attribute("aria-invalid") == "true"
        assert page.here == "?" * 9
        assert all("400" in line for line in browser.console())  # the refusal of the server
        box.clear()
        box.send_keys("0124\n")
        page.becomes("XOX?O????")
        assert page.text("#said") == ""
        assert [text.partition("?")[0] for text in page.texts(".strip button")] == ["start", "0", "1", "2", "4"]
        box.clear()
        box.send_keys("XOX?O????")
        box.send_keys("\n")
        browser.until("return document.querySelectorAll('.strip button').length === 1")
        page.clean(served.url)


def test_a_mistake_and_what_it_cost(browser, shown):
    with shown("tictactoe") as served:
        page = Page(browser, served.here + "#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F&line=0-8")
        assert page.texts(".strip .mistake")[0].startswith("?, gave away: a tie in 8 moves became X wins in 5")
        kinds = "return [...document.querySelectorAll('.strip li')].map((each) => each.className.trim())"
        assert browser.run(kinds) == ["tie", "tie", "X"]


def test_a_number_is_a_position_where_positions_are_numbers(browser, tmp_path):
    """Never a move: a page with a part of the game says that it has it not."""
    (tmp_path / "count.py").write_text(USER)
    solution = analysis.solve(f"{tmp_path / 'count.py'}:Count", workers=1)
    write_page(solution, tmp_path / "part.html", depth=1)
    page = Page(browser, (tmp_path / "part.html").as_uri())
    box = browser.driver.find_element("id", "p")
    box.clear()
    box.send_keys("1\n")
    browser.until("return document.querySelector('#said').textContent !== ''")
    assert page.here == "0"


def test_a_page_from_a_position_says_so(browser, tmp_path):
    solution = analysis.solve("tictactoe", workers=1)
    write_page(solution, tmp_path / "later.html", start="X???O????")
    page = Page(browser, (tmp_path / "later.html").as_uri())
    assert "X???O????" in page.text(".notice")
    write_page(solution, tmp_path / "all.html")
    assert Page(browser, (tmp_path / "all.html").as_uri()).text(".notice") is None


def test_several_moves_in_one_cell(browser, shown):
    """Each has a part of the cell, also while values are hidden."""
    with shown("wild:rows=2,cols=3,k=3") as served:
        page = Page(browser, served.url)
        page.do("play")
        browser.until("return !document.querySelector('.playing').hidden")
        assert page.texts(".label text") == ["X", "O"] * 6
        assert page.changes(lambda: page.click("svg.board .label", 1)).startswith("O")
        page.clean(served.url)


def test_typed_moves_are_a_line(browser, shown):
    """In any notation; a position of no line keeps none."""
    with shown("tictactoe") as served:
        page = Page(browser, served.url)
        box = browser.driver.find_element("id", "p")
        for typed, moves in (("a1 b2", "#0-4"), ("a1 b2 0", "#0-4"), ("0, c3", "#0-8"), ("012", "#0-1-2")):
            box.clear()
            box.send_keys(typed + "\n")
            browser.until("return location.hash === arguments[0]", moves)
            assert len(page.texts(".strip button")) == moves.count("-") + 2
        browser.driver.back()
        browser.until("return location.hash === '#0-8'")


def test_screen_readers_and_paper(browser, shown):
    """What is read of each move, and that nothing moves; buttons are not printed, the board and its moves are."""
    with shown("connect:rows=3,cols=4,k=3") as served:
        Page(browser, served.url)
        solution = analysis.solve("connect:rows=3,cols=4,k=3", workers=1)
        names = browser.accessible_names("button")
        for move in solution[solution.start].moves:
            wanted = f"in {move.remoteness_plies} moves"
            assert any(f" {move.name} " in f" {name} " and wanted in name for name in names), (move, names)
        moving = ["transitionDuration", "animationDuration"]
        for style in moving:
            script = (
                "return [...document.querySelectorAll('*')].every("
                "(each) => ['0s', ''].includes(getComputedStyle(each)[arguments[0]]))"
            )
            assert browser.run(script, style)
        browser.command("Emulation.setEmulatedMedia", media="print")
        seen = "return [...document.querySelectorAll(arguments[0])].some((each) => each.checkVisibility())"
        assert not browser.run(seen, ".toolbar, .box, dialog")
        assert browser.run(seen, "svg.board")
        assert browser.run(seen, ".move")
        browser.command("Emulation.setEmulatedMedia", media="")


def test_keys(browser, shown):
    from selenium.webdriver.common.keys import Keys

    with shown("tictactoe") as served:
        page = Page(browser, served.url)
        page.changes(lambda: page.keys(" "))
        page.changes(lambda: page.keys(Keys.ARROW_DOWN + Keys.ARROW_DOWN + Keys.ENTER))
        assert len(page.texts(".strip button")) == 3
        page.changes(lambda: page.keys(Keys.ARROW_LEFT))
        page.changes(lambda: page.keys(Keys.ARROW_RIGHT))
        page.changes(lambda: page.keys(Keys.HOME))
        page.keys("b")
        browser.until("return document.querySelectorAll('.strip button').length === 10")
        page.keys("?")
        browser.until("return document.querySelector('dialog').open")
        assert browser.axe() == []
        page.keys(Keys.ESCAPE)
        page.changes(lambda: page.keys("r"))
        held = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', repeat: true, bubbles: true}))"
        Page(browser, served.url)
        browser.until(f"{held}; return document.querySelectorAll('.strip li').length === 10")
        page.clean(served.url)


@pytest.mark.parametrize("drawn", ["grid", "picture", "text"])
def test_a_hostile_game(browser, shown, tmp_path, drawn):
    with shown(f"{write_hostile(tmp_path)}:drawn={drawn}") as served:
        page = Page(browser, served.url)
        moves = len(page.texts(".move"))
        for number in range(moves):
            page.changes(lambda number=number: page.click(".move", number))
            browser.driver.refresh()
            browser.until(
                "return document.querySelectorAll('.strip [aria-current]').length === 1 && "
                "document.querySelector('.strip [aria-current]').textContent !== 'start'"
            )
            assert browser.run("return document.querySelectorAll('main :is(img, b, i, script, iframe)').length") == 0
            page.changes(lambda: page.do("restart"))
        assert moves > 20
        page.clean(served.url)
