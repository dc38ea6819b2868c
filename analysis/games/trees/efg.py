"""Gambit's extensive forms (EFG 2 R, see Gambit's documentation, "Game representation formats").

They must be constant-sum games of two players with perfect information and without chance, with payoffs where play
ends; `TreeFile.shared` is half of the sum. A node is named by its label if that is unique, else by its number in the
file, from 0. In what `gametree export` writes with labels, nodes of the same position are one.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from analysis.errors import TreeError
from analysis.games.trees.tree_file import TreeFile

FORM = "an extensive form (efg)"

EXTENSIVE = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"|(?P<brace>[{}])|(?P<word>[^\s{}",]+)|[\s,]+|(?P<cut>")', re.DOTALL)

PLAYERS = {"1": {"player": 1}, "2": {"player": 2}}
OWN = re.compile(r"gametree .*: histories")
"""How the comment begins in exports."""


def parse_extensive(text: str, name: str) -> TreeFile:
    """Parse an extensive form; errors call it ``name``. Raises `TreeError`."""
    file = _Tokens(text, name)
    head = [file.take("word") for _ in range(3)]
    if head[:2] != ["EFG", "2"] or head[2] not in "RD":
        raise file.fault(f"it begins with {' '.join(head)!r}, but an extensive form begins with 'EFG 2 R'")
    file.take("text")
    players = file.take_list()
    if len(players) != 2:
        raise file.fault(f"it has {len(players)} players; only trees of two players can be solved and searched")
    comment = file.skip_text()
    labels, lines, outcomes = list[str](), list[int](), list[str]()
    movers, parents, moves = list[str](), list[int](), list[str | None]()
    above: list[tuple[int, list[str]]] = [(-1, [""])]  # nodes with the moves that have no child yet, the last first
    sets = set[tuple[str, str]]()
    while above:
        parent, left = above[-1]
        lines.append(file.begin())
        kind, label = file.take("word"), file.take("text")
        player, actions = file.take_decision(kind, label, sets)
        labels.append(label)
        movers.append(player)
        outcomes.append(file.take_outcome(label, ends=not actions))
        parents.append(parent)
        moves.append(left.pop() or None)
        if actions:
            above.append((len(labels) - 1, actions[::-1]))
        while above and not above[-1][1]:
            above.pop()
    file.take("end")
    total = file.find_sum([(outcomes[number], line) for number, line in enumerate(lines) if not movers[number]])
    tree = TreeFile(FORM, name, attributes={"players": players}, shared=total / 2)
    numbers = _merged(labels, movers, OWN.match(comment) is not None and not file.cut)
    used = Counter(labels)
    for number, label in enumerate(labels):
        if numbers is not None:
            label = label.partition(": ")[2]
        elif used[label] > 1 or not label:
            tree.renamed += bool(label)
            label = number  # type: ignore[assignment]
        if numbers is None or numbers[number] == len(tree):
            value = None if movers[number] else _number(file.payoffs[outcomes[number]][0])
            tree.add(label, value, PLAYERS.get(movers[number], {}), lines[number])
    joined = set[tuple[int, str | None]]()
    for number, parent in enumerate(parents[1:], 1):
        one, other = (parent, number) if numbers is None else (numbers[parent], numbers[number])
        if numbers is None or (one, moves[number]) not in joined:
            joined.add((one, moves[number]))
            tree.join(one, other, moves[number])
    return tree


def _number(payoff: Fraction) -> Any:
    return int(payoff) if payoff.denominator == 1 else payoff


def _merged(labels: list[str], movers: list[str], own: bool) -> list[int] | None:
    """Return the number of the position at each node of an export with labels; None of other files."""
    if not own or any(": " not in label for label in labels):
        return None
    known: dict[str, int] = {}
    return [known.setdefault(label.partition(": ")[2], len(known)) for label in labels]


class _Tokens:
    """The unread tokens of an extensive form, and the payoffs read so far, by outcome number."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self.payoffs = name, {"0": (Fraction(0), Fraction(0))}
        self.cut, self.node_line = False, 1
        """Whether histories are cut off by an export."""
        found = ((match.lastgroup, match) for match in EXTENSIVE.finditer(text) if match.lastgroup)
        words = (
            (kind, re.sub(r"\\(.)", r"\1", match["text"]) if kind == "text" else match.group(), match.start())
            for kind, match in found
        )
        self._text, self._counted, self._line = text, 0, 1
        self._words = itertools.chain(words, itertools.repeat(("end", "", len(text))))
        self._next = next(self._words)

    @property
    def line(self) -> int:
        """The line of the next token."""
        at = self._next[2]
        self._line, self._counted = self._line + self._text.count("\n", self._counted, at), at
        return self._line

    def begin(self) -> int:
        """Return the line of the next token, with which a node begins, and that of all faults of the node."""
        self.node_line = self.line
        return self.node_line

    def fault(self, what: str, line: int | None = None) -> TreeError:
        return TreeError(f"{self.name}, line {line or self.node_line}, read as {FORM}: {what}")

    def take(self, kind: str) -> str:
        """Return the next token, which must be of this kind."""
        found, word, _ = self._next
        if found != kind:
            names = {"end": "the end", "text": "a text in quotation marks", "brace": "a list in braces"}
            where = f"expected {names.get(kind, 'a word')}, found {word[:40]!r}"
            early = "it ends too early, within quotation marks" if found == "cut" else "it ends too early"
            raise self.fault(where if word and found != "cut" else early, self.line)
        self._next = next(self._words)
        return word

    def find_sum(self, ends: Sequence[tuple[str, int]]) -> Fraction:
        """Return what payoffs add up to at the ends, outcomes with lines; refuse those where it is not the same."""
        sums = [(sum(self.payoffs[outcome], Fraction(0)), line) for outcome, line in ends]
        for total, line in sums:
            if total != sums[0][0]:
                what = f"payoffs add up to {_number(sums[0][0])} at the first end and to {_number(total)} here"
                raise self.fault(f"{what}, but one player's gain must be the other's loss", line)
        return sums[0][0]

    def skip_text(self) -> str:
        return self.take("text") if self._next[0] in ("text", "cut") else ""

    def take_list(self) -> list[str]:
        """Return the words or texts in braces."""
        self.take("brace")
        found = []
        while self._next[0] in ("word", "text"):
            found.append(self.take(self._next[0]))
        self.take("brace")
        return found

    def take_decision(self, kind: str, label: str, sets: set[tuple[str, str]]) -> tuple[str, list[str]]:
        """Return who moves at a node and the moves; nothing where play ends."""
        if kind == "t":
            return "", []
        if kind != "p":
            what = "is left to chance" if kind == "c" else f"is of the unknown kind {kind!r}"
            raise self.fault(f"node {label!r} {what}; only p (a player moves) and t (play ends) can be read")
        player, information_set = self.take("word"), self.take("word")
        if (player, information_set) in sets:
            raise self.fault(
                f"node {label!r} shares the information set {information_set} of player {player}; "
                "players must have perfect information"
            )
        self.skip_text()
        actions = self.take_list()
        if player not in ("1", "2") or not actions:
            raise self.fault(
                f"node {label!r} has player {player} and {len(actions)} actions; it needs player 1 or 2, and actions"
            )
        sets.add((player, information_set))
        return player, actions

    def take_outcome(self, label: str, *, ends: bool) -> str:
        """Return the number of a node's outcome, reading its payoffs if they follow."""
        outcome = self.take("word")
        self.cut |= self.skip_text().startswith("cut, value ")
        if self._next[:2] == ("brace", "{"):
            numbers = self.take_list()
            try:
                first, second = map(Fraction, numbers)
            except (ValueError, ZeroDivisionError):
                raise self.fault(f"node {label!r} has invalid payoffs; give one number for each player") from None
            if self.payoffs.setdefault(outcome, (first, second)) != (first, second):
                raise self.fault(f"node {label!r} gives outcome {outcome} other payoffs than an earlier node")
        if outcome not in self.payoffs and self._next[0] == "end":
            raise self.fault(f"it ends too early: node {label!r} has outcome {outcome} without payoffs")
        if outcome not in self.payoffs or (not ends and outcome != "0"):
            raise self.fault(f"node {label!r} has outcome {outcome}; payoffs belong where play ends")
        return outcome
