"""The documentation as a site: built without a warning, with every name and command, loading nothing from elsewhere."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

import analysis
from tests.support.browser import DESKTOP, PHONE, Browser
from tests.support.program import ROOT
from tests.support.public_names import ROOMS, offered

GENERATED = ("reference/commands.md",)
MOST_WORDS = 16_000

PUBLIC = ["analysis", *(f"analysis.{room}" for room in ROOMS)]
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}


class Page(HTMLParser):
    """What a page loads, where its links lead, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if found.get("id"):
            self.anchors.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif found.get(LOADING.get(tag, "")):
            self.loaded.append(found[LOADING[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built once."""
    if importlib.util.find_spec("sphinx") is None and os.environ.get("REQUIRE_TOOLS") != "1":
        pytest.skip("Sphinx is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", folder / "doctrees"]
    built = subprocess.run([*command, ROOT / "docs", folder / "html"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


@pytest.mark.slow
@pytest.mark.parametrize("room", PUBLIC)
def test_every_public_name_has_an_entry(room, site, pages):
    module = importlib.import_module(room)
    names = {f"{room}.{name}" for name in offered(module) if not name.startswith("_")}
    assert names
    page = pages[site / "reference" / "library" / f"{room.removeprefix('analysis.')}.html"]
    elsewhere = {f"{room}.{name}" for name in analysis.__all__ if room != "analysis"}
    assert names - {*PUBLIC} - elsewhere <= page.anchors


@pytest.mark.slow
def test_every_command_has_a_section(site, pages):
    from analysis.cli.main import app

    commands = {f"gametree-{name}" for name in typer.main.get_command(app).commands}
    assert commands <= pages[site / "reference" / "commands.html"].anchors


@pytest.mark.slow
def test_the_tour_is_a_page_with_what_it_printed(site):
    tour = (site / "tutorial" / "tour.html").read_text(encoding="utf-8")
    assert "255168" in tour
    assert "<img" in tour


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site, pages):
    assert len(pages) > 30
    assert {address for page in pages.values() for address in page.loaded if urlsplit(address).netloc} == set()
    assert not [path for path in site.rglob("*.css") if "url(http" in path.read_text(encoding="utf-8")]


@pytest.mark.slow
def test_links_within_the_site_hold(site, pages):
    broken = []
    for path, page in pages.items():
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in anchors):
                broken.append((path.relative_to(site).as_posix(), link))
    assert broken == []


@pytest.mark.slow
def test_search_works_from_a_file_and_no_request_leaves(site, tmp_path):
    browser = Browser(tmp_path / "profile")
    try:
        browser.open((site / "search.html").as_uri() + "?q=nimber", DESKTOP)
        assert browser.until("return document.querySelectorAll('#search-results li a').length") > 3
        assert {urlsplit(address).scheme for address in browser.requests()} <= {"file", "data", "about"}
        for page in ("index", "how-to/your-own-game", "reference/library/analysis"):
            browser.open(site / f"{page}.html", PHONE, dark=True)
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), page
            assert {urlsplit(address).scheme for address in browser.requests()} <= {"file", "data", "about"}
    finally:
        browser.close()


def test_pages_written_by_hand_stay_short():
    """Words to be read: not code, nor what it prints."""
    docs = ROOT / "docs"
    pages = [path for path in docs.rglob("*.md") if path.relative_to(docs).as_posix() not in GENERATED]
    assert len(pages) > 30
    texts = [re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S) for path in pages]
    assert len([word for text in texts for word in text.split() if any(map(str.isalnum, word))]) < MOST_WORDS
