"""Games of other kinds: a large board with gravity, loopy games, and the depth that Coin Grabber is searched to.

Connect-Four on 5x5 is measured in sorts of 74,927,016 random keys, as `speed` says; a loopy game in moves a second
beside it. A move is one of a canonical position: what the passes over the tiers work through.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import NO_TARGET, Settings, Target, interleaved, median, spread, timed

import analysis
from analysis.search.finding import advise

FIVE = "connect:rows=5,cols=5"
KEYS = 74_927_016
SORT = f"numpy.sort of {KEYS:,} int64"
LOOPY = "dodgem:n=4"
SIZES = {FIVE: (69_763_700, 34_888_367), LOOPY: (393_900, 393_900)}
"""Positions and classes, as published."""

SORTS = Target(6, " sorts")
SHARE = Target(3, " times less")
DEPTH = 22
SECONDS = 10


def kinds(settings: Settings) -> None:
    """Print the tables."""
    _solving(settings)
    _searching(settings)


def _solving(settings: Settings) -> None:
    moves = {game: _canonical_moves(game) for game in SIZES}
    several = settings.workers
    variants: dict[str, Callable[[], float]] = {SORT: _sorting()}
    for workers in (1, several):
        for game in SIZES:
            variants[f"{game}, {workers} threads"] = lambda game=game, workers=workers: _solve(game, workers)
    seconds = interleaved(variants, settings.repeat + 1)
    seconds = {name: figures[1:] for name, figures in seconds.items()}  # the first compiles, and pages memory in
    sort = median(seconds[SORT])
    rows = []
    for name, figures in seconds.items():
        game, rate, judged = name.split(", ")[0], "", NO_TARGET
        if name != SORT:
            rate = f"{moves[game] / median(figures) / 1e6:.1f}"
        if name == f"{FIVE}, {several} threads":
            judged = SORTS.judge(median(figures) / sort)
        elif name.endswith(f", {several} threads"):
            large = moves[FIVE] / median(seconds[f"{FIVE}, {several} threads"])
            judged = SHARE.judge(large / (moves[game] / median(figures)))
        rows.append((name, f"{median(figures):.3f}", spread(figures), f"{median(figures) / sort:.2f}", rate, *judged))
    settings.table(
        "Values and remoteness of games of other kinds",
        ("", "seconds", "least..greatest", "sorts", "M moves/s", "target", ""),
        rows,
    )


def _sorting() -> Callable[[], float]:
    """A sort in place: what ``numpy.sort`` does besides, it copies, takes longer or less long as memory is at hand."""
    keys = np.random.default_rng(0).integers(0, 2**62, KEYS, dtype=np.int64)
    room = np.empty_like(keys)

    def sort() -> float:
        np.copyto(room, keys)
        return timed(room.sort)

    return sort


def _solve(game: str, workers: int) -> float:
    found = []
    seconds = timed(lambda: found.append(analysis.solve(game, counts=False, workers=workers)))
    if (found[0].position_count, found[0].classes) != SIZES[game]:
        raise AssertionError(f"{game} has {found[0].position_count:,} positions, not the published {SIZES[game][0]:,}")
    return seconds


def _canonical_moves(game: str) -> int:
    """Moves of canonical positions."""
    solution = analysis.solve(game, counts=False)
    engine = solution.engine
    return sum(
        int(engine.expand_tiers(tier.states[rows]).branching.sum(dtype=np.int64))
        for tier in solution.tiers
        for rows in engine.chunks(len(tier))
    )


def _searching(settings: Settings) -> None:
    rows = []
    advise("coin_grabber", depth=4)  # compiles
    found = advise("coin_grabber", depth=DEPTH)
    rows.append((f"depth {DEPTH}", found.depth, f"{found.seconds:.2f}", f"{found.nodes:,}", *NO_TARGET))
    for seconds in (1, SECONDS):
        found = advise("coin_grabber", seconds=seconds)
        judged = NO_TARGET if seconds != SECONDS else (f"at least {DEPTH}", "met" if found.depth >= DEPTH else "MISSED")
        rows.append((f"{seconds} s", found.depth, f"{found.seconds:.2f}", f"{found.nodes:,}", *judged))
    rows = [(*row[:4], f"{int(row[3].replace(',', '')) / float(row[2]) / 1e6:.1f}", *row[4:]) for row in rows]
    settings.table(
        "Coin Grabber, the course board from the start, every first move exactly, one thread",
        ("limit", "depth", "seconds", "nodes", "M nodes/s", "target", ""),
        rows,
    )
