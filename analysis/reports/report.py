"""Make a report: solve or open, gather, draw, and write a page with its figures and tables as files.

One process at a time writes them. If the page is there, so are all the others.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.files import as_store_error, check_writable, locked, make_directories, temporary_folder, write_bytes
from ..common.results import Printable
from ..common.wording import with_count
from ..common.workers import tell_progress
from ..errors import OptionError, StoreError, TooLargeError
from ..rules.game import GameLike
from ..solution.solution import Solution
from ..solution.storage.directory import put_in_place
from ..solution.storage.stored_games import place_of
from ..solving.find import find_solution, named_game, named_kind
from .figures import FIGURES, draw_figures
from .tables import COLUMNS, make_tables

if TYPE_CHECKING:
    from ..search.comparison import Comparison

REPORTS = Path("reports")
"""The default place of reports."""

PAGE, WALK, PUZZLES = "index.html", "explore.html", "puzzles.html"
"""The page, and the explorer page and the sheet of puzzles that it links to."""
MADE_BY = b'<meta name="generator" content="gametree '
FOLDERS = ("figures", "tables")
NAMES = frozenset(
    {
        *(f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in COLUMNS),
        PAGE,
        WALK,
        PUZZLES,
    }
)
"""Every file that a report can have."""
SCRATCH = ".report"
"""The folder, below a temporary name, for files until all are complete."""

SMALL, MOST_NODES = 20_000, 1_000_000
"""The most positions of a game whose searches are compared, and nodes of each search: together they take a second."""
MOST_PUZZLES = 1000
MOST_IMAGES = 400_000
"""Classes times symmetries in the page for walking through the game, which takes some seconds."""


@dataclasses.dataclass(frozen=True)
class Report(Printable):
    """A report that was written."""

    page: Path
    """The file to open in a browser."""
    files: tuple[Path, ...]
    """All files, including the page."""

    def described(self) -> str:
        """Describe what was written, in a sentence."""
        names, suffixes = [path.name for path in self.files], [path.suffix for path in self.files]
        pages = ", ".join(name for name in (PAGE, WALK, PUZZLES) if name in names)
        figures, tables = with_count(suffixes.count(".svg"), "figure"), with_count(suffixes.count(".csv"), "table")
        return f"Wrote {pages}, {figures} (SVG and PNG) and {tables} (CSV)."


def write_report(
    game: GameLike,
    out: str | Path | None = None,
    *,
    start: str | None = None,
    symmetry: str | None = None,
    puzzles: int = 0,
) -> Report:
    """Write the report of a game into a directory: ``index.html``, a self-contained page, with the figures as SVG and
    PNG, the tables as CSV, and ``explore.html`` for walking through the game, see
    `analysis.web.pages.page_file.write_page`. Searches of a game without loops and with at most 20,000 positions are
    compared.

    An earlier report is replaced; files are complete or absent. The same solution and options give the
    same bytes.

    Args:
        game: A game, a GAME_OR_DIR, or a solution. out: The directory (default: one below ``reports/``); required with
        ``start``. start: The position from which the game is solved and shown. symmetry: The kind of symmetry for
        solving, if no solution is stored. puzzles: How many puzzles to write into ``puzzles.html``: positions in which
        a single move keeps the value, those in which a random move errs most often first.

    Raises `OptionError`, `StoreError`, and `MissingDataError` if there are no puzzles, besides what
    `solving.find_solution` raises.
    """
    loaded = named_game(game)
    if isinstance(game, Solution):
        if start is not None or symmetry is not None:
            raise OptionError("a solution has its own start and symmetries; leave out both")
        start = None if game.engine.start == game.engine.rules.start else game.start
    if out is None and start is not None:
        raise OptionError("a report from a position needs its own directory; add --out DIR")
    if out == "":
        raise OptionError("--out is empty; name a directory, such as reports/mine or . for this one")
    if out is not None and Path(out).suffix.lower() in (".html", ".htm", ".pdf") and not Path(out).is_dir():
        raise OptionError(f"--out {out} is the name of a file, but a report is a directory; leave the suffix out")
    kind = symmetry or named_kind(game) or "geometric"
    directory = REPORTS / place_of(loaded, kind).name if out is None else Path(out)
    if not 0 <= puzzles <= MOST_PUZZLES:
        raise OptionError(f"cannot print {puzzles:,} puzzles; give 1 to {MOST_PUZZLES:,}")
    check_directory(directory)
    solution = find_solution(game, start=start, symmetry=symmetry)
    files = report_files(solution, puzzles)
    return Report(directory / PAGE, tuple(put_report(directory, files)))


def compare_searches(solution: Solution) -> Comparison | None:
    """Compare searches; None in a loopy or larger game, and if the game is over at the start."""
    from ..search.comparison import SearchRequest, compare

    state, rules = solution.engine.start, solution.engine.rules
    if rules.loopy or (solution.position_count or solution.classes) > SMALL or not rules.moves(state):
        return None
    request = SearchRequest(max_nodes=MOST_NODES)
    return compare(solution.game, request, start=solution.start if state != rules.start else None)


def report_files(solution: Solution, puzzles: int = 0) -> dict[str, bytes]:
    """Make the files of a report by name. Raises `MissingDataError` if there are no puzzles."""
    from .facts import gather
    from .page import inline, render
    from .puzzle_sheet import puzzle_sheet
    from .style import picture_bytes

    files = {PUZZLES: puzzle_sheet(solution, puzzles)} if puzzles else {}
    facts = dataclasses.replace(gather(solution, compare_searches(solution)), puzzles=puzzles)
    tables, drawn, figures = make_tables(facts), draw_figures(facts), {}
    files |= {f"tables/{name}.csv": table.csv() for name, table in tables.items()}
    for done, (name, picture) in enumerate(drawn.items()):
        tell_progress("drawing", done, len(drawn))
        svg, png = (picture_bytes(picture.figure, form) for form in ("svg", "png"))
        files |= {f"figures/{name}.svg": svg, f"figures/{name}.png": png}
        figures[name] = picture, inline(svg, name, picture.title, picture.caption)
    if (walk := _walk(solution)) is not None:
        files[WALK] = walk
    links = {"walk": WALK if WALK in files else None, "puzzles": PUZZLES if PUZZLES in files else None}
    return {**files, PAGE: render(facts, figures, tables, links).encode("utf-8")}


def _walk(solution: Solution) -> bytes | None:
    """Return the page for walking through the game, as far as it fits; None without rules or memory."""
    from ..web.pages.page_file import page_of
    from ..web.pages.slices import MOST_CLASSES, cut
    from ..web.served import Site

    if not solution.engine.ruled:
        return None
    most = min(MOST_CLASSES, MOST_IMAGES // solution.engine.group.order)
    part = cut(solution, most=most, deepest=True)
    try:
        return page_of(Site([solution])[0], part).encode("utf-8")
    except TooLargeError:  # a report can do without
        return None


# Files ----------------------------------------------------------------------------------------------------------------


def put_report(directory: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of a report (named as in `NAMES`), and remove those of an earlier one.

    All are on disk before the first is put into place; the earlier page is removed first and the new one put there
    last, so that a page and its files always belong together. Returns their paths; raises `StoreError` for a directory
    that cannot hold a report.
    """
    check_directory(directory)
    with as_store_error(directory):
        make_directories(directory)
        with locked(directory), temporary_folder(SCRATCH, directory) as scratch:
            for name, data in files.items():
                for place in (scratch / name, directory / name):
                    place.parent.mkdir(exist_ok=True)
                write_bytes(scratch / name, data)
            put_in_place(scratch, sorted(NAMES - {PAGE}), files, PAGE)
    return [directory / name for name in files]


def check_directory(directory: Path) -> None:
    """Raise `StoreError` if a directory cannot be written, or holds another page."""
    for place in (directory, *(directory / folder for folder in FOLDERS)):
        check_writable(place, folder=True)
    page = directory / PAGE
    if os.path.lexists(page) and not (page.is_file() and MADE_BY in page.read_bytes()[:4096]):
        raise StoreError(f"{page} is not the page of a report; choose another directory")
