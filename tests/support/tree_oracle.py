"""Searches of explicit trees as the papers write them: nested lists, plain recursion, nothing of the library.

A tree is a whole number (a leaf) or a list of trees. The first player maximizes, the second minimizes, and they move in
turn; a node is called by its path, the numbers of the children that lead to it from the root.
"""

import dataclasses
import itertools
import math
import random
from collections.abc import Callable, Hashable, Iterator

import networkx as nx
from hypothesis import strategies as st

Tree = int | list
Path = tuple[int, ...]


@dataclasses.dataclass
class Trace:
    """What a search found, and the nodes and leaves that it visited, in order."""

    value: float = 0
    nodes: list[Path] = dataclasses.field(default_factory=list)
    leaves: list[Path] = dataclasses.field(default_factory=list)
    skipped: list[int] = dataclasses.field(default_factory=list)
    """How many children each cutoff skipped, the last one counting too."""

    def visit(self, path: Path, tree: Tree) -> None:
        self.nodes.append(path)
        if isinstance(tree, int):
            self.leaves.append(path)


def at(tree: Tree, path: Path) -> Tree:
    """The subtree at a path."""
    for child in path:
        tree = tree[child]
    return tree


def paths(tree: Tree, path: Path = ()) -> Iterator[Path]:
    """All nodes, parents before their children."""
    yield path
    for i, child in enumerate(tree if isinstance(tree, list) else []):
        yield from paths(child, (*path, i))


def reordered(tree: Tree, order: Callable[[list[int]], list[int]]) -> Tree:
    """The same tree with the children of every node in the order that ``order`` gives to their numbers."""
    if isinstance(tree, int):
        return tree
    return [reordered(tree[i], order) for i in order(list(range(len(tree))))]


def uniform(breadth: int, depth: int, value: Callable[[], int]) -> Tree:
    """A tree where every inner node has ``breadth`` children and every leaf is at ``depth``."""
    return value() if depth == 0 else [uniform(breadth, depth - 1, value) for _ in range(breadth)]


# Depth first ----------------------------------------------------------------------------------------------------------


def minimax(tree: Tree, maximizing: bool = True) -> int:
    if isinstance(tree, int):
        return tree
    values = [minimax(child, not maximizing) for child in tree]
    return max(values) if maximizing else min(values)


def alphabeta(
    tree: Tree,
    maximizing: bool = True,
    alpha: float = -math.inf,
    beta: float = math.inf,
    *,
    strict: bool = False,
    hard: bool = False,
) -> Trace:
    """Fail-soft alpha-beta, which cuts where alpha >= beta (``strict``: alpha > beta); ``hard``: procedure F2 of Knuth
    and Moore 1975, where a node returns the end of its window instead of the best value of its children.
    """
    trace = Trace()

    def search(tree: Tree, path: Path, maximizing: bool, alpha: float, beta: float) -> float:
        trace.visit(path, tree)
        if isinstance(tree, int):
            return tree
        best = -math.inf if maximizing else math.inf
        for i, child in enumerate(tree):
            value = search(child, (*path, i), not maximizing, alpha, beta)
            if maximizing:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha > beta or (alpha == beta and not strict):
                trace.skipped.append(len(tree) - 1 - i)
                break
        if hard:
            return alpha if maximizing else beta
        return best

    trace.value = search(tree, (), maximizing, alpha, beta)
    return trace


def negascout(
    tree: Tree, maximizing: bool = True, alpha: float = -math.inf, beta: float = math.inf, *, strict: bool = False
) -> Trace:
    """NegaScout after Reinefeld 1983 in negamax form: the first child with the window of its parent, all others with a
    null window at its lower end, and again with what is left of it if the value lies inside.
    """
    trace = Trace()

    def search(tree: Tree, path: Path, side: int, alpha: float, beta: float) -> float:
        trace.visit(path, tree)
        if isinstance(tree, int):
            return side * tree
        best = -math.inf
        for i, child in enumerate(tree):
            below = (*path, i)
            if i == 0:
                value = -search(child, below, -side, -beta, -alpha)
            else:
                value = -search(child, below, -side, -alpha - 1, -alpha)
                if alpha < value < beta:
                    value = -search(child, below, -side, -beta, -value)
            best = max(best, value)
            alpha = max(alpha, value)
            if alpha > beta or (alpha == beta and not strict):
                trace.skipped.append(len(tree) - 1 - i)
                break
        return best

    if maximizing:
        trace.value = search(tree, (), 1, alpha, beta)
    else:
        trace.value = -search(tree, (), -1, -beta, -alpha)
    return trace


def mtd(tree: Tree, maximizing: bool, infinity: int) -> Trace:
    """MTD(f) with AlphaBetaWithMemory (Plaat, Schaeffer, Pijls, de Bruin 1996, figures 2 and 4). The memory is by path,
    so there are no transpositions. A leaf is evaluated once: its value is its lower and its upper bound.
    """
    trace = Trace()
    lower: dict[Path, int] = {}
    upper: dict[Path, int] = {}

    def search(tree: Tree, path: Path, maximizing: bool, alpha: int, beta: int) -> int:
        trace.nodes.append(path)
        low, high = lower.get(path, -infinity), upper.get(path, infinity)
        if low >= beta:
            return low
        if high <= alpha:
            return high
        alpha, beta = max(alpha, low), min(beta, high)
        if isinstance(tree, int):
            trace.leaves.append(path)
            lower[path] = upper[path] = tree
            return tree
        best, a, b = (-infinity if maximizing else infinity), alpha, beta
        for i, child in enumerate(tree):
            value = search(child, (*path, i), not maximizing, a, b)
            best = max(best, value) if maximizing else min(best, value)
            a, b = (max(a, best), b) if maximizing else (a, min(b, best))
            if a >= b:
                break
        if best < beta:
            upper[path] = best
        if best > alpha:
            lower[path] = best
        return best

    value, low, high = 0, -infinity, infinity
    while low < high:
        beta = value + 1 if value == low else value
        value = search(tree, (), maximizing, beta - 1, beta)
        if value < beta:
            high = value
        else:
            low = value
    trace.value = value
    return trace


# Best first -----------------------------------------------------------------------------------------------------------

LIVE, SOLVED = "live", "solved"
State = tuple[Path, str, float]
"""A node, whether it is solved, and the bound h."""


def sss(tree: Tree, maximizing: bool = True) -> Trace:
    """SSS*: Stockman 1979, section 4, the cases of operator Gamma by their numbers."""
    trace = Trace()
    opened: list[State] = [((), LIVE, math.inf)]
    while True:
        path, status, h = opened.pop(0)
        below = at(tree, path)
        is_max = maximizing == (len(path) % 2 == 0)
        if status == SOLVED:
            if path == ():
                trace.value = h
                return trace
            parent, following = path[:-1], (*path[:-1], path[-1] + 1)
            if not is_max:  # 1: a child of a max node: the parent is solved, and nothing below it is wanted any more
                opened = [state for state in opened if state[0][: len(parent)] != parent]
                opened.insert(0, (parent, SOLVED, h))
            elif following[-1] < len(at(tree, parent)):  # 2: the next child of a min node
                opened.insert(0, (following, LIVE, h))
            else:  # 3: the last child of a min node
                opened.insert(0, (parent, SOLVED, h))
            continue
        trace.visit(path, below)
        if isinstance(below, int):  # 4: before all states of less merit; of equals the leftmost comes first
            merit = min(h, below)
            place = sum((-other_h, other) < (-merit, path) for other, _, other_h in opened)
            opened.insert(place, (path, SOLVED, merit))
        elif not is_max:  # 5: the first child of a min node
            opened.insert(0, ((*path, 0), LIVE, h))
        else:  # 6: all children of a max node
            opened[:0] = [((*path, i), LIVE, h) for i in range(len(below))]


def negated(tree: Tree) -> Tree:
    """The tree with the sign of every leaf changed."""
    return -tree if isinstance(tree, int) else [negated(child) for child in tree]


def dual(tree: Tree, maximizing: bool = True) -> Trace:
    """DUAL* (Marsland, Reinefeld, Schaeffer 1987): SSS* where max and min, greatest and least are exchanged."""
    trace = sss(negated(tree), not maximizing)
    trace.value = -trace.value
    return trace


# The least possible ---------------------------------------------------------------------------------------------------


def orderings(tree: Tree) -> Iterator[Tree]:
    """The tree with the children of all nodes in all orders."""
    if isinstance(tree, int):
        yield tree
        return
    for children in itertools.permutations(tree):
        for ordered in itertools.product(*map(orderings, children)):
            yield list(ordered)


def count_orderings(tree: Tree) -> int:
    """How many `orderings` there are."""
    if isinstance(tree, int):
        return 1
    return math.factorial(len(tree)) * math.prod(map(count_orderings, tree))


def least_by_brute_force(
    tree: Tree, maximizing: bool = True, alpha: float = -math.inf, beta: float = math.inf
) -> tuple[int, int]:
    """The fewest nodes, and the fewest leaves, that alpha-beta visits with any ordering."""
    traces = [alphabeta(ordered, maximizing, alpha, beta) for ordered in orderings(tree)]
    return min(len(trace.nodes) for trace in traces), min(len(trace.leaves) for trace in traces)


# Orders of moves ------------------------------------------------------------------------------------------------------


def by_value(tree: Tree, maximizing: bool, best_first: bool) -> Tree:
    """The tree with all children sorted by what they are worth to the side to move; equals keep their order."""
    if isinstance(tree, int):
        return tree
    descending = maximizing == best_first
    children = sorted(tree, key=lambda child: minimax(child, not maximizing) * (-1 if descending else 1))
    return [by_value(child, not maximizing, best_first) for child in children]


def alphabeta_learning(tree: Tree, maximizing: bool, heuristic: str) -> Trace:
    """Fail-soft alpha-beta that learns from cutoffs, with the full window. ``killer``: the last two different moves
    that cut at a ply come first (Akl and Newborn 1977). ``history``: moves come by score, one table for each side, and
    each cutoff scores 2**d, d plies above the deepest leaf (Schaeffer 1989).
    """
    trace = Trace()
    deepest = max(map(len, paths(tree)))
    killers: dict[int, list[int]] = {}
    scores: dict[tuple[bool, int], int] = {}

    def search(tree: Tree, path: Path, maximizing: bool, alpha: float, beta: float) -> float:
        trace.visit(path, tree)
        if isinstance(tree, int):
            return tree
        ply, moves = len(path), list(range(len(tree)))
        if heuristic == "killer":
            first = [move for move in killers.get(ply, []) if move in moves]
            moves = first + [move for move in moves if move not in first]
        else:
            moves.sort(key=lambda move: -scores.get((maximizing, move), 0))
        best = -math.inf if maximizing else math.inf
        for move in moves:
            value = search(tree[move], (*path, move), not maximizing, alpha, beta)
            best = max(best, value) if maximizing else min(best, value)
            alpha, beta = (max(alpha, best), beta) if maximizing else (alpha, min(beta, best))
            if alpha >= beta:
                killers[ply] = [move, *(other for other in killers.get(ply, []) if other != move)][:2]
                scores[maximizing, move] = scores.get((maximizing, move), 0) + 2 ** (deepest - ply)
                break
        return best

    trace.value = search(tree, (), maximizing, -math.inf, math.inf)
    return trace


# Random trees and graphs ----------------------------------------------------------------------------------------------

small_values = st.integers(-3, 3)


def trees_of(leaves: st.SearchStrategy[int], depth: int, most: int = 4) -> st.SearchStrategy[Tree]:
    """Trees of at most this depth and breadth, from single leaves on."""
    if depth == 0:
        return leaves
    inner = st.lists(trees_of(leaves, depth - 1, most), min_size=1, max_size=most)
    return st.one_of(leaves, inner, inner, inner)


def random_tree(seed: int, size: tuple[int, int], middle: int) -> Tree:
    """A tree of about the depth and at most the breadth of ``size``; its values lie around ``middle``."""
    rng = random.Random(seed)
    spread = rng.choice((1, 3, 9))

    def grow(depth: int) -> Tree:
        if depth == 0 or rng.random() < 0.1:
            return middle + rng.randint(-spread, spread)
        return [grow(depth - 1) for _ in range(rng.randint(1, size[1]))]

    return grow(size[0])


@st.composite
def graphs(draw: st.DrawFn, evaluated: bool = False) -> nx.DiGraph:
    """Graphs without cycles, all of it below node 0, where paths of different lengths may lead to a node."""
    count = draw(st.integers(2, 11))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    for node in range(1, count):
        parents = draw(st.sets(st.integers(0, node - 1), min_size=1, max_size=3))
        graph.add_edges_from((parent, node) for parent in sorted(parents))
    for node in graph:
        if evaluated or graph.out_degree(node) == 0:
            graph.nodes[node]["value"] = draw(small_values)
    return graph


def graph_of(tree: Tree) -> nx.DiGraph:
    """A tree as a graph of its paths."""
    graph = nx.DiGraph()
    for path in paths(tree):
        below = at(tree, path)
        graph.add_node(path, **({"value": below} if isinstance(below, int) else {}))
        if path:
            graph.add_edge(path[:-1], path)
    return graph


def unrolled(graph: nx.DiGraph, node: int = 0, depth: float = math.inf) -> Tree:
    """The tree of all paths from a node; where the depth is spent, a node counts its value."""
    if depth == 0 or graph.out_degree(node) == 0:
        return graph.nodes[node]["value"]
    return [unrolled(graph, child, depth - 1) for child in graph.successors(node)]


def value_by_sides(graph: nx.DiGraph, node: Hashable, maximizes: Callable[[Hashable], bool]) -> float:
    """The value of a node by plain recursion, where a function says at which nodes the first player moves."""
    values = [value_by_sides(graph, child, maximizes) for child in graph.successors(node)]
    return (max if maximizes(node) else min)(values) if values else graph.nodes[node]["value"]
