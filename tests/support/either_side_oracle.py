"""Games in which either side may be given the move, slow and obvious: boards as strings row by row, and nothing of the
library.
"""

import dataclasses
import functools
import itertools

from tests.support.oracle import line_cells


def joined(n, board, side):
    """Whether a side of hex is connected: X from the top row to the bottom, O from left to right."""
    of_side = {(r, c) for r, c in itertools.product(range(n), repeat=2) if board[r * n + c] == side}
    if side == "O":
        of_side = {(c, r) for r, c in of_side}  # neighbours stay neighbours when rows and columns are exchanged
    reached = {cell for cell in of_side if cell[0] == 0}
    for _ in range(n * n):
        steps = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
        reached |= {(r + a, c + b) for r, c in reached for a, b in steps} & of_side
    return any(r == n - 1 for r, _ in reached)


@dataclasses.dataclass(frozen=True)
class Plain:
    """A game on strings, row by row; a state is a board and its outcome (None while play goes on)."""

    family: str
    rows: int
    cols: int
    k: int = 0
    misere: bool = False

    def successors(self, state):
        """Side, move of the base game, and the state after it."""
        board, ended = state
        if ended is not None:
            return []
        return [
            (side, move, (after, self.outcome(after, side)))
            for side in "XO"
            for move, after in self.placements(board, side)
        ]

    def placements(self, board, side):
        if self.family == "connect":
            for c in range(self.cols):
                free = [cell for cell in range(c, len(board), self.cols) if board[cell] == "?"]
                if free:
                    yield c, put(board, free[-1], side)
            return
        for cell in range(len(board)):
            if board[cell] == "?" and self.family == "wild":
                yield 2 * cell, put(board, cell, "X")
                yield 2 * cell + 1, put(board, cell, "O")
            elif board[cell] == "?":
                yield cell, put(board, cell, "X" if self.family == "notakto" else side)

    def outcome(self, board, mover):
        """The outcome after a move of a side that went on from a board without one."""
        mine = 1 if mover == "X" else -1
        if self.family == "hex":
            return mine if joined(self.rows, board, mover) else None
        whose = {"mnk": mover, "connect": mover, "wild": "XO", "notakto": "X"}[self.family]
        done = any(all(board[cell] == mark for cell in line) for line in self.lines for mark in whose)
        if done:
            return -mine if self.misere != (self.family == "notakto") else mine
        return None if "?" in board else 0

    @functools.cached_property
    def lines(self):
        return line_cells(self.rows, self.cols, self.k)

    @functools.cached_property
    def plies(self):
        """The states that can be reached, ply by ply."""
        plies = [{("?" * (self.rows * self.cols), None)}]
        while plies[-1]:
            plies.append({child for state in plies[-1] for _, _, child in self.successors(state)})
        return plies[:-1]

    @property
    def spec(self):
        if self.family == "hex":
            return f"hex:n={self.rows}"
        return f"{self.family}:rows={self.rows},cols={self.cols},k={self.k}" + ",misere=true" * self.misere


def put(board, cell, mark):
    return board[:cell] + mark + board[cell + 1 :]


plain = functools.cache(Plain)  # so that what a game's search has found is kept


def images(board, text):
    """The board as seen from everywhere: all turns and reflections, of connect one reflection, of hex the half turn."""
    grid = [text[first : first + board.cols] for first in range(0, len(text), board.cols)]
    if board.family == "connect":
        return {text, "".join(row[::-1] for row in grid)}
    if board.family == "hex":
        return {text, text[::-1]}
    grids = [grid, ["".join(column) for column in zip(*grid, strict=True)]] if board.rows == board.cols else [grid]
    return {"".join(row[::across] for row in seen[::down]) for seen in grids for down in (1, -1) for across in (1, -1)}
