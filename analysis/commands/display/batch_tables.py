"""What ``gametree show`` prints of many positions: block by block, so that few are in memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

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

Block = Sequence[tuple[int, "FoundPosition"]]
"""What was found of positions, each with the line or row that it stood in."""


class Writer:
    """Writes blocks of positions to standard output, in a format."""

    def __init__(self, form: str, game: Game, *, wide: bool) -> None:
        self._form, self._game, self._wide, self._begun = form, game, wide, False

    def write(self, block: Block) -> None:
        """Write one more block; a table has its head for each."""
        rows = [recounted({"line": line} | found.to_json(), "best_moves") for line, found in block]
        if self._form == "csv":
            for row in rows:
                row["best_moves"] = "-".join(map(str, row["best_moves"]))
                row["best_names"] = " ".join(row["best_names"])
                row["exact"] = None if row["exact"] is None else str(row["exact"]).lower()
            lines = [[row[name] for name in COLUMNS] for row in rows]
            sys.stdout.writelines(map(shown, map(csv_line, [*([] if self._begun else [COLUMNS]), *lines])))
        elif self._form == "json":
            for row in rows:
                sys.stdout.write(shown((",\n  " if self._begun else "[\n  ") + json.dumps(row)))
                self._begun = True
        else:
            sys.stdout.writelines(["\n"] if self._begun else [])
            sys.stdout.writelines(texts(self._form, [self._table(block)], self._wide))
        self._begun = True

    def finish(self) -> None:
        """Write the end; there are no more blocks."""
        if self._form == "json":
            sys.stdout.write("\n]\n" if self._begun else "[]\n")

    def _table(self, block: Block) -> Columns:
        guesses = any(found.exact is False for _, found in block)
        sides, rows = dict(zip("XO", self._game.players, strict=True)), []
        for line, found in block:
            best = " ".join(found.best_names)
            if len(best) > SHOWN_MOVES and not self._wide and self._form == "table":
                best = f"{best[: SHOWN_MOVES - 3].rstrip()}..."
            value = "-" if found.value is None else signed(found.value)
            exact = ["" if found.exact is None else "yes" if found.exact else "no"] * guesses
            place = found.position if found.error is None else "no position"
            plies, mover = number(found.remoteness_plies), sides.get(found.to_move or "", "-")
            rows.append([line, place, mover, value, plies, best, *exact, found.source])
        names = ["line", "position", "to move", "value", "plies", "best", *["exact"] * guesses, "source"]
        words = {"position", "to move", "best", "source"}
        return Columns(names, rows, words=words, details=["source"], optional=["line", "to move", "best"])
