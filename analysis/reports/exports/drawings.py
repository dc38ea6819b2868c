"""Draw graphs of classes: boards, values by colour and in words, optimal moves in bold.

The result is a picture or, for larger graphs, text for Graphviz (see https://graphviz.org/doc/info/lang.html).
"""

from __future__ import annotations

import textwrap
from typing import IO, Any

from ...common.markup import printable
from ...common.memory import Budget
from ...rules.picture import board_text
from ..boards import with_names
from ..layers import Link, Node, draw_layers, place_graph
from ..style import INK, MUTED, OUTCOMES, TIE, TINT, Outcome, clean, outcome_of, picture_bytes, styled
from ..words import called, plies_of, result
from .graphs import node_id
from .part import Part, merged_edges

WIDEST = 32
"""Characters per line of a label."""

CLASS_BYTES = 3_000
"""Bytes per class of a drawing, with its edges."""


class Drawing:
    """The contents of a picture of a part: classes, edges and words.

    Each class is drawn as the position that moves on the boards above it reach: a reader who plays such a move would
    otherwise find a mirror image.
    """

    def __init__(self, part: Part) -> None:
        self.part, self.solution, self.game, self.engine = part, part.solution, part.solution.game, part.solution.engine
        subject = f"a picture of {part.classes:,} classes"
        Budget.of_machine().require(CLASS_BYTES * part.classes, subject, "a smaller part")
        self.start = self.engine.canonical(self.engine.start)
        self.rows: dict[int, dict[str, Any]] = {}
        """The columns of each class, see `Part.columns`, by state, tier by tier."""
        self.edges: dict[tuple[int, int], dict[str, Any]] = {}
        """All moves from one class to another, by their states."""
        for block, rows in part.rows(moves=True):
            self.rows |= {row["state"]: row for row in rows}
            self.edges |= {(edge["source"], edge["target"]): edge for edge in merged_edges(block)}
        self.positions = {self.start: self.engine.start}
        """The position drawn of each class."""
        self.moves: dict[tuple[int, int], list[str]] = {edge: [] for edge in self.edges}
        """The names of an edge's moves on the board drawn."""
        self.layers = dict.fromkeys(self.rows, 0)
        """The layer of each class: below all with a move to it or, in a loopy game, by distance from the start."""
        waiting = [self.start]
        for source in waiting:  # grows as it goes
            for code, child in self.engine.rules.moves(self.positions[source]):
                target = self.engine.canonical(child)
                if (source, target) not in self.edges:
                    continue
                self.moves[source, target].append(self.game.format_move(code))
                if target not in self.positions:
                    self.positions[target], self.layers[target] = child, self.layers[source] + 1
                    waiting.append(target)
        for source, target in () if self.solution.loopy else self.edges:  # by tier: a class is placed before its moves
            self.layers[target] = max(self.layers[target], self.layers[source] + 1)

    def lines(self, row: dict[str, Any]) -> list[str]:
        """Return the lines below the board of a class: who moves, and its value."""
        mover = [] if row["terminal"] else [f"{self.game.players[row['to_move'] < 0]} to move"]
        worth = result(self.game, row["value"], row["remoteness_plies"])
        return [*["start"] * (row["state"] == self.start), *mover, worth, *["…"] * row["cut"]]

    def title(self) -> str:
        """Return a line that says what the picture shows, and the value of the start."""
        depth, record = self.part.depth, self.solution.records.of(self.engine.start)
        text = self.game.spec
        text += "" if self.engine.start == self.engine.rules.start else f" from {self.solution.start}"
        text += "" if depth is None else f", {plies_of(depth)} deep"
        text += ", optimal moves only" * self.part.optimal_only
        return f"{text}: {result(self.game, record.value, record.remoteness_plies)}"

    def samples(self) -> list[tuple[str, Outcome]]:
        """Return the outcomes that occur, with their names."""
        present = set(map(outcome_in, self.rows.values()))
        return [(called(self.game, outcome.key), outcome) for outcome in OUTCOMES if outcome in present]

    def notes(self) -> str:
        """Explain the other signs."""
        text = "in N: plies to the end under optimal play; bold line: optimal move"
        if self.solution.symmetry_order != 1:
            text += "\nsymmetric positions are drawn once; one line carries the moves to all of them"
        cut = "" if self.part.whole else "; dashed border and …: more moves, not shown"
        return f"{text}\ndouble border: the game is over{cut}"


def outcome_in(row: dict[str, Any]) -> Outcome:
    """Return the outcome of a class."""
    return outcome_of(row["value"], row["remoteness_plies"])


def tint(outcome: Outcome) -> str:
    """Return an outcome's colour, pale enough to read on."""
    return "#" + "".join(f"{round(255 - TINT * (255 - int(outcome.colour[i : i + 2], 16))):02x}" for i in (1, 3, 5))


@styled
def write_picture(part: Part, file: IO[bytes], form: str) -> None:
    """Write a picture as ``svg``, ``png`` or ``pdf``: classes in layers, moves as lines between them."""
    from matplotlib.patches import Patch

    drawing, nodes, links = Drawing(part), list[Node](), list[Link]()
    numbers, game = {state: number for number, state in enumerate(drawing.rows)}, drawing.game
    for state, row in drawing.rows.items():
        position, start = drawing.positions[state], state == drawing.start
        grid = game.grid(position)
        grid = with_names(game, position, grid) if start and grid else grid
        look: dict[str, Any] = {"dashed": row["cut"], "double": row["terminal"], "fill": tint(outcome_in(row))}
        look |= {"lines": drawing.lines(row), "width": 3.0 if start else 1.0}
        nodes.append(Node(drawing.layers[state], game.format_position(position), grid, **look))
    for (source, target), edge in drawing.edges.items():
        label, colour = " ".join(drawing.moves[source, target]), INK if edge["optimal"] else TIE
        links.append(Link(numbers[source], numbers[target], label, colour, 1 + edge["optimal"]))
    place_graph(nodes, links)
    key = [Patch(facecolor=tint(outcome), label=clean(name)) for name, outcome in drawing.samples()]
    figure = draw_layers(game, nodes, links, f"{drawing.title()}\n{drawing.notes()}", key)
    file.write(picture_bytes(figure, form, printable(drawing.title())))


def write_dot(part: Part, file: IO[bytes]) -> None:
    """Write a graph for Graphviz: a node for each class, an edge for all moves from one class to another. A class that
    is over has a double border, one with moves left out a dashed border, and the start a thick one.
    """
    drawing = Drawing(part)
    heading = quoted(f"{drawing.title()}\n{drawing.notes()}")
    file.write(
        f"digraph gametree {{\n  graph [labelloc=t, label={heading}];\n"
        '  node [shape=box, style=filled, fontname="monospace"];\n'
        f'  edge [arrowsize=0.7, color="{MUTED}", fontcolor="{MUTED}"];\n'.encode()
    )
    for state, row in drawing.rows.items():
        look = [
            f"label={_label(drawing, row)}",
            f'fillcolor="{tint(outcome_in(row))}"',
            *['style="filled,dashed"'] * row["cut"],
            *["peripheries=2"] * row["terminal"],
            *["penwidth=3"] * (state == drawing.start),
            f"tooltip={quoted(drawing.game.format_position(drawing.positions[state]))}",
        ]
        file.write(f"  {node_id(state)} [{', '.join(look)}];\n".encode())
    for (source, target), edge in drawing.edges.items():
        label = quoted(textwrap.fill(" ".join(drawing.moves[source, target]), WIDEST))
        bold = f', penwidth=2.4, color="{INK}", fontcolor="{INK}"' * edge["optimal"]
        file.write(f"  {node_id(source)} -> {node_id(target)} [label={label}{bold}];\n".encode())
    file.write(b"}\n")


def _label(drawing: Drawing, row: dict[str, Any]) -> str:
    game, position = drawing.game, drawing.positions[row["state"]]
    board = board_text(game, position, bare=not game.rows_slant) or board_text(game, position)
    width = max(map(len, board.splitlines()), default=0)  # so that Graphviz, which centres lines, shifts none
    lines = [line.ljust(width) for line in board.splitlines()]
    for text in (game.caption(position), *drawing.lines(row)):
        lines += textwrap.wrap(text, WIDEST) if text != board else []
    return quoted("\n".join(lines))


def quoted(text: str) -> str:
    r"""Return a text as a quoted string, for attributes that know escapes such as ``\N`` and entities such as ``&lt;``.

    >>> print(quoted('a\\b "c" &amp;\nd'))
    "a\\b \"c\" &amp;amp;\nd"
    """
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + "\\n".join(escaped.splitlines()) + '"'
