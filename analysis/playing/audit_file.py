"""Audit a file: replay its games or choices, and judge every move in one table."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..common.files import check_target
from ..common.wording import described, listed, meant
from ..common.workers import tell_progress
from ..errors import OptionError, PositionError
from ..rules.backtracker import backtracker, joined
from ..rules.game import ONGOING, GameLike
from ..solution.solution import Solution
from ..solution.storage.stored_games import refuse_other_kinds
from .audit_results import MOVE_COLUMNS, Audit, objects
from .exploitability import MOST_POSITIONS
from .judge import Judge, Step, judge_within
from .layouts import SHOWN_COLUMNS, FileRecord, Layout, Records, find_layout, name_of, number_of
from .outcomes import OTHER, read_outcome
from .policies import Choices, Owner, audit_policies
from .record_names import PEOPLE, plain
from .records import RowError, RowTable, read_table
from .terms import NO_LIMITS, Effort

if TYPE_CHECKING:
    import pandas as pd

MOST_BAD = 10_000
"""Bad rows that are described; the rest are only counted."""

UNLIKE_GAMES, READABLE = 20, 0.05
"""With so many bad rows, and no larger share of all that can be read, a file is none of games or choices."""

SAID_EVERY = 1 << 14
"""Games between two reports of progress."""

SUFFIXES = (".csv", ".jsonl", ".parquet")
"""Formats of a file of judged moves."""

SHOWN_PATH = 40
"""Characters of a path quoted in an error message."""

UNGROUPED = {"game", "gameid", "payoff", "plies"}
"""Columns of a game and its result; sums by their values say nothing of who played."""


@dataclasses.dataclass(frozen=True)
class RowOptions:
    """How to read the rows to audit."""

    form: str | None = None
    """The format of a file whose suffix does not tell it: csv, json, jsonl, parquet or text."""
    start: str | None = None
    """Where the games began."""
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
    half of the seconds, is judged as far as searches get in the time (see `SearchingJudge`). Raises `RowError`,
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
    asked = None if options.by is None else _asked(table, options.by)
    others = [name for name in table.frame.columns if name not in _own(table, layout) or name in (asked or ())]
    grouped = [name for name in others if plain(name) not in UNGROUPED] if asked is None else asked
    judge = judge_within(game, position=options.start, effort=effort)
    from_start = options.start is None
    tell_progress(f"{layout.kind} judged", 0, None)
    records = Records(table, layout, judge.notation, others, asked=asked or (), from_start=from_start)
    games = layout.kind == "games"
    played = (_replay if games else _choose)(judge, records)
    bad = len(table.faults)
    if bad and options.strict:
        raise table.errors[0]
    if bad >= UNLIKE_GAMES and len(played.records) <= READABLE * (len(played.records) + bad):
        what = f"{bad:,} of {len(played.records) + bad:,} rows cannot be read; {table.errors[0]}"
        raise RowError(f"{table.name} is not a file of games or choices: {what}")
    judge.settle(played.steps)
    steps = _judged(judge, played)
    owners, policies = ([], {}) if games else _policies(layout, played, others, asked or ())
    count = f", counted from {records.base}" * bool(records.base)
    audited = Audit(
        layout.kind, table.name, judge, steps, _ends(judge, played, steps) if games else _chosen(judge, played),
        _frame([record.others for record in played.records], others), tuple(grouped), layout.roles.get("player"),
        audit_policies(judge, owners, policies, max_positions), tuple(map(str, table.errors[:MOST_BAD])), bad,
        asked is not None, layout.describe() + count, bool(count) or not layout.usual, table.unit,
    )  # fmt: skip
    return audited if out is None else dataclasses.replace(audited, moves_written=audited.write_moves(Path(out)))


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


def _asked(table: RowTable, by: Sequence[str]) -> list[str]:
    """Return the columns to group by. Raises `OptionError` for an unknown one."""
    asked, columns = list(dict.fromkeys(name.strip().lower() for name in by)), table.frame.columns.tolist()
    for name in asked:
        if name not in columns:
            has = f"it has {listed(columns[:SHOWN_COLUMNS])}"
            raise OptionError(f"{table.name} has no column {name!r} to group by{meant(name, columns)}; {has}")
    return asked


def _own(table: RowTable, layout: Layout) -> set[str]:
    """Return the columns that are read or, in a file of judged moves, are made again."""
    ours = {"value_before", "value_lost", "remoteness_lost_plies", "best_moves"} <= {*table.frame.columns}
    return layout.read | {*MOVE_COLUMNS} if ours else layout.read


def _frame(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=[*columns], index=range(len(rows)), dtype=object)


# Replaying ------------------------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """The good records of a table, and their moves one after the other."""

    records: list[FileRecord]
    ends: list[int]
    """The state at the end of each game, or in which each choice was made."""
    notes: list[str | None]
    """The stated outcome, ``X``, ``O`` or ``tie``, of each game that is not over."""
    steps: list[Step]
    codes: list[int]
    numbers: list[int]
    """The number, from 0, of the game or choice of each move."""

    def add(self, record: FileRecord, end: int, note: str | None, steps: Sequence[Step], codes: Sequence[int]) -> None:
        """Add a game or a choice."""
        self.numbers.extend([len(self.records)] * len(steps))
        self.records.append(record)
        self.ends.append(end)
        self.notes.append(note)
        self.steps.extend(steps)
        self.codes.extend(codes)


class _TurnError(Exception):
    """What is wrong with the mover at a place."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place


def _replay(judge: Judge, given: Records) -> Played:
    """Play all games from where play begins; note faults in their table."""
    played, faults = Played([], [], [], [], [], []), given.table.faults
    for number, record in enumerate(given.records):
        if number % SAID_EVERY == 0:
            tell_progress("games judged", number, None)
        state, steps, codes = judge.start, list[Step](), list[int]()
        try:
            for ply, move in enumerate(record.moves):
                code, after = judge.step(state, move)
                steps.append(Step(state, after, ply))
                codes.append(code)
                state = after
        except PositionError as error:
            row = record.rows[len(codes)] if record.rows else record.row
            faults[row] = f"move {len(codes) + 1} of {_shown(record.moves)}: {error}"
            continue
        try:
            if record.rows:
                _credit(judge, record, steps, given.sides)
            played.add(record, state, _agreed(judge, record, codes, state, given.layout), steps, codes)
        except _TurnError as error:
            faults[record.rows[error.place]] = str(error)
        except PositionError as error:
            faults[record.row] = str(error)
    return played


def _choose(judge: Judge, given: Records) -> Played:
    """Make all choices in their positions; note faults in their table. Those that play never reaches have no step."""
    played, faults, chosen = Played([], [], [], [], [], []), given.table.faults, list[tuple[FileRecord, int]]()
    for record in given.records:
        try:
            chosen.append((record, judge.state(record.position)))
        except PositionError as error:
            faults[record.row] = str(error)
    reached = judge.know({state for _, state in chosen})
    for record, state in chosen:
        try:
            if state in reached:
                code, after = judge.step(state, record.moves[0])
                record.moves = [code]
                played.add(record, state, None, [Step(state, after, judge.ply(state))], [code])
            else:
                record.moves = [judge.code(record.moves[0], state)]
                played.add(record, state, None, [], [])
        except PositionError as error:
            faults[record.row] = str(error)
    return played


def _credit(judge: Judge, record: FileRecord, steps: Sequence[Step], sides: Sequence[str] | None) -> None:
    """Check who made each move, and note the names of the players. Raises `_TurnError` for a move out of turn."""
    names, alone = {"X": record.x, "O": record.o}, len({*record.players}) == 1
    for place, (step, label) in enumerate(zip(steps, record.players, strict=True)):
        side = "X" if judge.rules.mover(step.before) > 0 else "O"
        if label is None:
            continue
        if sides is None and (alone or names[side] in (None, label)):
            names[side] = label
        elif sides is None or label.lower() != sides["XO".index(side)]:
            turn = side if sides else names[side]
            raise _TurnError(place, f"move {place + 1} was made by {label}, but it was the turn of {turn}")
    record.x, record.o = names["X"], names["O"]


def _agreed(judge: Judge, record: FileRecord, codes: list[int], end: int, layout: Layout) -> str | None:
    """Return the stated outcome of a game that is not over. Raises `PositionError` where a finished game ended
    otherwise, and where a path has lost its leading zero.
    """
    said, over, path = record.outcome, not judge.legal(end), backtracker(codes, judge.rules.largest_code)
    if said is None or not str(said).strip():
        return None
    if plain(layout.roles["outcome"]) == "winner" and number_of(said) == 2:
        said = "player 2"
    outcome, ended = read_outcome(said, (record.x, record.o), judge.game.players), _ended(judge, end)
    if outcome == "nobody":
        outcome = "tie" if over else "unfinished"
    if outcome == ended:
        return None
    zero = not joined(judge.rules.largest_code) and codes and codes[0] and _outcome(judge, [0, *codes]) == outcome
    where = f"games begin at {judge.position} unless --from is given"
    if zero:
        raise PositionError(f"outcome {said}, but {path} is one with a 0 before it: a number loses its leading zeros")
    if over:
        is_so = "is a tie" if ended == "tie" else f"is won by {ended}"
        raise PositionError(f"outcome {said}, but {path} {is_so}; {where}")
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


def _shown(moves: Sequence[Any]) -> str:
    texts = [move if isinstance(move, str) else described(move) for move in moves]
    path = ("" if all(len(text) == 1 for text in texts) else " ").join(texts)
    return path if len(path) <= SHOWN_PATH else path[:SHOWN_PATH] + "..."


# Judging --------------------------------------------------------------------------------------------------------------


def _judged(judge: Judge, played: Played) -> pd.DataFrame:
    """Return the table of moves: what each was worth and what it lost.

    *Value lost* is the value before the move minus the value after it, from the mover's view, in units of payoff. It is
    never negative; a move that loses 0 is optimal, any other a mistake.

    *Remoteness lost* is how many plies an optimal move wasted (the winner hurries, the loser delays, with value 0 the
    players hurry), again never negative. It is unknown where value was lost, where searches do not find the remoteness,
    and where either position is a draw, which has no remoteness.
    """
    import pandas as pd

    before, after, plies = zip(*played.steps, strict=True) if played.steps else ((), (), ())
    known = judge.know({*before, *after})
    movers = {state: judge.rules.mover(state) for state in {*before}}
    mover = pd.Series([movers[state] for state in before], dtype="int64")
    owners = [(record.x, record.o) for record in played.records]
    columns: dict[str, Any] = {
        "game": pd.Series(played.numbers, dtype="int64"),
        "row": pd.Series([played.records[number].row for number in played.numbers], dtype="int64"),
        "player": objects(
            owners[number][movers[state] < 0] for number, state in zip(played.numbers, before, strict=True)
        ),
        "side": mover.map({1: "X", -1: "O"}),
        "ply": pd.array(plies, dtype="Int64"),
        "code": pd.Series(played.codes, dtype="int64"),
        "before": objects(before),
        "after": objects(after),
    }
    for name, states in (("before", before), ("after", after)):
        columns[f"value_{name}"] = pd.array([known[state].value for state in states], dtype="Int64")
        columns[f"remoteness_{name}_plies"] = pd.array(
            [known[state].remoteness_plies for state in states], dtype="Int64"
        )
    steps = pd.DataFrame(columns)
    lost = mover * (steps["value_before"] - steps["value_after"])
    longer = steps["remoteness_after_plies"] + 1 - steps["remoteness_before_plies"]
    losing = (mover * steps["value_before"] < 0).fillna(False).astype(bool)
    wasted = longer.where(~losing, -longer).where((lost == 0).fillna(False).astype(bool))
    mistakes = (lost > 0).fillna(False).astype("int64")
    counts: dict[str, Any] = {"moves": 1, "unknown": lost.isna().astype("int64"), "mistakes": mistakes}
    return steps.assign(**counts, value_lost=lost, remoteness_lost_plies=wasted)


def _ends(judge: Judge, played: Played, steps: pd.DataFrame) -> pd.DataFrame:
    """Return the table of games: how each ended, and which side threw it away: whose payoff is less than it could have
    secured at some point, also by a smaller win. Where a side resigned or a tie was agreed, only the signs of values
    count, the last position's included. Where values are unknown, sides may be missing.
    """
    import pandas as pd

    known, by_game = judge.know({*played.ends}), defaultdict[int, list[int]](list)
    for number, code in zip(played.numbers, played.codes, strict=True):
        by_game[number].append(code)
    games = pd.DataFrame(
        {
            "row": [record.row for record in played.records],
            "x": objects(record.x for record in played.records),
            "o": objects(record.o for record in played.records),
            "path": [backtracker(by_game[number], judge.rules.largest_code) for number in range(len(played.records))],
            "outcome": [note or _ended(judge, end) for note, end in zip(played.notes, played.ends, strict=True)],
            "plies": [len(by_game[number]) for number in range(len(played.records))],
            "resigned": objects(OTHER.get(note or "") for note in played.notes),
        }
    )
    agreed = pd.Series([note is not None for note in played.notes], dtype=bool)
    end = pd.Series([known[state].value for state in played.ends], dtype="float64")
    payoff = end.where(games["outcome"] != "unfinished")
    payoff = payoff.where(~agreed, games["outcome"].map({"X": 1, "O": -1, "tie": 0}))
    values = steps["value_before"].astype("float64")
    values = values.where(~steps["game"].map(agreed).astype(bool), values.clip(-1, 1))
    best = values.groupby(steps["game"]).agg(["max", "min"]).reindex(games.index)
    last = end.clip(-1, 1).where(agreed)
    unknown, wrong = steps["unknown"] > 0, steps["mistakes"] > 0
    heads = steps[unknown | wrong].drop_duplicates("game")
    heads = heads[heads["mistakes"] > 0]
    exact = steps[unknown].groupby("game")["ply"].max() + 1
    return games.assign(
        thrown_x=np.fmax(best["max"], last) > payoff,
        thrown_o=np.fmin(best["min"], last) < payoff,
        first=pd.Series(heads.index, heads["game"]).reindex(games.index, fill_value=-1),
        exact_from_ply=exact.reindex(games.index).fillna(0).astype("int64"),
    )


# Choices --------------------------------------------------------------------------------------------------------------


def _chosen(judge: Judge, played: Played) -> pd.DataFrame:
    """Return the table of choices."""
    import pandas as pd

    reached, records = {*played.numbers}, played.records
    return pd.DataFrame(
        {
            "row": [record.row for record in records],
            "player": objects(record.x for record in records),
            "position": objects(map(judge.game.format_position, played.ends)),
            "code": [record.moves[0] for record in records],
            "reached": [number in reached for number in range(len(records))],
        }
    )


def _policies(
    layout: Layout, played: Played, others: Sequence[str], asked: Sequence[str]
) -> tuple[list[str], dict[Owner, Choices]]:
    """Return the columns that say who chose, and the choices of each owner."""
    player = layout.roles.get("player")
    owners = [] if player is None else [player]
    owners += [name for name in others if name != player and (plain(name) in PEOPLE or name in asked)]
    policies = defaultdict[Owner, Choices](lambda: defaultdict(dict))
    for number, step, code in zip(played.numbers, played.steps, played.codes, strict=True):
        record = played.records[number]
        who = dict(zip(others, record.others, strict=True)) | ({} if player is None else {player: record.x})
        codes = policies[tuple(name_of(who[name]) for name in owners)][step.before]
        if record.probability is None:
            codes[code] = None
        else:
            codes[code] = (codes.get(code) or 0) + record.probability
    return owners, policies
