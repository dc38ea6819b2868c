"""Dots and boxes: draw lines between dots; the player who draws the fourth side of a box scores it and moves again.

Two players draw one edge at a time on a grid of ``rows`` x ``cols`` boxes. When all edges are drawn the payoff is the
first player's boxes minus the second's (Lucas 1889; Berlekamp, The Dots and Boxes Game, 2000).

A state holds one bit for each edge, numbered as one reads: the top edges of the first row of boxes, the upright edges
of that row, the top edges of the next row, and so on. With 2 x 2 boxes::

    +-0-+-1-+       bits  0 .. 11   edges drawn
    2   3   4            12 .. 14   first player's boxes minus second's, plus 4
    +-5-+-6-+            15         side to move, 1: the second player
    7   8   9
    +10-+11-+

A move is the number of the edge; as text it is the two dots that it joins, with letters for columns and numbers for
rows from the top, so ``a1-b1`` is edge 0 and ``a1-a2`` edge 2. The ply is the number of edges drawn. What follows
depends only on the difference of scores, not on who scored which box.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

from ..errors import PositionError, SpecError
from ..rules.boards import NamedMoves, check_range, geometric_symmetries, turn_at, write_cells
from ..rules.game import ONGOING, Evaluation, Permutation, Residual, Rules, popcount
from ..rules.picture import column_name
from ..rules.residuals import box_residual

MOST_BITS = 62  # for edges and difference; the side to move makes it 63
HORIZONTAL, UPRIGHT, FREE = "_-", "|", ".?"
"""How edges may be typed; the first character of each is how they are written. A text that starts with ``-`` would be a
formula in a spreadsheet and an option on a command line.
"""


@dataclasses.dataclass(frozen=True)
class DotsAndBoxes(NamedMoves):
    """Dots and boxes with ``rows`` x ``cols`` boxes."""

    family = "dots_and_boxes"
    title = "Dots and boxes, {rows} x {cols}"
    goal = "Draw an edge; the fourth of a box wins it and another move, and most boxes win."
    look = "dots"
    notation = "a1-b1 joins two neighbouring dots. The player who completes a box moves again."
    description = "draw edges; the fourth side of a box scores it and moves again; payoff is the margin"
    example = "dots_and_boxes:rows=2,cols=2"
    sizes = "up to 4 x 5 boxes fit; 2 x 4 takes a second, 3 x 3 some five"
    known = "margins of the first player: 1x1 -1, 1x2 0, 2x2 +2, 2x3 -2, 2x4 +2, 3x3 -3 (Wilson)"

    move_form = "two neighbouring dots, such as a1-b1"

    rows: int = 2
    cols: int = 2

    def __post_init__(self) -> None:
        check_range(1, rows=self.rows, cols=self.cols)
        if self._side() > MOST_BITS:
            raise SpecError(
                f"{self.rows} x {self.cols} boxes have {self._edges()} edges and need {self._side()} bits; "
                f"{MOST_BITS} fit"
            )

    def _edges(self) -> int:
        return self.rows * (self.cols + 1) + self.cols * (self.rows + 1)

    def _side(self) -> int:
        """Return the bit of the side to move, above the edges and the difference."""
        return self._edges() + (2 * self.rows * self.cols).bit_length()

    def _margin(self, state: int) -> int:
        """Return the first player's boxes minus the second's."""
        return ((state & (1 << self._side()) - 1) >> self._edges()) - self.rows * self.cols

    def _tops(self) -> int:
        """Return the top edges of all boxes, as bits; ``cols`` and ``cols + 1`` further are the sides."""
        return sum(1 << (r * (2 * self.cols + 1) + c) for r in range(self.rows) for c in range(self.cols))

    def rules(self) -> Rules:
        """Return the rules as plain functions; complete boxes are found by shifting the edges onto their tops."""
        edges, boxes, cols, tops = self._edges(), self.rows * self.cols, self.cols, self._tops()
        drawn = (1 << edges) - 1
        side = self._side()
        difference = (1 << (side - edges)) - 1

        def complete(state: int) -> int:
            sides = state & state >> cols
            return popcount(sides & sides >> (cols + 1) & tops)

        def margin(state: int) -> int:
            return (state >> edges & difference) - boxes

        to_move = turn_at(side)

        def outcome(state: int) -> int:
            return margin(state) if state & drawn == drawn else ONGOING

        def legal_moves(state: int, out: Any) -> int:
            return write_cells(~state & drawn, out)

        def play(state: int, move: int) -> int:
            after = state | 1 << move
            scored = complete(after) - complete(state)
            if scored == 0:
                return after ^ 1 << side
            return after + (to_move(state) * scored << edges)

        return Rules(
            start=boxes << edges,
            max_moves=edges,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=edges - 1,
            cells=edges,
            planes=1,
            symmetries=self._symmetries(),
            payoffs=(-boxes, boxes),
            max_plies=edges,
            evaluations={"margin": Evaluation(margin, (-boxes, boxes))},
            heuristic="margin",
        )

    def plies_left(self, state: int, value: int) -> int:
        """Return the number of edges not drawn, whoever wins."""
        return self._edges() - popcount(state & (1 << self._edges()) - 1)

    def residual(self) -> Residual:
        """Return what is left to play: outer edges of one box are equivalent."""
        cols, tops = self.cols, [edge for edge in range(self._edges()) if self._tops() >> edge & 1]
        boxes = [(top, top + cols, top + cols + 1, top + 2 * cols + 1) for top in tops]
        return box_residual(self.rules(), boxes, self.format_position)

    def _joined(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Return the two dots that each edge joins, as row and column from 0, the upper or left one first."""
        pairs = []
        for r in range(self.rows + 1):
            pairs += [((r, c), (r, c + 1)) for c in range(self.cols)]
            pairs += [((r, c), (r + 1, c)) for c in range(self.cols + 1) if r < self.rows]
        return pairs

    def _symmetries(self) -> tuple[Permutation, ...]:
        """Return the rotations and reflections of the dots, as permutations of the edges."""
        rows, cols = self.rows + 1, self.cols + 1
        edges = [frozenset(r * cols + c for r, c in dots) for dots in self._joined()]
        return tuple(
            tuple(edges.index(frozenset(turn[dot] for dot in dots)) for dots in edges)
            for turn in geometric_symmetries(rows, cols, ())
        )

    def parse_position(self, text: str) -> int:
        """Return the state written as its edges in reading order, ``_`` (or ``-``) or ``|`` drawn and ``.`` not, then
        the first player's boxes minus the second's, and the side to move; rows of edges may be separated by ``/`` or
        spaces.
        """
        match = re.fullmatch(r"\s*(.*?)\s+([+-]?[0-9]{1,4})\s+([XOxo])\s*", text, re.ASCII | re.DOTALL)
        if not match:
            example = self.format_position(self.rules().start)
            raise PositionError(f"position {text!r} does not end in margin and side to move; write it like {example}")
        marks = "".join(match[1].split()).replace("/", "")
        if len(marks) != self._edges():
            raise PositionError(f"position {text!r} has {len(marks)} edges; {self.spec} has {self._edges()}")
        state = 0
        for edge, (mark, (first, second)) in enumerate(zip(marks, self._joined(), strict=True)):
            drawn = HORIZONTAL if first[0] == second[0] else UPRIGHT
            if mark not in drawn + FREE:
                raise PositionError(
                    f"position {text!r}: edge {self.format_move(edge)} is {mark!r}; write {drawn[0]} or {FREE[0]}"
                )
            state |= (mark in drawn) << edge
        return self._with_score(text, state, int(match[2]), match[3].upper() == "O")

    def _with_score(self, text: str, drawn: int, margin: int, second_moves: bool) -> int:
        """Return the state of these edges. Raises `PositionError` if the score does not fit them."""
        sides = drawn & drawn >> self.cols
        complete = (sides & sides >> (self.cols + 1) & self._tops()).bit_count()
        if abs(margin) > complete or (margin - complete) % 2:
            raise PositionError(
                f"position {text!r}: a margin of {margin:+} is impossible with {complete} complete boxes"
            )
        return drawn | (margin + self.rows * self.cols) << self._edges() | second_moves << self._side()

    def format_position(self, state: int) -> str:
        """Return the edges row by row, the margin, and the side to move."""
        rows = []
        for number, row in enumerate(self.grid(state)):
            marks = row[1::2] if number % 2 == 0 else row[::2]
            rows.append("".join(marks).replace(" ", FREE[0]).replace("-", HORIZONTAL[0]))
        return f"{'/'.join(rows)} {self._margin(state):+} {'XO'[state >> self._side()]}"

    def grid(self, state: int) -> list[list[str]]:
        """Return the dots and the edges drawn between them."""
        marks = [[" "] * (2 * self.cols + 1) for _ in range(2 * self.rows + 1)]
        for row in marks[::2]:
            row[::2] = "+" * (self.cols + 1)
        for edge, ((r, c), (other_r, other_c)) in enumerate(self._joined()):
            if state >> edge & 1:
                marks[r + other_r][c + other_c] = "-" if r == other_r else UPRIGHT
        return marks

    def cell_of(self, state: int, move: int) -> None:
        """Return None: edges have names of their own, the dots that they join."""

    def picture(self, state: int) -> str:
        """Draw the board with the names of its dots."""
        letters = "   ".join(map(column_name, range(self.cols + 1)))
        lines = [f"    {letters}"]
        for number, row in enumerate(self.grid(state)):
            label = str(number // 2 + 1) if number % 2 == 0 else ""
            marks = "".join(mark if place % 2 == 0 else 3 * mark for place, mark in enumerate(row))
            lines.append(f"{label:<4}{marks}".rstrip())
        return "\n".join(lines)

    def caption(self, state: int) -> str:
        """Describe who leads."""
        margin = self._margin(state)
        return f"boxes: {'X' if margin > 0 else 'O'} leads by {abs(margin)}" if margin else "boxes: level"

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield the two dots that each edge joins, in either order."""
        for edge, dots in enumerate(self._joined()):
            first, second = (f"{column_name(column)}{row + 1}" for row, column in dots)
            yield from ((edge, f"{first}-{second}"), (edge, f"{second}-{first}"))
