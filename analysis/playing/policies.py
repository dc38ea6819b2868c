"""Audit the policies that choices make up: what a best response wins against those of each player."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..common.results import Printable
from ..common.workers import tell_progress
from ..errors import OptionError, TooLargeError
from .exploitability import CLOSE, SIGNS, Choice, Exploitability, as_json, best_response, nash_conv
from .layouts import name_of
from .record_names import PEOPLE, plain
from .response_graph import Payoff

if TYPE_CHECKING:
    from .audit_results import Audit

Choices = dict[int, dict[int, float | None]]
"""State -> code -> its probability; None where the rows give none."""


@dataclasses.dataclass(frozen=True)
class PolicyAudit(Printable):
    """The choices of one player, as a policy."""

    of: dict[str, str | None]
    """Whose it is: by column, ``player`` or one of those that say who chose."""
    positions: int = 0
    """Positions with one move, or with probabilities."""
    contradictions: int = 0
    """Positions whose rows name several moves."""
    contradiction: tuple[str, tuple[int, ...]] | None = None
    """One of them with its moves."""
    sides: dict[str, Exploitability | None] = dataclasses.field(default_factory=lambda: dict.fromkeys(SIGNS))
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
        x, o = self.sides["X"], self.sides["O"]
        return None if x is None or o is None else nash_conv(x, o)

    def summary(self) -> dict[str, Payoff | None]:
        """Return each side's exploitability and their sum: exact, least and most; None where not known."""
        bounds: dict[str, tuple[Payoff, Payoff] | None] = {"nash_conv": self.nash_conv}
        for side, each in self.sides.items():
            bounds[f"exploitability_{side.lower()}"] = None if each is None else (each.least, each.most)
        numbers = dict[str, Payoff | None]()
        for name, pair in bounds.items():
            least, most = pair or (None, None)
            numbers |= {name: least if least == most else None, f"{name}_least": least, f"{name}_most": most}
        return numbers

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
            **as_json({name: number for name, number in self.summary().items() if name.startswith("nash_conv")}),
        }


def audit_policies(
    audit: Audit, chances: Sequence[float | None], others: Sequence[str], asked: Sequence[str], most: int
) -> tuple[PolicyAudit, ...]:
    """Find the exploitability of each policy among the choices of an audit, examining at most ``most`` positions.
    ``chances`` are the probabilities of choices. A policy is of a player, a person whom another column names, or the
    columns ``asked`` for.
    """
    columns = dict[str, Sequence[Any]]()
    if audit.player_column is not None:
        columns[audit.player_column] = audit.records["player"].tolist()
    for name in others:
        if name != audit.player_column and (plain(name) in PEOPLE or name in asked):
            columns[name] = audit.given[name].tolist()
    policies = defaultdict[tuple[str | None, ...], Choices](lambda: defaultdict(dict))
    for number, state, code in zip(*(audit.steps[name].tolist() for name in ("game", "before", "move")), strict=True):
        codes = policies[tuple(name_of(column[number]) for column in columns.values())][state]
        chance = chances[number]
        codes[code] = None if chance is None else (codes.get(code) or 0) + chance
    audits = list[PolicyAudit]()
    for owner in sorted(policies, key=lambda owner: [(name is not None, name or "") for name in owner]):
        tell_progress("best responses", len(audits), len(policies))
        audits.append(_audited(audit, dict(zip(columns, owner, strict=True)), policies[owner], most))
    return tuple(audits)


def _audited(audit: Audit, of: dict[str, str | None], choices: Choices, most: int) -> PolicyAudit:
    judge, left_out, sides = audit.judge, None, dict[str, Exploitability | None](X=None, O=None)
    try:
        if judge.value is None:
            raise OptionError(f"the value of {judge.position}, where play begins, is not known either")
        policy = {state: _choice(audit, state, codes) for state, codes in choices.items()}
        for side in SIGNS:
            if any(judge.rules.to_move(state) == SIGNS[side] for state in policy):
                sides[side] = best_response(judge, policy, side, most=most)
    except (TooLargeError, OptionError) as error:
        left_out = str(error)
    torn = [state for state, codes in choices.items() if len(codes) > 1 and None in codes.values()]
    example = (judge.game.format_position(torn[0]), tuple(choices[torn[0]])) if torn else None
    return PolicyAudit(of, len(choices) - len(torn), len(torn), example, sides, left_out)


def _choice(audit: Audit, state: int, codes: Mapping[int, float | None]) -> Choice:
    """Return what rows say of a state: its moves or, where all have one, their probabilities. Raises `OptionError`
    for probabilities that do not add up to 1.
    """
    chances = {code: chance for code, chance in codes.items() if chance is not None}
    if len(chances) < len(codes):
        return tuple(codes)
    if abs(sum(chances.values()) - 1) > CLOSE:
        total = f"the probabilities add up to {sum(chances.values()):g}, not to 1"
        raise OptionError(f"in {audit.judge.game.format_position(state)} {total}")
    return {code: chance for code, chance in chances.items() if chance}
