"""Audit a file: judge every game or choice in it, add up the results, and measure how exploitable its policies are."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..machine.workers import tell_progress
from ..playing.terms import NO_LIMITS, Effort
from ..rules.game import GameLike
from ..solution.solution import Solution
from ..solution.storage.stored_games import refuse_other_kinds
from ..wording import listed, meant
from .exploitability import MOST_POSITIONS
from .judge import Judge, SearchingJudge, judge_within
from .judged import JudgedChoice, JudgedGame, judged_records
from .layouts import SHOWN_COLUMNS, Layout, find_layout
from .records import Reading
from .rows import Recorder, check_out, further_columns, move_file
from .tables import OF_GAMES, PEOPLE, RowError, RowTable, name_of, plain, table_of
from .tally import (
    MOST_NAMED_VALUES,
    MOST_VALUES,
    NO_POLICY,
    Owner,
    PolicyAudit,
    Sums,
    Tally,
    audit_policies,
)

SHOWN_MISTAKES = 10
"""Mistakes in a report by default."""

MOST_BAD = 10_000
"""Bad rows that are described; the rest are only counted."""

UNLIKE_GAMES, READABLE = 20, 0.05
"""With so many bad rows, and no larger share of all that can be read, a file is none of games or choices."""

SAID_EVERY = 1 << 14
"""Rows between two reports of progress."""


@dataclasses.dataclass(frozen=True)
class Audit:
    """The audit of a file of games or choices."""

    kind: str
    """``games`` or ``choices``."""
    name: str
    """Name of the file."""
    judge: Judge
    tally: Tally
    recorder: Recorder
    policies: tuple[PolicyAudit, ...] = ()
    moves_written: int | None = None
    """Rows written to the file of judged moves, if one was requested."""
    bad_rows: tuple[str, ...] = ()
    """What is wrong with the rows left out, the first `MOST_BAD` of them."""
    bad: int = 0
    """Number of rows left out."""
    others: tuple[str, ...] = ()
    """The columns that were not read."""
    asked: bool = False
    """Whether the user named the columns to group by."""
    recognised: str = ""
    """How the file was read, in one line."""
    unusual: bool = False
    """Whether columns, numbers or bytes deviate from what this program writes."""
    unit: str | None = None
    """What its rows are counted in, ``line`` or ``row``; None where a bot's choices have no numbers."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C stopped the searches before everything was known."""
        return isinstance(self.judge, SearchingJudge) and self.judge.stopped == "interrupted"

    @property
    def exact_from_ply(self) -> int:
        """The ply from which on every move of every game is judged: 0 where all are."""
        return max(self.tally.exact_from, default=0)

    @property
    def half_exact_from_ply(self) -> int:
        """The same for the better half of the games."""
        half = (sum(self.tally.exact_from.values()) + 1) // 2
        plies = sorted(self.tally.exact_from.items())
        counts = itertools.accumulate(number for _, number in plies)
        return next((ply for (ply, _), count in zip(plies, counts, strict=True) if count >= half), 0)

    def mistakes(self, most: int = SHOWN_MISTAKES) -> list[dict[str, Any]]:
        """Return the most frequent mistakes: how often and in which row, or line, first each was made, and the moves
        that keep the value.
        """
        rows = [
            {"times": n, "first_row": self.tally.first_rows[v.before.state, v.code], **self.recorder.mistake(v)}
            for v, n in self.tally.frequent_mistakes(most)
        ]
        return [{name: value for name, value in row.items() if name != "ply"} for row in rows]

    def by_side(self) -> list[dict[str, Any]]:
        """Return sums for X and for O."""
        return self._by_side(self.tally.by_side)

    def _by_side(self, by_side: Mapping[str, Sums]) -> list[dict[str, Any]]:
        return [{"side": side, **self._sums(sums)} for side, sums in by_side.items()]

    def by_player(self) -> list[dict[str, Any]]:
        """Return sums for each named player."""
        return [{"player": name, **self._sums(sums)} for name, sums in sorted(self.tally.by_player.items())]

    def by_column(self) -> dict[str, list[dict[str, Any]]]:
        """Return, for each column that is grouped by, one row per value: sums over all moves and by side, for games
        also the outcomes, for choices also the exploitability.
        """
        met = defaultdict[tuple[str, str | None], list[PolicyAudit]](list)
        for policy in self.policies:
            for owner in policy.of.items():
                met[owner].append(policy)
        return {
            name: [
                self._value_row(name, value, sides, met.get((name, value), []))
                for value, sides in sorted(groups.items(), key=_by_number)
            ]
            for name, groups in self.tally.by_column.items()
        }

    def _value_row(
        self, name: str, value: str, sides: dict[str, Sums], policies: Sequence[PolicyAudit]
    ) -> dict[str, Any]:
        x, o = sides["X"], sides["O"]
        own: dict[str, Any]
        if self.kind == "games":
            ends = x.outcomes("X")
            if name == self.tally.player:  # one side of each game is another's
                ends = {end: number + o.outcomes("O")[end] for end, number in ends.items()}
            own = {"games": sum(ends.values()), "outcomes": ends}
        else:
            own = {"policies": len(policies), **(policies[0] if len(policies) == 1 else NO_POLICY).summary()}
        return {"value": value, **own, **self._moves(x + o), "by_side": self._by_side(sides)}

    def by_ply(self) -> list[dict[str, Any]]:
        """Return sums by ply, of games also with their first mistakes; of choices where the tiers of the solution are
        plies.
        """
        first = self.tally.first_mistakes_by_ply
        return [
            {"ply": ply, **self._moves(moves), **({"first_mistakes": first[ply]} if self.kind == "games" else {})}
            for ply, moves in sorted(self.tally.moves_by_ply.items())
        ]

    def _sums(self, sums: Sums) -> dict[str, Any]:
        return {**(sums.of_games() if self.kind == "games" else {}), **self._moves(sums)}

    def _moves(self, sums: Sums) -> dict[str, Any]:
        return sums.of_moves() | ({} if self.judge.tells_remoteness else {"remoteness_lost_plies": None})

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """Return what ``gametree audit --format json`` prints, with this many of the most frequent ``mistakes``."""
        tally, games = self.tally, self.kind == "games"
        own = (
            {"games": sum(tally.outcomes.values()), "outcomes": tally.outcomes, "exact_from_ply": self.exact_from_ply}
            if games
            else {"unreached": tally.unreached, "unreached_example": tally.unreached_example}
        )
        return {
            "game": self.judge.game.spec,
            "from": self.judge.position,
            "file": self.name,
            "kind": self.kind,
            "recognised": self.recognised,
            **own,
            "judged_by": self.judge.source(),
            **self._moves(tally.all),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            "by_column": self.by_column(),
            "bad": self.bad,
            "bad_rows": list(self.bad_rows),
            "by_ply": self.by_ply(),
            "frequent_mistakes": self.mistakes(mistakes),
            "frequent_mistakes_exact": not tally.dropped,
            **({} if games else {"exploitability": [policy.to_json() for policy in self.policies]}),
        }


Each = Callable[[Recorder, int, JudgedGame | JudgedChoice], None]
"""Called with every judged game or choice and its number, counted from 0."""


@dataclasses.dataclass(frozen=True)
class RowOptions:
    """How to read the rows to audit."""

    form: str | None = None
    """The format of a file whose suffix does not tell it: csv, json, jsonl, parquet or text."""
    position: str | None = None
    """Where the games began."""
    by: Sequence[str] | None = None
    """The columns to group by, any of them; None: all that are not read, unless they have many values."""
    columns: Mapping[str, str] | None = None
    """What columns hold where their names do not tell, such as ``{"position": "pre_state"}``; the role ``count`` says
    whether rows, columns and cells are counted from 0 or 1.
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
    each: Each | None = None,
    max_positions: int = MOST_POSITIONS,
    effort: Effort = NO_LIMITS,
) -> Audit:
    """Judge every game or choice of ``rows``: a file (``-`` is standard input), a data frame, or an iterable as for
    `judge_rows`.

    The names of columns, or the ``options``, tell what they hold. Columns that are not read are kept in all rows, and
    their values get sums. ``out`` is a file for one row per move; ``each`` is called with the recorder, a number from 0
    and the judged game or choice; ``max_positions`` limits the search for best responses. A game that is not stored is
    solved with this ``effort``; one too large for that, or that takes more than half of the seconds, is judged as far
    as searches get in the time (see `SearchingJudge`). Raises `RowError`, `OptionError`, `StoreError`, and what
    `analysis.solve` raises.

    >>> found = audit("tictactoe", ["041", "4126"])
    >>> found.tally.all.moves, found.tally.all.mistakes, found.mistakes(1)[0]["position"]
    (7, 1, '????X????')
    >>> rows = [{"game": 7, "turn": turn, "cell": cell} for turn, cell in enumerate((4, 1, 0))]
    >>> audit("tictactoe", rows).recognised
    "one move a row, games by 'game', order by 'turn', moves by 'cell'"
    """
    by, position = options.by, options.position
    if not isinstance(game, Judge | Solution):
        refuse_other_kinds(game)
    if out is not None:
        check_out(Path(out), rows)
    bad, bad_rows = 0, list[str]()

    def leave_out(error: RowError) -> None:
        nonlocal bad
        bad += 1
        if bad <= MOST_BAD:
            bad_rows.append(str(error))

    with contextlib.ExitStack() as files:
        table = files.enter_context(table_of(rows, options.form))
        layout = find_layout(table, options.columns)
        asked = None if by is None else _asked(table, by)
        others = further_columns(table.columns, layout.read)
        grouped = [name for name in others if plain(name) not in OF_GAMES] if asked is None else asked
        others = tuple(name for name in table.columns if name in others or name in grouped)
        owners = _owners(layout, others, asked or ())
        judge = judge_within(game, position=position, effort=effort)
        games = layout.kind == "games"
        tell_progress(f"{layout.kind} judged", 0, None)  # from here on there may be a file to clean up
        recorder = Recorder(judge, others)
        player = layout.roles.get("player") if games else None
        tally = Tally(judge, others, grouped, player=player, most=MOST_VALUES if by is None else MOST_NAMED_VALUES)
        policies = defaultdict[Owner, dict[int, tuple[int, ...]]](dict)
        file = None if out is None else files.enter_context(move_file(Path(out), recorder, games=games))
        reading = Reading(table, layout, judge.notation, others, asked=asked or (), from_start=position is None)
        records = judged_records(judge, reading, None if options.strict else leave_out)
        read = 0
        for number, judged in enumerate(judge.settled(records)):
            read += 1
            tally.add(judged)
            if isinstance(judged, JudgedChoice) and judged.verdict is not None:
                owner = tuple(
                    judged.player if place is None else name_of(judged.others[place]) for place in owners.values()
                )
                state, codes = judged.verdict.before.state, policies[owner].get(judged.verdict.before.state, ())
                policies[owner][state] = codes if judged.code in codes else (*codes, judged.code)
            if file is not None:
                file.add(number, judged)
            if each is not None:
                each(recorder, number, judged)
            if number % SAID_EVERY == 0:
                tell_progress(f"{layout.kind} judged", number, None)
        if bad >= UNLIKE_GAMES and read <= READABLE * (read + bad):
            what = f"{bad:,} of {read + bad:,} rows cannot be read; {bad_rows[0]}"
            raise RowError(f"{table.name} is not a file of games or choices: {what}")
        tally.settle()
        met = audit_policies(judge, tuple(owners), policies, max_positions)
    written = None if file is None else file.rows
    return Audit(
        layout.kind, table.name, judge, tally, recorder, met, written, tuple(bad_rows), bad, others, by is not None,
        reading.recognised, reading.unusual, table.unit,
    )  # fmt: skip


def _by_number(group: tuple[str, Any]) -> tuple[bool, int, str]:
    value = group[0]
    number = value.isascii() and value.isdecimal() and len(value) < 19
    return not number, int(value) if number else 0, value


def _asked(table: RowTable, by: Sequence[str]) -> list[str]:
    """Return the columns to group by. Raises `OptionError` for an unknown one."""
    asked = list(dict.fromkeys(name.strip().lower() for name in by))
    for name in asked:
        if name not in table.columns:
            there = f"it has {listed(table.columns[:SHOWN_COLUMNS])}"
            raise OptionError(f"{table.name} has no column {name!r} to group by{meant(name, table.columns)}; {there}")
    return asked


def _owners(layout: Layout, others: Sequence[str], asked: Sequence[str]) -> dict[str, int | None]:
    """Return the columns that say who chose, with their places among the kept ones (None for the player's column)."""
    player = layout.roles.get("player")
    found: dict[str, int | None] = {} if player is None else {player: None}
    people = {name for name in others if plain(name) in PEOPLE} | {name for name in asked if name != player}
    return found | {name: place for place, name in enumerate(others) if name in people}
