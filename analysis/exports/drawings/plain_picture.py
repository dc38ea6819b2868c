"""Graphs of classes drawn without Graphviz: in layers, with boards, and moves on the edges."""

from __future__ import annotations

from analysis.errors import TooLargeError
from analysis.exports.drawings.drawing_words import DrawingWords
from analysis.exports.drawings.drawn import Drawn, DrawnClass
from analysis.exports.drawings.node_labels import names_in_cells
from analysis.exports.graphs.merged_edges import merged_edges
from analysis.exports.parts.part import Part
from analysis.pictures.layers import Link, Node, draw_layers, place_graph
from analysis.pictures.style import INK, TIE, clean, picture_bytes, styled

MOST = 400
"""Classes that are drawn so; Graphviz lays out more."""


@styled
def draw(part: Part, form: str) -> bytes:
    """The picture of a part as ``svg`` or ``png``. Raises `TooLargeError` for more than `MOST` classes."""
    from matplotlib.patches import Patch

    if part.classes > MOST:
        raise TooLargeError(
            f"without Graphviz at most {MOST} classes are drawn, and these are {part.classes:,}; cut them with --depth "
            "or --optimal-only, or install Graphviz (`apt install graphviz`, `brew install graphviz`)"
        )
    words, drawn = DrawingWords(part), Drawn(part)
    nodes, links = _graph(part, words, drawn)
    place_graph(nodes, links)
    key = [Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=clean(name)) for name, colour in words.samples()]
    title = f"{words.title()}\n{words.notes('line')}"
    return picture_bytes(draw_layers(part.solution.game, nodes, links, title, key, slide=False), form)


def _graph(part: Part, words: DrawingWords, drawn: Drawn) -> tuple[list[Node], list[Link]]:
    """The classes in layers, every one below those that lead to it or, in a loopy game, by distance from the start."""
    nodes: list[Node] = []
    numbers: dict[int, int] = {}
    waiting: list[tuple[int, int, tuple[int, ...], bool]] = []
    game = part.solution.game
    for block in part.blocks(moves=True):
        leads = {(edge.row, edge.target): edge for edge in merged_edges(block)}
        for row, found in enumerate(drawn.classes(block)):
            numbers[found.canonical] = len(nodes)
            nodes.append(_node(part, words, drawn, found))
            for step in drawn.steps(found.position):
                if (row, step.child) in leads:
                    waiting.append((found.canonical, step.child, step.codes, leads[row, step.child].optimal))
    links = [
        Link(numbers[source], numbers[target], " ".join(map(game.format_move, codes)), INK if best else TIE, 1 + best)
        for source, target, codes, best in waiting
    ]
    for link in links if drawn.plies is None else ():  # tier by tier, so that a class is placed before it leads on
        nodes[link.target].layer = max(nodes[link.target].layer, nodes[link.source].layer + 1)
    return nodes, links


def _node(part: Part, words: DrawingWords, drawn: Drawn, found: DrawnClass) -> Node:
    game, start = part.solution.game, found.canonical == drawn.start
    grid = game.grid(found.position)
    if start and grid:
        moves = {code: game.format_move(code) for code, _ in part.solution.engine.rules.moves(found.position)}
        names, cols = names_in_cells(game, found.position, moves), len(grid[0])
        grid = [[names.get(r * cols + c, mark) for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    return Node(
        0 if drawn.plies is None else drawn.plies[found.canonical], game.format_position(found.position), grid,
        lines=words.lines(found, start=start), width=3.0 if start else 1.0, dashed=found.cut, double=found.terminal,
        fill=words.tint(found.value, found.remoteness_plies),
    )  # fmt: skip
