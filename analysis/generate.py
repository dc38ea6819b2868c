"""Forward pass: the canonical states of every tier that play can reach from the start.

A tier is expanded chunk by chunk. Each chunk's children are sorted and freed of duplicates by comparing neighbours
(sorting int64 keys is vectorised; ``numpy.unique`` was 150 times slower), which gives sorted runs. The runs are then
merged range by range: the same range of keys is cut out of every run, joined, sorted again and freed of duplicates.
Every range is a task of its own, so both steps use all threads, and nothing depends on how many there are.
"""

from __future__ import annotations

import numpy as np

from analysis.engine import Engine
from analysis.kernels.states import drop_repeats

RANGE = 1 << 18
"""About how many keys one merge task sorts: 2 MB, so that it stays in the cache."""


def generate(engine: Engine, *, bytes_per_state: float) -> list[np.ndarray]:
    """All tiers, each a sorted array int64[n] of canonical states; tier 0 is the start.

    ``bytes_per_state`` is what the caller will hold for each state in the end: as soon as the states found so far
    cannot fit, the work is refused with `TooLargeError`.
    """
    expected = expect_classes(engine)
    if expected is not None:
        engine.budget.require(
            expected * bytes_per_state, f"{engine.game.spec} has about {_round(expected)} classes; solving it in memory"
        )
    tiers = [np.array([engine.start], dtype=np.int64)]
    found = 1
    while len(tiers[-1]):
        tiers.append(
            next_tier(engine, tiers[-1], held=found * bytes_per_state, before=found - len(tiers[-1]), of=expected)
        )
        found += len(tiers[-1])
    engine.progress("finding positions", found, found)
    return tiers[:-1]


def expect_classes(engine: Engine) -> float | None:
    """About how many classes the game has from its own start, if the game can say."""
    expected = engine.game.expected_positions() if engine.start == engine.rules.start else None
    return None if expected is None else sum(expected) / engine.group.order


def next_tier(engine: Engine, states: np.ndarray, *, held: float, before: int, of: float | None) -> np.ndarray:
    """The sorted canonical children of a tier. ``held`` bytes are already taken by other things; ``before`` states
    ``of`` about so many were expanded before these.
    """
    chunks = engine.chunks(len(states))
    in_flight = engine.workers.threads * engine.chunk * engine.rules.max_moves * 8
    runs: list[np.ndarray] = []
    keys = 0
    for run in engine.workers.map(lambda rows: _distinct(engine.expand(states[rows])), chunks):
        runs.append(run)
        engine.progress("finding positions", before + len(runs) * engine.chunk, of)
        keys += len(run)
        likely = keys * 8 * len(chunks) / len(runs)  # of all runs, if the rest of the tier is like its beginning
        engine.budget.require(held + 2 * likely + in_flight, f"expanding a tier of {len(states):,} states")
    return _merge(engine, runs)


def _merge(engine: Engine, runs: list[np.ndarray]) -> np.ndarray:
    """The distinct keys of sorted runs, sorted."""
    if len(runs) == 1:
        return runs[0]
    ranges = 1 + sum(map(len, runs)) // RANGE
    sample = np.sort(np.concatenate([run[:: max(1, RANGE // 256)] for run in runs]))
    splitters = sample[np.linspace(0, len(sample), ranges, endpoint=False).astype(np.int64)[1:]]
    cuts = [np.concatenate(([0], np.searchsorted(run, splitters), [len(run)])) for run in runs]

    def merge_range(r: int) -> np.ndarray:
        return _distinct(np.concatenate([run[cut[r] : cut[r + 1]] for run, cut in zip(runs, cuts, strict=True)]))

    return np.concatenate(list(engine.workers.map(merge_range, range(ranges))))


def _distinct(keys: np.ndarray) -> np.ndarray:
    keys.sort()
    return keys[: drop_repeats(keys)].copy()  # a copy, to give back the rest of the buffer


def _round(number: float) -> str:
    """Two significant digits, since it is an estimate."""
    return f"{float(f'{number:.1e}'):,.0f}"
