"""The library as people import it: what loads when it is asked for, and the name that it is installed by."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import analysis
from tests.support.program import ROOT

ROOMS = ("audit", "bidding", "errors", "playing", "search", "sweeps")


def run(code: str, folder, *command: str) -> str:
    """What a program of the user's prints that lies in a folder."""
    (folder / "program.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *(command or ("program.py",))],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_load_on_first_use(room, tmp_path):
    assert run(f"import analysis; print(analysis.{room}.__name__)", tmp_path).split() == [f"analysis.{room}"]


def test_importing_loads_none_of_it(tmp_path):
    code = "import sys, gametree; print(*[name for name in sys.modules if name.startswith('analysis.')])"
    assert run(code, tmp_path).split() == []


def test_both_names_are_one(tmp_path):
    code = """
import gametree.playing.traps, analysis, gametree
from gametree import Solution, errors
from gametree.playing import find_traps
import analysis.playing.traps
assert gametree is analysis and gametree.playing is analysis.playing
assert find_traps is analysis.playing.traps.find_traps is gametree.playing.traps.find_traps
assert analysis.playing.__spec__.name == "analysis.playing"
assert {*dir(gametree)} >= {*analysis.__all__} >= {"solve", "playing", "Solution"}
print(gametree.solve("tictactoe").value, gametree.__version__)
"""
    assert run(code, tmp_path).split() == ["0", analysis.__version__]


def test_types_under_the_other_name():
    """A stub for each room that type checkers can be asked about."""
    assert {path.stem for path in (ROOT / "gametree").glob("*.pyi")} == {*ROOMS}
    assert {*ROOMS} <= {*analysis.__all__}


OWN = "calls = []\nmine = 5\ncalls.append(__name__)\n"
USES = """
assert gametree.solve("mnk:rows=2,cols=2,k=2").value == 1
from gametree.search import alphabeta
assert alphabeta("tictactoe").nodes == 18297
assert [row["status"] for row in gametree.sweeps.sweep("hex:n=2")] == ["solved"]
"""


@pytest.mark.parametrize("order", ["gametree", "gametree, analysis", "analysis, gametree"])
def test_beside_a_module_of_the_users(order, tmp_path):
    """Which keeps its name, and is run once if it is used, and else not at all."""
    (tmp_path / "analysis.py").write_text(OWN + ("" if "analysis" in order else "raise SystemExit('run')"))
    after = "import analysis\nassert (analysis.mine, analysis.calls) == (5, ['analysis'])\n" * ("analysis" in order)
    run(f"import {order}\n{USES}{after}{USES}", tmp_path)


def test_in_a_script_of_that_name(tmp_path):
    (tmp_path / "analysis.py").write_text(f"import gametree\n{USES}print('once')\n")
    assert run("", tmp_path, "analysis.py").split() == ["once"]


def test_commands_beside_a_module_of_the_users(tmp_path):
    """As it is installed, which leaves the user's folder out, and as a module."""
    (tmp_path / "analysis.py").write_text(OWN + "raise SystemExit('run')")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gametree").write_text("from analysis.commands.main import main\nmain()\n")
    for command in (("bin/gametree",), ("-m", "gametree")):
        assert "255,168" in run("", tmp_path, *command, "solve", "tictactoe", "--force")


def test_another_package_of_that_name(tmp_path):
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").touch()
    run(f"import gametree\n{USES}", tmp_path)
    with pytest.raises(AssertionError, match="another package called analysis is loaded"):
        run("import analysis, gametree", tmp_path)
