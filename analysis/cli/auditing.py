"""Judge played games, choices of moves, and policies: audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
            "Games (lines such as 041263; a column path; a move a row or a column) or choices (columns position and "
            "move), as CSV, JSON, JSON lines, Parquet or text; - is standard input. Or a level, or file.py:function.",
        ),
    ],
    start: From = None,
    kind: Annotated[
        str | None, option("--input FORMAT", "csv, json, jsonl, parquet or text; by default what the suffix says.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        option(
            "--columns ROLES",
            "What columns hold, if their names do not say it: position=pre_state,move=action. Roles: path, "
            "position, move, row, col, probability, game, number, player, x, o, outcome.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        option("--by COLUMNS", "Columns for subtotals, the only rows in CSV."),
    ] = None,
    strict: Annotated[bool, option("--strict", "Stop at the first bad row.")] = False,
    worst: Annotated[int, option("--worst N", "Frequent mistakes to list.", min=0)] = 10,
    max_positions: Annotated[int, option("--max-positions N", "Positions of a best response.", min=1)] = 1_000_000,
    out: Annotated[Path | None, option("--out FILE", "Moves as rows: .csv, .jsonl or .parquet.")] = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds SECONDS",
            "Time limit if no solution is stored; by default a game that fits is solved, any other searched for 60 s.",
        ),
    ] = None,
    symmetry: Symmetry = None,
) -> Answers:
    """Judge played games or choices of moves by the solution: what each move lost.

    For choices, and for a level or bot, also how much a best response wins against them. JSON and CSV have one row per
    game or choice. Rows that cannot be read are left out and reported; the exit code is then 1. A game too large to
    solve is searched from the ends of the games backwards; moves not reached are unknown, all others exact.
    """
    from ..playing import Audit, RowOptions, audit
    from ..solving.find import named_game
    from .display.audit_tables import audit_answer, policy_answer

    options = RowOptions(kind, start, split(by), _mapping(columns), strict)
    audited: Any = audit(game, file, options, out=out, max_positions=max_positions, effort=Effort(seconds, symmetry))
    if not isinstance(audited, Audit):
        yield policy_answer(named_game(game), file, audited)
        return
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
