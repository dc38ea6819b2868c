"""A sheet of puzzles to print: positions with who moves and a question, and the solutions on the last page.

It is one HTML file without scripts, with boards as inline SVG and page breaks for printing.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from analysis.errors import MissingDataError, OptionError
from analysis.machine.markup import printable
from analysis.machine.workers import tell_progress
from analysis.pictures import style
from analysis.pictures.boards import BoardShape, Grid, draw_board, least_cell, regular, shape_of
from analysis.pictures.style import MUTED, clean, picture_bytes, styled
from analysis.reports.figures.panels import board_axes
from analysis.reports.page import TEMPLATES, inline
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.rules.picture import board_text, column_name, row_name
from analysis.solution.searching import FoundClass
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.solution.solution import Solution

T = TypeVar("T")

PER_PAGE = (6, 4, 2, 1)
"""Puzzles on a page; the first number whose boards are large enough to read."""
MOST_PUZZLES = 1000

PAPER = (8.27, 11.69)
"""A4, in inches."""

_MARGIN, _HEAD, _GAP = 0.6, 0.45, 0.2  # inches
_WORDS = 1.0
"""Height of what is above and below a board: who moves, the question, and room for an answer."""
_LARGEST, _SIDE = 0.6, 0.25
"""The largest cell, and room for coordinates."""


class Puzzle(NamedTuple):
    """A position with a question."""

    number: int
    """Counted from 1."""
    position: str
    grid: Grid | None
    """The board; None if it is shown as `text`."""
    text: str
    """The position drawn with characters."""
    caption: str
    """What the board does not show, such as a score; may be empty."""
    heading: str
    """Who moves."""
    question: str
    solution: str
    """The moves and what they lead to."""


def check_number(puzzles: int) -> None:
    """Raise `OptionError` for a number of puzzles that is not written."""
    if not 0 <= puzzles <= MOST_PUZZLES:
        raise OptionError(f"cannot print {puzzles:,} puzzles; give 1 to {MOST_PUZZLES:,}")


def puzzle_sheet(solution: Solution, number: int) -> bytes:
    """Make a sheet of so many puzzles, as HTML: positions in which a single move keeps the value, those in which a
    random move errs most often first. The solutions are on the last page.

    Raises `MissingDataError` if there is no such position or moves are not known, and `OptionError` for a board too
    large to print.
    """
    found = solution.find("only_move", order="errs", limit=number)
    game = solution.classes.game
    puzzles = list(puzzles_of(game, found))
    if not puzzles:
        raise MissingDataError(
            f"no puzzles to print: {game.spec} has no position in which a single move keeps the value"
        )
    design = _design_for(game, puzzles)
    return _html(design, _parted(puzzles, design.per_page))


def _design_for(game: Game, puzzles: Sequence[Puzzle]) -> _Design:
    """Return the design with the most puzzles on a page whose boards can be read."""
    for per_page in PER_PAGE:
        design = _Design(game, per_page)
        if all(design.fits(puzzle) for puzzle in puzzles):
            return design
    raise OptionError(f"boards of {game.spec} are too large to be read on paper")


def _parted(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split items into parts of this size; the last may be smaller."""
    return [items[low : low + size] for low in range(0, len(items), size)]


def puzzles_of(game: Game, found: Iterable[FoundClass]) -> Iterator[Puzzle]:
    """Make puzzles of positions with better and worse moves. Raises `MissingDataError` if moves are unknown."""
    notation, number = Notation(game), 0
    for each in found:
        if each.best_moves is None:
            raise MissingDataError(f"puzzles need the moves of {game.spec}, but its rules are not available")
        best, margin = each.best_moves, each.value * (1 if each.to_move == "X" else -1)
        if each.to_move is None or not 0 < len(best) < (each.moves or 0):
            continue
        number += 1
        grid, one, by = game.grid(each.state), "s" * (len(best) == 1), f" by {abs(margin)}" * (abs(margin) > 1)
        wanted = f"win{one}{by}" if margin > 0 else f"keep{one} the {each.outcome}"
        wanted = f"lose{one} by no more than {-margin}" if margin < 0 else wanted
        pairs = zip((notation.say(each.state, code) for code in best), each.best_names or (), strict=True)
        moves = ", ".join(said if said == name else f"{said} ({name})" for said, name in pairs)
        outcome = "a draw, play never ends"
        if each.remoteness_plies is not None:
            outcome = f"{game.players[each.value < 0]} wins{by}" if each.value else "a tie"
            outcome += f" after {some(each.remoteness_plies, 'ply', 'plies')}"
        yield Puzzle(
            number=number,
            position=each.position,
            grid=grid if regular(grid) else None,
            text=board_text(game, each.state),
            caption=game.caption(each.state),
            heading=f"{game.players[each.to_move == 'O']} to move",
            question=f"Which {'move' if one else f'{len(best)} moves'} {wanted}?",
            solution=f"{moves}: {outcome}",
        )


_COORDINATE = re.compile(r"[a-z]{1,2}[0-9]")


@dataclasses.dataclass
class _Design:
    """The design common to all pages."""

    game: Game
    per_page: int

    def __post_init__(self) -> None:
        """Find out whether moves are named by rows and columns, which boards then show."""
        notation = Notation(self.game)
        said = (notation.say(notation.first, move.code) for move in notation.first_moves)
        self._named = not notation.own_coordinates and any(map(_COORDINATE.search, said))
        self.head = clean(self.game.spec, 60)
        self.answers_head = f"{self.head} · Solutions"
        self.columns = 1 if self.per_page == 1 else 2 if self.per_page <= 8 else 3
        rows = math.ceil(self.per_page / self.columns)
        self.width, self.height = (PAPER[0] - 2 * _MARGIN) / self.columns, (PAPER[1] - 2 * _MARGIN - _HEAD) / rows

    def board(self, puzzle: Puzzle) -> tuple[BoardShape, float]:
        """Return the shape of a board and the width of a cell."""
        assert puzzle.grid is not None
        shape = shape_of(self.game, puzzle.grid)
        most = min((self.width - _SIDE - _GAP) / shape.width, (self.height - _WORDS - _SIDE) / shape.height)
        return shape, min(_LARGEST, most)

    def fits(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle's board is large enough to read."""
        return puzzle.grid is None or self.board(puzzle)[1] >= least_cell([puzzle.grid])

    def draw(self, figure: Figure, puzzle: Puzzle) -> None:
        """Draw a board with the names of its rows and columns."""
        assert puzzle.grid is not None
        shape, cell = self.board(puzzle)
        axes = board_axes(figure, shape, cell, _SIDE, _SIDE)
        draw_board(axes, cell, shape, puzzle.grid, {})
        if not self._named:
            return
        step, away = 2 if shape.dotted else 1, 0.12 / cell  # between dots are lines
        rows, cols = -(-shape.rows // step), -(-shape.cols // step)
        look: dict[str, Any] = {"fontsize": min(8.0, 72 * cell * 0.7), "color": MUTED, "ha": "center", "va": "center"}
        for number in range(cols):
            axes.text(shape.middle(0, number * step)[0], -away, column_name(number), **look)
        for number in range(rows):
            x, y = shape.box(number * step, 0)[0] - away, shape.middle(number * step, 0)[1]
            axes.text(x, y, row_name(number, rows, self.game.rows_from_bottom), **look)


@styled
def _html(design: _Design, pages: Sequence[Sequence[Puzzle]]) -> bytes:
    """Return the file."""
    from xml.etree import ElementTree

    from markupsafe import Markup
    from matplotlib.figure import Figure

    drawings, total = {}, sum(map(len, pages))
    for puzzle in itertools.chain(*pages):
        tell_progress("boards drawn", puzzle.number, total)
        if puzzle.grid is not None:
            shape, cell = design.board(puzzle)
            figure = Figure(figsize=(shape.width * cell + _SIDE + 0.05, shape.height * cell + _SIDE + 0.05))
            design.draw(figure, puzzle)
            svg, said = picture_bytes(figure, "svg"), f"{puzzle.heading}: {puzzle.position}"
            width = ElementTree.fromstring(svg).attrib["width"]  # as matplotlib writes it, such as 120pt
            markup = inline(svg, f"puzzle-{puzzle.number}", f"Puzzle {puzzle.number}", said)
            drawings[puzzle.number] = Markup(markup), width
    html = (
        style.environment(TEMPLATES)
        .get_template("puzzles.html.j2")
        .render(
            design=design, pages=pages, drawings=drawings, colours=style.variables(), row=design.height - 0.1,
        )
    )  # fmt: skip
    return printable(html).encode()
