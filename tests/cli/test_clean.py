"""`clean` removes what was cut off, completes what had to be moved into place only, and leaves all else alone."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import analysis
from analysis.machine.files import atomic_file, locked
from analysis.solution.storage.directory import SOLUTION
from analysis.solution.storage.leftovers import KEEP, _in_use, clean
from analysis.solving.to_directory import solve_to_directory
from tests.support.killed import killed_before_move
from tests.support.program import ROOT, one_line

DEAD = 3_999_999
"""No process has this number: systems count to 2^22 at most."""


@pytest.fixture(autouse=True)
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def write(name, text=""):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def actions(result):
    assert (result.code, result.err) == (0, "")
    return {each["path"]: each["action"] for each in result.json["leftovers"]}


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def everything():
    return sorted(str(path) for path in Path().rglob("*"))


def test_nothing(gametree):
    result = gametree("clean")
    assert (result.code, result.err, everything()) == (0, "", [])
    assert gametree("clean", "--format", "json").json == {"dry_run": False, "freed_bytes": 0, "leftovers": []}
    assert gametree("clean", "--format", "csv").out == "what,path,bytes,age_seconds,action\n"


def test_refusals(gametree, tmp_path):
    one_line(gametree("clean", "nowhere"), 2, "nowhere")
    write("file")
    one_line(gametree("clean", "file"), 2, "file")
    one_line(gametree("clean", "--format", "xml"), 2, "xml")


@pytest.mark.slow
def test_a_killed_solve(gametree, tmp_path):
    solve_to_directory("mnk:2,2,2", "data/small")
    command = [sys.executable, str(ROOT / "cli.py"), "solve", "connect:rows=4,cols=5,k=4"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        partial = Path("data/connect-rows4-cols5/.partial")
        while not any(partial.glob("positions/*.parquet")) and process.poll() is None:
            time.sleep(0.01)
        assert actions(gametree("clean", "--format", "json")) == {str(partial): KEEP}
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    size = sum(path.stat().st_size for path in partial.rglob("*") if path.is_file())
    found = gametree("clean", "--dry-run", "--format", "json")
    assert actions(found) == {str(partial): "remove"}
    assert found.json["freed_bytes"] == size > 0
    assert partial.exists()
    assert gametree("clean").code == 0
    assert names("data") == ["small"]
    assert analysis.verify("data/small").states > 0


@pytest.mark.parametrize("number", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3))])
def test_a_solution_that_only_had_to_be_moved_is_completed(gametree, tmp_path, number):
    killed_before_move(number, tmp_path / "data" / "s", "tictactoe")
    assert actions(gametree("clean", "--dry-run", "--format", "json")) == {"data/s/.partial": "complete"}
    assert Path("data/s/.partial").exists()
    assert actions(gametree("clean", "--format", "json")) == {"data/s/.partial": "complete"}
    assert names("data/s") == ["manifest.json", "positions", "tiers"]
    assert analysis.verify("data/s").states == 765
    assert actions(gametree("clean", "--format", "json")) == {}


def test_what_cannot_be_completed_is_removed(gametree):
    """A manifest that is not whole: the files around it are of no use."""
    write("data/s/.partial/manifest.json", "{")
    assert actions(gametree("clean", "--format", "json")) == {"data/s/.partial": "remove"}
    assert everything() == ["data"]


def test_temporary_files(gametree):
    """Those of the dead, by their exact names, in the folder that is named and three below it."""
    gone = [write(name) for name in (f".a.csv.{DEAD}.tmp", f"data/.b.{DEAD}.tmp", f"data/x/y/z/.c.json.{DEAD}.tmp")]
    for name in (
        f"a.csv.{DEAD}.tmp",
        ".a.csv.tmp",
        f".{DEAD}.tmp",
        f"other/.a.csv.{DEAD}.tmp",
        f"data/.h/.a.{DEAD}.tmp",
    ):
        write(name)
    write(f"data/x/y/z/u/.a.csv.{DEAD}.tmp")
    Path(f"data/.link.{DEAD}.tmp").symlink_to("x")
    Path(f"data/.folder.{DEAD}.tmp").mkdir()
    Path("data/out").symlink_to("../other")
    before = everything()
    with atomic_file(Path("mine.csv")):
        (own,) = Path().glob(".mine*")
        found = actions(gametree("clean", "--format", "json"))
        assert own.exists()
    assert found == {**{str(path): "remove" for path in gone}, str(own): KEEP}
    assert everything() == sorted([*{*before} - {*map(str, gone)}, "mine.csv"])


def test_a_number_that_another_process_has_now(tmp_path):
    path = write(tmp_path / f".a.csv.{os.getpid()}.tmp")
    assert _in_use(path)
    os.utime(path, (1, 1))
    assert not _in_use(path)


def test_folders_that_are_not_ours(gametree):
    for name in (".partial/thesis.tex", ".partial/positions/mine.csv", ".partial/manifest.json/x", ".report.tmp/a.svg"):
        shutil.rmtree("data", ignore_errors=True)
        write(f"data/a/{name}")
        write("data/a/.partial/tiers/tier-0000.json")
        if name.startswith(".report"):
            shutil.rmtree("data/a/.partial")
        before = everything()
        assert actions(gametree("clean", "--format", "json")) == {}
        assert everything() == before
    write("away/positions/tier-0000-part-0000.parquet")
    Path("data/b").mkdir()
    Path("data/b/.partial").symlink_to("../../away")
    Path("data/c/.partial").mkdir(parents=True)
    Path("data/c/.partial/positions").symlink_to("../../../away/positions")
    before = everything()
    assert actions(gametree("clean", "data", "--format", "json")) == {}
    assert everything() == before


def test_what_another_process_holds(tmp_path):
    write("s/.partial/tiers/tier-0000.json")
    with locked(Path("s")):
        assert [each.action for each in clean([(Path(), 1)], [SOLUTION]).leftovers] == [KEEP]
    assert everything() == ["s", "s/.partial", "s/.partial/tiers", "s/.partial/tiers/tier-0000.json"]
    assert [each.bytes for each in clean([(Path("s"), 0)], [SOLUTION]).leftovers] == [0]
    assert everything() == ["s"]


def test_reports(gametree):
    """Without its page the rest of a report needs an empty folder to be told from other files."""
    write("reports/a/.report.tmp/tables/by_ply.csv", "12345")
    write("reports/b/.report.tmp/figures/growth.svg", "12345")
    write("reports/b/.report.tmp/old/0", "67")
    write(f"reports/b/.report.tmp/.index.html.{DEAD}.tmp", "8")
    write("reports/b/tables/by_ply.csv")
    found = gametree("clean", "--format", "json")
    assert actions(found) == {"reports/a/.report.tmp": "remove", "reports/b/.report.tmp": "remove"}
    assert found.json["freed_bytes"] == 13
    assert everything() == [
        "reports", "reports/b", "reports/b/.report.tmp", "reports/b/tables", "reports/b/tables/by_ply.csv"
    ]  # fmt: skip
    assert actions(gametree("clean", "--format", "json")) == {}


def test_compiled_rules(gametree, tmp_path):
    write(f"cache/gametree/rules/.abc.rules.{DEAD}.tmp")
    kept = write("cache/gametree/rules/abc.rules")
    assert len(actions(gametree("clean", "--format", "json"))) == 1
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may do anything")
def test_what_may_not_be_removed(gametree):
    path = write(f"data/.a.csv.{DEAD}.tmp")
    path.parent.chmod(0o555)
    result = gametree("clean", "data")
    path.parent.chmod(0o755)
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert path.exists()
