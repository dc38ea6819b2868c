"""What is left of a game when one side's moves are fixed, or drawn by lot with known chances: the opponent alone
decides, but for gaps in the policy.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction

from analysis.errors import TooLargeError
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Rules

Chances = Mapping[int, Fraction]
"""How likely moves are, by code; impossible ones are left out."""

Choice = Callable[[int], int | Chances | None]
"""The policy: the code it plays in a state, how likely it plays which, or None where it does not say."""

Worth = int | Fraction
"""An expected payoff: a whole number where no lots are drawn."""

SAID_EVERY = 1 << 10
"""Positions between two words of progress."""

Legal = Callable[[int], list[tuple[int, int]]]
"""`Rules.moves`, perhaps with a memory."""

Named = Mapping[int, Collection[int]]
"""Where the policy does not say which of some moves it plays: state -> their codes."""

STATE_BYTES = 1200
"""Memory that a position takes at most until a line is found: between 400 and 1200 were measured, most in games with
loops.
"""


@dataclasses.dataclass
class Restricted:
    """The positions that can arise, breadth first, and the moves that are left in each."""

    rules: Rules
    legal: Legal
    root: int
    side: int
    """+1 if the policy plays for the first player, -1 for the second."""
    moves: dict[int, list[tuple[int, int]]]
    """State -> code and child of each move left; none where the game is over."""
    parents: dict[int, tuple[int, int] | None]
    """State -> the state before it on a shortest line from the root, and the code between them."""
    gaps: list[int]
    """States where the policy is silent though its own moves lead there; all moves, or those it names, are left."""
    silent: set[int]
    """All states where it is silent: the gaps, and those that arise beyond them."""
    plies: dict[int, int]
    """State -> plies of that shortest line."""
    chances: dict[int, Chances]
    """How likely the moves left are in states where the policy draws lots between several."""

    @property
    def known(self) -> list[int]:
        """The states that the policy's own moves lead to: those before and at the gaps."""
        return [state for state in self.moves if state in self.parents]

    def payoff(self, state: int) -> int:
        """For the policy's side, where the game is over."""
        return self.side * self.rules.outcome(state)

    def worth(self, *, helpful: bool) -> dict[int, Worth]:
        """The expected payoff for the policy's side from every state on if the opponent does its worst and the policy,
        where it is silent, its best (``helpful``) or its worst too. Play without end counts 0. No lots may be drawn in
        loopy games.
        """
        return (_worth_with_loops if self.rules.loopy else _worth)(self, helpful)


def restrict(
    rules: Rules,
    legal: Legal,
    root: int,
    side: int,
    choose: Choice,
    named: Named,
    most: int,
    progress: Progress = no_progress,
) -> Restricted:
    """Everything that can arise from ``root`` if ``side`` plays as ``choose`` says, and where that does not say, any
    move that is ``named`` there, or any at all that is ``legal`` where none is; ``progress`` is told how much that is.
    Raises `TooLargeError` for more than ``most`` positions, and for more than there is memory for.
    """
    found = Restricted(rules, legal, root, side, {}, {root: None}, [], set(), {root: 0}, {})
    size = _Size(most, Budget.of_machine(), progress)
    _explore(found, [root], choose, named, size)
    _explore_gaps(found, choose, named, size)
    return found


def _explore(found: Restricted, queue: list[int], choose: Choice, named: Named, size: _Size) -> None:
    """What the policy's own moves lead to."""
    parents = found.parents
    for state in queue:
        found.moves[state] = _leads(found, state, choose, named)
        if state in found.silent:
            found.gaps.append(state)
            continue
        for code, child in found.moves[state]:
            if child not in parents:
                parents[child] = state, code
                found.plies[child] = found.plies[state] + 1
                queue.append(child)
        size.check(parents)


def _explore_gaps(found: Restricted, choose: Choice, named: Named, size: _Size) -> None:
    """What the moves left at the gaps lead to, and at further states where the policy is silent."""
    plies = found.plies
    queue = list(found.gaps)
    for state in queue:
        if state not in found.moves:
            found.moves[state] = _leads(found, state, choose, named)
        for _, child in found.moves[state]:
            if child not in plies:
                plies[child] = plies[state] + 1
                queue.append(child)
        size.check(plies)


def _leads(found: Restricted, state: int, choose: Choice, named: Named) -> list[tuple[int, int]]:
    """The moves that are left at a state; notes where the policy is silent."""
    rules = found.rules
    legal = found.legal(state)
    if not legal or rules.mover(state) != found.side:
        return legal
    chosen = choose(state)
    if isinstance(chosen, Mapping):
        if len(chosen) > 1:
            found.chances[state] = chosen
        return _left(legal, chosen.keys())
    if chosen is not None:
        return [(chosen, rules.play(state, chosen))]
    found.silent.add(state)
    return _left(legal, named.get(state))


def _left(legal: list[tuple[int, int]], codes: Collection[int] | None) -> list[tuple[int, int]]:
    return legal if codes is None else [(code, child) for code, child in legal if code in codes]


@dataclasses.dataclass(frozen=True)
class _Size:
    """How many positions may be looked at."""

    most: int
    budget: Budget
    progress: Progress

    def check(self, states: Mapping[int, object]) -> None:
        """Raise `TooLargeError` where these are too many."""
        if len(states) % SAID_EVERY == 0:
            self.progress("positions that a best response can reach", len(states), None)
        if len(states) > self.most:
            what = f"a best response to the policy can reach more than {self.most:,} positions"
            raise TooLargeError(f"{what}; that is too many to look at")
        if len(states) * STATE_BYTES > self.budget.limit:
            what = f"a best response to the policy, which reaches {len(states):,} positions or more,"
            self.budget.require(len(states) * STATE_BYTES, what, "a policy with fewer gaps")


def _worth(found: Restricted, helpful: bool) -> dict[int, Worth]:
    """Of a game without loops: the last positions first."""
    rank = found.rules.tier or found.plies.__getitem__
    worth: dict[int, Worth] = {}
    for state in sorted(found.moves, key=rank, reverse=True):
        moves = found.moves[state]
        if not moves:
            worth[state] = found.payoff(state)
            continue
        chances = found.chances.get(state)
        if chances is not None:
            worth[state] = sum((chances[code] * worth[child] for code, child in moves), Fraction(0))
            continue
        best = max if helpful and state in found.silent else min
        worth[state] = best(worth[child] for _, child in moves)
    return worth


def _worth_with_loops(found: Restricted, helpful: bool) -> dict[int, Worth]:
    """Of a game with loops, whose payoffs are -1, 0 and 1: what one side can force, from the ends backwards. What
    neither can force is worth 0.
    """
    before: dict[int, list[int]] = defaultdict(list)
    for state, moves in found.moves.items():
        for _, child in moves:
            before[child].append(state)
    worth: dict[int, Worth] = {}
    for goal in (1, -1):
        left = {state: len(moves) for state, moves in found.moves.items()}
        queue = [state for state, moves in found.moves.items() if not moves and found.payoff(state) == goal]
        worth |= dict.fromkeys(queue, goal)
        for state in queue:
            for earlier in before[state]:
                left[earlier] -= 1
                chooser = 1 if helpful and earlier in found.silent else -1
                if earlier not in worth and (chooser == goal or left[earlier] == 0):
                    worth[earlier] = goal
                    queue.append(earlier)
    return {state: worth.get(state, 0) for state in found.moves}
