"""`gametree export`: formats, refusals, whole files or none; residual classes."""

import csv
import io
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

import analysis
from analysis.errors import StoreError, TooLargeError
from analysis.reports.exports.export import FORMATS, export
from analysis.reports.exports.part import Part
from tests.support.class_graph import move_frame
from tests.support.program import ROOT, one_line, slow, until

SMALL = "mnk:rows=2,cols=3,k=2"


@pytest.fixture(scope="module")
def solution():
    return analysis.solve(SMALL)


@pytest.mark.parametrize("form", [name for name in FORMATS if name not in ("svg", "png", "pdf", "parquet")])
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
    for form in ("graphml", "csv", "jsonl", "dot"):
        assert gametree("export", SMALL, "--to", form, "--out", "solved").code == 0
        assert gametree("export", "there", "--to", form, "--out", "stored").code == 0
        assert Path("solved").read_bytes() == Path("stored").read_bytes()


@pytest.mark.parametrize(("name", "form"), [("a.gv", "dot"), ("a.NDJSON", "jsonl"), ("a.csv", "csv")])
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
        (["tictactoe", "--out", "a.xyz"], 2, ["a.xyz ends in .xyz", "--to"]),
        (["tictactoe", "--to", "xml"], 2, ["'xml'", "graphml"]),
        (["tictactoe", "--to", "graphm"], 2, ["did you mean 'graphml'?"]),
        *((["tictactoe", "--to", form], 2, [repr(form), "csv"]) for form in ("cs188", "efg", "gexf", "sqlite")),
        (["tictactoe", "--to", "jsonl", "--moves"], 2, ["--moves", "jsonl"]),
        (["tictactoe", "--to", "csv", "--out", "."], 1, ["directory"]),
        (["tictactoe", "--to", "csv", "--out", "no/such/file.csv"], 1, ["no directory", "no/such"]),
        (
            ["mnk:rows=2,cols=4,k=3", "--to", "dot", "--max-nodes", "9"],
            1,
            ["525 classes", "is 9:", "--depth", "--max-nodes"],
        ),
        (["tictactoe", "--to", "graphml", "--max-nodes", "764"], 1, ["765 classes", "764", "csv"]),
        (["tictactoe", "--to", "csv", "--from", "XX???????"], 2, ["XX???????"]),
        (["nowhere/here", "--to", "csv"], 2, ["nowhere/here"]),
        (["bidding:game=tictactoe,chips=4", "--to", "csv"], 2, ["bidding"]),
        (["tictactoe", "--to", "csv", "--out", "a.json"], 2, ["a.json", "format json", "use .csv"]),
        (["tictactoe", "--depth", "-1", "--to", "csv"], 2, ["'--depth'", ". See 'gametree export --help'."]),
    ],
)
def test_refusals(arguments, code, words, gametree):
    one_line(gametree("export", *arguments), code, *words)
    assert not list(Path.cwd().glob("*.tmp"))


def test_a_damaged_directory_is_refused(gametree):
    gametree("solve", "tictactoe", "--out", "there")
    positions = Path("there/positions")
    (positions / "tier-0005-part-0000.parquet").write_bytes((positions / "tier-0004-part-0000.parquet").read_bytes())
    for form in ("csv", "jsonl", "graphml"):
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


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "svg"])
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
@pytest.mark.parametrize("form", ["graphml", "csv", "jsonl"])
def test_a_full_device_is_one_line(form, gametree):
    one_line(gametree("export", SMALL, "--to", form, "--out", "/dev/full"), 1, "/dev/full", "space")


@pytest.mark.slow
def test_an_export_that_is_killed_leaves_no_file(gametree):
    gametree("solve", "mnk:rows=4,cols=4,k=4", "--out", "solved")
    command = [sys.executable, str(ROOT / "cli.py"), "export", "solved", "--to", "jsonl", "--out", "all.jsonl"]
    with subprocess.Popen(command) as process:
        until(lambda: list(Path.cwd().glob(".all.jsonl.*")))
        time.sleep(0.5)
        process.kill()
    assert not Path("all.jsonl").exists()


HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"
STARTS = {"tictactoe": "XOX?O????", "mnk:2,5,3": "XOXO??????", "wild:2,3,3": "XO????", "connect:3,3,k=3": "???/???/XO?"}
STARTS[HEAPS] = "325"


@pytest.fixture(scope="module", params=["tictactoe", HEAPS, *slow("mnk:2,5,3", "wild:2,3,3", "connect:3,3,k=3")])
def both(request):
    """A position solved by residual classes and by symmetries."""
    solve = {"game": request.param, "start": STARTS[request.param]}
    return analysis.solve(**solve, symmetry="residual"), analysis.solve(**solve)


def exported(solution, path, form, **options):
    export(solution, path, form, **options)
    return path.read_bytes()


def test_every_format(both, tmp_path):
    for name in FORMATS.keys() - {"svg", "png", "pdf"}:
        assert exported(both[0], tmp_path / f"left{FORMATS[name].suffixes[0]}", name, depth=1)


def test_equal_moves(both, tmp_path):
    """Each is a row or an entry of its own in csv and jsonl; in a graph they are one edge with all codes."""
    left, wanted = both[0], Counter(move_frame(both[0])[["state", "move"]].itertuples(index=False, name=None))
    rows = csv.DictReader(io.StringIO(exported(left, tmp_path / "moves.csv", "csv", moves=True).decode()))
    assert Counter((int(row["state"]), int(row["move"])) for row in rows) == wanted
    lines = map(json.loads, exported(left, tmp_path / "left.jsonl", "jsonl").splitlines())
    assert Counter((line["state"], move["move"]) for line in lines for move in line["moves"]) == wanted
    edges = json.loads(exported(left, tmp_path / "left.json", "json"))["links"]
    assert sum(len(edge["moves"]) for edge in edges) == wanted.total()
