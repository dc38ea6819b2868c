"""The page shows the same text from a server and from the table that a file, or the frame of a notebook, carries."""

import itertools
import random
import re

import nbclient
import nbformat
import pytest

import analysis
from analysis.errors import PositionError
from analysis.games.families import FAMILIES
from analysis.web.pages.page_file import write_page
from analysis.web.served import Site
from tests.support.browser import DESKTOP, Browser
from tests.support.class_graph import every_position
from tests.support.hostile import write_hostile
from tests.support.serving import serving
from tests.web.test_embedded import head_of

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

SHOWN, OPEN = 24, 12
"""So many positions are shown by a page, the first of them with all panels open."""

READ = """
const [texts, open, done] = arguments;
const root = document.querySelector(".explorer");
const box = root.querySelector("#p");
const settled = () => !root.querySelector("[aria-busy]");
const pause = () => new Promise((go) => setTimeout(go));
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
    // what is named in the picture of a search depends on its width
    for (const picture of root.querySelectorAll("svg.tree")) picture.style.visibility = "hidden";
    found.push(root.innerText);
  }
  return found;
})().then(done, (error) => done([String(error)]));
"""


def some_positions(solution):
    every = list(itertools.islice(every_position(solution), 20_000))
    chosen = random.Random(1).sample(every, min(SHOWN, len(every)))
    return [each.position for each in chosen]


def read(browser, texts):
    return browser.driver.execute_async_script(READ, texts, OPEN)


def test_every_family_is_here():
    assert {spec.partition(":")[0] for spec in GAMES} == {*FAMILIES}


def test_both_sources_give_the_same_text(browser, tmp_path):
    (tmp_path / "coins.txt").write_text(COINS)
    games = [spec.format(tmp_path) for spec in GAMES]
    solutions = [analysis.solve(spec, workers=1) for spec in games]
    positions = [some_positions(solution) for solution in solutions]
    by_file = []
    for number, solution in enumerate(solutions):
        write_page(solution, tmp_path / f"{number}.html")
        browser.open(tmp_path / f"{number}.html", DESKTOP)
        browser.until("return document.querySelector('.spoken')?.textContent")
        by_file.append(read(browser, positions[number]))
        assert browser.console() == []
    with serving(*games) as served:
        for each, texts, expected in zip(Site(solutions), positions, by_file, strict=True):
            browser.open(f"{served.url}game/{each.id}", DESKTOP)
            browser.until("return document.querySelector('.spoken')?.textContent")
            same(read(browser, texts), expected, each.name)


def test_a_notebook_shows_the_page(tmp_path):
    """What a kernel displays, kept in a page of its own, as saved notebooks do; also of a hostile game."""
    spec = write_hostile(tmp_path)
    code = "import analysis\nfor spec in {!r}:\n    display(analysis.explore(analysis.solve(spec, workers=1)))"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code.format(["tictactoe", spec]))])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    displayed = [output["data"]["text/html"] for output in notebook.cells[0].outputs]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title>'
    (tmp_path / "saved.html").write_text(head + "".join(displayed), encoding="utf-8")
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


def test_a_notebook_begins_at_a_position():
    solution = analysis.solve("tictactoe", workers=1)
    framed = analysis.explore(solution, "0124")
    head, _ = head_of(framed.page)
    assert head["solution"]["start"] == "XOX?O????"
    assert framed._repr_html_().startswith('<iframe title="tictactoe"')
    with pytest.raises(PositionError):
        analysis.explore(solution, "XXX")


LEVELS = re.compile(r"^\s*(greedy|depth:\d|blunder:\S+): .*\n", re.MULTILINE)
"""Opponents that need a program behind the page: a file does not list them."""


def same(found, expected, name):
    assert len(found) == len(expected)
    for mine, other in zip(found, expected, strict=True):
        assert LEVELS.sub("", mine) == LEVELS.sub("", other), name
