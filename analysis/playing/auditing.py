"""Audit a file: replay its games or choices, and judge every move in one table. Audit a policy by its best response."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..common.files import check_target
from ..common.wording import did_you_mean
from ..common.workers import tell_progress
from ..errors import OptionError, PositionError
from ..rules.backtracker import backtracker
from ..rules.game import ONGOING, GameLike
from ..rules.positions import Place
from ..solution.solution import Solution
from ..solution.storage.stored_games import refuse_other_kinds
from ..solving.find import find_values
from .audit_results import MOVE_COLUMNS, Audit
from .exploitability import MOST_POSITIONS, SIGNS, Exploitability, exploit
from .judge import Judge, Step, find_judge
from .layouts import FileRecord, MoveError, find_layout, name_of, read_records
from .levels import is_level
from .player import Player
from .policies import audit_policies
from .records import RowTable, read_table
from .terms import NO_LIMITS, Effort

if TYPE_CHECKING:
    import pandas as pd

MOST_BAD = 10_000
"""Bad rows that are described; the rest are only counted."""

SAID_EVERY = 1 << 14
"""Games between two reports of progress."""

SUFFIXES = (".csv", ".jsonl", ".parquet")
"""Formats of a file of judged moves."""

OUTCOMES = {
    "x": "X",
    "1": "X",
    "o": "O",
    "-1": "O",
    "tie": "tie",
    "draw": "tie",
    "0": "tie",
    "unfinished": "unfinished",
}
"""Words for the end of a game, besides the names of the sides and of who plays them."""


@dataclasses.dataclass(frozen=True)
class RowOptions:
    """How to read the rows to audit."""

    form: str | None = None
    """The format of a file whose suffix does not tell it: csv, json, jsonl, parquet or text."""
    start: Place | None = None
    """The position where the games began (default: the start)."""
    by: Sequence[str] | None = None
    """The columns to group by, any of them."""
    columns: Mapping[str, str] | None = None
    """What columns hold where their names do not tell, such as ``{"position": "pre_state"}``."""
    strict: bool = True
    """Whether a row that cannot be read is an error; otherwise it is left out and reported."""


USUAL_OPTIONS = RowOptions()


@overload
def audit(
    game: GameLike | Judge,
    rows: Player | Callable[[np.ndarray], Any],
    *,
    max_positions: int = MOST_POSITIONS,
    effort: Effort = NO_LIMITS,
) -> dict[str, Exploitability]: ...


@overload
def audit(
    game: GameLike | Judge,
    rows: Any,
    options: RowOptions = USUAL_OPTIONS,
    *,
    out: str | Path | None = None,
    max_positions: int = MOST_POSITIONS,
    effort: Effort = NO_LIMITS,
) -> Audit: ...


def audit(
    game: GameLike | Judge,
    rows: Any,
    options: RowOptions = USUAL_OPTIONS,
    *,
    out: str | Path | None = None,
    max_positions: int = MOST_POSITIONS,
    effort: Effort = NO_LIMITS,
) -> Audit | dict[str, Exploitability]:
    """Judge every game or choice of ``rows``: a file (``-`` is standard input), a data frame, or a list of
    backtrackers, lists of moves, or mappings. Of a policy (a level, a `Player`, or a function of states) the result is
    its `exploit`, by side.

    The names of columns, or the ``options``, tell what they hold. Columns that are not read are kept in all rows.
    ``out`` is a file for one row per move; ``max_positions`` limits the search for best
    responses. A game that is not stored is solved with this ``effort``; one too large for that, or that takes more than
    half of the seconds, is judged as far as searches get in the time (see `Judge`). Raises `RowError`,
    `OptionError`, `StoreError`, and what `analysis.solve` raises.

    >>> found = audit("tictactoe", ["041", "4126"])
    >>> found.totals()["moves"], found.totals()["mistakes"], found.mistakes(1)[0]["position"]
    (7, 1, '????X????')
    >>> rows = [{"game": 7, "turn": turn, "cell": cell} for turn, cell in enumerate((4, 1, 0))]
    >>> audit("tictactoe", rows).recognised
    "a move a row, game by 'game', move by 'cell', number by 'turn'"
    >>> audit("tictactoe", "greedy")["O"].exact
    Fraction(89, 96)
    """
    if not isinstance(game, Judge | Solution):
        refuse_other_kinds(game)
    if isinstance(rows, Player) or callable(rows) or (isinstance(rows, str) and is_level(rows)):
        if any(each is not None for each in (out, options.form, options.by, options.columns)):
            raise OptionError("--out, --input, --by and --columns are for files, not for a policy")
        if not isinstance(game, Judge):
            game = find_values(game, options.start, effort.symmetry, seconds=effort.seconds)
        solved = (game.solution or game.game) if isinstance(game, Judge) else game
        return exploit(solved, rows, start=options.start, max_positions=max_positions)
    if out is not None:
        check_out(Path(out), rows)
    table = read_table(rows, options.form)
    layout = find_layout(table, options.columns)
    names, by = table.frame.columns.tolist(), [name.strip().lower() for name in options.by or ()]
    for name in by:
        if name not in names:
            raise OptionError(f"{table.name} has no column {name!r} to group by{did_you_mean(name, names)}")
    again = {"value_before", "value_lost", "best_moves"} <= {*names}  # a file of judged moves
    read, player = layout.read | ({*MOVE_COLUMNS} if again else set()), layout.roles.get("player")
    others = [name for name in names if name not in read or (name in by and name != player)]
    judge, games = find_judge(game, options.start, effort), layout.form != "choices"
    records = read_records(table, layout, judge.notation, from_start=options.start is None)
    played = [*_played(judge, records, table, games=games)]
    if not games:
        reached = judge.know({each.end for each in played})
        lost = [each for each in played if each.end not in reached]
        table.faults |= dict.fromkeys((each.record.rows[0] for each in lost), f"not reached from {judge.position}")
        played = [each for each in played if each.end in reached]
        for each in played:
            each.steps = [step._replace(ply=judge.ply(each.end)) for step in each.steps]
    if table.faults and options.strict:
        raise table.errors[0]
    judge.settle(step for each in played for step in each.steps)
    moves = _judged(judge, played, games=games)
    audited = Audit(
        games, table.name, judge, moves, _ends(judge, played, moves) if games else moves[["row"]],
        table.frame.loc[[each.record.rows[0] for each in played], others].reset_index(drop=True), by=tuple(by),
        player_column=player, recognised=layout.describe(),
        bad_rows=tuple(map(str, table.errors[:MOST_BAD])), bad=len(table.faults),
    )  # fmt: skip
    if not games:
        columns = [
            moves["player"] if name == player else moves["game"].map(audited.given[name]) for name in audited.keys
        ]
        owners = [tuple(map(name_of, values)) for values in zip(*columns, strict=True)] or [()] * len(moves)
        chances = (played[number].record.probability for number in moves["game"])
        choices = zip(owners, moves["before"].tolist(), moves["move"].tolist(), chances, strict=True)
        audited = dataclasses.replace(audited, policies=audit_policies(judge, audited.keys, choices, max_positions))
    if out is not None:
        audited.write_moves(Path(out))
    return audited


def check_out(path: Path, rows: Any) -> None:
    """Raise `OptionError` for an unknown suffix or the file of ``rows``, `StoreError` for a missing directory."""
    check_target(path, SUFFIXES, "moves")
    if isinstance(rows, (str, Path)) and path.resolve() == Path(rows).resolve():
        raise OptionError(f"--out {path} is the file to be judged; choose another name")


# Replaying ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Played:
    """A game or a choice that can be played."""

    record: FileRecord
    end: int
    """The state at the end of a game, or in which a choice was made."""
    steps: list[Step]
    """Its moves."""
    players: list[str | None]
    """Who made each move."""


def _played(judge: Judge, records: Iterable[FileRecord], table: RowTable, *, games: bool) -> Iterator[Played]:
    """Play all games from where play begins, or make choices in their positions; note faults in their table."""
    sides = {"x": 1, "first": 1, "o": -1, "second": -1}
    sides |= {name.lower(): side for name, side in zip(judge.game.players, (1, -1), strict=True)}
    for number, record in enumerate(records):
        if number % SAID_EVERY == 0:
            tell_progress("judging", number, len(table.frame))
        try:
            if not games:
                state = judge.state(record.position)
                code, after = judge.step(state, record.moves[0])
                yield Played(record, state, [Step(state, after, None, code)], [*record.players])
            else:
                yield _replayed(judge, record, sides)
        except PositionError as error:
            table.faults |= record.fault(error)


def _replayed(judge: Judge, record: FileRecord, sides: Mapping[str, int]) -> Played:
    """Play a game. Raises `MoveError` for an illegal move and one out of turn, `PositionError` where its moves end
    it otherwise than it says; one that they do not end may have been given up.
    """
    state, steps, names = judge.start, list[Step](), {1: record.x, -1: record.o}
    labels = record.players or [None] * len(record.moves)
    for ply, (move, label) in enumerate(zip(record.moves, labels, strict=True)):
        side = judge.rules.mover(state)
        try:
            code, after = judge.step(state, move)
            if sides.get((label or "").lower(), side) != side:
                raise PositionError(f"it is not the turn of {label}")
        except PositionError as error:
            raise MoveError(f"move {ply + 1}: {error}", ply) from None
        if label is not None and label.lower() not in sides:
            names[side] = names[side] or label
        steps.append(Step(state, after, ply, code))
        state = after
    record.x, record.o = names[1], names[-1]
    stated, ended = (record.outcome or "").lower().removesuffix(".0"), _ended(judge, state)
    people = [*zip(judge.game.players, SIGNS, strict=True), (record.x, "X"), (record.o, "O")]
    outcomes = OUTCOMES | {name.lower(): side for name, side in people if name}
    if stated and stated not in outcomes:
        raise PositionError(f"unknown outcome {record.outcome!r}; write X, O, tie, unfinished, or who won")
    if stated and ended not in ("unfinished", outcomes[stated]):
        known = "a tie" if ended == "tie" else f"won by {ended}"
        raise PositionError(f"the outcome is given as {record.outcome}, but the game is {known}")
    movers = [judge.rules.mover(step.before) for step in steps]
    players = [
        label if label and label.lower() not in sides else names[side]
        for side, label in zip(movers, labels, strict=True)
    ]
    return Played(record, state, steps, players)


def _ended(judge: Judge, state: int) -> str:
    """Return the outcome of a game that ends, or stops, in a state."""
    payoff = judge.rules.payoff(state)
    return "unfinished" if payoff == ONGOING else "X" if payoff > 0 else "O" if payoff < 0 else "tie"


# Judging --------------------------------------------------------------------------------------------------------------


def _judged(judge: Judge, played: Sequence[Played], *, games: bool) -> pd.DataFrame:
    """Return the table of moves: what each was worth and what it lost.

    *Value lost* is the value before the move minus the value after it, from the mover's view, in units of payoff. It is
    never negative; a move that loses 0 is optimal, any other a mistake.

    *Remoteness lost* is how many plies an optimal move wasted (the winner hurries, the loser delays, with value 0 the
    players hurry), again never negative. It is unknown where value was lost, where searches do not find the remoteness,
    and where either position is a draw, which has no remoteness.
    """
    import pandas as pd

    known = judge.know({state for each in played for step in each.steps for state in (step.before, step.after)})
    rows = [
        (number, each.record.rows[0], player, judge.rules.mover(step.before), step.ply, step.code, step.before,
         step.after, *known[step.before], *known[step.after])
        for number, each in enumerate(played) for step, player in zip(each.steps, each.players, strict=False)
    ]  # fmt: skip
    columns = ["game", "row", "player", "side", "ply", "move", "before", "after"]
    after = ["value_before", "remoteness_before_plies", "value", "remoteness_plies"]
    moves = pd.DataFrame(rows, columns=columns + after, dtype=object)
    moves = moves.astype({name: "Int64" for name in moves if name != "player"})
    mover, lost = moves["side"], moves["side"] * (moves["value_before"] - moves["value"])
    longer = (moves["remoteness_plies"] + 1 - moves["remoteness_before_plies"]).where(lost == 0)
    wrong = (lost > 0).fillna(False)
    settled = (wrong | lost.isna()).groupby(moves["game"]).cumsum()
    return moves.assign(
        side=mover.map({1: "X", -1: "O"}),
        moves=1,
        unknown=lost.isna().astype("int64"),
        mistakes=wrong.astype("int64"),
        value_lost=lost,
        remoteness_lost_plies=longer.where(~(mover * moves["value_before"] < 0), -longer),
        first_mistakes=(wrong & (settled == 1) & games).astype("int64"),
    )


def _ends(judge: Judge, played: Sequence[Played], moves: pd.DataFrame) -> pd.DataFrame:
    """Return the table of games: how each ended, and which side threw it away: whose payoff is less than it could have
    secured at some point, also by a smaller win. Where values are unknown, sides may be missing.
    """
    import pandas as pd

    known, largest = judge.know({each.end for each in played}), judge.rules.largest_code
    rows = [
        (each.record.rows[0], each.record.x, each.record.o, backtracker([step.code for step in each.steps], largest),
         _ended(judge, each.end), len(each.steps), known[each.end].value)
        for each in played
    ]  # fmt: skip
    games = pd.DataFrame(rows, columns=["row", "x", "o", "path", "outcome", "plies", "payoff"], dtype=object)
    games = games.astype({"row": "int64", "plies": "int64", "payoff": "Int64"})
    payoff, values = games.pop("payoff").where(games["outcome"] != "unfinished"), moves.groupby("game")["value_before"]
    return games.assign(
        thrown_x=(values.max().reindex(games.index) > payoff).fillna(False).astype(bool),
        thrown_o=(values.min().reindex(games.index) < payoff).fillna(False).astype(bool),
    )
