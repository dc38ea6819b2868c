"""What ``stats`` prints of several games: a column for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.commands.display.printing import Answer, Columns, number
from analysis.rules.game import spell
from analysis.wording import signed

if TYPE_CHECKING:
    from analysis.machine.workers import Progress
    from analysis.solution.solution import Solution

PARTS = {"terminal": ("terminal_x", "terminal_o", "terminal_tie"), "games": ("games_x", "games_o", "games_tie")}
"""Counts that are shown with their share of all such counts."""
SHARES = ("random_x", "random_o", "random_tie", "blunder_start")
"""Numbers that are shown as percentages."""
UNSHOWN = ("game", "start", "games_x_share")
"""What people see elsewhere: in the heads of columns, and beside the games that X wins."""


def variant_row(solution: Solution, progress: Progress) -> dict[str, Any]:
    """The numbers of a game that are compared with those of others: those of a sweep, and its first moves."""
    from analysis.sweeps.numbers import balance_of, first_moves, numbers_of

    moves = first_moves(solution) if solution.engine.ruled else None
    return {
        "game": solution.game.spec,
        "start": solution.start,
        "symmetry": solution.symmetry,
        **numbers_of(solution.statistics()),
        "loopy": solution.loopy,
        "first_moves": None if moves is None else len(moves),
        "optimal_first_moves": None if moves is None else sum(move.optimal for move in moves),
        **balance_of(solution, progress),
    }


def variants_answer(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> Answer:
    """The numbers of several games, called by these ``names``: in JSON one after the other, in tables side by side."""
    columns = ["", *_distinct(names)]
    shown = [key for key in rows[0] if key not in UNSHOWN and any(row[key] is not None for row in rows)]
    table = [[_label(key), *(_cell(row, key) for row in rows)] for key in shown]
    csv = [dict(zip(["number", *columns[1:]], [key, *(row[key] for row in rows)], strict=True)) for key in rows[0]]
    for line in csv:
        line.update({name: spell(value) for name, value in line.items() if isinstance(value, bool)})
    later = columns[:2:-1]
    return Answer(list(rows), csv, [Columns(columns, table, words=[""], optional=later)])


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with their numbers where one comes twice."""
    return [f"{name} ({names[:i].count(name) + 1})" if names.count(name) > 1 else name for i, name in enumerate(names)]


def _label(key: str) -> str:
    """What a number is called.

    >>> _label("canonical"), _label("games_x"), _label("random_tie")
    ('classes', 'games X', 'random tie')
    """
    if key == "canonical":
        return "classes"
    return " ".join(word.upper() if len(word) == 1 else word for word in key.split("_"))


def _cell(row: dict[str, Any], key: str) -> str:
    """A number as people read it: a dash where it is not known."""
    value = row[key]
    if key == "remoteness_plies" and value is None:
        return "draw"
    if value is None or isinstance(value, (str, bool)):
        return "-" if value is None else spell(value)
    if key in SHARES:
        return f"{value:.1%}"
    if key == "value":
        return signed(value)
    total = sum(row[name] for name in next((parts for parts in PARTS.values() if key in parts), ()))
    return f"{number(value)} ({value / total:.1%})" if total else number(value)
