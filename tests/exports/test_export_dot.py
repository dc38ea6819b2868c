"""Graphs for Graphviz, read back by Graphviz itself, and the SVG it draws."""

from __future__ import annotations

import functools
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

import analysis
from analysis.errors import StoreError, TooLargeError
from analysis.exports import drawings
from analysis.exports.drawings import Drawing
from analysis.exports.export import FORMATS
from analysis.exports.graphs import node_id
from analysis.exports.part import Part, merged_edges
from tests.support.odd_names import MOVES, PLAYERS, OddNames
from tests.support.oracle import Oracle

LATE = "XOX?O????"
SVG_FORM = FORMATS["svg"].write
SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"

solve = functools.cache(analysis.solve)


@pytest.fixture(scope="module")
def graphviz():
    """The program, or no test: a pipeline that installs it says so with REQUIRE_TOOLS=1."""
    program = shutil.which("dot")
    if program is None and os.environ.get("REQUIRE_TOOLS") != "1":
        pytest.skip("Graphviz is not installed")
    assert program is not None, "Graphviz is not installed, and REQUIRE_TOOLS=1 asks for it"
    return program


def written(part: Part, write=FORMATS["dot"].write) -> bytes:
    file = io.BytesIO()
    write(part, file)
    return file.getvalue()


@pytest.fixture
def read(graphviz):
    """What Graphviz makes of the file: nodes and edges with their attributes, by name; no word on standard error."""

    def run(part: Part) -> tuple[dict, dict]:
        done = subprocess.run([graphviz, "-Tjson0"], input=written(part), capture_output=True, check=True)
        assert done.stderr == b""
        found = json.loads(done.stdout)
        names = [node["name"] for node in found["objects"] if "nodes" not in node]
        assert len(set(names)) == len(names)
        nodes = {node["name"]: node for node in found["objects"] if node["name"] in names}
        by_number = {node["_gvid"]: node["name"] for node in nodes.values()}
        ends = [(by_number[edge["tail"]], by_number[edge["head"]]) for edge in found.get("edges", [])]
        assert len(set(ends)) == len(ends)
        return nodes, dict(zip(ends, found.get("edges", []), strict=True))

    return run


def drawn(node: dict) -> str:
    """The position of a node, of which its tooltip tells."""
    return node["tooltip"].split(", ")[0]


def moves(edge: dict) -> list[str]:
    """The names at an edge, where none has a space in it."""
    return edge["label"].replace("\\n", " ").split()


def texts(markup: str) -> list[str]:
    """What a label like HTML shows, piece by piece."""
    return [text for text in ElementTree.fromstring(f"<a>{markup}</a>").itertext() if text.strip()]


# What is in the graph -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "options"),
    [(None, {"depth": 2}), (None, {"depth": 3, "optimal_only": True}), (LATE, {}), ("?X?O?????", {"depth": 2})],
)
def test_moves_on_the_boards_that_are_drawn(read, start, options):
    """The oracle plays every move that an edge names on the board of its node."""
    oracle, part = Oracle(3, 3, 3), Part(solve("tictactoe", position=start), **options)
    start = start or oracle.start
    nodes, edges = read(part)
    group = oracle.permutations("geometric", start)
    alike = {name: {oracle.moved(drawn(node), turn) for turn in group} for name, node in nodes.items()}
    assert len(nodes) == part.classes
    assert sum(map(len, alike.values())) == sum(len(orbit) for orbit in {frozenset(o) for o in alike.values()})
    assert [drawn(node) for node in nodes.values() if node.get("penwidth") == "3"] == [start]
    named = dict.fromkeys(nodes, 0)
    for (source, target), edge in edges.items():
        before = drawn(nodes[source])
        optimal = oracle.value(drawn(nodes[target])) == oracle.value(before)
        assert (edge["penwidth"] == "2.4") == optimal
        for cell in map(int, moves(edge)):
            assert oracle.play(before, cell) in alike[target]
            named[source] += 1
    plies = {name: drawn(node).count("?") for name, node in nodes.items()}
    for name, node in nodes.items():
        position = drawn(node)
        kept = [
            cell
            for cell in oracle.moves(position)
            if not options.get("optimal_only") or oracle.value(oracle.play(position, cell)) == oracle.value(position)
        ]
        if plies[name] <= start.count("?") - options.get("depth", 9):
            kept = []
        assert named[name] == len(kept)
        assert ("dashed" in node["style"]) == (len(kept) < len(oracle.moves(position)))
        assert (node.get("peripheries") == "2") == (oracle.outcome(position) is not None)


def test_every_board_but_the_start_is_a_move_after_another(read):
    """Not its mirror image."""
    oracle = Oracle(3, 3, 3)
    nodes, edges = read(Part(solve("tictactoe"), depth=4))
    reached = {oracle.start}
    for (source, _), edge in edges.items():
        reached |= {oracle.play(drawn(nodes[source]), cell) for cell in map(int, moves(edge))}
    assert {drawn(node) for node in nodes.values()} <= reached


def test_what_a_node_says(read):
    oracle = Oracle(3, 3, 3)
    nodes, _ = read(Part(solve("tictactoe", position=LATE)))
    colours = {}
    for node in nodes.values():
        position, found = drawn(node), texts(node["label"])
        marks = [mark for mark in position if mark != "?"]
        start = position == LATE
        value, plies = oracle.value(position), oracle.remoteness(position)
        result = {1: "X wins", 0: "tie", -1: "O wins"}[value] + (f" in {plies}" if plies else "")
        said = [*["start"] * start, *[f"{oracle.to_move(position)} to move"] * bool(plies), result]
        cells = ["X", "O", "X", "3", "O", "5", "6", "7", "8"] if start else marks
        assert found == cells + said
        colours.setdefault(value, set()).add(node["fillcolor"])
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == 3


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("nim:heaps=1-2", {}),
        ("kayles:pins=5", {"optimal_only": True}),
        ("dodgem", {"depth": 3}),
        ("hex:n=2", {}),
        pytest.param("othello", {"depth": 3}, marks=pytest.mark.slow),
        pytest.param("morris", {"depth": 3, "optimal_only": True}, marks=pytest.mark.slow),
        pytest.param("dots_and_boxes:rows=1,cols=2", {"depth": 3}, marks=pytest.mark.slow),
        pytest.param("grundy", {}, marks=pytest.mark.slow),
        pytest.param("coin_grabber:board=board.txt", {"depth": 3}, marks=pytest.mark.slow),
    ],
)
def test_the_same_graph_as_other_formats(read, tmp_path, spec, options):
    (tmp_path / "board.txt").write_text("H 25 10\n5 1* 25\n10 5 C\n")
    part = Part(solve(spec), **options)
    nodes, edges = read(part)
    blocks = list(part.blocks(moves=True))
    assert set(nodes) == {node_id(state) for block in blocks for state in block.states.tolist()}
    wanted = {
        (node_id(edge.source), node_id(edge.target)): (len(edge.codes), edge.optimal)
        for block in blocks
        for edge in merged_edges(block)
    }
    found = {ends: (len(moves(edge)), edge["penwidth"] == "2.4") for ends, edge in edges.items()}
    assert found == wanted


def test_what_values_are_called():
    words = Drawing(Part(solve("dodgem"), depth=0))
    assert [words.worth(0, None), words.worth(0, 3), words.worth(1, 0), words.worth(-1, 2)] == [
        "draw (endless)", "tie in 3", "X wins", "O wins in 2"
    ]  # fmt: skip
    assert len({words.tint(*worth) for worth in ((0, None), (0, 3), (1, 3), (-1, 3))}) == 4


@pytest.mark.slow
def test_margins_are_named(read):
    nodes, _ = read(Part(solve("dots_and_boxes:rows=1,cols=2")))
    assert {"X wins by 2", "O wins by 2 in 1", "tie in 7"} <= {texts(node["label"])[-1] for node in nodes.values()}


def test_a_loopy_game_stands_by_distance(graphviz):
    """However its moves lead back and forth."""
    part = Part(solve("dodgem"), depth=3)
    plain = subprocess.run([graphviz, "-Tplain"], input=written(part), capture_output=True, check=True).stdout.decode()
    heights = {line.split()[1]: float(line.split()[3]) for line in plain.splitlines() if line.startswith("node ")}
    assert len(set(heights.values())) == 4
    engine = part.solution.engine
    assert heights[node_id(engine.canonical(engine.start))] == max(heights.values())


def test_a_game_that_is_over_at_the_start(read):
    nodes, edges = read(Part(solve("tictactoe", position="XXXOO????")))
    (node,) = nodes.values()
    assert (texts(node["label"])[-2:], node["peripheries"], edges) == (["start", "X wins"], "2", {})


def test_a_slanted_board_is_slanted():
    part = Part(solve("hex:n=2"), depth=0)
    label = re.search(r"label=<(<TABLE.*</TABLE>)>, fill", written(part).decode())
    spaces = re.findall(r'<TD BORDER="0" WIDTH="(\d+)"></TD>(?=(.))', label[1])
    assert [width for width, _ in spaces] == ["10", "10"]
    assert label[1].index("</TD></TR>") < label[1].index(">2</FONT>")


# Names ----------------------------------------------------------------------------------------------------------------


def test_names_with_special_characters(graphviz):
    """They reach the picture as they are, spaces and what XML forbids excepted."""
    solution = solve(OddNames())
    picture = ElementTree.fromstring(written(Part(solution), SVG_FORM))
    shown = {" ".join(text.text.split()) for text in picture.iter(f"{SVG}text") if text.text and text.text.strip()}
    tips = {" ".join(link.get(f"{XLINK}title").split()) for link in picture.iter(f"{SVG}a")}
    assert f"{PLAYERS[0]} to move" in shown
    assert f"{PLAYERS[1]} to move" in shown
    assert 'say "x"\\' in shown
    assert "\\N <b> &lt; $" in shown
    assert {"line break", "twice", "♞ √ü"} <= shown
    assert any(tip.startswith("<16> & \"\ufffd\\', ") for tip in tips)
    assert any(tip.startswith(f"{MOVES[1]}: ") for tip in tips)
    assert len(list(picture.iter(f"{SVG}title"))) == 2 + 16 + 15
    assert picture[0].text.startswith("odd<&\"': ")


# The picture ----------------------------------------------------------------------------------------------------------


def test_the_svg(graphviz):
    part = Part(solve("tictactoe"), depth=2)
    drawn_once, drawn_again = written(part, SVG_FORM), written(part, SVG_FORM)
    assert drawn_once == drawn_again
    assert b"<!--" not in drawn_once
    picture = ElementTree.fromstring(drawn_once)
    assert (picture.tag, picture.get("role")) == (f"{SVG}svg", "img")
    assert picture[0].tag == f"{SVG}title"
    assert picture[0].text == picture.get("aria-label") == "tictactoe, 2 plies deep: tie in 9"
    classes = [group.get("class") for group in picture.iter(f"{SVG}g")]
    assert (classes.count("node"), classes.count("edge")) == (part.classes, 15)


@pytest.mark.parametrize(
    ("spec", "depth"), [("tictactoe", 2), ("nim:2-2", None), ("dodgem:n=2", 2), ("dots_and_boxes:rows=1,cols=1", None)]
)
def test_without_graphviz(monkeypatch, spec, depth):
    """The same classes and moves, drawn by matplotlib; the same bytes each time."""
    monkeypatch.setenv("PATH", "")
    part = Part(solve(spec), depth=depth)
    drawn = written(part, SVG_FORM)
    assert drawn == written(part, SVG_FORM)
    picture = ElementTree.fromstring(drawn)
    assert (picture.tag, picture.get("role")) == (f"{SVG}svg", "img")
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    words = Drawing(part)
    assert words.title() in texts
    edges = [edge for block in part.blocks(moves=True) for edge in merged_edges(block)]
    lines = [group for group in picture.iter(f"{SVG}g") if (group.get("id") or "").startswith("line2d")]
    assert len(lines) >= len(edges)
    worths = Counter(text for text in texts if " in " in text and text != words.title() and len(text) < 16)
    shown = Counter(
        words.worth(value, plies)
        for block in part.blocks()
        for value, plies in zip(*(block.table[name].to_pylist() for name in ("value", "remoteness_plies")), strict=True)
    )
    assert worths == Counter({text: times for text, times in shown.items() if " in " in text})


def test_without_graphviz_names_are_clean_and_large_graphs_refused(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert ElementTree.fromstring(written(Part(solve(OddNames())), SVG_FORM)).tag == f"{SVG}svg"
    with pytest.raises(TooLargeError, match="apt install graphviz") as refused:
        written(Part(solve("tictactoe")), SVG_FORM)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("path", ["", None])
def test_png(monkeypatch, path, request):
    if path is None:
        request.getfixturevalue("graphviz")
    else:
        monkeypatch.setenv("PATH", path)
    drawn = written(Part(solve("tictactoe"), depth=1), FORMATS["png"].write)
    assert drawn.startswith(b"\x89PNG")
    assert drawn.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        ("echo 'Error: out of' >&2; echo memory >&2; exit 1", StoreError, "4 classes: Error: out of memory$"),
        ("exit 3", StoreError, "4 classes: exit code 3$"),
        ("echo '<svg>'", StoreError, "exit code 0$"),
        ("exec sleep 20", TooLargeError, r"4 classes within 0\.2 seconds; cut them with --depth or --optimal-only"),
    ],
)
def test_graphviz_fails(monkeypatch, tmp_path, program, error, words):
    path = tmp_path / "dot"
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(drawings, "SECONDS", 0.2 if error is TooLargeError else 20)
    with pytest.raises(error, match=words) as refused:
        written(Part(solve("tictactoe"), depth=1), SVG_FORM)
    assert "\n" not in str(refused.value)
