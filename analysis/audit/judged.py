"""Judge played games and choices, move by move, against the complete solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, NamedTuple

from ..errors import PositionError
from ..playing.terms import NO_LIMITS, Effort
from ..rules.backtracker import backtracker
from ..rules.game import GameLike
from ..rules.positions import Place, split_moves
from ..wording import described
from .judge import Judge, JudgedVisit, Verdict, judge_within
from .layouts import Said, find_layout, side_called, words
from .records import CellMove, PlayedRecord, Reading
from .tables import RowError, missing, name_of, number_of, table_of

OUTCOMES = ("X", "O", "tie", "unfinished")

SHOWN_PATH = 40
"""Characters of a path quoted in an error message."""


class JudgedGame(NamedTuple):
    """One game with a verdict on each of its moves."""

    row: int
    """The line or row that it was read from."""
    x: str | None
    """Who played first, if given."""
    o: str | None
    path: str
    """Its codes as a backtracker, however it was written."""
    verdicts: tuple[Verdict, ...]
    """On its moves."""
    start: JudgedVisit
    agreed: str | None = None
    """The stated outcome, ``X``, ``O`` or ``tie``, of a game that is not over: the loser resigned, or a tie was agreed.
    """
    others: tuple[Any, ...] = ()
    """The row's values in columns that were not read."""

    @property
    def plies(self) -> int:
        """The length of the game."""
        return len(self.verdicts)

    @property
    def end(self) -> JudgedVisit:
        """The last position."""
        return self.verdicts[-1].after if self.verdicts else self.start

    @property
    def payoff(self) -> int | None:
        """The first player's; None for a game that is not over, even if resigned."""
        return self.end.value if self.end.over else None

    @property
    def resigned(self) -> str | None:
        """The side that gave up, ``X`` or ``O``."""
        return {"X": "O", "O": "X"}.get(self.agreed or "")

    @property
    def outcome(self) -> str:
        """``X``, ``O``, ``tie`` or ``unfinished``."""
        return self.agreed or outcome_of(self.end)

    @property
    def first_mistake(self) -> Verdict | None:
        """The first move that gave value away; None also if a move before it is not judged."""
        first = next((verdict for verdict in self.verdicts if verdict.value_lost != 0), None)
        return first if first is not None and first.value_lost else None

    @property
    def exact_from_ply(self) -> int:
        """The ply from which on all moves are judged: 0 where all are, the length of the game where the last is not."""
        unknown = [ply for ply, verdict in enumerate(self.verdicts) if verdict.value_lost is None]
        return unknown[-1] + 1 if unknown else 0

    def unknown(self, side: str) -> int:
        """Count the moves of a ``side``, ``X`` or ``O``, that are not judged."""
        return sum(verdict.side == side and verdict.value_lost is None for verdict in self.verdicts)

    def lost(self, side: str) -> tuple[int, int, int]:
        """Return the mistakes, the value lost and the plies of remoteness lost by a ``side``, over its judged moves."""
        own = [verdict for verdict in self.verdicts if verdict.side == side]
        mistakes = [verdict.value_lost for verdict in own if verdict.value_lost]
        return len(mistakes), sum(mistakes), sum(verdict.remoteness_lost_plies or 0 for verdict in own)

    def thrown_away(self) -> list[str]:
        """Return the sides, ``X``, ``O`` or both, whose payoff is less than they could have secured at some point, also
        by a smaller win. Where a side resigned or a tie was agreed, only the signs of values count, the last position's
        included. Where values are unknown, sides may be missing.
        """
        payoff = self.payoff
        values = [value for verdict in self.verdicts if (value := verdict.before.value) is not None]
        if self.agreed is not None:
            last = [] if self.end.value is None else [self.end.value]
            values = [(value > 0) - (value < 0) for value in (*values, *last)]
            payoff = {"X": 1, "O": -1, "tie": 0}[self.agreed]
        if payoff is None or not values:
            return []
        return ["X"] * (max(values) > payoff) + ["O"] * (min(values) < payoff)


def outcome_of(end: JudgedVisit) -> str:
    """Return the outcome of a game that has come this far."""
    if not end.over or end.value is None:
        return "unfinished"
    return "X" if end.value > 0 else "O" if end.value < 0 else "tie"


class JudgedChoice(NamedTuple):
    """One choice; without a verdict if play never reaches its position."""

    row: int
    player: str | None
    position: str
    code: int
    verdict: Verdict | None
    others: tuple[Any, ...] = ()
    """The row's values in columns that were not read."""

    @property
    def x(self) -> str | None:
        """The player, who chooses for both sides."""
        return self.player

    @property
    def o(self) -> str | None:
        """The player, who chooses for both sides."""
        return self.player

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict, if there is one."""
        return () if self.verdict is None else (self.verdict,)


def judge_rows(
    game: GameLike | Judge,
    rows: Any,
    *,
    position: Place | None = None,
    columns: Mapping[str, str] | None = None,
    effort: Effort = NO_LIMITS,
) -> Iterator[JudgedGame | JudgedChoice]:
    """Judge games or choices one by one, or all at once where the ``game`` is too large to solve (see `judge_within`).

    ``rows`` is a file, or an iterable of backtrackers, of mappings with a ``path`` (text or list of moves) and perhaps
    ``x``, ``o`` and ``outcome``, of mappings with a move each, as for ``audit``, or of mappings with ``position``,
    ``move`` or ``code``, and perhaps ``player``; ``columns`` maps roles to columns; ``position`` is where the games
    began; ``effort`` limits solving and searching. Yields each as `JudgedGame` or `JudgedChoice`. Raises `RowError` for
    a row that is neither, and what `judge_within` raises.

    >>> for judged in judge_rows("tictactoe", ["0412673", "41"]):
    ...     mistake = judged.first_mistake
    ...     print(judged.outcome, [v.value_lost for v in judged.verdicts], mistake and mistake.before.ply)
    X [0, 0, 0, 0, 0, 1, 0] 5
    unfinished [0, 1] 1
    >>> rows = [{"position": "X????????", "move": 4}, {"position": "X????????", "move": "1"}]
    >>> [choice.verdict.value_lost for choice in judge_rows("tictactoe", rows)]
    [0, 1]
    """
    judge = judge_within(game, position=position, effort=effort)
    with table_of(rows) as table:
        reading = Reading(table, find_layout(table, columns), judge.notation, from_start=position is None)
        yield from judge.settled(judged_records(judge, reading))


def judged_records(
    judge: Judge, reading: Reading, refuse: Callable[[RowError], None] | None = None
) -> Iterator[JudgedGame | JudgedChoice]:
    """Yield the games or choices of a table; errors in rows are raised, or passed to ``refuse``."""
    for record in reading:
        error = record if isinstance(record, RowError) else None
        if not isinstance(record, RowError):
            judge.forget()
            try:
                if reading.layout.kind == "games":
                    yield _judged_game(judge, record, reading.advice)
                else:
                    yield _judged_choice(judge, record)
            except _WrongMoveError as wrong:
                error = reading.table.error(record.lines[wrong.place] if record.lines else record.number, wrong)
            except PositionError as wrong:
                error = reading.table.error(record.number, wrong)
        if error is not None:
            if refuse is None:
                raise error
            refuse(error)


class _WrongMoveError(PositionError):
    """A wrong move of a game, or a wrong mover."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


def _judged_game(judge: Judge, record: PlayedRecord, advice: str) -> JudgedGame:
    visit, path = judge.start, record.path
    verdicts: list[Verdict] = []
    for move in path_moves(path, judge):
        kind = type(move)  # True is no code, although it equals 1
        verdict = visit.verdicts.get(move) if kind is int or kind is str or kind is CellMove else None
        if verdict is None:
            try:
                verdict = judge.verdict(visit, move)
            except PositionError as error:
                where = f"move {len(verdicts) + 1} of {_shown(path)}"
                raise _WrongMoveError(f"{where}: {error}{_advice(path) or advice}", len(verdicts)) from None
        verdicts.append(verdict)
        visit = verdict.after
    x, o = _players(judge, record, verdicts)
    agreed = _said(judge, record, x, o, visit)
    usual = isinstance(path, str) and path.isdecimal() and not judge.joined
    text = path if usual else backtracker([verdict.code for verdict in verdicts], judge.rules.largest_code)
    return JudgedGame(record.number, x, o, text, tuple(verdicts), judge.start, agreed, record.others)


def _players(judge: Judge, record: PlayedRecord, verdicts: Sequence[Verdict]) -> tuple[str | None, str | None]:
    """Return the players of X and O, by their columns or by moves. Raises `PositionError` for a move out of turn."""
    if not record.players:
        return name_of(record.x), name_of(record.o)
    found = {"X": name_of(record.x), "O": name_of(record.o)}
    labels = [name_of(label) for label in record.players]
    zeros = "0" in labels or "0.0" in labels
    alone = len({*labels}) == 1
    for place, (verdict, label) in enumerate(zip(verdicts, labels, strict=False)):
        if label is None:
            continue
        side, called = verdict.side, side_called(label, judge.game.players)
        if zeros and called == "X" and words(label).startswith("1"):
            called = "O"
        if called is None and (alone or found[side] in (None, label)):
            found[side] = label
        elif called != side:
            turn = side if called else found[side]
            raise _WrongMoveError(f"move {place + 1} was made by {label}, but it was the turn of {turn}", place)
    return found["X"], found["O"]


def _said(judge: Judge, record: PlayedRecord, x: str | None, o: str | None, end: JudgedVisit) -> str | None:
    """Return the stated outcome of a game that is not over. Raises `PositionError`, see `_agreed`."""
    agreed = None
    if record.outcome is None and record.outcome_o is None:
        return None
    for value, view in ((record.outcome, "X"), (record.outcome_o, "O")):
        if missing(value) or value == "" or (value == outcome_of(end) and value not in (x, o)):
            continue
        said = Said((x, o), judge.game.players, view, view)
        if view == "X" and name_of(record.side) is not None:
            said = said._replace(side=said.who(words(record.side)))
        agreed = _agreed(judge, said.outcome(value), value, end, record.path) or agreed
    return agreed


def path_moves(path: Any, judge: Judge) -> Sequence[Any]:
    """Return the moves of a path as `Judge.verdict` takes them: a list as it is, a text as `split_moves` reads it.
    Raises `PositionError`.

    >>> from analysis.audit.judge import find_judge
    >>> path_moves("0124", find_judge("tictactoe")), path_moves("0-11-5", find_judge("wild"))
    ([0, 1, 2, 4], [0, 11, 5])
    >>> path_moves("b1-c1 a1-b1", find_judge("dots_and_boxes:rows=1,cols=2"))
    ['b1-c1', 'a1-b1']
    """
    if isinstance(path, (list, tuple)):
        return path
    if missing(path):
        raise PositionError("the path is missing; write the codes of its moves, or an empty text if there are none")
    if (isinstance(path, Number) and not isinstance(path, bool)) or (isinstance(path, str) and path.endswith(".0")):
        raise PositionError(f"path {_shown(path)} is a number, which loses leading zeros; keep it as text")
    if not isinstance(path, str):
        raise PositionError(f"path {described(path)} is neither text nor a list of moves")
    return split_moves(path, judge.notation)


def _advice(path: Any) -> str:
    """Return advice on a wrong path whose moves may contain ``-`` themselves."""
    if not isinstance(path, str) or "-" not in path or " " in path or path.replace("-", "").isdecimal():
        return ""
    return "; moves in the game's own notation are separated by spaces"


def _agreed(judge: Judge, outcome: str, said: Any, end: JudgedVisit, path: Any) -> str | None:
    """Return the stated outcome of a game that is not over. Raises `PositionError` where a finished game ended
    otherwise, and where a path has lost its leading zero.
    """
    found = outcome_of(end)
    if outcome == "nobody":
        outcome = "tie" if end.over else "unfinished"
    if outcome == found or (outcome == "unfinished" and not end.over):
        return None
    zeros = isinstance(path, str) and path.isdecimal() and path[0] != "0" and not judge.joined
    zeros = zeros and _ends(judge, "0" + path) == outcome
    lost = "; a path read as a number loses its leading zeros" if zeros else ""
    if end.over:
        is_so = {"tie": "is a tie"}.get(found, f"is won by {found}")
    elif zeros:
        is_so = "is not over; with a leading zero, it would be"
    else:
        return {"resigned": "O" if end.mover > 0 else "X"}.get(outcome, outcome)
    where = f"games begin at {judge.position} unless --from is given"
    raise PositionError(f"outcome {said}, but {_shown(path)} {is_so}; {where}{lost}")


def _ends(judge: Judge, path: str) -> str | None:
    """Return how the game of these digits ends, or None if it is not one."""
    visit = judge.start
    for digit in path:
        if int(digit) not in visit.children:
            return None
        visit = judge.verdict(visit, int(digit)).after
    return outcome_of(visit)


def _shown(path: Any) -> str:
    if not isinstance(path, (str, list, tuple)):
        path = [path]
    if not isinstance(path, str):
        path = " ".join(move if isinstance(move, str) else described(move) for move in path[:SHOWN_PATH])
    return path if len(path) <= SHOWN_PATH else path[:SHOWN_PATH] + "..."


# Choices --------------------------------------------------------------------------------------------------------------


def _judged_choice(judge: Judge, record: PlayedRecord) -> JudgedChoice:
    code, player, state = record.code, name_of(record.player), judge.state(record.position)
    move = record.move if missing(code) or code == "" else _number(code)
    code, text = judge.code(move, state), judge.game.format_position(state)
    try:
        visit = judge.visit(state, judge.ply(state))
    except PositionError:  # a position of the game that play never reaches
        return JudgedChoice(record.number, player, text, code, None, record.others)
    return JudgedChoice(record.number, player, text, code, judge.verdict(visit, move), record.others)


def _number(code: Any) -> Any:
    """Return a code, also from a text."""
    number = number_of(code) if isinstance(code, str) else code
    if number is None:
        raise PositionError(f"code {described(code)} is not a number")
    return number
