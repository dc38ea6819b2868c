"""Value, remoteness, nimber, histories and tallies of all positions of a small game, as the passes define them."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from analysis.engine.plain.graph import LeftAsideError, Node, Tiers


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
