"""What a drawn graph says in words: its title, its legend, and what each class is worth."""

from __future__ import annotations

import textwrap

from analysis.exports.drawings import node_labels
from analysis.exports.drawings.drawn import DrawnClass
from analysis.exports.parts.part import Part
from analysis.wording import some

TINTS = {"X": "#A6CBE2", "tie": "#FFFFFF", "O": "#FBE3D3", "draw": "#E4E4E4"}
"""Of values: blue and vermilion of Okabe and Ito, made light enough to read on, and unlike each other in grey too."""

TITLE_WIDTH = 72
"""Characters of a line of the title."""


class DrawingWords:
    """The words and the colours of values of one part."""

    def __init__(self, part: Part) -> None:
        self.part, self.solution, self.players = part, part.solution, part.solution.game.players
        self.margins = self.solution.engine.rules.payoffs != (-1, 1)

    def worth(self, value: int, remoteness_plies: int | None) -> str:
        """What a class is worth, and in how many plies; ``remoteness_plies`` is None for a draw."""
        if remoteness_plies is None:
            return "draw (endless)"
        margin = f" by {abs(value)}" if self.margins else ""
        result = "tie" if value == 0 else f"{self.players[value < 0]} wins{margin}"
        return f"{result} in {remoteness_plies}" if remoteness_plies else result

    def tint(self, value: int, remoteness_plies: int | None) -> str:
        """The colour of a class; ``remoteness_plies`` is None for a draw."""
        return TINTS["draw" if remoteness_plies is None else _sign(value)]

    def lines(self, found: DrawnClass, *, start: bool) -> list[str]:
        """What stands below the board of a class: who moves, and what it is worth."""
        mover = [] if found.terminal else [f"{self.players[found.to_move < 0]} to move"]
        worth = self.worth(found.value, found.remoteness_plies)
        return [*["start"] * start, *mover, worth, *["…"] * found.cut]

    def title(self) -> str:
        """What the picture shows and what the start is worth, in a line."""
        engine = self.solution.engine
        start = "" if engine.start == engine.rules.start else f" from {self.solution.start}"
        depth = self.part.depth
        cut = "" if depth is None else f", {some(depth, 'ply', 'plies')} deep"
        optimal = ", optimal moves only" if self.part.optimal_only else ""
        record = self.solution.lookup(engine.start)
        return f"{self.solution.game.spec}{start}{cut}{optimal}: {self.worth(record.value, record.remoteness_plies)}"

    def heading(self) -> str:
        """Title and legend as the label of the graph."""
        lines = "\n".join(textwrap.wrap(self.title(), TITLE_WIDTH))
        cells = [f'<TD BGCOLOR="{colour}" BORDER="1">{node_labels.small(name)}</TD>' for name, colour in self.samples()]
        return (
            '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4">'
            f'<TR><TD COLSPAN="{len(cells) + 1}"><B>{node_labels.markup(lines)}</B></TD></TR>'
            f"<TR>{''.join(cells)}<TD>{node_labels.small(self.notes())}</TD></TR></TABLE>"
        )

    def samples(self) -> list[tuple[str, str]]:
        """The name and the colour of each value that occurs in the solution."""
        found = self.solution.statistics()
        drawn = sum(row["draw"] for row in found["by_remoteness"] or ())
        known = self.solution.engine.sized
        values = {
            _sign(row["value"]) for row in found["by_value"] if row["value"] or not known or row["positions"] > drawn
        }
        names = {"X": f"{self.players[0]} wins", "tie": "tie", "O": f"{self.players[1]} wins", "draw": "draw (endless)"}
        shown = [key for key in names if key in values or (key == "draw" and drawn)]
        return [(names[key], TINTS[key]) for key in shown]

    def notes(self, edge: str = "arrow") -> str:
        """What the other signs mean, where moves are drawn as such an edge."""
        first = f"in N: plies to the end under optimal play; bold {edge}: optimal move"
        second = "double border: the game is over"
        if self.solution.symmetry_order != 1:
            first += f"\npositions that mirror one another are drawn once; the moves to all of them stand at one {edge}"
        return f"{first}\n{second}" + ("" if self.part.whole else "; broken border and …: more moves, left out here")


def _sign(value: int) -> str:
    return "X" if value > 0 else "O" if value < 0 else "tie"
