"""The command line: it prints what the library says, and refuses in one line."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from conftest import ROOT

import analysis

COMMANDS = ("games", "solve", "stats", "paths", "show", "verify")


def one_line(result, code, *words):
    assert result.code == code, result
    assert result.out == ""
    assert result.err.count("\n") == 1, result.err
    assert result.err.startswith("gametree: ")
    for word in words:
        assert word in result.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(gametree, command):
    result = gametree(command, "--help")
    assert result.code == 0
    assert f"gametree {command}" in result.out.split("Example:")[1]


def test_help_loads_nothing_heavy(program):
    script = "import sys, cli; sys.argv = ['gametree', '--help']\ntry: cli.main()\nexcept SystemExit: pass\n"
    script += "print([m for m in ('numba', 'numpy', 'pandas', 'pyarrow') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(command in done.stdout for command in COMMANDS)


def test_games(gametree):
    assert gametree("games", "--format", "json").json == analysis.list_games()
    assert "mnk:rows=4,cols=4,k=4" in gametree("games").out
    assert gametree("games", "--format", "csv").out.splitlines()[0] == "name,description,example"


def test_solve(gametree, tmp_path):
    result = gametree("solve", "tictactoe", "--format", "json")
    assert result.code == 0
    seconds = result.json.pop("seconds")
    assert seconds > 0
    assert {k: v for k, v in result.json.items() if k != "seconds"} == {
        "game": "tictactoe",
        "value": 0,
        "remoteness_plies": 9,
        "positions": 5478,
        "canonical": 765,
        "directory": "data/tictactoe",
    }
    assert analysis.verify(tmp_path / "data" / "tictactoe").states == 765
    again = gametree("solve", "tictactoe")
    assert again.code == 0
    assert "there already" in again.out
    assert "written" in gametree("solve", "tictactoe", "--force").out


def test_solve_summary_reads_well(gametree):
    out = gametree("solve", "tictactoe").out
    for text in (
        "0 | 1 | 2",
        "= | = | =",
        "a tie under optimal play, after 9 plies",
        "255,168",
        "5,478",
        "3,584",
        "Try next",
    ):
        assert text in out


@pytest.mark.parametrize("suggestion", range(4))
def test_what_the_summary_suggests_works(gametree, suggestion):
    lines = gametree("solve", "mnk:rows=2,cols=3,k=2").out.split("Try next:\n")[1].splitlines()
    arguments = lines[suggestion].strip().removeprefix("gametree ").replace("'", "").split()
    assert gametree(*arguments).code == 0


def test_solve_everything(gametree, tmp_path):
    result = gametree("solve", "mnk:cols=4", "--moves", "--text", "--out", "here", "--symmetry", "none", "--threads", 2)
    assert result.code == 0
    frame = pd.read_parquet(tmp_path / "here" / "positions")
    assert len(frame) == 111973
    assert "position" in frame
    assert len(pd.read_parquet(tmp_path / "here" / "moves")) == 391062
    assert gametree("solve", "tictactoe", "--no-counts", "--paths").code == 0
    assert len(pd.read_parquet(tmp_path / "data" / "tictactoe" / "optimal_paths.parquet")) == 3584


@pytest.mark.parametrize("stored", [False, True])
def test_stats(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    wanted = analysis.solve("tictactoe").statistics()
    assert gametree("stats", "tictactoe", "--format", "json").json == wanted
    rows = list(csv.DictReader(io.StringIO(gametree("stats", "tictactoe", "--format", "csv").out)))
    assert [{k: int(v) for k, v in row.items()} for row in rows] == wanted["by_ply"]
    table = gametree("stats", "tictactoe").out
    for text in ("255,168", "31,896", "26,830", "127,872", "2,358"):
        assert text in table


def test_stats_of_a_directory_and_from_a_position(gametree):
    gametree("solve", "tictactoe", "--out", "ttt", "--symmetry", "none")
    assert gametree("stats", "ttt", "--format", "json").json["symmetry_order"] == 1
    assert gametree("stats", "ttt", "--symmetry", "full", "--format", "json").json["canonical"] == 765
    wanted = analysis.solve("tictactoe", position="X???O????").statistics()
    assert gametree("stats", "tictactoe", "--from", "X???O????", "--format", "json").json == wanted
    assert wanted["symmetry_order"] == 2
    assert wanted["by_ply"][0]["positions"] == 1
    wanted = analysis.solve("tictactoe", position="X???O????", symmetry="none").statistics()
    assert gametree("stats", "ttt", "--from", "X???O????", "--format", "json").json == wanted


@pytest.mark.parametrize("stored", [False, True])
def test_show(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    wanted = analysis.solve("tictactoe")["XOX?O????"]
    found = gametree("show", "tictactoe", "XOX/?O?/???", "--format", "json").json
    assert found == wanted.to_json()
    assert list(found) == ["position", "to_move", "value", "remoteness_plies", "histories", "games", "moves"]
    assert found["games"] == {"X": 96, "O": 128, "tie": 144, "total": 368}
    assert [m["move"] for m in found["moves"]] == [7, 3, 5, 6, 8]
    table = gametree("show", "tictactoe", "XOX?O????").out
    assert " X | O | X " in table
    assert "X to move" in table or "to move" in table


@pytest.mark.parametrize("position", ["---------", "-X-O-----", "_________", "... ... ..."])
def test_positions_that_look_like_options(gametree, position):
    assert gametree("show", "tictactoe", position, "--format", "json").code == 0
    assert gametree("paths", "tictactoe", "--from", position, "--count").code == 0


def test_show_a_finished_position(gametree):
    found = gametree("show", "tictactoe", "XXXOO????", "--format", "json").json
    assert (found["to_move"], found["value"], found["remoteness_plies"], found["moves"]) == (None, 1, 0, [])
    assert "the game is over" in gametree("show", "tictactoe", "XXXOO????").out
    assert gametree("show", "tictactoe", "XXXOO????", "--format", "csv").code == 0


# Paths ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
def test_paths(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    every = list(analysis.solve("tictactoe").optimal_paths())
    assert gametree("paths", "tictactoe").out.split() == every
    assert gametree("paths", "tictactoe", "--count").out == "3584\n"
    assert gametree("paths", "tictactoe", "--limit", 7).out.split() == every[:7]
    assert gametree("paths", "tictactoe", "--limit", 0).out == ""
    assert gametree("paths", "tictactoe", "--index", 1234).out.split() == [every[1234]]
    sample = gametree("paths", "tictactoe", "--sample", 5, "--seed", 3).out.split()
    assert len(sample) == 5
    assert set(sample) <= set(every)
    assert gametree("paths", "tictactoe", "--sample", 5, "--seed", 3).out.split() == sample


def test_path_formats(gametree, tmp_path):
    every = list(analysis.solve("tictactoe").optimal_paths("XOX?O????"))
    at = ("paths", "tictactoe", "--from", "XOX?O????", "--format")
    assert gametree(*at, "json").json == {"game": "tictactoe", "from": "XOX?O????", "count": 10, "paths": every}
    assert gametree(*at, "json", "--limit", 2).json["paths"] == every[:2]
    assert gametree(*at, "json", "--count").json == {"game": "tictactoe", "from": "XOX?O????", "count": 10, "paths": []}
    rows = [{"path": path, "outcome": "tie", "plies": 5} for path in every]
    assert [json.loads(line) for line in gametree(*at, "jsonl").out.splitlines()] == rows
    assert list(csv.DictReader(io.StringIO(gametree(*at, "csv").out))) == [{**row, "plies": "5"} for row in rows]
    assert gametree(*at, "parquet", "--out", "p.parquet").code == 0
    assert pd.read_parquet("p.parquet").to_dict("records") == rows
    for form in ("text", "json", "csv", "jsonl"):
        assert gametree(*at, form, "--out", "p").out == ""
        assert (tmp_path / "p").read_text() == gametree(*at, form).out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "p.parquet"]


def test_shortest(gametree):
    found = gametree("paths", "mnk:cols=4", "--shortest", "--limit", 3).out.split()
    assert all(path.count("-") == 6 for path in found)
    count = int(gametree("paths", "mnk:cols=4", "--shortest", "--count").out)
    assert count == analysis.solve("mnk:cols=4").optimal_paths(shortest=True).count


def test_closed_pipe_and_start_at_once(tmp_path):
    """4x4 has 3,848,888,994,048 optimal paths: the first come at once, and a closed pipe ends it without a word."""
    command = [sys.executable, str(ROOT / "cli.py"), "paths", "mnk:rows=4,cols=4,k=4"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    lines = [process.stdout.readline() for _ in range(5)]
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    assert lines[0].decode().strip() == analysis.solve("mnk:rows=4,cols=4,k=4").optimal_paths()[0]


def test_interrupt(tmp_path):
    command = [sys.executable, str(ROOT / "cli.py"), "paths", "mnk:rows=4,cols=4,k=4", "--out", "all.txt"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".all.txt*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert process.stderr.read() == b"gametree: interrupted\n"
    process.stderr.close()
    assert list(tmp_path.iterdir()) == []


def test_constant_memory(tmp_path):
    """Hundreds of thousands of paths, and no more memory than for the first ones."""
    script = (
        "import resource, itertools, analysis\n"
        "blocks = analysis.solve('mnk:rows=4,cols=4,k=4', counts=False).optimal_paths().blocks()\n"
        "size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "n = sum(b.count(b'\\n') for b in itertools.islice(blocks, 10)); before = size()\n"
        "n += sum(b.count(b'\\n') for b in itertools.islice(blocks, 20)); print(n, size() - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    paths, kilobytes = map(int, done.stdout.split())
    assert paths > 10**6
    assert kilobytes < 20_000


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["solve", "chess"], 2, ["no game is called 'chess'"]),
        (["solve", "mnk:rows=9,cols=9"], 2, ["81 cells", "31"]),
        (["solve", "mnk:rows=0"], 2, ["at least 1"]),
        (["solve", "mnk:k=7"], 2, ["longer"]),
        (["solve", "tictactoe", "--symmetry", "round"], 1, ["geometric, full, none"]),
        (["solve", "mnk:rows=3,cols=6,k=6", "--symmetry", "full"], 1, ["2,239,488,000"]),
        (["solve", "tictactoe", "--threads", "0"], 2, ["--threads"]),
        (["solve", "tictactoe", "--threads", "two"], 2, ["--threads"]),
        (["solve", "tictactoe", "--format", "xml"], 2, ["table, json, csv"]),
        (["solve", "tictactoe", "--bogus"], 2, ["--bogus"]),
        (["solve"], 2, ["GAME"]),
        (["solv", "tictactoe"], 2, ["solv"]),
        (["solve", "mnk:rows=5,cols=6,k=4"], 1, ["memory"]),
        (["stats", "tictactoe", "--from", "XX?"], 2, ["has 3 cells"]),
        (["stats", "no/such/dir"], 1, ["no solution directory"]),
        (["show", "tictactoe", "XX???????"], 2, ["2 X and 0 O"]),
        (["show", "tictactoe"], 2, ["POSITION"]),
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
def test_memory_is_refused_before_it_is_short(program, tmp_path):
    """With 1.5 GB of address space 4x4 without symmetry is refused in a line; 3x4 goes."""
    limited = ["bash", "-c", 'ulimit -v 1500000; exec "$@"', "bash", sys.executable, str(ROOT / "cli.py"), "solve"]
    settings = {"capture_output": True, "text": True, "cwd": tmp_path, "check": False}
    refused = subprocess.run([*limited, "mnk:rows=4,cols=5,k=4", "--threads", "1"], **settings)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1, refused.stderr
    assert "of memory" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    fine = subprocess.run([*limited, "mnk:cols=4", "--threads", "1"], **settings)
    assert fine.returncode == 0, fine.stderr


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
