"""A solve in shards goes on to the same bytes if it is cut off or fills a disk (KILLS, DISKS times)."""

import os
import subprocess

import pytest

from tests.support.cut_off import FILLED, KILLED, UNPLUGGED, run

KILLS = int(os.environ.get("KILLS", "8"))
EVERYTHING = ["--moves", "--text", "--paths"]
CASES = [
    ("mnk:rows=3,cols=4,k=3", [], False),
    ("nim:heaps=5-6-7", [], True),
    ("dots_and_boxes:rows=2,cols=2", [], False),
    ("connect:rows=4,cols=3,k=3", EVERYTHING, True),
    ("dodgem:n=3", ["--moves"], False),
]


def killed(spec, options, elsewhere, times, folder):
    found, again = run(KILLED, spec, folder, times, times, *options, elsewhere=elsewhere)
    assert found["code"] == 0, found["said"]
    assert found["kills"] > times // 2
    assert found["same"]
    assert again == []
    assert not (folder / "cut" / ".partial").exists()
    assert not elsewhere or list((folder / "scratch").iterdir()) == []


def test_killed_now_and_then(tmp_path):
    killed("kayles:pins=9", [], True, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "options", "elsewhere"), CASES)
def test_killed_at_random_moments(spec, options, elsewhere, tmp_path):
    """No task that was done is done again, and nothing of a kill is left in the result."""
    killed(spec, options, elsewhere, KILLS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "options"), [("kayles:pins=14", ["--moves"]), ("connect:rows=4,cols=3,k=3", []), ("dodgem:n=3", [])]
)
def test_power_cuts(spec, options, tmp_path):
    """Bytes that were not flushed are lost, and of what happened in folders anything, in any order."""
    found, _ = run(UNPLUGGED, spec, tmp_path, KILLS, KILLS, *options)
    assert found["cuts"] == KILLS
    assert found["lost"] > KILLS
    for each in found["found"]:
        assert (each["code"], each["same"], each["left"]) == (0, True, []), each["said"]


DISKS = int(os.environ.get("DISKS", "3"))
MOUNT = "mount -t tmpfs -o size=4k tmpfs /mnt"


@pytest.fixture(scope="module")
def _mounts():
    """In a name space of its own, so that nothing stays mounted."""
    try:
        allowed = subprocess.run(["unshare", "--mount", "sh", "-c", MOUNT], check=False, capture_output=True)
    except OSError:
        pytest.skip("there is no unshare")
    if allowed.returncode:
        pytest.skip("this user may not mount a file system")


@pytest.mark.slow
@pytest.mark.usefixtures("_mounts")
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
