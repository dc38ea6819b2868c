"""Find out whose turn it is at the nodes of a tree.

**An attribute says whose turn it is if its name does (``player``, ``turn``, ``to_move``, ``maximizing``), or, whatever
its name, if it is ``max`` or ``min`` at a node, or a player at every node.** Then it must name a player wherever it is.
Nodes without it alternate with those above and below; if no node says, the sides alternate. Leaves are ignored.
"""

from __future__ import annotations

import functools
import numbers
import re
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import TreeError

if TYPE_CHECKING:
    import networkx as nx

MAXIMIZE = r"(?P<side>max|min)(imi[sz](ing|er|ed|e))?(node|player|level|ply|turn|tomove|s)?"
EXTREME, TRUTH = re.compile(MAXIMIZE + r"\d*"), re.compile(rf"(is)?{MAXIMIZE}")
"""Words that always name a player, and names of attributes that are true or false."""
NUMBER = re.compile(r"[+-]?\d+")
FIRST, SECOND = ("x", "first", "1", "+1", "player1", "p1"), ("o", "second", "2", "-1", "player2", "p2")
"""Other words for the players, in lower case."""
OTHERS = {
    "white", "black", "red", "blue", "human", "computer", "ai", "agent", "me", "you", "us", "them", "self", "opponent",
    "enemy", "adversary", "player", "pacman", "ghost", "random", "exp", "average",
}  # fmt: skip
"""Words for players that do not tell which is the first."""
CHANCE, PROBABILITY = {"chance", "nature", "expectation", "expectimax"}, {"probability", "prob"}
"""Values, and names of attributes, that only games with chance have."""
TURN = re.compile(
    r"(.*_)?(player|turn|mover|agent)(_(id|index|name))?|.*(to_?move|to_?play|currentplayer)"
    "|is_?(x|o|white|black|first|second|human|ai|computer|opponent)"
)
"""Names of attributes that say whose turn it is."""
NOT_THE_TURN = re.compile(r"(.*_)?(winner|won|wins|win|loser|best|last|previous|prev|just|parent|next)(_.*)?")
"""Names of attributes that name a player for another reason."""
NAMES = ("id", "name", "label")  # attributes that may name nodes


@functools.lru_cache(4096)
def snake_case(name: str) -> str:
    """Return a name in snake case, without the name of an enclosing object.

    >>> snake_case("nodeType"), snake_case("data.isMax"), snake_case("To Move")
    ('node_type', 'is_max', 'to_move')
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.rpartition(".")[2])
    return re.sub(r"[\W_]+", "_", words).strip("_").casefold()


def _bare(value: Any) -> str:
    """Return a word as the tables above write it: ``1.0`` as ``1``, ``MAX_NODE`` as ``maxnode``."""
    whole = isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value // 1
    return re.sub(r"(?<=\w)[\s_-]+", "", str(int(value) if whole else value).strip().casefold())


def _turns(name: str, column: Mapping[Any, str], words: Mapping[str, bool]) -> dict[Any, bool]:
    """Return whether the first player moves at each node with an attribute; empty if it does not say whose turn it is.
    Raises `TreeError` if it must name a player and does not.
    """
    snake, values = snake_case(name), {*column.values()}
    extremes = {value: match["side"] == "max" for value in values if (match := EXTREME.fullmatch(value))}
    sides = {value: words[value] for value in values if value in words} | extremes
    if truth := TRUTH.fullmatch(snake.replace("_", "")):
        first = truth["side"] == "max"
        sides = {"true": first, "1": first, "false": not first, "0": not first}
        counts = values <= sides.keys() or bool(re.match("is|m..imi", truth[0]))  # bounds and counts say nothing
    elif name in NAMES:
        counts = values == extremes.keys()
    else:
        plain = snake in ("type", "side") or not any(NUMBER.fullmatch(value) for value in values)
        counts = bool(TURN.fullmatch(snake) or extremes or values & CHANCE or (plain and values <= {*sides, *OTHERS}))
        counts &= not NOT_THE_TURN.fullmatch(snake)
    for node, value in column.items() if counts else ():
        if value not in sides:
            right = "true or false" if truth else "max, min, X, O, first, second, 1, 2 or -1"
            raise TreeError(f"node {node} has {name} {value[:40]!r}; write {right}, for games are without chance")
    return {node: sides[value] for node, value in column.items()} if counts else {}


def movers_of(
    tree: nx.DiGraph[Any], inner: Sequence[Any], players: Sequence[str], declared: Mapping[Any, bool]
) -> tuple[dict[Hashable, bool], list[str]]:
    """Return whether the first player moves, for each node with children, and the attributes that say so; empty if no
    node says so. A node that does not say differs from all its neighbours. Raises `TreeError` for contradictions, nodes
    that remain ambiguous, and chance.

    Args:
        tree: The graph.
        inner: Its nodes with children.
        players: The names of the first player and the second, if known.
        declared: Whether the first player moves at some nodes, from elsewhere.
    """
    words = dict.fromkeys(FIRST, True) | dict.fromkeys(SECOND, False)
    words |= dict(zip(map(_bare, players), (True, False), strict=False))
    columns: dict[str, dict[Any, str]] = {"id": {node: _bare(node) for node in inner if isinstance(node, str)}}
    for node in inner:
        for key, value in tree.nodes[node].items():
            if value is not None and value != "" and not isinstance(value, (list, tuple, dict)):
                columns.setdefault(str(key), {})[node] = _bare(value)
    keys = {snake_case(str(key)) for _, data in tree.nodes(data=True) for key in data}
    keys |= {snake_case(str(key)) for *_, data in tree.edges(data=True) for key in data}
    if chance := keys & PROBABILITY:
        raise TreeError(f"something has a {min(chance)}; games are without chance")
    turns = {name: _turns(name, column, words) for name, column in columns.items() if column}
    turns = {name: column for name, column in turns.items() if column}
    sides: dict[Hashable, bool] = {}
    for node, side in (item for column in (*turns.values(), declared if turns else {}) for item in column.items()):
        if sides.setdefault(node, side) != side:
            names = [*turns, *(["the graph"] if node in declared else [])]
            raise TreeError(f"{' and '.join(names)} of node {node} name different players")
    if not turns:
        moves = {(str(key), _bare(value)) for *_, data in tree.edges(data=True) for key, value in data.items()}
        nodes = {(name, value) for name, column in columns.items() for value in column.values()}
        for pattern, attributes in ((TURN, moves), (NOT_THE_TURN, nodes)):
            for name, value in sorted(attributes):
                is_player = value in words or EXTREME.fullmatch(value)
                turn, plain = TURN.fullmatch(snake_case(name)), not NUMBER.fullmatch(value)
                if pattern.fullmatch(snake_case(name)) and is_player and (turn or plain):
                    raise TreeError(f"{name} {value!r} does not say whose turn it is; write that as 'player' of nodes")
    return _alternate(tree, inner, sides) if turns else {}, [*turns]


def _alternate(tree: nx.DiGraph[Any], inner: Sequence[Any], marks: Mapping[Any, bool]) -> dict[Any, bool]:
    """Return the sides at all inner nodes, given those at some. Raises `TreeError` if they do not follow."""
    sides, waiting, unclear, inner_nodes = dict(marks), [*marks], None, {*inner}
    for node in waiting if len(marks) < len(inner) else ():  # grows during the loop
        for other in (*tree.pred[node], *tree.succ[node]):
            if other in inner_nodes and other not in sides:
                sides[other] = not sides[node]
                waiting.append(other)
            elif other in inner_nodes and sides[other] == sides[node] and not (node in marks and other in marks):
                unclear = node if node not in marks else other
    unclear = next((node for node in inner if node not in sides), unclear)
    if unclear is not None:
        raise TreeError(f"node {unclear} does not say whose turn it is, and alternation allows either side; mark it")
    return sides
