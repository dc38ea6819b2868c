"""The statistics of a solution, from the totals of its tiers, and whole games up to symmetry, by Burnside's lemma."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.engine.census import Census, PlyTotals, TierCensus, ValueTotals
from analysis.engine.engine import Engine
from analysis.engine.kernels.constants import CLASSES, DRAWN, MOVES, POSITIONS, TERMINAL, VALUE
from analysis.rules.game import Permutation
from analysis.rules.symmetry import permute

OUTCOMES = ("O", "tie", "X")
"""The order in which totals hold outcomes: by sign of the first player's payoff."""


def by_tier(totals: Sequence[TierCensus], *, loopy: bool) -> list[dict[str, Any]]:
    """One row for each tier, as `by_ply` has for plies; of a loopy game with its drawn positions (``value_draw``)."""
    return [
        {"tier": t.tier, **_row(t.counts, t.histories), **({"value_draw": int(t.counts[DRAWN])} if loopy else {})}
        for t in totals
    ]


def by_ply(totals: Sequence[TierCensus], *, tiers_are_plies: bool) -> list[dict[str, Any]] | None:
    """One row for each ply: positions and classes, terminal positions and values (positions), moves and histories.
    Where tiers are not plies a position counts at every ply where it occurs; None if that was not counted.
    """
    if tiers_are_plies:
        return [{"ply": t.tier, **_row(t.counts, t.histories)} for t in totals]
    if any(t.plies is None for t in totals):
        return None
    rows = _plies(totals)
    return [
        {"ply": ply, **_row(sum(r.counts for r in found), sum(r.histories for r in found))}  # type: ignore[arg-type]
        for ply, found in sorted(rows.items())
    ]


def _plies(totals: Sequence[TierCensus]) -> dict[int, list[PlyTotals]]:
    rows: dict[int, list[PlyTotals]] = {}
    for t in totals:
        for row in t.plies or ():
            rows.setdefault(row.ply, []).append(row)
    return rows


def _row(counts: np.ndarray, histories: int | None) -> dict[str, Any]:
    return {
        "positions": int(counts[POSITIONS]),
        "canonical": int(counts[CLASSES]),
        **{f"terminal_{name}": int(counts[TERMINAL + OUTCOMES.index(name)]) for name in ("X", "O", "tie")},
        **{f"value_{name}": int(counts[VALUE + OUTCOMES.index(name)]) for name in ("X", "tie", "O")},
        "moves": int(counts[MOVES]),
        "histories": histories,
    }


def by_remoteness(totals: Sequence[TierCensus]) -> list[dict[str, int | None]]:
    """Positions by remoteness, and by what they are for the player to move; remotenesses of no position left out. Drawn
    positions have none: their row, the last, has the remoteness None.
    """
    table = functools.reduce(operator.add, (Census(t.counts, t.by_remoteness) for t in totals)).by_remoteness
    rows: list[dict[str, int | None]] = [
        {"remoteness_plies": plies, "win": int(win), "lose": int(lose), "tie": int(tie), "draw": 0}
        for plies, (lose, tie, win) in enumerate(table)
        if lose or tie or win
    ]
    drawn = total(totals, DRAWN)
    return rows + ([{"remoteness_plies": None, "win": 0, "lose": 0, "tie": 0, "draw": drawn}] if drawn else [])


def by_value(totals: Sequence[TierCensus]) -> list[dict[str, int | None]]:
    """One row for each value, ascending: positions worth it, terminal positions that pay it, and complete games that do
    (None where nothing was counted). Drawn positions are worth 0.
    """
    rows: dict[int, ValueTotals] = {}
    for t in totals:
        for row in _signs(t) if t.values is None else t.values:
            rows[row.value] = rows.get(row.value, ValueTotals(row.value, 0, 0, 0)) + row
    return [dict(vars(row)) for _, row in sorted(rows.items()) if row.positions]


def _signs(t: TierCensus) -> list[ValueTotals]:
    worth = np.add(t.counts[VALUE : VALUE + 3], (0, t.counts[DRAWN], 0))
    over, games = t.counts[TERMINAL : TERMINAL + 3], t.ended or (None, None, None)
    return [ValueTotals(i - 1, int(worth[i]), int(over[i]), games[i]) for i in range(3)]


def games_by_length(totals: Sequence[TierCensus], *, tiers_are_plies: bool) -> list[dict[str, int]] | None:
    """Complete games by the number of their moves, lengths without a game left out; None where nothing was counted."""
    if any(t.ended is None for t in totals):
        return None
    if tiers_are_plies:
        rows = [{"plies": t.tier, **_outcomes(t.ended)} for t in totals]  # type: ignore[arg-type]
    else:
        plies = sorted(_plies(totals).items())
        rows = [{"plies": ply, **_outcomes([sum(r.ended[i] for r in found) for i in range(3)])} for ply, found in plies]
    return [row for row in rows if row["X"] or row["O"] or row["tie"]]


def games(totals: Sequence[TierCensus]) -> dict[str, int] | None:
    """Complete games by outcome, and their total; None where nothing was counted."""
    if any(t.ended is None for t in totals):
        return None
    sums = _outcomes([sum(t.ended[i] for t in totals) for i in range(3)])  # type: ignore[index, misc]
    return {**sums, "total": sum(sums.values())}


def terminal(totals: Sequence[TierCensus]) -> dict[str, int]:
    """Terminal positions by outcome."""
    return _outcomes([sum(int(t.counts[TERMINAL + i]) for t in totals) for i in range(3)])


def total(totals: Sequence[TierCensus], entry: int) -> int:
    """The sum of one entry of the census over all tiers."""
    return sum(int(t.counts[entry]) for t in totals)


def histories(totals: Sequence[TierCensus]) -> int | None:
    """Move sequences from the start, of every length; None where nothing was counted."""
    if any(t.histories is None for t in totals):
        return None
    return sum(t.histories for t in totals)  # type: ignore[misc]


NOT_TOLD = ("positions", "terminal", "moves", "quotient_paths", "games_up_to_symmetry", "by_remoteness")
"""Statistics that residual classes do not tell."""
TOLD = ("ply", "tier", "canonical", "histories", "value", "games")
"""What they tell of a ply, a tier or a value."""


def without_positions(statistics: dict[str, Any]) -> dict[str, Any]:
    """The statistics of a solution by residual classes: what is about positions is None."""
    tables = {
        name: rows and [{key: row[key] if key in TOLD else None for key in row} for row in rows]
        for name, rows in statistics.items()
        if name in ("by_ply", "by_tier", "by_value")
    }
    return statistics | dict.fromkeys(NOT_TOLD) | tables


def _outcomes(numbers: Sequence[int]) -> dict[str, int]:
    return {name: numbers[OUTCOMES.index(name)] for name in ("X", "O", "tie")}


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
                if permute(child, permutation, engine.group.planes) == child:
                    reached[child] += number
        histories = dict(reached)
    return games
