"""The referee's protocol: turns read and refused; its players, their rules and what they answer a referee."""

import io
import itertools
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bidding.bot import advise, answer_turn, format_cell, parse_turn
from analysis.errors import ProtocolError
from tests.support.program import ROOT, one_line
from tests.support.referee import IllegalAnswerError, every_game, play, player, result_of, turn


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
    assert turn(**fields).turn.state[1:] == (x_chips, o_chips, holder)


def test_a_turn_says_what_it_says():
    request = turn("O", "PLAY", "0 1 1", "2 0 2", "_O_ X__ ___")
    assert (request.turn.side, request.turn.kind, request.rounds) == ("O", "placement", 3)
    assert request.position == "?O?X????? X=7 O=1 advantage=X"
    assert request.turn.choices == (0, 2, 4, 5, 6, 7, 8)
    assert turn("O", "BID", "1", "0", "_X_ ___ ___").turn.choices == range(6)


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
    request = parse_turn(text)
    assert (request.position, request.turn.side, request.turn.kind, request.rounds) == (
        "X???O???? X=4 O=4 advantage=X", "X", "placement", 3,
    )  # fmt: skip


def test_bids_may_be_empty_lines():
    assert parse_turn("o\nbid\n   \n\t\n___\n___\n___").rounds == 0


START = ["X", "BID", "", "", "___", "___", "___"]


def changed(**lines):
    """The text of the first turn with lines replaced, by their number: ``l3="1"``."""
    return "\n".join(lines.get(f"l{i}", line) for i, line in enumerate(START, start=1))


REFUSALS = [
    ("", "the turn has 0 lines; write seven lines"),
    ("X\nBID\n\0\n\n___\n___\n___", "line 3"),
    (b"X\nBID\n\xff\n\n___\n___\n___", "line 3"),
    (changed() + "\n\n___\n", "the turn has 9 lines"),
    (changed(l1="X" * 10**6), "line 1: 'XXXXXXXXXXXXXXXXXXXXXXXX' is not X or O"),
    (changed(l2=""), "line 2: '' is not BID or PLAY"),
    (changed(l3="1 1.5", l4="0 0"), "line 3: '1 1.5' is not bids"),
    (changed(l3="²", l4="1"), "line 3"),
    (changed(l3="3 2", l4="0 0"), "line 3, round 2: X bids 2, but has 1"),
    (changed(l3="1 0", l4="4 2"), "line 4, round 2: O bids 2, but has 0"),
    (changed(l3="9" * 10000, l4="0"), "line 3, round 1: X bids 999999999999999999, but has 4"),
    (changed(l3="1"), "lines 3 and 4: X has 1 bids and O has 0"),
    (changed(l7="__"), "line 7: '__' is not three marks"),
    (changed(l5="X__"), "the board has 1 X, by the bids 0"),
    (changed(l2="PLAY", l3="1", l4="0", l5="X__"), "the board has 1 X, by the bids 0"),
    (changed(l2="PLAY"), "line 1: X is to place, but nobody has won"),
    (changed(l1="X", l2="PLAY", l3="1", l4="3"), "line 1: X is to place, but O has won the last bid"),
    (changed(l3="1 1 1", l4="0 0 0", l5="XXX"), "the game is over"),
    (changed(l3="0 " * 9, l4="0 " * 9, l5="XOX", l6="XOO", l7="OXX"), "the game is over"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSALS)
def test_refusals(text, reason):
    with pytest.raises(ProtocolError) as error:
        parse_turn(text)
    message = str(error.value)
    assert reason in message
    assert message.isprintable()
    assert len(message) < 200


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.lists(st.sampled_from(["X", "BID", "PLAY", "1", "0 3", "X_O", "___", ""]))))
def test_any_input_is_a_turn_or_refused(text):
    try:
        assert parse_turn("\n".join(text) if isinstance(text, list) else text).turn.side in "XO"
    except ProtocolError as error:
        if not str(error).isprintable():
            raise


def wild(rng, chips):
    """A player that answers anything legal, by the purses of the library."""

    def anything(text):
        choices = parse_turn(text, chips).turn.choices
        return str(rng.choice(choices)) if "BID" in text else format_cell(rng.choice(choices))

    return anything


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 6))
def test_turns_of_any_game_give_the_referees_purses(rng, chips):
    phases = Counter()
    for table, side, phase in play(wild(rng, chips), wild(rng, chips), chips):
        phases[phase] += 1
        if phase == "END":
            break
        request = parse_turn(table.text(side, phase), chips)
        assert (request.turn.side, request.board) == (side, table.board.replace("_", "?"))
        assert request.turn.state[1:] == (table.x, table.o, table.holder)
        assert request.rounds == len(table.x_bids)
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
    for seed in range(100):
        x, o = (player(name, seed=2 * seed + i, chips=seed % 6) for i, name in enumerate(names))
        results[result_of(x, o, seed % 6)] += 1
    assert results["X"] > (2 * results["O"] if names == ("rules", "random") else 0)
    assert results["O"] > 0


def answers(name, request, draws=300):
    """All answers to a turn in so many draws, with how often each came."""
    advice, rng = advise(request, name, 0), random.Random(5)
    return Counter(advice.draw(rng) for _ in range(draws))


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
    assert advise(found, "rules", 0).words == reason


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
    assert advise(found, "rules", 0).words == reason


def test_answers_explain_the_state_after_the_payment():
    line, explanation = answer_turn("bidding-tictactoe", "o\nplay\n2 1\n2 3\nx__\n___\n___", "random")
    assert line in {format_cell(cell) for cell in range(1, 9)}
    assert explanation.splitlines() == [
        "O is to place; round 2 is paid",
        "X???????? X=5 O=3 advantage=O",
        "any free cell, equally likely",
    ]


# Every opponent -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_some_opponent_beats_the_rules_of_thumb():
    assert every_game(player("rules", seed=0, chips=1), "X", chips=1) == {"X", "O", "tie"}


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

    assert gametree("solve", "bidding:game=tictactoe,chips=9").code == 0
    bot._solved.cache_clear()
    monkeypatch.setattr(bidding_solving, "solve", None)
    found = ask(FIRST_TURN, "bidding-tictactoe", "--verbose", "--chips", 9)
    assert found.code == 0
    assert "value to X by the solved game: 0" in found.err


def test_turns_that_are_none(ask):
    one_line(ask("", "bidding-tictactoe"), 1, "the turn has 0 lines")
    one_line(ask("X\nBID\n9\n0\nX__\n___\n___\n", "bidding-tictactoe"), 1, "X bids 9, but has 4")


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
