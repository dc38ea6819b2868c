"""The map of a game: in the order of the textbook, whoever tells it, and as a person uses it in Chromium."""

import itertools

import numpy as np
import pytest

import analysis
from analysis.solution import ranking as rankings
from analysis.solution.ranking import Ranking
from analysis.web import answers
from analysis.web.pages.page_file import write_page
from analysis.web.pages.rendering import bundle
from tests.support.asking import FEW_CLASSES, KINDS, Asking, q, solved
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page


def counted(solution):
    ranking = Ranking(solution)
    for _ in ranking.steps():
        pass
    assert ranking.complete
    return ranking


def row_of(solution, tier):
    """The classes of a tier in their order, one after the other: value, remoteness (None of a draw), state."""
    known = [(solution.records.of(state), state) for state in tier.states.tolist()]
    classes = [(record.value, record.remoteness_plies, state) for record, state in known]
    won = sorted((c for c in classes if c[0] > 0), key=lambda c: (-c[0], c[1], c[2]))
    tied = sorted((c for c in classes if c[0] == 0 and c[1] is not None), key=lambda c: (c[1], c[2]))
    drawn = sorted((c for c in classes if c[0] == 0 and c[1] is None), key=lambda c: c[2])
    lost = sorted((c for c in classes if c[0] < 0), key=lambda c: (-c[0], -c[1], c[2]))
    return won + tied + drawn + lost


@pytest.mark.parametrize("piece", [7, rankings.PIECE])
@pytest.mark.parametrize("spec", FEW_CLASSES)
def test_every_class_stands_where_it_should(monkeypatch, spec, piece):
    monkeypatch.setattr(rankings, "PIECE", piece)
    solution = solved(spec)
    ranking = counted(solution)
    assert [tier.number for tier in ranking.tiers] == [tier.number for tier in solution.tiers]
    for ranked, tier in zip(ranking.tiers, solution.tiers, strict=True):
        row = row_of(solution, tier)
        expected = [(*worth, len(list(some))) for worth, some in itertools.groupby(row, key=lambda each: each[:2])]
        assert [tuple(run) for run in ranked.runs] == expected
        assert [ranked.state_at(place) for place in range(len(ranked))] == [state for *_, state in row]
        assert [ranked.place_of(state) for *_, state in row] == list(range(len(row)))


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem", "dots_and_boxes:rows=1,cols=2"])
@pytest.mark.parametrize("piece", [7, rankings.PIECE])
def test_a_stored_solution_has_the_same_map(monkeypatch, tmp_path, spec, piece):
    solution = solved(spec, directory=tmp_path / "stored")
    monkeypatch.setattr(rankings, "PIECE", piece)
    stored, held = counted(analysis.open_solution(tmp_path / "stored")), counted(solved(spec))
    assert solution.directory is not None
    assert [tier.runs for tier in stored.tiers] == [tier.runs for tier in held.tiers]
    for ranked, other in zip(stored.tiers, held.tiers, strict=True):
        for place in range(0, len(ranked), 5):
            assert ranked.state_at(place) == other.state_at(place)
            assert ranked.place_of(ranked.state_at(place)) == place


def test_tiers_of_several_pieces(tmp_path):
    spec = "connect:rows=4,cols=4"
    solved(spec, directory=tmp_path / "stored", symmetry="none")
    for solution in (analysis.open_solution(tmp_path / "stored"), solved(spec, symmetry="none")):
        ranking = counted(solution)
        largest = max(range(len(ranking.tiers)), key=lambda index: len(ranking.tiers[index]))
        ranked, tier = ranking.tiers[largest], solution.tiers[largest]
        assert len(ranked) > rankings.PIECE
        value, remoteness = tier.value.astype(int), tier.remoteness.astype(int)
        order = np.lexsort((tier.states, np.where(value < 0, -remoteness, remoteness), -value))
        for place in range(0, len(ranked), 997):
            assert ranked.state_at(place) == tier.states[order[place]]
            assert ranked.place_of(int(tier.states[order[place]])) == place


@pytest.mark.parametrize("spec", FEW_CLASSES)
def test_what_the_server_says(spec):
    solution = solved(spec)
    asking = Asking(solution)
    told = asking.native("/map")
    ranking = counted(solution)
    assert told["complete"]
    assert told["classes"] == told["classes_seen"] == solution.classes
    assert told["tier_name"] == ("ply" if solution.by_ply else "tier")
    assert [each["runs"] for each in told["tiers"]] == [[list(run) for run in tier.runs] for tier in ranking.tiers]
    for tier in ranking.tiers:
        for place in {0, len(tier) // 2, len(tier) - 1}:
            found = asking.native(f"/map/class?tier={tier.number}&place={place}")
            assert asking.native(f"/map/place?p={q(found['position'])}") == found
            position = asking.native(f"/position?p={q(found['position'])}")
            assert position["class"]["state"] == str(tier.state_at(place))
            assert position["ply" if solution.by_ply else "tier"] == found["tier"]
            assert {name: position[name] for name in found.keys() - {"tier", "place"}} == {
                name: found[name] for name in found.keys() - {"tier", "place"}
            }


def test_it_is_counted_bit_by_bit(monkeypatch):
    monkeypatch.setattr(answers, "SECONDS", 0.0)
    asking = Asking(solved("tictactoe"))
    seen, told = [], {"complete": False}
    while not told["complete"]:
        told = asking.native("/map")
        seen.append(told["classes_seen"])
        if len(seen) == 1:
            assert "counted" in asking.refusal("/api/v1/tictactoe/map/class?tier=9&place=0", 404)
    assert seen == sorted(seen)
    assert len(seen) > 3
    monkeypatch.undo()
    assert told == Asking(solved("tictactoe")).native("/map")


@pytest.mark.parametrize(
    "path",
    [
        "map?x=1", "map/class", "map/class?tier=1", "map/class?tier=10&place=0", "map/class?tier=1&place=3",
        "map/class?tier=-1&place=0", "map/class?tier=x&place=0", "map/class?tier=1&place=1.5", "map/place?p=XXX",
        "map/place?p=XXXXXXXXX",
    ],
)  # fmt: skip
def test_what_is_not_on_the_map_is_refused_in_a_line(path):
    Asking(solved("tictactoe")).refusal(f"/api/v1/tictactoe/{path}")


IN_A_FILE = """
const done = arguments[0];
(async () => {
  const table = await $file_source.unpacked(document.querySelector("script.table").textContent.trim());
  const source = new $file_source.FileSource(table);
  const map = await source.fetched("/map", {});
  const classes = [];
  for (const { tier, classes: all } of map.tiers)
    for (let place = 0; place < all; place++) classes.push(await source.asked("/map/class", { tier, place }));
  const places = await Promise.all(classes.map(({ position }) => source.asked("/map/place", { p: position })));
  return { map, classes, places };
})().then(done, (error) => done(String(error)));
"""

SAME = ("tier", "place", "position", "grid", "to_move", "player", "value", "outcome", "remoteness_plies")

OPEN = "document.querySelector('[data-tab=map]').click()"
DRAWN = "return document.querySelector('.map tbody tr') && !document.querySelector('[aria-busy]')"

POINTED = """
const [kind, x, index, tiers] = arguments;
const [view, picture] = [".map-scroll", ".map-scroll svg"].map((each) => document.querySelector(each));
view.scrollIntoView({ block: "center" });
const [{ left, width }, { top, height }] = [view.getBoundingClientRect(), picture.getBoundingClientRect()];
const at = { clientX: left + x * width, clientY: top + ((index + 0.5) / tiers) * height };
const Kind = kind === "wheel" ? WheelEvent : kind === "click" ? MouseEvent : PointerEvent;
const more = { bubbles: true, cancelable: true, pointerId: 1, pointerType: "mouse", deltaY: -100 };
picture.dispatchEvent(new Kind(kind, { ...at, ...more }));
"""


LINE = """
const line = document.querySelector(".map-scroll .line:not(.halo)");
const points = [...line.getAttribute("d").matchAll(/[ML]\\S+ (\\S+?)(?=[ML]|$)/g)];
const places = points.map(([, y]) => Math.floor(Number(y)));
return [getComputedStyle(line).stroke, places];
"""

TOLD = ".map-class p"


class Map:
    """The map on a page."""

    def __init__(self, page, solution):
        self.page, self.browser, self.solution = page, page.browser, solution
        self.ranking = counted(solution)
        self.browser.run(OPEN)
        self.browser.until(DRAWN)

    def point(self, kind, x, index):
        self.browser.run(POINTED, kind, x, index, len(self.ranking.tiers))

    def hover(self, x, index):
        """The place of the class that is shown where the pointer rests so far across a tier."""
        self.point("pointermove", x, index)
        return self.settled()

    def settled(self):
        """The class that is told once the pointer rests; it is the one of its place."""
        self.browser.until(DRAWN)
        told = self.page.text(TOLD)
        words = told.replace(",", "").split()
        number, index = int(words[words.index("number") + 1]), int(words[words.index("in", words.index("number")) + 2])
        tier = next(each for each in self.ranking.tiers if each.number == index)
        text = self.solution.game.format_position(tier.state_at(number - 1))
        assert self.page.text(".map-class code") == text
        return index, number - 1

    def line(self):
        """The tiers where the line is, and its colour."""
        colour, tiers = self.browser.run(LINE)
        return tiers, colour


@pytest.mark.slow
@pytest.mark.parametrize("spec", KINDS)
def test_a_file_tells_the_same(browser, tmp_path, spec):
    solution = solved(spec)
    write_page(solution, tmp_path / "page.html")
    browser.open(tmp_path / "page.html", DESKTOP)
    code = bundle("file_source")
    told = browser.driver.execute_async_script(code + IN_A_FILE)
    asking = Asking(solution)
    whole = asking.native("/map")
    for tier in told["map"]["tiers"]:
        del tier["first"]
    assert told["map"]["tiers"] == whole["tiers"]
    assert (told["map"]["tier_name"], told["map"]["complete"]) == (whole["tier_name"], True)
    assert len(told["classes"]) == solution.classes
    assert told["places"] == told["classes"]
    for each in told["classes"][:: 1 + len(told["classes"]) // 200]:
        expected = asking.native(f"/map/class?tier={each['tier']}&place={each['place']}")
        assert {name: each[name] for name in SAME} == {name: expected[name] for name in SAME}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tictactoe", "morris", "dots_and_boxes:rows=1,cols=2", "nim:heaps=2-2-3"])
@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_point_click_zoom_and_play(browser, shown, spec, device):
    dark = device is PHONE
    with shown(spec) as served:
        page = Page(browser, served.url, device, dark=dark)
        solution = analysis.solve(spec, workers=1)
        chart = Map(page, solution)
        middle = max(range(len(chart.ranking.tiers)), key=lambda index: len(chart.ranking.tiers[index]))
        tier = chart.ranking.tiers[middle]

        rows = browser.run("return [...document.querySelectorAll('.map tbody tr')].map((row) => row.textContent)")
        assert len(rows) == len(chart.ranking.tiers)
        places = [chart.hover(part, middle) for part in (0.4, 0.6, 0.99)]
        assert places == sorted(places)
        assert chart.hover(0.999, middle) == (tier.number, len(tier) - 1)
        assert browser.run("return document.querySelector('.map-class :is(svg, pre)') !== null")

        before = chart.hover(0.6, middle)
        position = page.text(".map-class code")
        if page.here != position:
            page.changes(lambda: chart.point("click", 0.6, middle))
        assert page.here == position
        browser.until(
            f"{DRAWN} && document.querySelector('.map').textContent.includes(arguments[0])", f"{before[1] + 1:,} of"
        )

        chart.point("wheel", 0.6, middle)
        page.do("map-in")
        assert chart.hover(0.6, middle)[0] == tier.number
        page.do("map-whole")
        assert chart.hover(0.61, middle) >= before
        page.clean(served.url)


@pytest.mark.slow
def test_with_the_keyboard(browser, shown):
    from selenium.webdriver.common.keys import Keys

    with shown("tictactoe") as served:
        page = Page(browser, served.url)
        chart = Map(page, analysis.solve("tictactoe", workers=1))
        browser.run("document.querySelector('[data-do=map-whole]').focus()")
        page.keys(Keys.TAB)
        assert browser.run("return document.activeElement.className") == "map-scroll"
        assert chart.settled() == (0, 0)
        page.keys(Keys.ARROW_DOWN * 6 + Keys.HOME)
        assert chart.settled() == (6, 0)
        page.keys(Keys.END)
        assert chart.settled() == (6, 203)
        page.keys("+++++++++" + Keys.ARROW_LEFT)
        assert chart.settled() == (6, 202)
        page.keys("0" + Keys.ARROW_LEFT)
        assert chart.settled()[1] < 202
        page.keys("=-")
        wanted = page.text(".map-class code")
        assert page.here == "?" * 9
        assert page.changes(lambda: page.keys(Keys.ENTER)) == wanted
        assert browser.run("return document.activeElement.className") == "map-scroll"
        page.clean(served.url)


@pytest.mark.slow
def test_of_a_part_of_the_game(browser, tmp_path):
    solution = analysis.solve("tictactoe", workers=1)
    write_page(solution, tmp_path / "part.html", depth=3)
    page = Page(browser, (tmp_path / "part.html").as_uri())
    browser.run(OPEN)
    browser.until(DRAWN)
    assert page.text(".notice") is not None
    first = page.texts(".map tbody tr")
    assert len(first) == 4
    write_page(solution, tmp_path / "later.html", start="X???O????")
    page = Page(browser, (tmp_path / "later.html").as_uri())
    browser.run(OPEN)
    browser.until(DRAWN)
    assert "X???O????" in page.text(".notice")
    assert len(page.texts(".map tbody tr")) == 8
