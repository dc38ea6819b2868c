"""``gametree grade``: exercises, right and wrong hand-ins, and hand-ins that want more than to answer."""

import json
import os
import re

import pytest

import analysis
from analysis.bidding.bot import answer_turn
from analysis.courses.exercise import READY, parse_exercise, read_exercise
from analysis.courses.grading import NUMBER, Grade, _readings, grade
from analysis.courses.referee import play_game
from analysis.errors import OptionError
from analysis.search import parse_tree
from tests.support.faulty_searches import WRONG
from tests.support.program import ROOT, one_line

RIGHT = (ROOT / "tests" / "support" / "programs" / "right_searches.py").read_text()
TREE = "((3 12 8) (2 4 6) (14 5 2))"


def one(tmp_path, exercise: str, code: str, name: str = "mine.py") -> Grade:
    """The grade of one hand-in for one exercise, given as TOML."""
    (tmp_path / "hand-ins").mkdir(exist_ok=True)
    file = tmp_path / "hand-ins" / name
    file.write_text(code)
    (found,) = grade(parse_exercise(exercise), [file])
    return found


def task(kind: str, **fields: object) -> str:
    return "\n".join(["seconds = 2", "[[tests]]", f"kind = {kind!r}", *(f"{k} = {v!r}" for k, v in fields.items())])


@pytest.mark.parametrize("name", READY)
def test_ready_exercises(name):
    exercise = read_exercise(name)
    assert exercise.points == 10
    assert exercise.tests


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 3", "title"),
        ("", "tests"),
        ("[[tests]]\nkind = 'essay'", "essay"),
        ("[[tests]]\nkind = 'value'", "game"),
        ("[[tests]]\nkind = 'value'\ngame = 'tictactoe'\nanswer = 3", "answer"),
        ("[[tests]]\nkind = 'value'\ngame = 'tictactoe'\npoints = -1", "points"),
        ("[[tests]]\nkind = 'value'\ngame = 'tictactoe'\npoints = true", "points"),
        ("[[tests]]\nkind = 'value'\ngame = 'tictactoe'\nvisibility = 'never'", "never"),
        ("seconds = 0\n[[tests]]\nkind = 'value'\ngame = 'tictactoe'", "seconds"),
        ("[[tests", "TOML"),
        ("".join(f"[[tests]]\nkind = 'value'\ngame = 'tictactoe'\nkey = '{key}'\n" for key in ("A", "a")), "case"),
    ],
)
def test_wrong_exercises(text, said):
    with pytest.raises(OptionError, match=said):
        parse_exercise(text)


def test_games_lie_beside_their_exercise(tmp_path, gametree):
    """A program, a solution, and a tree, whatever lies where the command is given."""
    (tmp_path / "week").mkdir()
    (tmp_path / "nim").mkdir()
    (tmp_path / "week" / "nim").mkdir()
    (tmp_path / "week" / "three.py").write_text((ROOT / "docs" / "how-to" / "examples" / "three.py").read_text())
    (tmp_path / "three.py").write_text("0 / 0")
    (tmp_path / "week" / "tree.txt").write_text("((3 12) (2 4))")
    (tmp_path / "mine.txt").write_text("0")
    gametree("solve", "tictactoe", "--out", "week/solved")
    games = ("three.py:Board", "solved", "tree.txt", "nim:1-2", TREE, "./three.py")
    (tmp_path / "week" / "exercise.toml").write_text(
        "\n".join(f"[[tests]]\nkind = 'value'\ngame = {game!r}" for game in games)
    )
    rows = gametree("grade", "week/exercise.toml", "mine.txt", "--format", "csv").rows
    assert [(row["test"], float(row["score"])) for row in rows] == [
        (f"value of {game}", score) for game, score in zip(games, (1, 1, 0, 0, 0, 1), strict=True)
    ]


def test_exercises_are_answered_before_hand_ins_run(tmp_path, gametree):
    (tmp_path / "mine.txt").write_text("0")
    for game in ("chess", "((3 12)"):
        (tmp_path / "exercise.toml").write_text(f"[[tests]]\nkind = 'value'\ngame = {game!r}")
        result = gametree("grade", "exercise.toml", "mine.txt")
        one_line(result, 2)


@pytest.mark.parametrize(
    ("kind", "fields", "right", "wrong"),
    [
        ("value", {"game": "tictactoe"}, "the value is 0", "1"),
        ("value", {"game": TREE}, "3", "there is none"),
        ("value", {"game": "tictactoe", "position": "moves:01"}, "+1", "-1"),
        ("counts", {"game": "tictactoe"}, "5,478", "5477"),
        ("counts", {"game": "tictactoe", "count": "games.total"}, "255168 games", "362880"),
        ("visited", {"game": "A(B(C:3 D:12) E(F:2 G:8))"}, "A B C D E F", "A, B, C, D, E, F, G"),
        ("visited", {"game": "A(B(C:3 D:12) E(F:2 G:8))", "algorithm": "minimax"}, "A B C D E F G", "A B C"),
    ],
)
def test_texts(tmp_path, kind, fields, right, wrong):
    exercise = task(kind, **fields)
    for text, score in ((right, 1), (wrong, 0)):
        assert one(tmp_path, exercise, text, "mine.txt").score == score
        assert one(tmp_path, exercise, f"print({text!r})").score == score
        assert one(tmp_path, exercise + "\nfunction = 'f'", f"def f(): return {text!r}").score == score


KEYED = "\n".join(
    f"[[tests]]\nkind = {kind!r}\ngame = 'tictactoe'\nposition = {position!r}\n{key}"
    for kind, position, key in (
        ("value", "moves:", ""),
        ("value", "moves:01", "key = 'Wert nach 01'"),
        ("value", "moves:013", "key = 'Wert'"),
        ("counts", "moves:", "key = 'Übrige Positionen'"),
    )
)


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("0\nWert nach 01: 1\nWert: 1\nÜbrige Positionen: 5478", [1, 1, 1, 1]),
        ("value 0\nwert nach 01 = +1\n\n# WERT\n1\n- übrige positionen: 5.478", [1, 1, 1, 1]),
        ("**Wert nach 01:** 1\n> *Wert*: 1 (a win)\n* __Übrige Positionen__ = **5,478**\n", [0, 1, 1, 1]),
        ("0\nWert nach 01: 1\nWert nach 02: 1\nWert: 0\nÜbrige Positionen: 5,47", [1, 1, 0, 0]),
        ("0\nWert nach 01 1\nWert: 1\nWert: 1\nÜbrige Positionen: 5'478", [0, 0, 1, 1]),
        ("0\n1. Wert nach 01: 1\n2) **wert**: 1\n- `U\u0308brige Positionen`: 5478", [1, 1, 1, 1]),
        ("0 1", [0, 0, 0, 0]),
    ],
)
def test_keys_in_texts(tmp_path, text, scores):
    found = one(tmp_path, KEYED, text, "a.md")
    assert [test.score for test in found.tests] == scores


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0.125", {0.125}), ("0,125", {0.125}), ("5.478", {5.478, 5478}), ("-1'000,5", {-1000.5}),
        ("1234,567", {1234.567}), ("5 478.5", {478.5}), ("1.234.567", {1234567}), ("1_000", {1000}),
        ("5\u202f478", {5478, 478}), ("5\xa0478", {5478, 478}),
        ("+12 345 678", {12345678, 678}), ("1 0", {0}), ("0 125", {125}), ("5 4781", {4781}),
    ],
)  # fmt: skip
def test_readings_of_numbers(text, meant):
    assert _readings(NUMBER.findall(text)[-1]) == meant


def test_keys_are_the_same_however_their_accents_are_written(tmp_path):
    found = one(tmp_path, KEYED.replace("Ü", "U\u0308"), "0\nÜbrige Positionen: 5478", "a.md")
    assert [test.score for test in found.tests] == [1, 0, 0, 1]


def test_the_last_number_counts(tmp_path):
    said = {text: one(tmp_path, VALUE, text, "a.txt").tests[0].output for text in ("1 0", "", "v1 = 0", "0 or 1")}
    assert said["1 0"] == said["v1 = 0"] == "right"
    assert "2 numbers" in said["0 or 1"]
    assert len({*said.values()}) == 3


def test_paths_name_what_is_wrong(tmp_path):
    exercise = task("paths", game="tictactoe", points=10)
    paths = list(analysis.solve("tictactoe").optimal_paths())
    assert one(tmp_path, exercise, "\n".join(paths), "a.txt").score == 10
    for changed, said in (
        (paths[1:], paths[0]),
        ([*paths, "01"], "in X????????"),
        ([*paths, "041"], "ends before"),
        ([*paths, paths[5]], "repeated"),
        ([*paths, "0412635780"], "over"),
        ([*paths, "00"], "not a legal move"),
    ):
        (found,) = one(tmp_path, exercise, "\n".join(changed), "a.txt").tests
        assert 0 < found.score < 10
        assert said in found.output
    assert one(tmp_path, exercise, "", "a.txt").score == 0


def test_searches(tmp_path):
    exercise = task("search", game=TREE)
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    for function, score in (("textbook", 1), ("AlphaBetaAgent", 1)):
        named = parse_exercise(exercise + f"\nfunction = {function!r}")
        assert [each.score for each in grade(named, [tmp_path / "right.py"])] == [score]
    for compare, score in (("nodes", 0), ("value", 1)):
        named = parse_exercise(exercise + f"\nfunction = 'cuts_at_max'\ncompare = {compare!r}")
        (found,) = grade(named, [tmp_path / "wrong.py"])
        assert found.score == score
    (test,) = grade(parse_exercise(exercise + "\nfunction = 'only_first'"), [tmp_path / "wrong.py"])[0].tests
    assert "only_first" in test.output
    (test,) = grade(parse_exercise(exercise + "\nfunction = 'returns_in_the_loop'"), [tmp_path / "wrong.py"])[0].tests
    tree = test.output.split("Shown by ")[1].split(", 1 ply")[0]
    assert len(parse_tree(tree).graph) == 3, "the smallest tree that shows it"


def test_bots(tmp_path):
    exercise = task("bot", game="mnk:rows=2,cols=3,k=2", function="choose")
    right = "def choose(position, moves):\n    return 1 if 1 in moves else moves[0]\n"
    found = one(tmp_path, exercise, right)
    assert found.tests[0].output
    wrong = "def choose(position, moves):\n    return 99\n"
    assert one(tmp_path, exercise, wrong).score == 0
    exercise = task("bot", game="tictactoe")
    (test,) = one(tmp_path, exercise, "def choose(position, moves):\n    return moves[0]\n").tests
    assert 0 < test.score < 1
    assert "it plays" in test.output


@pytest.mark.parametrize("fault", ["if {}: 1 / 0", "if {}: return 99", "if {}: return", "while {}: pass"])
def test_a_bot_that_fails_in_one_position_is_asked_in_the_others(tmp_path, fault):
    exercise = task("bot", game="mnk:rows=2,cols=3,k=2")
    head, right = "def choose(position, moves):\n", "    return 1 if 1 in moves else moves[0]\n"
    (all_right,) = one(tmp_path, exercise, head + right).tests
    wrong = head + f"    {fault}\n".format("position == 'X?????'") + right
    (found,) = one(tmp_path, exercise, wrong).tests
    whole, asked = (int(re.search(r"(\d+) positions", test.output)[1]) for test in (all_right, found))
    assert all_right.score == 1
    assert found.score == round(1 - 1 / asked, 6)
    assert asked >= whole
    assert "X?????" in found.output


def test_a_bot_gains_nothing_by_forfeits(tmp_path):
    head, side = "def choose(position, moves):\n", "    if position.count('?') % 2 == 0: return 99\n"
    tried, fails = (
        one(tmp_path, task("bot", game="tictactoe"), code).score
        for code in (f"{head}    return moves[0]\n", f"{head}{side}    return moves[0]\n")
    )
    assert 0 < fails < 0.1 < tried


def test_a_bot_that_is_wrong_or_silent_everywhere(tmp_path):
    exercise = task("bot", game="tictactoe")
    for code in ("1 / 0", "return 99"):
        (found,) = one(tmp_path, exercise, f"def choose(position, moves):\n    {code}\n").tests
        assert found.score == 0
        assert "4,520 mistakes in 4,520 positions" in found.output
    quick = exercise.replace("2", "0.2", 1)
    (found,) = one(tmp_path, quick, "def choose(position, moves):\n    while True: pass\n").tests
    assert found.score == 0
    assert "no answer within 0.2 s" in found.output


def perfect(text: str) -> str:
    return answer_turn("bidding-tictactoe", text, "perfect")[0]


@pytest.mark.parametrize("number", range(4))
def test_perfect_bidding_gets_all_points(number):
    asked = read_exercise("bidding-bot").tests[number].options
    for seed in range(asked["games"]):
        game = play_game(perfect, asked["side"], asked["opponent"], seed=seed)
        assert game.winner == asked["side"]
        assert (game.forfeit, game.mistakes) == ("", [])


def test_referee_names_the_turn():
    game = play_game(lambda text: "0" if "BID" in text else perfect(text), "X", "perfect")
    assert game.winner == "O"
    assert "????????? X=4 O=4 advantage=X" in game.mistakes[0]
    for answer in ("5", "-1", "", "0 0", "one"):
        game = play_game(lambda text, answer=answer: answer, "X", "random")
        assert (game.winner, game.moves) == ("O", 1)
        assert game.forfeit


VALUE = task("value", game="tictactoe")
HOSTILE = {
    "loops": "while True: pass",
    "catches": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "recurses": "def f(): f()\nf()",
    "floods": "while True: print('x' * 10_000)",
    "errors": "import sys\nwhile True: print('x' * 10_000, file=sys.__stderr__)",
    "eats": "x = [0] * 10**12",
    "forks": "import os\nwhile True: os.fork()",
    "leaves": "import os\nos._exit(0)",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGTERM)\nprint(7)",
    "stops": "import signal, os\nos.kill(os.getpid(), signal.SIGSTOP)",
    "calls": "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "starts": "import subprocess\nprint(subprocess.run(['echo', '0'], capture_output=True).stdout)",
    "waits": "import sys\nsys.__stdin__.read()\ninput()",
    "lies": "import os\nfor fd in range(3, 10):\n    try: os.write(fd, LIE)\n    except OSError: pass",
}


@pytest.mark.parametrize("name", [*list(HOSTILE)[2:3], *(pytest.param(n, marks=pytest.mark.slow) for n in HOSTILE)])
def test_hostile(tmp_path, name):
    found = one(tmp_path, VALUE, HOSTILE[name].replace("LIE", r"""b'{"text": "7"}\n'"""))
    assert found.score == 0
    assert found.tests[0].output
    assert "\n" not in found.tests[0].output


def test_nothing_can_be_read_or_written(tmp_path):
    """The exercise, another hand-in, and files outside."""
    (tmp_path / "exercise.toml").write_text(VALUE)
    (tmp_path / "hand-ins").mkdir()
    (tmp_path / "hand-ins" / "other.py").write_text("print(0)")
    code = "import os\nok = 1\n"
    for action in (
        f"open({str(tmp_path / 'exercise.toml')!r}).read()",
        f"open({str(tmp_path / 'hand-ins' / 'other.py')!r}).read()",
        f"os.listdir({str(tmp_path / 'hand-ins')!r})",
        f"open({str(tmp_path / 'hand-ins' / 'new.txt')!r}, 'w')",
        f"open({str(tmp_path / 'hand-ins' / 'mine.py')!r}, 'a')",
        "open('/tmp/gametree-hand-in', 'w')",
        f"os.remove({str(tmp_path / 'exercise.toml')!r})",
        f"open('/proc/{os.getpid()}/environ').read()",
    ):
        code += f"try:\n    {action}\n    ok = 0\nexcept OSError: pass\n"
    code += "open('inside.txt', 'w').write('x')\nprint('0' if ok else '1')\n"
    assert one(tmp_path, VALUE, code).tests[0].output == "right"
    assert sorted(path.name for path in (tmp_path / "hand-ins").iterdir()) == ["mine.py", "other.py"]


def test_folders_that_hold_several(tmp_path, gametree):
    """What is wrong with all tests is said once."""
    (tmp_path / "in" / "two").mkdir(parents=True)
    for name in ("a.py", "b.py"):
        (tmp_path / "in" / "two" / name).write_text("x = 1")
    (tmp_path / "in" / "asks.py").write_text("input()")
    result = gametree("grade", "alpha-beta", "in", "--format", "json")
    outputs = {each["name"]: {test["output"] for test in each["tests"]} for each in result.json["hand_ins"]}
    assert outputs["two"] == {"two holds 2 programs; one is expected"}
    assert len(outputs["asks"]) == 1
    assert "input()" in outputs["asks"].pop()
    assert gametree("grade", "alpha-beta", "in").out.count("1, 2, 3: ") == 2


def test_command(gametree, tmp_path):
    folder = tmp_path / "in"
    (folder / "folder").mkdir(parents=True)
    (folder / "ann.txt").write_text("0")
    (folder / "bob.py").write_text("print(1)")
    (folder / "folder" / "answer.py").write_text("print(0)")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (folder / ".hidden").write_text("0")
    (folder / "link.txt").symlink_to(folder / "ann.txt")
    (folder / "several").mkdir()
    for name in ("a.py", "b.py"):
        (folder / "several" / name).write_text("print(0)")
    (tmp_path / "exercise.toml").write_text(VALUE)
    result = gametree("grade", "exercise.toml", "in", "--out", "out", "--format", "json")
    assert result.code == 0
    scores = {each["name"]: each["score"] for each in result.json["hand_ins"]}
    assert scores == {"ann": 1, "bob": 0, "folder": 1, "picture": 0, "binary": 0, "several": 0}
    for name, score in scores.items():
        written = json.loads((tmp_path / "out" / name / "results.json").read_text())
        assert written["score"] == score
        assert [{*test} for test in written["tests"]] == [{"name", "score", "max_score", "output", "visibility"}]
    rows = gametree("grade", "exercise.toml", "in", "--format", "csv").rows
    assert [(row["hand_in"], float(row["score"])) for row in rows] == sorted(scores.items())
    gametree("grade", "exercise.toml", "in/ann.txt", "--out", "single")
    assert json.loads((tmp_path / "single" / "results.json").read_text())["score"] == 1
    assert "ann" in gametree("grade", "exercise.toml", "in/ann.txt", "in").out


def test_hand_ins_are_in_the_order_of_a_register(tmp_path):
    names = ["anna", "Bjarne", "Björn", "Lia", "Ödön", "Oz", "Özil", "Ozzy", "paul", "Zoe"]
    for name in names:
        (tmp_path / f"{name}.txt").write_text("0")
    assert [found.name for found in grade(parse_exercise(VALUE), [tmp_path])] == names


def test_points_have_at_most_two_decimals(gametree, tmp_path):
    (tmp_path / "exercise.toml").write_text(task("paths", game="tictactoe", points=1000))
    (tmp_path / "some.txt").write_text("041263578 041263587")
    (tmp_path / "none.txt").write_text("")
    rows = gametree("grade", "exercise.toml", "some.txt", "none.txt", "--format", "csv").rows
    shown = [line.split() for line in gametree("grade", "exercise.toml", "some.txt", "none.txt").out.splitlines()]
    exact = float(rows[0]["score"])
    assert exact not in (0, round(exact, 2))
    assert ["some", f"{exact:.2f}", f"{exact:.2f}", "1000"] in shown
    assert ["none", "0", "0", "1000"] in shown


def test_refusals(gametree, tmp_path):
    (tmp_path / "empty").mkdir()
    one_line(gametree("grade", "nothing.toml", "x"), 2, "nothing.toml", "alpha-beta")
    one_line(gametree("grade", "alpha-beta", "nothing.py"), 2, "nothing.py")
    one_line(gametree("grade", "alpha-beta", "empty"), 2, "empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_what_the_teacher_may_not_read_is_not_the_students_fault(gametree, tmp_path):
    (tmp_path / "in" / "ann").mkdir(parents=True)
    for file in (tmp_path / "in" / "ann" / "mine.py", tmp_path / "in" / "bob.txt"):
        file.write_text("0")
        file.chmod(0)
        one_line(gametree("grade", "alpha-beta", "in"), 2, file.name)
        file.chmod(0o644)


def test_results_that_cannot_be_written_are_refused_before_grading(gametree, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / "in" / f"{name}.py").write_text("while True: pass")
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "bob" / "results.json").mkdir(parents=True)
    (tmp_path / "exercise.toml").write_text(VALUE.replace("2", "3600", 1))
    for hand_ins, out in (("in", "file"), ("in/ann.py", "file"), ("in", "taken"), ("in/bob.py", "taken/bob")):
        one_line(gametree("grade", "exercise.toml", hand_ins, "--out", out), 1, out)


@pytest.mark.slow
def test_thirty_in_a_minute(tmp_path):
    """Ten of them broken. The time is that of the processor, since others may compute, too."""
    folder = tmp_path / "hand-ins"
    folder.mkdir()
    rename = "\n\nalphabeta = {}\nalphabeta.__name__ = 'alphabeta'\n"
    rights = ["textbook", "alpha_beta_search", "from_the_last", "sorted_first"] * 5
    wrongs = ["goes_on", "forgets_beta", "cuts_at_max", "forgets_the_minus", "takes_the_last_of_equals"] * 2
    for number, (text, name) in enumerate([*((RIGHT, n) for n in rights), *((WRONG, n) for n in wrongs)]):
        (folder / f"s{number:02}.py").write_text(text + rename.format(name))
    exercise = (ROOT / "analysis" / "courses" / "exercises" / "alpha-beta.toml").read_text()
    exercise = exercise.replace('kind = "search"', 'kind = "search"\nfunction = "alphabeta"\nrule = "textbook"')
    times = os.times()
    found = grade(parse_exercise(exercise), [folder])
    spent = sum(os.times()[:4]) - sum(times[:4])
    assert [each.score == each.max_score for each in found] == [True] * 20 + [False] * 10
    assert spent < 2 * 60
