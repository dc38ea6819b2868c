"""Graphs of classes, read back by networkx and Graphviz and held against slow walks; the pictures that are drawn."""

import dataclasses
import functools
import io
import json
import subprocess
from collections import Counter
from xml.etree import ElementTree

import networkx as nx
import pytest

import analysis
from analysis.common.version import __version__
from analysis.errors import NoRoomError, RulesError
from analysis.reports.exports.drawings import Drawing
from analysis.reports.exports.export import FORMATS
from analysis.reports.exports.graphs import node_id
from analysis.reports.exports.part import Part, merged_edges
from analysis.reports.words import result
from tests.support.class_graph import class_graph
from tests.support.installing import tool
from tests.support.odd_names import OddNames
from tests.support.oracle import Oracle

PARTS = ({}, {"depth": 0}, {"depth": 2}, {"optimal_only": True}, {"depth": 3, "optimal_only": True})
CASES = (
    *(("tictactoe", options) for options in PARTS),
    *(("nim:heaps=2-2-3", options) for options in PARTS[2:4]),
    *(("dots_and_boxes:rows=1,cols=2", options) for options in PARTS[::3]),
    ("morris", {}),
)

SLOW = pytest.mark.slow
LATE = "XOX?O????"


@dataclasses.dataclass(frozen=True)
class Same(OddNames):
    """A game of one's own, whose positions all have one text, read as the one that was written last."""

    origin = "same.py:Same"

    def format_position(self, state):
        LAST.append(state)
        return "same"

    def parse_position(self, text):
        return LAST[-1]


LAST = []


solve = functools.cache(analysis.solve)


def written(form, part) -> bytes:
    file = io.BytesIO()
    FORMATS[form].write(part, file)
    return file.getvalue()


def read(form, part) -> nx.DiGraph:
    """What networkx makes of the file, nodes called ``s<state>``, nothing where an attribute is null."""
    data = written(form, part)
    if form != "json":
        return nx.read_graphml(io.BytesIO(data))
    graph = node_link_graph(json.loads(data))
    for node, said in graph.nodes(data=True):
        said["position"] = node
    for *_, said in graph.edges(data=True):
        said |= {"moves": " ".join(map(str, said["moves"])), "names": ", ".join(said["names"])}
    for said in [graph.graph, *graph.nodes.values(), *graph.edges.values()]:
        for name in [name for name, value in said.items() if value is None]:
            del said[name]
    return nx.relabel_nodes(graph, {node: f"s{said['state']}" for node, said in graph.nodes(data=True)})


def node_link_graph(data) -> nx.DiGraph:
    """As docs/reference/file-formats.md says: from networkx 3.4 on it is to be told where edges are."""
    if tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 4):
        return nx.node_link_graph(data, edges="links")
    return nx.node_link_graph(data)


FORMS = pytest.mark.parametrize("form", ["graphml", "json"])


@functools.cache
def walked(spec, depth=None, optimal_only=False) -> nx.DiGraph:
    """The part that is wanted, by the library's slow graph and walks on it."""
    solution = solve(spec)
    whole = class_graph(solution)
    start = solution.game.format_position(solution.engine.canonical(solution.engine.start))
    kept = whole
    if optimal_only:
        value = nx.get_node_attributes(whole, "value")
        kept = nx.edge_subgraph(whole, [(a, b) for a, b in whole.edges if value[a] == value[b]]).copy()
        kept.add_nodes_from(whole.nodes(data=True))
    inside = nx.single_source_shortest_path_length(kept, start, cutoff=depth)
    graph = kept.subgraph(inside).copy()
    for node in graph:
        left = sum(len(said["moves"]) for *_, said in graph.out_edges(node, data=True))
        graph.nodes[node]["cut"] = left < sum(len(said["moves"]) for *_, said in whole.out_edges(node, data=True))
    return graph


@FORMS
@pytest.mark.parametrize(("spec", "options"), CASES, ids=str)
def test_same_as_walked(form, spec, options):
    solution = solve(spec)
    graph, wanted = read(form, Part(solution, **options)), walked(spec, **options)
    text = {node: said["position"] for node, said in graph.nodes(data=True)}
    assert type(graph) is nx.DiGraph
    assert sorted(text.values()) == sorted(wanted)
    for node, said in graph.nodes(data=True):
        other = wanted.nodes[text[node]]
        number = "ply" if solution.by_ply else "tier"
        assert (said["value"], said.get("remoteness_plies"), said[number], said.get("outcome"), said["cut"]) == (
            *(other[name] for name in ("value", "remoteness_plies", number, "outcome", "cut")),
        )
        assert said["terminal"] is (other["outcome"] is not None)
        mover = solution.engine.rules.mover(said["state"])
        assert said["to_move"] == mover
    edges = {(text[a], text[b]): said for a, b, said in graph.edges(data=True)}
    assert edges.keys() == set(wanted.edges)
    for (a, b), said in edges.items():
        codes = wanted.edges[a, b]["moves"]
        assert (said["move"], said["moves"]) == (codes[0], " ".join(map(str, codes)))
        assert said["names"] == ", ".join(map(solution.game.format_move, codes))
        after = wanted.nodes[b]
        assert (said["value"], said.get("remoteness_plies")) == (after["value"], after["remoteness_plies"])
        assert said["optimal"] is (wanted.nodes[a]["value"] == after["value"])


@FORMS
@pytest.mark.parametrize(
    ("heaps", "kind"),
    [pytest.param(62, int, marks=SLOW), pytest.param(63, str, marks=SLOW), pytest.param(70, str, marks=SLOW)],
)
def test_counts_beyond_63_bits(form, heaps, kind):
    """2**(heaps - 1) games: below 2**63 histories, then a column that 64 bits hold, then one that they do not."""
    solution = solve(f"nim:heaps={heaps}")
    graph = read(form, Part(solution))
    histories = [said["histories"] for _, said in graph.nodes(data=True)]
    assert {type(number) for number in histories} == {kind}
    assert sum(map(int, histories)) == solution.statistics()["histories"] == 2**heaps
    start = next(said for _, said in graph.nodes(data=True) if said["position"] == solution.start)
    assert sum(int(start[name]) for name in ("games_x", "games_o", "games_tie")) == 2 ** (heaps - 1)
    assert start["nimber"] == heaps


@FORMS
def test_loopy_draws_have_no_remoteness(form):
    solution = solve("morris")
    graph = read(form, Part(solution))
    positions = solution.positions()
    drawn = {f"s{state}" for state in positions["state"][positions["remoteness_plies"].isna()]}
    assert drawn
    assert {node for node, said in graph.nodes(data=True) if "remoteness_plies" not in said} == drawn
    assert all("remoteness_plies" not in said for _, b, said in graph.edges(data=True) if b in drawn)
    assert not any("histories" in said for _, said in graph.nodes(data=True))
    assert not nx.is_directed_acyclic_graph(graph)


@FORMS
def test_without_counts_and_from_a_position(form):
    uncounted = read(form, Part(solve("tictactoe", start=LATE, counts=False)))
    assert not any("games_x" in said or "optimal_paths" in said for _, said in uncounted.nodes(data=True))
    late = solve("tictactoe", start=LATE)
    graph = read(form, Part(late))
    assert len(graph) == late.classes
    assert [said["position"] for node, said in graph.nodes(data=True) if graph.in_degree(node) == 0] == [LATE]


def test_facts_of_the_graph():
    part = Part(solve("tictactoe"), depth=2)
    wanted = {"game": "tictactoe", "start": "?" * 9, "value": 0, "remoteness_plies": 9, "symmetry": "geometric"}
    wanted |= {"classes": 16, "depth": 2, "optimal_only": False, "version": f"gametree {__version__}"}
    assert part.facts == wanted == json.loads(written("json", part))["graph"]
    graph = nx.read_graphml(io.BytesIO(written("graphml", part)))
    assert wanted.items() <= graph.graph.items()


def test_same_text_for_two_states():
    solution = analysis.solve(Same())
    with pytest.raises(RulesError, match=r"'same' for the states \d+ and \d+.*graphml"):
        written("json", Part(solution))
    assert len(read("graphml", Part(solution))) == solution.classes


def test_node_link_for_d3():
    """forceLink().id(d => d.id) finds every end of every link; a line is a node or a link."""
    data = written("json", Part(solve("tictactoe"), depth=3))
    graph = json.loads(data)
    assert list(graph) == ["directed", "multigraph", "graph", "nodes", "links"]
    assert (graph["directed"], graph["multigraph"]) == (True, False)
    ids = [node["id"] for node in graph["nodes"]]
    assert len(set(ids)) == len(ids)
    assert {link[end] for link in graph["links"] for end in ("source", "target")} <= set(ids)
    assert json.loads(data.splitlines()[3].rstrip(b",")) == graph["nodes"][0]


def test_a_document_that_memory_does_not_hold_is_refused(monkeypatch):
    monkeypatch.setattr("analysis.common.memory.available_bytes", lambda: 10**7)
    with pytest.raises(NoRoomError, match=r"document of 765 classes needs about .* try `to` json, .*Parquet tables"):
        written("graphml", Part(solve("tictactoe")))
    assert len(read("graphml", Part(solve("tictactoe"), depth=2))) == 16


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def graphviz():
    return tool("dot")


@pytest.fixture
def read_by_graphviz(graphviz):
    """What Graphviz makes of the file: nodes and edges with their attributes, by name; no word on standard error."""

    def run(part: Part) -> tuple[dict, dict]:
        done = subprocess.run([graphviz, "-Tjson0"], input=written("dot", part), capture_output=True, check=True)
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
    """The position of a node."""
    return node["tooltip"]


def moves(edge: dict) -> list[str]:
    """The names at an edge, where none has a space in it."""
    return edge["label"].replace("\\n", " ").split()


def texts(node: dict) -> list[str]:
    """The lines of a node's label that have words or marks in them."""
    return [line.strip() for line in node["label"].split("\\n") if line.strip("-+| ")]


# What is in the graph -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "options"),
    [(None, {"depth": 2}), (None, {"depth": 3, "optimal_only": True}), (LATE, {}), ("?X?O?????", {"depth": 2})],
)
def test_moves_on_the_boards_that_are_drawn(read_by_graphviz, start, options):
    """The oracle plays every move that an edge names on the board of its node."""
    oracle, part = Oracle(3, 3, 3), Part(solve("tictactoe", start=start), **options)
    start = start or oracle.start
    nodes, edges = read_by_graphviz(part)
    group = oracle.permutations("geometric", start)
    alike = {name: {oracle.moved(drawn(node), turn) for turn in group} for name, node in nodes.items()}
    assert len(nodes) == part.classes
    assert sum(map(len, alike.values())) == sum(len(orbit) for orbit in {frozenset(o) for o in alike.values()})
    assert [drawn(node) for node in nodes.values() if node.get("penwidth") == "3"] == [start]
    named = dict.fromkeys(nodes, 0)
    for (source, target), edge in edges.items():
        before = drawn(nodes[source])
        optimal = oracle.value(drawn(nodes[target])) == oracle.value(before)
        assert (edge.get("penwidth") == "2.4") == optimal
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


def test_what_a_node_says(read_by_graphviz):
    oracle = Oracle(3, 3, 3)
    nodes, _ = read_by_graphviz(Part(solve("tictactoe", start=LATE)))
    colours = {}
    for node in nodes.values():
        position, found = drawn(node), texts(node)
        marks = [mark for mark in position if mark != "?"]
        start = position == LATE
        value, plies = oracle.value(position), oracle.remoteness(position)
        end = f" in {plies}" if plies else ""
        result = f"tie{end}" if value == 0 else f"{'XO'[value < 0]} {f'wins{end}' if plies else 'has won'}"
        said = [*["start"] * start, *[f"{oracle.to_move(position)} to move"] * bool(plies), result]
        assert "".join(found[: len(found) - len(said)]).replace("|", "").replace(" ", "") == "".join(marks)
        assert found[len(found) - len(said) :] == said
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
def test_the_same_graph_as_other_formats(read_by_graphviz, tmp_path, spec, options):
    (tmp_path / "board.txt").write_text("H 25 10\n5 1* 25\n10 5 C\n")
    part = Part(solve(spec), **options)
    nodes, edges = read_by_graphviz(part)
    blocks = list(part.blocks(moves=True))
    assert set(nodes) == {node_id(state) for block in blocks for state in block.states.tolist()}
    wanted = {
        (node_id(edge["source"]), node_id(edge["target"])): (len(edge["moves"]), edge["optimal"])
        for block in blocks
        for edge in merged_edges(block)
    }
    found = {ends: (len(moves(edge)), edge.get("penwidth") == "2.4") for ends, edge in edges.items()}
    assert found == wanted


# The picture ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "depth"), [("tictactoe", 2), ("nim:2-2", None), ("dodgem:n=2", 2), ("dots_and_boxes:rows=1,cols=1", None)]
)
def test_the_svg(spec, depth):
    part = Part(solve(spec), depth=depth)
    drawn = written("svg", part)
    assert drawn == written("svg", part)
    picture = ElementTree.fromstring(drawn)
    assert picture.tag == f"{SVG}svg"
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    words = Drawing(part)
    assert picture[0].tag == f"{SVG}title"
    assert picture[0].text == words.title()
    assert words.title() in texts
    edges = [edge for block in part.blocks(moves=True) for edge in merged_edges(block)]
    lines = [group for group in picture.iter(f"{SVG}g") if (group.get("id") or "").startswith("line2d")]
    assert len(lines) >= len(edges)
    worths = Counter(text for text in texts if " in " in text and text != words.title() and len(text) < 16)
    shown = Counter(
        result(part.solution.game, value, plies)
        for block in part.blocks()
        for value, plies in zip(*(block.table[name].to_pylist() for name in ("value", "remoteness_plies")), strict=True)
    )
    assert worths == Counter({text: times for text, times in shown.items() if " in " in text})
