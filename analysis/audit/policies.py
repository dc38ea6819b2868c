"""The policies that choices make, one for each who chose, and how exploitable they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.audit.exploitability import Exploitability, Payoff, best_response, nash_conv
from analysis.audit.judge import Judge
from analysis.errors import TooLargeError
from analysis.machine.workers import Progress
from analysis.rules.counting import recounted

Owner = tuple[str | None, ...]
"""Whose a policy is: the player, or what the row holds in the columns that say who chose."""


@dataclasses.dataclass
class Policy:
    """What a player chooses, by state."""

    moves: dict[int, int] = dataclasses.field(default_factory=dict)
    contradictions: dict[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    """The different moves of the states for which rows name several; these states are not in ``moves``."""

    def add(self, state: int, code: int) -> None:
        """Note a choice."""
        earlier = self.contradictions.get(state) or (self.moves.setdefault(state, code),)
        if code not in earlier:
            self.contradictions[state] = *earlier, code
            self.moves.pop(state, None)


@dataclasses.dataclass(frozen=True)
class PolicyAudit:
    """The choices of one player as a policy."""

    of: dict[str, str | None]
    """Whose it is: by column, ``player`` or one of those that say who chose."""
    positions: int
    """Positions that it has one move for."""
    contradictions: int
    """Positions for which rows name several moves."""
    contradiction: tuple[str, tuple[int, ...]] | None
    """One of them with its moves."""
    sides: dict[str, Exploitability | None]
    """By side; None for a side that has no row."""
    left_out: str | None = None
    """Why there is no exploitability, where there is none."""

    @property
    def player(self) -> str | None:
        """Who chose, for people; None where nobody is named."""
        return ", ".join(name for name in self.of.values() if name is not None) or None

    @property
    def nash_conv(self) -> tuple[Payoff, Payoff] | None:
        """The least and the greatest sum over both sides, where both have rows."""
        x, o = self.sides.get("X"), self.sides.get("O")
        return None if x is None or o is None else nash_conv(x, o)

    def summary(self) -> dict[str, Payoff | None]:
        """The exploitability of each side from least to most, and their sum; None where there is none."""
        ends = {
            f"{name}_{end}": None if pair is None else pair[place]
            for name, pair in self._intervals().items()
            for place, end in enumerate(("least", "most"))
        }
        exact = {name: pair[0] if pair and pair[0] == pair[1] else None for name, pair in self._intervals().items()}
        return exact | ends

    def _intervals(self) -> dict[str, tuple[Payoff, Payoff] | None]:
        found: dict[str, tuple[Payoff, Payoff] | None] = {"nash_conv": self.nash_conv}
        for side, met in self.sides.items():
            found[f"exploitability_{side.lower()}"] = None if met is None else (met.least, met.most)
        return found

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        total, example = self.nash_conv, self.contradiction
        return {
            "player": self.player,
            "of": self.of,
            "positions": self.positions,
            "contradictions": self.contradictions,
            "contradiction": example and recounted({"position": example[0], "moves": example[1]}, "moves"),
            "left_out": self.left_out,
            **{side: None if found is None else found.to_json() for side, found in self.sides.items()},
            "nash_conv": total[0] if total is not None and total[0] == total[1] else None,
            "nash_conv_least": None if total is None else total[0],
            "nash_conv_most": None if total is None else total[1],
        }


NO_POLICY = PolicyAudit({}, 0, 0, None, {"X": None, "O": None})


def audit_policies(
    judge: Judge, columns: Sequence[str], policies: Mapping[Owner, Policy], most: int, progress: Progress
) -> tuple[PolicyAudit, ...]:
    """Meet each policy with best responses, looking at ``most`` positions at most; owners are told by ``columns``."""
    unknown = f"the value of {judge.position}, where play begins, is not known either"
    left_out = unknown if judge.start.value is None else None
    found = []
    owners = sorted(policies, key=lambda owner: [(name is not None, name or "") for name in owner])
    for number, owner in enumerate(owners):
        progress("best responses", number, len(owners))
        found.append(_audit_policy(judge, dict(zip(columns, owner, strict=True)), policies[owner], most, left_out))
    return tuple(found)


def _audit_policy(
    judge: Judge, of: dict[str, str | None], policy: Policy, most: int, left_out: str | None
) -> PolicyAudit:
    sides: dict[str, Exploitability | None] = {"X": None, "O": None}
    moves, named = policy.moves, policy.contradictions
    movers = {judge.rules.to_move(state) for state in (*moves, *named)}
    for side, mover in (("X", 1), ("O", -1)):
        if mover in movers and left_out is None:
            try:
                sides[side] = best_response(judge, moves.get, side, covered=moves, named=named, most=most)
            except TooLargeError as error:
                left_out = str(error)
    example = next(iter(named.items()), None)
    return PolicyAudit(
        of,
        len(moves),
        len(named),
        None if example is None else (judge.game.format_position(example[0]), example[1]),
        sides,
        left_out,
    )
