"""Audit a file: replay its games or choices, and judge every move in one table."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.files import check_target
from ..common.wording import did_you_mean, in_words
from ..common.workers import tell_progress
from ..errors import OptionError, PositionError
from ..rules.backtracker import backtracker, joined
from ..rules.game import ONGOING, GameLike
from ..rules.positions import Place
from ..solution.solution import Solution
from ..solution.storage.stored_games import refuse_other_kinds
from .audit_results import MOVE_COLUMNS, OF_MOVES, Audit, objects
from .exploitability import MOST_POSITIONS
from .judge import Judge, Step, find_judge
from .layouts import SHOWN, FileRecord, MoveError, Records, find_layout, which
from .outcomes import OTHER, read_outcome
from .policies import audit_policies
from .record_names import plain
from .records import read_table
from .terms import NO_LIMITS, Effort

if TYPE_CHECKING:
    import pandas as pd

MOST_BAD = 10_000
"""Bad rows that are described; the rest are only counted."""

SAID_EVERY = 1 << 14
"""Games between two reports of progress."""

SUFFIXES = (".csv", ".jsonl", ".parquet")
"""Formats of a file of judged moves."""

KNOWN = ("value_before", "remoteness_before_plies", "value", "remoteness_plies")
"""Columns of what is known before and after a move."""

UNGROUPED = {"game", "gameid", "payoff", "plies"}
"""Columns of a game and its result; sums by their values say nothing of who played."""


@dataclasses.dataclass(frozen=True)
class RowOptions:
    """How to read the rows to audit."""

    form: str | None = None
    """The format of a file whose suffix does not tell it: csv, json, jsonl, parquet or text."""
    start: Place | None = None
    """The position where the games began (default: the start)."""
    by: Sequence[str] | None = None
    """The columns to group by, any of them; None: all that are not read, unless they have many values."""
    columns: Mapping[str, str] | None = None
    """What columns hold where their names do not tell, such as ``{"position": "pre_state"}``; the role ``count`` says
    whether numbers of rows, columns and cells count from 0 or 1.
    """
    strict: bool = True
    """Whether a row that cannot be read is an error; otherwise it is left out and reported."""


USUAL_OPTIONS = RowOptions()


def audit(
    game: GameLike | Judge,
    rows: Any,
    options: RowOptions = USUAL_OPTIONS,
    *,
    out: str | Path | None = None,
    max_positions: int = MOST_POSITIONS,
    effort: Effort = NO_LIMITS,
) -> Audit:
    """Judge every game or choice of ``rows``: a file (``-`` is standard input), a data frame, or an iterable of
    backtrackers, lists of moves, or mappings.

    The names of columns, or the ``options``, tell what they hold. Columns that are not read are kept in all rows, and
    their values get sums. ``out`` is a file for one row per move; ``max_positions`` limits the search for best
    responses. A game that is not stored is solved with this ``effort``; one too large for that, or that takes more than
    half of the seconds, is judged as far as searches get in the time (see `Judge`). Raises `RowError`,
    `OptionError`, `StoreError`, and what `analysis.solve` raises.

    >>> found = audit("tictactoe", ["041", "4126"])
    >>> found.totals()["moves"], found.totals()["mistakes"], found.mistakes(1)[0]["position"]
    (7, 1, '????X????')
    >>> rows = [{"game": 7, "turn": turn, "cell": cell} for turn, cell in enumerate((4, 1, 0))]
    >>> audit("tictactoe", rows).recognised
    "a move a row, game by 'game', move by 'cell', number by 'turn'"
    """
    if not isinstance(game, Judge | Solution):
        refuse_other_kinds(game)
    if out is not None:
        check_out(Path(out), rows)
    table = read_table(rows, options.form)
    layout = find_layout(table, options.columns)
    columns: list[str] = table.frame.columns.tolist()
    asked = None if options.by is None else [*dict.fromkeys(name.strip().lower() for name in options.by)]
    for name in asked or ():
        if name not in columns:
            has = f"it has {in_words(columns[:SHOWN])}"
            raise OptionError(f"{table.name} has no column {name!r} to group by{did_you_mean(name, columns)}; {has}")
    again = {"value_before", "value_lost", "best_moves"} <= {*columns}  # a file of judged moves
    own = layout.read | ({*MOVE_COLUMNS} if again else set())
    others = [name for name in columns if name not in own or name in (asked or ())]
    judge = find_judge(game, options.start, effort)
    tell_progress(f"{layout.kind} judged", 0, None)
    given = Records(table, layout, judge.notation, others, asked=asked or (), from_start=options.start is None)
    games = layout.kind == "games"
    played = [*(_replay(judge, given) if games else _choose(judge, given))]
    bad = len(table.faults)
    if bad and options.strict:
        raise table.errors[0]
    judge.settle(step for each in played for step in each.steps)
    moves = _judged(judge, played)
    rest = _frame([each.record.others for each in played], others)
    audited = Audit(
        layout.kind, table.name, judge, moves, _ends(judge, played, moves) if games else _chosen(judge, played), rest,
        grouped=tuple(name for name in others if plain(name) not in UNGROUPED) if asked is None else tuple(asked),
        player_column=layout.roles.get("player"), asked=asked is not None, unit=table.unit,
        recognised=layout.describe() + f", counted from {given.base}" * bool(given.base),
        unusual=bool(given.base) or not layout.usual, bad_rows=tuple(map(str, table.errors[:MOST_BAD])), bad=bad,
    )  # fmt: skip
    if not games:
        chances = [each.record.probability for each in played]
        policies = audit_policies(audited, chances, others, asked or (), max_positions)
        audited = dataclasses.replace(audited, policies=policies)
    if out is not None:
        audited.write_moves(Path(out))
    return audited


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


def _frame(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=[*columns], index=range(len(rows)), dtype=object)


# Replaying ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Played:
    """A game or a choice that can be played."""

    record: FileRecord
    end: int
    """The state at the end of a game, or in which a choice was made."""
    steps: list[Step]
    """Its moves; none of a choice in a position that play never reaches."""
    note: str | None = None
    """The stated outcome, ``X``, ``O`` or ``tie``, of a game that is not over."""


def _replay(judge: Judge, given: Records) -> Iterator[Played]:
    """Play all games from where play begins; note faults in their table."""
    for number, record in enumerate(given.records):
        if number % SAID_EVERY == 0:
            tell_progress("games judged", number, None)
        state, steps = judge.start, list[Step]()
        try:
            for ply, move in enumerate(record.moves):
                try:
                    code, after = judge.step(state, move)
                except PositionError as error:
                    raise MoveError(f"{which(record.moves, ply)}: {error}", ply) from None
                steps.append(Step(state, after, ply, code))
                state = after
            _credit(judge, record, steps, given.sides)
            note = _agreed(judge, record, [step.code for step in steps], state, given.layout.roles)
            yield Played(record, state, steps, note)
        except PositionError as error:
            given.table.faults |= record.fault(error)


def _choose(judge: Judge, given: Records) -> Iterator[Played]:
    """Make all choices in their positions; note faults in their table."""
    chosen = list[Played]()
    for record in given.records:
        try:
            state = judge.state(record.position)
            code, after = judge.step(state, record.moves[0])
            chosen.append(Played(record, state, [Step(state, after, None, code)]))
        except PositionError as error:
            given.table.faults |= record.fault(error)
    reached = judge.know({each.end for each in chosen})
    for each in chosen:
        each.record.moves = [each.steps[0].code]
        each.steps = [each.steps[0]._replace(ply=judge.ply(each.end))] if each.end in reached else []
        yield each


def _credit(judge: Judge, record: FileRecord, steps: Sequence[Step], sides: Sequence[str] | None) -> None:
    """Check who made each move, and note the names of the players. Raises `MoveError` for a move out of turn."""
    names, alone = {"X": record.x, "O": record.o}, len({*record.players}) == 1
    for place, (step, label) in enumerate(zip(steps, record.players, strict=False)):
        side = "X" if judge.rules.mover(step.before) > 0 else "O"
        if label is None:
            continue
        if sides is None and (alone or names[side] in (None, label)):
            names[side] = label
        elif sides is None or label.lower() != sides["XO".index(side)]:
            turn = side if sides else names[side]
            raise MoveError(f"move {place + 1} was made by {label}, but it was the turn of {turn}", place)
    record.x, record.o = names["X"], names["O"]


def _agreed(judge: Judge, record: FileRecord, codes: list[int], end: int, roles: Mapping[str, str]) -> str | None:
    """Return the stated outcome of a game that is not over. Raises `PositionError` where a finished game ended
    otherwise, and where a path has lost its leading zero.
    """
    stated, over, path = record.outcome, not judge.legal(end), backtracker(codes, judge.rules.largest_code)
    if stated is None or not str(stated).strip():
        return None
    numbered = plain(roles["outcome"]) == "winner" and str(stated).strip().removesuffix(".0") == "2"
    outcome = read_outcome("player 2" if numbered else stated, (record.x, record.o), judge.game.players)
    ended = _ended(judge, end)
    if outcome == "nobody":
        outcome = "tie" if over else "unfinished"
    if outcome == ended:
        return None
    if not joined(judge.rules.largest_code) and codes and codes[0] and _outcome(judge, [0, *codes]) == outcome:
        lost = f"{path} is one with a 0 before it: a number loses its leading zeros"
        raise PositionError(f"outcome {stated}, but {lost}")
    if over:
        is_so = "is a tie" if ended == "tie" else f"is won by {ended}"
        where = f"games begin at {judge.position} unless --from is given"
        raise PositionError(f"outcome {stated}, but {path} {is_so}; {where}")
    return outcome if outcome != "resigned" else "O" if judge.rules.mover(end) > 0 else "X"


def _ended(judge: Judge, state: int) -> str:
    """Return the outcome of a game that ends, or stops, in a state."""
    payoff = judge.rules.payoff(state)
    return "unfinished" if payoff == ONGOING else "X" if payoff > 0 else "O" if payoff < 0 else "tie"


def _outcome(judge: Judge, codes: Sequence[int]) -> str | None:
    """Return how the game of these codes ends, or None if it is not one."""
    state = judge.start
    for code in codes:
        after = dict(judge.legal(state))
        if code not in after:
            return None
        state = after[code]
    return _ended(judge, state)


# Judging --------------------------------------------------------------------------------------------------------------


def _judged(judge: Judge, played: Sequence[Played]) -> pd.DataFrame:
    """Return the table of moves: what each was worth and what it lost.

    *Value lost* is the value before the move minus the value after it, from the mover's view, in units of payoff. It is
    never negative; a move that loses 0 is optimal, any other a mistake.

    *Remoteness lost* is how many plies an optimal move wasted (the winner hurries, the loser delays, with value 0 the
    players hurry), again never negative. It is unknown where value was lost, where searches do not find the remoteness,
    and where either position is a draw, which has no remoteness.
    """
    import pandas as pd

    known = judge.know({state for each in played for step in each.steps for state in (step.before, step.after)})
    rows = []
    for number, each in enumerate(played):
        for step in each.steps:
            mover, before, after = judge.rules.mover(step.before), known[step.before], known[step.after]
            lost = None if before.value is None or after.value is None else mover * (before.value - after.value)
            plies = None
            if lost == 0 and before.remoteness_plies is not None and after.remoteness_plies is not None:
                longer = after.remoteness_plies + 1 - before.remoteness_plies
                plies = -longer if mover * (before.value or 0) < 0 else longer
            side, player = ("X", each.record.x) if mover > 0 else ("O", each.record.o)
            where = (number, each.record.row, player, side, step.ply, step.code, step.before, step.after)
            rows.append((*where, *before, *after, 1, lost is None, bool(lost), lost, plies))
    unknown = dict.fromkeys(("ply", *KNOWN, "value_lost", "remoteness_lost_plies"), "Int64")
    whole = dict.fromkeys(("game", "row", "move", "moves", "unknown", "mistakes"), "int64")
    columns = ["game", "row", "player", "side", "ply", "move", "before", "after", *KNOWN, *OF_MOVES]
    return pd.DataFrame(rows, columns=columns, dtype=object).astype(whole | unknown)


def _ends(judge: Judge, played: Sequence[Played], moves: pd.DataFrame) -> pd.DataFrame:
    """Return the table of games: how each ended, and which side threw it away: whose payoff is less than it could have
    secured at some point, also by a smaller win. Where a side resigned or a tie was agreed, only the signs of values
    count, the last position's included. Where values are unknown, sides may be missing.
    """
    import pandas as pd

    known, largest = judge.know({each.end for each in played}), judge.rules.largest_code
    columns = (moves[name].tolist() for name in ("value_before", "unknown", "mistakes"))
    judged, rows, at = [*zip(*columns, strict=True)], [], 0
    for each in played:
        own, begin = judged[at : at + len(each.steps)], at
        at += len(own)
        outcome, end = each.note or _ended(judge, each.end), known[each.end].value
        values, payoff = [value for value, unknown, _ in own if not pd.isna(value)], end
        if each.note is not None:
            payoff = {"X": 1, "O": -1, "tie": 0}[outcome]
            values = [max(-1, min(1, value)) for value in (*values, *([] if end is None else [end]))]
        elif outcome == "unfinished":
            values, payoff = [], 0
        first = next((ply for ply, (_, unknown, wrong) in enumerate(own) if unknown or wrong), None)
        erred = first is not None and not own[first][1]
        rows.append(
            {
                "row": each.record.row,
                "x": each.record.x,
                "o": each.record.o,
                "path": backtracker([step.code for step in each.steps], largest),
                "outcome": outcome,
                "plies": len(own),
                "resigned": OTHER.get(each.note or ""),
                "thrown_x": any(value > payoff for value in values),
                "thrown_o": any(value < payoff for value in values),
                "first": begin + first if erred and first is not None else -1,
                "exact_from_ply": max((ply + 1 for ply, (_, unknown, _) in enumerate(own) if unknown), default=0),
            }
        )
    kinds = dict.fromkeys(("row", "plies", "first", "exact_from_ply"), "int64") | {
        "thrown_x": "bool",
        "thrown_o": "bool",
    }
    names = ["row", "x", "o", "path", "outcome", "plies", "resigned", "thrown_x", "thrown_o", "first", "exact_from_ply"]
    return pd.DataFrame(rows, columns=names, dtype=object).astype(kinds)


def _chosen(judge: Judge, played: Sequence[Played]) -> pd.DataFrame:
    """Return the table of choices."""
    import pandas as pd

    return pd.DataFrame(
        {
            "row": [each.record.row for each in played],
            "player": objects(each.record.x for each in played),
            "position": objects(judge.game.format_position(each.end) for each in played),
            "move": [each.record.moves[0] for each in played],
            "reached": [bool(each.steps) for each in played],
        }
    )
