"""What a search is asked: an order of moves and a window by name, its table, and its limits."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from analysis.errors import OptionError
from analysis.machine.memory import Budget
from analysis.search.kernels import layout
from analysis.search.kernels.layout import GREATEST_PAYOFF, INFINITY
from analysis.search.problem import SearchProblem

MOST_NODES = 1_000_000_000
"""The default of --max-nodes."""

MOST_MEMORY = 2_000_000_000
"""Bytes that a search's table or nodes may take by default."""

KINDS = {
    "killer": layout.KILLER,
    "history": layout.BY_HISTORY,
    "best": layout.BEST,
    "worst": layout.WORST,
    "least": layout.LEAST,
}

NAMES = "natural, reverse, centre-first, killer, history, best, worst, least, random:SEED or permutation:CODES"

CUTTING = (layout.KILLER, layout.BY_HISTORY)
"""Orders that learn from cutoffs, so only searches that cut can have them."""

FROM_SOLUTION = (layout.BEST, layout.WORST, layout.LEAST)
"""Orders that need the solved game."""


@dataclasses.dataclass(frozen=True)
class Window:
    """The open interval that the root's value is asked for in: beyond its ends, bounds will do."""

    alpha: int = -INFINITY
    beta: int = INFINITY
    name: str = "full"

    @property
    def ends(self) -> tuple[int, int]:
        """``alpha`` and ``beta``."""
        return self.alpha, self.beta

    @property
    def null(self) -> bool:
        """Whether no value lies inside, so that it only asks for a bound."""
        return self.beta - self.alpha == 1

    def bound(self, value: int) -> str:
        """What a fail-soft search of this window says of the root's value: ``exact``, ``lower`` or ``upper`` bound."""
        return "upper" if value <= self.alpha else "lower" if value >= self.beta else "exact"


@dataclasses.dataclass(frozen=True)
class Order:
    """An order of moves: its kind (see `layout`), and what that needs."""

    name: str = "natural"
    kind: int = layout.NATURAL
    ranks: tuple[int, ...] = ()
    """A rank for each move code, the least first."""
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class TablePolicy:
    """How many positions a table keeps (None: all of them), and which (one of `workspace.SCHEMES`)."""

    entries: int | None = None
    scheme: str = "new"

    @property
    def name(self) -> str:
        """For a column of a table."""
        return "unlimited" if self.entries is None else f"{self.entries} {self.scheme}"


@dataclasses.dataclass(frozen=True)
class Settings:
    """What all searches of a comparison have in common."""

    strict: bool = False
    """Cut where alpha > beta only, instead of alpha >= beta."""
    table: TablePolicy = dataclasses.field(default_factory=TablePolicy)
    """The table of the searches that have one."""
    guess: int = 0
    """The value that mtdf begins at."""
    max_nodes: int = MOST_NODES
    """Nodes that a search may visit; it is stopped before one more."""
    max_memory: int = MOST_MEMORY
    """Bytes that the table or the nodes of a search may take, and solving the game for its orders."""

    def budget(self) -> Budget:
        """The memory that a search may take: never more than the machine has."""
        return Budget(min(self.max_memory, Budget.of_machine().limit))


UNBOUNDED = Settings(max_nodes=INFINITY, max_memory=INFINITY)
"""As many nodes as it takes, and the memory of the machine."""


def parse_window(text: str, problem: SearchProblem) -> Window:
    """The window of this name for this problem.

    ``full``: every value; ``value``: the least and the greatest payoff that a leaf can have; ``null:B``: from B - 1 to
    B, which only asks whether the value is at least B. Raises `OptionError` for any other, and for ``value`` where all
    payoffs are the same.
    """
    name, _, rest = text.strip().partition(":")
    if name == "full" and not rest:
        return Window()
    if name == "value" and not rest:
        least, greatest = problem.payoffs
        if least == greatest:
            raise OptionError(f"window value is empty: every payoff of {problem.name} is {least}")
        return Window(least, greatest, "value")
    if name == "null" and re.fullmatch("[+-]?[0-9]{1,18}", rest) and abs(int(rest)) < GREATEST_PAYOFF:
        return Window(int(rest) - 1, int(rest), f"null:{int(rest)}")
    raise OptionError(f"window {text!r} is unknown; it is full, value or null:B, with B the bound to ask for")


def parse_order(text: str, problem: SearchProblem) -> Order:
    """The order of this name for this problem.

    ``natural`` is by ascending code; ``reverse`` descending; ``centre-first`` by the distance of the cell from the
    centre of the board; ``permutation:402681357`` (or ``4-0-2-...``) by place in the list; ``random:7`` shuffles the
    moves of every position anew, each position always the same way for one seed. ``killer`` tries the last two moves
    that cut at the ply first (Akl and Newborn 1977), ``history`` those that cut most, each cutoff counting 2**d with d
    plies to the end (Schaeffer 1989). ``best`` and ``worst`` sort by value, ``least`` so that the fewest nodes are
    visited; all others are ties in natural order. Raises `OptionError` for any other, for ``centre-first`` where moves
    are no cells of a board, and for a permutation that does not list every code once.
    """
    name, _, rest = text.strip().partition(":")
    if name == "natural" and not rest:
        return Order()
    if name == "reverse" and not rest:
        return Order("reverse", layout.RANKED, tuple(range(problem.codes))[::-1])
    if name in ("centre-first", "center-first") and not rest:
        return Order("centre-first", layout.RANKED, _distances(problem))
    if name == "permutation":
        return Order(text.strip(), layout.RANKED, _ranks(rest, problem))
    if name == "random":
        if not re.fullmatch("[0-9]{1,18}", rest):
            raise OptionError(f"order 'random:{rest}' has no seed that is a whole number; write random:7")
        return Order(text.strip(), layout.RANDOM, seed=int(rest))
    if name in KINDS and not rest:
        return Order(name, KINDS[name])
    raise OptionError(f"order {text!r} is unknown; it is {NAMES}")


def _distances(problem: SearchProblem) -> tuple[int, ...]:
    """Twice the distance from the centre, squared, for each cell."""
    if problem.grid is None:
        raise OptionError(f"order centre-first needs a board whose cells are the moves, which {problem.name} has not")
    rows, cols = problem.grid
    return tuple((2 * r - rows + 1) ** 2 + (2 * c - cols + 1) ** 2 for r in range(rows) for c in range(cols))


def _ranks(text: str, problem: SearchProblem) -> tuple[int, ...]:
    parts = re.split("[-,]", text) if re.search("[-,]", text) else list(text)
    codes = [int(part) for part in parts if re.fullmatch("[0-9]+", part)]
    if len(codes) != len(parts) or sorted(codes) != list(range(problem.codes)):
        raise OptionError(
            f"permutation {text!r} does not list each of the codes 0 to {problem.codes - 1} once, as in "
            f"permutation:{'-'.join(map(str, range(problem.codes - 1, -1, -1)))}"
        )
    return tuple(np.argsort(codes).tolist())
