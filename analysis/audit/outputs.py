"""A row for every judged move, streamed to CSV, JSON lines or Parquet; the file is complete or absent.

Few moves of a block differ, so that each different one is written out once and then repeated.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from analysis.audit.audit_records import CHOICE_COLUMNS, MOVE_COLUMNS, Recorder
from analysis.audit.judge import Verdict
from analysis.audit.judged_choices import JudgedChoice
from analysis.audit.judged_games import JudgedGame
from analysis.errors import OptionError
from analysis.machine.files import as_store_error, atomic_file, check_target

SUFFIXES = (".csv", ".jsonl", ".parquet")

GAME_MOVE_COLUMNS = ("game", "row", "player", *MOVE_COLUMNS)

BLOCK = 1 << 16
"""Rows that are written at a time."""

_TEXT = ("player", "side", "position", "name", "best_moves")
_SMALL = ("value_before", "value_after", "ply", "remoteness_before_plies", "remoteness_after_plies", "code")


def check_out(path: Path, rows: Any) -> None:
    """Raise `OptionError` for a file whose suffix says no format, and for the one that ``rows`` are read from;
    `StoreError` where there is no directory for it.
    """
    check_target(path, SUFFIXES, "moves")
    if not isinstance(rows, (str, Path)):
        return
    try:
        given = os.fstat(sys.stdin.fileno()) if str(rows) == "-" else Path(rows).stat()
        same = stat.S_ISREG(given.st_mode) and os.path.samestat(given, path.stat())
    except (AttributeError, OSError, ValueError):  # one of them is not there, or no file
        return
    if same:
        raise OptionError(f"--out {path} is the file that is judged; name another")


class JudgedRows(NamedTuple):
    """Some rows."""

    heads: list[tuple[Any, ...]]
    """Of each row, its values of the columns before ``side``."""
    moves: list[tuple[Any, ...]]
    """The different judged moves: values of the columns from ``side`` on."""
    places: list[int]
    """Of each row, the index of its move."""


Write = Callable[[JudgedRows], None]


class MoveFile:
    """Where the rows go; `add_game` and `add_choice` hand them in."""

    def __init__(self, recorder: Recorder, columns: Sequence[str], write: Write) -> None:
        self._recorder, self._write = recorder, write
        self._columns = columns[columns.index("side") :]
        self._block, self._known = JudgedRows([], [], []), dict[Verdict, int]()
        self.rows = 0
        """How many there are."""

    def add_game(self, number: int, game: JudgedGame) -> None:
        """All moves of a game."""
        for verdict in game.verdicts:
            self._add((number, game.row, game.x if verdict.before.mover > 0 else game.o), verdict)

    def add_choice(self, choice: JudgedChoice) -> None:
        """A choice, unless play never comes to its position."""
        if choice.verdict is not None:
            self._add((choice.row, choice.player), choice.verdict)

    def flush(self) -> None:
        """Write what has been handed in."""
        if self._block.places:
            self._write(self._block)
        self._block, self._known = JudgedRows([], [], []), {}

    def _add(self, head: tuple[Any, ...], verdict: Verdict) -> None:
        place = self._known.get(verdict)
        if place is None:
            place = self._known[verdict] = len(self._known)
            row = self._recorder.move(verdict)
            self._block.moves.append(tuple(row[column] for column in self._columns))
        self._block.heads.append(head)
        self._block.places.append(place)
        self.rows += 1
        if len(self._block.places) >= BLOCK:
            self.flush()


@contextlib.contextmanager
def move_file(path: Path, recorder: Recorder, *, games: bool) -> Iterator[MoveFile]:
    """A file of judged moves; its suffix, which `check_out` knows, is the format. Raises `StoreError`."""
    columns = GAME_MOVE_COLUMNS if games else CHOICE_COLUMNS
    with atomic_file(path) as file, _WRITERS[path.suffix.lower()](path, file, columns) as write:
        rows = MoveFile(recorder, columns, write)
        yield rows
        rows.flush()


@contextlib.contextmanager
def _csv(path: Path, file: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    name = functools.lru_cache(maxsize=1 << 10)(lambda player: _csv_line([player, ""])[:-1])  # quoted where need be

    def write(block: JudgedRows) -> None:
        moves = list(map(_csv_line, block.moves))
        rows = zip(block.heads, block.places, strict=True)
        lines = (f"{','.join(map(str, head[:-1]))},{name(head[-1])},{moves[place]}\n" for head, place in rows)
        file.write("".join(lines).encode())

    file.write(f"{','.join(columns)}\n".encode())
    yield write


def _csv_line(values: Sequence[Any]) -> str:
    """Without its end.

    >>> _csv_line(["a,b", None, 1])
    '"a,b",,1'
    """
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


@contextlib.contextmanager
def _jsonl(path: Path, file: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    side = columns.index("side")

    def write(block: JudgedRows) -> None:
        moves = [json.dumps(dict(zip(columns[side:], values, strict=True)))[1:] for values in block.moves]
        heads = (json.dumps(dict(zip(columns[:side], values, strict=True)))[:-1] for values in block.heads)
        rows = zip(heads, block.places, strict=True)
        file.write("".join(f"{head}, {moves[place]}\n" for head, place in rows).encode())

    yield write


@contextlib.contextmanager
def _parquet(path: Path, file: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def kind(column: str) -> Any:
        if column in _TEXT:
            return pa.string()
        return pa.bool_() if column == "optimal" else pa.int32() if column in _SMALL else pa.int64()

    kinds = list(map(kind, columns))
    schema, side = pa.schema(list(zip(columns, kinds, strict=True))), columns.index("side")

    def write(block: JudgedRows) -> None:
        places = pa.array(block.places)
        heads = [pa.array([head[i] for head in block.heads], kinds[i]) for i in range(side)]
        moves = [pa.array([move[i - side] for move in block.moves], kinds[i]) for i in range(side, len(kinds))]
        writer.write_table(pa.table([*heads, *(column.take(places) for column in moves)], schema=schema))

    with as_store_error(path), pq.ParquetWriter(file, schema, compression="zstd") as writer:
        yield write


_WRITERS = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
