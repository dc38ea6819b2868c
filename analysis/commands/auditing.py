"""Judge played games and choices of moves: audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.commands import bidding_games
from analysis.commands.app import Format, GameOrDir, command, progress_bar


@command("gametree audit tictactoe games.csv --out moves.parquet")
def audit(
    game: GameOrDir,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Games (column path, perhaps x, o, outcome; or lines such as 041263) or choices (columns position and "
            "move or code, perhaps player), as CSV, JSON lines, Parquet or text; - is standard input.",
        ),
    ],
    start: Annotated[
        str | None, typer.Option("--from", metavar="POSITION", help="Where the games began, if not at the start.")
    ] = None,
    given: Annotated[
        str | None, typer.Option("--input", metavar="FORMAT", help="Of FILE: csv, jsonl, parquet or text.")
    ] = None,
    worst: Annotated[
        int, typer.Option("--worst", metavar="N", min=0, help="How many of the most frequent mistakes to list.")
    ] = 10,
    max_positions: Annotated[
        int,
        typer.Option("--max-positions", metavar="N", min=1, help="Positions to look for best responses in, at most."),
    ] = 1_000_000,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Also one row for each move: .csv, .jsonl or .parquet."),
    ] = None,
    form: Format = "table",
) -> None:
    """Judge played games or choices of moves by the complete solution: what each move lost, and to whom.

    Of games also the first move that gave value away, of choices how much a best response wins against them. JSON and
    CSV have a row for each game or choice.
    """
    from analysis.audit import audit as judge
    from analysis.commands.display import audit_tables as display
    from analysis.commands.display.printing import check_format

    check_format(form)
    if bidding_games.is_bidding(game):
        bidding_games.refuse_audit(game)
    with display.RowSpool(form) as spool:
        with progress_bar() as progress:
            found = judge(
                game,
                file,
                form=given,
                position=start,
                out=out,
                each=spool.each,
                max_positions=max_positions,
                progress=progress,
            )
        display.show_audit(form, found, spool, worst)
