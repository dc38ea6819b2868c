"""Tournaments: their games, results, ends that come too early, and what the complete solution says of them."""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from analysis.audit import audit, exploit
from analysis.audit.audit_file import RowOptions
from analysis.errors import OptionError, StoreError
from analysis.games.families import load_game
from analysis.playing import expect
from analysis.playing.terms import Effort
from analysis.tournaments import TournamentTerms, play_tournament, read_tournament
from analysis.tournaments.tournament import find_openings
from tests.support.program import ROOT, one_line, until

BOTS = """
import random, time

def first(position, moves):
    return moves[0]

def last(position, moves):
    return moves[-1]

class Centre:
    def choose(self, position, moves):
        return 4 if 4 in moves else moves[0]

def at_random(position, moves):
    return random.choice(moves)

def crash(position, moves):
    return 1 / 0

def silent(position, moves):
    time.sleep(60)

def sometimes(position, moves):
    return moves[0] if len(moves) > 5 else 99
"""


@pytest.fixture
def bots(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    (tmp_path / "wrong.py").write_text("def choose(position:")
    return lambda *names: [f"bots.py:{name}" for name in names]


def test_every_pair_meets_with_sides_swapped_from_the_same_openings(bots):
    levels = [*bots("first", "last"), "random", "greedy"]
    found = play_tournament("tictactoe", levels, TournamentTerms(games=10, openings="all:1", seed=3))
    assert len(found.games) == 60
    assert [game.game for game in found.games] == list(range(60))
    for one, other in zip(found.games[::2], found.games[1::2], strict=True):
        assert (one.x, one.o) == (other.o, other.x)
        assert one.opening_plies == other.opening_plies == 1
        assert one.path[0] == other.path[0]
    met = Counter(frozenset((game.x, game.o)) for game in found.games)
    assert met == {frozenset(pair): 10 for pair in itertools.combinations(levels, 2)}
    assert {row["games"] for row in found.rows()} == {30}
    assert sum(row["points"] for row in found.rows()) == 60
    assert not found.faults
    again = play_tournament("tictactoe", levels, TournamentTerms(games=10, openings="all:1", seed=3), out="again")
    assert again.games == found.games


def test_what_is_stored_is_judged_alike_by_audit_without_the_openings(bots):
    found = play_tournament("tictactoe", bots("first", "Centre"), TournamentTerms(openings="all:2", seed=1))
    assert len(found.games) == 144
    audited = audit("tictactoe", found.directory / "games.jsonl", RowOptions(by=()))
    rows = {row["player"]: row for row in found.rows()}
    own = dict.fromkeys(rows, 0)
    for game in found.games:
        for ply in range(2, game.plies):
            own[game.x if ply % 2 == 0 else game.o] += 1
    for row in audited.by_player():
        assert row["moves"] == rows[row["player"]]["moves"] == own[row["player"]]
        assert row["value_lost"] == rows[row["player"]]["value_lost"] > 0
    assert min(audited.tally.moves_by_ply) == 2


def test_exact_scores_are_those_of_match_and_exploit(bots):
    (level, _) = bots("Centre", "at_random")
    found = {row["player"]: row for row in play_tournament("tictactoe", bots("Centre", "at_random")).rows()}
    for opponent in ("perfect", "random"):
        as_x, as_o = expect("tictactoe", level, opponent), expect("tictactoe", opponent, level)
        score = (as_x.x_wins + as_x.tie / 2 + as_o.o_wins + as_o.tie / 2) / 2
        assert found[level][f"against_{opponent}"]["fraction"] == str(score)
    for side in "XO":
        assert (
            Fraction(found[level][f"exploitability_{side.lower()}"]["fraction"])
            == exploit("tictactoe", level, side).exact
        )
    other = found["bots.py:at_random"]
    assert other["against_perfect"] is None
    assert "not a function of the position" in other["why"]


def test_broken_bots_lose_their_games_and_stop_nobody(bots):
    levels = [*bots("first", "crash", "sometimes"), "wrong.py", "random"]
    found = play_tournament("tictactoe", levels, TournamentTerms(games=12, seed=1), effort=Effort(seconds=60))
    rows, faults = {row["player"]: row for row in found.rows()}, found.faults
    assert len(found.games) == 120
    assert rows["bots.py:crash"]["forfeits"] + rows["wrong.py"]["forfeits"] >= 72
    assert "ZeroDivisionError" in faults["bots.py:crash"][0].fault
    assert any("withdrawn" in game.fault for game in faults["bots.py:crash"])
    assert all("SyntaxError" in game.fault for game in faults["wrong.py"])
    assert all("'99'" in game.fault for game in faults["bots.py:sometimes"])
    assert not {"bots.py:first", "random"} & faults.keys()
    best, worst = found.rows()[0], found.rows()[-1]
    assert best["player"] in ("bots.py:first", "random")
    assert worst["points"] <= 12
    assert audit("tictactoe", found.directory / "games.jsonl").bad == 0


def test_silent_bots_are_given_up(bots):
    found = play_tournament(
        "tictactoe", [*bots("first", "silent"), "random"], TournamentTerms(games=20), effort=Effort(seconds=0.4)
    )
    assert sum("no answer" in game.fault for game in found.faults["bots.py:silent"]) <= 12
    assert len(found.faults["bots.py:silent"]) == 40


def test_after_a_kill_the_same_command_plays_what_is_missing(bots, tmp_path):
    command = [
        sys.executable, "-m", "analysis", "tournament", "tictactoe", *bots("first", "last", "Centre"), "random",
        "--openings", "all:2", "--seed", "5", "--out", "t", "--format", "json",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    path = tmp_path / "t" / "games.jsonl"
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as cut:
        until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 5)
        cut.send_signal(signal.SIGKILL)
        _, said = cut.communicate()
    assert b"--openings all:2" in said  # how to go on
    before = path.read_bytes()
    assert 5 <= before.count(b"\n") < 864
    path.write_bytes(before + b'{"game": 12')  # as if cut off within a line
    resumed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert path.read_bytes().startswith(before)
    lines = path.read_bytes().splitlines()
    assert len(lines) == 864 == len({json.loads(line)["game"] for line in lines})
    whole = play_tournament("tictactoe", [*bots("first", "last", "Centre"), "random"],
                            TournamentTerms(openings="all:2", seed=5))  # fmt: skip
    assert [row["points"] for row in json.loads(resumed.stdout)["players"]] == [row["points"] for row in whole.rows()]
    played = path.read_bytes()
    again = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert again.stdout == resumed.stdout
    assert path.read_bytes() == played


def test_a_directory_holds_one_tournament(bots):
    play_tournament("tictactoe", ["random", "greedy"], TournamentTerms(seed=1), out="t")
    for levels, terms, other in (
        (["random", "perfect"], TournamentTerms(seed=1), "players"),
        (["random", "greedy"], TournamentTerms(seed=2), "seed"),
        (["random", "greedy"], TournamentTerms(seed=1, games=8), "games"),
        (["random", "greedy"], TournamentTerms(seed=1, openings="all:1", games=2), "openings"),
    ):
        with pytest.raises(OptionError, match=f"other {other}"):
            play_tournament("tictactoe", levels, terms, out="t")
    play_tournament("tictactoe", bots("first", "last"), out="b")
    Path("bots.py").write_text(BOTS + "\n# changed\n")
    with pytest.raises(OptionError, match="other players"):
        play_tournament("tictactoe", bots("first", "last"), out="b")
    Path("d").mkdir()
    Path("d/games.jsonl").write_text("mine\n")
    with pytest.raises(StoreError, match="no tournament"):
        play_tournament("tictactoe", ["random", "greedy"], out="d")
    assert Path("d/games.jsonl").read_text() == "mine\n"


def test_a_seed_that_nobody_gave_is_kept():
    one, again = (play_tournament("tictactoe", ["random", "greedy"], TournamentTerms(games=6)) for _ in range(2))
    assert one.header == again.header
    assert one.games == again.games
    assert isinstance(one.header["seed"], int)


def test_a_sequential_test_stops_and_says_why(bots):
    terms = TournamentTerms(openings="all:2", seed=1, sprt=True)
    found = play_tournament("tictactoe", ["perfect", "random", "greedy"], terms)
    assert len(found.games) < 3 * 144
    tests = {(test["a"], test["b"]): test for test in found.standings.stopped}
    assert tests["perfect", "random"]["decided"]
    assert "stronger" in tests["perfect", "random"]["why"]
    assert "log-likelihood ratio" in tests["perfect", "random"]["why"]
    count = sum(tests["perfect", "random"]["pairs"])
    assert 2 * count == sum({game.x, game.o} == {"perfect", "random"} for game in found.games)
    assert play_tournament("tictactoe", ["perfect", "random", "greedy"], terms).games == found.games


def test_openings(tmp_path):
    game = load_game("tictactoe")
    root = game.rules().start
    assert len(find_openings(game, root, "all:1")) == 9
    assert len(find_openings(game, root, "all:3")) == 252
    Path("mine.txt").write_text("# corners first\n04\na1 b2   # the same\n\n0-4-8\n")
    assert find_openings(game, root, "mine.txt") == [(0, 4), (0, 4), (0, 4, 8)]
    for text, word in (("00", "line 1"), ("0\nzz", "line 2"), ("0314\n03142", "over"), ("", "no opening")):
        Path("bad.txt").write_text(text)
        with pytest.raises(OptionError, match=word):
            find_openings(game, root, "bad.txt")
    with pytest.raises(StoreError):
        find_openings(game, root, "missing.txt")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["random"], "two players"),
        (["random", "random"], "2 times"),
        (["random", "perfectly"], "perfectly"),
        (["random", "missing.py"], "no file missing.py"),
        (["random", "greedy", "--games", "3"], "even"),
        (["random", "greedy", "--openings", "all:x"], "all:x"),
        (["random", "greedy", "--openings", "all:9"], "no opening"),
        (["random", "greedy", "--seconds", "0"], "0 seconds"),
        (["random", "greedy", "--game-seconds", "0"], "--game-seconds"),
        (["random", "greedy", "--memory", "much"], "much"),
        (["random", "greedy", "--from", "XXX??????"], "XXX"),
    ],
)
def test_refusals(gametree, arguments, word):
    result = gametree("tournament", "tictactoe", *arguments)
    assert result.code in (1, 2)
    assert word in result.err.splitlines()[-1]
    assert "Traceback" not in result.err
    assert not Path("tournaments").exists()


def test_columns_without_any_number_are_left_out(gametree):
    call = ["tournament", "tictactoe", "random", "greedy", "--games", 2, "--seed", 2]
    rows, table = gametree(*call, "--format", "json").json["players"], gametree(*call, "--wide").out
    assert {row["against_perfect"] for row in rows} == {None}
    assert "vs perfect" not in table
    assert "mistakes" in table


def test_the_command_and_the_page(bots, gametree):
    levels = [*bots("first", "crash"), "greedy"]
    call = ["tournament", "tictactoe", *levels, "--games", 4, "--seed", 2, "--out", "t", "--sprt"]
    found = gametree(*call, "--format", "json").json
    table = gametree(*call)
    assert table.code == 0
    assert all(len(line) <= 80 for line in table.out.splitlines())
    for level in levels:
        assert level in table.out
    assert gametree(*call, "--format", "csv").out.count("\n") == 4
    assert found["games"] == 12
    result = gametree("report", "t")
    assert result.out.strip() == "t/index.html"
    page = Path("t/index.html").read_text()
    for row in found["players"]:
        assert row["player"] in page.replace("<wbr>", "")
    assert "ZeroDivisionError" in page
    assert Path("t/tables/players.csv").read_text().count("\n") == 4
    one_line(gametree("report", "t", "--prune"), 2, "tournament")
    assert gametree("audit", "tictactoe", "t/games.jsonl").code == 0


def test_games_too_large_to_solve_are_played_and_not_judged(bots, monkeypatch):
    found = play_tournament("connect:6,7,4", bots("first", "last"), TournamentTerms(games=2))
    assert len(found.games) == 2
    assert found.judgement.why
    assert found.rows()[0]["moves"] is None
    assert read_tournament(found.directory).games == found.games
    assert read_tournament(found.directory).judgement.why


def test_loopy_games_and_other_starts(bots):
    terms = TournamentTerms(games=2, max_plies=30)
    found = play_tournament("dodgem:n=2", [*bots("first", "last"), "perfect"], terms)
    assert not found.faults
    assert found.rows()[-1]["player"] == "bots.py:first"
    assert {game.outcome for game in found.games} <= {"X", "O", "unfinished"}
    found = play_tournament(
        "tictactoe", [*bots("first", "Centre"), "perfect"], TournamentTerms(games=2, position="XO???????"), out="s"
    )
    assert {game.path[:1] for game in found.games} <= set("2345678")
    assert found.rows()[0]["moves"] is not None
