"""Reports in a real browser: Chromium on a phone and at a desk, light and dark, without a network."""

import itertools

import pytest

import analysis
from analysis.reports.report import write_report
from tests.support.browser import DESKTOP, PAPER, PHONE, Browser, find_programs
from tests.support.report_games import GAMES, write_own
from tests.support.report_numbers import READ, check_numbers

pytestmark = pytest.mark.slow

UNFOLD = "for (const details of document.querySelectorAll('details')) details.open = true"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    find_programs()
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The file of a report, by the kind of its game."""
    folder, found = tmp_path_factory.mktemp("reports"), {}
    write_own(folder)

    def find(kind: str):
        if kind not in found:
            game, options = GAMES[kind]
            game = str(folder / game) if game.endswith(".py") else game
            found[kind] = write_report(game, folder / kind.replace(" ", "-"), **options).page
        return found[kind]

    find.folder = folder
    return find


@pytest.mark.parametrize("kind", [kind for i, kind in enumerate(GAMES) if i % 2 == 0])
def test_nothing_is_fetched_said_or_wider_than_the_screen(browser, page, kind):
    for device in (PHONE, DESKTOP):
        browser.open(page(kind), device)
        assert _width(browser) <= device["width"]
        browser.run(UNFOLD)
        assert _width(browser) <= device["width"]
        assert browser.console() == []
        assert browser.requests() == [page(kind).as_uri()]
    start = f" from {GAMES[kind][1]['position']}" if "position" in GAMES[kind][1] else ""
    assert browser.run("return document.title") == f"{analysis_spec(page, kind)}{start} \N{EN DASH} a gametree report"


def _width(browser) -> int:
    width, inner = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner
    return inner


def analysis_spec(page, kind: str) -> str:
    game = GAMES[kind][0]
    return analysis.load_game(str(page.folder / game) if game.endswith(".py") else game).spec


def test_the_test_would_notice_what_is_fetched_and_said(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><title>bad</title><img src='https://example.org/x.png'><script>console.error('oh')</script>"
        "<div style='width: 999px'>wide</div><svg role='img'></svg>"
    )
    browser.open(bad, PHONE)
    assert "https://example.org/x.png" in browser.requests()
    assert any("oh" in message for message in browser.console())
    assert browser.run("return document.documentElement.scrollWidth") > PHONE["width"]
    assert any(line.startswith("svg-img-alt") for line in browser.axe())


@pytest.mark.parametrize("kind", ["a tie", "heaps without a board"])
def test_axe_finds_nothing_wrong(browser, page, kind):
    for device, dark in ((PHONE, False), (DESKTOP, True)):
        browser.open(page(kind), device, dark=dark)
        browser.run(UNFOLD)
        assert browser.axe() == []


def test_light_and_dark_are_different_pages(browser, page):
    seen = []
    for dark in (False, True):
        browser.open(page("a tie with puzzles"), DESKTOP, dark=dark)
        seen.append(
            browser.run(
                "const of = e => getComputedStyle(e);"
                "const label = document.querySelector('figure.growth svg text');"
                "return [of(document.documentElement).backgroundColor, of(document.body).color, of(label).fill]"
            )
        )
    assert seen[0] == ["rgb(255, 255, 255)", "rgb(34, 34, 34)", "rgb(34, 34, 34)"]
    assert seen[1] == ["rgb(20, 23, 28)", "rgb(236, 236, 236)", "rgb(236, 236, 236)"]


@pytest.mark.parametrize("kind", GAMES)
def test_figures_are_there_and_have_names(browser, page, kind):
    browser.open(page(kind), PHONE)
    figures = browser.run(
        "return [...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect())"
        ".map(box => [box.left, box.right, box.height])"
    )
    names = browser.accessible_names("image")
    assert len(names) == len(figures)
    assert all(len(name) > 5 for name in names), names
    assert len(figures) >= (1 if kind == "over at the start" else 4)
    assert all(0 <= left < right <= PHONE["width"] and height > 30 for left, right, height in figures)


def test_numbers_on_the_page_equal_stats_of_the_command_line(browser, page, gametree):
    browser.open(page("a tie with puzzles"), DESKTOP)
    check_numbers(browser.run(READ), gametree("stats", "tictactoe", "--format", "json").json)


def test_everything_is_there_without_scripts(browser, page):
    browser.open(page("a tie with puzzles"), DESKTOP)
    with_scripts = browser.accessible_names("image"), browser.accessible_names("heading")
    browser.open(page("a tie with puzzles"), DESKTOP, scripts=False)
    assert (browser.accessible_names("image"), browser.accessible_names("heading")) == with_scripts
    assert len(with_scripts[0]) == 6


def test_what_a_game_says_is_text(browser, page):
    browser.open(page("one's own"), DESKTOP)
    assert browser.run("return document.scripts.length + document.images.length") == 0
    text = browser.run("return document.body.textContent")
    assert "<script>document.title = 'broken'</script> & \"quoted\" $x$ {{ 7 * 7 }}" in text
    assert "</style></title></svg><script>" in text
    assert "<script>document.title = '0'</script>" in text  # a move
    assert "<img src=x onerror=alert(8)>" in text  # a position


def test_by_keyboard(browser, page):
    from selenium.webdriver import Keys

    browser.open(page("a tie with puzzles"), DESKTOP)
    body = browser.driver.switch_to.active_element
    body.send_keys(Keys.TAB)
    assert browser.run("return document.activeElement.textContent") == "Skip to the report"
    assert browser.run("return document.activeElement.getBoundingClientRect().top") >= 0
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "report"
    reached = list(itertools.takewhile(lambda found: found[0] != "BODY", (_tab(browser, Keys.TAB) for _ in range(99))))
    count = browser.run("return document.querySelectorAll('main summary').length")
    assert sum(tag == "SUMMARY" for tag, *_ in reached) == count > 8
    assert ("DIV", "Table: What each search did", "solid") in reached  # which scrolls by the arrow keys
    assert {outline for *_, outline in reached} == {"solid"}


def _tab(browser, key) -> tuple[str, str | None, str]:
    """Where the key leads: the element, its label, and the line around it."""
    browser.driver.switch_to.active_element.send_keys(key)
    return tuple(browser.run(FOCUSED))


FOCUSED = "const e = document.activeElement; return [e.tagName, e.ariaLabel, getComputedStyle(e).outlineStyle]"


def test_details_open_by_keyboard(browser, page):
    from selenium.webdriver import Keys

    browser.open(page("a tie with puzzles"), PHONE)
    browser.run("document.querySelector('details:not([open]) summary').focus()")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.parentElement.open")


def test_print_shows_what_is_folded(browser, page):
    browser.open(page("a tie with puzzles"), DESKTOP, dark=True)
    browser.command("Emulation.setEmulatedMedia", media="print")
    colour, hidden = browser.run(
        "return [getComputedStyle(document.body).color,"
        "[...document.querySelectorAll('table')].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).length]"
    )
    assert (colour, hidden) == ("rgb(34, 34, 34)", 0)
    browser.command("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("kind", GAMES)
def test_tables_fit_a_printed_page(browser, page, kind):
    """A table wider than the paper would make the browser shrink the whole page."""
    browser.open(page(kind), PAPER)
    browser.command("Emulation.setEmulatedMedia", media="print")
    wide = browser.run(
        "return [...document.querySelectorAll('table, pre')].filter(e => e.checkVisibility())"
        ".map(e => [e.dataset.table || e.tagName, e.offsetWidth - e.parentElement.clientWidth])"
        ".filter(found => found[1] > 0)"
    )
    text = browser.run("return parseFloat(getComputedStyle(document.body).fontSize)")
    browser.command("Emulation.setEmulatedMedia", media="")
    assert wide == []
    assert text > 12  # pixels: 10 points


def test_a_table_wider_than_its_box_shows_that_there_is_more(browser, page):
    browser.open(page("a tie with puzzles"), PHONE)
    browser.run(UNFOLD)
    box = "const e = document.querySelector('[data-table=first_moves]').parentElement;"
    assert browser.run(f"{box} return e.scrollWidth > e.clientWidth")
    assert (
        browser.run(f"{box} return getComputedStyle(e).backgroundAttachment") == "local, local, scroll, scroll, scroll"
    )
