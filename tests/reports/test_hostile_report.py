"""The page, tables and figures of a game whose texts are markup, formulas and controls hold them as text."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import analysis
from tests.support.browser import Browser, find_programs
from tests.support.hostile import hostile_game

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.]+$)")
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "form", "base", "i", "red", "animate", "foreignobject"}


class Page(HTMLParser):
    """The elements, attributes and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.attributes, self.links = set(), set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value for name, value in attrs if name in ("href", "src")}


@pytest.mark.parametrize(
    "drawn", ["text", *(pytest.param(drawn, marks=pytest.mark.slow) for drawn in ("grid", "picture"))]
)
def test_a_report(tmp_path, drawn):
    report = analysis.write_report(hostile_game(tmp_path, drawn=drawn), tmp_path / "report", prune=drawn == "grid")
    text, page = report.page.read_text(encoding="utf-8"), Page()
    page.feed(text)
    assert not page.tags & FORBIDDEN
    assert not [name for name in page.attributes if name.startswith("on")]
    assert all(re.match("#|figures/|tables/|explore.html$|data:,$", link) for link in page.links)
    assert not STEERING.findall(text)
    assert "{{7*7}}" in text
    for path in report.files:
        if path.suffix == ".svg":
            tags = {
                element.tag.rpartition("}")[2].lower() for element in ElementTree.fromstring(path.read_bytes()).iter()
            }
            assert not tags & FORBIDDEN
            assert not STEERING.findall(path.read_text(encoding="utf-8"))
        if path.suffix == ".csv":
            rows = [*csv.reader(path.read_bytes().decode().splitlines(keepends=True), strict=True)]
            assert not [cell for row in rows for cell in row if FORMULA.match(cell)]


@pytest.mark.slow
def test_a_browser_runs_nothing(tmp_path):
    find_programs()
    report = analysis.write_report(hostile_game(tmp_path), tmp_path / "report", prune=True)
    browser = Browser(tmp_path / "profile")
    try:
        browser.driver.get(report.page.as_uri())
        assert browser.driver.execute_script("return document.scripts.length + document.images.length") == 0
        assert "onerror=alert(1)" in browser.driver.find_element("tag name", "h1").text
    finally:
        browser.driver.quit()
