"""Run programs of this environment and of others, away from the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MYPYPATH")


def run(program: str | Path, *arguments: object, cwd: Path) -> str:
    """Return what a program prints that succeeds; one without a path is one of this environment."""
    done = started(program, *arguments, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def started(program: str | Path, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with nothing typed at it."""
    command = [str(program if isinstance(program, Path) else tool(program)), *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=outside(), input="", capture_output=True, text=True, timeout=600, check=False
    )


def outside() -> dict[str, str]:
    """The variables of programs that know nothing of this environment or the checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    return kept | {"UV_PYTHON_DOWNLOADS": "never"}


def tool(name: str) -> str:
    """Return the path of a program of this environment. Where it is missing the test is skipped or, with
    REQUIRE_TOOLS=1, fails.
    """
    path = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if path is None and os.environ.get("REQUIRE_TOOLS") != "1":
        pytest.skip(f"{name} is not installed")
    assert path is not None, f"{name} is not installed, and REQUIRE_TOOLS=1 asks for it"
    return path


def new_environment(folder: Path) -> None:
    """Make an empty environment of this Python."""
    run("uv", "venv", "--quiet", "--python", sys.executable, folder, cwd=folder.parent)
