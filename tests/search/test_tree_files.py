"""Explicit trees: `minimax` and `alphabeta` of the library, files and texts of trees, and how a search is printed."""

from __future__ import annotations

import io
import json
import math
import re

import networkx as nx
import numpy as np
import pytest

from analysis.errors import OptionError, TreeError
from analysis.search import alphabeta, minimax, parse_tree, read_tree
from analysis.search.comparison import SearchRequest, compare
from tests.support.golden import FOLDER
from tests.support.oracle import Oracle
from tests.support.program import one_line

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


# Published trees ------------------------------------------------------------------------------------------------------


def test_golden_minimax():
    leaves = numbers(re.search(r"minimax .* leaves 7\.\.14:(.*)", GOLDEN)[1])
    values = {int(node): int(value) for node, value in re.findall(r"n(\d) (-?\d+)", GOLDEN)}
    result = minimax(binary(leaves), 0, 3, True)
    assert {node: value for node, value in result.values.items() if node < 7} == values
    assert result.value == values[0]
    assert result.best == int(re.search(r"best move node (\d)", GOLDEN)[1])
    assert (result.nodes, result.leaves, result.cut, result.cutoffs) == (15, 8, [], 0)
    assert alphabeta(binary(leaves), 0, 3, -math.inf, math.inf, True).value == values[0]
    assert alphabeta(binary(leaves)).best == result.best


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


def test_golden_least_numbers_of_leaves():
    """Knuth and Moore 1975: uniform trees, where every line of play is the best."""
    found = re.findall(r"b=(\d)(?:, d=1\.\.6)?: ([\d ]+)", GOLDEN)
    assert [int(breadth) for breadth, _ in found] == [2, 3, 4]
    for breadth, least in found:
        for depth, leaves in enumerate(numbers(least), 1):
            tree = nx.balanced_tree(int(breadth), depth, create_using=nx.DiGraph)
            ends = [node for node in tree if tree.out_degree(node) == 0]
            nx.set_node_attributes(tree, dict.fromkeys(ends, 0), "value")
            assert (alphabeta(tree).leaves, minimax(tree).leaves) == (leaves, int(breadth) ** depth)


# The library ----------------------------------------------------------------------------------------------------------


def test_record_of_visits():
    result = alphabeta(parse_tree(TEXTBOOK).graph)
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
    assert (minimax(tree, "a").value, minimax(tree, "a", maximizing=False).value) == (12, 3)
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
        (3, math.inf, 3, 5),
        (5, 9, 3, 5),
        (-math.inf, 3, 3, 4),
        (-5, 1, 3, 4),
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
    assert [minimax(what).value for what in (tree.graph, tree, TEXTBOOK)] == [3, 3, 3]
    assert (minimax(TEXTBOOK, "3").value, minimax(TEXTBOOK, "3", maximizing=True).value) == (2, 14)
    for what in (tree.graph, tree, TEXTBOOK):
        found = compare(what, SearchRequest(algorithms=["alphabeta"]))
        assert ([row.nodes for row in found.rows], found.value, found.tree.nodes) == ([11], 3, 13)
    assert compare(tree, SearchRequest(algorithms=["pns"]), position=4).rows[0].nodes == 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"source": "z"}, TreeError, "no node 'z'"),
        ({"depth": -1}, OptionError, "depth -1"),
        ({"depth": 1}, TreeError, "node a at the depth limit has no value"),
        ({"depth": 1, "evaluate": lambda node: math.inf}, TreeError, "node a at the depth limit has value inf"),
        ({"depth": 1, "evaluate": "lines"}, OptionError, "function"),
        ({"alpha": 3, "beta": 3}, OptionError, "not below"),
        ({"what": "tictactoe", "alpha": 0.5}, OptionError, "whole number"),
        ({"beta": math.nan}, OptionError, "beta nan"),
        ({"what": nx.DiGraph()}, TreeError, "no nodes"),
        ({"what": nx.DiGraph([(0, 1), (1, 2), (2, 0)])}, TreeError, "cycle"),
        ({"what": nx.DiGraph([(0, 1)])}, TreeError, "leaf 1 has no value"),
        ({"what": nx.Graph([(0, 1)])}, TreeError, "directed"),
        ({"what": nx.MultiDiGraph([(0, 1), (0, 1)])}, TreeError, "parallel"),
        ({"what": lettered((3, 12, "2", 8))}, TreeError, "leaf e has value '2'"),
        ({"what": lettered((3, 12, 10**400, 8))}, TreeError, "leaf e"),
        ({"what": lettered((3, 12, -math.inf, 8))}, TreeError, "leaf e has value -inf"),
        ({"what": lettered((3, 12, np.float64("nan"), 8))}, TreeError, "leaf e has value nan"),
        ({"what": lettered((3, 12, True, 8))}, TreeError, "leaf e has value 'True'"),
    ],
)
def test_what_the_library_refuses(arguments, error, words):
    with pytest.raises(error, match=words):
        alphabeta(**{"what": lettered(), **arguments})


# Files and texts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["edges", "links"])
def test_node_link_json(gametree, tmp_path, key):
    tree = lettered()
    tree.graph["maximizing"] = False
    data = nx.node_link_data(tree, edges=key)
    assert key in data
    (tmp_path / "tree.json").write_text(json.dumps(data))
    found = read_tree("tree.json")
    assert nx.utils.graphs_equal(nx.DiGraph(found.graph.edges), nx.DiGraph(tree.edges))
    assert dict(found.graph.nodes(data=True)) == dict(tree.nodes(data=True))
    assert (found.maximizing, list(found.graph.successors("root"))) == (False, ["a", "b"])
    result = gametree("prune", "tree.json", "-a", "all", "--format", "json").json
    assert {row["value"] for row in result["rows"]} == {8} == {result["value"]}
    assert (result["game"], result["position"], result["minimax"]) == ("tree.json", "root", {"nodes": 7, "leaves": 4})
    assert gametree("prune", "tree.json", "--from", "a", "--format", "json").json["value"] == 12
    data["graph"]["source"] = "b"
    (tmp_path / "tree.json").write_text(json.dumps(data))
    assert gametree("prune", "tree.json", "--format", "json").json["value"] == 2


def test_attributes_of_all_names():
    nodes = [{"id": 0, "node_for_adding": 1}, {"id": 1, "value": 5, "self": 2}]
    text = json.dumps({"nodes": nodes, "edges": [{"source": 0, "target": 1, "u_of_edge": 3}]})
    assert minimax(parse_tree(text).graph).value == 5


def test_byte_order_mark(tmp_path):
    """As editors on Windows write it."""
    (tmp_path / "marked").write_text("(3 4)", encoding="utf-8-sig")
    assert minimax(read_tree(tmp_path / "marked").graph).value == 4


@pytest.mark.parametrize(
    ("text", "value", "nodes"),
    [
        (TEXTBOOK, 3, range(13)),
        ("7", 7, [0]),
        ("min ((3 12) (2 8))", 8, range(7)),
        (" # a tree\n min # of the second player\n ( 3,-4 , +5\t-0)\n# end", -4, range(5)),
        ("A(É(3 12) _C1(c:2 d=4))", 3, ["A", "É", "_C1", 3, 4, "c", "d"]),
        ("(a(2 3) 4)", 4, [0, "a", 2, 3, 4]),
        ("max((3 5) max(2 9))", 9, range(7)),
        ("MAX(MIN(3,5),Min (2,9))", 3, range(7)),
        ("A:max(B:max(3 5) min C(2 9))", 5, ["A", "B", "C", 3, 4, 5, 6]),
        ("min A(max:3 min:5)", 3, ["A", "max", "min"]),
        ("((\N{MINUS SIGN}3 12) (2 4))", 2, range(7)),
        ("# 3,5 of 7 8\n((3,5), (2,9))", 3, range(7)),
    ],
)
def test_compact_form(text, value, nodes):
    tree = parse_tree(text)
    assert set(tree.graph) == set(nodes)
    assert minimax(tree.graph, tree.source, maximizing=tree.maximizing).value == value


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_where_a_tree_comes_from(gametree, tmp_path, monkeypatch, newline):
    """A file of any name, standard input, or the argument itself."""
    text = f"# two plies{newline}(3{newline} (4 5)) # the end{newline}"
    for name in ("tree.txt", "tree", "a tree [bold].json"):
        (tmp_path / name).write_bytes(text.encode())
        found = gametree("prune", name, "-a", "alphabeta")
        assert " ".join(found.out.splitlines()[0].split()) == f"searched {name} from 0"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert gametree("prune", "-", "-a", "alphabeta", "--format", "json").json["value"] == 4
    found = gametree("prune", text, "--format", "json").json
    assert (found["game"], found["value"], found["minimax"]["nodes"]) == ("tree", 4, 5)


@pytest.mark.slow
def test_deep_tree(gametree, tmp_path):
    levels = 20_000
    (tmp_path / "deep").write_text("(" * levels + "7" + ")" * levels)
    row = gametree("prune", "deep", "-a", "alphabeta", "--format", "json").json["rows"][0]
    assert (row["value"], row["nodes"], row["leaves"]) == (7, levels + 1, 1)
    result = alphabeta(read_tree("deep").graph, alpha=0, beta=9)
    assert (result.value, result.visits[-1].ply) == (7, levels)


def test_wide_tree(gametree, tmp_path):
    (tmp_path / "wide").write_text("(" + " ".join(str(n * 7919 % 10007) for n in range(5000)) + ")")
    rows = gametree("prune", "wide", "-a", "minimax,alphabeta,mtdf,sss,dual", "--format", "json").json["rows"]
    assert {row["value"] for row in rows} == {10006}
    assert rows[0]["nodes"] == 5001


def graph_json(edges: str, **values) -> str:
    """Edges as "ab bc", values by leaf."""
    nodes = [{"id": name} | ({"value": values[name]} if name in values else {}) for name in sorted({*edges} - {" "})]
    return json.dumps({"nodes": nodes, "edges": [{"source": a, "target": b} for a, b in edges.split()]})


REFUSED = {
    "": "holds nothing",
    "# nothing\n": "holds nothing",
    "((3 12)": "1 ')' missing",
    "(3 12))": "')' too many",
    "(3 12) (4 5)": "2 trees",
    "(3 ())": "'()'",
    "(3\n 4.5.6)": "line 2, column 2",
    "(3 inf)": "leaf 2 has value inf",
    "(a:-NaN 4)": "leaf a has value nan",
    "(3 1e999)": "leaf 2 has value inf",
    "max(3 (max 4))": "max stands in front of a node with children",
    "max A:min(3 5)": "max stands in front of a node with children",
    "max((min(1 2)) 3)": "node 1 does not say whose turn it is",
    "((3,5 12 8) (2 4 6))": "'3,5' could be one number or two",
    "(a:3,5 b:4)": "'3,5' could be one number or two",
    "(3 x)": "x has neither children nor a value",
    "(a:3 a:4)": "two nodes are called a",
    "(" + "9" * 350 + " 1)": "beyond",
    "(" + "9" * 5000 + " 1)": "bad.tree",
    '{"nodes": [': "read as JSON",
    '{"nodes": []}': "'edges'",
    '{"nodes": [], "edges": []}': "no nodes",
    '{"nodes": ["a"], "edges": []}': "'id'",
    '{"nodes": [{"id": 1.5}], "edges": []}': "'id'",
    '{"nodes": [{"id": 1}, {"id": 1}], "edges": []}': "two nodes",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [{"source": 1, "target": 3}]}': "node 3",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [], "directed": false}': "directed",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [], "graph": {"maximizing": "no"}}': "true or false",
    '{"nodes": [{"id": 1, "value": 2}], "edges": [], "graph": {"source": 5}}': "no node 5",
    "[" * 50_000: "read as JSON",
    '{"nodes": ' + "[" * 200_000: "read as JSON",
    graph_json("ab bc ca"): "cycle",
    graph_json("ab bc cb"): "b -> c -> b",
    graph_json("aa"): "a -> a",
    graph_json("ac bc", c=1): "2 nodes without a parent",
    graph_json("ab"): "leaf b has no value",
    '{"children": [{"utility": 3}]}': "leaf 1 has no value, only 'utility'",
    graph_json("ab", b=-math.inf): "leaf b has value -inf",
    graph_json("ab", b=math.nan): "nan",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:60]))
def test_malformed_trees(gametree, tmp_path, text):
    (tmp_path / "bad.tree").write_text(text)
    result = gametree("prune", "bad.tree")
    one_line(result, 2, REFUSED[text])
    assert len(result.err) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tree"]


def test_files_that_are_no_trees(gametree, tmp_path, monkeypatch):
    one_line(gametree("prune", "no/such.json"), 2, "cannot read no/such.json")
    one_line(gametree("prune", "tree.json"), 2, "cannot read tree.json")
    (tmp_path / "folder.json").mkdir()
    assert gametree("prune", "folder.json").err.count("\n") == 1
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    one_line(gametree("prune", "binary"), 2, "binary is no text")
    monkeypatch.setattr("sys.stdin", io.StringIO("\udcb8\udcff("))
    one_line(gametree("prune", "-"), 2, "standard input")
    monkeypatch.setattr("sys.stdin", None)  # closed by the program that started this one
    one_line(gametree("prune", "-"), 2, "standard input")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "x"], ["no node 'x'"]),
        (["--evaluate", "lines"], ["carries its own values"]),
        (["--depth", "1"], ["node 1 at the depth limit has no value"]),
        (["--depth", "1,2"], ["tree"]),
        (["--order", "centre-first"], ["board"]),
        (["--order", "permutation:10"], ["0 to 2"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_a_tree_has_not(gametree, arguments, words):
    result = gametree("prune", TEXTBOOK, *arguments)
    one_line(result, 2, *words)
    assert "no game is called" not in result.err


# What is printed ------------------------------------------------------------------------------------------------------

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
    assert (result.code, result.err) == (0, "")
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


def test_trace_of_other_searches(gametree):
    names = "minimax,mtdf,negascout"
    out = gametree("prune", "A(B(3 12) C(2 8))", "-a", names, "--trace", "--strict").out
    assert out.count("A  max  ") == 4  # mtdf searches twice
    for line in ("A  max  (-1, +0)  >= 3", "A  max  (+3, +4)  <= 3", *(f"{name}, order" for name in names.split(","))):
        assert f"\n{line}" in out
    out = gametree("prune", "min ((3 12) (2 8))", "--trace", "--order", "reverse").out
    assert "0  min  (-inf, +inf)  = 8\n├─ 2  max" in out
    out = gametree("prune", "tictactoe", "--from", "XOXOX????", "--trace", "--depth", 1).out
    assert "XOXOX????  min  (-inf, +inf)  = 0\n├─ XOXOXO???  (-inf, +inf)  = 0\n" in out


def test_names_are_printed_as_they_are(gametree, tmp_path):
    text = graph_json("ab ac", b=3, c=4).replace('"a"', '"[/red]"').replace('"b"', '"[bold]"')
    (tmp_path / "named.json").write_text(text)
    out = gametree("prune", "named.json", "--trace").out
    assert "from [/red]\n" in out
    assert "├─ [bold]  (-inf, +inf)  = 3\n" in out


# JSON written out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", '{"children": [[3,12,8],[2,4,6],{"children":[14,5,2]}]}']
)
def test_nested_lists(text, gametree):
    assert minimax(text).value == minimax(TEXTBOOK).value == 3
    found = gametree("prune", text, "-a", "minimax", "--format", "json")
    assert json.loads(found.out)["value"] == 3


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"children": [1,', "line 1, column 17"),
        ('{"children":\n [{"value": }]}', "line 2, column 13"),
        ("[[3,12],[2,4", "line 1, column 13"),
        ("[[3,12]] x", "line 1, column 10"),
        ("{}", "nested"),
        ("[[3], []]", "[]"),
        ('[[3], "a"]', '"a"'),
        ("[" * 100_000, "JSON"),
    ],
)
def test_malformed_json(text, where, gametree):
    one_line(gametree("prune", text), 2, "read as JSON", where)


@pytest.mark.parametrize(
    "text", ['{"children": [3, 5], "value": 4}', '{"children": [{"children": [3, 5], "value": 9}]}']
)
def test_values_that_children_contradict(text, gametree):
    """They are what a search to a depth counts; one to the end says that it does not."""
    found = gametree("prune", text, "-a", "minimax")
    assert found.code == 0
    assert found.err.count("carries the value") == 1
    assert gametree("prune", text, "-a", "minimax", "--depth", "0").err.count("carries the value") == 0


def test_values_that_children_make(gametree):
    found = gametree("prune", '{"children": [{"children": [3, 5], "value": 3.0}, 2], "value": 3}', "-a", "minimax")
    assert (found.code, found.err.count("carries the value")) == (0, 0)
