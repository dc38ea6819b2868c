"""Find what a best response wins against the policies that choices make up."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ..common.results import Printable
from ..common.workers import tell_progress
from ..errors import OptionError, TooLargeError
from .exploitability import CLOSE, SIGNS, Choice, Exploitability, as_json, best_response, nash_conv
from .judge import Judge
from .response_graph import Payoff

Choices = dict[int, list[tuple[int, float | None]]]
"""State -> codes with their probabilities; None where a row gives none."""


@dataclasses.dataclass(frozen=True)
class PolicyAudit(Printable):
    """The choices of one player, as a policy."""

    of: dict[str, str | None]
    """Whose it is, by column; empty if it is of all choices."""
    positions: int
    """Positions with a row."""
    sides: dict[str, Exploitability | None]
    """By side; None for a side without rows."""
    left_out: str | None = None
    """Why there is no exploitability, if there is none."""

    @property
    def nash_conv(self) -> tuple[Payoff, Payoff] | None:
        """The least and the greatest sum over both sides, if both have rows."""
        x, o = self.sides["X"], self.sides["O"]
        return None if x is None or o is None else nash_conv(x, o)

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        least, most = self.nash_conv or (None, None)
        sides = {side: None if each is None else each.to_json() for side, each in self.sides.items()}
        head = {name: getattr(self, name) for name in ("of", "positions", "left_out")}
        return head | sides | as_json({"nash_conv_least": least, "nash_conv_most": most})


def audit_policies(
    judge: Judge, by: Sequence[str], choices: Iterable[tuple[tuple[str | None, ...], int, int, float | None]], most: int
) -> tuple[PolicyAudit, ...]:
    """Find the exploitability of each policy among ``choices``, examining at most ``most`` positions. Of each choice
    there are the values of the columns ``by`` which policies are told apart, the state, the code and its probability.
    """
    policies = defaultdict[tuple[str | None, ...], Choices](lambda: defaultdict(list))
    for owner, state, code, chance in choices:
        policies[owner][state].append((code, chance))
    audits = list[PolicyAudit]()
    for owner, each in policies.items():
        tell_progress("best responses", len(audits), len(policies))
        audits.append(_audited(judge, dict(zip(by, owner, strict=True)), each, most))
    return tuple(audits)


def _audited(judge: Judge, of: dict[str, str | None], choices: Choices, most: int) -> PolicyAudit:
    left_out, sides = None, dict[str, Exploitability | None](X=None, O=None)
    try:
        if judge.value is None:
            raise OptionError(f"the value of {judge.position}, where play begins, is not known either")
        policy = {state: _choice(judge, state, codes) for state, codes in choices.items()}
        for side, sign in SIGNS.items():
            if any(judge.rules.to_move(state) == sign for state in policy):
                sides[side] = best_response(judge, policy, side, most=most)
    except (TooLargeError, OptionError) as error:
        left_out = str(error)
    return PolicyAudit(of, len(choices), sides, left_out)


def _choice(judge: Judge, state: int, rows: Sequence[tuple[int, float | None]]) -> Choice:
    """Return the probability of each move in a state: what its rows say or, where none says anything, their shares.
    Raises `OptionError` for probabilities that do not add up to 1.
    """
    chances, even = defaultdict[int, float](float), all(chance is None for _, chance in rows)
    for code, chance in rows:
        chances[code] += 1 / len(rows) if even else chance or 0
    if abs(sum(chances.values()) - 1) > CLOSE:
        total = f"the probabilities add up to {sum(chances.values()):g}, not to 1"
        raise OptionError(f"in {judge.game.format_position(state)} {total}")
    return {code: chance for code, chance in chances.items() if chance}
