"""Draw graphs of classes: boards, values by colour and in words, optimal moves in bold.

The result is text for Graphviz (for its language see https://graphviz.org/doc/info/lang.html), with boards of
characters, or a picture by matplotlib.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from analysis.exports.graphs import node_id
from analysis.exports.part import Edge, Part, merged_edges
from analysis.machine.markup import drawable
from analysis.machine.memory import Budget
from analysis.pictures.layers import Link, Node, draw_layers, place_graph
from analysis.pictures.style import INK, TIE, clean, outcome_of, picture_bytes, styled
from analysis.rules.picture import board_text, names_in_cells
from analysis.wording import some

TINTS = {"X": "#A6CBE2", "tie": "#FFFFFF", "O": "#FBE3D3", "draw": "#E4E4E4"}
"""Colours of values: blue and vermilion of Okabe and Ito, light enough to read on, and distinct in grey too."""

OTHER = "#6b6b6b"
"""The colour of moves that are not optimal."""

FONT = 'fontname="DejaVu Sans Mono,Menlo,Consolas,Courier New,monospace"'

TEXT_WIDTH, LABEL_WIDTH = 32, 15
"""Line widths, in characters, of texts in a node and of moves at an edge."""

SHORT, MOST_LINES = 2, 4
"""The longest name, in characters, that shares its line, and the most lines of longer names."""

CLASS_BYTES, PICTURE_BYTES = 300, 200_000
"""Bytes per class of a graph for Graphviz, and of a picture."""

DOTS, MOST_DOTS = 150, 30_000
"""Dots per inch of a png, and the most along a side; a wider one is coarser."""


class DrawnClass(NamedTuple):
    """A class as a picture shows it."""

    row: dict[str, Any]
    """Its columns, see `Part.columns`."""
    position: int
    """The state drawn."""
    edges: list[tuple[Edge, list[int]]]
    """Edges with the codes of the moves on that board, in order of the least code."""


class Drawing:
    """What a picture of a part shows and says.

    Each class is drawn as the position that moves on the boards above it lead to: playing such a move, a reader would
    otherwise find a mirror image.
    """

    def __init__(self, part: Part, class_bytes: int = CLASS_BYTES) -> None:
        self.part, self.solution, self.game = part, part.solution, part.solution.game
        self.engine, self.players = self.solution.engine, self.game.players
        what = f"a picture of {part.classes:,} classes"
        Budget.of_machine().require(class_bytes * part.classes, what, "a smaller part")
        self.start = self.engine.canonical(self.engine.start)
        self._known = {self.start: self.engine.start}
        self.plies: dict[int, int] | None = None
        """In a loopy game, the distance of each class from the start, since tiers give no order."""
        if part.solution.loopy:
            self.plies = self._walk()

    def classes(self) -> Iterator[DrawnClass]:
        """The classes, tier by tier."""
        for block, rows in self.part.rows(moves=True):
            leads = {(edge.row, edge.target): edge for edge in merged_edges(block)}
            for number, row in enumerate(rows):
                state = row["state"]
                position = self._known.get(state, state)
                steps = self._steps(position)
                if self.plies is None:  # all moves that lead here have been seen
                    self._known.pop(state, None)
                edges = [(leads[number, to], codes) for to, codes in steps.items() if (number, to) in leads]
                yield DrawnClass(row, position, edges)

    def _steps(self, state: int) -> dict[int, list[int]]:
        """Return the classes after a drawn position, by least code, with all codes that lead there."""
        found: dict[int, list[int]] = {}
        for code, child in self.engine.rules.moves(state):
            canonical = self.engine.canonical(child)
            found.setdefault(canonical, []).append(code)
            self._known.setdefault(canonical, child)
        return found

    def _walk(self) -> dict[int, int]:
        """Return the plies to each class of the part, breadth first."""
        look_up, plies, waiting = self.solution.lookup, {self.start: 0}, [self.start]
        for state in waiting:  # grows as it goes
            if plies[state] == self.part.depth:
                continue
            for child in self._steps(self._known[state]):
                kept = not self.part.optimal_only or look_up(state).value == look_up(child).value
                if child not in plies and kept:
                    plies[child] = plies[state] + 1
                    waiting.append(child)
        return plies

    def worth(self, value: int, remoteness_plies: int | None) -> str:
        """Say what a class is worth, and in how many plies; ``remoteness_plies`` is None for a draw."""
        if remoteness_plies is None:
            return "draw (endless)"
        margin = f" by {abs(value)}" if self.engine.rules.payoffs != (-1, 1) or abs(value) != 1 else ""
        result = "tie" if value == 0 else f"{self.players[value < 0]} wins{margin}"
        return f"{result} in {remoteness_plies}" if remoteness_plies else result

    def tint(self, value: int, remoteness_plies: int | None) -> str:
        """Return the colour of a class; ``remoteness_plies`` is None for a draw."""
        return TINTS[outcome_of(value, remoteness_plies).key]

    def lines(self, row: dict[str, Any]) -> list[str]:
        """Return the lines below the board of a class: who moves, and its worth."""
        mover = [] if row["terminal"] else [f"{self.players[row['to_move'] == 'O']} to move"]
        worth = self.worth(row["value"], row["remoteness_plies"])
        return [*["start"] * (row["state"] == self.start), *mover, worth, *["…"] * row["cut"]]

    def title(self) -> str:
        """Say what the picture shows and what the start is worth, in a line."""
        start = "" if self.engine.start == self.engine.rules.start else f" from {self.solution.start}"
        depth = self.part.depth
        cut = "" if depth is None else f", {some(depth, 'ply', 'plies')} deep"
        optimal = ", optimal moves only" if self.part.optimal_only else ""
        record = self.solution.lookup(self.engine.start)
        return f"{self.game.spec}{start}{cut}{optimal}: {self.worth(record.value, record.remoteness_plies)}"

    def key(self, found: Iterable[DrawnClass]) -> list[tuple[str, str]]:
        """Return name and colour of each value that is drawn."""
        first, second = self.players
        names = {"X": f"{first} wins", "tie": "tie", "O": f"{second} wins", "draw": "draw (endless)"}
        drawn = {outcome_of(each.row["value"], each.row["remoteness_plies"]).key for each in found}
        return [(name, TINTS[key]) for key, name in names.items() if key in drawn]

    def notes(self) -> str:
        """Explain the other signs."""
        first = "in N: plies to the end under optimal play; bold line: optimal move"
        second = "double border: the game is over"
        if self.solution.symmetry_order != 1:
            first += "\nsymmetric positions are drawn once; one line carries the moves to all of them"
        return f"{first}\n{second}" + ("" if self.part.whole else "; dashed border and …: more moves, not shown")

    def names(self, found: DrawnClass) -> dict[int, str]:
        """Return the short names of moves by cell if it is the start, whose board shows them."""
        if found.row["state"] != self.start:
            return {}
        moves = {code: self.game.format_move(code) for code, _ in self.engine.rules.moves(found.position)}
        return names_in_cells(self.game, found.position, moves)


# For Graphviz ---------------------------------------------------------------------------------------------------------


def write_dot(part: Part, file: IO[bytes]) -> None:
    """Write a graph for Graphviz: a node for each class, an edge for all moves from one class to another."""
    drawing = Drawing(part)
    title = drawing.title()
    head = (
        "digraph gametree {\n"
        f"  graph [{FONT}, fontsize=12, labelloc=t, nodesep=0.2, ranksep=0.45, tooltip={quoted(title)},\n"
        f"    label={quoted(title, *drawing.notes().splitlines())}];\n"
        f'  node [{FONT}, fontsize=12, shape=box, style=filled, margin="0.06,0.04", color="{INK}"];\n'
        f'  edge [{FONT}, fontsize=10, arrowsize=0.7, penwidth=0.8, color="{OTHER}", fontcolor="{OTHER}"];\n'
    )
    file.write(head.encode())
    for found in drawing.classes():
        file.write(_node(drawing, found).encode())
        file.write("".join(_edge(drawing, edge, codes) for edge, codes in found.edges).encode())
    by_plies: dict[int, list[int]] = {}  # in a loopy game, classes at the same distance share a rank
    for canonical, plies in (drawing.plies or {}).items():
        by_plies.setdefault(plies, []).append(canonical)
    for states in by_plies.values():
        file.write(f"  {{rank=same; {'; '.join(map(node_id, sorted(states)))}}}\n".encode())
    file.write(b"}\n")


def _node(drawing: Drawing, found: DrawnClass) -> str:
    """Return the statement of a class: colour and words for its value; a double border if the game is over, a dashed
    one if moves are left out, a thick one for the start.
    """
    row, lines = found.row, drawing.lines(found.row)
    tip = ", ".join(filter(None, [drawing.game.format_position(found.position), *lines]))
    look = [
        f"label={quoted(*_board(drawing, found), *lines)}",
        f'fillcolor="{drawing.tint(row["value"], row["remoteness_plies"])}"',
        *['style="filled,dashed"'] * row["cut"],
        *["peripheries=2"] * row["terminal"],
        *["penwidth=3"] * (row["state"] == drawing.start),
        f"tooltip={quoted(tip)}",
    ]
    return f"  {node_id(row['state'])} [{', '.join(look)}];\n"


def _board(drawing: Drawing, found: DrawnClass) -> list[str]:
    """Return the lines of a board, all of one width since Graphviz centres them, or of the position as text; and of
    what the board does not show.
    """
    game, state = drawing.game, found.position
    text, names = game.format_position(state), drawing.names(found)
    drawn = game.picture(state) or board_text(game, state, bare=not game.rows_slant, numbers=names)
    lines = wrapped(text) if drawn in ("", text) else drawn.splitlines()
    width = max(map(len, lines), default=0)
    return [*(line.ljust(width) for line in lines), *wrapped(game.caption(state).replace(text, ""))]


def _edge(drawing: Drawing, edge: Edge, codes: list[int]) -> str:
    """Return the statement of the moves from one class to another, ``codes`` on the board drawn, in bold if optimal.

    Short names share lines; longer ones are stacked, so that none seems to belong to the next arrow.
    """
    names = [drawing.game.format_move(code) for code in codes]
    worth = drawing.worth(edge.value, edge.remoteness_plies)
    tip = quoted(f"{' '.join(names)}: {worth}{', optimal' * edge.optimal}")
    together = len(names) > MOST_LINES or all(len(name) <= SHORT for name in names)
    lines = [line for said in ([" ".join(names)] if together else names) for line in wrapped(said, LABEL_WIDTH)]
    look = [
        f"label={quoted(*(f' {line} ' for line in lines))}",  # blanks keep the text off the arrow
        *[f'penwidth=2.4, color="{INK}", fontcolor="{INK}"'] * edge.optimal,
        f"tooltip={tip}, labeltooltip={tip}",
    ]
    return f"  {node_id(edge.source)} -> {node_id(edge.target)} [{', '.join(look)}];\n"


def wrapped(text: str, width: int = TEXT_WIDTH) -> list[str]:
    """Return the text as lines of at most ``width`` characters."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def quoted(*lines: str) -> str:
    r"""Return lines as a quoted string, for attributes that know escapes such as ``\N`` and entities such as ``&lt;``.

    >>> print(quoted('a\\b "c"', "&amp;"))
    "a\\b \"c\"\n&amp;amp;"
    """
    shown = (line for text in lines for line in drawable(text).splitlines())
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in shown)
    return '"' + "\\n".join(escaped) + '"'


# Pictures -------------------------------------------------------------------------------------------------------------


@styled
def write_picture(part: Part, file: IO[bytes], form: str) -> None:
    """Write a picture as ``svg`` or ``png``: the classes in layers, each below those that lead to it or, in a loopy
    game, by distance from the start.
    """
    from matplotlib.patches import Patch

    drawing = Drawing(part, PICTURE_BYTES)
    game, found = drawing.game, [*drawing.classes()]
    numbers = {each.row["state"]: number for number, each in enumerate(found)}
    nodes = [_picture_node(drawing, each) for each in found]
    links = [
        Link(
            numbers[edge.source], numbers[edge.target], " ".join(map(game.format_move, codes)),
            INK if edge.optimal else TIE, 1 + edge.optimal,
        )
        for each in found
        for edge, codes in each.edges
    ]  # fmt: skip
    for link in links if drawing.plies is None else ():  # in order of tiers, so a class is placed before its moves
        nodes[link.target].layer = max(nodes[link.target].layer, nodes[link.source].layer + 1)
    place_graph(nodes, links)
    key = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=clean(name)) for name, colour in drawing.key(found)
    ]
    figure = draw_layers(game, nodes, links, f"{drawing.title()}\n{drawing.notes()}", key, slide=False)
    drawn = picture_bytes(figure, form, min(DOTS, int(MOST_DOTS / max(figure.get_size_inches()))))
    if form == "svg":
        said = html.escape(drawable(drawing.title()))
        before, root, after = re.split(r"(<svg [^>]*)>", drawn.decode(), maxsplit=1)
        drawn = f'{before}{root} role="img" aria-label="{said}">\n<title>{said}</title>{after}'.encode()
    file.write(drawn)


def _picture_node(drawing: Drawing, found: DrawnClass) -> Node:
    game, row = drawing.game, found.row
    grid, names = game.grid(found.position), drawing.names(found)
    if grid and names:
        cols = len(grid[0])
        grid = [[names.get(r * cols + c, mark) for c, mark in enumerate(marks)] for r, marks in enumerate(grid)]
    return Node(
        0 if drawing.plies is None else drawing.plies[row["state"]], game.format_position(found.position), grid,
        lines=drawing.lines(row), width=3.0 if row["state"] == drawing.start else 1.0, dashed=row["cut"],
        double=row["terminal"], fill=drawing.tint(row["value"], row["remoteness_plies"]),
    )  # fmt: skip
