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
    assert len(names) > 100
    assert {"analysis.solve", "analysis.Solution", "analysis.errors.SpecError", "analysis.playing.Terms"} <= names
    assert all(f"print(gametree.{room}." in program("gametree") for room in ROOMS)
    assert "print(given.optimal_paths)" in program("analysis")


def test_it_runs(environment, programs):
    """But for its functions, which need objects."""
    for path in programs.glob("by_*.py"):
        run(environment / "python", path, cwd=programs)


@pytest.fixture(scope="module")
def beside(programs, tmp_path_factory):
    """The program beside a module of the user's that has the package's other name."""
    folder = tmp_path_factory.mktemp("beside")
    for name in ("by_gametree.py", "pyrightconfig.json"):
        shutil.copy(programs / name, folder)
    (folder / "analysis.py").write_text("mine = 5\n")
    return folder


@pytest.fixture(params=["programs", "beside"])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["environment", "editable"])
def python(request):
    return request.getfixturevalue(request.param) / "python"


def test_pyright(python, folder):
    run("pyright", "--pythonpath", python, "--warnings", ".", cwd=folder)


def test_mypy(python, folder):
    run("mypy", "--strict", "--python-executable", python, "--cache-dir", folder / "cache", ".", cwd=folder)
