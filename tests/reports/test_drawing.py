"""Pictures of trees and of counts, tables of growth, and files and streams that cannot be written."""

import operator
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis.games.trees.reading import parse_tree
from analysis.search.catalogue import ALGORITHMS
from analysis.search.laboratory import Laboratory
from analysis.search.targets import tree_problem
from tests.support.oracle import Oracle
from tests.support.program import one_line
from tests.support.searching import limit_nodes

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"
SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """What an SVG file shows."""

    def __init__(self, path: str | Path) -> None:
        self.root = ElementTree.fromstring(Path(path).read_text())
        assert self.root.tag == SVG + "svg"
        self.width = float(self.root.get("viewBox").split()[2])
        self.texts = ["".join(text.itertext()) for text in self.root.iter(SVG + "text")]
        legend = next((group for group in self.groups("legend")), ElementTree.Element("none"))
        self.key = ["".join(text.itertext()) for text in legend.iter(SVG + "text")]
        inside = {id(element) for element in legend.iter()}
        self.lines = [group for group in self.groups("line2d") if id(group) not in inside]
        self.nodes = self.groups("PathCollection")

    def groups(self, kind: str) -> list[ElementTree.Element]:
        return [group for group in self.root.iter(SVG + "g") if (group.get("id") or "").startswith(kind)]

    def strokes(self, groups: list[ElementTree.Element]) -> Counter[tuple[bool, float]]:
        """Whether it is dashed and how wide it is, without its colour."""
        styles = ["".join(element.get("style") or "" for element in group.iter()) for group in groups]
        widths = [re.findall(r"stroke-width: ([\d.]+)", style) for style in styles]
        return Counter(
            ("dasharray" in style, float(width[-1]) if width else 1.0)
            for style, width in zip(styles, widths, strict=True)
        )

    def starts(self) -> list[float]:
        """Where each text begins, from the left; of those that are centred, their middle."""
        return [float(text.get("x")) for text in self.root.iter(SVG + "text")]


@pytest.fixture
def drawn(gametree):
    """The picture that a command draws."""

    def run(*arguments: object) -> Picture:
        result = gametree("prune", *arguments, "--plot", "picture.svg")
        assert result.code == 0, result
        assert "nodes" in result.out
        return Picture("picture.svg")

    return run


# Trees ----------------------------------------------------------------------------------------------------------------


def test_textbook_tree(drawn):
    """Visited, cut and principal variation differ without their colours: dashes, bars, thickness."""
    picture = drawn(TEXTBOOK, "-a", "alphabeta")
    lines = picture.strokes(picture.lines)
    assert sorted(lines.values()) == [2, 2, 2, 8]  # principal, cut off, bars across what was cut off, others
    [cut] = [stroke for stroke in lines if stroke[0]]
    [visited] = [stroke for stroke, count in lines.items() if count == 8]
    thick = max(lines, key=lambda stroke: stroke[1])
    assert lines[cut] == lines[thick] == 2
    assert cut[1] < visited[1] < thick[1]
    nodes = picture.strokes(picture.nodes)
    assert len(picture.nodes) == sum(nodes.values()) == 13
    assert sum(count for (dashed, _), count in nodes.items() if dashed) == 2
    assert nodes[max(nodes, key=lambda stroke: stroke[1])] == 3
    shown = Counter(picture.texts)
    for node in range(13):
        assert shown[str(node)] >= 1
    assert all(shown[value] >= 1 for value in ("3", "12", "8", "2", "14", "5"))
    assert any("alphabeta" in text and "natural" in text for text in picture.texts)
    for word in ("maximizing", "minimizing", "leaf", "principal variation", "not visited", "cut"):
        assert word in picture.key


def test_nothing_is_cut_by_minimax(drawn):
    picture = drawn(TEXTBOOK, "-a", "minimax")
    assert not any(dashed for dashed, _ in picture.strokes(picture.lines + picture.nodes))


@pytest.mark.parametrize("name", ["alphabeta", "negascout", "mtdf", "iterative"])
def test_what_a_search_never_visits_is_dashed(drawn, name):
    text = "(((4 5) (3 1)) ((9 8) (2 7)) ((6 6) (5 9)))"
    problem = tree_problem(parse_tree(text))
    laboratory = Laboratory(problem)
    visits = laboratory.visits(laboratory.tasks([ALGORITHMS[name]])[0], 1000)
    picture = drawn(text, "-a", name)
    nodes = picture.strokes(picture.nodes)
    assert len(picture.nodes) == 22
    visited = {visit.node for visit in visits}
    assert sum(count for (dashed, _), count in nodes.items() if not dashed) == len(visited)


def test_principal_variation_in_any_order(drawn):
    """The child that was searched first is worth 3; the other one -5, of which its cut-off search only knows <= 3."""
    picture = drawn("((-5 3) (3 4))", "-a", "alphabeta", "--order", "reverse")
    styles = [(group.find(SVG + "path").get("d"), *picture.strokes([group])) for group in picture.lines]
    thickest = max(width for _, (_, width) in styles)
    first = next(path for path, (_, width) in styles if width == thickest)
    start, end = (float(x) for x in re.findall(r"[ML] ([\d.]+)", first))
    assert start < end


def test_games_and_graphs_are_drawn_as_trees(drawn, tmp_path):
    picture = drawn("tictactoe", "XOXOX????", "--depth", 2, "--trace")
    assert len(picture.nodes) == 1 + 4 + 12
    assert Counter(picture.texts) >= Counter({"5": 1 + 3, "6": 4, "7": 4, "8": 4})  # the moves, on the edges
    marks = 5 + 4 * 6 + 12 * 7  # on the boards
    assert sum(text in ("X", "O") for text in picture.texts) == marks
    edges = ["01", "02", "13", "23", "03"]
    links = ", ".join(f'{{"source": {a}, "target": {b}}}' for a, b in edges)
    nodes = '{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3, "value": 4}'
    (tmp_path / "graph.json").write_text(f'{{"nodes": [{nodes}], "links": [{links}]}}')
    assert len(drawn("graph.json", "-a", "minimax").nodes) == 6


@pytest.mark.parametrize(
    "name",
    [
        *("$\\frac{$", "<&>", "中", "a\\nb", "\\u0001", "n" * 300),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("$x^2$", "a_b^c", "é", "[/red]")),
    ],
)
def test_names_of_all_kinds(gametree, tmp_path, name):
    escaped = name if name.startswith(("a\\n", "\\u")) else name.replace("\\", "\\\\")
    ends = f'"edges": [{{"source": "r", "target": "{escaped}"}}]'
    (tmp_path / "tree.json").write_text(f'{{"nodes": [{{"id": "r"}}, {{"id": "{escaped}", "value": 3}}], {ends}}}')
    for suffix in ("svg", "png"):
        result = gametree("prune", "tree.json", "-a", "alphabeta", "--plot", f"p.{suffix}")
        assert result.code == 0
    texts = Picture("p.svg").texts
    if name in ("$x^2$", "a_b^c", "<&>", "中", "é", "[/red]"):
        assert name in texts  # as it is, not as a formula


@pytest.mark.parametrize(
    "arguments",
    [
        ["wide", "-a", "alphabeta"],
        ["deep", "-a", "minimax"],
        ["tictactoe", "--trace", "--depth", 2],
        ["connect:rows=4,cols=4,k=3", "-a", "alphabeta", "--trace", "--depth", 5],
        ["hexapawn", "--trace"],
        pytest.param(["tictactoe", "--trace"], marks=pytest.mark.slow),
    ],
)
def test_what_is_too_large_is_cut_and_says_so(drawn, tmp_path, arguments):
    """Never more nodes than can be read; the title says how many visits of how many are drawn."""
    (tmp_path / "wide").write_text("(" + "1 " * 400 + ")")
    (tmp_path / "deep").write_text("(1 " * 60 + "2" + ")" * 60)
    picture = drawn(*arguments)
    assert picture.width < 20 * 72
    title = " ".join(picture.texts)
    shown = re.search(r"([\d,]+) of ([\d,]+) visits", title)
    there = sum(not dashed for dashed, _ in picture.strokes(picture.nodes).elements())
    stubs = [int(text[1:]) for text in picture.texts if re.fullmatch("\N{MULTIPLICATION SIGN}[0-9]+", text)]
    if shown is None:
        assert stubs
        assert "children not visited" in title
    else:
        assert int(shown[1].replace(",", "")) == there < int(shown[2].replace(",", ""))


def test_searches_that_jump_about_cannot_be_drawn(gametree, tmp_path):
    result = gametree("prune", TEXTBOOK, "-a", "sss,pns", "--plot", "p.svg")
    assert result.code == 2
    assert "alphabeta" in result.err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [name for name, algorithm in ALGORITHMS.items() if algorithm.depth_first])
def test_a_trace_says_nothing_wrong(gametree, name):
    """What it prints as a value is one, what it prints as a bound is one; also where a table answered."""
    game = Oracle(3, 3, 3)
    out = gametree("prune", "tictactoe", "XO??X????", "-a", name, "--trace").out
    found = re.findall(r"([XO?]{9})(?:  m..)?  \([^)]+\)  ([<>]?=) (-?\d)\n", out.split("\n\n")[1] + "\n")
    if name == "iterative":  # earlier passes are not to the end
        found = found[max(i for i, (node, _, _) in enumerate(found) if node == "XO??X????") :]
    assert len(found) > 50
    for node, sign, value in found:
        right = {"=": operator.eq, "<=": operator.le, ">=": operator.ge}[sign]
        assert right(game.value(node), int(value)), (node, sign, value)


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [[TEXTBOOK], ["tictactoe"], ["mnk:3,3,3", "mnk:2,3,2", "--depth", "1..3"]],
    ids=["tree", "bars", "growth"],
)
@pytest.mark.slow
def test_formats(gametree, tmp_path, arguments):
    def draw(name: str) -> bytes:
        result = gametree("prune", *arguments, "-a", "alphabeta,mtdf", "--plot", name)
        assert result.code == 0, result
        return (tmp_path / name).read_bytes()

    for name, signature in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG\r\n\x1a\n"), ("a.pdf", b"%PDF-")):
        assert draw(name).startswith(signature)
    assert draw("B.SVG") == draw("a.svg")  # the same picture is the same file


@pytest.mark.parametrize("name", ["p.jpg", "p", ".svg", "p.svg.gz"])
def test_refused_suffixes(gametree, tmp_path, name):
    for arguments in (["tictactoe"], ["mnk:3,3,3", "mnk:2,3,2"], ["mnk:rows=5,cols=5,k=5"]):  # before any search
        one_line(gametree("prune", *arguments, "--plot", name), 2, ".svg, .png or .pdf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["no/such/dir/x.svg", "folder.svg"])
@pytest.mark.parametrize(
    "arguments", [["tictactoe"], [TEXTBOOK], ["mnk:2,2,2", "--depth", "1,2"]], ids=["bars", "tree", "growth"]
)
def test_a_picture_that_cannot_be_written(gametree, tmp_path, place, arguments):
    (tmp_path / "folder.svg").mkdir()
    result = gametree("prune", *arguments, "-a", "alphabeta", "--plot", place)
    assert result.code == 1
    assert all(words in result.err.splitlines()[-1] for words in ("cannot write", place))
    assert [path.name for path in tmp_path.rglob("*")] == ["folder.svg"]


# Counts and growth ----------------------------------------------------------------------------------------------------


def test_bars(drawn, monkeypatch):
    with monkeypatch.context() as patch:
        limit_nodes(patch, 17500)
        picture = drawn("tictactoe")
    for text in ("minimax", "549,946", "> 17,500", "negascout", "17,082", "least, no table, full window: 1,452"):
        assert any(text in shown for shown in picture.texts), text
    assert any("log scale" in shown for shown in picture.texts)
    picture = drawn("tictactoe", "-a", "alphabeta", "--order", "natural", "--order", "best")
    assert {"alphabeta, natural", "alphabeta, best"} <= set(picture.texts)


@pytest.mark.slow
def test_growth_by_depth_and_by_game(drawn, monkeypatch):
    picture = drawn("tictactoe", "-a", "all", "--depth", "1..6")
    assert picture.key == list(ALGORITHMS)
    assert {"depth in plies", "nodes visited (log scale)", "1", "6"} <= set(picture.texts)
    styles = {
        (re.search("dasharray: [^;]*", text)[0] if "dasharray" in text else "", uses[0].get("d"))
        for line in picture.lines
        if (uses := list(line.iter(SVG + "defs"))) and (uses := list(uses[0].iter(SVG + "path")))
        for text in ["".join(element.get("style") or "" for element in line)]
    }
    assert len(styles) >= len(ALGORITHMS)  # markers and dashes, not colours alone
    picture = drawn("mnk:3,3,3", "mnk:2,3,2", "mnk:2,2,2", "-a", "alphabeta,mtdf")
    assert picture.key == ["alphabeta", "mtdf"]
    assert {"mnk:rows=3,cols=3,k=3", "mnk:rows=2,cols=3,k=2", "mnk:rows=2,cols=2,k=2"} <= set(picture.texts)
    limit_nodes(monkeypatch, 50)
    picture = drawn("mnk:3,3,3", "mnk:2,3,2", "-a", "alphabeta,mtdf", "--depth", "1,3")
    names = [f"{name} mnk:rows={rows},cols=3,k={rows}" for rows in (3, 2) for name in ("alphabeta", "mtdf")]
    assert picture.key == names
    assert "stopped" in picture.texts


@pytest.mark.parametrize("position", ["XO???????", "XO?X?????"])
def test_a_tie_that_only_the_horizon_shows_is_undecided(gametree, position):
    """X wins both; a search of a ply or none cannot know, however many passes it makes."""
    for depth in (0, 1):
        at = ("mnk:3,3,3", position, "--depth", f"{depth},{depth + 9}", "-a", "all")
        rows = [row for row in gametree("prune", *at, "--format", "json").json["rows"] if row["depth"] == depth]
        assert {row["algorithm"]: row["outcome"] for row in rows} == dict.fromkeys(ALGORITHMS, "undecided")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mnk:9,9,3"], ["81 cells"]),
        (["--trace"], ["growth"]),
        (["--order", "best", "--order", "worst"], ["one order"]),
        (["mnk:2,2,2", "X????????"], ["X????????"]),
        (["-a", "all", "--depth", "0..2000"], ["depth"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_refused_growth(gametree, tmp_path, arguments, words):
    one_line(gametree("prune", "mnk:3,3,3", "mnk:3,4,3", *arguments, "--plot", "p.svg"), 2, *words)
    assert list(tmp_path.iterdir()) == []
