"""Extensive forms for Gambit: the game tree, each history a node, as a file of the format EFG 2 R.

The format is described in Gambit's documentation, "Game representation formats". What pygambit 16.7 further asks of
labels: printable ASCII, no space at either end, no two in a row, and no two nodes with the same one. Backslashes are
not safe in them: Gambit reads one before a quotation mark as an escape and repeats those that are doubled. It compares
each label of a node with all earlier ones: reading 3,610 nodes takes 1.4 s with labels and 0.006 s without, 549,946
without 1.5 s and 143 MB.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

from analysis.exports.parts.part import Part
from analysis.exports.trees.size import count_nodes
from analysis.machine.version import __version__
from analysis.rules.game import ONGOING
from analysis.solution.paths import path_text
from analysis.wording import signed

REMEMBERED = 1 << 16
"""Positions whose moves are kept, since many histories pass through one of them."""

LABELLED = 2000
"""Nodes of a tree that have labels, at most: reading takes half a second, and four times as long for twice as many."""

LINES = 1 << 12
"""Lines that are written at a time."""


class TreeNode(NamedTuple):
    """A position as nodes show it, whatever the history that leads there."""

    position: str
    player: int
    """1 or 2: whose move it is."""
    payoff: int
    """The first player's; `ONGOING` while the game goes on."""
    moves: tuple[tuple[int, int], ...]
    """Codes and states after them, those that the part leaves out excepted."""
    actions: str
    """The names of the moves, quoted."""


def write(part: Part, file: IO[bytes]) -> None:
    """The tree of every history from the start, depth first, without recursion and with little in memory. Each node
    has an information set of its own: players see everything. Payoffs are the first player's
    and, for the second, their opposite. A history that ``part.depth`` cuts off ends in the value of its position, in an
    outcome named so. The nodes of a tree of at most `LABELLED` have labels. Raises `OptionError` for a loopy game
    without a depth.
    """
    tree = _Tree(part, labelled=count_nodes(part) <= LABELLED)
    lines = [tree.head()]
    for line in tree.nodes():
        lines.append(line)
        if len(lines) == LINES:
            file.write("".join(lines).encode("ascii"))
            lines.clear()
    file.write("".join(lines).encode("ascii"))


class _Tree:
    """The game tree of a part."""

    def __init__(self, part: Part, *, labelled: bool) -> None:
        self.labelled = labelled
        self.part, self.solution, self.game = part, part.solution, part.solution.game
        self.rules, self.depth = part.solution.engine.rules, part.depth
        self.players = _distinct([*map(label, self.game.players)])
        self.values = [row["value"] for row in self.solution.statistics()["by_value"]]
        self.joined = self.rules.largest_code > 9
        self.node = functools.lru_cache(maxsize=REMEMBERED)(self._node)
        self.value = functools.lru_cache(maxsize=REMEMBERED)(self._value)

    def head(self) -> str:
        """The prologue: title, players and a comment that says what the nodes are."""
        start = self.solution.start
        depth = "" if self.depth is None else f" of at most {self.depth} plies"
        moves = "optimal moves alone" if self.part.optimal_only else "all moves"
        comment = (
            f"gametree {__version__}: histories{depth} from {start}, {moves}; "
            f"value {signed(self.solution.value)} for {self.players[0]}"
        )
        players = " ".join(map(quoted, self.players))
        return f"EFG 2 R {quoted(self.game.spec)} {{ {players} }}\n{quoted(comment)}\n\n"

    def nodes(self) -> Iterator[str]:
        """A line for each node, in the order of the format: parents first, children in the order of their actions."""
        information_sets = {1: 0, 2: 0}
        for path, state in self._histories():
            node = self.node(state)
            name = self._label(path, node)
            if node.moves and len(path) != self.depth:
                information_sets[node.player] += 1
                yield f'p {name} {node.player} {information_sets[node.player]} "" {{ {node.actions} }} 0\n'
            else:
                yield f"t {name} {self._outcome(state, node)}\n"

    def _label(self, path: Sequence[int], node: TreeNode) -> str:
        """Of a node: its history, since no two may be the same, and its position; nothing in a large tree."""
        return quoted(f"{path_text(path, self.joined) or 'start'}: {node.position}") if self.labelled else '""'

    def _histories(self) -> Iterator[tuple[list[int], int]]:
        """Every history, depth first: its codes (one list that changes) and its last state."""
        path: list[int] = []
        start = self.solution.engine.start
        yield path, start
        left = [self._moves(start, path)]
        while left:
            move = next(left[-1], None)
            if move is None:
                left.pop()
                del path[-1:]
                continue
            path.append(move[0])
            yield path, move[1]
            left.append(self._moves(move[1], path))

    def _moves(self, state: int, path: Sequence[int]) -> Iterator[tuple[int, int]]:
        return iter(() if len(path) == self.depth else self.node(state).moves)

    def _outcome(self, state: int, node: TreeNode) -> str:
        """The number, name and payoffs of an outcome, one for each payoff and one for each value of what was cut."""
        over = node.payoff != ONGOING
        payoff = node.payoff if over else self.value(state)
        number = 1 + self.values.index(payoff) + (0 if over else len(self.values))
        name = self._outcome_name(payoff) if over else f"cut, value {signed(payoff)}"
        return f"{number} {quoted(name)} {{ {payoff}, {-payoff} }}"

    def _outcome_name(self, payoff: int) -> str:
        if payoff == 0:
            return "tie"
        score = "" if self.rules.payoffs == (-1, 1) else f", {signed(payoff)}"
        return f"{self.players[payoff < 0]} wins{score}"

    def _node(self, state: int) -> TreeNode:
        payoff = self.rules.payoff(state)
        moves = self.rules.moves(state)
        if self.part.optimal_only:
            moves = [(code, child) for code, child in moves if self.value(child) == self.value(state)]
        names = _distinct([label(self.game.format_move(code)) for code, _ in moves], [code for code, _ in moves])
        return TreeNode(
            self.game.format_position(state),
            1 if self.rules.mover(state) > 0 else 2,
            payoff,
            tuple(moves),
            " ".join(map(quoted, names)),
        )

    def _value(self, state: int) -> int:
        return self.solution.lookup(state).value


def label(text: str) -> str:
    r"""A text as Gambit takes labels; a character that it does not take is spelled as its number.

    >>> label(' a "b"\n  \\ ♞')
    'a "b" <U+005C> <U+265E>'
    """
    spelled = (c if " " <= c <= "~" and c != "\\" else " " if c.isspace() else f"<U+{ord(c):04X}>" for c in text)
    return " ".join("".join(spelled).split())


def quoted(text: str) -> str:
    r"""A text as a label in quotation marks.

    >>> print(quoted('say "x"'))
    "say \"x\""
    """
    return '"' + label(text).replace('"', '\\"') + '"'


def _distinct(names: list[str], numbers: Sequence[int] = (1, 2)) -> list[str]:
    """The names, with their numbers before them where two are the same or one is empty."""
    if len(set(names)) == len(names) and all(names):
        return names
    return [f"{number}: {name}" for number, name in zip(numbers, names, strict=True)]
