"""Bidding games in the explorer: what is answered of states and pairs of bids, and pages that links lead through."""

import html
import random
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import analysis
from analysis.bidding.bidding_players import solved_bidder
from analysis.bidding.bidding_rules import BiddingRules, Contest
from analysis.common.wording import in_words
from analysis.errors import OptionError
from analysis.web.asked import Asked
from analysis.web.pages.rendering import walked
from analysis.web.served import BID_QUESTIONS, Site
from tests.support.asking import Asking, check_numbers, q, solved
from tests.support.browser import PHONE
from tests.support.explorer_page import Page
from tests.support.serving import serving
from tests.web.test_pages import Links

SPECS = (
    "bidding:game=mnk,rows=2,cols=2,k=2,chips=2",
    "bidding:game=tictactoe,chips=3,ties=chooses",
)


@pytest.fixture(scope="module", params=SPECS)
def asking(request):
    return Asking(analysis.solve(request.param))


def base(asking):
    (identifier,) = asking.site.auctions
    return f"/api/v1/{identifier}"


def test_states_and_what_follows_bids(asking):
    """As the solution has it; after the best placement a pair of bids is worth what the matrix says."""
    (auctioned,) = asking.site.auctions.values()
    solution, numbers = auctioned.solution, random.Random(1)
    for _ in range(6):
        text = solution.game.format_state(solution.start)
        while not (told := asking.json(f"{base(asking)}/position?p={q(text)}"))["terminal"]:
            check_numbers(told)
            drawn = {"sales": None, "picture": None, "grid": told["grid"]}
            assert told | {"sales": None} == solution[text].to_json() | drawn
            x, o = (numbers.choice(told["legal_bids"][side])["bid"] for side in "XO")
            found = asking.json(f"{base(asking)}/position?p={q(text)}&x={x}&o={o}")
            check_numbers(found)
            for sale in found["sales"]:
                assert sale["winner"] == ("X" if x > o else "O") or x == o
                for move in sale["placements"]:
                    assert asking.json(f"{base(asking)}/position?p={q(move['position'])}")["value"] == move["value"]
            values = [sale["placements"][0]["value"] for sale in found["sales"]]
            row = [each["bid"] for each in told["legal_bids"]["X"]].index(x)
            column = [each["bid"] for each in told["legal_bids"]["O"]].index(o)
            chosen = max(values) if told["advantage"] == "X" else min(values)
            assert chosen == pytest.approx(told["matrix"][row][column])
            text = numbers.choice(numbers.choice(found["sales"])["placements"])["position"]


def test_links_lead_on(asking):
    """From the start to the end of a game by links alone: a pair of bids, then a move."""
    numbers, path, ended = random.Random(2), asking.get("/").headers["location"], False
    while not ended:
        page = Links(asking.get(path).text)
        assert page.tags.isdisjoint({"style", "img"})
        games = [link for link in page.links if link.startswith("/game/")]
        played = line_of(path)
        pairs = [link for link in games if "&x=" in link and line_of(link) == played]
        ended = not pairs
        if pairs:
            after = Links(asking.get(numbers.choice(pairs)).text)
            path = numbers.choice([link for link in after.links if len(line_of(link)) > len(played)])
    assert "over" in html.unescape("".join(page.shown))
    assert [line_of(link) for link in games if "&x=" in link] == [played[:number] for number in range(len(played))]


def line_of(link):
    """The rounds that led to a page."""
    (line,) = parse_qs(urlsplit(link).query).get("line", [""])
    return line.split(".") if line else []


def test_who_gave_value_away(asking):
    """In games at random, the line marks what gave value away."""
    (auctioned,) = asking.site.auctions.values()
    solution, numbers, found = auctioned.solution, random.Random(3), set()
    table = BiddingRules(solution.game)
    for _ in range(8):
        contest, line = Contest(table, solution.start), []
        while contest.payoff is None:
            for _ in range(2):
                contest.play(numbers.choice(contest.turn.choices))
            if contest.turn.kind == "tie":
                contest.play(numbers.choice(contest.turn.choices))
            contest.play(numbers.choice(contest.turn.choices))
            _, x, o, sale, move, _ = contest.rounds[-1]
            line.append(f"{x}-{o}-{2 * move + (sale.winner == 'O')}")
        _, steps = walked(auctioned, auctioned.head_json()["start"], line)
        found |= {each for step in steps for each in step["erred"]}
        page = asking.get(auctioned.address(auctioned.head_json()["start"], line=".".join(line))).text
        assert page.count('class="mistake"') == sum(len(step["erred"]) for step in steps)
    assert found >= {"X", "O"} | ({"move", "tie"} if "chooses" in solution.game.spec else set())


def test_beside_games_by_turns():
    asking = Asking(solved("mnk:rows=2,cols=2,k=2"), analysis.solve(SPECS[0]))
    told = asking.json("/api/v1/solutions")
    check_numbers(told)
    assert [len(told[name]) for name in ("solutions", "bidding")] == [1, 1]
    (identifier,) = asking.site.auctions
    whole = asking.json(f"/api/v1/{identifier}")
    check_numbers(whole)
    assert whole["statistics"]["game"] == SPECS[0] or whole["statistics"]["states"]
    links = Links(asking.get("/").text).links
    assert len([link for link in links if link.startswith("/game/")]) == 2, in_words(links)


def test_wrong_input(asking):
    for fields in ("p=zz", "x=9&o=0", "x=1", "x=a&o=1", "q=1", "x=-1&o=0"):
        assert asking.refusal(f"{base(asking)}/position?{fields}")
    asking.refusal(f"{base(asking)}/line", 404)
    for fields in ("x=99&o=0", "line=0-1", "line=0-0-99", "line=99-0-0", "move=0"):
        assert asking.get(f"/game/{base(asking)[8:]}?{fields}").status_code == 400


def test_too_many_bids():
    with pytest.raises(OptionError, match="100 bids"):
        Site([analysis.solve("bidding:game=mnk,rows=1,cols=2,k=2,chips=101")])


@pytest.mark.parametrize("level", ["perfect", "random", "greedy", "depth:2", "blunder:1/10"])
def test_every_level_bids_and_moves(level):
    solution = analysis.solve(SPECS[1])
    site = Site([solution], bidder=solved_bidder)
    (auctioned,) = site.auctions.values()

    def choice(**fields):
        return auctioned.answer(
            "/reply", Asked(urlencode(fields | {"against": level}).encode(), *BID_QUESTIONS["/reply"])
        )

    for side, legal in zip("XO", solution.root.legal_bids(), strict=True):
        assert choice(side=side, seed=1)["choice"] in legal
    sale = solution.root.sales(2, 1)[0]
    assert choice(x=2, o=1, side="X", seed=1)["choice"] in [move["move"] for move in sale["placements"]]
    for wrong in ({"x": 2, "o": 1, "side": "O"}, {"side": "Y"}, {"x": 9, "o": 0, "side": "X"}):
        with pytest.raises(OptionError):
            choice(**wrong)


class BidsPage(Page):
    """A page whose address names a state, and the bids there."""

    ADDRESS = "return location.search"
    READY = "return document.querySelector('.explorer .board svg') && document.querySelector('.spoken').textContent"


CODES = "return [...document.querySelectorAll('.sale:not([hidden]) li')].map((each) => Number(each.dataset.move))"


def chips(side, bid):
    return f"[name={side}][value='{bid}']"


@pytest.mark.slow
def test_a_page_to_bid_on(browser):
    """Bids are chosen by clicks or keys, moves on the board or in the list; the address has both."""
    solution = analysis.solve(SPECS[0])
    with serving(SPECS[0]) as served:
        page = BidsPage(browser, served.url, PHONE, dark=True)
        start = solution.root
        page.click(chips("x", 2))
        browser.until("return document.querySelector('.spoken').textContent.startsWith('X bids 2')")
        browser.run("document.querySelector(arguments[0]).focus()", chips("o", 1))
        page.click(chips("o", 1))
        browser.until("return document.querySelector('.spoken').textContent.startsWith('X bids 2, O 1')")
        assert browser.run("return document.activeElement.name") == "o"
        (sale,) = start.sales(2, 1)
        assert page.texts(".move .name") == [placement["name"] for placement in sale["placements"]]
        after = {placement["move"]: placement["position"] for placement in sale["placements"]}
        assert page.changes(lambda: page.click("svg.board .cell", 1)) == after[1]
        address, here = browser.driver.current_url, page.here
        browser.driver.back()
        page.becomes(start.to_json()["position"])
        browser.driver.forward()
        page.becomes(here)
        assert BidsPage(browser, address).here == here
        values = browser.run("return [...document.querySelectorAll('.pair')].map((each) => each.textContent)")
        assert [value.replace("\u2212", "-") for value in values] == [
            str(value) for row in solution[here].matrix for value in row
        ]
        page.click(".pair", 0)
        browser.until("return document.querySelector('.spoken').textContent.startsWith('X bids 0, O 0')")
        page.changes(lambda: page.click(".move"))
        page.clean(served.url)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["perfect", "greedy", "depth:2"])
@pytest.mark.parametrize("spec", [*SPECS, "bidding:game=wild:rows=2,cols=2,k=2,chips=2"])
def test_a_game_of_bids_against_the_computer(browser, spec, level):
    """Values are hidden until it is over; the last board of wild tic-tac-toe is no text that can be read."""
    seen = "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility()).length"
    with serving(spec) as served:
        page = BidsPage(browser, served.url)
        browser.run("document.querySelector('#level').value = arguments[0]", level)
        page.click("[data-play=O]")
        browser.until("return document.querySelector('main.secret:not([inert])')")
        for _ in range(20):
            browser.until("return !document.querySelector('main').inert")
            if browser.run("return document.querySelector('main:not(.secret)')"):
                break
            assert browser.run(seen, ".value, .telling, .verdict, .second .chips") == browser.run(
                seen, ".second .chips"
            )
            assert not browser.run(seen, ".first .chips")
            sealed = browser.run("return document.querySelector('main.sealed')")
            codes = browser.run(CODES)
            assert codes == sorted(codes)
            if sealed:
                assert browser.run("return document.querySelector('.bids [name=o]:checked')") is None
                page.click(".bids [name=o]")
            page.changes(lambda sealed=sealed: page.click(".bids .primary" if sealed else ".sale:not([hidden]) .move"))
        assert "The game is over" in page.text(".spoken")
        assert "plays" in page.text(".playing") or browser.run(seen, "svg.board")
        page.clean(served.url)
