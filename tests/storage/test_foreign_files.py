"""No solve and no report takes away what others have put where it works: it is refused, and named."""

import json
import shutil

import pytest

from analysis.storage.directory import SolutionDirectory
from tests.support.program import one_line

SOLVE = ("solve", "mnk:rows=2,cols=2,k=2", "--out", "s")
COMMANDS = {
    "plain": (SOLVE, ".partial"),
    "force": ((*SOLVE, "--force"), ".partial"),
    "sharded": ((*SOLVE, "--sharded"), ".partial"),
    "bids": (("solve", "bidding:game=mnk:rows=1,cols=2,k=2,chips=1", "--out", "s"), ".partial"),
    "report": (("report", "mnk:rows=2,cols=2,k=2", "--out", "s"), ".report.tmp"),
}
NAMES = ("thesis.tex", "positions/mine.csv", "notes/a/b", "tiers/tier-0000.json/x", "figures/mine.png")


def everything(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
def test_foreign_files_stay(command, name, gametree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked, stage = COMMANDS[command]
    mine = tmp_path / "s" / stage / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    before = everything(tmp_path)
    for _ in range(2):
        one_line(gametree(*asked), 1, f"s/{stage}/{name.partition('/')[0]}")
        assert everything(tmp_path) == before
    assert gametree("clean", "s").code == 0
    assert everything(tmp_path) == before
    mine.unlink()
    shutil.rmtree(tmp_path / "s" / stage)
    assert gametree(*asked).code == 0


def test_foreign_links_and_folders_stay(gametree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s" / ".partial").mkdir(parents=True)
    (tmp_path / "away").write_text("mine")
    (tmp_path / "s" / ".partial" / "positions").symlink_to("../../away")
    one_line(gametree(*SOLVE), 1, "s/.partial/positions")
    assert (tmp_path / "s" / ".partial" / "positions").read_text() == "mine"


@pytest.mark.parametrize("name", ["positions/mine.csv", "tiers/notes.txt", ".partial/mine.csv"])
def test_beside_a_solution(name, gametree, tmp_path, monkeypatch):
    """What is there is opened all the same, and nothing of it is replaced."""
    monkeypatch.chdir(tmp_path)
    assert gametree(*SOLVE).code == 0
    mine = tmp_path / "s" / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    before = everything(tmp_path)
    assert gametree(*SOLVE).code == 0
    one_line(gametree(*SOLVE, "--force"), 1, f"s/{name}")
    assert everything(tmp_path) == before
    assert json.loads(gametree("stats", "s", "--format", "json").out)["positions"] > 0


def test_what_comes_during_a_solve_stays(tmp_path):
    mine = tmp_path / "s" / ".partial" / "positions" / "mine.csv"
    with SolutionDirectory(tmp_path / "s", ["positions"]) as place:
        mine.write_text("mine")
        place.write_tier_json(0, {})
    assert everything(tmp_path) == ["s", "s/.partial", "s/.partial/positions", "s/.partial/positions/mine.csv"]
