"""The page as one file: how large it is, how long it takes to write, and how soon it can be used in Chromium.

``python benchmarks/pages.py tictactoe connect:rows=4,cols=4,k=4`` solves the games and writes their pages into a
temporary directory. Opening is told by the page's own clock, the least of five times: until the board is there and can
be clicked; and so is a click, the first one and the median of those that follow: until the next position is drawn.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from common import ROOT, median

import analysis
from analysis.web.pages.page_file import write_page
from analysis.web.pages.slices import cut
from analysis.web.pages.table import pack
from analysis.web.served import Site
from tests.support.browser import DESKTOP, Browser

assert ROOT  # which makes the tests' helpers known

TIMES = 5

CLOCK = """
const [wanted, done] = arguments;
const look = () => (document.querySelector(wanted)?.textContent ? done(performance.now()) : setTimeout(look));
look();
"""
THERE = ".explorer .spoken"

CLICKS = """
const done = arguments[0];
const [here, best] = ["#here", "[data-do=best]"].map((selector) => document.querySelector(selector));
const taken = [];
const click = () => {
  const [before, began] = [here.textContent, performance.now()];
  const look = () => {
    if (here.textContent === before) return void setTimeout(look);
    requestAnimationFrame(() => setTimeout(() => {
      taken.push(performance.now() - began);
      best.disabled ? done(taken) : click();
    }));
  };
  best.click();
  look();
};
click();
"""


def main(specs: list[str]) -> None:
    """Measure each game."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder) / "profile")
        for spec in specs:
            solution, page = analysis.solve(spec), Path(folder) / "page.html"
            write_page(solution, page)  # compiles what is needed
            began = time.perf_counter()
            part = cut(solution)
            gathered = time.perf_counter()
            table = pack(Site([solution])[0], part)
            packed = time.perf_counter()
            there = min(open_page(browser, page) for _ in range(TIMES))
            first, *clicks = browser.driver.execute_async_script(CLICKS)
            print(
                f"{solution.game.spec}: {len(part.states):,} positions; table {len(table):,} bytes, page "
                f"{page.stat().st_size:,}; gathered in {gathered - began:.2f} s, packed in {packed - gathered:.2f} s; "
                f"there after {there:.0f} ms, the first click takes {first:.0f}, others {median(clicks):.0f}"
            )
        browser.close()


def open_page(browser: Browser, page: Path) -> float:
    """Milliseconds until a page that has just been opened shows its board."""
    browser.open(page, DESKTOP)
    return browser.driver.execute_async_script(CLOCK, THERE)


if __name__ == "__main__":
    main(sys.argv[1:] or ["tictactoe", "connect:rows=4,cols=4,k=4"])
