"""Guess mode and puzzles: what positions are worth is hidden, and nothing on the page tells it before the guess."""

import pytest

import analysis
from analysis.web.pages.page_file import write_page
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page, ask_both

pytestmark = pytest.mark.slow

HTML = """
const root = document.querySelector(".explorer").cloneNode(true);
for (const each of root.querySelectorAll("h1, .goal")) each.remove();
return root.outerHTML;
"""

FIND = """
  await sources[0].ready;
  return Promise.all(asked.map((fields) => Promise.all(sources.map((source) => source.fetched("/find", fields)))));
"""

ASKED = (
    {},
    {"limit": 1000},
    {"where": "to_move = O and value = tie and only_move", "order": "errs"},
    {"where": "remoteness_plies >= 2", "order": "remoteness", "limit": 30},
    {"where": "only_move", "limit": 50},
    {"where": "value = X and remoteness_plies >= 3"},
    {"where": "value = draw", "order": "errs"},
    {"where": "value = win", "order": "remoteness"},
    {"where": "value != loss and to_move = X", "limit": 50},
    {"order": "errs", "limit": 1000},
)


def secret(page):
    return page.browser.run("return document.querySelector('[data-do=guess]').getAttribute('aria-pressed') === 'true'")


def open_all(page):
    page.browser.run(
        "for (const each of document.querySelectorAll('.panel')) each.open = true; "
        "for (const each of document.querySelectorAll('[role=tab]:not(:disabled)')) each.click()"
    )
    page.browser.until("return document.querySelector('#puzzle-least')")
    page.browser.until("return !document.querySelector('[aria-busy]')")


def test_nothing_tells_what_is_hidden(browser, tmp_path):
    """Two games of the same moves, of which one is won where the other is lost: their pages are the same."""
    found = []
    for number, spec in enumerate(("tictactoe", "mnk:rows=3,cols=3,k=3,misere=true")):
        solution = analysis.solve(spec, workers=1)
        write_page(solution, tmp_path / f"{number}.html")
        page = Page(browser, (tmp_path / f"{number}.html").as_uri())
        page.do("guess")
        texts = []
        for line in ("", "0", "0-4", "0-4-8", "0-1-4", "4-0-8-2"):
            browser.run(f"location.hash = '#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F&line={line}'")
            browser.until(
                "return document.querySelectorAll('.strip button').length === arguments[0]",
                line.count("-") + 1 + bool(line),
            )
            open_all(page)
            for words in (browser.run(HTML), *browser.accessible_names("button"), browser.run("return document.title")):
                texts.append(words.replace(spec, "").replace(solution.game.headline[0], "").replace(", misère", ""))
        found.append(texts)
    assert found[0] == found[1]
    assert "#p=" in page.hash
    assert browser.console() == []


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_guesses_are_judged(browser, shown, device):
    with shown("tictactoe") as served:
        page = Page(browser, served.here + "#p=X%3F%3F%3F%3F%3F%3F%3F%3F", device)
        page.keys("g")
        assert secret(page)
        before = page.hash
        for key in (" ", "b"):
            page.keys(key)
        open_all(page)
        assert page.hash == before
        there = "return [...document.querySelectorAll('.panel:not([hidden])')].map((each) => each.dataset.panel)"
        assert sorted(browser.run(there)) == ["opponent", "puzzles"]
        page.clean(served.url)
        page.click(".move", 0)
        verdict = page.text(".guessing [role=status]")
        assert verdict.startswith("No: after 1 a tie in 8 moves becomes X wins")
        assert verdict.endswith("; 4 keeps it.")
        assert page.text(".guessing .muted") == "Right so far: 0 of 1."
        assert page.texts(".letter")
        page.clean(served.url)
        page.changes(lambda: page.button("Go on"))
        assert page.here == "X???O????"
        assert page.texts(".letter") == []
        page.click("svg.board .cell", 1)
        assert page.text(".guessing [role=status]").startswith("Right: 1 keeps the value")
        assert page.text(".guessing .muted").startswith("Right so far: 1 of 2")
        assert page.texts(".letter")
        page.changes(lambda: page.do("best"))
        assert page.texts(".letter") == []
        page.do("guess")
        assert not secret(page)
        assert page.texts(".letter")
        assert not browser.run("return document.querySelector('.guessing').checkVisibility()")


@pytest.mark.parametrize(
    ("spec", "chosen", "query"),
    [
        ("tictactoe", {}, "only_move and remoteness_plies >= 1"),
        (
            "tictactoe",
            {"to_move": "O", "value": "tie", "least": "5"},
            "only_move and to_move=O and value=tie and remoteness_plies >= 5",
        ),
        ("morris", {"value": "draw"}, "only_move and value=draw"),
        ("tictactoe", {"value": "win", "order": "remoteness"}, "only_move and value=win and remoteness_plies >= 1"),
        ("nim:heaps=2-2-3", {"to_move": "X"}, "only_move and to_move=X and remoteness_plies >= 1"),
    ],
)
def test_puzzles_are_what_a_search_finds(browser, shown, spec, chosen, query):
    solution = analysis.solve(spec, workers=1)
    found = solution.find(query, order=chosen.get("order", "errs"), limit=4)
    expected = [each.position for each in found if each.position != solution.start][:3]
    with shown(spec) as served:
        page = Page(browser, served.url)
        browser.run("document.querySelector('[data-tab=puzzles]').click()")
        browser.until("return document.querySelector('#puzzle-least')")
        for name, value in chosen.items():
            browser.run("document.querySelector(`#puzzle-${arguments[0]}`).value = arguments[1]", name, value)
        browser.run("document.querySelector('.puzzles').requestSubmit()")
        browser.until(
            "const form = document.querySelector('.puzzles'); "
            "return form.querySelector('[role=status]').textContent.startsWith('Number')"
        )
        for number, position in enumerate(expected):
            if number:
                browser.run("document.querySelector('.puzzles').requestSubmit()")
            page.becomes(position)
            assert page.texts(".letter") == []
        here = solution[expected[-1]]
        side = here.to_move
        goal = "win" if here.value * side > 0 else "draw" if here.remoteness_plies is None else "tie"
        assert page.text(".spoken").endswith(f" {goal}.")
        right = next(move for move in here.moves if move.optimal)
        wrong = next(move for move in here.moves if not move.optimal)
        page.click(f".label[data-move='{wrong.move}']")
        reply = solution[wrong.position].moves
        browser.until(f"return document.querySelectorAll('.strip button').length === {3 if reply else 2}")
        assert page.text(".guessing [role=status]").startswith(f"No: after {wrong.name}")
        assert f"{right.name} keeps it" in page.text(".guessing [role=status]")
        page.clean(served.url)
        page.button("Try again")
        page.becomes(here.position)
        assert page.texts(".letter") == []
        page.click(f".label[data-move='{right.move}']")
        browser.until("return document.querySelector('.guessing [role=status]').textContent.startsWith('Right')")
        page.button("Next puzzle")
        browser.until("return document.querySelector('.puzzles [role=status]').textContent.startsWith('Number 4')")
        browser.until("return document.querySelectorAll('.letter').length === 0")


@pytest.mark.parametrize(
    "spec",
    ["tictactoe", "morris", "nim:heaps=2-2-3", "kayles:pins=6", "dots_and_boxes:rows=1,cols=2", "othello:size=4"],
)
def test_a_file_finds_what_the_server_finds(browser, spec):
    """What the page asks for: always so many."""
    asked = [{"limit": 20} | fields for fields in ASKED]
    found = ask_both(browser, spec, analysis.solve(spec, workers=1), FIND, asked)
    for fields, sides in zip(asked, found, strict=True):
        from_table, from_server = ([each["position"] for each in side["positions"]] for side in sides)
        assert from_table == from_server, fields
