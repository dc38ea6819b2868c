"""Directories of bidding solutions are complete or absent, and none is taken for another."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

import analysis
from analysis.bidding.bidding_solving import bidding_to_directory
from analysis.bidding.bidding_solving import find_solution as find_bidding
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.bidding_store import BiddingWriter
from analysis.bidding.bidding_store import open_solution as open_bidding
from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.errors import OptionError, SpecError, StoreError, TooLargeError
from analysis.games.families import load_game
from analysis.machine.workers import Workers
from analysis.solving.opening import open_solution
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.directory import SCHEMA
from analysis.storage.store import Tables
from analysis.storage.stored_games import is_bidding
from tests.storage.test_store import contents
from tests.support.bidding_forging import MIXED
from tests.support.forging import forge_manifest, manifest_of
from tests.support.killed import killed_before_move
from tests.support.program import ROOT

PURE = "bidding:game=tictactoe,chips=2"
COIN = "bidding:game=mnk:rows=2,cols=3,k=3,chips=2,ties=coin"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    directory = tmp_path_factory.mktemp("solutions") / "ttt"
    bidding_to_directory(PURE, directory, text=True)
    return directory


def test_there_already(stored):
    before = {path: path.stat().st_mtime_ns for path in stored.rglob("*")}
    solution, was_there = bidding_to_directory(PURE, stored)
    assert was_there
    assert solution.root.value == solve_bidding(PURE).root.value
    assert {path: path.stat().st_mtime_ns for path in stored.rglob("*")} == before


@pytest.mark.parametrize(
    ("spec", "options", "reason"),
    [
        ("bidding:game=tictactoe,chips=3", {}, "holds the solution of bidding:game=tictactoe,chips=2; choose another"),
        ("bidding:game=tictactoe,chips=2,first=O", {}, "holds the solution of bidding:game=tictactoe,chips=2;"),
        (PURE, {"symmetry": "none"}, "with --symmetry geometric; solve it again with --force"),
        (PURE, {"text": True}, "without --text"),
    ],
)
def test_another_solution_is_not_passed_off(tmp_path, spec, options, reason):
    bidding_to_directory(PURE, tmp_path / "s")
    before = contents(tmp_path / "s")
    with pytest.raises(StoreError, match=reason):
        bidding_to_directory(spec, tmp_path / "s", **options)
    assert contents(tmp_path / "s") == before


@pytest.mark.slow
def test_kinds_keep_apart(tmp_path):
    """Neither kind of solution is taken for the other, and either replaces the other if asked to."""
    bidding_to_directory(PURE, tmp_path / "s")
    with pytest.raises(StoreError):
        solve_to_directory("tictactoe", tmp_path / "s")
    with pytest.raises(StoreError):
        open_solution(tmp_path / "s")
    solve_to_directory("tictactoe", tmp_path / "s", force=True, tables=Tables(moves=True, paths=True))
    assert analysis.verify(tmp_path / "s").states == 765
    with pytest.raises(StoreError, match="holds the solution of tictactoe"):
        bidding_to_directory(PURE, tmp_path / "s")
    with pytest.raises(StoreError, match="no bidding game"):
        open_bidding(tmp_path / "s")
    _, was_there = bidding_to_directory(PURE, tmp_path / "s", force=True)
    assert not was_there
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["manifest.json", "positions", "tiers"]
    assert verify_bidding(tmp_path / "s").boards == 18753


def test_found_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_bidding(PURE).directory is None
    solution, _ = bidding_to_directory(PURE)
    assert str(solution.directory) == "data/bidding-tictactoe-chips2"
    assert find_bidding(PURE).directory == solution.directory
    assert find_bidding("data/bidding-tictactoe-chips2").directory == solution.directory
    assert is_bidding("data/bidding-tictactoe-chips2")
    other, _ = bidding_to_directory(PURE, symmetry="none")
    assert str(other.directory) == "data/bidding-tictactoe-chips2-none"
    assert find_bidding(PURE).directory == solution.directory
    assert find_bidding(PURE, symmetry="none").directory == other.directory
    solve_to_directory("tictactoe", "data/bidding-tictactoe-chips2", force=True)
    assert find_bidding(PURE).directory is None
    assert not is_bidding("data/bidding-tictactoe-chips2")


def test_solve_into_a_directory(tmp_path):
    solution = solve_bidding(PURE, directory=tmp_path / "s", text=True)
    assert solution.directory == tmp_path / "s"
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["tables"] == {"text": True}
    for options in ({"directory": tmp_path / "s", "position": "X????????"}, {"text": True}, {"force": True}):
        with pytest.raises(OptionError):
            solve_bidding(PURE, **options)


def test_foreign_directory_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match=r"thesis\.tex"):
        bidding_to_directory(PURE, tmp_path, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(StoreError, match="is a file"):
        bidding_to_directory(PURE, tmp_path / "thesis.tex")


def test_failure_leaves_the_old_solution(tmp_path, monkeypatch):
    bidding_to_directory(PURE, tmp_path / "s")
    before = contents(tmp_path / "s")

    def fail(*_):
        raise TooLargeError("no")

    monkeypatch.setattr(BiddingWriter, "finish", fail)
    for directory in ("s", "new"):
        with pytest.raises(TooLargeError):
            bidding_to_directory(COIN, tmp_path / directory, force=True)
    assert contents(tmp_path / "s") == before
    assert not (tmp_path / "new").exists()


def test_two_solves_of_one_directory(tmp_path):
    with Workers(1) as workers, BiddingWriter(tmp_path / "s", load_game(PURE), workers):
        with pytest.raises(StoreError, match=r"another process .* is writing"):
            bidding_to_directory(PURE, tmp_path / "s")
        assert (tmp_path / "s" / ".partial" / "positions").is_dir()
    assert not (tmp_path / "s").exists()


def test_damaged_manifest(tmp_path):
    bidding_to_directory(COIN, tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    manifest = manifest_of(tmp_path / "s")
    for forged, reason in (
        ("{", "damaged"),
        ("[]", "schema"),
        (json.dumps(manifest), "checksum"),
        ({"schema": SCHEMA, "kind": "bidding", "tiers": {}}, "game is missing"),
        ({**manifest, "kind": "tea"}, "no bidding game"),
        ({**manifest, "game": "tictactoe"}, "is no bidding game"),
        ({**manifest, "game": "chess"}, "cannot be loaded"),
        ({**manifest, "rules_hash": "0"}, "other rules"),
        ({**manifest, "totals": [{}]}, "damaged"),
        ({**manifest, "least_chips": [{"total": 0}]}, "damaged"),
    ):
        if isinstance(forged, str):
            path.write_text(forged)
        else:
            forge_manifest(tmp_path / "s", forged)
        with pytest.raises(StoreError, match=reason) as error:
            open_bidding(tmp_path / "s")
        assert "\n" not in str(error.value)
    forge_manifest(tmp_path / "s", manifest)
    (tmp_path / "s" / "tiers" / "tier-0002.json").unlink()
    with pytest.raises(StoreError, match=r"tier-0002\.json"):
        open_bidding(tmp_path / "s")


SOLVE = "import sys; from analysis.bidding.bidding_solving import *; bidding_to_directory(*sys.argv[1:3], force=True)"


@pytest.mark.slow
def test_full_disk(tmp_path):
    """A limit on the size of files stands in for the disk: writing fails half-way through."""
    script = 'ulimit -f 2; exec "$@"'
    command = [sys.executable, "-c", SOLVE, "bidding:game=tictactoe,chips=9", str(tmp_path / "s")]
    done = subprocess.run(
        ["bash", "-c", script, "bash", *command], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("analysis.errors.StoreError: cannot write")
    assert not (tmp_path / "s").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.0, *(pytest.param(s, marks=pytest.mark.slow) for s in (0.5, 1.5))])
def test_kill_9(tmp_path, seconds):
    """Killed at some moment of a solve: the directory holds the old solution or the new one, never a part of one."""
    directory, new = tmp_path / "s", "bidding:game=tictactoe,chips=30"
    bidding_to_directory(COIN, directory)
    process = subprocess.Popen([sys.executable, "-c", SOLVE, new, str(directory)], cwd=ROOT)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert verify_bidding(directory).game in (COIN, new)
    bidding_to_directory(MIXED, directory, force=True)
    assert not (directory / ".partial").exists()
    assert verify_bidding(directory).game == MIXED


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 4, 6])
def test_kill_9_while_moving_into_place(tmp_path, number):
    """Killed before the i-th move of a finished solve over an old one of another kind, which holds more: the next solve
    completes the moves.
    """
    directory = tmp_path / "s"
    solve_to_directory("mnk:rows=2,cols=2,k=2", directory, tables=Tables(moves=True, paths=True))
    killed_before_move(
        number, directory, MIXED,
        program="import analysis; analysis.bidding.solve(sys.argv[3], directory=sys.argv[2], force=True)",
    )  # fmt: skip
    _, was_there = bidding_to_directory(MIXED, directory)
    assert was_there
    assert verify_bidding(directory).game == MIXED
    assert sorted(path.name for path in directory.iterdir()) == ["manifest.json", "positions", "tiers"]


def test_the_functions_of_the_door(tmp_path, monkeypatch):
    """Games by turns and games of bids have functions of the same names, and neither takes the other's."""
    monkeypatch.chdir(tmp_path)
    solution = analysis.bidding.solve(PURE, directory="s", memory="2GB")
    assert isinstance(solution, analysis.bidding.BiddingSolution)
    assert analysis.bidding.open_solution("s", PURE).root.value == solution.root.value
    assert analysis.bidding.find_solution("s").root.value == solution.root.value
    assert analysis.bidding.verify("s").game == PURE
    game = analysis.load_game(PURE)
    for name, given in (
        ("solve", PURE), ("solve", game), ("open_solution", "s"), ("find_solution", "s"), ("find_solution", PURE),
        ("verify", "s"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=rf"analysis\.bidding\.{name}\(\.\.\.\)"):
            getattr(analysis, name)(given)
    for refused in (analysis.plan, analysis.write_report, analysis.playing.find_traps, analysis.sweeps.cite):
        with pytest.raises(OptionError, match="game of bids"):
            refused(PURE)
    analysis.solve("tictactoe", directory="t")
    for name in ("solve", "find_solution"):
        with pytest.raises(SpecError):
            getattr(analysis.bidding, name)("tictactoe")
    for name in ("open_solution", "verify"):
        with pytest.raises(StoreError):
            getattr(analysis.bidding, name)("t")
