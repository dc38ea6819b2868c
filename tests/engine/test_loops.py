"""Retrograde analysis where the tables end: no position is more than 65,534 plies from the end of the game."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.engine.engine import make_engine
from analysis.engine.kernels import loops
from analysis.engine.kernels.constants import NEVER
from analysis.engine.kernels.types import Labels
from analysis.engine.passes import forward_by_ply as by_ply
from analysis.engine.passes import forward_by_tier as by_tier
from analysis.engine.plan import Plan
from analysis.errors import TooLargeError
from analysis.games.families import load_game
from analysis.machine.memory import Budget


def decided(labels: Labels, survey: loops.Survey, parents: loops.Parents, greatest: int) -> list[int]:
    """What both passes say of a tier; ``greatest`` is the greatest remoteness in later tiers."""
    n = len(labels.values)
    order = loops.DecidingOrder(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(greatest + 3, np.int64))
    return [loops.decide(level, labels, survey, parents, order) for level in (0, 1)]


def row(n: int, payoff: int) -> tuple[list[int], np.ndarray, np.ndarray]:
    """So many positions, each with one move to the one before it; the first is the end."""
    movers = np.where(np.arange(n) % 2 == 0, -1, 1).astype(np.int8)
    values, remoteness = np.full(n, loops.UNDECIDED), np.full(n, NEVER)
    values[0], remoteness[0] = payoff, 0
    labels = Labels((np.arange(n) > 0).astype(np.uint8), movers, values, remoteness)
    survey = loops.Survey(
        labels.branching.copy(), labels.branching.copy(), np.full(n, NEVER), np.zeros(n, np.uint16), np.full(n, NEVER)
    )
    first = np.minimum(np.arange(n + 1), n - 1)
    return decided(labels, survey, loops.Parents(first, np.arange(1, n, dtype=np.uint32)), 0), values, remoteness


@pytest.mark.parametrize("payoff", [0, 1])
def test_the_longest_way_to_the_end(payoff):
    counts, values, remoteness = row(65_535, payoff)
    assert counts == ([0, 65_535] if payoff == 0 else [65_535, 0])
    assert set(values.tolist()) == {payoff}
    assert remoteness.tolist() == list(range(65_535))
    assert loops.TOO_FAR in row(65_536, payoff)[0]
    assert loops.TOO_FAR in row(70_000, payoff)[0]


def test_nothing_is_written_behind_the_queue():
    """The last of 65,536 positions has three moves, all to the one before it: it must not be queued for each."""
    n = 65_536
    branching = np.minimum(np.arange(n), 1).astype(np.uint8)
    branching[-1] = 3
    values, remoteness = np.full(n, loops.UNDECIDED), np.full(n, NEVER)
    values[0] = remoteness[0] = 0
    labels = Labels(branching, np.ones(n, np.int8), values, remoteness)
    survey = loops.Survey(branching.copy(), branching, np.full(n, NEVER), np.zeros(n, np.uint16), np.full(n, NEVER))
    parents = loops.Parents(np.r_[: n - 1, n + 1, n + 1], np.r_[1:n, n - 1, n - 1].astype(np.uint32))
    queue = np.full(n + 8, 7, np.uint32)
    order = loops.DecidingOrder(queue[:n], np.empty(n, np.int64), np.empty(3, np.int64))
    assert [loops.decide(level, labels, survey, parents, order) for level in (0, 1)] == [0, loops.TOO_FAR]
    assert queue[n:].tolist() == [7] * 8


@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("plies", [65_533, 65_534])
def test_the_longest_way_into_a_later_tier(level, plies):
    """One position with one move, to where so many plies are left."""
    one, none = np.ones(1, np.uint8), np.zeros(1, np.uint8)
    labels = Labels(one, np.ones(1, np.int8), np.full(1, loops.UNDECIDED), np.full(1, NEVER))
    there, nowhere = np.full(1, plies, np.uint16), np.full(1, NEVER)
    fastest, ties = (nowhere, there) if level else (there, nowhere)
    survey = loops.Survey(one.copy(), none, fastest, np.zeros(1, np.uint16), ties)
    found = decided(labels, survey, loops.Parents(np.zeros(2, np.int64), np.empty(0, np.uint32)), plies)
    assert (loops.TOO_FAR in found) == (plies == 65_534)
    if plies == 65_533:
        assert (labels.values[0], labels.remoteness[0]) == (0 if level else 1, 65_534)


def test_games_longer_than_the_tables_hold_are_refused(monkeypatch):
    """Of nine moves, where eight are what the tables hold."""
    plan = Plan(Budget(10**12), in_memory=True, fields=0)
    for spec, forward in (("tictactoe", by_ply.forward_by_ply), ("nim:heaps=9,take=1", by_tier.forward_by_tier)):
        engine = make_engine(load_game(spec))
        assert len(forward(engine, plan).sizes) == 10
        with monkeypatch.context() as patch:
            patch.setattr(by_ply, "NEVER", 9)
            with pytest.raises(TooLargeError):
                forward(engine, plan)
