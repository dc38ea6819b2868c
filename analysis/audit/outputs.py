"""A row for every judged move, streamed to CSV, JSON lines or Parquet; the file is complete or absent.

Few moves of a block differ, so that each different one is written out once and then repeated.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from analysis.audit.audit_records import CHOICE_SCHEMA, HEADS, MOVE_SCHEMA, Recorder
from analysis.audit.inputs import missing
from analysis.audit.judge import Verdict
from analysis.audit.judged_choices import JudgedChoice
from analysis.audit.judged_games import JudgedGame
from analysis.errors import OptionError
from analysis.machine.files import check_target
from analysis.rules.counting import counting_from
from analysis.storage.row_files import Write, row_file, text_column

SUFFIXES = (".csv", ".jsonl", ".parquet")

BLOCK = 1 << 16
"""Rows that are written at a time, about."""


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


class MoveFile:
    """Where the rows go."""

    def __init__(self, recorder: Recorder, schema: pa.Schema, write: Write) -> None:
        self._recorder, self._schema, self._write = recorder, schema, write
        self._heads: list[tuple[Any, ...]] = []
        self._places: list[int] = []
        self._known: dict[Verdict, int] = {}
        self.rows = 0
        """How many there are."""

    def add(self, number: int, judged: JudgedGame | JudgedChoice) -> None:
        """All moves of the game with this number, or a choice, unless play never comes to its position."""
        for verdict in judged.verdicts:
            player = judged.x if verdict.before.mover > 0 else judged.o
            self._heads.append((number, judged.row, player, *judged.others))
            self._places.append(self._known.setdefault(verdict, len(self._known)))
        self.rows += len(judged.verdicts)
        if len(self._places) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write what has been handed in, with codes, which count from 0."""
        names = (*HEADS, *self._recorder.others)
        heads = {name: [head[place] for head in self._heads] for place, name in enumerate(names)}
        with counting_from(0):
            moves = [self._recorder.move(verdict) for verdict in self._known]
        places = pa.array(self._places, pa.int64())
        columns = [
            _column(heads[name], kind) if name in heads else _column([move[name] for move in moves], kind).take(places)
            for name, kind in zip(self._schema.names, self._schema.types, strict=True)
        ]
        self._write(pa.table(columns, schema=self._schema))
        self._heads, self._places, self._known = [], [], {}


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if not pa.types.is_string(kind):
        return pa.array(values, kind)
    return text_column([None if missing(value) else str(value) for value in values])


@contextlib.contextmanager
def move_file(path: Path, recorder: Recorder, *, games: bool) -> Iterator[MoveFile]:
    """A file of judged moves, of ``games`` or of choices; its suffix, which `check_out` knows, is the format. Raises
    `StoreError`.
    """
    schema = MOVE_SCHEMA if games else CHOICE_SCHEMA
    for name in recorder.others:
        schema = schema.append(pa.field(name, pa.string()))
    if path.suffix.lower() == ".csv":  # as Python spells truth values, which it always did here
        schema = schema.set(schema.get_field_index("optimal"), pa.field("optimal", pa.string()))
    with row_file(path, schema) as write:
        rows = MoveFile(recorder, schema, write)
        yield rows
        rows.flush()
