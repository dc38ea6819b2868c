"""Two levels of play against each other: match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from analysis.commands import completion
from analysis.commands.app import (
    LEVELS,
    PLAY,
    Dask,
    Format,
    From,
    GameOrDir,
    Symmetry,
    Wide,
    Workers,
    argument,
    command,
    option,
)
from analysis.commands.display.printing import check_format, show
from analysis.commands.kinds import kind_of
from analysis.commands.progress import ProgressBar
from analysis.playing.terms import Effort, Terms

LEVEL = completion.one_of(completion.LEVELS)


@command(
    "gametree match tictactoe perfect random --games 10000 --swap --seed 1", PLAY, reads_solutions=True, waits=True
)
def match(
    game: GameOrDir,
    a: Annotated[str, argument("A", f"The level that moves first: {LEVELS}", autocompletion=LEVEL)],
    b: Annotated[str, argument("B", "The level that moves second, likewise.", autocompletion=LEVEL)],
    games: Annotated[int, option("--games N", "How many; 0 for the exact expectations only.", min=0)] = Terms.games,
    swap: Annotated[bool, option("--swap", "Change sides after every game.")] = False,
    seed: Annotated[int | None, option("--seed N", "Makes the same games again.")] = None,
    start: From = None,
    seconds: Annotated[float | None, option("--move-seconds SECONDS", "What depth:N may take for a move.")] = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    max_plies: Annotated[
        int, option("--max-plies N", "Plies after which a game counts as unfinished.", min=1)
    ] = Terms.max_plies,
    out: Annotated[
        Path | None, option("--out FILE", "Keep every game, as its moves: .parquet, .csv or .jsonl.")
    ] = None,
    dask: Dask = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Play many games between two levels: wins, losses, ties, lengths, and exact expectations without playing.

    Expectations need a game that is solved or soon solved, and levels that do not search. A probability is taken over
    everything that the levels may choose. Of two levels one of which searches, and none is perfect, --dask spreads the
    games; all others are played here in less time than it takes to send them.
    """
    check_format(form)
    from analysis.cluster.choosing import named

    with ProgressBar() as progress, named(dask, workers, progress) as executor:
        terms, effort = (
            Terms(games, swap, seed, start, max_plies, out),
            Effort(seconds, workers, progress, symmetry, executor),
        )
        answer = kind_of(game).match(game, a, b, terms, effort)
    show(form, answer, wide=wide)
