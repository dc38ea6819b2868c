"""The oracle of bidding games, against games worked out by hand; published numbers are compared with the library."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import pytest

from tests.support.bidding_oracle import (
    OTHER,
    Rules,
    bid_matrix,
    poorman,
    richman,
    value,
)


def test_one_cell():
    """Who wins the bid wins; in misere, who wins it loses, and everybody bids 0."""
    rules = Rules(1, 1, 1)
    for x, o in itertools.product(range(4), repeat=2):
        more = (x > o) - (x < o)
        assert value("?", x, o, "X", rules) == (more or 1)
        assert value("?", x, o, "O", rules) == (more or -1)
        assert value("?", x, o, None, dataclasses.replace(rules, ties="coin")) == more
        misere = dataclasses.replace(rules, misere=True)
        assert value("?", x, o, "X", misere) == -1
        assert value("?", x, o, "O", misere) == 1
        assert value("?", x, o, "X", dataclasses.replace(misere, ties="chooses")) == 1  # O has to win the bid
        assert value("?", x, o, None, dataclasses.replace(misere, ties="coin")) == 0


def test_least_bid():
    """In misere on one cell, a holder with chips has to bid 1, and loses unless the other has to outbid him."""
    rules = Rules(1, 1, 1, misere=True, least=1)
    assert bid_matrix("?", 2, 3, "X", rules) == [[-1, 1, 1], [-1, -1, 1]]
    assert bid_matrix("?", 0, 2, "X", rules) == [[1, 1]]  # X has nothing and bids 0; O must bid at least 1
    assert value("?", 0, 2, "X", rules) == 1
    assert value("?", 2, 0, "O", rules) == -1


@pytest.mark.parametrize(
    ("chips", "holder", "wins"),
    [
        ((3, 1), "X", 0),  # O bids 1: X needs 1 for the tie, and 2 : 2 without the advantage is too little
        ((4, 1), "X", 1),  # X bids 1, at worst a tie: 3 : 2
        ((5, 1), "O", 0),  # X needs 2 to outbid 1, and 3 : 3 without the advantage is too little
        ((6, 1), "O", 1),  # 4 : 3
        ((1, 1), "X", 0),
        ((0, 4), "X", -1),
    ],
)
def test_two_cells_in_a_row(chips, holder, wins):
    """Who places twice wins; so X needs to win both bids, the second by more money or by the advantage."""
    rules = Rules(1, 2, 2)
    x, o = chips
    assert value("??", x, o, holder, rules) == wins
    assert value("??", o, x, OTHER[holder], rules) == -wins
    assert value("X?", x, o, holder, rules) == (x > o or (x == o and holder == "X"))


def test_two_cells_where_the_bank_is_paid():
    """What X pays does not help O: X wins if he still has more, 2 : 1, after bidding 1 (2 without the advantage)."""
    rules = Rules(1, 2, 2, pays="bank")
    assert [value("??", x, 1, "X", rules) for x in range(5)] == [0, 0, 0, 1, 1]
    assert [value("??", x, 1, "O", rules) for x in range(5)] == [-1, 0, 0, 0, 1]


def test_a_mixed_state_by_hand():
    """Misere, two in a row lose, one chip each, X holds the advantage on ``??X``: matching pennies.

    0, 0 or 1, 1: X wins the bid and places apart; O holds the advantage and must fill the middle: a tie.
    0, 1: O places apart and has nothing left; X has to fill the middle next to his own: lost.
    1, 0: X places apart, has nothing left and keeps the advantage; so he has to fill the middle: lost.
    """
    rules = Rules(1, 3, 2, misere=True)
    assert bid_matrix("??X", 1, 1, "X", rules) == [[0, -1], [-1, 0]]
    assert value("??X", 1, 1, "X", rules) == Fraction(-1, 2)


def test_real_money_by_hand():
    """One cell takes more than half; two take three quarters, for both bids (two thirds where the bank is paid)."""
    assert richman("?", "O", Rules(1, 1, 1)) == poorman("?", "O", Rules(1, 1, 1)) == Fraction(1, 2)
    two = Rules(1, 2, 2)
    assert richman("??", "O", two) == Fraction(3, 4)
    assert poorman("??", "O", two) == Fraction(2, 3)
    assert richman("??", "X", two) == Fraction(1, 4)
    assert poorman("??", "X", two) == Fraction(1, 3)
