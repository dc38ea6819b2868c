"""The checks of the contract that need the engine: what is compiled, and what is solved."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from analysis.checks.rules.sample import Fault, Found, Look, Sample
from analysis.engine.compiling.faults import watched
from analysis.engine.compiling.functions import compile_function
from analysis.engine.engine import Engine, make_engine
from analysis.engine.kernels.states import apply
from analysis.errors import SymmetryError
from analysis.rules.symmetry import permute
from analysis.solving import solve

MANY = 4000
"""Positions that are looked at compiled."""
ORBITS = 200
"""Positions whose whole orbit is looked at."""
SMALL = 3000
"""A game is solved twice if it has at most this many positions."""


def compiled(sample: Sample) -> Found:
    """compiled functions give what they give in plain Python."""
    engine = make_engine(sample.game, symmetry="none")
    looks = list(sample.each(most=MANY))
    states = np.array([look.state for look in looks], dtype=np.int64)
    yield from _compare_expanded(sample, engine, looks, states)
    if engine.by_ply:
        yield from _compare_moves(sample, engine, looks)
    rules = sample.rules
    others = {"canonical": rules.canonical, "orbit_size": rules.orbit_size}
    others |= {f"evaluation {name!r}": evaluation.function for name, evaluation in rules.evaluations.items()}
    for name, function in others.items():
        if function is not None:
            yield from _compare_function(sample, name, function, looks, states)


def _compare_expanded(sample: Sample, engine: Engine, looks: list[Look], states: np.ndarray) -> Found:
    tier = sample.rules.tier
    found = engine.expand_tiers(states)
    moves = _by_state(found.branching, found.codes, found.children, found.tiers)
    for look, mover, payoff, (codes, children, tiers) in zip(looks, found.movers, found.payoffs, moves, strict=True):
        sample.at = look.state
        fault = _difference(sample, look, codes, children, int(mover), int(payoff) if look.over else look.payoff)
        for code, child, number in zip(codes, children, tiers, strict=True) if fault is None else ():
            if tier is not None and tier(child) != number:
                message = f"tier() after the move is {tier(child)} in plain Python and {number} compiled"
                fault = sample.fault(message, look.state, code)
                break
        yield fault


def _compare_moves(sample: Sample, engine: Engine, looks: list[Look]) -> Found:
    """The successors without tiers, which are compiled by themselves."""
    going_on = [look for look in looks if not look.over]
    rows, *moves = engine.expand_moves(np.array([look.state for look in going_on], dtype=np.int64))
    for look, (codes, children) in zip(going_on, _by_state(np.bincount(rows), *moves), strict=False):
        yield _difference(sample, look, codes, children, look.mover, look.payoff)


def _by_state(branching: np.ndarray, *moves: np.ndarray) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Of each state, what arrays with an entry for each move hold of it."""
    ends = np.cumsum(branching, dtype=np.int64).tolist()
    for low, high in itertools.pairwise([0, *ends]):
        yield tuple(tuple(array[low:high].tolist()) for array in moves)


def _difference(
    sample: Sample, look: Look, codes: tuple[int, ...], children: tuple[int, ...], mover: int, payoff: int
) -> Fault | None:
    mine = Look(look.state, mover, payoff, codes=codes, children=children)
    return sample.difference(look, mine, "gives {} in plain Python and {} compiled")


def _compare_function(
    sample: Sample, name: str, function: Callable[[int], int], looks: list[Look], states: np.ndarray
) -> Found:
    out = np.empty(len(states), dtype=np.int64)
    watched(apply, compile_function(function), states, out)  # where it fails, it fails below too
    for look, jitted in zip(looks, out.tolist(), strict=True):
        sample.at = look.state
        plain = function(look.state)
        message = f"{name} gives {plain} in plain Python and {jitted} compiled"
        yield sample.fault(message, look.state) if plain != jitted else None


def canonical(sample: Sample) -> Found:
    """the canonical state is one of the orbit, the same for all of it, and orbits are counted right."""
    engine, planes = make_engine(sample.game), sample.rules.planes
    for look in sample.each(most=ORBITS):
        orbit = {permute(look.state, permutation, planes) for permutation in engine.group.permutations}
        least = {engine.canonical(image) for image in orbit}
        size = int(engine.orbit_sizes(np.array([look.state], dtype=np.int64))[0])
        if len(least) > 1:
            yield sample.fault(f"its images have different canonical states: {sorted(least)}", look.state)
        elif least != {min(orbit)}:
            yield sample.fault(f"its canonical state is {min(least)}, but the least image is {min(orbit)}", look.state)
        else:
            message = f"it has {len(orbit)} images, but an orbit of {size}"
            yield sample.fault(message, look.state) if size != len(orbit) else None


def solution(sample: Sample) -> Found:
    """of a small game, the engine finds the positions and values that a search in plain Python finds."""
    positions = _all_positions(sample)
    if positions is None:
        return
    values = _loopy_values(positions) if sample.rules.loopy else _values(positions)
    for symmetry in ("none", "geometric", *(["full"] if sample.rules.lines else [])):
        try:
            solved = solve(sample.game, symmetry=symmetry, counts=False, threads=1)
        except SymmetryError:  # no group, or too large a one: refused with its reason
            continue
        if solved.position_count != len(positions):
            count = f"{solved.position_count:,} positions with --symmetry {symmetry}"
            yield Fault(f"the engine finds {count}, but there are {len(positions):,}: orbits are counted wrong")
        for state in list(positions)[:: -(-len(positions) // ORBITS)]:
            found = solved.lookup(state).value
            message = (
                f"the value with --symmetry {symmetry} is {found}, but a search in plain Python gives {values[state]}"
            )
            yield sample.fault(message, state) if found != values[state] else None


def _all_positions(sample: Sample) -> dict[int, Look] | None:
    """Every position that can be reached, or None if there are too many."""
    reached = {sample.rules.start: sample.look(sample.rules.start)}
    waiting = [sample.rules.start]
    while waiting:
        for child in reached[waiting.pop()].children:
            if child not in reached:
                reached[child] = sample.look(child)
                waiting.append(child)
        if len(reached) > SMALL:
            return None
    return reached


def _values(positions: dict[int, Look]) -> dict[int, int]:
    """Minimax, children first."""
    values: dict[int, int] = {}
    for start in positions:
        waiting = [start]
        while waiting:
            look = positions[waiting[-1]]
            missing = [child for child in look.children if child not in values]
            waiting += missing
            if not missing:
                values[waiting.pop()] = look.payoff if look.over else _best(look, values)
    return values


def _best(look: Look, values: dict[int, int]) -> Any:
    return look.mover * max(look.mover * values[child] for child in look.children)


def _loopy_values(positions: dict[int, Look]) -> dict[int, int]:
    """What neither side can force is 0: sweep until nothing more is decided."""
    values = {state: look.payoff for state, look in positions.items() if look.over}
    before = -1
    while before != len(values):
        before = len(values)
        for state, look in positions.items():
            known = [values.get(child) for child in look.children]
            if state not in values and look.mover in known:
                values[state] = look.mover
            elif state not in values and all(value == -look.mover for value in known):
                values[state] = -look.mover
    return {state: values.get(state, 0) for state in positions}
