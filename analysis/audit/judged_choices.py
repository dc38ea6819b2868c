"""Judge choices of moves, each in a position of its own, and make policies of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from analysis.audit.inputs import Refuse, RowError, Rows, missing, name_of, stop, table_of
from analysis.audit.judge import Judge, Verdict, find_judge, quoted
from analysis.errors import PositionError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.solution import Solution

POSITION = "position"
MOVES = ("code", "move")
"""Of these columns one is there; a row that has a code needs no move."""
READ = (POSITION, *MOVES, "player")
"""The columns that a choice is read from; others are kept as they are."""


class JudgedChoice(NamedTuple):
    """One choice. Without a verdict, it is in a position that play never reaches."""

    row: int
    player: str | None
    position: str
    code: int
    verdict: Verdict | None
    others: tuple[Any, ...] = ()
    """What the row holds in the columns that were not read."""

    @property
    def x(self) -> str | None:
        """The player, who chooses for either side."""
        return self.player

    @property
    def o(self) -> str | None:
        """The player, who chooses for either side."""
        return self.player

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict, if there is one."""
        return () if self.verdict is None else (self.verdict,)


@checked
def judge_choices(
    game: str | Game | Solution, rows: Any, *, position: str | None = None, progress: Progress = no_progress
) -> Iterator[JudgedChoice]:
    """Judge choices in a ``game`` one by one. ``rows`` is a file, or an iterable of mappings with ``position``,
    ``move`` or ``code``, and perhaps ``player``; ``position`` is where games begin; ``progress`` is that of solving.
    Raises `RowError` for a row that is no choice, and what `find_judge` raises.

    >>> rows = [{"position": "X????????", "move": 4}, {"position": "X????????", "move": "1"}]
    >>> [choice.verdict.value_lost for choice in judge_choices("tictactoe", rows)]
    [0, 1]
    """
    judge = find_judge(game, position=position, progress=progress)
    with table_of(rows) as table:
        yield from judged_choices(judge, table)


def judged_choices(judge: Judge, table: Rows, refuse: Refuse = stop) -> Iterator[JudgedChoice]:
    """The choices of a table; a row that is none is refused."""
    for number, row in table.rows:
        judge.forget()
        if isinstance(row, RowError):
            refuse(row)
            continue
        try:
            judged = _judged(judge, number, row)
        except PositionError as error:
            refuse(table.error(number, error))
            continue
        yield judged._replace(others=tuple(map(row.get, table.others))) if table.others else judged


def _judged(judge: Judge, number: int, row: Mapping[str, Any]) -> JudgedChoice:
    code, player, state = row.get("code"), name_of(row.get("player")), judge.state(row.get(POSITION))
    move = row.get("move") if missing(code) or code == "" else _number(code)
    move = judge.recorded(move)
    code, text = judge.code(move, state), judge.game.format_position(state)
    try:
        visit = judge.visit(state, None)
    except PositionError:  # a position of the game, but play does not come there
        return JudgedChoice(number, player, text, code, None)
    return JudgedChoice(number, player, text, code, judge.verdict(visit, move))


def _number(code: Any) -> Any:
    """A code, which a text may hold."""
    if not isinstance(code, str):
        return code
    text = code.strip().removesuffix(".0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise PositionError(f"code {quoted(code)} is no number")
    return int(text)
