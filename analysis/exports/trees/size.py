"""How many nodes the game tree of a part has, before anybody walks it: histories, counted by classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.errors import OptionError
from analysis.exports.parts.choice import MOST_PIECES
from analysis.exports.parts.leads import leads
from analysis.exports.parts.part import Part
from analysis.machine.memory import Budget
from analysis.rules.game import Game

ENOUGH = 10**16
"""Where counting by classes stops: no tree of so many nodes is written, and 255 times as many still fit 63 bits."""


CLASS_BYTES = 100
"""Bytes of a class while the histories that end in it are counted, and in those after it."""


class _Reached(NamedTuple):
    """Classes of one tier that histories of one length reach."""

    states: np.ndarray  # int64[n], canonical, sorted
    histories: np.ndarray  # int64[n], how many end there


def count_nodes(part: Part) -> int:
    """How many histories there are from the start, the empty one included: of at most ``part.depth`` moves, of optimal
    moves alone where the part has no others. A number above `ENOUGH` is the least that there are, unless the solution
    has its counts, see `is_exact`. Raises `OptionError` for a loopy game without a depth, see `check_end`.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> count_nodes(Part(solution)), count_nodes(Part(solution, depth=2))
    (549946, 82)
    >>> count_nodes(Part(solution, optimal_only=True))
    12134
    """
    solution = part.solution
    check_end(solution.game, part.depth)
    if solution.counted and not part.optimal_only:
        rows = solution.statistics()["by_ply"]
        return sum(row["histories"] for row in rows if part.depth is None or row["ply"] <= part.depth)
    return _by_classes(part)


def check_end(game: Game, depth: int | None) -> None:
    """Raise `OptionError` for a game whose tree has no end, unless it is cut off at a ``depth``."""
    if game.rules().loopy and depth is None:
        raise OptionError(
            f"{game.spec} is loopy: play can return to a position, so its game tree has no end; cut it with "
            "--depth PLIES"
        )


def is_exact(part: Part, nodes: int) -> bool:
    """Whether a number of `count_nodes` is not only the least that there are."""
    return nodes <= ENOUGH or (part.solution.counted and not part.optimal_only)


def _by_classes(part: Part) -> int:
    """How many histories there are, ply by ply: of each class, how many reach it."""
    solution = part.solution.classes
    engine, tier = solution.engine, solution.find_tier(solution.engine.start)
    one, budget = np.ones(1, dtype=np.int64), Budget.of_machine()
    frontier = {tier: _Reached(np.array([engine.canonical(engine.start)], dtype=np.int64), one)}
    total, plies = 1, 0
    while frontier and total <= ENOUGH and plies != part.depth:
        classes = sum(len(reached.states) for reached in frontier.values())
        budget.require(
            CLASS_BYTES * classes, f"counting the histories of {classes:,} classes or more", "a smaller --depth"
        )
        frontier, plies = _after(part, frontier), plies + 1
        total += sum(int(reached.histories.sum()) for reached in frontier.values())
    return total


def _after(part: Part, frontier: dict[int, _Reached]) -> dict[int, _Reached]:
    """The classes after one more move, and how many histories now end in each."""
    found: dict[int, list[_Reached]] = {}
    states = {tier: reached.states for tier, reached in frontier.items()}
    for each in leads(part.solution.classes, states, part.optimal_only):
        histories = frontier[each.source].histories[each.rows]
        pieces = found.setdefault(each.target, [])
        pieces.append(_merged(each.children, histories))
        if len(pieces) == MOST_PIECES:
            pieces[:] = [_joined(pieces)]
    return {number: _joined(pieces) for number, pieces in sorted(found.items())}


def _joined(pieces: Sequence[_Reached]) -> _Reached:
    return _merged(np.concatenate([p.states for p in pieces]), np.concatenate([p.histories for p in pieces]))


def _merged(states: np.ndarray, histories: np.ndarray) -> _Reached:
    """Each state once, with the sum of its histories."""
    order = np.argsort(states, kind="stable")
    ordered = states[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return _Reached(ordered[first], np.add.reduceat(histories[order], first))
