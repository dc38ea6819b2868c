"""The sizes of games that are not counted to the end."""

from __future__ import annotations

import random

import numpy as np
import pytest

import analysis
from analysis.engine.engine import make_engine
from analysis.games.families import load_game
from analysis.machine.time_limit import TimeLimit
from analysis.planning.counting import count_tiers
from analysis.planning.estimate import estimate_sizes, find_sizes
from analysis.planning.sampling import Predecessors, Sampler, Ways, seen_changes
from analysis.planning.sizes import EXACT, EXTRAPOLATED, MEASURED, GameSizes, Interval, TierSizes, exact_sizes
from analysis.solving.solve import solve

LONG = 60.0
"""Seconds that are never needed."""


def engine_of(spec, **options):
    return make_engine(load_game(spec), **options)


def numbers(sizes: GameSizes):
    return [(tier.number, tier.positions[:2], tier.canonical[:2], tier.moves[:2]) for tier in sizes.tiers]


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem", "morris", "kayles:pins=9", "dots_and_boxes", "othello:size=4"])
def test_what_is_counted_is_what_a_solve_counts(spec):
    sizes, stats = estimate_sizes(engine_of(spec), LONG), solve(spec, counts=False).statistics()
    for name in ("positions", "canonical", "moves"):
        assert getattr(sizes, name) == (stats[name], stats[name], MEASURED)
    assert sum(tier.positions.low for tier in sizes.tiers) == stats["positions"]


@pytest.mark.parametrize(
    "spec",
    [
        "chomp:rows=4,cols=4",
        "nim:heaps=3-4-5",
        *(
            pytest.param(spec, marks=pytest.mark.slow)
            for spec in ("chomp:rows=1,cols=1", "chomp:rows=3,cols=6", "nim:heaps=2-2-5-5-5")
        ),
    ],
)
@pytest.mark.parametrize("symmetry", ["geometric", "none"])
def test_formulas(spec, symmetry):
    engine = engine_of(spec, symmetry=symmetry)
    sizes = exact_sizes(engine)
    assert sizes is not None
    assert sizes.positions.how == EXACT
    assert numbers(sizes) == numbers(estimate_sizes(engine, LONG))
    assert find_sizes(engine, 1.0).speed.classes > 0


def test_no_formula_where_it_does_not_hold():
    assert exact_sizes(engine_of("nim:heaps=5-6,take=1-2")) is None
    game = load_game("chomp:rows=3,cols=4")
    assert exact_sizes(make_engine(game, start=game.rules().moves(game.rules().start)[3][1])) is None


def predecessors(engine, tiers, most, seed):
    """Of a game by plies, of whose states as canonical those up to a ply are known."""
    generator = random.Random(seed)
    changes = seen_changes(engine.rules, engine.start, generator, LONG)

    def known(state, depth):
        return engine.canonical(state) in tiers[depth] if depth <= most else None

    return generator, Predecessors(engine.rules, changes, known, generator, TimeLimit(1.0))


@pytest.mark.parametrize("spec", ["mnk:rows=3,cols=4,k=3", "connect:rows=4,cols=4,k=4", "hex:n=3"])
def test_ways_into_a_position(spec):
    """Of every position of a ply, as many as positions lead there."""
    engine, ply = engine_of(spec, symmetry="none"), 6
    counted = count_tiers(engine, LONG)
    tiers = {tier.number: set(tier.states.tolist()) for tier in counted.tiers}
    _, before = predecessors(engine, tiers, 3, 1)
    ways = dict.fromkeys(tiers[ply], 0)
    for parent in tiers[ply - 1]:
        for child in {child for _, child in engine.rules.moves(parent)}:
            ways[child] += 1
    found = {state: before.count(state, ply, checked=True) for state in list(ways)[:500]}
    assert found == {state: ways[state] for state in found}
    assert before.reliable


@pytest.mark.parametrize(
    ("spec", "tiers"),
    [
        ("hex:n=3", 3),
        ("dodgem", 8),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("mnk:rows=3,cols=4,k=4", 4),
                ("connect:rows=4,cols=4,k=4", 6),
                ("dots_and_boxes:rows=2,cols=2", 5),
                ("hexapawn:rows=4,cols=4", 8),
            )
        ),
    ],
)
def test_estimates_from_some_tiers(spec, tiers):
    engine = engine_of(spec)
    truth = count_tiers(engine, LONG).tiers
    sizes = estimate_sizes(engine, 3.0, most_tiers=tiers)
    assert sizes.positions.how == EXTRAPOLATED
    assert sizes.positions.holds(sum(tier.positions for tier in truth))
    assert sizes.canonical.holds(sum(len(tier.states) for tier in truth))
    assert [tier.positions.how for tier in sizes.tiers[: tiers + 1]] == [MEASURED] * tiers + [EXTRAPOLATED]
    assert all(tier.positions.low <= tier.positions.high for tier in sizes.tiers)


def test_sweeps_are_right_on_average():
    """Pitt's weights: the mean of many sweeps is the number of positions of each ply."""
    engine, tiers = engine_of("mnk:rows=3,cols=3,k=3"), 3
    truth = {tier.number: tier.positions for tier in count_tiers(engine, LONG).tiers}
    counted = count_tiers(engine, LONG, tiers)
    states = {tier.number: tier.states for tier in counted.tiers} | counted.frontier
    generator, before = predecessors(engine, states, tiers, 3)
    sampler = Sampler(engine, counted, before, generator, Ways.CHECKED, float("inf"))
    sweeps = [sampler.sweep(40, 0.0) for _ in range(60)]
    for ply in range(tiers, 10):
        mean = np.mean([sweep[ply].positions if ply in sweep else 0.0 for sweep in sweeps])
        assert mean == pytest.approx(truth[ply], rel=0.1)


STACKS = """
from dataclasses import dataclass

from analysis import ONGOING, Game, Rules

@dataclass(frozen=True)
class Stacks(Game):
    "Two stacks of twenty, filled from below; whether a stack has a hole is asked in a way that never ends if it has."

    def rules(self):
        def height(stack):
            bit = 0
            while stack != (1 << bit) - 1:
                bit += 1
            return bit

        def outcome(state):
            return ONGOING if height(state & 0xFFFFF) + height(state >> 20 & 0xFFFFF) < 40 else 0

        def legal_moves(state, out):
            count = 0
            for side in range(2):
                if height(state >> 20 * side & 0xFFFFF) < 20:
                    out[count] = side
                    count += 1
            return count

        def play(state, move):
            return state ^ 1 << 40 | 1 << 20 * move + height(state >> 20 * move & 0xFFFFF)

        return Rules(0, 2, legal_moves, play, outcome, lambda state: -1 if state >> 40 & 1 else 1)
"""


def test_rules_that_do_not_end_at_what_is_no_position(tmp_path):
    (tmp_path / "stacks.py").write_text(STACKS)
    engine = engine_of(f"{tmp_path}/stacks.py")
    sizes = estimate_sizes(engine, 8.0, most_tiers=20)
    assert sizes.positions.how == EXTRAPOLATED
    assert sizes.positions.holds(21 * 21)


def test_one_tier_with_loops_has_a_least_size(tmp_path):
    (tmp_path / "walk.py").write_text(
        "from dataclasses import dataclass\nfrom analysis import ONGOING, Game, Rules\n\n\n"
        "@dataclass(frozen=True)\nclass Walk(Game):\n    def rules(self):\n"
        "        def legal_moves(state, out):\n            for i in range(40):\n                out[i] = i\n"
        "            return 40\n\n"
        "        def outcome(state):\n            return ONGOING if state & 1023 != 1023 else 0\n\n"
        "        return Rules(0, 40, legal_moves, lambda s, m: s ^ 1 << m ^ 1 << 50, outcome,\n"
        "                     lambda s: -1 if s >> 50 & 1 else 1, loopy=True)\n"
    )
    sizes = estimate_sizes(engine_of(f"{tmp_path}/walk.py"), 2.0)
    assert 1000 < sizes.positions.low < sizes.positions.high == (1 << 63) - 1


def sized(how, *numbers):
    return TierSizes(3, *(Interval(low, high, how) for low, high in numbers))


def test_bounds():
    """Of classes there are no more than positions: what was counted stays, a guess above the bound begins at 0."""
    guess, whole = (
        GameSizes(tier.positions, tier.canonical, tier.moves, (tier,))
        for tier in (
            sized(EXTRAPOLATED, (5, 900), (5, 900), (70, 1 << 63)),
            sized(EXTRAPOLATED, (20, 40), (10, 20), (50, 60)),
        )
    )
    bounded = guess.no_more_than(whole)
    assert bounded.canonical == bounded.tiers[0].canonical == bounded.positions == Interval(5, 40, EXTRAPOLATED)
    assert bounded.moves == bounded.tiers[0].moves == Interval(0, 60, EXTRAPOLATED)
    counted = sized(MEASURED, (7, 7), (7, 7), (9, 9))
    assert GameSizes(counted.positions, counted.canonical, counted.moves, (counted,)).no_more_than(whole).tiers == (
        counted,
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"formulas": False}, {"position": "X???????????????????"}])
def test_residual_classes_are_no_more_than_positions(options):
    """Random games among classes know no end: 72,175,791 of 6.8e8 positions."""
    plan = analysis.plan("mnk:rows=4,cols=5,k=4", symmetry="residual", seconds=10, **options).to_json()
    assert plan["canonical"]["low"] <= 72_175_791
    assert plan["canonical"]["high"] < 1e12  # the sooner the time is over, the wider


def test_plan_of_residual_classes():
    plan = analysis.plan("tictactoe", symmetry="residual", seconds=2).to_json()
    assert plan["canonical"] == {"low": 370, "high": 370, "how": "measured"}
    assert plan["positions"] is plan["by_tier"][0]["positions"] is None
