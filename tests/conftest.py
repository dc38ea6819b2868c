"""Fixtures: the command line in this process and in one of its own."""

import csv
import gc
import importlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import zlib
from typing import NamedTuple

import numba  # noqa: F401 - once it is loaded small games are compiled too: tests are of compiled code, but for test_plain
import pytest

from analysis.common.endings import SIGNALS
from analysis.common.wording import COMPILING
from analysis.engine.kernels.types import compile_kernels
from tests.support.program import ROOT

collect_ignore = ["support/programs"]
"""Programs as other people write them: they are run from their folder, not imported from here."""

SLOW = ROOT / "tests" / "slow.txt"
"""Tests, one a line, that were found to take longer than a second or two, besides those marked `slow` where they are
written: what `pytest --durations=0` tells. After `test_x[2:]` two cases of `test_x` stay quick ones, and all others are
slow.
"""


def compile_all_kernels() -> None:
    """Two workers begin at opposite ends, so that in a new checkout each compiles half of the kernels and loads the
    other half.
    """
    patterns = ("**/kernels.py", "**/kernels/[!_]*.py", "search/algorithms/[!_]*.py")
    files = sorted(path for pattern in patterns for path in (ROOT / "analysis").glob(pattern))
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for path in files if number % 2 else reversed(files):
        compile_kernels(importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))


if "PYTEST_XDIST_WORKER" in os.environ:
    compile_all_kernels()
gc.set_threshold(20_000, 20, 100)  # compilers keep much that is looked through each time, a tenth of the tests' time


def pytest_addoption(parser):
    parser.addoption("--turn", metavar="K/N", default="0/1", help="of all tests only those of turn K out of N")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config, items):
    """Mark those that ``slow.txt`` names, and leave out the tests whose turn it is not; each has one, whatever others
    there are.
    """
    slow = set(SLOW.read_text(encoding="utf-8").splitlines())
    left = {family[1]: int(family[2]) for family in (re.fullmatch(r"(.+)\[(\d+):\]", line) for line in slow) if family}
    for item in items:
        name = item.nodeid.replace(f"{ROOT}/", "")
        family = name.partition("[")[0]
        if name in slow:
            item.add_marker(pytest.mark.slow)
        elif family in left and not item.get_closest_marker("slow"):
            left[family] -= 1
            if left[family] < 0:
                item.add_marker(pytest.mark.slow)
    turn, turns = map(int, config.getoption("--turn").split("/"))
    others = [item for item in items if zlib.crc32(item.nodeid.encode()) % turns != turn % turns]
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def unhurried_disk():
    """No power is cut in this process, so it does not wait for the disk; what is not open still cannot be flushed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


FOLDERS = itertools.count()


@pytest.fixture
def tmp_path(tmp_path_factory):
    """A folder for one test. To number it, pytest's own looks through those of all tests before: a millisecond each."""
    return tmp_path_factory.mktemp(f"test-{next(FOLDERS)}", numbered=False)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """No test reads what somebody has solved into ``data/``."""
    monkeypatch.chdir(tmp_path)


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def rows(self):
        return list(csv.DictReader(io.StringIO(self.out)))


@pytest.fixture
def gametree(monkeypatch, capfd):
    """Run a command in this process, in an empty directory."""
    import cli

    handlers = {number: signal.getsignal(number) for number in SIGNALS}

    def run(*args: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["gametree", *map(str, args)])
        capfd.readouterr()
        try:
            with pytest.raises(SystemExit) as stop:
                cli.main()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        out, err = capfd.readouterr()
        return Result(stop.value.code, out, err.replace(f"gametree: {COMPILING}\n", ""))  # as on a machine that has

    return run


@pytest.fixture
def rows(gametree):
    """Rows of a comparison, by algorithm, or a list of them where there are several of one algorithm."""

    def run(*args: object) -> dict | list:
        result = gametree("prune", *args, "--format", "json")
        assert (result.code, result.err) == (0, ""), result
        found = result.json["rows"]
        by_name = {row["algorithm"]: row for row in found}
        return by_name if len(by_name) == len(found) else found

    return run


@pytest.fixture
def program():
    """Run a command in a process of its own."""

    def run(*args: object, **settings) -> subprocess.CompletedProcess:
        environment = {**os.environ, **settings.pop("env", {})}
        command = [sys.executable, str(ROOT / "cli.py"), *map(str, args)]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=300, check=False, **settings
        )

    return run
