"""All positions of a small game and the moves between them, found and labelled in plain Python as the passes define it.

Positions may be anything that can be hashed. Whatever is out of the ordinary in the rules is not judged here: the game
is then left to the compiled engine, which says what is wrong and where.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from analysis.errors import GametreeError

P = TypeVar("P", bound=Hashable)

DEEPEST = 60_000
"""Tiers of a game, at most: remoteness has to fit the tables."""


class LeftAsideError(Exception):
    """The game is too large for plain Python, or its rules need a closer look."""


@dataclasses.dataclass(frozen=True)
class PlainRules(Generic[P]):
    """A game as plain functions of positions that stand for their symmetric images."""

    start: P
    moves: Callable[[P], Sequence[tuple[int, P]]]
    """``moves(position)``: pairs of a move's code and the position after it, ascending; none where the game is over."""
    payoff: Callable[[P], int | None]
    """``payoff(position)``: the first player's where the game is over, else None."""
    mover: Callable[[P], int]
    """``mover(position)``: +1 where the first player moves, -1 where the second does."""
    orbit_size: Callable[[P], int]
    """``orbit_size(position)``: how many positions it stands for."""
    tier: Callable[[P], int] | None
    """``tier(position)``, see `Rules.tier`; None where tiers are plies."""
    loopy: bool
    impartial: bool
    payoffs: tuple[int, int]
    """The least and the greatest payoff."""


@dataclasses.dataclass
class Node(Generic[P]):
    """A position with its moves, and what is found of it."""

    position: P
    tier: int
    mover: int
    payoff: int | None
    children: list[Node[P]] = dataclasses.field(default_factory=list)
    """After each move, ascending by code; a node as often as moves lead to it."""
    value: Any = None
    """An integer; None until it is found."""
    remoteness: Any = None
    """An integer; None until it is found, and where play never ends."""
    nimber: int = 0
    histories: dict[int, int] = dataclasses.field(default_factory=dict)
    """Move sequences that reach any position it stands for, by their length."""
    tallies: list[int] = dataclasses.field(default_factory=list)
    """As in `columns.TALLIES`."""


Tiers = dict[int, list[Node[P]]]
"""Nodes by tier, ascending by tier and within one by position."""


def explore(rules: PlainRules[P], most: int) -> Tiers[P]:
    """All positions that play can reach. Raises `LeftAsideError` for more than ``most``, or where the rules are out of
    the ordinary.
    """
    try:
        return _Explorer(rules, most).tiers()
    except (GametreeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise LeftAsideError(str(error)) from error


class _Explorer(Generic[P]):
    """Takes positions in the order of their tiers, so that a tier is complete when its turn comes."""

    def __init__(self, rules: PlainRules[P], most: int) -> None:
        self._rules, self._most = rules, most
        self._nodes: dict[P, Node[P]] = {}
        self._waiting: list[tuple[int, int, Node[P]]] = []
        self._found(rules.start, 0 if rules.tier is None else rules.tier(rules.start))

    def tiers(self) -> Tiers[P]:
        while self._waiting:
            self._expand(heapq.heappop(self._waiting)[2])
        tiers: Tiers[P] = {}
        for node in sorted(self._nodes.values(), key=lambda node: (node.tier, node.position)):
            tiers.setdefault(node.tier, []).append(node)
        return tiers

    def _found(self, position: P, tier: int) -> Node[P]:
        node = self._nodes.get(position)
        if node is None:
            if len(self._nodes) == self._most or tier > DEEPEST:
                raise LeftAsideError("too large")
            node = Node(position, tier, self._rules.mover(position), self._rules.payoff(position))
            self._nodes[position] = node
            heapq.heappush(self._waiting, (tier, len(self._nodes), node))
        if node.tier != tier:
            raise LeftAsideError("a position in two tiers")
        return node

    def _expand(self, node: Node[P]) -> None:
        rules, tier = self._rules, node.tier
        moves = rules.moves(node.position)
        if abs(node.mover) != 1 or (node.payoff is None) != bool(moves) or len(moves) > 255:
            raise LeftAsideError("a mover or an end that is none")
        if node.payoff is not None and not rules.payoffs[0] <= node.payoff <= rules.payoffs[1]:
            raise LeftAsideError("a payoff out of bounds")
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
    from level ends; what is left are draws, with value 0 and no remoteness.
    """
    nodes = [node for of_tier in tiers.values() for node in of_tier]
    parents: dict[int, list[Node[Any]]] = collections.defaultdict(list)
    left = {id(node): len(node.children) for node in nodes}
    for node in nodes:
        for child in node.children:
            parents[id(child)].append(node)

    def decide(node: Node[Any], value: Any, plies: int) -> Node[Any]:
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


def _tally(node: Node[Any]) -> list[int]:
    """Games won by X, by O and tied from here on, optimal paths, the shortest of them, and paths of the quotient."""
    if not node.children:
        return [int(node.value > 0), int(node.value < 0), int(node.value == 0), 1, 1, 1]
    optimal = [child for child in node.children if child.value == node.value]
    shortest = [child for child in optimal if child.remoteness + 1 == node.remoteness]
    distinct = {id(child): child for child in node.children}.values()
    chosen: list[Iterable[Node[Any]]] = [node.children, node.children, node.children, optimal, shortest, distinct]
    return [sum(child.tallies[field] for child in children) for field, children in enumerate(chosen)]
