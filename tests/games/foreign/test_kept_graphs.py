"""Graphs that are kept between commands: the same, found again, and never in the way."""

import hashlib

import numpy as np
import pytest

import analysis
from analysis.errors import TooLargeError
from analysis.games.foreign import keeping
from tests.games.foreign.test_symmetries import squares


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "cache" / "graphs"
    monkeypatch.setattr(keeping, "graphs_folder", lambda: place)
    monkeypatch.setattr(keeping, "SLOW", 0)
    return place


def mark(entry):
    """Put another graph in place of the one that is kept; what it is told by."""
    graph = keeping._unpacked(entry.read_bytes())
    entry.write_bytes(keeping._packed(graph._replace(notes=("found again",))))
    return ("found again",)


def graph_of(spec):
    game = analysis.load_game(spec)
    return game.explored()


def same(one, other):
    return all(
        np.array_equal(mine, its) if isinstance(mine, np.ndarray) else mine == its
        for mine, its in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("line", ["pass", "symmetries = ((1, 0, 3, 2),)"])
def test_it_is_found_again_as_it_was(line, tmp_path, folder):
    spec = squares(tmp_path, line)
    first, again = graph_of(spec), graph_of(spec)
    assert same(first, again)
    assert [type(each) for each in first] == [type(each) for each in again]
    assert [getattr(each, "dtype", None) for each in first] == [getattr(each, "dtype", None) for each in again]
    (entry,) = folder.iterdir()
    assert graph_of(spec).notes == first.notes != mark(entry) == graph_of(spec).notes


def test_another_program_or_limit_is_another_graph(tmp_path, folder):
    graph_of(squares(tmp_path))
    mark(next(folder.iterdir()))
    assert graph_of(squares(tmp_path, "size = 2")).notes != ("found again",)
    assert graph_of(squares(tmp_path)).notes == ("found again",)
    graph_of("open_spiel:hex:board_size=2")
    with pytest.raises(TooLargeError):
        graph_of("open_spiel:hex:board_size=2,limit=5")


DAMAGE = {
    "cut off": lambda data: data[:-9],
    "empty": lambda data: b"",
    "another byte": lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
    "sealed, and no graph": lambda data: hashlib.sha256(b"x").digest() + b"x",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_ignored_and_written_again(damage, tmp_path, folder):
    spec = squares(tmp_path)
    first = graph_of(spec)
    entry = next(folder.iterdir())
    mark(entry)
    entry.write_bytes(damage(entry.read_bytes()))
    assert same(first, graph_of(spec))
    assert same(first, keeping._unpacked(entry.read_bytes()))


def test_nothing_is_kept_where_none_can_be_written_or_little_is_gained(tmp_path, folder, monkeypatch):
    spec = squares(tmp_path)
    folder.parent.mkdir()
    folder.write_text("no folder")
    assert len(graph_of(spec).keys) == 33
    folder.unlink()
    monkeypatch.setattr(keeping, "SLOW", 1000)
    graph_of(spec)
    assert not folder.exists()


def test_the_least_recently_used_are_removed(tmp_path, folder, monkeypatch):
    graph_of(squares(tmp_path))
    oldest = next(folder.iterdir())
    monkeypatch.setattr(keeping, "MOST_BYTES", oldest.stat().st_size + 100)
    graph_of("open_spiel:hex:board_size=2")
    assert oldest not in [*folder.iterdir()]
    assert len([*folder.iterdir()]) == 1
