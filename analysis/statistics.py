"""The statistics of a solution, from the totals of its tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.kernels.census import CLASSES, MOVES, POSITIONS, TERMINAL, VALUE
from analysis.tiers import Totals

OUTCOMES = ("O", "tie", "X")
"""The order in which totals hold outcomes: by sign of the first player's payoff."""


def by_ply(totals: Sequence[Totals]) -> list[dict[str, Any]]:
    """One row for each ply: positions and classes, terminal positions and values (positions), moves and histories."""
    return [
        {
            "ply": t.ply,
            "positions": int(t.counts[POSITIONS]),
            "canonical": int(t.counts[CLASSES]),
            **{f"terminal_{name}": int(t.counts[TERMINAL + OUTCOMES.index(name)]) for name in ("X", "O", "tie")},
            **{f"value_{name}": int(t.counts[VALUE + OUTCOMES.index(name)]) for name in ("X", "tie", "O")},
            "moves": int(t.counts[MOVES]),
            "histories": t.histories,
        }
        for t in totals
    ]


def by_remoteness(totals: Sequence[Totals]) -> list[dict[str, int]]:
    """Positions by remoteness, and by what they are for the player to move; remotenesses of no position left out."""
    table = sum(t.by_remoteness for t in totals)
    return [
        {"remoteness_plies": plies, "win": int(win), "lose": int(lose), "tie": int(tie), "draw": 0}
        for plies, (lose, tie, win) in enumerate(table)  # type: ignore[arg-type]
        if lose or tie or win
    ]


def games_by_length(totals: Sequence[Totals]) -> list[dict[str, int]] | None:
    """Complete games by the number of their moves, lengths without a game left out; None where nothing was counted."""
    if any(t.ended is None for t in totals):
        return None
    rows = [{"plies": t.ply, **_outcomes(t.ended)} for t in totals]  # type: ignore[arg-type]
    return [row for row in rows if row["X"] or row["O"] or row["tie"]]


def games(totals: Sequence[Totals]) -> dict[str, int] | None:
    """Complete games by outcome, and their total; None where nothing was counted."""
    if any(t.ended is None for t in totals):
        return None
    sums = _outcomes([sum(t.ended[i] for t in totals) for i in range(3)])  # type: ignore[index, misc]
    return {**sums, "total": sum(sums.values())}


def terminal(totals: Sequence[Totals]) -> dict[str, int]:
    """Terminal positions by outcome."""
    return _outcomes([sum(int(t.counts[TERMINAL + i]) for t in totals) for i in range(3)])


def total(totals: Sequence[Totals], entry: int) -> int:
    """The sum of one entry of the census over all plies."""
    return sum(int(t.counts[entry]) for t in totals)


def histories(totals: Sequence[Totals]) -> int | None:
    """Move sequences from the start, of every length; None where nothing was counted."""
    if any(t.histories is None for t in totals):
        return None
    return sum(t.histories for t in totals)  # type: ignore[misc]


def _outcomes(numbers: Sequence[int]) -> dict[str, int]:
    return {name: numbers[OUTCOMES.index(name)] for name in ("X", "O", "tie")}
