"""Decide from the names of its columns how a table is laid out, and read its games or choices."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..common.wording import described, listed, meant
from ..errors import OptionError, PositionError
from ..rules.backtracker import joined
from ..rules.notation import Notation
from ..rules.positions import split_moves
from .outcomes import is_outcome
from .record_names import NAMES, numbered, plain
from .records import RowError, RowTable

SHOWN_COLUMNS = 12
"""Columns listed in an error message."""

ROLES = {
    "path": ("path", "x", "o", "outcome"),
    "columns": ("x", "o", "outcome"),
    "rows": ("game", "row", "col", "code", "move", "number", "player", "x", "o", "outcome"),
    "choices": ("position", "code", "row", "col", "move", "player", "probability"),
}
"""The roles of each form; earlier ones claim their columns first."""

_NOTHING = frozenset(("", "?", "-", "--", ".", "na", "n/a", "nan", "none", "null"))
"""Contents, in lower case, of a cell for a move that was not made."""

_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0+)?", re.ASCII).fullmatch

SIDES = (("x", "o"), ("1", "2"), ("0", "1"), ("1", "-1"), ("first", "second"), ("player 1", "player 2"))
"""What the sides are called, where a column of players holds nothing else."""


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
        """Whether every column has its standard name."""
        standard = all(plain(name) in NAMES[role][: 1 + (role == "path")] for role, name in self.roles.items())
        return standard and self.form in ("path", "choices") and "col" not in self.roles

    def describe(self) -> str:
        """Describe in one line which column holds what."""
        forms = {"path": "a game a row", "columns": "a move a column", "rows": "a move a row"}
        moves = [f"moves by '{self.moves[0]}' to '{self.moves[-1]}'"] if self.moves else []
        named = (f"{role} by '{column}'" for role, column in self.roles.items())
        return ", ".join([forms.get(self.form, "a choice a row"), *moves, *named])


def find_layout(table: RowTable, columns: Mapping[str, str] | None = None) -> Layout:
    """Return the layout of a ``table``, by the roles that ``columns`` gives to some of its columns and by the names of
    the others. Of these roles, ``count`` says what numbers count from, and ``moves`` is the common prefix of numbered
    columns. Raises `OptionError` for an unknown role or column, `RowError` where the names do not tell what the columns
    hold, and for a table without rows.

    >>> from analysis.playing.records import read_table
    >>> find_layout(read_table([{"Game ID": 1, "turn": 1, "Row": 0, "Column": 2}])).describe()
    "a move a row, game by 'game id', row by 'row', col by 'column', number by 'turn'"
    """
    names = table.frame.columns.tolist()
    if not names and not table.faults:
        raise RowError(f"{table.name} is empty")
    finder = _Finder(table, names, columns or {})
    form = finder.form()
    if table.frame.empty and not table.faults:
        raise RowError(f"{table.name} holds no {'choices' if form == 'choices' else 'games'}")
    return Layout(form, finder.roles(form), finder.moves if form == "columns" else (), finder.count)


class _Finder:
    """Finds what the columns of a table hold. Raises `OptionError` for an unknown role or column."""

    def __init__(self, table: RowTable, names: Sequence[str], columns: Mapping[str, str]) -> None:
        self.table, self.names = table, names
        given = {role.strip().lower(): name.strip().lower() for role, name in columns.items()}
        count, stem = given.pop("count", None), given.pop("moves", None)
        if count not in (None, "0", "1"):
            raise OptionError(f"count={count} is not valid: numbers count from 0 or 1")
        self.count = None if count is None else int(count)
        free = [name for name in names if name not in given.values()]
        self.moves = numbered(free) if stem is None else numbered(free, [plain(stem)])
        """The columns that hold a move each."""
        if stem is not None and not self.moves:
            given["path"] = stem
        for role, name in given.items():
            if role not in NAMES:
                roles = listed([*NAMES, "moves", "count"])
                raise OptionError(f"--columns {role}={name}: unknown role {role!r}; roles are {roles}")
            if name and name not in names:
                wrong = f"no such column{meant(name, names)}; {table.name} has {self._shown()}"
                raise OptionError(f"--columns {role}={name}: {wrong}")
        if {"x", "y"} <= {*names} and "o" not in names:
            given = {"row": "y", "col": "x"} | given
        self.given = given

    def named(self, role: str, taken: Collection[str] = ()) -> str:
        """Return the column of a role, or an empty text."""
        if role in self.given:
            return self.given[role]
        taken = {*taken, *self.given.values(), *self.moves}
        free = {plain(name): name for name in reversed(self.names) if name not in taken}
        return next((free[name] for name in NAMES[role] if name in free and self._fits(role, free[name])), "")

    def _fits(self, role: str, name: str) -> bool:
        """Return whether an ambiguous column fits a role: a turn is a number or a player, a class an outcome or not."""
        values = [value for value in self.table.frame[name] if not _nothing(value)]
        if plain(name) == "turn":
            return (role == "number") == (number_of(next(iter(values), None)) is not None)
        return plain(name) != "class" or all(map(is_outcome, values))

    def form(self) -> str:
        """Return the form of the table. Raises `RowError`."""
        path, position, game, number, player, code, move, row, col = map(
            self.named, ("path", "position", "game", "number", "player", "code", "move", "row", "col")
        )
        has_move = code or move or (row and col)
        if "path" in self.given and path:
            return "path"
        if position and has_move and ("position" in self.given or code or not (game and number)):
            if plain(path) in NAMES["path"][:2]:
                both = f"{self.table.name} has columns {path} and {position}"
                raise RowError(f"{both}: games or choices? for games, add --columns path={path}")
            return "choices"
        if path:
            return "path"
        if self.moves:
            return "columns"
        if (row and col) or ((game or number) and (has_move or col)) or (player and has_move):
            return "rows"
        needed = "games need path or a move a column, single moves game and move, choices position and move"
        example = f"--columns path={self.names[-1]} or position={self.names[0]},move={self.names[-1]}"
        raise RowError(f"{self.table.name} has columns {self._shown()}; {needed}; otherwise name them: {example}")

    def roles(self, form: str) -> dict[str, str]:
        """Return the column of each role that is read."""
        roles = dict[str, str]()
        for role in ROLES[form]:
            if name := self.named(role, roles.values()):
                roles[role] = name
        cells = "code" not in roles and "row" in roles and "col" in roles and "move" not in self.given
        if not cells and ("code" in roles or "move" in roles):
            roles = {role: name for role, name in roles.items() if role not in ("row", "col")}
        elif "move" in roles:  # its number, if anything
            move = roles.pop("move")
            if form == "rows":
                roles.setdefault("number", move)
        return roles

    def _shown(self) -> str:
        return ", ".join(self.names[:SHOWN_COLUMNS]) + ", ..." * (len(self.names) > SHOWN_COLUMNS)


# Values ---------------------------------------------------------------------------------------------------------------


def number_of(value: Any) -> int | None:
    """Return a whole number from 0, also from a text; None for anything else.

    >>> [number_of(value) for value in (4, 4.0, " 4 ", "4.0", "b2", True, None)]
    [4, 4, 4, 4, None, None, None]
    """
    if isinstance(value, str):
        match = _WHOLE(value.strip())
        return int(match[1]) if match else None
    if isinstance(value, bool) or not hasattr(value, "__int__"):
        return None
    try:
        return int(value) if int(value) == value and 0 <= value < 1 << 30 else None
    except (ArithmeticError, TypeError, ValueError):
        return None


def name_of(value: Any) -> str | None:
    """Return a name, or None."""
    return None if value is None else str(value).strip() or None


def _nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)


# Records --------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class FileRecord:
    """A game, or a choice as its only move; what is not given is None."""

    row: int
    """The line or row where it begins."""
    moves: list[Any]
    """Codes, texts, and pairs of a row and a column."""
    x: str | None = None
    o: str | None = None
    outcome: Any = None
    others: tuple[Any, ...] = ()
    """Its values in columns that are not read."""
    rows: Sequence[int] = ()
    """The row of each move, where each has its own."""
    players: Sequence[str | None] = ()
    """Who made each move, where each has its own row."""
    position: Any = None
    probability: Any = None


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
        self.table, self.layout, self.notation, self.others = table, layout, notation, tuple(others)
        self._asked, self._from_start = asked, from_start
        self.records = list(self._rows() if layout.form == "rows" else self._each())
        self.base = self._find_base()
        """What the numbers of cells count from."""
        if self.base:
            for record in self.records:
                record.moves = list(map(self._from_zero, record.moves))
        labels = {label.lower() for record in self.records for label in record.players if label}
        sides = (*SIDES, tuple(name.lower() for name in notation.game.players))
        self.sides = next((pair for pair in sides if labels and labels <= {*pair}), None)
        """What the players' column calls the sides, if it does not name players."""

    def _column(self, role: str) -> Sequence[Any]:
        column = self.layout.roles.get(role)
        return [None] * len(self.table.frame) if column is None else self.table.frame[column].tolist()

    def _given(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of each row in columns that are not read."""
        columns = [self.table.frame[name].tolist() for name in self.others]
        return zip(*columns, strict=True) if columns else iter([()] * len(self.table.frame))

    def _moves(self) -> list[Any]:
        """Return the move of each row: what its column holds, or the row and the column of a cell."""
        roles = self.layout.roles
        if "row" not in roles:
            codes = list(map(number_of, self._column("code")))
            moves = self._column("move" if "move" in roles else "code" if "code" in roles else "col")
            both = zip(codes, moves, strict=True)
            return [move_of(move) if code is None else code for code, move in both]
        pairs = zip(self._column("row"), self._column("col"), strict=True)
        cells = [(number_of(row), number_of(col)) for row, col in pairs]
        return [None if None in cell else cell for cell in cells]

    def _each(self) -> Iterator[FileRecord]:
        """Yield a game or a choice a row."""
        table, form = self.table, self.layout.form
        roles = ("path", "position", "player", "x", "o", "outcome", "probability")
        columns = {role: self._column(role) for role in roles}
        if form == "columns":
            columns["path"] = list(zip(*(table.frame[name].tolist() for name in self.layout.moves), strict=True))
        elif form == "choices":
            columns["path"] = self._moves()
        for number, others, *values in zip(table.frame.index, self._given(), *columns.values(), strict=True):
            path, position, player, x, o, outcome, probability = values
            try:
                moves = [path] if form == "choices" else self._made(path) if form == "columns" else self._path(path)
                if form == "path" and path == "" and table.unit == "line" and _nothing(outcome):
                    raise PositionError("path is empty; a game without a move needs an outcome")
            except PositionError as error:
                table.faults[number] = str(error)
                continue
            if form == "choices":
                x = o = player
                try:
                    probability = None if _nothing(probability) else float(Fraction(str(probability).strip()))
                except (ValueError, ZeroDivisionError, OverflowError):
                    probability = -1
                if probability is not None and not 0 <= probability <= 1:
                    table.faults[number] = "the probability is no number from 0 to 1"
                    continue
            x, o = name_of(x), name_of(o)
            yield FileRecord(number, moves, x, o, outcome, others, position=position, probability=probability)

    def _made(self, cells: Sequence[Any]) -> list[Any]:
        """Return the moves in the cells of a row, up to the first without one. Raises `PositionError`."""
        end = next((place for place, cell in enumerate(cells) if _nothing(cell)), len(cells))
        further = next((place for place in range(end, len(cells)) if not _nothing(cells[place])), None)
        if further is not None:
            after, before = self.layout.moves[further], self.layout.moves[end]
            raise PositionError(f"{after!r} has a move, but {before!r} before it has none")
        return list(map(move_of, cells[:end]))

    def _path(self, path: Any) -> list[Any]:
        """Return the moves of a path: a list, the text of one, or moves as `split_moves` reads them. Raises
        `PositionError`.
        """
        notation = self.notation
        if isinstance(path, str):
            if path.isascii() and path.isdecimal() and not joined(notation.rules.largest_code):
                return list(map(int, path))
            if path.strip()[:1] in ("[", "("):
                with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                    path = ast.literal_eval(path.strip())
        if hasattr(path, "tolist"):
            path = path.tolist()
        if isinstance(path, (list, tuple)):
            return list(map(move_of, path))
        if path is None:
            raise PositionError("the path is missing; write the codes of its moves, or an empty text if there are none")
        if number_of(path) is not None and (not isinstance(path, str) or path.endswith(".0")):
            raise PositionError(f"path {path} is a number, which loses leading zeros; keep it as text")
        if not isinstance(path, str):
            raise PositionError(f"path {described(path)} is neither text nor a list of moves")
        return list(split_moves(path, notation))

    # A move a row -----------------------------------------------------------------------------------------------------

    def _rows(self) -> Iterator[FileRecord]:
        """Yield the games assembled from single moves, in the order in which they begin."""
        table, roles = self.table, self.layout.roles
        rows, moves, players = table.frame.index.tolist(), self._moves(), list(map(name_of, self._column("player")))
        numbers = list(map(number_of, self._column("number")))
        common = {role: list(map(name_of, self._column(role))) for role in ("x", "o", "outcome")}
        common |= {name: table.frame[name].tolist() for name in self._asked if name != roles.get("player")}
        others = list(self._given())
        games = defaultdict[Any, list[int]](list)
        for place, key in enumerate(self._games(numbers)):
            games[key].append(place)
        for key, places in games.items():
            try:
                if key is None:
                    raise _RowFaultError(places[0], f"{roles['game']} is missing")
                for place in places:
                    if _nothing(moves[place]):
                        raise _RowFaultError(
                            place, "the move is missing, or no whole number where a row and a column are"
                        )
                    if "number" in roles and numbers[place] is None:
                        raise _RowFaultError(place, f"{roles['number']} is missing, or no whole number")
                if "number" in roles:
                    places.sort(key=lambda place: numbers[place] or 0)
                    self._check_order(places, [numbers[place] or 0 for place in places])
                values = {name: self._constant(name, column, places) for name, column in common.items()}
            except _RowFaultError as error:
                table.faults[rows[error.place]] = str(error)
                continue
            first = others[places[0]]
            same = tuple(
                value if all(others[place][at] == value for place in places) else None for at, value in enumerate(first)
            )
            yield FileRecord(
                rows[min(places)], [moves[place] for place in places], values["x"], values["o"], values["outcome"],
                same, [rows[place] for place in places], [players[place] for place in places],
            )  # fmt: skip

    def _games(self, numbers: Sequence[int | None]) -> list[Any]:
        """Return which game each row belongs to: by its column or, without one, a new one begins where the number of
        the move falls (or, without players, does not rise).
        """
        if "game" in self.layout.roles:
            return list(map(name_of, self._column("game")))
        keys, last, equal = [0], numbers[0], "player" not in self.layout.roles
        for number in numbers[1:]:
            ends = number is not None and last is not None and (number < last or (equal and number == last))
            keys.append(keys[-1] + ends)
            last = number
        return keys

    def _check_order(self, places: Sequence[int], numbers: Sequence[int]) -> None:
        """Refuse moves that are not numbered one after the other, from 0 or 1; where players are named, both moves of a
        pair may have one number, as in chess.
        """
        first = min(numbers[0], 1) if self._from_start else numbers[0]
        paired = "player" in self.layout.roles and numbers == [first + at // 2 for at in range(len(numbers))]
        for at, number in enumerate(numbers):
            if not paired and number != first + at:
                twice = at and number == numbers[at - 1]
                wrong = (
                    f"two moves are numbered {number}" if twice else f"there is no move {first + at} before {number}"
                )
                raise _RowFaultError(places[at], f"{wrong} in this game")

    def _constant(self, name: str, column: Sequence[Any], places: Sequence[int]) -> Any:
        """Return the only value of a column within a game, or None. Raises an error for several."""
        value = None
        for place in places:
            if column[place] is not None and value not in (None, column[place]):
                advice = f"; if it says who moved, add --columns player={name}" if name in self._asked else ""
                raise _RowFaultError(
                    place, f"{name} is {column[place]!r} but {value!r} before, in the same game{advice}"
                )
            value = column[place] if value is None else value
        return value

    # Counting ---------------------------------------------------------------------------------------------------------

    def _find_base(self) -> int:
        """Return what numbers count from: 0 unless 1 is given, or there is no 0 and the number after the last."""
        if self.layout.count is not None:
            return self.layout.count
        notation, codes, ends = self.notation, set[int](), set[bool]()
        rows, cols = notation.first_shape
        for record in self.records:
            for move in record.moves:
                if type(move) is tuple:
                    codes |= {*move}
                    ends.add(move[0] == rows or move[1] == cols)
                elif (number := number_of(move)) is not None:
                    codes.add(number)
                    ends.add(number == notation.rules.largest_code + 1)
        return int(notation.pointing and not notation.own_numbers and 0 not in codes and True in ends)

    def _from_zero(self, move: Any) -> Any:
        """Return a move that counts from 1, as it is if it has a name."""
        if type(move) is tuple:
            return tuple(part - self.base for part in move)
        marked = isinstance(move, str) and move[:1].upper() in self.notation.marks and move[1:].isdecimal()
        number = number_of(move)
        return f"{move[0]}{int(move[1:]) - self.base}" if marked else move if number is None else number - self.base


class _RowFaultError(Exception):
    """What is wrong with the row at a place."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place


def move_of(move: Any) -> Any:
    """Return a pair of whole numbers, also in a text, as the row and the column of a cell; anything else as it is.

    >>> move_of([1, 2]), move_of("(1, 2)"), move_of("b2")
    ((1, 2), (1, 2), 'b2')
    """
    if hasattr(move, "tolist"):
        move = move.tolist()
    if isinstance(move, str) and move.strip()[:1] in ("(", "["):
        pair = re.fullmatch(r"\s*[(\[]\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*[)\]]\s*", move)
        return (int(pair[1]), int(pair[2])) if pair else move
    if isinstance(move, (list, tuple)) and len(move) == 2 and all(type(part) is int for part in move):
        return tuple(move)
    return move
