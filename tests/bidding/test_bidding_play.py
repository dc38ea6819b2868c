"""`gametree play` and `match` of bidding games: dialogues by script, the real program in a pseudo-terminal, matches,
and what is refused.
"""

import shlex
import sys
import time

import pexpect
import pytest

from analysis.bidding.bidding_dialogue import one_side
from analysis.bidding.bidding_rules import BiddingRules
from analysis.cli.reading import PlayOptions
from analysis.cli.showing import set_up
from analysis.errors import TooLargeError
from analysis.games.families import load_game
from tests.playing.test_play import Script
from tests.support.program import PATIENCE, ROOT

SMALL = "bidding:game=mnk:rows=1,cols=3,k=2,chips=2"
RUN = "import sys; sys.argv[0] = 'gametree'; import analysis.cli.playing, cli; cli.main()"


def played(game, *lines, **options):
    """A game by these lines: the console, and the dialogue."""
    console = Script(*lines)
    dialogue = set_up(game, PlayOptions(**{"seed": 0} | options), console)
    dialogue.run()
    return console, dialogue


def said(console, *words):
    for each in words:
        assert each in console.text, each


# What is typed and said ----------------------------------------------------------------------------------------------


def test_one_side_plays_as_either_side():
    table = BiddingRules(load_game("bidding:game=tictactoe"))
    for side in "XO":
        rules = one_side(table.game.base, side).rules()
        assert dict(rules.moves(0)) == table.moves(0, side)
        assert rules.to_move(0) == {"X": 1, "O": -1}[side]


# Dialogues ------------------------------------------------------------------------------------------------------------


def test_two_people():
    console, dialogue = played(SMALL, "1", "0", "b1", "0", "1", "a1", "1", "2", "c1", you="both")
    assert console.text.count("X bids, 0 to") == 3
    assert len(console.secret) == 6, "bids only"
    said(
        console,
        "Round 1. X bids 1, O bids 0: X pays O 1 and places. X places: X places at b1.",
        "X has 1 chip, O has 3 chips; X holds the tie advantage.",
        "Round 2. X bids 0, O bids 1: O pays X 1 and places.",
        "A tie after 3 rounds.",
        "At the start it was worth a tie.",
    )
    assert dialogue.contest.payoff == 0


def test_a_whole_game_and_where_it_was_decided():
    console, dialogue = played(SMALL, "2", "2", "b1", "", "0", "a1", "", "4", "c1", you="both")
    first, second, third = dialogue.contest.rounds
    assert (first.sale.winner, first.after[1:]) == ("X", (0, 4, "O"))
    assert (second.sale.winner, second.after[1:]) == ("O", (0, 4, "X"))
    assert third.sale.winner == "O"
    assert "A tie after 3 rounds." in console.text
    assert (
        "round X has O has advantage X bids O bids bought by placed 1 2 2 X 2 2 X b1 2 0 4 O 0 0 O a1" in console.text
    )
    assert "Round 2. Both bid 0: O, who holds the advantage, pays nothing and places; the advantage" in console.text
    assert "At the start it was worth a tie." in console.text


def test_bad_input_of_every_kind_is_refused_and_asked_again():
    lines = ["3", "-1", "a1", "", "xyz", "1", "0", "d1", "a2", "9", "pass", "4", "", "b1"]
    console, dialogue = played(SMALL, *lines, you="both")
    assert len(dialogue.contest.rounds) == 1
    said(
        console, "that is not a bid; write a number of chips, 0 to 2", "'-1' is not a bid", "'a1' is not a bid",
        "'' is not a bid", "'xyz' is not a bid", "'d1' is not a legal move",
        "'a2' is not a legal move", "'9' is not a legal move", "'pass' is not a legal move", "'4' is not", "'' is not",
    )  # fmt: skip
    assert "Type ? for help" in console.text


@pytest.mark.parametrize(
    ("lines", "options", "words", "rounds"),
    [
        (["0", "0", "b1", "quit"], {"you": "both"}, "The game stands after 1 round", [(0, 0, 1)]),  # zero is a bid
        (["quit"], {"you": "both"}, "1 1 | 2 | 3", []),
        ([], {"position": "XX? X=2 O=2 advantage=X"}, "X wins after 0 rounds.", []),
        (
            ["undo", "1", "undo", "1", "2", "undo", "0", "1", "a1", "undo", "2", "1", "c1", "quit"],
            {"you": "both"},
            "There is no round to take back.",
            [(2, 1, 2)],
        ),
    ],
)
def test_short_dialogues(lines, options, words, rounds):
    console, dialogue = played(SMALL, *lines, **options)
    said(console, words)
    assert [(one.x_bid, one.o_bid, one.move) for one in dialogue.contest.rounds] == rounds
    assert console.text.count("Taken back: round 1.") == (3 if "undo" in lines else 0)
    assert "O gives up" not in console.text


def test_leaving_tells_how_to_go_on():
    console, _ = played(SMALL, "1", "0", "b1", you="both")
    command = console.said[-1].splitlines()[-1].strip()
    words = shlex.split(command)
    assert "End of input. The game stands after 1 round at ?X? X=1 O=3 advantage=X." in console.text
    assert words[-6:] == ["gametree", "play", SMALL, "?X? X=1 O=3 advantage=X", "--you", "both"]
    console, dialogue = played(SMALL, "quit", you="both", position=words[-3])
    assert dialogue.contest.state == (0b010, 1, 3, "X")


def test_a_tie_that_the_holder_decides():
    game = SMALL + ",ties=chooses"
    console, dialogue = played(
        game, "1", "1", "hint", "maybe", "moves", "leave", "b1", "1", "1", "take", "a1", you="both"
    )
    first, second = dialogue.contest.rounds
    assert (first.sale.winner, first.after[1:]) == ("O", (3, 1, "X"))
    assert (second.sale.winner, second.after[1:]) == ("X", (2, 2, "O"))
    said(
        console, "Both bid 1. X may take it: pay O 1, place, and pass the advantage to O; or leave it",
        "'maybe' is not an answer; write take or leave", "Legal: take, leave.", "take it", "X leaves it and keeps",
        "Both bid 1: X, who holds the advantage, pays O 1 and places; the advantage passes to O.",
    )  # fmt: skip


def test_the_least_bid():
    console, dialogue = played(SMALL + ",least=1", "0", "1", "1", "b1", "quit", you="both")
    (first,) = dialogue.contest.rounds
    assert first.after[1:3] == (1, 3)
    assert "that is not a bid; write a number of chips, 1 to 2" in console.text


@pytest.mark.parametrize("opponent", [None, "random", "greedy", "depth:2", "perfect", "blunder:1/2"])
def test_against_each_level(opponent):
    """The person bids 0 and places in the first free cell that is numbered."""
    lines = [line for _ in range(3) for line in ("0", "1", "2", "3")]
    console, dialogue = played(SMALL, *lines, *lines, opponent=opponent, you="O")
    assert f"X is {opponent or 'perfect'}" in console.text
    assert "O (you)" in console.text
    assert dialogue.contest.payoff is not None or "End of input" in console.text
    assert not console.secret


def test_where_the_game_cannot_be_solved_soon(monkeypatch):
    def too_large(*_, **__):
        raise TooLargeError("it is too large")

    monkeypatch.setattr("analysis.bidding.bidding_players.find_solution", too_large)
    console, _ = played(SMALL, "hint", "quit")
    assert "O is depth:2: evaluation lines; the game is not solved in 10 s." in console.text
    assert "(the game is not solved; a search 2 rounds deep, evaluation lines)." in console.text
    with pytest.raises(TooLargeError):
        played(SMALL, opponent="perfect")
    console, _ = played(SMALL, you="none", opponent="random")
    assert console.text.endswith("Where it was decided is unknown: it is too large.")


# The real program -----------------------------------------------------------------------------------------------------


def program(*args, **settings):
    return pexpect.spawn(
        sys.executable, ["-c", RUN, "play", *args], cwd=str(ROOT), encoding="utf-8", timeout=PATIENCE,
        dimensions=(40, 100), **settings,
    )  # fmt: skip


def ended(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


@pytest.mark.slow
def test_a_game_in_a_terminal():
    """Two people; what they bid is not to be seen."""
    child = program(SMALL, "--you", "both")
    for x_bid, o_bid, cell in (("1", "0", "b1"), ("1", "2", "a1"), ("2", "1", "c1")):
        child.expect(r"X bids, 0 to \d: ")
        child.sendline(x_bid)
        child.expect(r"O bids, 0 to \d: ")
        assert child.before.strip() == "", "the bid is not shown"
        child.sendline(o_bid)
        child.expect(f"X bids {x_bid}, O bids {o_bid}: ")
        child.expect("places: ")
        child.sendline(cell)
    child.expect("X wins after 3 rounds.")
    assert ended(child) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("you", "act", "words", "code"),
    [
        ("X", "sendintr", "Interrupted. The game stands after 0 rounds", 130),
        ("both", "sendintr", "Interrupted. The game stands after 0 rounds", 130),
        ("both", "sendeof", "End of input", 0),
    ],
)
def test_cut_off_at_a_bid(you, act, words, code):
    child = program(SMALL, "--you", you)
    child.expect("bids, 0 to 2: ")
    time.sleep(0.1)  # until the terminal is waiting for the bid
    getattr(child, act)()
    child.expect(words)
    assert ended(child) == code
