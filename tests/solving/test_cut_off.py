"""What a solve in shards that was cut off does not go on with, what is done with it then, and who may cut it off."""

import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import analysis
from analysis.common.version import __version__
from analysis.errors import StoreError
from analysis.solving.sharded import driver, run
from tests.support.program import PATIENCE, ROOT, one_line
from tests.support.sharding import SMALL_SHARDS, bytes_of, solved_by_one, use_small_shards

GAME = "connect:rows=4,cols=3,k=3"
TASKS = 22


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch):
    use_small_shards(monkeypatch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The files of a solve that nobody cut off."""
    return solved_by_one(GAME, tmp_path_factory.mktemp("whole") / "s")


def cut_off(monkeypatch, directory="s", after=8, *, game=GAME, scratch=None, tables=(), force=False):
    """Begin a solve, and break it off when so many tasks are done."""
    left = [None] * after
    real = driver.perform

    def perform(*arguments):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return real(*arguments)

    output = analysis.Output(directory, tables, force)
    with monkeypatch.context() as patch:
        patch.setattr(driver, "perform", perform)
        with pytest.raises(KeyboardInterrupt):
            analysis.running(sharded=True, scratch=scratch)(analysis.solve)(game, directory=output, workers=1)
    return Path(directory) / ".partial"


def goes_on(whole, directory="s", **options):
    """The same solve ends with the files of one that nobody cut off."""
    force, memory = options.pop("force", False), options.pop("memory", None)
    with analysis.running(memory=memory, **options):
        analysis.solve(GAME, directory=analysis.Output(directory, force=force))
    assert bytes_of(Path(directory)) == whole


def untouched(directory):
    return {name: found for name, found in bytes_of(directory).items() if not name.endswith("process.json")}


@pytest.mark.parametrize("after", [0, 1, 12, TASKS])
def test_any_solve_goes_on(after, whole, monkeypatch):
    """Also one that would be in memory, and where only the last moves were missing."""
    cut_off(monkeypatch, after=after)
    goes_on(whole)


def test_another_solve_is_refused(whole, gametree, monkeypatch):
    """It changes nothing, so that the first one can go on."""
    cut_off(monkeypatch)
    before = untouched(Path("s"))
    for arguments in (
        ["connect:rows=3,cols=4,k=3"],
        [GAME, "--symmetry", "none"],
        [GAME, "--no-counts"],
        [GAME, "--moves", "--sharded"],
        ["bidding:game=tictactoe,chips=1"],
        [GAME, "--memory", "1B"],
    ):
        one_line(
            gametree("solve", *arguments, "--out", "s"), 1, "directory" if "--memory" not in arguments else "--memory"
        )
        assert untouched(Path("s")) == before, arguments
    goes_on(whole)


@pytest.mark.parametrize("force", [True, False])
def test_a_solve_with_force_goes_on(force, gametree, monkeypatch):
    """Whether --force is repeated or not, no task is done again; until then the old solution is there, as it was."""
    solve = ["solve", GAME, "--sharded", "--moves", "--workers", "1", "--format", "json", "--out"]
    assert gametree(*solve, "whole").code == 0
    assert gametree("solve", GAME, "--no-counts", "--out", "s").code == 0
    before = bytes_of(Path("s"))
    partial = cut_off(monkeypatch, after=TASKS, tables=["moves"], force=True)
    assert {name: found for name, found in bytes_of(Path("s")).items() if not name.startswith(".")} == before
    assert gametree("verify", "s").code == 0
    assert gametree("solve", GAME, "--no-counts", "--out", "s", "--format", "json").json["there_already"]
    done = {(path.parent.name, path.stem) for path in partial.glob("*ward/tier-????.json")}
    begun, real = [], driver.perform
    monkeypatch.setattr(driver, "perform", lambda task, *more: (begun.append(task), real(task, *more))[1])
    found = gametree(*solve, "s", *(["--force"] if force else []))
    assert (found.code, found.json["resumed"]) == (0, True), found.err
    assert len(done) > 5
    assert not done & {(task.kind, f"tier-{task.tier:04d}") for task in begun}
    assert bytes_of(Path("s")) == bytes_of(Path("whole"))


def reseal(path, **changes):
    data = json.loads(path.read_text())
    del data["sha256"]
    run.write_sealed_json(path, {**data, **changes})


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new))


DAMAGES = {
    "other_version": lambda partial: reseal(partial / "run.json", gametree=__version__ + ".1"),
    "not_ours": lambda partial: reseal(partial / "run.json", id="../../../x"),
    "edited_run": lambda partial: edit(partial / "run.json", '"counts": true', '"counts": false'),
    "truncated_run": lambda partial: os.truncate(partial / "run.json", 100),
    "edited_record": lambda partial: edit(partial / "forward" / "tier-0003.json", '"rows": ', '"rows": 1'),
    "truncated_record": lambda partial: os.truncate(partial / "forward" / "tier-0002.json", 30),
    "truncated_plan": lambda partial: os.truncate(max((partial / "plan").iterdir()), 30),
    "missing_scratch": lambda partial: shutil.rmtree(next(partial.glob("gametree-*"))),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage(damage, whole, gametree, monkeypatch):
    """A refusal that removes nothing; --force starts again."""
    partial = cut_off(monkeypatch)
    DAMAGES[damage](partial)
    before = untouched(Path("s"))
    result = gametree("solve", GAME, "--out", "s")
    lines = [line for line in result.err.splitlines() if "going on with" not in line]
    assert (result.code, len(lines)) == (1, 1), result
    assert "--force" in lines[0]
    assert untouched(Path("s")) == before
    assert gametree("solve", GAME, "--sharded", "--out", "s", "--force").code == 0
    assert bytes_of(Path("s")) == whole


def test_scratch_is_moved(whole, gametree, monkeypatch):
    """Found where it is said to be now; what is called like a folder of ours is not taken for it."""
    cut_off(monkeypatch, scratch="one")
    Path("other/scratch").mkdir(parents=True)
    Path("other/scratch/mine").touch()
    shutil.move("one", "two")
    one_line(gametree("solve", GAME, "--out", "s", "--scratch", "one"), 1, "--scratch")
    one_line(gametree("solve", GAME, "--out", "s", "--scratch", "other"), 1, "--scratch")
    goes_on(whole, scratch="two")
    assert list(Path("two").iterdir()) == []
    cut_off(monkeypatch, "t")  # whose scratch is inside, and stays there
    goes_on(whole, "t", scratch="other")
    assert Path("other/scratch/mine").exists()


def test_what_killed_processes_were_writing(whole, gametree, monkeypatch):
    """Also between the last move into place and the removal of what is empty then."""
    partial = cut_off(monkeypatch)
    (partial / "positions" / ".tier-0000-part-0000.parquet.1.tmp").touch()
    goes_on(whole)
    Path("s/.partial/plan").mkdir(parents=True)
    assert gametree("solve", GAME, "--sharded", "--out", "s").code == 0
    assert bytes_of(Path("s")) == whole


@pytest.mark.slow
def test_a_worker_process_is_killed(whole, monkeypatch):
    monkeypatch.setattr(driver, "SMALL", 0)

    def kill(stage, done, total):
        if stage.tier == 5:
            for pid in executor._processes or ():
                with contextlib.suppress(ProcessLookupError):  # it is dead already
                    os.kill(pid, signal.SIGKILL)

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as executor:
        for _ in range(2):  # the second time nothing can be given to it
            with pytest.raises(StoreError, match="executor"), analysis.running(progress=kill):
                analysis.running(executor=executor)(analysis.solve)(GAME, directory="s")
    with ProcessPoolExecutor(1, context) as executor:
        analysis.running(executor=executor)(analysis.solve)(GAME, directory="s")
    assert bytes_of(Path("s")) == whole


SLOWLY = (
    SMALL_SHARDS
    + """
import sys, time
from analysis.solving.sharded import tasks
def perform(*arguments):
    time.sleep(0.05)
    return tasks.perform(*arguments)
driver.perform = perform
from analysis.cli.main import main
main()
"""
)


@pytest.mark.slow
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals(number, force, whole, gametree, tmp_path):
    asked = ["solve", GAME, "--sharded", "--out", "s", *(["--force"] if force else [])]
    if force:
        assert gametree("solve", GAME, "--no-counts", "--out", "s").code == 0
    command = [sys.executable, "-c", SLOWLY, *asked]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-1, stderr=-1, text=True) as process:
        while not any(tmp_path.glob("s/.partial/forward/*")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert str(Path("s", ".partial")) in err.splitlines()[-1]
    assert not list(tmp_path.rglob("*.tmp"))
    assert gametree(*asked, "--format", "json").json["resumed"]
    assert bytes_of(Path("s")) == whole
