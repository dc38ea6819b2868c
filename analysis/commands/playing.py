"""Play a game in a terminal: play."""

from __future__ import annotations

from typing import Annotated

from analysis.commands import completion
from analysis.commands.app import PLAY, From, GameOrDir, Symmetry, Workers, command, option
from analysis.commands.dialogues import run
from analysis.commands.kinds import PlayOptions, kind_of

You = Annotated[
    str | None,
    option(
        "--you SIDE",
        "What you play: X (who begins), O, both or none; the side's name; or first or second: who makes the next move.",
        autocompletion=completion.one_of(completion.SIDES),
    ),
]
Opponent = Annotated[
    str | None,
    option(
        "--opponent LEVEL",
        "random, greedy, depth:N, perfect, perfect:shortest or blunder:P; by default perfect, or a search of "
        "1 second a move where that takes too long to find out.",
        autocompletion=completion.one_of(completion.LEVELS),
    ),
]


@command("gametree play tictactoe --you second --opponent blunder:0.1", PLAY, reads_solutions=True)
def play(
    game: GameOrDir,
    you: You = None,
    opponent: Opponent = None,
    start: From = None,
    numbered: Annotated[bool, option("--numbered", "Number the free cells on the board.")] = False,
    seed: Annotated[
        int | None, option("--seed N", "Makes the opponent reproducible, unless it has a time to keep.")
    ] = None,
    seconds: Annotated[float | None, option("--move-seconds SECONDS", "What depth:N may take for a move.")] = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
) -> None:
    """Play against a level, another person, or watch a level play itself.

    A move is typed as a coordinate (b2), a number (4), or as the game writes it; ? explains, h gives hints. With
    --count-from 1 the board shows the numbers of its free cells, 1 to 9 for tic-tac-toe, and 0 gives up.
    """
    check_options(you, opponent, seconds)
    options = PlayOptions(you, opponent, start, numbered, seed, seconds, symmetry, workers)
    run(kind_of(game).set_up(game, options))


def check_options(you: str | None, opponent: str | None, seconds: float | None) -> None:
    """Raise `OptionError` for options that make no sense, before anything takes long."""
    from analysis.errors import OptionError
    from analysis.playing.levels import parse_level

    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"--move-seconds {seconds:g} is no time for a move; give more than 0")
    if opponent is not None:
        kind = parse_level(opponent).kind
        if seconds is not None and kind != "depth":
            raise OptionError(
                f"--move-seconds is what depth:N may take for a move; leave it out with --opponent {opponent}"
            )
        if you is not None and you.strip().lower() == "both":
            raise OptionError(f"--you both leaves no side for --opponent {opponent}; leave one of them out")
