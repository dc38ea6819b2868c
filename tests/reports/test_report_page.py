"""The page of a report as text: its numbers, its order, its escaping, and that it needs nothing else."""

from __future__ import annotations

import csv
import re
from xml.etree import ElementTree

import pytest

import analysis
from analysis.reports.report import report_files, write_report
from tests.support.hostile import hostile_game
from tests.support.report_games import GAMES, write_own
from tests.support.report_numbers import Page, check_numbers, nimber

ORDER = (
    "game", "value", "numbers", "growth", "lengths", "values", "remoteness", "branching", "openings", "pruning",
    "protocol",
)  # fmt: skip


FAST = ("a tie",)
KINDS = [pytest.param(kind, marks=() if kind in FAST else pytest.mark.slow) for kind in GAMES]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of all kinds of games, each with the statistics that `gametree stats` would print."""
    folder = tmp_path_factory.mktemp("pages")
    write_own(folder)
    found = {}

    def page(kind: str) -> tuple[str, tuple]:
        if kind not in found:
            game, options = GAMES[kind]
            game = str(folder / game) if game.endswith(".py") else game
            report = write_report(game, folder / kind, **options)
            options = {name: value for name, value in options.items() if name != "prune"}
            solution = analysis.solve(game, **options)
            found[kind] = report.page.read_text(encoding="utf-8"), (solution.statistics(), nimber(solution))
        return found[kind]

    return page


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_sound_self_contained_and_has_the_numbers_of_the_statistics(pages, kind):
    html, (stats, nim) = pages(kind)
    check_numbers(Page(html).numbers(), stats, nim)
    page = Page(html)  # which fails where tags do not match
    assert len(set(page.ids)) == len(page.ids)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "iframe", "object", "embed", "form", "img", "base", "foreignObject", "image"}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    inner = [link for link in page.links if link.startswith("#")]
    outer = [link for link in page.links if not link.startswith("#")]
    assert all(link[1:] in page.ids for link in inner)
    assert all(re.fullmatch(r"(figures|tables)/\w+\.(svg|png|csv)|explore.html|data:,", link) for link in outer)
    assert not re.search(r"url\((?!#)|@import|(src|href|action)=[\"']?(https?:)?//", html)
    said = html.partition("</style>")[2].replace("(-inf, +inf)", "")  # the window of searches
    assert not re.search(r"\b(nan|NaN|inf|Infinity|None|Undefined)\b", said)
    sections = [attributes["id"] for tag, attributes in page.elements if tag == "section"]
    assert sections == [name for name in ORDER if name in sections]
    assert [link[1:] for link in page.links if link.startswith("#") and link[1:] in ORDER] == sections
    assert ("pruning" in sections) == bool(GAMES[kind][1].get("prune"))
    levels = [level for level, _ in page.headings]
    assert levels == [1, *[2] * (1 + len(sections))]
    if kind not in ("over at the start",):
        assert set(sections) >= set(ORDER) - {"pruning"}


@pytest.mark.slow
def test_links_are_the_files_of_the_report():
    files = report_files(analysis.solve("dodgem"))
    links = {link for link in Page(files["index.html"].decode()).links if not link.startswith(("#", "data:"))}
    assert links == set(files) - {"index.html"}


def test_what_a_game_says_stays_text(pages):
    html, _ = pages("one's own")
    assert "<script" not in html
    assert html.count("</style>") == html.count("</title>") - html.count("<title id") == 1
    assert (
        "&lt;script&gt;document.title = &#39;broken&#39;&lt;/script&gt; &amp; &#34;quoted&#34; $x$ {{ 7 * 7 }}" in html
    )
    assert "&lt;!-- &amp;lt; \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER} " in html


def test_every_figure_has_a_title_and_a_description(pages):
    html, _ = pages("a tie")
    drawings = re.findall(r'<svg class="figure"[^>]*role="img"[^>]*>', html)
    assert len(drawings) == 7
    for drawing in drawings:
        for role in ("labelledby", "describedby"):
            name = re.search(rf'aria-{role}="([^"]+)"', drawing)
            assert re.search(rf'id="{name[1]}">[^<]{{5,}}<', html), name


@pytest.mark.slow
def test_a_loopy_game_says_why_sections_are_short(pages):
    html, _ = pages("loops")
    assert "There is nothing to show here. Play can return to an earlier position" in html
    assert "A tier is a number that no move lowers" in html


@pytest.mark.slow
def test_without_counts():
    solution = analysis.solve("tictactoe", counts=False)
    html = report_files(solution)["index.html"].decode()
    check_numbers(Page(html).numbers(), solution.statistics())
    assert "gametree solve tictactoe --no-counts --out DIR\n$ gametree report DIR" in html


def test_the_protocol(pages):
    html, _ = pages("a tie")
    assert analysis.load_game("tictactoe").rules_hash() in html
    for name in ("numpy", "numba", "pyarrow", "matplotlib"):
        assert __import__(name).__version__ in html
    assert "8 (geometric): permutations of the cells" in html
    assert "$ gametree report tictactoe\n$ gametree stats tictactoe --format json" in html
    assert "seconds" not in html


@pytest.mark.slow
def test_what_searches_are_compared_by(pages):
    html, _ = pages("a tie by ply")
    assert "$ gametree report tictactoe --prune\n$ gametree stats tictactoe --format json" in html
    assert "Moves in natural (ascending) order. Cut where alpha &gt;= beta" in html
    assert "a proof of the value takes 1,452 of them at least" in html
    assert "$ gametree prune tictactoe --max-nodes 100000000\n" in html
    assert "seconds" not in html


# A game whose texts are markup, formulas and controls ---------------------------------------------------------------

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.]+$)")
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "form", "base", "i", "red", "animate", "foreignobject"}


@pytest.mark.parametrize(
    "drawn", ["text", *(pytest.param(drawn, marks=pytest.mark.slow) for drawn in ("grid", "picture"))]
)
def test_page_tables_and_figures_hold_hostile_texts_as_text(tmp_path, drawn):
    report = write_report(hostile_game(tmp_path, drawn=drawn), tmp_path / "report", prune=drawn == "grid")
    text = report.page.read_text(encoding="utf-8")
    page = Page(text)
    assert not {tag for tag, _ in page.elements} & FORBIDDEN
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
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
