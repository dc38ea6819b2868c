"""Exact counts: histories forward, games and paths backward, and whole games up to symmetry."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from analysis.engine import Engine
from analysis.errors import CountOverflowError
from analysis.integers import GREATEST, ONE_LIMB, exact_sum, widen
from analysis.kernels import counting as kernels
from analysis.links import Links, build_table, link
from analysis.symmetry import permute
from analysis.tiers import TALLIES, Tier

KEEP_SHARE = 0.25
"""The part of the memory budget that may hold links from the forward to the backward pass, which then need not expand
and look up all children a second time."""


@dataclasses.dataclass(frozen=True)
class Histories:
    """What the forward count leaves for the backward pass."""

    arrays: list[np.ndarray]  # per tier uint64[n, limbs], per orbit
    limbs: int
    """Limbs that every count of the game fits: no count exceeds the number of complete games."""
    links: list[list[Links] | None]
    """Per tier, its links by chunk, or None where there was no room to keep them."""


def count_histories(engine: Engine, tiers: list[np.ndarray], *, greatest: int = GREATEST) -> Histories:
    """How many move sequences from the start reach each orbit.

    Raises `CountOverflowError`, naming the tier, where there are more than ``greatest``.
    """
    arrays = [np.ones((1, 1), dtype=np.uint64)]
    links: list[list[Links] | None] = []
    games = kept = 0
    for ply, states in enumerate(tiers):
        engine.progress("counting histories", sum(map(len, tiers[:ply])), sum(map(len, tiers)))
        below = tiers[ply + 1] if ply + 1 < len(tiers) else np.empty(0, dtype=np.int64)
        kept += len(states) * (4 + 4 * engine.rules.max_moves)
        keep = kept < KEEP_SHARE * engine.budget.limit
        reached, of_tier = _histories_below(engine, states, below, arrays[-1], keep)
        games += exact_sum(arrays[-1]) - sum(chunk.continuing for chunk in of_tier)
        if games + exact_sum(reached) > greatest:
            raise CountOverflowError(f"at ply {ply + 1} there are more than {greatest:,} histories; use --no-counts")
        arrays.append(reached)
        links.append([chunk.links for chunk in of_tier if chunk.links] if keep else None)
    return Histories(arrays[:-1], 1 if games < ONE_LIMB else 2, links)


@dataclasses.dataclass(frozen=True)
class _Chunk:
    continuing: int  # histories that reach its states where the game goes on
    links: Links | None


def _histories_below(
    engine: Engine, states: np.ndarray, below: np.ndarray, histories: np.ndarray, keep: bool
) -> tuple[np.ndarray, list[_Chunk]]:
    """The histories of the next tier: every thread adds its chunks to an array of its own, then these are summed."""
    table = build_table(engine, below)
    limbs = 1 if exact_sum(histories) * engine.rules.max_moves < ONE_LIMB else 2
    chunks = engine.chunks(len(states))
    threads = min(engine.workers.threads, len(chunks))

    def work(first: int) -> tuple[np.ndarray, list[_Chunk]]:
        reached = np.zeros((len(below), limbs), dtype=np.uint64)
        done = []
        for rows in chunks[first::threads]:
            links = link(engine, states[rows], table)
            kernels.spread(histories[rows], links.branching, links.rows, reached)
            done.append(_Chunk(exact_sum(histories[rows][links.branching > 0]), links.compact() if keep else None))
        return reached, done

    parts = list(engine.workers.map(work, range(threads)))
    total = parts[0][0]
    for reached, _ in parts[1:]:
        kernels.add_histories(total, reached)
    ordered = [parts[i % threads][1][i // threads] for i in range(len(chunks))]
    return widen(total, 1) if exact_sum(total) < ONE_LIMB else total, ordered


def tally_fields(engine: Engine) -> int:
    """How many of `TALLIES` are counted: paths of the quotient graph only where there are symmetries."""
    return len(TALLIES) if engine.group.order > 1 else len(TALLIES) - 1


def tally_chunk(part: Tier, links: Links, below: Tier) -> None:
    """Count games and paths from each state of a labelled chunk."""
    kernels.tally(
        links.branching, part.value, part.remoteness, links.rows,
        below.value, below.remoteness, below.tallies, part.tallies,
    )  # fmt: skip


def games_ended(part: Tier) -> tuple[int, int, int]:
    """Complete games that end in these states: won by O, tied, won by X."""
    assert part.histories is not None
    ended, sign = part.branching == 0, np.sign(part.value)
    o, tie, x = (exact_sum(part.histories[ended & (sign == s)]) for s in (-1, 0, 1))
    return o, tie, x


def games_up_to_symmetry(engine: Engine, games: int) -> int:
    """Orbits of whole games: by Burnside's lemma the mean, over the group, of the games whose every position the
    element leaves alone (for the identity: all ``games``). Elements with the same cycles leave the same games alone.
    """
    cycles = [_cycles(permutation) for permutation in engine.group.permutations]
    fixed = {}
    for permutation, key in zip(engine.group.permutations, cycles, strict=True):
        if key not in fixed:
            fixed[key] = games if len(key) == engine.rules.cells else _fixed_games(engine, permutation)
    return sum(fixed[key] for key in cycles) // engine.group.order


def _cycles(permutation: Sequence[int]) -> frozenset[frozenset[int]]:
    found = set()
    for cell in range(len(permutation)):
        cycle = {cell}
        while (cell := permutation[cell]) not in cycle:
            cycle.add(cell)
        found.add(frozenset(cycle))
    return frozenset(found)


def _fixed_games(engine: Engine, permutation: tuple[int, ...]) -> int:
    """Games all of whose positions a permutation leaves alone, by plain counting forward."""
    games = 0
    reached = {engine.start: 1}
    while reached:
        following: dict[int, int] = {}
        for state, histories in reached.items():
            moves = engine.rules.moves(state)
            games += 0 if moves else histories
            for _, child in moves:
                if permute(child, permutation, engine.rules.planes) == child:
                    following[child] = following.get(child, 0) + histories
        reached = following
    return games
