"""Sum judged moves and games by side, player, ply and column, count mistakes, and audit the policies of choices."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TooLargeError
from ..machine.workers import tell_progress
from .exploitability import SIGNS, Exploitability, Payoff, Rows, best_response, nash_conv
from .judge import Judge, Verdict
from .judged import OUTCOMES, JudgedChoice, JudgedGame
from .tables import name_of

PENDING = 1 << 18
"""Moves summed up at a time: equal ones are counted fast, and verdicts need not be kept."""

MOST_VALUES, MOST_NAMED_VALUES = 1 << 10, 1 << 18
"""Limits on the different values of a column: by default, and where the user asked for it."""

MOST_MISTAKES = 1 << 18
"""Limit on the different mistakes counted; beyond it the rarest are dropped."""


@dataclasses.dataclass
class Sums:
    """Sums over the games of a side or player, and over moves."""

    games: int = 0
    won: int = 0
    lost: int = 0
    tied: int = 0
    unfinished: int = 0
    resigned: int = 0
    """Games that they gave up."""
    thrown_away: int = 0
    """Games that ended, by a move or by resigning, worse than they could have secured at some point."""
    first_mistakes: int = 0
    """Games whose first mistake was theirs."""
    moves: int = 0
    unknown: int = 0
    """Moves not judged; the sums below cover the others."""
    mistakes: int = 0
    value_lost: int = 0
    remoteness_lost_plies: int = 0
    """Lost by optimal moves."""

    def add_game(self, side: str, game: JudgedGame, first_mistake: bool, thrown_away: bool) -> None:
        """Add a game of the player of this side, whose first mistake was theirs or who threw it away."""
        outcome = game.outcome
        self.games += 1
        self.won += outcome == side
        self.tied += outcome == "tie"
        self.unfinished += outcome == "unfinished"
        self.lost = self.games - self.won - self.tied - self.unfinished
        self.resigned += game.resigned == side
        self.thrown_away += thrown_away
        self.first_mistakes += first_mistake

    def add_move(self, verdict: Verdict, times: int) -> None:
        """Add a move that was made this many times."""
        self.moves += times
        self.unknown += times * (verdict.value_lost is None)
        if verdict.value_lost:
            self.mistakes += times
            self.value_lost += times * verdict.value_lost
        elif verdict.remoteness_lost_plies:
            self.remoteness_lost_plies += times * verdict.remoteness_lost_plies

    def __add__(self, other: Sums) -> Sums:
        return Sums(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))

    @property
    def judged(self) -> int:
        """Moves that are judged."""
        return self.moves - self.unknown

    def outcomes(self, side: str) -> dict[str, int]:
        """Return the outcomes of the games that this side played."""
        won, lost = (self.won, self.lost) if side == "X" else (self.lost, self.won)
        return dict(zip(OUTCOMES, (won, lost, self.tied, self.unfinished), strict=True))

    def of_games(self) -> dict[str, int]:
        """Return the sums over games."""
        return dict(itertools.islice(dataclasses.asdict(self).items(), GAME_SUMS))

    def of_moves(self) -> dict[str, Any]:
        """Return the sums over moves, and the mean value lost by a judged move (None without one)."""
        return {
            "moves": self.moves,
            "unknown": self.unknown,
            "optimal": self.judged - self.mistakes,
            "mistakes": self.mistakes,
            "value_lost": self.value_lost,
            "value_lost_mean": self.value_lost / self.judged if self.judged else None,
            "remoteness_lost_plies": self.remoteness_lost_plies,
        }


GAME_SUMS = 8
"""How many fields of `Sums`, the first ones, are about games."""


class Tally:
    """Adds up games or choices; call `settle` at the end. Of the additional ``columns``, those ``grouped`` get sums by
    value, unless one has more than ``most`` values; in the ``player`` column each side of a game has its own value.
    """

    def __init__(
        self,
        judge: Judge,
        columns: Sequence[str] = (),
        grouped: Sequence[str] = (),
        *,
        player: str | None = None,
        most: int = MOST_VALUES,
    ) -> None:
        self.judge = judge
        self.by_column: dict[str, dict[str, dict[str, Sums]]] = {name: {} for name in grouped}
        """Sums by column, value and side."""
        self._columns, self.player, self._most = tuple(columns), player, most
        self.all = Sums()
        self.outcomes = dict.fromkeys(OUTCOMES, 0)
        self.by_side = {"X": Sums(), "O": Sums()}
        self.by_player: dict[str, Sums] = defaultdict(Sums)
        self.moves_by_ply: dict[int, Sums] = defaultdict(Sums)
        self.first_mistakes_by_ply: Counter[int] = Counter()
        self.exact_from: Counter[int] = Counter()
        """Number of games by the ply from which on all their moves are judged."""
        self.mistakes: Counter[tuple[int, int]] = Counter()
        self.first_rows: dict[tuple[int, int], int] = {}
        """The row, or line, of the game or choice in which each mistake was made first."""
        self.dropped = False
        """Whether there were too many mistakes to count them all."""
        self.unreached = 0
        """Choices in positions that play never reaches."""
        self.unreached_example: str | None = None
        self._moves: dict[tuple[str | None, str | None, tuple[Any, ...]], list[Verdict]] = defaultdict(list)
        self._waiting = 0

    def add(self, judged: JudgedGame | JudgedChoice) -> None:
        """Add a game and its moves, or a choice."""
        others = tuple(map(name_of, judged.others)) if self.by_column else ()
        if isinstance(judged, JudgedGame):
            first = judged.first_mistake
            self.exact_from[judged.exact_from_ply] += 1
            self.outcomes[judged.outcome] += 1
            thrown = [] if first is None and judged.agreed is None else judged.thrown_away()
            if first is not None and first.before.ply is not None:
                self.first_mistakes_by_ply[first.before.ply] += 1
            for side, player in (("X", judged.x), ("O", judged.o)):
                for sums in self._sums(side, player, others):
                    sums.add_game(side, judged, first is not None and first.side == side, side in thrown)
        elif judged.verdict is None:
            self.unreached += 1
            self.unreached_example = self.unreached_example or judged.position
        for mistake in [verdict for verdict in judged.verdicts if verdict.value_lost]:
            self.first_rows.setdefault((mistake.before.state, mistake.code), judged.row)
        self._moves[judged.x, judged.o, others] += judged.verdicts
        self._waiting += 1 + len(judged.verdicts)
        if self._waiting >= PENDING:
            self.settle()

    def settle(self) -> None:
        """Add up what was noted."""
        for (x, o, others), verdicts in self._moves.items():
            for verdict, times in Counter(verdicts).items():
                by = [self.all, *self._sums(verdict.side, x if verdict.before.mover > 0 else o, others)]
                if verdict.before.ply is not None:
                    by.append(self.moves_by_ply[verdict.before.ply])
                for sums in by:
                    sums.add_move(verdict, times)
                if verdict.value_lost:
                    self.mistakes[verdict.before.state, verdict.code] += times
        self._moves.clear()
        self._waiting = 0
        if len(self.mistakes) > MOST_MISTAKES:
            self.mistakes = Counter(dict(self.mistakes.most_common(MOST_MISTAKES // 2)))
            self.first_rows = {mistake: self.first_rows[mistake] for mistake in self.mistakes}
            self.dropped = True

    def _sums(self, side: str, player: str | None, others: tuple[Any, ...]) -> list[Sums]:
        found = [self.by_side[side]] if player is None else [self.by_side[side], self.by_player[player]]
        for name, other in zip(self._columns, others, strict=bool(others)):
            groups, value = self.by_column.get(name), other if name != self.player else player or side
            if groups is None or value is None:
                continue
            if value not in groups:
                if len(groups) == self._most:
                    del self.by_column[name]
                    continue
                groups[value] = {"X": Sums(), "O": Sums()}
            found.append(groups[value][side])
        return found

    def frequent_mistakes(self, most: int) -> list[tuple[Verdict, int]]:
        """Return the ``most`` frequent mistakes and how often each was made; among equals the costliest first."""
        times = sorted(self.mistakes.values(), reverse=True)
        least = times[most - 1] if 0 < most <= len(times) else 1
        candidates = [(key, number) for key, number in self.mistakes.items() if number >= least] if most else []
        found = [(self.judge.verdict(self.judge.visit(state, None), code), n) for (state, code), n in candidates]
        found.sort(key=lambda m: (-m[1], -(m[0].value_lost or 0), self.judge.text(m[0].before), m[0].code))
        return found[:most]


# Policies -------------------------------------------------------------------------------------------------------------

Owner = tuple[str | None, ...]
"""Whose policy it is: the player, or the values of the columns that say who chose."""


@dataclasses.dataclass(frozen=True)
class PolicyAudit:
    """The choices of one player, as a policy."""

    of: dict[str, str | None]
    """Whose it is: by column, ``player`` or one of those that say who chose."""
    positions: int
    """Positions with one move."""
    contradictions: int
    """Positions whose rows name several moves."""
    contradiction: tuple[str, tuple[int, ...]] | None
    """One of them with its moves."""
    sides: dict[str, Exploitability | None]
    """By side; None for a side without rows."""
    left_out: str | None = None
    """Why there is no exploitability, if there is none."""

    @property
    def player(self) -> str | None:
        """Who chose, in words; None if not named."""
        return ", ".join(name for name in self.of.values() if name is not None) or None

    @property
    def nash_conv(self) -> tuple[Payoff, Payoff] | None:
        """The least and the greatest sum over both sides, if both have rows."""
        x, o = self.sides.get("X"), self.sides.get("O")
        return None if x is None or o is None else nash_conv(x, o)

    def summary(self) -> dict[str, Payoff | None]:
        """Return each side's exploitability and their sum: exact, least and most; None where not known."""
        intervals: dict[str, tuple[Payoff, Payoff] | None] = {"nash_conv": self.nash_conv}
        for side, met in self.sides.items():
            intervals[f"exploitability_{side.lower()}"] = None if met is None else (met.least, met.most)
        exact = {name: pair[0] if pair and pair[0] == pair[1] else None for name, pair in intervals.items()}
        return exact | {
            f"{name}_{end}": None if pair is None else pair[place]
            for name, pair in intervals.items()
            for place, end in enumerate(("least", "most"))
        }

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        example = self.contradiction
        return {
            "player": self.player,
            "of": self.of,
            "positions": self.positions,
            "contradictions": self.contradictions,
            "contradiction": example and {"position": example[0], "moves": example[1]},
            "left_out": self.left_out,
            **{side: None if found is None else found.to_json() for side, found in self.sides.items()},
            **{name: number for name, number in self.summary().items() if name.startswith("nash_conv")},
        }


NO_POLICY = PolicyAudit({}, 0, 0, None, {"X": None, "O": None})


def audit_policies(
    judge: Judge, columns: Sequence[str], policies: Mapping[Owner, Rows], most: int
) -> tuple[PolicyAudit, ...]:
    """Find the exploitability of each policy, examining at most ``most`` positions; ``columns`` name its owners."""
    unknown = f"the value of {judge.position}, where play begins, is not known either"
    found = []
    owners = sorted(policies, key=lambda owner: [(name is not None, name or "") for name in owner])
    for number, owner in enumerate(owners):
        tell_progress("best responses", number, len(owners))
        rows, sides = policies[owner], dict[str, Exploitability | None](X=None, O=None)
        left_out = unknown if judge.start.value is None else None
        movers = {judge.rules.to_move(state) for state in rows} if left_out is None else ()
        try:
            for side in [side for side, mover in SIGNS.items() if mover in movers]:
                sides[side] = best_response(judge, rows, side, most=most)
        except TooLargeError as error:
            left_out = str(error)
        torn = [(judge.game.format_position(state), codes) for state, codes in rows.items() if len(codes) > 1]
        of, example = dict(zip(columns, owner, strict=True)), next(iter(torn), None)
        found.append(PolicyAudit(of, len(rows) - len(torn), len(torn), example, sides, left_out))
    return tuple(found)
