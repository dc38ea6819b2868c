"""The players of the referee's protocol: their rules, and what they answer an independent referee."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest

from analysis.bidding.bidding_solution import Bid, Placement
from analysis.bidding.bot import answer, format_cell, make_strategy
from analysis.errors import OptionError
from tests.support.referee import IllegalAnswerError, Table, every_game, result_of, seat, turn

FIRST = "X\nBID\n\n\n___\n___\n___\n"


# Random and rules of thumb --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", list(itertools.product(["random", "rules"], repeat=2)))
def test_no_answer_is_illegal(names):
    results = Counter()
    for seed in range(150):
        chips = seed % 6
        players = [seat(make_strategy(name), 2 * seed + i, chips) for i, name in enumerate(names)]
        results[result_of(*players, chips)] += 1
    assert results["X"] > 0
    assert results["O"] > 0


def test_rules_beat_random():
    results = Counter(result_of(seat(make_strategy("rules"), s), seat(make_strategy("random"), s)) for s in range(200))
    assert results["X"] > 2 * results["O"]


def answers(name, found, draws=300):
    """All answers to a turn in so many draws, with how often each came."""
    strategy, rng = make_strategy(name), random.Random(5)
    return Counter(strategy(found).draw(rng) for _ in range(draws))


@pytest.mark.parametrize("name", ["random", "rules"])
def test_random_answers_are_uniform(name):
    bids = answers(name, turn("O", "BID", "1", "0", "_X_ ___ ___"), draws=6000)
    assert sorted(bids) == [0, 1, 2, 3, 4, 5]
    assert all(800 < count < 1200 for count in bids.values())
    cells = answers(name, turn("O", "PLAY", "1 0", "0 1", "_X_ ___ ___"), draws=8000)
    assert sorted(cells) == [0, 2, 3, 4, 5, 6, 7, 8]
    assert all(800 < count < 1200 for count in cells.values())


@pytest.mark.parametrize(
    ("found", "bid", "reason"),
    [
        (turn("X", "BID", "0", "4", "_O_ ___ ___"), 1, "O has no chips: bid 1"),
        (turn("X", "BID", "1 0", "0 5", "_OX ___ ___"), 1, "O has no chips: bid 1"),
        (turn("O", "BID", "4", "0", "_X_ ___ ___"), 1, "X has no chips: bid 1"),
        (turn("X", chips=0), 0, "O has no chips: bid 0"),
        (
            turn("X", "BID", "0 0 3", "0 0 1", "XX_ _O_ ___"),
            1,
            "about to win, X completes a line at 0 2: bid everything",
        ),
        (
            turn("O", "BID", "0 0 3", "0 0 1", "XX_ _O_ ___"),
            7,
            "about to lose, X completes a line at 0 2: bid everything",
        ),
        (
            turn("X", "BID", "1 0 0", "0 1 1", "X__ _O_ O__"),
            5,
            "about to lose, O completes a line at 0 2: bid everything",
        ),
        (
            turn("O", "BID", "1 0 0", "0 1 1", "X__ _O_ O__"),
            3,
            "about to win, O completes a line at 0 2: bid everything",
        ),
    ],
)
def test_rules_bid(found, bid, reason):
    assert set(answers("rules", found, 30)) == {bid}
    assert make_strategy("rules")(found).words == reason


def test_rules_save_chips_before_they_spend_all():
    found = turn("O", "BID", "3 1", "0 0", "XX_ ___ ___")
    assert (found.x_chips, found.o_chips) == (0, 8)
    assert set(answers("rules", found, 30)) == {1}


@pytest.mark.parametrize(
    ("found", "cells", "reason"),
    [
        (turn("X", "PLAY", "1 0 1 0 1", "0 1 0 1 0", "XX_ OO_ ___"), {2}, "complete a line at 0 2"),
        (turn("O", "PLAY", "1 0 1 0 0", "0 1 0 1 1", "XX_ OO_ ___"), {5}, "complete a line at 1 2"),
        (turn("O", "PLAY", "1 0 1 0", "0 1 0 1", "XX_ O__ ___"), {2}, "block a line at 0 2"),
        (turn("X", "PLAY", "1 0 1 1", "0 1 0 0", "XO_ _X_ ___"), {8}, "complete a line at 2 2"),
        (turn("O", "PLAY", "1 0 1 1 0", "0 1 0 0 1", "XO_ XX_ ___"), {5, 6, 8}, "block a line at 1 2 or 2 0 or 2 2"),
        (turn("X", "PLAY", "1", "0"), set(range(9)), "no line to complete or to block: any free cell, all alike"),
    ],
)
def test_rules_place(found, cells, reason):
    assert set(answers("rules", found)) == cells
    assert make_strategy("rules")(found).words == reason


# Players that look up -------------------------------------------------------------------------------------------------


def mark(move, value):
    return Placement(move, "", "", value)


@dataclasses.dataclass
class Given:
    """A solved state as a test wants it."""

    value: Fraction | float
    bids: dict[str, tuple[Bid, ...]]
    marks: dict[str, list[Placement]]

    def placements(self, side):
        return self.marks[side]


GIVEN = Given(
    Fraction(1, 3),
    {"X": (Bid(2, 1),), "O": (Bid(0, Fraction(1, 3)), Bid(3, Fraction(2, 3)))},
    {"X": [mark(4, Fraction(1)), mark(0, Fraction(1, 3))], "O": [mark(8, -0.123456789), mark(7, 0.5)]},
)


@pytest.mark.parametrize(
    ("found", "expected", "explanation"),
    [
        (
            turn("X"),
            {2: 1},
            "value to X by the solved game: 1/3; X bids 2; O bids 0 (1/3), 3 (2/3)",
        ),
        (
            turn("O"),
            {0: 1 / 3, 3: 2 / 3},
            "value to X by the solved game: 1/3; O bids 0 (1/3), 3 (2/3); X bids 2",
        ),
        (
            turn("X", "PLAY", "1", "0"),
            {4: 1},
            "placements best first, with the value to X by the solved game: 1 1 (1), 0 0 (1/3)",
        ),
        (
            turn("O", "PLAY", "0", "1"),
            {8: 1},
            "placements best first, with the value to X by the solved game: 2 2 (-0.123457), 2 1 (0.5)",
        ),
    ],
)
def test_perfect_answers_what_is_solved(found, expected, explanation):
    asked, rng = [], random.Random(3)
    advice = make_strategy("perfect", lambda state: asked.append(state) or GIVEN)(found)
    counts = Counter(advice.draw(rng) for _ in range(3000))
    assert {answer: pytest.approx(count / 3000, abs=0.03) for answer, count in counts.items()} == expected
    assert advice.words == explanation
    assert asked == [found]  # the solution is asked once a turn


def test_minimax_says_that_its_values_are_estimates():
    strategy = make_strategy("minimax", lambda state: GIVEN)
    line, explanation = answer(FIRST, strategy, random.Random(0))
    assert line == "2"
    assert explanation.splitlines() == [
        "X is to bid in round 1",
        "????????? X=4 O=4 advantage=X",
        "value to X by the line evaluation at a depth: 1/3; X bids 2; O bids 0 (1/3), 3 (2/3)",
    ]


def test_answers_explain_the_state_after_the_payment():
    line, explanation = answer("o\nplay\n2 1\n2 3\nx__\n___\n___", make_strategy("random"), random.Random(0))
    assert line in {format_cell(cell) for cell in range(1, 9)}
    assert explanation.splitlines() == [
        "O is to place; round 2 is paid",
        "X???????? X=5 O=3 advantage=O",
        "any free cell, all alike",
    ]
    assert answer(FIRST, make_strategy("random"), random.Random(0))[1].endswith("any bid from 0 to 4, all alike")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("perfekt", "strategy 'perfekt' is unknown; did you mean 'perfect'? There are random, rules"),
        ("", "strategy '' is unknown; there are random, rules, minimax, perfect"),
        ("perfect", "give look_up"),
        ("minimax", "give look_up"),
    ],
)
def test_unknown_strategies(name, reason):
    with pytest.raises(OptionError, match=reason.replace("?", r"\?")):
        make_strategy(name)


# Every opponent -------------------------------------------------------------------------------------------------------


@functools.cache
def without_chips(board, holder):
    """The value to X of a state where nobody has chips: every round is a tie, so the players alternate."""
    result = Table(board).result()
    if result is not None:
        return {"X": 1, "O": -1, "tie": 0}[result]
    values = [value for _, value in marks_without_chips(board, holder)]
    return max(values) if holder == "X" else min(values)


def marks_without_chips(board, side):
    cells = [cell for cell in range(9) if board[cell] == "_"]
    return [(c, without_chips(board[:c] + side + board[c + 1 :], "O" if side == "X" else "X")) for c in cells]


def alternating(found):
    """The solved game of 0 chips: tic-tac-toe."""
    board = found.board.replace("?", "_")
    marks = {
        side: sorted((mark(*m) for m in marks_without_chips(board, side)), key=lambda m: (m.value * sign, m.move))
        for side, sign in (("X", -1), ("O", 1))
    }
    return Given(0, {side: (Bid(0, 1),) for side in "XO"}, marks)


@pytest.mark.parametrize(("side", "results"), [("X", {"X", "tie"}), ("O", {"O", "tie"})])
def test_without_chips_perfect_play_never_loses(side, results):
    player = seat(make_strategy("perfect", alternating), chips=0)
    assert every_game(player, side, chips=0) == results


def reversed_marks(found):
    """The same the wrong way round: what places best places worst."""
    solved = alternating(found)
    return dataclasses.replace(solved, marks={side: marks[::-1] for side, marks in solved.marks.items()})


def test_every_opponent_finds_the_wrong_answer():
    player = seat(make_strategy("perfect", reversed_marks), chips=0)
    assert "O" in every_game(player, "X", chips=0)
    assert "X" in every_game(player, "O", chips=0)


@pytest.mark.slow
def test_some_opponent_beats_the_rules_of_thumb():
    assert every_game(seat(make_strategy("rules"), chips=1), "X", chips=1) == {"X", "O", "tie"}


def test_every_game_asks_for_legal_answers():
    with pytest.raises(IllegalAnswerError):
        every_game(lambda text: "9" if "BID" in text else "0 0")
