"""Trees in Gambit's extensive form: two players who see everything, without chance, and payoffs of a constant sum.

The format EFG 2 R is described in Gambit's documentation, "Game representation formats". A node is called by its label
where no other has it, else by its number in the file, from 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from analysis.errors import TreeError

if TYPE_CHECKING:
    import networkx as nx

BEGINNING = re.compile(r"\s*EFG\s+\d")

_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"|(?P<brace>[{}])|(?P<word>[^\s{}",]+)|[\s,]+', re.DOTALL)


def parse_efg(text: str, name: str) -> nx.DiGraph[Any]:
    """The tree in a ``text``, with ``player`` at its nodes and the first player's payoff at its leaves. Raises
    `TreeError`, which calls the file ``name``, for any other kind of game and for a text that is none.

    >>> tree = parse_efg('EFG 2 R "" {"A" "B"} p "a" 1 1 "" {"l" "r"} 0 t "" 1 "" {1 -1} t "" 2 "" {0 0}', "tree")
    >>> list(tree.successors("a")), tree.nodes[1]["value"], tree.nodes["a"]["player"]
    ([1, 2], 1, 1)
    """
    import networkx as nx

    file = _File(text, name)
    nodes = list(file.nodes())
    if len({sum(file.payoffs[outcome]) for *_, player, outcome in nodes if not player}) > 1:
        raise TreeError(f"{name} is not constant-sum: one player's gain has to be the other's loss")
    used = Counter(label for label, *_ in nodes)
    names = [label if label and used[label] == 1 else number for number, (label, *_) in enumerate(nodes)]
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for named, (_, parent, player, outcome) in zip(names, nodes, strict=True):
        payoff = file.payoffs[outcome][0]
        value = int(payoff) if payoff.denominator == 1 else float(payoff)
        graph.add_node(named, **({"player": player} if player else {"value": value}))
        if parent is not None:
            graph.add_edge(names[parent], named)
    return graph


class _File:
    """What is still to be read of a file, and the payoffs that it has told so far, by the number of the outcome."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.payoffs = {"0": (Fraction(0), Fraction(0))}
        self._tokens = self._split(text)
        self._next = next(self._tokens, ("end", ""))

    def nodes(self) -> Iterator[tuple[str, int | None, int, str]]:
        """Label, number of the parent, player (0: nobody) and outcome of each node; parents before their children."""
        head = [self._take("word") for _ in range(3)]
        if head[:2] != ["EFG", "2"] or head[2] not in "RD":
            raise TreeError(f"{self.name} begins with {' '.join(head)!r}; an extensive form begins with 'EFG 2 R'")
        self._take("text")
        players = self._list()
        if len(players) != 2:
            raise TreeError(f"{self.name} has {len(players)} players; a tree is searched for two")
        self._skip("text")  # a comment
        known: set[tuple[int, str]] = set()
        above: list[list[int]] = []  # nodes whose children are being read: the number, and how many are still to come
        number = 0
        while above or number == 0:
            kind, label = self._take("word"), self._take("text")
            parent = above[-1][0] if above else None
            if above:
                above[-1][1] -= 1
            player, children = self._decision(kind, label, known)
            outcome = self._outcome(label, ends=not player)
            yield label, parent, player, outcome
            above.append([number, children])
            while above and not above[-1][1]:
                above.pop()
            number += 1
        self._take("end")

    def _decision(self, kind: str, label: str, known: set[tuple[int, str]]) -> tuple[int, int]:
        """Who moves at a node, and how many moves there are; twice 0 at the end of play."""
        if kind == "t":
            return 0, 0
        if kind != "p":
            what = "is left to chance" if kind == "c" else f"is of the unknown kind {kind!r}"
            raise TreeError(f"{self.name}: node {label!r} {what}; nodes are p (a player moves) or t (play ends)")
        player, information_set = self._take("word"), self._take("word")
        self._skip("text")
        actions = self._list()
        if player not in ("1", "2") or not actions:
            raise TreeError(f"{self.name}: node {label!r} has player {player} and {len(actions)} actions")
        if (int(player), information_set) in known:
            raise TreeError(
                f"{self.name}: node {label!r} shares the information set {information_set} of player {player}: "
                "players have to see everything"
            )
        known.add((int(player), information_set))
        return int(player), len(actions)

    def _outcome(self, label: str, *, ends: bool) -> str:
        """The number of a node's outcome, whose payoffs are read where they are told."""
        outcome = self._take("word")
        self._skip("text")
        if self._next == ("brace", "{"):
            try:
                first, second = map(Fraction, self._list())
            except (ValueError, ZeroDivisionError):
                raise TreeError(f"{self.name}: node {label!r} has no payoffs for two players") from None
            if self.payoffs.setdefault(outcome, (first, second)) != (first, second):
                raise TreeError(
                    f"{self.name}: node {label!r} has other payoffs of outcome {outcome} than an earlier node"
                )
        if outcome not in self.payoffs or (not ends and outcome != "0"):
            raise TreeError(f"{self.name}: node {label!r} has outcome {outcome}; payoffs are told where play ends")
        return outcome

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        """Kind and text of each token."""
        for match in _TOKEN.finditer(text):
            if match.lastgroup == "text":
                yield "text", re.sub(r"\\(.)", r"\1", match["text"])
            elif match.lastgroup:
                yield match.lastgroup, match.group()

    def _take(self, kind: str) -> str:
        found, word = self._next
        if found != kind:
            wanted = {"end": "the end", "text": "a text in quotation marks", "brace": "a list in braces"}.get(
                kind, "a word"
            )
            raise TreeError(
                f"{self.name}: {word[:40]!r} stands where {wanted} belongs" if word else f"{self.name} ends early"
            )
        self._next = next(self._tokens, ("end", ""))
        return word

    def _skip(self, kind: str) -> None:
        if self._next[0] == kind:
            self._take(kind)

    def _list(self) -> list[str]:
        """The words or texts in braces."""
        self._take("brace")
        found = []
        while self._next[0] in ("word", "text"):
            found.append(self._take(self._next[0]))
        self._take("brace")
        return found
