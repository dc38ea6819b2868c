"""What the passes ask of the budget before they make something, and where their tables end."""

import pytest

from analysis.common.memory import Budget
from analysis.engine import plan as plan_of
from analysis.engine.engine import Engine, make_engine
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


def solved_within(engine: Engine, reached: Reached, limit: int, histories: Histories | None = None) -> int:
    """How many tiers are solved before there is no room for the next."""
    solved, fields = 0, 6 if histories else 0
    try:
        for _ in solve_tiers(engine, reached, histories, plan(limit, fields)):
            solved += 1
    except TooLargeError:
        pass
    return solved


def ring(n: int, moves: int) -> Engine:
    """So many positions in one tier, each with so many moves, all to the next."""
    nodes = tuple(Node(tuple((code, (i + 1) % n) for code in range(moves)), 1, 0) for i in range(n))
    return make_engine(load(Graph(ExplicitGame(loopy=True), nodes, (START, *range(1, n)))))


@pytest.mark.parametrize(("n", "moves", "table"), [(257, 1, 8192), (256, 6, 4096)])
def test_moves_within_a_loopy_tier(n, moves, table):
    """16 bytes a state that is solved, two tables, 96 for each of six moves as it is expanded. The 6 bytes of a state
    in its tier and those of the only move that is not like another take less than the tables, not made by then.
    """
    needed = (16 + 96 * 6) * n + 2 * table
    for limit, solved in ((needed - 1, 0), (needed, 1)):
        engine = ring(n, moves)
        assert solved_within(engine, forward_by_tier(engine, plan()), limit) == solved


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
