"""The page shows the same text whoever tells it: a server, the table that a file carries, or a notebook's kernel."""

import itertools
import json
import random
import re

import nbclient
import nbconvert
import nbformat
import pytest

import analysis
from analysis.games.families import FAMILIES
from analysis.web.pages.page_file import write_page
from analysis.web.served import Site
from analysis.web.widget import answer_json
from tests.support.asking import Asking
from tests.support.browser import DESKTOP, Browser
from tests.support.hostile import write_hostile
from tests.support.live_notebook import ROOTS, live_notebook
from tests.support.serving import serving

pytestmark = pytest.mark.slow

GAMES = (
    "tictactoe",
    "mnk:rows=2,cols=4,k=3",
    "wild:rows=2,cols=3,k=3",
    "notakto",
    "connect:rows=3,cols=4,k=3",
    "hex:n=3",
    "domineering:rows=3,cols=4",
    "nim:heaps=2-2-3",
    "kayles:pins=9",
    "grundy:heap=10",
    "chomp:rows=3,cols=3",
    "dots_and_boxes:rows=1,cols=2",
    "othello:size=4",
    "hexapawn",
    "dodgem",
    "morris",
    "coin_grabber:board={}/coins.txt",
)
"""One of every built-in family; {} is a folder."""

COINS = "H 5 10\n5 1 5\n10 5 C\n"

POSITIONS = 200

SHOWN, OPEN = 24, 12
"""So many of them are shown by a page, the first of them with all panels open; their answers are compared for all."""

IN_NOTEBOOK = 12
"""So few of them by messages, which take 40 ms each on their way."""

READ = """
const [root, texts, open, done] = arguments;
const box = root.querySelector("#p");
const settled = () => !root.querySelector("[aria-busy]");
const pause = () => new Promise((go) => setTimeout(go));
// the other games are those of one server alone
for (const each of root.querySelectorAll("[data-panel=beside], [data-tab=beside]")) each.remove();
(async () => {
  const found = [];
  for (const [number, text] of texts.entries()) {
    for (const panel of root.querySelectorAll("details.panel")) panel.open = number < open;
    const tabs = root.querySelectorAll("[role=tab]");
    tabs[number % tabs.length].click();
    box.value = text;
    box.form.requestSubmit();
    const began = Date.now();
    while (root.querySelector("#here").textContent !== text || !settled()) {
      if (Date.now() - began > 30000) return [`${text} was not shown: ${root.innerText}`];
      await pause();
    }
    await pause();
    root.querySelector(".take a")?.remove();
    // what is named in the picture of a search depends on its width
    for (const picture of root.querySelectorAll("svg.tree")) picture.style.visibility = "hidden";
    found.push(root.innerText);
  }
  return found;
})().then(done, (error) => done([String(error)]));
"""

ROOT = "return document.querySelector('.explorer')"


def shows(specs):
    """What shows these games, in a notebook."""
    return f"""
import analysis
from IPython.display import display

for spec in {specs!r}:
    display(analysis.explore(analysis.solve(spec, workers=1)))
"""


def some_positions(solution):
    every = list(itertools.islice(solution, 20_000))
    chosen = random.Random(1).sample(every, min(POSITIONS, len(every)))
    return [each.position for each in chosen]


def read(browser, root, texts):
    return browser.driver.execute_async_script(READ, root, texts, OPEN)


def test_every_family_is_here():
    assert {spec.partition(":")[0] for spec in GAMES} == {*FAMILIES}


def test_the_three_sources_give_the_same_text(browser, tmp_path):
    (tmp_path / "coins.txt").write_text(COINS)
    games = [spec.format(tmp_path) for spec in GAMES]
    solutions = [analysis.solve(spec, workers=1) for spec in games]
    positions = [some_positions(solution)[:SHOWN] for solution in solutions]
    by_file = []
    for number, solution in enumerate(solutions):
        write_page(solution, tmp_path / f"{number}.html")
        browser.open(tmp_path / f"{number}.html", DESKTOP)
        browser.until("return document.querySelector('.spoken')?.textContent")
        by_file.append(read(browser, browser.run(ROOT), positions[number]))
        assert browser.console() == []
    with serving(*games) as served:
        for each, texts, expected in zip(Site(solutions), positions, by_file, strict=True):
            browser.open(f"{served.url}game/{each.id}", DESKTOP)
            browser.until("return document.querySelector('.spoken')?.textContent")
            same(read(browser, browser.run(ROOT), texts), expected, each.name)
    with live_notebook(tmp_path, shows(games)) as url:
        browser.open(url, DESKTOP)
        browser.until(f"return (() => {{ {ROOTS} }})().length === arguments[0]", len(games))
        roots = browser.run(ROOTS)
        for root, texts, expected, spec in zip(roots, positions, by_file, games, strict=True):
            same(read(browser, root, texts[:IN_NOTEBOOK]), expected[:IN_NOTEBOOK], spec)


@pytest.mark.parametrize("spec", GAMES)
def test_a_kernel_answers_as_the_server_does(tmp_path, spec):
    (tmp_path / "coins.txt").write_text(COINS)
    solution = analysis.solve(spec.format(tmp_path), workers=1)
    asking = Asking(solution)
    served = asking.site[0]
    shortest = {"shortest": "true"} if solution.loopy else {}
    for text in some_positions(solution):
        fields = {"p": text}
        for path, more in (("/position", {}), ("/images", {}), ("/line", {}), ("/paths", {"limit": 20} | shortest)):
            told = json.loads(
                answer_json(asking.site, {"id": served.id, "number": 7, "path": path, "fields": fields | more})
            )
            assert told.pop("number") == 7
            answered = asking.get(f"/api/v1/{served.id}{path}", params=fields | more).json()
            assert told == (answered if "error" in answered else {"answer": answered})
    whole = json.loads(answer_json(asking.site, {"id": served.id, "number": 0, "path": "", "fields": {}}))
    assert whole["answer"] == asking.json(f"/api/v1/{served.id}")
    for path, fields in (("/line", {"p": solution.start, "index": -1}), ("/nowhere", {}), ("/position", {"q": "x"})):
        assert json.loads(answer_json(asking.site, {"id": served.id, "number": 1, "path": path, "fields": fields}))[
            "error"
        ]


def test_a_saved_notebook_shows_the_page(tmp_path):
    """Executed and converted to HTML, it has no kernel: it shows the page with its table, also of a hostile game."""
    spec = write_hostile(tmp_path)
    code = "import analysis\nfor spec in {!r}:\n    display(analysis.explore(analysis.solve(spec, workers=1)))"
    cells = [nbformat.v4.new_code_cell(code.format(["tictactoe", spec]))]
    executed = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(executed, timeout=120, kernel_name="python3").execute()
    html, _ = nbconvert.HTMLExporter().from_notebook_node(executed)
    (tmp_path / "saved.html").write_text(html, encoding="utf-8")
    opened = Browser(tmp_path / "profile")
    try:
        opened.open(tmp_path / "saved.html", DESKTOP)
        frames = opened.run("return [...document.querySelectorAll('iframe[srcdoc]')]")
        assert len(frames) == 2
        for frame in frames:
            opened.driver.switch_to.frame(frame)
            opened.until("return document.querySelector('.explorer .spoken')?.textContent")
            before = opened.run("return document.querySelector('#here').textContent")
            opened.run("document.querySelector('[data-do=best]').click()")
            opened.until("return document.querySelector('#here').textContent !== arguments[0]", before)
            assert opened.run("return document.querySelectorAll('main :is(img, b, i, script, iframe)').length") == 0
            assert opened.axe() == []
            opened.driver.switch_to.default_content()
    finally:
        opened.close()


LEVELS = re.compile(r"^\s*(greedy|depth:\d|blunder:\S+): .*\n", re.MULTILINE)
"""Opponents that need a program behind the page: a file does not list them."""


def same(found, expected, name):
    assert len(found) == len(expected)
    for mine, other in zip(found, expected, strict=True):
        assert LEVELS.sub("", mine) == LEVELS.sub("", other), name
