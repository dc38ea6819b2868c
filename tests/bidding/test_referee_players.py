"""The players of the referee's protocol: their rules, and what they answer an independent referee."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest

from analysis.bidding.bidding_solution import Bid, Placement
from analysis.bidding.bot import answer, answer_turn, format_cell, make_strategy
from analysis.errors import OptionError
from tests.support.program import ROOT, one_line
from tests.support.referee import IllegalAnswerError, every_game, result_of, seat, turn

START = "X\nBID\n\n\n___\n___\n___\n"


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
    line, explanation = answer(START, strategy, random.Random(0))
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
    assert answer(START, make_strategy("random"), random.Random(0))[1].endswith("any bid from 0 to 4, all alike")


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
        done = subprocess.run(command, input=START, capture_output=True, text=True, env=environment, check=True)
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
    ("chips", "expected"),
    [(0, {"X", "tie"}), (1, {"X"}), pytest.param(2, {"X"}, marks=pytest.mark.slow)],
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
        bot.stdin.write(START)
        bot.stdin.flush()
        assert bot.stdout.readline() in {f"{bid}\n" for bid in range(5)}
        bot.stdin.close()
        assert bot.wait(timeout=60) == 0


@pytest.mark.slow
def test_the_program(program, tmp_path):
    """In a process of its own, as a referee runs it."""
    for strategy in ("rules", "perfect"):
        found = program("bot", "bidding-tictactoe", "--strategy", strategy, input=START, cwd=tmp_path)
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.strip() in set("01234")
        assert found.stdout.endswith("\n")
    assert found.stdout == "1\n"


def test_answers_on_standard_output(ask):
    for strategy in ("random", "rules", "minimax", "perfect"):
        found = ask(START, "bidding-tictactoe", "--strategy", strategy, "--seed", 1)
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
    found = ask(START, "bidding-tictactoe", "--verbose")
    assert (found.code, found.out) == (0, "1\n")
    assert "value to X by the solved game: 1" in found.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["the turn is empty"]),
        (b"\xff\xfe", ["the turn is no text"]),
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
        (["bidding-tictactoe", "--chips", "99999"], ["from 0 to 10,000"]),
    ):
        one_line(ask(START, *arguments), 2, *words)


@pytest.mark.parametrize(("bid", "cell"), [("5", "0 0"), ("-1", "0 0"), ("1 1", "0 0"), ("1", "3 0"), ("1", "4")])
def test_the_referee_itself_notices_illegal_answers(bid, cell):
    with pytest.raises(IllegalAnswerError):
        result_of(lambda text: bid if "BID" in text else cell, player("random"))
