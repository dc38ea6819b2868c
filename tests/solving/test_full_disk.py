"""A disk that is full ends a solve in shards with one line, and with more room the same command goes on.

The environment variable DISKS says how many sizes are tried for each game, by default three.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.support.cut_off import FILLED, run

DISKS = int(os.environ.get("DISKS", "3"))
MOUNT = "mount -t tmpfs -o size=4k tmpfs /mnt"


@pytest.fixture(scope="module", autouse=True)
def _mounts():
    """In a name space of its own, so that nothing stays mounted."""
    try:
        allowed = subprocess.run(["unshare", "--mount", "sh", "-c", MOUNT], check=False, capture_output=True)
    except OSError:
        pytest.skip("there is no unshare")
    if allowed.returncode:
        pytest.skip("this user may not mount a file system")


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True], ids=["solution", "scratch"])
@pytest.mark.parametrize(
    ("spec", "options"), [("connect:rows=4,cols=3,k=3", ["--paths"]), ("nim:heaps=5-6-7", ["--moves", "--text"])]
)
def test_full_disks(spec, options, elsewhere, tmp_path):
    found, _ = run(FILLED, spec, tmp_path, DISKS, DISKS, *options, elsewhere=elsewhere)
    assert any(each["code"] for each in found)
    for each in found:
        assert (each["again"], each["same"], each["left"]) == (0, True, [])
        if each["code"]:
            lines = [line for line in each["said"].splitlines() if "solving in shards" not in line]
            assert (each["code"], len(lines)) == (1, 1), each["said"]
            assert lines[0].startswith("gametree: ")
