"""Judge played games, choices of moves and levels of play: audit, exploit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import analysis
from analysis.cli import completion
from analysis.cli.app import (
    LEVELS,
    PLAY,
    Answers,
    Format,
    From,
    GameOrDir,
    Symmetry,
    Wide,
    argument,
    command,
    fail,
    option,
    split,
    tell_left_out,
)  # fmt: skip
from analysis.cli.display.printing import check_format
from analysis.cli.progress import ProgressBar
from analysis.errors import OptionError
from analysis.playing.terms import Effort
from analysis.wording import listed, visible


@command("gametree audit tictactoe games.csv --out moves.parquet", PLAY, reads_solutions=True, waits=True)
def audit(
    game: GameOrDir,
    file: Annotated[
        str,
        argument(
            "FILE",
            "Games (column path, perhaps x, o, outcome; a move a row or a column; or lines such as 041263) or choices "
            "(columns position and move or code, perhaps player), as CSV, JSON, JSON lines, Parquet or text; - is "
            "standard input. Further columns, such as a student's name, are kept.",
        ),
    ],
    start: From = None,
    given: Annotated[str | None, option("--input FORMAT", "Of FILE: csv, json, jsonl, parquet or text.")] = None,
    columns: Annotated[
        list[str] | None,
        option(
            "--columns ROLE=COLUMN,...",
            "What columns hold, where their names do not say it: position=pre_state,move=action. Roles are path, "
            "moves (what numbered columns begin with), position, move, code, row, col, game, number, player, x, o, "
            "outcome (for X), outcome_o, side (whose win it is); count=1: cells are counted from 1.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        option(
            "--by COLUMNS",
            "Columns to add up by, each for itself: a row for each value, in CSV these alone. By default all further "
            "columns that have few values.",
        ),
    ] = None,
    strict: Annotated[
        bool, option("--strict", "Stop at the first row that cannot be read, instead of leaving it out.")
    ] = False,
    worst: Annotated[int, option("--worst N", "How many of the most frequent mistakes to list.", min=0)] = 10,
    max_positions: Annotated[
        int, option("--max-positions N", "Positions to look for best responses in, at most.", min=1)
    ] = 1_000_000,
    out: Annotated[Path | None, option("--out FILE", "Also one row for each move: .csv, .jsonl or .parquet.")] = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds SECONDS",
            "What judging may take where no solution is stored: half of it to solve the game, else for searches. By "
            "default a game that fits in memory is solved, and one that does not is searched for 60 s.",
        ),
    ] = None,
    symmetry: Symmetry = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Judge played games or choices of moves by the complete solution: what each move lost, and to whom.

    Of games also the first move that gave value away, of choices how much a best response wins against them. JSON and
    CSV have a row for each game or choice. How columns of other names were read is said in a line. A row that cannot be
    read is left out and told; the exit code is then 1.

    A game too large to solve is searched, from the ends of the games backwards, until the time is over or Ctrl-C ends
    it; moves that were not reached are unknown, and all others exact.
    """
    from analysis.cli.display.audit_tables import RowSpool, show_audit

    check_format(form)
    options = analysis.audit.RowOptions(given, start, split(by), _mapping(columns), strict)
    with RowSpool("sums" if form == "csv" and by else form) as spool:
        with ProgressBar():
            effort = Effort(seconds, symmetry)
            found = analysis.audit.audit(
                game, file, options, out=out, each=spool.each, max_positions=max_positions, effort=effort
            )
        if found.unusual:
            print(f"gametree: {visible(found.name)}: {visible(found.recognised)}", file=sys.stderr)
        show_audit(form, found, spool, worst, wide=wide)
    if found.interrupted:
        sys.stdout.flush()
        fail("interrupted; what was known by then is above", 130)
    if found.bad:
        tell_left_out(found.bad_rows, found.bad, found.name, ", --format json has more")


def _mapping(given: list[str] | None) -> dict[str, str] | None:
    """Roles and columns, apart by ``=``. Raises `OptionError`."""
    pairs = [text.partition("=") for text in split(given) or ()]
    for role, sign, _ in pairs:
        if not sign:
            raise OptionError(f"--columns {role}: write a role and a column, such as move={role or 'action'}")
    return None if given is None else {role: column for role, _, column in pairs}


@command("gametree exploit tictactoe random --side O", PLAY, reads_solutions=True, waits=True)
def exploit(
    game: GameOrDir,
    level: Annotated[
        str, argument("LEVEL", f"The level of play: {LEVELS}", autocompletion=completion.one_of(completion.LEVELS))
    ],
    side: Annotated[
        str,
        option(
            "--side SIDE",
            "What it plays: X or first, O or second, what the game calls them, or both in turn.",
            autocompletion=completion.one_of(("X", "O", "both")),
        ),
    ] = "both",
    start: From = None,
    max_positions: Annotated[
        int, option("--max-positions N", "Positions to look for best responses in, at most.", min=1)
    ] = 1_000_000,
    symmetry: Symmetry = None,
) -> Answers:
    """How much a best response wins against a level of play, exactly, and a line in which it does.

    The opponent knows the level, but not how its lots will fall: payoffs are averages over all of them, as fractions.
    The exploitability is the value of the game minus what the level then gets. In loopy games a level that draws lots
    is refused.
    """
    from analysis.audit.exploitability import exploit_level
    from analysis.cli.display.audit_tables import exploit_answer
    from analysis.rules.positions import read_position
    from analysis.solving.find import named_game

    named = named_game(game)
    sides = _sides(side, named.players)
    found = exploit_level(
        game, level, sides, position=start, max_positions=max_positions, effort=Effort(symmetry=symmetry)
    )
    begins = named.rules().start if start is None else read_position(named, start)
    yield exploit_answer(named, level, named.format_position(begins), found)


def _sides(named: str, players: tuple[str, str]) -> tuple[str, ...]:
    """The sides of a name: ``both``, or any that `side_called` knows. Raises `OptionError`."""
    from analysis.audit.outcomes import side_called

    if named.strip().lower() == "both":
        return "X", "O"
    side = side_called(named, players)
    if side is None:
        there = listed(list(dict.fromkeys((*players, "X", "O", "first", "second", "both"))))
        raise OptionError(f"--side {named!r} is no side; it is {there}")
    return (side,)
