"""Games in which a level searches or is a function, played move by move by players."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import numpy as np

from analysis.engine.kernels.states import as_payoff
from analysis.playing.kernels.simulated_games import O_WON, TIED, UNFINISHED, X_WON
from analysis.playing.matches.simulation import Batch, Terms
from analysis.playing.players.player import Player
from analysis.rules.game import ONGOING
from analysis.solution.paths import path_text

BATCH_SECONDS = 0.2
"""Games are handed on in batches of about so long."""


def play_by_turns(players: tuple[Player, Player], root: int, terms: Terms) -> Iterator[Batch]:
    """Play games from a state. A game is the same whatever is played before it, unless the searches are limited by
    time.
    """
    joined = players[0].rules.largest_code > 9
    first, played, paths = 0, [], []
    began = time.monotonic()
    for number in range(terms.games):
        order = players[::-1] if terms.swap and number & 1 else players
        rng = random.Random(f"{terms.seed} {number}")
        payoff, end, codes = _play((order[0], order[1]), root, rng, terms.max_plies)
        played.append((payoff, len(codes), end))
        paths.append(path_text(codes, joined) if terms.keep else "")
        if number == terms.games - 1 or time.monotonic() - began > BATCH_SECONDS:
            yield _batch(first, played, paths if terms.keep else None)
            first, played, paths, began = number + 1, [], [], time.monotonic()


def _play(order: tuple[Player, Player], state: int, rng: random.Random, max_plies: int) -> tuple[int, int, list[int]]:
    """One game: the first player's payoff, how it ended, and its moves."""
    rules, codes = order[0].rules, list[int]()
    while (outcome := rules.outcome(state)) == ONGOING:
        if len(codes) == max_plies:
            return 0, UNFINISHED, codes
        codes.append(order[0 if rules.to_move(state) > 0 else 1].choose(state, rng))
        state = rules.play(state, codes[-1])
    payoff = int(as_payoff(outcome))
    return payoff, X_WON if payoff > 0 else O_WON if payoff < 0 else TIED, codes


def _batch(first: int, played: list[tuple[int, int, int]], paths: list[str] | None) -> Batch:
    payoffs, plies, ends = (np.array(column) for column in zip(*played, strict=True))
    return Batch(first, payoffs.astype(np.int16), plies.astype(np.int32), ends.astype(np.uint8), paths)
