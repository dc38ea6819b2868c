"""The output of ``find``, ``traps`` and, for many positions, ``show``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from analysis.cli.display.parts import Answer, Columns, Paragraph, Part, number
from analysis.cli.display.printing import board, headed, player_name, shown, texts, titled
from analysis.cli.display.solution_tables import outcome_words
from analysis.machine.markup import csv_line
from analysis.rules.counting import first_number, recounted
from analysis.wording import signed

if TYPE_CHECKING:
    from analysis.playing.traps import OnlyMoves, Trap, Traps
    from analysis.rules.game import Game
    from analysis.search.finding import FoundPosition
    from analysis.solution.searching import FoundClass, FoundClasses
    from analysis.solution.solution import Solution

TRAPS = (
    "move", "name", "position", "value", "remoteness_plies", "replies", "keeping", "chance", "chance_exact", "loss",
    "loss_exact", "most",
)  # fmt: skip
"""Columns of the CSV."""

SHOWN = 4
"""The most best moves in a row of the table."""


def found_answer(solution: Solution, found: FoundClasses, query: str, order: str | None) -> Answer:
    """Return the classes that match a query; columns are named like the fields of queries."""
    from analysis.solution.searching import SAID

    tier = "ply" if solution.by_ply else "tier"
    rows = [recounted(each.to_json(tier), "best_moves") for each in found]
    asked = {"game": solution.game.spec, "from": solution.start, "query": query, "order": order}
    data = {**asked, "classes_seen": found.classes_seen, "matched": found.matched, "positions": rows}
    names = ("position", "to_move", "value", "remoteness", "moves", "keeping", "trap", "orbit_size", tier, "best")
    table = Columns(
        names, [_found(solution.game, each) for each in found],
        words={"to_move", "best"}, optional=("orbit_size", tier, "keeping", "moves", "remoteness", "trap"),
    )  # fmt: skip
    lines = [
        row | {name: " ".join(map(str, row[name])) for name in ("best_moves", "best_names") if row[name] is not None}
        for row in rows
    ]
    return Answer(data, lines, [table], tuple(tier if name == "tier" else name for name in SAID))


def _found(game: Game, each: FoundClass) -> list[Any]:
    mover = "-" if each.to_move is None else player_name(game.players, each.to_move)
    names = each.best_names or ("-",)
    more = f" +{len(names) - SHOWN}" if len(names) > SHOWN else ""
    numbers = (each.moves, each.keeping, _share(each.trap), each.orbit_size, each.tier, " ".join(names[:SHOWN]) + more)
    return [each.position, mover, signed(each.value), _plies(each.remoteness_plies), *numbers]


def _share(chance: Fraction | None) -> str:
    return "-" if chance is None else f"{float(chance):.1%}"


def _plies(remoteness: int | None) -> str:
    return "draw" if remoteness is None else number(remoteness)


def traps_answer(traps: Traps, game: Game) -> Answer:
    """Return the moves that keep the value, and the lines of only moves; as CSV the moves."""
    value = f"{signed(traps.value)}: {outcome_words(game.players, traps.value, traps.remoteness_plies)}"
    facts = {
        "to move": player_name(game.players, traps.to_move),
        "value": value,
        "against": traps.against + (f": {traps.note}" if traps.note else ""),
        **{f"only moves, {player_name(game.players, each.side)}": _line(each) for each in traps.only_moves.values()},
    }
    said = "Moves that keep the value, by the chance that the reply gives value away"
    table: list[Part] = titled(said, _traps(traps.moves))
    if any(trap.chance is None for trap in traps.moves):
        table += ["", Paragraph("-: the other side has no reply, since the game is over or the same side moves again.")]
    data = traps.to_json()
    data["moves"] = [recounted(move, "move") for move in data["moves"]]
    return Answer(
        data, data["moves"], [headed(traps.position), "", *board(game.grid(traps.state)), facts, *table], TRAPS
    )


def _line(line: OnlyMoves) -> str:
    """Return the number of only moves that follow, and their line."""
    moves = " ".join(line.names)
    if line.count is None:
        return f"forever: {moves} ..."
    if not line.count:
        return "none" if line.complete else "none found"
    return f"{line.count}{'' if line.complete else ' or more'}: {moves}"


def _traps(traps: tuple[Trap, ...]) -> Columns:
    codes = [str(trap.move + first_number()) for trap in traps]
    coded = codes != [trap.name for trap in traps]
    names = (
        "move", *["code"] * coded, "position after", "value", "remoteness",
        "replies", "keeping", "errs", "loses", "most",
    )  # fmt: skip
    rows = []
    for trap, code in zip(traps, codes, strict=True):
        loss = "-" if trap.loss is None else f"{float(trap.loss):.3f}"
        after = (trap.position, signed(trap.value), _plies(trap.remoteness_plies))
        reply = (trap.replies, trap.keeping, _share(trap.chance), loss, trap.most)
        rows.append([trap.name, *[code] * coded, *after, *reply])
    return Columns(names, rows, optional=("code", "most", "remoteness", "position after"))


COLUMNS = (
    "line", "given", "position", "to_move", "value", "remoteness_plies", "best_moves", "best_names", "exact", "source",
    "error",
)  # fmt: skip
SHOWN_MOVES = 12
"""The width of best moves in a table, in characters."""

Block = Sequence[tuple[int, "FoundPosition"]]
"""Results for positions, each with its line or row number."""


class Writer:
    """Writes blocks of positions to standard output in a format."""

    def __init__(self, form: str, game: Game, *, wide: bool) -> None:
        self._form, self._game, self._wide, self._begun = form, game, wide, False

    def write(self, block: Block) -> None:
        """Write one more block; each table has its own head."""
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
        """Write the end, after the last block."""
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
            place = found.position if found.error is None else "invalid"
            plies, mover = number(found.remoteness_plies), sides.get(found.to_move or "", "-")
            rows.append([line, place, mover, value, plies, best, *exact, found.source])
        names = ["line", "position", "to move", "value", "plies", "best", *["exact"] * guesses, "source"]
        words = {"position", "to move", "best", "source"}
        return Columns(names, rows, words=words, details=["source"], optional=["line", "to move", "best"])
