"""Formats say the same texts of every family, and what they treat specially comes back as text and is nothing else."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import networkx
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.common.markup import SIGNS, from_cell, printable
from analysis.common.wording import visible_lines, whole
from analysis.playing import Terms
from analysis.playing.match import play_match
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.reports.test_export_trees import SPECS as FAMILY_SPECS
from tests.support.export_cases import BOARD
from tests.support.hostile import TEXTS, hostile_game

SPECS = {family: specs[0] for family, specs in FAMILY_SPECS.items()}
FAST = ("dots_and_boxes", "nim", "hexapawn")
EVERY = [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in SPECS]


@pytest.fixture
def solution(request):
    Path("board.txt").write_text(BOARD)
    solve_to_directory(SPECS[request.param], "solved", tables=Tables(text=True))
    return analysis.open_solution("solved")


def is_text(value):
    return isinstance(value, str) and not value.lstrip("+-").isdecimal()


def texts_of(rows):
    """All texts in rows of a file, however deep."""
    for value in rows.values() if isinstance(rows, dict) else rows:
        if isinstance(value, dict | list):
            yield from texts_of(value)
        elif is_text(value):
            yield value


@pytest.mark.parametrize("solution", EVERY, indirect=True)
def test_positions_and_moves(solution):
    analysis.export(solution, "out.csv")
    analysis.export(solution, "moves.csv", moves=True)
    analysis.export(solution, "out.jsonl")
    told = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    positions = [row["position"] for row in told]
    assert not any(text.startswith(tuple(SIGNS)) for text in texts_of(told))
    stored = pq.read_table("solved/positions", columns=["state", "position"]).to_pydict()
    assert dict(zip(stored["state"], stored["position"], strict=True)) == {
        row["state"]: row["position"] for row in told
    }
    assert pd.read_csv("out.csv", dtype={"position": str})["position"].tolist() == positions
    assert duckdb.sql("SELECT position FROM read_csv('out.csv', types={'position': 'VARCHAR'})").fetchall() == [
        (text,) for text in positions
    ]
    with Path("moves.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert not any(text.startswith((*SIGNS, "'")) for text in texts_of(rows))
    wanted = [(row["position"], move["name"]) for row in told for move in row["moves"]]
    assert sorted((row["position"], row["name"]) for row in rows) == sorted(wanted)  # JSON lines has the best first


@pytest.mark.parametrize("solution", EVERY, indirect=True)
def test_games(solution):
    spec = solution.game.spec
    for form in ("csv", "jsonl", "parquet"):
        play_match(spec, ["random", "greedy"], Terms(games=5, seed=1, out=Path(f"games.{form}")))
    wanted = pq.read_table("games.parquet").to_pylist()
    assert [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()] == wanted
    assert not any(text.startswith((*SIGNS, "'")) for text in texts_of(wanted))
    with Path("games.csv").open(newline="") as file:
        assert [{name: str(value) for name, value in row.items()} for row in wanted] == [*csv.DictReader(file)]


ALL = [*TEXTS, *(f"{text} over" for text in TEXTS[1:])]


@pytest.fixture(scope="module")
def hostile_solution(tmp_path_factory):
    return analysis.solve(hostile_game(tmp_path_factory.mktemp("hostile")))


@pytest.fixture
def exported(hostile_solution, tmp_path):
    def run(name: str, **options) -> Path:
        analysis.export(hostile_solution, tmp_path / name, **options)
        return tmp_path / name

    return run


@pytest.mark.parametrize("moves", [False, True])
def test_csv(exported, moves):
    path = exported("out.csv", moves=moves)
    with path.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file, strict=True)]
    texts = {row["position"] for row in rows} | {row["name"] for row in rows if moves}
    assert not any(text[:1] in tuple("=+-@\t\r") and text != "+1" for text in texts)
    wanted = {visible_lines(whole(text)) for text in (TEXTS if moves else ALL)}
    assert {from_cell(text) for text in texts} == wanted


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_json(exported, form):
    text = exported(f"out.{form}").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.split("\n") if line] if form == "jsonl" else json.loads(text)
    key = "position" if form == "jsonl" else "id"
    nodes = found if form == "jsonl" else found["nodes"]
    assert {whole(node[key]) for node in nodes} == {*map(whole, ALL)}
    if form == "json":
        assert len(networkx.node_link_graph(found, edges="links")) == len(ALL)


def test_graphs(exported):
    path = exported("out.graphml")
    ElementTree.fromstring(path.read_bytes())
    graph = networkx.read_graphml(path)
    assert {data["position"] for _, data in graph.nodes(data=True)} == {*map(printable, ALL)}
    names = {data["names"] for _, _, data in graph.edges(data=True)}
    assert names == {*map(printable, TEXTS[1:])}


PARTS = {
    "a", "clipPath", "defs", "desc", "g", "path", "polygon", "polyline", "rect", "style", "svg", "text", "title", "use",
    "metadata", "RDF", "Work",
}  # fmt: skip
"""Of an SVG file: no script, no image, nothing that a name has brought along."""


@pytest.mark.slow
@pytest.mark.parametrize("drawn", ["grid", "picture", "text"])
def test_pictures(tmp_path, drawn):
    hostile_solution = analysis.solve(hostile_game(tmp_path, drawn=drawn))
    for form in ("dot", "svg", "png", "pdf"):
        analysis.export(hostile_solution, tmp_path / f"out.{form}")
    root = ElementTree.fromstring((tmp_path / "out.svg").read_bytes())
    texts = " ".join(
        filter(None, (text for element in root.iter() for text in (element.text, *element.attrib.values())))
    )
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= PARTS
    links = [value for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")]
    assert all(link.startswith("#") for link in links)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", texts)
    for text in ("&amp; &lt; &#27; &", "=1+1", "{{7*7}} {% raw %} {# c #}", "$x_$ \\frac{1}{2}", "../../etc/passwd"):
        assert text in texts or drawn == "grid"


def test_graphviz_reads_what_names_are(exported):
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz is not installed")
    done = subprocess.run([program, "-Tjson0", exported("out.dot")], capture_output=True, check=True)
    assert b"rror" not in done.stderr  # a word may be wider than its cell
    found = json.loads(done.stdout)
    assert len(found["objects"]) == len(ALL)
    assert len(found["edges"]) == 2 * len(TEXTS) - 2
