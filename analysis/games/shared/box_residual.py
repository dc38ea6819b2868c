"""What is left to play in dots and boxes: edges that belong to the same box and to no other are alike.

Such are the two outer edges of a corner and, where there is one row of boxes, those of every box. A residual state is
an ordinary one in which the first of edges that are alike are drawn, the least of such images under the symmetries.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from analysis.games.shared.residual_parts import first_of, image_of, repeated
from analysis.rules.game import Residual, Rules, popcount


def box_residual(rules: Rules, boxes: Sequence[Sequence[int]], text: Callable[[int], str]) -> Residual:
    """What is left to play where ``boxes`` have these edges each; ``rules`` are those of the game, with the edges as
    its cells, and ``text`` writes its states.
    """
    edges, play_one = rules.cells, rules.play
    alike = _alike(edges, boxes)
    groups = tuple(dict.fromkeys(mask for mask in alike.tolist() if mask & mask - 1))
    drawn, order, image = (1 << edges) - 1, len(rules.symmetries), image_of(edges, rules.symmetries)

    def of(state: int) -> int:
        least = drawn
        for number in range(order):
            own = image(state & drawn, number)
            for group in groups:
                own = own & ~group | first_of(group, popcount(own & group))
            least = min(least, own)
        return state & ~drawn | least

    def legal_moves(state: int, out: Any) -> int:
        free, found = ~state & drawn, 0
        while free:
            edge = popcount((free & -free) - 1)
            same = free & int(alike[edge])
            found = repeated(edge, popcount(same), 1, out, found)
            free &= ~same
        return found

    def play(state: int, move: int) -> int:
        return of(play_one(state, move))

    own = dataclasses.replace(rules, start=of(rules.start), legal_moves=legal_moves, play=play, symmetries=())
    return Residual(of, own, text)


def _alike(edges: int, boxes: Sequence[Sequence[int]]) -> np.ndarray:
    """For each edge those that belong to the same boxes, itself included, as bits: int64[edges]."""
    owners = [[number for number, box in enumerate(boxes) if edge in box] for edge in range(edges)]
    found = [sum(1 << other for other in range(edges) if owners[other] == each) for each in owners]
    return np.array(found, np.int64)
