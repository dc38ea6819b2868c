"""Decide from the names of its columns how a table is laid out, and read its games or choices."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..common.wording import described, did_you_mean, in_words
from ..errors import OptionError, PositionError
from ..rules.notation import Notation
from ..rules.positions import split_moves
from .records import RowError, RowTable

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("path", "moves", "backtracker"),
    "position": ("position", "state", "board"),
    "move": ("move", "code", "action", "cell"),
    "row": ("row",),
    "col": ("col", "column"),
    "probability": ("probability", "prob"),
    "game": ("game", "gameid", "id"),
    "number": ("number", "movenumber", "ply", "turn"),
    "player": ("player", "playername"),
    "x": ("x", "playerx", "player1", "white"),
    "o": ("o", "playero", "player2", "black"),
    "outcome": ("outcome", "result", "winner"),
}
"""Role -> names of its columns as `plain` has them, the preferred one first."""

ROLES = {
    "path": ("path", "x", "o", "outcome"),
    "choices": ("position", "move", "row", "col", "player", "probability"),
    "columns": ("x", "o", "outcome"),
    "rows": ("game", "move", "row", "col", "number", "player", "x", "o", "outcome"),
}
"""The roles of each form of table."""

Move = int | str | tuple[int, int]
"""A code, a move as the game writes it, or the row and the column of a cell."""


def plain(name: str) -> str:
    """Return the name of a column in lower case, with nothing but letters and digits.

    >>> plain("Game ID"), plain("move_number")
    ('gameid', 'movenumber')
    """
    return re.sub(r"[\W_]+", "", name.lower())


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table is read."""

    form: str
    """``path`` (a game a row), ``columns`` (a move each), ``rows`` (a move each) or ``choices``."""
    roles: Mapping[str, str]
    """The column that each role is read from."""
    moves: tuple[str, ...] = ()
    """The columns that hold a move each."""

    @property
    def read(self) -> set[str]:
        """The columns that are read."""
        return {*self.roles.values(), *self.moves}

    def describe(self) -> str:
        """Describe in one line which column holds what."""
        forms = {"path": "a game a row", "columns": "a move a column", "rows": "a move a row"}
        moves = [f"moves by '{self.moves[0]}' to '{self.moves[-1]}'"] if self.moves else []
        named = (f"{role} by '{column}'" for role, column in self.roles.items())
        return ", ".join([forms.get(self.form, "a choice a row"), *moves, *named])


def find_layout(table: RowTable, columns: Mapping[str, str] | None = None) -> Layout:
    """Return the layout of a ``table``, by the roles that ``columns`` gives to some of its columns and by the names of
    the others.

    A table with a path holds a game a row; else one with a position and a move, a choice a row; else one with columns
    move1, move2 and so on, a move a column; else one with a move, or a row and a column of the board, a move a row.
    Raises `OptionError` for an unknown role or column, `RowError` for a table with none of these, and one without rows.

    >>> from analysis.playing.records import read_table
    >>> find_layout(read_table([{"Game ID": 1, "turn": 1, "Row": 0, "Column": 2}])).describe()
    "a move a row, game by 'game id', row by 'row', col by 'column', number by 'turn'"
    """
    names = table.frame.columns.tolist()
    given = {role.strip().lower(): name.strip().lower() for role, name in (columns or {}).items()}
    for role, name in given.items():
        if role not in NAMES:
            raise OptionError(f"--columns {role}={name}: unknown role {role!r}; roles are {in_words([*NAMES])}")
        if name not in names:
            has = f"{table.name} has {', '.join(names)}"
            raise OptionError(f"--columns {role}={name}: no such column{did_you_mean(name, names)}; {has}")
    free = {plain(name): name for name in reversed(names) if name not in given.values()}
    roles = {role: free[name] for role in NAMES for name in reversed(NAMES[role]) if name in free} | given
    numbered = sorted((int(name[4:]), free[name]) for name in free if re.fullmatch(r"move[0-9]{1,4}", name))
    has_move = "move" in roles or {"row", "col"} <= roles.keys()
    forms = {
        "path": "path" in roles,
        "choices": "position" in roles and has_move,
        "columns": numbered,
        "rows": has_move,
    }
    form = next((form for form, fits in forms.items() if fits), None)
    if table.frame.empty or form is None:
        needed = "games need path, or a move a column or a row; choices need position and move; --columns names others"
        raise RowError(f"{table.name} has {len(table.frame)} rows of columns {', '.join(names)}; {needed}")
    read = {role: roles[role] for role in ROLES[form] if role in roles}
    if {"row", "col"} <= read.keys() and "move" not in given:  # a move beside a cell is its number
        number = read.pop("move", None)
        read |= {"number": number} if number is not None and form == "rows" else {}
    else:
        read = {role: name for role, name in read.items() if role not in ("row", "col")}
    return Layout(form, read, tuple(name for _, name in numbered) if form == "columns" else ())


class MoveError(PositionError):
    """What is wrong with the move at a place, from 0, of a record."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


@dataclasses.dataclass
class FileRecord:
    """A game, or a choice as its only move; what is not given is None."""

    rows: Sequence[int]
    """The numbers of the rows that it is in: that of each move, or one."""
    moves: Sequence[Any]
    """As they were given."""
    players: Sequence[str | None]
    """Who made each move, where each has its own row; else empty."""
    x: str | None
    o: str | None
    outcome: str | None
    position: Any
    probability: float | None

    def fault(self, error: PositionError) -> dict[int, str]:
        """Return the number of a row, and what is wrong with it."""
        place = error.place if isinstance(error, MoveError) and len(self.rows) > 1 else 0
        return {self.rows[place]: str(error)}


def read_records(table: RowTable, layout: Layout, notation: Notation, *, from_start: bool) -> Iterator[FileRecord]:
    """Yield the games or choices of a table, and note the faults of its rows. Where each move has a row, and games
    begin ``from_start``, their moves are numbered from 0 or 1.
    """
    columns = {**layout.roles, **{name: name for name in layout.moves}}
    cells = {role: table.frame[name].to_dict() for role, name in columns.items()}

    def of(role: str, row: int) -> Any:
        return cells[role][row] if role in cells else None

    for rows in (
        _rows_of_games(table, layout, from_start) if layout.form == "rows" else ([n] for n in table.frame.index)
    ):
        first = rows[0]
        try:
            moves: Sequence[Any]
            if layout.form == "path":
                moves = _path(of("path", first), notation)
            elif layout.form == "columns":
                moves = _made([of(name, first) for name in layout.moves])
            else:
                moves = [(of("row", n), of("col", n)) if "row" in cells else of("move", n) for n in rows]
            x, o = (name_of(of(role, first)) for role in ("x", "o"))
            outcome, chance = name_of(of("outcome", first)), _chance(of("probability", first))
            players = [name_of(of("player", n)) for n in rows] if layout.form in ("rows", "choices") else []
            yield FileRecord(rows, moves, players, x, o, outcome, of("position", first), chance)
        except PositionError as error:
            table.faults[first] = str(error)


def _rows_of_games(table: RowTable, layout: Layout, from_start: bool) -> Iterator[list[int]]:
    """Yield the numbers of the rows of each game, in the order in which games and moves follow each other."""
    import pandas as pd

    frame, roles = table.frame, layout.roles
    keys = frame[roles["game"]].map(name_of) if "game" in roles else frame.iloc[:, 0].map(lambda _: 0)
    table.faults |= dict.fromkeys(frame.index[keys.isna()], "the game is missing")
    order: Any = pd.to_numeric(frame[roles["number"]].map(name_of), errors="coerce") if "number" in roles else None
    games: Any = frame.groupby(keys, sort=False).groups
    for rows in games.values():
        if order is not None:
            numbers = order[rows].sort_values(kind="stable")
            first, rows = min(numbers.iloc[0], 1) if from_start else numbers.iloc[0], numbers.index
            wrong = next((row for at, (row, number) in enumerate(numbers.items()) if number != first + at), None)
            if wrong is not None:
                table.faults[wrong] = "the moves of this game are not numbered one after the other, from 0 or 1"
                continue
        yield rows.tolist()


def _path(path: Any, notation: Notation) -> Sequence[Any]:
    """Return the moves of a path: a list, or a text as `split_moves` reads it. Raises `PositionError`."""
    path = path.tolist() if hasattr(path, "tolist") else path
    if isinstance(path, str):
        return split_moves(path, notation)
    if isinstance(path, list | tuple):
        return path
    raise PositionError(f"path {described(path)} is neither text nor a list of moves; a number loses leading zeros")


def _made(cells: Sequence[Any]) -> Sequence[Any]:
    """Return the moves in the cells of a row, up to the first without one. Raises `PositionError`."""
    missing = [*map(_nothing, cells)]
    end = missing.index(True) if True in missing else len(cells)
    if not all(missing[end:]):
        raise PositionError(f"there is no move {end + 1}, but a later one")
    return cells[:end]


def _nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in ("", "?"))


def move_of(value: Any) -> Move:
    """Return a move as a file or a program gives it: a whole number, also in a text, is a code; a pair of numbers is
    the row and the column of a cell; any other text is a move as the game writes it. Raises `PositionError` for
    anything else.

    >>> [move_of(value) for value in (4, 4.0, " 4 ", "b2", (1, "2"))]
    [4, 4, 4, 'b2', (1, 2)]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple) and len(value) == 2:
        row, col = map(move_of, value)
        if isinstance(row, int) and isinstance(col, int):
            return row, col
    if isinstance(value, str) and value.strip():
        whole = re.fullmatch(r"([0-9]{1,9})(\.0+)?", value.strip(), re.ASCII)
        return int(whole[1]) if whole else value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return int(value)
    raise PositionError(f"move {described(value)} is neither a code nor text")


def name_of(value: Any) -> str | None:
    """Return a name, or None."""
    return None if value is None else str(value).strip() or None


def _chance(value: Any) -> float | None:
    """Return a probability, or None. Raises `PositionError`."""
    try:
        chance = None if _nothing(value) else float(value)
        if chance is None or 0 <= chance <= 1:
            return chance
    except (ValueError, TypeError):
        pass
    raise PositionError("the probability is no number from 0 to 1")
