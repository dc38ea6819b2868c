"""Games played by a kernel: thousands at a time, the same whatever the number of threads."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analysis.engine.kernels import walk
from analysis.machine.workers import Workers
from analysis.playing.kernels import simulated_games as kernels
from analysis.playing.matches.pairing import Pairing, SolvedArrays
from analysis.solution.paths import NO_STATES

BATCH_GAMES = 4096
"""Most games that are played at once."""

BATCH_PLIES = 1 << 22
"""Most plies that they may have together: a kernel cannot be interrupted."""


class Batch(NamedTuple):
    """Games that were played, in order."""

    first: int
    """The number of the first one."""
    payoffs: np.ndarray  # int16[n], the first player's; 0 of an unfinished game
    plies: np.ndarray  # int32[n]
    ends: np.ndarray  # uint8[n], such as kernels.X_WON
    paths: list[str] | None
    """Backtrackers, where they were asked for."""


class Terms(NamedTuple):
    """How many games are played, and how."""

    games: int
    swap: bool
    """Whether the levels change sides after every game."""
    seed: int
    max_plies: int
    """Plies after which a game is given up as unfinished."""
    keep: bool
    """Whether the moves of the games are wanted."""


def simulate(arrays: SolvedArrays, pairing: Pairing, terms: Terms, workers: Workers) -> Iterator[Batch]:
    """Play the games of a pairing. Raises `RulesError`, `StoreError` where tiers do not fit together."""
    size = batch_games(terms.max_plies)
    tasks = ((first, min(size, terms.games - first)) for first in range(0, terms.games, size))
    return workers.map(functools.partial(_play, arrays, pairing, terms, workers), tasks)


def batch_games(max_plies: int) -> int:
    """How many games are played at once."""
    return max(1, min(BATCH_GAMES, BATCH_PLIES // max(1, max_plies)))


def _play(arrays: SolvedArrays, pairing: Pairing, terms: Terms, workers: Workers, task: tuple[int, int]) -> Batch:
    (first, n), engine = task, arrays.engine
    paths = workers.scratch("paths", n * terms.max_plies if terms.keep else 0, np.uint8).reshape(n, -1)
    played = kernels.Games(np.empty(n, np.int16), np.empty(n, np.int32), np.empty(n, np.uint8), paths)
    trouble = np.zeros(1, np.int64)
    rules = kernels.Terms(
        arrays.root, int(engine.reduces), engine.rules.max_moves, terms.max_plies, terms.seed, int(terms.swap),
        pairing.kinds, pairing.thresholds,
    )  # fmt: skip
    answer = engine.call(
        NO_STATES, kernels.play_games,
        engine.compiled.successors, engine.successors, engine.compiled.to_move, rules, arrays.known, first, played,
        trouble,
    )  # fmt: skip
    if answer < 0:
        raise arrays.fault(answer, int(trouble[0]))
    texts = _texts(paths, played.plies, engine.rules.largest_code > 9) if terms.keep else None
    return Batch(first, played.payoffs, played.plies, played.ends, texts)


def _texts(paths: np.ndarray, plies: np.ndarray, joined: bool) -> list[str]:
    """Move codes [games, plies] as backtrackers."""
    short = np.ascontiguousarray(paths[:, : max(1, int(plies.max()))])
    text = np.empty(4 * int(plies.sum()) + len(plies), dtype=np.uint8)
    written = walk.spell(short, plies.astype(np.int64), len(plies), int(joined), text)
    return text[:written].tobytes().decode("ascii").split("\n")[:-1]
