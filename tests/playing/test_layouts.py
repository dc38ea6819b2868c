"""How tables are laid out: names of columns, single moves, outcomes, choices, files in each format."""

import json

import pandas as pd
import pytest

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


# Games ----------------------------------------------------------------------------------------------------------------

HEADERS = [
    ("game", "player", "move_number", "row", "col"),
    ("Game ID", "Player", "MoveNumber", "Row", "Column"),
    ("id", "player", "move", "row", "col"),
]


@pytest.mark.parametrize("names", HEADERS, ids=["/".join(names) for names in HEADERS])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_names_of_columns_and_separators(names, sign, tmp_path):
    header = ",".join(f'"{name}"' for name in names)
    text = header + "\r\n1,A,1,2,2\r\n\r\n1,B,2,0,0\r\n1,A,3,0,1\r\n"
    games, found = read(file(tmp_path, b"\xef\xbb\xbf" + text.replace(",", sign).encode()))
    assert games == [("A", "B", "801", "unfinished")]
    assert "row by 'row'" in found.recognised


def test_games_need_not_be_apart_and_moves_not_in_order(tmp_path):
    rows = "game,ply,cell,student\nb,2,0,Bo\na,0,4,Al\nb,1,8,Bo\na,1,0,Al\nb,3,4,Bo\n"
    assert paths(file(tmp_path, rows)) == ["804", "40"]
    assert paths(file(tmp_path, ",game,cell\n0,1,4\n1,1,0\n2,1,1\n")) == ["401"]  # the index of a data frame
    assert paths(file(tmp_path, "player,row,col\nX,0,0\nO,1,1\n")) == ["04"]  # one game
    found = audit(solution(), file(tmp_path, rows), RowOptions(by=["student"]))
    assert [(row["student"], row["games"], row["moves"]) for row in found.groups() if row["side"] == "X"] == [
        ("Bo", 1, 2), ("Al", 1, 1),
    ]  # fmt: skip
    late = file(tmp_path, "game,turn,cell\n1,3,8\n1,4,1\n")
    assert paths(late, start="04") == ["81"]
    assert "numbered" in refused(late)


@pytest.mark.parametrize("labels", ["XOX", "xox", ("first", "second", "first")])
def test_players_that_are_sides(labels, tmp_path):
    rows = "".join(f"1,{place},{label},{place}\n" for place, label in enumerate(labels))
    assert read(file(tmp_path, "game,turn,player,cell\n" + rows))[0] == [(None, None, "012", "unfinished")]


def test_mistakes_are_of_who_made_them(tmp_path):
    for names in ("Player X,Player O", "x,o"):
        rows = f"game,move_number,{names},cell\n1,0,Ann,Bob,4\n2,0,Bob,Ann,4\n1,1,Ann,Bob,1\n2,1,Bob,Ann,0\n"
        found = audit(solution(), file(tmp_path, rows)).by_player()
        assert [(row["player"], row["moves"], row["mistakes"]) for row in found] == [("Ann", 2, 0), ("Bob", 2, 1)]
    each = "game,move_number,player,cell\n1,0,p1,4\n1,1,p3,1\n2,0,p3,4\n2,1,p1,0\n"
    found = audit(solution(), file(tmp_path, each), RowOptions(by=["player"]))
    assert [row["mistakes"] for row in found.by_player()] == [0, 1]
    assert [(row["player"], row["side"], row["mistakes"]) for row in found.groups()] == [
        ("p1", "X", 0), ("p3", "O", 1), ("p3", "X", 0), ("p1", "O", 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "number"),
    [
        ("1,1,O,4\n1,2,X,0", 2),
        ("1,1,X,4\n1,2,X,0", 3),
        ("1,1,A,4\n1,2,B,4\n1,3,A,1", 3),
        ("1,1,A,4\n1,3,A,1", 3),
        ("1,1,A,4\n1,2,B,0\n1,2,B,1", 4),
        ("1,1,A,4\n1,x,B,0", 3),
        ("1,1,A,\n1,2,B,0", 2),
        ("1,1,A,4\n,2,B,0", 3),
        ("1,2,A,4", 2),
    ],
)
def test_a_wrong_row_is_named(rows, number, tmp_path):
    found = read(file(tmp_path, f"game,turn,player,cell\n{rows}\n"))[1]
    assert [f"games.csv, row {number}: " in message for message in found.bad_rows] == [True]


def test_stones_that_fall(tmp_path):
    spec = "connect:rows=4,cols=4,k=3"
    assert paths(file(tmp_path, "game,row,col\n1,3,0\n1,2,0\n1,3,3\n"), spec) == ["003"]
    assert "not legal" in refused(file(tmp_path, "game,row,col\n1,1,0\n"), spec)
    assert "not legal" in refused([{"game": 1, "row": 0, "col": 0}], "nim:heaps=2-3")


@pytest.mark.parametrize("names", ["MOVE1,MOVE2,MOVE3", "Move 1,Move 2,Move 3", "move_0,move_1,move_2"])
def test_one_move_a_column(names, tmp_path):
    assert paths(file(tmp_path, f"{names},CLASS\n0,8,1,loss\n4,7,?,win\n4,,,draw\n?,?,?,\n")) == ["081", "47", "4", ""]
    assert "no move 2" in refused(file(tmp_path, f"{names}\n0,,4\n"))
    assert paths(pd.DataFrame({"MOVE1": [4, 0], "MOVE2": [0, None]})) == ["40", "0"]


@pytest.mark.parametrize(
    ("said", "outcome"), [("X", "X"), (" x", "X"), (1, "X"), ("1.0", "X"), ("0", "X"), ("tie", "X")]
)
def test_outcomes(said, outcome):
    path = {"X": "0412673", "O": "01346"}[outcome]
    rows = [{"path": path, "white": "Ann", "black": "Bob", "result": said}]
    if said in ("0", "tie"):
        assert "won by X" in refused(rows)
    else:
        assert read(rows)[0] == [("Ann", "Bob", path, outcome)]


def test_an_outcome_that_contradicts_the_moves():
    for said in ("O", "Mia", "unfinished"):
        assert "the game is won by X" in refused([{"path": "0412673", "x": "Leo", "o": "Mia", "outcome": said}])
    assert "unknown outcome 'maybe'" in refused([{"path": "0412673", "outcome": "maybe"}])
    given_up = {"path": "412673", "x": "Leo", "o": "Mia", "outcome": "Mia"}
    assert read([given_up])[0][0][3] == "unfinished"
    assert read([{"path": "0412673", "x": "Leo", "o": "Mia", "winner": "Leo"}])[0][0][3] == "X"
    assert read([{"path": "041263578", "winner": each} for each in ("tie", 0, None, "")])[0][3][3] == "tie"
    assert paths([{"path": "0", "winner": "v"}], "domineering:rows=2,cols=1") == ["0"]


# Files ----------------------------------------------------------------------------------------------------------------

GAMES = [{"moves": [4, 0, 1], "winner": None}, {"moves": "b2 a1", "winner": "unfinished"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(GAMES)),
        ("a.json", json.dumps({"moves": ["401", "40"], "winner": [None, ""]})),
        ("a.json", '["401", [4, 0]]'),
        ("a.jsonl", "".join(json.dumps(game) + "\n\n" for game in GAMES)),
        ("a.json", pd.DataFrame(GAMES).to_json()),
    ],
)
def test_json(name, content, tmp_path):
    assert paths(file(tmp_path, content, name)) == ["401", "40"]


@pytest.mark.parametrize(
    "content", ['[{"path": "04"},\n{"path":', "[" * 100_000, "[3.5, null]", "{", "[]", "{}", "3", "", '"04"']
)
def test_json_that_is_none(content, tmp_path):
    with pytest.raises(RowError) as error:
        audit(solution(), file(tmp_path, content, "a.json"))
    assert "\n" not in str(error.value)


def test_a_choice_a_row(tmp_path):
    nested = [["X", None, None], [None, None, None], [None, None, None]]
    rows = [{"board": board, "move": 4} for board in (["X", *[""] * 8], nested, [1, *[0] * 8], "X" + "?" * 8)]
    totals = audit(solution(), file(tmp_path, json.dumps(rows), "a.json")).totals()
    assert (totals["moves"], totals["mistakes"]) == (4, 0)
    for header, cells in (("state,action", ("4", "0")), ("position,row,col", ("1,1", "0,0"))):
        found = audit(solution(), file(tmp_path, f"{header}\nX????????,{cells[0]}\n????X????,{cells[1]}\n"))
        assert (found.kind, found.totals()["moves"], found.totals()["mistakes"]) == ("choices", 2, 0)


def test_columns_that_are_named(gametree, tmp_path):
    rows = file(tmp_path, "pre,taken\nX????????,4\n")
    found = gametree("audit", "tictactoe", rows, "--columns", "position=Pre,move=taken", "--format", "json")
    assert (found.code, found.json["kind"], found.json["moves"]) == (0, "choices", 1)
    assert "'pre'" in found.json["recognised"]
    assert found.err == ""
    assert paths([{"zug": 4}], columns={"game": "zug", "move": "zug"}) == ["4"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "columns pre, taken"),
        (["--columns", "positon=pre"], "position"),
        (["--columns", "position=foo"], "has pre, taken"),
        (["--columns", "pre"], "--columns"),
    ],
)
def test_columns_that_cannot_be_read(options, words, gametree, tmp_path):
    one_line(gametree("audit", "tictactoe", file(tmp_path, "pre,taken\nX????????,4\n"), *options), 2, words)


# Policies -------------------------------------------------------------------------------------------------------------


def test_probabilities_make_a_random_policy():
    rows = [("X????????", 4, "0.25"), ("X????????", 1, "0.75"), ("?X???????", 0, 1), ("XO???????", 3, "0.5")]
    table = pd.DataFrame(rows, columns=["position", "move", "probability"])
    found = audit(solution(), table[:3]).policies[0]
    assert (found.positions, found.left_out) == (2, None)
    assert found.sides["O"].least == pytest.approx(0.75)
    assert found.sides["O"].gaps > 0
    assert "add up to 0.5" in audit(solution(), table).policies[0].left_out
    assert "from 0 to 1" in refused([{"position": "X????????", "move": 4, "prob": "2"}])


def test_a_row_a_student_and_side(gametree, tmp_path):
    """Choices of 25 students: each answers one corner right or wrong."""
    rows = [f"X????????,{4 if number % 2 else 1},s{number:02}" for number in range(25)]
    handed_in = file(tmp_path, "\n".join(["position,move,student", *rows]) + "\n")
    command = ("audit", "tictactoe", handed_in, "--by", "student", "--format")
    rows = gametree(*command, "json").json["groups"]
    assert [(row["student"], row["side"]) for row in rows] == [(f"s{number:02}", "O") for number in range(25)]
    right, wrong = (exploit("tictactoe", {"X????????": move}, "O") for move in (4, 1))
    for number, row in enumerate(rows):
        known = right if number % 2 else wrong
        assert (row["exploitability_least"], row["exploitability_most"]) == (known.least, known.most)
        assert (row["moves"], row["mistakes"]) == (1, 1 - number % 2)
    assert [row["student"] for row in gametree(*command, "csv").rows] == [row["student"] for row in rows]
    assert gametree(*command, "table").out.count("\ns") == 27  # titles, too


def test_whose_policies_they_are():
    rows = [
        {"position": "X????????", "move": move, "player": name, "try": n}
        for n, (name, move) in enumerate(zip("abb", (4, 1, 1), strict=True))
    ]
    found = audit(solution(), rows)
    assert [policy.of for policy in found.policies] == [{"player": "a"}, {"player": "b"}]
    groups = [(row["player"], row["mistakes"], row["exploitability_most"]) for row in found.groups()]
    assert groups == [("a", 0, 1), ("b", 2, 1)]
    found = audit(solution(), rows, RowOptions(by=["player", "try"]))
    assert [policy.of for policy in found.policies] == [{"player": name, "try": str(n)} for n, name in enumerate("abb")]
    assert [(row["player"], row["try"], row["exploitability_most"]) for row in found.groups()] == [
        ("a", "0", 1), ("b", "1", 1), ("b", "2", 1),
    ]  # fmt: skip
    (found,) = audit(solution(), [{name: row[name] for name in ("position", "move")} for row in rows]).policies
    assert (found.of, found.sides["O"].least) == ({}, pytest.approx(2 / 3))
