"""Take the picture of the explorer's page again: needs Chromium and chromedriver, as the tests do."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

import analysis  # noqa: E402
from analysis.web.pages.page_file import write_page  # noqa: E402
from tests.support.browser import Browser  # noqa: E402

SIZE = {"width": 1000, "height": 720}
LINE = "#p=%3F%3F%3F%3F%3F%3F%3F%3F%3F&line=0-4-1"


def main() -> None:
    """Write ``images/explorer.png``."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        write_page(analysis.solve("tictactoe"), page)
        browser = Browser(Path(folder) / "profile")
        try:
            device = {**SIZE, "deviceScaleFactor": 1, "mobile": False}
            browser.open(page.as_uri() + LINE, device)
            browser.until("return document.querySelector('.explorer dl')?.textContent.includes('Histories')")
            browser.photograph(DOCS / "images" / "explorer.png", **SIZE)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
