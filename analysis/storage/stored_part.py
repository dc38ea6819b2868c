"""One file of a tier's table, opened when it is first read and perhaps again later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.engine import columns
from analysis.storage.held import FILES, FOOTERS, ROW_GROUPS, Own
from analysis.storage.parquet import PartFile, state_bounds

FOOTER_BYTES = 13
"""In memory for each byte of a footer."""


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
        footer = self._own.get("footer")
        found: PartFile = FILES.get(self._own, "file", lambda: (PartFile(self._path, self._recorded, footer), 1))
        return found

    @property
    def recorded_first(self) -> int | None:
        """The first state of its rows, as far as it is recorded."""
        return self._recorded.get("first_state")

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
        known = self.recorded_first
        if known is not None and known > last:
            return range(0)
        firsts, lasts = self.bounds
        return range(int(np.searchsorted(lasts, first)), int(np.searchsorted(firsts, last, side="right")))

    def groups_among(self, states: np.ndarray) -> Sequence[int]:
        """The row groups that may hold some of these sorted states."""
        first = self.recorded_first
        if first is not None and np.searchsorted(states, first) == np.searchsorted(states, self.last_state, "right"):
            return ()
        firsts, lasts = self.bounds
        wanted = np.searchsorted(states, lasts, side="right") > np.searchsorted(states, firsts)
        return np.flatnonzero(wanted).tolist()  # type: ignore[no-any-return]

    def group_of(self, row: int) -> tuple[int, int]:
        """The row group that has a row of the file, and which of its rows that is."""
        metadata = self.file.metadata
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            if row < rows:
                return group, row
            row -= rows
        raise IndexError(f"{self._path} has fewer rows")

    def arrays(self, number: int, names: Sequence[str]) -> list[np.ndarray]:
        """Some columns of a row group as `columns.plain` makes them. They stay in memory for a while, and longer
        what the footer says, so that to open the file again for another single row group takes little.
        """

        def read(keys: list[tuple[int, str]]) -> list[tuple[np.ndarray, int]]:
            """Those that are not there, read together."""
            chosen, file = [name for _, name in keys], self.file
            table, footer = file.read_group(number, chosen), file.metadata
            FOOTERS.get(self._own, "footer", lambda: (footer, FOOTER_BYTES * footer.serialized_size))
            return [(found := columns.plain(table[name]), found.nbytes) for name in chosen]

        return ROW_GROUPS.take(self._own, [(number, name) for name in names], read)

    def group(self, number: int, names: Sequence[str]) -> pa.Table:
        """Some columns of a row group, which stay in memory for a while."""
        found: pa.Table = ROW_GROUPS.get(self._own, (number, *names), lambda: self._read(number, names))
        return found

    def _read(self, number: int, names: Sequence[str]) -> tuple[pa.Table, int]:
        table = self.file.read_group(number, names)
        return table, table.get_total_buffer_size()
