"""Turn judged moves and games into rows of plain values for JSON, CSV and Parquet, and write files of them."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import OptionError
from ..machine.files import check_target
from ..solution.storage.row_files import Write, row_file, text_column
from .judge import Judge, Verdict
from .judged import JudgedChoice, JudgedGame
from .tables import missing

SUFFIXES = (".csv", ".jsonl", ".parquet")

BLOCK = 1 << 16
"""Rows written at a time, about."""

MOVE_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("game", "row"), pa.int64()),
        "player": pa.string(),
        "side": pa.string(),
        "ply": pa.int32(),
        "position": pa.string(),
        "code": pa.int32(),
        "name": pa.string(),
        **dict.fromkeys(("value_before", "value_after"), pa.int32()),
        "value_lost": pa.int64(),
        **dict.fromkeys(("remoteness_before_plies", "remoteness_after_plies"), pa.int32()),
        "remoteness_lost_plies": pa.int64(),
        "optimal": pa.bool_(),
        "best_moves": pa.string(),
    }
)
"""The columns of judged moves. ``name`` is the code in the game's own notation, ``best_moves`` are the codes that keep
the value, separated by spaces; values are the first player's, losses the mover's; unknown is null. With ``position``
and ``code``, rows can be judged again.
"""

HEADS = tuple(MOVE_SCHEMA.names[:3])
"""The first of these columns, which say whose move it is: `Recorder.move` has the others."""

GAME_COLUMNS = (
    "game", "row", "x", "o", "path", "outcome", "plies", "x_mistakes", "o_mistakes", "x_value_lost", "o_value_lost",
    "x_remoteness_lost_plies", "o_remoteness_lost_plies", "thrown_away_by", "first_mistake_ply", "first_mistake_side",
    "first_mistake_position", "first_mistake_code", "first_mistake_name", "first_mistake_value_lost",
    "first_mistake_best_moves", "resigned", "x_unknown", "o_unknown", "exact_from_ply",
)  # fmt: skip
"""The columns of a judged game in CSV; ``row`` is the line or row of the file, ``game`` counts from 0."""

CHOICE_SCHEMA = pa.schema([field for field in MOVE_SCHEMA if field.name not in ("game", "ply")])
"""The columns of judged choices, a subset of `MOVE_SCHEMA`."""

CHOICE_COLUMNS = tuple(CHOICE_SCHEMA.names)
"""The columns of a judged choice in CSV. For unreachable positions only row, player, position and code are filled."""

OWN_COLUMNS = {*GAME_COLUMNS, *MOVE_SCHEMA.names, "first_mistake"}
"""The columns of our rows in any format."""
_OURS = {"value_before", "value_lost", "remoteness_lost_plies", "best_moves"}
"""A file with all of these columns was written here."""


def further_columns(columns: Sequence[str], read: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a file that are not read; in a file that was written here, without those that are made
    again.

    >>> further_columns(["path", "student"], ["path", "x", "o"])
    ('student',)
    """
    known = {*read, *OWN_COLUMNS} if {*columns} >= _OURS else {*read}
    return tuple(column for column in columns if column not in known)


class Recorder:
    """Makes rows, with a cache of those of moves. Columns that were not read, ``others``, keep their names or, where
    ours have the same, get the prefix ``given_``.

    >>> from analysis.audit.judge import find_judge
    >>> Recorder(find_judge("tictactoe"), ["student", "name"]).others
    ('student', 'given_name')
    """

    def __init__(self, judge: Judge, others: Sequence[str] = ()) -> None:
        self.judge = judge
        self.others = tuple(f"given_{name}" if name in OWN_COLUMNS else name for name in others)
        self.game_columns = (*GAME_COLUMNS, *self.others)
        self.choice_columns = (*CHOICE_COLUMNS, *self.others)
        self.move = functools.lru_cache(maxsize=1 << 16)(self._move)
        """``move(verdict)``: the columns of `MOVE_SCHEMA` after `HEADS`."""

    def _move(self, verdict: Verdict) -> dict[str, Any]:
        before, after = verdict.before, verdict.after
        best = self.judge.best_moves(before.state)
        values = (
            verdict.side,
            before.ply,
            self.judge.text(before),
            verdict.code,
            self.judge.game.format_move(verdict.code),
            before.value,
            after.value,
            verdict.value_lost,
            before.remoteness_plies,
            after.remoteness_plies,
            verdict.remoteness_lost_plies,
            verdict.optimal,
            None if best is None else " ".join(map(str, best)),
        )
        return dict(zip(MOVE_SCHEMA.names[len(HEADS) :], values, strict=True))

    def mistake(self, verdict: Verdict) -> dict[str, Any]:
        """Return a mistake and the moves that would have kept the value, None where these are not known."""
        row, best = self.move(verdict), self.judge.best_moves(verdict.before.state)
        kept = ("ply", "side", "position", "code", "name", "value_lost")
        codes = None if best is None else [*best]
        names = None if codes is None else [self.judge.game.format_move(code) for code in codes]
        return {**{name: row[name] for name in kept}, "best_moves": codes, "best_names": names}

    def game(self, number: int, game: JudgedGame) -> dict[str, Any]:
        """Return a game as JSON; the first mistake is an object of its own."""
        first, lost = game.first_mistake, {side: game.lost(side) for side in "XO"}
        timed = self.judge.tells_remoteness
        return {
            "game": number,
            **{name: getattr(game, name) for name in ("row", "x", "o", "path", "outcome")},
            "plies": game.plies,
            **{f"{side.lower()}_unknown": game.unknown(side) for side in "XO"},
            "exact_from_ply": game.exact_from_ply,
            **{f"{side.lower()}_mistakes": lost[side][0] for side in "XO"},
            **{f"{side.lower()}_value_lost": lost[side][1] for side in "XO"},
            **{f"{side.lower()}_remoteness_lost_plies": lost[side][2] if timed else None for side in "XO"},
            "thrown_away_by": game.thrown_away(),
            "first_mistake": None if first is None else self.mistake(first),
            "resigned": game.resigned,
            **self.kept(game.others),
        }

    def flat_game(self, number: int, game: JudgedGame) -> dict[str, Any]:
        """Return a game with the columns of `GAME_COLUMNS`."""
        row = self.game(number, game)
        first = row.pop("first_mistake") or {}
        row["thrown_away_by"] = " ".join(row["thrown_away_by"])
        row |= {name: first.get(name.removeprefix("first_mistake_")) for name in GAME_COLUMNS if name not in row}
        if first.get("best_moves"):
            row["first_mistake_best_moves"] = " ".join(map(str, first["best_moves"]))
        return row

    def choice(self, choice: JudgedChoice) -> dict[str, Any]:
        """Return a choice with the columns of `CHOICE_COLUMNS`."""
        row = {} if choice.verdict is None else self.move(choice.verdict)
        said = {"row": choice.row, "player": choice.player, "position": choice.position, "code": choice.code}
        return {name: said.get(name, row.get(name)) for name in CHOICE_COLUMNS} | self.kept(choice.others)

    def kept(self, others: Sequence[Any]) -> dict[str, Any]:
        """Return the values in columns that were not read, by their names in our rows."""
        return {name: plain(value) for name, value in zip(self.others, others, strict=bool(others))}


def plain(value: Any) -> str | int | float | bool | None:
    """Return a value for JSON: text for anything but numbers, booleans and missing values."""
    if missing(value) or isinstance(value, (str, bool, int, float)):
        return None if missing(value) else value
    return str(value)


def check_out(path: Path, rows: Any) -> None:
    """Raise `OptionError` for an unknown suffix or the file of ``rows``, `StoreError` for a missing directory."""
    check_target(path, SUFFIXES, "moves")
    if not isinstance(rows, (str, Path)):
        return
    try:
        given = os.fstat(sys.stdin.fileno()) if str(rows) == "-" else Path(rows).stat()
        same = stat.S_ISREG(given.st_mode) and os.path.samestat(given, path.stat())
    except (AttributeError, OSError, ValueError):  # one of them does not exist, or is not a file
        return
    if same:
        raise OptionError(f"--out {path} is the file to be judged; choose another name")


class MoveFile:
    """Writes rows of judged moves. Few moves of a block differ, so each is converted once and then repeated."""

    def __init__(self, recorder: Recorder, schema: pa.Schema, write: Write) -> None:
        self._recorder, self._schema, self._write = recorder, schema, write
        self._heads: list[tuple[Any, ...]] = []
        self._places: list[int] = []
        self._known: dict[Verdict, int] = {}
        self.rows = 0
        """Number of rows so far."""

    def add(self, number: int, judged: JudgedGame | JudgedChoice) -> None:
        """Add all moves of the game with this number, or a choice unless its position is unreachable."""
        for verdict in judged.verdicts:
            player = judged.x if verdict.before.mover > 0 else judged.o
            self._heads.append((number, judged.row, player, *judged.others))
            self._places.append(self._known.setdefault(verdict, len(self._known)))
        self.rows += len(judged.verdicts)
        if len(self._places) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        names = (*HEADS, *self._recorder.others)
        heads = {name: [head[place] for head in self._heads] for place, name in enumerate(names)}
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
    """Open a file of judged moves, of ``games`` or of choices, in the format of its suffix. Raises `StoreError`."""
    schema = MOVE_SCHEMA if games else CHOICE_SCHEMA
    for name in recorder.others:
        schema = schema.append(pa.field(name, pa.string()))
    if path.suffix.lower() == ".csv":  # keeps Python's spelling of booleans
        schema = schema.set(schema.get_field_index("optimal"), pa.field("optimal", pa.string()))
    with row_file(path, schema) as write:
        rows = MoveFile(recorder, schema, write)
        yield rows
        rows.flush()
