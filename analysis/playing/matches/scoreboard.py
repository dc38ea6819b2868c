"""Games of a match, added up batch by batch."""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.playing.kernels.simulated_games import O_WON, TIED, UNFINISHED, X_WON
from analysis.playing.matches.simulation import Batch
from analysis.playing.matches.standings import COUNTS, Standing, by_player

ENDS = (X_WON, O_WON, TIED, UNFINISHED)


class Scoreboard:
    """Adds up games: those in which A moved first, and those in which B did."""

    def __init__(self, levels: tuple[str, str], *, swap: bool) -> None:
        self._levels, self._swap = levels, swap
        self._firsts = [Standing("A", levels[0], "X"), Standing("B", levels[1], "X")]

    def add(self, batch: Batch) -> None:
        """Count the games of a batch."""
        numbers = batch.first + np.arange(len(batch.plies))
        for first, standing in enumerate(self._firsts):
            chosen = (numbers & 1 == first) if self._swap else np.full(len(numbers), first == 0)
            payoffs, plies = (column[chosen].astype(np.int64) for column in (batch.payoffs, batch.plies))
            won, lost, tied, unfinished = np.bincount(batch.ends[chosen], minlength=len(ENDS)).tolist()
            sums = [won, lost, tied, unfinished]
            sums += [int(column.sum()) for column in (payoffs, payoffs * payoffs, plies, plies * plies)]
            added = {name: getattr(standing, name) + number for name, number in zip(COUNTS, sums, strict=True)}
            self._firsts[first] = dataclasses.replace(standing, **added)

    def standings(self) -> tuple[Standing, ...]:
        """By player and side; A's first."""
        a, b = self._firsts
        return by_player(self._levels, a, b if self._swap else None)
