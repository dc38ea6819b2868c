"""Judged moves and games as rows: dicts of plain values that JSON, CSV and Parquet can hold."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa

from analysis.audit.inputs import missing
from analysis.audit.judge import Judge, Verdict
from analysis.audit.judged_choices import JudgedChoice
from analysis.audit.judged_games import JudgedGame
from analysis.rules.counting import first_number, recounted
from analysis.rules.notation import move_name

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
"""The columns of judged moves. ``name`` is a move's code in the game's own notation, ``best_moves`` are the codes that
keep the value, apart by spaces; values are the first player's, losses the mover's; what is not known is null. With
``position`` and ``code``, rows can be judged again.
"""

HEADS = tuple(MOVE_SCHEMA.names[:3])
"""Of these columns those that say whose move it is: `Recorder.move` has the others."""

GAME_COLUMNS = (
    "game", "row", "x", "o", "path", "outcome", "plies", "x_mistakes", "o_mistakes", "x_value_lost", "o_value_lost",
    "x_remoteness_lost_plies", "o_remoteness_lost_plies", "thrown_away_by", "first_mistake_ply", "first_mistake_side",
    "first_mistake_position", "first_mistake_code", "first_mistake_name", "first_mistake_value_lost",
    "first_mistake_best_moves", "resigned", "x_unknown", "o_unknown", "exact_from_ply",
)  # fmt: skip
"""Of a judged game, in CSV; ``row`` is the line or row of the file, ``game`` counts from 0."""

CHOICE_SCHEMA = pa.schema([field for field in MOVE_SCHEMA if field.name not in ("game", "ply")])
"""The columns of judged choices, as `MOVE_SCHEMA` has them."""

CHOICE_COLUMNS = tuple(CHOICE_SCHEMA.names)
"""Of a judged choice, in CSV. Where play never comes to the position, there are only row, player, position and code."""

OWN_COLUMNS = {*GAME_COLUMNS, *MOVE_SCHEMA.names, "first_mistake"}
"""What rows of ours have, in whatever format."""
_OURS = {"value_before", "value_lost", "remoteness_lost_plies", "best_moves"}
"""A file that has all of these was written here."""


def further_columns(columns: Sequence[str], read: Collection[str]) -> tuple[str, ...]:
    """The columns of a file that are not read, and not found again either, as those of a file that was written here.

    >>> further_columns(["path", "student"], ["path", "x", "o"])
    ('student',)
    """
    known = {*read, *OWN_COLUMNS} if {*columns} >= _OURS else {*read}
    return tuple(column for column in columns if column not in known)


def kept_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """What columns that were not read are called in rows of ours: as they are called or, where we have such a column,
    with ``given_`` before it.

    >>> kept_columns(["student", "name"])
    ('student', 'given_name')
    """
    return tuple(f"given_{column}" if column in OWN_COLUMNS else column for column in columns)


class Recorder:
    """Makes rows; those of moves that were seen before are remembered."""

    def __init__(self, judge: Judge, others: Sequence[str] = ()) -> None:
        self.judge, self.others = judge, kept_columns(others)
        self.game_columns = (*GAME_COLUMNS, *self.others)
        """Of a judged game, in CSV."""
        self.choice_columns = (*CHOICE_COLUMNS, *self.others)
        """Of a judged choice, in CSV."""
        self._known = functools.lru_cache(maxsize=1 << 16)(self._move)

    def move(self, verdict: Verdict) -> dict[str, Any]:
        """The columns of `MOVE_SCHEMA` after `HEADS`, with numbers as they are counted here."""
        return self._known(verdict, first_number())

    def _move(self, verdict: Verdict, first: int) -> dict[str, Any]:
        before, after = verdict.before, verdict.after
        best = self.judge.best_moves(before.state)
        values = (
            verdict.side,
            before.ply,
            self.judge.text(before),
            verdict.code + first,
            move_name(self.judge.game, verdict.code),
            before.value,
            after.value,
            verdict.value_lost,
            before.remoteness_plies,
            after.remoteness_plies,
            verdict.remoteness_lost_plies,
            verdict.optimal,
            None if best is None else " ".join(str(code + first) for code in best),
        )
        return dict(zip(MOVE_SCHEMA.names[len(HEADS) :], values, strict=True))

    def mistake(self, verdict: Verdict) -> dict[str, Any]:
        """A mistake, with what would have kept the value; None where that is not known."""
        row, best = self.move(verdict), self.judge.best_moves(verdict.before.state)
        kept = ("ply", "side", "position", "code", "name", "value_lost")
        names = None if best is None else [move_name(self.judge.game, code) for code in best]
        codes = recounted({"best_moves": best}, "best_moves")
        return {**{name: row[name] for name in kept}, **codes, "best_names": names}

    def game(self, number: int, game: JudgedGame) -> dict[str, Any]:
        """A game, as JSON; the first mistake is an object of its own."""
        first, lost = game.first_mistake, {side: game.lost(side) for side in "XO"}
        timed = self.judge.tells_remoteness
        return {
            "game": number,
            "row": game.row,
            "x": game.x,
            "o": game.o,
            "path": game.path,
            "outcome": game.outcome,
            "plies": len(game.verdicts),
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
        """A game, with the columns of `GAME_COLUMNS`."""
        row = self.game(number, game)
        first = row.pop("first_mistake") or {}
        row["thrown_away_by"] = " ".join(row["thrown_away_by"])
        row |= {name: first.get(name.removeprefix("first_mistake_")) for name in GAME_COLUMNS if name not in row}
        if first.get("best_moves"):
            row["first_mistake_best_moves"] = " ".join(map(str, first["best_moves"]))
        return row

    def choice(self, choice: JudgedChoice) -> dict[str, Any]:
        """A choice, with the columns of `CHOICE_COLUMNS`."""
        row = {} if choice.verdict is None else self.move(choice.verdict)
        said = {"row": choice.row, "player": choice.player, "position": choice.position, "code": choice.code}
        known = recounted(said, "code")
        return {name: known.get(name, row.get(name)) for name in CHOICE_COLUMNS} | self.kept(choice.others)

    def kept(self, others: Sequence[Any]) -> dict[str, Any]:
        """What a row holds in the columns that were not read, by their names in our rows."""
        return {name: plain(value) for name, value in zip(self.others, others, strict=bool(others))}


def plain(value: Any) -> str | int | float | bool | None:
    """A value as JSON has it: text for anything but numbers, truth values and what is missing."""
    if missing(value) or isinstance(value, (str, bool, int, float)):
        return None if missing(value) else value
    return str(value)
