"""Read the games and choices of a table one by one, in any layout; assemble single moves, and count from 0."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import PositionError
from ..machine.workers import tell_progress
from ..rules.notation import Notation
from ..rules.positions import split_moves
from .layouts import Layout
from .tables import NAMES, WINNERS, RowError, RowTable, missing, name_of, number_of, plain

PEEKED = 1 << 14
"""Rows examined before deciding what cells are counted from."""

FEW = 100
"""If this many rows have no cells given by row and column, none are expected."""

MOST_MOVES = 1 << 22
"""Limit on moves, one a row, that are assembled into games; each takes about 400 bytes."""

SAID_EVERY = 1 << 16
"""Such moves between two reports of progress."""

_NOTHING = frozenset(("", "?", "-", "--", ".", "na", "n/a", "nan", "none", "null"))
"""Contents, in lower case, of a move's column after the end of the game."""

_PAIR = r"[(\[]\s*([0-9]{1,4})\s*[,;\s]\s*([0-9]{1,4})\s*[)\]]"
_ONE_PAIR = re.compile(rf"{_PAIR}|([0-9]{{1,4}})\s*[,;]\s*([0-9]{{1,4}})", re.ASCII).fullmatch
_PAIRS = re.compile(rf"(?:{_PAIR}[\s,;>-]*){{2,}}|\(\s*[0-9]{{1,4}}\s*,\s*[0-9]{{1,4}}\s*\)", re.ASCII).fullmatch
_EACH_PAIR = re.compile(_PAIR, re.ASCII).finditer
_NUMBERED = re.compile(r"[01]\.+\s*[^\s0-9]|[01]\.+\s+\S", re.ASCII).match
_NUMBER = re.compile(r"(?<!\S)[0-9]{1,4}\.+(?=\s|[^\s0-9]|$)\s*", re.ASCII)
_RESULT = re.compile(r"\s(1-0|0-1|1/2-1/2|\*)$").search

_COMMON = ("x", "o", "outcome", "side", "outcome_o")
"""Roles that concern a whole game."""


class CellMove(NamedTuple):
    """A move given by the row and column of its cell."""

    row: int
    col: int

    def __repr__(self) -> str:
        return f"({self.row}, {self.col})"


class PlayedRecord(NamedTuple):
    """A game or choice as read; fields without data are None."""

    number: int
    """The line or row where it begins."""
    path: Any = None
    """For a game: a list of its moves, or a text."""
    x: Any = None
    o: Any = None
    outcome: Any = None
    side: Any = None
    """Whose result the outcome is."""
    outcome_o: Any = None
    """The outcome from O's point of view."""
    lines: Sequence[int] = ()
    """The line of each move, where each has its own."""
    players: Sequence[Any] = ()
    """Who made each move, if given."""
    position: Any = None
    """For a choice, like the fields below."""
    move: Any = None
    code: Any = None
    """Takes precedence over the move."""
    player: Any = None
    others: tuple[Any, ...] = ()
    """The row's values in columns that are not read."""


class Reading:
    """The records of a table, to be read once. With ``from_start``, games begin at the start of the game, so their
    first move is numbered 0 or 1; the columns among ``others`` that are ``asked`` for must be constant within a game.
    """

    def __init__(
        self,
        table: RowTable,
        layout: Layout,
        notation: Notation,
        others: Sequence[str] = (),
        *,
        asked: Collection[str] = (),
        from_start: bool = True,
    ) -> None:
        self.table, self.layout, self.notation, self.others = table, layout, notation, tuple(others)
        self._asked = [name for name in others if name in asked and name != layout.roles.get("player")]
        self._from_start = from_start
        self._common_columns = [(role, name) for role in _COMMON if (name := self._column(role))]
        self._winners = plain(layout.roles.get("outcome", "")) in WINNERS
        self._base, self._said = 0, ""
        self.advice = ""
        """What may be wrong with moves that are not legal: that they count from 1, if there is no 0."""

    @property
    def recognised(self) -> str:
        """What was recognised, in one line; complete once all records were read."""
        return "; ".join([self.layout.said(self._said), *self.table.notes])

    @property
    def unusual(self) -> bool:
        """Whether what was recognised should be reported."""
        return not self.layout.usual or bool(self._said) or bool(self.table.notes)

    def __iter__(self) -> Iterator[PlayedRecord | RowError]:
        if self.layout.form == "rows":
            return self._counted(self._rows())
        return self._counted(self._records())

    def _records(self) -> Iterator[PlayedRecord | RowError]:
        make = {"path": self._path, "columns": self._columns, "choices": self._choice}[self.layout.form]
        for number, row in self.table.rows:
            try:
                yield row if isinstance(row, RowError) else make(number, row)
            except PositionError as wrong:
                yield self.table.error(number, wrong)

    def _column(self, role: str) -> str:
        """Return the column of a role; for one that only later rows have, the name of the role."""
        return self.layout.roles.get(role) or (role if role not in self.table.columns else "")

    # Layouts ----------------------------------------------------------------------------------------------------------

    def _path(self, number: int, row: Mapping[str, Any]) -> PlayedRecord:
        given = row.get(self.layout.roles["path"])
        said = self._common(row)
        if missing(said["outcome"]) or said["outcome"] == "":
            said["outcome"] = result_in(given)
            if given == "" and self.table.unit == "line":
                raise PositionError(f"{self.layout.roles['path']} is empty; a game without a move needs an outcome")
        return PlayedRecord(number, moves_of(given), **said, others=self._others(row))

    def _columns(self, number: int, row: Mapping[str, Any]) -> PlayedRecord:
        cells = [row.get(column) for column in self.layout.moves]
        ends = next((place for place, cell in enumerate(cells) if _nothing(cell)), len(cells))
        further = next((place for place in range(ends, len(cells)) if not _nothing(cells[place])), None)
        if further is not None:
            after, before = self.layout.moves[further], self.layout.moves[ends]
            raise PositionError(f"{after!r} has a move, but {before!r} before it has none")
        return PlayedRecord(number, list(map(move_of, cells[:ends])), **self._common(row), others=self._others(row))

    def _choice(self, number: int, row: Mapping[str, Any]) -> PlayedRecord:
        move = self._move(row) if "col" in self.layout.roles else move_of(row.get(self._column("move")))
        said: dict[str, Any] = {role: row.get(self._column(role)) for role in ("position", "code", "player")}
        return PlayedRecord(number, move=move, **said, others=self._others(row))

    def _common(self, row: Mapping[str, Any]) -> dict[str, Any]:
        said: dict[str, Any] = dict.fromkeys(_COMMON)
        for role, column in self._common_columns:
            said[role] = row.get(column)
        if self._winners and number_of(said["outcome"]) == 2:
            said["outcome"] = "player 2"
        return said

    def _others(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(map(row.get, self.others))

    def _move(self, row: Mapping[str, Any]) -> Any:
        """Return the move of a row: a cell, or the value of its column. Raises `PositionError`."""
        roles = self.layout.roles
        if "row" in roles:
            return CellMove(*(self._number(row, roles[role]) for role in ("row", "col")))
        move = row.get(roles.get("col") or roles["move"])
        if _nothing(move):
            raise PositionError("the move is missing")
        return move_of(move)

    def _number(self, row: Mapping[str, Any], column: str) -> int:
        """Return the number in a column. Raises `PositionError`."""
        value = row.get(column)
        number = number_of(value)
        if number is None:
            raise PositionError(f"{column} {'is missing' if _nothing(value) else f'{value!r} is not a number'}")
        return number

    # One move a row ---------------------------------------------------------------------------------------------------

    def _rows(self) -> Iterator[PlayedRecord | RowError]:
        """Yield the games assembled from single moves, in the order in which they begin."""
        games: dict[Any, _Begun] = {}
        roles, previous, key, moves = self.layout.roles, _Move(0, None, None, None), 0, 0
        for line, row in self.table.rows:
            if isinstance(row, RowError):
                yield row
                continue
            move, wrong = self._read_move(line, row)
            if "game" not in roles:
                key += move.begins_after(previous)
                previous = move
            name = name_of(row.get(roles["game"])) if "game" in roles else key
            if name is None:
                yield self.table.error(line, f"{roles['game']} is missing")
                continue
            moves += 1
            if moves > MOST_MOVES:
                what = f"more than {MOST_MOVES:,} moves, one a row, are too many to assemble"
                raise self.table.error(line, f"{what}; split the file, or write one game a row")
            if moves % SAID_EVERY == 0:
                tell_progress("moves read", moves, None)
            said, others = self._common(row), dict(zip(self.others, self._others(row), strict=True))
            game = games.setdefault(name, _Begun(line, said.copy(), others.copy()))
            game.add(move, said, others, wrong)
            for column in self._asked:
                if game.others[column] is None and not missing(row.get(column)):
                    advice = f"if it says who moved, add --columns player={column}"
                    game.refuse(line, f"{column} is {row[column]!r}, which differs within this game; {advice}")
        for name, game in games.items():
            if "number" in roles and not game.wrong:
                game.sort(f"game {name}" if "game" in roles else f"the game of line {game.line}", self._from_start)
            yield self.table.error(*game.wrong) if game.wrong else game.record()

    def _read_move(self, line: int, row: Mapping[str, Any]) -> tuple[_Move, str]:
        """Return the move of a row and what is wrong with it."""
        roles, move, number, wrong = self.layout.roles, None, None, ""
        try:
            number = self._number(row, roles["number"]) if "number" in roles else None
            move = self._move(row)
        except PositionError as error:
            wrong = str(error)
        return _Move(line, number, move, name_of(row.get(roles["player"])) if "player" in roles else None), wrong

    # Counting ---------------------------------------------------------------------------------------------------------

    def _counted(self, records: Iterator[PlayedRecord | RowError]) -> Iterator[PlayedRecord | RowError]:
        """Yield the records with all cells counted from 0."""
        held, rows, cols, numbers = list[PlayedRecord | RowError](), set[int](), set[int](), set[int]()
        for record in itertools.islice(records, PEEKED):
            held.append(record)
            for move in self._apart(record) or self._written(record):
                if isinstance(move, CellMove):
                    rows.add(move.row)
                    cols.add(move.col)
                elif (number := number_of(move)) is not None:
                    numbers.add(number)
            few = len(held) == FEW and not rows and self.layout.form in ("path", "choices")
            if few or 0 in rows or 0 in cols or 0 in numbers:
                break  # settled, or irrelevant
        self._settle(rows, cols, numbers)
        for record in itertools.chain(held, records):
            if not self._said and any(isinstance(move, CellMove) for move in self._apart(record)):
                self._said = f", counted from {self._base}"
            yield record if isinstance(record, RowError) else self._shifted(record)

    def _settle(self, rows: set[int], cols: set[int], numbers: set[int]) -> None:
        """Decide what numbers count from, given those of cells and moves seen so far."""
        notation, doubt = self.notation, ""
        no_zero = min({*rows, *cols, *numbers}, default=1) > 0
        codes = notation.pointing and not notation.own_numbers
        if self.layout.count is not None:
            self._base = self.layout.count
        elif rows:
            self._base = int(no_zero)
            full = max(rows) == notation.first_shape[0] or max(cols) == notation.first_shape[1]
            doubt = ", since there is no 0 (--columns count=0 counts from 0)" * (self._base and not full)
        else:
            self._base = int(codes and no_zero and max(numbers, default=-1) == notation.rules.largest_code + 1)
            doubtful = codes and no_zero and numbers and not self._base
            self.advice = "; if cells count from 1, add --columns count=1" if doubtful else ""
        if rows or self._base:
            self._said = f", counted from {self._base}{doubt}"

    def _apart(self, record: PlayedRecord | RowError) -> Sequence[Any]:
        """Return the moves of a record that are given separately."""
        if isinstance(record, RowError):
            return ()
        if self.layout.form == "choices":
            return (record.move,)
        return record.path if isinstance(record.path, list) else ()

    def _written(self, record: PlayedRecord | RowError) -> Sequence[Any]:
        """Return the moves of a record whose path is a text, with codes counted from 0."""
        if not isinstance(record, RowError) and isinstance(record.path, str):
            with contextlib.suppress(PositionError):
                return split_moves(record.path, self.notation)
        return ()

    def _shifted(self, record: PlayedRecord) -> PlayedRecord:
        if not self._base:
            return record
        if self.layout.form == "choices":
            return record._replace(move=recounted(record.move, self._base))
        path = self._written(record) if isinstance(record.path, str) else record.path
        return record._replace(path=[self._from_zero(move) for move in path]) if path else record

    def _from_zero(self, move: Any) -> Any:
        """Return a move of a path that counts from 1, with the number of a cell after a mark too."""
        marked = isinstance(move, str) and move[:1].upper() in self.notation.marks and move[1:].isdecimal()
        return f"{move[0]}{int(move[1:]) - self._base}" if marked else recounted(move, self._base)


def recounted(move: Any, base: int) -> Any:
    """Return a move that counts from ``base`` as `Judge` takes it, from 0.

    >>> recounted("9", 1), recounted(CellMove(1, 3), 1), recounted("b2", 1)
    (8, (0, 2), 'b2')
    """
    if isinstance(move, CellMove):
        return CellMove(move.row - base, move.col - base)
    number = number_of(move)
    return move if number is None else number - base


class _Move(NamedTuple):
    """A move that has a row of its own."""

    line: int
    number: int | None
    move: Any
    player: str | None

    def begins_after(self, before: _Move) -> bool:
        """Return whether a new game begins with this move; in chess both moves of a pair have one number."""
        if self.number is None or before.number is None or before.number < self.number:
            return False
        return before.number > self.number or before.player is None or self.player == before.player


@dataclasses.dataclass
class _Begun:
    """A game whose moves are being assembled."""

    line: int
    said: dict[str, Any]
    others: dict[str, Any]
    moves: list[_Move] = dataclasses.field(default_factory=list)
    wrong: tuple[int, str] | None = None

    def refuse(self, line: int, wrong: str) -> None:
        """Note an error unless there is an earlier one."""
        self.wrong = self.wrong or (line, wrong)

    def add(self, move: _Move, said: Mapping[str, Any], others: Mapping[str, Any], wrong: str) -> None:
        """Note a move and what its row says of the whole game; columns that differ within the game are cleared."""
        self.moves.append(move)
        if wrong:
            self.refuse(move.line, wrong)
        for role, value in said.items():
            if name_of(self.said[role]) is None:
                self.said[role] = value
            elif name_of(value) not in (None, name_of(self.said[role])):
                first = f"{self.said[role]!r} in line {self.line}, in the same game"
                self.refuse(move.line, f"{role} is {value!r} but {first}")
        for column, value in others.items():
            if value != self.others[column]:
                self.others[column] = None

    def record(self) -> PlayedRecord:
        """Return the whole game."""
        lines, _, moves, players = zip(*self.moves, strict=True)
        others = tuple(self.others.values())
        return PlayedRecord(lines[0], list(moves), **self.said, others=others, lines=lines, players=players)

    def sort(self, name: str, from_start: bool) -> None:
        """Sort the moves by number, which begin at 0 or 1; refuse others."""
        self.moves.sort(key=lambda move: move.number or 0)
        numbers = [move.number or 0 for move in self.moves]
        first = min(numbers[0], 1) if from_start else numbers[0]
        if self._in_pairs(numbers):
            numbers = [first + place for place in range(len(numbers))]
        for place, move in enumerate(self.moves):
            if place and numbers[place] == numbers[place - 1]:
                self.refuse(move.line, f"{name} has two moves numbered {move.number}")
            elif numbers[place] != first + place:
                self.refuse(move.line, f"{name} has a move {move.number} but no move {first + place}")

    def _in_pairs(self, numbers: Sequence[int]) -> bool:
        """Return whether both sides' moves share numbers, as in chess."""
        *pairs, last = Counter(numbers).items()
        whose = {move.player for move in self.moves[:2]}
        alike = all(times == 2 for _, times in pairs) and last[1] <= 2 and len({*numbers}) < len(numbers)
        return alike and (len(numbers) > 2 or len(whose) == 2) and last[0] - numbers[0] == len(pairs)


def moves_of(path: Any) -> Any:
    """Return the moves of a path as a list if it is one, or a text of one; otherwise the text without move numbers.

    >>> moves_of("[4, 0, 1]"), moves_of("1. b2 a1 2. c3"), moves_of("(1,1) (0,0)"), moves_of("0124")
    ([4, 0, 1], 'b2 a1 c3', [(1, 1), (0, 0)], '0124')
    """
    if hasattr(path, "tolist"):  # an array, such as data frames hold
        path = path.tolist()
    if isinstance(path, (list, tuple)):
        return [move_of(move) for move in path]
    if not isinstance(path, str) or path.isalnum():  # a backtracker, in most files
        return path
    text = path.strip()
    if _PAIRS(text):
        return [CellMove(int(match[1]), int(match[2])) for match in _EACH_PAIR(text)]
    if text[:1] in ("[", "("):
        with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            found = ast.literal_eval(text)
            return [move_of(move) for move in found] if isinstance(found, (list, tuple)) else path
        return path
    if _NUMBERED(text):
        result = _RESULT(text)
        return _NUMBER.sub("", text[: result.start()] if result else text).strip()
    return path


def result_in(path: Any) -> str | None:
    """Return the result at the end of numbered moves, or None.

    >>> result_in("1. b2 a1 2. c3 1-0"), result_in("0-1")
    ('1-0', None)
    """
    found = _RESULT(path.strip()) if isinstance(path, str) and not path.isalnum() and _NUMBERED(path.strip()) else None
    return found[1] if found else None


def move_of(move: Any) -> Any:
    """Return a `CellMove` for a pair of numbers or an object with a row and a column; anything else as it is.

    >>> move_of([1, 2]), move_of("(1,2)"), move_of({"row": 1, "col": 2}), move_of({"move": "b2"}), move_of("b2")
    ((1, 2), (1, 2), (1, 2), 'b2', 'b2')
    """
    if isinstance(move, str):
        found = _ONE_PAIR(move.strip())
        return CellMove(*(int(part) for part in found.groups() if part is not None)) if found else move
    if hasattr(move, "tolist"):
        move = move.tolist()
    if isinstance(move, (list, tuple)) and len(move) == 2 and all(type(part) is int for part in move):
        return CellMove(*move)
    if isinstance(move, Mapping):
        named = {plain(str(name)): value for name, value in move.items()}
        row, col, own = (next((named[n] for n in NAMES[role] if n in named), None) for role in ("row", "col", "move"))
        numbers = number_of(row), number_of(col)
        if numbers[0] is not None and numbers[1] is not None:
            return CellMove(numbers[0], numbers[1])
        return move if own is None else own
    return move


def cell_code(notation: Notation, cell: CellMove, state: int) -> int:
    """Return the code of the legal move made in a ``cell``; rows count from 0 at the top or, where pieces fall, from
    the bottom too. Raises `PositionError` where there is none, or several.
    """
    rows, cols = notation.shape(state)
    if not rows or not notation.pointing:
        raise PositionError(f"{cell!r} is a row and a column, but moves of {notation.game.spec} are not single cells")
    if not (0 <= cell.row < rows and 0 <= cell.col < cols):
        raise PositionError(f"row {cell.row}, column {cell.col}, counted from 0, is off the board")
    wanted = {cell.row * cols + cell.col}
    if notation.falling:
        wanted.add((rows - 1 - cell.row) * cols + cell.col)
    found = [move for move in notation.legal(state) if move.cell in wanted]
    if len(found) == 1:
        return found[0].code
    where = notation.coordinate(cell.row * cols + cell.col, state)
    if found:
        names = " or ".join(move.own for move in found)
        raise PositionError(f"row {cell.row}, column {cell.col} is {where}, which could be {names}")
    raise PositionError(f"no legal move at {where} (row {cell.row}, column {cell.col}, counted from 0)")


def _nothing(cell: Any) -> bool:
    return missing(cell) or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)
