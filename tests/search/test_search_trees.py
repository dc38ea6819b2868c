"""The searches of the pruning laboratory on explicit trees and graphs, against the searches of `tree_oracle`."""

import dataclasses
import functools
import itertools
import random
from collections.abc import Iterator
from typing import Any

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.search.catalogue import (
    ALGORITHMS,
    UNBOUNDED,
    Task,
    Window,
    parse_order,
)
from analysis.search.kernels import layout
from analysis.search.kernels.layout import GREATEST_PAYOFF, INFINITY
from analysis.search.laboratory import Size, solve_problem
from analysis.search.problem import SearchProblem, game_problem
from analysis.search.targets import tree_problem
from analysis.search.workspace import Workspace
from tests.support import tree_oracle as oracle
from tests.support.oracle import Oracle
from tests.support.tree_oracle import Tree, graph_of, graphs, small_values, trees_of, unrolled

ALL = tuple(ALGORITHMS)
WINDOWED = tuple(name for name, algorithm in ALGORITHMS.items() if algorithm.windows)
NULL_WINDOWED = tuple(name for name, algorithm in ALGORITHMS.items() if algorithm.null_windows)
WITH_TABLE = tuple(name for name, algorithm in ALGORITHMS.items() if algorithm.table)

CUTTING = {
    "alphabeta": oracle.alphabeta,
    "alphabeta_failhard": functools.partial(oracle.alphabeta, hard=True),
    "negascout": oracle.negascout,
}
MOST_MEMORY = 1 << 24
MOST_VISITS = 20_000

some = settings(deadline=None, max_examples=30)
few = settings(deadline=None, max_examples=25)
many = settings(deadline=None, max_examples=40)


@dataclasses.dataclass(frozen=True)
class Found:
    value: int | None
    stopped: str
    nodes: int
    leaves: int
    cutoffs: int
    effective: int
    entries: int
    visited: list[Any]
    """The nodes in the order of visiting: paths of an explicit tree, or states of a game."""


def search(
    name: str,
    problem: SearchProblem,
    window: Window = Window(),
    *,
    order: str = "natural",
    symmetry: str = "none",
    **settings: Any,
) -> Found:
    """One search, with what the order needs."""
    task = Task(ALGORITHMS[name], parse_order(order, problem), window, symmetry)
    solved = solve_problem(problem) if order in ("best", "worst", "least") else None
    limits = dataclasses.replace(UNBOUNDED, max_memory=MOST_MEMORY, **settings)
    workspace = Workspace(problem, task, limits, solved=solved, visits=MOST_VISITS)
    value, stopped = workspace.run(task.algorithm.load())
    fields = (layout.NODES, layout.LEAVES, layout.CUTOFFS, layout.EFFECTIVE, layout.ENTRIES)
    states = workspace.visits()[:, layout.VISIT_STATE].tolist()
    return Found(value, stopped, *(workspace[field] for field in fields), [problem.label(state) for state in states])


def value_of(name: str, problem: SearchProblem, window: Window = Window(), **more: Any) -> int | None:
    found = search(name, problem, window, **more)
    assert found.stopped == ""
    return found.value


def problem_of(tree: Tree, maximizing: bool = True) -> SearchProblem:
    return tree_problem(graph_of(tree), (), maximizing=maximizing)


def leaves_of(tree: Tree, found: Found) -> list[oracle.Path]:
    """The leaves among the visited nodes, each once, in order."""
    return [path for path in dict.fromkeys(found.visited) if isinstance(oracle.at(tree, path), int)]


def agrees(found: Found, trace: oracle.Trace) -> None:
    assert (found.value, found.visited, found.leaves) == (trace.value, trace.nodes, len(trace.leaves))
    assert found.nodes == len(trace.nodes)


ends = st.integers(-5, 5)
values = st.one_of(small_values, st.sampled_from([10**12, -(10**12), GREATEST_PAYOFF, -GREATEST_PAYOFF]))
shallow = st.one_of(*(trees_of(values, depth, most) for depth, most in ((1, 6), (2, 4), (3, 3))))
sizes = st.sampled_from(((4, 4), (5, 3), (6, 4), (10, 2)))
deep = st.builds(oracle.random_tree, st.integers(0, 1 << 32), sizes, ends)
trees = st.integers(0, 2).flatmap(lambda kind: deep if kind else shallow)
windows = st.tuples(ends, ends).filter(lambda pair: pair[0] < pair[1]).map(lambda pair: Window(*pair))
half_open = st.one_of(ends.map(lambda end: Window(end, INFINITY)), ends.map(lambda end: Window(-INFINITY, end)))
null_windows = st.one_of(ends, values).filter(lambda end: abs(end) < GREATEST_PAYOFF).map(lambda b: Window(b - 1, b))
any_window = st.one_of(st.just(Window()), windows, null_windows, half_open)
sides = st.booleans()
orders = st.sampled_from(("natural", "reverse", "random:1", "random:2", "best", "worst", "least", "killer", "history"))


def answering(window: Window) -> tuple[str, ...]:
    """The algorithms that answer what a window asks; with the full one, pns and dfpn use the payoffs
    of all leaves too."""
    if window == Window():
        return tuple(name for name in ALL if name not in ("pns", "dfpn"))
    return NULL_WINDOWED if window.beta - window.alpha == 1 else WINDOWED


@given(trees, sides, sides, orders)
@example(7, True, False, "natural")
@some
def test_every_algorithm_finds_the_minimax_value(tree, maximizing, strict, order):
    problem, expected = problem_of(tree, maximizing), oracle.minimax(tree, maximizing)
    found = {name: value_of(name, problem, strict=strict, order=order) for name in ALL}
    assert found == dict.fromkeys(ALL, expected)


def right_bound(value: int, expected: int, window: Window) -> bool:
    """Whether a result says of the expected value what the window asks for, and nothing wrong."""
    if expected <= window.alpha:
        return window.bound(value) == "upper" and expected <= value
    if expected >= window.beta:
        return window.bound(value) == "lower" and expected >= value
    return window.bound(value) == "exact" and expected == value


@pytest.mark.slow
@given(trees, sides, any_window, sides, st.one_of(st.none(), st.integers(1, 8)))
@some
def test_windows_give_the_value_or_the_right_bound(tree, maximizing, window, strict, table):
    problem, expected = problem_of(tree, maximizing), oracle.minimax(tree, maximizing)
    for name in answering(window):
        found = search(name, problem, window, strict=strict, table_entries=table)
        assert right_bound(found.value, expected, window), (name, found.value, expected)
        assert table is None or found.entries <= table
        assert search(name, problem, window, strict=strict, table_entries=table) == found


@given(trees, sides, any_window, sides)
@many
def test_depth_first_searches_visit_what_the_textbook_visits(tree, maximizing, window, strict):
    problem = problem_of(tree, maximizing)
    everything = search("minimax", problem)
    assert everything.visited == list(oracle.paths(tree))
    assert everything.leaves == sum(isinstance(oracle.at(tree, path), int) for path in oracle.paths(tree))
    for name, textbook in CUTTING.items():
        found = search(name, problem, window, strict=strict)
        trace = textbook(tree, maximizing, window.alpha, window.beta, strict=strict)
        agrees(found, trace)
        assert (found.cutoffs, found.effective) == (len(trace.skipped), sum(n > 0 for n in trace.skipped))


@pytest.mark.slow
@given(trees, sides)
@example([[5] * 300] * 2, True)
@example([[5] * 300] * 2, False)
@many
def test_best_first_searches_visit_what_their_papers_visit(tree, maximizing):
    problem = problem_of(tree, maximizing)
    agrees(search("sss", problem), oracle.sss(tree, maximizing))
    agrees(search("dual", problem), oracle.dual(tree, maximizing))
    agrees(search("mtdf", problem), oracle.mtd(tree, maximizing, INFINITY))


@pytest.mark.slow
@given(trees, sides, st.permutations(range(6)))
@some
def test_orders_by_code_and_value_are_those_of_a_rearranged_tree(tree, maximizing, permutation):
    problem = problem_of(tree, maximizing)
    codes = [code for code in permutation if code < problem.codes]
    arranged = {
        "reverse": oracle.reordered(tree, lambda children: children[::-1]),
        "permutation:" + "-".join(map(str, codes)): oracle.reordered(
            tree, lambda children: [code for code in codes if code < len(children)]
        ),
        "best": oracle.by_value(tree, maximizing, best_first=True),
        "worst": oracle.by_value(tree, maximizing, best_first=False),
    }
    for order, same in arranged.items():
        for name, textbook in (("alphabeta", oracle.alphabeta), ("negascout", oracle.negascout), ("sss", oracle.sss)):
            found, trace = search(name, problem, order=order), textbook(same, maximizing)
            expected = (trace.value, len(trace.nodes), len(trace.leaves))
            assert (found.value, found.nodes, found.leaves) == expected, (order, name)


@given(deep, sides, st.sampled_from(("killer", "history")))
@many
def test_orders_that_learn_from_cutoffs(tree, maximizing, order):
    agrees(
        search("alphabeta", problem_of(tree, maximizing), order=order),
        oracle.alphabeta_learning(tree, maximizing, order),
    )


def positions(marks: int, count: int, seed: int) -> Iterator[str]:
    """Positions of tic-tac-toe with so many marks where the game is not over."""
    game, rng = Oracle(3, 3, 3), random.Random(seed)
    there = sorted(s for s in game.tiers()[marks] if game.outcome(s) is None)
    yield from rng.sample(there, count)


@pytest.mark.parametrize("position", [*positions(4, 8, seed=1), *positions(5, 6, seed=2)])
def test_positions_of_tictactoe_as_games_and_as_trees(position):
    game = Oracle(3, 3, 3)

    def tree_of(s: str) -> Tree:
        return game.outcome(s) if game.outcome(s) is not None else [tree_of(child) for child in game.children(s)]

    tree, maximizing = tree_of(position), game.to_move(position) == "X"
    played, explicit = game_problem("tictactoe", position), problem_of(tree, maximizing)
    for name, textbook in (CUTTING | {"sss": oracle.sss, "dual": oracle.dual}).items():
        trace = textbook(tree, maximizing)
        agrees(search(name, explicit), trace)
        found = search(name, played)
        assert (found.value, found.nodes, found.leaves) == (trace.value, len(trace.nodes), len(trace.leaves)), name
    assert {value_of(name, played) for name in ALL} == {game.value(position)}
    assert {value_of(name, played, symmetry="geometric") for name in WITH_TABLE} == {game.value(position)}
    cut = set(leaves_of(tree, search("alphabeta", explicit)))  # SSS* and DUAL* visit no leaf that alpha-beta skips
    for name in ("sss", "dual"):
        assert set(leaves_of(tree, search(name, explicit))) <= cut


tiny = trees_of(small_values, 3, 3).filter(lambda tree: oracle.count_orderings(tree) <= 200)


@given(tiny, sides, any_window)
@settings(deadline=None, max_examples=30)
def test_the_least_possible_is_that_of_the_best_of_all_orderings(tree, maximizing, window):
    solved = solve_problem(problem_of(tree, maximizing))
    least = oracle.least_by_brute_force(tree, maximizing, window.alpha, window.beta)
    assert solved.least(window) == Size(*least)
    assert solved.value == oracle.minimax(tree, maximizing)
    nodes = list(oracle.paths(tree))
    assert solved.tree == Size(len(nodes), sum(isinstance(oracle.at(tree, path), int) for path in nodes))


@pytest.mark.parametrize("lines", [(2, 3, 5, 7, 11, 15), (3, 5, 11, 17, 35, 53), (4, 7, 19, 31, 79, 127)])
def test_the_least_leaves_of_uniform_trees(lines):
    """Knuth and Moore 1975, section 5, whatever the values of the leaves."""
    breadth, rng = lines[0], random.Random(lines[0])
    for depth, leaves in enumerate(lines, 1):
        assert leaves == breadth ** -(-depth // 2) + breadth ** (depth // 2) - 1
        for greatest in (0, 1, 10**6):
            tree = oracle.uniform(breadth, depth, lambda greatest=greatest: rng.randint(-greatest, greatest))
            problem = problem_of(tree, rng.random() < 0.5)
            solved = solve_problem(problem)
            assert solved.least().leaves == leaves
            found = search("alphabeta", problem, order="least")
            assert (found.nodes, found.leaves) == (solved.least().nodes, leaves)


@given(deep, sides, any_window)
@many
def test_the_order_of_the_least_visits_the_least(tree, maximizing, window):
    problem = problem_of(tree, maximizing)
    assert search("alphabeta", problem, window, order="least").nodes == solve_problem(problem).least(window).nodes


@pytest.mark.slow
@given(graphs(evaluated=True), sides, st.integers(0, 6), st.sampled_from(("carried", "evaluated")))
@settings(deadline=None, max_examples=30)
def test_a_limited_depth_counts_the_evaluation(graph, maximizing, depth, how):
    carried = nx.get_node_attributes(graph, "value")
    if how == "evaluated":
        for node in graph:
            if graph.out_degree(node):
                del graph.nodes[node]["value"]
    evaluate = carried.get if how == "evaluated" else None
    problem = tree_problem(graph, 0, depth=depth, maximizing=maximizing, evaluate=evaluate)
    nx.set_node_attributes(graph, carried, "value")
    tree = unrolled(graph, depth=depth)
    found = {name: value_of(name, problem) for name in ALL}
    assert found == dict.fromkeys(ALL, oracle.minimax(tree, maximizing))
    visited, trace = search("alphabeta", problem), oracle.alphabeta(tree, maximizing)
    assert (visited.nodes, visited.leaves) == (len(trace.nodes), len(trace.leaves))


@pytest.mark.slow
def test_long_lines_of_play():
    """A comb: at every node the side to move may end the game and lose, or go on; at the end of the line it is 0."""
    length = 900
    graph = nx.DiGraph()
    for ply in range(length):
        graph.add_edges_from([(ply, -1 - ply), (ply, ply + 1)])
        graph.nodes[-1 - ply]["value"] = 1 if ply % 2 else -1
    graph.nodes[length]["value"] = 0
    problem = tree_problem(graph, 0)
    for name in ALL:
        found = search(name, problem)
        assert (found.value, found.stopped) == (0, ""), name
        assert found.nodes > 2 * length, name


@pytest.mark.slow
@given(graphs(), sides, sides, st.one_of(st.none(), st.integers(1, 8)))
@settings(deadline=None, max_examples=50)
def test_shared_children(graph, maximizing, strict, table):
    problem, tree = tree_problem(graph, 0, maximizing=maximizing), unrolled(graph)
    expected = oracle.minimax(tree, maximizing)
    found = {name: value_of(name, problem, strict=strict, table_entries=table) for name in ALL}
    assert found == dict.fromkeys(ALL, expected)
    visited, trace = search("alphabeta", problem), oracle.alphabeta(tree, maximizing)
    assert (visited.nodes, visited.leaves) == (len(trace.nodes), len(trace.leaves))


@given(graphs(), sides, any_window)
@settings(deadline=None, max_examples=50)
def test_graphs_are_solved_as_the_trees_of_their_paths(graph, maximizing, window):
    problem = tree_problem(graph, 0, maximizing=maximizing)
    solved, same = solve_problem(problem), solve_problem(problem_of(unrolled(graph), maximizing))
    assert (solved.value, solved.tree, solved.least(window)) == (same.value, same.tree, same.least(window))
    assert search("alphabeta", problem, window, order="least").nodes == same.least(window).nodes


@given(graphs(), sides)
@settings(deadline=None, max_examples=50)
@pytest.mark.slow
def test_the_memo_of_minimax_meets_every_edge_once(graph, maximizing):
    """A node that both sides may have to move at counts as two, a leaf as one."""
    places = {(0, 0)}
    for node in nx.topological_sort(graph):
        sides = [side for side in (0, 1) if (node, side) in places]
        places |= {(child, graph.out_degree(child) and 1 - side) for side in sides for child in graph.successors(node)}
    found = search("minimax_memo", tree_problem(graph, 0, maximizing=maximizing))
    assert found.entries == len(places)
    assert found.nodes == 1 + sum(graph.out_degree(node) for node, _ in places)
    assert found.leaves == sum(graph.out_degree(node) == 0 for node, _ in places)


SHORT = [(0, 1), (0, 2), (1, 4), (1, 7), (2, 5), (5, 6), (6, 7), (7, 9)]
"""Node 7 lies at ply 2 and at ply 4."""

LONG = [
    (9, 11), (9, 10), (10, 13), (11, 12), (12, 13), (13, 16), (16, 18), (16, 17), (18, 21), (18, 20), (20, 23),
    (21, 22), (22, 25), (22, 23), (23, 26), (23, 25), (25, 28), (25, 26), (26, 29), (26, 27), (28, 30), (28, 29),
    (29, 30),
]  # fmt: skip
"""Two lines of play of different lengths between every other node, so that bounds of earlier passes narrow windows."""


@pytest.mark.parametrize(("edges", "values"), [(SHORT, {4: -2, 9: -1}), (LONG, {17: 1, 27: 4, 30: 5})])
def test_iterative_deepening_does_not_end_on_bounds_of_an_earlier_horizon(edges, values):
    graph, source = nx.DiGraph(edges), edges[0][0]
    nx.set_node_attributes(graph, values, "value")
    assert value_of("iterative", tree_problem(graph, source)) == oracle.minimax(unrolled(graph, source))


@pytest.mark.parametrize("rungs", [10, 56, 60, 100])
def test_proof_numbers_that_do_not_fit_prove_nothing(rungs):
    """Each rung of a ladder doubles the proof number of what it leads to: a tree whose leaves are all won."""
    graph = graph_of(oracle.uniform(2, 4, lambda: 1))
    places = [*(f"min {rung}" for rung in range(rungs)), ()]
    for above, below in itertools.pairwise(places):
        graph.add_edges_from(edge for side in "lr" for edge in ((above, above + side), (above + side, below)))
    graph.add_node("lost", value=0)
    graph.add_edges_from([("max", "min 0"), ("max", "lost")])
    problem, window = tree_problem(graph, "max"), Window(0, 1)
    assert value_of("alphabeta_table", problem, window) == 1
    assert value_of("dfpn", problem, window) == 1
