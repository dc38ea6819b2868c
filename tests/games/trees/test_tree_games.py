"""Trees and graphs in files as games: every format as several people write it, against a little minimax of our own."""

import itertools
import json
import random
import re
from fractions import Fraction

import networkx as nx
import pytest

import analysis
from analysis.errors import GametreeError, TreeError
from analysis.search import minimax, parse_tree
from tests.support.class_graph import every_position
from tests.support.program import one_line

# The trees: a leaf is a number, a node is who moves there, and the trees below it.
SMALL = ("max", [("min", [3, 12, 8]), ("min", [2, 4, 6]), ("min", [14, 5, 2])])
PASSES = ("min", [("min", [3, Fraction(1, 2)]), ("max", [-2, ("min", [4, 0])])])
TWO = ("max", [("min", [3, 12]), ("min", [2, 8])])
DECIMALS = ("max", [("min", [0.1, 0.3]), ("min", [Fraction(1, 3), 0.2])])


def worth(tree):
    return (max if tree[0] == "max" else min)(map(worth, tree[1])) if isinstance(tree, tuple) else tree


def nodes(tree):
    return 1 + (sum(map(nodes, tree[1])) if isinstance(tree, tuple) else 0)


def leaves(tree):
    return [*itertools.chain(*map(leaves, tree[1]))] if isinstance(tree, tuple) else [tree]


def best_lines(tree, value=None):
    """How many lines there are on which every node has the value of the root."""
    value = worth(tree) if value is None else value
    if worth(tree) != value:
        return 0
    return sum(best_lines(child, value) for child in tree[1]) if isinstance(tree, tuple) else 1


D3 = """{"name": "flare", "children": [
  {"name": "left", "children": [{"name": "l", "value": 3}, {"name": "r", "value": 12}]},
  {"name": "right", "children": [{"name": "l", "value": 2}, {"name": "r", "value": 8}]}]}"""

NETWORKX = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" attr.name="value" attr.type="long" />
<graph edgedefault="directed"><node id="r" /><node id="a" /><node id="b" />
<node id="c"><data key="d0">3</data></node><node id="d"><data key="d0">12</data></node>
<node id="e"><data key="d0">2</data></node><node id="f"><data key="d0">8</data></node>
<edge source="r" target="a" /><edge source="r" target="b" /><edge source="a" target="c" />
<edge source="a" target="d" /><edge source="b" target="e" /><edge source="b" target="f" />
</graph></graphml>"""


def linked(edges, values, **more):
    """Node-link data of edges as "ra rb"."""
    names = dict.fromkeys("".join(edges.split()))
    made = [{"id": name} | ({"value": values[name]} if name in values else {}) for name in names]
    return {"nodes": made, "links": [{"source": one, "target": other} for one, other in edges.split()], **more}


FOUR = {"c": 3, "d": 12, "e": 2, "f": 8}
EDGES = "ra rb ac ad be bf"
LINKS = linked(EDGES, FOUR)
ACTED = {**LINKS, "links": [each | {"action": each["target"] + "!"} for each in LINKS["links"]]}
MARKED = {
    "directed": True,
    "graph": {"players": ["Ann", "Bob"]},
    "nodes": [
        {"id": 1, "player": "Bob"}, {"id": 2, "player": "Bob"}, {"id": 3, "player": "Ann"}, {"id": 4, "player": "Bob"},
        *({"id": 5 + n, "value": value} for n, value in enumerate([3, "1/2", -2, 4, 0])),
    ],
    "edges": [
        {"source": one, "target": other}
        for one, other in [(1, 2), (1, 3), (2, 5), (2, 6), (3, 7), (3, 4), (4, 8), (4, 9)]
    ],
}  # fmt: skip

STYLES = {
    "networkx.graphml": (NETWORKX, TWO),
    "links.json": (json.dumps(LINKS), TWO),
    "actions.json": (json.dumps(ACTED, indent=1), TWO),
    "marked.json": (json.dumps(MARKED), PASSES),
    "d3.json": (D3, TWO),
    "children.json": ('{"children": [{"children": [3, 12, 8]}, [2, 4, 6], [14, 5, {"value": 2}]]}', SMALL),
    "root.json": ('{"root": {"type": "MIN", "children": [{"turn": "O", "children": [3, {"value": "1/2"}]},'
                  '{"turn": "X", "children": [-2, {"turn": "O", "children": [4, 0]}]}]}}', PASSES),
    "lists.json": ("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", SMALL),
    "tuples.py.txt": ("((3, 12, 8), (2, 4, 6), (14, 5, 2))", SMALL),
    "named.txt": ("A(B(3 12 8) C(c:2 d:4 6) D(14 5 2))", SMALL),
    "sides.tree": ("min(MIN(3 1/2) max(-2 min(4 0)))", PASSES),
    "decimal.tree": ("((0.1 .3) (1/3 0.2))", DECIMALS),
}  # fmt: skip


def solved(folder, name):
    (folder / name).write_text(STYLES[name][0])
    return analysis.solve(str(folder / name))


def marked(key, first="MAX", second="MIN", worth="value", **more):
    """A node of max, with one of max (3, 12) and one of min (7, 4): worth 12, and 4 if the sides alternate."""
    ends = [{worth: number, **more} for number in (3, 12, 7, 4)]
    below = [{key: first, "children": ends[:2]}, {key: second, "children": ends[2:]}]
    return {key: first, "children": below}


SHAPES = [
    *(
        ("nodeType", "MAX", "MIN"),
        ("turn", 1, 2),
        ("turn", 1, -1),
        ("to move", "first", "second"),
        ("player", "x", "o"),
    ),
    *(("isMax", True, False), ("is_max", 1, 0), ("maximizing", "true", "false"), ("type", "Max", "Min")),
]
UNCLEAR = [("player", "white", "black"), ("player", 0, 1), ("type", "max", "chance"), ("isMax", "yes", "no")]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_whose_turn_it_is_under_any_name(shape):
    assert minimax(json.dumps(marked(*shape))).value == 12
    tree = parse_tree(json.dumps(marked(*shape)))
    assert minimax(json.dumps(nx.node_link_data(tree, edges="links"))).value == minimax(tree).value == 12
    assert minimax(parse_tree("".join(nx.generate_graphml(tree)))).value == 12


@pytest.mark.parametrize("shape", UNCLEAR, ids=str)
def test_players_who_are_not_clear_are_refused(shape):
    with pytest.raises(TreeError, match=shape[0]):
        minimax(json.dumps(marked(*shape)))


def test_shapes_of_other_people():
    for worth in ("utility", "Score", "leafValue", "terminal_value", "VALUE", "payoff", "staticEval"):
        assert minimax(json.dumps(marked("type", worth=worth))).value == 12
    for more in ({"children": []}, {"children": None}, {"type": "LEAF"}):
        assert minimax(json.dumps(marked("type", **more))).value == 12
    players = {"players": ["white", "black"], "root": marked("player", "White", "Black")}
    assert minimax(json.dumps(players)).value == 12
    for refused in (
        '{"value": 5, "left": {"value": 3}, "right": {"value": 7}}',
        '{"value": 1, "moves": [{"value": 3}, {"value": 7}]}',
        '{"children": {"a": 3, "b": 5}}',
        '{"A": {"B": {"D": 3, "E": 12}, "C": {"F": 2, "G": 4}}}',
        '{"children": [{"probability": 0.5, "children": [1, 2]}, {"probability": 0.5, "value": 3}]}',
        '{"children": [{"value": 3, "score": 4}]}',
    ):
        with pytest.raises(TreeError):
            minimax(refused)
    for text in ("digraph { a -> b }", "((A:3,B:5),(C:2,D:9));", "root:\n  value: 3"):
        with pytest.raises(TreeError, match=r"write (a|one) tree as"):
            parse_tree(text)


def test_how_a_tree_was_read_is_printed(gametree):
    for command in ("prune", "show"):
        err = gametree(command, json.dumps(marked("nodeType"))).err
        assert ("4 ends" in err, "nodes say whose turn it is" in err) == (True, True)
        assert "one node" in gametree(command, "[3, 5, 6, 9, 1, 2, 0, -1]").err


@pytest.mark.parametrize("name", STYLES)
def test_formats_as_people_write_them(name, tmp_path):
    tree = STYLES[name][1]
    solution, ends = solved(tmp_path, name), leaves(tree)
    assert solution.value == worth(tree)
    assert solution.position_count == nodes(tree)
    assert solution.games == len(ends)
    assert (sum(end > 0 for end in ends), sum(end < 0 for end in ends)) == (solution.games_x, solution.games_o)
    assert solution.statistics()["optimal_paths"] == len(solution.optimal_paths()) == best_lines(tree)
    paid = {row["value"]: row["games"] for row in solution.statistics()["by_value"] if row["games"]}
    assert paid == {end: ends.count(end) for end in ends}
    assert {type(value) for value in paid} <= {int, float, Fraction}
    assert analysis.compare(str(tmp_path / name)).value == worth(tree)


def shown(solution, position=None):
    return [(move.name, move.position, move.value) for move in solution[position or solution.start].moves]


def test_names_of_positions_and_moves(tmp_path):
    assert shown(solved(tmp_path, "named.txt"))[0] == ("B", "B", 3)
    assert shown(solved(tmp_path, "actions.json"))[0] == ("a!", "a", 3)
    assert shown(solved(tmp_path, "d3.json")) == [("left", "left", 3), ("right", "right", 2)]
    assert shown(solved(tmp_path, "d3.json"), "left") == [("l", "3", 3), ("r", "4", 12)]
    assert solved(tmp_path, "marked.json").game.players == ("Ann", "Bob")
    assert [*solved(tmp_path, "lists.json").optimal_paths()] == ["00"]


def test_shared_nodes_are_one_position_each(tmp_path):
    graph = nx.DiGraph(["ra", "rb", "ac", "bc", "cd", "ce", "bf"])
    nx.set_node_attributes(graph, {"d": 4, "e": 7, "f": 5}, "value")
    solution = analysis.solve(graph)
    assert (solution.value, len(solution), solution.games) == (7, 7, 5)
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    assert len(analysis.solve(str(tmp_path / "g.json"))) == 7


def test_a_node_where_either_side_may_move_is_two_positions():
    graph = nx.DiGraph(["ra", "rb", "ab", "bc", "bd"])
    nx.set_node_attributes(graph, {"c": 1, "d": -1}, "value")
    solution = analysis.solve(graph)
    assert (solution["b (max)"].value, solution["b (min)"].value, solution.value) == (1, -1, 1)
    assert sorted(each.position for each in every_position(solution)) == ["a", "b (max)", "b (min)", "c", "d", "r"]
    graph.nodes["b"]["player"] = "min"
    graph.nodes["r"]["player"] = "max"
    graph.nodes["a"]["player"] = "max"
    assert (len(analysis.solve(graph)), analysis.solve(graph).value) == (5, -1)


def test_loops_are_solved_as_those_of_rules(tmp_path):
    graph = nx.DiGraph(["st", "ts", "sw", "tl"], source="s")
    nx.set_node_attributes(graph, {"w": -5, "l": 7}, "value")
    solution = analysis.solve(graph)
    assert (solution.loopy, solution.value, solution.remoteness_plies) == (True, 0, None)  # both stay in the loop
    graph.nodes["w"]["value"], graph.nodes["l"]["value"] = 5, -5
    assert (analysis.solve(graph).value, analysis.solve(graph)["t"].value) == (5, -5)
    graph.add_edge("t", "v")
    graph.nodes["v"]["value"] = -6
    with pytest.raises(GametreeError, match=r"return to a position.*3 payoffs"):
        analysis.solve(graph)
    del graph.graph["source"]
    with pytest.raises(GametreeError, match="every node has a parent"):
        analysis.solve(graph)


NUMBERS = {
    "thirds": [Fraction(1, 3), Fraction(-2, 7), 0, 5, -0.125],
    "large": [10**30, -(10**25), 3, 0, 40_000],
    "tiny": [1e-300, 2e-300, -1e300, 1e9, 0.1],
    "huge": [2**62, 2**62 + 1, 2**62 + 2, -(2**80), 7],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_payoffs_are_exact(kind):
    values, generator = NUMBERS[kind], random.Random(3)
    for _ in range(5):
        tree = ("max", [("min", [generator.choice(values) for _ in range(3)]) for _ in range(3)])
        rows = (" ".join(map(str, row)) for _, row in tree[1])
        text = f"({' '.join(f'({row})' for row in rows)})"
        solution = analysis.solve(text)
        assert solution.value == worth(tree)
        assert [each for _, _, each in shown(solution)] == sorted(map(worth, tree[1]), reverse=True)
        if kind != "tiny":
            found = solution.find(f"value > {Fraction(str(solution.value))}")
            assert found.matched == sum(each.value > solution.value for each in every_position(solution))


def test_payoffs_in_commands(gametree, tmp_path):
    (tmp_path / "t.txt").write_text("((1/3 0.5) (1/4 2))")
    assert json.loads(gametree("show", "t.txt", "--format", "json").out)["value"] == "1/3"
    assert "+1/3" in gametree("show", "t.txt").out
    assert gametree("solve", "t.txt", "--out", "kept").code == 0
    for arguments in (["stats", "kept"], ["stats", "kept", "--game", "t.txt"]):
        assert re.search(r"\+1/3: (MAX|X) wins by 1/3", gametree(*arguments).out), arguments
    assert gametree("verify", "kept", "--game", "t.txt").code == 0
    for form in ("csv", "jsonl", "json", "graphml", "dot", "svg"):
        result = gametree("export", "t.txt", "--to", form)
        assert (result.code, "1/3" in result.out) == (0, True), form
    one_line(gametree("match", "t.txt", "random", "random", "--games", "2"), 2, "payoffs")


def facts(solution):
    said = solution.statistics()
    del said["game"]
    return said, sorted((each.position, each.value) for each in every_position(solution)), [*solution.optimal_paths()]


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("form", ["graphml", "json"])
def test_exports_read_back(name, form, tmp_path):
    solution, path = solved(tmp_path, name), tmp_path / f"out.{form}"
    analysis.export(solution, path, form)
    assert facts(analysis.solve(str(path))) == facts(solution)


@pytest.mark.parametrize("form", ["json", "graphml"])
def test_built_in_games_read_back(form, tmp_path):
    solution, path = analysis.solve("mnk:rows=2,cols=3,k=2", symmetry="none"), tmp_path / f"out.{form}"
    analysis.export(solution, path, form)
    told, again = facts(solution), facts(analysis.solve(str(path)))
    for each in (told[0], again[0]):
        del each["symmetry_order"]
    assert again == told


def test_random_graphs_read_back(tmp_path):
    generator = random.Random(5)
    for number in range(6):
        n = generator.randrange(4, 30)
        graph = nx.DiGraph((generator.randrange(max(0, child - 4), child), child) for child in range(1, n))
        graph.add_edges_from(
            (one, other)
            for one, other in itertools.combinations(range(n), 2)
            if graph.out_degree(one) and generator.random() < 0.1
        )
        nx.set_node_attributes(graph, {v: generator.randint(-9, 9) for v in graph if not graph.out_degree(v)}, "value")
        for node in graph:
            graph.nodes[node]["player"] = generator.choice(["max", "min"])
        solution = analysis.solve(graph)

        def value(node, graph=graph):
            below = [value(child) for child in graph.successors(node)]
            return (
                (max if graph.nodes[node]["player"] == "max" else min)(below) if below else graph.nodes[node]["value"]
            )

        assert {each.position: each.value for each in solution} == {str(node): value(node) for node in graph}
        for form in ("graphml", "json"):
            analysis.export(solution, path := tmp_path / f"{number}.{form}", form)
            assert facts(analysis.solve(str(path)))[0] == facts(solution)[0], form


FAULTS = {
    "none.json": (json.dumps(linked(EDGES, {**FOUR, "f": None}), indent=1), "leaf f has no value"),
    "cut.graphml": (NETWORKX[:600], "read as GraphML: unclosed token"),
    "chance.json": ('{"children": [{"player": "chance", "children": [7]}]}', "node 1 has player"),
    "huge.json": ("[[1, 2], [1e999, 3]]", "has value inf; it must be finite"),
    "ratio.txt": ("((1/0 3) (2 4))", "line 1, column 3"),
    "lost.json": (json.dumps(linked("ra xy yx", {"a": 1})), "node x is not reached from r"),
    "many.json": (json.dumps([*range(300)]), "300 children"),
    "lisp.tree": ("(A (B 3 12))", "'B' is out of place; write a tree as ((3 12 8) (2 4 6))"),
    "nim.efg": ('EFG 2 R "nim" { "A" "B" }\nt "" 1 "" { 1 -1 }', "write a tree as"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_get_one_line(name, gametree, tmp_path):
    text, words = FAULTS[name]
    (tmp_path / name).write_text(text)
    one_line(gametree("solve", name), 2, name, words)


def test_deep_trees(tmp_path):
    """What is too deep to be solved is refused in every nested format, at any depth."""
    levels = 100_000
    for name, opening, closing in (("p.txt", "(", ")"), ("l.json", "[", "]"), ("c.json", '{"children": [', "]}")):
        (tmp_path / name).write_text(opening * levels + "7" + closing * levels)
        with pytest.raises(GametreeError, match="too deep"):
            analysis.load_game(str(tmp_path / name)).rules()
    assert analysis.solve("(" * 300 + "7" + ")" * 300).remoteness_plies == 300


@pytest.mark.slow
def test_a_million_leaves(tmp_path):
    generator = random.Random(1)
    values = [generator.randint(-999, 999) for _ in range(1_000_000)]
    (tmp_path / "big.json").write_text(
        json.dumps([[values[n : n + 100] for n in range(m, m + 10_000, 100)] for m in range(0, 1_000_000, 10_000)])
    )
    solution = analysis.solve(str(tmp_path / "big.json"))
    rows = [max(values[n : n + 100]) for n in range(0, 1_000_000, 100)]
    assert solution.value == max(min(rows[n : n + 100]) for n in range(0, 10_000, 100))
    assert len(solution) == 1_010_101
    assert solution.games == 1_000_000
