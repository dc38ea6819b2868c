"""Play against a level: what the server and a file answer, and a game on the page."""

import random

import pytest

from tests.support.asking import FEW_CLASSES, KINDS, Asking, q, solved, some_positions
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page, ask_both

ASK = """
  const replies = [];
  for (const text of asked) {
    const all = [];
    for (let number = 0; number < 40; number++)
      all.push((await sources[0].fetched("/reply", { p: text, against: number % 2 ? "perfect" : "random" })).move.move);
    replies.push(all);
  }
  return replies;
"""


def unfinished(solution, number):
    return [each for each in some_positions(solution, 4 * number) if each.moves][:number]


@pytest.mark.parametrize("spec", [*FEW_CLASSES, pytest.param("morris", marks=pytest.mark.slow)])
def test_replies(spec):
    solution = solved(spec)
    asking = Asking(solution)
    for each in unfinished(solution, 6):
        for level in ("random", "greedy", "perfect", "blunder:1/10"):
            fields = f"p={q(each.position)}&against={q(level)}"
            reply = asking.native(f"/reply?{fields}&seed=7")
            moves = {move.move: move for move in each.moves}
            assert reply["move"]["position"] == moves[reply["move"]["move"]].position
            assert reply == asking.native(f"/reply?{fields}&seed=7")
            if level == "perfect":
                assert reply["move"]["optimal"]


def test_wrong_input():
    asking = Asking(solved("tictactoe"))
    assert "is none of" in asking.refusal("/api/v1/tictactoe/reply?against=strong")
    assert "over" in asking.refusal("/api/v1/tictactoe/reply?p=03142")
    asking.refusal("/api/v1/tictactoe/reply?p=zz")
    asking.refusal("/api/v1/tictactoe/reply?seed=x")


def test_a_level_that_takes_long():
    asking = Asking(solved("connect:rows=4,cols=4"))
    for level in ("depth:3", "depth:16"):
        assert asking.native(f"/reply?against={level}")["level"] == level


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*KINDS, "morris", "grundy:heap=10", "connect:rows=4,cols=4"])
def test_replies_of_a_file(browser, spec):
    solution = solved(spec)
    texts = [each.position for each in unfinished(solution, 12)]
    for text, chosen in zip(texts, ask_both(browser, spec, solution, ASK, texts), strict=True):
        legal = {move.move: move.optimal for move in solution[text].moves}
        assert all(legal[move] for move in chosen[1::2])
        assert set(chosen) <= legal.keys()


def begin(page, side, level, *, here=False, secret=False):
    page.browser.run("document.querySelector('[data-tab=opponent]').click()")
    page.browser.until("return document.querySelector('#play-side')")
    page.browser.run(
        "for (const [id, value] of Object.entries(arguments[0])) { const box = document.getElementById(id); "
        "box.value = value; box.dispatchEvent(new Event('change')); }",
        {"play-side": side, "play-level": level},
    )
    page.browser.run("document.getElementById('play-secret').checked = arguments[0]", secret)
    page.button("Play from here" if here else "Play from the start")
    page.browser.until(
        "return document.querySelector('.playing').textContent.includes(arguments[0])", f"against {level}"
    )


def my_turn(page):
    """Wait until the level has moved."""
    return page.browser.until(
        "const { hidden, textContent: said } = document.querySelector('.playing'); "
        "return hidden ? 'over' : !said.includes(' to move.') && said"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "side", "level", "device"),
    [
        ("tictactoe", "X", "random", DESKTOP),
        ("tictactoe", "O", "perfect", PHONE),
        ("dots_and_boxes:rows=1,cols=2", "X", "perfect", DESKTOP),
        ("othello:size=4", "O", "random", PHONE),
    ],
)
def test_a_whole_game(browser, shown, spec, side, level, device):
    solution, numbers = solved(spec), random.Random(1)
    with shown(spec) as served:
        page = Page(browser, served.url, device, dark=device is PHONE)
        page.click("#merge")
        begin(page, side, level, secret=True)
        given = []
        while "your move" in my_turn(page):
            here = solution[page.here]
            assert "XO"[here.to_move < 0] == side
            assert page.texts(".letter") == []
            place = numbers.randrange(len(here.moves))
            chosen = sorted(here.moves, key=lambda move: move.move)[place]
            if not chosen.optimal:
                given.append(page.browser.run("return document.querySelectorAll('.strip button').length"))
            page.changes(lambda place=place: page.click(".move", place))
        assert "to move" not in page.text(".spoken")
        told = {int(text.partition(":")[0].removeprefix("Move ")): text for text in page.texts(".given li")}
        own = [place for place, text in told.items() if " You gave " in text]
        assert own == given
        page.clean(served.url)
        if given:
            page.changes(lambda: page.click(".given .show"))
            assert page.texts(".letter") or "over" in page.text(".spoken")
            assert page.text(".card")
        page.button("Stop playing")
        assert not browser.run("return document.querySelector('.playing').checkVisibility()")


@pytest.mark.slow
def test_who_could_not_win_is_told_so(browser, shown):
    with shown("kayles:pins=3") as served:
        page = Page(browser, served.url)
        begin(page, "O", "perfect", secret=True)
        while "your move" in my_turn(page):
            page.changes(lambda: page.click("svg.board .label"))
        card = page.text(".card")
        for part in ("You lost: O has no move.", "As O you could not have won", "None of your 1 move changed"):
            assert part in card
        assert page.texts(".show") == []
        page.clean(served.url)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "line", "told"),
    [
        (
            "tictactoe",
            "2-4-6-1-0-7",
            ("O wins: 3 O in a row", "Move 5: 0 X gave the tie away: a tie in 5 moves became O"),
        ),
        ("hex:n=2", "0-2-1-3", ("O wins: the two sides are joined", "Move 1: 0 X gave the win away")),
    ],
)
def test_a_refutation_is_played_on_the_board(browser, shown, spec, line, told):
    """It is best play after the first move that gave value away, and the card stays."""
    solution = solved(spec)
    with shown(spec) as served:
        page = Page(browser, served.url + f"#{line}")
        card = page.text(".card")
        assert all(part in card for part in told)
        codes = [int(code) for code in line.split("-")]
        before, place = solution[solution.start], 0
        while (move := next(each for each in before.moves if each.move == codes[place])).optimal:
            before, place = solution[move.position], place + 1
        page.click(".show")
        after = solution[move.position]
        wanted = place + 1 + (after.remoteness_plies or 0)
        browser.until("return document.querySelectorAll('.strip .ahead').length > 0")
        browser.until("return document.querySelectorAll('.strip .ahead').length === 0")
        assert len(page.texts(".strip li")) == wanted + 1
        end = solution[page.here]
        assert (end.terminal, end.value) == (True, after.value)
        assert page.text(".card") == card
        page.click("[data-do=restart]")
        assert page.text(".card") is None


@pytest.mark.slow
def test_back_and_on_and_from_here(browser, shown):
    with shown("tictactoe") as served:
        page = Page(browser, served.here + "#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F&line=4")
        begin(page, "X", "perfect", here=True)
        my_turn(page)
        assert page.here.count("O") == 1
        assert page.texts(".letter")
        page.changes(lambda: page.do("undo"))
        page.changes(lambda: page.do("undo"))
        assert page.here == "?????????"
        page.changes(lambda: page.click("svg.board .cell", 0))
        my_turn(page)
        browser.until("return document.querySelectorAll('.strip button').length === 3")
        assert page.here == "X???O????"
        page.clean(served.url)
