"""`gametree export`: which format, which part, what is refused, and files that are complete or absent."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import analysis
from analysis.errors import OptionError, StoreError, TooLargeError
from analysis.exports.export import FORMATS, export
from analysis.exports.part import Part
from tests.support.program import ROOT, one_line

SMALL = "mnk:rows=2,cols=3,k=2"


@pytest.fixture(scope="module")
def solution():
    return analysis.solve(SMALL)


@pytest.mark.parametrize("form", [name for name in FORMATS if name not in ("svg", "png", "sqlite")])
def test_standard_output_is_the_file(form, gametree, solution):
    export(solution, f"out.{form}", form)
    result = gametree("export", SMALL, "--to", form)
    assert (result.code, result.err) == (0, "")
    assert result.out.encode() == Path(f"out.{form}").read_bytes() != b""


@pytest.mark.parametrize("form", list(FORMATS))
def test_two_exports_are_the_same_bytes(form, solution):
    for name in ("one", "two"):
        export(solution, name, form)
    assert Path("one").read_bytes() == Path("two").read_bytes()


def test_stored_and_solved_are_the_same_bytes(gametree):
    gametree("solve", SMALL, "--text", "--out", "there")
    for form in ("graphml", "csv", "jsonl", "sqlite", "dot", "efg"):
        assert gametree("export", SMALL, "--to", form, "--out", "solved").code == 0
        assert gametree("export", "there", "--to", form, "--out", "stored").code == 0
        assert Path("solved").read_bytes() == Path("stored").read_bytes()


@pytest.mark.parametrize(
    ("name", "form"), [("a.gv", "dot"), ("a.DB", "sqlite"), ("a.jsonl", "jsonl"), ("a.txt", "bfile")]
)
def test_suffix_is_the_format(name, form, gametree, solution):
    assert gametree("export", SMALL, "--out", name).code == 0
    export(solution, "same", form)
    assert Path(name).read_bytes() == Path("same").read_bytes()


def test_positions_from_a_position_to_a_depth(gametree):
    result = gametree(
        "export", "tictactoe", "--from", "XOX?O????", "--depth", "1", "--to", "jsonl", "--symmetry", "none"
    )
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert {line["position"] for line in lines} == {
        "XOX?O????", "XOXXO????", "XOX?OX???", "XOX?O?X??", "XOX?O??X?", "XOX?O???X",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["tictactoe"], 2, ["no format", "--to", "graphml"]),
        (["tictactoe", "--out", "a.xyz"], 2, ["a.xyz", "--to"]),
        (["tictactoe", "--to", "xml"], 2, ["'xml'", "graphml"]),
        (["tictactoe", "--to", "sqlite"], 2, ["--out"]),
        (["tictactoe", "--to", "csv", "--count", "moves"], 2, ["--count", "csv"]),
        (["tictactoe", "--to", "jsonl", "--moves"], 2, ["--moves", "jsonl"]),
        (["tictactoe", "--to", "bfile", "--depth", "2"], 2, ["--depth", "bfile"]),
        (["tictactoe", "--to", "bfile", "--count", "sheep"], 2, ["sheep", "positions"]),
        (["tictactoe", "--to", "csv", "--out", "."], 1, ["directory"]),
        (["tictactoe", "--to", "csv", "--out", "no/such/file.csv"], 1, ["no directory", "no/such"]),
        (["mnk:rows=2,cols=4,k=3", "--to", "dot", "--max-nodes", "9"], 1, ["classes", "9;", "--depth", "--max-nodes"]),
        (["tictactoe", "--to", "graphml", "--max-nodes", "764"], 1, ["765 classes", "764", "sqlite"]),
        (["tictactoe", "--to", "efg", "--max-nodes", "549945"], 1, ["549,946 nodes", "549,945"]),
        (["tictactoe", "--to", "csv", "--from", "XX???????"], 2, ["XX???????"]),
        (["nowhere/here", "--to", "csv"], 1, ["nowhere/here"]),
        (["bidding:game=tictactoe,chips=4", "--to", "csv"], 2, ["bidding"]),
        (["dodgem:n=5", "--to", "bfile"], 1, ["loopy", "no positions by ply"]),
        (["dodgem:n=5", "--to", "efg"], 2, ["loopy", "--depth"]),
        (["tictactoe", "--to", "bfile", "--max-nodes", "5"], 2, ["--max-nodes", "bfile"]),
        (["tictactoe", "--to", "bfile", "--depth", "1"], 2, ["leave them out"]),
        (["tictactoe", "--to", "csv", "--out", "a.sqlite"], 2, ["a.sqlite", "format sqlite", "call it .csv"]),
        (["tictactoe", "--to", "sqlite", "--out", "."], 1, ["directory"]),
        (["tictactoe", "--to", "sqlite", "--out", "/dev/null"], 2, ["/dev/null is no regular file"]),
        (["tictactoe", "--depth", "-1", "--to", "csv"], 2, ["'--depth'", ". See 'gametree export --help'."]),
    ],
)
def test_refusals(arguments, code, words, gametree):
    one_line(gametree("export", *arguments), code, *words)
    assert not list(Path.cwd().glob("*.tmp"))


def test_a_dash_is_standard_output(gametree):
    assert gametree("export", SMALL, "--to", "csv", "--out", "-") == gametree("export", SMALL, "--to", "csv")
    assert not list(Path.cwd().iterdir())


def test_a_damaged_directory_is_refused(gametree):
    gametree("solve", "tictactoe", "--out", "there")
    positions = Path("there/positions")
    (positions / "tier-0005-part-0000.parquet").write_bytes((positions / "tier-0004-part-0000.parquet").read_bytes())
    for form in ("csv", "jsonl", "graphml", "sqlite"):
        one_line(gametree("export", "there", "--to", form, "--out", "file"), 1, "checksum")
        assert not Path("file").exists()


def test_choosing_is_refused_where_memory_is_short(solution):
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms, before[1]))
    try:
        with pytest.raises(TooLargeError, match="choosing 1 classes or more"):
            Part(solution, depth=1)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_size_is_of_the_part_that_is_cut(solution):
    export(solution, "cut", "svg", depth=1, max_nodes=3)
    with pytest.raises(TooLargeError, match="after it is cut"):
        export(solution, "more", "dot", depth=2, max_nodes=3)
    assert not Path("more").exists()
    with pytest.raises(OptionError, match="depth of -1"):
        Part(solution, depth=-1)


@pytest.mark.parametrize("form", [name for name in FORMATS if name not in ("svg", "bfile")])
def test_an_earlier_file_stays_where_there_is_no_room(form, solution):
    Path("there").write_text("earlier")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
    try:
        with pytest.raises(StoreError, match=r"^cannot write there: ") as refused:
            export(solution, "there", form)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(refused.value)
    assert [path.name for path in Path.cwd().iterdir()] == ["there"]
    assert Path("there").read_text() == "earlier"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("form", ["graphml", "csv", "jsonl", "efg"])
def test_a_full_device_is_one_line(form, gametree):
    one_line(gametree("export", SMALL, "--to", form, "--out", "/dev/full"), 1, "/dev/full", "space")


@pytest.mark.slow
def test_a_reader_that_goes_away():
    command = [sys.executable, str(ROOT / "cli.py"), "export", "mnk:rows=3,cols=4,k=3", "--to", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_an_export_that_is_broken_off_leaves_no_file(stop, gametree):
    gametree("solve", "mnk:rows=4,cols=4,k=4", "--out", "solved")
    command = [sys.executable, str(ROOT / "cli.py"), "export", "solved", "--to", "sqlite", "--out", "all.sqlite"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not list(Path.cwd().glob(".all.sqlite.*")) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(stop)
        process.wait(60)
    assert not Path("all.sqlite").exists()
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert sorted(path.name for path in Path.cwd().iterdir()) == ["solved"]
