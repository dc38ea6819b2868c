"""Players of bidding games against definitions on strings and against every reply; matches against recursion."""

import itertools
import random
from fractions import Fraction

import pytest

from analysis.bidding.bidding_matches import play_match
from analysis.bidding.bidding_players import find_bidder
from analysis.bidding.bidding_rules import BiddingRules, Contest, Turn
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.games.bidding import SIGN, BiddingState
from analysis.games.families import load_game
from analysis.playing.terms import Terms
from tests.support import referee
from tests.support.bidding_cases import TABLES, look_up, named, solved, states
from tests.support.bidding_oracle import OTHER, Rules, bids, payoff, placements

SMALL = [Rules(1, 3, 2, misere, **table) for table in TABLES for misere in (False, True)]


class Known:
    """A solution that need not be looked for."""

    source = ""

    def __init__(self, solution):
        self.solution = solution

    def solve(self, seconds=None):
        return self.solution


def player(level, solution, table=None):
    return find_bidder(level, table or BiddingRules(solution.game), Known(solution))


def bid_chances(one, state, side):
    return one.chances(one.table.bidding(state, side))


def placing(table, state, side):
    return Turn("placement", side, state, tuple(table.moves(state.board, side)))


def tie(state, sales):
    return Turn("tie", state.holder, state, range(2), sales)


def coded(solution, state):
    """A state of the oracle as the library has it."""
    board, x, o, holder = state
    return BiddingState(solution.game.base.parse_either_side(board), x, o, holder)


def in_play(rules, x, o):
    return [state for state in states(rules, x, o) if payoff(state[0], rules) is None]


def each(cases):
    return pytest.mark.parametrize("rules", cases, ids=named)


@each(SMALL)
def test_sales_make_the_matrix_of_bids(rules):
    """What two bids come to, and the best placement after it, is worth what the solution's matrix says."""
    solution = solved(rules, 2, 1)
    table = BiddingRules(solution.game)
    for state in in_play(rules, 2, 1):
        here = coded(solution, state)
        found = look_up(solution, state)
        assert [table.bidding(here, side).choices for side in "XO"] == list(found.legal_bids())
        for i, j in itertools.product(*found.legal_bids()):
            worth = [solution.lookup(*sale.state).placements(sale.winner)[0].value for sale in table.sales(here, i, j)]
            value = max(worth) if here.holder == "X" else min(worth)
            x_bids, o_bids = found.legal_bids()
            assert value == found.matrix[x_bids.index(i)][o_bids.index(j)], (state, i, j)


def test_rounds_as_the_referee_plays_them():
    table, rng = BiddingRules(load_game("bidding:game=tictactoe,chips=4")), random.Random(5)
    for _ in range(200):
        contest, there = Contest(table), referee.Table()
        while contest.payoff is None:
            for _ in range(2):
                contest.play(rng.choice(contest.turn.choices))
            (sale,), turn = contest.sales, contest.turn
            winner, there = there.pay(*contest.choices)
            contest.play(rng.choice(turn.choices))
            there = there.place(winner, contest.rounds[-1].move)
            board = table.game.base.format_position(contest.state.board).replace("?", "_")
            assert (winner, there.state) == (sale.winner, (board, *contest.state[1:]))
        assert {"X": 1, "O": -1, "tie": 0}[there.result()] == contest.payoff


def wins(board, side, rules):
    """The boards after a placement that wins at once."""
    return [after for after in placements(board, side) if (payoff(after, rules) or 0) * SIGN[side] > 0]


def greedy_bids(state, side, rules):
    """As the level is described, on strings."""
    board, x, o, holder = state
    mine, theirs = (x, o) if side == "X" else (o, x)
    legal = list(bids(mine, rules))
    lost = {one: [(payoff(after, rules) or 0) * SIGN[one] < 0 for after in placements(board, one)] for one in "XO"}
    if wins(board, "X", rules) or wins(board, "O", rules):
        beating = [
            b for b in legal if all(b > other or (b == other and holder == side) for other in bids(theirs, rules))
        ]
        return {min(beating) if beating else max(legal): Fraction(1)}
    if all(lost["X"]) or all(lost["O"]):
        return {min(legal): Fraction(1)}
    return dict.fromkeys(legal, Fraction(1, len(legal)))


def greedy_boards(board, side, rules):
    after = placements(board, side)
    good = wins(board, side, rules)
    not_lost = [b for b in after if (payoff(b, rules) or 0) * SIGN[side] >= 0]
    safe = [b for b in not_lost if payoff(b, rules) is not None or not wins(b, OTHER[side], rules)]
    chosen = good or safe or after
    return dict.fromkeys(chosen, Fraction(1, len(chosen)))


def random_bids(state, side, rules):
    legal = bids(state[1] if side == "X" else state[2], rules)
    return dict.fromkeys(legal, Fraction(1, len(legal)))


def random_boards(board, side, rules):
    return dict.fromkeys(placements(board, side), Fraction(1, len(placements(board, side))))


BY_HAND = {"random": (random_bids, random_boards), "greedy": (greedy_bids, greedy_boards)}


@pytest.mark.parametrize("level", BY_HAND)
@each([*SMALL[::3], Rules(2, 2, 2, ties="chooses"), Rules(1, 4, 3, misere=True), Rules(1, 4, 3, least=1)])
def test_random_and_greedy_as_described(rules, level):
    solution = solved(rules, 2, 1)
    own_bids, own_boards = BY_HAND[level]
    one = player(level, solution)
    for state in in_play(rules, 2, 1):
        here = coded(solution, state)
        for side in "XO":
            assert bid_chances(one, here, side) == own_bids(state, side, rules)
            after = one.table.moves(here.board, side)
            chances = one.chances(placing(one.table, here, side)).items()
            text = solution.game.base.format_position
            found = {text(after[move]).replace("/", ""): chance for move, chance in chances}
            assert found == own_boards(state[0], side, rules)


def test_perfect_draws_evenly_among_what_keeps_the_value():
    solution = solve_bidding("bidding:game=tictactoe,chips=4")
    one = player("perfect", solution)
    state = solution.game.parse_state("XO??????? X=3 O=5 advantage=X")  # the example of docs/how-to/bidding.md
    assert bid_chances(one, state, "O") == {2: 1}
    assert bid_chances(one, state, "X") == dict.fromkeys(range(4), Fraction(1, 4))  # all lose
    assert one.chances(placing(one.table, state, "X")) == dict.fromkeys((3, 4, 6, 8), Fraction(1, 4))


def test_a_tie_that_is_ones_own_to_decide():
    rules = Rules(1, 3, 2, ties="chooses")
    solution = solved(rules, 1, 1)
    table = BiddingRules(solution.game)
    state = solution.game.parse_state("X?? X=1 O=1 advantage=O")  # whoever places next wins
    sales = table.sales(state, 1, 1)
    assert [(sale.winner, sale.state.holder) for sale in sales] == [("O", "X"), ("X", "O")]
    for level in ("greedy", "perfect", "depth:1"):
        assert player(level, solution).chances(tie(state, sales)) == {0: 1}
    assert player("random", solution).chances(tie(state, sales)) == dict.fromkeys(range(2), Fraction(1, 2))


class BestReply:
    """What X gets if one side plays a level, and the other, who knows it, whatever is best against it."""

    def __init__(self, one, side):
        self.one, self.table, self.side, self.known = one, one.table, side, {}
        self.best = min if side == "X" else max  # the other side's

    def value(self, state):
        if state not in self.known:
            over = self.table.payoff(state.board)
            self.known[state] = Fraction(over) if over is not None else self.after_bids(state)
        return self.known[state]

    def after_bids(self, state):
        drawn = bid_chances(self.one, state, self.side)
        answers = []
        for reply in self.table.bidding(state, OTHER[self.side]).choices:
            pairs = [((own, reply) if self.side == "X" else (reply, own), chance) for own, chance in drawn.items()]
            answers.append(sum(chance * self.after_tie(state, *pair) for pair, chance in pairs))
        return self.best(answers)

    def after_tie(self, state, i, j):
        sales = self.table.sales(state, i, j)
        worth = {sale: self.after_sale(sale) for sale in sales}
        if len(sales) == 1:
            return worth[sales[0]]
        if state.holder != self.side:
            return self.best(worth.values())
        return sum(chance * worth[sales[i]] for i, chance in self.one.chances(tie(state, sales)).items())

    def after_sale(self, sale):
        side, state = sale.winner, sale.state
        after = {
            move: self.value(state._replace(board=board)) for move, board in self.table.moves(state.board, side).items()
        }
        if side != self.side:
            return self.best(after.values())
        return sum(chance * after[move] for move, chance in self.one.chances(self.table.placing(sale)).items())


def never_below_its_value(rules, x, o, starts=None):
    """From every state, or from some, whatever the opponent does."""
    solution = solved(rules, x, o)
    one = player("perfect", solution)
    for side in "XO":
        reply = BestReply(one, side)
        for state in starts or in_play(rules, x, o):
            assert reply.value(coded(solution, state)) == look_up(solution, state).value, (state, side)


@each(SMALL)
def test_perfect_guarantees_the_value_whatever_the_opponent_does(rules):
    never_below_its_value(rules, 2, 1)


def by_hand(state, rules, x_plays, o_plays):
    """The chances that X wins, that O does, of a tie, and the rounds: recursion over strings, by these definitions."""
    over = payoff(state[0], rules)
    if over is not None:
        return [Fraction(over > 0), Fraction(over < 0), Fraction(over == 0), Fraction(0)]
    total = [Fraction(0)] * 3 + [Fraction(1)]
    plays = {"X": x_plays, "O": o_plays}
    board, x, o, holder = state
    for (i, p), (j, q) in itertools.product(*(plays[side][0](state, side, rules).items() for side in "XO")):
        winner, holds = ("X" if i > j else "O", holder) if i != j else (holder, OTHER[holder])
        left = (x - i, o + i) if winner == "X" else (x + j, o - j)
        for after, share_ in plays[winner][1](board, winner, rules).items():
            found = by_hand((after, *left, holds), rules, x_plays, o_plays)
            total = [a + p * q * share_ * b for a, b in zip(total, found, strict=True)]
    return total


@pytest.mark.parametrize("pair", [("random", "random"), ("random", "greedy"), ("greedy", "random")], ids="-".join)
@each([Rules(1, 2, 2), Rules(2, 2, 2, least=1), Rules(1, 3, 3, misere=True)])
def test_expectations_are_those_of_recursion(rules, pair):
    solution = solved(rules, 2, 1)
    start = ("?" * rules.rows * rules.cols, 2, 1, "X")
    x_wins, o_wins, tie, plies = by_hand(start, rules, *(BY_HAND[level] for level in pair))
    (found, *_) = play_match(solution.game.spec, pair, Terms(games=0)).expectations
    assert (found.x_wins, found.o_wins, found.tie, found.plies) == (x_wins, o_wins, tie, plies)
    assert found.exact
    assert found.payoff == x_wins - o_wins
    assert found.x_wins + found.o_wins + found.tie == 1
