"""What is searched: a game from a position, or an explicit tree, in the one form that all searches take."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.errors import OptionError
from analysis.rules.symmetry import Group


@dataclasses.dataclass(frozen=True)
class SearchProblem:
    """A root, and how to get on from there."""

    name: str
    """The game's specification, or the tree's file."""
    expand: Callable[..., int]
    """The compiled rules, see `steps.Expand`."""
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


def check_depth(depth: int | None) -> None:
    """Raise `OptionError` for a depth that is no number of plies."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 0):
        raise OptionError(f"depth {depth} makes no sense; it is a whole number of plies, 0 or more")
