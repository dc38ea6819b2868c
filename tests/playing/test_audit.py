"""Judging games and choices: by the oracle, by hand, with further columns, bad rows and games that were given up."""

import csv
import dataclasses
import functools
import io
import random

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis import ONGOING
from analysis.common.markup import as_cell
from analysis.errors import OptionError
from analysis.playing import RowError, RowOptions, audit, find_player
from tests.support.graph_oracle import GraphOracle
from tests.support.oracle import Oracle
from tests.support.program import one_line

GAMES = ["041263578", "0412673", "41", ""]  # a tie; O errs at ply 5; O errs at ply 1; nothing played


@functools.cache
def solution(spec="tictactoe"):
    return analysis.solve(spec)


def every_move(spec):
    """The table of all moves of a game, as choices, and the positions that have them."""
    game, rules = solution(spec).game, solution(spec).game.rules()
    seen, waiting = {rules.start}, [rules.start]
    rows = []
    for state in waiting:
        for code, child in rules.moves(state):
            rows.append({"position": game.format_position(state), "move": code})
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    return audit(solution(spec), rows)


@pytest.mark.parametrize(
    ("spec", "arguments"), [("tictactoe", (3, 3, 3)), ("mnk:rows=2,cols=3,k=2,misere=true", (2, 3, 2, True))]
)
def test_losses_of_every_move_are_those_of_the_oracle(spec, arguments):
    oracle, found = Oracle(*arguments), every_move(spec)
    rows = found.rows()
    for row in rows:
        position = row["position"]
        mover, after = 1 if oracle.to_move(position) == "X" else -1, oracle.play(position, row["move"])
        children = zip(oracle.moves(position), oracle.children(position), strict=True)
        kept = [code for code, child in children if oracle.value(child) == oracle.value(position)]
        lost = mover * (oracle.value(position) - oracle.value(after))
        assert (row["best_moves"], row["side"]) == (" ".join(map(str, kept)), oracle.to_move(position))
        assert row["value_lost"] == lost >= 0
        assert row["optimal"] == (lost == 0)
        wasted = oracle.remoteness(after) + 1 - oracle.remoteness(position)
        losing = mover * oracle.value(position) < 0
        assert row["remoteness_lost_plies"] == (None if lost else -wasted if losing else wasted)
    assert len(rows) == solution(spec).statistics()["moves"]


def test_a_tie_turned_into_endless_play_has_no_remoteness_lost():
    """In dodgem no game is tied; a small graph has a tie that one move ends and another never does."""
    moves = {0: [(0, 1), (1, 2)], 1: [], 2: [(0, 3)], 3: [(0, 2)]}
    oracle = GraphOracle(0, moves, {1: 0}, {0: 1, 1: -1, 2: -1, 3: 1})
    assert (oracle.remoteness(0), oracle.remoteness(2)) == (1, None)

    @dataclasses.dataclass(frozen=True)
    class Table(analysis.Game):
        family = "table"

        def rules(self):
            def legal_moves(state, out):
                out[0] = 0
                out[1] = 1
                return 2 if state == 0 else 1

            def play(state, move):
                return 1 + move if state == 0 else 5 - state

            def outcome(state):
                return 0 if state == 1 else ONGOING

            def to_move(state):
                return 1 if state % 3 == 0 else -1

            return analysis.Rules(0, 2, legal_moves, play, outcome, to_move, loopy=True)

    steps = audit(Table(), [[0], [1, 0]]).steps
    assert list(steps["value_lost"]) == [0, 0, 0]
    assert list(steps["remoteness_lost_plies"].isna()) == [False, True, True]


def test_known_mistakes():
    tie, lost, short, nothing = audit(solution(), GAMES).rows()
    assert (tie["outcome"], tie["first_mistake_ply"], tie["thrown_away_by"]) == ("tie", None, "")
    assert (lost["outcome"], lost["thrown_away_by"], lost["first_mistake_ply"]) == ("X", "O", 5)
    assert (lost["o_mistakes"], lost["o_value_lost"], lost["x_mistakes"]) == (1, 1, 0)
    assert (short["outcome"], short["o_mistakes"]) == ("unfinished", 1)
    assert (nothing["outcome"], nothing["plies"], nothing["path"]) == ("unfinished", 0, "")


def test_sums_of_games_by_hand():
    rows = [{"path": path, "x": "ann", "o": "bob"} for path in GAMES[:2]] + [{"path": GAMES[2], "x": "bob", "o": "ann"}]
    found = audit(solution(), rows)
    x, o = found.by_side()
    assert (x["side"], x["games"], x["won"], x["lost"], x["tied"], x["unfinished"]) == ("X", 3, 1, 0, 1, 1)
    assert (o["mistakes"], o["value_lost"], o["thrown_away"], o["first_mistakes"]) == (2, 2, 1, 2)
    assert o["value_lost_mean"] == 2 / o["moves"]
    ann, bob = found.by_player()
    assert (ann["player"], ann["won"], ann["tied"], ann["unfinished"], ann["mistakes"]) == ("ann", 1, 1, 1, 1)
    assert (bob["player"], bob["lost"], bob["thrown_away"], bob["mistakes"]) == ("bob", 1, 1, 1)
    assert [(row["ply"], row["first_mistakes"]) for row in found.by_ply() if row["first_mistakes"]] == [(1, 1), (5, 1)]
    assert sum(row["moves"] for row in found.by_ply()) == 18
    costly, cheap = found.mistakes()
    assert (cheap["position"], cheap["move"], cheap["times"], cheap["best_moves"]) == ("????X????", 1, 1, "0 2 6 8")
    assert (costly["position"], costly["first_row"]) == ("XXO?O?X??", 2)
    assert [row["times"] for row in audit(solution(), ["41", "0", "41"]).mistakes(1)] == [2]


def test_winning_slowly_and_losing_fast_cost_plies():
    rows = [{"position": "XOOX?????", "move": move} for move in (6, 4, 7)]  # X wins in 1, 3 or 5 plies
    rows += [{"position": "XO?X?????", "move": move} for move in (6, 2)]  # O loses in 4 or 2
    judged = audit(solution(), rows).rows()
    assert [row["value_lost"] for row in judged] == [0] * 5
    assert [row["remoteness_lost_plies"] for row in judged] == [0, 2, 4, 0, 2]


def test_a_game_from_a_position():
    steps = audit("tictactoe", [[2, 5]], RowOptions(start="XO?XO????")).steps
    assert list(steps["ply"]) == [0, 1]
    assert steps["value_lost"][0] == 2  # instead of winning at once on 6 it let O win on 7
    with pytest.raises(RowError, match=r"rows, row 1: move 1: move 0 is not legal in XO\?XO"):
        audit("tictactoe", ["0"], RowOptions(start="XO?XO????"))


def paths(spec, rows):
    return [row["path"] for row in audit(solution(spec), rows).rows()]


@pytest.mark.parametrize("spec", ["wild", "dots_and_boxes:rows=1,cols=2", "nim:heaps=2-3", "dodgem", "hexapawn"])
def test_moves_are_codes_or_the_games_own_notation(spec):
    game, state, codes = solution(spec).game, solution(spec).game.rules().start, []
    while (moves := game.rules().moves(state)) and len(codes) < 6:
        code, state = max(moves)
        codes.append(code)
    names = [game.format_move(code) for code in codes]
    written = ["-".join(map(str, codes)), codes, [*map(str, codes)], names, " ".join(names), tuple(map(float, codes))]
    written = [each for each in written if not (isinstance(each, list) and len(each) == 1)]
    assert len({*paths(spec, written)}) == 1


@pytest.mark.slow
def test_kayles_by_codes_and_by_names():
    """Its own names of single pins are numbers too; in tables a number is a code."""
    assert paths("kayles:pins=7", ["4-2", [4, 2], "4 2", ["4", "2"], [4.0, "2"]]) == ["4-2"] * 5
    assert paths("kayles:pins=7", ["4", "1+2"]) == ["4", "1"]
    assert paths("kayles:pins=5", ["40", "1+2", "3"]) == ["40", "1", "3"]
    rows = [{"position": "7 X", "move": move} for move in ("2", 2, "2.0", "1+2")]
    assert [row["move"] for row in audit(solution("kayles:pins=7"), rows).rows()] == [2, 2, 2, 1]


def test_own_notation_with_dashes():
    spec = "dots_and_boxes:rows=1,cols=2"
    assert paths(spec, ["a1-b1", "a1-b1 b1-c1"]) == ["0", "01"]
    with pytest.raises(RowError, match=r"move 1: .*a1-b1-b1-c1"):
        paths(spec, ["a1-b1-b1-c1"])
    assert paths("wild", ["X0 O1", "0-03", ["X0", 3], "X0"]) == ["0-3"] * 3 + ["0"]
    assert paths("tictactoe", ["0-4-1", " 041", "041 ", "0 4\t1"]) == ["041"] * 4


@pytest.mark.parametrize("move", [True, float("inf"), 0.5, b"4", {"a": 4}, [4], np.array([4]), object(), None, ""])
def test_what_is_no_move(move):
    """``1 == True`` and ``hash(1) == hash(True)``: moves that were judged before must not be taken for them."""
    with pytest.raises(RowError, match=r"rows, row 2: move 2: move .* is neither a code nor text"):
        audit(solution(), [[0, 1], [0, move]])
    rows = [{"position": "X????????", "move": each} for each in (1, 4, move)]
    with pytest.raises(RowError, match=r"rows, row 3: move .* is neither a code nor text"):
        audit(solution(), rows)


def test_what_is_no_path_or_position():
    for path in (b"041", 412, {0, 4}, True, object(), None):
        with pytest.raises(RowError, match=r"rows, row 1: path .* is neither text nor a list of moves"):
            audit(solution(), [{"path": path}])
    for position in (b"X", {}, True, 0.5, None, "9" * 5000):
        with pytest.raises(RowError, match=r"rows, row 1: "):
            audit(solution(), [{"position": position, "move": 4}])
    with pytest.raises(RowError, match="row 1: "):
        audit(solution(), [{"position": "?????????", "move": "9" * 5000}])


def test_a_win_by_less_is_thrown_away():
    """In a game of margins, against what every position of every game was worth."""
    spec = "dots_and_boxes:rows=2,cols=2"
    rules, values, rng = solution(spec).game.rules(), solution(spec), random.Random(3)
    paths, expected = [], []
    for _ in range(60):
        state, path = rules.start, []
        seen = [values.records.of(state).value]
        while moves := rules.moves(state):
            code, state = rng.choice(moves)
            path.append(code)
            seen.append(values.records.of(state).value)
        paths.append(path)
        expected.append(" ".join(["X"] * (max(seen) > seen[-1]) + ["O"] * (min(seen) < seen[-1])))
    found = audit(values, paths)
    assert [row["thrown_away_by"] for row in found.rows()] == expected
    assert any(row["outcome"] == "X" and "X" in row["thrown_away_by"] for row in found.rows())
    assert [row["thrown_away"] for row in found.by_side()] == [sum(side in e for e in expected) for side in "XO"]


def random_paths(number, seed):
    rng, oracle = random.Random(seed), Oracle(3, 3, 3)
    for _ in range(number):
        s, path = oracle.start, ""
        while oracle.outcome(s) is None and rng.random() < 0.97:
            cell = rng.choice(oracle.moves(s))
            path, s = path + str(cell), oracle.play(s, cell)
        yield path


def obvious_sums(paths):
    oracle = Oracle(3, 3, 3)
    sums = {side: {"moves": 0, "mistakes": 0, "value_lost": 0, "remoteness_lost_plies": 0} for side in "XO"}
    first, thrown = {}, {"X": 0, "O": 0}
    for path in paths:
        s, seen, erred = oracle.start, [0], False
        for ply, cell in enumerate(map(int, path)):
            side, after = oracle.to_move(s), oracle.play(s, cell)
            mover = 1 if side == "X" else -1
            lost, row = mover * (oracle.value(s) - oracle.value(after)), sums[side]
            row["moves"] += 1
            if lost:
                row["mistakes"] += 1
                row["value_lost"] += lost
                if not erred:
                    first[ply], erred = first.get(ply, 0) + 1, True
            else:
                row["remoteness_lost_plies"] += abs(oracle.remoteness(after) + 1 - oracle.remoteness(s))
            s = after
            seen.append(oracle.value(s))
        end = oracle.outcome(s)
        if end is not None:
            thrown["X"] += max(seen) > end
            thrown["O"] += min(seen) < end
    return sums, first, thrown


def test_sums_are_those_of_an_obvious_program():
    paths = list(random_paths(700, seed=5))
    sums, first, thrown = obvious_sums(paths)
    found = audit(solution(), paths)
    for row in found.by_side():
        assert {name: row[name] for name in sums["X"]} == sums[row["side"]]
        assert row["thrown_away"] == thrown[row["side"]]
        assert row["games"] == 700
    assert {row["ply"]: row["first_mistakes"] for row in found.by_ply() if row["first_mistakes"]} == first
    assert sum(row["times"] for row in found.mistakes(10**6)) == sums["X"]["mistakes"] + sums["O"]["mistakes"]
    times = [row["times"] for row in found.mistakes(20)]
    assert len(times) == 20
    assert times == sorted(times, reverse=True)


def test_choices():
    rows = [
        {"position": "X????????", "move": 4, "player": "a"},
        {"position": "X????????", "move": "1", "player": "b"},
        {"position": "X????????", "move": 1.0},
    ]
    found = audit(solution(), rows)
    assert [row["value_lost"] for row in found.rows()] == [0, 1, 1]
    assert [(row["player"], row["mistakes"]) for row in found.by_player()] == [("a", 0), ("b", 1)]
    assert found.mistakes()[0]["times"] == 2


def test_choices_in_positions_that_are_not_reached_are_left_out():
    rows = [{"position": text, "move": 4} for text in ("X????????", "XO???????", "?X???????")]
    found = audit("tictactoe", rows, RowOptions(start="X????????", strict=False))
    assert found.bad_rows == ("rows, row 3: not reached from X????????",)
    assert found.totals()["moves"] == 2


HANDED_IN = '''path,x,o,outcome,student,name,group
041263578,Ann,Bot,tie,Ann Lee,first try,1
0412673,Ann,Bot,X,Ann Lee,second try,1
41,Bob,Bot,,Bob,,2
0412,Bob,Bot,unfinished,Bob,"=1+1, ""quoted""",10
'''
BAD = """path,x,o,outcome
041263578,Ann,Bot,tie
99,Ann,Bot,
00,Ann,Bot,
0412673,Ann,Bot,O

041,Ann,Bot,
"""


@pytest.fixture
def handed_in(tmp_path):
    """A file as a course hands it in."""
    path = tmp_path / "games.csv"
    path.write_text(HANDED_IN)
    return path


def test_further_columns_are_in_every_row(gametree, handed_in):
    rows = gametree("audit", "tictactoe", handed_in, "--format", "json", "--out", "m.csv").json["rows"]
    wanted = list(csv.DictReader(io.StringIO(HANDED_IN)))
    for row, given in zip(rows, wanted, strict=True):
        assert (row["student"], row["given_name"], row["group"]) == (given["student"], given["name"], given["group"])
    flat = gametree("audit", "tictactoe", handed_in, "--format", "csv").rows
    assert [row["given_name"] for row in flat] == [as_cell(row["name"]) for row in wanted]
    moves = pd.read_csv("m.csv", dtype=str, keep_default_na=False)
    assert list(moves.columns)[-3:] == ["student", "given_name", "group"]
    assert list(moves[moves["game"] == "3"]["given_name"]) == [as_cell(wanted[3]["name"])] * 4
    assert audit(solution(), "m.csv").given.columns.tolist() == ["student", "given_name", "group"]


def test_sums_by_value_and_side(gametree, handed_in):
    """Added up by hand: of Ann's two games each side's moves, results and mistakes."""
    found = audit(solution(), handed_in, RowOptions(by=["student"]))
    groups = found.groups()
    assert [(row["student"], row["side"]) for row in groups] == [
        (name, side) for name in ("Ann Lee", "Bob") for side in "XO"
    ]
    x, o = groups[:2]
    assert (x["games"], x["won"], x["tied"], x["moves"], x["mistakes"]) == (2, 1, 1, 9, 0)
    assert (o["lost"], o["tied"], o["moves"], o["mistakes"]) == (1, 1, 7, 1)
    for name in ("games", "moves", "mistakes", "value_lost", "thrown_away"):
        for side, row in enumerate(found.by_side()):
            assert sum(group[name] for group in groups[side::2]) == row[name]
    rows = gametree("audit", "tictactoe", handed_in, "--by", "student,group", "--format", "csv").rows
    assert [(row["student"], row["group"], row["side"]) for row in rows[::2]] == [
        ("Ann Lee", "1", "X"), ("Bob", "2", "X"), ("Bob", "10", "X"),
    ]  # fmt: skip
    assert gametree("audit", "tictactoe", handed_in, "--by", "student").out.count("Ann Lee") == 2
    with pytest.raises(OptionError, match="no column"):
        audit(solution(), ["41"], RowOptions(by=["student"]))
    by_x = audit(solution(), handed_in, RowOptions(by=["x"])).groups()
    assert [(row["x"], row["games"]) for row in by_x[::2]] == [("Ann", 2), ("Bob", 2)]


def test_bad_rows_are_named_and_left_out(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    (tmp_path / "good.csv").write_text("".join(BAD.splitlines(keepends=True)[number] for number in (0, 1, 6)))
    for form in ("table", "json", "csv"):
        bad = gametree("audit", "tictactoe", "bad.csv", "--format", form, "--out", "bad.parquet")
        good = gametree("audit", "tictactoe", "good.csv", "--format", form, "--out", "good.parquet")
        assert (bad.code, good.code, good.err) == (1, 0, "")
        lines = bad.err.splitlines()
        assert [number for number in range(2, 8) if f"bad.csv, row {number}:" in bad.err] == [3, 4, 5]
        assert len(lines) == 4
        ours, theirs = pd.read_parquet("bad.parquet"), pd.read_parquet("good.parquet")
        assert ours.drop(columns="row").equals(theirs.drop(columns="row"))
        assert list(ours["row"].unique()) == [2, 7]
    found = gametree("audit", "tictactoe", "bad.csv", "--format", "json").json
    assert (found["bad"], len(found["bad_rows"]), found["games"]) == (3, 3, 2)
    result = gametree("audit", "tictactoe", "bad.csv", "--strict", "--out", "moves.csv")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "bad.csv, row 3" in result.err
    assert not (tmp_path / "moves.csv").exists()
    (tmp_path / "bad.csv").write_text("path\n00\n11\n")
    result = gametree("audit", "tictactoe", "bad.csv", "--format", "json")
    assert (result.code, result.json["games"], result.json["bad"]) == (1, 0, 2)


def test_what_a_file_holds_never_steers_a_terminal(gametree, tmp_path):
    (tmp_path / "games.csv").write_text('path,student\n041,"a\nb"\n041,\x1b[31mred\n041,[red]x[/red]\n')
    result = gametree("audit", "tictactoe", "games.csv", "--by", "student")
    assert result.code == 0
    assert "\x1b" not in result.out
    for words in ("\\x1b[31mred", "a\\nb", "[red]x[/red]"):
        assert words in result.out
    (tmp_path / "games.csv").write_text("path,outcome\n041,\x1b[31mred\n")
    assert "\x1b" not in gametree("audit", "tictactoe", "games.csv").err


def test_a_policy_is_judged_by_its_best_response(gametree, tmp_path):
    game = analysis.load_game("tictactoe")

    def first_free(states):
        return np.eye(9)[game.legal_mask(states).argmax(axis=1)]

    exploited = analysis.exploit(game, first_free)
    assert audit(game, first_free) == exploited
    assert audit(game, find_player("greedy", game)) == audit("tictactoe", "greedy") == analysis.exploit(game, "greedy")
    (tmp_path / "first.py").write_text("def choose(position, moves):\n    return moves[0]\n")
    found = gametree("audit", "tictactoe", "first.py", "--format", "json").json
    assert [found[side]["exploitability"] for side in "XO"] == [exploited[side].exact for side in "XO"]
    assert [row["value_lost"] for row in found["O"]["by_ply"]] == [ply.value_lost for ply in exploited["O"].by_ply]
    rows = gametree("audit", "tictactoe", "first.py", "--format", "csv").rows
    assert [(row["side"], int(row["ply"])) for row in rows[:2]] == [("X", 0), ("X", 2)]
    one_line(gametree("audit", "tictactoe", "greedy", "--out", "m.csv"), 2, "policy")
