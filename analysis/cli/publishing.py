"""Write solutions for readers and for other tools: report, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from .app import PUBLISH, READS, From, GameOrDir, Symmetry, command, option
from .progress import ProgressBar, writing


@command("gametree report tictactoe --puzzles 12", PUBLISH, *READS)
def report(
    game: GameOrDir,
    start: From = None,
    out: Annotated[str | None, option("--out DIR", "The directory; by default reports/GAME.")] = None,
    puzzles: Annotated[
        int,
        option(
            "--puzzles N", "Also write puzzles.html: N positions to print, with a single move that keeps the value."
        ),
    ] = 0,
    symmetry: Symmetry = None,
) -> None:
    """Write a page about a game for any browser, with its figures as SVG and PNG and its tables as CSV.

    Prints the path of the page, which needs no other file and no network. Next to it is explore.html, to click through
    the game. Small games also have searches compared.
    """
    from .. import write_report

    with ProgressBar():
        files = write_report(game, out, start=start, symmetry=symmetry, puzzles=puzzles)
    print(files.page)
    print(files.described(), file=sys.stderr)


@command("gametree export tictactoe --to dot --depth 2 --out tictactoe.dot", PUBLISH, *READS)
def export(
    game: GameOrDir,
    start: From = None,
    to: Annotated[
        str | None,
        option(
            "--to FORMAT",
            "graphml, json (node-link), dot, svg, png, pdf, csv, jsonl, parquet, or for training dataset or "
            "dataset-planes, a directory; "
            "by default from the suffix of FILE.",
        ),
    ] = None,
    out: Annotated[Path | None, option("--out FILE", "The file; by default, or as -, standard output.")] = None,
    depth: Annotated[int | None, option("--depth N", "Only positions within N plies of the start.", min=0)] = None,
    optimal_only: Annotated[bool, option("--optimal-only", "Only optimal moves and the positions they reach.")] = False,
    moves: Annotated[bool, option("--moves", "For csv and parquet: one row per move instead of per position.")] = False,
    symmetry: Symmetry = None,
    max_nodes: Annotated[
        int | None,
        option(
            "--max-nodes N",
            "Limit on classes; by default svg, png and pdf 400, dot 5,000, graphml and json 1,000,000.",
            min=1,
        ),
    ] = None,
) -> None:
    """Write a solution, or a part of it, in a format that other tools read.

    Nodes are classes of positions, or with --symmetry none single positions.
    """
    from .. import export, find_solution
    from ..reports.exports.export import check_export
    from ..solving.find import named_game

    out = None if out == Path("-") else out
    check_export(out, to, moves)
    named_game(game)  # refuses what cannot be exported, at once
    with writing(out):
        solution = find_solution(game, start=start, symmetry=symmetry)
        export(solution, out, to, depth=depth, optimal_only=optimal_only, moves=moves, max_nodes=max_nodes)
