"""Graphs of classes for Graphviz: boards as labels, values by colour and in words, optimal moves bold.

The language is described at https://graphviz.org/doc/info/lang.html, labels like HTML at
https://graphviz.org/doc/info/shapes.html#html.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

from analysis.engine import columns
from analysis.exports.attributes import cut, node_id
from analysis.exports.drawings import node_labels
from analysis.exports.drawings.drawing_words import DrawingWords
from analysis.exports.drawings.drawn import Drawn
from analysis.exports.parts.part import Block, Part

OTHER = "#6b6b6b"
"""Of moves that are not optimal."""

LABEL_WIDTH = 15
"""Characters of a line of moves at an edge."""

SHORT, MOST_LINES = 2, 4
"""Characters of a name that shares its line, and lines of longer names, at most."""

INK = "#222222"


class _Class(NamedTuple):
    """A class of a block."""

    canonical: int
    position: int
    """The state that is drawn."""
    to_move: int
    value: int
    remoteness: int
    """`tables.NEVER` for a draw."""
    terminal: bool
    cut: bool
    """Whether the part leaves out some of its moves."""


class _Lead(NamedTuple):
    """What moves from one class to another have in common."""

    value: int
    remoteness: int
    optimal: bool


def write(part: Part, file: IO[bytes]) -> None:
    """The graph of the part as a directed graph: a node for each class, an edge for each pair of classes with all moves
    that lead across, as they are named on the board that is drawn. Written while it is read, tier by tier.
    """
    picture = _Picture(part)
    file.write(picture.head().encode())
    for block in part.blocks(moves=True):
        file.write("".join(picture.statements(block)).encode())
    file.write("".join(picture.ranks()).encode())
    file.write(b"}\n")


class _Picture:
    """What the nodes and edges of one part look like."""

    def __init__(self, part: Part) -> None:
        self.part, self.game, self.words, self.drawn = part, part.solution.game, DrawingWords(part), Drawn(part)

    def head(self) -> str:
        """The graph's attributes, title and legend among them, and the defaults of nodes and edges."""
        font, tip = f'fontname="{node_labels.FONT}"', node_labels.quoted(self.words.title())
        return (
            "digraph gametree {\n"
            f"  graph [{font}, fontsize=12, labelloc=t, nodesep=0.2, ranksep=0.45, tooltip={tip},\n"
            f"    label=<{self.words.heading()}>];\n"
            f'  node [{font}, fontsize=12, shape=box, style=filled, margin="0.06,0.04", color="{INK}"];\n'
            f'  edge [{font}, fontsize=10, arrowsize=0.7, penwidth=0.8, color="{OTHER}", fontcolor="{OTHER}"];\n'
        )

    def statements(self, block: Block) -> Iterator[str]:
        """Each class of a block, followed by the edges that leave it."""
        leads = self._leads(block)
        for row, found in enumerate(self._classes(block)):
            yield self._node(found)
            for step in self.drawn.steps(found.position):
                if step.child in leads[row]:
                    yield self._edge(found.canonical, step.child, step.codes, leads[row][step.child])

    def ranks(self) -> Iterator[str]:
        """Of a loopy game, which classes stand side by side: those as far from the start. Elsewhere edges lead down."""
        by_plies: dict[int, list[int]] = {}
        for canonical, plies in (self.drawn.plies or {}).items():
            by_plies.setdefault(plies, []).append(canonical)
        for classes in by_plies.values():
            yield f"  {{rank=same; {'; '.join(map(node_id, sorted(classes)))}}}\n"

    def _classes(self, block: Block) -> Iterator[_Class]:
        table = block.table
        fields = (
            block.states.tolist(),
            columns.array(table["to_move"]).tolist(),
            columns.array(table["value"]).tolist(),
            columns.remoteness_numbers(table["remoteness_plies"]).tolist(),
            table["terminal"].to_pylist(),
            cut(self.part, block).tolist(),
        )
        for state, *others in zip(*fields, strict=True):
            yield _Class(state, self.drawn.position(state), *others)

    def _leads(self, block: Block) -> list[dict[int, _Lead]]:
        """Of each class of a block the classes after it, those that the part keeps."""
        found: list[dict[int, _Lead]] = [{} for _ in range(len(block))]
        moves = block.moves
        assert moves is not None
        columns = (moves.rows, moves.children, moves.values, moves.remoteness, moves.optimal)
        for row, child, *others in zip(*(column[moves.inside].tolist() for column in columns), strict=True):
            found[row][child] = _Lead(*others)
        return found

    def _node(self, found: _Class) -> str:
        """The statement of a class: its value by colour and in words, a double border where the game is over, a broken
        one where moves are left out, a thick one for the start.
        """
        start = found.canonical == self.drawn.start
        lines = ["start"] * start
        if not found.terminal:
            lines.append(f"{self.game.players[found.to_move < 0]} to move")
        lines += [self.words.worth(found.value, found.remoteness), *["…"] * found.cut]
        tip = ", ".join(filter(None, [self.game.format_position(found.position), *lines]))
        look = [
            f"label=<{node_labels.node(self._board(found.position, start), lines)}>",
            f'fillcolor="{self.words.tint(found.value, found.remoteness)}"',
            *['style="filled,dashed"'] * found.cut,
            *["peripheries=2"] * found.terminal,
            *["penwidth=3"] * start,
            f"tooltip={node_labels.quoted(tip)}",
        ]
        return f"  {node_id(found.canonical)} [{', '.join(look)}];\n"

    def _board(self, position: int, start: bool) -> str:
        """The start shows too which cell a move is made in."""
        moves = self.part.solution.engine.rules.moves(position) if start else []
        names = {code: self.game.format_move(code) for code, _ in moves}
        return node_labels.board(self.game, position, node_labels.names_in_cells(self.game, position, names))

    def _edge(self, source: int, target: int, codes: tuple[int, ...], lead: _Lead) -> str:
        """The statement of the moves from one class to another: bold where they are optimal."""
        moves = [self.game.format_move(code) for code in codes]
        names = " ".join(moves)
        worth = self.words.worth(lead.value, lead.remoteness)
        tip = node_labels.quoted(f"{names}: {worth}{', optimal' * lead.optimal}")
        look = [
            f"label={node_labels.beside(_stacked(moves))}",
            *[f'penwidth=2.4, color="{INK}", fontcolor="{INK}"'] * lead.optimal,
            f"tooltip={tip}, labeltooltip={tip}",
        ]
        return f"  {node_id(source)} -> {node_id(target)} [{', '.join(look)}];\n"


def _stacked(names: list[str]) -> str:
    """Moves beside an arrow: short names in lines, longer ones below one another, so that none seems to belong to the
    next arrow.
    """
    if len(names) > MOST_LINES or all(len(name) <= SHORT for name in names):
        return node_labels.wrapped(" ".join(names), LABEL_WIDTH)
    return "\n".join(node_labels.wrapped(name, LABEL_WIDTH) for name in names)
