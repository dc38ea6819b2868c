"""Take the pictures of the explorer's pages again: needs Chromium and chromedriver, as the tests do."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS.parent))

import analysis  # noqa: E402
from analysis.web.pages.page_file import write_page  # noqa: E402
from analysis.web.served import plain_name  # noqa: E402
from tests.support.browser import Browser  # noqa: E402
from tests.support.serving import serving  # noqa: E402

DESKTOP = {"width": 1120, "height": 900, "deviceScaleFactor": 1, "mobile": False}
PHONE = {"width": 360, "height": 900, "deviceScaleFactor": 2, "mobile": True}

COINS = "H 5 10\n5 1 25\n10 5 C\n"

PAGES: tuple[tuple[str, str, str, dict[str, Any], bool], ...] = (
    ("explorer", "connect:rows=4,cols=4", "1-1-2-3", DESKTOP, False),
    ("explorer-phone", "hex:n=3", "4-0", PHONE, False),
    ("explorer-dark", "hexapawn", "", DESKTOP, True),
)
"""The name of a picture, a game, the moves played, the device, and whether it is dark."""

BIDDING = "bidding:game=tictactoe,chips=4"
STATE = "X???????? X=3 O=5 advantage=X"
"""The state in its picture."""

CARDS = (
    "tictactoe",
    "connect:rows=4,cols=4",
    "hex:n=3",
    "othello:size=4",
    "morris",
    "dots_and_boxes:rows=2,cols=2",
    "domineering:rows=3,cols=4",
    "hexapawn",
    "dodgem",
    "chomp",
    "nim",
    "kayles:pins=8",
    "grundy",
    "coin_grabber:board=coins.txt",
    "wild",
    "notakto",
    BIDDING,
)
"""One of every family, and a bidding game."""

DRAWN = "return document.querySelectorAll('.solutions .picture svg').length === arguments[0]"


def main() -> None:
    """Write the pictures of ``images/`` that begin with ``explorer``."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder) / "profile", offline=False)
        try:
            for name, spec, moves, device, dark in PAGES:
                solution = analysis.solve(spec)
                write_page(solution, Path(folder) / "page.html")
                address = (Path(folder) / "page.html").as_uri() + f"#p={quote(solution.start, safe='')}&line={moves}"
                browser.open(address, device, dark=dark)
                browser.until("return document.querySelector('.explorer .spoken')?.textContent")
                browser.photograph(DOCS / "images" / f"{name}.png", device["width"], device["height"])
            with serving(BIDDING) as served:
                browser.open(f"{served.url}game/{plain_name(BIDDING)}?p={quote(STATE)}", DESKTOP)
                browser.until("return document.querySelector('.board svg')")
                browser.photograph(DOCS / "images" / "explorer-bidding.png", DESKTOP["width"], DESKTOP["height"])
            (Path(folder) / "coins.txt").write_text(COINS)
            with contextlib.chdir(folder), serving(*CARDS) as served:
                browser.open(served.url, DESKTOP)
                browser.until(DRAWN, len(CARDS))
                height = browser.run("return document.documentElement.scrollHeight")
                browser.photograph(DOCS / "images" / "explorer-games.png", DESKTOP["width"], height)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
