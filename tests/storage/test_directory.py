"""What keeps a directory whole, for solutions of another kind than the ordinary one."""

import hashlib
import json

import pytest

from analysis.errors import StoreError
from analysis.machine.files import write_sealed_json
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.directory import ENTRIES, SCHEMA, SolutionDirectory, is_solution, manifest_kind
from analysis.storage.store import read_manifest
from tests.support.forging import manifest_of
from tests.support.killed import killed_before_move
from tests.support.program import one_line


def write_other(directory, content="new"):
    """A solution of another kind: one table, one tier, no optimal paths."""
    with SolutionDirectory(directory, ["positions"]) as place:
        (place.partial / "positions" / "tier-0000-part-0000.parquet").write_text(content)
        place.write_tier_json(12, {"tier": 12})
        place.finish({"kind": "bidding", "game": "none"})


def test_kinds(tmp_path):
    write_other(tmp_path / "s")
    assert manifest_kind(tmp_path / "s") == "bidding"
    digest = hashlib.sha256((tmp_path / "s" / "tiers" / "tier-0012.json").read_bytes()).hexdigest()
    assert manifest_of(tmp_path / "s") == {
        "schema": SCHEMA,
        "kind": "bidding",
        "game": "none",
        "entries": ["positions", "tiers"],
        "tiers": {"tier-0012.json": digest},
    }
    assert json.loads((tmp_path / "s" / "tiers" / "tier-0012.json").read_text()) == {"tier": 12}
    solve_to_directory("tictactoe", tmp_path / "s", force=True)
    assert manifest_kind(tmp_path / "s") is None
    assert not (tmp_path / "s" / "tiers" / "tier-0012.json").exists()


def test_an_ordinary_reader_refuses_other_kinds(gametree, tmp_path):
    write_other(tmp_path / "s")
    one_line(
        gametree("paths", "s"),
        1,
        "s holds the solution of a bidding game; paths, prune and audit do not read it",
    )
    manifest = tmp_path / "s" / "manifest.json"
    write_sealed_json(manifest, {"schema": SCHEMA, "kind": "tea", "tiers": {}})
    with pytest.raises(StoreError, match="a solution of the kind 'tea', which this version cannot read"):
        read_manifest(tmp_path / "s")
    write_sealed_json(manifest, {"schema": SCHEMA, "kind": None, "tiers": {}})
    with pytest.raises(StoreError, match="damaged: kind"):
        manifest_kind(tmp_path / "s")
    manifest.write_text('{"schema": 1, "kind": "bidding"}')
    with pytest.raises(StoreError, match=f"schema {SCHEMA}"):
        manifest_kind(tmp_path / "s")
    manifest.unlink()
    with pytest.raises(StoreError, match="no solution directory"):
        manifest_kind(tmp_path / "s")


def test_unfinished_leaves_nothing(tmp_path):
    with SolutionDirectory(tmp_path / "a" / "b", ["positions"]):
        assert not is_solution(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="plies are among them"):
        SolutionDirectory(tmp_path, ["positions", "plies"])


WRITE = "from tests.storage import test_directory; test_directory.write_other(pathlib.Path(sys.argv[2]))"


@pytest.mark.parametrize("number", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3, 5, 6, 7))])
def test_cut_off_while_moving_into_place(tmp_path, number):
    """Killed before the i-th move over an old solution that held more: recovering completes the moves."""
    from analysis.storage.directory import recover

    directory = tmp_path / "s"
    with SolutionDirectory(directory, ["positions", "moves"]) as place:
        (place.partial / "positions" / "tier-0000-part-0000.parquet").write_text("old")
        (place.partial / ENTRIES[3]).write_text("old")
        place.finish({"tables": {"moves": True, "paths": True}})
    killed_before_move(number, directory, program=WRITE)
    recover(directory)
    assert manifest_kind(directory) == "bidding"
    assert sorted(path.name for path in directory.iterdir()) == ["manifest.json", "positions", "tiers"]
    assert (directory / "positions" / "tier-0000-part-0000.parquet").read_text() == "new"
