"""Write solutions in the formats of other tools: export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.commands.app import From, GameOrDir, Symmetry, Threads, command, progress_bar


@command("gametree export tictactoe --to dot --depth 2 --out tictactoe.dot")
def export(
    game: GameOrDir,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="graphml, gexf, dot, svg, json (node-link), efg (Gambit's extensive form), sqlite, csv, jsonl or "
            "bfile (OEIS); by default as FILE is called.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file; by default, or as -, standard output.")
    ] = None,
    start: From = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", min=0, help="Only what D plies from the start reach.")
    ] = None,
    optimal_only: Annotated[
        bool, typer.Option("--optimal-only", help="Only optimal moves, and what they reach.")
    ] = False,
    moves: Annotated[
        bool, typer.Option("--moves", help="As csv: a row for each move instead of each position.")
    ] = False,
    count: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="NAME",
            help="As bfile: which count by ply: positions (the default), canonical, moves, histories, games ...",
        ),
    ] = None,
    symmetry: Symmetry = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            "--max-nodes",
            metavar="N",
            min=1,
            help="Classes (efg: nodes of the tree) that there may be; by default svg 1,000, dot 5,000, graphml, gexf, "
            "json and efg 1,000,000.",
        ),
    ] = None,
    threads: Threads = None,
) -> None:
    """Write a solution, or a part of it, in a format that other tools read.

    Nodes are classes of positions; with --symmetry none, every position is one. docs/file-formats.md describes each
    format.
    """
    from analysis.exports.export import ExportRequest, export_game

    out = None if out == Path("-") else out
    request = ExportRequest(to, depth, optimal_only, moves, count, max_nodes)
    with progress_bar() as progress:
        export_game(game, request, out, position=start, symmetry=symmetry, threads=threads, progress=progress)
