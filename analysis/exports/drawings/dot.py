"""Graphs of classes for Graphviz: boards as labels, values by colour and in words, optimal moves bold.

The language is described at https://graphviz.org/doc/info/lang.html, labels like HTML at
https://graphviz.org/doc/info/shapes.html#html.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from analysis.exports.attributes import node_id
from analysis.exports.drawings import node_labels
from analysis.exports.drawings.drawing_words import DrawingWords
from analysis.exports.drawings.drawn import Drawn, DrawnClass
from analysis.exports.graphs.merged_edges import Edge, merged_edges
from analysis.exports.parts.part import Block, Part

OTHER = "#6b6b6b"
"""Of moves that are not optimal."""

LABEL_WIDTH = 15
"""Characters of a line of moves at an edge."""

SHORT, MOST_LINES = 2, 4
"""Characters of a name that shares its line, and lines of longer names, at most."""

INK = "#222222"


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
        leads = {(edge.row, edge.target): edge for edge in merged_edges(block)}
        for row, found in enumerate(self.drawn.classes(block)):
            yield self._node(found)
            for step in self.drawn.steps(found.position):
                if (row, step.child) in leads:
                    yield self._edge(leads[row, step.child], step.codes)

    def ranks(self) -> Iterator[str]:
        """Of a loopy game, which classes stand side by side: those as far from the start. Elsewhere edges lead down."""
        by_plies: dict[int, list[int]] = {}
        for canonical, plies in (self.drawn.plies or {}).items():
            by_plies.setdefault(plies, []).append(canonical)
        for classes in by_plies.values():
            yield f"  {{rank=same; {'; '.join(map(node_id, sorted(classes)))}}}\n"

    def _node(self, found: DrawnClass) -> str:
        """The statement of a class: its value by colour and in words, a double border where the game is over, a broken
        one where moves are left out, a thick one for the start.
        """
        start = found.canonical == self.drawn.start
        lines = self.words.lines(found, start=start)
        tip = ", ".join(filter(None, [self.game.format_position(found.position), *lines]))
        look = [
            f"label=<{node_labels.node(self._board(found.position, start), lines)}>",
            f'fillcolor="{self.words.tint(found.value, found.remoteness_plies)}"',
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

    def _edge(self, edge: Edge, codes: tuple[int, ...]) -> str:
        """The statement of the moves from one class to another, ``codes`` on the board that is drawn: bold where they
        are optimal.
        """
        moves = [self.game.format_move(code) for code in codes]
        names = " ".join(moves)
        worth = self.words.worth(edge.value, edge.remoteness_plies)
        tip = node_labels.quoted(f"{names}: {worth}{', optimal' * edge.optimal}")
        look = [
            f"label={node_labels.beside(_stacked(moves))}",
            *[f'penwidth=2.4, color="{INK}", fontcolor="{INK}"'] * edge.optimal,
            f"tooltip={tip}, labeltooltip={tip}",
        ]
        return f"  {node_id(edge.source)} -> {node_id(edge.target)} [{', '.join(look)}];\n"


def _stacked(names: list[str]) -> str:
    """Moves beside an arrow: short names in lines, longer ones below one another, so that none seems to belong to the
    next arrow.
    """
    if len(names) > MOST_LINES or all(len(name) <= SHORT for name in names):
        return node_labels.wrapped(" ".join(names), LABEL_WIDTH)
    return "\n".join(node_labels.wrapped(name, LABEL_WIDTH) for name in names)
