"""Read trees as text into one form: JSON, Gambit's extensive form, and a compact form such as ``((3 12 8) (2 4 6))``.

JSON is node-link data, or nested: either objects, where a node has ``children`` and a leaf a ``value``, or lists and
numbers. In the compact form a node is its children in parentheses, and a leaf its value. Either may have a name,
``A(...)`` and ``a:3``; unnamed nodes are numbered from 0, level by level from the root. ``max`` or ``min`` before a
node says who moves there; ``#`` begins a comment. Extensive forms (EFG 2 R, see Gambit's documentation, "Game
representation formats") must be constant-sum games of two players with perfect information and without chance; a node
is named by its label if that is unique, else by its number in the file, from 0.

Leaf values are any finite numbers. The kernels use whole numbers only: other values are searched by their ranks.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import numbers
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import TreeError
from analysis.machine.arguments import checked
from analysis.machine.files import reason
from analysis.search.kernels.layout import GREATEST_PAYOFF

if TYPE_CHECKING:
    import networkx as nx

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""A regular expression for numbers as people write them."""

COMPACT = re.compile(
    rf"\s+|,|#[^\n]*|(?P<open>\()|(?P<close>\))|(?P<value>{NUMBER}(?![\w.])|[+-]?(?i:inf(inity)?|nan)\b(?!\s*[(:=]))"
    r"|(?P<side>(?i:max|min)\b(?!\s*[:=]))|(?P<name>[^\W\d]\w*)|(?P<is>[:=])"
)
"""Tokens of the compact form, including infinity and NaN, which are refused later by name."""

# Two numbers separated only by a comma, or one with a decimal comma; two separated only by blanks.
GLUED, APART = re.compile(r"[-+.\w]{0,9}\d,\d[.\w]{0,9}"), re.compile(r"\d\s+[-+.\w]")

EXTENSIVE = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"|(?P<brace>[{}])|(?P<word>[^\s{}",]+)|[\s,]+', re.DOTALL)
"""Tokens of extensive forms."""

LONGEST_NUMBER = 400

LARGEST_EXACT = 1 << 53
"""Whole floats up to this size become integers."""

TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclasses.dataclass(frozen=True)
class TreeFile:
    """A tree with what its text says about it."""

    graph: nx.DiGraph[Any]
    source: Any = None
    """The root of the search; None for the only node without a parent."""
    maximizing: bool | None = None
    """Whether the first player moves at the source; None if only the nodes say so, or nothing does."""
    name: str | None = None
    """What searches call a tree given as text; its nodes keep the side to move of the whole tree."""

    @classmethod
    def of(cls, graph: nx.DiGraph[Any], name: str = "tree") -> TreeFile:
        """Make a tree of a graph and its attributes ``source`` and ``maximizing``. Raises `TreeError`, naming the tree
        ``name``.

        A node marked ``cut``, some of whose moves an export left out, becomes a leaf with its own value, unless only
        optimal moves remain, which lead to the same value.
        """
        said = graph.graph.get("maximizing")
        maximizing = None if said is None else TRUTH.get(word_of(said))
        if said is not None and maximizing is None:
            raise TreeError(f"{name}: graph.maximizing is {str(said)[:40]!r}; write true or false")
        source = graph.graph.get("source")
        cut = [node for node, data in graph.nodes(data=True) if data.get("cut") is True and "value" in data]
        moves = [list(graph.out_edges(node)) for node in cut]
        dropped = [edges for edges in moves if not all(graph.edges[edge].get("optimal") for edge in edges)]
        if dropped:
            graph = graph.copy()
            graph.remove_edges_from(itertools.chain.from_iterable(dropped))
        return cls(graph, source, maximizing)


@checked
def read_tree(path: str | Path) -> TreeFile:
    """Read the tree in the file at ``path``, in any form. Raises `TreeError` if it is unreadable or not a tree."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TreeError(f"{path} is not a text file") from None
    except OSError as error:
        raise TreeError(f"cannot read {path}: {reason(error)}") from None
    return parse_tree(text, str(path))


@checked
def parse_tree(text: str, name: str = "tree") -> TreeFile:
    """Parse the tree that ``text`` describes; errors call it ``name``. Raises `TreeError` for a text that is not a
    tree.

    >>> tree = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    >>> len(tree.graph), list(tree.graph.successors(0)), tree.graph.nodes[4]["value"]
    (13, [1, 2, 3], 3)
    >>> tree = parse_tree('EFG 2 R "" {"A" "B"} p "a" 1 1 "" {"l" "r"} 0 t "" 1 "" {1 -1} t "" 2 "" {0 0}').graph
    >>> list(tree.successors("a")), tree.nodes[1]["value"], tree.nodes["a"]["player"]
    ([1, 2], 1, 1)
    """
    if is_json(text):
        return TreeFile.of(_parse_json(text, name), name)
    extensive = re.match(r"\s*EFG\s+\d", text)
    return TreeFile.of(_grow(_parse_extensive(text, name) if extensive else _parse_compact(text, name), name), name)


def is_json(text: str) -> bool:
    """Return whether a text is read as JSON.

    >>> is_json('{"children": [{"value": 3}]}'), is_json("[[3, 12], [2, 4]]"), is_json("((3 12) (2 4))")
    (True, True, False)
    """
    return text.lstrip().startswith(("{", "["))


def word_of(value: Any) -> str:
    """Return the key of a value in tables of words: ``1.0`` as ``1``."""
    whole = isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value // 1
    return str(int(value) if whole else value).strip().casefold()


# Nested ---------------------------------------------------------------------------------------------------------------


def _grow(root: Any, name: str) -> nx.DiGraph[Any]:
    """Build the tree whose nodes are objects with children, lists of children, or numbers (leaves)."""
    import networkx as nx

    graph: nx.DiGraph[Any] = nx.DiGraph()
    waiting: list[tuple[Any, Any]] = [(None, root)]
    for number, (parent, told) in enumerate(waiting):  # grows as it goes
        node = told if isinstance(told, dict) else {"children": told} if isinstance(told, list) else {"value": told}
        children = node.get("children")
        if not isinstance(told, (dict, list, int, float)) or not isinstance(children, (list, type(None))):
            raise TreeError(f"{name}, read as JSON: {json.dumps(told)[:60]} needs a list of 'children' or a 'value'")
        if isinstance(told, list) and not told:
            raise TreeError(f"{name}, read as JSON: [] has neither children nor a value")
        key = next((key for key in ("id", "name") if key in node), None)
        label = number if key is None else _label(node, key, name)
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_nodes_from([(label, {key: value for key, value in node.items() if key not in ("id", "children")})])
        graph.add_edges_from([] if parent is None else [(parent, label)])
        waiting += [(label, child) for child in children or ()]
    return graph


def _label(item: Any, key: str, name: str) -> Any:
    label = item.get(key) if isinstance(item, dict) else None
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        what = "a node" if key == "id" else "an edge"
        raise TreeError(f"{name}: {what} {str(item)[:60]} needs a name or a number as its {key!r}")
    return label


# JSON -----------------------------------------------------------------------------------------------------------------


def _parse_json(text: str, name: str) -> nx.DiGraph[Any]:
    import networkx as nx

    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TreeError(f"{name} is not valid JSON: {error.msg} at {where}") from None
    except (ValueError, RecursionError) as error:
        raise TreeError(f"{name} cannot be read as JSON: {error}") from None
    if isinstance(data, list):
        return _grow(data, name)
    root = data.get("root", data)
    if isinstance(root, dict) and "nodes" not in data and ("children" in root or "value" in root):
        return _grow(root, name)
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise TreeError(
            f"{name} is JSON but not a tree; it needs lists 'nodes' and 'edges' (or 'links'), or nested 'children'"
        )
    if data.get("directed") is False:
        raise TreeError(f"{name} is not a directed graph; its edges must lead from parents to children")
    labels = [_label(node, "id", name) for node in nodes]
    ends = [(_label(edge, "source", name), _label(edge, "target", name)) for edge in edges]
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.graph.update(data["graph"] if isinstance(data.get("graph"), dict) else {})
    for label, node in zip(labels, nodes, strict=True):
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_nodes_from([(label, {key: value for key, value in node.items() if key != "id"})])
    for end in itertools.chain.from_iterable(ends):
        if end not in graph:
            raise TreeError(f"{name}: an edge names node {end}, which is not in 'nodes'")
    graph.add_edges_from((*end, edge) for end, edge in zip(ends, edges, strict=True))
    return graph


# Compact --------------------------------------------------------------------------------------------------------------


def _parse_compact(text: str, name: str) -> dict[str, Any]:
    """Return the root with its nested children; not recursive, so that trees may be deep."""
    top: dict[str, Any] = {"children": []}
    stack, head = [top], dict[str, Any]()  # head: what is said of a node before its children or value
    wants_value = False
    for kind, word in itertools.chain(_tokens(text.replace("\N{MINUS SIGN}", "-"), name), [("end", "")]):
        if kind == "value" and len(word) > LONGEST_NUMBER:
            raise TreeError(f"{name}: {word[:20]}... is too large a value")
        _check_follows(kind, word, head, wants_value, name)
        if kind == "is":
            wants_value = True
        elif kind == "side":
            head["to_move"] = word.lower()
        elif kind == "name":
            head["id"] = word
        elif kind in ("value", "open"):
            stack[-1]["children"].append(head)
            if kind == "open":
                head["children"] = []
                stack.append(head)
            else:
                head["value"] = parse_number(word) if re.fullmatch(NUMBER, word) else float(word)
            head, wants_value = {}, False
        elif kind == "close":
            if len(stack) == 1:
                raise TreeError(f"{name}: one ')' too many")
            if not stack.pop()["children"]:
                raise TreeError(f"{name}: '()' has neither children nor a value")
    if len(stack) > 1:
        raise TreeError(f"{name}: {len(stack) - 1} ')' missing")
    if len(top["children"]) != 1:
        found = f"{len(top['children'])} trees side by side" if top["children"] else "nothing"
        raise TreeError(f"{name} holds {found}; write one tree, such as ((3 12 8) (2 4 6))")
    return top["children"][0]


def _check_follows(kind: str, word: str, head: dict[str, Any], wants_value: bool, name: str) -> None:
    """Refuse a token that cannot follow a name, or a word that says who moves."""
    named, side = head.get("id"), head.get("to_move")
    if kind == "is" and (named is None or wants_value):
        raise TreeError(f"{name}: {word!r} must follow a name")
    if side is not None and kind not in ("name", "open"):
        raise TreeError(f"{name}: {side} must precede a node with children, such as {side}(3 12)")
    if named is not None and kind not in (("is", "value", "side") if wants_value and side is None else ("is", "open")):
        raise TreeError(
            f"{name}: {named} has neither children nor a value; write {named}(3 12) or, for a leaf, {named}:3"
        )


def _tokens(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each token of the compact form."""
    bare, at = re.sub(r"#[^\n]*", "", text), 0
    glued = GLUED.search(bare)
    if glued and APART.search(bare):
        raise TreeError(
            f"{name}: {glued.group()[:20]!r} could be one number or two; write a decimal point, or put commas between "
            "all numbers or none"
        )
    while at < len(text):
        match = COMPACT.match(text, at)
        if match is None:
            line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
            word = re.match(r"\S*", text[at:]).group()[:20]  # type: ignore[union-attr]
            raise TreeError(
                f"{name}, line {line}, column {column}: {word!r} is not a number, name or parenthesis; "
                "write a tree as ((3 12 8) (2 4 6))"
            )
        if match.lastgroup:
            yield match.lastgroup, match.group()
        at = match.end()


# Extensive forms ------------------------------------------------------------------------------------------------------


def _parse_extensive(text: str, name: str) -> dict[str, Any]:
    """Return the root with its nested children; inner nodes carry ``player``, leaves the first player's payoff."""
    file = _Tokens(text, name)
    head = [file.take("word") for _ in range(3)]
    if head[:2] != ["EFG", "2"] or head[2] not in "RD":
        raise TreeError(f"{name} begins with {' '.join(head)!r}, but an extensive form begins with 'EFG 2 R'")
    file.take("text")
    players = file.take_list()
    if len(players) != 2:
        raise TreeError(f"{name} has {len(players)} players; only trees of two players can be searched")
    file.skip_text()  # a comment
    nodes: list[tuple[dict[str, Any], str]] = []  # with the number of the outcome
    top: list[dict[str, Any]] = []
    above, sets = [(top, 1)], set[tuple[str, str]]()  # above: unfinished lists of children, and their final lengths
    while above:
        kind, label = file.take("word"), file.take("text")
        player, actions = file.take_decision(kind, label, sets)
        node: dict[str, Any] = {"id": label} | ({"player": player, "children": []} if actions else {})
        nodes.append((node, file.take_outcome(label, ends=not actions)))
        above[-1][0].append(node)
        above += [(node["children"], actions)] if actions else []
        while above and len(above[-1][0]) == above[-1][1]:
            above.pop()
    file.take("end")
    if len({sum(file.payoffs[outcome]) for node, outcome in nodes if "children" not in node}) > 1:
        raise TreeError(f"{name} is not constant-sum: one player's gain must be the other's loss")
    used = Counter(node["id"] for node, _ in nodes)
    for number, (node, outcome) in enumerate(nodes):
        node["id"] = node["id"] if node["id"] and used[node["id"]] == 1 else number
        if "children" not in node:
            payoff = file.payoffs[outcome][0]
            node["value"] = int(payoff) if payoff.denominator == 1 else float(payoff)
    return top[0]


class _Tokens:
    """The unread tokens of an extensive form, and the payoffs read so far, by outcome number."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self.payoffs = name, {"0": (Fraction(0), Fraction(0))}
        found = ((match.lastgroup, match) for match in EXTENSIVE.finditer(text) if match.lastgroup)
        words = (
            (kind, re.sub(r"\\(.)", r"\1", match["text"]) if kind == "text" else match.group()) for kind, match in found
        )
        self._words = itertools.chain(words, itertools.repeat(("end", "")))
        self._next = next(self._words)

    def take(self, kind: str) -> str:
        """Return the next token, which must be of this kind."""
        found, word = self._next
        if found != kind:
            names = {"end": "the end", "text": "a text in quotation marks", "brace": "a list in braces"}
            where = f"expected {names.get(kind, 'a word')}, found {word[:40]!r}"
            raise TreeError(f"{self.name}: {where}" if word else f"{self.name} ends too early")
        self._next = next(self._words)
        return word

    def skip_text(self) -> None:
        if self._next[0] == "text":
            self.take("text")

    def take_list(self) -> list[str]:
        """Return the words or texts in braces."""
        self.take("brace")
        found = []
        while self._next[0] in ("word", "text"):
            found.append(self.take(self._next[0]))
        self.take("brace")
        return found

    def take_decision(self, kind: str, label: str, sets: set[tuple[str, str]]) -> tuple[int, int]:
        """Return who moves at a node and the number of moves; zeros where play ends."""
        if kind == "t":
            return 0, 0
        if kind != "p":
            what = "is left to chance" if kind == "c" else f"is of the unknown kind {kind!r}"
            raise TreeError(
                f"{self.name}: node {label!r} {what}; only p (a player moves) and t (play ends) can be read"
            )
        player, information_set = self.take("word"), self.take("word")
        self.skip_text()
        actions = self.take_list()
        if player not in ("1", "2") or not actions:
            raise TreeError(
                f"{self.name}: node {label!r} has player {player} and {len(actions)} actions; it needs player 1 or 2, "
                "and actions"
            )
        if (player, information_set) in sets:
            raise TreeError(
                f"{self.name}: node {label!r} shares the information set {information_set} of player {player}; "
                "players must have perfect information"
            )
        sets.add((player, information_set))
        return int(player), len(actions)

    def take_outcome(self, label: str, *, ends: bool) -> str:
        """Return the number of a node's outcome, reading its payoffs if they follow."""
        outcome = self.take("word")
        self.skip_text()
        if self._next == ("brace", "{"):
            try:
                first, second = map(Fraction, self.take_list())
            except (ValueError, ZeroDivisionError):
                raise TreeError(
                    f"{self.name}: node {label!r} has invalid payoffs; give one number for each player"
                ) from None
            if self.payoffs.setdefault(outcome, (first, second)) != (first, second):
                raise TreeError(
                    f"{self.name}: node {label!r} gives outcome {outcome} other payoffs than an earlier node"
                )
        if outcome not in self.payoffs or (not ends and outcome != "0"):
            raise TreeError(f"{self.name}: node {label!r} has outcome {outcome}; payoffs belong where play ends")
        return outcome


# Values ---------------------------------------------------------------------------------------------------------------


def read_value(value: Any, what: str) -> float:
    """Return a number as results show it: an integer if it is whole. Raises `TreeError`, which calls it ``what``,
    unless it is finite.

    >>> read_value(3.0, "leaf a"), read_value(-1.99, "leaf a")
    (3, -1.99)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TreeError(f"{what} has value {str(value)[:40]!r}; it must be a number")
    try:
        finite = math.isfinite(value)
    except OverflowError:
        raise TreeError(f"{what} has a value beyond 1.8e308, the largest floating-point number") from None
    if not finite:
        raise TreeError(f"{what} has value {value}; it must be finite")
    if isinstance(value, numbers.Integral):
        return int(value)
    found = float(value)
    return int(found) if abs(found) <= LARGEST_EXACT and found.is_integer() else found


def find_ranks(values: Iterable[float]) -> list[float] | None:
    """Return the distinct values, ascending, if searches must use their ranks; None if all are whole and small enough.

    >>> find_ranks([3, 12, -4]), find_ranks([3, 2.5, 3])
    (None, [2.5, 3])
    """
    different = {*values}
    whole = all(isinstance(value, int) and abs(value) <= GREATEST_PAYOFF for value in different)
    return None if whole else sorted(different)


def parse_number(text: str) -> float:
    """Return the number in a text that matches `NUMBER`, an integer if it is written as one.

    >>> parse_number("-3"), parse_number("2.5"), parse_number("1e9")
    (-3, 2.5, 1000000000.0)
    """
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
