"""Play games in a terminal and between levels of play: play, match, bot."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..common.wording import visible_lines
from ..playing.terms import Effort, Terms
from .app import (
    LEVELS,
    PLAY,
    READS,
    Answers,
    Dask,
    From,
    GameOrDir,
    Position,
    Symmetry,
    argument,
    command,
    option,
)
from .reading import PlayOptions
from .terminal import interruptible

if TYPE_CHECKING:
    from ..playing.conversation import Conversation


def run(dialogue: Conversation) -> None:
    """Play; Ctrl-C leaves at any moment, also while the opponent thinks inside compiled code."""
    from ..errors import GametreeError, RulesError

    with interruptible(lambda: os.write(1, visible_lines(f"\nInterrupted. {dialogue.farewell()}\n").encode())):
        try:
            dialogue.run()
        except RulesError:
            raise
        except GametreeError:  # the opponent cannot move
            dialogue.console.say(dialogue.farewell())
            raise


Seconds = Annotated[
    float | None,
    option("--seconds SECONDS", "Limit per move: processor time of depth:N, or wall clock of a bot (default: 5)."),
]
You = Annotated[
    str | None,
    option(
        "--you SIDE",
        "Your side: X (who begins), O, both or none; the side's name; or first or second, counted from the next move.",
    ),
]
Opponent = Annotated[
    str | None,
    option(
        "--opponent LEVEL",
        f"{LEVELS[:-1]}; by default perfect, or a search of 1 second per move if that takes too long.",
    ),
]


@command(
    "gametree play tictactoe --you second --opponent blunder:0.1",
    PLAY,
    "workers",
    "map",
    "game",
    context_settings={"ignore_unknown_options": True},
)
def play(
    game: GameOrDir,
    position: Position = None,
    you: You = None,
    opponent: Opponent = None,
    seed: Annotated[
        int | None, option("--seed N", "Seed of the opponent; reproducible unless it has a time limit.")
    ] = None,
    seconds: Seconds = None,
    symmetry: Symmetry = None,
) -> None:
    """Play against a level or another person, or watch a level play itself.

    Type a move as a coordinate (b2), a number (5), as the board shows them in its free cells, or as the game writes it;
    ? explains, hint says what moves are worth. Where cells or columns are numbered, 0 gives up.
    """
    from .showing import set_up

    check_options(you, opponent, seconds)
    options = PlayOptions(you, opponent, position, seed, seconds, symmetry)
    run(set_up(game, options))


@command("gametree match tictactoe perfect random --games 10000 --swap --seed 1", PLAY, "format", "wide", *READS)
def match(
    game: GameOrDir,
    levels: Annotated[
        list[str],
        argument("LEVEL...", f"Two or more: {LEVELS} Of two the first one begins."),
    ],
    games: Annotated[
        int, option("--games N", "Games, or of each pair; of two levels 0 for exact expectations.", min=0)
    ] = Terms.games,
    swap: Annotated[bool, option("--swap", "Change sides after every game; more than two always do.")] = False,
    seed: Annotated[int | None, option("--seed N", "Seed of the games.")] = None,
    start: From = None,
    seconds: Seconds = None,
    symmetry: Symmetry = None,
    max_plies: Annotated[
        int, option("--max-plies N", "Plies after which a game counts as unfinished.", min=1)
    ] = Terms.max_plies,
    out: Annotated[
        Path | None, option("--out FILE", "Store the moves of every game: .parquet, .csv or .jsonl.")
    ] = None,
    dask: Dask = None,
) -> Answers:
    """Play many games between levels: wins, losses, ties, lengths; or find exact expectations of two.

    Of more than two, each pair meets in both orders: points, and what the moves of each lose by the solution. A bot
    loses a game in which it is late, crashes or makes an illegal move. --games 0 follows all choices of two
    levels instead. --dask distributes the games of levels that search.
    """
    from ..errors import OptionError
    from ..solving.cluster.running import on_dask
    from .showing import match_of

    if len(levels) < 2:
        raise OptionError(f"match needs two levels or more, and only {levels[0]} is named")
    with on_dask(dask):
        terms = Terms(games, swap, seed, start, max_plies, out)
        effort = Effort(seconds, symmetry)
        result = match_of(game, levels, terms, effort)
    yield result


def check_options(you: str | None, opponent: str | None, seconds: float | None) -> None:
    """Raise `OptionError` for options that make no sense, before anything takes long."""
    from ..errors import OptionError
    from ..playing.levels import check_seconds, parse_level

    check_seconds(seconds, thinks=opponent is None or parse_level(opponent, bots=True).thinks)
    if opponent is not None and (you or "").strip().lower() == "both":
        raise OptionError(f"--you both leaves no side for --opponent {opponent}; leave one of them out")


@command("gametree bot bidding-tictactoe --strategy perfect < turn.txt", PLAY)
def bot(
    protocol: Annotated[str, argument("PROTOCOL", "bidding-tictactoe.")],
    strategy: Annotated[
        str, option("--strategy LEVEL", "random, rules, minimax or perfect; depth:N is minimax to that depth.")
    ] = "perfect",
    depth: Annotated[int, option("--depth N", "Moves that minimax looks ahead.", min=1)] = 2,
    chips: Annotated[int, option("--chips N", "Chips per player at the start.", min=0)] = 4,
    seed: Annotated[int | None, option("--seed N", "Seed of random choices.")] = None,
    verbose: Annotated[bool, option("--verbose", "Explain the answer on standard error.")] = False,
) -> None:
    """Answer one turn of a referee, read from standard input: a bid, or row and column counted from 0.

    Line 1 is the player, X or O; line 2 BID or PLAY; lines 3 and 4 are the bids of X and of O so far; then three rows
    of X, O and _. PLAY is asked of the player who has won the last bid.
    """
    from ..bidding.bot import answer_turn, read_turn

    if sys.stdin is not None and sys.stdin.isatty():
        print("Type the seven lines of a turn; `gametree bot --help` says what they are.", file=sys.stderr)
    text = b"" if sys.stdin is None else read_turn(sys.stdin.buffer)
    line, explanation = answer_turn(protocol, text, strategy, depth=depth, chips=chips, seed=seed)
    if verbose:
        print(explanation, file=sys.stderr)
    print(line)
