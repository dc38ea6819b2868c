"""Judge played games and choices of moves: audit."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

from ..common.wording import visible
from ..errors import OptionError
from ..playing.terms import Effort
from .app import PLAY, READS, Answers, From, GameOrDir, Symmetry, argument, command, fail, option, split, tell_left_out


@command("echo 041263 | gametree audit tictactoe - --out moves.parquet", PLAY, "format", "wide", *READS)
def audit(
    game: GameOrDir,
    file: Annotated[
        str,
        argument(
            "FILE",
            "Games (a column path, optionally x, o, outcome; a move a row; a move a column; or lines such as "
            "041263) or choices (columns position and move, optionally player, probability), as CSV, JSON, JSON "
            "lines, Parquet or text; - is standard input. Further columns, such as a student's name, are "
            "kept. Or a bot, file.py:function, to judge all its choices.",
        ),
    ],
    start: From = None,
    kind: Annotated[str | None, option("--input FORMAT", "Format of FILE: csv, json, jsonl, parquet or text.")] = None,
    columns: Annotated[
        list[str] | None,
        option(
            "--columns ROLE=COLUMN,...",
            "Roles of columns whose names do not show them: position=pre_state,move=action. Roles are path, "
            "moves (the prefix of numbered columns), position, move, code, row, col, probability, game, number, "
            "player, x, o, outcome (for X); count=1: cells count from 1.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        option(
            "--by COLUMNS",
            "Columns for subtotals, each by itself: one row per value, in CSV only these rows. By default "
            "all further columns with few values.",
        ),
    ] = None,
    strict: Annotated[
        bool, option("--strict", "Stop at the first row that cannot be read, instead of leaving it out.")
    ] = False,
    worst: Annotated[int, option("--worst N", "Number of most frequent mistakes to list.", min=0)] = 10,
    max_positions: Annotated[
        int, option("--max-positions N", "Limit on the positions of a best response.", min=1)
    ] = 1_000_000,
    out: Annotated[Path | None, option("--out FILE", "Also write one row per move: .csv, .jsonl or .parquet.")] = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds SECONDS",
            "Time limit if no solution is stored: half of it to solve the game, else for searches. By "
            "default a game that fits in memory is solved, and any other is searched for 60 s.",
        ),
    ] = None,
    symmetry: Symmetry = None,
) -> Answers:
    """Judge played games or choices of moves by the complete solution: what each move lost, and to whom.

    For games also the first move that gave value away, for choices how much a best response wins against them. JSON and
    CSV have one row per game or choice. A line says how other column names were read. Rows that cannot be read are left
    out and reported; the exit code is then 1.

    A game too large to solve is searched, from the ends of the games backwards, until the time limit or Ctrl-C; moves
    not reached are unknown, and all others exact.
    """
    from ..playing import RowOptions, audit
    from ..playing.player import is_bot
    from .display.audit_tables import audit_answer

    rows: Any = file
    if is_bot(file):
        from ..playing.bots import find_choices

        rows = find_choices(game, file, start)
    options = RowOptions(kind, start, split(by), _mapping(columns), strict)
    audited = audit(game, rows, options, out=out, max_positions=max_positions, effort=Effort(seconds, symmetry))
    if rows is not file:  # the choices of a bot
        audited = dataclasses.replace(audited, name=file, unit=None)
    if audited.unusual:
        print(f"gametree: {visible(audited.name)}: {visible(audited.recognised)}", file=sys.stderr)
    yield audit_answer(audited, worst)
    if audited.judge.stopped == "interrupted":
        fail("interrupted; what was known by then is above", 130)
    if audited.bad:
        tell_left_out(audited.bad_rows, audited.bad, audited.name, ", --format json has more")


def _mapping(texts: list[str] | None) -> dict[str, str] | None:
    """Return the columns by role, from ``ROLE=COLUMN``. Raises `OptionError`."""
    pairs = [text.partition("=") for text in split(texts) or ()]
    for role, sign, _ in pairs:
        if not sign:
            raise OptionError(f"--columns {role}: write a role and a column, such as move={role or 'action'}")
    return None if texts is None else {role: column for role, _, column in pairs}
