"""Judge choices of moves, each in a position of its own, and make policies of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from analysis.audit.inputs import Rows, missing, name_of, open_rows, rows_of
from analysis.audit.judge import Judge, Verdict, find_judge
from analysis.errors import PositionError
from analysis.rules import Game
from analysis.solution import Solution
from analysis.workers import Progress, no_progress

COLUMNS = ("position", "move")


class JudgedChoice(NamedTuple):
    """One choice. Without a verdict, it is in a position that play never reaches."""

    row: int
    player: str | None
    position: str
    verdict: Verdict | None


@dataclasses.dataclass
class Policy:
    """What somebody chooses, by state; where rows contradict each other, nothing."""

    moves: dict[int, int] = dataclasses.field(default_factory=dict)
    contradictions: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)
    """Two different moves of a state."""

    def add(self, state: int, code: int) -> None:
        """Note a choice."""
        if state in self.contradictions:
            return
        earlier = self.moves.setdefault(state, code)
        if earlier != code:
            self.contradictions[state] = earlier, code
            del self.moves[state]


def judge_choices(
    game: str | Game | Solution, rows: Any, *, position: str | None = None, progress: Progress = no_progress
) -> Iterator[JudgedChoice]:
    """Judge choices one by one. ``rows`` is a file, or an iterable of mappings with ``position``, ``move`` and perhaps
    ``player``; ``position`` is where games begin. Raises `RowError` for a row that is no choice, and what `find_judge`
    raises.

    >>> rows = [{"position": "X????????", "move": 4}, {"position": "X????????", "move": "1"}]
    >>> [choice.verdict.value_lost for choice in judge_choices("tictactoe", rows)]
    [0, 1]
    """
    judge = find_judge(game, position=position, progress=progress)
    if isinstance(rows, (str, Path)):
        with open_rows(rows) as table:
            yield from judged_choices(judge, table)
    else:
        yield from judged_choices(judge, rows_of(rows))


def judged_choices(judge: Judge, table: Rows) -> Iterator[JudgedChoice]:
    """The choices of a table."""
    for number, (position, move, player) in table.select((*COLUMNS, "player")):
        judge.forget()
        try:
            yield _judged(judge, number, position, move, name_of(player))
        except PositionError as error:
            raise table.error(number, error) from None


def _judged(judge: Judge, number: int, position: Any, move: Any, player: str | None) -> JudgedChoice:
    state = judge.game.parse_position(_text(position))
    code = judge.code(move)
    text = judge.game.format_position(state)
    try:
        visit = judge.visit(state, None)
    except PositionError:  # a position of the game, but play does not come there
        return JudgedChoice(number, player, text, None)
    return JudgedChoice(number, player, text, judge.verdict(visit, code if code in visit.children else move))


def _text(position: Any) -> str:
    """A position as text; games that write positions as numbers may have lost that in a table."""
    if missing(position) or position == "":
        raise PositionError("the position is missing")
    if isinstance(position, float) and position.is_integer():
        return str(int(position))
    return str(position)
