"""Extensive forms for Gambit: the game tree, one node per history, in the format EFG 2 R.

The format is described in Gambit's documentation, "Game representation formats". pygambit 16.7 also requires of labels:
printable ASCII, no leading, trailing or double spaces, and no two nodes with the same label. Backslashes are unsafe:
Gambit reads one before a quotation mark as an escape and repeats doubled ones. It compares each label of a node with
all earlier ones: reading 3,610 nodes takes 1.4 s with labels and 0.006 s without, 549,946 without 1.5 s and 143 MB.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

from analysis.errors import OptionError
from analysis.exports.part import Part
from analysis.machine.version import __version__
from analysis.machine.workers import tell_progress
from analysis.rules.game import ONGOING, Game
from analysis.solution.paths import path_text
from analysis.wording import signed

REMEMBERED = 1 << 16
"""Positions whose moves are cached, since many histories pass through each."""

LABELLED = 2000
"""The most nodes of a tree with labels: reading it takes half a second, and four times as long for twice as many."""

LINES = 1 << 12
"""Lines written at a time."""


class TreeNode(NamedTuple):
    """A position as nodes show it, whatever the history."""

    position: str
    player: int
    """1 or 2: who moves."""
    payoff: int
    """The first player's payoff; `ONGOING` while the game is not over."""
    moves: Sequence[tuple[int, int]]
    """Codes and states of the moves in the part."""
    actions: str
    """The names of the moves, quoted."""


def write(part: Part, file: IO[bytes]) -> None:
    """Write the tree of every history from the start, depth first, with little memory.

    Each node has its own information set: players have perfect information. Payoffs are the first player's and their
    opposite. A history cut off at ``part.depth`` ends in the value of its position, in an outcome named so. Trees of at
    most `LABELLED` nodes have labels. Raises `OptionError` for a loopy game without a depth.
    """
    tree, written = _Tree(part, labelled=count_nodes(part, LABELLED) <= LABELLED), 0
    file.write(tree.head().encode("ascii"))
    nodes = tree.nodes()
    while lines := [*itertools.islice(nodes, LINES)]:
        file.write("".join(lines).encode("ascii"))
        written += len(lines)
        tell_progress("writing nodes", written, None)


def count_nodes(part: Part, most: float = math.inf) -> int:
    """Count the histories from the start, the empty one included: of at most ``part.depth`` moves, or of optimal moves
    only.

    Above ``most`` it is a lower bound. Raises `OptionError` for a loopy game without a depth.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> count_nodes(Part(solution)), count_nodes(Part(solution, depth=2))
    (549946, 82)
    >>> count_nodes(Part(solution, optimal_only=True))
    12134
    """
    check_end(part.solution.game, part.depth)
    tree, nodes, plies = _Tree(part), 1, 0
    ends = Counter({part.solution.engine.start: 1})  # histories that end in each position
    while ends and nodes <= most and plies != part.depth:
        tell_progress("counting nodes", nodes, None)
        after: Counter[int] = Counter()
        for state, histories in ends.items():
            for _, child in tree.kept_moves(state):
                after[child] += histories
        ends, nodes, plies = after, nodes + after.total(), plies + 1
    return nodes


def check_end(game: Game, depth: int | None) -> None:
    """Raise `OptionError` for a loopy game, whose tree has no end, unless it is cut off at a ``depth``."""
    if game.rules().loopy and depth is None:
        raise OptionError(
            f"{game.spec} is loopy: play can return to a position, so its game tree is infinite; limit it by "
            "--depth PLIES"
        )


class _Tree:
    """The game tree of a part."""

    def __init__(self, part: Part, *, labelled: bool = False) -> None:
        self.labelled = labelled
        self.part, self.solution, self.game = part, part.solution, part.solution.game
        self.rules, self.depth = part.solution.engine.rules, part.depth
        self.players = _distinct([*map(label, self.game.players)])
        self.values = [row["value"] for row in self.solution.statistics()["by_value"]]
        self.worth = self.game.worth
        self.joined = self.rules.largest_code > 9
        self.node = functools.lru_cache(maxsize=REMEMBERED)(self._node)
        self.value = functools.lru_cache(maxsize=REMEMBERED)(lambda state: self.solution.lookup(state).value)

    def head(self) -> str:
        """Return the prologue: title, players and a comment that describes the nodes."""
        start = self.solution.start
        depth = "" if self.depth is None else f" of at most {self.depth} plies"
        moves = "optimal moves only" if self.part.optimal_only else "all moves"
        comment = (
            f"gametree {__version__}: histories{depth} from {start}, {moves}; "
            f"value {signed(self.solution.value)} for {self.players[0]}"
        )
        players = " ".join(map(quoted, self.players))
        return f"EFG 2 R {quoted(self.game.spec)} {{ {players} }}\n{quoted(comment)}\n\n"

    def nodes(self) -> Iterator[str]:
        """Yield a line for each node, parents first. Labels hold the history, which makes them unique, and the
        position.
        """
        information_sets = {1: 0, 2: 0}
        waiting: list[tuple[tuple[int, ...], int]] = [((), self.solution.engine.start)]
        while waiting:
            path, state = waiting.pop()
            node = self.node(state)
            name = '""'
            if self.labelled:
                name = quoted(f"{path_text(path, self.joined) or 'start'}: {node.position}")
            if node.moves and len(path) != self.depth:
                information_sets[node.player] += 1
                yield f'p {name} {node.player} {information_sets[node.player]} "" {{ {node.actions} }} 0\n'
                waiting += [((*path, code), child) for code, child in reversed(node.moves)]
            else:
                yield f"t {name} {self._outcome(state, node)}\n"

    def _outcome(self, state: int, node: TreeNode) -> str:
        """Return number, name and payoffs of an outcome, one for each payoff and for each value of cut positions."""
        over = node.payoff != ONGOING
        payoff = self.worth(node.payoff) if over else self.value(state)
        number = 1 + self.values.index(payoff) + (0 if over else len(self.values))
        name = f"cut, value {signed(payoff)}"
        if over:
            score = "" if self.rules.payoffs == (-1, 1) and abs(payoff) == 1 else f", {signed(payoff)}"
            name = "tie" if payoff == 0 else f"{self.players[payoff < 0]} wins{score}"
        return f"{number} {quoted(name)} {{ {payoff}, {-payoff} }}"

    def kept_moves(self, state: int) -> list[tuple[int, int]]:
        """Return codes and states of the moves in the tree."""
        moves = self.rules.moves(state)
        if self.part.optimal_only:
            moves = [(code, child) for code, child in moves if self.value(child) == self.value(state)]
        return moves

    def _node(self, state: int) -> TreeNode:
        moves = self.kept_moves(state)
        names = _distinct([label(self.game.format_move(code)) for code, _ in moves], [code for code, _ in moves])
        return TreeNode(
            self.game.format_position(state),
            1 if self.rules.mover(state) > 0 else 2,
            self.rules.payoff(state),
            moves,
            " ".join(map(quoted, names)),
        )


def label(text: str) -> str:
    r"""Return a text as Gambit accepts labels; other characters are spelled as numbers.

    >>> label(' a "b"\n  \\ ♞')
    'a "b" <U+005C> <U+265E>'
    """
    spelled = (c if " " <= c <= "~" and c != "\\" else " " if c.isspace() else f"<U+{ord(c):04X}>" for c in text)
    return " ".join("".join(spelled).split())


def quoted(text: str) -> str:
    r"""Return a text as a label in quotation marks.

    >>> print(quoted('say "x"'))
    "say \"x\""
    """
    return '"' + label(text).replace('"', '\\"') + '"'


def _distinct(names: list[str], numbers: Sequence[int] = (1, 2)) -> list[str]:
    """Return the names, prefixed with their numbers if two are the same or one is empty."""
    if len(set(names)) == len(names) and all(names):
        return names
    return [f"{number}: {name}" for number, name in zip(numbers, names, strict=True)]
