"""Explicit trees: `minimax` and `alphabeta` of the library, all forms of files and texts, whose turn it is, numbers."""

import io
import itertools
import json
import math
import random
import re
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.errors import OptionError, TreeError
from analysis.search import alphabeta, minimax, parse_tree, read_tree
from analysis.search.catalogue import ALGORITHMS, Settings, Window, parse_order, parse_window
from analysis.search.comparison import SearchRequest, compare
from analysis.search.laboratory import Laboratory, solve_problem
from analysis.search.problem import SearchProblem
from analysis.search.targets import find_problem
from tests.support.golden import FOLDER
from tests.support.oracle import Oracle
from tests.support.program import one_line
from tests.support.tree_oracle import graphs, value_by_sides

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"
GOLDEN = (FOLDER / "explicit_trees.txt").read_text()


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\b\d+", text)]


def lettered(values: tuple = (3, 12, 2, 8), **attributes) -> nx.DiGraph:
    """root -> a, b; a -> c, d; b -> e, f."""
    tree = nx.DiGraph([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    for leaf, value in zip("cdef", values, strict=True):
        tree.nodes[leaf]["value"] = value
    nx.set_node_attributes(tree, attributes, "value")
    return tree


def binary(leaves: list[int]) -> nx.DiGraph:
    """Node i has children 2i+1 and 2i+2."""
    inner = len(leaves) - 1
    tree = nx.DiGraph((node, child) for node in range(inner) for child in (2 * node + 1, 2 * node + 2))
    nx.set_node_attributes(tree, {inner + number: value for number, value in enumerate(leaves)}, "value")
    return tree


def test_golden_minimax():
    leaves = numbers(re.search(r"minimax .* leaves 7\.\.14:(.*)", GOLDEN)[1])
    values = {int(node): int(value) for node, value in re.findall(r"n(\d) (-?\d+)", GOLDEN)}
    result = minimax(binary(leaves), 0, 3, True)
    assert {node: value for node, value in result.values.items() if node < 7} == values
    assert result.value == values[0]
    assert result.best == int(re.search(r"best move node (\d)", GOLDEN)[1])
    assert (result.nodes, result.leaves, result.cut, result.cutoffs) == (15, 8, [], 0)
    cutting = alphabeta(binary(leaves), 0, 3, -math.inf, math.inf, True)
    assert (cutting.value, cutting.best) == (values[0], result.best)


def test_golden_alphabeta():
    leaves = numbers(re.search(r"alphabeta .* leaves 15\.\.30:(.*)", GOLDEN)[1])
    values = {int(node): int(value) for node, value in re.findall(r"node (\d+) (-\d+)", GOLDEN)}
    never = numbers(re.search(r"nodes (.*) never visited", GOLDEN)[1])
    assert (len(leaves), len(values), never) == (16, 5, [6, 13])
    result = alphabeta(binary(leaves), 0, 4, -math.inf, math.inf, True)
    assert {node: result.values[node] for node in values} == values
    assert result.value == -13
    visited = {visit.node for visit in result.visits}
    assert visited.isdisjoint(never)
    assert 6 in result.cut
    assert 13 not in result.cut  # below what was cut
    assert f"{result.leaves} of {len(leaves)} leaves visited" in GOLDEN
    assert result.nodes == len(result.visits) == len(visited)


def test_record_of_visits():
    result = alphabeta(parse_tree(TEXTBOOK))
    assert (result.value, result.best, result.move) == (3, 1, 0)
    assert (result.nodes, result.leaves, result.cutoffs, result.cutoffs_effective) == (11, 7, 2, 1)
    assert [visit.node for visit in result.visits] == [0, 1, 4, 5, 6, 2, 7, 3, 10, 11, 12]
    assert result.cut == [8, 9]
    assert result.values == {0: 3, 1: 3, 4: 3, 5: 12, 6: 8, 2: 2, 7: 2, 3: 2, 10: 14, 11: 5, 12: 2}
    second = result.visits[5]
    assert (second.ply, second.parent, second.move, second.maximizing, second.cut) == (1, 0, 1, False, (8, 9))
    assert (second.alpha, second.beta, second.value) == (3, math.inf, 2)
    assert [visit.maximizing for visit in result.visits[:3]] == [True, False, None]


def test_arguments():
    tree = lettered(a=7, b=9)
    assert (minimax(tree, "root", 1, True).value, minimax(tree, "root", 1, True).best) == (9, "b")
    assert (minimax(tree, "root", 1, False).value, minimax(tree, "root", 1, False).best) == (7, "a")
    assert [minimax(tree, "a", maximizing=first).value for first in (None, True, False)] == [3, 12, 3]
    assert minimax(tree, depth=1, evaluate={"a": 4, "b": 1}.get).best == "a"
    assert (minimax(tree, "c").value, minimax(tree, "c").best, minimax(tree, "c").move) == (3, None, None)
    assert minimax(lettered(), depth=99).value == minimax(lettered(), depth=np.int64(2)).value == 3
    assert minimax(lettered((3.0, np.int64(12), np.float64(2), 8))).value == 3
    assert minimax(lettered(), maximizing=False).value == minimax(lettered(), maximizing=np.bool_(False)).value == 8
    most = 2**62 - 2
    assert minimax(lettered((most, most, -most, -most))).value == most


@pytest.mark.parametrize(
    ("alpha", "beta", "value", "nodes"),
    [
        (-math.inf, math.inf, 3, 6),
        (2, 4, 3, 6),
        (5, 9, 3, 5),
        (-math.inf, 3, 3, 4),
        (np.int64(-5), np.float64(9), 3, 6),
    ],
)
def test_windows(alpha, beta, value, nodes):
    """Fail-soft: beyond the window the value is a bound."""
    result = alphabeta(lettered(), "root", None, alpha, beta, True)
    assert (result.value, result.nodes) == (value, nodes)
    assert result.visits[0].alpha == alpha
    assert result.visits[0].beta == beta


def test_graphs_with_several_ways_to_a_node():
    """A node is visited from each parent, also where its ply, and with it the side to move, differs."""
    graph = nx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (0, 3)])
    nx.set_node_attributes(graph, {3: 4, 4: 1}, "value")
    assert (minimax(graph).value, minimax(graph).nodes) == (4, 7)
    graph.add_edges_from([(3, 5), (3, 6)])
    nx.set_node_attributes(graph, {5: -2, 6: 8}, "value")
    result = minimax(graph)
    assert [(visit.node, visit.value) for visit in result.visits if visit.node == 3] == [(3, 8), (3, 8), (3, -2)]
    assert (result.value, result.nodes, alphabeta(graph).value) == (8, 13, 8)


def test_games_too():
    result = alphabeta("tictactoe", "XX?OO????")
    assert (result.best, result.move) == ("XXXOO????", 2)
    assert (result.value, result.nodes) == Oracle(3, 3, 3).alphabeta("XX?OO????", -9, 9)
    assert minimax("tictactoe", "XX?OO????", 1, evaluate="lines").best == "XXXOO????"
    with pytest.raises(OptionError, match="name"):
        minimax("tictactoe", "XX?OO????", 2, evaluate=len)


def test_a_tree_in_every_form():
    """As a graph, as read from a text, and as the text; a node of a text has the side to move that it has there."""
    tree = parse_tree(TEXTBOOK)
    assert [minimax(what).value for what in (tree, TEXTBOOK)] == [3, 3]
    assert (minimax(TEXTBOOK, "3").value, minimax(TEXTBOOK, "3", maximizing=True).value) == (2, 14)
    for what in (tree, TEXTBOOK):
        found = compare(what, SearchRequest(algorithms=["alphabeta"]))
        assert ([row.nodes for row in found.rows], found.value, found.tree.nodes) == ([11], 3, 13)
    assert compare(tree, SearchRequest(algorithms=["pns"]), start=4).rows[0].nodes == 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"source": "z"}, TreeError, "no node 'z'"),
        ({"depth": -1}, OptionError, "depth -1"),
        ({"depth": 1}, TreeError, "node a at the depth limit has no value"),
        ({"depth": 1, "evaluate": lambda node: math.inf}, TreeError, "node a at the depth limit has value inf"),
        ({"depth": 1, "evaluate": "lines"}, OptionError, "function"),
        ({"alpha": 3, "beta": 3}, OptionError, "not a number below"),
        ({"what": "tictactoe", "alpha": 0.5}, OptionError, "whole number"),
        ({"beta": math.nan}, OptionError, "beta nan"),
        ({"what": nx.DiGraph()}, TreeError, "no nodes"),
        ({"what": nx.DiGraph([(0, 1)])}, TreeError, "leaf 1 has no value"),
        ({"what": nx.Graph([(0, 1)])}, TreeError, "directed"),
        ({"what": lettered((3, 12, "2,5", 8))}, TreeError, "node e has value '2,5'"),
        ({"what": lettered((3, 12, -math.inf, 8))}, TreeError, "node e has value -inf"),
    ],
)
def test_what_the_library_refuses(arguments, error, words):
    with pytest.raises(error, match=words):
        alphabeta(**{"what": lettered(), **arguments})


@pytest.mark.parametrize("key", ["edges", "links"])
def test_node_link_json(gametree, tmp_path, key):
    tree = lettered()
    tree.graph["maximizing"] = False
    data = nx.node_link_data(tree, edges=key)
    assert key in data
    (tmp_path / "tree.json").write_text(json.dumps(data))
    found = read_tree("tree.json")
    assert nx.utils.graphs_equal(found, tree)
    assert list(found.successors("root")) == ["a", "b"]
    result = gametree("prune", "tree.json", "-a", "all", "--format", "json").json
    assert {row["value"] for row in result["rows"]} == {8} == {result["value"]}
    assert (result["game"], result["start"], result["minimax"]) == ("tree.json", "root", {"nodes": 7, "leaves": 4})
    assert gametree("prune", "tree.json", "a", "--format", "json").json["value"] == 12


@pytest.mark.parametrize(
    ("text", "value", "nodes"),
    [
        (TEXTBOOK, 3, range(13)),
        ("min ((3 12) (2 8))", 8, [0, 1, 7, 3, 12, 2, 8]),  # 2 is a leaf
        ("\n min \n ( 3,-4 , +5\t-0)\n", -4, [6, 3, -4, 5, 0]),
        ("A(É(3 12) _C1(c:2 d : 4))", 3, ["A", "É", "_C1", 3, 12, "c", "d"]),
        ("(a(2 3) 4)", 4, [0, "a", 2, 3, 4]),
        ("((1/3 0.5) (.25 1e9))", Fraction(1, 3), [0, 1, 2, Fraction(1, 3), 0.5, 0.25, 10**9]),
        ("max((3 5) max(2 9))", 9, [0, 1, 7, 3, 5, 2, 9]),
        ("max A(max B(3 5) min C(2 9))", 5, ["A", "B", "C", 3, 5, 2, 9]),
        ("min A(max:3 min:5)", 3, ["A", "max", "min"]),
        ("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", 3, range(13)),
        ('{"children": [[3,12,8],[2,4,6],{"children":[14,5,2]}]}', 3, range(13)),
    ],
)
def test_compact_form(text, value, nodes):
    tree = parse_tree(text)
    assert set(tree) == set(nodes)
    assert minimax(tree).value == value


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_where_a_tree_comes_from(gametree, tmp_path, monkeypatch, newline):
    text = f"{newline}(3{newline} (4 5)){newline}"
    for name in ("tree.txt", "tree", "a tree [bold].json"):
        (tmp_path / name).write_bytes(text.encode())
        found = gametree("prune", name, "-a", "alphabeta")
        assert " ".join(found.out.splitlines()[0].split()) == f"searched {name} from 0"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert gametree("prune", "-", "-a", "alphabeta", "--format", "json").json["value"] == 4
    found = gametree("prune", text, "--format", "json").json
    assert (found["game"], found["value"], found["minimax"]["nodes"]) == ("tree", 4, 5)


def graph_json(edges: str, **values) -> str:
    """Edges as "ab bc", values by leaf."""
    nodes = [{"id": name} | ({"value": values[name]} if name in values else {}) for name in sorted({*edges} - {" "})]
    return json.dumps({"nodes": nodes, "edges": [{"source": a, "target": b} for a, b in edges.split()]})


LETTERS = [chr(0x4E00 + n) for n in range(1002)]
CHAIN = graph_json(" ".join(map("".join, itertools.pairwise(LETTERS))), **{LETTERS[-1]: 1})

REFUSED = {
    "": "one tree",
    "((3 12)": "1 ')' missing",
    "(3 12))": "line 1, column 7",
    "(3\n 4.5.6)": "line 2, column 2",
    "(3 1e999)": "line 1, column 4",
    "max(3 (max 4))": "'max'",
    "(" + "9" * 5000 + " 1)": "bad.tree",
    '{"nodes": [': "JSON",
    '{"nodes": [], "edges": []}': "no nodes",
    '{"nodes": [{"id": 1}, {"id": 1}], "edges": []}': "two nodes",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [{"source": 1, "target": 3}]}': "not in 'nodes'",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [], "directed": false}': "directed",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [], "graph": {"maximizing": "no"}}': "true or false",
    '{"nodes": ' + "[" * 200_000: "too deep",
    CHAIN: "too deep",
    graph_json("ab bc cb bd", d=1): "b -> c -> b",
    graph_json("ac bc", c=1): "2 nodes have no parent",
    graph_json("ab"): "leaf b has no value",
    graph_json("ab", b=-math.inf): "node b has value -inf",
    '{"children":\n [{"value": }]}': "line 2 column 13",
    '[[3], "a"]': "has value 'a'",
    '{"player": "max", "to_move": "O", "children": [7]}': "node 0 has to_move 'O'",
    '{"player": "max", "children": [{"player": "chance", "children": [7]}]}': "node 1 has player 'chance'",
    '{"maximizing": "max", "children": [7]}': "node 0 has maximizing 'max'",
    '{"children": [{"children": [{"player": "min", "children": [7]}]}]}': "node 0 does not say",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:60]))
def test_malformed_trees(gametree, tmp_path, text):
    (tmp_path / "bad.tree").write_text(text)
    result = gametree("prune", "bad.tree")
    one_line(result, 2, REFUSED[text])
    assert len(result.err) < 300
    with pytest.raises(TreeError, match=re.escape(REFUSED[text].replace("bad.tree", "tree"))):
        minimax(parse_tree(text))
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tree"]


def test_files_that_are_no_trees(gametree, tmp_path, monkeypatch):
    one_line(gametree("prune", "no/such.json"), 2, "cannot read no/such.json")
    one_line(gametree("prune", "tree.json"), 2, "cannot read tree.json")
    (tmp_path / "folder.json").mkdir()
    assert gametree("prune", "folder.json").err.count("\n") == 1
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    one_line(gametree("prune", "binary"), 2, "binary is not a text file")
    monkeypatch.setattr("sys.stdin", io.StringIO("\udcb8\udcff("))
    one_line(gametree("prune", "-"), 2, "standard input")
    monkeypatch.setattr("sys.stdin", None)  # closed by the program that started this one
    one_line(gametree("prune", "-"), 2, "standard input")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x"], ["no node 'x'"]),
        (["--evaluate", "lines"], ["carries its own values"]),
        (["--depth", "1"], ["node 1 at the depth limit has no value"]),
        (["--depth", "1,2"], ["tree"]),
        (["--order", "centre-first"], ["board"]),
        (["--order", "permutation:10"], ["0 to 2"]),
        (["--order", "permutation:3-12-8"], ["places of children", "0 to 2", "permutation:2-1-0"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_a_tree_has_not(gametree, arguments, words):
    result = gametree("prune", TEXTBOOK, *arguments)
    one_line(result, 2, *words)
    assert "no game is called" not in result.err


TRACE = """\
alphabeta, order natural, window full
0  max  (-inf, +inf)  = 3
├─ 1  min  (-inf, +inf)  = 3
│  ├─ 4  (-inf, +inf)  = 3
│  ├─ 5  (-inf, +3)  = 12
│  └─ 6  (-inf, +3)  = 8
├─ 2  min  (+3, +inf)  <= 2
│  ├─ 7  (+3, +inf)  = 2
│  ├─ 8  cut
│  └─ 9  cut
└─ 3  min  (+3, +inf)  <= 2
   ├─ 10  (+3, +inf)  = 14
   ├─ 11  (+3, +14)  = 5
   └─ 12  (+3, +5)  = 2
"""


def test_trace(gametree):
    result = gametree("prune", TEXTBOOK, "--trace")
    assert result.code == 0
    assert result.out.split("\n\n")[1] + "\n" == TRACE
    assert re.search(r"\nalphabeta +11 +7 +1 ", result.out)
    found = gametree("prune", TEXTBOOK, "--trace", "--format", "json").json["trace"]
    [(title, visits)] = found.items()
    assert title == TRACE.splitlines()[0]
    assert [visit["node"] for visit in visits] == [0, 1, 4, 5, 6, 2, 7, 3, 10, 11, 12]
    assert visits[5] == {
        "node": 2, "ply": 1, "parent": 0, "move": 1, "alpha": 3, "beta": None, "value": 2, "maximizing": False,
        "answered": False, "cut": [8, 9],
    }  # fmt: skip


ALL = tuple(ALGORITHMS)
ORDERS = ("natural", "reverse", "random:1", "best", "worst", "least", "killer", "history")
some = settings(deadline=None, max_examples=15)


def rows(problem: SearchProblem, *, window: Window = Window(), order: str = "natural", **more: Any) -> list:
    laboratory = Laboratory(problem, Settings(max_memory=1 << 24, **more))
    return list(laboratory.rows(laboratory.tasks(ALGORITHMS.values(), [parse_order(order, problem)], [window])))


@st.composite
def moved(draw: st.DrawFn, leaves: st.SearchStrategy[float] | None = None) -> nx.DiGraph:
    """A graph without cycles in which any side may move at any node, as its attribute ``player`` says."""
    graph = draw(graphs())
    for node, data in graph.nodes(data=True):
        if graph.out_degree(node):
            data["player"] = draw(st.sampled_from(("max", "min")))
        elif leaves is not None:
            data["value"] = draw(leaves)
    return graph


def value_of(graph: nx.DiGraph, node: Any = 0) -> float:
    return value_by_sides(graph, node, lambda node: graph.nodes[node]["player"] == "max")


values = st.one_of(
    st.integers(-5, 5),
    st.floats(-5, 5),
    st.sampled_from([2.5, -1.99, 1e9, 1e300, -1e300, 2**80, -(2**62), 0.1, 1e-300]),
)


@given(moved(values), st.sampled_from(ORDERS), st.booleans())
@settings(deadline=None, max_examples=30)
def test_every_search_where_any_side_may_move_anywhere_and_leaves_have_any_numbers(graph, order, strict):
    problem, expected = find_problem(graph), value_of(graph)
    found = {row.algorithm: row.value for row in rows(problem, order=order, strict=strict)}
    assert found == dict.fromkeys(ALL, expected)
    assert minimax(graph).value == alphabeta(graph).value == problem.shown(solve_problem(problem).value) == expected
    [row] = [row for row in rows(problem, order="least") if row.algorithm == "alphabeta"]
    assert row.nodes == solve_problem(problem).least().nodes


def test_after_a_node_without_a_mark_the_other_player_moves():
    """Below a marked root any marks of a tree by turns may be missing."""
    rng = random.Random(1)
    for first in (True, False):
        tree = nx.balanced_tree(2, 4, create_using=nx.DiGraph)
        inner = [node for node in tree if tree.out_degree(node)]
        nx.set_node_attributes(tree, {node: rng.randint(-9, 9) for node in tree if node not in inner}, "value")
        expected = minimax(tree, maximizing=first).value
        ply = nx.single_source_shortest_path_length(tree, 0)
        for node in [0, *rng.sample(inner, 5)]:
            tree.nodes[node]["turn"] = "X" if first == (ply[node] % 2 == 0) else "O"
        assert alphabeta(tree).value == alphabeta(tree, maximizing=first).value == expected
        with pytest.raises(OptionError, match="maximizing"):
            alphabeta(tree, maximizing=not first)
        del tree.nodes[0]["turn"]
        with pytest.raises(TreeError, match="node 0"):
            alphabeta(tree)


def test_a_node_has_the_side_that_the_tree_gives_it(gametree, tmp_path):
    tree = nx.DiGraph([("r", "a"), ("a", "b"), ("b", "c"), ("b", "d")])
    nx.set_node_attributes(tree, {"c": 7, "d": 1}, "value")
    for mark, value in (("max", 7), ("min", 1)):
        tree.nodes["r"]["player"] = mark
        (tmp_path / "t.json").write_text(json.dumps(nx.node_link_data(tree, edges="links")))
        assert gametree("prune", "t.json", "b", "-a", "all", "--format", "json").json["value"] == value
        assert minimax(tree, "b").value == value
    tree.graph["maximizing"] = True
    with pytest.raises(TreeError, match="node r"):
        minimax(tree)
    del tree.nodes["r"]["player"]
    assert minimax(tree, "a").value == minimax(tree, "b").value == 7
    with pytest.raises(OptionError, match="node a"):
        minimax(tree, "a", maximizing=True)
    with pytest.raises(OptionError, match="node 0"):
        minimax("min (3 4)", maximizing=True)


def test_a_search_from_an_inner_node_has_the_mover_that_the_whole_graph_gives():
    graph = nx.DiGraph([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("b", "e")])
    nx.set_node_attributes(graph, {"c": 1, "d": -1, "e": 0}, "value")
    game, below = analysis.load_game(graph), graph.subgraph(["a", "c", "d"])
    values = [analysis.compare(each, ["alphabeta"], start="a").value for each in (game, graph, below)]
    assert values == [-1, -1, 1]
    assert analysis.solve(graph)["a"].value == minimax(graph, "a").value == alphabeta(graph, "a").value == -1
    graph.add_edges_from([("r", "d"), ("d", "x")])
    with pytest.raises(TreeError, match="node d"):
        minimax(graph, "d")


@given(moved(values), values)
@some
def test_null_windows_ask_whether_the_value_is_at_least_a_number(graph, bound):
    problem, expected = find_problem(graph), value_of(graph)
    window = parse_window(f"null:{bound}", problem)
    for row in rows(problem, window=window):
        if row.window != window.name:
            continue
        assert row.bound == ("lower" if expected >= bound else "upper"), row
        assert row.value <= expected if row.bound == "lower" else row.value >= expected, row


def test_numbers_as_they_are_printed(gametree):
    tree = "((2.5 -1.99) (1e9 .5) (3 4.0))"
    found = gametree("prune", tree, "-a", "alphabeta,mtdf", "--trace", "--format", "json").json
    assert (found["value"], {row["value"] for row in found["rows"]}) == (3, {3})
    assert '"value": 3,' in gametree("prune", tree, "-a", "alphabeta", "--format", "json").out
    visit = next(visit for visit in found["trace"]["alphabeta, order natural, window full"] if visit["value"] == 2.5)
    assert (visit["alpha"], visit["beta"]) == (None, None)
    out = gametree("prune", tree, "-a", "alphabeta,mtdf", "--trace").out
    for line in ("├─ 1  min  (-inf, +inf)  = -1.99", "├─ 2  min  (-1.99, +inf)  = 0.5", "0  max  (-inf, +inf)  = 3"):
        assert line in out
    result = alphabeta("((3 12 8) (2 4 6))", alpha=2.5, beta=7.1)
    assert (result.value, result.visits[0].alpha, result.visits[0].beta) == (3, 2.5, 7.1)
