"""What all tiers show together: what is reached in a loopy game, what occurs at each ply, and that no state is there
twice.
"""

from __future__ import annotations

import bisect
import itertools
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from analysis.checks.solutions.certificate import Certificate
from analysis.checks.solutions.kernels.deriving import set_bits
from analysis.checks.solutions.rows import Rows, different
from analysis.engine.census import PlyTotals, count_positions, games_ended
from analysis.engine.columns import exact_sum
from analysis.engine.tiers import Tier
from analysis.errors import VerificationError
from analysis.machine.files import as_store_error


def mark_reached(certificate: Certificate, start: int) -> None:
    """Set the bits of all rows that moves lead to from a row of the first tier, in a loopy game, where states that are
    not reached may lead to each other.
    """
    positions, tiers, reached = certificate.positions, certificate.tiers, certificate.reached
    waiting = {number: np.zeros_like(bits) for number, bits in reached.items()}
    set_bits(waiting[min(tiers)], np.array([start]))
    for number in sorted(tiers):  # no move lowers it
        while waiting[number].any():
            now, waiting[number] = waiting[number], np.zeros_like(waiting[number])
            reached[number] |= now
            flags = np.unpackbits(now, bitorder="little")
            chosen = lambda begin, end, flags=flags: begin + np.flatnonzero(flags[begin:end])  # noqa: E731
            for rows in tiers[number].batches(certificate.batch, ["state"], chosen):
                children = different(positions.expand(rows.states).children)
                numbers = positions.tiers(children, 0)
                for later in np.unique(numbers).tolist():
                    _, found = tiers[later].holding(children[numbers == later], ["state"], certificate.workers)
                    new = found[(reached[later][found >> 3] >> (found & 7).astype(np.uint8) & 1) == 0]
                    set_bits(waiting[later], new)


def refuse_repetition(certificate: Certificate) -> None:
    """Raise `VerificationError` where a state is in two tiers that are plies: it would count twice. Where tiers are not
    plies the rules say in which one it is.
    """
    tiers = certificate.tiers.values()
    firsts = different(np.concatenate([part.bounds[0] for tier in tiers for part in tier.parts]))
    together = int(certificate.memory / 5 / 32) * len(firsts) // sum(map(len, tiers)) // certificate.workers.threads
    cuts = [*firsts[:: max(1, together)].tolist(), None]

    def repeated(bounds: tuple[int, int | None]) -> int | None:
        states = np.sort(np.concatenate([each for tier in tiers for each in tier.states_between(*bounds)]))
        again = np.flatnonzero(states[1:] == states[:-1])
        return int(states[again[0]]) if len(again) else None

    for state in certificate.workers.map(repeated, itertools.pairwise(cuts)):
        if state is not None:
            text = certificate.game.format_position(state)
            raise VerificationError(f"position {text} is in two tiers; its rules need a tier(state), or loopy=True")


def totals_by_ply(certificate: Certificate) -> dict[int, tuple[PlyTotals, ...]]:
    """What occurs at each ply, tier by tier, by following all move sequences from the start ply by ply."""
    positions = certificate.positions
    found: dict[int, list[PlyTotals]] = {number: [] for number in certificate.tiers}
    most = max(1, int(certificate.memory / 5 / 64))
    frontier, ply = Frontier(most), 0
    frontier.add(positions.least(np.array([positions.rules.start])), np.array([[1, 0, 0, 0]]))
    while frontier:
        following, totals = Frontier(most), dict[int, PlyTotals]()
        for states, digits in frontier.merged(certificate.batch):
            expanded, numbers = positions.expand(states), positions.tiers(states, 0)
            for number in np.unique(numbers).tolist():
                own = numbers == number
                one = _totals(certificate, number, ply, states[own], expanded.branching[own], digits[own])
                totals[number] = totals[number] + one if number in totals else one
            following.add(*_summed(expanded.children, np.repeat(digits, expanded.branching, axis=0)))
        for number, one in totals.items():
            found[number].append(one)
        frontier, ply = following, ply + 1
    return {number: tuple(own) for number, own in found.items()}


def _totals(
    certificate: Certificate, number: int, ply: int, states: np.ndarray, branching: np.ndarray, digits: np.ndarray
) -> PlyTotals:
    """What some states of a tier, which ascend, add to its totals at a ply."""
    columns = ["state", "to_move", "value", "remoteness_plies", "orbit_size"]
    rows = Rows(number, 0, certificate.tiers[number].holding(states, columns, certificate.workers)[0])
    mover, value, remoteness, orbits = (rows[name] for name in columns[1:])
    tier = Tier(number, False, states, mover, value, remoteness, branching, orbits)
    histories = (digits[:, ::2] | digits[:, 1::2] << 32).view(np.uint64)
    return PlyTotals(ply, count_positions(tier).counts, exact_sum(histories), games_ended(tier, histories))


def _summed(states: np.ndarray, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different states, ascending, each with the sum of its numbers: digits to the base 2 ** 32, int64[n, 4]."""
    found, place = np.unique(states, return_inverse=True)
    sums = np.zeros((len(found), 4), np.int64)
    np.add.at(sums, place, digits)
    for digit in range(3):
        sums[:, digit + 1] += sums[:, digit] >> 32
        sums[:, digit] &= 0xFFFFFFFF
    return found, sums


class Frontier:
    """Runs of ascending states with a number each; beyond so many states they go to a temporary file."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._runs: list[np.ndarray] = []  # int64[n, 5] each, a state and the digits of its number
        self._stored: list[int] = []  # ends of the runs in the file
        self._file: IO[bytes] | None = None

    def __bool__(self) -> bool:
        return bool(self._runs or self._stored)

    def add(self, states: np.ndarray, digits: np.ndarray) -> None:
        """Add a run: different states, ascending, with their numbers."""
        if len(states):
            self._runs.append(np.column_stack((states, digits)))
        if sum(map(len, self._runs)) > self._most:
            with as_store_error(Path(tempfile.gettempdir())):
                if self._file is None:
                    self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed when the frontier goes
                    weakref.finalize(self, self._file.close)
                for run in self._runs:
                    self._file.write(run.tobytes())
                    self._stored.append(len(run) + (self._stored[-1] if self._stored else 0))
                self._file.flush()
            self._runs.clear()

    def merged(self, rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All states, ascending, each once with the sum of its numbers: about so many at a time."""
        runs = self._runs
        if self._file is not None:
            runs = [*np.split(np.memmap(self._file, np.int64, "r").reshape(-1, 5), self._stored)[:-1], *runs]
        each = max(1, rows // (2 * len(runs)))  # of as many states one is looked at
        cuts = np.sort(np.concatenate([run[::each, 0] for run in runs]))[:: len(runs)].tolist()
        for low, high in itertools.pairwise([*cuts, None]):
            pieces = []
            for run in runs:
                first, last = (len(run) if at is None else bisect.bisect_left(run[:, 0], at) for at in (low, high))
                pieces.append(run[first:last])
            table = np.concatenate(pieces)
            if len(table):
                yield _summed(table[:, 0], table[:, 1:])
