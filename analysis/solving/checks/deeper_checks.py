"""Checks of promises, of compiled rules, of solutions, and of two games against each other."""

from __future__ import annotations

import collections
import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...common.context import options, within
from ...common.files import temporary_folder
from ...common.workers import Workers
from ...engine.compiling.faults import watched
from ...engine.compiling.plain_code import check_function, reached
from ...engine.engine import Engine, make_engine
from ...engine.kernels.states import apply
from ...engine.plain import solve_plainly
from ...engine.promises import Promises, prove, states_of
from ...engine.sample import Fault, Found, Look, Sample
from ...errors import SymmetryError
from ...rules.fields import ARGUMENTS, is_state
from ...rules.game import ONGOING, Game, Rules
from ...rules.symmetry import RESIDUAL, residual_of
from ...solution.solution import Solution
from ...solution.storage.store import Tables
from ..solve import solve
from ..to_directory import solve_to_directory

MANY = 4000
"""Positions to check compiled."""
LEFT, VALUES = 1000, 200
"""Positions whose residual states are looked at, and whose values are compared."""
COMPARED = 200_000
"""Positions of two games to compare."""
COUNTS = (
    "positions", "terminal_x", "terminal_o", "terminal_tie", "moves", "games", "games_by_length", "histories",
    "optimal_paths", "remoteness_plies",
)  # fmt: skip
"""Statistics that are the same with symmetries and without, where they are known."""


def has_residual(sample: Sample) -> bool:
    """Return whether the game has a residual form, or fails to give it; not if it refuses by `SymmetryError`."""
    if type(sample.game).residual is Game.residual:
        return False
    with contextlib.suppress(Exception):  # raised by the author's function: the first check meets it again
        try:
            sample.game.residual()
        except SymmetryError:
            return False
    return True


def compiled(sample: Sample) -> Found:
    """compiled functions agree with plain Python."""
    engine = make_engine(sample.game, symmetry="none")
    looks = list(sample.each(most=MANY))
    states = np.array([look.state for look in looks], dtype=np.int64)
    yield from _compare_expanded(sample, engine, looks, states)
    rules = sample.rules
    others = {"canonical": rules.canonical, "orbit_size": rules.orbit_size, "tier": rules.tier}
    others |= {f"evaluation {name!r}": evaluation.function for name, evaluation in rules.evaluations.items()}
    for name, function in others.items():
        if function is not None:
            yield from compare_function(sample, engine, name, function, looks, states)


def _compare_expanded(sample: Sample, engine: Engine, looks: list[Look], states: np.ndarray) -> Found:
    expanded = engine.expand_tiers(states)
    ends = itertools.pairwise([0, *np.cumsum(expanded.branching, dtype=np.int64).tolist()])
    for look, mover, payoff, (low, high) in zip(looks, expanded.movers, expanded.payoffs, ends, strict=True):
        codes, children = (tuple(array[low:high].tolist()) for array in (expanded.codes, expanded.children))
        worth = int(payoff) if look.over else look.payoff
        jitted = Look(look.state, int(mover), worth, codes=codes, children=children)
        yield sample.difference(look, jitted, "gives {} in plain Python and {} compiled")


def compare_function(
    sample: Sample, engine: Engine, name: str, function: Callable[[int], int], looks: list[Look], states: np.ndarray
) -> Found:
    """Compare a function of a state, compiled and in plain Python."""
    out = np.empty(len(states), dtype=np.int64)
    watched(apply, engine.compiled.alone(function), states, out)  # where it fails, it fails below too
    for look, jitted in zip(looks, out.tolist(), strict=True):
        sample.at = look.state
        sample.limit.start()
        plain = function(look.state)
        sample.limit.stop()
        message = f"{name} gives {plain} in plain Python and {jitted} compiled"
        yield sample.fault(message, look.state) if plain != jitted else None


def promises(sample: Sample) -> Found:
    """what is solved as one is alike, and in an impartial game both players have the same moves."""
    for kind in _kinds(sample):
        try:
            engine = make_engine(sample.game, symmetry=kind)
        except SymmetryError as error:  # not a group, or too large
            yield Fault(str(error)) if kind == "geometric" else None
            continue
        Promises(engine).refuse_few()
        yield None


def every_promise(sample: Sample) -> Found:
    """what the rules promise holds in every position."""
    for kind in _kinds(sample):
        with contextlib.suppress(SymmetryError):
            _prove(sample.game, kind)
        yield None


def _kinds(sample: Sample) -> list[str]:
    """Return the symmetries that a solve of the game may use."""
    return ["geometric", *["full"] * bool(sample.rules.lines), *[RESIDUAL] * has_residual(sample)]


def _prove(game: Game, kind: str) -> None:
    """Prove what one kind of symmetry rests on, on the classes found and, where rules merge positions themselves, on
    all positions. The game is solved into a temporary directory, out of core if need be. Raises `RulesError`.
    """
    with temporary_folder("gametree-check", options().scratch) as place, Workers() as workers:

        def solved(symmetry: str) -> Solution:
            return solve_to_directory(game, place / symmetry, symmetry=symmetry, tables=Tables(counts=False))

        engine, classes = make_engine(game, symmetry=kind, workers=workers), solved(kind)
        prove(engine, classes.tiers, classes.position_count or 0, every=True)
        if engine.reduces:
            whole = solved("none")
            Promises(engine).refuse_positions(states for tier in whole.tiers for states in states_of(tier))


def solution(sample: Sample) -> Found:
    """for a small game, the engine, with symmetries or without, and a solution in plain Python agree."""
    steps = solve_plainly(make_engine(sample.game, symmetry="none"), counts=False)
    if steps is None:
        return
    pairs = (zip(step.tier.states.tolist(), step.tier.value.tolist(), strict=True) for step in steps)
    values = dict(itertools.chain.from_iterable(pairs))
    right: dict[str, Any] = {"positions": len(values)}
    for symmetry in ("none", *_kinds(sample)):
        try:
            with within(workers=1):
                solved = solve(sample.game, symmetry=symmetry)
        except SymmetryError:  # not a group, or too large: refused with a reason
            continue
        stats = solved.statistics()
        for name in COUNTS:
            if stats[name] not in (None, right.setdefault(name, stats[name])):
                words = f"{name} is {stats[name]} with --symmetry {symmetry}, but {right[name]} without"
                yield Fault(f"{words}: positions are solved as one that are not alike")
        for state in list(values)[:: -(-len(values) // VALUES)]:
            value = solved.records.of(state).value
            message = f"the value with --symmetry {symmetry} is {value}, but {values[state]} in plain Python"
            yield sample.fault(message, state) if value != values[state] else None


def residual_fields(sample: Sample) -> Found:
    """residual() returns what the engine can use, written as rules may be; of() is the same compiled."""
    residual = residual_of(sample.game)
    for function in reached([residual.of, *(getattr(residual.rules, name) for name in ARGUMENTS)]):
        check_function(function)
        yield None
    looks = list(sample.each(most=LEFT))
    for look in looks:
        sample.at = look.state
        state = residual.of(look.state)
        if not is_state(state):
            yield sample.fault(f"of() gives {state!r}, which is not a state", look.state)
        text = residual.text(state)
        if not isinstance(text, str) or text.splitlines() != [text]:
            yield sample.fault(f"text() of residual() gives {text!r}; it must be one line of text", look.state)
    states = np.array([look.state for look in looks], dtype=np.int64)
    yield from compare_function(sample, make_engine(sample.game), "of()", residual.of, looks, states)


def same_game(sample: Sample, other: Game) -> Found:
    """Both games have the same movers, ends and moves in every position, and equal positions after equal moves."""
    rules, theirs = sample.rules, other.rules()
    image, original = {rules.start: theirs.start}, {theirs.start: rules.start}
    waiting = collections.deque([rules.start])
    while waiting and len(image) <= COMPARED:
        state = sample.at = waiting.popleft()
        yield _differs(sample, state, theirs, other, image[state])
        for code, child, there in paired_moves(sample, state, other, image[state]):
            if child not in image and there not in original:
                image[child], original[there] = there, child
                waiting.append(child)
            elif image.get(child) != there:
                before = f"{other.format_position(image[child])} there" if child in image else ""
                before = before or f"{sample.text(original[there])} here"
                after = f"{sample.text(child)} here and to {other.format_position(there)} of {other.spec}"
                yield sample.fault(f"it leads to {after}, and another way to {before}", state, code)
    sample.at = None


def _differs(sample: Sample, state: int, theirs: Rules, other: Game, image: int) -> Fault | None:
    """Return what differs between a position and the one of the other game that the same moves lead to."""
    rules, there = sample.rules, f"in {other.format_position(image)} of {other.spec}"
    moves, its = rules.moves(state), theirs.moves(image)
    facts = {"payoff": (rules.payoff(state), theirs.payoff(image)), "number of moves": (len(moves), len(its))}
    if moves and its:
        facts["mover"] = rules.mover(state), theirs.mover(image)
    for name, values in facts.items():
        if values[0] != values[1]:
            mine, other_one = ("none, the game goes on" if value == ONGOING else value for value in values)
            return sample.fault(f"the {name} here is {mine}, and {other_one} {there}", state)
    return None


def paired_moves(sample: Sample, state: int, other: Game, image: int) -> list[tuple[int, int, int]]:
    """Return each move's code, the position after it and that of the other game after the same move: of the same name
    where all have one, else in the order of their codes.
    """
    moves, its = sample.rules.moves(state), other.rules().moves(image)
    named = {other.format_move(code): child for code, child in its}
    if {sample.game.format_move(code) for code, _ in moves} == {*named}:
        return [(code, child, named[sample.game.format_move(code)]) for code, child in moves]
    return [(code, child, there) for (code, child), (_, there) in zip(moves, its, strict=False)]
