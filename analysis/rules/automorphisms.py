"""The automorphism group of a set of lines: every permutation of the cells that maps lines onto lines."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

Line = Sequence[int]
Permutation = tuple[int, ...]
"""Cell ``i`` goes to cell ``permutation[i]``."""


@dataclasses.dataclass(frozen=True)
class AutomorphismGroup:
    """A permutation group as a stabiliser chain: every element is one product of one representative per level."""

    cells: int
    transversals: tuple[tuple[Permutation, ...], ...]
    """Level ``i``: for each cell that ``i`` can go to while ``0 .. i-1`` stay put, one permutation that does it."""

    @property
    def order(self) -> int:
        """The number of elements: the product of the orbit lengths along the chain (orbit-stabiliser theorem)."""
        return math.prod(len(level) for level in self.transversals)

    def elements(self) -> list[Permutation]:
        """Every element once."""
        found = [tuple(range(self.cells))]
        for level in reversed(self.transversals):
            found = [_compose(representative, deeper) for representative in level for deeper in found]
        return found


def automorphisms(cells: int, lines: Iterable[Line], colours: Sequence[int] | None = None) -> AutomorphismGroup:
    """All permutations of the cells that map lines onto lines and every cell to one of its colour.

    Searches one representative for each possible image of each cell, cells before it fixed, with colour refinement
    to prune (McKay, "Practical graph isomorphism", 1981), so the order of a huge group is known without listing it.

    >>> automorphisms(3, [(0, 1, 2)]).order
    6
    >>> automorphisms(31, [(cell,) for cell in range(31)]).order == math.factorial(31)
    True
    """
    structure = _Structure(cells, lines)
    colours = list(colours) if colours is not None else [0] * cells
    generators: list[Permutation] = []
    transversals: list[tuple[Permutation, ...]] = []
    for level in reversed(range(cells)):  # deepest first, so that generators of deeper levels help to fill the orbit
        fixed = [colour * cells + min(cell, level) for cell, colour in enumerate(colours)]
        orbit = _orbit(level, generators, cells)
        for target in range(level + 1, cells):
            if target in orbit or colours[target] != colours[level]:
                continue
            found = structure.isomorphism(_single_out(fixed, level), _single_out(fixed, target))
            if found is not None:
                generators.append(found)
                orbit = _orbit(level, generators, cells)
        transversals.append(tuple(orbit.values()))
    return AutomorphismGroup(cells, tuple(reversed(transversals)))


class _Structure:
    """Cells and lines, and the search for an isomorphism between two colourings of them."""

    def __init__(self, cells: int, lines: Iterable[Line]) -> None:
        self.cells = cells
        self.lines = sorted({frozenset(line) for line in lines}, key=sorted)
        self.line_set = set(self.lines)
        self.lines_of = [[n for n, line in enumerate(self.lines) if cell in line] for cell in range(cells)]

    def isomorphism(self, source: list[int], target: list[int]) -> Permutation | None:
        """A permutation that preserves lines and takes each cell to one whose target colour is its source colour."""
        source, source_signs = self._refine(source)
        target, target_signs = self._refine(target)
        if source_signs != target_signs:
            return None
        repeated = [colour for colour in source if source.count(colour) > 1]
        if not repeated:
            permutation = tuple(target.index(colour) for colour in source)
            return permutation if preserves(permutation, self.line_set) else None
        colour = min(repeated, key=source.count)
        branch = _single_out(source, source.index(colour))
        for cell in range(self.cells):
            if target[cell] == colour:
                found = self.isomorphism(branch, _single_out(target, cell))
                if found is not None:
                    return found
        return None

    def _refine(self, colours: list[int]) -> tuple[list[int], list[list[Any]]]:
        """Split colours by the colours met along lines until nothing splits. Returns the colours, and the sorted signs
        that they stand for in each round: cells correspond only if their colours mean the same.
        """
        rounds = []
        while True:
            of_line = [tuple(sorted(colours[cell] for cell in line)) for line in self.lines]
            signs = [(colours[c], tuple(sorted(of_line[n] for n in self.lines_of[c]))) for c in range(self.cells)]
            rounds.append(sorted(signs))
            names = {sign: name for name, sign in enumerate(sorted(set(signs)))}
            refined = [names[sign] for sign in signs]
            if len(names) == len(set(colours)):
                return refined, rounds
            colours = refined


def _single_out(colours: list[int], cell: int) -> list[int]:
    """A colouring in which one cell has a colour that no other has, and the others keep theirs apart as before."""
    return [2 * colour + (place == cell) for place, colour in enumerate(colours)]


def _orbit(cell: int, generators: list[Permutation], cells: int) -> dict[int, Permutation]:
    """Where the generated group sends ``cell``, each with one permutation that does it."""
    orbit: dict[int, Permutation] = {cell: tuple(range(cells))}
    queue = [cell]
    for place in queue:
        for generator in generators:
            if generator[place] not in orbit:
                orbit[generator[place]] = _compose(generator, orbit[place])
                queue.append(generator[place])
    return orbit


def _compose(outer: Permutation, inner: Permutation) -> Permutation:
    return tuple(outer[place] for place in inner)


def preserves(permutation: Sequence[int], line_set: set[frozenset[int]]) -> bool:
    """Whether a permutation of the cells maps every line onto a line."""
    return all(frozenset(permutation[cell] for cell in line) in line_set for line in line_set)
