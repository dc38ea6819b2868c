"""Solve small games in plain Python, without the compiler: positions of any hashable kind, moves as pairs.

All positions and the moves between them are found, then labelled as the passes define. Irregular rules are not judged
here: the game is then left to the compiled engine, which says what is wrong and where.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import GametreeError
from ..rules.game import ONGOING
from .census import SolvedTierStep, tier_totals
from .columns import GREATEST, NEVER, ONE_LIMB, TALLIES
from .engine import Engine
from .tiers import Tier

P = TypeVar("P", bound=Hashable)

DEEPEST = 60_000
"""The most tiers of a game: remoteness must fit the tables."""


MOST_CLASSES = 10_000
"""The most classes of a game solved here: each takes some 20 microseconds, so giving up costs a quarter of a second.
Loading the compiler and the kernels takes about a second.
"""


class LeftAsideError(Exception):
    """The game is too large for plain Python, or its rules are irregular."""


@dataclasses.dataclass(frozen=True)
class PlainRules(Generic[P]):
    """A game as plain functions of positions that stand for their symmetric images."""

    start: P
    moves: Callable[[P], Sequence[tuple[int, P]]]
    """``moves(position)``: pairs of a move's code and the position after it, ascending; none if the game is over."""
    payoff: Callable[[P], int | None]
    """``payoff(position)``: the first player's if the game is over, else None."""
    mover: Callable[[P], int]
    """``mover(position)``: +1 if the first player moves, -1 if the second does."""
    orbit_size: Callable[[P], int] | None
    """``orbit_size(position)``: how many positions it stands for; None if unknown."""
    tier: Callable[[P], int] | None
    """``tier(position)``, see `Rules.tier`; None if tiers are plies."""
    loopy: bool
    impartial: bool
    payoffs: tuple[int, int]
    """The least and the greatest payoff."""
    repeating: bool = False
    """Whether codes need not ascend."""


@dataclasses.dataclass
class PlainNode(Generic[P]):
    """A position with its moves and labels."""

    position: P
    tier: int
    mover: int
    payoff: int | None
    children: list[PlainNode[P]] = dataclasses.field(default_factory=list)
    """The node after each move, ascending by code; repeated if several moves lead to it."""
    value: Any = None
    """An integer; None until it is found."""
    remoteness: Any = None
    """An integer; None until it is found, and if play never ends."""
    nimber: int = 0
    histories: dict[int, int] = dataclasses.field(default_factory=dict)
    """Move sequences that reach any position it stands for, by their length."""
    tallies: list[int] = dataclasses.field(default_factory=list)
    """Counts as in `columns.TALLIES`."""


Tiers = dict[int, list[PlainNode[P]]]
"""Nodes by tier, ascending by tier and within one by position."""


def explore(rules: PlainRules[P], most: int) -> Tiers[P]:
    """Find all positions that play can reach. Raises `LeftAsideError` for more than ``most``, or if the rules are
    irregular.
    """
    try:
        return _Explorer(rules, most).tiers()
    except (GametreeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise LeftAsideError(str(error)) from error


class _Explorer(Generic[P]):
    """Takes positions in the order of their tiers, so that a tier is complete when its turn comes."""

    def __init__(self, rules: PlainRules[P], most: int) -> None:
        self._rules, self._most = rules, most
        self._nodes: dict[P, PlainNode[P]] = {}
        self._waiting: list[tuple[int, int, PlainNode[P]]] = []
        self._found(rules.start, 0 if rules.tier is None else rules.tier(rules.start))

    def tiers(self) -> Tiers[P]:
        while self._waiting:
            self._expand(heapq.heappop(self._waiting)[2])
        tiers: Tiers[P] = {}
        for node in sorted(self._nodes.values(), key=lambda node: (node.tier, node.position)):
            tiers.setdefault(node.tier, []).append(node)
        return tiers

    def _found(self, position: P, tier: int) -> PlainNode[P]:
        node = self._nodes.get(position)
        if node is None:
            if len(self._nodes) == self._most or tier > DEEPEST:
                raise LeftAsideError("too large")
            node = PlainNode(position, tier, self._rules.mover(position), self._rules.payoff(position))
            self._nodes[position] = node
            heapq.heappush(self._waiting, (tier, len(self._nodes), node))
        if node.tier != tier:
            raise LeftAsideError("a position in two tiers")
        return node

    def _expand(self, node: PlainNode[P]) -> None:
        rules, tier = self._rules, node.tier
        moves = rules.moves(node.position)
        if abs(node.mover) != 1 or (node.payoff is None) != bool(moves) or len(moves) > 255:
            raise LeftAsideError("a mover or an end that is none")
        if node.payoff is not None and not rules.payoffs[0] <= node.payoff <= rules.payoffs[1]:
            raise LeftAsideError("a payoff out of bounds")
        codes = [code for code, _ in moves]
        if not rules.repeating and any(one >= other for one, other in itertools.pairwise(codes)):
            raise LeftAsideError("move codes that do not ascend")
        for code, child in moves:
            after = tier + 1 if rules.tier is None and not rules.loopy else rules.tier(child) if rules.tier else 0
            if after < tier + (not rules.loopy) or not 0 <= code <= 254:
                raise LeftAsideError("a tier that falls, or a code that is none")
            node.children.append(self._found(child, after))


def label(tiers: Tiers[Any], *, impartial: bool) -> None:
    """Label a game without loops, the last tier first: v(s) is the best of the children for its mover; the winner
    hurries, the loser delays, and with value 0 the players hurry.
    """
    for nodes in reversed(tiers.values()):
        for node in nodes:
            if node.payoff is not None:
                if impartial and node.payoff * node.mover >= 0:
                    raise LeftAsideError("an impartial game whose end is not lost")
                node.value, node.remoteness = node.payoff, 0
                continue
            node.value = node.mover * max(node.mover * child.value for child in node.children)
            plies = [child.remoteness for child in node.children if child.value == node.value]
            node.remoteness = 1 + (max(plies) if node.mover * node.value < 0 else min(plies))
            if impartial:
                met = {child.nimber for child in node.children}
                node.nimber = next(number for number in range(len(met) + 1) if number not in met)


def label_loopy(tiers: Tiers[Any]) -> None:
    """Label a game with loops by retrograde analysis: wins and losses in the order of their remoteness, then the ties
    from level ends; the rest are draws, with value 0 and no remoteness.
    """
    nodes = [node for of_tier in tiers.values() for node in of_tier]
    parents: dict[int, list[PlainNode[Any]]] = collections.defaultdict(list)
    left = {id(node): len(node.children) for node in nodes}
    for node in nodes:
        for child in node.children:
            parents[id(child)].append(node)

    def decide(node: PlainNode[Any], value: Any, plies: int) -> PlainNode[Any]:
        node.value, node.remoteness = value, plies
        return node

    level = [decide(node, node.payoff, 0) for node in nodes if node.payoff]
    plies = 0
    while level:
        following, plies = [], plies + 1
        for child in level:
            for node in parents[id(child)]:
                if node.value is not None:
                    continue
                left[id(node)] -= child.value != node.mover
                if child.value == node.mover or not left[id(node)]:
                    following.append(decide(node, child.value, plies))
        level = following
    ties = {id(node) for node in nodes if node.value is None}
    for node in nodes:
        node.value = node.value or 0
    level, plies = [decide(node, 0, 0) for node in nodes if node.payoff == 0], 0
    while level:
        plies += 1
        level = [
            decide(node, 0, plies)
            for child in level
            for node in parents[id(child)]
            if id(node) in ties and node.remoteness is None
        ]


def count(tiers: Tiers[Any]) -> int:
    """Fill in histories and tallies of a game without loops; return the number of its complete games."""
    games = 0
    next(iter(tiers.values()))[0].histories = {0: 1}
    for nodes in tiers.values():
        for node in nodes:
            games += sum(node.histories.values()) * (not node.children)
            for child in node.children:
                for plies, number in node.histories.items():
                    child.histories[plies + 1] = child.histories.get(plies + 1, 0) + number
    for nodes in reversed(tiers.values()):
        for node in nodes:
            node.tallies = _tally(node)
    return games


def _tally(node: PlainNode[Any]) -> list[int]:
    """Count the games won by X, by O and tied from here on, optimal paths, the shortest of them, and paths of the
    quotient.
    """
    if not node.children:
        return [int(node.value > 0), int(node.value < 0), int(node.value == 0), 1, 1, 1]
    optimal = [child for child in node.children if child.value == node.value]
    shortest = [child for child in optimal if child.remoteness + 1 == node.remoteness]
    distinct = {id(child): child for child in node.children}.values()
    chosen: list[Iterable[PlainNode[Any]]] = [node.children, node.children, node.children, optimal, shortest, distinct]
    return [sum(child.tallies[field] for child in children) for field, children in enumerate(chosen)]


def solve_plainly(engine: Engine, *, counts: bool, most: int = MOST_CLASSES) -> list[SolvedTierStep] | None:
    """Solve a game and return all tiers, the last first. Returns None for a game of more than ``most`` classes, and for
    irregular rules, which the compiled passes explain.
    """
    rules = plain_rules(engine)
    try:
        tiers = explore(rules, most)
        label_loopy(tiers) if rules.loopy else label(tiers, impartial=rules.impartial)
        games = count(tiers) if counts else 0
    except LeftAsideError:
        return None
    if games > GREATEST:
        return None
    limbs = (1 if games < ONE_LIMB else 2) if counts else 0
    steps: list[SolvedTierStep] = []
    held: dict[int, Tier] = {}
    for number in reversed(tiers):
        tier = held[number] = _as_arrays(rules, number, tiers[number], limbs)
        steps.append(SolvedTierStep(tier, tier_totals(tier, rules.payoffs), held))
    return steps


def plain_rules(engine: Engine) -> PlainRules[int]:
    """Return the rules of a game over canonical states."""
    rules, canonical = engine.rules, engine.canonical

    def moves(state: int) -> list[tuple[int, int]]:
        return [(code, _state(canonical(_state(child)))) for code, child in rules.moves(state)]

    def payoff(state: int) -> int | None:
        found = rules.outcome(state)
        return None if found == ONGOING else found

    return PlainRules(
        start=canonical(engine.start),
        moves=moves,
        payoff=payoff,
        mover=rules.to_move,
        orbit_size=engine.orbit_size if engine.sized else None,
        tier=rules.tier,
        loopy=rules.loopy,
        impartial=rules.impartial,
        payoffs=rules.payoffs,
        repeating=engine.game.moves_may_repeat,
    )


def _state(number: int) -> int:
    if not 0 <= number < 1 << 63:
        raise LeftAsideError(f"{number} is no state")
    return number


def _as_arrays(rules: PlainRules[int], number: int, nodes: list[PlainNode[int]], limbs: int) -> Tier:
    """Return the nodes of a tier as arrays; with ``limbs``, the counts too."""

    def array(values: list[Any], dtype: type) -> np.ndarray:
        return np.array(values, dtype=dtype)

    tier = Tier(
        number,
        rules.tier is None and not rules.loopy,
        array([node.position for node in nodes], np.int64),
        array([node.mover for node in nodes], np.int8),
        array([node.value for node in nodes], np.int16),
        array([NEVER if node.remoteness is None else node.remoteness for node in nodes], np.uint16),
        array([len(node.children) for node in nodes], np.uint8),
        None if rules.orbit_size is None else array([rules.orbit_size(node.position) for node in nodes], np.uint16),
        array([node.nimber for node in nodes], np.uint8) if rules.impartial else None,
    )
    if limbs:
        tier.histories = _in_limbs([[sum(node.histories.values())] for node in nodes], limbs)[:, 0]
        tier.tallies = _in_limbs([node.tallies for node in nodes], limbs)
        assert tier.tallies.shape[1] == len(TALLIES)
        if rules.tier is not None:
            plies = range(1 + max(max(node.histories) for node in nodes))
            tier.by_plies = _in_limbs([[node.histories.get(ply, 0) for ply in plies] for node in nodes], limbs)
    return tier


def _in_limbs(numbers: list[list[int]], limbs: int) -> np.ndarray:
    """Return integers [n, m] as uint64[n, m, limbs]."""
    cut = [[[number >> 64 * limb & ONE_LIMB - 1 for limb in range(limbs)] for number in row] for row in numbers]
    return np.array(cut, dtype=np.uint64)
