"""Matches of bidding games: expectations against recursion, games against expectations."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import pytest

from analysis.bidding.bidding_matches import expect, play_match
from analysis.bidding.bidding_rules import BiddingRules
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.commands import bidding_games
from analysis.commands.display.printing import show
from analysis.errors import OptionError, TooLargeError
from analysis.games.families import load_game
from analysis.playing.terms import Effort, Terms
from tests.bidding.test_bidding_play import SMALL
from tests.bidding.test_bidding_players import BY_HAND, each, player
from tests.support.bidding_cases import solved
from tests.support.bidding_oracle import OTHER, Rules, payoff

# Expectations ---------------------------------------------------------------------------------------------------------


def by_hand(state, rules, x_plays, o_plays):
    """The chances that X wins, that O does, of a tie, and the rounds: recursion over strings, by these definitions."""
    over = payoff(state[0], rules)
    if over is not None:
        return [Fraction(over > 0), Fraction(over < 0), Fraction(over == 0), Fraction(0)]
    total = [Fraction(0)] * 3 + [Fraction(1)]
    plays = {"X": x_plays, "O": o_plays}
    board, x, o, holder = state
    for (i, p), (j, q) in itertools.product(*(plays[side][0](state, side, rules).items() for side in "XO")):
        if i != j:
            sides = [("X" if i > j else "O", holder)]
        elif rules.ties == "coin":
            sides = [("X", None), ("O", None)]
        else:
            sides = [(holder, OTHER[holder])]
        for winner, holds in sides:
            bid = i if winner == "X" else j
            gain = bid if rules.pays == "loser" else 0
            left = (x - bid, o + gain) if winner == "X" else (x + gain, o - bid)
            for after, share_ in plays[winner][1](board, winner, rules).items():
                found = by_hand((after, *left, holds), rules, x_plays, o_plays)
                total = [a + p * q * share_ / len(sides) * b for a, b in zip(total, found, strict=True)]
    return total


@pytest.mark.parametrize("pair", [("random", "random"), ("random", "greedy"), ("greedy", "random")], ids="-".join)
@each([Rules(1, 2, 2), Rules(2, 2, 2, pays="bank", least=1), Rules(2, 2, 2, ties="coin"), Rules(1, 3, 3, misere=True)])
def test_expectations_are_those_of_recursion(rules, pair):
    solution = solved(rules, 2, 1)
    table = BiddingRules(solution.game)
    start = ("?" * rules.rows * rules.cols, 2, 1, None if rules.ties == "coin" else "X")
    x_wins, o_wins, tie, plies = by_hand(start, rules, *(BY_HAND[level] for level in pair))
    found = expect(table, {side: player(level, solution, table) for side, level in zip("XO", pair, strict=True)})
    assert (found.x_wins, found.o_wins, found.tie, found.plies) == (x_wins, o_wins, tie, plies)
    assert found.exact
    assert found.payoff == x_wins - o_wins
    assert found.x_wins + found.o_wins + found.tie == 1


@pytest.mark.parametrize("ties", ["passes", "chooses", "coin"])
def test_rounded_expectations_and_boards_that_are_not_merged(monkeypatch, ties):
    """The same to rounding in floats, and exactly where symmetric boards are kept apart."""
    solution = solve_bidding(f"bidding:game=mnk:rows=2,cols=2,k=2,chips=2,ties={ties}")
    table = BiddingRules(solution.game)
    players = {"X": player("blunder:1/3", solution, table), "O": player("greedy", solution, table)}
    exact = expect(table, players)
    monkeypatch.setattr(players["X"], "symmetric", False)
    apart = expect(table, players)
    assert apart.states > exact.states
    assert apart.to_json() | {"states": 0} == exact.to_json() | {"states": 0}
    monkeypatch.setattr("analysis.bidding.bidding_matches.EXACT", 0)
    rounded = expect(table, players)
    assert not rounded.exact
    for name in ("x_wins", "o_wins", "tie", "payoff", "plies"):
        assert getattr(rounded, name) == pytest.approx(float(getattr(exact, name)), abs=1e-12)


def test_too_many_states(monkeypatch):
    table = BiddingRules(load_game("bidding:game=mnk:rows=1,cols=3,k=2,chips=1"))
    players = dict.fromkeys("XO", player("random", None, table))
    with pytest.raises(TooLargeError, match="more than 10 states"):
        expect(table, players, most=10)
    monkeypatch.setattr("analysis.bidding.bidding_matches.MOST_BESIDE", 10)
    result = play_match(table, *players.values(), games=5, seed=1)
    assert (result.expectations, result.standing("A", "X").games) == ((), 5)
    assert "more than 10 states" in result.not_computed
    monkeypatch.setattr("analysis.bidding.bidding_matches.MOST", 10)
    with pytest.raises(TooLargeError, match="more than 10 states"):
        play_match(table, *players.values(), games=0)
    with pytest.raises(OptionError, match="-1 games"):
        play_match(table, *players.values(), games=-1)


# Matches --------------------------------------------------------------------------------------------------------------


def small_match(games, *, swap=True, seed=1):
    solution = solve_bidding("bidding:game=mnk:rows=1,cols=4,k=3,chips=1,ties=chooses")
    table = BiddingRules(solution.game)
    a, b = player("blunder:1/2", solution, table), player("greedy", solution, table)
    return play_match(table, a, b, games=games, swap=swap, seed=seed)


@pytest.mark.slow
def test_games_agree_with_expectations():
    games = 2000
    result = small_match(games)
    assert [(one.player, one.side) for one in result.standings] == list(itertools.product("AB", ("X", "O", "both")))
    for one, other, expected in zip("AB", "BA", result.expectations, strict=True):
        first, second = result.standing(one, "X"), result.standing(other, "O")
        assert first.games == games // 2
        assert (first.wins, first.losses, first.payoffs) == (second.losses, second.wins, -second.payoffs)
        for count, chance in ((first.wins, expected.x_wins), (first.losses, expected.o_wins)):
            deviation = (float(chance * (1 - chance)) * games / 2) ** 0.5
            assert abs(count - float(chance) * games / 2) < 5 * deviation
        mean = first.plies / first.games
        variance = first.ply_squares / first.games - mean**2
        assert abs(mean - float(expected.plies)) < 5 * (variance / first.games) ** 0.5


@pytest.mark.slow
def test_seeds_make_the_same_games_again():
    assert small_match(40).to_json() == small_match(40).to_json()
    assert small_match(40, seed=2).standings != small_match(40).standings
    shorter, longer = small_match(10, swap=False).standings, small_match(11, swap=False).standings
    assert [b.games - a.games for a, b in zip(shorter, longer, strict=True)] == [1, 1]
    assert all(b.wins >= a.wins and b.losses >= a.losses for a, b in zip(shorter, longer, strict=True))


# Matches --------------------------------------------------------------------------------------------------------------


def match(capsys, *levels, form="json", games=20, swap=False, seed=1, position=None):
    terms = Terms(games, swap, seed, position)
    show(form, bidding_games.match(SMALL, *levels, terms, Effort()))
    return capsys.readouterr().out


def test_match_as_json(capsys):
    found = json.loads(match(capsys, "perfect", "random", swap=True, position="XO? X=2 O=2 advantage=X"))
    assert {key: found[key] for key in ("a", "b", "games", "swap", "seed", "not_computed")} == {
        "a": "perfect", "b": "random", "games": 20, "swap": True, "seed": 1, "not_computed": None,
    }  # fmt: skip
    sides = [(one["player"], one["level"], one["side"], one["games"]) for one in found["standings"]]
    a, b = (
        [("A", "perfect", side) for side in ("X", "O", "both")],
        [("B", "random", side) for side in ("X", "O", "both")],
    )
    assert sides == [(*one, 20 if one[2] == "both" else 10) for one in a + b]
    assert [(one["x"], one["o"]) for one in found["expectations"]] == [("perfect", "random"), ("random", "perfect")]
    assert found["expectations"][0]["tie"] == {"value": 1.0, "fraction": "1"}
    again = match(capsys, "Perfect ", "random", swap=True, position="XO? X=2 O=2 advantage=X")
    assert json.loads(again) == found


def test_match_as_csv_and_table(capsys):
    lines = match(capsys, "blunder:0.1", "greedy", form="csv").splitlines()
    assert lines[0].startswith(
        "player,level,side,games,wins,losses,ties,unfinished,share_wins,share_wins_low,share_wins_high"
    )
    assert [line.split(",")[:4] for line in lines[1:]] == [["A", "blunder:0.1", "X", "20"], ["B", "greedy", "O", "20"]]
    text = match(capsys, "blunder:0.1", "greedy", form="table")
    for words in ("blunder:0.1  solved here in", "  as X", "may choose, exact", "seed"):
        assert words in text
    assert "greedy       solved" not in text


def test_expectations_only(capsys):
    text = match(capsys, "random", "random", form="table", games=0)
    assert "games" not in text
    assert "random (A) against random (B), as random (A) sees it" in text
    assert "mean payoff   +0.0000" not in text  # X has the advantage
    assert "mean payoff" in text
    found = json.loads(match(capsys, "random", "random", games=0, position="XX? X=2 O=2 advantage=X"))
    assert found["standings"] == []
    assert found["expectations"][0]["payoff"] == {"value": 1.0, "fraction": "1"}
