"""The oracle of every kind of game, against hand-made games and other ways to solve them."""

from __future__ import annotations

import functools
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.graph_oracle import GraphOracle, solved
from tests.support.oracle import Oracle
from tests.support.random_games import (
    Graph,
    Node,
    looping,
)


def test_the_oracle_on_tictactoe():
    """Two oracles, written apart. 255168 games and 5478 positions: https://oeis.org/A061526, https://oeis.org/A008907."""
    known = Oracle(3, 3, 3)
    oracle = GraphOracle(
        known.start,
        lambda s: [(cell, known.play(s, cell)) for cell in known.moves(s)],
        known.outcome,
        lambda s: 1 if known.to_move(s) == "X" else -1,
    )
    assert len(oracle.positions) == 5478
    assert not oracle.loopy
    for s in oracle.positions:
        assert (oracle.value(s), oracle.remoteness(s)) == (known.value(s), known.remoteness(s))
    assert oracle.games_by_outcome(known.start) == {"X": 131184, "O": 77904, "tie": 46080}
    stats = known.statistics("none")
    assert oracle.move_count == stats["moves"]
    assert oracle.terminal() == stats["terminal"]
    assert oracle.games_by_length(known.start) == stats["games_by_length"]
    assert [dict(ply) for ply in oracle.histories_by_ply()] == known.tiers()
    assert oracle.optimal_paths(known.start) == 3584
    assert list(oracle.out("XOX?O????")) == list(known.out("XOX?O????"))
    assert oracle.shortest_paths("XOX?O????") == known.shortest_paths("XOX?O????")


def test_the_oracle_on_nim():
    """The nimber of heaps of Nim is their exclusive or (Bouton 1901)."""

    def moves(s: tuple[int, int, int, int]) -> list[tuple[int, Any]]:
        *heaps, mover = s
        takes = [(heap, left) for heap in range(3) for left in range(heaps[heap])]
        return [(n, (*heaps[:h], left, *heaps[h + 1 :], -mover)) for n, (h, left) in enumerate(takes)]

    oracle = GraphOracle((3, 4, 5, 1), moves, lambda s: -s[3], lambda s: s[3])
    for a, b, c, mover in oracle.positions:
        assert oracle.nimber((a, b, c, mover)) == a ^ b ^ c
        assert oracle.value((a, b, c, mover)) == (mover if a ^ b ^ c else -mover)


def small(moves: dict[str, str], payoffs: dict[str, int], second: str = "") -> GraphOracle:
    """A game whose states are letters: moves to the letters named; at those in ``second`` the second player moves."""
    listed = {s: list(enumerate(children)) for s, children in moves.items()} | {s: [] for s in payoffs}
    return GraphOracle("a", listed, payoffs, {s: -1 if s in second else 1 for s in listed})


def test_a_win_out_of_a_cycle():
    """From b the second player would rather go round for ever; c leaves it no choice."""
    oracle = small({"a": "bc", "b": "a", "c": "d"}, {"d": 1}, second="bc")
    assert oracle.loopy
    assert solved(oracle) == {"a": (1, 2), "b": (1, 3), "c": (1, 1), "d": (1, 0)}


def test_a_draw_that_only_a_mistake_ends():
    """Whoever leaves the cycle loses."""
    oracle = small({"a": "bx", "b": "ay"}, {"x": -1, "y": 1}, second="b")
    assert solved(oracle) == {"a": (0, None), "b": (0, None), "x": (-1, 0), "y": (1, 0)}


def test_a_tie_that_takes_both_players():
    """Each could keep to the cycle, so the value is 0; together they reach the tied end."""
    oracle = small({"a": "bc", "b": "ad", "c": "a", "d": "e"}, {"e": 0}, second="bc")
    assert solved(oracle) == {"a": (0, 3), "b": (0, 2), "c": (0, 4), "d": (0, 1), "e": (0, 0)}


def test_a_line_to_a_tie_through_a_win_is_none():
    """The only way to the tied end leads through c, where the first player would win."""
    oracle = small({"a": "bx", "b": "ac", "c": "de"}, {"x": -1, "d": 1, "e": 0}, second="b")
    assert solved(oracle)["c"] == (1, 1)
    assert solved(oracle)["a"] == solved(oracle)["b"] == (0, None)


def test_delay_and_haste_beyond_the_sign():
    """Payoffs 2 and 1: the first player takes 2 fast, and the second, who loses either way, 1 slowly."""
    oracle = small({"a": "bcd", "b": "xe", "c": "x", "d": "f", "e": "x", "f": "y"}, {"x": 1, "y": 2}, second="b")
    assert solved(oracle) == {
        "a": (2, 3), "b": (1, 2), "c": (1, 1), "d": (2, 2), "e": (1, 1), "f": (2, 1), "x": (1, 0), "y": (2, 0),
    }  # fmt: skip


seeds = st.integers(0, 2**32)
sizes = st.integers(1, 26)
"""Numbers of nodes: what fails is shrunk to a small graph, which a plain generator makes again from its seed."""


@settings(max_examples=100, deadline=None)
@given(seed=seeds, size=sizes)
def test_both_ways_to_solve_agree_without_cycles(seed, size):
    graph = looping(random.Random(seed), size, tiered=True)
    rising = tuple(
        Node(tuple((c, to) for c, to in node.moves if graph.nodes[to].tier > node.tier), node.mover, node.payoff)
        for node in graph.nodes
    )
    graph = Graph(graph.kind, rising, graph.labels)
    assert not graph.oracle().loopy
    assert solved(graph.oracle()) == solved(graph.oracle(by_rounds=True))


@settings(max_examples=60, deadline=None)
@given(seed=seeds, size=sizes, tiered=st.booleans())
def test_wins_are_what_can_be_forced_in_so_many_plies(seed, size, tiered):
    """Another definition: s is won in r plies if its winner can force the end within r, but not within r - 1."""
    oracle = looping(random.Random(seed), size, tiered=tiered).oracle(by_rounds=True)

    @functools.cache
    def forces(winner: int, s: int, plies: int) -> bool:
        if oracle.over(s):
            return oracle.payoff(s) == winner
        enough = any if oracle.to_move(s) == winner else all
        return plies > 0 and enough(forces(winner, child, plies - 1) for child in oracle.children(s))

    for s in oracle.positions:
        fewest = [(winner, r) for winner in (1, -1) for r in range(size + 1) if forces(winner, s, r)][:1]
        assert ([(oracle.value(s), oracle.remoteness(s))] if oracle.value(s) else []) == fewest
