"""Audit the policies that choices make up: what a best response wins against those of each player."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..common.workers import tell_progress
from ..errors import OptionError, TooLargeError
from .exploitability import CLOSE, SIGNS, Choice, Exploitability, Payoff, best_response, nash_conv
from .judge import Judge

Owner = tuple[str | None, ...]
"""Whose policy it is: the player, or the values of the columns that say who chose."""

Choices = dict[int, dict[int, float | None]]
"""State -> code -> its probability; None where the rows give none."""


@dataclasses.dataclass(frozen=True)
class PolicyAudit:
    """The choices of one player, as a policy."""

    of: dict[str, str | None]
    """Whose it is: by column, ``player`` or one of those that say who chose."""
    positions: int
    """Positions with one move, or with probabilities."""
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
        for side, each in self.sides.items():
            intervals[f"exploitability_{side.lower()}"] = None if each is None else (each.least, each.most)
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
            **{side: None if each is None else each.to_json() for side, each in self.sides.items()},
            **{name: number for name, number in self.summary().items() if name.startswith("nash_conv")},
        }


NO_POLICY = PolicyAudit({}, 0, 0, None, {"X": None, "O": None})


def audit_policies(
    judge: Judge, columns: Sequence[str], policies: Mapping[Owner, Choices], most: int
) -> tuple[PolicyAudit, ...]:
    """Find the exploitability of each policy, examining at most ``most`` positions; ``columns`` name its owners."""
    audits = []
    owners = sorted(policies, key=lambda owner: [(name is not None, name or "") for name in owner])
    for number, owner in enumerate(owners):
        tell_progress("best responses", number, len(owners))
        sides, left_out, policy = dict[str, Exploitability | None](X=None, O=None), None, dict[int, Choice]()
        torn = list[tuple[str, tuple[int, ...]]]()
        try:
            if judge.value is None:
                raise OptionError(f"the value of {judge.position}, where play begins, is not known either")
            for state, choices in policies[owner].items():
                policy[state] = _choice(judge, state, choices)
            for side in SIGNS:
                if any(judge.rules.to_move(state) == SIGNS[side] for state in policy):
                    sides[side] = best_response(judge, policy, side, most=most)
        except (TooLargeError, OptionError) as error:
            left_out = str(error)
        for state, codes in policies[owner].items():
            if len(codes) > 1 and None in codes.values():
                torn.append((judge.game.format_position(state), tuple(codes)))
        of = dict(zip(columns, owner, strict=True))
        rows, example = len(policies[owner]) - len(torn), next(iter(torn), None)
        audits.append(PolicyAudit(of, rows, len(torn), example, sides, left_out))
    return tuple(audits)


def _choice(judge: Judge, state: int, choices: Mapping[int, float | None]) -> Choice:
    """Return what rows say of a state: its moves or, where all have one, their probabilities. Raises `OptionError`
    for probabilities that do not add up to 1.
    """
    chances = {code: chance for code, chance in choices.items() if chance is not None}
    if len(chances) < len(choices):
        return tuple(choices)
    if abs(sum(chances.values()) - 1) > CLOSE:
        total = f"the probabilities add up to {sum(chances.values()):g}, not to 1"
        raise OptionError(f"in {judge.game.format_position(state)} {total}")
    return {code: chance for code, chance in chances.items() if chance}
