"""Solve a game in memory: run the passes in order, and compute the numbers of a solution that its tiers do not hold."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from ..common.memory import Budget
from ..common.workers import Stage, Workers, tell_progress
from ..engine.alike import Tried, refuse_texts
from ..engine.census import SolvedTierStep, TierCensus
from ..engine.columns import TALLIES, to_int
from ..engine.engine import Engine, make_engine, without_threads
from ..engine.kernels import POSITIONS
from ..engine.plan import LOADING, Plan, refuse_long_games, refuse_more_positions, refuse_uncountable
from ..engine.tiers import SolvedTier, Tier
from ..games.families import load_game
from ..rules.game import GameLike, is_users
from ..rules.positions import Place, read_position
from ..solution import counts as counts_of
from ..solution.solution import Solution, Summary
from ..solution.storage.store import Tables
from .resources import SizeGuard


def solve(
    game: GameLike,
    *,
    start: Place | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
) -> Solution:
    """Solve a game completely, in memory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4`` or a `Game`; ``start`` is where to begin instead of
    the game's own start (plies, histories and symmetries are then those of the game from there); ``symmetry`` is
    ``geometric``, ``full``, ``none`` or ``residual``. Raises `SpecError`, `PositionError`, `OptionError`,
    `SymmetryError`, `RulesError`, and `TooLargeError` if memory is expected to be too small or, for a solve begun
    `anyway`, certainly is.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    """
    game = load_game(game)
    first = None if start is None else read_position(game, start)
    with Workers() as pool:
        engine = make_engine(game, symmetry=symmetry, start=first, workers=pool)
        steps = solve_if_small(engine.classes, counts)
        if steps is None:
            guard = SizeGuard(engine.classes, Tables(counts), Budget.of_machine(), True)
            steps = list(compiled_passes(engine.classes, counts, guard))
        steps.reverse()
        tiers = [step.tier for step in steps]
        summary = summarize(engine, [step.totals for step in steps], start_tallies(tiers[0]))
        summary = dataclasses.replace(summary, promises=proven(engine, tiers, summary))
        return Solution(without_threads(engine), tiers, summary)


def proven(engine: Engine, tiers: Sequence[SolvedTier], summary: Summary) -> Tried | None:
    """Return how much of what a user's rules promise was looked at. Raises `RulesError` if they break a promise."""
    if not is_users(engine.game):
        return None
    positions = int(counts_of.whole_of(summary.totals).counts[POSITIONS])
    if "numba" not in sys.modules:  # it was solved in plain Python, and promises nothing else
        for tier in tiers:
            refuse_texts(engine, tier.states)
        return Tried(positions, positions)
    from ..engine.promises import prove

    return prove(engine, tiers, positions)


def solve_if_small(engine: Engine, counts: bool) -> list[SolvedTierStep] | None:
    """Return the steps of `compiled_passes` for a small built-in game, found without the compiler if that is not loaded
    yet. Returns None for any other game, once its rules are compiled; so they fail before there is anything to clean
    up.
    """
    promising = engine.group.order > 1 or engine.whole is not None or engine.reduces or engine.rules.impartial
    if "numba" not in sys.modules and not (is_users(engine.game) and (engine.game.origin or promising)):
        from ..engine.plain import MOST_CLASSES, solve_plainly

        expected = engine.game.expected_positions() if engine.start == engine.rules.start else None
        if expected is None or sum(expected) <= MOST_CLASSES * engine.group.order:
            steps = solve_plainly(engine, counts=counts and not engine.loopy)
            if steps is not None:
                classes = sum(len(step.tier) for step in steps)
                tell_progress("solving", classes, classes)
                return steps
    tell_progress(Stage(LOADING), 0, None)
    engine.prepare()
    from ..engine.promises import refuse_few  # which loads the kernels

    refuse_few(engine)
    return None


def compiled_passes(engine: Engine, counts: bool, guard: SizeGuard) -> Iterator[SolvedTierStep]:
    """Run all passes and yield the solved tiers with their totals, the last first. The
    ``guard`` holds the memory budget, and refuses what will not fit.
    """
    from ..engine.passes.forward_by_ply import forward_by_ply
    from ..engine.passes.forward_by_tier import forward_by_tier
    from ..engine.passes.histories import count_tiered_histories
    from ..engine.passes.induction import solve_tiers

    refuse_long_games(engine)
    counts = counts and not engine.loopy
    if counts:
        refuse_uncountable(engine)
    fields = len(TALLIES) if counts else 0
    plan = Plan(guard.budget, guard.in_memory, fields, engine.workers.threads, not engine.loopy, guard)
    reached = forward_by_ply(engine, plan, keep=True) if engine.by_ply else forward_by_tier(engine, plan)
    histories = reached.histories
    if counts and not engine.by_ply:
        histories = count_tiered_histories(engine, reached, plan)
    return solve_tiers(engine, reached, histories, plan)


def start_tallies(first: Tier) -> np.ndarray | None:
    """Return the tallies of the start, uint64[fields, limbs], from the first tier of a game without loops, if it has
    any.
    """
    return None if first.tallies is None else first.tallies[0]


def summarize(engine: Engine, totals: Sequence[TierCensus], root: np.ndarray | None) -> Summary:
    """Summarise a solution; ``root`` holds the tallies of its start, uint64[fields, limbs], if there are any. Raises
    `RulesError` if there are more positions than the rules say.
    """
    whole = counts_of.whole_of(totals)
    refuse_more_positions(engine, int(whole.counts[POSITIONS]))
    ended = whole.ended
    if ended is None or root is None:
        return Summary(tuple(totals), None, None, None)
    tally = {name: to_int(root[i]) for i, name in enumerate(TALLIES)}
    return Summary(
        tuple(totals),
        tally["optimal_paths"],
        tally["quotient_paths"] if engine.sized else None,
        counts_of.games_up_to_symmetry(engine, sum(ended)),
    )
