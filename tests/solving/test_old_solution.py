"""A solve over an old solution that fails in any way leaves it whole; what was cut off while moving is completed."""

import errno
import json
import pathlib
import resource
import shutil
import subprocess
import sys

import pytest

import analysis
from analysis.errors import StoreError
from analysis.solution.storage import path_files
from tests.support.killed import killed_before_move
from tests.support.program import ROOT
from tests.support.sharding import bytes_of

NEW = ("solve", "tictactoe", "--paths", "--text", "--force")


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A solution that has more tables than the next one, and other rows."""
    directory = tmp_path_factory.mktemp("old") / "s"
    analysis.solve("tictactoe", directory=analysis.Output(directory, ["paths", "moves"]), symmetry="none")
    return directory


@pytest.fixture
def place(old, tmp_path):
    shutil.copytree(old, tmp_path / "s")
    return tmp_path / "s"


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    directory = tmp_path_factory.mktemp("new") / "s"
    analysis.solve("tictactoe", directory=analysis.Output(directory, ["paths", "text"]))
    return directory


def is_whole(place, old):
    """The old solution, and perhaps an unfinished one beside it."""
    return {name: found for name, found in bytes_of(place).items() if not name.startswith(".partial")} == bytes_of(old)


@pytest.mark.parametrize("more", [[], ["--sharded"]])
def test_too_many_paths(more, place, old, gametree, monkeypatch):
    """With --anyway they are all written; shards are not solved again."""
    monkeypatch.setattr(path_files, "MOST", 1000)
    found = gametree(*NEW, "--out", "s", *more)
    assert (found.code, found.out) == (1, "")
    assert is_whole(place, old)
    again = gametree(*NEW, "--anyway", "--out", "s", "--format", "json")
    assert (again.code, again.json["resumed"]) == (0, bool(more))
    assert json.loads((place / "manifest.json").read_text())["tables"] == {
        "counts": True, "moves": False, "text": True, "paths": True
    }  # fmt: skip
    assert gametree("verify", "s").code == 0


@pytest.mark.parametrize("more", [[], ["--sharded"]])
def test_files_that_may_not_grow(more, place, old, new, tmp_path):
    """The greatest file is that of the paths. Whatever is refused, the old solution stays."""
    sizes = sorted({path.stat().st_size for path in new.rglob("*.parquet")})
    codes = []
    for most in (sizes[0] - 1, sizes[len(sizes) // 2], sizes[-1] - 1, None):
        limit = lambda most=most: most and resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
        command = [sys.executable, str(ROOT / "cli.py"), *NEW, "--out", "s", *more]
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, preexec_fn=limit)
        codes.append(done.returncode)
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert is_whole(place, old), (most, done.stderr)
    assert codes == [1, 1, 1, 0]
    assert (place / "optimal_paths.parquet").read_bytes() == (new / "optimal_paths.parquet").read_bytes()


def test_moves_that_are_refused(place, old, new, monkeypatch):
    """Before any move the system may refuse it: all is moved back, and the same solve moves what it had finished."""
    replace, left = pathlib.Path.replace, [0]

    def refusing(self, target):
        if not self.name.endswith(".tmp"):
            left[0] -= 1
            if left[0] == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(pathlib.Path, "replace", refusing)
    for number in range(1, 20):
        left[0] = number
        try:
            analysis.solve("tictactoe", directory=analysis.Output(place, ["paths", "text"], force=True))
        except StoreError:
            assert is_whole(place, old), number
            continue
        break
    assert number > 8
    assert bytes_of(place) == bytes_of(new)


@pytest.mark.parametrize("number", [1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 10))])
def test_killed_while_moving(number, place, old, new, gametree):
    """Readers change nothing: they see the old solution, or are told to repeat the solve, which completes it."""
    solve = (
        "import analysis; analysis.solve(sys.argv[3], directory=analysis.Output(sys.argv[2], ['paths', 'text'], True))"
    )
    killed_before_move(number, place, "tictactoe", program=solve)
    before = bytes_of(place)
    found = gametree("stats", "s")
    assert bytes_of(place) == before
    assert (found.code == 0) == is_whole(place, old) == (number == 1)
    assert "not finished" not in found.err
    again = gametree(*NEW, "--out", "s", "--format", "json")
    assert (again.code, again.json["resumed"]) == (0, True), again
    assert bytes_of(place) == bytes_of(new)
