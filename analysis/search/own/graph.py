"""The graph below a root in plain numbers, as a user's search is given it; and small trees on which searches differ."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.errors import OptionError
from analysis.search.problem import SearchProblem

MOST_NODES = 200_000
"""Positions that a user's search may be given."""

BEYOND = 2
"""Plies below the depth limit that a search can still see."""

Nested = Sequence[Any] | float
"""A tree as lists of children and values of leaves."""

ROUNDS = (2, 1, 3, 4)
"""Numbers of agents that may take turns."""


@dataclasses.dataclass(frozen=True)
class SearchGraph:
    """Nodes by number; 0 is the root."""

    names: tuple[str, ...]
    """All different."""
    children: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]
    """The first player's: of leaves, and where a search stops above them."""
    maximizing: tuple[bool, ...]
    """Whether the first player moves; at a leaf, whether it would be his turn."""
    height: int
    """Plies of the longest line of play, as far as the search can see."""
    text: str = ""
    """The tree as people write it, if that is short."""

    @functools.cached_property
    def levels(self) -> tuple[int, ...]:
        """The least number of plies to each node."""
        found = {0: 0}
        waiting = [0]
        for node in waiting:  # grows as it goes
            for child in self.children[node]:
                if child not in found:
                    found[child] = found[node] + 1
                    waiting.append(child)
        return tuple(found[node] for node in range(len(self.names)))

    @functools.cached_property
    def rounds(self) -> int:
        """How many agents take turns: the one who moves at the root, then the others; 0 if they do not."""
        inner = [node for node, children in enumerate(self.children) if children]
        mine = {node: self.maximizing[node] == self.maximizing[0] for node in inner}
        return next((n for n in ROUNDS if all(mine[node] == (self.levels[node] % n == 0) for node in inner)), 0)

    def told(self, depth: int) -> dict[str, Any]:
        """Return what `search_host` reads."""
        rounds = self.rounds or 1
        return {
            "names": self.names, "children": self.children, "values": self.values, "max": self.maximizing, "root": 0,
            "depth": depth, "height": self.height, "rounds": rounds, "first": 1 if self.maximizing[0] else -1,
            "agents": [level % rounds for level in self.levels],
        }  # fmt: skip

    def below(self, node: int) -> SearchGraph:
        """Return the graph below a node."""
        numbers, found = {node: 0}, [node]
        for each in found:  # grows as it goes
            for child in self.children[each]:
                if child not in numbers:
                    numbers[child] = len(found)
                    found.append(child)
        children = tuple(tuple(numbers[child] for child in self.children[old]) for old in found)
        return SearchGraph(
            tuple(self.names[old] for old in found), children, tuple(self.values[old] for old in found),
            tuple(self.maximizing[old] for old in found), _height(children),
        )  # fmt: skip


def graph_of(problem: SearchProblem) -> SearchGraph:
    """Return the graph of a problem, of a game down to a little below its depth. Raises `OptionError` for too many
    nodes.
    """
    depth = None if problem.depth is None else problem.depth + BEYOND
    numbers, states, levels, children = {problem.root: 0}, [problem.root], [0], list[tuple[int, ...]]()
    sides: dict[int, bool] = {}
    for number, state in enumerate(states):  # grows as it goes
        after = [] if levels[number] == depth else [child for _, child in problem.moves(state)]
        for child in after:
            if child not in numbers:
                numbers[child] = len(states)
                states.append(child)
                levels.append(levels[number] + 1)
        if len(states) > MOST_NODES:
            raise OptionError(
                f"a search of one's own is given at most {MOST_NODES:,} positions, and {problem.name} has more; "
                "begin at a later position, or search to a smaller --depth"
            )
        children.append(tuple(numbers[child] for child in after))
        if problem.moves(state):
            sides[number] = problem.side(state) > 0
        for child in children[-1]:
            sides.setdefault(child, not sides[number])  # of leaves; the others say so themselves when their turn comes
    sides.setdefault(0, True)
    texts = [str(problem.label(state)) for state in states]
    used = Counter(texts)
    names = tuple(text if used[text] == 1 else f"{text}#{number}" for number, text in enumerate(texts))
    values = tuple(map(problem.estimate, states))
    height = _height(children) if depth is None else depth
    return SearchGraph(names, tuple(children), values, tuple(sides[n] for n in range(len(states))), height)


def _height(children: Sequence[Sequence[int]]) -> int:
    """Return the plies of the longest line from node 0, in a graph without cycles."""
    longest: dict[int, int] = {}
    waiting = [0]
    while waiting:
        node = waiting[-1]
        left = [child for child in children[node] if child not in longest]
        if left:
            waiting += left
        else:
            longest[node] = 1 + max((longest[child] for child in children[node]), default=-1)
            waiting.pop()
    return longest[0]


# Small trees ----------------------------------------------------------------------------------------------------------

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

SHAPES: tuple[Nested, ...] = (
    [0],
    [0, 0],
    [[0]],
    [0, 0, 0],
    [[0], 0],
    [[0, 0]],
    [[[0]]],
    [[0, 0], 0],
    [0, [0, 0]],
    [[0, 0, 0]],
    [[0, 0], [0, 0]],
    [[[0, 0]]],
    [[[0, 0], 0]],
    [[0, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 0, 0]],
    [[[0, 0], [0, 0]]],
    [[0, 0], [0, 0], [0, 0]],
    [[[0, 0], 0], [0, 0]],
    [[[0, 0], [0, 0]], [0, 0]],
    [[0, 0], [[0, 0], [0, 0]]],
    [[[0, 0], [0, 0]], [[0, 0], [0, 0]]],
    [[[[0, 0], 0], 0], [0, 0]],
    [[0], [[[0, 0], 0], 0]],
    [0, [[0, [0, 0]], 0]],
    [[[[0, 0], [0, 0]], [0]], [[0, 0], [[0], [0, 0]]]],
)
"""Trees from the smallest on."""

SAMPLED = 24
"""Fillings of a shape with more than `ALL_ORDERS` leaves."""

ALL_ORDERS = 4

LARGE = 10**9
"""The greatest payoff: what begins with less is no infinity."""

PAYOFFS: tuple[Nested, ...] = (
    [-LARGE],
    [[-LARGE]],
    [0.25, 0.75],
    [-0.75, -0.25],
    [[-LARGE // 2, -LARGE], [-LARGE]],
    [[LARGE // 2, LARGE], [LARGE]],
    [[1.5, 0.75], [0.5, -2.5], [0.875]],
    [[[-LARGE, -LARGE // 2], [2_000_000]], [[-2_000_000, -LARGE]]],
    [*range(12)],
    [[*range(12, 0, -1)], 0],
)
"""Trees with large payoffs, fractions, or many children, to be searched by the first player: values rounded, numbers
that are to be infinite, and children left out make them differ. The second player searches them with the other sign.
"""

SHIFTS = (0, -1, 1, -4)
"""Added to the values of leaves, so that some trees are positive, some negative, and some have both."""


def small_trees() -> Iterator[SearchGraph]:
    """Yield small trees in which the first or the second player moves at the root: those of plain numbers, the smallest
    first, then `PAYOFFS`.
    """
    for shape in SHAPES:
        count = count_leaves(shape)
        for number, ranks in enumerate(_fillings(count)):
            for side in (True, False) if count < ALL_ORDERS else (number % 2 == 0,):
                shift = SHIFTS[(number + side) % len(SHIFTS)]
                yield nested_graph(_filled(shape, iter([rank + shift for rank in ranks])), side)
    for tree in PAYOFFS:
        for side in (True, False):
            yield nested_graph(tree if side else _negated(tree), side)


def _fillings(count: int) -> list[tuple[int, ...]]:
    """Return values for leaves: all orders of few, with equals; else a sample that is always the same."""
    if count <= ALL_ORDERS:
        every = itertools.product(range(count), repeat=count)
        return [ranks for ranks in every if {*ranks} == {*range(len({*ranks}))}]
    rng = random.Random(count)
    return [tuple(rng.randrange(5) for _ in range(count)) for _ in range(SAMPLED)]


def count_leaves(tree: Nested) -> int:
    """Return the number of leaves of a tree."""
    return 1 if isinstance(tree, int | float) else sum(map(count_leaves, tree))


def _filled(tree: Nested, values: Iterator[int]) -> Nested:
    return next(values) if isinstance(tree, int | float) else [_filled(child, values) for child in tree]


def _negated(tree: Nested) -> Nested:
    return -tree if isinstance(tree, int | float) else [_negated(child) for child in tree]


def nested_graph(tree: Nested, maximizing: bool = True) -> SearchGraph:
    """Return a tree in which the sides take turns as a graph; nodes are letters, level by level, and inner nodes have
    values of their own, should a search stop there.

    >>> graph = nested_graph([[3, 12], 2])
    >>> graph.names, graph.values[2:], graph.text
    (('A', 'B', 'C', 'D', 'E'), (2, 3, 12), 'A(B(D:3 E:12) C:2)')
    """
    waiting, sides, children = [tree], [maximizing], list[tuple[int, ...]]()
    for number, each in enumerate(waiting):  # grows as it goes
        below = [] if isinstance(each, int | float) else list(each)
        children.append(tuple(range(len(waiting), len(waiting) + len(below))))
        waiting += below
        sides += [not sides[number]] * len(below)
    values = tuple(
        each if isinstance(each, int | float) else (7 + number) * (-1 if number % 3 else 1)
        for number, each in enumerate(waiting)
    )
    names = tuple(LETTERS[number] if number < len(LETTERS) else f"N{number}" for number in range(len(waiting)))
    graph = SearchGraph(names, tuple(children), values, tuple(sides), _height(children))
    return dataclasses.replace(graph, text=written(graph))


def written(graph: SearchGraph, node: int = 0) -> str:
    """Return a tree as ``gametree prune`` takes it; ``min`` comes before its root if the second player moves there."""
    first = "" if node or graph.maximizing[0] or not graph.children[0] else "min "
    if not graph.children[node]:
        return f"{graph.names[node]}:{graph.values[node]}"
    below = " ".join(written(graph, child) for child in graph.children[node])
    return f"{first}{graph.names[node]}({below})"


def few_transpositions() -> list[SearchGraph]:
    """Return small graphs in which several lines lead to one node."""
    rng = random.Random(0)
    found = []
    for size in (5, 6, 7, 8) * 12:
        levels = [[0], [1, 2], [*range(3, size - 1)] or [3], [size - 1, size, size + 1]]
        children: list[tuple[int, ...]] = [()] * (size + 2)
        for above, below in itertools.pairwise(levels):
            for node in above:
                children[node] = tuple(sorted(rng.sample(below, min(len(below), 2 + (rng.random() < 0.4)))))
        sides = [False] * (size + 2)
        for level, nodes in enumerate(levels):
            for node in nodes:
                sides[node] = level % 2 == 0
        reached = {0} | {child for below in children for child in below}
        if len(reached) < size + 2:
            continue
        values = tuple(rng.randrange(-3, 4) if not below else 20 + n for n, below in enumerate(children))
        names = tuple(LETTERS[: size + 2])
        text = " ".join(
            f"{names[n]}({' '.join(names[child] for child in below)})" if below else f"{names[n]}:{values[n]}"
            for n, below in enumerate(children)
        )
        found.append(SearchGraph(names, tuple(children), values, tuple(sides), 3, text))
    return found
