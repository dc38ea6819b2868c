"""Labels of moves in Chromium: each plays its move, with a mouse and a finger, and is large enough for both."""

import itertools

import pytest

from tests.support.browser import DESKTOP, PHONE
from tests.support.program import ROOT
from tests.web.test_boards import COINS, SPECS, opened

CASES = dict.fromkeys([("kayles", True), ("wild", False), *itertools.product((*SPECS, "cram"), (True, False))])
"""Families, and a user's game, and whether a finger plays; tests in a hurry take the first two."""

HIT = """
const label = document.querySelector(`svg.board .label[data-move="${arguments[0]}"]`);
const { left, right, top, bottom } = label.getBoundingClientRect();
const [x, y] = [(left + right) / 2, (top + bottom) / 2];
return [[x, y], [left + 1, y], [right - 1, y], [x, top + 1], [x, bottom - 1]].map(([u, v]) => {
  const hit = document.elementFromPoint(u, v)?.closest("[data-hit]")?.dataset.hit;
  return [u, v, hit === label.dataset.hit];
});
"""
"""Points of a label, its middle first, and whether they are of its target."""

SMALL = """
const rects = [...document.querySelectorAll("svg.board .area")].map((each) => each.getBoundingClientRect());
const cell = document.querySelector("div.board svg > g").getScreenCTM().a;
const texts = [...document.querySelectorAll("svg.board .label text")];
const high = texts.map((each) => cell * parseFloat(each.getAttribute("font-size")));
return [Math.min(44, ...rects.flatMap(({ width, height }) => [width, height])), Math.min(12, ...high)];
"""
"""The size of the smallest target, if below 44 pixels, and of the smallest text, if below 12."""


def press(browser, finger, x, y):
    """Click with a mouse or a finger."""
    if finger:
        for kind, touching in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            browser.command("Input.dispatchTouchEvent", type=kind, touchPoints=touching)
    else:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def playable(family, tmp_path):
    if family == "cram":
        return str(ROOT / "docs/how-to/examples/cram.py") + ":Cram"
    (tmp_path / "coins.txt").write_text(COINS)
    return SPECS[family].format(tmp_path / "coins.txt")


@pytest.mark.parametrize(("family", "finger"), CASES, ids=lambda each: {True: "finger", False: "mouse"}.get(each, each))
def test_every_label_plays_its_move(browser, tmp_path, family, finger):
    solution, page = opened(browser, tmp_path, playable(family, tmp_path), PHONE if finger else DESKTOP)
    for _ in range(3):
        here = solution[page.here]
        played = [
            int(each)
            for each in browser.run("return [...document.querySelectorAll('.label')].map((each) => each.dataset.move)")
        ]
        if not here.moves:
            break
        assert browser.run(SMALL) == [44, 12]
        for code in played:
            browser.run("document.querySelector('div.board').scrollIntoView({ block: 'center' })")
            points = browser.run(HIT, code)
            assert [hit for _, _, hit in points] == [True] * 5, here.position
            press(browser, finger, *points[0][:2])
            browser.until("return document.querySelector('#here').textContent !== arguments[0]", here.position)
            assert page.here == next(move.position for move in here.moves if move.move == code)
            page.changes(lambda: page.do("undo"))
        page.changes(lambda: page.do("best"))
    assert page.browser.console() == []
