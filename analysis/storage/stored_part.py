"""One file of a tier's table, opened when it is first read and perhaps again later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.storage.held import FILES, ROW_GROUPS, Own
from analysis.storage.parquet import PartFile, state_bounds


class StoredPart:
    """A file of which a part is ``recorded``. What raises `StoreError` in `PartFile` does so here."""

    def __init__(self, path: Path, recorded: dict[str, Any]) -> None:
        self._path, self._recorded, self._own = path, recorded, Own()
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return int(self._recorded["rows"])

    @property
    def file(self) -> PartFile:
        """The file, open."""
        found: PartFile = FILES.get(self._own, "file", lambda: (PartFile(self._path, self._recorded), 1))
        return found

    @property
    def last_state(self) -> int:
        """The last state of its rows, which it must have."""
        recorded = self._recorded.get("last_state")
        return int(self.bounds[1][-1] if recorded is None else recorded)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The first state and the last of each row group; they stay in memory."""
        if self._bounds is None:
            self._bounds = state_bounds(self.file.metadata)
        return self._bounds

    def groups(self, first: int, last: int) -> range:
        """The row groups that may hold states from ``first`` to ``last``; the file is not opened where none can."""
        known = self._recorded.get("first_state")
        if known is not None and known > last:
            return range(0)
        firsts, lasts = self.bounds
        return range(int(np.searchsorted(lasts, first)), int(np.searchsorted(firsts, last, side="right")))

    def groups_among(self, states: np.ndarray) -> Sequence[int]:
        """The row groups that may hold some of these sorted states."""
        first = self._recorded.get("first_state")
        if first is not None and np.searchsorted(states, first) == np.searchsorted(states, self.last_state, "right"):
            return ()
        firsts, lasts = self.bounds
        wanted = np.searchsorted(states, lasts, side="right") > np.searchsorted(states, firsts)
        return np.flatnonzero(wanted).tolist()  # type: ignore[no-any-return]

    def group(self, number: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of a row group, which stay in memory for a while."""
        found: pa.Table = ROW_GROUPS.get(self._own, (number, *columns), lambda: self._read(number, columns))
        return found

    def _read(self, number: int, columns: Sequence[str]) -> tuple[pa.Table, int]:
        table = self.file.read_group(number, columns)
        return table, table.get_total_buffer_size()
