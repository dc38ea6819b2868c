"""Bidding games for tests: the rules of the oracle as specifications, and every state of a game."""

import itertools
from collections.abc import Iterator

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bidding_solving import solve as solve_bidding
from tests.support.bidding_oracle import Rules, reachable

TABLES = [{"least": least, "ties": ties} for least in (0, 1) for ties in ("passes", "chooses")]
"""Every combination of the parameters of bidding."""


State = tuple[str, int, int, str]
"""The board as the oracle writes it, X's chips, O's, and who holds the advantage."""


def named(rules: Rules) -> str:
    variant = "misere" if rules.misere else "normal"
    return f"{rules.rows}x{rules.cols}-{rules.k}-{variant}-{rules.least}-{rules.ties}"


def by_table(table: dict) -> str:
    return "-".join(map(str, table.values()))


def spec(rules: Rules, x: int, o: int) -> str:
    board = f"mnk:rows={rules.rows},cols={rules.cols},k={rules.k},misere={str(rules.misere).lower()}"
    return f"bidding:game={board},chips={x}+{o},least={rules.least},ties={rules.ties}"


def solved(rules: Rules, x: int, o: int, **options) -> BiddingSolution:
    return solve_bidding(spec(rules, x, o), **{"workers": 1, **options})


def purses(x: int, o: int) -> list[tuple[int, int]]:
    """How X's chips and O's can be after some bids."""
    return [(mine, x + o - mine) for mine in range(x + o + 1)]


def states(rules: Rules, x: int, o: int) -> Iterator[State]:
    """Every board with every purse and every holder, whether or not play leads to all three."""
    boards = sorted(reachable(rules))
    for board, chips, holder in itertools.product(boards, purses(x, o), "XO"):
        yield board, *chips, holder


def look_up(solution: BiddingSolution, state: State):
    """What the solution knows of a state."""
    return solution.lookup(solution.game.base.parse_either_side(state[0]), *state[1:])
