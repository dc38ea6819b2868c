"""What the moves in a part leave: for each of them some parts, in pairs of equal ones left out.

Two equal parts are worth nothing together, whatever they are worth alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from analysis.errors import GametreeError, RulesError
from analysis.rules.game import PartGraph, Parts

Option = tuple[int, ...]
"""The parts that a move leaves, ascending."""
Options = Callable[[int], Collection[Option]]

COMPILED = 63
"""Vertices of a graph for which the compiled kernel is used: bits of a non-negative int64."""


def options_of(parts: Parts, *, compiled: bool = True) -> Options:
    """Return the function that gives the different options of a part."""
    graph = parts.graph
    if compiled and graph is not None and len(graph.adjacent) <= COMPILED:
        return _compiled_options(graph)

    def options(part: int) -> set[Option]:
        return {parts_of(parts, position) for position in made_in(parts, part)}

    return options


def parts_of(parts: Parts, position: Any) -> Option:
    """Return the parts of a position, without pairs of equal ones. Raises `RulesError` if the functions fail."""
    found: list[int] = []
    try:
        for part in sorted(parts.split(position)):
            if found and found[-1] == part:
                found.pop()
            else:
                found.append(part)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _failed("split", position, error) from error
    return tuple(found)


def made_in(parts: Parts, position: Any) -> Collection[Any]:
    """Return the positions after each move. Raises `RulesError` if the author's functions fail."""
    assert parts.moves is not None
    try:
        return list(parts.moves(position))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _failed("moves", position, error) from error


def _failed(name: str, position: Any, error: Exception) -> GametreeError:
    if isinstance(error, GametreeError):
        return error
    return RulesError(f"{name}() of the parts fails at {position!r}: {type(error).__name__}: {error}")


def _compiled_options(graph: PartGraph) -> Options:
    from analysis.sums.kernels.graph_parts import write_options

    def numbers(values: Any) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    vertices, choices = len(graph.adjacent), len(graph.moves)
    moves, adjacent = numbers(graph.moves).reshape(-1), numbers(graph.adjacent)
    shape, permutations = numbers([*graph.grid, graph.least]), numbers(graph.automorphisms).reshape(-1, vertices)
    out, ends = numbers([0] * max(1, choices * vertices)), numbers([0] * max(1, choices))

    def options(part: int) -> set[Option]:
        number = write_options(part, moves, adjacent, shape, permutations, out, ends)
        stops = ends[:number].tolist()
        left = out[: stops[-1]].tolist() if number else []
        return {tuple(left[begin:end]) for begin, end in zip([0, *stops[:-1]], stops, strict=True)} if number else set()

    return options
