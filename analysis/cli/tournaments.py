"""Play tournaments of bots and levels: tournament."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

from analysis.cli import completion
from analysis.cli.app import LEVELS, PLAY, Answers, From, GameOrDir, Symmetry, argument, command, option
from analysis.cli.playing import GameSeconds, Memory, bot_limits
from analysis.playing.terms import Effort
from analysis.wording import visible


@command(
    "gametree tournament tictactoe perfect greedy random --openings all:2 --games 24",
    PLAY,
    reads_solutions=True,
    waits=True,
)
def tournament(
    game: GameOrDir,
    players: Annotated[
        list[str],
        argument("BOT...", f"Two or more players: {LEVELS}", autocompletion=completion.players),
    ],
    games: Annotated[
        int | None,
        option("--games N", "Games of each pair of players, an even number; by default two from each opening.", min=2),
    ] = None,
    openings: Annotated[
        str | None,
        option("--openings all:N|FILE", "All positions after N plies, or a file with one opening's moves per line."),
    ] = None,
    start: From = None,
    seconds: Annotated[
        float | None,
        option("--move-seconds --seconds SECONDS", "Time limit per move of a bot (default: 1) or of depth:N."),
    ] = None,
    game_seconds: GameSeconds = None,
    memory: Memory = None,
    sprt: Annotated[
        bool, option("--sprt", "Stop the games of two players once a sequential test shows which is stronger.")
    ] = False,
    seed: Annotated[int | None, option("--seed N", "Seed of the order of openings and of the levels' moves.")] = None,
    symmetry: Symmetry = None,
    max_plies: Annotated[int, option("--max-plies N", "Plies after which a game counts as unfinished.", min=1)] = 1000,
    out: Annotated[Path | None, option("--out DIR", "Where games are stored; by default tournaments/GAME.")] = None,
) -> Answers:
    """Play a tournament of bots and levels: points, Elo, and what their moves lose by the complete solution.

    Every two players meet in pairs of games from the same opening, with sides swapped. Every game is stored in
    DIR/games.jsonl for gametree audit; after an interruption the same command plays what is missing. gametree report
    DIR writes a page.
    """
    from analysis.cli.display.printing import program_name
    from analysis.cli.display.tournament_tables import tournament_answer
    from analysis.tournaments import TournamentTerms, play_tournament
    from analysis.tournaments.tournament import place_of

    terms = TournamentTerms(games, openings, seed, sprt, start, max_plies)
    effort = Effort(seconds, symmetry, bot_limits(game_seconds, memory))
    directory = place_of(game, out)

    def begun() -> None:
        again = f"{program_name()} {shlex.join(sys.argv[1:])}"
        print(
            f"gametree: games go to {visible(str(directory))}; if interrupted, resume with: {visible(again)}",
            file=sys.stderr,
        )

    yield tournament_answer(play_tournament(game, players, terms, out=directory, effort=effort, begun=begun))
