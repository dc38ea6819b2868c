"""A game as tables: positions by their ranks, 0 the start, in the order in which a breadth-first search meets them with
moves in the order of their codes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...rules.game import ANY_CODE, LARGEST_CODE

MOST_MOVES, MOST_CODES = 255, LARGEST_CODE + 1
"""The most moves of a position, and the most different ones."""
NO_PAYOFF = 32767


class Graph(NamedTuple):
    """A game as tables: what its rules say of each position by its rank."""

    first: np.ndarray  # int64[n + 1], where the moves of a position begin; none where the game is over
    codes: np.ndarray  # uint8[moves] or uint16[moves], ascending within a position
    children: np.ndarray  # int64[moves], ranks
    movers: np.ndarray  # int8[n], +1 the first player, -1 the second
    payoffs: np.ndarray  # int16[n], the first player's; `NO_PAYOFF` while the game goes on
    keys: Sequence[str]  # the text of each position
    labels: Sequence[str]  # the text of the move of each code; none where codes only number the moves of each position
    players: tuple[str, ...]  # what the first player and the second are called
    notes: tuple[str, ...]  # what is to be said of it
    worths: Mapping[int, int | float | Fraction] | None = None
    """What payoffs stand for, where they are not the payoffs themselves."""
    classes: np.ndarray | None = None  # int64[n], the least rank of those that are alike; None without symmetries
    named: bool = False  # whether the texts of positions are names, not descriptions that could be shorter


def by_rank(graph: Graph, start: int = 0) -> Graph:
    """Return the positions of a graph that play from ``start`` reaches, by rank, and movers also of ends where nobody
    moves (0).
    """
    ranks = ranked(graph.first, graph.children, start)
    order = np.argsort(ranks, kind="stable")[np.count_nonzero(ranks < 0) :]
    degrees = np.diff(graph.first)[order]
    first = np.concatenate([[0], np.cumsum(degrees)])
    edges = np.repeat(graph.first[order] - first[:-1], degrees) + np.arange(first[-1])
    children = ranks[graph.children[edges]]
    return graph._replace(
        first=first, codes=_narrowed(graph.codes[edges]), children=children,
        movers=_filled(graph.movers[order], first, children), payoffs=graph.payoffs[order],
        keys=[graph.keys[number] for number in order.tolist()],
    )  # fmt: skip


def ranked(first: np.ndarray, children: np.ndarray, start: int | np.ndarray = 0) -> np.ndarray:
    """Return the rank of each position: the order in which a breadth-first search from one position or several meets
    it, -1 of others, int64[n].
    """
    ranks, level = np.full(len(first) - 1, -1, np.int64), np.atleast_1d(start)
    ranks[level], count = np.arange(len(level)), len(level)
    while len(level):
        degrees = first[level + 1] - first[level]
        starts = np.cumsum(degrees) - degrees
        met = children[np.repeat(first[level] - starts, degrees) + np.arange(degrees.sum())]
        met = met[ranks[met] < 0]
        _, at = np.unique(met, return_index=True)
        level = met[np.sort(at)]
        ranks[level] = np.arange(count, count + len(level))
        count += len(level)
    return ranks


def _narrowed(codes: np.ndarray) -> np.ndarray:
    """Return codes in as few bytes as they need."""
    return codes.astype(np.uint8 if codes.max(initial=0) <= ANY_CODE else np.uint16)


def _filled(movers: np.ndarray, first: np.ndarray, children: np.ndarray) -> np.ndarray:
    """Return movers with those of ends where nobody moves: the opponent of who has made the first move into it."""
    parents = np.repeat(np.arange(len(movers)), np.diff(first))
    reached, at = np.unique(children, return_index=True)
    before = np.full(len(movers), -1, np.int8)
    before[reached] = movers[parents[at]]
    return np.where(movers == 0, -before, movers)


def longest_ways(n: int, parents: np.ndarray, children: np.ndarray, most: float = math.inf) -> np.ndarray | None:
    """Return moves of the longest way to each of n nodes, from those that none leads to, -1 where these are more than
    ``most``; None where there are loops.
    """
    order = np.argsort(parents, kind="stable")
    children = children[order]
    first = np.searchsorted(parents[order], np.arange(n + 1))
    left, levels, level = np.bincount(children, minlength=n), np.full(n, -1), 0
    ready, done = np.flatnonzero(left == 0), 0
    while len(ready) and level <= most:
        levels[ready] = level
        done, level = done + len(ready), level + 1
        degrees = first[ready + 1] - first[ready]
        starts = np.cumsum(degrees) - degrees
        met, times = np.unique(
            children[np.repeat(first[ready] - starts, degrees) + np.arange(degrees.sum())], return_counts=True
        )
        left[met] -= times
        ready = met[left[met] == 0]
    return levels if done == n or len(ready) else None


def shortest(graph: Graph, rank: int, text: Callable[[int], str]) -> list[str]:
    """Return the moves of a shortest way to a position, as texts."""
    return [text(code) for code in reversed([*_back(graph, rank)])]


def _back(graph: Graph, rank: int) -> Iterator[int]:
    """Return the codes of the moves that lead to a position, the last first: of each the edge of the least rank."""
    while rank:
        edge = int(np.flatnonzero(graph.children == rank)[0])
        yield int(graph.codes[edge])
        rank = int(np.searchsorted(graph.first, edge, side="right")) - 1
