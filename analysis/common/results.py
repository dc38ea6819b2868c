"""Turn results into an object for JSON, and into a data frame of their rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Printable:
    """A result that commands print: `to_json` for ``--format json``, the rows of `to_pandas` for ``--format csv``."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of its rows, for results that may have no rows."""
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints."""
        fields: Any = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: _plain(getattr(self, field.name)) for field in fields if field.repr}

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return the rows that ``--format csv`` prints."""
        return [self.to_json()]

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame; numbers are exact, and columns may hold nulls."""
        import pandas as pd

        return pd.DataFrame(self.csv_rows(), columns=[*self.columns] or None, dtype=object).convert_dtypes()


def _plain(value: Any) -> Any:
    if isinstance(value, Printable):
        return value.to_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Path):
        return str(value)
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value
