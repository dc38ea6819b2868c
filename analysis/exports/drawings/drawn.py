"""Which position of each class a picture shows: the one that moves on the boards drawn above it lead to.

Canonical states would do, but a reader who plays a move on a board that is drawn would then find its mirror image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from analysis.exports.attributes import cut
from analysis.exports.parts.part import Block, Part
from analysis.machine.memory import Budget

CLASS_BYTES = 300
"""Bytes of a class whose picture is known."""


class DrawnStep(NamedTuple):
    """The moves from a position that is drawn to one class."""

    child: int
    """Its canonical state."""
    codes: tuple[int, ...]
    """Ascending."""


class DrawnClass(NamedTuple):
    """A class of a block, as a picture shows it."""

    canonical: int
    position: int
    """The state that is drawn."""
    to_move: int
    value: int
    remoteness_plies: int | None
    """None for a draw."""
    terminal: bool
    cut: bool
    """Whether the part leaves out some of its moves."""


class Drawn:
    """Of each class the position that is drawn; ask tier by tier, as `Part.blocks` has them.

    >>> import analysis
    >>> part = Part(analysis.solve("tictactoe"), depth=2)
    >>> drawn = Drawn(part)
    >>> [step.codes for step in drawn.steps(part.solution.engine.start)]
    [(0, 2, 6, 8), (1, 3, 5, 7), (4,)]
    """

    def __init__(self, part: Part) -> None:
        self.part, self.engine = part, part.solution.engine
        Budget.of_machine().require(
            CLASS_BYTES * part.classes, f"a picture of {part.classes:,} classes", "a smaller part"
        )
        self.start = self.engine.canonical(self.engine.start)
        self._known = {self.start: self.engine.start}
        self.plies: Mapping[int, int] | None = self._walk() if part.solution.loopy else None
        """Of a loopy game, how many moves each class is away from the start; no order of its tiers tells."""

    def position(self, canonical: int) -> int:
        """The state that is drawn of a class."""
        if self.plies is None:  # all moves that lead here have been looked at
            return self._known.pop(canonical, canonical)
        return self._known[canonical]

    def classes(self, block: Block) -> Iterator[DrawnClass]:
        """The classes of a block; ask for the `steps` from each before the next."""
        table = block.table
        names = ("to_move", "value", "remoteness_plies", "terminal")
        fields = (block.states.tolist(), *(table[name].to_pylist() for name in names), cut(self.part, block).tolist())
        for state, *others in zip(*fields, strict=True):
            yield DrawnClass(state, self.position(state), *others)

    def steps(self, state: int) -> list[DrawnStep]:
        """The classes after a position that is drawn, in the order of the least code that leads to each."""
        found: dict[int, list[int]] = {}
        for code, child in self.engine.rules.moves(state):
            canonical = self.engine.canonical(child)
            found.setdefault(canonical, []).append(code)
            self._known.setdefault(canonical, child)
        return [DrawnStep(child, tuple(codes)) for child, codes in found.items()]

    def _walk(self) -> dict[int, int]:
        """Look at all classes of the part, breadth first: the plies to each."""
        plies = {self.start: 0}
        waiting = [self.start]
        for canonical in waiting:  # grows as it goes
            if plies[canonical] == self.part.depth:
                continue
            for step in self.steps(self._known[canonical]):
                if step.child not in plies and self._kept(canonical, step.child):
                    plies[step.child] = plies[canonical] + 1
                    waiting.append(step.child)
        return plies

    def _kept(self, canonical: int, child: int) -> bool:
        """Whether the part has the move."""
        look_up = self.part.solution.lookup
        return not self.part.optimal_only or look_up(canonical).value == look_up(child).value
