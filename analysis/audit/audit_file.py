"""Audit a file: judge every game or choice in it, sum up, and find out how exploitable the policies in it are."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.audit.audit_records import Recorder, further_columns
from analysis.audit.exploitability import MOST_POSITIONS
from analysis.audit.headers import PEOPLE, plain
from analysis.audit.inputs import Refuse, RowError, Rows, check_input, name_of, stop, table_of
from analysis.audit.judge import Judge
from analysis.audit.judged_choices import JudgedChoice, judged_choices
from analysis.audit.judged_games import JudgedGame, judged_games
from analysis.audit.layouts import SHOWN_COLUMNS, Layout, find_layout
from analysis.audit.outputs import check_out, move_file
from analysis.audit.policies import NO_POLICY, Owner, Policy, PolicyAudit, audit_policies
from analysis.audit.records import Reading
from analysis.audit.searching_judge import SearchingJudge, judge_within
from analysis.audit.tally import MOST_NAMED_VALUES, MOST_VALUES, MoveTally, Sums, Tally
from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import HasRules
from analysis.solution.solution import Solution
from analysis.wording import listed

SHOWN_MISTAKES = 10
"""Mistakes in a report unless told otherwise."""

MOST_BAD = 10_000
"""Bad rows that are told; of more, how many there are."""

SAID_EVERY = 1 << 14
"""Rows between two words of progress."""


@dataclasses.dataclass(frozen=True)
class Audit:
    """What was found in a file of games or choices."""

    kind: str
    """``games`` or ``choices``."""
    name: str
    """Of the file."""
    judge: Judge
    tally: Tally
    recorder: Recorder
    policies: tuple[PolicyAudit, ...] = ()
    moves_written: int | None = None
    """Rows of the file of judged moves, if one was asked for."""
    bad_rows: tuple[str, ...] = ()
    """What is wrong with rows that were left out, the first `MOST_BAD` of them."""
    bad: int = 0
    """How many rows were left out."""
    others: tuple[str, ...] = ()
    """The columns that were not read."""
    asked: bool = False
    """Whether the columns to add up by were named."""
    recognised: str = ""
    """How the file was read, in one line."""
    unusual: bool = False
    """Whether columns, numbers or bytes were read otherwise than as this program writes them."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended searches before all was known."""
        return isinstance(self.judge, SearchingJudge) and self.judge.stopped == "interrupted"

    @property
    def exact_from_ply(self) -> int:
        """From which ply on every move of every game is judged: 0 where all are."""
        return max(self.tally.exact_from, default=0)

    @property
    def half_exact_from_ply(self) -> int:
        """The same for half of the games, those that are exact the furthest back."""
        half = (sum(self.tally.exact_from.values()) + 1) // 2
        plies = sorted(self.tally.exact_from.items())
        counts = itertools.accumulate(number for _, number in plies)
        return next((ply for (ply, _), count in zip(plies, counts, strict=True) if count >= half), 0)

    def mistakes(self, most: int = SHOWN_MISTAKES) -> list[dict[str, Any]]:
        """The most frequent mistakes, each with how often it was made and what would have kept the value."""
        rows = [{"times": n, **self.recorder.mistake(v)} for v, n in self.tally.frequent_mistakes(most)]
        return [{name: value for name, value in row.items() if name != "ply"} for row in rows]

    def by_side(self) -> list[dict[str, Any]]:
        """Sums for X and for O."""
        return [{"side": side, **self._sums(sums)} for side, sums in self.tally.by_side.items()]

    def by_player(self) -> list[dict[str, Any]]:
        """Sums for each player that is named."""
        return [{"player": name, **self._sums(sums)} for name, sums in sorted(self.tally.by_player.items())]

    def by_column(self) -> dict[str, list[dict[str, Any]]]:
        """Of each column that is added up by, a row for each of its values: sums of all moves and by side, of games
        also how these ended, of choices how exploitable they are.
        """
        met = self._policies_by_value()
        return {
            name: [
                self._value_row(name, value, sides, met.get((name, value), []))
                for value, sides in sorted(groups.items(), key=_by_number)
            ]
            for name, groups in self.tally.by_column.items()
        }

    def _policies_by_value(self) -> dict[tuple[str, str | None], list[PolicyAudit]]:
        found = defaultdict[tuple[str, str | None], list[PolicyAudit]](list)
        for policy in self.policies:
            for name, value in policy.of.items():
                found[name, value].append(policy)
        return found

    def _value_row(
        self, name: str, value: str, sides: dict[str, Sums], policies: Sequence[PolicyAudit]
    ) -> dict[str, Any]:
        x, o = sides["X"], sides["O"]
        by_side = [{"side": side, **self._sums(sums)} for side, sums in sides.items()]
        own: dict[str, Any]
        if self.kind == "games":
            ends = x.results.outcomes("X")
            if name == self.tally.player:  # one side of each game is another's
                ends = {end: number + o.results.outcomes("O")[end] for end, number in ends.items()}
            own = {"games": sum(ends.values()), "outcomes": ends}
        else:
            own = {"policies": len(policies), **(policies[0] if len(policies) == 1 else NO_POLICY).summary()}
        return {"value": value, **own, **self._moves(x.moves + o.moves), "by_side": by_side}

    def by_ply(self) -> list[dict[str, Any]]:
        """Sums for each number of moves before the move; of games only."""
        first = self.tally.first_mistakes_by_ply
        return [
            {"ply": ply, **self._moves(moves), "first_mistakes": first[ply]}
            for ply, moves in sorted(self.tally.moves_by_ply.items())
        ]

    def _sums(self, sums: Sums) -> dict[str, Any]:
        return {**(dataclasses.asdict(sums.results) if self.kind == "games" else {}), **self._moves(sums.moves)}

    def _moves(self, moves: MoveTally) -> dict[str, Any]:
        return moves.to_json() | ({} if self.judge.tells_remoteness else {"remoteness_lost_plies": None})

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """As ``gametree audit --format json`` prints it, with the ``mistakes`` made most often and no single games."""
        tally, games = self.tally, self.kind == "games"
        head = {"game": self.judge.game.spec, "from": self.judge.position, "file": self.name, "kind": self.kind}
        head["recognised"] = self.recognised
        own = (
            {"games": sum(tally.outcomes.values()), "outcomes": tally.outcomes, "exact_from_ply": self.exact_from_ply}
            if games
            else {"unreached": tally.unreached, "unreached_example": tally.unreached_example}
        )
        return {
            **head,
            **own,
            "judged_by": self.judge.source(),
            **self._moves(tally.all),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            "by_column": self.by_column(),
            "bad": self.bad,
            "bad_rows": list(self.bad_rows),
            **({"by_ply": self.by_ply()} if games else {}),
            "frequent_mistakes": self.mistakes(mistakes),
            "frequent_mistakes_exact": not tally.dropped,
            **({} if games else {"exploitability": [policy.to_json() for policy in self.policies]}),
        }


Each = Callable[[Recorder, int, JudgedGame | JudgedChoice], None]
"""Is handed every judged game or choice with its number, from 0 on."""

_JudgeAll = Callable[[Judge, Reading, Refuse], Iterator[JudgedGame | JudgedChoice]]


@checked
def audit(
    game: str | HasRules | Solution | Judge,
    rows: Any,
    *,
    form: str | None = None,
    position: str | None = None,
    out: str | Path | None = None,
    each: Each | None = None,
    max_positions: int = MOST_POSITIONS,
    by: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = True,
    seconds: float | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Audit:
    """Judge every game or choice of ``rows``: a file (``-`` is standard input; ``form`` is its format where the suffix
    does not say it), a data frame, or an iterable as `judge_games` and `judge_choices` take it.

    What the columns hold is known by their names, or by ``columns``, such as ``{"position": "pre_state"}``; the role
    ``count`` says whether rows, columns and cells are counted from 0 or 1. ``position`` is where games began; ``out`` a
    file for one row per move; ``each`` is called with what records moves, a number from 0 on and the judged game or
    choice that has it; ``max_positions`` limits the search for best responses. Columns that are not read are kept in
    all rows, and sums are made for their values: of those that ``by`` names, which may be any (None: all that are not
    read). A row that cannot be read is an error or, unless ``strict``, left out and reported. A game that is not
    stored, with this ``symmetry`` if one is wanted, is solved by so many ``workers``; one that is too large for that,
    or takes more than half of the ``seconds``, is judged as far as searches tell in the time, see `SearchingJudge`.
    ``progress`` is told how far it is. Raises `RowError`, `OptionError`, `StoreError`, and what `analysis.solve`
    raises.

    >>> found = audit("tictactoe", ["041", "4126"])
    >>> found.tally.all.moves, found.tally.all.mistakes, found.mistakes(1)[0]["position"]
    (7, 1, '????X????')
    >>> rows = [{"game": 7, "turn": turn, "cell": cell} for turn, cell in enumerate((4, 1, 0))]
    >>> audit("tictactoe", rows).recognised
    "one move a row, games by 'game', order by 'turn', moves by 'cell'"
    """
    check_input(form)
    if out is not None:
        check_out(Path(out), rows)
    with contextlib.ExitStack() as files:
        table = files.enter_context(table_of(rows, form))
        layout = find_layout(table, columns)
        grouped, others = _further(table, layout, by)
        owners = _owners(layout, others, by)
        judge = judge_within(
            game, position=position, symmetry=symmetry, seconds=seconds, workers=workers, progress=progress
        )
        games = layout.kind == "games"
        progress(f"{layout.kind} judged", 0, None)  # from here on there may be a file to tidy up
        recorder, bad = Recorder(judge, others), _BadRows()
        most = MOST_VALUES if by is None else MOST_NAMED_VALUES
        player = layout.roles.get("player") if games else None
        tally = Tally(judge, others, grouped, player=player, most=most)
        policies = defaultdict[Owner, Policy](Policy)
        file = None if out is None else files.enter_context(move_file(Path(out), recorder, games=games))
        reading = Reading(
            table,
            layout,
            judge.notation,
            others,
            asked=grouped if by else (),
            from_start=position is None,
            progress=progress,
        )
        all_judged: _JudgeAll = judged_games if games else judged_choices
        found = judge.settled(all_judged(judge, reading, stop if strict else bad.note), progress)
        for number, judged in enumerate(found):
            tally.add(judged)
            if isinstance(judged, JudgedChoice) and judged.verdict is not None:
                owner = tuple(
                    judged.player if place is None else name_of(judged.others[place]) for place in owners.values()
                )
                policies[owner].add(judged.verdict.before.state, judged.code)
            if file is not None:
                file.add(number, judged)
            if each is not None:
                each(recorder, number, judged)
            if number % SAID_EVERY == 0:
                progress(f"{layout.kind} judged", number, None)
        tally.settle()
        met = audit_policies(judge, tuple(owners), policies, max_positions, progress)
    written = None if file is None else file.rows
    return Audit(
        layout.kind, table.name, judge, tally, recorder, met, written, tuple(bad.rows), bad.count, others,
        by is not None, reading.recognised, reading.unusual,
    )  # fmt: skip


def _by_number(group: tuple[str, Any]) -> tuple[bool, int, str]:
    """Values that are numbers ascending, others after them."""
    value = group[0]
    number = value.isascii() and value.isdecimal() and len(value) < 19
    return not number, int(value) if number else 0, value


class _BadRows:
    """Rows that are left out."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.count = 0

    def note(self, error: RowError) -> None:
        """Leave one out."""
        self.count += 1
        if self.count <= MOST_BAD:
            self.rows.append(str(error))


def _further(table: Rows, layout: Layout, by: Sequence[str] | None) -> tuple[Sequence[str], tuple[str, ...]]:
    """The columns that sums are made for, and all that are kept. Raises `OptionError` for one that there is not."""
    asked = list(dict.fromkeys(name.strip().lower() for name in by or ()))
    for name in asked:
        if name not in table.columns:
            there = f"there is {listed(table.columns[:SHOWN_COLUMNS])}"
            raise OptionError(f"{table.name} has no column {name!r} to add up by; {there}")
    others = further_columns(table.columns, layout.read)
    kept = tuple(name for name in table.columns if name in others or name in asked)
    return others if by is None else asked, kept


def _owners(layout: Layout, others: Sequence[str], by: Sequence[str] | None) -> dict[str, int | None]:
    """The columns that say who chose, so that the choices of two people are never one policy, and their places among
    those that are kept; None for that of the player.
    """
    player = layout.roles.get("player")
    asked = {name.strip().lower() for name in by or ()} - {player}
    found: dict[str, int | None] = {} if player is None else {player: None}
    people = {name for name in others if plain(name) in PEOPLE}
    return found | {name: place for place, name in enumerate(others) if name in asked | people}
