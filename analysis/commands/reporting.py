"""Write a report: report."""

from __future__ import annotations

import sys
from typing import Annotated

from analysis.commands.app import PUBLISH, From, GameOrDir, Symmetry, Workers, command, option
from analysis.commands.progress import ProgressBar
from analysis.errors import OptionError


@command("gametree report tictactoe --prune", PUBLISH, reads_solutions=True, waits=True, pages=True)
def report(
    game: GameOrDir,
    out: Annotated[str | None, option("--out DIR", "The directory; by default reports/GAME.")] = None,
    prune: Annotated[
        bool, option("--prune", "Also compare searches: how many nodes each visits, and the least possible.")
    ] = False,
    max_nodes: Annotated[
        int | None, option("--max-nodes N", "With --prune: nodes that each search may visit; by default 100,000,000.")
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
) -> None:
    """Write a page about a game for any browser, with its figures as SVG and PNG and its tables as CSV.

    Prints the path of the page. It needs no other file and no network. Beside it is explore.html, to walk through the
    game.
    """
    if max_nodes is not None and not prune:
        raise OptionError("--max-nodes is for the searches of --prune; add --prune, or leave it out")
    from analysis.reports.report import write_report

    with ProgressBar() as progress:
        written = write_report(
            game, out, position=start, symmetry=symmetry, prune=prune if max_nodes is None else max_nodes,
            workers=workers, progress=progress,
        )  # fmt: skip
    print(written.page)
    print(written.described(), file=sys.stderr)
