"""What is said where the system allows too little: it is neither an interruption nor a fault of standard output."""

import os
import subprocess
import sys

import pytest

from analysis.cli.terminal import lacking
from tests.support.program import ROOT

SOLVE = ("solve", "tictactoe", "--out", "s")


@pytest.mark.parametrize(
    ("limit", "words"), [("-v 300000", "out of memory"), ("-v 700000", "out of memory"), ("-n 6", "files")]
)
def test_a_limit_of_the_shell(tmp_path, limit, words):
    found = subprocess.run(
        ["bash", "-c", f'ulimit {limit}; exec "$@"', "bash", sys.executable, ROOT / "cli.py", *SOLVE],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (found.returncode, found.stdout, len(found.stderr.splitlines())) == (1, "", 1)
    assert words in found.stderr
    assert not [*tmp_path.glob("s/*")]


def test_what_a_library_hides():
    hidden = OSError("Could not find/load shared object file 'libllvmlite.so'")
    hidden.__context__ = OSError("libllvmlite.so: failed to map segment from shared object")
    assert "out of memory" in lacking(hidden)
    assert lacking(OSError(28, "No space left on device")) == ""


def test_no_place_for_compiled_code(tmp_path):
    """Each command would compile again in silence."""
    said = []
    for place in (tmp_path / "there", "/dev/null/nowhere"):
        found = subprocess.run(
            [sys.executable, ROOT / "cli.py", "solve", "connect:rows=4,cols=4,k=3", "--out", "s", "--force"],
            cwd=tmp_path, env=os.environ | {"XDG_CACHE_HOME": str(place)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        said.append(found.stderr.count("XDG_CACHE_HOME"))
    assert said == [0, 1]


def test_a_log_at_debug_holds_no_lines_of_the_compiler(tmp_path):
    program = "import logging; logging.basicConfig(level='DEBUG'); {}import analysis; "
    program += "analysis.solve('connect:rows=4,cols=4,k=3')"
    lines = []
    for asked in ("", "logging.getLogger('numba').setLevel('INFO'); "):
        found = subprocess.run(
            [sys.executable, "-c", program.format(asked) + "; print(logging.getLogger('numba').level)"],
            cwd=ROOT, env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        lines.append((found.stdout, found.stderr.count("DEBUG:numba")))
    assert lines == [("30\n", 0), ("20\n", 0)]
