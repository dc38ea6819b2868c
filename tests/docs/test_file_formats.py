"""The page on file formats says what the exports do: limits, suffixes, columns, links."""

import json
import re
from pathlib import Path

import pytest

import analysis
from analysis.engine.columns import COUNT_COLUMNS
from analysis.games.families import FAMILIES
from analysis.reports.exports import export as formats
from analysis.reports.exports.part import Part
from tests.support.export_cases import DRAWS, solved
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "reference" / "file-formats.md").read_text(encoding="utf-8")


KINDS = ["tictactoe", "kayles:pins=6", DRAWS]
"""With and without plies, counts and nimbers."""


def section(title: str) -> str:
    """The part of the page under a heading of the second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def common(solution) -> set[str]:
    """The columns that the page says all formats have, as they are in a solution."""
    sentence = re.search(r"It has (.*?)\n\n", section("Common to all formats"), re.DOTALL)[1]
    names = {name for name in code(sentence) if name not in ("X", "O", "tie", "tier" if solution.by_ply else "ply")}
    counts = {*COUNT_COLUMNS} if solution.counted else set()
    return (names | counts) - (set() if solution.engine.rules.impartial else {"nimber"})


def test_every_format_is_listed_with_its_suffixes_and_its_limit():
    for name, form in formats.FORMATS.items():
        (line,) = (line for line in PAGE.splitlines() if line.startswith("- ") and f"`{name}` (" in line)
        assert all(f"`{suffix}`" in line for suffix in form.suffixes)
        assert (f"up to {form.most:,}" in line) if form.most else "up to" not in line
    titles = [name for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE) for name in title.split(", ")]
    assert set(formats.FORMATS) <= set(titles)


def test_sizes_are_those_of_the_files():
    analysis.export(solved("tictactoe"), "f.csv", "csv")
    assert int(re.search(r"takes (\d+) kB as csv", PAGE)[1]) == round(Path("f.csv").stat().st_size / 1000)
    for name in ("jsonl", "json", "graphml", "dot"):
        analysis.export(solved("tictactoe"), f"f.{name}", name)
        assert 0.2 <= round(Path(f"f.{name}").stat().st_size / 1e6, 1) <= 1.4
    assert "0.2 to 1.4 MB" in PAGE


@pytest.mark.parametrize("spec", KINDS)
def test_columns_of_rows(spec):
    solution = solved(spec)
    analysis.export(solution, "f.csv", "csv")
    analysis.export(solution, "moves.csv", "csv", moves=True)
    analysis.export(solution, "f.jsonl", "jsonl")
    header, moves = (
        Path(name).read_text(encoding="utf-8").split("\n")[0].split(",") for name in ("f.csv", "moves.csv")
    )
    assert {*header} == common(solution) | {"best_moves"}
    sentence = re.search(r"With `--moves` a row is a move: (.*?)\.", section("csv, parquet"), re.DOTALL)[1]
    assert code(sentence) == moves
    line = json.loads(Path("f.jsonl").read_text(encoding="utf-8").split("\n")[0])
    assert {*line} == common(solution) | {"moves"}
    sentence = re.search(r"each has (.*?)\.", section("jsonl"), re.DOTALL)[1]
    assert {*line["moves"][0]} == {*code(sentence)}


@pytest.mark.parametrize("spec", KINDS)
def test_attributes_of_graphs(spec):
    part = Part(solved(spec))
    text = section("graphml, json")
    assert {*part.columns(next(part.blocks()))} == common(part.solution) | {"cut"}
    analysis.export(part.solution, "f.json")
    links = json.loads(Path("f.json").read_text(encoding="utf-8"))["links"]
    assert (
        code(re.search(r"are an edge with (.*?)\.", text, re.DOTALL)[1].replace("(the least code)", ""))
        == [*links[0]][2:]
    )
    assert code(re.search(r"The graph has (.*?)\.", text, re.DOTALL)[1]) == [*part.facts]


def test_options_on_the_page_exist(gametree):
    known = {
        word
        for name in ("export", "match", "paths", "solve", "audit", "report")
        for word in re.findall(r"--[a-z-]+", gametree(name, "--help").out)
    }
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) <= known
    commands = re.findall(r"^\$ gametree (.*)$", PAGE, re.MULTILINE)
    assert commands
    for line in commands:
        assert gametree(*line.split()).code == 0


def test_bits_of_a_state_are_those_of_every_family():
    text = (ROOT / "docs/reference/solution-directory.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)`.*\| `([^`]+)` \| `(0b[01_]+)` \|$", text, re.MULTILINE)
    for spec, position, state in rows:
        game = analysis.load_game(spec)
        assert game.parse_position(position) == int(state, 0)
        assert game.format_position(int(state, 0)) == position
    assert {analysis.load_game(spec).family for spec, *_ in rows} | {"tictactoe"} == {*FAMILIES}
