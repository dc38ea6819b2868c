"""Built-in games in an environment without the compiler: everything works, and one line says that it is slower."""

import json

import pytest

from tests.support.installing import new_environment, run, started

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def gametree(once, wheel, tmp_path_factory):
    """Run a command of an environment without Numba in a folder of its own; return what it prints, and on what it
    remarks.
    """

    def install(folder):
        new_environment(folder)
        run("uv", "pip", "install", "--quiet", "--python", folder, wheel, cwd=folder)
        run("uv", "pip", "uninstall", "--quiet", "--python", folder, "numba", "llvmlite", cwd=folder)

    environment, place = once("without-numba", install), tmp_path_factory.mktemp("place")

    def command(*arguments, answers=""):
        done = started(environment / "bin" / "gametree", *arguments, cwd=place, answers=answers)
        assert done.returncode == 0, done
        return done.stdout, done.stderr

    command.python = environment / "bin" / "python"
    command.place = place
    return command


def remarked(err: str) -> bool:
    """Whether standard error has one line on what is missing, next to those of progress."""
    lines = [line for line in err.splitlines() if "Numba is not installed" in line]
    assert len(lines) < 2
    assert all("pip install numba" in line for line in lines)
    return bool(lines)


def test_a_small_game_needs_no_compiler(gametree):
    """Solved, shown, printed and listed at the usual speed, so nothing is remarked."""
    out, err = gametree("solve", "tictactoe")
    assert "255,168" in out
    assert not remarked(err)
    assert "value             0" in gametree("show", "tictactoe", "XOX?O????")[0]
    assert gametree("paths", "tictactoe", "--from", "XOX?O????", "--limit", "3")[0].split() == [
        "73586",
        "75368",
        "76358",
    ]
    code = "import analysis; s = analysis.solve('tictactoe'); print(s.value, s.games.total, len(s))"
    assert run(gametree.python, "-c", code, cwd=gametree.place).split() == ["0", "255168", "5478"]


def test_a_game_of_ten_thousand_classes(gametree):
    """More than are solved without the kernels, which then run as they are written; and the solution is right."""
    out, err = gametree("solve", "mnk:rows=3,cols=4,k=3", "--out", "board")
    assert "111,973, in 28,275 classes" in out
    assert remarked(err)
    gametree("verify", "board", "--share", "0.01")


def test_searches(gametree):
    out, err = gametree("prune", "tictactoe", "--algorithms", "alphabeta,mtdf", "--format", "json")
    assert [row["nodes"] for row in json.loads(out)["rows"]] == [18297, 4377]
    assert remarked(err)


def test_play(gametree):
    out, _ = gametree("play", "tictactoe", "--you", "X", answers="0\nq\n")
    assert "to move" in out
    out, _ = gametree("match", "tictactoe", "random", "perfect", "--games", "20", "--format", "json")
    assert json.loads(out)


def test_pages(gametree):
    gametree("explore", "tictactoe", "--out", "page.html")
    assert "</html>" in (gametree.place / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "data/tictactoe"), ("stats", "tictactoe"), ("check", "hexapawn"), ("plan", "mnk:4,4,4"),
        ("find", "tictactoe", "only_move and ply = 4"),
        ("sweep", "mnk:rows=2,cols=2..3,k=2"), ("solve", "bidding:chips=2"), ("solve", "sum:kayles:8"),
        ("export", "mnk:2,2,2", "--to", "dot", "--out", "tree.dot"), ("report", "hexapawn", "--out", "report"),
        ("tournament", "hexapawn", "random", "perfect"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_other_commands(gametree, command):
    if command[0] == "verify":
        gametree("solve", "tictactoe")
    remarked(gametree(*command)[1])
