"""A sheet of puzzles to print: some boards a page with a question each, and the solutions on the last page.

A PDF is drawn by matplotlib page by page; HTML is one file without scripts, with the same boards as inline SVG, whose
style sheet breaks pages where it is printed.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import math
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from analysis.errors import MissingDataError, OptionError
from analysis.machine.arguments import checked
from analysis.machine.files import check_target, write_bytes
from analysis.machine.markup import printable
from analysis.machine.workers import Progress, no_progress
from analysis.pictures.boards import DrawnBoard, draw_board, least_cell, shape_of
from analysis.pictures.style import (
    INK,
    MUTED,
    TEXT,
    clean,
    environment,
    fit,
    picture_bytes,
    styled,
    variables,
)
from analysis.reports.page import TEMPLATES, inline
from analysis.reports.puzzles import Coordinates, Puzzle, puzzles_of
from analysis.rules.game import Game
from analysis.solution.searching import FoundClasses

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
"""A cell, room for coordinates beside and above the board, and a line of text."""


@dataclasses.dataclass(frozen=True)
class Sheet:
    """What was written."""

    path: Path
    puzzles: int
    left_out: int
    """Positions in which there is nothing to find."""
    pages: int
    """Those with solutions included."""


@dataclasses.dataclass(frozen=True)
class _Design:
    """What all pages share."""

    game: Game
    title: str
    per_page: int
    coordinates: Coordinates

    @property
    def head(self) -> str:
        """What stands above each page."""
        return " · ".join(filter(None, (clean(self.game.spec, 60), clean(self.title, 60))))

    @property
    def columns(self) -> int:
        return 1 if self.per_page == 1 else 2 if self.per_page <= 8 else 3

    @property
    def slot(self) -> tuple[float, float]:
        """Inches of a puzzle, across and down."""
        rows = math.ceil(self.per_page / self.columns)
        return (PAPER[0] - 2 * _MARGIN) / self.columns, (PAPER[1] - 2 * _MARGIN - _HEAD) / rows

    def board(self, puzzle: Puzzle) -> tuple[DrawnBoard, float]:
        """The shape of its board and the width of a cell. Raises `OptionError` where that is too little to be read."""
        assert puzzle.grid is not None
        (width, height), shape = self.slot, shape_of(self.game, puzzle.grid)
        fits = min((width - _SIDE - _GAP) / shape.width, (height - _WORDS - _SIDE) / shape.height)
        if fits < least_cell([puzzle.grid]):
            raise OptionError(
                f"a board of {shape.rows} by {shape.cols} cells is too small to be read with {self.per_page} on a page"
                + ("" if self.per_page == 1 else "; give fewer with --per-page")
            )
        return shape, min(_LARGEST, fits)

    def size(self, puzzle: Puzzle) -> tuple[float, float]:
        """Inches of its board with the names of rows and columns, across and down."""
        shape, cell = self.board(puzzle)
        return shape.width * cell + _SIDE, shape.height * cell + _SIDE


@checked
def check_sheet(path: Path, per_page: int, limit: int) -> None:
    """Raise `OptionError` or `StoreError` for a sheet that cannot be written, before anything is solved for it."""
    check_target(path, SUFFIXES, "a sheet of puzzles")
    if not 1 <= per_page <= MOST_PER_PAGE:
        raise OptionError(f"{per_page} puzzles a page are not possible; give 1 to {MOST_PER_PAGE}")
    if not 1 <= limit <= MOST_PUZZLES:
        raise OptionError(f"a sheet has 1 to {MOST_PUZZLES:,} puzzles, not {limit:,}; --limit says how many")


@checked
def write_sheet(
    path: str | Path,
    game: Game,
    found: FoundClasses,
    *,
    title: str = "",
    per_page: int = PER_PAGE,
    progress: Progress = no_progress,
) -> Sheet:
    """Write a sheet of puzzles about positions of a ``game`` that `Solution.find` has found.

    Positions in which every move is as good as any other, or the game is over, are left out. Solutions stand on the
    last page, on several where one does not hold them.

    Args:
        path: The file, ``.html`` or ``.pdf``.
        game: Whose positions they are.
        found: The positions.
        title: What stands above each page beside the game, such as the query.
        per_page: Puzzles on a page.
        progress: Told how many boards are drawn.

    Raises:
        OptionError: for another suffix or number, or a board that would be too small to be read.
        StoreError: where the file cannot be written.
        MissingDataError: where no position has anything to find, or moves are not known.
    """
    path = Path(path)
    check_sheet(path, per_page, max(1, len(found)))
    puzzles = list(puzzles_of(game, found))
    if not puzzles:
        raise MissingDataError("there is no puzzle for a sheet: no position found has moves of which some are better")
    pages = _parted(puzzles, per_page)
    write = _pdf if path.suffix.lower() == ".pdf" else _html
    data, answers = write(_Design(game, title, per_page, Coordinates(game)), pages, progress)
    write_bytes(path, data)
    return Sheet(path, len(puzzles), len(found) - len(puzzles), len(pages) + answers)


def _parted(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Items in parts of this size; the last may be smaller."""
    return [items[low : low + size] for low in range(0, len(items), size)]


# HTML -----------------------------------------------------------------------------------------------------------------


def _html(design: _Design, pages: Sequence[Sequence[Puzzle]], progress: Progress) -> tuple[bytes, int]:
    """The file, and how many pages solutions take."""
    from markupsafe import Markup

    drawings, total = {}, sum(map(len, pages))
    for puzzle in itertools.chain(*pages):
        progress("boards drawn", puzzle.number, total)
        if puzzle.grid is not None:
            svg = picture_bytes(_board_alone(design, puzzle), "svg")
            name, said = f"puzzle-{puzzle.number}", f"{puzzle.heading}: {puzzle.position}"
            drawings[puzzle.number] = Markup(inline(svg, name, f"Puzzle {puzzle.number}", said)), _width(svg)
    html = (
        environment(TEMPLATES)
        .get_template("puzzles.html.j2")
        .render(
            game=design.game.spec, head=design.head, pages=pages, drawings=drawings, columns=design.columns,
            colours=variables(), row=design.slot[1] - 0.1,
        )
    )  # fmt: skip
    return printable(html).encode(), 1


def _width(svg: bytes) -> str:
    """As the file of matplotlib has it, such as ``120pt``."""
    from xml.etree import ElementTree

    return ElementTree.fromstring(svg).attrib["width"]


@styled
def _board_alone(design: _Design, puzzle: Puzzle) -> Figure:
    from matplotlib.figure import Figure

    width, height = design.size(puzzle)
    figure = Figure(figsize=(width + 0.05, height + 0.05))
    _draw(figure, design, puzzle, (0, 0))
    return figure


def _draw(figure: Figure, design: _Design, puzzle: Puzzle, corner: tuple[float, float]) -> None:
    """A board with the names of its rows and columns, so many inches from the left and from the top."""
    assert puzzle.grid is not None
    (across, down), left, top = figure.get_size_inches(), corner[0] + _SIDE, corner[1] + _SIDE
    shape, cell = design.board(puzzle)
    width, height = shape.width * cell, shape.height * cell
    axes = figure.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))
    axes.set(xlim=(0, shape.width), ylim=(shape.height, 0))
    axes.set_axis_off()
    draw_board(axes, cell, shape, puzzle.grid, design.game.players, {})
    step = 2 if shape.dotted else 1  # between dots are lines
    columns, rows = design.coordinates.of(-(-shape.rows // step), -(-shape.cols // step))
    away = 0.12 / cell
    look: dict[str, Any] = {"fontsize": min(8.0, 72 * cell * 0.7), "color": MUTED, "ha": "center", "va": "center"}
    for number, name in enumerate(columns):
        axes.text(shape.middle(0, number * step)[0], -away, name, **look)
    for number, name in enumerate(rows):
        axes.text(shape.box(number * step, 0)[0] - away, shape.middle(number * step, 0)[1], name, **look)


# PDF ------------------------------------------------------------------------------------------------------------------


@styled
def _pdf(design: _Design, pages: Sequence[Sequence[Puzzle]], progress: Progress) -> tuple[bytes, int]:
    """The file, and how many pages solutions take."""
    from matplotlib.backends.backend_pdf import PdfPages

    puzzles, file = list(itertools.chain(*pages)), io.BytesIO()
    answers = _answer_pages(puzzles)
    with (
        warnings.catch_warnings(),
        PdfPages(file, metadata={"CreationDate": None, "Title": clean(f"Puzzles: {design.game.spec}")}) as pdf,
    ):
        warnings.filterwarnings("ignore", "Glyph")  # a script that the font lacks
        for page in pages:
            progress("boards drawn", page[0].number, len(puzzles))
            pdf.savefig(_puzzle_page(design, page))
        for lines in answers:
            pdf.savefig(_answer_page(design, lines))
    return file.getvalue(), len(answers)


def _page(head: str) -> Figure:
    """A page that is empty but for its head."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=PAPER)
    _write(figure, (_MARGIN, _MARGIN), fit(head, PAPER[0] - 2 * _MARGIN), color=MUTED)
    return figure


def _write(figure: Figure, corner: tuple[float, float], text: str, **look: object) -> None:
    """Text, so many inches from the left and from the top."""
    across, down = PAPER
    figure.text(corner[0] / across, 1 - corner[1] / down, text, va="top", **look)  # type: ignore[arg-type]


def _puzzle_page(design: _Design, page: Sequence[Puzzle]) -> Figure:
    figure, (width, height) = _page(design.head), design.slot
    for place, puzzle in enumerate(page):
        row, column = divmod(place, design.columns)
        left, top = _MARGIN + column * width, _MARGIN + _HEAD + row * height
        _write(figure, (left, top), fit(f"{puzzle.number}. {puzzle.heading}", width - _GAP), fontweight="bold")
        below = top + _LINE + 0.05
        if puzzle.grid is None:
            below += _text_board(figure, puzzle, (left, below), width - _GAP, height - _WORDS)
        else:
            _draw(figure, design, puzzle, (left, below))
            below += design.size(puzzle)[1] + 0.08
        for said in filter(None, (clean(puzzle.caption, 80), puzzle.question)):
            below += 0.05
            _write(figure, (left, below), fit(said, width - _GAP), color=INK)
            below += _LINE - 0.03
        _write(figure, (left, below + 0.08), "." * int((width - _GAP) * 18), color=MUTED, fontsize=TEXT)
    return figure


def _text_board(figure: Figure, puzzle: Puzzle, corner: tuple[float, float], width: float, height: float) -> float:
    """The position as text, at most so wide and high; how high it is."""
    lines = puzzle.text.splitlines()
    if len(lines) == 1:
        lines = textwrap.wrap(lines[0], int(width * 72 / (0.6 * TEXT)), break_on_hyphens=False)
    longest = max(map(len, lines))
    size = min(TEXT, width * 72 / (0.61 * longest), height * 72 / (1.2 * len(lines)))
    _write(figure, corner, "\n".join(lines), family="monospace", fontsize=size, linespacing=1.2)
    return len(lines) * size * 1.25 / 72


_ANSWER_COLUMN = (PAPER[0] - 2 * _MARGIN) / 2
_ANSWER_LINES = int((PAPER[1] - 2 * _MARGIN - _HEAD) / _LINE)


def _answer_pages(puzzles: Sequence[Puzzle]) -> list[Sequence[Sequence[str]]]:
    """The columns of lines of each page of solutions."""
    lines: list[str] = []
    for puzzle in puzzles:
        said = f"{puzzle.number}. {puzzle.solution}"
        lines += textwrap.wrap(said, 50, subsequent_indent="    ", break_on_hyphens=False)
    return _parted(_parted(lines, _ANSWER_LINES), 2)


def _answer_page(design: _Design, columns: Sequence[Sequence[str]]) -> Figure:
    figure = _page(f"{design.head} · Solutions")
    for number, lines in enumerate(columns):
        for line, said in enumerate(lines):
            place = _MARGIN + number * _ANSWER_COLUMN, _MARGIN + _HEAD + line * _LINE
            _write(figure, place, fit(said, _ANSWER_COLUMN - _GAP))
    return figure
