"""What the passes ask of the budget before they make something, and where their tables end."""

import numpy as np
import pytest

from analysis.common.memory import Budget
from analysis.common.workers import telling
from analysis.engine import plan as plan_of
from analysis.engine.engine import Engine, make_engine
from analysis.engine.kernels import NEVER, loops
from analysis.engine.kernels.types import Labels
from analysis.engine.passes import forward_by_ply as by_ply
from analysis.engine.passes import forward_by_tier as by_tier
from analysis.engine.passes.forward_by_ply import Reached
from analysis.engine.passes.forward_by_tier import forward_by_tier
from analysis.engine.passes.histories import Histories
from analysis.engine.passes.induction import solve_tiers
from analysis.engine.plan import Plan
from analysis.errors import TooLargeError
from analysis.games.families import load_game
from tests.support.random_games import START, ExplicitGame, Graph, Node, load

PLENTY = 10**12


def plan(limit: int = PLENTY, fields: int = 0) -> Plan:
    return Plan(Budget(limit), in_memory=True, fields=fields)


def reached_within(spec: str, limit: int, fields: int = 0) -> tuple[bool, int]:
    """Whether all tiers are found, and how many states were when the last one was."""
    found = [0]
    try:
        with telling(lambda what, done, total: found.append(done)):
            forward_by_tier(make_engine(load_game(spec)), plan(limit, fields))
    except TooLargeError:
        return False, found[-1]
    return True, found[-1]


def solved_within(engine: Engine, reached: Reached, limit: int, histories: Histories | None = None) -> int:
    """How many tiers are solved before there is no room for the next."""
    solved, fields = 0, 6 if histories else 0
    try:
        for _ in solve_tiers(engine, reached, histories, plan(limit, fields)):
            solved += 1
    except TooLargeError:
        pass
    return solved


def test_states_that_wait_for_their_tiers():
    """A heap of 60: 60 states wait after the first tier, at 8 bytes, and 1,800 in the middle. Those of one tier, 62 at
    most, are there three times while they are merged. Besides, every state takes 8 bytes, and expanding two of them 96
    for each of 60 moves.
    """
    first, middle = 96 * 60 + 8 + 8 * 60 + 16, 96 * 120 + 8 * 60 + 8 * 1800 + 16 * 62
    assert reached_within("nim:heaps=60", first - 1) == (False, 0)
    assert reached_within("nim:heaps=60", first) == (False, 1)
    assert not reached_within("nim:heaps=60", middle - 1)[0]
    assert reached_within("nim:heaps=60", middle) == (True, 120)


def ring(n: int, moves: int) -> Engine:
    """So many positions in one tier, each with so many moves, all to the next."""
    nodes = tuple(Node(tuple((code, (i + 1) % n) for code in range(moves)), 1, 0) for i in range(n))
    return make_engine(load(Graph(ExplicitGame(loopy=True), nodes, (START, *range(1, n)))))


@pytest.mark.parametrize(
    ("n", "moves", "besides"),
    [
        (257, 1, 8192 + 4 * 257),  # the table and the moves as they are found
        (256, 6, 8 * 6 * 256),  # the moves as lists of children and of parents, when the table is gone
    ],
)
def test_moves_within_a_loopy_tier(n, moves, besides):
    """8 bytes a state that waits, 46 while its tier is solved, 96 for each of six moves as it is expanded."""
    needed = (8 + 46 + 96 * 6) * n + besides
    for limit, solved in ((needed - 1, 0), (needed, 1)):
        engine = ring(n, moves)
        assert solved_within(engine, forward_by_tier(engine, plan()), limit) == solved


def decided(labels: Labels, survey: loops.Survey, parents: loops.Parents, greatest: int) -> list[int]:
    """What both passes say of a tier; ``greatest`` is the greatest remoteness in later tiers."""
    n = len(labels.values)
    order = loops.DecidingOrder(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(greatest + 3, np.int64))
    return [loops.decide(level, labels, survey, parents, order) for level in (0, 1)]


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
            patch.setattr(plan_of, "NEVER", 9)
            with pytest.raises(TooLargeError):
                forward(engine, plan)
