"""All positions of a small game and the moves between them, found in plain Python.

Positions may be anything that can be hashed. Whatever is out of the ordinary in the rules is not judged here: the game
is then left to the compiled engine, which says what is wrong and where.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Hashable, Sequence
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
