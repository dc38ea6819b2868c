"""What is known of the rows of a tier among which the states after others are looked for."""

from __future__ import annotations

import numpy as np

from analysis.checks.solutions.kernels.deriving import FIELDS, QUOTIENT
from analysis.checks.solutions.kernels.finding import Places, find_rows, places_of
from analysis.checks.solutions.ledgers import Ledger
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.engine.columns import COUNT_COLUMNS

TALLIES = COUNT_COLUMNS[1:]
"""Counts that follow from the children."""


class Known:
    """All rows of a tier, or some, whose numbers are then ``rows``."""

    def __init__(
        self, stored: StoredRows, *, limbs: int, impartial: bool, rows: np.ndarray | None, threads: int
    ) -> None:
        self.number, self.rows = stored.number, rows
        self.labels = label_column(stored)
        self.nimbers = stored.nimber if impartial else None
        self.tallies = tally_column(stored) if limbs else None
        quotient = None if self.tallies is None else self.tallies[:, QUOTIENT]
        self.ledger = Ledger(len(stored), quotient, threads)
        ascending = (stored.states[1:] > stored.states[:-1]).all()
        self._places: Places | None = places_of(stored.states) if ascending else None

    def __len__(self) -> int:
        return len(self.labels)

    def find(self, states: np.ndarray) -> tuple[np.ndarray, bool]:
        """Where each canonical state is, -1 for none; and whether all are there. In a tier whose states do not ascend
        nothing is found: it is refused when its own rows are checked.
        """
        if self._places is None:
            return np.full(len(states), -1), not len(states)
        places = np.empty(len(states), dtype=np.int64)
        return places, find_rows(self._places, states, places) == 0


def label_column(stored: StoredRows) -> np.ndarray:
    """Values and remoteness as labels, int32[n]; see `kernels.deriving`."""
    return stored.value.astype(np.int32) << 16 | stored.remoteness


def tally_column(stored: StoredRows) -> np.ndarray:
    """The counts that follow from children, uint64[n, FIELDS, limbs], with room for quotient paths."""
    columns = [stored.limbs(name) for name in TALLIES]
    tallies = np.zeros((len(stored), FIELDS, columns[0].shape[1]), dtype=np.uint64)
    for field, numbers in enumerate(columns):
        tallies[:, field] = numbers
    return tallies
