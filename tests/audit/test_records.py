"""Records as people keep them: one move a row or a column, lists, JSON, other names of columns and other encodings."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.audit import RowError, RowOptions, audit, exploit, judge_rows
from analysis.errors import OptionError
from tests.audit.test_audit import solution
from tests.support.program import one_line


def read(rows, spec="tictactoe", **options):
    """The players, paths and outcomes of games, and what was said of rows that were left out."""
    games = []
    found = audit(
        solution(spec),
        rows,
        RowOptions(strict=False, **options),
        each=lambda recorder, number, game: games.append(game),
    )
    return [(game.x, game.o, game.path, game.outcome) for game in games], found


def paths(rows, spec="tictactoe", **options):
    games, found = read(rows, spec, **options)
    assert not found.bad_rows, found.bad_rows
    return [path for _, _, path, _ in games]


def file(tmp_path, content, name="games.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(rows, spec="tictactoe", **options):
    (message,) = read(rows, spec, **options)[1].bad_rows
    assert "\n" not in message
    return message


# One move a row -------------------------------------------------------------------------------------------------------

HEADERS = [
    ("game", "player", "move_number", "row", "col"),
    ("Game ID", "Player", "MoveNumber", "Row", "Column"),
    ("match", "who", "ply", "y", "x"),
    ("id", "mover", "move", "row", "col"),
    ("episode", "symbol", "turn", "ROW", "COL"),
]


@pytest.mark.parametrize("names", HEADERS, ids=["/".join(names) for names in HEADERS])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_names_of_columns_and_separators(names, sign, tmp_path):
    header = ",".join(f'"{name}"' for name in names)
    text = header + "\r\n1,A,1,3,3\r\n\r\n1,B,2,1,1\r\n1,A,3,1,2\r\n"
    games, found = read(file(tmp_path, b"\xef\xbb\xbf" + text.replace(",", sign).encode()))
    assert games == [("A", "B", "801", "unfinished")]
    assert found.unusual
    assert "counted from 1" in found.recognised


@pytest.mark.parametrize(
    ("rows", "base", "path"),
    [("1,1,1\n1,0,0\n1,0,1", 0, "401"), ("1,3,3\n1,1,1\n1,1,2", 1, "801"), ("1,2,2\n1,1,1\n1,1,2", 1, "401")],
)
def test_what_cells_count_from(rows, base, path, tmp_path):
    games = file(tmp_path, f"game,row,col\n{rows}\n")
    assert paths(games) == [path]
    assert f"counted from {base}" in audit(solution(), games).recognised


def test_it_can_be_said_what_cells_count_from(tmp_path):
    games = file(tmp_path, "game,row,col\n1,2,2\n1,1,1\n")
    assert paths(games, columns={"count": "0"}) == ["84"]
    assert paths(games, columns={"count": "1"}) == ["40"]
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,1\n"), columns={"count": "1"}) == ["40"]
    with pytest.raises(OptionError, match="count=2"):
        audit(solution(), games, RowOptions(columns={"count": "2"}))
    assert "off the board" in refused(file(tmp_path, "game,row,col\n1,0,0\n1,3,1\n"))


def test_numbers_of_cells_count_from_1_where_one_is_too_large_for_0(tmp_path):
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,9\n1,3,1\n")) == ["480"]
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,8\n1,3,1\n")) == ["581"]
    assert "9" in refused(file(tmp_path, "game,turn,cell\n1,1,0\n1,2,9\n"))


def test_what_paths_count_from(tmp_path):
    whole = "041263578"
    for text in ("152374689", "1-5-2-3-7-4-6-8-9", "1 5 2 3 7 4 6 8 9", "a1 2 3"):
        for name, lines in (("games.csv", f"path\n{text}\n"), ("games.txt", f"{text}\n")):
            games = file(tmp_path, lines, name)
            (found,) = paths(games, columns={"count": "1"})
            assert found == ("012" if text == "a1 2 3" else whole)
            assert "counted from 1" in audit(solution(), games, RowOptions(columns={"count": "1"})).recognised
    assert paths(["152374689", "1235"]) == [whole, "0124"]  # a 9, and no 0
    assert paths([{"path": [1, 5, 9]}]) == ["048"]
    assert paths(["152374", "1235"]) == ["152374", "1235"]
    assert "`columns` count=1" in refused(["1235", "118"])
    assert "--columns" not in refused(["1230", "118"])
    assert paths(["1-10-3"], spec="wild", columns={"count": "1"}) == ["0-9-2"]


def test_games_need_not_be_apart_and_moves_not_in_order(tmp_path):
    rows = "game,ply,square,student\nb,2,0,Bo\na,0,4,Al\nb,1,8,Bo\na,1,0,Al\nb,3,4,Bo\n"
    assert paths(file(tmp_path, rows)) == ["804", "40"]
    assert paths(file(tmp_path, ",game,cell\n0,1,4\n1,1,0\n2,1,1\n")) == ["401"]  # the index of a data frame
    found = audit(solution(), file(tmp_path, rows), RowOptions(by=["student"]))
    assert [(row["value"], row["games"], row["moves"]) for row in found.by_column()["student"]] == [
        ("Al", 1, 2), ("Bo", 1, 3),
    ]  # fmt: skip


def test_a_game_begins_where_the_number_begins_anew(tmp_path):
    assert paths(file(tmp_path, "turn,action\n1,4\n2,0\n3,8\n1,0\n2,4\n")) == ["408", "04"]
    assert paths(file(tmp_path, "ply,move\n0,b2\n0,a1\n1,c3\n")) == ["4", "08"]
    assert paths(file(tmp_path, "player,row,col\nX,0,0\nO,1,1\n")) == ["04"]


def test_moves_of_both_sides_with_one_number(tmp_path):
    rows = "game,number,player,move\n1,1,white,4\n1,1,black,0\n1,2,white,8\n1,2,black,2\n"
    assert read(file(tmp_path, rows))[0] == [("white", "black", "4082", "unfinished")]


@pytest.mark.parametrize("labels", ["XOX", "xox", "121", "010", ("1", "-1", "1"), ("first", "second", "first")])
def test_players_that_are_sides(labels, tmp_path):
    rows = "".join(f"1,{place},{label},{place}\n" for place, label in enumerate(labels))
    assert read(file(tmp_path, "game,turn,player,cell\n" + rows))[0] == [(None, None, "012", "unfinished")]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1,1,O,4\n1,2,X,0", 2),
        ("1,1,2,4\n1,2,1,0", 2),
        ("1,1,X,4\n1,2,X,0", 3),
        ("1,1,A,4\n1,2,B,0\n1,3,B,1", 4),
        ("1,1,A,4\n1,2,B,4\n1,3,A,1", 3),
        ("1,1,A,4\n1,3,A,1", 3),
        ("1,1,A,4\n1,2,B,0\n1,2,B,1", 4),
        ("1,1,A,4\n1,x,B,0", 3),
        ("1,1,A,\n1,2,B,0", 2),
        ("1,1,A,4\n,2,B,0", 3),
        ("1,2,A,4", 2),
    ],
)
def test_a_wrong_row_names_its_line(rows, line, tmp_path):
    message = refused(file(tmp_path, f"game,turn,player,cell\n{rows}\n"))
    assert f"games.csv, line {line}: " in message


def test_other_games_are_read_on_after_a_wrong_one(gametree, tmp_path):
    rows = "game,turn,player,cell\n1,1,A,4\n1,2,B,4\n2,1,B,0\n2,2,A,1\n"
    found = gametree("audit", "tictactoe", file(tmp_path, rows), "--format", "json")
    assert (found.code, [row["path"] for row in found.json["rows"]], found.json["bad"]) == (1, ["01"], 1)
    assert gametree("audit", "tictactoe", file(tmp_path, rows), "--strict").code == 2


def test_a_sum_for_each_player_and_each_class(tmp_path):
    rows = "game,turn,player,cell,class\n1,1,Ann,0,7b\n1,2,Bob,1,7b\n2,1,Bob,4,7c\n2,2,Ann,1,7c\n"
    found = audit(solution(), file(tmp_path, rows), RowOptions(by=["player", "class"])).by_column()
    told = {row["value"]: (row["games"], row["moves"], row["mistakes"]) for row in found["player"] + found["class"]}
    assert told == {"Ann": (2, 2, 1), "Bob": (2, 2, 1), "7b": (1, 2, 1), "7c": (1, 2, 1)}


def test_a_column_that_differs_within_a_game(tmp_path):
    rows = "game,turn,cell,student\n1,1,4,Ann\n1,2,0,Bob\n"
    assert "`columns` player=student" in refused(file(tmp_path, rows), by=["student"])
    games, _ = read(file(tmp_path, rows), columns={"player": "student"}, by=["student"])
    assert games == [("Ann", "Bob", "40", "unfinished")]
    assert paths(file(tmp_path, rows)) == ["40"]


def test_stones_that_fall(tmp_path):
    spec = "connect:rows=4,cols=4,k=3"
    for rows in ("1,3,0\n1,2,0\n1,3,3", "1,0,0\n1,1,0\n1,0,3"):  # rows from the top, and from the bottom
        assert paths(file(tmp_path, f"game,row,col\n{rows}\n"), spec) == ["003"]
    assert paths(file(tmp_path, "game,turn,column\n1,1,1\n1,2,4\n"), spec) == ["03"]
    assert "no legal move" in refused(file(tmp_path, "game,row,col\n1,1,0\n"), spec)


def test_from_a_position(tmp_path):
    rows = file(tmp_path, "game,turn,cell\n1,3,8\n1,4,1\n")
    assert paths(rows, position="04") == ["81"]
    assert "no move 1" in refused(rows)


# One move a column ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", ["MOVE1,MOVE2,MOVE3", "Move 1,Move 2,Move 3", "m1,m2,m3", "ply_0,ply_1,ply_2"])
def test_one_move_a_column(names, tmp_path):
    rows = f"{names},CLASS\n0,8,1,loss\n4,7,?,win\n4,?,?,draw\n?,?,?,\n"
    games, found = read(file(tmp_path, rows))
    assert [game[2:] for game in games] == [("081", "O"), ("47", "X"), ("4", "tie"), ("", "unfinished")]
    assert not found.bad


def test_a_gap_between_moves_and_data_frames(tmp_path):
    assert "move3" in refused(file(tmp_path, "move1,move2,move3\n0,,4\n"))
    frame = pd.DataFrame({"MOVE1": [4, 0], "MOVE2": [0, None], "CLASS": ["win", "loss"]})
    assert [game[2:] for game in read(frame)[0]] == [("40", "X"), ("0", "O")]
    assert paths(file(tmp_path, "t1,t2\n4,0\n"), columns={"moves": "t"}) == ["40"]
    assert paths(file(tmp_path, "m1,m2,m3\n5,9,1\n")) == ["480"]


# Moves as text --------------------------------------------------------------------------------------------------------

TEXTS = {
    "[4, 0, 1, 2, 7]": "40127", "['b2', 'a1']": "40", "1. b2 a1 2. c3": "408", "1.b2 a1 2.c3": "408",
    "1. 4 0 2. 8": "408", "(1,1) (0,0)": "40", "(1, 1), (0, 0)": "40", "[(1,1), (0,0)]": "40", "[1,1] [0,0]": "40",
    "(4, 0, 8)": "408", "[]": "", "0124": "0124", "4-0": "40",
}  # fmt: skip


def test_lists_numbered_moves_and_pairs(tmp_path):
    frame = pd.DataFrame({"moves": [*TEXTS]})
    assert paths(frame) == [*TEXTS.values()]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert paths(tmp_path / "a.csv") == [*TEXTS.values()]
    assert paths(file(tmp_path, "\n".join(text for text in TEXTS if text), "a.txt")) == [*TEXTS.values()]


def test_the_result_of_numbered_moves(tmp_path):
    assert [game[3] for game in read(pd.DataFrame({"path": ["1. b2 a1 0-1", "1. b2 a1 *"]}))[0]] == ["O", "unfinished"]
    assert "1-0" in refused([{"path": "1. a1 b1 2. a2 b2 3. c3 b3 1-0"}])


def test_pairs_that_count_from_1(tmp_path):
    assert paths([{"path": "(1,1) (3,3)"}, {"path": [[2, 2], (1, 1)]}]) == ["08", "40"]


# Files ----------------------------------------------------------------------------------------------------------------

GAMES = [{"moves": [4, 0, 1], "winner": "X"}, {"moves": "b2 a1", "winner": None}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(GAMES)),
        ("a", json.dumps(GAMES)),
        ("a", json.dumps(GAMES, indent=2)),
        ("a.json", json.dumps({"games": GAMES})),
        ("a.json", json.dumps({"moves": ["401", "40"], "winner": ["X", ""]})),
        ("a.json", "".join(json.dumps(game) + "\n" for game in GAMES)),
        ("a.json", pd.DataFrame(GAMES).to_json()),
        ("a.json", pd.DataFrame(GAMES).to_json(orient="records")),
    ],
)
def test_json(name, content, tmp_path):
    assert [game[2:] for game in read(file(tmp_path, content, name))[0]] == [("401", "X"), ("40", "unfinished")]


def test_json_of_lists(tmp_path):
    assert paths(file(tmp_path, "[[4,0],[1,2,3]]", "a.json")) == ["40", "123"]
    assert paths(file(tmp_path, '["401", "40"]', "a.json")) == ["401", "40"]
    assert paths(file(tmp_path, "[4, 0, 1]\n[1, 2]\n", "a")) == ["401", "12"]
    nested = [{"moves": [{"player": "X", "row": 1, "col": 1}, {"player": "O", "row": 0, "col": 0}]}]
    assert paths(file(tmp_path, json.dumps(nested), "a.json")) == ["40"]


def test_choices_on_boards_that_are_lists(tmp_path):
    flat = ["X", "", "", "", "", "", "", "", ""]
    nested = [["X", None, None], [None, None, None], [None, None, None]]
    rows = [{"board": board, "move": 4} for board in (flat, nested, [1, *[0] * 8], "X" + "?" * 8)]
    tally = audit(solution("tictactoe"), file(tmp_path, json.dumps(rows), "a.json")).tally.all
    assert (tally.moves, tally.mistakes) == (4, 0)
    (message,) = audit(
        solution("tictactoe"),
        file(tmp_path, json.dumps([{"board": [["X"]], "move": 4}]), "b.json"),
        RowOptions(strict=False),
    ).bad_rows
    assert "9" in message or "3 rows" in message


def test_paths_as_json(gametree, tmp_path):
    spec = "mnk:rows=2,cols=2,k=2"
    gametree("paths", spec, "--out", tmp_path / "p.json")
    assert audit(solution(spec), tmp_path / "p.json").tally.all.moves == 3 * 24


def test_lists_in_parquet(tmp_path):
    pq.write_table(pa.table({"moves": [[4, 0, 1], [0]], "winner": ["X", None]}), tmp_path / "a.parquet")
    assert [game[2:] for game in read(tmp_path / "a.parquet")[0]] == [("401", "X"), ("0", "unfinished")]
    pq.write_table(pa.table({"moves": [[[1, 1], [0, 0]], [[2, 2]]]}), tmp_path / "a.parquet")
    assert paths(tmp_path / "a.parquet") == ["40", "8"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_ends_of_lines(encoding, end, tmp_path):
    text = end.join(["path,student,", "041,José,", "", ",,", "4,Zoë,", ""])
    found = audit(solution(), file(tmp_path, text.encode(encoding)))
    assert [row["value"] for row in found.by_column()["student"]] == ["José", "Zoë"]
    assert found.unusual == (not encoding.startswith("utf-8"))


@pytest.mark.parametrize(
    "content", ["path\n041\n".encode("utf-32"), "path\n041\n".encode("utf-16")[:-1], b"path,a\n0,\x81e\x00\n"]
)
def test_what_is_no_text_is_refused_in_a_line(content, gametree, tmp_path):
    one_line(gametree("audit", "tictactoe", file(tmp_path, content), "--strict"), 2, "games.csv")


def test_lines_of_two_encodings(tmp_path):
    content = "path,student\n0,José\n".encode() + "4,Zoë\n".encode("cp1252")
    assert "line 3 is not UTF-8 text" in refused(file(tmp_path, content))


@pytest.mark.parametrize("content", ['[{"path": "04"},\n{"path":', "[" * 100_000, "[3.5, null]", "{", "[]", "{}", "3"])
def test_json_that_is_none(content, tmp_path):
    with pytest.raises(RowError) as error:
        audit(solution(), file(tmp_path, content, "a.json"))
    assert "\n" not in str(error.value)


# Columns --------------------------------------------------------------------------------------------------------------


def test_columns_that_are_named(gametree, tmp_path):
    rows = file(tmp_path, "pre_state,taken\nX????????,4\n")
    found = gametree("audit", "tictactoe", rows, "--columns", "position=Pre_State,move=taken", "--format", "json")
    assert (found.code, found.json["kind"], found.json["moves"]) == (0, "choices", 1)
    assert "'pre_state'" in found.json["recognised"]
    assert found.err.count("\n") == 1
    columns = {"position": "pre_state", "move": "taken"}
    (choice,) = judge_rows(solution(), rows, columns=columns)
    assert choice.verdict.code == 4
    (game,) = judge_rows(solution(), [{"zug": 4}], columns={"game": "zug", "move": "zug"})
    assert game.path == "4"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--columns path=taken or position=pre,move=taken"),
        (["--columns", "positon=pre"], "position"),
        (["--columns", "position=foo"], "has pre, taken"),
        (["--columns", "pre"], "--columns"),
        (["--columns", "position=pre", "--by", "none"], "--columns"),
    ],
)
def test_columns_that_cannot_be_read(options, words, gametree, tmp_path):
    one_line(gametree("audit", "tictactoe", file(tmp_path, "pre,taken\nX????????,4\n"), *options), 2, words)


def test_states_and_actions(tmp_path):
    for header in ("state,action", "board,square", "Pre_State,Choice"):
        found = audit(solution(), file(tmp_path, f"{header}\nX????????,4\n????X????,0\n"))
        assert (found.kind, found.tally.all.moves, found.tally.all.mistakes) == ("choices", 2, 0)
    cells = file(tmp_path, "position,row,col\nX????????,1,1\n????X????,0,0\n")
    assert audit(solution(), cells).tally.all.mistakes == 0


def test_games_of_known_columns_need_no_word(gametree, tmp_path):
    for text in ("path,x,o,outcome\n041,a,b,\n", "position,move,player\nX????????,4,a\n", "Backtracker\n041\n"):
        assert gametree("audit", "tictactoe", file(tmp_path, text)).err == ""
    said = gametree("audit", "tictactoe", file(tmp_path, "moves,result\n041,\n")).err
    assert (said.count("\n"), "'moves'" in said, "'result'" in said) == (1, True, True)


# Outcomes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        *(dict.fromkeys(("X", "x", "win", "WIN", "won", 1, "1", 1.0, "+1", "1-0", "X wins", "First"), "X").items()),
        *(dict.fromkeys(("O", "loss", "Lost", -1, "-1", "0-1", "O wins", "player 2 wins", "x resigned"), "O").items()),
        *(dict.fromkeys(("tie", "Draw", 0, "0", "0.0", "1/2-1/2", "½-½"), "tie").items()),
        *(dict.fromkeys(("Ann", "ann wins", "Winner: Ann", "Bob lost", "Bob resigned"), "X").items()),
        *(dict.fromkeys(("bob", "Bob won", "Ann loses"), "O").items()),
        *(dict.fromkeys(("*", "", None, float("nan"), "nobody"), "unfinished").items()),
    ],
)  # fmt: skip
def test_outcomes(said, outcome):
    (game,) = judge_rows(solution(), [{"path": "04", "white": "Ann", "black": "Bob", "result": said}])
    assert (game.x, game.o, game.outcome) == ("Ann", "Bob", outcome)


@pytest.mark.parametrize("said", ["Cy", "2", "maybe", True, 7, "0.5", "Cy wins"])
def test_what_is_no_outcome(said):
    assert "unknown outcome" in refused([{"path": "04", "x": "Ann", "outcome": said}])


def test_names_that_could_be_either_side():
    assert "X or O" in refused([{"path": "0", "x": "O", "o": "X", "outcome": "X"}])
    assert "X or O" in refused([{"path": "0", "x": "Ann", "o": "Ann", "outcome": "Ann"}])
    assert [game.outcome for game in judge_rows(solution(), [{"path": "0", "x": "1", "o": "2", "winner": "2"}])] == [
        "O"
    ]
    (game,) = judge_rows(solution(), [{"path": "0", "winner": 2}])
    assert game.outcome == "O"


@pytest.mark.parametrize(("side", "said", "outcome"), [("O", "win", "O"), ("X", "win", "X"), ("bob", "loss", "X")])
def test_whose_win_it_is(side, said, outcome):
    row = {"path": "0", "x": "Ann", "o": "Bob", "side": side, "outcome": said}
    assert [game.outcome for game in judge_rows(solution(), [row])] == [outcome]
    assert "neither X nor O" in refused([{"path": "0", "side": "left", "outcome": "win"}])


def test_outcomes_as_o_sees_them():
    rows = [{"path": "0", "o_result": said} for said in ("win", 1, -1, "X")]
    assert [game.outcome for game in judge_rows(solution(), rows)] == ["O", "O", "X", "X"]


def test_an_outcome_that_contradicts_the_moves():
    for said in ("loss", -1, "O wins", "tie", "Bob", "X resigned"):
        assert "0412673 is won by X" in refused([{"path": "0412673", "o": "Bob", "outcome": said}])
    turns = [{"game": 1, "turn": turn, "cell": cell, "winner": "O"} for turn, cell in enumerate((0, 3, 1, 4, 2))]
    assert "row 1:" in refused(turns)
    turns[3]["winner"] = "X"
    assert "row 4:" in refused(turns)


# A class --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def handed_in(tmp_path):
    """Choices of 25 students: each answers one corner right or wrong."""
    rows = [f"X????????,{4 if number % 2 else 1},s{number:02}" for number in range(25)]
    return file(tmp_path, "\n".join(["position,move,student", *rows]) + "\n")


def test_a_row_a_student_in_every_format(gametree, handed_in):
    rows = gametree("audit", "tictactoe", handed_in, "--by", "student", "--format", "json").json["by_column"]["student"]
    assert [row["value"] for row in rows] == [f"s{number:02}" for number in range(25)]
    right, wrong = (exploit("tictactoe", {"X????????": move}, "O") for move in (4, 1))
    for number, row in enumerate(rows):
        known = right if number % 2 else wrong
        assert (row["exploitability_o_least"], row["exploitability_o_most"]) == (known.least, known.most)
        assert (row["policies"], row["moves"], row["mistakes"]) == (1, 1, 1 - number % 2)
    lines = gametree("audit", "tictactoe", handed_in, "--by", "student", "--format", "csv").out.splitlines()
    assert len(lines) == 26
    assert lines[1].startswith("student,s00,1,")
    table = gametree("audit", "tictactoe", handed_in, "--by", "student").out
    assert sum(line.startswith("s") and line[1:3].isdecimal() for line in table.splitlines()) == 25


def test_students_are_told_apart_unasked(handed_in):
    found = audit(solution(), handed_in)
    assert [policy.of["student"] for policy in found.policies] == [f"s{number:02}" for number in range(25)]
    assert {policy.contradictions for policy in found.policies} == {0}
    assert not any(policy.left_out for policy in found.policies)


def test_two_columns_that_say_who_chose():
    rows = [
        {"position": "X????????", "move": move, "student": "Ann", "try": number} for number, move in enumerate((4, 1))
    ]
    found = audit(solution(), rows, RowOptions(by=["student", "try"]))
    assert [(policy.of, policy.contradictions) for policy in found.policies] == [
        ({"student": "Ann", "try": "0"}, 0), ({"student": "Ann", "try": "1"}, 0),
    ]  # fmt: skip
    columns = found.by_column()
    assert [(row["policies"], row["exploitability_o_most"]) for row in columns["student"]] == [(2, None)]
    assert [row["exploitability_o"] for row in columns["try"]] == [None, 1]


def test_by_a_column_that_is_read(tmp_path):
    rows = [{"path": "041", "x": "Ann", "o": "Bot"}, {"path": "4", "x": "Bob", "o": "Bot"}]
    found = audit(solution(), rows, RowOptions(by=["x"])).by_column()["x"]
    assert [(row["value"], row["games"], row["outcomes"]["unfinished"]) for row in found] == [
        ("Ann", 1, 1),
        ("Bob", 1, 1),
    ]


def test_results_of_games_are_grouped_by_only_if_asked():
    rows = [{"game": 7, "path": "04125", "outcome": "unfinished", "payoff": 0, "plies": 5, "student": "Ann"}]
    assert [*audit(solution(), rows).by_column()] == ["student"]
    assert audit(solution(), rows).others == ("game", "payoff", "plies", "student")
    assert [*audit(solution(), rows, RowOptions(by=["plies"])).by_column()] == ["plies"]


def test_moves_of_other_games():
    nim = analysis.solve("nim:heaps=2-3")
    with pytest.raises(RowError, match="not single cells"):
        list(judge_rows(nim, [{"game": 1, "row": 0, "col": 0}]))


def test_columns_that_only_later_rows_have(tmp_path):
    rows = [{"path": "0"}, {"path": "1", "winner": "O", "student": "Ann"}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for given in (rows, file(tmp_path, lines, "a.jsonl"), file(tmp_path, json.dumps(rows), "a.json")):
        games, found = read(given)
        assert [game[3] for game in games] == ["unfinished", "O"]
        assert found.others == ("student",)


def test_games_are_judged_as_they_come():
    taken = []
    rows = ({"path": "041", "n": taken.append(number)} for number in range(5000))
    next(judge_rows(solution(), rows))
    assert len(taken) <= 200
