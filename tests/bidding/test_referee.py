"""The referee's protocol: turns read and refused, hand-made and by an independent referee."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bidding.bot import RefereeTurn, answer, make_strategy, parse_turn
from analysis.errors import ProtocolError
from tests.support.referee import play, turn

# Turns ----------------------------------------------------------------------------------------------------------------


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


# Refusals -------------------------------------------------------------------------------------------------------------

START = ["X", "BID", "", "", "___", "___", "___"]


def changed(**lines):
    """The text of the first turn with lines replaced, by their number: ``l3="1"``."""
    return "\n".join(lines.get(f"l{i}", line) for i, line in enumerate(START, start=1))


REFUSALS = [
    # the text as a whole
    ("", "the turn is empty; write seven lines"),
    ("\n \r\n\t\n", "the turn is empty"),
    (b"", "the turn is empty"),
    ("X\nBID\n\0\n\n___\n___\n___", r"no text: it holds the character '\x00'"),
    (b"\x7fELF\x02\x01\x01\x00", r"no text: it holds the character '\x7f'"),
    (b"\xff\xfeX\x00", "no text: it holds the character"),
    ("X\nBID\n\udc80\n\n___\n___\n___", r"no text: it holds the character '\udc80'"),
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
    (changed(l3="1", l4="0,1"), "line 4, round 1: O bids '0,1'; bids are whole numbers, apart by spaces"),
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
    (changed(l5="_Z_"), "line 5: row 1 is '_Z_'; its marks are X, O and _ without spaces, 'Z' is none"),
    (changed(l6="_ _"), "line 6: row 2 is '_ _'; its marks are X, O and _ without spaces, ' ' is none"),
    (changed(l7="0__"), "line 7: row 3 is '0__'; its marks are X, O and _ without spaces, '0' is none"),
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


# The independent referee ----------------------------------------------------------------------------------------------


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
