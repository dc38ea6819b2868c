"""Judge choices of moves, each in a position of its own, and make policies of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from analysis.audit.inputs import Refuse, RowError, missing, name_of, stop, table_of
from analysis.audit.judge import Judge, Verdict, quoted
from analysis.audit.layouts import find_layout
from analysis.audit.records import ChoiceRecord, Reading
from analysis.audit.searching_judge import judge_within
from analysis.errors import OptionError, PositionError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import HasRules
from analysis.solution.solution import Solution


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
    game: str | HasRules | Solution | Judge,
    rows: Any,
    *,
    position: str | None = None,
    columns: Mapping[str, str] | None = None,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> Iterator[JudgedChoice]:
    """Judge choices in a ``game`` one by one, or all at once where it is too large to solve, see `judge_within`.

    ``rows`` is a file, or an iterable of mappings with ``position``, ``move`` or ``code``, and perhaps ``player``;
    ``columns`` says which column is what; ``position`` is where games begin; ``progress`` is that of solving or
    searching, and ``seconds`` what these may take. Raises `RowError` for a row that is no choice, and what
    `judge_within` raises.

    >>> rows = [{"position": "X????????", "move": 4}, {"position": "X????????", "move": "1"}]
    >>> [choice.verdict.value_lost for choice in judge_choices("tictactoe", rows)]
    [0, 1]
    """
    judge = judge_within(game, position=position, seconds=seconds, progress=progress)
    with table_of(rows) as table:
        layout = find_layout(table, columns)
        if layout.kind != "choices":
            raise OptionError(f"{table.name} holds games; judge_games judges them")
        yield from judge.settled(judged_choices(judge, Reading(table, layout, judge.notation)), progress)


def judged_choices(judge: Judge, reading: Reading, refuse: Refuse = stop) -> Iterator[JudgedChoice]:
    """The choices of a table; a row that is none is refused."""
    for record in reading:
        judge.forget()
        if isinstance(record, RowError):
            refuse(record)
            continue
        assert isinstance(record, ChoiceRecord)
        try:
            yield _judged(judge, record)
        except PositionError as error:
            refuse(reading.error(record.number, error))


def _judged(judge: Judge, record: ChoiceRecord) -> JudgedChoice:
    code, player, state = record.code, name_of(record.player), judge.state(record.position)
    move = record.move if missing(code) or code == "" else _number(code)
    move = judge.recorded(move)
    code, text = judge.code(move, state), judge.game.format_position(state)
    try:
        visit = judge.visit(state, None)
    except PositionError:  # a position of the game, but play does not come there
        return JudgedChoice(record.number, player, text, code, None, record.others)
    return JudgedChoice(record.number, player, text, code, judge.verdict(visit, move), record.others)


def _number(code: Any) -> Any:
    """A code, which a text may hold."""
    if not isinstance(code, str):
        return code
    text = code.strip().removesuffix(".0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise PositionError(f"code {quoted(code)} is no number")
    return int(text)
