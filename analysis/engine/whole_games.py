"""Whole games up to symmetry, counted by Burnside's lemma."""

from __future__ import annotations

import collections

from analysis.engine.engine import Engine
from analysis.rules.automorphisms import Permutation
from analysis.rules.symmetry import permute


def games_up_to_symmetry(engine: Engine, games: int) -> int | None:
    """Orbits of whole games; None where the rules make states canonical by themselves, so that the group is not known.

    By Burnside's lemma the mean, over the group, of the games whose every position the element leaves alone. For the
    identity these are all ``games``; conjugate elements leave equally many alone.
    """
    if engine.reduces:
        return None
    left, total = set(engine.group.permutations), 0
    for permutation in engine.group.permutations:
        if permutation in left:
            alike = {_conjugate(permutation, by) for by in engine.group.permutations}
            left -= alike
            identity = permutation == engine.group.permutations[0]
            total += games if identity else len(alike) * _fixed_games(engine, permutation)
    return total // engine.group.order


def _conjugate(permutation: Permutation, by: Permutation) -> Permutation:
    """by o permutation o by^-1."""
    image = [0] * len(permutation)
    for cell, target in enumerate(permutation):
        image[by[cell]] = by[target]
    return tuple(image)


def _fixed_games(engine: Engine, permutation: Permutation) -> int:
    """Games all of whose positions a permutation leaves alone, by counting histories forward over such positions. They
    are few, since a move changes a cell that the permutation must leave alone: no compiler is needed.
    """
    games, histories = 0, {engine.start: 1}
    while histories:
        reached: collections.Counter[int] = collections.Counter()
        for state, number in histories.items():
            moves = engine.rules.moves(state)
            games += number * (not moves)
            for _, child in moves:
                if permute(child, permutation, engine.rules.planes) == child:
                    reached[child] += number
        histories = dict(reached)
    return games
