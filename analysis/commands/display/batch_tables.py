"""What ``gametree show`` prints of many positions: block by block, so that few are in memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.commands.display.printing import Columns, number, shown, texts
from analysis.machine.markup import csv_line
from analysis.rules.counting import recounted
from analysis.wording import signed

if TYPE_CHECKING:
    from analysis.rules.game import Game
    from analysis.search.finding import FoundPosition

COLUMNS = (
    "line", "given", "position", "to_move", "value", "remoteness_plies", "best_moves", "best_names", "exact", "source",
    "error",
)  # fmt: skip
SHOWN_MOVES = 12
"""Characters of the best moves in a table."""


class Line(NamedTuple):
    """What was found of a position, and the line or row that it stood in."""

    number: int
    found: FoundPosition


class Writer:
    """Writes blocks of lines to standard output, in a format."""

    def __init__(self, form: str, game: Game, *, wide: bool) -> None:
        self._form, self._game, self._wide, self._begun = form, game, wide, False

    def write(self, block: Sequence[Line]) -> None:
        """A table has its head for each block."""
        if self._form == "csv":
            head = [] if self._begun else [csv_line(COLUMNS)]
            sys.stdout.writelines(map(shown, head + [csv_line(self._cells(line)) for line in block]))
        elif self._form == "json":
            found = (json.dumps(self._row(line)) for line in block)
            sys.stdout.writelines(
                shown((",\n  " if self._begun or i else "[\n  ") + text) for i, text in enumerate(found)
            )
        else:
            sys.stdout.writelines(["\n"] if self._begun else [])
            sys.stdout.writelines(texts(self._form, [self._table(block)], self._wide))
        self._begun = True

    def finish(self) -> None:
        """There are no more blocks."""
        if self._form == "json":
            sys.stdout.write("\n]\n" if self._begun else "[]\n")

    @staticmethod
    def _row(line: Line) -> dict[str, Any]:
        return recounted({"line": line.number} | line.found.to_json(), "best_moves")

    def _cells(self, line: Line) -> list[object]:
        row = self._row(line)
        moves = {name: "-".join(map(str, row[name])) if name == "best_moves" else " ".join(row[name])
                 for name in ("best_moves", "best_names")}  # fmt: skip
        exact = None if row["exact"] is None else str(row["exact"]).lower()
        return [(row | moves | {"exact": exact})[name] for name in COLUMNS]

    def _table(self, block: Sequence[Line]) -> Columns:
        guesses = any(line.found.exact is False for line in block)
        sides = dict(zip("XO", self._game.players, strict=True))
        rows = []
        for line in block:
            found = line.found
            best = " ".join(found.best_names)
            whole = len(best) <= SHOWN_MOVES or self._wide or self._form != "table"
            best = best if whole else f"{best[: SHOWN_MOVES - 3].rstrip()}..."
            value = "-" if found.value is None else signed(found.value)
            exact = ["" if found.exact is None else "yes" if found.exact else "no"] * guesses
            mover = sides.get(found.to_move or "", "-")
            place = found.position if found.error is None else "no position"
            rows.append([line.number, place, mover, value, number(found.remoteness_plies), best, *exact, found.source])
        names = ["line", "position", "to move", "value", "plies", "best", *["exact"] * guesses, "source"]
        return Columns(names, rows, words={"position", "to move", "best", "source"}, details=["source"],
                       optional=["line", "to move", "best"])  # fmt: skip
