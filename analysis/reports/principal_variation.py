"""A principal variation: one line of optimal play, each move the best for its mover."""

from __future__ import annotations

import dataclasses

from analysis.solution.position import Move
from analysis.solution.solution import Solution

LONGEST = 200
"""Plies that a line is followed that has no end, at most."""


@dataclasses.dataclass(frozen=True)
class VariationStep:
    """A position of the line."""

    ply: int
    state: int
    position: str
    move: Move | None
    """The move that led here; None at the start."""
    cell: int | None
    """The cell of the board that stands for it, row by row from 0; None where no single cell does."""
    mover: str | None
    """Who made it, ``X`` or ``O``."""
    value: int
    remoteness_plies: int | None


def principal_variation(solution: Solution, longest: int = LONGEST) -> list[VariationStep]:
    """From the start on always the first of the best moves: by value, then remoteness (a win fast, a loss slow, a tie
    fast), then code. A line with an end is followed to it; a drawn one to where it comes back to one of its
    positions, or for ``longest`` plies.

    >>> import analysis
    >>> [step.move.move for step in principal_variation(analysis.solve("mnk:rows=2,cols=2,k=2")) if step.move]
    [0, 1, 2]
    """
    game, state = solution.game, solution.engine.start
    record = solution.lookup(state)
    steps = [
        VariationStep(0, state, game.format_position(state), None, None, None, record.value, record.remoteness_plies)
    ]
    seen = {state}
    while record.remoteness_plies is not None or len(steps) <= longest:
        position = solution[steps[-1].position]
        if not position.moves:
            break
        best = position.moves[0]
        before, state = state, dict(solution.engine.rules.moves(state))[best.move]
        cell = game.cell_of(before, best.move)
        steps.append(
            VariationStep(
                len(steps), state, best.position, best, cell, position.to_move, best.value, best.remoteness_plies
            )
        )
        if state in seen:
            break
        seen.add(state)
    return steps
