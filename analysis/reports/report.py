"""A report: solve or open, gather, draw, and write one page with its figures and tables as files."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.bidding.kind import is_bidding
from analysis.errors import OptionError
from analysis.reports.output import PAGE, check_directory, write_files
from analysis.solution import Solution
from analysis.solving import find_solution, named_game
from analysis.workers import Progress, no_progress

if TYPE_CHECKING:
    from analysis.reports.figures.picture import Picture
    from analysis.search.comparison import Comparison

REPORTS = Path("reports")
"""Where reports go unless told otherwise."""

MOST_NODES = 100_000_000
"""Nodes that each search of a report with pruning may visit."""


@dataclasses.dataclass(frozen=True)
class Report:
    """A report that was written."""

    page: Path
    """The file to open in a browser."""
    files: tuple[Path, ...]
    """All files, the page among them."""


def write_report(
    game: str,
    out: str | Path | None = None,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    prune: bool = False,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Write the report of a GAME_OR_DIR into a directory (default: ``reports/<slug>``): ``index.html``, a page that
    needs no other file, and beside it the figures as SVG and PNG and the tables as CSV.

    With ``position`` it is of the game from there on, and ``out`` has to be given; with ``prune`` it also has what
    searches visit. The same solution and the same options give the same bytes. Raises `OptionError` and `StoreError`
    besides what `solving.find_solution` raises; files are complete or absent.
    """
    if is_bidding(game):
        raise OptionError(
            f"{game} is a game of bids, and reports are of games by turns; `gametree stats {game}` has its numbers, "
            "docs/bidding.md what they mean"
        )
    if position is not None and out is None:
        raise OptionError("a report from a position is not the one of the game; give it a directory with --out DIR")
    named = named_game(game)
    if prune and named.rules().loopy:
        raise OptionError(
            f"{named.spec} is loopy: searches of it end at a depth only; leave out --prune, or use `gametree prune "
            f"{named.spec} --depth D`"
        )
    directory = REPORTS / named.slug if out is None else Path(out)
    check_directory(directory)
    solution = find_solution(game, position=position, symmetry=symmetry, threads=threads, progress=progress)
    files = report_files(solution, _compare(solution, progress) if prune else None, progress)
    return Report(directory / PAGE, tuple(write_files(directory, files)))


def _compare(solution: Solution, progress: Progress) -> Comparison:
    from analysis.search.comparison import Request, compare

    start = solution.start if solution.engine.start != solution.engine.rules.start else None
    return compare(solution.game.spec, Request(max_nodes=MOST_NODES), position=start, progress=progress)


def report_files(
    solution: Solution, comparison: Comparison | None = None, progress: Progress = no_progress
) -> dict[str, bytes]:
    """The files of a report by name, with all they hold."""
    from analysis.reports.content import Shown
    from analysis.reports.figures.gallery import draw_figures
    from analysis.reports.findings import gather
    from analysis.reports.inline import inline
    from analysis.reports.page import render
    from analysis.reports.tables import make_tables

    findings = gather(solution, comparison)
    tables = make_tables(findings)
    files = {f"tables/{name}.csv": table.csv() for name, table in tables.items()}
    shown, pictures = [], draw_figures(findings)
    for done, picture in enumerate(pictures):
        progress("drawing", done, len(pictures))
        svg, png = _draw(picture)
        files |= {f"figures/{picture.name}.svg": svg, f"figures/{picture.name}.png": png}
        markup = inline(svg, picture.name, picture.title, picture.alternative)
        shown.append(Shown(picture.name, picture.title, picture.caption, markup))
    return {**files, PAGE: render(findings, shown, tables).encode("utf-8")}


def _draw(picture: Picture) -> Sequence[bytes]:
    from analysis.charts import picture_bytes

    return [picture_bytes(picture.figure, form) for form in ("svg", "png")]
