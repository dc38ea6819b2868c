"""The checks of what a game says is left to play: see `Game.residual`."""

from __future__ import annotations

from collections import Counter

import numpy as np

from analysis.checks.rules import deeper_checks as deeper
from analysis.engine.compiling.plain_code import check_function, reached
from analysis.engine.engine import make_engine
from analysis.engine.sample import FEW, Fault, Found, Sample
from analysis.rules.fields import ARGUMENTS, is_state
from analysis.rules.game import Residual
from analysis.rules.residual import KIND, ResidualGame, residual_of

GAMES = 20
"""Games of residual states that are played at random."""
MANY = 4 * FEW
"""Positions that are looked at."""


def residual_fields(sample: Sample) -> Found:
    """residual() gives what the engine can use, written as rules may be."""
    residual = residual_of(sample.game)
    for function in reached([residual.of, *(getattr(residual.rules, name) for name in ARGUMENTS)]):
        check_function(function)
        yield None


def what_is_left(sample: Sample) -> Found:
    """a position and what is left of it have the same outcome, turn and tier, and lead to the same as often."""
    engine = make_engine(sample.game, symmetry=KIND)
    residual, left = residual_of(sample.game), _sample_of(sample)
    for look in sample.each(most=MANY):
        own = [residual.of(state) for state in (look.state, *look.children)]
        wrong = next((state for state in own if not is_state(state)), None)
        if wrong is not None:
            yield sample.fault(f"of() gives {wrong!r}, which is no state", look.state)
            continue
        state, *children = map(engine.group.canonical, own)
        other = left.look(state)
        if other.fault is not None:
            yield other.fault
            continue
        there = Counter(map(engine.group.canonical, other.children))
        facts = {
            "outcome()": (look.payoff, other.payoff),
            "to_move()": (look.mover, other.mover),
            "tier()": _tiers(sample, residual, look.state, state),
        }
        name = next((name for name, (mine, its) in facts.items() if mine != its), None)
        said = residual.text(state)
        words = f"what is left of it, {left.text(state)!r}"
        if not isinstance(said, str) or said.splitlines() != [said]:
            yield sample.fault(f"text() of residual() gives {said!r}; it is text on one line", look.state)
        elif name is not None:
            yield sample.fault(f"{name} gives {facts[name][0]} here and {facts[name][1]} for {words}", look.state)
        else:
            yield _unlike(sample, left, look.state, dict(zip(look.codes, children, strict=True)), there, words)


def _tiers(sample: Sample, residual: Residual, state: int, left: int) -> tuple[int, int]:
    """The tier of a state and of what is left of it."""
    if sample.rules.tier is None or residual.rules.tier is None:
        return 0, 0
    return sample.rules.tier(state), residual.rules.tier(left)


def _unlike(
    sample: Sample, left: Sample, state: int, children: dict[int, int], there: Counter[int], words: str
) -> Fault | None:
    """Where moves of a position leave something more or less often than moves of what is left of it."""
    here = Counter(children.values())
    for code, child in children.items():
        if here[child] != there[child]:
            times = f"{here[child]} of its moves leave {left.text(child)!r}, but {there[child]} of the moves of {words}"
            return sample.fault(times, state, code)
    more = next(iter(there - here), None)
    if more is not None:
        return sample.fault(f"no move leaves {left.text(more)!r}, but a move of {words} does", state)
    return None


def compiled_residual(sample: Sample) -> Found:
    """compiled functions of residual() give what they give in plain Python, and residual rules keep the contract."""
    left = _sample_of(sample)
    from analysis.checks.rules.checks import CHECKS

    for check in CHECKS:
        if check.name in KEPT and check.applies(left):
            yield from check.function(left)
    looks = list(sample.each(most=MANY))
    states = np.array([look.state for look in looks], dtype=np.int64)
    engine = make_engine(left.game, symmetry="none")
    yield from deeper.compare_function(sample, engine, "of()", residual_of(sample.game).of, looks, states)


KEPT = ("exceptions", "states", "turn", "max_moves", "some move", "payoffs", "deterministic", "loops", "tiers",
        "max_plies", "impartial", "symmetry group", "symmetric play", "compiled")  # fmt: skip
"""What residual rules keep, too: their codes need not ascend."""


def _sample_of(sample: Sample) -> Sample:
    """Games of residual states."""
    game = ResidualGame(sample.game)
    return Sample(game, game.rules(), GAMES, 0, sample.limit)
