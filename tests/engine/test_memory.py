"""What the passes ask of the budget before they make something: a byte less is refused, and nothing more is needed."""

from __future__ import annotations

import pytest

from analysis.engine.engine import Engine, make_engine
from analysis.engine.passes.forward_by_ply import Reached, forward_by_ply
from analysis.engine.passes.forward_by_tier import forward_by_tier
from analysis.engine.passes.histories import Histories, count_histories
from analysis.engine.passes.induction import solve_tiers
from analysis.engine.plan import Plan
from analysis.errors import TooLargeError
from analysis.games.families import load_game
from analysis.machine.memory import Budget
from analysis.machine.workers import telling
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


def test_a_solution_is_refused_at_the_tier_that_makes_it_too_large():
    """72 bytes a state with six tallies, and two tables of 128: of 60 states 58 are found, or 28 in half of that."""
    spec = "nim:heaps=30,take=1-2"
    assert reached_within(spec, PLENTY) == (True, 60)
    assert reached_within(spec, 72 * 60 + 256, fields=6) == (True, 60)
    assert reached_within(spec, 72 * 60 + 255, fields=6) == (False, 58)
    assert reached_within(spec, 72 * 30 + 255, fields=6) == (False, 28)


@pytest.mark.parametrize(
    ("limit", "solved"),
    [
        (16 * 120 + 2 * 128 + 11_520 - 1, 0),  # all states, two tables, and expanding two states
        (16 * 120 + 2 * 128 + 11_520, 9),
        (16 * 120 + 60 * 128 + 8 + 11_520 - 1, 60),  # all tiers are held, with a table each
        (16 * 120 + 60 * 128 + 8 + 11_520, 61),
    ],
)
def test_solved_tiers_that_are_held(limit, solved):
    engine = make_engine(load_game("nim:heaps=60"))
    assert solved_within(engine, forward_by_tier(engine, plan()), limit) == solved


def test_links_are_planned_beside_the_solution():
    """765 states at 72 bytes, two tables of 512 slots, 2,270 moves kept, and 204 states being expanded."""
    engine = make_engine(load_game("tictactoe"))
    needed = 72 * 765 + 2 * 4096 + 4 * (765 + 2270) + 12 * 9 * 204
    for limit, solved in ((needed - 1, 0), (needed, 10)):
        reached = forward_by_ply(engine, plan())
        histories = count_histories(engine, reached.states, plan(fields=6))
        assert solved_within(engine, reached, limit, histories) == solved


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


def test_a_loopy_tier_is_refused_before_its_moves_are_looked_at():
    engine = ring(257, 1)
    needed = (8 + 46 + 96 * 6) * 257 + 8192
    for limit, what in ((needed - 1, "a tier of 257 states needs"), (needed, "257 states and 257 moves within it")):
        with pytest.raises(TooLargeError, match=what):
            next(solve_tiers(engine, forward_by_tier(engine, plan()), None, plan(limit)))
