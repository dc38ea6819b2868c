"""Small games solved without compiling: the same tiers, to the last column, as the compiled passes make."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from analysis.common.memory import Budget
from analysis.engine.columns import NEVER
from analysis.engine.engine import make_engine
from analysis.engine.plain import solve_plainly
from analysis.games.families import load_game
from analysis.rules.game import ONGOING, Game, Rules
from analysis.solution.storage.store import Tables
from analysis.solving.resources import SizeGuard
from analysis.solving.solve import compiled_passes
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


@dataclasses.dataclass(frozen=True)
class Ways(Game):
    """A game whose moves, ends and movers are given."""

    ways: Any
    ends: Any
    movers: Any
    loopy: bool = False

    def rules(self):
        def legal_moves(state, out):
            moves = [code for code, _ in self.ways.get(state, ())]
            out[: len(moves)] = moves
            return len(moves)

        return Rules(
            5, 8, legal_moves, lambda state, code: dict(self.ways[state])[code],
            lambda state: self.ends.get(state, ONGOING), lambda state: self.movers.get(state, 1), loopy=self.loopy,
        )  # fmt: skip


def test_a_draw_has_no_remoteness_and_a_tie_has_one():
    """At 0 and 1 both players can go round for ever, or lose; from 2 a level end is three plies away."""
    ways = {0: [(0, 1), (1, 8)], 1: [(0, 0), (1, 7)], 2: [(0, 3)], 3: [(0, 4), (1, 8)], 4: [(0, 9)]}
    game = Ways({**ways, 5: [(0, 0), (1, 2)]}, {7: -1, 8: 1, 9: 0}, {0: -1, 3: -1}, loopy=True)
    (step,) = solve_plainly(make_engine(game, symmetry="none"), counts=False)
    states, worths = (
        step.tier.states.tolist(),
        zip(*(a.tolist() for a in (step.tier.value, step.tier.remoteness)), strict=False),
    )
    assert dict(zip(states, worths, strict=True)) == {
        0: (0, NEVER), 1: (0, NEVER), 2: (0, 3), 3: (0, 2), 4: (0, 1), 5: (0, 4), 7: (-1, 0), 8: (1, 0), 9: (0, 0)
    }  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"ends": {}},
        {"ends": {6: 5}},
        {"movers": {5: 0}},
        {"ways": {5: [(300, 6)]}},
        {"ways": {5: [(0, 6)], 6: [(0, 5)]}, "ends": {}},
        {"ways": {5: [(0, -1)]}},
        {"ways": {5: [(0, 6), (0, 7)]}},
    ],
)
def test_rules_that_are_out_of_the_ordinary_are_left_aside(changed):
    """No move before the end, a payoff out of bounds, no mover, no code, a position at two plies, no state, codes that
    do not ascend.
    """
    good = {"ways": {5: [(0, 6)]}, "ends": {6: 1, 7: 1, -1: 1}, "movers": {}}
    assert len(solve_plainly(make_engine(Ways(**good), symmetry="none"), counts=True)) == 2
    assert solve_plainly(make_engine(Ways(**good | changed), symmetry="none"), counts=True) is None


def test_a_large_game_is_left_to_thecompiled_passes():
    assert solve_plainly(make_engine(load_game("tictactoe")), counts=True, most=764) is None
    assert solve_plainly(make_engine(load_game("tictactoe")), counts=True, most=765) is not None


def test_what_describes_tiers_and_columns_loads_no_compiler():
    """A stored solution is read without it."""
    code = "import sys; from analysis.engine import census, columns, plan, tiers; print('numba' in sys.modules)"
    assert run_python(code) == "False\n"
