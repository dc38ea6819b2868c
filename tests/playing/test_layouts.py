"""How tables are laid out: names of columns, single moves, moves as text, outcomes, files in each format."""

import json

import pandas as pd
import pytest

from analysis.errors import OptionError
from analysis.playing import RowError, RowOptions, audit, exploit
from tests.playing.test_audit import solution
from tests.support.program import one_line


def read(rows, spec="tictactoe", **options):
    """The players, paths and outcomes of games, and the audit of those that were read."""
    found = audit(solution(spec), rows, RowOptions(strict=False, **options))
    return [(row["x"], row["o"], row["path"], row["outcome"]) for row in found.rows()], found


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


# A move a row ---------------------------------------------------------------------------------------------------------

HEADERS = [
    ("game", "player", "move_number", "row", "col"),
    ("Game ID", "Player", "MoveNumber", "Row", "Column"),
    ("id", "player", "move", "row", "col"),
    ("game", "player_name", "turn", "ROW", "COL"),
]


@pytest.mark.parametrize("names", HEADERS, ids=["/".join(names) for names in HEADERS])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_names_of_columns_and_separators(names, sign, tmp_path):
    header = ",".join(f'"{name}"' for name in names)
    text = header + "\r\n1,A,1,2,2\r\n\r\n1,B,2,0,0\r\n1,A,3,0,1\r\n"
    games, found = read(file(tmp_path, b"\xef\xbb\xbf" + text.replace(",", sign).encode()))
    assert games == [("A", "B", "801", "unfinished")]
    assert found.unusual


@pytest.mark.parametrize(
    ("rows", "base", "path"),
    [
        ("1,1,1\n1,0,0\n1,0,1", 0, "401"),
        ("1,3,3\n1,1,1\n1,1,2", 1, "801"),  # off the board from 0
        ("1,2,2\n1,1,1\n1,1,2", 0, "845"),  # either way: from 0, as everywhere
    ],
)
def test_what_cells_count_from(rows, base, path, tmp_path):
    games = file(tmp_path, f"game,row,col\n{rows}\n")
    assert paths(games) == [path]
    assert ("counted from 1" in audit(solution(), games).recognised) == bool(base)


def test_it_can_be_said_what_numbers_count_from(tmp_path):
    games = file(tmp_path, "game,row,col\n1,2,2\n1,1,1\n")
    assert paths(games, columns={"count": "1"}) == ["40"]
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,1\n"), columns={"count": "1"}) == ["40"]
    assert paths(file(tmp_path, "path\n1-5-2\n"), columns={"count": "1"}) == ["041"]
    assert paths(["1-10-3", "X1 O9"], spec="wild", columns={"count": "1"}) == ["0-9-2", "0-17"]
    with pytest.raises(OptionError, match="count=2"):
        audit(solution(), games, RowOptions(columns={"count": "2"}))
    assert "off the board" in refused(file(tmp_path, "game,row,col\n1,0,0\n1,3,1\n"))


def test_numbers_count_from_1_where_one_is_too_large_for_0(tmp_path):
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,9\n1,3,1\n")) == ["480"]
    assert paths(file(tmp_path, "game,turn,cell\n1,1,5\n1,2,8\n1,3,1\n")) == ["581"]
    assert paths(["152374689", "1235"]) == ["041263578", "0124"]
    assert "9" in refused(file(tmp_path, "game,turn,cell\n1,1,0\n1,2,9\n"))


def test_games_need_not_be_apart_and_moves_not_in_order(tmp_path):
    rows = "game,ply,cell,student\nb,2,0,Bo\na,0,4,Al\nb,1,8,Bo\na,1,0,Al\nb,3,4,Bo\n"
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


@pytest.mark.parametrize("labels", ["XOX", "xox", "121", "010", ("1", "-1", "1"), ("first", "second", "first")])
def test_players_that_are_sides(labels, tmp_path):
    rows = "".join(f"1,{place},{label},{place}\n" for place, label in enumerate(labels))
    assert read(file(tmp_path, "game,turn,player,cell\n" + rows))[0] == [(None, None, "012", "unfinished")]


@pytest.mark.parametrize("names", ["Player X,Player O", "x,o", "player1,player2"])
def test_mistakes_are_of_who_made_them(names, tmp_path):
    rows = f"game,move_number,{names},cell\n1,0,Ann,Bob,4\n2,0,Bob,Ann,4\n1,1,Ann,Bob,1\n2,1,Bob,Ann,0\n"
    found = audit(solution(), file(tmp_path, rows))
    assert [(row["player"], row["moves"], row["mistakes"]) for row in found.by_player()] == [
        ("Ann", 2, 0),
        ("Bob", 2, 1),
    ]
    each = "game,move_number,player,cell\n1,0,p1,4\n1,1,p3,1\n2,0,p3,4\n2,1,p1,0\n"
    assert [row["mistakes"] for row in audit(solution(), file(tmp_path, each)).by_player()] == [0, 1]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1,1,O,4\n1,2,X,0", 2),
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


def test_a_sum_for_each_player_and_each_class(tmp_path):
    rows = "game,turn,player,cell,class\n1,1,Ann,0,7b\n1,2,Bob,1,7b\n2,1,Bob,4,7c\n2,2,Ann,1,7c\n"
    found = audit(solution(), file(tmp_path, rows), RowOptions(by=["player", "class"])).by_column()
    told = {row["value"]: (row["games"], row["moves"], row["mistakes"]) for row in found["player"] + found["class"]}
    assert told == {"Ann": (2, 2, 1), "Bob": (2, 2, 1), "7b": (1, 2, 1), "7c": (1, 2, 1)}


def test_a_column_that_differs_within_a_game(tmp_path):
    rows = "game,turn,cell,student\n1,1,4,Ann\n1,2,0,Bob\n"
    assert "student is 'Bob' but 'Ann' before" in refused(file(tmp_path, rows), by=["student"])
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
    assert paths(rows, start="04") == ["81"]
    assert "no move 1" in refused(rows)


# A move a column ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", ["MOVE1,MOVE2,MOVE3", "Move 1,Move 2,Move 3", "move_0,move_1,move_2"])
def test_one_move_a_column(names, tmp_path):
    rows = f"{names},CLASS\n0,8,1,loss\n4,7,?,win\n4,?,?,draw\n?,?,?,\n"
    games, found = read(file(tmp_path, rows))
    assert [game[2:] for game in games] == [("081", "O"), ("47", "X"), ("4", "tie"), ("", "unfinished")]
    assert not found.bad


def test_ends_of_rows_gaps_and_data_frames(tmp_path):
    assert paths(file(tmp_path, "id,move1,move2,move3\n7,0\n8,4,1,\n9,4,1,0\n")) == ["0", "41", "410"]
    assert "move3" in refused(file(tmp_path, "move1,move2,move3\n0,,4\n"))
    frame = pd.DataFrame({"MOVE1": [4, 0], "MOVE2": [0, None], "CLASS": ["win", "loss"]})
    assert [game[2:] for game in read(frame)[0]] == [("40", "X"), ("0", "O")]
    assert paths(file(tmp_path, "t1,t2\n4,0\n"), columns={"moves": "t"}) == ["40"]


# A game a row ---------------------------------------------------------------------------------------------------------

TEXTS = {
    "[4, 0, 1, 2, 7]": "40127", "['b2', 'a1']": "40", "(1, 1), (0, 0)": "40", "[(1,1), (0,0)]": "40",
    "(4, 0, 8)": "408", "[]": "", "0124": "0124", "4-0": "40", "b2 a1": "40",
}  # fmt: skip


def test_lists_and_pairs(tmp_path):
    frame = pd.DataFrame({"moves": [*TEXTS]})
    assert paths(frame) == [*TEXTS.values()]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert paths(tmp_path / "a.csv") == [*TEXTS.values()]
    assert paths([{"path": [[2, 2], (1, 1)]}]) == ["84"]


GAMES = [{"moves": [4, 0, 1], "winner": "X"}, {"moves": "b2 a1", "winner": None}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(GAMES)),
        ("a", json.dumps(GAMES)),
        ("a.json", json.dumps({"games": GAMES})),
        ("a.json", json.dumps({"moves": ["401", "40"], "winner": ["X", ""]})),
        ("a.json", "".join(json.dumps(game) + "\n" for game in GAMES)),
        ("a.json", pd.DataFrame(GAMES).to_json()),
    ],
)
def test_json(name, content, tmp_path):
    assert [game[2:] for game in read(file(tmp_path, content, name))[0]] == [("401", "X"), ("40", "unfinished")]
    assert paths(file(tmp_path, '["401", [4, 0]]', "a.json")) == ["401", "40"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings_and_ends_of_lines(encoding, end, tmp_path):
    text = end.join(["path,student,", "041,José,", "", ",,", "4,Zoë,", ""])
    found = audit(solution(), file(tmp_path, text.encode(encoding)))
    assert [row["value"] for row in found.by_column()["student"]] == ["José", "Zoë"]


@pytest.mark.parametrize(
    "content", ['[{"path": "04"},\n{"path":', "[" * 100_000, "[3.5, null]", "{", "[]", "{}", "3", ""]
)
def test_json_that_is_none(content, tmp_path):
    with pytest.raises(RowError) as error:
        audit(solution(), file(tmp_path, content, "a.json"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pgn", '[Event "x"]\n\n1. e4 e5', ".pgn"),
        ("a.xlsx", "PK", ".xlsx"),
        ("a.csv", "path\n0\0", "not text"),
        ("a.csv", "path\n041\n".encode("utf-32"), "not text"),
    ],
)
def test_forms_that_are_not_read_are_named_with_those_that_are(name, content, words, gametree, tmp_path):
    one_line(gametree("audit", "tictactoe", file(tmp_path, content, name)), 2, words, "Parquet")


# A choice a row, and columns ------------------------------------------------------------------------------------------


def test_choices_on_boards_that_are_lists(tmp_path):
    nested = [["X", None, None], [None, None, None], [None, None, None]]
    rows = [{"board": board, "move": 4} for board in (["X", *[""] * 8], nested, [1, *[0] * 8], "X" + "?" * 8)]
    totals = audit(solution(), file(tmp_path, json.dumps(rows), "a.json")).totals()
    assert (totals["moves"], totals["mistakes"]) == (4, 0)


def test_states_and_actions(tmp_path):
    for header in ("state,action", "board,cell"):
        found = audit(solution(), file(tmp_path, f"{header}\nX????????,4\n????X????,0\n"))
        assert (found.kind, found.totals()["moves"], found.totals()["mistakes"]) == ("choices", 2, 0)
    cells = file(tmp_path, "position,row,col\nX????????,1,1\n????X????,0,0\n")
    assert audit(solution(), cells).totals()["mistakes"] == 0


def test_probabilities_make_a_random_policy(tmp_path):
    rows = [("X????????", 4, "1/4"), ("X????????", 1, "0.75"), ("?X???????", 0, "1"), ("XO???????", 3, "0.5")]
    table = pd.DataFrame(rows, columns=["position", "move", "probability"])
    found = audit(solution(), table[:3]).policies[0]
    assert (found.positions, found.contradictions, found.left_out) == (2, 0, None)
    chances = exploit(solution(), {"?X???????": 0}, "O")
    assert found.sides["O"].least == pytest.approx(0.75)
    assert (found.sides["O"].gaps > 0, chances.gaps > 0) == (True, True)
    assert "add up to 0.5" in audit(solution(), table).policies[0].left_out
    assert "from 0 to 1" in refused([{"position": "X????????", "move": 4, "prob": "2"}])


def test_columns_that_are_named(gametree, tmp_path):
    rows = file(tmp_path, "pre,taken\nX????????,4\n")
    found = gametree("audit", "tictactoe", rows, "--columns", "position=Pre,move=taken", "--format", "json")
    assert (found.code, found.json["kind"], found.json["moves"]) == (0, "choices", 1)
    assert "'pre'" in found.json["recognised"]
    assert found.err.count("\n") == 1
    assert paths([{"zug": 4}], columns={"game": "zug", "move": "zug"}) == ["4"]


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


# Outcomes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        *(dict.fromkeys(("X", "x", "win", "WIN", "won", 1, "1", 1.0, "+1", "1-0", "X wins", "First"), "X").items()),
        *(dict.fromkeys(("O", "loss", "Lost", -1, "-1", "0-1", "O wins", "player 2 wins", "x resigned"), "O").items()),
        *(dict.fromkeys(("tie", "Draw", 0, "0", "0.0", "1/2-1/2"), "tie").items()),
        *(dict.fromkeys(("Ann", "ann wins", "Bob lost", "Bob resigned"), "X").items()),
        *(dict.fromkeys(("bob", "Bob won", "Ann loses"), "O").items()),
        *(dict.fromkeys(("*", "", None, float("nan"), "nobody"), "unfinished").items()),
    ],
)  # fmt: skip
def test_outcomes(said, outcome):
    rows = [{"path": "04", "white": "Ann", "black": "Bob", "result": said}]
    assert read(rows)[0] == [("Ann", "Bob", "04", outcome)]


@pytest.mark.parametrize("said", ["Cy", "2", "maybe", True, 7, "0.5", "Cy wins"])
def test_what_is_no_outcome(said):
    assert "unknown outcome" in refused([{"path": "04", "x": "Ann", "outcome": said}])


def test_names_that_could_be_either_side():
    assert "X or O" in refused([{"path": "0", "x": "O", "o": "X", "outcome": "X"}])
    assert "X or O" in refused([{"path": "0", "x": "Ann", "o": "Ann", "outcome": "Ann"}])
    assert read([{"path": "0", "x": "1", "o": "2", "winner": "2"}, {"path": "0", "winner": 2}])[0][1][3] == "O"


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


def test_by_a_column_that_is_read():
    rows = [{"path": "041", "x": "Ann", "o": "Bot"}, {"path": "4", "x": "Bob", "o": "Bot"}]
    found = audit(solution(), rows, RowOptions(by=["x"])).by_column()["x"]
    assert [(row["value"], row["games"], row["games_unfinished"]) for row in found] == [
        ("Ann", 1, 1),
        ("Bob", 1, 1),
    ]


def test_results_of_games_are_grouped_by_only_if_asked():
    rows = [{"game": 7, "path": "04125", "outcome": "unfinished", "payoff": 0, "plies": 5, "student": "Ann"}]
    assert [*audit(solution(), rows).by_column()] == ["student"]
    assert [*audit(solution(), rows).given] == ["game", "payoff", "plies", "student"]
    assert [*audit(solution(), rows, RowOptions(by=["plies"])).by_column()] == ["plies"]


def test_moves_of_other_games():
    with pytest.raises(RowError, match="not single cells"):
        audit(solution("nim:heaps=2-3"), [{"game": 1, "row": 0, "col": 0}])
