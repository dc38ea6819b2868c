"""The symmetry group of a board: found from its winning lines, never typed in.

A group is a tuple of cell permutations. Applied to a state, cell ``i`` of every bit plane moves to cell
``permutation[i]``; the canonical state is the least image, and an orbit has ``order / (images equal to the state)``
members. Counts of positions follow from orbit sizes only if the group leaves the start position alone, so `find_group`
restricts every group to the stabiliser of the start.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from analysis.errors import SymmetryError
from analysis.rules import Permutation, Rules

GREATEST_ORDER = 1024
"""Groups above this order are refused: their tables and the time per state would outgrow what they save."""

KINDS = ("geometric", "full", "none")

Line = Sequence[int]


def geometric_symmetries(rows: int, cols: int, lines: Iterable[Line]) -> tuple[Permutation, ...]:
    """The rotations and reflections of a ``rows`` x ``cols`` board that map its lines onto its lines.

    >>> len(geometric_symmetries(3, 3, [(0, 4, 8)]))  # one diagonal: identity, half turn, two reflections
    4
    >>> len(geometric_symmetries(1, 3, [(0, 1)]))
    1
    """
    line_set = {frozenset(line) for line in lines}
    found = []
    for transposed, down, across in itertools.product((False, True), repeat=3):
        if transposed and rows != cols:
            continue
        permutation = []
        for r, c in itertools.product(range(rows), range(cols)):
            r, c = (rows - 1 - r if down else r), (cols - 1 - c if across else c)
            permutation.append(c * cols + r if transposed else r * cols + c)
        if _preserves(permutation, line_set):
            found.append(tuple(permutation))
    return tuple(dict.fromkeys(found))  # on a 1 x n board two reflections are the same permutation


def permute(state: int, permutation: Permutation, planes: int) -> int:
    """The image of a state; bits above the planes stay where they are.

    >>> bin(permute(0b001_100, (2, 1, 0), planes=2))
    '0b100001'
    """
    cells = len(permutation)
    image = state >> (planes * cells) << (planes * cells)
    for plane in range(planes):
        for cell, target in enumerate(permutation):
            image |= (state >> (plane * cells + cell) & 1) << (plane * cells + target)
    return image


@dataclasses.dataclass(frozen=True)
class Group:
    """A symmetry group in the form that the kernels use."""

    kind: str
    permutations: tuple[Permutation, ...]
    cells: int
    planes: int

    @property
    def order(self) -> int:
        """How many permutations, the identity included."""
        return len(self.permutations)

    def tables(self) -> np.ndarray:
        """Images of eight cells at a time: int64[order, chunks, 256], where ``[g, c, b]`` is where permutation ``g``
        sends the cells ``8c .. 8c+7`` whose bits are set in ``b``. Shape [1, 0, 256] for the trivial group.
        """
        if self.order == 1:
            return np.zeros((1, 0, 256), dtype=np.int64)
        chunks = -(-self.cells // 8)
        tables = np.zeros((self.order, chunks, 256), dtype=np.int64)
        for g, permutation in enumerate(self.permutations):
            for cell, target in enumerate(permutation):
                holds_cell = np.arange(256) >> (cell % 8) & 1
                tables[g, cell // 8] |= holds_cell << target
        return tables


def find_group(rules: Rules, kind: str, *, start: int | None = None) -> Group:
    """The group of ``kind`` (one of `KINDS`), restricted to the stabiliser of ``start`` (default: of the rules).

    Raises `SymmetryError` for an unknown kind, for ``full`` on a game without lines, and for a group of more than
    `GREATEST_ORDER` elements; its order is then in the message, computed without listing it.
    """
    start = rules.start if start is None else start
    if kind not in KINDS:
        raise SymmetryError(f"symmetry {kind!r} is unknown; it is one of {', '.join(KINDS)}")
    permutations: Iterable[Permutation] = rules.symmetries or (tuple(range(rules.cells)),)
    if kind == "none":
        permutations = (tuple(range(rules.cells)),)
    elif kind == "full":
        permutations = _full_symmetries(rules, start)
    kept = [p for p in permutations if permute(start, p, rules.planes) == start]
    identity = tuple(range(rules.cells))
    kept.sort(key=lambda p: (p != identity, p))
    if len(kept) > GREATEST_ORDER:
        raise SymmetryError(_too_many(len(kept)))
    return Group(kind, tuple(kept), rules.cells, rules.planes)


def _full_symmetries(rules: Rules, start: int) -> Iterable[Permutation]:
    if not rules.lines:
        raise SymmetryError("symmetry 'full' needs a game that is defined by its lines; use 'geometric' or 'none'")
    content = [tuple(start >> (p * rules.cells + c) & 1 for p in range(rules.planes)) for c in range(rules.cells)]
    colours = [sorted(set(content)).index(marks) for marks in content]
    group = automorphisms(rules.cells, rules.lines, colours)
    if group.order > GREATEST_ORDER:
        raise SymmetryError(_too_many(group.order))
    return group.elements()


def _too_many(order: int) -> str:
    return f"the symmetry group has {order:,} elements, more than {GREATEST_ORDER:,}; use --symmetry geometric"


# The automorphism group of a set of lines -----------------------------------------------------------------------------


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
        fixed = [
            colour * cells + cell if cell < level else colour * cells + level for cell, colour in enumerate(colours)
        ]
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
        source, target = self._refine(source), self._refine(target)
        if sorted(source) != sorted(target):
            return None
        repeated = [colour for colour in source if source.count(colour) > 1]
        if not repeated:
            permutation = tuple(target.index(colour) for colour in source)
            return permutation if _preserves(permutation, self.line_set) else None
        colour = min(repeated, key=source.count)
        branch = _single_out(source, source.index(colour))
        for cell in range(self.cells):
            if target[cell] == colour:
                found = self.isomorphism(branch, _single_out(target, cell))
                if found is not None:
                    return found
        return None

    def _refine(self, colours: list[int]) -> list[int]:
        """Split colours by the colours met along lines until nothing splits; the result depends on structure only."""
        while True:
            of_line = [tuple(sorted(colours[cell] for cell in line)) for line in self.lines]
            signs = [(colours[c], tuple(sorted(of_line[n] for n in self.lines_of[c]))) for c in range(self.cells)]
            names = {sign: name for name, sign in enumerate(sorted(set(signs)))}
            refined = [names[sign] for sign in signs]
            if len(names) == len(set(colours)):
                return refined
            colours = refined


def _single_out(colours: list[int], cell: int) -> list[int]:
    """The same colouring with a colour of its own for one cell."""
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


def _preserves(permutation: Sequence[int], line_set: set[frozenset[int]]) -> bool:
    return all(frozenset(permutation[cell] for cell in line) in line_set for line in line_set)
