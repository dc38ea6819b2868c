"""A program that uses every public name, by both names of the package, as strict type checkers see it."""

import json
import shutil

import pytest

from tests.support.installing import run
from tests.support.program import ROOT
from tests.support.public_names import ROOMS, program, public_names

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for package in ("analysis", "gametree"):
        (folder / f"by_{package}.py").write_text(program(package))
    shutil.copy(ROOT / "tests/support/programs/typed.py", folder)
    settings = {"typeCheckingMode": "strict", "reportMissingModuleSource": "error"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def test_the_program_uses_all_names():
    names = {name for name, _ in public_names()}
    assert len(names) > 130
    assert {"analysis.solve", "analysis.Solution", "analysis.errors.SpecError", "analysis.playing.Terms"} <= names
    assert all(f"print(gametree.{room}." in program("gametree") for room in ROOMS)
    assert "print(given.optimal_paths)" in program("analysis")


def test_it_runs(environment, programs):
    """But for its functions, which need objects."""
    for path in programs.glob("by_*.py"):
        run(environment / "python", path, cwd=programs)


def test_pyright(environment, programs):
    run("pyright", "--pythonpath", environment / "python", "--warnings", ".", cwd=programs)


def test_mypy(environment, programs):
    python = environment / "python"
    run("mypy", "--strict", "--python-executable", python, "--cache-dir", programs / "cache", ".", cwd=programs)
