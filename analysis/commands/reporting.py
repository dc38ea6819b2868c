"""Write a report: report."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from analysis.commands.app import From, GameOrDir, Symmetry, Threads, command, progress_bar


@command("gametree report tictactoe --prune")
def report(
    game: GameOrDir,
    out: Annotated[
        str | None, typer.Option("--out", metavar="DIR", help="The directory; by default reports/GAME.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Also compare searches: how many nodes each visits, and the least possible.")
    ] = False,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            "--max-nodes", metavar="N", help="With --prune: nodes that each search may visit; by default 100,000,000."
        ),
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
    threads: Threads = None,
) -> None:
    """Write a page about a game for any browser, with its figures as SVG and PNG and its tables as CSV.

    Prints the path of the page. It needs no other file and no network.
    """
    from analysis.reports.report import write_report

    with progress_bar() as progress:
        written = write_report(
            game,
            out,
            position=start,
            symmetry=symmetry,
            prune=prune,
            max_nodes=max_nodes,
            threads=threads,
            progress=progress,
        )
    print(written.page)
    print(written.described(), file=sys.stderr)
