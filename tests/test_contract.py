"""What every registered game must keep, whatever its family. A new family adds its specifications to `GAMES`."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from golden import FOLDER

from analysis.engine import make_engine
from analysis.games import FAMILIES, load_game
from analysis.rules import ONGOING, Game
from analysis.symmetry import permute

GAMES = {
    "tictactoe": ["tictactoe", "tictactoe:misere=true"],
    "mnk": [
        "mnk:rows=2,cols=5,k=3",
        "mnk:rows=5,cols=6,k=4,misere=true",
        "mnk:rows=1,cols=31,k=5",
        "mnk:rows=1,cols=1,k=1",
    ],
}

EVERY = [spec for specs in GAMES.values() for spec in specs]


def random_states(game: Game, games: int = 30, seed: int = 0) -> list[int]:
    """The states of some games played at random, without repetition."""
    rules, generator = game.rules(), random.Random(seed)
    found = {}
    for _ in range(games):
        state = rules.start
        found[state] = None
        while moves := rules.moves(state):
            state = generator.choice(moves)[1]
            found[state] = None
    return list(found)


def test_every_family_is_tested_and_has_golden_numbers():
    assert set(GAMES) == set(FAMILIES)
    for name in FAMILIES:
        numbers = (FOLDER / f"{name}.txt").read_text()
        assert numbers.startswith("#")
        assert any(character.isdigit() for character in numbers)


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name):
    family = FAMILIES[name]
    assert family.family == name
    assert family.description
    assert load_game(family.example)
    assert load_game(name) == family()
    assert dataclasses.is_dataclass(family)


@pytest.mark.parametrize("spec", EVERY)
def test_rules(spec):
    game = load_game(spec)
    rules = game.rules()
    assert 1 <= rules.max_moves <= 255
    for state in random_states(game):
        assert 0 <= state < 2**63
        assert rules.to_move(state) in (1, -1)
        moves = rules.moves(state)
        codes = [code for code, _ in moves]
        assert codes == sorted(set(codes))
        assert len(codes) <= rules.max_moves
        assert all(0 <= code <= min(254, rules.largest_code) for code in codes)
        assert bool(moves) == (rules.outcome(state) == ONGOING)
        assert [child for _, child in moves] == [child for _, child in rules.moves(state)]
        assert game.parse_position(game.format_position(state)) == state


@pytest.mark.parametrize("spec", EVERY)
def test_bounds_and_evaluations(spec):
    """Payoffs, evaluations and lengths of games stay within the bounds that the rules give."""
    game = load_game(spec)
    rules, generator = game.rules(), random.Random(1)
    least, greatest = rules.payoffs
    for state in random_states(game):
        assert rules.outcome(state) == ONGOING or least <= rules.outcome(state) <= greatest
        for evaluation in rules.evaluations.values():
            assert evaluation.bounds[0] <= evaluation.function(state) <= evaluation.bounds[1]
    for _ in range(20):
        state, plies = rules.start, 0
        while moves := rules.moves(state):
            state, plies = generator.choice(moves)[1], plies + 1
        assert rules.max_plies is None or plies <= rules.max_plies


@pytest.mark.parametrize("spec", EVERY)
def test_symmetries_keep_the_game(spec):
    game = load_game(spec)
    rules = game.rules()
    for state in random_states(game, games=5):
        for permutation in rules.symmetries:
            image = permute(state, permutation, rules.planes)
            assert rules.outcome(image) == rules.outcome(state)
            assert rules.to_move(image) == rules.to_move(state)
            children = {permute(child, permutation, rules.planes) for _, child in rules.moves(state)}
            assert {child for _, child in rules.moves(image)} == children


@pytest.mark.parametrize("spec", EVERY)
def test_compiled_rules_and_canonical_states(spec):
    """Compiled and plain rules agree; the canonical state is idempotent and constant on orbits."""
    game = load_game(spec)
    engine = make_engine(game)
    rules, order = engine.rules, engine.group.order
    states = np.array(random_states(game, games=10))
    children = {engine.canonical(child) for state in states.tolist() for _, child in rules.moves(state)}
    going_on = np.array([state for state in states.tolist() if rules.moves(state)], dtype=np.int64)
    assert set(engine.expand(going_on).tolist()) == children
    for state, size in zip(states.tolist(), engine.orbit_sizes(states).tolist(), strict=True):
        orbit = {permute(state, permutation, rules.planes) for permutation in engine.group.permutations}
        assert {engine.canonical(image) for image in orbit} == {engine.canonical(state)} <= orbit
        assert engine.canonical(engine.canonical(state)) == engine.canonical(state)
        assert size == len(orbit)
        assert order % size == 0
