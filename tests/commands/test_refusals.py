"""What the command line refuses, and how it ends when something goes wrong: one line, and nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import analysis
from analysis.errors import StoreError
from tests.support.forging import forge
from tests.support.program import ROOT, one_line


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
        (["solve", "tictactoe", "--format", "xml"], 2, ["table, json, csv"]),
        (["solve", "tictactoe", "--bogus"], 2, ["--bogus"]),
        (["solve"], 2, ["GAME"]),
        (["solv", "tictactoe"], 2, ["solv"]),
        (["solve", "nim:heaps=9-9-9", "--memory", "1MB"], 1, ["memory"]),
        (["stats", "tictactoe", "--from", "XX?"], 2, ["has 3 cells"]),
        (["stats", "no/such/dir"], 1, ["no solution directory"]),
        (["show", "tictactoe", "XX???????"], 2, ["2 X and 0 O"]),
        (["show", "tictactoe", "0124", "--from", "0124"], 2, ["given twice"]),
        (["show", "tictactoe", "01249"], 2, ["move 5", "no cell 9"]),
        (["show", "othello:size=6", "????/"], 2, ["6 rows of 6"]),
        (["solve", "mnk:row=3"], 2, ["rows", "cols", "misere"]),
        (["solve", "tictactoe", "--symmetry", "none,full", "--out", "x"], 2, ["--out"]),
        (["games", "chess"], 2, ["chess"]),
        (["paths", "tictactoe", "--index", "3584"], 2, ["from 0 to 3583"]),
        (["paths", "tictactoe", "--index", "-1"], 2, ["--index"]),
        (["paths", "tictactoe", "--limit", "-1"], 2, ["--limit"]),
        (["paths", "tictactoe", "--limit", "2", "--index", "1"], 2, ["exclude"]),
        (["paths", "tictactoe", "--seed", "2"], 2, ["--sample"]),
        (["paths", "tictactoe", "--format", "xml"], 2, ["jsonl"]),
        (["paths", "tictactoe", "--format", "parquet"], 2, ["--out"]),
        (["paths", "tictactoe", "--out", "no/such/dir/file"], 1, ["cannot write"]),
        (["verify", "nowhere"], 1, ["no solution directory"]),
        (["verify"], 2, ["DIR"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_refusals(gametree, arguments, code, words):
    one_line(gametree(*arguments), code, *words)


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


def test_more_workers_than_work(gametree):
    assert gametree("solve", "tictactoe", "--workers", "500", "--format", "json").json["positions"] == 5478


def test_folder_called_like_a_game(gametree, tmp_path):
    (tmp_path / "tictactoe").mkdir()
    assert gametree("paths", "tictactoe", "--count").out == "3584\n"


@pytest.mark.parametrize("command", [["stats"], ["verify"], ["paths"], ["prune"], ["cite"], ["show", "s", "0"]])
def test_directory_that_is_no_solution(gametree, tmp_path, command):
    (tmp_path / "s" / ".partial").mkdir(parents=True)
    one_line(gametree(*command, *["s"] * (len(command) == 1)), 1, "s is no solution directory", "s/.partial")
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
        analysis.open_solution("s").moves(4)


def test_python_cli_from_elsewhere(program, tmp_path):
    done = program("solve", "tictactoe", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["value"] == 0
    assert (tmp_path / "data" / "tictactoe" / "manifest.json").exists()


def test_read_only_installation(tmp_path):
    """Kernels that cannot be cached are compiled for the run."""
    env = {**os.environ, "NUMBA_CACHE_DIR": "/proc/nowhere"}
    script = "import analysis; print(analysis.solve('tictactoe').value)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=env, check=False
    )
    assert done.stdout == "0\n", done.stderr
