"""Caches are written and read only where no other user can write: what is loaded from them is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import _CacheLocator

from analysis.engine.compiling import cache
from analysis.engine.compiling.cache import NotCachedError, StoredCode
from analysis.engine.compiling.private_folders import is_private, is_private_file, make_private
from analysis.engine.kernels import hash_table
from tests.support.program import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have other rights on Windows")

NOBODY = 65534


@pytest.fixture
def folder(tmp_path):
    make_private(tmp_path / "a" / "b" / "c")
    return tmp_path / "a" / "b" / "c"


def test_folders_that_are_made_are_the_users_alone(tmp_path, folder):
    made = [path.stat().st_mode & 0o777 for path in (folder, *folder.parents) if tmp_path in path.parents]
    assert made == [0o700] * 3
    assert is_private(folder)


@pytest.mark.parametrize("place", ["a", "a/b", "a/b/c"])
@pytest.mark.parametrize(
    ("mode", "above", "itself"),
    [
        (0o755, True, True),
        (0o1755, True, True),
        (0o777, False, False),
        (0o770, False, False),
        (0o702, False, False),
        (0o1777, True, False),
    ],
)
def test_who_may_write(tmp_path, folder, place, mode, above, itself):
    (tmp_path / place).chmod(mode)
    assert is_private(folder) is (itself if place == "a/b/c" else above)
    if not os.getuid():  # only root can give a folder to another user
        os.chown(tmp_path / place, NOBODY, NOBODY)
        assert not is_private(folder)


def test_links(tmp_path, folder):
    link = tmp_path / "link"
    link.symlink_to(Path("a") / "b")
    assert is_private(link / "c")
    (tmp_path / "a").chmod(0o777)
    assert not is_private(link / "c")
    (tmp_path / "a").chmod(0o700)
    (folder.parent / "link").symlink_to(folder)
    assert is_private(folder.parent / "link")
    if not os.getuid():
        for each, through in ((link, link / "c"), (folder.parent / "link", folder.parent / "link")):
            os.lchown(each, NOBODY, NOBODY)
            assert not is_private(through)
    (tmp_path / "round").symlink_to("round")
    assert not is_private(tmp_path / "round")
    assert not is_private(tmp_path / "nothing")


def test_files(folder):
    file = folder / "file"
    file.write_text("")
    file.chmod(0o664)
    assert is_private_file(file)  # nobody else comes into its folder
    folder.chmod(0o755)
    assert not is_private_file(file)
    file.chmod(0o644)
    assert is_private_file(file)
    (folder / "link").symlink_to(file)
    assert not is_private_file(folder / "link")
    if not os.getuid():
        os.chown(file, NOBODY, NOBODY)
        assert not is_private_file(file)


def test_compiled_rules_are_not_kept_where_others_write(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cache, "rules_folder", lambda: tmp_path / "cache" / "gametree" / "rules")
    assert StoredCode("0")._path.parent == tmp_path / "cache" / "gametree" / "rules"
    (tmp_path / "cache").chmod(0o777)
    for _ in range(2):
        with pytest.raises(NotCachedError):
            StoredCode("0")
    assert capsys.readouterr().err.count("\n") <= 1


SCRIPT = """
import numba
from analysis.engine.kernels import hash_table
print(hash_table.find.compiled.stats.cache_hits != {})
"""


@pytest.mark.slow
def test_kernels_are_not_kept_where_others_write(tmp_path):
    home = tmp_path / "cache"
    folder = home / _CacheLocator.get_suitable_cache_subpath(hash_table.__file__)

    def run() -> tuple[str, list[str]]:
        env = {**os.environ, "NUMBA_CACHE_DIR": str(home), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip(), done.stderr.splitlines()

    assert run() == ("False", [])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert run() == ("True", [])
    home.chmod(0o777)
    found, said = run()
    assert (found, len(said)) == ("False", 1)
    assert str(home) in said[0]
    home.chmod(0o755)
    assert run() == ("True", [])
    if not os.getuid():
        os.chown(next(folder.glob("*.nbi")), NOBODY, NOBODY)
        assert len(run()[1]) == 1
        shutil.rmtree(folder)
        folder.mkdir()
        os.chown(folder, NOBODY, NOBODY)
        assert len(run()[1]) == 1
        assert not [*folder.iterdir()]
