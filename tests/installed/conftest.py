"""The files of a release, and an environment that the wheel is installed into; no worker makes them a second time."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.installing import new_environment, run
from tests.support.program import ROOT

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "analysis", "gametree")


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Have one of several workers fill a folder, while the others wait for it."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = base / f"{name}.done"
            if not done.exists():
                shutil.rmtree(base / name, ignore_errors=True)
                fill(base / name)
                done.touch()
        return base / name

    return make


@pytest.fixture(scope="session")
def release(once):
    """The folder with the two files of a release, built from a copy of the sources."""

    def build(folder: Path) -> None:
        sources = folder / "sources"
        sources.mkdir(parents=True)
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, sources)
        run("python", "-m", "build", "--installer", "uv", "--outdir", folder / "dist", sources, cwd=folder)

    return once("release", build) / "dist"


@pytest.fixture(scope="session")
def wheel(release):
    [path] = release.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def environment(once, wheel):
    """The programs of a new environment with the wheel."""

    def install(folder: Path) -> None:
        new_environment(folder)
        run("uv", "pip", "install", "--quiet", "--python", folder, wheel, cwd=folder)

    return once("environment", install) / "bin"


@pytest.fixture(scope="session")
def editable(once):
    """The same with the sources themselves, as `make` installs them."""

    def install(folder: Path) -> None:
        new_environment(folder)
        run("uv", "pip", "install", "--quiet", "--python", folder, "--editable", ROOT, cwd=folder)

    return once("editable", install) / "bin"
