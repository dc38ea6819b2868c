"""Printed strategies by best response: whatever the opponent does, who plays the printed bids and placements gets the
value of the state; and the best that an opponent does against them is exactly the value.

The game is played here by its own code over the definitions: bids, payments, ties and placements, on boards that are
strings. From the solution come the strategy of one side only, and the value that it is compared with.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.bidding_cases import BEST, HOLDERS, TABLES, look_up, named, solved, states
from tests.support.bidding_oracle import OTHER, Rules, payoff


class Strategy:
    """What a solution prints for one side."""

    def __init__(self, solution, side):
        self.solution, self.side = solution, side

    def bids(self, state):
        return look_up(self.solution, state).bids[self.side]

    def place(self, board, x, o, holder):
        """The board after the first of the placements; the winner's bid is paid."""
        cell = look_up(self.solution, (board, x, o, holder)).placements(self.side)[0].move
        return board[:cell] + self.side + board[cell + 1 :]

    def takes(self, win, lose):
        """Whether the holder of the advantage, who may choose, wins a tie, rather than keep the advantage."""
        best = [look_up(self.solution, state).placements(side)[0].value for state, side in (win, lose)]
        return BEST[self.side](best) == best[0]


class BestResponse:
    """What X gets if one side plays a strategy, and the other, who knows it, whatever is best against it."""

    def __init__(self, strategy, rules, slack=0):
        self.strategy, self.rules, self.known = strategy, rules, {}
        self.slack = slack
        self.mixed = 0  # states in which the strategy draws its bid by chance

    def value(self, state):
        if state not in self.known:
            over = payoff(state[0], self.rules)
            self.known[state] = Fraction(over) if over is not None else self.after_best_bid(state)
        return self.known[state]

    def after_best_bid(self, state):
        _, x, o, _ = state
        side = self.strategy.side
        mine, theirs = (x, o) if side == "X" else (o, x)
        drawn = self.strategy.bids(state)
        self.mixed += len(drawn) > 1
        assert abs(sum(bid.probability for bid in drawn) - 1) <= self.slack
        assert all(min(mine, self.rules.least) <= bid.bid <= mine and bid.probability > 0 for bid in drawn)
        answers = []
        for answer in range(min(theirs, self.rules.least), theirs + 1):
            pairs = [((b.bid, answer) if side == "X" else (answer, b.bid), b.probability) for b in drawn]
            answers.append(sum(p * self.after_bids(state, *pair) for pair, p in pairs))
        return BEST[OTHER[side]](answers)

    def after_bids(self, state, i, j):
        *_, holder = state
        if i != j:
            return self.after_placement(*self.paid(state, "X" if i > j else "O", max(i, j), holder))
        if holder is None:
            return sum(self.after_placement(*self.paid(state, side, i, None)) for side in "XO") / 2
        wins = self.paid(state, holder, i, OTHER[holder])
        if self.rules.ties == "passes":
            return self.after_placement(*wins)
        loses = self.paid(state, OTHER[holder], i, holder)
        if holder == self.strategy.side:
            return self.after_placement(*(wins if self.strategy.takes(wins, loses) else loses))
        return BEST[holder](self.after_placement(*wins), self.after_placement(*loses))

    def paid(self, state, winner, bid, holder):
        """The state in which the winner has paid and is about to place, and the winner."""
        board, x, o, _ = state
        gained = bid if self.rules.pays == "loser" else 0
        return (board, *((x - bid, o + gained) if winner == "X" else (x + gained, o - bid)), holder), winner

    def after_placement(self, state, winner):
        board, *rest = state
        if winner == self.strategy.side:
            return self.value((self.strategy.place(*state), *rest))
        free = [cell for cell, mark in enumerate(board) if mark == "?"]
        return BEST[winner](self.value((board[:cell] + winner + board[cell + 1 :], *rest)) for cell in free)


def check(rules, x, o, starts=None, *, slack=0):
    """Both sides' strategies, from all states or from some on; in how many of them bids are drawn."""
    solution = solved(rules, x, o)
    starts = starts or list(states(rules, x, o))
    drawn = 0
    for side in "XO":
        response = BestResponse(Strategy(solution, side), rules, slack)
        for state in starts:
            value = look_up(solution, state).value
            assert abs(response.value(state) - value) <= slack, (state, side)
        drawn += response.mixed
    return drawn


def fair(rules, chips):
    """The start, whoever has the advantage."""
    return [(rules.start, chips, chips, holder) for holder in HOLDERS[rules.ties]]


SMALL = [(1, 1, 1, 3), (1, 2, 2, 3), (1, 3, 2, 3), (2, 2, 2, 3), (2, 3, 2, 2), (2, 3, 3, 1)]  # the last: all chips


@pytest.mark.parametrize("table", TABLES, ids=lambda table: "-".join(map(str, table.values())))
def test_every_state_of_tiny_games(table):
    for misere in (False, True):
        check(Rules(1, 3, 2, misere, **table), 1, 1)
    check(Rules(2, 2, 2, **table), 1, 0)


def test_chance_is_needed():
    """Matching pennies, see `test_bidding_oracle.test_a_mixed_state_by_hand`; and with one bid that must be made."""
    assert check(Rules(1, 3, 2, misere=True), 1, 1) > 0
    assert check(Rules(1, 3, 2, misere=True), 3, 2) > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", SMALL, ids=str)
@pytest.mark.parametrize("misere", [False, True])
def test_every_state_of_small_games(size, misere):
    *board, chips = size
    for table in TABLES[misere::4]:
        check(Rules(*board, misere, **table), chips - 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "chips", "chance"),
    [
        (Rules(), 4, False),
        (Rules(ties="coin"), 3, False),
        (Rules(misere=True), 3, True),
    ],
    ids=lambda parameter: named(parameter) if isinstance(parameter, Rules) else str(parameter),
)
def test_tictactoe(rules, chips, chance):
    """From the start on, through every state that the opponent can bring about."""
    drawn = check(rules, chips, chips, fair(rules, chips))
    assert (drawn > 0) == chance


@pytest.mark.slow
def test_rounded_values():
    """Where values are doubles, strategies get them up to what rounding does."""
    rules = Rules(misere=True, pays="bank")
    solution = solved(rules, 6, 6)
    assert solution.statistics()["rounded"] > 0
    assert check(rules, 6, 6, fair(rules, 6)[:1], slack=1e-8) > 0
