"""Bidding games for tests: the rules of the oracle as specifications, every state of a game, and plain recursion over
any game on a board.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bidding_solving import solve as solve_bidding
from tests.support import bidding_oracle as oracle
from tests.support.bidding_oracle import OTHER, Rules, reachable

HOLDERS = {"passes": ("X", "O"), "chooses": ("X", "O"), "coin": (None,)}
TABLES = [
    {"pays": pays, "least": least, "ties": ties}
    for pays, least, ties in itertools.product(["loser", "bank"], [0, 1], HOLDERS)
]
"""Every combination of the parameters of bidding."""

BEST = {"X": max, "O": min}

State = tuple[str, int, int, str | None]
"""The board as the oracle writes it, X's chips, O's, and who holds the advantage."""


def named(rules: Rules) -> str:
    variant = "misere" if rules.misere else "normal"
    return f"{rules.rows}x{rules.cols}-{rules.k}-{variant}-{rules.pays}-{rules.least}-{rules.ties}"


def board_spec(rules: Rules) -> str:
    return f"mnk:rows={rules.rows},cols={rules.cols},k={rules.k},misere={str(rules.misere).lower()}"


def spec(rules: Rules, x: int, o: int) -> str:
    return f"bidding:game={board_spec(rules)},chips={x}+{o},pays={rules.pays},least={rules.least},ties={rules.ties}"


def solved(rules: Rules, x: int, o: int, **options) -> BiddingSolution:
    return solve_bidding(spec(rules, x, o), **{"workers": 1, **options})


def purses(pays: str, x: int, o: int) -> list[tuple[int, int]]:
    """How X's chips and O's can be after some bids."""
    if pays == "loser":
        return [(mine, x + o - mine) for mine in range(x + o + 1)]
    return list(itertools.product(range(x + 1), range(o + 1)))


def states(rules: Rules, x: int, o: int) -> Iterator[State]:
    """Every board with every purse and every holder, whether or not play leads to all three."""
    boards = sorted(reachable(rules))
    for board, chips, holder in itertools.product(boards, purses(rules.pays, x, o), HOLDERS[rules.ties]):
        yield board, *chips, holder


def look_up(solution: BiddingSolution, state: State):
    """What the solution knows of a state."""
    return solution.lookup(solution.game.base.parse_either_side(state[0]), *state[1:])


def pure(matrix) -> Fraction:
    """What the rows' player is sure of without chance."""
    return max(map(min, matrix))


def mixed(matrix) -> Fraction:
    return oracle.solve(matrix)[0]


@dataclasses.dataclass
class Recursion:
    """Values by plain recursion over any board, by ``payoff(board)`` (None while play goes on) and
    ``after(board, side)``, the boards after each placement.
    """

    payoff: Callable
    after: Callable
    pays: str = "loser"
    least: int = 0
    ties: str = "passes"
    solve: Callable = mixed
    toss: Callable = lambda a, b: (a + b) / 2  # what a coin makes of two values
    known: dict = dataclasses.field(default_factory=dict)

    def value(self, board, x, o, holder) -> Fraction:
        key = (board, x, o, holder)
        if key not in self.known:
            over = self.payoff(board)
            self.known[key] = Fraction(over) if over is not None else self.solve(self.matrix(*key))
        return self.known[key]

    def matrix(self, board, x, o, holder) -> list[list[Fraction]]:
        def bought(side, bid, then_holds):
            gained = bid if self.pays == "loser" else 0
            left = (x - bid, o + gained) if side == "X" else (x + gained, o - bid)
            return BEST[side](self.value(after, *left, then_holds) for after in self.after(board, side))

        def tie(bid):
            if holder is None:
                return self.toss(bought("X", bid, None), bought("O", bid, None))
            passes = bought(holder, bid, OTHER[holder])
            return passes if self.ties == "passes" else BEST[holder](passes, bought(OTHER[holder], bid, holder))

        def entry(i, j):
            return tie(i) if i == j else bought("X", i, holder) if i > j else bought("O", j, holder)

        x_bids, o_bids = range(min(x, self.least), x + 1), range(min(o, self.least), o + 1)
        return [[entry(i, j) for j in o_bids] for i in x_bids]
