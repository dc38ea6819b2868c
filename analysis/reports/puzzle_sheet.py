"""A sheet of puzzles to print: positions found by a query, with who moves and a question, and the solutions on the last
page.

A PDF is drawn by matplotlib page by page; HTML is one file without scripts, with the same boards as inline SVG and page
breaks for printing.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import math
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from analysis.errors import MissingDataError, OptionError
from analysis.machine.arguments import checked
from analysis.machine.files import check_target, write_bytes
from analysis.machine.markup import printable
from analysis.machine.workers import tell_progress
from analysis.pictures import style
from analysis.pictures.boards import BoardShape, Grid, draw_board, least_cell, regular, shape_of
from analysis.pictures.style import INK, MUTED, TEXT, clean, fit, picture_bytes, styled
from analysis.reports.figures.panels import board_axes
from analysis.reports.page import TEMPLATES, inline
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.rules.picture import board_text, column_name, row_name
from analysis.solution.searching import FoundClass, FoundClasses
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")

SUFFIXES = (".html", ".pdf")

PER_PAGE, MOST_PER_PAGE, MOST_PUZZLES = 6, 24, 1000

PAPER = (8.27, 11.69)
"""A4, in inches."""

_MARGIN, _HEAD, _GAP = 0.6, 0.45, 0.2  # inches
_WORDS = 1.0
"""Height of what is above and below a board: who moves, the question, and room for an answer."""
_LARGEST, _SIDE, _LINE = 0.6, 0.25, 0.2
"""The largest cell, room for coordinates, and the height of a line of text."""


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


class Sheet(NamedTuple):
    """A sheet that was written."""

    path: Path
    puzzles: int
    left_out: int
    """Positions with nothing to find."""
    pages: int
    """Including those with solutions."""


@checked
def check_sheet(path: Path, per_page: int, limit: int) -> None:
    """Raise `OptionError` or `StoreError` for a sheet that cannot be written, before anything is solved for it."""
    check_target(path, SUFFIXES, "a sheet of puzzles")
    if not 1 <= per_page <= MOST_PER_PAGE:
        raise OptionError(f"cannot print {per_page} puzzles per page; give 1 to {MOST_PER_PAGE}")
    if not 1 <= limit <= MOST_PUZZLES:
        raise OptionError(f"cannot print {limit:,} puzzles; give --limit 1 to {MOST_PUZZLES}")


@checked
def write_sheet(
    path: str | Path,
    game: Game,
    found: FoundClasses,
    *,
    title: str = "",
    per_page: int = PER_PAGE,
) -> Sheet:
    """Write a sheet of puzzles about positions of a ``game`` found by `Solution.find`.

    Positions in which all moves are equally good, or the game is over, are left out. Solutions are on the last page or
    pages.

    Args:
        path: The file, ``.html`` or ``.pdf``.
        game: The game.
        found: The positions.
        title: A heading of the solutions besides the game, such as the query, which may tell them.
        per_page: Puzzles per page.

    Raises:
        OptionError: for another suffix or number, or a board too small to read.
        StoreError: if the file cannot be written.
        MissingDataError: if no position has anything to find, or moves are not known.
    """
    path = Path(path)
    check_sheet(path, per_page, max(1, len(found)))
    puzzles = list(puzzles_of(game, found))
    if not puzzles:
        raise MissingDataError("no puzzles to print: in every position found, all moves are equally good")
    pages = _parted(puzzles, per_page)
    write = _pdf if path.suffix.lower() == ".pdf" else _html
    data, answers = write(_Design(game, title, per_page), pages)
    write_bytes(path, data)
    return Sheet(path, len(puzzles), len(found) - len(puzzles), len(pages) + answers)


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
    title: str
    per_page: int

    def __post_init__(self) -> None:
        """Find out whether moves are named by rows and columns, which boards then show."""
        notation = Notation(self.game)
        said = (notation.say(notation.first, move.code) for move in notation.first_moves)
        self._named = not notation.own_coordinates and any(map(_COORDINATE.search, said))
        self.head = clean(self.game.spec, 60)
        self.answers_head = " · ".join(filter(None, (self.head, clean(self.title, 60), "Solutions")))
        self.columns = 1 if self.per_page == 1 else 2 if self.per_page <= 8 else 3
        rows = math.ceil(self.per_page / self.columns)
        self.width, self.height = (PAPER[0] - 2 * _MARGIN) / self.columns, (PAPER[1] - 2 * _MARGIN - _HEAD) / rows

    def board(self, puzzle: Puzzle) -> tuple[BoardShape, float]:
        """Return the shape of a board and the width of a cell. Raises `OptionError` if it is too small to read."""
        assert puzzle.grid is not None
        shape = shape_of(self.game, puzzle.grid)
        fits = min((self.width - _SIDE - _GAP) / shape.width, (self.height - _WORDS - _SIDE) / shape.height)
        if fits < least_cell([puzzle.grid]):
            raise OptionError(
                f"a board of {shape.rows} by {shape.cols} cells is too small to read with {self.per_page} per page"
                + ("" if self.per_page == 1 else "; give fewer with --per-page")
            )
        return shape, min(_LARGEST, fits)

    def draw(self, figure: Figure, puzzle: Puzzle, corner: tuple[float, float]) -> None:
        """Draw a board with the names of its rows and columns, at a corner in inches from the left and top."""
        assert puzzle.grid is not None
        shape, cell = self.board(puzzle)
        axes = board_axes(figure, shape, cell, corner[0] + _SIDE, corner[1] + _SIDE)
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


# HTML -----------------------------------------------------------------------------------------------------------------


@styled
def _html(design: _Design, pages: Sequence[Sequence[Puzzle]]) -> tuple[bytes, int]:
    """Return the file, and the number of pages of solutions."""
    from xml.etree import ElementTree

    from markupsafe import Markup
    from matplotlib.figure import Figure

    drawings, total = {}, sum(map(len, pages))
    for puzzle in itertools.chain(*pages):
        tell_progress("boards drawn", puzzle.number, total)
        if puzzle.grid is not None:
            shape, cell = design.board(puzzle)
            figure = Figure(figsize=(shape.width * cell + _SIDE + 0.05, shape.height * cell + _SIDE + 0.05))
            design.draw(figure, puzzle, (0, 0))
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
    return printable(html).encode(), 1


# PDF ------------------------------------------------------------------------------------------------------------------


@styled
def _pdf(design: _Design, pages: Sequence[Sequence[Puzzle]]) -> tuple[bytes, int]:
    """Return the file, and the number of pages of solutions."""
    from matplotlib.backends.backend_pdf import PdfPages

    puzzles, file = list(itertools.chain(*pages)), io.BytesIO()
    answers = _parted(_parted(_answer_lines(puzzles), _ANSWER_LINES), 2)
    with (
        warnings.catch_warnings(),
        PdfPages(file, metadata={"CreationDate": None, "Title": clean(f"Puzzles: {design.game.spec}")}) as pdf,
    ):
        warnings.filterwarnings("ignore", "Glyph")  # a script that the font lacks
        for page in pages:
            tell_progress("boards drawn", page[0].number, len(puzzles))
            pdf.savefig(_puzzle_page(design, page))
        for columns in answers:
            figure = _page(design.answers_head)
            for number, line in itertools.product(range(len(columns)), range(_ANSWER_LINES)):
                if line < len(columns[number]):
                    place = _MARGIN + number * _ANSWER_COLUMN, _MARGIN + _HEAD + line * _LINE
                    _write(figure, place, fit(columns[number][line], _ANSWER_COLUMN - _GAP))
            pdf.savefig(figure)
    return file.getvalue(), len(answers)


_ANSWER_COLUMN = (PAPER[0] - 2 * _MARGIN) / 2
_ANSWER_LINES = int((PAPER[1] - 2 * _MARGIN - _HEAD) / _LINE)


def _answer_lines(puzzles: Sequence[Puzzle]) -> list[str]:
    said = (f"{puzzle.number}. {puzzle.solution}" for puzzle in puzzles)
    wrapped = (textwrap.wrap(text, 50, subsequent_indent="    ", break_on_hyphens=False) for text in said)
    return list(itertools.chain(*wrapped))


def _page(head: str) -> Figure:
    """Make a page with only its heading."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=PAPER)
    _write(figure, (_MARGIN, _MARGIN), fit(head, PAPER[0] - 2 * _MARGIN), color=MUTED)
    return figure


def _write(figure: Figure, corner: tuple[float, float], text: str, **look: object) -> None:
    """Write text at a corner in inches from the left and top."""
    figure.text(corner[0] / PAPER[0], 1 - corner[1] / PAPER[1], text, va="top", **look)  # type: ignore[arg-type]


def _puzzle_page(design: _Design, page: Sequence[Puzzle]) -> Figure:
    figure, width = _page(design.head), design.width - _GAP
    for place, puzzle in enumerate(page):
        row, column = divmod(place, design.columns)
        left, top = _MARGIN + column * design.width, _MARGIN + _HEAD + row * design.height
        _write(figure, (left, top), fit(f"{puzzle.number}. {puzzle.heading}", width), fontweight="bold")
        below = top + _LINE + 0.05
        if puzzle.grid is None:
            below += _text_board(figure, puzzle, (left, below), width, design.height - _WORDS)
        else:
            shape, cell = design.board(puzzle)
            design.draw(figure, puzzle, (left, below))
            below += shape.height * cell + _SIDE + 0.08
        for said in filter(None, (clean(puzzle.caption, 80), puzzle.question)):
            below += 0.05
            _write(figure, (left, below), fit(said, width), color=INK)
            below += _LINE - 0.03
        _write(figure, (left, below + 0.08), "." * int(width * 18), color=MUTED, fontsize=TEXT)
    return figure


def _text_board(figure: Figure, puzzle: Puzzle, corner: tuple[float, float], width: float, height: float) -> float:
    """Write the position as text within this width and height; return its height."""
    lines = puzzle.text.splitlines()
    if len(lines) == 1:
        lines = textwrap.wrap(lines[0], int(width * 72 / (0.6 * TEXT)), break_on_hyphens=False)
    longest = max(map(len, lines))
    size = min(TEXT, width * 72 / (0.61 * longest), height * 72 / (1.2 * len(lines)))
    _write(figure, corner, "\n".join(lines), family="monospace", fontsize=size, linespacing=1.2)
    return len(lines) * size * 1.25 / 72
