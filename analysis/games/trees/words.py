"""Whose turn it is at the nodes of a tree: under which names nodes say it, and in which words.

A node may say it under any of `SIDE_KEYS`, in the words of `FIRST` and `SECOND` or by the name of a player; or under
one of `TRUTH_KEYS`, whether it is the first player's. Nodes that do not say alternate with those above and below them;
if no node says, the sides alternate. Leaves are ignored.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

from ...errors import TreeError
from ...wording import listed

N = TypeVar("N", bound=Hashable)

SIDE_KEYS = ("tomove", "player", "currentplayer", "turn", "type")
TRUTH_KEYS = ("maximizing", "ismax", "ismaximizing", "maximizingplayer")
"""Node attributes; case, ``_`` and spaces do not matter."""

FIRST = ("max", "maximizer", "maximizing", "x", "first", "1", "+1")
SECOND = ("min", "minimizer", "minimizing", "o", "second", "2", "-1")
"""Words for the players, in any case. Numbers are 1 and 2, or 1 and -1."""
CHANCE = ("chance", "nature", "random", "expectation", "exp", "c")

TRUTH = {"true": True, "false": False, "1": True, "0": False}


def word_of(value: Any) -> str:
    """Return the key of a value in tables of words: ``1.0`` as ``1``."""
    whole = isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value // 1
    return str(int(value) if whole else value).strip().casefold()


def words_for(players: Any) -> dict[str, bool]:
    """Map words to players, including the players' own names if there are two."""
    words = dict.fromkeys(FIRST, True) | dict.fromkeys(SECOND, False)
    if isinstance(players, (list, tuple)) and len(players) == 2:
        words |= {word_of(player): first for player, first in zip(players, (True, False), strict=True)}
    return words


def side_said(data: Mapping[str, Any], words: Mapping[str, bool], node: Any) -> bool | None:
    """Return whether a node says that the first player moves; None if it does not say. Raises `TreeError`."""
    found: dict[str, bool] = {}
    for key, said in data.items():
        bare = str(key).replace("_", "").replace(" ", "").casefold()
        if bare not in (*SIDE_KEYS, *TRUTH_KEYS) or said is None or said == "":
            continue
        known = TRUTH if bare in TRUTH_KEYS else words
        if word_of(said) not in known:
            several = listed(["max", "min", "X", "O", "first", "second", "1", "2", "-1"])
            right = "true or false" if bare in TRUTH_KEYS else several
            chance = "; games are without chance" if word_of(said) in CHANCE else ""
            raise TreeError(f"node {node} has {key} {str(said)[:40]!r}; write {right}{chance}")
        found[key] = known[word_of(said)]
    if len({*found.values()}) > 1:
        raise TreeError(f"{' and '.join(found)} of node {node} name different players")
    return next(iter(found.values()), None)


def sides_of(
    nodes: Mapping[N, Mapping[str, Any]],
    edges: Iterable[tuple[N, N]],
    words: Mapping[str, bool],
    declared: Mapping[N, bool | None],
) -> dict[N, bool] | None:
    """Return whether the first player moves, for each node with children; None if no node says who does. A node that
    does not say differs from all its neighbours. Raises `TreeError` for contradictions and nodes that may be either's.

    Args:
        nodes: What is said of each node with children.
        edges: Those of the whole graph.
        words: Those for the players, see `words_for`.
        declared: What is said of nodes elsewhere.
    """
    said = {node: side_said(data, words, node) for node, data in nodes.items()}
    sides = {node: side for node, side in said.items() if side is not None}
    if not sides:
        return None
    for node, side in declared.items():
        if side is not None and node in nodes and sides.setdefault(node, side) != side:
            first, second = ("the first player", "the second player")[:: 1 if sides[node] else -1]
            raise TreeError(f"node {node} says that {first} moves, but the tree says {second}")
    marks, waiting, beside = {*sides}, [*sides], dict[N, list[N]]()
    for parent, child in edges if len(sides) < len(nodes) else ():
        if parent in nodes and child in nodes and not marks.issuperset((parent, child)):
            beside.setdefault(parent, []).append(child)
            beside.setdefault(child, []).append(parent)
    wrong = None
    for node in waiting:  # grows as it goes
        for other in beside.get(node, ()):
            if other not in sides:
                sides[other] = not sides[node]
                waiting.append(other)
            elif sides[other] == sides[node]:
                wrong = node if node not in marks else other
    wrong = next((node for node in nodes if node not in sides), wrong)
    if wrong is not None:
        raise TreeError(f"node {wrong} does not say whose turn it is, and alternation allows either side; mark it")
    return sides
