"""The output of ``stats`` for several games, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...rules.game import spell
from .parts import Answer, Columns, number

if TYPE_CHECKING:
    from ...solution.solution import Solution

Row = dict[str, Any]
"""The numbers of a game by name."""

CHIEF = ("value", "remoteness_plies", "positions", "classes", "moves", "games", "optimal_paths", "random_x", "random_o")
"""Columns of more games; the others are details."""
LATER = ("optimal_paths", "moves", "classes", "games", "random_o", "random_x", "remoteness_plies")
"""Columns that a narrow terminal can do without, in this order."""
WORDS = ("symmetry", "loopy")


def variant_row(solution: Solution) -> Row:
    """Gather the numbers of a game to compare with others, and its first moves."""
    from ...playing.balance import balance_of, first_moves, numbers_of

    moves = first_moves(solution) if solution.engine.ruled else None
    return {
        "game": solution.game.spec,
        "symmetry": solution.symmetry,
        **numbers_of(solution.statistics()),
        "loopy": solution.loopy,
        "first_moves": None if moves is None else len(moves),
        "optimal_first_moves": None if moves is None else sum(move.optimal for move in moves),
        **balance_of(solution),
    }


def variants_answer(names: Sequence[str], rows: Sequence[Row]) -> Answer:
    """Show the numbers of several games, a row each; numbers other than the chief ones are details."""
    numbers = [key for key in rows[0] if any(row[key] is not None for row in rows) and key not in ("game", "start")]
    keys = [key for key in CHIEF if key in numbers]
    later = [key for key in numbers if key not in keys]
    cells = [[name, *(_cell(row, key) for key in (*keys, *later))] for name, row in zip(names, rows, strict=True)]
    heads, details = ["game", *map(_label, (*keys, *later))], list(map(_label, later))
    table = Columns(heads, cells, words=["game", *WORDS], optional=list(map(_label, LATER)), details=details)
    return Answer(rows, rows, [table])


def _label(key: str) -> str:
    """Return the label of a number.

    >>> _label("classes"), _label("games_x"), _label("random_tie")
    ('classes', 'games X', 'random tie')
    """
    return " ".join(word.upper() if len(word) == 1 else word for word in key.split("_"))


def _cell(row: Row, name: str) -> str:
    """Format a cell for people: a dash if unknown."""
    value = row.get(name)
    if name == "remoteness_plies" and value is None and row.get("loopy"):
        return "draw"
    if value is None or isinstance(value, (str, bool)):
        return "-" if value is None else spell(value)
    return f"{value:,.3f}" if isinstance(value, float) else number(value)
