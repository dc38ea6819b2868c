"""Searches on the explorer's page: their numbers are those of ``gametree prune``, whoever tells the tree."""

import functools
import itertools
import json
import math
import random
import time

import pytest

import analysis
from analysis.rules.game import ONGOING
from analysis.search.comparison import SearchRequest, compare
from analysis.web.answers import LOOPY, TOO_MANY
from analysis.web.pages.page_file import write_page
from analysis.web.pages.rendering import bundle
from tests.support.asking import FEW_CLASSES, KINDS, Asking, exact, q, solved, some_positions
from tests.support.browser import DESKTOP, PHONE
from tests.support.explorer_page import Page, ask_both
from tests.support.hostile import write_hostile

ORDERS = ("natural", "reverse", "best", "worst")

GAMES = (("tictactoe", "4"), ("tictactoe", "0124"), ("nim:heaps=2-2-3", None), ("dots_and_boxes:rows=1,cols=2", None))
LARGE = (
    ("tictactoe", None),
    ("mnk:rows=2,cols=4,k=3", None),
    ("connect:rows=3,cols=4,k=3", None),
    ("dots_and_boxes:rows=2,cols=2", "0-1-2-3"),
    ("othello:size=4", "1"),
    ("chomp:rows=3,cols=3", None),
    ("hex:n=3", "0"),
)
"""Turns, falling stones, lines of several lengths, scores and extra turns, passes; more nodes than can be visited."""

RUN = """
const [modules, answer, asked, done] = arguments;
const exported = "return { ...$search, ...$icicle };";
const { Tree, Search, finish, inSlices, Icicle } = new Function(modules + exported)();
const plain = (_, value) => (typeof value === "bigint" ? String(value) : value);
const follow = (search, icicle, passes) => {
  for (let event; (event = search.step(passes)); ) icicle.mark(event, search.frames.length);
};
const wide = (end, other) => (end === null ? other : end);
(async () => {
  const tree = new Tree(answer);
  await inSlices(tree.count());
  const found = [];
  for (const { kind, order, alpha, beta, stepped } of asked) {
    const window = { alpha: wide(alpha, -Infinity), beta: wide(beta, Infinity) };
    const moves = await inSlices(tree.arranged(order));
    const search = new Search(tree, moves, { kind, ...window });
    await inSlices(finish(search));
    const row = { ...search.counts, value: search.value, least: await inSlices(tree.least(window)) };
    if (stepped) {
      const other = new Search(tree, moves, { kind, ...window, known: search.known });
      const icicles = [new Icicle(tree, moves), new Icicle(tree, moves)];
      const whole = new Search(tree, moves, { kind, ...window });
      follow(whole, icicles[0]);
      follow(other, icicles[1], (frame) => icicles[1].hides(frame));
      row.stepped = whole.counts;
      row.jumped = other.counts;
      row.drawn = icicles.map(({ seen, ended }) => [...seen, ...ended].join());
      row.leaves_drawn = icicles[0].seen.filter((seen, column) => seen === icicles[0].depths[column]).length;
    }
    found.push(row);
  }
  return JSON.stringify({ nodes: tree.nodes[0], leaves: tree.leaves[0], plies: tree.plies[0], rows: found }, plain);
})().then(done, (error) => done(JSON.stringify({ error: `${error} ${error.stack}` })));
"""


def tree_of(spec, position=None):
    """The answer for a position, as a program gets it."""
    return Asking(solved(spec, counts=False)).native("/tree" if position is None else f"/tree?p={q(position)}")


def run(browser, tree, asked):
    """What the page's modules count, without the page."""
    if not browser.run("return location.href").startswith("about:"):
        browser.driver.get("about:blank")
    plain = {"kind": "alphabeta", "order": "natural", "alpha": None, "beta": None}
    told = browser.driver.execute_async_script(RUN, bundle("pruning"), tree, [plain | each for each in asked])
    found = json.loads(told, parse_float=float)
    assert "error" not in found, found
    return exact(found)


# The numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "position"), [*GAMES, *(pytest.param(*game, marks=pytest.mark.slow) for game in LARGE)]
)
def test_the_numbers_are_those_of_prune(browser, spec, position):
    request = SearchRequest(
        algorithms=("minimax", "alphabeta", "alphabeta_table"), orders=ORDERS, windows=("full", "value")
    )
    prune = compare(spec, request, start=position)
    least, greatest = prune.problem.payoffs
    windows = {"full": {}, "value": {"alpha": least, "beta": greatest}}
    small = prune.tree.nodes < 1_000_000
    asked = [{"kind": row.algorithm, "order": row.order, **windows[row.window], "stepped": small} for row in prune.rows]
    found = run(browser, tree_of(spec, position), asked)
    assert (found["nodes"], found["leaves"]) == (prune.tree.nodes, prune.tree.leaves)
    for expected, row in zip(prune.rows, found["rows"], strict=True):
        names = ("value", "nodes", "leaves", "cutoffs", "cutoffs_effective", "table_hits")
        mine = tuple(row[name] for name in ("value", "nodes", "leaves", "cutoffs", "effective", "hits"))
        assert mine == tuple(getattr(expected, name) for name in names), expected
        proof = prune.least[expected.window]
        assert row["least"] == {"nodes": proof.nodes, "leaves": proof.leaves}, expected
        if expected.algorithm != "alphabeta_table":
            assert row["nodes"] + row["skipped"] == found["nodes"]
        if small:
            counts = {name: row[name] for name in row["stepped"]}
            assert row["stepped"] == row["jumped"] == counts
            assert row["drawn"][0] == row["drawn"][1]


def test_published_numbers(browser):
    asked = [{"stepped": True}, {"alpha": -1, "beta": 1}, {"order": "best"}, {"order": "worst"}, {"kind": "minimax"}]
    found = run(browser, tree_of("tictactoe"), [*asked, {"kind": "alphabeta_table"}])
    natural, value, best, worst, minimax, table = found["rows"]
    assert (found["nodes"], found["leaves"], found["plies"]) == (549_946, 255_168, 9)
    assert [natural[name] for name in ("nodes", "leaves", "cutoffs", "effective")] == [18_297, 7_330, 8_180, 4_237]
    assert natural["least"] == {"nodes": 1_452, "leaves": 529}
    assert [each["nodes"] for each in (value, best, worst, minimax, table)] == [16_811, 2_312, 198_837, 549_946, 4_769]
    assert natural["leaves_drawn"] / 1200 == pytest.approx(7_330 / 255_168, abs=0.01)


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(browser, seed):
    """Of few and of many values, with lines of several lengths and moves in a row; the last ones have trees of more
    nodes than JavaScript's numbers tell apart.
    """
    tree = random_tree(random.Random(seed), size=40 if seed < 5 else 130, far=8 if seed < 5 else 3)
    asked = [{}, {"alpha": 0, "beta": 2}, {"alpha": -3, "beta": -1}, {"kind": "minimax"}]
    found = run(browser, tree, asked)
    assert (found["nodes"] > 2**53) == (seed >= 5)
    for each, row in zip(asked, found["rows"], strict=True):
        expected = searched(tree, each.get("alpha", -math.inf), each.get("beta", math.inf), "kind" not in each)
        assert [row[name] for name in ("value", "nodes", "leaves", "cutoffs", "effective")] == list(expected)
        if "alpha" not in each:
            assert row["least"] == {"nodes": least(tree, 1), "leaves": least(tree, 0)}


def random_tree(numbers, size, far):
    """Positions whose moves lead to some of the next ones; the last are over."""
    branching, children, sides, values = [], [], [], [0] * size
    for at in range(size):
        below = range(at + 1, min(size, at + far))
        moves = sorted(numbers.choices(below, k=numbers.randint(2, 4))) if len(below) > 1 else []
        branching.append(len(moves))
        children.append(moves)
        sides.append(numbers.choice((1, -1)) if moves else 0)
    for at in reversed(range(size)):
        best = max if sides[at] > 0 else min
        values[at] = best(values[child] for child in children[at]) if children[at] else numbers.randint(-3, 3)
    codes = [code for moves in children for code in range(len(moves))]
    return {
        "payoffs": [-3, 3],
        "positions": [str(at) for at in range(size)],
        "sides": sides,
        "values": values,
        "branching": branching,
        "codes": codes,
        "children": [child for moves in children for child in moves],
        "names": {str(code): str(code) for code in codes},
    }


def moves_of(tree):
    ends = itertools.accumulate(tree["branching"])
    return [tree["children"][end - count : end] for end, count in zip(ends, tree["branching"], strict=True)]


def searched(tree, alpha, beta, cuts=True):
    """The value, nodes, leaves, cutoffs and effective ones of fail-soft alpha-beta; each call with a window once."""
    moves, sides = moves_of(tree), tree["sides"]

    @functools.cache
    def search(at, alpha, beta):
        if not sides[at]:
            return tree["values"][at], 1, 1, 0, 0
        best, total = -math.inf * sides[at], [1, 0, 0, 0]
        for number, child in enumerate(moves[at]):
            value, *counts = search(child, alpha, beta)
            best = max(best, value) if sides[at] > 0 else min(best, value)
            total = [mine + other for mine, other in zip(total, counts, strict=True)]
            if cuts and sides[at] > 0:
                alpha = max(alpha, best)
            elif cuts:
                beta = min(beta, best)
            if alpha >= beta:
                return best, *total[:2], total[2] + 1, total[3] + (number + 1 < len(moves[at]))
        return best, *total

    return search(0, alpha, beta)


def least(tree, inner):
    """The size of the smallest pair of strategies that shows the value of the root: each by itself, and together."""
    moves, sides, value = moves_of(tree), tree["sides"], tree["values"][0]

    @functools.cache
    def size(at, shown):
        if not sides[at]:
            own = tree["values"][at]
            return 1 if all(own >= value if each > 0 else own <= value for each in shown) else math.inf
        if shown == (1, -1):
            other = (-sides[at],)
            every = sum(size(child, other) for child in moves[at])
            pairs = ((size(child, shown), size(child, other)) for child in moves[at])
            saved = [both - one for both, one in pairs if both < math.inf]
            return inner + every + min(saved) if saved and every < math.inf else math.inf
        return inner + (min if shown == (sides[at],) else sum)(size(child, shown) for child in moves[at])

    return size(0, (1, -1))


# The tree -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", FEW_CLASSES)
def test_the_tree_is_what_the_rules_play(spec):
    asking = Asking(solved(spec))
    served, game = asking.site[0], asking.site[0].game
    if served.solution.loopy:
        assert asking.refusal(f"/api/v1/{served.id}/tree", 404) == LOOPY
        return
    for text in (None, *(each.position for each in some_positions(served.solution, 5))):
        told = asking.native(f"/tree?p={q(text)}" if text else "/tree")
        same_tree(told, game, served.state_of(text))


def same_tree(told, game, root):
    """The numbers of an answer are the states that play reaches, each once."""
    rules, moves, states, first = game.rules(), moves_of(told), {0: root}, 0
    assert tuple(told["payoffs"]) == rules.payoffs
    for at, children in enumerate(moves):
        state, codes = states[at], [0] * rules.max_moves
        over = rules.outcome(state) != ONGOING
        count = 0 if over else rules.legal_moves(state, codes)
        assert told["codes"][first : first + count] == codes[:count] == sorted(codes[:count])
        assert len(children) == count
        assert told["positions"][at] == game.format_position(state)
        assert told["sides"][at] == (0 if over else rules.to_move(state))
        for code, child in zip(codes, children, strict=False):
            assert child > at
            assert states.setdefault(child, rules.play(state, code)) == rules.play(state, code)
            assert told["names"][str(code)] == game.format_move(code)
        best = max if told["sides"][at] > 0 else min
        below = [told["values"][child] for child in children]
        assert told["values"][at] == (rules.outcome(state) if over else best(below))
        first += count
    assert len({*states.values()}) == len(states) == len(moves)


TREES = """
  const tree = (source, p = undefined) => source.fetched("/tree", { p });
  const told = (source, text) => tree(source, text ?? undefined).catch(({ message }) => ({ message }));
  return Promise.all(asked.map((text) => Promise.all(sources.map((source) => told(source, text)))));
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", [*KINDS, "morris", "mnk:rows=2,cols=4,k=3", "wild:rows=2,cols=3,k=3", "notakto", "hostile"]
)
def test_a_file_tells_the_tree_that_the_server_tells(browser, tmp_path, spec):
    if spec == "hostile":
        spec = write_hostile(tmp_path)
    solution = analysis.solve(spec, workers=1)
    every = solution.positions(text=True)["position"].tolist()[:3000]
    asked = [None, *random.Random(1).sample(every, min(12, len(every)))]
    found = ask_both(browser, spec, solution, TREES, asked)
    for text, (by_table, by_server) in zip(asked, found, strict=True):
        assert by_table == by_server, text
        assert ("message" in by_table) == solution.loopy


@pytest.mark.slow
def test_trees_that_are_too_large_are_refused(browser, tmp_path, monkeypatch):
    spec = "connect:rows=4,cols=4,k=4"
    solution = analysis.solve(spec, workers=1)
    asking, page = Asking(solution), tmp_path / "page.html"
    assert asking.refusal(f"/api/v1/{asking.site[0].id}/tree") == TOO_MANY
    assert len(asking.native("/tree?p=3")["positions"]) > 60_000
    write_page(solution, page)
    opened = open_panel(Page(browser, page.as_uri()))
    assert opened.text("[data-panel=pruning] div > p") == TOO_MANY


@pytest.mark.parametrize("path", ["tree?p=XXXXXXXXX", "tree?p=zz", "tree?q=0"])
def test_what_is_no_position_is_refused(path):
    Asking(solved("tictactoe")).refusal(f"/api/v1/tictactoe/{path}")


# The page -------------------------------------------------------------------------------------------------------------


def open_panel(page):
    page.browser.run("document.querySelector('[data-tab=pruning]').click()")
    page.browser.until(
        "return document.querySelector('[data-panel=pruning] p') && !document.querySelector('[aria-busy]')"
    )
    page.browser.run("for (const each of document.querySelectorAll('.pruning details')) each.open = true")
    return page


def numbers(page, row):
    """A row of the table of the search, with its numbers."""
    script = (
        "return [...[...document.querySelectorAll('.pruning .numbers')][0].tBodies[0].rows]"
        ".find((row) => row.cells[0].textContent === arguments[0]).innerText"
    )
    return [int(text) for text in page.browser.run(script, row).replace(",", "").split("\t")[1:] if text.strip()]


def choose(page, name, value):
    script = """
    const field = document.querySelector(`#pruning-${arguments[0]}`);
    field.value = arguments[1];
    field.dispatchEvent(new Event("change"));
    """
    page.browser.run(script, name, value)
    page.browser.until("return !document.querySelector('[aria-busy]')")


def board_becomes(page, text):
    """What the board of the search shows, which need not be the position of the line."""
    label = "document.querySelector('.pruning .small-board svg.board')?.ariaLabel"
    page.browser.until(f"return {label} === `The position ${{arguments[0]}}`", text)


@pytest.mark.slow
@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_search_step_by_step(browser, shown, device):
    with shown("tictactoe") as served:
        page = Page(browser, served.url, device, dark=device is PHONE)
        assert not any("/tree?" in each for each in browser.requests())
        open_panel(page)
        assert numbers(page, "so far") == [0, 0, 0, 0]
        assert numbers(page, "in the end") == [18_297, 7_330, 8_180, 4_237]
        assert numbers(page, "whole tree") == [549_946, 255_168]
        assert numbers(page, "least possible") == [1_452, 529]
        page.clean(served.url)
        for _ in range(3):
            page.button("Step")
        assert numbers(page, "so far") == [3, 0, 0, 0]
        assert "after 0, 1: X to move" in page.text(".said")
        board_becomes(page, "XO???????")
        assert page.here == "?" * 9
        page.button("To the next cutoff")
        assert numbers(page, "so far")[3] == 1
        assert "never seen" in page.text(".said")
        page.clean(served.url)
        choose(page, "speed", "1000")
        page.button("Run")
        browser.until(
            "return document.querySelector('.pruning .numbers tbody').rows[0].cells[1].textContent.length > 3"
        )
        page.button("Pause")
        stopped = numbers(page, "so far")
        time.sleep(0.2)
        assert numbers(page, "so far") == stopped
        page.button("To the end")
        assert numbers(page, "so far") == [18_297, 7_330, 8_180, 4_237]
        assert "The value is 0" in page.text(".said")
        assert "cut off: 531,649 nodes, by 4,237 cutoffs" in page.texts(".legend li")
        board_becomes(page, "?????????")
        page.clean(served.url)
        page.button("Again")
        assert numbers(page, "so far") == [0, 0, 0, 0]
        page.button("Step")
        page.button("Step")
        board_becomes(page, "X????????")
        page.button("Run")
        browser.run("document.querySelector('[data-tab=moves]').click()")
        assert page.here == "?????????"
        page.clean(served.url)


@pytest.mark.slow
def test_what_is_asked_of_the_search(browser, shown):
    with shown("tictactoe") as served:
        page = open_panel(Page(browser, served.url))
        for field, value, nodes in (
            ("window", "value", 16_811),
            ("window", "full", 18_297),
            ("order", "worst", 198_837),
            ("order", "best", 2_312),
            ("kind", "minimax", 549_946),
            ("order", "natural", 549_946),
            ("kind", "alphabeta_table", 4_769),
        ):
            choose(page, field, value)
            assert numbers(page, "in the end")[0] == nodes
            page.button("To the end")
            assert numbers(page, "so far") == numbers(page, "in the end")
        page.clean(served.url)
        browser.run("document.querySelector('#pruning-kind').focus()")
        page.keys("\ue015")
        browser.until("return document.querySelector('#pruning-kind').value === 'minimax'")
        choose(page, "kind", "alphabeta")
        choose(page, "order", "random")
        first = numbers(page, "in the end")
        compared = page.texts(".pruning .numbers:nth-of-type(2) tbody td:nth-of-type(1)")
        assert compared == ["18,297", "18,297", "2,312", "198,837", f"{first[0]:,}"]


@pytest.mark.slow
def test_another_position_begins_again(browser, shown):
    with shown("tictactoe") as served:
        page = open_panel(Page(browser, served.url))
        page.button("Run")
        page.changes(lambda: page.do("best"))
        open_panel(page)
        prune = compare("tictactoe", SearchRequest(algorithms=["alphabeta"]), start=page.here)
        assert numbers(page, "in the end")[0] == prune.rows[0].nodes
        assert numbers(page, "so far")[0] == 0
        board_becomes(page, page.here)
        for _ in range(8):
            page.changes(lambda: page.do("best"))
        open_panel(page)
        assert "over" in page.text("[data-panel=pruning] div > p")
        page.clean(served.url)


@pytest.mark.slow
def test_what_has_no_tree_says_so(browser, tmp_path):
    solution = analysis.solve("tictactoe", workers=1)
    write_page(solution, tmp_path / "part.html", depth=3)
    part = open_panel(Page(browser, (tmp_path / "part.html").as_uri()))
    assert "part of the game" in part.text("[data-panel=pruning] div > p")
    write_page(solution, tmp_path / "later.html", start="0124")
    later = open_panel(Page(browser, (tmp_path / "later.html").as_uri()))
    prune = compare("tictactoe", SearchRequest(algorithms=["alphabeta"]), start="0124")
    assert numbers(later, "in the end")[0] == prune.rows[0].nodes
    write_page(analysis.solve("dodgem", workers=1), tmp_path / "loopy.html")
    loopy = open_panel(Page(browser, (tmp_path / "loopy.html").as_uri()))
    assert loopy.text("[data-panel=pruning] div > p") == LOOPY
    assert browser.console() == []
