"""Reports in a real browser: Chromium on a phone and at a desk, light and dark, without a network."""

import pytest

import analysis
from analysis.reports.report import write_report
from tests.support.browser import DESKTOP, PHONE, Browser, find_programs
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


@pytest.mark.parametrize("kind", ["a tie", "heaps without a board"])
def test_axe_finds_nothing_wrong(browser, page, kind):
    for device, dark in ((PHONE, False), (DESKTOP, True)):
        browser.open(page(kind), device, dark=dark)
        browser.run(UNFOLD)
        assert browser.axe() == []


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


def test_what_a_game_says_is_text(browser, page):
    browser.open(page("one's own"), DESKTOP)
    assert browser.run("return document.scripts.length + document.images.length") == 0
    text = browser.run("return document.body.textContent")
    assert "<script>document.title = 'broken'</script> & \"quoted\" $x$ {{ 7 * 7 }}" in text
    assert "</style></title></svg><script>" in text
    assert "<script>document.title = '0'</script>" in text  # a move
    assert "<img src=x onerror=alert(8)>" in text  # a position
