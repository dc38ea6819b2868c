"""Find the symmetry group of a board from its winning lines.

A group is a tuple of cell permutations. Applied to a state, cell ``i`` of every bit plane moves to cell
``permutation[i]``; the canonical state is the least image, and an orbit has ``order / (images equal to the state)``
members. Counts of positions follow from orbit sizes only if the group does not move the start position, so `find_group`
restricts every group to the stabiliser of the start.

Positions with the same game left to play are merged by solving that game instead, see `Game.residual`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..errors import OptionError, SymmetryError
from .fields import check_residual
from .game import Game, Permutation, Residual, Rules
from .keeping import kept

State = TypeVar("State", int, np.ndarray)

GREATEST_ORDER = 1024  # limit on the order of a group; beyond it, tables and the time per state outweigh the savings

PIECE = 1 << 14  # states whose images are computed together, in the processor's cache

RESIDUAL = "residual"
"""The kind that is not a group: it merges positions with the same game left to play, see `ResidualGame`."""
KINDS = ("geometric", "full", "none", RESIDUAL)


def permute(state: State, permutation: Permutation, planes: int) -> State:
    """Return the image of a state, or of an int64 array of states, bit by bit; bits above the planes stay in place."""
    cells = len(permutation)
    image: State = state >> (planes * cells) << (planes * cells)
    for plane in range(planes):
        for cell, target in enumerate(permutation):
            image |= (state >> (plane * cells + cell) & 1) << (plane * cells + target)
    return image


def over_planes(permutation: Permutation, planes: int, *, exchange: bool) -> Permutation:
    """Extend a cell permutation to all bits of the planes; it may also ``exchange`` the lowest two."""
    targets = [1, 0, *range(2, planes)] if exchange else range(planes)
    return tuple(plane * len(permutation) + target for plane in targets for target in permutation)


def image_tables(cells: int, permutations: Sequence[Permutation]) -> np.ndarray:
    """Tabulate images of eight cells at a time: int64[permutations, chunks, 256], where ``[g, c, b]`` is where
    permutation ``g`` sends the cells ``8c .. 8c+7`` whose bits are set in ``b``.
    """
    tables = np.zeros((len(permutations), -(-cells // 8), 256), dtype=np.int64)
    for table, permutation in zip(tables, permutations, strict=True):
        for cell, target in enumerate(permutation[:cells]):
            table[cell // 8] |= (np.arange(256) >> cell % 8 & 1) << target
    return tables


@dataclasses.dataclass(frozen=True)
class Group:
    """A symmetry group for the kernels; if marks can be exchanged, its cells are all bits (see `over_planes`)."""

    kind: str
    permutations: tuple[Permutation, ...]
    cells: int
    planes: int

    @property
    def order(self) -> int:
        """Number of permutations, the identity included."""
        return len(self.permutations)

    @functools.cached_property
    def numbers(self) -> dict[Permutation, int]:
        """The index of each permutation."""
        return {permutation: number for number, permutation in enumerate(self.permutations)}

    @functools.cached_property
    def tables(self) -> np.ndarray:
        """`image_tables` of all bits of the planes; shape [1, 0, 256] for the trivial group."""
        wide = [over_planes(permutation, self.planes, exchange=False) for permutation in self.permutations]
        return image_tables(self.bits if self.order > 1 else 0, wide)

    def markings(self, cells: int, planes: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the ways to mark ``cells`` cells, each in at most one of some ``planes``, and how many there are up to
        symmetry, by Burnside's lemma: float64[cells + 1, ...], by the marks in each plane.
        """
        ways = _fixed_markings((1,) * cells, planes)
        if self.cells != cells:  # there are no symmetries, or marks trade places, which counts too many
            return ways, ways
        kinds = Counter(map(_cycles, self.permutations)).items()
        return ways, np.sum([times * _fixed_markings(each, planes) for each, times in kinds], axis=0) / self.order

    @property
    def bits(self) -> int:
        """The number of bits of a state that are permuted, the lowest ones."""
        return self.cells * self.planes

    def images(self, state: int) -> list[int]:
        """Return the images of one state under all elements, itself first, as the kernels do for many."""
        images = [state >> self.bits << self.bits] * self.order
        for chunk, tables in enumerate(self._by_byte):
            images = [image | moved for image, moved in zip(images, tables[state >> 8 * chunk & 255], strict=True)]
        return images if self.order > 1 else [state]

    @functools.cached_property
    def _by_byte(self) -> list[list[list[int]]]:
        """`tables` by chunk and byte: the images under all elements."""
        return self.tables.transpose(1, 2, 0).tolist()

    def canonical(self, state: int) -> int:
        """Return the least image of one state."""
        return min(self.images(state))

    def canonicals(self, states: np.ndarray) -> np.ndarray:
        """Return the least images of many states, int64[n]."""
        least_images = states.copy()
        for low in range(0, len(states) * (self.order > 1), PIECE):
            piece, least = states[low : low + PIECE], least_images[low : low + PIECE]
            for tables in self.tables[1:]:
                image = piece >> self.bits << self.bits
                for chunk, table in enumerate(tables):
                    image |= table[piece >> 8 * chunk & 255]
                np.minimum(least, image, out=least)
        return least_images

    def orbit_size(self, state: int) -> int:
        """Return the number of distinct images of one state."""
        images = self.images(state)
        return self.order // images.count(state)


def _fixed_markings(cycles: Sequence[int], planes: int) -> np.ndarray:
    """Return how many markings a permutation leaves alone whose ``cycles`` have these lengths."""
    ways = np.zeros((sum(cycles) + 1,) * planes)
    ways[(0,) * planes] = 1
    for length in cycles:
        before = ways.copy()
        for plane in range(planes):
            np.moveaxis(ways, plane, 0)[length:] += np.moveaxis(before, plane, 0)[:-length]
    return ways


def _cycles(permutation: Permutation) -> tuple[int, ...]:
    """Return the lengths of the cycles of a permutation, ascending."""
    left, lengths = set(range(len(permutation))), []
    while left:
        cell, before = left.pop(), len(left)
        while (cell := permutation[cell]) in left:
            left.remove(cell)
        lengths.append(before - len(left) + 1)
    return tuple(sorted(lengths))


def usable_kind(rules: Rules, kind: str) -> str:
    """Return the kind of symmetries to use if ``kind`` is requested: ``geometric`` instead of ``full`` if the game is
    not defined by its lines, so that nothing more can be found. Raises `OptionError` for an unknown kind.
    """
    if kind not in KINDS:
        raise OptionError(f"symmetry {kind!r} is unknown; it is one of {', '.join(KINDS)}")
    return "geometric" if kind == "full" and not rules.lines else kind


def find_group(rules: Rules, kind: str, *, start: int | None = None) -> Group:
    """Return the group of ``kind`` (one of `KINDS`, made usable by `usable_kind`), restricted to the stabiliser of
    ``start`` (default: the rules' start).

    Raises `OptionError` for an unknown kind and for ``residual``, which is not a group, and `SymmetryError`, stating
    the order, for a group of more than `GREATEST_ORDER` elements; the order is computed without listing them.
    """
    start = rules.start if start is None else start
    kind = usable_kind(rules, kind)
    if kind == "residual":
        raise OptionError("residual classes are not given by symmetries of positions; use geometric")
    if kind != "none":
        _check_symmetries(rules)
    permutations: Iterable[Permutation] = rules.symmetries or (tuple(range(rules.cells)),)
    if kind == "none":
        permutations = (tuple(range(rules.cells)),)
    elif kind == "full":
        permutations = _full_symmetries(rules, start)
    cells, planes = rules.cells, rules.planes
    if rules.exchange and kind != "none":
        choices = itertools.product(permutations, (False, True))
        permutations = (over_planes(p, rules.planes, exchange=exchange) for p, exchange in choices)
        cells, planes = cells * planes, 1
    stabiliser = [p for p in permutations if permute(start, p, planes) == start]
    identity = tuple(range(cells))
    stabiliser.sort(key=lambda p: (p != identity, p))
    if len(stabiliser) > GREATEST_ORDER:
        raise SymmetryError(_too_many(len(stabiliser)))
    return Group(kind, tuple(stabiliser), cells, planes)


def _check_symmetries(rules: Rules) -> None:
    """Raise `SymmetryError` if symmetries are not permutations, or not a group: products of its elements and some that
    generate it are among them.
    """
    cells, symmetries = list(range(rules.cells)), set(rules.symmetries)
    for permutation in symmetries:
        if sorted(permutation) != cells:
            raise SymmetryError(f"symmetry {permutation} in the rules is not a permutation of the {rules.cells} cells")
    generated, generators = {tuple(cells)}, list[Permutation]()
    for permutation in sorted(symmetries):
        if permutation in generated:
            continue
        generators.append(permutation)
        waiting = [*generated]
        while waiting:
            second = waiting.pop()
            for first in generators:
                product = tuple(first[cell] for cell in second)
                if product not in symmetries:
                    words = f"{product} is missing, that is {first} after {second}"
                    raise SymmetryError(f"the symmetries in the rules are not a group: {words}")
                if product not in generated:
                    generated.add(product)
                    waiting.append(product)


def _full_symmetries(rules: Rules, start: int) -> Iterable[Permutation]:
    content = [tuple(start >> (p * rules.cells + c) & 1 for p in range(rules.planes)) for c in range(rules.cells)]
    colours = [sorted(set(content)).index(marks) for marks in content]
    group = automorphisms(rules.cells, rules.lines, colours)
    if group.order > GREATEST_ORDER:
        raise SymmetryError(_too_many(group.order))
    return group.elements()


def _too_many(order: int) -> str:
    return f"the symmetry group has {order:,} elements, more than {GREATEST_ORDER:,}; use --symmetry geometric"


# Automorphisms of a set of lines --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class AutomorphismGroup:
    """A permutation group as a stabiliser chain: every element is a product of one representative per level."""

    cells: int
    transversals: tuple[tuple[Permutation, ...], ...]
    """Level ``i``: one permutation for each cell that ``i`` can go to while ``0 .. i-1`` stay fixed."""

    @property
    def order(self) -> int:
        """The number of elements: the product of the orbit lengths along the chain (orbit-stabiliser theorem)."""
        return math.prod(len(level) for level in self.transversals)

    def elements(self) -> list[Permutation]:
        """Return every element once."""
        elements = [tuple(range(self.cells))]
        for level in reversed(self.transversals):
            elements = [_compose(representative, deeper) for representative in level for deeper in elements]
        return elements


def automorphisms(
    cells: int, lines: Iterable[Sequence[int]], colours: Sequence[int] | None = None
) -> AutomorphismGroup:
    """Find all permutations of the cells that map lines to lines and every cell to one of its colour.

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
    for level in reversed(range(cells)):  # deepest first, since generators of deeper levels help to fill orbits
        fixed = [colour * cells + min(cell, level) for cell, colour in enumerate(colours)]
        orbit = _orbit(level, generators, cells)
        for target in range(level + 1, cells):
            if target in orbit or colours[target] != colours[level]:
                continue
            generator = structure.isomorphism(_single_out(fixed, level), _single_out(fixed, target))
            if generator is not None:
                generators.append(generator)
                orbit = _orbit(level, generators, cells)
        transversals.append(tuple(orbit.values()))
    return AutomorphismGroup(cells, tuple(reversed(transversals)))


class _Structure:
    """Cells and lines, with a search for isomorphisms between two colourings."""

    def __init__(self, cells: int, lines: Iterable[Sequence[int]]) -> None:
        self.cells = cells
        self.lines = sorted({frozenset(line) for line in lines}, key=sorted)
        self.line_set = set(self.lines)
        self.lines_of = [[n for n, line in enumerate(self.lines) if cell in line] for cell in range(cells)]

    def isomorphism(self, source: list[int], target: list[int]) -> Permutation | None:
        """Return a permutation that preserves lines and maps source colours to equal target colours, or None."""
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
                result = self.isomorphism(branch, _single_out(target, cell))
                if result is not None:
                    return result
        return None

    def _refine(self, colours: list[int]) -> tuple[list[int], list[list[Any]]]:
        """Split colours by the colours along lines until nothing splits. Return the colours, and the sorted signs
        behind them in each round; cells correspond only if their colours mean the same.
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
    """Return a colouring in which one cell has its own colour, and the others differ as before."""
    return [2 * colour + (place == cell) for place, colour in enumerate(colours)]


def _orbit(cell: int, generators: list[Permutation], cells: int) -> dict[int, Permutation]:
    """Return where the generated group sends ``cell``, with one permutation for each place."""
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
    """Return whether a permutation of the cells maps every line to a line."""
    return all(frozenset(permutation[cell] for cell in line) in line_set for line in line_set)


@dataclasses.dataclass(frozen=True)
class ResidualGame(Game):
    """What is left to play in the game ``base``: its states are those of `Game.residual`.

    >>> from analysis.games.mnk import TicTacToe
    >>> ResidualGame(TicTacToe()).spec
    'tictactoe'
    """

    family = RESIDUAL
    moves_may_repeat = True

    base: Game

    def rules(self) -> Rules:
        """Return the rules over residual states. Raises what `residual_of` raises."""
        return residual_of(self.base).rules

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the base game."""
        return self.base.parameters()

    @property
    def spec(self) -> str:
        """That of the base game."""
        return self.base.spec

    @property
    def lasting_spec(self) -> str:
        """That of the base game."""
        return self.base.lasting_spec

    def rules_hash(self) -> str:
        """Return that of the base game, which covers residual states too."""
        return self.base.rules_hash()

    def format_position(self, state: int) -> str:
        """Return a residual state as text on one line."""
        return residual_of(self.base).text(state)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return the texts of all states."""
        return list(map(residual_of(self.base).text, states.tolist()))


def solved_game(game: Game, symmetry: str) -> Game:
    """Return the game whose positions are the classes of a solution: the game itself, or what is left to play in it."""
    return ResidualGame(game) if symmetry == RESIDUAL else game


@kept
def residual_of(game: Game) -> Residual:
    """Return what a game has left to play. Raises `OptionError` if the game does not define it, `SymmetryError` if it
    does not fit in a state, and `RulesError` if it cannot be used.
    """
    if type(game).residual is Game.residual:
        raise OptionError(
            f"{game.spec} does not say what is left to play in a position, so --symmetry {RESIDUAL} has nothing to "
            "merge; use geometric"
        )
    return check_residual(game.residual(), game.rules())
