"""The page on file formats says what the exports do: limits, suffixes, columns, links."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import analysis
from analysis.engine.columns import COUNT_COLUMNS
from analysis.exports import bfile
from analysis.exports import export as formats
from analysis.exports import extensive_form as efg
from analysis.exports.part import Part
from analysis.reports.tables import NAMES as REPORT_TABLES
from tests.support.export_cases import BOARD, DRAWS, solved
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "reference" / "file-formats.md").read_text(encoding="utf-8")


KINDS = ["tictactoe", "kayles:pins=6", DRAWS]
"""With and without plies, counts and nimbers."""


def section(title: str) -> str:
    """The part of the page under a heading of the second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def table(text: str, header: str) -> list[list[str]]:
    """The rows of the table whose header begins so, cells as texts."""
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith(f"| {header}"))
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def keys(cell: str, solution) -> list[str]:
    """The names in a cell, with ``counts`` and "ply or tier" as they are in a solution."""
    names = [name for name in code(cell) if name not in ("X", "O")]
    names += COUNT_COLUMNS if "counts" in cell and solution.counted else []
    left_out = {"tier" if solution.by_ply else "ply"}
    return [name for name in names if name not in left_out and (name != "nimber" or solution.engine.rules.impartial)]


def test_every_format_has_a_row_with_its_suffixes_and_its_limit():
    rows = {code(row[0])[0]: row for row in table(section("Choose a format"), "format")}
    assert set(rows) == set(formats.FORMATS)
    for name, form in formats.FORMATS.items():
        _, _, suffixes, _, limit, _ = rows[name]
        assert tuple(code(suffixes)) == form.suffixes
        assert (int(limit.split()[0].replace(",", "")) if limit else None) == form.most
    titles = [name for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE) for name in title.split(", ")]
    assert set(formats.FORMATS) <= set(titles)


def test_sizes_are_those_of_the_files():
    analysis.export(solved("tictactoe"), "f.csv", "csv")
    analysis.export(solved("tictactoe"), "f.sqlite", "sqlite")
    sizes = [round(Path(name).stat().st_size / 1000) for name in ("f.csv", "f.sqlite")]
    assert [int(number) for number in re.search(r"takes (\d+) kB as csv, (\d+) kB as sqlite", PAGE).groups()] == sizes
    for name in ("jsonl", "json", "graphml", "gexf", "dot"):
        analysis.export(solved("tictactoe"), f"f.{name}", name)
        assert 0.4 <= round(Path(f"f.{name}").stat().st_size / 1e6, 1) <= 1.4
    assert "0.4 to 1.4 MB" in PAGE


@pytest.mark.parametrize("spec", KINDS)
def test_columns_of_rows(spec):
    solution = solved(spec)
    analysis.export(solution, "f.csv", "csv")
    analysis.export(solution, "moves.csv", "csv", moves=True)
    analysis.export(solution, "f.jsonl", "jsonl")
    header, moves = (
        Path(name).read_text(encoding="utf-8").split("\n")[0].split(",") for name in ("f.csv", "moves.csv")
    )
    rows = [table(part, "column") for part in re.split("With `--moves` there is", section("csv"))]
    described = [[name for row in found for name in keys(row[0], solution)] for found in rows]
    assert sorted(described[0]) == sorted(header)
    assert described[1] == moves
    line = json.loads(Path("f.jsonl").read_text(encoding="utf-8").split("\n")[0])
    said = [name for row in table(section("jsonl"), "key") for name in keys(row[0], solution)]
    assert sorted(said) == sorted(line)
    sentence = re.search(r"Each move has (.*?)\n\n", section("jsonl"), re.DOTALL)[1]
    assert set(line["moves"][0]) == set(code(sentence)) - {"state"}


@pytest.mark.parametrize("spec", KINDS)
def test_columns_of_the_database(spec):
    solution = solved(spec)
    analysis.export(solution, "f.sqlite", "sqlite")
    database = sqlite3.connect("f.sqlite")
    for name, columns in table(section("sqlite"), "table"):
        found = [row[1] for row in database.execute(f"PRAGMA table_info({code(name)[0]})")]
        assert found
        if code(name)[0] != "optimal_moves":
            assert sorted(set(keys(columns, solution))) == sorted(found)
        else:
            assert set(code(columns)) <= set(found)
    database.close()


@pytest.mark.parametrize("spec", KINDS)
def test_attributes_of_graphs(spec):
    part = Part(solved(spec))
    text = section("graphml, gexf, json")
    node = re.search(r"A node has (.*?), as in sqlite", text, re.DOTALL)[1].replace("(in json its `id`)", "")
    assert sorted(keys(node, part.solution)) == sorted(part.columns(next(part.blocks())))
    edges = [name for row in table(text, "attribute of an edge") for name in code(row[0])]
    analysis.export(part.solution, "f.json")
    links = json.loads(Path("f.json").read_text(encoding="utf-8"))["links"]
    assert edges == list(links[0])[2:]
    graph = re.search(r"The graph itself has (.*?), in\s+gexf", text, re.DOTALL)[1]
    assert code(graph) == list(part.facts)


def test_counts_of_b_files():
    named = re.search(r"`--count` takes (.*?): what", section("bfile"), re.DOTALL)[1]
    assert code(named) == list(bfile.COUNTS)
    analysis.export(solved("tictactoe"), "f.txt", analysis.ExportRequest("bfile", count="games"))
    assert np.loadtxt("f.txt", dtype=int)[:, 1].sum() == 255_168


def test_labels_of_extensive_forms():
    assert f"trees of at most {efg.LABELLED:,}" in " ".join(section("efg").split())


def test_reports():
    text = section("Other files").split("**Reports.**")[1]
    assert [name for name in code(text) if name in REPORT_TABLES or name.startswith("by_")] == list(REPORT_TABLES)


def test_the_coin_board_on_the_page_is_one(gametree):
    board = re.search(r"```\n(H .*?)```", section("Other files"), re.DOTALL)[1]
    assert [line.split("#")[0].split() for line in board.splitlines()] == [line.split() for line in BOARD.splitlines()]
    Path("page.txt").write_text(board)
    shown = analysis.load_game("coin_grabber:board=page.txt,threshold=25")
    Path("board.txt").write_text(BOARD)
    same = analysis.load_game("coin_grabber:board=board.txt,threshold=25")
    assert shown.rules().start == same.rules().start


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
