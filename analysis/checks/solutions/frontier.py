"""The states of a ply with their histories: as many as there are, in memory or, where that is too little, in files."""

from __future__ import annotations

import itertools
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from analysis.checks.solutions.digits import WIDTH, carried
from analysis.machine.files import as_store_error


class Frontier:
    """Runs of ascending states with their histories; more than so many go to temporary files."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._runs: list[tuple[np.ndarray, np.ndarray]] = []
        self._stored: list[int] = []  # the lengths of the runs that are in the files
        self._place = Path(tempfile.gettempdir())
        self._files: list[IO[bytes]] = []  # of states, and of their histories

    def __len__(self) -> int:
        """States of all runs."""
        return sum(self._stored) + self._waiting

    @property
    def _waiting(self) -> int:
        return sum(len(states) for states, _ in self._runs)

    def add(self, states: np.ndarray, histories: np.ndarray) -> None:
        """Add a run: different states, and their histories as digits."""
        self._runs.append((states, histories))
        if self._waiting > self._most:
            self._store()

    def _store(self) -> None:
        with as_store_error(self._place):
            while len(self._files) < 2:
                self._files.append(tempfile.TemporaryFile())  # noqa: SIM115 - it is closed when the frontier goes
                weakref.finalize(self, self._files[-1].close)
            for run in self._runs:
                for file, numbers in zip(self._files, run, strict=True):
                    file.write(numbers.tobytes())
                self._stored.append(len(run[0]))
        self._runs.clear()

    def merged(self, rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All states, ascending, each once with the sum of its histories: about so many at a time."""
        runs = [run for run in [*self._read(), *self._runs] if len(run[0])]
        each = max(1, rows // (2 * len(runs)))  # of as many states one is looked at
        samples = np.sort(np.concatenate([states[::each] for states, _ in runs]))
        cuts = [*samples[:: len(runs)].tolist(), None]
        for low, high in itertools.pairwise(cuts):
            pieces = []
            for states, digits in runs:
                own = slice(np.searchsorted(states, low), None if high is None else np.searchsorted(states, high))
                pieces.append((states[own], digits[own]))
            found, place = np.unique(np.concatenate([states for states, _ in pieces]), return_inverse=True)
            sums = np.zeros((len(found), WIDTH), dtype=np.uint64)
            np.add.at(sums, place, np.concatenate([digits for _, digits in pieces]))
            if len(found):
                yield found, carried(sums)

    def _read(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The runs in the files."""
        if not self._stored:
            return
        with as_store_error(self._place):
            for file in self._files:
                file.flush()
            states, digits = (np.memmap(file, dtype=np.uint64, mode="r") for file in self._files)
        ends = list(itertools.accumulate(self._stored))
        for begin, end in itertools.pairwise([0, *ends]):
            yield states.view(np.int64)[begin:end], digits.reshape(-1, WIDTH)[begin:end]
