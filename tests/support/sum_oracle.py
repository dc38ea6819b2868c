"""Nimbers of whole positions, without any thought of parts: the least number that no option has."""

import functools
from collections.abc import Callable, Hashable, Iterable

from networkx import Graph


def nimber(position: Hashable, moves: Callable[[Hashable], Iterable[Hashable]]) -> int:
    """The nimber of a position."""

    @functools.cache
    def of(here: Hashable) -> int:
        found = {of(after) for after in moves(here)}
        return next(number for number in range(len(found) + 1) if number not in found)

    return of(position)


def node_kayles(graph: Graph) -> int:
    """Take a vertex and its neighbours."""
    return nimber(frozenset(graph), lambda left: {left - {v, *graph[v]} for v in left})


def arc_kayles(graph: Graph) -> int:
    """Take the two ends of an edge."""
    return nimber(frozenset(graph), lambda left: {left - {a, b} for a, b in graph.edges if a in left and b in left})


def treblecross(cells: int) -> int:
    """Of real Treblecross the nimber is not defined, since whoever completes three wins; here nobody may let the other
    do so.
    """

    def moves(marks: int) -> set[int]:
        near = 0
        for shift in range(-2, 3):
            near |= marks << shift if shift >= 0 else marks >> -shift
        return {marks | 1 << cell for cell in range(cells) if not near >> cell & 1}

    return nimber(0, moves)


def treblecross_winner(cells: int) -> bool:
    """Whether the player who begins wins real Treblecross, played until three neighbours are marked."""

    @functools.cache
    def wins(marks: int) -> bool:
        for cell in range(cells):
            after = marks | 1 << cell
            if after != marks and (after & after >> 1 & after >> 2 or not wins(after)):
                return True
        return False

    return wins(0)
