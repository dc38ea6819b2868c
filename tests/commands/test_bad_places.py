"""What cannot be written where an option says is refused in one line, which names the path and what is wrong."""

import os
from pathlib import Path

import pytest

from analysis.errors import StoreError
from analysis.machine.files import check_writable
from analysis.storage.row_files import opened
from tests.support.bad_places import LONG, make_bad_places
from tests.support.program import one_line

FOLDERS = [
    ("solve", "tictactoe", "--out"),
    ("solve", "bidding:game=mnk:rows=1,cols=2,k=2,chips=1", "--out"),
    ("solve", "tictactoe", "--sharded", "--out", "s", "--scratch"),
    ("report", "tictactoe", "--out"),
    ("plan", "tictactoe", "--out"),
    ("plan", "tictactoe", "--scratch"),
]
FILES = [
    ("paths", "tictactoe", "--out"),
    ("export", "tictactoe", "--out"),
    ("match", "tictactoe", "random", "random", "--games", "1", "--out"),
    ("sweep", "nim:heaps=1..2", "--out"),
    ("audit", "tictactoe", "games.csv", "--out"),
    ("richman", "mnk:rows=1,cols=2,k=2", "--out"),
]


@pytest.mark.parametrize("command", FOLDERS, ids=lambda command: f"{command[0]} {command[-1]}")
def test_directories(command, gametree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, words in make_bad_places(tmp_path):
        one_line(gametree(*command, place), 1, place, words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file", "folder", "loop"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("command", FILES, ids=lambda command: f"{command[0]} {command[-1]}")
def test_files(command, gametree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, words in make_bad_places(tmp_path, ".csv", of_files=True):
        Path("games.csv").write_text("path\n041263578\n")
        one_line(gametree(*command, place), 1, place, words)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "dangling.csv",
        "file",
        "folder.csv",
        "games.csv",
        "loop.csv",
    ]


@pytest.mark.parametrize(
    ("command", "suffix"),
    [
        (("explore", "tictactoe", "--out"), ".html"),
        (("find", "tictactoe", "--sheet"), ".pdf"),
        (("prune", "((3 12)(2 4))", "--plot"), ".svg"),
        (("sweep", "nim:heaps=1..2", "--x", "heaps", "--y", "positions", "--plot"), ".png"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else value,
)
def test_pictures_and_pages(command, suffix, gametree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, words in make_bad_places(tmp_path, suffix, of_files=True):
        one_line(gametree(*command, place), 1, place, words)


def test_a_link_is_followed_and_a_long_name_written(tmp_path):
    (tmp_path / "link.csv").symlink_to("made.csv")
    for name in ("link.csv", LONG[:251] + ".csv", "ä" * 125 + ".csv"):
        with opened(tmp_path / name) as file:
            file.write(b"a\n")
        assert (tmp_path / name).read_bytes() == b"a\n"
    assert (tmp_path / "made.csv").is_file()


def test_devices_and_missing_folders(tmp_path):
    check_writable(Path("/dev/null"))
    check_writable(tmp_path / "a" / "b", folder=True)
    with pytest.raises(StoreError, match="no directory"):
        check_writable(tmp_path / "a" / "b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_permissions(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    for folder in (False, True):
        with pytest.raises(StoreError, match="permission"):
            check_writable(tmp_path / "closed" / "a", folder=folder)
