"""Compute statistics of a solution from the totals of its tiers, and games up to symmetry by Burnside's lemma."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.census import PlyTotals, TierCensus, ValueTotals
from ..engine.engine import Engine
from ..engine.kernels import CLASSES, DRAWN, MOVES, POSITIONS, TERMINAL, VALUE
from ..errors import MissingDataError
from ..rules.game import Game, Permutation
from ..rules.symmetry import Group, permute

if TYPE_CHECKING:
    from ..engine.tiers import SolvedTier
    from .solution import Solution, Summary

OUTCOMES = {"x": 2, "o": 0, "tie": 1}
"""The places of outcomes in totals, which are by sign of the first player's payoff."""

POSITION_STATISTICS = (
    "positions", "terminal_x", "terminal_o", "terminal_tie", "moves", "quotient_paths", "games_up_to_symmetry",
    "by_remoteness",
)  # fmt: skip
"""Statistics unknown from residual classes."""
CLASS_STATISTICS = ("ply", "tier", "classes", "histories", "value", "games")
"""What residual classes show about a ply, a tier or a value."""


def whole_of(totals: Sequence[TierCensus]) -> TierCensus:
    """Add up the totals of all tiers."""
    return functools.reduce(operator.add, totals)


def games_of(ended: Sequence[int] | None) -> dict[str, int | None]:
    """Return the number of complete games, and of those with each outcome; None if not counted."""
    return {"games": None if ended is None else sum(ended), **_outcomes("games", ended)}


def class_moves(solution: Solution, tiers: Sequence[SolvedTier]) -> int:
    """Estimate the moves of the classes of some tiers: the average number per position for each class."""
    counts = {totals.tier: totals.counts for totals in solution._summary.totals}
    return sum(int(counts[tier.number][MOVES]) * len(tier) // int(counts[tier.number][POSITIONS]) for tier in tiers)


def numbers_of(summary: Summary, symmetry_order: int | None, *, by_ply: bool, loopy: bool) -> dict[str, Any]:
    """Return the numbers of a solution and its tables.

    In ``by_ply`` a position counts at every ply where it occurs; ``by_tier`` is added if tiers are not plies, with
    drawn positions (``value_draw``) in a loopy game. ``by_value`` has positions, terminal positions and complete games
    with each value; ``by_remoteness`` has positions as the player to move sees them, drawn ones last. Rows of zeros are
    left out; what was not counted is None.
    """
    totals = summary.totals
    whole = whole_of(totals)
    numbered: list[tuple[int, TierCensus | PlyTotals]] | None = [(t.tier, t) for t in totals]
    if not by_ply:
        numbered = None if whole.plies is None else [(t.ply, t) for t in whole.plies]
    tiers = [{"tier": t.tier, **_row(t), **({"value_draw": int(t.counts[DRAWN])} if loopy else {})} for t in totals]
    lengths = None
    if whole.ended is not None:
        lengths = [{"plies": ply, **games_of(t.ended)} for ply, t in numbered or () if t.ended and any(t.ended)]
    return {
        "positions": int(whole.counts[POSITIONS]),
        "classes": int(whole.counts[CLASSES]),
        "symmetry_order": symmetry_order,
        **_outcomes("terminal", whole.counts[TERMINAL : TERMINAL + 3]),
        "moves": int(whole.counts[MOVES]),
        **games_of(whole.ended),
        "games_by_length": lengths,
        "histories": whole.histories,
        "optimal_paths": summary.optimal_paths,
        "quotient_paths": summary.quotient_paths,
        "games_up_to_symmetry": summary.games_up_to_symmetry,
        "by_ply": None if numbered is None else [{"ply": ply, **_row(t)} for ply, t in numbered],
        **({} if by_ply else {"by_tier": tiers}),
        "by_value": [dict(vars(row)) for row in whole.values or _signs(whole) if row.positions],
        "by_remoteness": _by_remoteness(whole),
    }


def without_positions(statistics: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics with None for everything about positions, which residual classes do not show."""
    tables = {
        name: rows and [{key: row[key] if key in CLASS_STATISTICS else None for key in row} for row in rows]
        for name, rows in statistics.items()
        if name in ("by_ply", "by_tier", "by_value")
    }
    return statistics | dict.fromkeys(POSITION_STATISTICS) | tables


def _row(t: TierCensus | PlyTotals) -> dict[str, Any]:
    counts = t.counts
    return {
        "positions": int(counts[POSITIONS]),
        "classes": int(counts[CLASSES]),
        **_outcomes("terminal", counts[TERMINAL : TERMINAL + 3]),
        **_outcomes("value", counts[VALUE : VALUE + 3]),
        "moves": int(counts[MOVES]),
        "histories": t.histories,
    }


def _signs(whole: TierCensus) -> list[ValueTotals]:
    """Return the totals of the values -1, 0 and 1; drawn positions have value 0."""
    worth = np.add(whole.counts[VALUE : VALUE + 3], (0, whole.counts[DRAWN], 0)).tolist()
    over, games = whole.counts[TERMINAL : TERMINAL + 3].tolist(), whole.ended or (None, None, None)
    return [ValueTotals(i - 1, worth[i], over[i], games[i]) for i in range(3)]


def _by_remoteness(whole: TierCensus) -> list[dict[str, int | None]]:
    rows: list[dict[str, int | None]] = [
        {"remoteness_plies": plies, "win": win, "lose": lose, "tie": tie, "draw": 0}
        for plies, (lose, tie, win) in enumerate(whole.by_remoteness.tolist())
        if lose or tie or win
    ]
    drawn = int(whole.counts[DRAWN])
    return rows + ([{"remoteness_plies": None, "win": 0, "lose": 0, "tie": 0, "draw": drawn}] if drawn else [])


def _outcomes(name: str, numbers: Any) -> dict[str, int | None]:
    return {f"{name}_{key}": None if numbers is None else int(numbers[place]) for key, place in OUTCOMES.items()}


def games_up_to_symmetry(engine: Engine, games: int) -> int | None:
    """Count orbits of whole games; None if the group is not known.

    By Burnside's lemma it is the mean, over the group, of the games whose every position the element fixes. The
    identity fixes all ``games``.
    """
    if engine.order is None:
        return None
    symmetries = _of_group(engine.group) if not engine.reduces else engine.game.own_symmetries(engine.start) or ()
    return (games + sum(number * _fixed_games(engine, image) for number, image in symmetries)) // engine.order


def _of_group(group: Group) -> Iterator[tuple[int, Callable[[int], int]]]:
    """Yield the numbers of conjugate elements, which fix equally many games, each with one of them, without the
    identity.
    """
    remaining = set(group.permutations[1:])
    for permutation in group.permutations[1:]:
        if permutation in remaining:
            conjugates = {_conjugate(permutation, by) for by in group.permutations}
            remaining -= conjugates
            yield len(conjugates), functools.partial(permute, permutation=permutation, planes=group.planes)


def _conjugate(permutation: Permutation, other: Permutation) -> Permutation:
    """Return other o permutation o other^-1."""
    image = [0] * len(permutation)
    for cell, target in enumerate(permutation):
        image[other[cell]] = other[target]
    return tuple(image)


def _fixed_games(engine: Engine, image: Callable[[int], int]) -> int:
    """Count games all of whose positions a symmetry fixes, by counting histories over such positions. These are few,
    since a move must change a fixed cell, so no compiler is needed.
    """
    games, histories = 0, {engine.start: 1}
    while histories:
        reached: collections.Counter[int] = collections.Counter()
        for state, number in histories.items():
            moves = engine.rules.moves(state)
            games += number * (not moves)
            for _, child in moves:
                if image(child) == child:
                    reached[child] += number
        histories = dict(reached)
    return games


def endless(game: Game, *, drawn: bool = True) -> MissingDataError:
    """Return the error for counts and paths of a loopy game; shortest paths exist if the start is not ``drawn``."""
    advice = "positions, values and remoteness are known" if drawn else "--shortest gives the shortest, if any"
    return MissingDataError(
        f"{game.spec} is loopy: play can return to a position, so its games and optimal paths have no end; {advice}"
    )
