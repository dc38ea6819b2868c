"""What is searched: a game from a position, or an explicit tree, in the one form that all searches take."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.errors import OptionError
from analysis.rules.symmetry import Group
from analysis.search.kernels.layout import INFINITY


def check_depth(depth: int | None) -> None:
    """Raise `OptionError` for a depth that is no number of plies."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 0):
        raise OptionError(f"depth {depth} makes no sense; it is a whole number of plies, 0 or more")


@dataclasses.dataclass(frozen=True)
class SearchProblem:
    """A root, and how to get on from there."""

    name: str
    """The game's specification, or the tree's file."""
    expand: Callable[..., int]
    """See `steps.Expand`."""
    root: int
    most: int
    """Moves of any state, at most."""
    codes: int
    """Move codes are below this."""
    payoffs: tuple[int, int]
    """The least and the greatest value a leaf can have."""
    describe: Callable[[int], str]
    """The text of a state."""
    moves: Callable[[int], list[tuple[int, int]]]
    """Codes and states after them, in natural order, in plain Python; none where the game is over."""
    side: Callable[[int], int]
    """Who moves: 1 the first player, -1 the second; of no meaning where the game is over."""
    group: Callable[[str], Group]
    """The symmetry group of a kind that leaves the root alone."""
    depth: int | None = None
    """Plies from the root at which a search stops; None to play to the end."""
    longest: int | None = None
    """Plies of the longest line of play, where that is known."""
    evaluation: str | None = None
    """What leaves are valued by, instead of payoffs."""
    grid: tuple[int, int] | None = None
    """Rows and columns of the board, if move codes are its cells."""
    tree: np.ndarray | None = None
    """The records of an explicit tree, int64[words]; see `explicit`."""
    node: Callable[[int], Any] | None = None
    """The node of an explicit tree that a state stands for."""

    def label(self, state: int) -> Any:
        """What a user calls a state: the node of an explicit tree, or the text of a position."""
        return self.describe(state) if self.node is None else self.node(state)


@dataclasses.dataclass(frozen=True)
class Window:
    """The open interval that the root's value is asked for in: beyond its ends, bounds will do."""

    alpha: int = -INFINITY
    beta: int = INFINITY
    name: str = "full"

    def bound(self, value: int) -> str:
        """What a fail-soft search of this window says of the root's value: ``exact``, ``lower`` or ``upper`` bound."""
        return "upper" if value <= self.alpha else "lower" if value >= self.beta else "exact"


@dataclasses.dataclass(frozen=True)
class Order:
    """An order of moves: its kind (see `layout`), and what that needs."""

    name: str = "natural"
    kind: int = 0
    ranks: tuple[int, ...] = ()
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class KnownStates:
    """Solved states, for the orders of moves that expand at them."""

    table: np.ndarray  # int64[2 * 2**bits], see `layout.SOLVED`
    bits: int
    rows: np.ndarray  # int64[states, KNOWN], see `layout.KNOWN`
    symmetry: str
    """The group whose least images the table holds; with a symmetry of its own, a search uses the same."""
    inside: bool
    """The root's value lies inside the window that is asked for."""


@dataclasses.dataclass(frozen=True)
class TablePolicy:
    """How many positions a table keeps (None: all of them), and which."""

    entries: int | None = None
    scheme: str = "new"

    @property
    def name(self) -> str:
        """For a column of a table."""
        return "unlimited" if self.entries is None else f"{self.entries} {self.scheme}"
