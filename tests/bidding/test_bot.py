"""`gametree bot`: the players as a referee meets them, and the proof that `perfect` gives no wrong answer."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from analysis.bidding.bot import answer_turn
from tests.support.program import ROOT, one_line
from tests.support.referee import IllegalAnswerError, every_game, result_of

START = "X\nBID\n\n\n___\n___\n___\n"


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
def test_every_opponent_finds_an_error():
    """The proof above can fail: a player that is perfect but bids nothing in the first round loses some game."""

    def careless(text):
        return "0" if text == START else player("perfect")(text)

    assert "O" in every_game(careless, "X")


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


def test_the_referee_itself_notices_illegal_answers():
    with pytest.raises(IllegalAnswerError):
        result_of(lambda text: "5", player("random"))
