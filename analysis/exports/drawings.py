"""Draw graphs of classes: boards as labels, values by colour and in words, optimal moves in bold.

The result is text for Graphviz (for its language see https://graphviz.org/doc/info/lang.html), or a picture drawn by
its program ``dot`` or, without it, by matplotlib.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from analysis.errors import StoreError, TooLargeError
from analysis.exports import node_labels
from analysis.exports.graphs import node_id
from analysis.exports.part import Edge, Part, merged_edges
from analysis.machine.endings import cleanup
from analysis.machine.markup import drawable
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.pictures.layers import Link, Node, draw_layers, place_graph
from analysis.pictures.style import INK, TIE, clean, outcome_of, picture_bytes, styled
from analysis.wording import some

TINTS = {"X": "#A6CBE2", "tie": "#FFFFFF", "O": "#FBE3D3", "draw": "#E4E4E4"}
"""Colours of values: blue and vermilion of Okabe and Ito, light enough to read on, and distinct in grey too."""

OTHER = "#6b6b6b"
"""The colour of moves that are not optimal."""

TITLE_WIDTH, LABEL_WIDTH = 72, 15
"""Line widths, in characters, of the title and of moves at an edge."""

SHORT, MOST_LINES = 2, 4
"""The longest name, in characters, that shares its line, and the most lines of longer names."""

CLASS_BYTES = 300
"""Bytes per class of a picture."""

MOST_PLAIN = 400
"""The most classes drawn without Graphviz."""

SECONDS = 60
"""The time limit for drawing: 4,705 classes of connect four on 4x4 with 7,740 edges took 16 s."""

_END = {"svg": b"</svg>", "png": b"IEND"}
"""What a complete picture contains."""


def write_dot(part: Part, file: IO[bytes]) -> None:
    """Write a graph for Graphviz: a node for each class, an edge for all moves from one class to another."""
    _write_dot(Drawing(part), file)


def write_picture(part: Part, file: IO[bytes], form: str) -> None:
    """Write the picture of `write_dot` as ``svg`` or ``png``, or, without Graphviz, one drawn here.

    Raises `TooLargeError` if it takes too long or is too large, and `StoreError` if Graphviz fails.
    """
    program, drawing = shutil.which("dot"), Drawing(part)
    if program is None:
        drawn = _draw_plainly(drawing, form)
    else:
        source = io.BytesIO()
        _write_dot(drawing, source)
        drawn = _draw(program, source.getvalue(), form, f"{part.classes:,} classes")
    if form == "svg":  # drop comments, which name Graphviz's version; add a title
        text = re.sub("<!--.*?-->\n?", "", drawn.decode(), flags=re.DOTALL)
        said = html.escape(drawable(drawing.title()))
        before, root, after = re.split(r"(<svg [^>]*)>\n?", text, maxsplit=1)
        drawn = f'{before}{root} role="img" aria-label="{said}">\n<title>{said}</title>\n{after}'.encode()
    file.write(drawn)


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

    def __init__(self, part: Part) -> None:
        self.part, self.solution, self.game = part, part.solution, part.solution.game
        self.engine, self.players = self.solution.engine, self.game.players
        what = f"a picture of {part.classes:,} classes"
        Budget.of_machine().require(CLASS_BYTES * part.classes, what, "a smaller part")
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

    def samples(self) -> list[tuple[str, str]]:
        """Return name and colour of each value in the solution; of optimal moves only, all have that of the start."""
        found, start = self.solution.statistics(), self.solution.lookup(self.engine.start).value
        drawn = [row for row in found["by_value"] if not self.part.optimal_only or row["value"] == start]
        draws = any(row["value"] == 0 for row in drawn) * sum(row["draw"] for row in found["by_remoteness"] or ())
        values = {
            outcome_of(row["value"], 0).key
            for row in drawn
            if row["value"] or not self.engine.sized or row["positions"] > draws
        } | ({"draw"} if draws else set())
        names = {"X": f"{self.players[0]} wins", "tie": "tie", "O": f"{self.players[1]} wins", "draw": "draw (endless)"}
        return [(name, TINTS[key]) for key, name in names.items() if key in values]

    def notes(self, edge: str = "arrow") -> str:
        """Explain the other signs; moves are drawn as ``edge``."""
        first = f"in N: plies to the end under optimal play; bold {edge}: optimal move"
        second = "double border: the game is over"
        if self.solution.symmetry_order != 1:
            first += f"\nsymmetric positions are drawn once; one {edge} carries the moves to all of them"
        return f"{first}\n{second}" + ("" if self.part.whole else "; dashed border and …: more moves, not shown")

    def names_in_cells(self, position: int) -> dict[int, str]:
        """Return the short names of moves by cell, as the start shows them."""
        names = {code: self.game.format_move(code) for code, _ in self.engine.rules.moves(position)}
        return node_labels.names_in_cells(self.game, position, names)


def _write_dot(drawing: Drawing, file: IO[bytes]) -> None:
    font, tip = f'fontname="{node_labels.FONT}"', node_labels.quoted(drawing.title())
    title = node_labels.markup("\n".join(textwrap.wrap(drawing.title(), TITLE_WIDTH)))
    cells = [f'<TD BGCOLOR="{tint}" BORDER="1">{node_labels.small(name)}</TD>' for name, tint in drawing.samples()]
    heading = (
        '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4">'
        f'<TR><TD COLSPAN="{len(cells) + 1}"><B>{title}</B></TD></TR>'
        f"<TR>{''.join(cells)}<TD>{node_labels.small(drawing.notes())}</TD></TR></TABLE>"
    )
    head = (
        "digraph gametree {\n"
        f"  graph [{font}, fontsize=12, labelloc=t, nodesep=0.2, ranksep=0.45, tooltip={tip},\n"
        f"    label=<{heading}>];\n"
        f'  node [{font}, fontsize=12, shape=box, style=filled, margin="0.06,0.04", color="{INK}"];\n'
        f'  edge [{font}, fontsize=10, arrowsize=0.7, penwidth=0.8, color="{OTHER}", fontcolor="{OTHER}"];\n'
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
    game, row, position = drawing.game, found.row, found.position
    start, lines = row["state"] == drawing.start, drawing.lines(row)
    board = node_labels.board(game, position, drawing.names_in_cells(position) if start else {})
    tip = ", ".join(filter(None, [game.format_position(position), *lines]))
    look = [
        f"label=<{node_labels.node(board, lines)}>",
        f'fillcolor="{drawing.tint(row["value"], row["remoteness_plies"])}"',
        *['style="filled,dashed"'] * row["cut"],
        *["peripheries=2"] * row["terminal"],
        *["penwidth=3"] * start,
        f"tooltip={node_labels.quoted(tip)}",
    ]
    return f"  {node_id(row['state'])} [{', '.join(look)}];\n"


def _edge(drawing: Drawing, edge: Edge, codes: list[int]) -> str:
    """Return the statement of the moves from one class to another, ``codes`` on the board drawn, in bold if optimal.

    Short names share lines; longer ones are stacked, so that none seems to belong to the next arrow.
    """
    names = [drawing.game.format_move(code) for code in codes]
    worth = drawing.worth(edge.value, edge.remoteness_plies)
    tip = node_labels.quoted(f"{' '.join(names)}: {worth}{', optimal' * edge.optimal}")
    together = len(names) > MOST_LINES or all(len(name) <= SHORT for name in names)
    lines = "\n".join(node_labels.wrapped(line, LABEL_WIDTH) for line in ([" ".join(names)] if together else names))
    blanks = "\n".join(f" {line} " for line in lines.splitlines())  # blanks keep the text off the arrow
    look = [
        f"label={node_labels.quoted(blanks)}",
        *[f'penwidth=2.4, color="{INK}", fontcolor="{INK}"'] * edge.optimal,
        f"tooltip={tip}, labeltooltip={tip}",
    ]
    return f"  {node_id(edge.source)} -> {node_id(edge.target)} [{', '.join(look)}];\n"


def _draw(program: str, source: bytes, form: str, what: str) -> bytes:
    """Run ``dot`` on a graph."""
    command = [program, f"-T{form}", *["-Gdpi=150"] * (form == "png")]
    try:
        with (
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
            cleanup(process.kill),
        ):
            for second in range(SECONDS):
                tell_progress("seconds of drawing", second, None)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    drawn, errors = process.communicate(None if second else source, timeout=1)
                    break
            else:
                raise TooLargeError(
                    f"Graphviz did not draw {what} within {SECONDS} seconds; limit them by --depth or --optimal-only, "
                    "or write --to dot and use another layout, such as sfdp"
                )
    except OSError as error:
        raise StoreError(f"cannot run {program}: {error.strerror}") from None
    if process.returncode or _END[form] not in drawn:
        said = " ".join(errors.decode(errors="replace").split()) or f"exit code {process.returncode}"
        raise StoreError(f"Graphviz did not draw {what}: {said}")
    return drawn


@styled
def _draw_plainly(drawing: Drawing, form: str) -> bytes:
    """Draw the classes in layers, each below those that lead to it or, in a loopy game, by distance from the start."""
    from matplotlib.patches import Patch

    if drawing.part.classes > MOST_PLAIN:
        raise TooLargeError(
            f"cannot draw {drawing.part.classes:,} classes without Graphviz, only {MOST_PLAIN}; limit them by --depth "
            "or --optimal-only, or install Graphviz (`apt install graphviz`, `brew install graphviz`)"
        )
    game, found = drawing.game, [*drawing.classes()]
    numbers = {each.row["state"]: number for number, each in enumerate(found)}
    nodes = [_plain_node(drawing, each) for each in found]
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
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=clean(name)) for name, colour in drawing.samples()
    ]
    title = f"{drawing.title()}\n{drawing.notes('line')}"
    return picture_bytes(draw_layers(game, nodes, links, title, key, slide=False), form)


def _plain_node(drawing: Drawing, found: DrawnClass) -> Node:
    game, row, start = drawing.game, found.row, found.row["state"] == drawing.start
    grid = game.grid(found.position)
    if start and grid:
        names, cols = drawing.names_in_cells(found.position), len(grid[0])
        grid = [[names.get(r * cols + c, mark) for c, mark in enumerate(marks)] for r, marks in enumerate(grid)]
    return Node(
        0 if drawing.plies is None else drawing.plies[row["state"]], game.format_position(found.position), grid,
        lines=drawing.lines(row), width=3.0 if start else 1.0, dashed=row["cut"], double=row["terminal"],
        fill=drawing.tint(row["value"], row["remoteness_plies"]),
    )  # fmt: skip
