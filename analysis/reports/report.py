"""Make a report: solve or open, gather, draw, and write a page with its figures and tables as files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.errors import OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.workers import tell_progress
from analysis.reports.page_files import PAGE, WALK, check_place, put_report
from analysis.reports.sections import MOST_NODES
from analysis.rules.game import Game, HasRules
from analysis.solution.solution import Solution
from analysis.solution.storage.stored_games import place_of
from analysis.solving.find import find_solution, named_game, named_kind
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison, SearchRequest

REPORTS = Path("reports")
"""The default place of reports."""

MOST_IMAGES = 400_000
"""Classes times symmetries in the page for walking through the game, which takes some seconds."""


@dataclasses.dataclass(frozen=True)
class Report:
    """A report that was written."""

    page: Path
    """The file to open in a browser."""
    files: tuple[Path, ...]
    """All files, including the page."""

    def described(self) -> str:
        """Describe what was written, in a sentence."""
        figures, tables = (sum(path.suffix == suffix for path in self.files) for suffix in (".svg", ".csv"))
        shown = f", {some(figures, 'figure')} (SVG and PNG)" if figures else ""
        walk = f", {WALK} to walk through the game" if self.page.parent / WALK in self.files else ""
        return f"Wrote the page{walk}{shown} and {some(tables, 'table')} (CSV)."


@checked
def write_report(
    game: str | HasRules | Solution,
    out: str | Path | None = None,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    prune: bool | int = False,
) -> Report:
    """Write the report of a game into a directory: ``index.html``, a self-contained page, with the figures as SVG and
    PNG, the tables as CSV, and ``explore.html`` for walking through the game, see
    `analysis.web.pages.page_file.write_page`.

    An earlier report of the same game is replaced; files are complete or absent. The same solution and options give the
    same bytes.

    Args:
        game: A game, a GAME_OR_DIR, or a solution.
        out: The directory (default: one below ``reports/``); required with ``position``.
        position: The position from which the game is solved and shown.
        symmetry: The kind of symmetry for solving, if no solution is stored.
        prune: Whether to compare searches, or the number of nodes that each may visit (True: 100,000,000).

    Raises `OptionError` and `StoreError` besides what `solving.find_solution` raises.
    """
    named, start = named_game(game), position
    if isinstance(game, Solution):
        if position is not None or symmetry is not None:
            raise OptionError("a solution has its own start and symmetries; leave out position and symmetry")
        start = None if game.engine.start == game.engine.rules.start else game.start
    if out is None and start is not None:
        raise OptionError("a report from a position needs its own directory; add --out DIR")
    if out == "":
        raise OptionError("--out is empty; name a directory, such as reports/mine or . for this one")
    kind = symmetry or named_kind(game) or "geometric"
    directory = REPORTS / place_of(named, kind).name if out is None else Path(out)
    request = None if prune is False else _request(named, MOST_NODES if prune is True else prune)
    check_place(directory, named.spec)
    solution = find_solution(game, position=position, symmetry=symmetry)
    comparison = None if request is None else _compare(solution, request)
    files = report_files(solution, comparison)
    return Report(directory / PAGE, tuple(put_report(directory, named.spec, files)))


def _request(game: Game, max_nodes: int) -> SearchRequest:
    """Return the request to the laboratory, checked before anything is solved."""
    from analysis.search.comparison import SearchRequest

    if game.rules().loopy:
        raise OptionError(
            f"{game.spec} is loopy, so its searches need a depth; leave out --prune, or use `gametree prune "
            f"{game.spec} --depth N`"
        )
    request = SearchRequest(max_nodes=max_nodes)
    request.settings()
    return request


def _compare(solution: Solution, request: SearchRequest) -> Comparison | None:
    """Compare searches; None if the game is over at the start, so that there is nothing to search."""
    from analysis.search.comparison import compare

    state, rules = solution.engine.start, solution.engine.rules
    if not rules.moves(state):
        return None
    return compare(solution.game, request, position=solution.start if state != rules.start else None)


def report_files(solution: Solution, comparison: Comparison | None = None) -> dict[str, bytes]:
    """Make the files of a report by name."""
    from analysis.pictures.style import picture_bytes
    from analysis.reports.figures.gallery import draw_figures
    from analysis.reports.findings import gather
    from analysis.reports.page import inline, render
    from analysis.reports.tables import make_tables

    findings = gather(solution, comparison)
    tables, drawn = make_tables(findings), draw_figures(findings)
    files = {f"tables/{name}.csv": table.csv() for name, table in tables.items()}
    pictures, drawings = [picture for picture in drawn.values() if not isinstance(picture, str)], {}
    for done, picture in enumerate(pictures):
        tell_progress("drawing", done, len(pictures))
        svg, png = (picture_bytes(picture.figure, form) for form in ("svg", "png"))
        files |= {f"figures/{picture.name}.svg": svg, f"figures/{picture.name}.png": png}
        drawings[picture.name] = inline(svg, picture.name, picture.title, picture.alternative)
    walk = _walk(solution)
    files |= {} if walk is None else {WALK: walk}
    return {**files, PAGE: render(findings, drawn, drawings, tables, None if walk is None else WALK).encode("utf-8")}


def _walk(solution: Solution) -> bytes | None:
    """Return the page for walking through the game, as far as it fits; None if rules or memory are lacking."""
    from analysis.web.pages.page_file import page_of
    from analysis.web.pages.slices import MOST_CLASSES, cut
    from analysis.web.served import Site

    if not solution.engine.ruled:
        return None
    most = min(MOST_CLASSES, MOST_IMAGES // solution.engine.group.order)
    part = cut(solution, most=most, deepest=True)
    try:
        return page_of([(Site([solution])[0], part)]).encode("utf-8")
    except TooLargeError:  # a report can do without
        return None
