"""The output of ``sweep``, and of ``stats`` for several games: the same numbers, a row or a column for each game."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.cli.display.parts import Answer, Columns, Paragraph, Part, number
from analysis.errors import OptionError
from analysis.rules.game import spell
from analysis.sweeps.rows import COLUMNS, SOLVED, TEXT, TRUTH, Row
from analysis.wording import meant, signed, some

if TYPE_CHECKING:
    from analysis.solution.solution import Solution
    from analysis.sweeps.sweep import Sweep, SweepComparison

CHIEF = (
    "game", "value", "nimber", "remoteness_plies", "positions", "canonical", "moves", "games_total", "optimal_paths"
)  # fmt: skip
"""Columns shown to people unless all their cells are unknown; also the symmetry if there are several kinds, and the
status if a game is not solved.
"""
LATER = ("optimal_paths", "moves", "canonical", "games_total", "remoteness_plies")
"""Columns a narrow terminal can do without, in this order."""


def check_columns(chosen: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise `OptionError` for an unknown column."""
    for name in chosen or ():
        if name not in known:
            raise OptionError(f"there is no column {name!r}{meant(name, known, 5)}; choose from {', '.join(known)}")


def sweep_answer(sweep: Sweep, chosen: Sequence[str] | None) -> Answer:
    """Show the rows of a sweep, with all or the chosen columns; below the table, why games are not solved."""
    names, solved = chosen or sweep.columns, [row for row in sweep if row["status"] == SOLVED]
    rows = [{name: row[name] for name in names if name in row} for row in sweep]
    shown, later = list(dict.fromkeys(chosen or ())), list[str]()
    if not chosen:
        unknown = [name for name in CHIEF if solved and all(_cell(row, name) == "-" for row in solved)]
        several = len({row["symmetry"] for row in sweep} - {None}) > 1
        shown = [CHIEF[0], *["symmetry"] * several, *CHIEF[1:], *["status"] * (len(solved) < len(sweep))]
        shown = [name for name in shown if name not in unknown]
        later = [name for name in LATER if name in shown and (name != "canonical" or "positions" in shown)]
        later += [name for name in sweep.columns if name not in (*shown, "why")]
    every = list(dict.fromkeys([*shown, *later]))
    texts = [name for name in sweep.columns if COLUMNS.get(name) in (TEXT, TRUTH)
             or any(isinstance(row.get(name), (str, bool)) for row in sweep)]  # fmt: skip
    cells = [[_cell(row, name) for name in every] for row in sweep]
    details = [name for name in later if name not in shown]
    table: list[Part] = [Columns(every, cells, words=texts, optional=later, details=details)]
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for row in sweep:
        if row["status"] != SOLVED and not chosen:
            reasons[f"{row['status']}: {row['why']}"].append(row["game"])
    others = {why: f" and {some(len(games) - 1, 'other')}" * (len(games) > 1) for why, games in reasons.items()}
    told = [Paragraph(f"{games[0]}{others[why]}: {why}") for why, games in reasons.items()]
    csv = [{name: _csv(row.get(name)) for name in names} for row in sweep]
    return Answer(rows, csv, [*table, *([""] if told else []), *told], names)


def _cell(row: Row, name: str) -> str:
    """Format a cell for people: a dash if unknown."""
    value = row.get(name)
    if name == "remoteness_plies" and value is None and row.get("loopy"):
        return "draw"
    if value is None or isinstance(value, (str, bool)):
        return "-" if value is None else spell(value)
    return f"{value:,.3f}" if isinstance(value, float) else number(value)


def _csv(value: Any) -> Any:
    return spell(value) if isinstance(value, bool) else value


def summary(rows: Iterable[Row]) -> str:
    """Count the games by status.

    >>> summary([{"status": "solved"}, {"status": "too_long"}, {"status": "solved"}])
    '3 games: 2 solved, 1 too long'
    """
    numbers = collections.Counter(row["status"].replace("_", " ") for row in rows)
    return f"{some(numbers.total(), 'game')}: {', '.join(f'{count:,} {status}' for status, count in numbers.items())}"


def comparison_answer(found: SweepComparison) -> Answer:
    """Show each difference, and the number of games compared."""
    names, data = ("game", "symmetry", "column", "then", "now"), found.to_json()
    cells = [[_cell({**each, "status": ""}, name) for name in names] for each in data["differences"]]
    said = f"{some(found.compared, 'game')} compared, {some(len(found.differences), 'difference')}"
    if found.undecided:
        said += f"; {some(found.undecided, 'more game', 'more games')} not solved in both sweeps"
    table: list[Part] = [Columns(names, cells, words={"game", "symmetry", "column"}), ""] if cells else []
    rows = [{name: _csv(value) for name, value in each.items()} for each in data["differences"]]
    return Answer(data, rows, [*table, Paragraph(said)], names)


# Several games side by side -------------------------------------------------------------------------------------------

PARTS = (("terminal_x", "terminal_o", "terminal_tie"), ("games_x", "games_o", "games_tie"))
"""Counts shown with their shares of all such counts."""
SHARES = ("random_x", "random_o", "random_tie", "blunder_start")
"""Numbers shown as percentages."""
UNSHOWN = ("game", "start", "games_x_share")
"""Shown to people elsewhere: in the headings, and next to the games that X wins."""


def variant_row(solution: Solution) -> Row:
    """Gather the numbers of a game to compare with others: those of a sweep, and its first moves."""
    from analysis.sweeps.one_game import balance_of, first_moves, numbers_of

    moves = first_moves(solution) if solution.engine.ruled else None
    return {
        "game": solution.game.spec,
        "start": solution.start,
        "symmetry": solution.symmetry,
        **numbers_of(solution.statistics()),
        "loopy": solution.loopy,
        "first_moves": None if moves is None else len(moves),
        "optimal_first_moves": None if moves is None else sum(move.optimal for move in moves),
        **balance_of(solution),
    }


def variants_answer(names: Sequence[str], rows: Sequence[Row]) -> Answer:
    """Show the numbers of several games, with numbered ``names`` if one occurs twice; in tables side by side."""
    told = [f"{name} ({names[:i].count(name) + 1})" * (names.count(name) > 1) or name for i, name in enumerate(names)]
    shown = [key for key in rows[0] if key not in UNSHOWN and any(row[key] is not None for row in rows)]
    table = [[_label(key), *(_side_by_side(row, key) for row in rows)] for key in shown]
    csv = [dict(zip(["number", *told], [key, *(_csv(row[key]) for row in rows)], strict=True)) for key in rows[0]]
    return Answer(list(rows), csv, [Columns(["", *told], table, words=[""], optional=told[:1:-1])])


def _label(key: str) -> str:
    """Return the label of a number.

    >>> _label("canonical"), _label("games_x"), _label("random_tie")
    ('classes', 'games X', 'random tie')
    """
    if key == "canonical":
        return "classes"
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
