"""Games and choices of a table one by one, whatever its layout: moves a row are put together, cells counted from 0."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis.audit.headers import WINNERS, plain
from analysis.audit.inputs import RowError, Rows, missing, name_of
from analysis.audit.layouts import Layout
from analysis.audit.move_texts import Cell, move_of, moves_of, number_of, result_in
from analysis.machine.workers import Progress, no_progress
from analysis.rules.counting import first_number
from analysis.rules.notation import Notation

PEEKED = 1 << 14
"""Rows that are looked at before it is decided what cells are counted from."""

FEW = 100
"""Rows after which none is expected to have cells by row and column if none had before."""

MOST_MOVES = 1 << 22
"""Moves, one a row, that are put together; each takes some 400 bytes."""

SAID_EVERY = 1 << 16
"""Of these moves, between two words of progress."""

_NOTHING = frozenset(("", "?", "-", "--", ".", "na", "n/a", "nan", "none", "null"))
"""What a column of a move holds where the game has ended, in small letters."""


_COMMON = ("x", "o", "outcome", "side", "outcome_o")
"""The roles of what is said of a whole game."""


class GameRecord(NamedTuple):
    """A game as it was read."""

    number: int
    """The line or row that it begins at."""
    path: Any
    x: Any = None
    o: Any = None
    outcome: Any = None
    side: Any = None
    """Who says how it ended."""
    outcome_o: Any = None
    """How it ended for O."""
    others: tuple[Any, ...] = ()
    lines: Sequence[int] = ()
    """The line of each move, where each has its own."""
    players: Sequence[Any] = ()
    """Who made each move, where that was said."""


class ChoiceRecord(NamedTuple):
    """A choice as it was read."""

    number: int
    position: Any
    move: Any = None
    code: Any = None
    """Counts before the move."""
    player: Any = None
    others: tuple[Any, ...] = ()


Record = GameRecord | ChoiceRecord


class Reading:
    """The records of a table, which are read once."""

    def __init__(
        self,
        table: Rows,
        layout: Layout,
        notation: Notation,
        others: Sequence[str] = (),
        *,
        asked: Collection[str] = (),
        from_start: bool = True,
        progress: Progress = no_progress,
    ) -> None:
        self.from_start = from_start
        """Whether games begin where the game does, so that their first move is numbered 0 or 1."""
        self._asked = [
            place for place, name in enumerate(others) if name in asked and name != layout.roles.get("player")
        ]
        self.table, self.layout, self.notation, self.others = table, layout, notation, tuple(others)
        self._progress = progress
        self._common_columns = [(role, name) for role in _COMMON if (name := self._column(role))]
        self._winners = plain(layout.roles.get("outcome", "")) in WINNERS
        self._base, self._said = 0, ""

    def error(self, number: int, problem: object) -> RowError:
        """An error that says where it is."""
        return self.table.error(number, problem)

    @property
    def recognised(self) -> str:
        """What was recognised, in one line; complete once all records were read."""
        return "; ".join([self.layout.said(self._said), *self.table.notes])

    @property
    def unusual(self) -> bool:
        """Whether anybody need be told of it."""
        return not self.layout.usual or bool(self._said) or bool(self.table.notes)

    def __iter__(self) -> Iterator[Record | RowError]:
        if self.layout.form == "rows":
            return self._counted(self._rows())
        make = {"path": self._path, "columns": self._columns, "choices": self._choice}[self.layout.form]
        rows = self.table.rows
        return self._counted(row if isinstance(row, RowError) else make(number, row) for number, row in rows)

    def _column(self, role: str) -> str:
        """The column of a role; one that only later rows have is called as the role."""
        return self.layout.roles.get(role) or (role if role not in self.table.columns else "")

    # Layouts ----------------------------------------------------------------------------------------------------------

    def _path(self, number: int, row: Mapping[str, Any]) -> GameRecord:
        given = row.get(self.layout.roles["path"])
        x, o, outcome, side, outcome_o = self._common(row).values()
        if missing(outcome) or outcome == "":
            outcome = result_in(given)
        return GameRecord(number, moves_of(given), x, o, outcome, side, outcome_o, self._others(row))

    def _columns(self, number: int, row: Mapping[str, Any]) -> GameRecord | RowError:
        cells = [row.get(column) for column in self.layout.moves]
        ends = next((place for place, cell in enumerate(cells) if _nothing(cell)), len(cells))
        further = next((place for place in range(ends, len(cells)) if not _nothing(cells[place])), None)
        if further is not None:
            after, before = self.layout.moves[further], self.layout.moves[ends]
            return self.error(number, f"there is a move in {after!r}, and none in {before!r}")
        return GameRecord(
            number, [move_of(cell) for cell in cells[:ends]], **self._common(row), others=self._others(row)
        )

    def _choice(self, number: int, row: Mapping[str, Any]) -> ChoiceRecord | RowError:
        roles = self.layout.roles
        move = self._move(row) if "col" in roles else move_of(row.get(self._column("move")))
        if isinstance(move, _Wrong):
            return self.error(number, move)
        code, player = (row.get(self._column(role)) for role in ("code", "player"))
        return ChoiceRecord(number, row.get(roles["position"]), move, code, player, self._others(row))

    def _common(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What is said of a whole game."""
        said: dict[str, Any] = dict.fromkeys(_COMMON)
        for role, column in self._common_columns:
            said[role] = row.get(column)
        if self._winners and number_of(said["outcome"]) == 2:
            said["outcome"] = "player 2"
        return said

    def _others(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(map(row.get, self.others))

    def _move(self, row: Mapping[str, Any]) -> Any:
        """The move of a row: a cell, or what its column holds."""
        roles = self.layout.roles
        if "row" not in roles:
            move = row.get(roles.get("col") or roles["move"])
            return _Wrong("the move is missing") if _nothing(move) else move_of(move)
        place = [row.get(roles[role]) for role in ("row", "col")]
        numbers = [number_of(value) for value in place]
        for role, value, number in zip(("row", "col"), place, numbers, strict=True):
            if number is None:
                return _Wrong(f"{roles[role]} {'is missing' if _nothing(value) else f'{value!r} is no number'}")
        return Cell(numbers[0] or 0, numbers[1] or 0)

    # One move a row ---------------------------------------------------------------------------------------------------

    def _rows(self) -> Iterator[Record | RowError]:
        """The games that moves of a row each make, in the order in which they begin."""
        games: dict[Any, _Begun] = {}
        previous: tuple[int | None, str | None] = None, None
        key, moves = 0, 0
        for line, row in self.table.rows:
            if isinstance(row, RowError):
                yield row
                continue
            move = _read_move(line, row, self.layout, self._move(row))
            if "game" not in self.layout.roles:
                key += move.begins_after(*previous)
                previous = move.number, move.player
            name = name_of(row.get(self.layout.roles["game"])) if "game" in self.layout.roles else key
            if name is None:
                yield self.error(line, f"{self.layout.roles['game']} is missing")
                continue
            moves += 1
            if moves > MOST_MOVES:
                what = f"more than {MOST_MOVES:,} moves, one a row, are too many to put together"
                raise self.error(line, f"{what}; split the file, or write a game a row")
            if moves % SAID_EVERY == 0:
                self._progress("moves read", moves, None)
            said, others = self._common(row), self._others(row)
            if name not in games:
                games[name] = _Begun(line, said, list(others))
            games[name].add(move, said, others)
            self._check_asked(games[name], move, row)
        for name, game in games.items():
            yield self._game(f"game {name}" if "game" in self.layout.roles else f"the game of line {game.line}", game)

    def _check_asked(self, game: _Begun, move: _Move, row: Mapping[str, Any]) -> None:
        """Note where a column that games are added up by differs within one."""
        for place in self._asked:
            column = self.others[place]
            if game.others[place] is None and not missing(row.get(column)) and game.wrong is None:
                advice = f"if it says who moved, add --columns player={column}"
                game.wrong = move.line, f"{column} is {row[column]!r}, and differs within this game; {advice}"

    def _game(self, name: str, game: _Begun) -> GameRecord | RowError:
        wrong = game.wrong or ("number" in self.layout.roles and game.sort(name, self.from_start))
        if wrong:
            return self.error(*wrong)
        moves = game.moves
        lines, players = [move.line for move in moves], [move.player for move in moves]
        return GameRecord(
            lines[0],
            [move.move for move in moves],
            **game.said,
            others=tuple(game.others),
            lines=lines,
            players=players,
        )

    # Counting ---------------------------------------------------------------------------------------------------------

    def _counted(self, records: Iterator[Record | RowError]) -> Iterator[Record | RowError]:
        """The records with cells counted from 0, whatever they were counted from."""
        seen, held = _Range(), list[Record | RowError]()
        for record in itertools.islice(records, PEEKED):
            held.append(record)
            for move in _countable(record):
                seen.add(move)
            if seen.least == 0 or (len(held) == FEW and not seen.cells and self.layout.form in ("path", "choices")):
                break  # it is known, or does not matter
        self._settle(seen)
        for record in itertools.chain(held, records):
            if not self._said and any(isinstance(move, Cell) for move in _moves(record)):
                self._said = f", counted from {self._base}"
            yield record if isinstance(record, RowError) else self._shifted(record)

    def _settle(self, seen: _Range) -> None:
        """Decide what numbers count from."""
        notation, doubt = self.notation, ""
        codes = self.layout.form in ("rows", "columns") and notation.pointing and not notation.own_numbers
        if self.layout.count is not None or first_number():
            self._base = first_number() if self.layout.count is None else self.layout.count
        elif seen.cells:
            self._base = int(seen.least > 0)
            full = seen.row[1] == notation.first_shape[0] or seen.col[1] == notation.first_shape[1]
            doubt = ", since there is no 0 (--columns count=0 counts from 0)" * (self._base and not full)
        else:
            self._base = int(codes and seen.least > 0 and seen.number[1] == notation.rules.largest_code + 1)
        if seen.cells or self._base:
            self._said = f", counted from {self._base}{doubt}"

    def _shifted(self, record: Record) -> Record:
        if self._base == first_number() == 0:
            return record
        if isinstance(record, ChoiceRecord):
            return record._replace(move=recounted(record.move, self._base))
        if isinstance(record.path, list):
            return record._replace(path=[recounted(move, self._base) for move in record.path])
        return record


def recounted(move: Any, base: int) -> Any:
    """A move that counts from ``base`` as `Judge` takes it: cells from 0, numbers from where texts count.

    >>> recounted("9", 1), recounted(Cell(1, 3), 1), recounted("b2", 1)
    (8, (0, 2), 'b2')
    """
    if isinstance(move, Cell):
        return Cell(move.row - base, move.col - base)
    number = number_of(move) if base != first_number() else None
    return move if number is None else number - base + first_number()


class _Wrong(str):
    """What is wrong with a move."""


class _Move(NamedTuple):
    """One move of a row, and what is wrong with it."""

    line: int
    number: int | None
    move: Any
    player: str | None
    wrong: str | None

    def begins_after(self, number: int | None, player: str | None) -> bool:
        """Whether a game begins here, by the number and the player of the move before: chess numbers a pair alike."""
        if self.number is None or number is None:
            return False
        return self.number < number or (self.number == number and (player is None or self.player == player))


def _read_move(line: int, row: Mapping[str, Any], layout: Layout, move: Any) -> _Move:
    column = layout.roles.get("number")
    given = None if column is None else row.get(column)
    number, wrong = number_of(given), str(move) if isinstance(move, _Wrong) else None
    if column is not None and number is None:
        wrong = f"{column} {given!r} is no number"
    return _Move(line, number, move, name_of(row.get(layout.roles.get("player", ""))), wrong)


@dataclasses.dataclass
class _Begun:
    """A game whose moves are being put together."""

    line: int
    said: dict[str, Any]
    others: list[Any]
    moves: list[_Move] = dataclasses.field(default_factory=list)
    wrong: tuple[int, str] | None = None

    def add(self, move: _Move, said: Mapping[str, Any], others: Sequence[Any]) -> None:
        """Note a move, and what its row says of the whole game; what differs among the rows is said of none."""
        self.moves.append(move)
        if move.wrong and self.wrong is None:
            self.wrong = move.line, move.wrong
        for role, value in said.items():
            if name_of(self.said[role]) is None:
                self.said[role] = value
            elif name_of(value) not in (None, name_of(self.said[role])) and self.wrong is None:
                self.wrong = move.line, f"{role} is {value!r}, and {self.said[role]!r} in line {self.line} of this game"
        for place, value in enumerate(others):
            if value != self.others[place]:
                self.others[place] = None

    def sort(self, name: str, from_start: bool) -> tuple[int, str] | None:
        """Put the moves in the order of their numbers, which begin at 0 or 1 if the game is told ``from_start``; the
        line and the reason where that is none.
        """
        self.moves.sort(key=lambda move: move.number or 0)
        numbers = [move.number or 0 for move in self.moves]
        first = min(numbers[0], 1) if from_start else numbers[0]
        if self._in_pairs(numbers):
            numbers = [first + place for place in range(len(numbers))]
        for place, move in enumerate(self.moves):
            if place and numbers[place] == numbers[place - 1]:
                return move.line, f"{name} has two moves {move.number}"
            if numbers[place] != first + place:
                return move.line, f"{name} has a move {move.number}, and none {first + place}"
        return None

    def _in_pairs(self, numbers: Sequence[int]) -> bool:
        """Whether a move of each side has the same number, as in chess."""
        *pairs, last = Counter(numbers).items()
        whose = {move.player for move in self.moves[:2]}
        alike = all(times == 2 for _, times in pairs) and last[1] <= 2 and len({*numbers}) < len(numbers)
        return alike and (len(numbers) > 2 or len(whose) == 2) and last[0] - numbers[0] == len(pairs)


def _nothing(cell: Any) -> bool:
    return missing(cell) or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)


class _Range:
    """From what to what rows, columns and numbers go."""

    def __init__(self) -> None:
        self.row, self.col, self.number = ([1 << 30, -1] for _ in range(3))

    @property
    def cells(self) -> bool:
        """Whether there are cells by row and column."""
        return self.row[1] >= 0

    @property
    def least(self) -> int:
        """The least number of all."""
        return min(self.row[0], self.col[0], self.number[0])

    def add(self, move: Cell | int) -> None:
        """Note a move."""
        pairs = ((self.row, move.row), (self.col, move.col)) if isinstance(move, Cell) else ((self.number, move),)
        for ends, number in pairs:
            ends[0], ends[1] = min(ends[0], number), max(ends[1], number)


def _countable(record: Record | RowError) -> list[Cell | int]:
    """The moves of a record that are counted from something."""
    found = [move if isinstance(move, Cell) else number_of(move) for move in _moves(record)]
    return [move for move in found if move is not None]


def _moves(record: Record | RowError) -> Sequence[Any]:
    """The moves of a record that are apart."""
    if isinstance(record, GameRecord):
        return record.path if isinstance(record.path, list) else ()
    return [record.move] if isinstance(record, ChoiceRecord) else ()
