"""Games too large to solve: what searches say of moves the solution says too, and what they do not reach is unknown."""

import csv
import functools
import json
import random
import re
import signal
import subprocess
import sys

import pytest

import analysis
from analysis.errors import OptionError
from analysis.playing import Effort, Judge, RowOptions, audit
from analysis.rules.game import ONGOING
from tests.support.program import PATIENCE

LARGE = "connect:6,7,4"
FULL_GAME = "100020305461234566543216543211234566543210"
"""Fills the whole board of `LARGE`."""


@functools.cache
def solution(spec):
    return analysis.solve(spec, counts=False)


def random_games(spec, number, seed, most=200):
    """Codes of random games, some of which end before they are over."""
    rng, rules = random.Random(seed), analysis.load_game(spec).rules()
    games = []
    for _ in range(number):
        state, codes = rules.start, []
        while rules.outcome(state) == ONGOING and len(codes) < most:
            code, state = rng.choice(rules.moves(state))
            codes.append(code)
        games.append(codes[: len(codes) - rng.choice((0, 0, 1, 3))])
    return games


def compare(spec, games, **limits):
    """Every move by searches against the one by the solution. Returns how many were judged, and not."""
    judge = Judge(analysis.load_game(spec), **limits)
    searched, solved = (audit(each, games) for each in (judge, solution(spec)))
    assert list(searched.records["outcome"]) == list(solved.records["outcome"])
    one, other = searched.steps, solved.steps
    for name in ("value_before", "value", "value_lost"):
        known = one[name].notna()
        assert (one[name][known] == other[name][known]).all()
    best, kept = judge.best_moves(one["before"]), Judge(solution(spec)).best_moves(one["before"])
    assert all(best[state] in (None, kept[state]) for state in best)
    for mine, right in zip(searched.rows(), solved.rows(), strict=True):
        assert mine["first_mistake_ply"] in (None, right["first_mistake_ply"])
        assert {*mine["thrown_away_by"].split()} <= {*right["thrown_away_by"].split()}
    return searched.totals()["moves"] - searched.totals()["unknown"], searched.totals()["unknown"]


@pytest.mark.parametrize(
    ("spec", "number"),
    [
        ("connect:4,4,3", 10),
        ("dots_and_boxes:rows=2,cols=2", 6),  # margins, and turns that are kept
        ("nim:heaps=3-4-5", 10),  # canonical() of its own
        ("mnk:rows=3,cols=3,k=3,misere=true", 10),
        ("dodgem", 4),  # loopy
        pytest.param("connect:4,5,4", 40, marks=pytest.mark.slow),
        pytest.param("connect:5,5,4", 20, marks=pytest.mark.slow),
        pytest.param("othello:4", 10, marks=pytest.mark.slow),
        pytest.param("hexapawn:4,4", 20, marks=pytest.mark.slow),
        pytest.param("mnk:4,4,4", 20, marks=pytest.mark.slow),
    ],
)
def test_all_verdicts_are_those_of_the_solution(spec, number):
    given, unknown = compare(spec, random_games(spec, number, seed=5, most=40), seconds=PATIENCE)
    assert given
    assert unknown == 0


def test_a_time_that_is_too_short_leaves_moves_unknown_and_the_others_exact():
    given, unknown = compare("connect:4,5,4", random_games("connect:4,5,4", 30, seed=2), seconds=0.3)
    assert given
    assert unknown


# Too large to solve ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Searched until enough is known; the beginning of this game would take hours."""

    def enough(stage, done, total):
        known = re.search(r"([0-9,]+) of [0-9,]+ positions known", stage)
        if known and int(known[1].replace(",", "")) >= 20:
            raise KeyboardInterrupt

    out = tmp_path_factory.mktemp("judged") / "moves.csv"
    with analysis.running(progress=enough):
        judged = audit(LARGE, [FULL_GAME, FULL_GAME[:30], ""], out=out, effort=Effort(seconds=500))
    assert judged.judge.stopped == "interrupted"
    return judged, list(csv.DictReader(out.read_text().splitlines()))


def test_the_end_of_a_large_game_is_judged_and_its_beginning_counted_as_unknown(found):
    moves = found[0].totals()
    assert moves["moves"] == moves["optimal"] + moves["mistakes"] + moves["unknown"] == 72
    assert moves["unknown"] > 0
    by_ply = {row["ply"]: row for row in found[0].by_ply()}
    assert by_ply[0]["unknown"] == by_ply[0]["moves"] == 2
    assert by_ply[0]["optimal"] == 0
    assert by_ply[0]["value_lost_mean"] is None
    assert by_ply[41] == {
        "ply": 41, "moves": 1, "unknown": 0, "optimal": 1, "mistakes": 0, "value_lost": 0, "value_lost_mean": 0.0,
        "remoteness_lost_plies": None, "first_mistakes": 0,
    }  # fmt: skip
    sides = found[0].by_side()
    assert sum(row["unknown"] for row in sides) == moves["unknown"]
    assert all(row["optimal"] + row["mistakes"] + row["unknown"] == row["moves"] for row in sides)


def test_the_exploitability_of_choices_is_left_out_where_the_value_is_not_known():
    rows = [{"position": "/".join(["???????"] * 6), "move": 3}]
    policy = audit(LARGE, rows, effort=Effort(seconds=0.5)).policies[0]
    assert policy.sides == {"X": None, "O": None}
    assert "not known" in policy.left_out


def test_on_the_command_line(tmp_path):
    (tmp_path / "games.txt").write_text(FULL_GAME + "\n")
    run = functools.partial(
        subprocess.run,
        [sys.executable, "-m", "analysis", "audit", LARGE, "games.txt", "--seconds", "2", "--format", "json"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    done = run()
    said = json.loads(done.stdout)
    row = said["rows"][0]
    assert said["moves"] == 42
    assert said["unknown"] == row["x_unknown"] + row["o_unknown"] > 0
    assert row["first_mistake_ply"] is row["x_remoteness_lost_plies"] is None
    assert "judging by searches" in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_the_search_and_what_is_known_is_told(tmp_path):
    (tmp_path / "games.txt").write_text(FULL_GAME + "\n")
    words = [sys.executable, "-m", "analysis", "audit", LARGE, "games.txt", "--seconds", "500", "--format", "json"]
    with subprocess.Popen(
        [*words, "--progress", "json"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if "known" in line and json.loads(line)["done"] > 1:
                break
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert 0 < json.loads(said)["unknown"] < 42
    assert "interrupted" in json.loads(said)["judged_by"]


def test_a_time_for_solving():
    assert audit("connect:3,3,3", ["012"], effort=Effort(seconds=PATIENCE)).timed
    assert not audit("connect:5,5,4", [[0, 1, 2]], effort=Effort(seconds=0.2)).timed
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(OptionError, match="judge in"):
            audit("tictactoe", ["012"], effort=Effort(seconds=seconds))


def test_a_judge_is_for_one_start():
    judge = Judge(analysis.load_game("tictactoe"), "04", seconds=PATIENCE)
    assert audit(judge, ["2"]).judge is judge
    with pytest.raises(OptionError, match="begins at"):
        audit(judge, ["2"], RowOptions(start="0"))


def test_students_whose_choices_are_not_all_judged(gametree, tmp_path):
    """A row for each, with what is unknown; nothing is said of exploitability where the value of the game is not."""
    game, choices = analysis.load_game(LARGE), tmp_path / "choices.csv"
    rules = game.rules()
    state, rows = rules.start, []
    for number, digit in enumerate(FULL_GAME):
        rows.append(f"{game.format_position(state)},{digit},s{number % 25}")
        state = rules.play(state, int(digit))
    choices.write_text("\n".join(["pre_state,action,student", *rows]))
    options = ("--seconds", 2, "--columns", "position=pre_state,move=action", "--by", "student", "--format", "csv")
    table = list(csv.DictReader(gametree("audit", LARGE, choices, *options).out.splitlines()))
    assert len({row["student"] for row in table}) == 25
    assert sum(int(row["moves"]) for row in table) == 42
    assert 0 < sum(int(row["unknown"]) for row in table) < 42
    for row in table:
        assert int(row["optimal"]) + int(row["mistakes"]) + int(row["unknown"]) == int(row["moves"])
        assert row["exploitability_least"] == row["remoteness_lost_plies"] == ""
