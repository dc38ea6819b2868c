"""Games of levels that search, played by an executor: each is the same wherever it is played."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from analysis.errors import StoreError
from analysis.games.families import load_game
from analysis.machine.crew import Crew, Requirements, in_order, slots_of
from analysis.playing.matches.simulation import Batch, Terms, play_by_turns
from analysis.playing.players.levels import find_player
from analysis.rules.game import Game
from analysis.solving.to_directory import is_named

TASKS = 8
"""For each that can be done at the same time."""


class Games(NamedTuple):
    """Some games of a match."""

    game: str
    """The specification."""
    levels: tuple[str, str]
    root: int
    """The state that they start from."""
    seconds: float | None
    """For each move of a level that searches."""
    terms: Terms
    """Those of the whole match."""
    first: int
    last: int
    """After which there are others."""


def play_elsewhere(
    executor: Executor, game: Game, levels: tuple[str, str], root: int, seconds: float | None, terms: Terms
) -> Iterator[Batch]:
    """The games of a match in order, played by an executor. Raises `StoreError` where the game is neither built-in nor
    from a file, and `ClusterError`.
    """
    if not is_named(game):
        raise StoreError(f"{game.spec} is neither built-in nor from a file: no other process can play it")
    if isinstance(executor, Crew):
        executor.prepare(Requirements(game.lasting_spec, game.rules_hash()))
    size = max(1, -(-terms.games // (TASKS * slots_of(executor))))
    firsts = range(0, terms.games, size)
    yield from in_order(
        executor,
        play_some,
        (Games(game.lasting_spec, levels, root, seconds, terms, n, min(n + size, terms.games)) for n in firsts),
    )


def play_some(games: Games) -> Batch:
    """Play some games of a match."""
    game = load_game(games.game)
    players = [find_player(level, game, seconds=games.seconds) for level in games.levels]
    terms = games.terms._replace(games=games.last)
    batches = [*play_by_turns((players[0], players[1]), games.root, terms, games.first)]
    paths = [path for batch in batches for path in batch.paths or ()]
    payoffs, plies, ends = (
        np.concatenate([getattr(batch, name) for batch in batches]) for name in ("payoffs", "plies", "ends")
    )
    return Batch(games.first, payoffs, plies, ends, paths if games.terms.keep else None)
