"""What is found out about the states of a tier from other tiers: in memory or, where that is too little, in files."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from analysis.checks.solutions.kernels.deriving import add_numbers, mark_rows
from analysis.machine.files import as_store_error, require_disk

UNREACHED, REACHED, NEXT = 0, 1, 2
"""Marks of states; ``NEXT`` are reached, and their moves have not been followed yet."""

WIDE = 2
"""Limbs of a number of histories that is not known to be right yet."""

STRIPES = 8
"""Ranges of rows that threads add to at once, at most."""

SPAN = 1 << 16
"""Rows of a file that are changed together."""


class Ledger:
    """For each row of a tier a mark and, with counts, its histories so far and its quotient paths."""

    overflown = False
    """Whether a number of histories exceeded 128 bits."""

    def __init__(self, rows: int, quotient: np.ndarray | None = None, threads: int = 1) -> None:
        """``quotient`` is where the quotient paths are, uint64[rows, limbs], None where nothing is counted."""
        self._marks = np.zeros(rows, dtype=np.uint8)
        self._quotient = quotient
        self._sums = np.zeros((WIDE, 0 if quotient is None else rows), dtype=np.uint64)  # low limbs, high limbs
        self._locks = [threading.Lock() for _ in range(min(threads, STRIPES))]

    def marks(self, begin: int, rows: int) -> np.ndarray:
        """The marks of so many rows, uint8[n], to be looked at."""
        return self._marks[begin : begin + rows]

    def mark(self, rows: np.ndarray, mark: int) -> None:
        """Mark some rows, which ascend where there are several threads."""
        mark_rows(self._marks, rows, mark)

    def mark_new(self, rows: np.ndarray) -> None:
        """Mark those of some rows, which ascend, as `NEXT` that are not reached yet."""
        self.mark(rows[self._marks[rows] == UNREACHED], NEXT)

    def histories(self, begin: int, rows: int) -> np.ndarray:
        """Those of so many rows, uint64[n, 2]."""
        return self._sums[:, begin : begin + rows].T

    def add_histories(self, rows: np.ndarray, sources: np.ndarray, numbers: np.ndarray) -> None:
        """Add to each of the rows, of which some may be there several times, the number [n, limbs] of its source."""
        bounds = np.linspace(0, len(self._marks), len(self._locks) + 1).astype(np.int64).tolist()
        turn = threading.get_ident() // 64
        for i in range(len(self._locks)):
            stripe = (turn + i) % len(self._locks)
            with self._locks[stripe]:
                if add_numbers(*self._sums, bounds[stripe], bounds[stripe + 1], rows, sources, numbers):
                    self.overflown = True

    def quotient(self, rows: np.ndarray) -> np.ndarray:
        """The quotient paths of some rows, uint64[n, limbs]."""
        assert self._quotient is not None
        return self._quotient[rows]


def _close(file: Any, path: Path | None) -> None:
    """Close a file, and remove it where it has a name of its own."""
    file.close()
    if path is not None:
        path.unlink(missing_ok=True)


class LedgerFile(Ledger):
    """The same in a file: marks, then histories, then quotient paths. It is a temporary one whose place is the system's
    (``TMPDIR``), or has a ``path``, by which others can read it; both go with the ledger.
    """

    def __init__(self, rows: int, limbs: int, path: Path | None = None, *, read: bool = False) -> None:
        """With ``read`` one that is there already."""
        super().__init__(0)
        self._rows, self._limbs = rows, limbs
        self._histories_at = rows
        self._quotient_at = rows + (8 * WIDE * rows if limbs else 0)
        end = self._quotient_at + 8 * limbs * rows
        self._place = path or Path(tempfile.gettempdir())
        if not read:
            require_disk(self._place, end, "temporary files for a tier")
        with as_store_error(self._place):
            file: Any = path.open("rb" if read else "w+b", 0) if path else tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed when the ledger goes
            weakref.finalize(self, _close, file, None if read else path)
            if not read:
                file.truncate(end)  # zeros, which take no room before they are written
        self._file = file
        self._turn = threading.Lock()

    def flush(self) -> None:
        """See that others can read what was written."""
        with as_store_error(self._place):
            os.fsync(self._file.fileno())

    def marks(self, begin: int, rows: int) -> np.ndarray:
        """See `Ledger`."""
        return self._read(begin, rows)

    def mark(self, rows: np.ndarray, mark: int) -> None:
        """See `Ledger`; the rows ascend."""
        for begin, own in self._spans(rows):
            marks = self.marks(begin, min(SPAN, self._rows - begin))
            marks[rows[own] - begin] = mark
            self._write(begin, marks)

    def mark_new(self, rows: np.ndarray) -> None:
        """See `Ledger`."""
        for begin, own in self._spans(rows):
            marks = self.marks(begin, min(SPAN, self._rows - begin))
            self.mark(rows[own][marks[rows[own] - begin] == UNREACHED], NEXT)

    def histories(self, begin: int, rows: int) -> np.ndarray:
        """See `Ledger`."""
        return self._numbers(self._histories_at, WIDE, begin, rows)

    def add_histories(self, rows: np.ndarray, sources: np.ndarray, numbers: np.ndarray) -> None:
        """See `Ledger`; the rows ascend."""
        for begin, own in self._spans(rows):
            size = min(SPAN, self._rows - begin)
            lows, highs = np.ascontiguousarray(self.histories(begin, size).T)
            if add_numbers(lows, highs, 0, size, rows[own] - begin, sources[own], numbers):
                self.overflown = True
            self._write(self._histories_at + 8 * WIDE * begin, np.stack((lows, highs), axis=1))

    def quotient(self, rows: np.ndarray) -> np.ndarray:
        """See `Ledger`; the rows ascend."""
        found = np.empty((len(rows), self._limbs), dtype=np.uint64)
        for begin, own in self._spans(rows):
            size = min(SPAN, self._rows - begin)
            found[own] = self._numbers(self._quotient_at, self._limbs, begin, size)[rows[own] - begin]
        return found

    def set_quotient(self, begin: int, numbers: np.ndarray) -> None:
        """Keep the quotient paths of rows from ``begin`` on."""
        self._write(self._quotient_at + 8 * self._limbs * begin, numbers)

    def absorb(self, rows: np.ndarray, found: Ledger) -> None:
        """Take over what was found out about these rows, which ascend."""
        self.overflown |= found.overflown
        self.take_over(rows, found.marks(0, len(rows)), found.histories(0, len(rows)))

    def take_over(self, rows: np.ndarray, marks: np.ndarray, histories: np.ndarray) -> None:
        """Take over the marks and the histories [n, 2] of these rows, which ascend."""
        self.mark(rows[marks == REACHED], REACHED)
        if self._limbs:
            self.add_histories(rows, np.arange(len(rows)), np.ascontiguousarray(histories))

    def _spans(self, rows: np.ndarray) -> Iterator[tuple[int, slice]]:
        """Where the spans with any of the rows begin, and the places of these."""
        cuts = np.searchsorted(rows, np.arange(0, self._rows + SPAN, SPAN))
        for number in np.flatnonzero(np.diff(cuts)).tolist():
            yield number * SPAN, slice(int(cuts[number]), int(cuts[number + 1]))

    def _numbers(self, at: int, limbs: int, begin: int, rows: int) -> np.ndarray:
        return self._read(at + 8 * limbs * begin, 8 * limbs * rows).view(np.uint64).reshape(rows, limbs)

    def _read(self, begin: int, size: int) -> np.ndarray:
        found = np.empty(size, dtype=np.uint8)
        view = found.data
        with self._turn, as_store_error(self._place):
            self._file.seek(begin)
            while len(view):
                view = view[self._file.readinto(view) :]
        return found

    def _write(self, begin: int, numbers: np.ndarray) -> None:
        view = np.ascontiguousarray(numbers).data.cast("B")
        with self._turn, as_store_error(self._place):
            self._file.seek(begin)
            while len(view):
                view = view[self._file.write(view) :]
