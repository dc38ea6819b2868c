"""What the dialects have in common: a position with its moves, seen by the player to move."""

from __future__ import annotations

from analysis.engine.tiers import CountRecord, ValueRecord
from analysis.explorer.served import Served
from analysis.solution.lookup import Child, Look

Counted = Look[CountRecord]
"""A position, and what it takes to tell everything of its moves."""


def look_at(served: Served, state: int) -> Counted:
    """A position of a solution. Raises `PositionError` where play does not reach it."""
    return served.solution.look(state, CountRecord)


def result_for(side: int, record: ValueRecord) -> str:
    """What a position is to a side, +1 the first player and -1 the second: ``win``, ``lose``, ``tie`` or ``draw``."""
    if record.value == 0:
        return "draw" if record.remoteness_plies is None else "tie"
    return "win" if side * record.value > 0 else "lose"


def lost_plies(side: int, look: Counted) -> list[int | None]:
    """By how many plies each move is worse than the best one of the same result for the ``side`` that makes it: a win
    later, a tie later, a loss earlier. None where play does not end.
    """
    plies: dict[str, list[int]] = {}
    results = [(result_for(side, child.record), child.record.remoteness_plies) for child in look.children or ()]
    for result, after in results:
        if after is not None:
            plies.setdefault(result, []).append(after)
    return [
        None if after is None else max(plies[result]) - after if result == "lose" else after - min(plies[result])
        for result, after in results
    ]


def mover_after(served: Served, child: Child[CountRecord]) -> int:
    """Which side is to move after a move, or would be."""
    return served.solution.engine.rules.mover(child.state)
