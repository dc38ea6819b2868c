"""What is wrong with a cluster, or with one of its workers, is said in a line."""

import os
import shutil
import threading
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import pytest

import analysis
from analysis.errors import StoreError
from tests.support.cluster import Background
from tests.support.own_game import MINE
from tests.support.program import one_line
from tests.support.sharding import bytes_of

GAME = "connect:rows=3,cols=4,k=3"
as_root = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="mounts file systems")


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("nonsense", 2),
        ("missing.py:client", 2),
        ("failing.py:client", 1),
        ("getpid.py:client", 2),
        ("other.json", 2),
    ],
)
def test_what_names_no_cluster(where, code, gametree):
    Path("other.json").write_text('["address"]')
    Path("failing.py").write_text("def client():\n    raise OSError")
    Path("getpid.py").write_text("from os import getpid as client")
    one_line(gametree("solve", "tictactoe", "--dask", where, "--out", "s"), code, "--dask")
    assert not Path("s").exists()


@pytest.mark.slow
@pytest.mark.parametrize("who", ["nobody", "a server of something else"])
def test_no_scheduler_answers(who, program, tmp_path):
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = 9 if who == "nobody" else server.server_port
        done = program("solve", "tictactoe", "--dask", f"tcp://127.0.0.1:{port}", "--out", tmp_path / "s")
        server.shutdown()
    one_line(SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr), 1, f"127.0.0.1:{port}")


def mounting(folder, options="", then="true"):
    """A command that runs another with a file system of its own in a folder."""
    script = f'mount -t tmpfs {options} tmpfs {folder} && {then} && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "word"),
    [
        ("version", "0.0.1"),
        pytest.param("folder", "does not see", marks=as_root),
        pytest.param("rules", "other rules", marks=as_root),
    ],
)
def test_one_that_is_of_no_use(what, word, cluster, small_shards, wanted, tmp_path):
    """Of another version, folder or rules: it is named, and another one resumes."""
    (tmp_path / "older.py").write_text("from analysis.common import version\nversion.__version__ = '0.0.1'\n")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "rules.py").write_text(MINE)
    (tmp_path / "other.py").write_text(MINE.replace("pass", "later: int = 0"))
    how = {
        "version": {"options": ["--preload", str(tmp_path / "older.py")]},
        "folder": {"before": mounting(tmp_path, "-o size=100m")},
        "rules": {"before": mounting(f"{tmp_path}/rules", then=f"cp {tmp_path}/other.py {tmp_path}/rules/rules.py")},
    }[what]
    spec = f"{tmp_path}/rules/rules.py:Mine:rows=3,cols=3,k=3" if what == "rules" else GAME
    cluster.come()
    cluster.add("b", **how)
    cluster.come("b")
    with pytest.raises(StoreError, match=word):
        analysis.running(executor=cluster.client)(analysis.solve)(spec, directory=tmp_path / "s")
    cluster.come("a")
    solution = analysis.running(executor=cluster.client)(analysis.solve)(spec, directory=tmp_path / "s")
    assert bytes_of(solution.directory) == wanted(spec)


@pytest.mark.slow
@as_root
def test_one_that_comes_later_is_of_no_use(cluster, small_shards, wanted, tmp_path):
    cluster.come("a")
    with cluster.held("backward") as taken:
        running = Background(
            lambda: analysis.running(executor=cluster.client)(analysis.solve)(GAME, directory=tmp_path / "s")
        )
        taken()
        cluster.add("b", before=mounting(tmp_path, "-o size=100m"))
        cluster.come("a", "b")
        cluster.kill("a")
        with pytest.raises(StoreError, match="does not see"):
            running.result()
    cluster.come("a")
    solution = analysis.running(executor=cluster.client)(analysis.solve)(GAME, directory=tmp_path / "s")
    assert bytes_of(solution.directory) == wanted(GAME)
