"""A report: solve or open, gather, draw, and write one page with its figures and tables as files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.reports.page_files import PAGE, WALK, check_place, put_report
from analysis.reports.sections import MOST_NODES
from analysis.rules.game import Game, HasRules
from analysis.solution.solution import Solution
from analysis.solving.find import find_solution, named_game, named_kind
from analysis.solving.solve import solve
from analysis.storage.stored_games import place_of, refuse_bidding
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison, SearchRequest

REPORTS = Path("reports")
"""Where reports go unless told otherwise."""

MOST_IMAGES = 400_000
"""Classes times symmetries of the page to walk through it, which takes some seconds."""


@dataclasses.dataclass(frozen=True)
class Report:
    """A report that was written."""

    page: Path
    """The file to open in a browser."""
    files: tuple[Path, ...]
    """All files, the page among them."""

    def described(self) -> str:
        """What was written, in a sentence."""
        figures, tables = (sum(path.suffix == suffix for path in self.files) for suffix in (".svg", ".csv"))
        shown = f", {some(figures, 'figure')} (SVG and PNG)" if figures else ""
        walk = f", {WALK} to walk through it" if self.page.parent / WALK in self.files else ""
        return f"The page{walk}{shown} and {some(tables, 'table')} (CSV) are written."


@checked
def write_report(
    game: str | HasRules | Solution,
    out: str | Path | None = None,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    prune: bool = False,
    max_nodes: int | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Write the report of a solution, a game or a GAME_OR_DIR into a directory (default: below ``reports/``):
    ``index.html``, a page that needs no other file, and beside it the figures as SVG and PNG, the tables as CSV, and
    ``explore.html`` to walk through the game, see `analysis.explorer.pages.page_file.write_page`.

    A game is solved with ``symmetry`` by so many ``workers`` where no solution is stored, ``progress`` told how far
    it is. With ``position`` it is of the game from there on, and ``out`` has to be given; with ``prune`` it also has
    what searches visit, each of them ``max_nodes`` (default: 100,000,000) at most. An earlier report of the same game
    is replaced. The same solution and the same options give the same bytes. Raises `OptionError` and `StoreError`
    besides what `solving.find_solution` raises; files are complete or absent.
    """
    given = game if isinstance(game, Solution) else None
    if given is not None and (position is not None or symmetry is not None):
        raise OptionError("a solution has its own start and symmetries; leave out position and symmetry")
    asked = game if given is None else given.game
    numbers = f"`gametree stats {getattr(asked, 'spec', asked)}` has its numbers, docs/bidding.md says what they are"
    refuse_bidding(asked, "reports are", numbers)
    named = named_game(game) if given is None else given.game  # type: ignore[arg-type]
    began = position if given is None or given.engine.start == given.engine.rules.start else given.start
    kind = symmetry or named_kind(game) if given is None else given.symmetry  # type: ignore[arg-type]
    directory = _directory(named, out, began, kind)
    request = _request(named, max_nodes) if prune else None
    if request is None and max_nodes is not None:
        raise OptionError("--max-nodes is for the searches of --prune; add --prune, or leave it out")
    check_place(directory, named.spec)
    solution = given
    if solution is None:
        found = {"position": position, "symmetry": symmetry, "workers": workers, "progress": progress}
        solution = _solve(game, **found)  # type: ignore[arg-type]
    comparison = None if request is None else _compare(solution, request, progress)
    files = report_files(solution, comparison, progress)
    return Report(directory / PAGE, tuple(put_report(directory, named.spec, files)))


def _solve(game: str | HasRules, *, symmetry: str | None, **options: Any) -> Solution:
    """The solution of a game, which is solved, or of a GAME_OR_DIR, which may be stored."""
    if isinstance(game, str):
        return find_solution(game, symmetry=symmetry, **options)
    return solve(game, symmetry=symmetry or "geometric", **options)


def _directory(game: Game, out: str | Path | None, position: str | None, symmetry: str | None) -> Path:
    if out is None and position is not None:
        raise OptionError("a report from a position is not the one of the game; give it a directory with --out DIR")
    if out == "":
        raise OptionError("--out is empty; it names a directory, such as reports/mine or . for this one")
    return REPORTS / place_of(game, symmetry or "geometric").name if out is None else Path(out)


def _request(game: Game, max_nodes: int | None) -> SearchRequest:
    """What the laboratory is asked, checked before anything is solved."""
    from analysis.search.comparison import SearchRequest

    if game.rules().loopy:
        raise OptionError(
            f"{game.spec} is loopy: searches of it end at a depth only; leave out --prune, or use `gametree prune "
            f"{game.spec} --depth N`"
        )
    request = SearchRequest(max_nodes=MOST_NODES if max_nodes is None else max_nodes)
    request.settings()
    return request


def _compare(solution: Solution, request: SearchRequest, progress: Progress) -> Comparison | None:
    """None where the game is over at the start, so that there is nothing to search."""
    from analysis.search.comparison import compare

    state = solution.engine.start
    if not solution.engine.rules.moves(state):
        return None
    start = solution.start if state != solution.engine.rules.start else None
    return compare(solution.game, request, position=start, progress=progress)


def report_files(
    solution: Solution, comparison: Comparison | None = None, progress: Progress = no_progress
) -> dict[str, bytes]:
    """The files of a report by name, with all they hold."""
    from analysis.pictures.style import picture_bytes
    from analysis.reports.figures.gallery import draw_figures
    from analysis.reports.findings import gather
    from analysis.reports.page import inline, render
    from analysis.reports.report_tables import make_tables

    findings = gather(solution, comparison)
    tables = make_tables(findings)
    files = {f"tables/{name}.csv": table.csv() for name, table in tables.items()}
    pictures, drawings = draw_figures(findings), {}
    for done, picture in enumerate(pictures):
        progress("drawing", done, len(pictures))
        svg, png = (picture_bytes(picture.figure, form) for form in ("svg", "png"))
        files |= {f"figures/{picture.name}.svg": svg, f"figures/{picture.name}.png": png}
        drawings[picture.name] = inline(svg, picture.name, picture.title, picture.alternative)
    walk = _walk(solution, progress)
    files |= {} if walk is None else {WALK: walk}
    return {**files, PAGE: render(findings, pictures, drawings, tables, None if walk is None else WALK).encode("utf-8")}


def _walk(solution: Solution, progress: Progress) -> bytes | None:
    """The page to walk through it, of a large game as many plies as fit; None where the rules are not known, and where
    memory does not do.
    """
    from analysis.explorer.pages.page_file import page_of
    from analysis.explorer.pages.slices import MOST_CLASSES, cut
    from analysis.explorer.served import Site

    if not solution.engine.ruled:
        return None
    most = min(MOST_CLASSES, MOST_IMAGES // solution.engine.group.order)
    part = cut(solution, most=most, deepest=True, progress=progress)
    try:
        return page_of([(Site([solution])[0], part)], progress=progress).encode("utf-8")
    except TooLargeError:  # a report is none the worse without
        return None
