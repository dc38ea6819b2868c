"""The referee's protocol: turns read and refused; its players, their rules and what they answer a referee."""

import dataclasses
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bidding.bidding_solution import Bid, Placement
from analysis.bidding.bot import RefereeTurn, answer, answer_turn, format_cell, make_strategy, parse_turn
from analysis.errors import OptionError, ProtocolError
from tests.support.program import ROOT, one_line
from tests.support.referee import IllegalAnswerError, every_game, play, result_of, seat, turn


@pytest.mark.parametrize(
    ("fields", "x_chips", "o_chips", "holder"),
    [
        ({}, 4, 4, "X"),
        ({"player": "O"}, 4, 4, "X"),
        ({"x": "1", "o": "0", "board": "_X_ ___ ___"}, 3, 5, "X"),  # the higher bid pays the lower bidder
        ({"x": "1", "o": "3", "board": "_O_ ___ ___"}, 7, 1, "X"),
        ({"x": "2", "o": "2", "board": "_X_ ___ ___"}, 2, 6, "O"),  # X holds the advantage first, pays, passes it
        ({"x": "2 2", "o": "2 2", "board": "_X_ __O ___"}, 4, 4, "X"),
        ({"x": "0 0 0", "o": "0 0 0", "board": "_X_ __O _X_"}, 4, 4, "O"),
        ({"x": "4 0 0", "o": "0 8 0", "board": "XOX ___ ___"}, 8, 0, "O"),
        ({"player": "O", "phase": "PLAY", "x": "0", "o": "4"}, 8, 0, "X"),
        ({"phase": "PLAY", "x": "4", "o": "4"}, 0, 8, "O"),
        ({"phase": "PLAY", "x": "0 8", "o": "4 0", "board": "___ ___ __O"}, 0, 8, "X"),
        ({"chips": 100, "phase": "PLAY", "x": "99", "o": "7"}, 1, 199, "X"),
    ],
)
def test_purses_follow_from_the_bids(fields, x_chips, o_chips, holder):
    found = turn(**fields)
    assert (found.x_chips, found.o_chips, found.holder) == (x_chips, o_chips, holder)
    assert (found.chips("X"), found.chips("O")) == (x_chips, o_chips)
    assert found.chips(found.player) == (o_chips if found.player == "O" else x_chips)


def test_a_turn_says_what_it_says():
    found = turn("O", "PLAY", "0 1 1", "2 0 2", "_O_ X__ ___")
    assert found == RefereeTurn("O", "PLAY", (0, 1, 1), (2, 0, 2), "?O?X?????", 7, 1, "X")
    assert (found.opponent, found.free()) == ("X", (0, 2, 4, 5, 6, 7, 8))


PLAIN = "X\nPLAY\n1 0 2\n0 3 1\nX__\n_O_\n___\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.removesuffix("\n"),
        PLAIN + "\n\n  \n",
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("\n", "  \n"),
        PLAIN.replace("\n", "\t\r\n"),
        PLAIN.lower(),
        PLAIN.replace("1 0 2", " 1   0\t2").replace("3", "003"),
        "\ufeff" + PLAIN,
        PLAIN.encode(),
        PLAIN.encode("utf-8-sig"),
    ],
)
def test_spellings(text):
    assert parse_turn(text) == RefereeTurn("X", "PLAY", (1, 0, 2), (0, 3, 1), "X???O????", 4, 4, "X")


def test_bids_may_be_empty_lines():
    for blank in ("", "   ", "\t"):
        assert parse_turn(f"o\nbid\n{blank}\n{blank}\n___\n___\n___").x_bids == ()


START = ["X", "BID", "", "", "___", "___", "___"]


def changed(**lines):
    """The text of the first turn with lines replaced, by their number: ``l3="1"``."""
    return "\n".join(lines.get(f"l{i}", line) for i, line in enumerate(START, start=1))


REFUSALS = [
    # the text as a whole
    ("", "the turn is empty; write seven lines"),
    ("\n \r\n\t\n", "the turn is empty"),
    (b"", "the turn is empty"),
    ("X\nBID\n\0\n\n___\n___\n___", r"not text: it contains the character '\x00'"),
    (b"\x7fELF\x02\x01\x01\x00", r"not text: it contains the character '\x7f'"),
    (b"\xff\xfeX\x00", "not text: it contains the character"),
    ("X\nBID\n\udc80\n\n___\n___\n___", r"not text: it contains the character '\udc80'"),
    ("X", "ends after line 1; it has seven lines"),
    ("X\nBID\n___\n___\n___\n", "ends after line 5; it has seven lines"),
    ("X\nBID\n\n", "ends after line 3"),
    ("X\nBID\n\n\n___\n___\n", "ends after line 6"),
    (changed() + "\n\n___\n", "line 8: '' is too much; a turn has seven lines"),
    (changed() + "\nO", "line 8: 'O' is too much"),
    # player and phase
    (changed(l1="Z"), "line 1: the player is 'Z'; write X or O"),
    (changed(l1=""), "line 1: the player is ''; write X or O"),
    (changed(l1="X O"), "line 1: the player is 'X O'"),
    (changed(l1="X" * 10**6), "line 1: the player is 'XXXXXXXXXXXXXXXXXXXX ...'"),
    ("\n" + changed(), "line 8: '___' is too much"),
    (changed(l2="MOVE"), "line 2: the phase is 'MOVE'; write BID or PLAY"),
    (changed(l2=""), "line 2: the phase is ''"),
    # bids
    (changed(l3="a", l4="1"), "line 3, round 1: X bids 'A'; bids are whole numbers"),
    (changed(l3="1 1.5", l4="0 0"), "line 3, round 2: X bids '1.5'; bids are whole numbers"),
    (changed(l3="1", l4="0,1"), "line 4, round 1: O bids '0,1'; bids are whole numbers, separated by spaces"),
    (changed(l3="+1", l4="1"), "line 3, round 1: X bids '+1'; bids are whole numbers"),
    (changed(l3="²", l4="1"), "line 3, round 1: X bids '²'; bids are whole numbers"),
    (changed(l3="٣", l4="1"), "line 3, round 1: X bids '٣'; bids are whole numbers"),
    (changed(l3="1_0", l4="1"), "line 3, round 1: X bids '1_0'; bids are whole numbers"),
    (changed(l3="0 1", l4="1 -1"), "line 4, round 2: O bids '-1'; bids are 0 or more"),
    (changed(l3="5", l4="0"), "line 3, round 1: X bids '5', but has 4 chips in this round"),
    (changed(l3="0", l4="5"), "line 4, round 1: O bids '5', but has 4 chips in this round"),
    (changed(l3="3 2", l4="0 0"), "line 3, round 2: X bids '2', but has 1 chip in this round"),
    (changed(l3="4 1", l4="4 0"), "line 3, round 2: X bids '1', but has 0 chips in this round"),
    (changed(l3="1 0", l4="4 2"), "line 4, round 2: O bids '2', but has 0 chips in this round"),
    (changed(l3="9" * 10000, l4="0"), "line 3, round 1: X bids '999999999999999999', but has 4 chips"),
    (changed(l3="1"), "lines 3 and 4: X has 1 bid and O has 0 bids; both bid in every round"),
    (changed(l3="1 0", l4="0 0 0"), "lines 3 and 4: X has 2 bids and O has 3 bids"),
    # the board
    (changed(l5="_Z_"), "line 5: row 1 is '_Z_'; marks are X, O and _ without spaces, not 'Z'"),
    (changed(l6="_ _"), "line 6: row 2 is '_ _'; marks are X, O and _ without spaces, not ' '"),
    (changed(l7="0__"), "line 7: row 3 is '0__'; marks are X, O and _ without spaces, not '0'"),
    (changed(l7="__"), "line 7: row 3 is '__', 2 marks; a row has 3"),
    (changed(l5="____"), "line 5: row 1 is '____', 4 marks; a row has 3"),
    (changed(l6=""), "line 6: row 2 is '', 0 marks; a row has 3"),
    (changed(l5="X__"), "the board has 1 X and 0 O, but by the bids won X has 0 and O 0"),
    (changed(l3="1", l4="0"), "the board has 0 X and 0 O, but by the bids won X has 1 and O 0"),
    (changed(l3="1", l4="0", l5="O__"), "the board has 0 X and 1 O, but by the bids won X has 1 and O 0"),
    (
        changed(l2="PLAY", l3="1", l4="0", l5="X__"),
        "1 X and 0 O, but by the bids won X has 0 and O 0, not counting the mark that X is about to place",
    ),
    (
        changed(l3="0 " * 10, l4="0 " * 10, l5="XOX", l6="XOO", l7="OXX"),
        "5 X and 4 O, but by the bids won X has 5 and O 5",
    ),
    # whose turn
    (changed(l2="PLAY"), "line 2: PLAY follows a bid, but lines 3 and 4 hold none"),
    (
        changed(l1="X", l2="PLAY", l3="1", l4="3"),
        "line 1: X is to place, but O won the last bid (1 by X, 3 by O); O places",
    ),
    (
        changed(l1="O", l2="PLAY", l3="2", l4="2"),
        "line 1: O is to place, but X won the last bid (2 by X, 2 by O, and X held the advantage); X places",
    ),
    # the end
    (changed(l3="1 1 1", l4="0 0 0", l5="XXX"), "X has three in a row, so the game is over"),
    (changed(l3="0 0 0", l4="1 1 1", l5="O__", l6="_O_", l7="__O"), "O has three in a row, so the game is over"),
    (changed(l2="PLAY", l3="1 1 1 1", l4="0 0 0 0", l5="__X", l6="__X", l7="__X"), "X has three in a row"),
    (changed(l3="0 " * 9, l4="0 " * 9, l5="XOX", l6="XOO", l7="OXX"), "the board is full, so the game is over"),
    (changed(l2="PLAY", l1="O", l3="0 " * 10, l4="0 " * 10, l5="XOX", l6="XOO", l7="OXX"), "the board is full"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSALS)
def test_refusals(text, reason):
    with pytest.raises(ProtocolError) as error:
        parse_turn(text)
    message = str(error.value)
    assert reason in message
    assert message.isprintable()
    assert len(message) < 200
    with pytest.raises(ProtocolError):
        answer(text, make_strategy("random"), random.Random(0))


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.lists(st.sampled_from(["X", "BID", "PLAY", "1", "0 3", "X_O", "___", ""]))))
def test_any_input_is_a_turn_or_refused(text):
    try:
        assert parse_turn("\n".join(text) if isinstance(text, list) else text).player in "XO"
    except ProtocolError as error:
        if not str(error).isprintable():
            raise


def wild(rng, chips):
    """A player that answers anything legal, by rules of chips of its own."""

    def player(text):
        side, phase, x, o, *rows = text.split("\n")
        if phase == "PLAY":
            row, col = rng.choice([(r, c) for r in range(3) for c in range(3) if rows[r][c] == "_"])
            return f"{row} {col}"
        return str(rng.randint(0, purse(side, x, o, chips)))

    return player


def purse(side, x, o, chips):
    purses, holder = {"X": chips, "O": chips}, 0
    for a, b in zip(map(int, x.split()), map(int, o.split()), strict=True):
        winner = "XO"[holder] if a == b else "X" if a > b else "O"
        holder ^= a == b
        price = max(a, b)
        purses = {name: had + (-price if name == winner else price) for name, had in purses.items()}
    return purses[side]


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 6))
def test_turns_of_any_game_give_the_referees_purses(rng, chips):
    phases = Counter()
    for table, side, phase in play(wild(rng, chips), wild(rng, chips), chips):
        phases[phase] += 1
        if phase == "END":
            break
        found = parse_turn(table.text(side, phase), chips)
        assert (found.player, found.phase, found.board) == (side, phase, table.board.replace("_", "?"))
        assert (found.x_chips, found.o_chips, found.holder) == (table.x, table.o, table.holder)
        assert (found.x_bids, found.o_bids) == (table.x_bids, table.o_bids)
        assert found.free() == tuple(cell for cell in range(9) if table.board[cell] == "_")
    assert phases["BID"] == 2 * phases["PLAY"] == 2 * len(table.x_bids)
    assert phases["END"] == 1


def test_the_referee_by_hand():
    x = iter(["2", "0 0", "2", "0", "1", "2 2", "4", "1 1"])
    o = iter(["2", "3", "0 1", "0", "0 2", "1", "3"])
    *turns, (table, result, _) = play(lambda text: next(x), lambda text: next(o))
    assert [(side, t.x, t.o, t.holder) for t, side, phase in turns if phase == "PLAY"] == [
        ("X", 2, 6, "O"),  # a tie: X held the advantage
        ("O", 5, 3, "O"),
        ("O", 5, 3, "X"),  # a tie at 0
        ("X", 4, 4, "O"),  # another tie
        ("X", 0, 8, "O"),
    ]
    assert turns[-1][0].text("X", "PLAY") == "X\nPLAY\n2 2 0 1 4\n2 3 0 1 3\nXOO\n___\n__X\n"
    assert (table.board, result) == ("XOO_X___X", "X")


FIRST_TURN = "X\nBID\n\n\n___\n___\n___\n"


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


def everything(winner):
    """Who bids what, and why, where this side completes a line at 0 2."""
    for side, bid in {"X": [("X", 1), ("O", 7)], "O": [("X", 5), ("O", 3)]}[winner]:
        end = "win" if side == winner else "lose"
        yield side, bid, f"about to {end}, {winner} completes a line at 0 2: bid everything"


@pytest.mark.parametrize(
    ("found", "bid", "reason"),
    [
        (turn("X", "BID", "0", "4", "_O_ ___ ___"), 1, "O has no chips: bid 1"),
        (turn("X", "BID", "1 0", "0 5", "_OX ___ ___"), 1, "O has no chips: bid 1"),
        (turn("O", "BID", "4", "0", "_X_ ___ ___"), 1, "X has no chips: bid 1"),
        (turn("X", chips=0), 0, "O has no chips: bid 0"),
        (turn("O", "BID", "3 1", "0 0", "XX_ ___ ___"), 1, "X has no chips: bid 1"),  # before they spend all
        *((turn(side, "BID", "0 0 3", "0 0 1", "XX_ _O_ ___"), *more) for side, *more in everything("X")),
        *((turn(side, "BID", "1 0 0", "0 1 1", "X__ _O_ O__"), *more) for side, *more in everything("O")),
    ],
)
def test_rules_bid(found, bid, reason):
    assert set(answers("rules", found, 30)) == {bid}
    assert make_strategy("rules")(found).words == reason


@pytest.mark.parametrize(
    ("found", "cells", "reason"),
    [
        (turn("X", "PLAY", "1 0 1 0 1", "0 1 0 1 0", "XX_ OO_ ___"), {2}, "complete a line at 0 2"),
        (turn("O", "PLAY", "1 0 1 0 0", "0 1 0 1 1", "XX_ OO_ ___"), {5}, "complete a line at 1 2"),
        (turn("O", "PLAY", "1 0 1 0", "0 1 0 1", "XX_ O__ ___"), {2}, "block a line at 0 2"),
        (turn("X", "PLAY", "1 0 1 1", "0 1 0 0", "XO_ _X_ ___"), {8}, "complete a line at 2 2"),
        (turn("O", "PLAY", "1 0 1 1 0", "0 1 0 0 1", "XO_ XX_ ___"), {5, 6, 8}, "block a line at 1 2 or 2 0 or 2 2"),
        (turn("X", "PLAY", "1", "0"), set(range(9)), "no line to complete or to block: any free cell, equally likely"),
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


VALUE = "value to X by the solved game:"


@pytest.mark.parametrize(
    ("found", "expected", "explanation"),
    [
        (turn("X"), {2: 1}, f"{VALUE} 1/3; X bids 2; O bids 0 (1/3), 3 (2/3)"),
        (turn("O"), {0: 1 / 3, 3: 2 / 3}, f"{VALUE} 1/3; O bids 0 (1/3), 3 (2/3); X bids 2"),
        (turn("X", "PLAY", "1", "0"), {4: 1}, f"placements best first, with the {VALUE} 1 1 (1), 0 0 (1/3)"),
        (turn("O", "PLAY", "0", "1"), {8: 1}, f"placements best first, with the {VALUE} 2 2 (-0.123457), 2 1 (0.5)"),
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
    line, explanation = answer(FIRST_TURN, strategy, random.Random(0))
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
        "any free cell, equally likely",
    ]
    assert answer(FIRST_TURN, make_strategy("random"), random.Random(0))[1].endswith(
        "any bid from 0 to 4, equally likely"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("perfekt", "unknown strategy 'perfekt' (did you mean 'perfect'?); expected random, rules"),
        ("", "unknown strategy ''; expected random, rules, minimax, perfect"),
        ("perfect", "give look_up"),
        ("minimax", "give look_up"),
    ],
)
def test_unknown_strategies(name, reason):
    with pytest.raises(OptionError, match=re.escape(reason)):
        make_strategy(name)


# Every opponent -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_some_opponent_beats_the_rules_of_thumb():
    assert every_game(seat(make_strategy("rules"), chips=1), "X", chips=1) == {"X", "O", "tie"}


def player(strategy, **options):
    return lambda text: answer_turn("bidding-tictactoe", text, strategy, **options)[0]


def test_what_was_found_is_kept_for_the_next_turn(tmp_path):
    """Each turn is a process of its own; a file that is damaged, or has no place, costs time and nothing else."""

    def answered() -> str:
        command = [sys.executable, str(ROOT / "cli.py"), "bot", "bidding-tictactoe", "--chips", "2"]
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(command, input=FIRST_TURN, capture_output=True, text=True, env=environment, check=True)
        assert done.stderr == ""
        return done.stdout

    first = answered()
    (kept,) = (tmp_path / "gametree" / "bids").iterdir()
    found = kept.read_bytes()
    assert len(json.loads(found)["values"]) > 10
    assert answered() == first
    assert kept.read_bytes() == found
    for damaged in (found[:-20], found.replace(b"1", b"7"), b"[]", b""):
        kept.write_bytes(damaged)
        assert answered() == first
        assert kept.read_bytes() == found
    kept.unlink()
    kept.parent.rmdir()
    kept.parent.touch()
    assert answered() == first


@pytest.mark.slow
def test_perfect_wins_every_game_as_x():
    """4 chips each, X holds the advantage: whatever O bids and wherever O places."""
    assert every_game(player("perfect"), "X") == {"X"}


@pytest.mark.slow
def test_perfect_as_o_wins_whenever_x_errs():
    """O cannot hold out against the best play, but no opponent that it can beat is needed to see it win."""
    assert "O" in every_game(player("perfect"), "O")


@pytest.mark.parametrize(
    ("chips", "expected"), [(0, {"X", "tie"}), (1, {"X"}), pytest.param(2, {"X"}, marks=pytest.mark.slow)]
)
def test_perfect_gets_the_value_with_other_chips(chips, expected):
    assert every_game(player("perfect", chips=chips), "X", chips) <= expected
    assert chips or every_game(player("perfect", chips=0), "O", 0) <= {"O", "tie"}


def test_perfect_resists_where_it_has_lost():
    """X is about to complete a row: O has the chips to stop an X who bids nothing, and where to place then."""
    bidding = "O\nBID\n1 1\n0 0\n___\nXX_\n___\n"
    assert int(player("perfect")(bidding)) >= 1
    assert player("perfect")("O\nPLAY\n1 1 0\n0 0 1\n___\nXX_\n___\n") == "1 2"
    games = [result_of(player("random", seed=seed), player("perfect")) for seed in range(40)]
    assert games.count("O") >= 39


def test_a_seed_gives_other_lots_in_every_turn():
    """The same lots in every turn would have both players bid the same in every round."""
    bids = []

    def noting(text):
        line = player("random", seed=5)(text)
        assert line == player("random", seed=5)(text)
        if "BID" in text:
            bids.append(line)
        return line

    result_of(noting, noting)
    assert len(bids) >= 6
    assert bids[::2] != bids[1::2]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["random", "rules", "minimax"])
def test_perfect_beats_the_other_levels(strategy):
    for seed in range(5):
        assert result_of(player("perfect"), player(strategy, seed=seed)) == "X"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_answers_legally_and_sees_what_is_near(depth):
    for seed in range(3):
        assert result_of(player("minimax", depth=depth), player("random", seed=seed)) in ("X", "O", "tie")
    winning = "X\nPLAY\n1 1 1\n0 0 0\nXX_\n___\n___\n"
    assert answer_turn("bidding-tictactoe", winning, "minimax", depth=depth)[0] == "0 2"


@pytest.fixture
def ask(gametree, monkeypatch):
    """`gametree bot` in this process."""

    def run(text, *arguments):
        data = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return gametree("bot", *arguments)

    return run


def test_answers_while_the_referee_keeps_the_pipe_open():
    command = [sys.executable, str(ROOT / "cli.py"), "bot", "bidding-tictactoe", "--strategy", "rules", "--seed", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bot:
        bot.stdin.write(FIRST_TURN)
        bot.stdin.flush()
        assert bot.stdout.readline() in {f"{bid}\n" for bid in range(5)}
        bot.stdin.close()
        assert bot.wait(timeout=60) == 0


def test_answers_on_standard_output(ask):
    for strategy in ("random", "rules", "minimax", "perfect"):
        found = ask(FIRST_TURN, "bidding-tictactoe", "--strategy", strategy, "--seed", 1)
        assert (found.code, found.err) == (0, "")
        assert found.out in {f"{bid}\n" for bid in range(5)}
    assert found.out == "1\n"


def test_verbose_goes_to_standard_error(ask):
    found = ask("O\nPLAY\n0\n1\n___\n___\n___\n", "bidding-tictactoe", "--verbose")
    row, column = map(int, found.out.split())
    assert 0 <= row <= 2
    assert 0 <= column <= 2
    assert found.err.splitlines()[1] == "????????? X=5 O=3 advantage=X"
    assert "by the solved game" in found.err


def test_a_stored_solution_is_used(gametree, ask, monkeypatch):
    """No solve where the game lies under data/: a bot answers a turn in the time it takes to look it up."""
    from analysis.bidding import bidding_solving, bot

    assert gametree("solve", "bidding:game=tictactoe,chips=4").code == 0
    bot._solved.cache_clear()
    monkeypatch.setattr(bidding_solving, "solve", None)
    found = ask(FIRST_TURN, "bidding-tictactoe", "--verbose")
    assert (found.code, found.out) == (0, "1\n")
    assert "value to X by the solved game: 1" in found.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["the turn is empty"]),
        (b"\xff\xfe", ["the turn is not text"]),
        ("X\nBID\n1\n\n___\n___\n___\n", ["X has 1 bid and O has 0 bids"]),
        ("X\nBID\n9\n0\nX__\n___\n___\n", ["'9'", "4 chips"]),
        ("X\nBID\n1\n0\nO__\n___\n___\n", ["the board has 0 X and 1 O"]),
    ],
)
def test_turns_that_are_none(text, words, ask):
    one_line(ask(text, "bidding-tictactoe"), 1, *words)


def test_wrong_options(ask):
    for arguments, words in (
        (["bidding-tictacto"], ["did you mean 'bidding-tictactoe'"]),
        (["bidding-tictactoe", "--strategy", "perfekt"], ["did you mean 'perfect'"]),
        (["bidding-tictactoe", "--chips", "99999"], ["give 0 to 10,000"]),
    ):
        one_line(ask(FIRST_TURN, *arguments), 2, *words)


@pytest.mark.parametrize(("bid", "cell"), [("5", "0 0"), ("-1", "0 0"), ("1 1", "0 0"), ("1", "3 0"), ("1", "4")])
def test_the_referee_itself_notices_illegal_answers(bid, cell):
    with pytest.raises(IllegalAnswerError):
        result_of(lambda text: bid if "BID" in text else cell, player("random"))
