"""Audit a file: judge every game or choice in it, sum up, and find out how exploitable the policies in it are."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from analysis.audit.audit_records import Recorder
from analysis.audit.exploitability import MOST_POSITIONS
from analysis.audit.inputs import SHOWN_COLUMNS, RowError, Rows, check_input, table_of
from analysis.audit.judge import Judge, find_judge
from analysis.audit.judged_choices import MOVES, POSITION, JudgedChoice, Policy, judged_choices
from analysis.audit.judged_games import PATHS, JudgedGame, judged_games
from analysis.audit.outputs import MoveFile, check_out, move_file
from analysis.audit.policies import PolicyAudit, audit_policies
from analysis.audit.tally import MoveTally, Results, Tally
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.solution import Solution

SHOWN_MISTAKES = 10
"""Mistakes in a report unless told otherwise."""

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

    def mistakes(self, most: int = SHOWN_MISTAKES) -> list[dict[str, Any]]:
        """The most frequent mistakes, each with how often it was made and what would have kept the value."""
        rows = [{"times": n, **self.recorder.mistake(v)} for v, n in self.tally.frequent_mistakes(most)]
        return [{name: value for name, value in row.items() if name != "ply"} for row in rows]

    def by_side(self) -> list[dict[str, Any]]:
        """Sums for X and for O."""
        tally = self.tally
        return [
            {"side": side, **self._sums(tally.moves_by_side[side], tally.results_by_side[side])} for side in ("X", "O")
        ]

    def by_player(self) -> list[dict[str, Any]]:
        """Sums for each player that is named."""
        tally = self.tally
        names = sorted({*tally.moves_by_player, *tally.results_by_player})
        return [
            {"player": name, **self._sums(tally.moves_by_player[name], tally.results_by_player[name])} for name in names
        ]

    def by_ply(self) -> list[dict[str, Any]]:
        """Sums for each number of moves before the move; of games only."""
        first = self.tally.first_mistakes_by_ply
        return [
            {"ply": ply, **moves.to_json(), "first_mistakes": first[ply]}
            for ply, moves in sorted(self.tally.moves_by_ply.items())
        ]

    def _sums(self, moves: MoveTally, results: Results) -> dict[str, Any]:
        return {**(dataclasses.asdict(results) if self.kind == "games" else {}), **moves.to_json()}

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """As ``gametree audit --format json`` prints it, without the single games or choices."""
        tally, games = self.tally, self.kind == "games"
        head = {"game": self.judge.game.spec, "from": self.judge.position, "file": self.name, "kind": self.kind}
        own = (
            {"games": sum(tally.outcomes.values()), "outcomes": tally.outcomes}
            if games
            else {"unreached": tally.unreached, "unreached_example": tally.unreached_example}
        )
        return {
            **head,
            **own,
            **tally.all.to_json(),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            **({"by_ply": self.by_ply()} if games else {}),
            "frequent_mistakes": self.mistakes(mistakes),
            "frequent_mistakes_exact": not tally.dropped,
            **({} if games else {"exploitability": [policy.to_json() for policy in self.policies]}),
        }


Each = Callable[[Recorder, int, JudgedGame | JudgedChoice], None]
"""Is handed every judged game or choice with its number, from 0 on."""


def audit(
    game: str | Game | Solution,
    rows: Any,
    *,
    form: str | None = None,
    position: str | None = None,
    out: str | Path | None = None,
    each: Each | None = None,
    max_positions: int = MOST_POSITIONS,
    progress: Progress = no_progress,
) -> Audit:
    """Judge every game or choice of ``rows``: a file (``-`` is standard input; ``form`` is its format where the suffix
    does not say it), a data frame, or an iterable as `judge_games` and `judge_choices` take it.

    ``position`` is where games began; ``out`` a file for one row per move; ``each`` is called with every judged game
    or choice; ``max_positions`` limits the search for best responses. Raises `RowError`, `OptionError`, `StoreError`,
    and what `analysis.solve` raises.

    >>> found = audit("tictactoe", ["041", "4126"])
    >>> found.tally.all.moves, found.tally.all.mistakes, found.mistakes(1)[0]["position"]
    (7, 1, '????X????')
    """
    check_input(form)
    if out is not None:
        check_out(Path(out), rows)
    with contextlib.ExitStack() as files:
        table = files.enter_context(table_of(rows, form))
        kind = kind_of(table)
        judge = find_judge(game, position=position, progress=progress)
        progress(f"{kind} judged", 0, None)  # from here on there may be a file to tidy up
        recorder = Recorder(judge)
        file = None if out is None else files.enter_context(move_file(Path(out), recorder, games=kind == "games"))
        work = _Work(judge, recorder, Tally(judge), table, file, each, progress)
        policies: tuple[PolicyAudit, ...] = ()
        if kind == "games":
            _audit_games(work)
        else:
            policies = audit_policies(judge, _audit_choices(work), max_positions, progress)
    return Audit(kind, table.name, judge, work.tally, recorder, policies, None if file is None else file.rows)


def kind_of(table: Rows) -> str:
    """Whether a table holds ``games`` or ``choices``. Raises `RowError` where its columns do not say, and where it has
    no row.
    """
    if not table.columns:
        raise RowError(f"{table.name} is empty")
    games, moves = ([name for name in names if name in table.columns] for names in (PATHS, MOVES))
    choices = [POSITION, *moves] if moves and POSITION in table.columns else []
    if len(games) > 1 or (games and choices):
        raise RowError(f"{table.name} has columns {', '.join(games + choices)}: games or choices? rename one of them")
    if not games and not choices:
        shown = ", ".join(table.columns[:SHOWN_COLUMNS]) + (", ..." if len(table.columns) > SHOWN_COLUMNS else "")
        needed = "games need path (or backtracker), choices position and move (or code)"
        raise RowError(f"{table.name} has columns {shown}; {needed}")
    kind = "games" if games else "choices"
    if table.empty:
        raise RowError(f"{table.name} holds no {kind}")
    return kind


class _Work(NamedTuple):
    judge: Judge
    recorder: Recorder
    tally: Tally
    table: Rows
    file: MoveFile | None
    each: Each | None
    progress: Progress


def _audit_games(work: _Work) -> None:
    for number, game in enumerate(judged_games(work.judge, work.table)):
        work.tally.add_game(game)
        if work.file is not None:
            work.file.add_game(number, game)
        if work.each is not None:
            work.each(work.recorder, number, game)
        if number % SAID_EVERY == 0:
            work.progress("games judged", number, None)
    work.tally.settle()


def _audit_choices(work: _Work) -> dict[str | None, Policy]:
    """The policies that the choices make, by player."""
    policies: dict[str | None, Policy] = defaultdict(Policy)
    for number, choice in enumerate(judged_choices(work.judge, work.table)):
        work.tally.add_choice(choice)
        if choice.verdict is not None:
            policies[choice.player].add(choice.verdict.before.state, choice.verdict.code)
        if work.file is not None:
            work.file.add_choice(choice)
        if work.each is not None:
            work.each(work.recorder, number, choice)
        if number % SAID_EVERY == 0:
            work.progress("choices judged", number, None)
    work.tally.settle()
    return policies
