"""What is found out about the states of a tier from other tiers: in memory or, where that is too little, in files."""

from __future__ import annotations

import tempfile
import weakref
from pathlib import Path

import numpy as np

from analysis.checks.solutions.digits import WIDTH, carried, from_limbs, to_limbs
from analysis.machine.files import as_store_error, require_disk

UNREACHED, REACHED, NEXT = 0, 1, 2
"""Marks of states; ``NEXT`` are reached, and their moves have not been followed yet."""


class Ledger:
    """For each row of a tier a mark and, with counts, its histories so far and its quotient paths."""

    def __init__(self, rows: int, counted: bool) -> None:
        self._marks = np.zeros(rows, dtype=np.uint8)
        self._histories, self._quotient = np.zeros((2, rows, WIDTH if counted else 0), dtype=np.uint64)

    def marks(self, begin: int, rows: int) -> np.ndarray:
        """The marks of so many rows, uint8[n], to be looked at."""
        return self._marks[begin : begin + rows]

    def mark(self, begin: int, rows: int, which: np.ndarray, mark: int) -> None:
        """Mark some of so many rows."""
        self._marks[begin : begin + rows][which] = mark

    def histories(self, begin: int, rows: int) -> np.ndarray:
        """Those of so many rows, as digits."""
        return carried(self._histories[begin : begin + rows])

    def add_histories(self, begin: int, rows: int, which: np.ndarray, digits: np.ndarray) -> None:
        """Add numbers to those of some of so many rows; a row may be there several times."""
        np.add.at(self._histories[begin : begin + rows], which, digits)

    def quotient(self, begin: int, rows: int) -> np.ndarray:
        """The quotient paths of so many rows, as digits."""
        return self._quotient[begin : begin + rows]

    def set_quotient(self, begin: int, digits: np.ndarray) -> None:
        """Keep quotient paths."""
        self._quotient[begin : begin + len(digits)] = digits


class LedgerFile(Ledger):
    """The same in a temporary file, whose place is the system's (``TMPDIR``): marks, then histories, then quotient
    paths.
    """

    def __init__(self, rows: int, limbs: int) -> None:
        self._limbs = limbs
        self._histories_at, self._quotient_at, end = np.cumsum([rows, 8 * limbs * rows, 8 * limbs * rows]).tolist()
        self._place = Path(tempfile.gettempdir())
        require_disk(self._place, end, "temporary files for a tier")
        with as_store_error(self._place):
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed when the ledger goes
            weakref.finalize(self, self._file.close)
            self._file.truncate(end)  # zeros, which take no room before they are written

    def marks(self, begin: int, rows: int) -> np.ndarray:
        """See `Ledger`."""
        return self._read(begin, rows)

    def mark(self, begin: int, rows: int, which: np.ndarray, mark: int) -> None:
        """See `Ledger`."""
        marks = self.marks(begin, rows)
        marks[which] = mark
        self._write(begin, marks)

    def histories(self, begin: int, rows: int) -> np.ndarray:
        """See `Ledger`."""
        return self._digits(self._histories_at, begin, rows)

    def add_histories(self, begin: int, rows: int, which: np.ndarray, digits: np.ndarray) -> None:
        """See `Ledger`."""
        sums = self.histories(begin, rows)
        np.add.at(sums, which, digits)
        self._write_digits(self._histories_at, begin, carried(sums))

    def quotient(self, begin: int, rows: int) -> np.ndarray:
        """See `Ledger`."""
        return self._digits(self._quotient_at, begin, rows)

    def set_quotient(self, begin: int, digits: np.ndarray) -> None:
        """See `Ledger`."""
        self._write_digits(self._quotient_at, begin, digits)

    def _digits(self, at: int, begin: int, rows: int) -> np.ndarray:
        size = 8 * self._limbs
        return from_limbs(self._read(at + begin * size, rows * size).view(np.uint64).reshape(rows, self._limbs))

    def _write_digits(self, at: int, begin: int, digits: np.ndarray) -> None:
        self._write(at + begin * 8 * self._limbs, to_limbs(digits, self._limbs))

    def _read(self, begin: int, size: int) -> np.ndarray:
        found = np.empty(size, dtype=np.uint8)
        view = found.data
        with as_store_error(self._place):
            self._file.seek(begin)
            while len(view):
                view = view[self._file.readinto(view) :]
        return found

    def _write(self, begin: int, numbers: np.ndarray) -> None:
        view = np.ascontiguousarray(numbers).data.cast("B")
        with as_store_error(self._place):
            self._file.seek(begin)
            while len(view):
                view = view[self._file.write(view) :]
