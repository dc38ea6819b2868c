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
"""Most plies that they may have together: nobody can interrupt a kernel."""


class Batch(NamedTuple):
    """Games that were played, in order."""

    first: int
    """The number of the first one."""
    payoffs: np.ndarray  # int16[n], the first player's; 0 of an unfinished game
    plies: np.ndarray  # int32[n]
    ends: np.ndarray  # uint8[n], such as kernels.X_WON
    paths: list[str] | None
    """Backtrackers, where they were asked for."""


def simulate(
    ground: SolvedArrays,
    pairing: Pairing,
    games: int,
    *,
    swap: bool,
    seed: int,
    max_plies: int,
    keep: bool,
    workers: Workers,
) -> Iterator[Batch]:
    """Play so many games; ``keep`` their moves. Raises `RulesError`, `StoreError` where tiers do not fit together."""
    size = batch_games(max_plies)
    tasks = ((first, min(size, games - first)) for first in range(0, games, size))
    play = functools.partial(_play, ground, pairing, swap, seed, max_plies, keep, workers)
    return workers.map(play, tasks)


def batch_games(max_plies: int) -> int:
    """How many games are played at once."""
    return max(1, min(BATCH_GAMES, BATCH_PLIES // max(1, max_plies)))


def _play(
    ground: SolvedArrays,
    pairing: Pairing,
    swap: bool,
    seed: int,
    max_plies: int,
    keep: bool,
    workers: Workers,
    task: tuple[int, int],
) -> Batch:
    (first, n), engine = task, ground.engine
    payoffs, plies, ends = np.empty(n, np.int16), np.empty(n, np.int32), np.empty(n, np.uint8)
    paths = workers.scratch("paths", n * max_plies if keep else 0, np.uint8).reshape(n, -1)
    trouble = np.zeros(1, np.int64)
    answer = engine.call(
        NO_STATES, kernels.play_games,
        engine.compiled.successors, engine.successors, engine.compiled.to_move, int(engine.reduces), ground.root,
        engine.rules.max_moves, *engine.board, *ground.known, pairing.kinds, pairing.thresholds, seed, first, int(swap),
        max_plies, payoffs, plies, ends, paths, trouble,
    )  # fmt: skip
    if answer < 0:
        raise ground.fault(answer, int(trouble[0]))
    return Batch(first, payoffs, plies, ends, _texts(paths, plies, engine.rules.largest_code > 9) if keep else None)


def _texts(paths: np.ndarray, plies: np.ndarray, joined: bool) -> list[str]:
    """Move codes [games, plies] as backtrackers."""
    short = np.ascontiguousarray(paths[:, : max(1, int(plies.max()))])
    text = np.empty(4 * int(plies.sum()) + len(plies), dtype=np.uint8)
    written = walk.spell(short, plies.astype(np.int64), len(plies), int(joined), text)
    return text[:written].tobytes().decode("ascii").split("\n")[:-1]
