"""The page of a report as text, and the files of a report: complete or without a page, and nobody else's."""

import contextlib
import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import analysis
from analysis.common.files import locked
from analysis.errors import StoreError
from analysis.reports import report, tables
from analysis.reports.figures import FIGURES
from analysis.reports.report import report_files, write_report
from analysis.solving.to_directory import solve_to_directory
from tests.support.hostile import hostile_game
from tests.support.program import ROOT, one_line
from tests.support.report_games import GAMES, write_own
from tests.support.report_numbers import Page, check_numbers, nimber

ORDER = (
    "game", "value", "numbers", "growth", "lengths", "remoteness", "openings", "pruning", "protocol",
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
            options = {name: value for name, value in options.items() if name != "puzzles"}
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
    assert all(
        re.fullmatch(r"(figures|tables)/\w+\.(svg|png|csv)|(explore|puzzles).html|data:,", link) for link in outer
    )
    assert not re.search(r"url\((?!#)|@import|(src|href|action)=[\"']?(https?:)?//", html)
    said = html.partition("</style>")[2].replace("(-inf, +inf)", "")  # the window of searches
    assert not re.search(r"\b(nan|NaN|inf|Infinity|None|Undefined)\b", said)
    sections = [attributes["id"] for tag, attributes in page.elements if tag == "section"]
    assert sections == [name for name in ORDER if name in sections]
    assert [link[1:] for link in page.links if link.startswith("#") and link[1:] in ORDER] == sections
    assert ("pruning" in sections) == (kind not in ("loops", "over at the start"))
    levels = [level for level, _ in page.headings]
    assert levels == [1, *[2] * (1 + len(sections))]
    if kind not in ("over at the start",):
        assert set(sections) >= set(ORDER) - {"pruning"}


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
    assert len(drawings) == len(FIGURES) == 6
    for drawing in drawings:
        for role in ("labelledby", "describedby"):
            name = re.search(rf'aria-{role}="([^"]+)"', drawing)
            assert re.search(rf'id="{name[1]}">[^<]{{5,}}<', html), name


@pytest.mark.slow
def test_without_counts():
    solution = analysis.solve("tictactoe", counts=False)
    html = report_files(solution)["index.html"].decode()
    check_numbers(Page(html).numbers(), solution.statistics())


def test_the_protocol(pages):
    html, _ = pages("a tie")
    assert analysis.load_game("tictactoe").rules_hash() in html
    for name in ("numpy", "numba", "pyarrow", "matplotlib"):
        assert __import__(name).__version__ in html
    assert "8 (geometric)" in html
    assert "$ gametree report tictactoe\n$ gametree stats tictactoe --format json" in html
    assert "seconds" not in html


STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.]+$)")
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "form", "base", "i", "red", "animate", "foreignobject"}


@pytest.mark.parametrize(
    "drawn", ["text", *(pytest.param(drawn, marks=pytest.mark.slow) for drawn in ("grid", "picture"))]
)
def test_page_tables_and_figures_hold_hostile_texts_as_text(tmp_path, drawn):
    report = write_report(hostile_game(tmp_path, drawn=drawn), tmp_path / "report")
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


@pytest.fixture(scope="module")
def files():
    return report_files(analysis.solve("tictactoe"))


def everything(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_a_report_is_these_files(gametree, tmp_path):
    result = gametree("report", "tictactoe")
    assert (result.code, result.out) == (0, "reports/tictactoe/index.html\n")
    assert result.err == ("Wrote index.html, explore.html, 6 figures (SVG and PNG) and 8 tables (CSV).\n")
    found = everything(tmp_path / "reports/tictactoe")
    assert set(found) == {
        "index.html",
        "explore.html",
        *(f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in set(tables.COLUMNS) - {"by_tier"}),
    }
    assert [p.name for p in (tmp_path / "reports").iterdir()] == ["tictactoe"]
    assert (tmp_path / "reports/tictactoe").stat().st_mode & 0o777 == 0o777 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.slow
def test_stored_and_in_memory_are_the_same_report(files, tmp_path):
    solve_to_directory("tictactoe", tmp_path / "stored")
    write_report(str(tmp_path / "stored"), tmp_path / "report")
    assert everything(tmp_path / "report") == files


@pytest.mark.slow
def test_the_same_bytes_whatever_the_hash_seed(tmp_path):
    found = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        command = [sys.executable, ROOT / "cli.py", "report", "tictactoe", "--puzzles", "6", "--out", out]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "MPLBACKEND": "Agg" if seed == "1" else "SVG"}
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)
        found.append(everything(out))
    assert len(found[0]) > 20
    assert found[0] == found[1]


put = report.put_report


@pytest.mark.slow
def test_files_of_an_earlier_report_go_and_others_stay(files, tmp_path):
    put(tmp_path / "r", files)
    mine = {"notes.txt": b"mine", "figures/own.svg": b"mine", "tables/by_tier.txt": b"mine"}
    stale = {"tables/pruning.csv": b"old", "figures/pruning.png": b"old", "tables/by_ply.csv": b"old"}
    for name, data in (mine | stale).items():
        (tmp_path / "r" / name).write_bytes(data)
    put(tmp_path / "r", files)
    assert everything(tmp_path / "r") == files | mine


def test_a_failed_report_leaves_the_earlier_one(files, tmp_path, monkeypatch):
    put(tmp_path / "r", files)
    written = []

    def full(descriptor):
        written.append(descriptor)
        if len(written) == 5:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    others = {"index.html": b"new", **{f"tables/{name}.csv": b"" for name in tables.COLUMNS}}
    with pytest.raises(StoreError, match="No space left on device"):
        put(tmp_path / "r", others)
    assert everything(tmp_path / "r") == files


@pytest.mark.parametrize("stopped", range(18))
def test_a_page_means_that_its_files_are_there(files, tmp_path, monkeypatch, stopped):
    """Killed anywhere while files are put into place: there is no page, or a whole report; the next run makes one."""
    few = ("index.html", "figures/growth.svg", "figures/growth.png", "tables/by_ply.csv", "tables/by_value.csv")
    files = {name: files[name] for name in few}
    older = {**files, "tables/pruning.csv": b"old"}
    put(tmp_path, older)
    real, done = Path.replace, []

    def replace(self, target):
        if len(done) == stopped:
            raise KeyboardInterrupt
        done.append(target)
        return real(self, target)

    newer = {name: data + b"\n" for name, data in files.items()}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # which a killed process does not come to
        with contextlib.suppress(KeyboardInterrupt):
            put(tmp_path, newer)
    if (tmp_path / "index.html").exists():
        found = {name: data for name, data in everything(tmp_path).items() if ".tmp" not in name}
        assert found == (newer if found["index.html"] == newer["index.html"] else older)
    assert (len(done) < stopped) == (stopped == 17)
    for folder in tmp_path.glob("*.tmp"):
        shutil.rmtree(folder)
    put(tmp_path, files)
    assert everything(tmp_path) == files


def test_one_report_at_a_time(files, tmp_path):
    with locked(tmp_path), pytest.raises(StoreError, match="another process is writing into"):
        put(tmp_path, files)
    assert everything(tmp_path) == {}
    put(tmp_path, files)
    assert everything(tmp_path) == files


def test_a_page_that_is_no_report_is_left_alone(gametree, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("mine")
    before = everything(tmp_path)
    one_line(gametree("report", "tictactoe", "--out", "site"), 1, "site/index.html is not the page of a report")
    assert everything(tmp_path) == before


def test_refusals_in_one_line(gametree, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken/index.html").mkdir(parents=True)
    (tmp_path / "link").symlink_to("nowhere")
    one_line(gametree("report", "tictactoe", "--out", "file"), 1, "file is a file")
    one_line(gametree("report", "tictactoe", "--out", "file/below"), 1, "file is a file")
    one_line(gametree("report", "tictactoe", "--out", "taken"), 1, "taken/index.html is not the page")
    one_line(gametree("report", "bidding", "--out", "r"), 2, "bidding game", "stats")
    one_line(gametree("report", "tictactoe", "--from", "X????????"), 2, "--out DIR")
    one_line(gametree("report", "tictactoe", "--from", "nonsense", "--out", "r"), 2, "nonsense")
    one_line(gametree("report", "no_such_game"), 2, "no_such_game")
    one_line(gametree("report", "tictactoe", "--symmetry", "odd"), 2, "odd")
    one_line(gametree("report", "tictactoe", "--out", ""), 2, "--out is empty")
    one_line(gametree("report", "tictactoe", "--out", "link"), 1, "link is a link to")
    one_line(gametree("report", "tictactoe", "--out", "link/below"), 1, "link is a link to")
    one_line(gametree("report", "tictactoe", "--out", "r", "--puzzles", "1001"), 2, "1 to 1,000")
    one_line(gametree("report", "tictactoe", "--out", "r", "--puzzles", "-1"), 2, "1 to 1,000")
    one_line(gametree("report", "nim:heaps=1", "--out", "r", "--puzzles", "3"), 1, "no puzzles")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "link", "taken"]


def test_a_report_does_not_stand_in_a_solution(gametree, tmp_path):
    """What belongs to no tier would make `verify` refuse the solution."""
    solve_to_directory("mnk:2,2,2", tmp_path / "stored")
    one_line(gametree("report", "stored", "--out", "stored"), 1, "stored holds a solution")
    analysis.verify(tmp_path / "stored")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written(gametree, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    one_line(gametree("report", "tictactoe", "--out", "closed"), 1, "no permission", "closed")
