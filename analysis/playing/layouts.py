"""Decide from the names of its columns how a table is laid out, and read its games or choices."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..common.wording import described, did_you_mean, in_words
from ..errors import OptionError, PositionError
from ..rules.notation import Notation
from ..rules.positions import split_moves
from .outcomes import is_outcome
from .record_names import NAMES, numbered, plain
from .records import RowError, RowTable

SHOWN = 12
"""Columns listed in an error message."""

SHOWN_PATH = 40
"""Characters of a path quoted in an error message."""

ROLES = {
    "path": ("path", "x", "o", "outcome"),
    "columns": ("x", "o", "outcome"),
    "rows": ("game", "move", "row", "col", "number", "player", "x", "o", "outcome"),
    "choices": ("position", "move", "row", "col", "player", "probability"),
}
"""The roles of each form."""

_NOTHING = frozenset(("", "?", "-", "na", "nan", "none", "null"))
"""Contents, in lower case, of a cell for a move that was not made."""

_PAIR = re.compile(r"[(\[]\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*[)\]]").fullmatch
_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0+)?", re.ASCII).fullmatch

SIDES = (("x", "o"), ("1", "2"), ("0", "1"), ("1", "-1"), ("first", "second"))
"""What the sides are called, where a column of players holds nothing else."""

Move = int | str | tuple[int, int]
"""A code, a move as the game writes it, or the row and the column of a cell."""


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table is read."""

    form: str
    """``path``, ``columns`` (a move each), ``rows`` (a move each) or ``choices``."""
    roles: Mapping[str, str]
    """The column that each role is read from."""
    moves: tuple[str, ...] = ()
    """The columns that hold a move each."""
    count: int | None = None
    """What numbers of cells and moves count from, if that was given."""

    @property
    def kind(self) -> str:
        """``games`` or ``choices``."""
        return "choices" if self.form == "choices" else "games"

    @property
    def read(self) -> set[str]:
        """The columns that are read."""
        return {*self.roles.values(), *self.moves}

    @property
    def usual(self) -> bool:
        """Whether every column has the name of its role, in a form that this program writes."""
        return self.form in ("path", "choices") and all(role == name for role, name in self.roles.items())

    def describe(self) -> str:
        """Describe in one line which column holds what."""
        forms = {"path": "a game a row", "columns": "a move a column", "rows": "a move a row"}
        moves = [f"moves by '{self.moves[0]}' to '{self.moves[-1]}'"] if self.moves else []
        named = (f"{role} by '{column}'" for role, column in self.roles.items())
        return ", ".join([forms.get(self.form, "a choice a row"), *moves, *named])


def find_layout(table: RowTable, columns: Mapping[str, str] | None = None) -> Layout:
    """Return the layout of a ``table``, by the roles that ``columns`` gives to some of its columns and by the names of
    the others. Of these roles, ``count`` says what numbers count from, and ``moves`` is the common prefix of numbered
    columns.

    A table with a path holds a game a row; else one with a position and a move, a choice a row; else one with numbered
    columns, a move a column; else one with a move, or a row and a column of the board, a move a row. Raises
    `OptionError` for an unknown role or column, `RowError` for a table with none of these, and one without rows.

    >>> from analysis.playing.records import read_table
    >>> find_layout(read_table([{"Game ID": 1, "turn": 1, "Row": 0, "Column": 2}])).describe()
    "a move a row, game by 'game id', row by 'row', col by 'column', number by 'turn'"
    """
    names = table.frame.columns.tolist()
    if not names and not table.faults:
        raise RowError(f"{table.name} is empty")
    shown = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
    given = {role.strip().lower(): name.strip().lower() for role, name in (columns or {}).items()}
    count, stem = given.pop("count", None), given.pop("moves", "move")
    if count not in (None, "0", "1"):
        raise OptionError(f"count={count} is not valid: numbers count from 0 or 1")
    for role, name in given.items():
        if role not in NAMES:
            roles = in_words([*NAMES, "moves", "count"])
            raise OptionError(f"--columns {role}={name}: unknown role {role!r}; roles are {roles}")
        if name and name not in names:
            raise OptionError(
                f"--columns {role}={name}: no such column{did_you_mean(name, names)}; {table.name} has {shown}"
            )
    free = {plain(name): name for name in reversed(names) if name not in given.values()}
    moves = numbered([*free.values()][::-1], stem)
    if stem != "move" and not moves:
        given["path"] = stem
    named = {role: next((free[name] for name in NAMES[role] if name in free), "") for role in NAMES}
    if plain(named["outcome"]) == "class":  # of the game, or of the school
        cells = [cell for cell in table.frame[named["outcome"]] if not _nothing(cell)]
        named["outcome"] *= all(map(is_outcome, cells))
    found = {role: name for role, name in (named | given).items() if name}
    form = _form(found, moves)
    if form is None:
        needed = "games need path or a move a column, single moves game and move, choices position and move"
        example = f"--columns path={names[-1]} or position={names[0]},move={names[-1]}"
        raise RowError(f"{table.name} has columns {shown}; {needed}; otherwise name them: {example}")
    if table.frame.empty and not table.faults:
        raise RowError(f"{table.name} holds no {'choices' if form == 'choices' else 'games'}")
    read = {role: found[role] for role in ROLES[form] if role in found}
    if not {"row", "col"} <= read.keys() or "move" in given:
        column = [read.pop(role) for role in ("row", "col") if role in read][-1:]
        read |= {"move": column[0]} if column and "move" not in read else {}
    elif "move" in read:  # beside a cell, its number
        number = read.pop("move")
        read |= {"number": number} if form == "rows" else {}
    return Layout(form, read, moves if form == "columns" else (), None if count is None else int(count))


def _form(found: Mapping[str, str], moves: Sequence[str]) -> str | None:
    """Return the form of a table with columns for these roles, and for single ``moves``."""
    has_move = "move" in found or {"row", "col"} <= found.keys()
    if "path" in found:
        return "path"
    if "position" in found and has_move:
        return "choices"
    return "columns" if moves else "rows" if has_move or "col" in found else None


# Values ---------------------------------------------------------------------------------------------------------------


def move_of(value: Any) -> Move:
    """Return a move as a file or a program gives it: a number, also in a text, is a code; a pair of numbers is the row
    and the column of a cell; any other text is a move as the game writes it. Raises `PositionError` for anything else.

    >>> [move_of(value) for value in (4, 4.0, " 4 ", "b2", [1, 2], "(1, 2)")]
    [4, 4, 4, 'b2', (1, 2), (1, 2)]
    """
    if type(value) is int:
        return value
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, str) and (text := value.strip()):
        pair = _PAIR(text)
        whole = _WHOLE(text)
        return int(whole[1]) if whole else (int(pair[1]), int(pair[2])) if pair else text
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(type(part) is int for part in value):
        return value[0], value[1]
    if value is None or value == "":
        raise PositionError("the move is missing")
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return int(value)
    raise PositionError(f"move {described(value)} is neither a code nor text")


def _number(value: Any) -> int | None:
    """Return a whole number from 0; None for anything else."""
    with contextlib.suppress(PositionError):
        number = move_of(value)
        return number if type(number) is int and number >= 0 else None
    return None


def name_of(value: Any) -> str | None:
    """Return a name, or None."""
    return None if value is None else str(value).strip() or None


def _nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)


# Records --------------------------------------------------------------------------------------------------------------


class MoveError(PositionError):
    """What is wrong with the move at a place, from 0, of a record."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


@dataclasses.dataclass
class FileRecord:
    """A game, or a choice as its only move; what is not given is None."""

    rows: Sequence[int]
    """The lines or rows that it is in: that of each move, or one."""
    moves: Sequence[Move]
    x: str | None = None
    o: str | None = None
    outcome: Any = None
    others: tuple[Any, ...] = ()
    """Its values in columns that are not read."""
    players: Sequence[str | None] = ()
    """Who made each move, where each has its own row."""
    position: Any = None
    probability: float | None = None

    @property
    def row(self) -> int:
        """The line or row where it begins."""
        return min(self.rows)

    def fault(self, error: PositionError) -> dict[int, str]:
        """Return the number of a row, and what is wrong with it."""
        if isinstance(error, MoveError) and len(self.rows) > 1:
            return {self.rows[error.place]: str(error)}
        return {self.row: str(error)}


class Records:
    """The games or choices of a table, with their cells counted from 0. Faults of rows are noted in the ``table``.

    With ``from_start``, games begin at the start of the game, so their first move is numbered 0 or 1; the columns
    among ``others`` that are ``asked`` for must be constant within a game.
    """

    def __init__(
        self,
        table: RowTable,
        layout: Layout,
        notation: Notation,
        others: Sequence[str] = (),
        *,
        asked: Sequence[str] = (),
        from_start: bool = True,
    ) -> None:
        self.table, self.layout, self.notation, self._asked = table, layout, notation, asked
        self._from_start = from_start
        none = [None] * len(table.frame)
        self._columns = defaultdict(lambda: none, {k: table.frame[name].tolist() for k, name in layout.roles.items()})
        self._others = [*zip(*(table.frame[name].tolist() for name in others), strict=True)] or [()] * len(none)
        self._names = others
        self.records = list(self._games() if layout.form == "rows" else self._each())
        self.base = self._find_base() if layout.count is None else layout.count
        """What the numbers of cells count from."""
        if self.base:
            for record in self.records:
                record.moves = [self._from_zero(move) for move in record.moves]
        labels = {label.lower() for record in self.records for label in record.players if label}
        sides = (*SIDES, tuple(name.lower() for name in notation.game.players))
        self.sides = next((pair for pair in sides if labels and labels <= {*pair}), None)
        """What the players' column calls the sides, if it does not name players."""

    def _moves(self) -> Sequence[Any]:
        """Return the move of each row: what its column holds, or the row and the column of a cell."""
        if "row" not in self.layout.roles:
            return self._columns["move"]
        cells = zip(map(_number, self._columns["row"]), map(_number, self._columns["col"]), strict=True)
        return [None if None in cell else cell for cell in cells]

    def _each(self) -> Iterator[FileRecord]:
        """Yield a game or a choice a row."""
        table, form, of = self.table, self.layout.form, self._columns
        given = of["path"] if form == "path" else [[move] for move in self._moves()]
        if form == "columns":
            given = [*zip(*(table.frame[name].tolist() for name in self.layout.moves), strict=True)]
        people = (map(name_of, of[role]) for role in ("x", "o", "player"))
        more = zip(*people, of["outcome"], of["position"], of["probability"], self._others, strict=True)
        for number, moves, (x, o, player, outcome, position, chance, others) in zip(
            table.frame.index.tolist(), given, more, strict=True
        ):
            try:
                if form == "path":
                    moves = self._path(moves, needed=_nothing(outcome))
                elif form == "columns":
                    moves = self._made(moves)
                if form == "choices":
                    x = o = player
                    chance = None if _nothing(chance) else _chance(chance)
                yield FileRecord(
                    [number], _read(moves, single=form == "choices"), x, o, outcome, others, (), position, chance
                )
            except PositionError as error:
                table.faults[number] = str(error)

    def _made(self, cells: Sequence[Any]) -> Sequence[Any]:
        """Return the moves in the cells of a row, up to the first without one. Raises `PositionError`."""
        end = next((place for place, cell in enumerate(cells) if _nothing(cell)), len(cells))
        further = next((place for place in range(end, len(cells)) if not _nothing(cells[place])), None)
        if further is not None:
            after, before = self.layout.moves[further], self.layout.moves[end]
            raise PositionError(f"{after!r} has a move, but {before!r} before it has none")
        return cells[:end]

    def _path(self, path: Any, *, needed: bool) -> Sequence[Any]:
        """Return the moves of a path: a list, the text of one, or moves as `split_moves` reads them; an empty line is
        refused if a move is ``needed``. Raises `PositionError`.
        """
        if isinstance(path, str) and path.strip()[:1] in ("[", "("):
            with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                path = ast.literal_eval(path.strip())
        if hasattr(path, "tolist"):
            path = path.tolist()
        if isinstance(path, (list, tuple)):
            return path
        if path is None:
            raise PositionError("the path is missing; write the codes of its moves, or an empty text if there are none")
        if path == "" and needed and self.table.unit == "line":
            raise PositionError("path is empty; a game without a move needs an outcome")
        if isinstance(path, str) and not path.endswith(".0"):
            return split_moves(path, self.notation)
        if _number(path) is not None:
            raise PositionError(f"path {path} is a number, which loses leading zeros; keep it as text")
        raise PositionError(f"path {described(path)} is neither text nor a list of moves")

    # A move a row -----------------------------------------------------------------------------------------------------

    def _games(self) -> Iterator[FileRecord]:
        """Yield the games assembled from single moves, in the order in which they begin."""
        numbers, rows = [*map(_number, self._columns["number"])], self.table.frame.index.tolist()
        games = dict[Any, list[int]]()
        for place, key in enumerate(self._keys(numbers)):
            games.setdefault(key, []).append(place)
        for key, places in games.items():
            try:
                if key is None:
                    raise MoveError(f"{self.layout.roles['game']} is missing", 0)
                if "number" in self.layout.roles:
                    wrong = next((at for at, place in enumerate(places) if numbers[place] is None), None)
                    if wrong is not None:
                        raise MoveError(f"{self.layout.roles['number']} is missing, or no whole number", wrong)
                    places.sort(key=lambda place: numbers[place] or 0)
                    self._check_order([numbers[place] or 0 for place in places])
                yield self._game([rows[place] for place in places], places)
            except MoveError as error:
                self.table.faults[rows[places[error.place]]] = str(error)

    def _keys(self, numbers: Sequence[int | None]) -> list[Any]:
        """Return which game each row belongs to: by its column or, without one, a new one begins where the number of
        the move does not rise.
        """
        if "game" in self.layout.roles:
            return [*map(name_of, self._columns["game"])]
        if "number" not in self.layout.roles:
            return [0] * len(numbers)
        falls = ((last or 0) >= (number or 0) for last, number in itertools.pairwise(numbers))
        return [*itertools.accumulate(falls, initial=0)][: len(numbers)]

    def _check_order(self, numbers: Sequence[int]) -> None:
        """Refuse moves that are not numbered one after the other, from 0 or 1."""
        first = min(numbers[0], 1) if self._from_start else numbers[0]
        for at, number in enumerate(numbers):
            if number != first + at:
                twice = at and number == numbers[at - 1]
                missing = f"there is no move {first + at} before {number}"
                raise MoveError(f"{f'two moves are numbered {number}' if twice else missing} in this game", at)

    def _game(self, rows: Sequence[int], places: Sequence[int]) -> FileRecord:
        """Return a game with its moves at these places. Raises `MoveError`."""
        given, of = self._moves(), self._columns
        said = {role: [name_of(of[role][place]) for place in places] for role in ("x", "o", "outcome")}
        others = [*zip(*(self._others[place] for place in places), strict=True)]
        asked = {name: cells for name, cells in zip(self._names, others, strict=True) if name in self._asked}
        asked.pop(self.layout.roles.get("player", ""), None)
        for name, cells in (said | asked).items():
            values = [value for value in cells if value is not None]
            wrong = next((at for at, value in enumerate(cells) if value not in (None, *values[:1])), None)
            if wrong is not None:
                raise MoveError(f"{name} is {cells[wrong]!r} but {values[0]!r} before, in the same game", wrong)
        x, o, outcome = (next(filter(None, cells), None) for cells in said.values())
        same = tuple(cells[0] if all(cell == cells[0] for cell in cells) else None for cells in others)
        moves = _read([given[place] for place in places])
        return FileRecord(rows, moves, x, o, outcome, same, [name_of(of["player"][place]) for place in places])

    # Counting ---------------------------------------------------------------------------------------------------------

    def _find_base(self) -> int:
        """Return what numbers count from: 0 unless there is no 0, and the number after the last."""
        notation, codes, beyond = self.notation, set[int](), False
        rows, cols = notation.first_shape
        for move in (move for record in self.records for move in record.moves):
            if isinstance(move, tuple):
                codes |= {*move}
                beyond |= move[0] == rows or move[1] == cols
            elif isinstance(move, int):
                codes.add(move)
                beyond |= move == notation.rules.largest_code + 1
        return int(notation.pointing and not notation.own_numbers and 0 not in codes and beyond)

    def _from_zero(self, move: Move) -> Move:
        """Return a move that counts from 1; a name as it is, but for the number of a cell after a mark."""
        if isinstance(move, tuple):
            return move[0] - self.base, move[1] - self.base
        if isinstance(move, int):
            return move - self.base
        marked = move[:1].upper() in self.notation.marks and move[1:].isdecimal()
        return f"{move[0]}{int(move[1:]) - self.base}" if marked else move


def _read(moves: Sequence[Any], *, single: bool = False) -> list[Move]:
    """Return moves as `move_of` reads them. Raises `MoveError`."""
    read = list[Move]()
    try:
        for move in moves:
            read.append(move_of(move))
    except PositionError as error:
        raise MoveError(str(error) if single else f"{which(moves, len(read))}: {error}", len(read)) from None
    return read


def which(moves: Sequence[Any], place: int) -> str:
    """Return the place of a move in a path, as it was given."""
    texts = [move if isinstance(move, str) else described(move) for move in moves]
    path = ("" if all(len(text) == 1 for text in texts) else " ").join(texts)
    return f"move {place + 1} of {path if len(path) <= SHOWN_PATH else f'{path[:SHOWN_PATH]}...'}"


def _chance(value: Any) -> float:
    """Return a probability. Raises `PositionError`."""
    with contextlib.suppress(ValueError, ZeroDivisionError, OverflowError):
        chance = float(Fraction(str(value).strip()))
        if 0 <= chance <= 1:
            return chance
    raise PositionError("the probability is no number from 0 to 1")
