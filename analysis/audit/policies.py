"""The policies that choices make, one for each player, and how exploitable they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from analysis.audit.exploitability import Exploitability, best_response, nash_conv
from analysis.audit.judge import Judge
from analysis.errors import TooLargeError
from analysis.machine.workers import Progress
from analysis.rules.counting import recounted

MOST_PLAYERS = 20
"""Players whose policies are met with best responses; files of more hold people's choices rather than policies."""


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

    player: str | None
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
    def nash_conv(self) -> tuple[int, int] | None:
        """The least and the greatest sum over both sides, where both have rows."""
        x, o = self.sides.get("X"), self.sides.get("O")
        return None if x is None or o is None else nash_conv(x, o)

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        total, example = self.nash_conv, self.contradiction
        return {
            "player": self.player,
            "positions": self.positions,
            "contradictions": self.contradictions,
            "contradiction": example and recounted({"position": example[0], "moves": example[1]}, "moves"),
            "left_out": self.left_out,
            **{side: None if found is None else found.to_json() for side, found in self.sides.items()},
            "nash_conv": total[0] if total is not None and total[0] == total[1] else None,
            "nash_conv_least": None if total is None else total[0],
            "nash_conv_most": None if total is None else total[1],
        }


def audit_policies(
    judge: Judge, policies: Mapping[str | None, Policy], most: int, progress: Progress
) -> tuple[PolicyAudit, ...]:
    """Meet each policy with best responses, looking at ``most`` positions at most."""
    players = sorted(policies, key=lambda player: (player is not None, player))
    left_out = f"there are more than {MOST_PLAYERS} players" if len(players) > MOST_PLAYERS else None
    found = []
    for number, player in enumerate(players):
        progress("best responses", number, len(players))
        found.append(_audit_policy(judge, player, policies[player], most, left_out))
    return tuple(found)


def _audit_policy(judge: Judge, player: str | None, policy: Policy, most: int, left_out: str | None) -> PolicyAudit:
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
        player,
        len(moves),
        len(named),
        None if example is None else (judge.game.format_position(example[0]), example[1]),
        sides,
        left_out,
    )
