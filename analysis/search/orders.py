"""Orders of moves, by name."""

from __future__ import annotations

import re

from analysis.errors import OptionError
from analysis.search.kernels import layout
from analysis.search.problem import Order, SearchProblem

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


def parse_order(text: str, problem: SearchProblem) -> Order:
    """The order of this name for this problem. Raises `OptionError`.

    ``natural`` is by ascending code; ``reverse`` descending; ``centre-first`` by the distance of the cell from the
    centre of the board; ``permutation:402681357`` (or ``4-0-2-...``) by place in the list; ``random:7`` shuffles the
    moves of every position anew, each position always the same way for one seed. ``killer`` tries the last two moves
    that cut at the ply first (Akl and Newborn 1977), ``history`` those that cut most, each cutoff counting 2**d with d
    plies to the end (Schaeffer 1989). ``best`` and ``worst`` sort by value, ``least`` so that the fewest nodes are
    visited; all others are ties in natural order.
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
        return Order(text.strip(), layout.RANDOM, seed=_seed(rest))
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
    ranks = {code: rank for rank, code in enumerate(codes)}
    return tuple(ranks[code] for code in range(problem.codes))


def _seed(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise OptionError(f"order 'random:{text}' has no seed that is a whole number; write random:7")
    return int(text)
