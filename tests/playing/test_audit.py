"""Judging games and choices: by the oracle, by hand, with further columns, bad rows and games that were given up."""

import csv
import dataclasses
import functools
import io
import json
import random

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis import ONGOING
from analysis.common.markup import as_cell
from analysis.errors import OptionError
from analysis.playing import RowError, RowOptions, audit
from tests.support.graph_oracle import GraphOracle
from tests.support.oracle import Oracle

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
    assert (tie["outcome"], tie["first_mistake"], tie["thrown_away_by"]) == ("tie", None, [])
    assert (lost["outcome"], lost["thrown_away_by"], lost["first_mistake"]["ply"]) == ("X", ["O"], 5)
    assert (lost["first_mistake"]["move"], lost["o_mistakes"], lost["o_value_lost"], lost["x_mistakes"]) == (7, 1, 1, 0)
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
    first = found.mistakes()[0]
    assert (first["position"], first["move"], first["times"], first["best_moves"]) == ("????X????", 1, 1, [0, 2, 6, 8])


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
    with pytest.raises(RowError, match=r"rows, row 1: move 1 of 0: move 0 is not legal in XO\?XO"):
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
    with pytest.raises(RowError, match=r"move 1 of .*a1-b1-b1-c1"):
        paths(spec, ["a1-b1-b1-c1"])
    assert paths("wild", ["X0 O1", "0-03", ["X0", 3], "X0"]) == ["0-3"] * 3 + ["0"]
    assert paths("tictactoe", ["0-4-1", " 041", "041 ", "0 4\t1"]) == ["041"] * 4


NO_MOVES = [True, np.True_, float("inf"), 0.5, b"4", {"a": 4}, {4}, [4], np.array([4]), 1j, object(), type]
"""``1 == True`` and ``hash(1) == hash(True)``: moves that were judged before must not be taken for them."""


@pytest.mark.parametrize("move", NO_MOVES, ids=[type(move).__name__ for move in NO_MOVES])
def test_what_is_no_move(move):
    with pytest.raises(RowError, match=r"rows, row 2: move 2 of .*: move .* is neither a code nor text") as refused:
        audit(solution(), [[0, 1], [0, move]])
    assert len(str(refused.value)) < 200
    rows = [{"position": "X????????", "move": each} for each in (1, 4, move)]
    with pytest.raises(RowError, match=r"rows, row 3: move .* is neither a code nor text"):
        audit(solution(), rows)


def test_what_is_no_path_or_position():
    for path in (b"041", {"a": 1}, {0, 4}, True, object()):
        with pytest.raises(RowError, match=r"rows, row 1: path .* is neither text nor a list of moves"):
            audit(solution(), [{"path": path}])
    for position in (b"X", {}, True, 0.5, float("inf"), 10**5000):
        with pytest.raises(RowError, match=r"rows, row 1: position .* is neither text nor a whole number"):
            audit(solution(), [{"position": position, "move": 4}])
    for row in ({"position": "9" * 5000, "move": 4}, {"position": "?????????", "move": "9" * 5000}):
        with pytest.raises(RowError, match="is too long: 5,000 characters"):
            audit(solution(), [row])
    with pytest.raises(RowError, match=r"move 2 of .* is not legal"):
        audit(solution(), [[0, 10**5000]])
    assert audit(solution("nim:heaps=2-3"), [{"position": "2-3 X", "move": 1}]).records["move"][0] == 1


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
        expected.append(["X"] * (max(seen) > seen[-1]) + ["O"] * (min(seen) < seen[-1]))
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


def test_mistakes_say_where_they_were_made_first():
    rows = audit(solution(), ["0412673", "41", "0", "41"]).mistakes()
    assert [(row["times"], row["first_row"], row["position"]) for row in rows] == [
        (2, 2, "????X????"), (1, 1, "XXO?O?X??")
    ]  # fmt: skip


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


def test_choices_in_positions_that_are_not_reached_are_counted():
    rows = [{"position": text, "move": 4} for text in ("X????????", "XO???????", "?X???????")]
    found = audit("tictactoe", rows, RowOptions(start="X????????"))
    assert found.unreached == ["?X???????"]
    assert found.totals()["moves"] == 2


HANDED_IN = '''path,x,o,outcome,student,name,group
041263578,Ann,Bot,tie,Ann Lee,first try,1
0412673,Ann,Bot,X,Ann Lee,second try,1
41,Bob,Bot,,Bob,,2
0412,Bob,Bot,X,Bob,"=1+1, ""quoted""",10
'''
BAD = """path,x,o,outcome
041263578,Ann,Bot,tie
99,Ann,Bot,
0412
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


def test_they_are_in_every_row(gametree, handed_in):
    rows = gametree("audit", "tictactoe", handed_in, "--format", "json", "--out", "m.csv").json["rows"]
    wanted = list(csv.DictReader(io.StringIO(HANDED_IN)))
    for row, given in zip(rows, wanted, strict=True):
        assert (row["student"], row["given_name"], row["group"]) == (given["student"], given["name"], given["group"])
    flat = gametree("audit", "tictactoe", handed_in, "--format", "csv").rows
    assert [row["given_name"] for row in flat] == [as_cell(row["name"]) for row in wanted]
    moves = pd.read_csv("m.csv", dtype=str, keep_default_na=False)
    assert list(moves.columns)[-3:] == ["student", "given_name", "group"]
    assert list(moves[moves["game"] == "3"]["given_name"]) == [as_cell(wanted[3]["name"])] * 4
    assert set(moves["name"]) <= set("012345678")


def test_sums_by_value_and_side(handed_in):
    """Added up by hand: of Ann's two games each side's moves, results and mistakes; numbers are in their order."""
    found = audit(solution(), handed_in).by_column()
    assert list(found) == ["student", "name", "group"]
    ann = found["student"][0]
    assert (ann["value"], ann["games"], ann["moves"], ann["mistakes"]) == ("Ann Lee", 2, 16, 1)
    assert [ann[f"games_{end}"] for end in ("x", "o", "tie", "unfinished")] == [1, 0, 1, 0]
    x, o = ann["by_side"]
    assert (x["side"], x["games"], x["won"], x["tied"], x["moves"]) == ("X", 2, 1, 1, 9)
    assert (o["side"], o["lost"], o["tied"], o["moves"], o["mistakes"]) == ("O", 1, 1, 7, 1)
    assert [row["value"] for row in found["group"]] == ["1", "2", "10"]
    total = audit(solution(), handed_in).by_side()
    for name in ("games", "moves", "mistakes", "value_lost", "thrown_away", "resigned"):
        for side, row in enumerate(total):
            assert sum(group["by_side"][side][name] for group in found["student"]) == row[name]


def test_the_table_groups_by_what_has_few_values(gametree, handed_in, tmp_path):
    out = gametree("audit", "tictactoe", handed_in, "--by", "student").out
    assert out.count("Ann Lee") == 1
    assert "second try" not in out
    lines = ["path,id", *(f"41,{number}" for number in range(50))]
    (tmp_path / "ids.csv").write_text("\n".join(lines))
    assert "id: 50 values; --by id lists them" in gametree("audit", "tictactoe", "ids.csv").out
    assert gametree("audit", "tictactoe", "ids.csv", "--by", "id").out.count("\n49 ") == 1
    result = gametree("audit", "tictactoe", handed_in, "--by", "pupil")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "student" in result.err
    with pytest.raises(OptionError):
        audit(solution(), ["41"], RowOptions(by=["student"]))


def test_a_file_of_ours_has_no_further_columns_but_those_it_was_given(handed_in, tmp_path):
    audit(solution(), handed_in, out=tmp_path / "moves.csv")
    again = audit(solution(), tmp_path / "moves.csv")
    assert again.kind == "choices"
    assert [*again.given] == ["student", "given_name", "group"]


def test_bad_rows_are_told_by_line_and_left_out(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    (tmp_path / "good.csv").write_text("".join(BAD.splitlines(keepends=True)[number] for number in (0, 1, 6)))
    for form in ("table", "json", "csv"):
        bad = gametree("audit", "tictactoe", "bad.csv", "--format", form, "--out", "bad.parquet")
        good = gametree("audit", "tictactoe", "good.csv", "--format", form, "--out", "good.parquet")
        assert (bad.code, good.code, good.err) == (1, 0, "")
        lines = bad.err.splitlines()
        assert all(line.startswith("gametree: ") for line in lines)
        told = [number for number in range(2, 8) if any(f"bad.csv, line {number}:" in line for line in lines)]
        assert told == [3, 4, 5, 6]
        assert len(lines) == 5
        ours, theirs = pd.read_parquet("bad.parquet"), pd.read_parquet("good.parquet")
        assert ours.drop(columns="row").equals(theirs.drop(columns="row"))
        assert list(ours["row"].unique()) == [2, 7]
    found = gametree("audit", "tictactoe", "bad.csv", "--format", "json").json
    assert (found["bad"], len(found["bad_rows"]), found["games"]) == (4, 4, 2)


def test_strict_stops_at_the_first(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    result = gametree("audit", "tictactoe", "bad.csv", "--strict", "--out", "moves.csv")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "bad.csv, line 3" in result.err
    assert not (tmp_path / "moves.csv").exists()
    with pytest.raises(RowError, match="line 3"):
        audit(solution(), tmp_path / "bad.csv")
    assert audit(solution(), tmp_path / "bad.csv", RowOptions(strict=False)).bad == 4


@pytest.mark.parametrize(
    ("name", "data", "lines"),
    [
        ("a.csv", b"path,student\n0,Ann\n1,\xff\n2,Bob\n", [3]),
        ("a.csv", b"path,student\n0,Ann\n1\n\n2,Bob,3\n3,Cy\n", [3, 5]),
        ("a.jsonl", b'{"path": "0"}\n[1]\n{"path"\n{"path": "1", "PATH": "2"}\n{"path": "\xff"}\n', [2, 3, 4, 5]),
        ("a.jsonl", b'nonsense\n{"path": "0"}\n', [1]),
        ("a.txt", b"0\n\xff\xfe\n0 0\nzz\n", [2, 3, 4]),
    ],
)
def test_every_format_goes_on_after_a_bad_line(name, data, lines, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    found = audit(solution(), path, RowOptions(strict=False))
    assert [int(message.split("line ")[1].split()[0].rstrip(":")) for message in found.bad_rows] == lines
    assert found.outcomes()["games_unfinished"] >= 1


def test_a_file_of_nothing_but_bad_rows(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text("path\n00\n11\n")
    result = gametree("audit", "tictactoe", "bad.csv", "--format", "json")
    assert (result.code, result.json["games"], result.json["bad"]) == (1, 0, 2)
    (tmp_path / "bad.jsonl").write_text("no\nno\n")
    assert gametree("audit", "tictactoe", "bad.jsonl").code == 2


def test_what_a_file_holds_never_steers_a_terminal(gametree, tmp_path):
    (tmp_path / "games.csv").write_text('path,student\n041,"a\nb"\n041,\x1b[31mred\n041,[red]x[/red]\n')
    result = gametree("audit", "tictactoe", "games.csv")
    assert result.code == 0
    assert "\x1b" not in result.out
    for words in ("\\x1b[31mred", "a\\nb", "[red]x[/red]"):
        assert words in result.out
    (tmp_path / "games.csv").write_text("path,outcome\n041,\x1b[31mred\n")
    assert "\x1b" not in gametree("audit", "tictactoe", "games.csv").err
    assert "\x1b" not in gametree("solve", "\x1b[31mred").err


@pytest.mark.parametrize(
    ("path", "said", "outcome", "resigned", "thrown"),
    [
        ("0412", "X", "X", "O", ["O"]),  # a tie, which O gave up
        ("0412", "O resigned", "X", "O", ["O"]),
        ("0412", "o resigns", "X", "O", ["O"]),
        ("0412", "resigned", "O", "X", ["X"]),  # X has to move
        ("041", "resigned", "X", "O", ["O"]),
        ("0412", "0-1", "O", "X", ["X"]),
        ("01", "O", "O", "X", ["X"]),  # X was winning
        ("01", "X", "X", "O", ["O"]),  # O had a tie one ply before
        ("0412", "tie", "tie", None, []),
        ("01", "draw", "tie", None, ["X"]),
        ("01", "1/2-1/2", "tie", None, ["X"]),
        ("0412", "*", "unfinished", None, []),
        ("0412", "unfinished", "unfinished", None, []),
        ("0412", "", "unfinished", None, []),
        ("", "X", "X", "O", ["O"]),
    ],
)
def test_games_that_are_not_over(path, said, outcome, resigned, thrown):
    judged = audit(solution(), [{"path": path, "outcome": said}])
    (game,) = judged.rows()
    assert (game["outcome"], game["resigned"], game["thrown_away_by"]) == (outcome, resigned, thrown)
    found = judged.to_json()
    assert found[f"games_{outcome.lower()}"] == 1
    by_side = {row["side"]: row for row in found["by_side"]}
    assert [side for side in "XO" if by_side[side]["resigned"]] == [resigned] * (resigned is not None)
    assert [side for side in "XO" if by_side[side]["thrown_away"]] == thrown


def test_a_zero_that_was_lost_is_no_resignation(gametree, tmp_path):
    (tmp_path / "lost.csv").write_text("path,outcome\n412673,X\n41263578,tie\n4126,X\n13467,O\n")
    result = gametree("audit", "tictactoe", "lost.csv", "--format", "json")
    assert [row["outcome"] for row in result.json["rows"]] == ["X"]
    assert [message.count("loses its leading zeros") for message in json.loads(result.out)["bad_rows"]] == [1, 1, 0]
