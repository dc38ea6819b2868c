"""What ``sweep`` and ``cite`` print."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.commands.display.printing import Answer, Columns, Paragraph, Part, number
from analysis.errors import OptionError
from analysis.rules.game import spell
from analysis.sweeps.rows import COLUMNS, SOLVED, TEXT, TRUTH, Row
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.sweeps.compare import Comparison
    from analysis.sweeps.sweep import Sweep

CHIEF = ("game", "value", "remoteness_plies", "positions", "canonical", "moves", "games_total", "optimal_paths")
"""Columns that are shown to people, with the symmetry where there are several kinds, and the status where not every
game is solved.
"""
LATER = ("optimal_paths", "moves", "canonical", "games_total", "remoteness_plies")
"""What a narrow terminal can do without, in this order."""
LEFT_OUT = ("positions", "moves")
"""What residual classes do not tell; a column is left out where nothing is known in it."""


def check_columns(chosen: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise `OptionError` where one of the columns is not there."""
    for name in chosen or ():
        if name not in known:
            raise OptionError(f"there is no column {name!r}; there are {', '.join(known)}")


def sweep_answer(sweep: Sweep, chosen: Sequence[str] | None) -> Answer:
    """The rows of a sweep, all columns or those that are chosen; in the table the chief ones."""
    names = chosen or sweep.columns
    rows = [{name: row[name] for name in names if name in row} for row in sweep]
    shown = chosen or _chief(sweep)
    later = () if chosen else (*_later(shown), *(name for name in sweep.columns if name not in (*shown, "why")))
    table = Columns(
        list(dict.fromkeys([*shown, *later])),
        [[_cell(row, name) for name in dict.fromkeys([*shown, *later])] for row in sweep],
        words=[name for name in sweep.columns if _is_text(sweep, name)],
        optional=later,
        details=[name for name in later if name not in shown],
    )
    csv = [{name: _csv(row.get(name)) for name in names} for row in sweep]
    return Answer(rows, csv, [table, *(_reasons(sweep) if chosen is None else [])], names)


def _chief(sweep: Sweep) -> list[str]:
    several = len({row["symmetry"] for row in sweep} - {None}) > 1
    solved = [row for row in sweep if row["status"] == SOLVED]
    unknown = [name for name in LEFT_OUT if solved and all(row[name] is None for row in solved)]
    names = [CHIEF[0], *["symmetry"] * several, *CHIEF[1:], *["status"] * (len(solved) < len(sweep))]
    return [name for name in names if name not in unknown]


def _later(shown: Sequence[str]) -> list[str]:
    """Classes stay where there are no positions."""
    return [name for name in LATER if name in shown and (name != "canonical" or "positions" in shown)]


def _is_text(sweep: Sweep, name: str) -> bool:
    return COLUMNS.get(name) in (TEXT, TRUTH) or any(isinstance(row.get(name), (str, bool)) for row in sweep)


def _cell(row: Row, name: str) -> str:
    """A cell as people read it: a dash where nothing is known."""
    value = row.get(name)
    if name == "remoteness_plies" and value is None and row["status"] == SOLVED:
        return "draw"
    if value is None or isinstance(value, (str, bool)):
        return "-" if value is None else spell(value)
    return f"{value:,.3f}" if isinstance(value, float) else number(value)


def _csv(value: Any) -> Any:
    return spell(value) if isinstance(value, bool) else value


def _reasons(sweep: Sweep) -> list[Part]:
    """Why games are not solved, each reason once."""
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for row in sweep:
        if row["status"] != SOLVED:
            reasons[f"{row['status']}: {row['why']}"].append(row["game"])
    told = [f"{games[0]}{_others(games)}: {why}" for why, games in reasons.items()]
    return ["", *map(Paragraph, told)] if told else []


def _others(games: Sequence[str]) -> str:
    return f" and {some(len(games) - 1, 'other')}" if len(games) > 1 else ""


def summary(rows: Iterable[Row]) -> str:
    """How many games there are, and what became of them.

    >>> summary([{"status": "solved"}, {"status": "too_long"}, {"status": "solved"}])
    '3 games: 2 solved, 1 too long'
    """
    numbers = collections.Counter(row["status"].replace("_", " ") for row in rows)
    return f"{some(numbers.total(), 'game')}: {', '.join(f'{count:,} {status}' for status, count in numbers.items())}"


# Comparisons ----------------------------------------------------------------------------------------------------------


def comparison_answer(found: Comparison) -> Answer:
    """Each difference, and how many games were compared."""
    names = ("game", "symmetry", "column", "then", "now")
    data = found.to_json()
    cells = [[_cell({**each, "status": ""}, name) for name in names] for each in data["differences"]]
    said = f"{some(found.compared, 'game')} compared, {some(len(found.differences), 'difference')}"
    if found.undecided:
        said += f"; {some(found.undecided, 'game')} more that one of the two has not solved"
    table: list[Part] = [Columns(names, cells, words={"game", "symmetry", "column"}), ""] if cells else []
    rows = [{name: _csv(value) for name, value in each.items()} for each in data["differences"]]
    return Answer(data, rows, [*table, Paragraph(said)], names)
