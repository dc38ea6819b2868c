"""What is left of a game when one side's moves are fixed: the opponent alone decides, but for gaps in the policy."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Mapping

from analysis.errors import TooLargeError
from analysis.rules import Rules

Choice = Callable[[int], int | None]
"""The policy: the code it plays in a state, None where it is silent."""


@dataclasses.dataclass
class Restricted:
    """The positions that can arise, breadth first, and the moves that are left in each."""

    rules: Rules
    root: int
    side: int
    """+1 if the policy plays for the first player, -1 for the second."""
    moves: dict[int, list[tuple[int, int]]]
    """State -> code and child of each move left; none where the game is over."""
    parents: dict[int, tuple[int, int] | None]
    """State -> the state before it on a shortest line from the root, and the code between them."""
    gaps: list[int]
    """States where the policy is silent though its own moves lead there; all moves are left."""
    silent: set[int]
    """All states where it is silent: the gaps, and those that arise beyond them."""
    plies: dict[int, int]
    """State -> plies of that shortest line."""

    @property
    def known(self) -> list[int]:
        """The states that the policy's own moves lead to: those before and at the gaps."""
        return [state for state in self.moves if state in self.parents]

    def payoff(self, state: int) -> int:
        """For the policy's side, where the game is over."""
        return self.side * self.rules.outcome(state)

    def worth(self, *, helpful: bool) -> dict[int, int]:
        """The payoff for the policy's side from every state on if the opponent does its worst and the policy, where it
        is silent, its best (``helpful``) or its worst too. Play without end counts 0.
        """
        return (_worth_with_loops if self.rules.loopy else _worth)(self, helpful)


def restrict(rules: Rules, root: int, side: int, choose: Choice, most: int) -> Restricted:
    """Everything that can arise from ``root`` if ``side`` plays as ``choose`` says. Raises `TooLargeError` for more
    than ``most`` positions.
    """
    found = Restricted(rules, root, side, {}, {root: None}, [], set(), {root: 0})
    _explore(found, [root], choose, most)
    _explore_gaps(found, choose, most)
    return found


def _explore(found: Restricted, queue: list[int], choose: Choice, most: int) -> None:
    """What the policy's own moves lead to."""
    rules, parents = found.rules, found.parents
    for state in queue:
        legal = rules.moves(state)
        if legal and rules.to_move(state) == found.side:
            code = choose(state)
            if code is None:
                found.gaps.append(state)
                found.silent.add(state)
                found.moves[state] = legal
                continue
            legal = [(code, rules.play(state, code))]
        found.moves[state] = legal
        for code, child in legal:
            if child not in parents:
                parents[child] = state, code
                found.plies[child] = found.plies[state] + 1
                queue.append(child)
        _check_size(parents, most)


def _explore_gaps(found: Restricted, choose: Choice, most: int) -> None:
    """What all moves at the gaps lead to, and at further states where the policy is silent."""
    rules, plies = found.rules, found.plies
    queue = list(found.gaps)
    for state in queue:
        legal = found.moves.get(state)
        if legal is None:
            legal = rules.moves(state)
            if legal and rules.to_move(state) == found.side:
                code = choose(state)
                if code is None:
                    found.silent.add(state)
                else:
                    legal = [(code, rules.play(state, code))]
            found.moves[state] = legal
        for _, child in legal:
            if child not in plies:
                plies[child] = plies[state] + 1
                queue.append(child)
        _check_size(plies, most)


def _check_size(states: Mapping[int, object], most: int) -> None:
    if len(states) > most:
        raise TooLargeError(
            f"a best response to the policy can reach more than {most:,} positions; that is too many to look at"
        )


def _worth(found: Restricted, helpful: bool) -> dict[int, int]:
    """Of a game without loops: the last positions first."""
    rank = found.rules.tier or found.plies.__getitem__
    worth: dict[int, int] = {}
    for state in sorted(found.moves, key=rank, reverse=True):
        moves = found.moves[state]
        if not moves:
            worth[state] = found.payoff(state)
            continue
        best = max if helpful and state in found.silent else min
        worth[state] = best(worth[child] for _, child in moves)
    return worth


def _worth_with_loops(found: Restricted, helpful: bool) -> dict[int, int]:
    """Of a game with loops, whose payoffs are -1, 0 and 1: what one side can force, from the ends backwards. What
    neither can force is worth 0.
    """
    before: dict[int, list[int]] = defaultdict(list)
    for state, moves in found.moves.items():
        for _, child in moves:
            before[child].append(state)
    worth: dict[int, int] = {}
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
