"""Solve small games in plain Python, without the compiler.

All positions and the moves between them are found, then labelled as the passes define. Irregular rules are not
explained here: the game is then left to the compiled engine, which says what is wrong and where.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import GametreeError
from ..rules.game import ONGOING
from .census import SolvedTierStep, tier_totals
from .columns import GREATEST, NEVER, ONE_LIMB, TALLIES
from .engine import Engine
from .tiers import Tier

DEEPEST = 60_000
"""The most tiers of a game: remoteness must fit the tables."""

MOST_CLASSES = 10_000
"""The most classes of a game solved here: each takes some 20 microseconds, so giving up costs a quarter of a second.
Loading the compiler and the kernels takes about a second.
"""


class LeftAsideError(Exception):
    """The game is too large for plain Python, or its rules are irregular."""


@dataclasses.dataclass(eq=False)
class PlainNode:
    """A canonical state with its moves and labels."""

    state: int
    tier: int
    mover: int
    payoff: int
    """The first player's payoff; `ONGOING` while the game goes on."""
    children: list[PlainNode] = dataclasses.field(default_factory=list)
    """The node after each move, ascending by code; repeated if several moves lead to it."""
    value: Any = None
    """An integer; None until it is found."""
    remoteness: Any = None
    """An integer; None until it is found, and if play never ends."""
    nimber: int = 0
    histories: dict[int, int] = dataclasses.field(default_factory=dict)
    """Move sequences that reach any position of the class, by their length."""
    tallies: list[int] = dataclasses.field(default_factory=list)
    """Counts as in `columns.TALLIES`."""


Tiers = dict[int, list[PlainNode]]
"""Nodes by tier, ascending by tier and within one by state."""


def explore(engine: Engine, most: int) -> Tiers:
    """Find all positions that play can reach. Raises `LeftAsideError` for more than ``most``, or if the rules are
    irregular, and whatever they raise.
    """
    rules, repeating = engine.rules, engine.game.moves_may_repeat
    most_code = rules.most_code
    nodes: dict[int, PlainNode] = {}
    waiting: list[tuple[int, int, PlainNode]] = []  # by tier, so that a tier is complete when its turn comes

    def reach(state: int, tier: int) -> PlainNode:
        node = nodes.get(state)
        if node is None:
            _require(len(nodes) < most and tier <= DEEPEST and 0 <= state < 1 << 63)
            node = nodes[state] = PlainNode(state, tier, rules.to_move(state), rules.outcome(state))
            heapq.heappush(waiting, (tier, len(nodes), node))
        _require(node.tier == tier)
        return node

    start = engine.canonical(engine.start)
    reach(start, 0 if rules.tier is None else rules.tier(start))
    while waiting:
        tier, _, node = heapq.heappop(waiting)
        moves, over = rules.moves(node.state), node.payoff != ONGOING
        _require(abs(node.mover) == 1 and over != bool(moves) and len(moves) <= 255)
        _require(not over or rules.payoffs[0] <= node.payoff <= rules.payoffs[1])
        codes = [code for code, _ in moves]
        _require(repeating or all(before < later for before, later in itertools.pairwise(codes)))
        for code, child in moves:
            _require(0 <= code <= most_code and 0 <= child < 1 << 63)
            after = engine.canonical(child)
            by_ply = tier + (not rules.loopy)
            next_tier = by_ply if rules.tier is None else rules.tier(after)
            _require(next_tier >= by_ply)
            node.children.append(reach(after, next_tier))
    tiers: Tiers = {}
    for node in sorted(nodes.values(), key=lambda node: (node.tier, node.state)):
        tiers.setdefault(node.tier, []).append(node)
    return tiers


def _require(regular: object) -> None:
    if not regular:
        raise LeftAsideError


def label(tiers: Tiers, *, impartial: bool) -> None:
    """Label a game without loops, the last tier first: v(s) is the best of the children for its mover; the winner
    hurries, the loser delays, and with value 0 the players hurry.
    """
    for node in itertools.chain.from_iterable(reversed(tiers.values())):
        if not node.children:
            _require(not impartial or node.payoff * node.mover < 0)
            node.value, node.remoteness = node.payoff, 0
            continue
        node.value = node.mover * max(node.mover * child.value for child in node.children)
        plies = [child.remoteness for child in node.children if child.value == node.value]
        node.remoteness = 1 + (max(plies) if node.mover * node.value < 0 else min(plies))
        if impartial:
            nimbers = {child.nimber for child in node.children}
            node.nimber = next(number for number in itertools.count() if number not in nimbers)


def label_loopy(tiers: Tiers) -> None:
    """Label a game with loops by retrograde analysis: wins and losses in the order of their remoteness, then the ties
    from level ends; the rest are draws, with value 0 and no remoteness.
    """
    nodes = [*itertools.chain.from_iterable(tiers.values())]
    open_moves, parents = (
        {node: len(node.children) for node in nodes},
        collections.defaultdict[PlainNode, list[PlainNode]](list),
    )
    for node in nodes:
        for child in node.children:
            parents[child].append(node)
    for tied in (False, True):
        level, plies = [node for node in nodes if not node.children and (node.payoff == 0) == tied], 0
        for node in level:
            node.value, node.remoteness = node.payoff, 0
        while level:
            following, plies = [], plies + 1
            for child in level:
                for node in parents[child]:
                    if node.value is not None:
                        continue
                    open_moves[node] -= child.value != node.mover
                    if tied or child.value == node.mover or not open_moves[node]:
                        node.value, node.remoteness = child.value, plies
                        following.append(node)
            level = following
    for node in nodes:
        node.value = node.value or 0


def count(tiers: Tiers) -> int:
    """Fill in histories and tallies of a game without loops; return the number of its complete games."""
    games = 0
    next(iter(tiers.values()))[0].histories = {0: 1}
    for node in itertools.chain.from_iterable(tiers.values()):
        games += sum(node.histories.values()) * (not node.children)
        for child in node.children:
            for plies, number in node.histories.items():
                child.histories[plies + 1] = child.histories.get(plies + 1, 0) + number
    for node in itertools.chain.from_iterable(reversed(tiers.values())):
        node.tallies = _tally(node)
    return games


def _tally(node: PlainNode) -> list[int]:
    """Count the games won by X, by O and tied from here on, optimal paths, the shortest of them, and paths of the
    quotient.
    """
    if not node.children:
        return [int(node.value > 0), int(node.value < 0), int(node.value == 0), 1, 1, 1]
    optimal = [child for child in node.children if child.value == node.value]
    shortest = [child for child in optimal if child.remoteness + 1 == node.remoteness]
    chosen: list[Iterable[PlainNode]] = [*[node.children] * 3, optimal, shortest, {*node.children}]
    return [sum(child.tallies[field] for child in children) for field, children in enumerate(chosen)]


def solve_plainly(engine: Engine, *, counts: bool, most: int = MOST_CLASSES) -> list[SolvedTierStep] | None:
    """Solve a game and return all tiers, the last first. Returns None for a game of more than ``most`` classes, and for
    irregular rules, which the compiled passes explain.
    """
    rules = engine.rules
    try:
        tiers = explore(engine, most)
        label_loopy(tiers) if rules.loopy else label(tiers, impartial=rules.impartial)
    except (LeftAsideError, GametreeError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    games = count(tiers) if counts else 0
    if games > GREATEST:
        return None
    limbs = (1 if games < ONE_LIMB else 2) if counts else 0
    steps: list[SolvedTierStep] = []
    held: dict[int, Tier] = {}
    for number in reversed(tiers):
        tier = held[number] = _as_arrays(engine, number, tiers[number], limbs)
        steps.append(SolvedTierStep(tier, tier_totals(tier, rules.payoffs), held))
    return steps


def _as_arrays(engine: Engine, number: int, nodes: list[PlainNode], limbs: int) -> Tier:
    """Return the nodes of a tier as arrays; with ``limbs``, the counts too."""
    labels = [
        ([node.state for node in nodes], np.int64),
        ([node.mover for node in nodes], np.int8),
        ([node.value for node in nodes], np.int16),
        ([NEVER if node.remoteness is None else node.remoteness for node in nodes], np.uint16),
        ([len(node.children) for node in nodes], np.uint8),
        ([engine.orbit_size(node.state) for node in nodes] if engine.sized else None, np.uint16),
        ([node.nimber for node in nodes] if engine.rules.impartial else None, np.uint8),
    ]
    arrays: list[Any] = [None if values is None else np.array(values, dtype=kind) for values, kind in labels]
    tier = Tier(number, engine.by_ply, *arrays)
    if limbs:
        tier.histories = _in_limbs([[sum(node.histories.values())] for node in nodes], limbs)[:, 0]
        tier.tallies = _in_limbs([node.tallies for node in nodes], limbs)
        assert tier.tallies.shape[1] == len(TALLIES)
        if engine.rules.tier is not None:
            plies = range(1 + max(max(node.histories) for node in nodes))
            tier.by_plies = _in_limbs([[node.histories.get(ply, 0) for ply in plies] for node in nodes], limbs)
    return tier


def _in_limbs(numbers: list[list[int]], limbs: int) -> np.ndarray:
    """Return integers [n, m] as uint64[n, m, limbs]."""
    cut = [[[number >> 64 * limb & ONE_LIMB - 1 for limb in range(limbs)] for number in row] for row in numbers]
    return np.array(cut, dtype=np.uint64)
