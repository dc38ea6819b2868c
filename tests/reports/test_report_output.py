"""What files a report is: a directory that is complete or has no page, and nobody else's."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import analysis
from analysis.errors import StoreError
from analysis.machine.files import locked
from analysis.machine.markup import printable
from analysis.reports import page_files, tables
from analysis.reports.figures import gallery
from analysis.reports.report import report_files, write_report
from analysis.solving.to_directory import solve_to_directory
from tests.support.program import ROOT, one_line


@pytest.fixture(scope="module")
def files():
    return report_files(analysis.solve("tictactoe"))


def everything(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_a_report_is_these_files(gametree, tmp_path):
    result = gametree("report", "tictactoe")
    assert (result.code, result.out) == (0, "reports/tictactoe/index.html\n")
    assert result.err == (
        "The page, explore.html to walk through it, 7 figures (SVG and PNG) and 8 tables (CSV) are written.\n"
    )
    found = everything(tmp_path / "reports/tictactoe")
    pictures = set(gallery.FIGURES) - {"scores", "pruning"}
    assert set(found) == {
        "index.html",
        "explore.html",
        *(f"figures/{name}.{form}" for name in pictures for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in set(tables.NAMES) - {"by_tier", "pruning"}),
    }
    assert [p.name for p in (tmp_path / "reports").iterdir()] == ["tictactoe"]
    assert (tmp_path / "reports/tictactoe").stat().st_mode & 0o777 == 0o777 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.slow
def test_stored_and_in_memory_are_the_same_report(files, tmp_path):
    solve_to_directory("tictactoe", tmp_path / "stored")
    write_report(str(tmp_path / "stored"), tmp_path / "report")
    assert everything(tmp_path / "report") == files


@pytest.mark.slow
def test_the_same_bytes_whatever_the_hash_seed(tmp_path):
    found = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        command = [sys.executable, ROOT / "cli.py", "report", "tictactoe", "--prune", "--out", out]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "MPLBACKEND": "Agg" if seed == "1" else "SVG"}
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)
        found.append(everything(out))
    assert len(found[0]) > 20
    assert found[0] == found[1]


def put(directory: Path, files: dict[str, bytes], spec: str = "tictactoe") -> None:
    page_files.put_report(directory, spec, files)


@pytest.mark.slow
def test_files_of_an_earlier_report_go_and_others_stay(files, tmp_path):
    put(tmp_path / "r", files)
    mine = {"notes.txt": b"mine", "figures/own.svg": b"mine", "tables/by_tier.txt": b"mine"}
    stale = {"tables/pruning.csv": b"old", "figures/pruning.png": b"old", "tables/by_ply.csv": b"old"}
    for name, data in (mine | stale).items():
        (tmp_path / "r" / name).write_bytes(data)
    put(tmp_path / "r", files)
    assert everything(tmp_path / "r") == files | mine


def test_a_failed_report_leaves_the_earlier_one(files, tmp_path, monkeypatch):
    put(tmp_path / "r", files)
    written = []

    def full(descriptor):
        written.append(descriptor)
        if len(written) == 5:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(page_files.os, "fsync", full)
    others = {"index.html": b"new", **{f"tables/{name}.csv": b"" for name in tables.NAMES}}
    with pytest.raises(StoreError, match="No space left on device"):
        put(tmp_path / "r", others)
    assert everything(tmp_path / "r") == files
    written.clear()
    with pytest.raises(StoreError, match="cannot write"):
        put(tmp_path / "new/deep", files)
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


@pytest.mark.parametrize("stopped", range(17))
def test_a_page_means_that_its_files_are_there(files, tmp_path, monkeypatch, stopped):
    """Killed anywhere while files are put into place: there is no page, or a whole report; the next run makes one."""
    few = ("index.html", "figures/growth.svg", "figures/growth.png", "tables/by_ply.csv", "tables/by_value.csv")
    files = {name: files[name] for name in few}
    older = {**files, "tables/pruning.csv": b"old"}
    put(tmp_path, older)
    real, done = Path.replace, []

    def replace(self, target):
        if len(done) == stopped:
            raise KeyboardInterrupt
        done.append(target)
        return real(self, target)

    newer = {name: data + b"\n" for name, data in files.items()}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # which a killed process does not come to
        with contextlib.suppress(KeyboardInterrupt):
            put(tmp_path, newer)
    if (tmp_path / "index.html").exists():
        found = {name: data for name, data in everything(tmp_path).items() if ".tmp" not in name}
        assert found == (newer if found["index.html"] == newer["index.html"] else older)
    assert (len(done) < stopped) == (stopped == 16)
    shutil.rmtree(tmp_path / page_files.SCRATCH / "figures", ignore_errors=True)
    put(tmp_path, files)
    assert everything(tmp_path) == files


@pytest.mark.slow
def test_a_half_written_report_is_made_whole(gametree, files, tmp_path):
    """Also where another attempt to write it fails in between."""
    place = tmp_path / "r"
    put(place, files)
    (place / "index.html").unlink()
    (place / page_files.SCRATCH).mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
    try:
        with pytest.raises(StoreError, match="File too large"):
            put(place, files)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert gametree("report", "tictactoe", "--out", place).code == 0
    assert set(everything(place)) == set(files)


def test_one_report_at_a_time(files, tmp_path):
    with locked(tmp_path), pytest.raises(StoreError, match="another process is writing into"):
        put(tmp_path, files)
    assert everything(tmp_path) == {}
    put(tmp_path, files)
    assert everything(tmp_path) == files


@pytest.mark.slow
def test_what_a_killed_report_left_goes(files, tmp_path):
    """Killed by a signal that nothing can handle, in the middle of its work."""
    script = (
        "import os, signal, sys; from pathlib import Path; from analysis.reports import page_files\n"
        "page_files.write_bytes = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "page_files.put_report(Path(sys.argv[1]), 'tictactoe', {'index.html': b''})"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path / "r"], check=False, cwd=ROOT, timeout=60)
    assert [p.name for p in (tmp_path / "r").iterdir()] == [page_files.SCRATCH]
    put(tmp_path / "r", files)
    assert everything(tmp_path / "r") == files


def test_what_is_of_no_report_is_left_alone(gametree, files, tmp_path):
    (tmp_path / "site/tables").mkdir(parents=True)
    (tmp_path / "site/index.html").write_text('<meta name="generator" content="gametree 1">')
    (tmp_path / "data/tables").mkdir(parents=True)
    (tmp_path / "data/tables/by_ply.csv").write_text("mine")
    before = everything(tmp_path)
    one_line(gametree("report", "tictactoe", "--out", "site"), 1, "site/index.html is not the page of a report")
    for _ in range(2):
        one_line(gametree("report", "tictactoe", "--out", "data"), 1, "data holds 'tables/by_ply.csv' and no report")
        assert not (tmp_path / "data" / page_files.SCRATCH).exists()
    assert everything(tmp_path) == before


def test_the_report_of_another_game_is_left_alone(gametree, files, tmp_path):
    put(tmp_path / "r", files)
    one_line(
        gametree("report", "nim", "--out", "r"), 2, "r holds the report of tictactoe, not of nim:", "another --out"
    )
    assert everything(tmp_path / "r") == files
    put(tmp_path / "r", {"index.html": files["index.html"]})  # another one of the same game may replace it
    assert everything(tmp_path / "r") == {"index.html": files["index.html"]}


@pytest.mark.parametrize("spec", ['a/"b" & <c>.py:G', "x\x00\u202e.py:G", "it's.py:G:a=1"])
def test_games_are_told_by_odd_names_too(tmp_path, spec):
    import jinja2

    page = jinja2.Environment(autoescape=True).from_string(HEAD).render(spec=printable(spec))
    put(tmp_path, {"index.html": page.encode()}, spec)
    put(tmp_path, {"index.html": b""}, spec)
    with pytest.raises(StoreError, match="not the page of a report"):
        put(tmp_path, {"index.html": b""}, spec)


HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="gametree 1.2">
<meta name="gametree-game" content="{{ spec }}">
"""


def test_refusals_in_one_line(gametree, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken/index.html").mkdir(parents=True)
    (tmp_path / "link").symlink_to("nowhere")
    one_line(gametree("report", "tictactoe", "--out", "file"), 1, "file is a file")
    one_line(gametree("report", "tictactoe", "--out", "file/below"), 1, "file is a file")
    one_line(gametree("report", "tictactoe", "--out", "taken"), 1, "taken/index.html is a directory")
    one_line(gametree("report", "bidding", "--out", "r"), 2, "gametree stats bidding", "docs/bidding.md")
    one_line(gametree("report", "tictactoe", "--from", "X????????"), 2, "--out DIR")
    one_line(gametree("report", "tictactoe", "--from", "nonsense", "--out", "r"), 2, "nonsense")
    one_line(gametree("report", "dodgem", "--prune"), 2, "loopy", "gametree prune dodgem:n=3 --depth N")
    one_line(gametree("report", "no_such_game"), 2, "no_such_game")
    one_line(gametree("report", "tictactoe", "--symmetry", "odd"), 2, "odd")
    one_line(gametree("report", "tictactoe", "--out", ""), 2, "--out is empty")
    one_line(gametree("report", "tictactoe", "--out", "link"), 1, "link is a link to")
    one_line(gametree("report", "tictactoe", "--out", "link/below"), 1, "link is a link to")
    one_line(gametree("report", "tictactoe", "--out", "r", "--max-nodes", "5"), 2, "add --prune")
    one_line(gametree("report", "tictactoe", "--out", "r", "--prune", "--max-nodes", "0"), 2, "max-nodes 0")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "link", "taken"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc, where nobody can make a directory")
def test_a_directory_that_cannot_be_made_is_refused_before_the_work(gametree, monkeypatch):
    monkeypatch.setattr("analysis.reports.report.find_solution", lambda *_, **__: pytest.fail("solved all the same"))
    one_line(gametree("report", "tictactoe", "--out", "/proc/report"), 1, "/proc/report: ")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written(gametree, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    one_line(gametree("report", "tictactoe", "--out", "closed"), 1, "no permission", "closed")


@pytest.mark.slow
def test_what_was_written_is_said_in_numbers_that_agree(gametree):
    result = gametree("report", "chomp:rows=1,cols=1")
    assert result.err == "The page, explore.html to walk through it and 7 tables (CSV) are written.\n"
