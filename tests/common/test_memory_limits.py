"""How much memory there is: the least limit of nested control groups, and what is assumed where nothing tells."""

import shutil
import subprocess
import sys

import pytest

from analysis.common.memory import group_limits
from tests.support.program import ROOT

UNLIMITED = (1 << 63) - 4096


def group(folder, version, limit, used, cached=0):
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, content in zip(names, (limit, used), strict=True):
        (folder / name).write_text(f"{content}\n")
    (folder / "memory.stat").write_text(
        f"anon 7\n{'inactive_file' if version == 2 else 'total_inactive_file'} {cached}\n"
    )


@pytest.mark.parametrize("version", [2, 1])
def test_the_least_limit_up_the_tree(tmp_path, version):
    """A job of SLURM: the step has no limit, the job 300 MB, and the node all of it."""
    mounted, own = tmp_path / "cgroup", tmp_path / "own"
    root = mounted if version == 2 else mounted / "memory"
    group(root / "slurm", version, "max" if version == 2 else UNLIMITED, 5000)
    group(root / "slurm" / "job_7", version, 300_000_000, 90_000_000, cached=50_000_000)
    group(root / "slurm" / "job_7" / "step:0", version, 400_000_000, 80_000_000)
    group(root / "slurm" / "job_8", version, 1000, 900)
    (root / "memory.stat").touch()
    controllers = "" if version == 2 else "cpu,memory"
    own.write_text(f"7:pids:/slurm/job_8\n4:{controllers}:/slurm/job_7/step:0\n")
    found = [*group_limits(own, mounted)]
    assert found[:2] == [(400_000_000, 80_000_000), (300_000_000, 40_000_000)]
    assert found[2:] == ([] if version == 2 else [(UNLIMITED, 5000)])
    assert min(limit - used for limit, used in found) == 260_000_000


def test_a_container_sees_its_own_groups_as_the_root(tmp_path):
    """Without a namespace the name is that of the host, of which nothing is mounted; with one it is the root."""
    group(tmp_path / "memory", 1, 300_000_000, 1)
    for place in ("/docker/0123", "/", "/../other"):
        (tmp_path / "own").write_text(f"4:memory:{place}\n0::{place}\n")
        assert [*group_limits(tmp_path / "own", tmp_path)] == [(300_000_000, 1)]
    assert [*group_limits(tmp_path / "none", tmp_path)] == [(300_000_000, 1)]
    assert [*group_limits(tmp_path / "none", tmp_path / "none")] == []


HIDDEN = 'mount -t tmpfs none /proc && exec "$@"'


def test_without_proc_a_solve_says_what_it_assumes(tmp_path):
    command = ["unshare", "--mount", "sh", "-c", HIDDEN, "sh"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no name space to hide /proc in")
    found = subprocess.run(
        [*command, sys.executable, str(ROOT / "cli.py"), "solve", "connect:rows=3,cols=4,k=3", "--out", "s"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0
    assert found.stderr.count("/proc") == 1
    assert (tmp_path / "s" / "manifest.json").exists()
