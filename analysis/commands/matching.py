"""Two levels of play against each other: match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.commands import bidding_games
from analysis.commands.app import Format, From, GameOrDir, Threads, command, progress_bar

MAX_PLIES = 1000

LEVELS = "random, greedy, depth:N, perfect, perfect:shortest or blunder:P."


@command("gametree match tictactoe perfect random --games 10000 --swap --seed 1")
def match(
    game: GameOrDir,
    a: Annotated[str, typer.Argument(metavar="A", help=f"The level that moves first: {LEVELS}")],
    b: Annotated[str, typer.Argument(metavar="B", help="The level that moves second, likewise.")],
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=0, help="How many; 0 for the exact expectations only.")
    ] = 1000,
    swap: Annotated[bool, typer.Option("--swap", help="Change sides after every game.")] = False,
    seed: Annotated[int | None, typer.Option("--seed", metavar="S", help="Makes the same games again.")] = None,
    start: From = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="What depth:N may take for a move.")
    ] = None,
    threads: Threads = None,
    max_plies: Annotated[
        int, typer.Option("--max-plies", metavar="N", min=1, help="Plies after which a game counts as unfinished.")
    ] = MAX_PLIES,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Keep every game, as its moves: .parquet, .csv or .jsonl."),
    ] = None,
    form: Format = "table",
) -> None:
    """Play many games between two levels: wins, losses, ties, lengths, and exact expectations without playing.

    Expectations need a game that is solved or soon solved, and levels that do not search. A probability is taken over
    everything that the levels may choose.
    """
    from analysis.commands.display import match_tables as match_tables
    from analysis.commands.display import printing as display
    from analysis.playing.matches.match import play_match

    display.check_format(form)
    if bidding_games.is_bidding(game):
        others = {"seconds": seconds is not None, "threads": threads is not None, "out": out is not None}
        others["max-plies"] = max_plies != MAX_PLIES
        bidding_games.match(game, a, b, form, games=games, swap=swap, seed=seed, position=start, **others)
        return
    with progress_bar() as progress:
        result = play_match(
            game, a, b,
            games=games, swap=swap, seed=seed, position=start, seconds=seconds, max_plies=max_plies, out=out,
            threads=threads, progress=progress,
        )  # fmt: skip
    display.show(form, data=result.to_json(), rows=result.rows(), table=match_tables.match_tables(result))
