"""The graph of classes as GraphML, GEXF and node-link JSON, read back by networkx and held against slow walks."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import re
import tracemalloc
from collections import Counter
from xml.etree import ElementTree

import networkx as nx
import pytest

import analysis
from analysis.errors import NoRoomError, RulesError
from analysis.exports import graphs
from analysis.exports.export import FORMATS
from analysis.exports.part import Part, merged_edges
from analysis.machine.version import __version__
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
GEXF = "{http://www.gexf.net/1.2draft}"
ORACLE = Oracle(3, 3, 3)


@dataclasses.dataclass(frozen=True)
class Same(OddNames):
    """A game of one's own, whose positions all have one text."""

    origin = "same.py:Same"

    def format_position(self, state):
        return "same"


@functools.cache
def solve(spec, **options):
    return analysis.solve(spec, **options)


def written(form, part) -> bytes:
    file = io.BytesIO()
    FORMATS[form].write(part, file)
    return file.getvalue()


def read(form, part) -> nx.DiGraph:
    """What networkx makes of the file, nodes called ``s<state>``, nothing where an attribute is null."""
    data = written(form, part)
    if form != "json":
        return getattr(nx, f"read_{form}")(io.BytesIO(data))
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
    """As docs/file-formats.md says: from networkx 3.4 on it is to be told where edges are."""
    if tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 4):
        return nx.node_link_graph(data, edges="links")
    return nx.node_link_graph(data)


FORMS = pytest.mark.parametrize("form", ["graphml", "gexf", "json"])


@functools.cache
def walked(spec, depth=None, optimal_only=False) -> nx.DiGraph:
    """The part that is wanted, by the library's slow graph and walks on it."""
    solution = solve(spec)
    whole = solution.to_networkx()
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
        assert said.get("to_move") == (None if said["terminal"] else "X" if mover > 0 else "O")
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
@pytest.mark.parametrize("options", [{}, {"position": "X?O??????", "symmetry": "none"}], ids=["classes", "positions"])
def test_minimax_of_what_was_read(form, options):
    """Only outcomes, movers and edges are believed; values are found again, and are those of the ORACLE."""
    graph = read(form, Part(solve("tictactoe", **options)))
    found: dict[str, int] = {}
    for node in reversed(list(nx.topological_sort(graph))):
        said = graph.nodes[node]
        after = [found[child] for child in graph.successors(node)]
        best = max if said.get("to_move") == "X" else min
        found[node] = best(after) if after else {"X": 1, "O": -1, "tie": 0}[said["outcome"]]
        assert found[node] == said["value"] == ORACLE.value(said["position"])
        assert said["remoteness_plies"] == ORACLE.remoteness(said["position"])
        games = ORACLE.outcomes(said["position"])
        assert [said["games_x"], said["games_o"], said["games_tie"]] == [games[1], games[-1], games[0]]


@FORMS
def test_counts_add_up(form):
    solution = solve("tictactoe")
    graph, said = read(form, Part(solution)), solution.statistics()
    orbits = Counter()
    for _, node in graph.nodes(data=True):
        orbits[node.get("outcome")] += node["orbit_size"]
    assert {name: orbits[name] for name in ("X", "O", "tie")} == said["terminal"]
    assert sum(orbits.values()) == said["positions"] == 5478
    assert sum(node["histories"] for _, node in graph.nodes(data=True)) == said["histories"] == 549946
    assert graph.nodes["s0"]["optimal_paths"] == said["optimal_paths"]
    moves = sum(len(edge["moves"].split()) * graph.nodes[a]["orbit_size"] for a, _, edge in graph.edges(data=True))
    assert moves == said["moves"]


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
    uncounted = read(form, Part(solve("tictactoe", position=LATE, counts=False)))
    assert not any("games_x" in said or "optimal_paths" in said for _, said in uncounted.nodes(data=True))
    late = solve("tictactoe", position=LATE)
    graph = read(form, Part(late))
    assert len(graph) == late.canonical
    assert [said["position"] for node, said in graph.nodes(data=True) if graph.in_degree(node) == 0] == [LATE]


@FORMS
def test_already_over_at_the_start(form):
    graph = read(form, Part(solve("tictactoe", position="XXXOO????")))
    ((_, said),) = graph.nodes(data=True)
    assert (said["outcome"], said["value"], said["remoteness_plies"], graph.number_of_edges()) == ("X", 1, 0, 0)


def test_facts_of_the_graph():
    part = Part(solve("tictactoe"), depth=2)
    wanted = {"game": "tictactoe", "start": "?" * 9, "value": 0, "remoteness_plies": 9, "symmetry": "geometric"}
    wanted |= {"classes": 16, "depth": 2, "optimal_only": False, "version": f"gametree {__version__}"}
    assert part.facts == wanted == json.loads(written("json", part))["graph"]
    graph = nx.read_graphml(io.BytesIO(written("graphml", part)))
    assert wanted.items() <= graph.graph.items()
    meta = ElementTree.fromstring(written("gexf", part)).find(f"{GEXF}meta")
    creator, description = meta
    assert (creator.text, meta.attrib) == (wanted.pop("version"), {})
    assert description.text.splitlines() == [
        f"{name}: {str(value).replace('False', 'false')}" for name, value in wanted.items()
    ]


def test_same_text_for_two_states():
    solution = analysis.solve(Same())
    with pytest.raises(RulesError, match=r"'same' for the states \d+ and \d+.*graphml"):
        written("json", Part(solution))
    assert len(read("graphml", Part(solution))) == len(read("gexf", Part(solution))) == solution.canonical


def test_ids():
    """Names of nodes are words that XML takes as ids; edges of GEXF are numbered, and labels say what both are."""
    root = ElementTree.fromstring(written("gexf", Part(solve("tictactoe"), depth=3)))
    nodes, edges = (root.findall(f".//{GEXF}{name}") for name in ("node", "edge"))
    assert all(re.fullmatch("s[0-9]+", node.get("id")) for node in nodes)
    assert (nodes[1].get("label"), edges[0].get("label")) == ("X????????", "0, 2, 6, 8")
    assert [edge.get("id") for edge in edges] == [f"e{number}" for number in range(len(edges))]
    assert root.get("version") == "1.2"


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


def test_nodes_and_edges_of_a_block():
    part = Part(solve("tictactoe"), depth=1)
    start, after = part.blocks(moves=True)
    assert [(edge.codes, edge.names, edge.optimal) for edge in merged_edges(start)] == [
        ([0, 2, 6, 8], ["0", "2", "6", "8"], True),
        ([1, 3, 5, 7], ["1", "3", "5", "7"], True),
        ([4], ["4"], True),
    ]
    assert part.columns(after)["cut"].to_pylist() == [True] * 3
    assert merged_edges(after) == []


@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_a_document_that_memory_does_not_hold_is_refused(form, monkeypatch):
    monkeypatch.setattr("analysis.machine.memory.available_bytes", lambda: 10**7)
    with pytest.raises(NoRoomError, match=r"document of 765 classes needs about .* try --to json, .*Parquet tables"):
        written(form, Part(solve("tictactoe")))
    assert len(read(form, Part(solve("tictactoe"), depth=2))) == 16


def test_memory_that_is_planned_holds_the_document():
    """The document's parts are counted in Python: as much as networkx makes, and not many times as much."""
    part = Part(solve("tictactoe"))
    tracemalloc.start()
    written("graphml", part)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    planned = graphs.NODE_BYTES * 765 + graphs.EDGE_BYTES * len(part.solution.moves())
    assert planned / 3 < peak < planned
