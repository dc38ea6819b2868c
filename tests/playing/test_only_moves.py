"""Lines of only moves, compared with recursion over positions and, where play can return, with rounds."""

from __future__ import annotations

import functools
import random

import pytest

import analysis
from analysis.engine.tiers import ValueRecord
from analysis.playing.traps import only_moves, returned
from tests.support.graph_oracle import GraphOracle
from tests.support.random_games import load, looping


def longest(children, value, mover, side):
    """Recursion as the definition has it: how many only moves the longest line has, and how few plies it may take."""

    @functools.cache
    def found(s):
        after = children(s)
        keeping = [child for child in after if value(child) == value(s)]
        if mover(s) == side and len(keeping) != 1:
            return 0, 0
        counts = mover(s) == side and len(after) > 1
        options = [(0, 0)] if not after else [found(child) for child in keeping]
        return max(((n + counts, plies - 1) if n + counts else (0, 0) for n, plies in options), default=(0, 0))

    return found


def oracle_of(solution):
    rules = solution.game.rules()
    return GraphOracle(rules.start, rules.moves, rules.outcome, rules.to_move)


def check(solution, state, side, count, plies):
    """A line is as long as it should be, and every step of it is as the definition says."""
    line = returned(only_moves(solution, state, side))
    joined = solution.engine.rules.largest_code > 9
    codes = [int(code) for code in (line.path.split("-") if joined and line.path else line.path)]
    assert (line.side, line.count, line.complete) == ("X" if side > 0 else "O", count, True)
    if plies is not None:
        assert len(line.names) == len(codes) == plies
    met, states = walk(solution, state, side, codes)
    assert count is None or met == count
    assert line.to_json()["endless"] == (count is None) == (states[-1] in states[:-1])


def walk(solution, state, side, codes):
    met, value, states = 0, solution.lookup(state).value, [state]
    for code in codes:
        look = solution.look(state, ValueRecord)
        keeping = [child for child in look.children if child.record.value == value]
        child = next(each for each in look.children if each.move == code)
        assert child in keeping
        if look.record.to_move == side:
            assert len(keeping) == 1
            met += len(look.children) > 1
        state = child.state
        states.append(state)
    return met, states


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("tictactoe", marks=pytest.mark.slow),
        "connect:rows=3,cols=4,k=3",
        "nim:heaps=1-2-3",
        "dots_and_boxes:rows=1,cols=2",
        "kayles:pins=7",
        pytest.param("othello:size=4", marks=pytest.mark.slow),
    ],
)
def test_games_by_brute_force(spec):
    """Falling stones, impartial games, scores with extra turns, passes."""
    solution = analysis.solve(spec)
    oracle = oracle_of(solution)
    for side in (1, -1):
        found = longest(oracle.children, oracle.value, oracle.to_move, side)
        for s in oracle.positions[:: max(1, len(oracle.positions) // 300)]:
            count, plies = found(s)
            check(solution, s, side, count, -plies)


@pytest.mark.parametrize("spec", [pytest.param("morris", marks=pytest.mark.slow), "dodgem:n=2", "hexapawn"])
def test_loopy_games_by_rounds(spec):
    solution = analysis.solve(spec)
    assert by_rounds(solution, oracle_of(solution), 240, 400) == 0


def test_random_loopy_games_by_rounds():
    """Where the same side may move again, and return to where it is; most go on for ever somewhere."""
    endless = 0
    for seed in range(80):
        rng = random.Random(seed)
        graph = looping(rng, rng.randint(10, 40), tiered=seed % 2 == 1)
        oracle = graph.oracle()
        endless += by_rounds(analysis.solve(load(graph), workers=1), oracle, 2 * len(oracle.positions), 1000) > 0
    assert endless > 5


def by_rounds(solution, oracle, plies, most):
    """The longest line of so many plies: where it grows with them there is no end of it. How often that is so."""
    endless = 0
    for side in (1, -1):
        edges = {s: keeping(oracle, s, side) for s in oracle.positions}
        rounds = [dict.fromkeys(oracle.positions, 0)]
        for _ in range(2 * plies):
            last = rounds[-1]
            rounds.append(
                {s: max((last[c] for c in after), default=0) + counts for s, (counts, after) in edges.items()}
            )
        for s in oracle.positions[:: max(1, len(oracle.positions) // most)]:
            goes_on = rounds[-1][s] > rounds[plies][s]
            endless += goes_on
            check(solution, s, side, None if goes_on else rounds[-1][s], None)
    return endless


def keeping(oracle, s, side):
    after = oracle.children(s)
    kept = [child for child in after if oracle.value(child) == oracle.value(s)]
    if oracle.to_move(s) != side:
        return 0, kept
    return (int(len(after) > 1), kept) if len(kept) == 1 else (0, [])


def test_what_is_not_looked_at_is_said():
    solution = analysis.solve("connect:rows=4,cols=4")
    state = solution.find("value=tie and only_move and remoteness=12", limit=1)[0].state
    side = solution.lookup(state).to_move
    whole = returned(only_moves(solution, state, side))
    few = returned(only_moves(solution, state, side, most=1))
    assert whole.complete
    assert not few.complete
    assert 1 <= few.count <= whole.count
