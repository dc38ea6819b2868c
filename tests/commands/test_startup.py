"""What a command loads: reading a stored solution and solving a small game need neither a compiler nor plotting."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.program import ROOT

LOADED = """
import json, sys
sys.argv[0] = "gametree"
from analysis.commands.main import main
try:
    main()
finally:
    heavy = (
        "numba", "scipy", "networkx", "pandas", "matplotlib", "jinja2", "pydantic", "psutil", "pyarrow.compute",
        "starlette", "uvicorn",
    )
    print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr)
"""


def loaded(tmp_path, *arguments):
    command = [sys.executable, "-c", LOADED, *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


def test_reading_loads_nothing_heavy(tmp_path):
    out, heavy = loaded(tmp_path, "solve", "tictactoe")
    assert "255,168" in out
    assert not {"numba", "scipy", "networkx", "pandas", "matplotlib"} & set(heavy)
    reading = (["show", "tictactoe", "XOX?O????"], ["stats", "tictactoe"], ["paths", "tictactoe", "--limit", "3"])
    for command in (*reading, ["games"], ["--help"]):
        out, heavy = loaded(tmp_path, *command)
        assert out
        assert heavy == [], command


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["connect:rows=4,cols=4", "nim", "dodgem", "notakto:misere=true"])
def test_reading_other_kinds(tmp_path, spec):
    loaded(tmp_path, "solve", spec, "--out", "s")
    assert "numba" not in loaded(tmp_path, "stats", "s")[1]
