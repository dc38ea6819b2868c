"""What keeps a directory whole, what others have put there, and files that no solve wrote."""

import contextlib
import hashlib
import json
import os

import pytest

import analysis
from analysis.errors import GametreeError, StoreError, VerificationError
from analysis.solution.storage.directory import ENTRIES, SCHEMA, SolutionDirectory, is_solution, manifest_kind
from analysis.solution.storage.parquet import PartFile, describe, write_table
from analysis.solution.storage.store import read_manifest
from analysis.solving.to_directory import solve_to_directory
from tests.support.forging import forge_manifest, forge_tier, manifest_of, tier_of
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
    one_line(gametree("paths", "s"), 2, "s holds the solution of a bidding game; ")
    manifest = tmp_path / "s" / "manifest.json"
    forge_manifest(tmp_path / "s", {"schema": SCHEMA, "kind": "tea", "tiers": {}})
    with pytest.raises(StoreError, match="a solution of the kind 'tea', which this version cannot read"):
        read_manifest(tmp_path / "s")
    forge_manifest(tmp_path / "s", {"schema": SCHEMA, "kind": None, "tiers": {}})
    with pytest.raises(StoreError, match="damaged: its kind"):
        manifest_kind(tmp_path / "s")
    manifest.write_text('{"schema": 1, "kind": "bidding"}')
    with pytest.raises(StoreError, match=f"schema {SCHEMA}"):
        manifest_kind(tmp_path / "s")
    manifest.unlink()
    with pytest.raises(StoreError, match="is not a solution directory"):
        manifest_kind(tmp_path / "s")


def test_unfinished_leaves_nothing(tmp_path):
    with SolutionDirectory(tmp_path / "a" / "b", ["positions"]):
        assert not is_solution(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="not all of positions, plies"):
        SolutionDirectory(tmp_path, ["positions", "plies"])


WRITE = "from tests.solution.storage import test_directory; test_directory.write_other(pathlib.Path(sys.argv[2]))"


@pytest.mark.parametrize("number", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3, 5, 6, 7))])
def test_cut_off_while_moving_into_place(tmp_path, number):
    """Killed before the i-th move over an old solution that held more: recovering completes the moves."""
    from analysis.solution.storage.directory import recover

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


SOLVE = ("solve", "mnk:rows=2,cols=2,k=2", "--out", "s")


def everything(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("name", ["positions/mine.csv", "tiers/notes.txt", "moves/a/b"])
def test_beside_a_solution(name, gametree, tmp_path):
    assert gametree(*SOLVE).code == 0
    mine = tmp_path / "s" / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    before = everything(tmp_path)
    assert gametree(*SOLVE).code == 0
    one_line(gametree(*SOLVE, "--force"), 1, f"s/{name[:7]}")
    assert everything(tmp_path) == before
    assert json.loads(gametree("stats", "s", "--format", "json").out)["positions"] > 0


SLOW = (True, -1, 1.5, "x", [], {}, {"a": 1})
WRONG = (None, 1 << 70, [None], *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW))


@pytest.fixture
def solved(tmp_path):
    analysis.solve("mnk:rows=2,cols=2,k=2", directory=analysis.Output(tmp_path / "s", tables=["moves"]))
    return tmp_path / "s"


def read_all(directory):
    """Every number, or a refusal."""
    for ask in (
        lambda: repr(analysis.open_solution(directory)),
        lambda: analysis.open_solution(directory).statistics(),
        lambda: analysis.open_solution(directory).positions(),
        lambda: analysis.verify(directory),
    ):
        with contextlib.suppress(GametreeError):
            ask()


@pytest.mark.parametrize("wrong", WRONG)
def test_manifests_of_any_form(solved, wrong):
    manifest = manifest_of(solved)
    totals = manifest["totals"]
    forged = [{**manifest, name: wrong} for name in manifest]
    forged += [{**manifest, "totals": [{**totals[0], name: wrong}, *totals[1:]]} for name in totals[0]]
    forged += [{**manifest, "symmetry": {**manifest["symmetry"], name: wrong}} for name in ("kind", "order")]
    forged += [{**manifest, "tables": {**manifest["tables"], name: wrong}} for name in manifest["tables"]]
    for each in forged:
        forge_manifest(solved, each, tiers=False)
        read_all(solved)


@pytest.mark.parametrize("wrong", WRONG)
def test_records_of_tiers_of_any_form(solved, wrong):
    tier = tier_of(solved, 2)
    forged = [{**tier, name: wrong} for name in tier]
    forged += [
        {**tier, name: [{**tier[name][0], key: wrong}]} for name in ("positions", "moves") for key in tier[name][0]
    ]
    forged += [{name: value for name, value in tier.items() if name != gone} for gone in tier]
    for each in forged:
        forge_tier(solved, 2, each)
        read_all(solved)
        with pytest.raises((StoreError, VerificationError)):
            analysis.verify(solved)


def test_a_page_in_the_place_of_another(tmp_path):
    """Its own checksum goes with it; that of the column does not."""
    table = analysis.solve("tictactoe").tiers[6].table()
    path = tmp_path / "part.parquet"
    part = write_table(path, table)
    group, data = PartFile(path, part).metadata.row_group(0), path.read_bytes()
    places = [group.column(i) for i in range(group.num_columns)]
    spans = [(min(c.data_page_offset, c.dictionary_page_offset or 1 << 60), c.total_compressed_size) for c in places]
    swapped = 0
    for to, size in spans:
        for at, long in spans:
            if size == long and data[at : at + size] != data[to : to + size]:
                path.write_bytes(data[:to] + data[at : at + size] + data[to + size :])
                swapped += 1
                with pytest.raises(StoreError, match="checksum"):
                    PartFile(path, part).read()
                assert describe(path) != part
    assert swapped


@pytest.mark.parametrize("name", ["tiers/tier-0001.json", "positions/tier-0001-part-0000.parquet", "manifest.json"])
@pytest.mark.parametrize("other", ["pipe", "/dev/zero", "folder"])
def test_no_regular_file(solved, gametree, name, other):
    (solved / name).unlink()
    if other == "pipe":
        os.mkfifo(solved / name)
    elif other == "folder":
        (solved / name).mkdir()
    else:
        (solved / name).symlink_to(other)
    for command in (["stats"], ["show"], ["verify"], ["export", "--to", "csv"]):
        if command == ["stats"] and "positions" in name:  # which reads no table but the first
            continue
        refused = gametree(command[0], solved, *command[1:])
        assert refused.code == (2 if name == "manifest.json" else 1), refused
        assert refused.err.count("\n") == 1


def test_nothing_is_moved_out_of_a_linked_folder(solved, tmp_path, gametree):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / ".partial").symlink_to(solved)
    before = sorted(solved.rglob("*"))
    for more in ([], ["--force"]):
        one_line(gametree("solve", "tictactoe", "--out", tmp_path / "x", *more), 1, "link")
    assert sorted(solved.rglob("*")) == before
