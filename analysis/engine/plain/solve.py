"""A small game solved in plain Python, as the tiers that the compiled passes make of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.engine.census import SolvedTierStep, tier_totals
from analysis.engine.columns import GREATEST, NEVER, ONE_LIMB, TALLIES
from analysis.engine.engine import Engine
from analysis.engine.plain.graph import LeftAsideError, Node, PlainRules, count, explore, label, label_loopy
from analysis.engine.tiers import Tier
from analysis.rules.game import ONGOING

MOST_CLASSES = 10_000
"""Classes of a game that is solved so: some 20 microseconds each, so that giving up costs a quarter of a second.
Loading the compiler and the kernels takes about a second."""


def solve_plainly(engine: Engine, *, counts: bool, most: int = MOST_CLASSES) -> list[SolvedTierStep] | None:
    """All tiers, the last first; None for a game of more than ``most`` classes, and where its rules are out of the
    ordinary, which the compiled passes put into words.
    """
    rules = plain_rules(engine)
    try:
        tiers = explore(rules, most)
        label_loopy(tiers) if rules.loopy else label(tiers, impartial=rules.impartial)
        games = count(tiers) if counts else 0
    except LeftAsideError:
        return None
    if games > GREATEST:
        return None
    limbs = (1 if games < ONE_LIMB else 2) if counts else 0
    steps: list[SolvedTierStep] = []
    held: dict[int, Tier] = {}
    for number in reversed(tiers):
        tier = held[number] = _as_arrays(rules, number, tiers[number], limbs)
        steps.append(SolvedTierStep(tier, tier_totals(tier, rules.payoffs), held))
    return steps


def plain_rules(engine: Engine) -> PlainRules[int]:
    """The rules of a game over canonical states."""
    rules, canonical = engine.rules, engine.canonical

    def moves(state: int) -> list[tuple[int, int]]:
        return [(code, _state(canonical(_state(child)))) for code, child in rules.moves(state)]

    def payoff(state: int) -> int | None:
        found = rules.outcome(state)
        return None if found == ONGOING else found

    return PlainRules(
        start=canonical(engine.start),
        moves=moves,
        payoff=payoff,
        mover=rules.to_move,
        orbit_size=engine.orbit_size,
        tier=rules.tier,
        loopy=rules.loopy,
        impartial=rules.impartial,
        payoffs=rules.payoffs,
    )


def _state(number: int) -> int:
    if not 0 <= number < 1 << 63:
        raise LeftAsideError(f"{number} is no state")
    return number


def _as_arrays(rules: PlainRules[int], number: int, nodes: list[Node[int]], limbs: int) -> Tier:
    """The nodes of a tier as arrays; with ``limbs`` the counts too."""

    def array(values: list[Any], dtype: type) -> np.ndarray:
        return np.array(values, dtype=dtype)

    tier = Tier(
        number,
        rules.tier is None and not rules.loopy,
        array([node.position for node in nodes], np.int64),
        array([node.mover for node in nodes], np.int8),
        array([node.value for node in nodes], np.int16),
        array([NEVER if node.remoteness is None else node.remoteness for node in nodes], np.uint16),
        array([len(node.children) for node in nodes], np.uint8),
        array([rules.orbit_size(node.position) for node in nodes], np.uint16),
        array([node.nimber for node in nodes], np.uint8) if rules.impartial else None,
    )
    if limbs:
        tier.histories = _in_limbs([[sum(node.histories.values())] for node in nodes], limbs)[:, 0]
        tier.tallies = _in_limbs([node.tallies for node in nodes], limbs)
        assert tier.tallies.shape[1] == len(TALLIES)
        if rules.tier is not None:
            plies = range(1 + max(max(node.histories) for node in nodes))
            tier.by_plies = _in_limbs([[node.histories.get(ply, 0) for ply in plies] for node in nodes], limbs)
    return tier


def _in_limbs(numbers: list[list[int]], limbs: int) -> np.ndarray:
    """Integers [n, m] as uint64[n, m, limbs]."""
    cut = [[[number >> 64 * limb & ONE_LIMB - 1 for limb in range(limbs)] for number in row] for row in numbers]
    return np.array(cut, dtype=np.uint64)
