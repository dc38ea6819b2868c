"""Small games solved without compiling: the same tiers, to the last column, as the compiled passes make."""

from pathlib import Path

import pytest

from analysis.common.memory import Budget
from analysis.engine.engine import make_engine
from analysis.engine.plain import LeftAsideError, PlainRules, count, explore, label, label_loopy, solve_plainly
from analysis.games.families import load_game
from analysis.solution.storage.store import Tables
from analysis.solving.resources import SizeGuard
from analysis.solving.solve import compiled_passes
from tests.support.oracle import Oracle
from tests.support.program import run_python

GAMES = (
    "tictactoe", "mnk:rows=2,cols=3,k=2,misere=true", "connect:rows=3,cols=4,k=3", "wild:rows=2,cols=3,k=2", "notakto",
    "hex:n=2", "domineering:rows=3,cols=4", "nim:heaps=3-4-5", "kayles:pins=8", "grundy", "chomp:rows=3,cols=4",
    "dots_and_boxes:rows=1,cols=2", "hexapawn", "dodgem:n=3", "morris", "coin_grabber:board=coins.txt",
)  # fmt: skip
"""Every family but Othello, whose least board has too many positions: plies, tiers, loops, passes, scores, nimbers."""


@pytest.mark.parametrize("symmetry", ["geometric", "none"])
@pytest.mark.parametrize("spec", [pytest.param(s, marks=pytest.mark.slow) if i % 3 else s for i, s in enumerate(GAMES)])
def test_the_tiers_of_thecompiled_passes(spec, symmetry):
    Path("coins.txt").write_text("H 5\n10* C\n")
    engine = make_engine(load_game(spec), symmetry=symmetry)
    for counts in {not engine.loopy, False}:
        plain = solve_plainly(engine, counts=counts)
        guard = SizeGuard(engine, Tables(counts), Budget.of_machine(), in_memory=True)
        compiled = list(compiled_passes(engine, counts, guard))
        assert [step.tier.number for step in plain] == [step.tier.number for step in compiled]
        for one, other in zip(plain, compiled, strict=True):
            assert one.tier.table().equals(other.tier.table())
            assert one.totals == other.totals


def test_positions_of_any_kind():
    """Boards as text, as the oracle has them."""
    oracle = Oracle(2, 3, 2)

    def moves(board):
        if oracle.outcome(board) is not None:
            return []
        mark = "X" if board.count("X") == board.count("O") else "O"
        return [(cell, board[:cell] + mark + board[cell + 1 :]) for cell in oracle.moves(board)]

    rules = PlainRules(
        "??????", moves, oracle.outcome, lambda board: 1 if board.count("X") == board.count("O") else -1,
        lambda board: 1, None, False, False, (-1, 1),
    )  # fmt: skip
    tiers = explore(rules, 1000)
    label(tiers, impartial=False)
    for nodes in tiers.values():
        for node in nodes:
            assert (node.value, node.remoteness) == (oracle.value(node.position), oracle.remoteness(node.position))
    assert count(tiers) == sum(tiers[0][0].tallies[:3])


def test_a_draw_has_no_remoteness_and_a_tie_has_one():
    """At 0 and 1 both players can go round for ever, or lose; from 2 a level end is three plies away."""
    ways = {0: [(0, 1), (1, 8)], 1: [(0, 0), (1, 7)], 2: [(0, 3)], 3: [(0, 4), (1, 8)], 4: [(0, 9)]}
    ends, movers = {7: -1, 8: 1, 9: 0}, {0: -1, 1: 1, 2: 1, 3: -1, 4: 1}
    start = 5
    ways[start] = [(0, 0), (1, 2)]
    rules = PlainRules(
        start, lambda p: ways.get(p, []), ends.get, lambda p: movers.get(p, 1), lambda p: 1, None, True, False, (-1, 1)
    )
    tiers = explore(rules, 100)
    label_loopy(tiers)
    found = {node.position: (node.value, node.remoteness) for nodes in tiers.values() for node in nodes}
    assert found == {
        0: (0, None), 1: (0, None), 2: (0, 3), 3: (0, 2), 4: (0, 1), 5: (0, 4), 7: (-1, 0), 8: (1, 0), 9: (0, 0)
    }  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"moves": lambda p: [] if p else [(0, 1)], "payoff": lambda p: None},
        {"payoff": lambda p: 5 if p else None},
        {"mover": lambda p: 0},
        {"moves": lambda p: [] if p else [(300, 1)]},
        {"moves": lambda p: [(0, 1)], "payoff": lambda p: None},
        {"mover": lambda p: 1 // 0},
    ],
)
def test_rules_that_are_out_of_the_ordinary_are_left_aside(changed):
    """No move before the end, a payoff out of bounds, no mover, no code, a position at two plies, rules that fail."""
    good = {"moves": lambda p: [] if p else [(0, 1)], "payoff": lambda p: 1 if p else None, "mover": lambda p: 1}
    parts = (lambda p: 1, None, False, False, (-1, 1))
    assert len(explore(PlainRules(0, good["moves"], good["payoff"], good["mover"], *parts), 10)) == 2
    wrong = good | changed
    with pytest.raises(LeftAsideError):
        explore(PlainRules(0, wrong["moves"], wrong["payoff"], wrong["mover"], *parts), 10)


def test_a_large_game_is_left_to_thecompiled_passes():
    assert solve_plainly(make_engine(load_game("tictactoe")), counts=True, most=764) is None
    assert solve_plainly(make_engine(load_game("tictactoe")), counts=True, most=765) is not None


def test_what_describes_tiers_and_columns_loads_no_compiler():
    """A stored solution is read without it."""
    code = "import sys; from analysis.engine import census, columns, plan, tiers; print('numba' in sys.modules)"
    assert run_python(code) == "False\n"
