"""The longest line in which one side has a single move each time that keeps the value.

Both sides keep the value all the way, and the other side chooses its moves so that there are as many such positions as
can be. A line ends where the side has several moves to choose from that keep the value, and where the game is over; a
single legal move is no test, so it is passed over and not counted.

The longest line from a class is one more, or none, than the longest from the classes after it. Where play can return to
a class this is asked of all classes at once that lead to each other (Tarjan, "Depth-first search and linear graph
algorithms", 1972): if the side has a choice in one of them, play can go round for ever.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator
from typing import Any, NamedTuple, TypeVar

from analysis.engine.tiers import ValueRecord
from analysis.machine.workers import Progress, no_progress
from analysis.rules.counting import said_path
from analysis.rules.notation import move_name
from analysis.solution.lookup import Child
from analysis.solution.solution import LONGEST, Solution

R = TypeVar("R")

MOST_CLASSES = 20_000
"""Classes that a line is looked for in, some 0.2 milliseconds each."""


@dataclasses.dataclass(frozen=True)
class OnlyMoves:
    """The longest line from a position in which a side has one move each time that keeps the value."""

    side: str
    """``X`` or ``O``."""
    count: int | None
    """How often it has several moves of which one alone keeps the value; None where it can be made to for ever."""
    path: str
    """A shortest such line to the last of these moves, as a backtracker; where it goes on for ever, to where it returns
    to one of its positions.
    """
    names: tuple[str, ...]
    """Its moves as people write them."""
    complete: bool
    """Whether no line was cut off, so that there is none with more."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree traps --format json`` prints it."""
        return dataclasses.asdict(self) | {"endless": self.count is None, "names": list(self.names)}


class _Node(NamedTuple):
    counts: bool
    """Whether the side has several moves here of which one keeps the value."""
    keeping: list[Child[ValueRecord]]
    """The moves that a line may go on with."""


def only_moves(
    solution: Solution, state: int, side: int, *, most: int = MOST_CLASSES, progress: Progress = no_progress
) -> OnlyMoves:
    """The line from a state for a side, +1 the first player. At most so many classes are looked at, and ``progress`` is
    told how far that is. Raises `PositionError` where play does not reach the state, and `RulesNeededError` without
    rules.
    """
    return returned(only_moves_steps(solution, state, side, most=most, progress=progress))


def only_moves_steps(
    solution: Solution, state: int, side: int, *, most: int = MOST_CLASSES, progress: Progress = no_progress
) -> Generator[None, None, OnlyMoves]:
    """The same as `only_moves`, a class at a time."""
    search = _Search(solution, side, most, progress)
    count = yield from search.longest(state)
    moves = search.endless(state) if math.isinf(count) else search.shortest(state)
    return OnlyMoves(
        side="X" if side > 0 else "O",
        count=None if math.isinf(count) else int(count),
        path=said_path(moves, solution.engine.rules.largest_code),
        names=tuple(move_name(solution.game, move) for move in moves),
        complete=search.complete or math.isinf(count),
    )


def returned(steps: Generator[None, None, R]) -> R:
    """What some steps come to, once all are done."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: R = done.value
            return found


class _Search:
    """What is known of each class: ``lengths`` of the longest lines from there."""

    def __init__(self, solution: Solution, side: int, most: int, progress: Progress) -> None:
        self.solution, self.side, self.most, self.progress = solution, side, most, progress
        self.lengths: dict[int, float] = {}
        self.complete = True
        self._members: dict[int, int] = {}
        """Of each class, a position that was met."""

    def node(self, state: int) -> _Node:
        """The moves of a state that a line may go on with."""
        look = self.solution.look(state, ValueRecord)
        children = look.children or ()
        keeping = [child for child in children if child.record.value == look.record.value]
        if look.record.to_move != self.side:
            return _Node(False, keeping)
        return _Node(len(children) > 1 == len(keeping), keeping if len(keeping) == 1 else [])

    def longest(self, root: int) -> Generator[None, None, float]:
        """How many only moves the longest line has, by depth-first search over classes."""
        of = self._class_of
        number: dict[int, int] = {}
        lowest: dict[int, int] = {}
        nodes: dict[int, tuple[bool, list[int]]] = {}
        open_classes: list[int] = []
        trail: list[tuple[int, int]] = []

        def enter(state: int) -> None:
            number[state] = lowest[state] = len(number)
            open_classes.append(state)
            if len(number) > self.most:
                self.complete = False
                nodes[state] = False, []
            else:
                found = self.node(self._members[state])
                nodes[state] = found.counts, [of(child.state) for child in found.keeping]
            trail.append((state, 0))
            self.progress("following only moves", len(number), None)

        enter(of(root))
        while trail:
            yield
            state, place = trail.pop()
            after = nodes[state][1]
            if place < len(after):
                trail.append((state, place + 1))
                child = after[place]
                if child not in number:
                    enter(child)
                elif child not in self.lengths:  # it is open: this leads back
                    lowest[state] = min(lowest[state], number[child])
                continue
            if lowest[state] == number[state]:
                self._close(open_classes, state, nodes)
            if trail:
                before = trail[-1][0]
                lowest[before] = min(lowest[before], lowest[state])
        return self.lengths[of(root)]

    def _class_of(self, state: int) -> int:
        """The class of a position."""
        canonical = self.solution.engine.canonical(state)
        self._members.setdefault(canonical, state)
        return canonical

    def _close(self, open_classes: list[int], first: int, nodes: dict[int, tuple[bool, list[int]]]) -> None:
        """The lengths of classes that lead to each other, or of a single one, once all that follows is known."""
        together = [open_classes.pop()]
        while together[-1] != first:
            together.append(open_classes.pop())
        counts = any(nodes[state][0] for state in together)
        after = [child for state in together for child in nodes[state][1]]
        returns = any(child not in self.lengths for child in after)
        length = max((self.lengths[child] for child in after if child in self.lengths), default=0)
        if counts:
            length = math.inf if returns else length + 1
        self.lengths.update(dict.fromkeys(together, length))

    def shortest(self, root: int) -> list[int]:
        """The codes of a shortest line of that length, the first by the order of moves, breadth first."""
        of = self.solution.engine.canonical
        parents: dict[int, tuple[int, int] | None] = {root: None}
        queue = [root]
        for state in queue:
            left = self.lengths[of(state)]
            if left == 0:
                return self._way(parents, state)
            node = self.node(state)
            for child in node.keeping:
                if self.lengths.get(of(child.state)) == left - node.counts and child.state not in parents:
                    parents[child.state] = state, child.move
                    queue.append(child.state)
        raise AssertionError("a line has an end")

    def endless(self, state: int) -> list[int]:
        """The codes of a line without an end to where it returns to one of its positions, or for some plies."""
        of = self.solution.engine.canonical
        codes, seen = list[int](), set[int]()
        while state not in seen and len(codes) < LONGEST:
            seen.add(state)
            chosen = next(child for child in self.node(state).keeping if math.isinf(self.lengths[of(child.state)]))
            codes.append(chosen.move)
            state = chosen.state
        return codes

    def _way(self, parents: dict[int, tuple[int, int] | None], state: int) -> list[int]:
        codes, step = list[int](), parents[state]
        while step is not None:
            codes.append(step[1])
            step = parents[step[0]]
        return codes[::-1]
