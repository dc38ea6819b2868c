"""What the command line refuses, in a line and with nothing half-written: arguments, places, names, too many paths."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.common.files import check_writable
from analysis.errors import StoreError
from analysis.solution.storage import path_files
from analysis.solution.storage.row_files import opened
from tests.support.bad_places import LONG, make_bad_places
from tests.support.forging import forge
from tests.support.program import ROOT, one_line
from tests.support.solved_kinds import USER


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["solve", "chess"], 2, ["no game is called 'chess'"]),
        (["solve", "mnk:rows=9,cols=9"], 2, ["81 cells", "31"]),
        (["solve", "mnk:rows=0"], 2, ["at least 1"]),
        (["solve", "notakto:k=7"], 2, ["longer"]),
        (["solve", "tictactoe", "--symmetry", "round"], 2, ["geometric, full, none"]),
        (["solve", "mnk:rows=3,cols=6,k=6", "--symmetry", "full"], 1, ["2,239,488,000"]),
        (["solve", "tictactoe", "--workers", "0"], 2, ["--workers"]),
        (["solve", "tictactoe", "--workers", "two"], 2, ["--workers"]),
        (["solve", "tictactoe", "--bogus"], 2, ["--bogus"]),
        (["solve"], 2, ["GAME"]),
        (["solv", "tictactoe"], 2, ["solv"]),
        (["solve", "nim:heaps=99999999999999"], 2, ["99999999999999 tokens", "65534"]),
        (["solve", "bidding:game=tictactoe,chips=99999999999"], 2, ["99999999999 is too many"]),
        (["show", "nim", "99999999999999-1-1 X"], 2, ["99999999999999 tokens"]),
        (["prune", "tictactoe", "--depth", "99999999999999999999"], 2, ["999999"]),
        (["solve", "nim:heaps=9-9-9", "--memory", "1MB"], 1, ["memory"]),
        (["stats", "tictactoe", "--from", "XX?"], 2, ["has 3 cells"]),
        (["stats", "no/such/dir"], 2, ["not a solution directory"]),
        (["stats", "data/none"], 2, ["data/none"]),
        (["report", "data/none"], 2, ["data/none"]),
        (["play", "data/none"], 2, ["data/none"]),
        (["export", "data/none", "--to", "csv"], 2, ["data/none"]),
        (["show", "tictactoe", "XX???????"], 2, ["2 X and 0 O"]),
        (["show", "tictactoe", "01249"], 2, ["move 5", "'9' is not a legal move"]),
        (["show", "othello:size=6", "????/"], 2, ["write 6 rows of 6 marks"]),
        (["solve", "mnk:row=3"], 2, ["rows", "cols", "misere"]),
        (["games", "chess"], 2, ["chess"]),
        (["paths", "tictactoe", "--index", "3584"], 2, ["from 0 to 3583"]),
        (["paths", "tictactoe", "--index", "-1"], 2, ["--index"]),
        (["paths", "tictactoe", "--limit", "-1"], 2, ["--limit"]),
        (["paths", "tictactoe", "--limit", "1e9"], 2, ["'1e9'"]),
        (["show", "tictactoe", "--seconds", "x"], 2, ["'x'"]),
        (["paths", "tictactoe", "--limit", "2", "--index", "1"], 2, ["exclude"]),
        (["paths", "tictactoe", "--seed", "2"], 2, ["--sample"]),
        (["paths", "tictactoe", "--format", "xml"], 2, ["jsonl"]),
        (["paths", "tictactoe", "--format", "parquet"], 2, ["--out"]),
        (["paths", "tictactoe", "--out", "no/such/dir/file"], 1, ["cannot write"]),
        (["paths", "tictactoe", "--out", "a.xls"], 2, ["a.xls", "--format", "markdown"]),
        (["paths", "tictactoe", "--from"], 2, ["See 'gametree paths --help'."]),
        (["slve", "tictactoe"], 2, ["Did you mean 'solve'. See"]),
        (["prune", "tictactoe", "--order", "bst"], 2, ["did you mean 'best'?"]),
        (["find", "tictactoe", "valu=1"], 2, ["did you mean 'value'?"]),
        (["solve", "hex:size=20"], 2, ["size=20", "of n (hex)"]),
        (["verify", "nowhere"], 2, ["not a solution directory: it does not exist"]),
        (["verify"], 2, ["DIR"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_refusals(gametree, arguments, code, words):
    one_line(gametree(*arguments), code, *words)


def test_a_name_is_pointed_to_one_like_it(gametree, tmp_path):
    (tmp_path / "games.csv").write_text("student,path\nann,0412\n")
    one_line(gametree("audit", "tictactoe", "games.csv", "--by", "studnt"), 2, "did you mean 'student'?")
    one_line(gametree("audit", "tictactoe", "games.csv", "--columns", "path=pth"), 2, "did you mean 'path'?")
    (tmp_path / "mine.py").write_text("def choose(position, moves):\n    return moves[0]\n")


def test_damaged_directory(gametree, tmp_path):
    gametree("solve", "tictactoe")
    file = tmp_path / "data" / "tictactoe" / "positions" / "tier-0003-part-0000.parquet"
    file.write_bytes(file.read_bytes()[:-40])
    one_line(gametree("verify", "data/tictactoe"), 1, "tier-0003-part-0000.parquet", "damaged")
    one_line(gametree("show", "data/tictactoe", "XOX??????"), 1, "tier-0003-part-0000.parquet")


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space")
@pytest.mark.slow
def test_memory_is_refused_before_it_is_short(program, tmp_path):
    """With 1.5 GB of address space 4x5 in memory is refused in a line; 3x4 goes."""
    limited = ["bash", "-c", 'ulimit -v 1500000; exec "$@"', "bash", sys.executable, str(ROOT / "cli.py")]
    settings = {"capture_output": True, "text": True, "cwd": tmp_path, "check": False}
    refused = subprocess.run([*limited, "stats", "mnk:rows=4,cols=5,k=4", "--workers", "1"], **settings)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1, refused.stderr
    assert "of memory" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    fine = subprocess.run([*limited, "solve", "mnk:cols=4", "--workers", "1"], **settings)
    assert fine.returncode == 0, fine.stderr


@pytest.mark.parametrize("command", [["stats"], ["verify"], ["paths"], ["prune"], ["show", "s", "0"]])
def test_directory_that_is_no_solution(gametree, tmp_path, command):
    (tmp_path / "s" / ".partial").mkdir(parents=True)
    one_line(gametree(*command, *["s"] * (len(command) == 1)), 2, "s is not a solution directory", "s/.partial")
    (tmp_path / "s" / ".partial").rmdir()
    assert ".partial" not in gametree(*command, *["s"] * (len(command) == 1)).err


def test_incomplete_tables_end_in_a_line(gametree, tmp_path):
    """Rows of a tier are missing, which only `verify` looks for; the others must not hang or make things up."""
    gametree("solve", "tictactoe", "--out", "s")
    forge(tmp_path / "s", "positions", 5, lambda table: table.slice(90))
    for command in (["paths", "s/"], ["paths", "s/", "--index", "3000"], ["paths", "s/", "--sample", "50"]):
        result = gametree(*command)
        assert result.code == 1
        assert result.err.splitlines() == [
            "gametree: the stored tiers do not fit together; `gametree verify` says where"
        ]
    with pytest.raises(StoreError, match="do not fit together"):
        list(analysis.open_solution("s").batches(moves=True))


FOLDERS = [
    ("solve", "tictactoe", "--out"),
    ("solve", "bidding:game=mnk:rows=1,cols=2,k=2,chips=1", "--out"),
    ("solve", "tictactoe", "--sharded", "--out", "s", "--scratch"),
    ("report", "tictactoe", "--out"),
    ("plan", "tictactoe", "--out"),
    ("plan", "tictactoe", "--scratch"),
]
FILES = [
    ("paths", "tictactoe", "--out"),
    ("export", "tictactoe", "--out"),
    ("match", "tictactoe", "random", "random", "--games", "1", "--out"),
    ("audit", "tictactoe", "games.csv", "--out"),
]


@pytest.mark.parametrize("command", FOLDERS, ids=lambda command: f"{command[0]} {command[-1]}")
def test_directories(command, gametree, tmp_path):
    for place, words in make_bad_places(tmp_path):
        one_line(gametree(*command, place), 1, place, words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file", "folder", "loop"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("command", FILES, ids=lambda command: f"{command[0]} {command[-1]}")
def test_files(command, gametree, tmp_path):
    for place, words in make_bad_places(tmp_path, ".csv", of_files=True):
        Path("games.csv").write_text("path\n041263578\n")
        one_line(gametree(*command, place), 1, place, words)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["dangling.csv", "file", "folder.csv", "games.csv", "loop.csv"]


def test_a_link_is_followed_and_a_long_name_written(tmp_path):
    (tmp_path / "link.csv").symlink_to("made.csv")
    for name in ("link.csv", LONG[:251] + ".csv", "ä" * 125 + ".csv"):
        with opened(tmp_path / name) as file:
            file.write(b"a\n")
        assert (tmp_path / name).read_bytes() == b"a\n"
    assert (tmp_path / "made.csv").is_file()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_permissions(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    for folder in (False, True):
        with pytest.raises(StoreError, match="permission"):
            check_writable(tmp_path / "closed" / "a", folder=folder)


@pytest.mark.parametrize("name", ["a b.py", "it's & <that>.py", "d(1)/own.py"])
def test_suggested_commands_are_words_of_a_shell(name, gametree):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(USER)
    for options in ([], ["--out", "d d"]):
        lines = gametree("solve", name, *options).out.partition("Try next:\n")[2].splitlines()
        assert len(lines) == 4
        for line in lines:
            assert gametree(*shlex.split(line)[1:]).code == 0, line


GAME, COUNT = "tictactoe", 3584


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(path_files, "MOST", 1000)


@pytest.mark.parametrize("more", [[], ["--sharded"]])
def test_too_many_paths_leave_the_solution(more, few, gametree, tmp_path):
    one_line_of(gametree("solve", GAME, "--paths", "--out", "s", *more), f"{COUNT:,} optimal paths", "--anyway")
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["manifest.json", "positions", "tiers"]
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["tables"]["paths"] is False
    assert gametree("verify", "s").code == 0
    found = gametree("solve", GAME, "--paths", "--anyway", "--force", "--out", "s", *more)
    assert found.code == 0
    assert pq.read_metadata(tmp_path / "s" / "optimal_paths.parquet").num_rows == COUNT


def one_line_of(found, *words):
    """Exit code 1, and its last line has these words."""
    assert (found.code, found.out) == (1, "")
    for word in words:
        assert word in found.err.splitlines()[-1]


def test_uncounted_paths(few, gametree, tmp_path):
    one_line_of(gametree("solve", GAME, "--no-counts", "--paths", "--out", "s"), "more than 1,000")
    assert not (tmp_path / "s" / "optimal_paths.parquet").exists()
    assert gametree("stats", "s").code == 0
