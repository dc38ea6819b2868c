"""Two sweeps of the same games: where they differ in what the rules determine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.sweeps.rows import DETERMINED, REFUSED, SOLVED, Row

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number that is not what it was."""

    game: str
    symmetry: str | None
    column: str
    then: Any
    now: Any


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a comparison found."""

    compared: int
    """Games that both sweeps decided: they were solved, or cannot be whatever the limits."""
    undecided: int
    """Games of both that one of them left open, for want of time or memory."""
    differences: tuple[Difference, ...]

    def to_pandas(self) -> pd.DataFrame:
        """The differences as a data frame."""
        import pandas as pd

        columns = [field.name for field in dataclasses.fields(Difference)]
        return pd.DataFrame(map(dataclasses.astuple, self.differences), columns=columns, dtype=object)

    def to_json(self) -> dict[str, Any]:
        """As ``gametree sweep --check FILE --format json`` prints it."""
        return dataclasses.asdict(self)


def compare_sweeps(then: Iterable[Row], now: Iterable[Row]) -> Comparison:
    """Compare the rows of the games, with the same symmetries, that are in two sweeps, an earlier one and this.

    What the rules determine is compared: that the game can be solved, its value, remoteness and totals, and the
    checksum; not the time and the memory that it took, the limits, the version, and the hash of the rules, which is
    another one for every word that changes in their files. Columns that one of them lacks are left out. Raises
    `OptionError` where they have no game in common.

    >>> from analysis.sweeps import sweep
    >>> found = sweep("hex:1")
    >>> compare_sweeps([found.rows[0] | {"moves": 2}], found).differences
    (Difference(game='hex:n=1', symmetry='geometric', column='moves', then=2, now=1),)
    """
    earlier = {(row["game"], row["symmetry"]): row for row in then}
    pairs = [(earlier[key], row) for row in now if (key := (row["game"], row["symmetry"])) in earlier]
    if not pairs:
        raise OptionError("the sweeps have no game in common, with the same symmetries: there is nothing to compare")
    decided = [pair for pair in pairs if all(row["status"] in (SOLVED, REFUSED) for row in pair)]
    differences = tuple(each for pair in decided for each in _differences(*pair))
    return Comparison(len(decided), len(pairs) - len(decided), differences)


def _differences(then: Row, now: Row) -> Iterator[Difference]:
    columns = ("status",) if then["status"] != now["status"] else DETERMINED
    for column in columns:
        if column in then and column in now and then[column] != now[column]:
            yield Difference(now["game"], now["symmetry"], column, then[column], now[column])
