"""Two solutions beside each other: the same positions, moves worth something else, where a line first differs."""

import base64
import contextlib
import html
import json

import pytest

import analysis
from analysis.errors import OptionError, PositionError, TooLargeError
from analysis.web.pages.page_file import write_page
from analysis.web.pages.slices import cut
from analysis.web.pages.table import pack
from analysis.web.served import Site
from analysis.web.widget import answer_json, frame
from tests.support.asking import solved
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page
from tests.support.graph_oracle import oracle_of
from tests.support.hostile import write_hostile
from tests.support.live_notebook import ROOTS, live_notebook
from tests.support.program import one_line
from tests.support.serving import serving
from tests.web.test_embedded import head_of

MISERE = "mnk:rows=3,cols=3,k=3,misere=true"
PAIRS = (
    ("tictactoe", MISERE),
    ("connect:rows=3,cols=4,k=3", "connect:rows=3,cols=4,k=4"),
    ("mnk:rows=3,cols=3,k=2", "tictactoe"),
    ("wild:rows=2,cols=2,k=2", "mnk:rows=2,cols=2,k=2"),
    ("morris", "morris"),
    ("dots_and_boxes:rows=1,cols=2", "dots_and_boxes:rows=1,cols=2"),
)
START = "#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F"

OPEN = "document.querySelector('[data-tab=beside]').click()"
FILLED = """
const panel = document.querySelector("[data-panel=beside]");
return panel.querySelector("table, .error, p:nth-child(2)") && !panel.querySelector("[aria-busy]");
"""
GO = "const box = document.querySelector('#p'); box.value = arguments[0]; box.form.requestSubmit()"


@pytest.fixture(params=["http", "file"])
def both(request, tmp_path):
    """The address of a page with another solution beside it."""

    @contextlib.contextmanager
    def from_server(first, second):
        with serving(first, second) as served:
            yield served.url + f"game/{Site([solved(first)])[0].id}", served.url

    @contextlib.contextmanager
    def from_file(first, second):
        path = tmp_path / "both.html"
        write_page(solved(first), path, beside=solved(second))
        yield path.as_uri(), path.as_uri()

    return from_server if request.param == "http" else from_file


def opened(browser, address, device=DESKTOP, **look):
    page = Page(browser, address, device, **look)
    browser.run(OPEN)
    browser.until(FILLED)
    return page


def goes(page, act):
    """Do something that leads to another position, and wait until the panel tells of it."""
    page.changes(act)
    page.browser.until(FILLED)
    return page.here


def position_in(solution, text):
    """A position that a solution has and writes so."""
    try:
        found = solution[text]
    except analysis.GametreeError:
        return None
    return found if found.position == text else None


# By brute force -------------------------------------------------------------------------------------------------------

COMPARE = """
const [tables, texts, done] = arguments;
(async () => {
  const load = (name) => import(`/static/${name}.js`);
  const { FileSource, unpacked } = await load("file_source");
  const { difference, knownAs, moveDifference, paired } = await load("beside");
  const [here, there] = await Promise.all(tables.map(async (text) => new FileSource(await unpacked(text))));
  const found = [];
  for (const text of texts) {
    const mine = await here.position(text);
    const [other] = await knownAs(there, [text]);
    const pairs = other.error === undefined ? paired(mine.moves, other.moves) : [];
    const moves = pairs.map((pair) => [pair[0]?.position, pair[1]?.position, moveDifference(pair).words]);
    found.push([text, difference(mine, other), moves]);
  }
  return found;
})().then(done, (error) => done(String(error)));
"""


class Obvious:
    """A game as positions by their texts, each with its value, remoteness and what its moves lead to, by the oracle."""

    def __init__(self, spec):
        self.solution = solved(spec)
        oracle, text = oracle_of(self.solution.game), self.solution.game.format_position
        self.known = {
            text(s): (oracle.value(s), oracle.remoteness(s), [*map(text, oracle.children(s))]) for s in oracle.positions
        }

    def difference(self, other, text):
        if text not in self.known or text not in other.known:
            return "one"
        (mine, plies, _), (its, more, _) = self.known[text], other.known[text]
        return "value" if mine != its else "plies" if plies != more else ""

    def moves(self, text):
        value, _, children = self.known[text]
        return {child: self.known[child][0] == value for child in children}

    def move_words(self, other, text):
        """What differs of each move that either has, by the position after it."""
        mine, its = self.moves(text), other.moves(text)
        found = {child: ["only here"] for child in mine} | {child: ["only there"] for child in its}
        for child in mine.keys() & its.keys():
            kind = self.difference(other, child)
            words = ["another value"] * (kind == "value")
            if mine[child] != its[child]:
                words.append(f"keeps the value only {'here' if mine[child] else 'there'}")
            found[child] = words or ["other plies"] * (kind == "plies")
        return found


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [*PAIRS[:4], ("tictactoe", "mnk:rows=3,cols=3,k=2"), PAIRS[1][::-1]])
def test_every_position_and_its_moves(browser, first, second):
    """Which differ, as one finds who compares both games position by position."""
    here, there = Obvious(first), Obvious(second)
    texts = [*here.known]
    tables = [
        base64.b64encode(pack(served, cut(served.solution))).decode()
        for served in Site([here.solution, there.solution])
    ]
    with serving("tictactoe") as served:
        browser.open(served.url, DESKTOP)
        found = browser.driver.execute_async_script(COMPARE, tables, texts)
    assert [text for text, *_ in found] == texts
    kinds = {}
    for text, kind, moves in found:
        assert kind == here.difference(there, text)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind != "one":
            assert {mine or its: words for mine, its, words in moves} == here.move_words(there, text)
            mine = [mine for mine, _, _ in moves if mine]
            assert mine == [move.position for move in here.solution[text].moves]
    assert kinds["value"] > 0
    assert len(kinds) > 1


PAIRING = """
const [done] = arguments;
const move = (name, position) => ({ name, position, value: 0, outcome: "tie", remoteness_plies: 1, optimal: true });
const text = (each) => each && each.name + each.position;
import("/static/beside.js").then(({ paired, moveDifference }) => done([
  paired([move("a", "1"), move("b", "2"), move("c", "3")], [move("a", "2"), move("c", "9"), move("x", "1")]),
  paired([move("a", "1"), move("a", "1")], [move("b", "1"), move("a", "1")]),
  paired([], [move("a", "1")]),
].map((pairs) => pairs.map((pair) => [...pair.map(text), ...moveDifference(pair).words]))));
"""


@pytest.mark.slow
def test_moves_are_the_same_by_where_they_lead_then_by_name(browser):
    with serving("tictactoe") as served:
        browser.open(served.url, DESKTOP)
        assert browser.driver.execute_async_script(PAIRING) == [
            [["a1", "x1"], ["b2", "a2"], ["c3", "c9", "leads elsewhere"]],
            [["a1", "a1"], ["a1", "b1"]],
            [[None, "a1", "only there"]],
        ]


# On the page ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_differs(browser, both, first, second):
    here, there = solved(first), solved(second)
    texts = [each.position for each in list(here)[::97]][:20]
    with both(first, second) as (address, url):
        page = opened(browser, address)
        for text in [here.start, *texts]:
            browser.run(GO, text)
            page.becomes(text)
            browser.until(FILLED)
            mine, other = here[text], position_in(there, text)
            said = page.text("[data-panel=beside]")
            line = page.texts("[data-place]")
            assert line == ["start"]
            if other is None:
                assert "no position there" in said
                continue
            rows = browser.run(
                "return [...document.querySelectorAll('[data-panel=beside] [aria-label=\"Moves in both\"] tbody tr')]"
                ".map((row) => [...row.cells].map((cell) => cell.textContent))"
            )
            mine_after = {move.position: move for move in mine.moves}
            its_after = {move.position: move for move in other.moves}
            assert len(rows) == len(mine_after.keys() | its_after.keys())
            assert [row[0] for row in rows][: len(mine.moves)] == [move.name for move in mine.moves]
            keeping = [sum(each.optimal for each in position.moves) for position in (mine, other)]
            assert [sum("✓" in row[column] for row in rows) for column in (1, 2)] == keeping
            differing = sum(
                after not in mine_after
                or after not in its_after
                or mine_after[after].value != its_after[after].value
                or mine_after[after].optimal != its_after[after].optimal
                for after in mine_after.keys() | its_after.keys()
            )
            assert sum(row[3].startswith("≠") for row in rows) == differing
            assert ("≠ The values differ" in said) == (mine.value != other.value)
            if there.counted:
                assert f"{other.games.total:,}: " in said
        page.clean(url)


@pytest.mark.slow
@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_along_a_line(browser, both, device):
    """Both begin as ties, and say something else later."""
    here, there = solved("tictactoe"), solved(MISERE)
    assert here.value == there.value
    with both("tictactoe", MISERE) as (address, url):
        page = opened(browser, f"{address}{START}&line=4-0-2-1&at=1", device, dark=device is PHONE)
        line = ["?????????", "????X????", "O???X????", "O?X?X????", "OOX?X????"]
        rows = page.texts("[aria-label='The line in both'] tbody td:last-child")
        same = [here[text].value == there[text].value for text in line]
        assert [row.startswith("≠") for row in rows] == [not each for each in same]
        place = same.index(False)
        assert 1 < place < 4
        assert f"first differ after {place} moves, at {line[place]}:" in page.text("[data-panel=beside]")
        assert goes(page, lambda: page.button("Go there")) == line[place]
        assert goes(page, lambda: page.click("[data-place='4']")) == line[4]
        assert page.text("[data-place][aria-current]") == "4. 1"
        page.clean(url)


@pytest.mark.slow
def test_a_line_that_never_differs(browser, both):
    """A game beside itself agrees all along, with all of its moves and to the end of its best line."""
    with both("tictactoe", "tictactoe") as (address, url):
        page = opened(browser, address)
        assert {row[:1] for row in page.texts("[data-panel=beside] td:last-child")} == {"="}
        goes(page, lambda: page.do("line"))
        assert "Both agree all along the line." in page.text("[data-panel=beside]")
        assert len(page.texts("[data-place]")) == 10
        assert browser.run(
            "return [...document.querySelectorAll('button')].find((b) => b.textContent === 'Go there').hidden"
        )
        page.clean(url)


@pytest.mark.slow
@pytest.mark.parametrize("second", ["nim", "{}/hostile.py:Hostile"])
def test_nothing_in_common(browser, both, tmp_path, second):
    write_hostile(tmp_path)
    with both("tictactoe", second.format(tmp_path)) as (address, url):
        if not address.startswith("file"):
            Page(browser, f"{address}{START}")
            browser.until("return document.querySelector('[data-tab=beside]').hidden")  # a server offers what fits
            return
        page = opened(browser, f"{address}{START}&line=4-0")
        said = page.text("[data-panel=beside]")
        assert "It is not a position there" in said
        assert "No position of this line is one of" in said
        page.clean(url)


@pytest.mark.slow
def test_a_hostile_game_beside_itself(browser, both, tmp_path):
    spec = write_hostile(tmp_path)
    with both(spec, spec) as (address, url):
        page = opened(browser, address, PHONE)
        page.click("#merge")
        rows = len(page.texts("[aria-label='Moves in both'] tbody tr"))
        assert rows == len(page.texts(".move"))
        for number in range(0, rows, 5):
            goes(page, lambda number=number: page.click(".move", number))
            assert "They agree" in page.text("[data-panel=beside]")
            goes(page, lambda: page.click("[data-place='0']"))
        page.clean(url)


@pytest.mark.slow
def test_a_text_that_means_another_position_there(browser, both):
    """The heap 10 is none of tic-tac-toe's positions, though there it can be read as the moves 1 and 0."""
    assert solved("tictactoe")["10"].position == "OX???????"
    with both("grundy:heap=10", "tictactoe") as (address, url):
        if not address.startswith("file"):
            Page(browser, address)
            browser.until("return document.querySelector('[data-tab=beside]').hidden")  # a server offers what fits
            return
        page = opened(browser, address)
        assert page.here == "10"
        assert "OX???????" in page.text("[data-panel=beside]")
        assert page.texts("[aria-label='Moves in both']") == []
        page.clean(url)


@pytest.mark.slow
def test_one_solution_alone_has_nothing_beside_it(browser, shown):
    with shown("tictactoe") as served:
        Page(browser, served.url)
        assert browser.run("return document.querySelector('[data-panel=beside]')") is None


@pytest.mark.slow
def test_several_to_choose_from_by_the_keyboard(browser):
    from selenium.webdriver.common.keys import Keys

    with serving("tictactoe", "nim", MISERE, "tictactoe") as served:
        page = opened(browser, served.url + "game/tictactoe")
        assert page.texts("#beside option") == [MISERE, "tictactoe (tictactoe-2)"]  # nim has none of its positions
        browser.run("document.querySelector('#beside').focus()")
        page.keys(Keys.ARROW_DOWN)
        page.keys(Keys.ARROW_UP)
        browser.until("return document.querySelectorAll(\"[aria-label='Moves in both'] tbody tr\").length === 9")
        assert page.here == "?" * 9
        goes(page, lambda: page.do("best"))
        browser.until("return document.querySelectorAll(\"[aria-label='Moves in both'] tbody tr\").length === 8")
        browser.run("document.querySelector('[data-place=\"0\"]').focus()")
        goes(page, lambda: page.keys(Keys.ENTER))
        assert page.here == "?" * 9
        assert browser.run("return document.activeElement.dataset.place") == "0"
        assert "combobox" in str(browser.command("Accessibility.getFullAXTree")) or browser.accessible_names("combobox")
        page.clean(served.url)


@pytest.mark.slow
def test_a_server_that_has_ended_says_so(browser):
    with serving("tictactoe", MISERE) as served:
        page = opened(browser, served.url + "game/tictactoe")
        browser.run("document.querySelector('[data-tab=moves]').click()")
        page.changes(lambda: page.do("best"))
        served.end()
        browser.run(OPEN)
        browser.until("return document.querySelector('[data-panel=beside] .error')?.textContent.includes('explore')")


TOLD = """
const [root, texts, done] = arguments;
const box = root.querySelector("#p");
const panel = root.querySelector("[data-panel=beside]");
root.querySelector("[data-tab=beside]").click();
const pause = () => new Promise((go) => setTimeout(go, 20));
const shown = (text) => root.querySelector("#here").textContent === text && panel.querySelector("table");
(async () => {
  const found = [];
  for (const text of texts) {
    box.value = text;
    box.form.requestSubmit();
    do await pause();
    while (!shown(text) || root.querySelector("[aria-busy]"));
    found.push(panel.innerText);
  }
  return found;
})().then(done, (error) => done([String(error)]));
"""


@pytest.mark.slow
def test_the_three_sources_say_the_same(browser, tmp_path):
    here, there = solved("tictactoe"), solved(MISERE)
    texts = [each.position for each in list(here)[::600]]
    write_page(here, tmp_path / "both.html", beside=there)
    code = f"import analysis\nanalysis.explore(analysis.solve('tictactoe'), beside=analysis.solve('{MISERE}'))"
    root, told = "return document.querySelector('.explorer')", []
    with serving("tictactoe", MISERE) as served:
        for address in ((tmp_path / "both.html").as_uri(), f"{served.url}game/tictactoe"):
            Page(browser, address)
            told.append(browser.driver.execute_async_script(TOLD, browser.run(root), texts))
    with live_notebook(tmp_path, code) as url:
        browser.open(url, DESKTOP)
        browser.until(f"return (() => {{ {ROOTS} }})().length === 1")
        told.append(browser.driver.execute_async_script(TOLD, browser.run(ROOTS)[0], texts))
    assert len(told[0]) == len(texts)
    assert told[0] == told[1] == told[2]


# Without a browser ----------------------------------------------------------------------------------------------------


def test_a_kernel_tells_of_both():
    site = Site([solved("tictactoe"), solved(MISERE)])
    values = []
    for served in site:
        asked = {"number": "1", "id": served.id, "path": "/position", "fields": {"p": "X???O????"}}
        values.append(json.loads(answer_json(site, asked))["answer"]["continuations"])
    assert values[0]["X"] == values[1]["O"]


@pytest.mark.parametrize(("second", "start"), [(MISERE, "X????????"), ("nim", "3-4-5 X")])
def test_a_saved_notebook_has_both(second, start):
    """The other one from the same position on, or from its start where it has none that is written so."""
    text = html.unescape(frame(Site([solved("tictactoe"), solved(second)]), "X????????", "1"))
    heads = [head_of(part)[0]["solution"] for part in _tables(text)]
    assert [head["start"] for head in heads] == ["X????????", start]


def _tables(page):
    """Pages with one of its tables each."""
    return [
        '<script type="text/plain" class="table">' + each
        for each in page.split('<script type="text/plain" class="table">')[1:]
    ]


def test_a_file_has_both_within_the_same_limits(gametree, tmp_path):
    file = tmp_path / "page.html"
    for options, depth, start in (((), None, "?????????"), (("--depth", "2", "--from", "a1"), 2, "X????????")):
        assert gametree("explore", "tictactoe", MISERE, "--out", str(file), *options).code == 0
        for part in _tables(file.read_text(encoding="utf-8")):
            told = head_of(part)[0]["solution"]
            assert (told["part"]["depth"], told["start"]) == (depth, start)
    for options, fewer in ((("--optimal-only",), True), ((), False)):
        gametree("explore", "tictactoe", MISERE, "--out", str(file), *options)
        parts = [head_of(part)[0]["solution"]["part"] for part in _tables(file.read_text(encoding="utf-8"))]
        assert [each["classes"] < 765 for each in parts] == [fewer, fewer]
    assert len(_tables(file.read_text(encoding="utf-8"))) == 2


def test_the_same_game_twice_is_allowed(gametree, tmp_path):
    """Two directories of one game can be compared, so a game can be beside itself."""
    assert gametree("explore", "tictactoe", "tictactoe", "--out", str(tmp_path / "page.html")).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("tictactoe", "nim", "kayles"), 2, "two beside each other"),
        (("tictactoe", "nim", "--from", "X????????"), 2, "nim:heaps"),
        (("grundy:heap=10", "tictactoe", "--from", "10"), 2, "OX???????"),
        (("tictactoe", "mnk:rows=3,cols=3,k=2", "--from", "0142"), 2, "XOO?X????"),
        (("tictactoe", "zz"), 2, "zz"),
        (("tictactoe", "bidding:game=tictactoe,chips=4"), 2, "bidding game"),
        (("nim:heaps=2-2", "tictactoe", "--classes", "100"), 1, "tictactoe"),
    ],
)
def test_wrong_input(gametree, tmp_path, arguments, code, said):
    one_line(gametree("explore", *arguments, "--out", str(tmp_path / "page.html")), code, said)
    assert not (tmp_path / "page.html").exists()


def test_wrong_input_of_the_function(tmp_path):
    here, there, file = solved("tictactoe"), solved("nim:heaps=2-2"), tmp_path / "page.html"
    for wrong, error in (
        ({"beside": "nim"}, OptionError),
        ({"beside": there, "position": "X????????"}, PositionError),
        ({"beside": here, "classes": 100}, TooLargeError),
        ({"beside": solved("mnk:rows=3,cols=3,k=2"), "position": "X???X?OO?"}, PositionError),
    ):
        with pytest.raises(error):
            write_page(here, file, **wrong)
        assert not file.exists()
