"""What the server says of each position, whatever its text, and the list of games in Chromium."""

import re
from html.parser import HTMLParser

import pytest

from analysis.web.pages.rendering import SCRIPTS
from tests.support.asking import Asking, q, solved
from tests.support.browser import DESKTOP, PHONE
from tests.support.class_graph import every_position
from tests.support.hostile import hostile_game, write_hostile
from tests.support.program import ROOT
from tests.support.serving import serving


class Links(HTMLParser):
    """The links of a page as the server sends it, and whether it is closed properly."""

    def __init__(self, page):
        super().__init__()
        self.links, self.open, self.tags, self.shown, self.scripts = [], [], set(), [], []
        self.feed(page)
        assert self.open == []
        assert self.scripts in ([], ["/static/start.js"], ["/static/bidding.js"])

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not [name for name, _ in attributes if name == "style" or name.startswith("on")]
        if tag == "script":
            self.scripts.append(dict(attributes).get("src"))
        if tag == "a":
            self.links.append(dict(attributes)["href"])
        if tag not in ("meta", "link", "input", "col"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if "template" not in self.open:
            self.shown.append(text)


def test_a_program_without_a_description():
    """The page has the name of its file, without its folders, and says nothing in place of a description."""
    program = ROOT / "tests/support/programs/board_tictactoe.py"
    asking = Asking(solved(str(program)))
    (told,) = asking.json("/api/v1/solutions")["solutions"]
    assert (told["game"], told["goal"]) == (program.name, "")


def test_one_solution_is_shown_at_once_and_several_are_listed():
    one, two = solved("mnk:rows=2,cols=2,k=2"), solved("hexapawn")
    answer = Asking(one).get("/")
    assert answer.status_code == 303
    assert Asking(one).get(answer.headers["location"]).status_code == 200
    listed = Links(Asking(one, two).get("/").text)
    assert len([link for link in listed.links if link.startswith("/game/")]) == 2


def test_scripts_are_served_and_no_others():
    asking = Asking(solved("mnk:rows=2,cols=2,k=2"))
    for script in SCRIPTS.glob("*.js"):
        answer = asking.get(f"/static/{script.name}")
        assert answer.content == script.read_bytes()
        assert answer.headers["content-type"].startswith("text/javascript")
    for name in ("none.js", "..%2frouting.py", "..%5c..%5capp.py", "rendering.py"):
        assert asking.get(f"/static/{name}").status_code == 404


def test_what_is_wrong_is_a_page():
    asking = Asking(solved("tictactoe"))
    for path, status in (
        ("/game/nope", 404),
        ("/nope", 404),
        ("/game/tictactoe?p=zz", 400),
        ("/game/tictactoe?x", 400),
    ):
        response = asking.get(path)
        assert response.status_code == status
        assert response.headers["content-type"].startswith("text/html")
        assert Links(response.text).links.count("/") == 2


@pytest.mark.parametrize("drawn", ["grid", "picture", "text"])
def test_a_hostile_game_breaks_nothing(tmp_path, drawn):
    solution = solved(hostile_game(tmp_path, drawn=drawn))
    asking = Asking(solution)
    served = asking.site[0]
    assert re.fullmatch(r"[a-z0-9-]+", served.id)
    for position in every_position(solution):
        text = position.position
        page = asking.get(f"/game/{served.id}?p={q(text)}")
        assert page.status_code == 200
        assert Links(page.text).tags.isdisjoint({"img", "b", "i", "iframe"})
        told = asking.native(f"/position?p={q(text)}")
        assert told["position"] == text
        assert "\n" not in asking.refusal(f"/api/v1/{served.id}/position?p={q(text)}x")
    for path in ("", "/map", "/find"):
        assert asking.get(f"/api/v1/{served.id}{path}").status_code == 200
    assert str(tmp_path) not in asking.get("/api/v1/solutions").text


@pytest.mark.slow
def test_the_list_in_a_browser(browser, tmp_path):
    games = ("tictactoe", "hex:n=3", "nim:heaps=2-2-3", "dodgem", write_hostile(tmp_path))
    with serving(*games) as served:
        for device, dark in ((PHONE, False), (PHONE, True), (DESKTOP, False), (DESKTOP, True)):
            browser.open(served.url, device, dark=dark)
            drawn = "return document.querySelectorAll('.picture :is(svg, table, pre), .bare').length"
            browser.until(f"{drawn} === arguments[0]", len(games))
            assert len(browser.driver.find_elements("css selector", ".solutions a")) == len(games)
            width, inner = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            assert width <= inner <= device["width"]
            assert browser.axe() == []
            assert browser.run("return document.images.length") == 0
            assert browser.console() == []
            assert all(url.startswith((served.url, "data:,")) for url in browser.requests())
