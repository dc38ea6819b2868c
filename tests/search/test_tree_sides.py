"""Whose turn it is in explicit trees: what they say in any form, what follows from it, and what contradicts it."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import OptionError, TreeError
from analysis.search import alphabeta, minimax, parse_tree
from analysis.search.catalogue import ALGORITHMS, Settings, Window, parse_order, parse_window
from analysis.search.laboratory import Laboratory
from analysis.search.problem import SearchProblem
from analysis.search.solved_graph import solve_problem
from analysis.search.targets import find_problem
from tests.support.program import one_line
from tests.support.tree_oracle import graphs, value_by_sides

ALL = tuple(ALGORITHMS)
ORDERS = ("natural", "reverse", "random:1", "best", "worst", "least", "killer", "history")
some = settings(deadline=None, max_examples=15)


def rows(problem: SearchProblem, *, window: Window = Window(), order: str = "natural", **more: Any) -> list:
    laboratory = Laboratory(problem, Settings(max_memory=1 << 24, **more))
    return list(laboratory.rows(laboratory.tasks(ALGORITHMS.values(), [parse_order(order, problem)], [window])))


@st.composite
def moved(draw: st.DrawFn, values: st.SearchStrategy[float] | None = None) -> nx.DiGraph:
    """A graph without cycles in which any side may move at any node, as its attribute ``player`` says."""
    graph = draw(graphs())
    for node, data in graph.nodes(data=True):
        if graph.out_degree(node):
            data["player"] = draw(st.sampled_from(("max", "min")))
        elif values is not None:
            data["value"] = draw(values)
    return graph


def value_of(graph: nx.DiGraph, node: Any = 0) -> float:
    return value_by_sides(graph, node, lambda node: graph.nodes[node]["player"] == "max")


# Values ---------------------------------------------------------------------------------------------------------------


@given(moved(), st.sampled_from(ORDERS), st.booleans())
@some
def test_every_search_where_any_side_may_move_anywhere(graph, order, strict):
    problem = find_problem(graph)
    found = {row.algorithm: row.value for row in rows(problem, order=order, strict=strict)}
    assert found == dict.fromkeys(ALL, value_of(graph))
    assert solve_problem(problem).value == value_of(graph)


@given(moved())
@some
def test_the_order_of_the_least_visits_the_least(graph):
    problem = find_problem(graph)
    [row] = [row for row in rows(problem, order="least") if row.algorithm == "alphabeta"]
    assert row.nodes == solve_problem(problem).least().nodes


@given(moved(), st.integers(0, 6))
@some
def test_depths(graph, depth):
    carried = {node: node % 5 - 2 for node in graph if graph.out_degree(node)}
    problem = find_problem(graph, depth=depth, evaluate=carried.get)

    def value(node, left):
        if not graph.out_degree(node):
            return graph.nodes[node]["value"]
        if not left:
            return carried[node]
        return (max if graph.nodes[node]["player"] == "max" else min)(
            value(c, left - 1) for c in graph.successors(node)
        )

    assert {row.value for row in rows(problem)} == {value(0, depth)}


# Words ----------------------------------------------------------------------------------------------------------------

FIRST = ("max", "MAX", "Maximizer", "X", "x", 1, "1", "+1", 1.0, "first", "First")
SECOND = ("min", "MIN", "Minimizer", "O", "o", 2, "2", -1, "-1", -1.0, "second", "Second")


def chain(**marks: Any) -> nx.DiGraph:
    """a -> b -> c and d, which are worth 7 and 1."""
    tree = nx.DiGraph([("a", "b"), ("b", "c"), ("b", "d")])
    tree.nodes["c"]["value"], tree.nodes["d"]["value"] = 7, 1
    for node, data in marks.items():
        tree.nodes[node].update(data)
    return tree


@pytest.mark.parametrize("key", ["player", "to_move", "turn", "type"])
def test_words(key):
    for word in (*FIRST, *SECOND):
        expected = 7 if word in FIRST else 1
        assert alphabeta(chain(a={key: "max"}, b={key: word})).value == expected, word
        assert alphabeta(chain(b={key: word}, c={key: "leaf"}, d={key: None})).value == expected, word
        text = json.dumps(nx.node_link_data(chain(a={key: "X"}, b={key: word}), edges="edges"))
        assert alphabeta(parse_tree(text)).value == expected, word


@pytest.mark.parametrize(("word", "value"), [(True, 7), (False, 1), ("true", 7), ("False", 1), (1, 7), (0, 1)])
def test_maximizing_at_nodes(word, value):
    assert minimax(chain(a={"maximizing": True}, b={"maximizing": word})).value == value


def test_names_of_players():
    tree = chain(a={"player": "Ann"}, b={"player": "ann"})
    tree.graph["players"] = ["Ann", "Bob"]
    assert minimax(tree).value == 7
    tree.nodes["b"]["player"] = "Bob"
    assert minimax(tree).value == 1
    vertical = chain(a={"to_move": "V"}, b={"to_move": "V"})
    vertical.graph["game"] = "domineering:rows=2,cols=2"
    assert minimax(vertical).value == 7


# What follows ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 1 << 32))
@some
def test_nodes_without_a_mark_alternate_with_their_neighbours(seed):
    """Of a tree by turns any marks may be missing, but not all."""
    rng = random.Random(seed)
    tree = nx.balanced_tree(2, 4, create_using=nx.DiGraph)
    first = rng.random() < 0.5
    inner = [node for node in tree if tree.out_degree(node)]
    nx.set_node_attributes(tree, {node: rng.randint(-9, 9) for node in tree if node not in inner}, "value")
    expected = minimax(tree, maximizing=first).value
    ply = nx.single_source_shortest_path_length(tree, 0)
    for node in rng.sample(inner, rng.randint(1, len(inner))):
        tree.nodes[node]["turn"] = "X" if first == (ply[node] % 2 == 0) else "O"
    assert alphabeta(tree).value == expected
    assert alphabeta(tree, maximizing=first).value == expected
    with pytest.raises(OptionError, match="maximizing"):
        alphabeta(tree, maximizing=not first)


def test_a_node_has_the_side_that_the_tree_gives_it(gametree, tmp_path):
    """With --from too, whoever is above it."""
    tree = nx.DiGraph([("r", "a"), ("a", "b"), ("b", "c"), ("b", "d")])
    nx.set_node_attributes(tree, {"c": 7, "d": 1}, "value")
    for mark, value in (("max", 7), ("min", 1)):
        tree.nodes["r"]["player"] = mark
        (tmp_path / "t.json").write_text(json.dumps(nx.node_link_data(tree, edges="links")))
        assert gametree("prune", "t.json", "--from", "b", "-a", "all", "--format", "json").json["value"] == value
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


CONTRADICTIONS = {
    "words of one node": (chain(a={"player": "max", "to_move": "O"}), "node a"),
    "an unknown word": (chain(b={"player": "chance"}), "node b has player 'chance'"),
    "nobody": (chain(b={"player": 0}), "node b has player '0'"),
    "neither true nor false": (chain(b={"maximizing": "max"}), "node b has maximizing 'max'"),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions(gametree, tmp_path, name):
    tree, words = CONTRADICTIONS[name]
    with pytest.raises(TreeError, match=words):
        minimax(tree)
    (tmp_path / "t.json").write_text(json.dumps(nx.node_link_data(tree, edges="edges")))
    one_line(gametree("prune", "t.json"), 2, words)


def test_a_node_between_marks_that_do_not_fit():
    tree = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])
    tree.nodes["d"]["value"] = 0
    tree.nodes["a"]["player"], tree.nodes["c"]["player"] = "max", "min"
    with pytest.raises(TreeError, match="node b"):
        minimax(tree)
    tree.nodes["b"]["player"] = "max"
    assert minimax(tree).value == 0


# Numbers --------------------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(-5, 5),
    st.floats(-5, 5),
    st.sampled_from([2.5, -1.99, 1e9, 1e300, -1e300, 2**80, -(2**62), 0.1, 1e-300]),
)


@given(moved(numbers), st.sampled_from(ORDERS), numbers.filter(lambda guess: abs(guess) < 2**61))
@some
def test_leaves_of_any_finite_numbers(graph, order, guess):
    problem, expected = find_problem(graph), value_of(graph)
    assert {row.value for row in rows(problem, order=order, guess=guess)} == {expected}
    assert minimax(graph).value == alphabeta(graph).value == expected


@given(moved(numbers), numbers)
@some
def test_null_windows_ask_whether_the_value_is_at_least_a_number(graph, bound):
    problem, expected = find_problem(graph), value_of(graph)
    window = parse_window(f"null:{bound}", problem)
    for row in rows(problem, window=window):
        if row.window != window.name:
            continue
        assert row.bound == ("lower" if expected >= bound else "upper"), row
        assert row.value <= expected if row.bound == "lower" else row.value >= expected, row


@given(moved(), st.integers(-4, 4), st.integers(1, 5), st.booleans())
@some
def test_numbers_of_the_same_order_are_searched_in_the_same_way(graph, alpha, width, strict):
    """Half of each value: the same nodes with the same windows, halved."""
    halved = graph.copy()
    for node, value in nx.get_node_attributes(graph, "value").items():
        halved.nodes[node]["value"] = value / 2 + 0.25
    visits = [alphabeta(graph, alpha=alpha, beta=alpha + width).visits]
    visits.append(alphabeta(halved, alpha=alpha / 2 + 0.25, beta=(alpha + width) / 2 + 0.25).visits)
    told = [[(v.node, v.alpha / 2 + 0.25, v.beta / 2 + 0.25, v.value / 2 + 0.25, v.cut) for v in visits[0]]]
    told.append([(v.node, v.alpha, v.beta, v.value, v.cut) for v in visits[1]])
    assert told[0] == told[1]
    counted = ("minimax", "alphabeta", "alphabeta_failhard", "alphabeta_table", "sss", "dual")
    whole, half = (
        [
            (row.nodes, row.leaves, row.cutoffs)
            for row in rows(find_problem(g), strict=strict)
            if row.algorithm in counted
        ]
        for g in (graph, halved)
    )
    assert whole == half


def test_numbers_as_they_are_printed(gametree, tmp_path):
    tree = "((2.5 -1.99) (1e9 .5) (3 4.0))"
    found = gametree("prune", tree, "-a", "alphabeta,mtdf", "--trace", "--format", "json").json
    assert (found["value"], {row["value"] for row in found["rows"]}) == (3, {3})
    assert '"value": 3,' in gametree("prune", tree, "-a", "alphabeta", "--format", "json").out
    visit = next(visit for visit in found["trace"]["alphabeta, order natural, window full"] if visit["value"] == 2.5)
    assert (visit["alpha"], visit["beta"]) == (None, None)
    out = gametree("prune", tree, "-a", "alphabeta,mtdf", "--trace").out
    for line in ("├─ 1  min  (-inf, +inf)  = -1.99", "├─ 2  min  (-1.99, +inf)  = 0.5", "0  max  (-inf, +inf)  = 3"):
        assert line in out
    assert "= 1000000000\n" in out
    assert re_value(gametree("prune", "(2.5 1)", "-a", "alphabeta").out) == "+2.5"
    for text, value in (("(a:2.5 b:1)", 2.5), ("min (2.5 1e9)", 2.5), ("(1e3 2)", 1000)):
        assert gametree("prune", text, "--format", "json").json["value"] == value
    (tmp_path / "t.json").write_text('{"children": [{"value": 2.5}, {"value": -1.99}]}')
    assert gametree("prune", "t.json", "--window", "value,null:2.5", "--format", "json").json["value"] == 2.5
    assert minimax("((2.5 9) (3 4))", depth=1, evaluate={1: 0.75, 2: 0.5}.get).value == 0.75
    result = alphabeta("((3 12 8) (2 4 6))", alpha=2.5, beta=7.1)
    assert (result.value, result.visits[0].alpha, result.visits[0].beta) == (3, 2.5, 7.1)


def re_value(out: str) -> str:
    return next(line.split()[1] for line in out.splitlines() if line.startswith("value"))


# Other forms ----------------------------------------------------------------------------------------------------------

EFG = 'EFG 2 R "t" { "A" "B" } "a comment"\n'


def test_nested(gametree, tmp_path):
    tree = {
        "type": "MIN",
        "name": "r",
        "children": [{"type": "MIN", "children": [{"value": 3}, {"value": 5}]}, {"id": "x", "value": 9}],
    }
    for data in (tree, {"root": tree}):
        (tmp_path / "t.json").write_text(json.dumps(data))
        found = gametree("prune", "t.json", "-a", "all", "--format", "json").json
        assert ({row["value"] for row in found["rows"]}, found["position"]) == ({3}, "r")
    for bad, words in (('{"children": 3}', "children"), ('{"children": ["a"]}', "a"), ('{"children": []}', "leaf 0")):
        (tmp_path / "t.json").write_text(bad)
        one_line(gametree("prune", "t.json"), 2, words)


def test_extensive_forms():
    leaves = 't "" 1 "" { 1/2 -1/2 } t "" 2 "" { 3, -3 }'
    for players, value in itertools.product("12", "12"):
        text = (
            f'{EFG}p "top" {players} 1 "" {{ "l" "r" }} 0 p "" {value} 9 "" {{ "a" "b" }} 0 {leaves} t "" 3 {{ 1 -1 }}'
        )
        below = 3 if value == "1" else 0.5
        assert minimax(parse_tree(text)).value == (max if players == "1" else min)(below, 1)
    assert minimax(parse_tree(EFG + 't "" 1 "won" { 3 7 }')).value == 3


BAD = {
    f'{EFG}c "" 1 "" {{ "a" 1/2 "b" 1/2 }} 0': "chance",
    'EFG 2 R "" { "A" "B" "C" } t "" 1 "" { 1 0 0 }': "3 players",
    f'{EFG}p "" 1 1 "" {{ "a" "b" }} 0 p "x" 1 1 "" {{ "a" }} 0 t "" 1 "" {{ 1 -1 }}': "information set",
    f'{EFG}p "" 1 1 "" {{ "a" "b" }} 0 t "" 1 "" {{ 1 -1 }} t "" 2 "" {{ 1 1 }}': "constant-sum",
    f'{EFG}p "" 1 1 "" {{ "a" "b" }} 0 t "" 1 "" {{ 1 -1 }}': "ends early",
    f'{EFG}t "" 1 "" {{ 1 -1 }} t "" 1': "end",
    f'{EFG}t "" 1 "" {{ 1 x }}': "payoffs",
    f'{EFG}t "" 4': "outcome 4",
    f'{EFG}p "" 1 1 "" {{ "a" }} 2 "" {{ 1 -1 }} t "" 0': "outcome 2",
    "EFG 1 R": "EFG 2 R",
    EFG: "ends early",
}


@pytest.mark.parametrize("text", BAD)
def test_extensive_forms_that_are_refused(gametree, tmp_path, text):
    (tmp_path / "t.efg").write_text(text)
    one_line(gametree("prune", "t.efg"), 2, BAD[text])
