"""The output of ``stats`` for several games: the same numbers, a column for each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...common.wording import signed
from ...rules.game import spell
from .parts import Answer, Columns, number

if TYPE_CHECKING:
    from ...solution.solution import Solution

Row = dict[str, Any]
"""The numbers of a game by name."""

ABREAST = 3
"""The most games that are shown side by side."""
CHIEF = ("value", "remoteness_plies", "positions", "classes", "moves", "games", "optimal_paths")
"""Columns of more games; the others are details."""
LATER = ("optimal_paths", "moves", "classes", "games", "remoteness_plies")
"""Columns that a narrow terminal can do without, in this order."""
WORDS = ("symmetry", "loopy")
PARTS = (("terminal_x", "terminal_o", "terminal_tie"), ("games_x", "games_o", "games_tie"))
"""Counts shown with their shares of all such counts."""
SHARES = ("random_x", "random_o", "random_tie", "blunder_start")
"""Numbers shown as percentages."""
UNSHOWN = ("game", "start", "games_x_share")
"""Numbers shown to people elsewhere: in the headings, and next to the games that X wins."""


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
    """Show the numbers of several games: a few side by side, with numbered ``names`` if one occurs twice, more in a row
    each; as CSV always in a row each.
    """
    if len(rows) > ABREAST:
        keys = [key for key in CHIEF if any(row[key] is not None for row in rows)]
        later = [
            key for key in rows[0] if key not in (*keys, "game", "start") and any(row[key] is not None for row in rows)
        ]
        cells = [[name, *(_cell(row, key) for key in (*keys, *later))] for name, row in zip(names, rows, strict=True)]
        heads = ["game", *map(_label, (*keys, *later))]
        return Answer(
            rows,
            rows,
            [
                Columns(
                    heads,
                    cells,
                    words=["game", *map(_label, WORDS)],
                    optional=list(map(_label, LATER)),
                    details=list(map(_label, later)),
                )
            ],
        )
    titles = [f"{name} ({names[:i].count(name) + 1})" * (names.count(name) > 1) or name for i, name in enumerate(names)]
    shown = [key for key in rows[0] if key not in UNSHOWN and any(row[key] is not None for row in rows)]
    table = [[_label(key), *(_side_by_side(row, key) for row in rows)] for key in shown]
    return Answer(rows, rows, [Columns(["", *titles], table, words=[""], optional=titles[:1:-1])])


def _label(key: str) -> str:
    """Return the label of a number.

    >>> _label("classes"), _label("games_x"), _label("random_tie")
    ('classes', 'games X', 'random tie')
    """
    return " ".join(word.upper() if len(word) == 1 else word for word in key.split("_"))


def _side_by_side(row: Row, key: str) -> str:
    """Format a number for people, with its share of all such numbers."""
    value = row[key]
    if value is None or isinstance(value, (str, bool)):
        return _cell(row, key)
    if key in SHARES or key == "value":
        return signed(value) if key == "value" else f"{value:.1%}"
    total = sum(row[name] for name in next((parts for parts in PARTS if key in parts), ()))
    return number(value) + (f" ({value / total:.1%})" if total else "")


def _cell(row: Row, name: str) -> str:
    """Format a cell for people: a dash if unknown."""
    value = row.get(name)
    if name == "remoteness_plies" and value is None and row.get("loopy"):
        return "draw"
    if value is None or isinstance(value, (str, bool)):
        return "-" if value is None else spell(value)
    return f"{value:,.3f}" if isinstance(value, float) else number(value)
