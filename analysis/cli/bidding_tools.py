"""Bidding games: richman and bot; what other commands do with them is in `bidding_games`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from analysis.cli.app import (
    COMPARE,
    PLAY,
    POSITION,
    Answers,
    Game,
    Symmetry,
    argument,
    command,
    option,
)  # fmt: skip


@command(
    "gametree richman tictactoe 'X??/?O?/???'", COMPARE, waits=True, context_settings={"ignore_unknown_options": True}
)
def richman(
    game: Game,
    position: Annotated[
        str | None,
        argument("POSITION", POSITION + " It may have any number of marks of either side; by default the start."),
    ] = None,
    out: Annotated[
        Path | None, option("--out FILE", "Also write the thresholds of every board, as .parquet or .csv.")
    ] = None,
    symmetry: Symmetry = None,
) -> Answers:
    """Print the share of all money that X needs to win if both bid for each move: Richman and poorman thresholds.

    Exact fractions, for ties that count for O and for X. CSV has the four thresholds, JSON also every placement.
    """
    from analysis.bidding.richman import find_thresholds
    from analysis.cli.display.bidding_tables import richman_answer

    found = find_thresholds(game, position, out=out, symmetry=symmetry or "geometric")
    yield richman_answer(found)


@command("gametree bot bidding-tictactoe --strategy perfect < turn.txt", PLAY)
def bot(
    protocol: Annotated[str, argument("PROTOCOL", "bidding-tictactoe.")],
    strategy: Annotated[
        str, option("--strategy STRATEGY", "random, rules, minimax or perfect; depth:N is minimax to that depth.")
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
    from analysis.bidding.bot import answer_turn, read_turn

    if sys.stdin is not None and sys.stdin.isatty():
        print("Type the seven lines of a turn; `gametree bot --help` says what they are.", file=sys.stderr)
    text = b"" if sys.stdin is None else read_turn(sys.stdin.buffer)
    line, explanation = answer_turn(protocol, text, strategy, depth=depth, chips=chips, seed=seed)
    if verbose:
        print(explanation, file=sys.stderr)
    print(line)
